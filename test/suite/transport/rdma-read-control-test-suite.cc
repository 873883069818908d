/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <iostream>

/**
 * \file
 * \ingroup rdma-tests
 * READ responses under congestion control. IRN acknowledges READ responses, so that the queue of
 * READs is as short as the queue of WRITEs. RoCE does not acknowledge READ responses, and a warning
 * says that congestion control does not slow them.
 */

using namespace ns3;

namespace
{

/** A run with transfers from eight hosts to one, and its results. */
struct ReadControlRun
{
    const char* transport; //!< type of the transport
    const char* control;   //!< type of the congestion control
    RdmaWrOpcode opcode;   //!< RDMA_READ by the one, or RDMA_WRITE by the eight
    bool both{false};      //!< WRITEs by eight hosts and READs by one
    double queueBytes{0};  //!< mean queue to the one host, from 3 to 4 ms
    double goodput{0};     //!< bytes on that host's link per bytes that the link can carry
    uint64_t pauses{0};    //!< pause frames from 3 to 4 ms
    std::string errors;    //!< text on standard error
};

/** \param run kind of transfer; gets the results */
void
Measure(ReadControlRun& run)
{
    constexpr uint32_t SENDERS = 8;
    std::ostringstream errors;
    std::streambuf* const before = std::cerr.rdbuf(errors.rdbuf());
    {
        RdmaTestFabric test;
        test.helper.SetTransport(run.transport);
        if (std::string(run.transport) == "ns3::IrnTransport")
        {
            test.helper.SetTransportAttribute("BdpFc", BooleanValue(false));
        }
        test.helper.SetCongestionControl(run.control);
        test.helper.EnableEcn(true);
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)), {});
        std::vector<Ptr<RdmaQueuePair>> all;
        for (uint32_t i = 0; i < SENDERS; ++i)
        {
            const auto [a, b] = test.fabric->Connect(i, SENDERS);
            all.insert(all.end(), {a, b});
            const auto post = [](Ptr<RdmaQueuePair> qp, RdmaWrOpcode opcode) {
                RdmaSendRequest request;
                request.length = 1'000'000'000;
                request.opcode = opcode;
                qp->PostSend(request);
            };
            RdmaTestPair::At(i * 50_us, [&run, post, a = a, b = b]() {
                post(run.opcode == RdmaWrOpcode::RDMA_READ ? b : a, run.opcode);
                if (run.both)
                {
                    post(a, RdmaWrOpcode::RDMA_WRITE);
                }
            });
        }
        const auto port = test.fabric->GetDevice(SENDERS, SENDERS + 1);
        const auto count = [&port]() { return port->GetCounters().classes[3].txBytes; };
        constexpr int LOOKS = 1000;
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        const uint64_t bytes = count();
        const uint64_t pauses = test.fabric->GetTotals().pauseFrames;
        for (int i = 0; i < LOOKS; ++i)
        {
            Simulator::Stop(MicroSeconds(1));
            Simulator::Run();
            run.queueBytes += static_cast<double>(port->GetQueues().GetBytes(3)) / LOOKS;
        }
        constexpr double BYTES_A_MS = 12.5e6;
        run.goodput = static_cast<double>(count() - bytes) / BYTES_A_MS;
        run.pauses = test.fabric->GetTotals().pauseFrames - pauses;
    }
    std::cerr.rdbuf(before);
    run.errors = errors.str();
}

/** IRN's READ responses together with WRITEs. */
class IrnReadControlTestCase : public TestCase
{
  public:
    /**
     * \param control type of the congestion control
     * \param factor largest ratio of the queue of READs, or of both, to the queue of WRITEs
     */
    IrnReadControlTestCase(const char* control, double factor)
        : TestCase(std::string("IRN's READ responses keep the queue of WRITEs, ") + (control + 5)),
          m_control(control),
          m_factor(factor)
    {
    }

  private:
    void DoRun() override
    {
        ReadControlRun write{"ns3::IrnTransport", m_control, RdmaWrOpcode::RDMA_WRITE};
        Measure(write);
        ReadControlRun read{"ns3::IrnTransport", m_control, RdmaWrOpcode::RDMA_READ};
        Measure(read);
        ReadControlRun both{"ns3::IrnTransport", m_control, RdmaWrOpcode::RDMA_READ, true};
        Measure(both);
        // Headers of responses are 4 bytes shorter. The tolerance is one full packet.
        constexpr double PACKET_BYTES = 1200;
        for (const ReadControlRun* run : {&read, &both})
        {
            const char* const name = run->both ? "READ and WRITE" : "READ";
            NS_TEST_EXPECT_MSG_LT(run->queueBytes,
                                  m_factor * write.queueBytes + PACKET_BYTES,
                                  name << ": queue");
            NS_TEST_EXPECT_MSG_EQ(run->pauses, 0U, name << ": pauses");
            NS_TEST_EXPECT_MSG_GT(run->goodput, 0.97 * write.goodput, name << ": goodput");
            NS_TEST_EXPECT_MSG_EQ(run->errors, "", name << ": warning");
        }
        NS_TEST_EXPECT_MSG_EQ(write.pauses, 0U, "WRITE: pauses");
    }

    const char* m_control; //!< type of the congestion control
    double m_factor;       //!< largest ratio to the queue of WRITEs
};

/** RoCE's READ responses, which are not acknowledged. */
class RoceReadControlTestCase : public TestCase
{
  public:
    RoceReadControlTestCase()
        : TestCase("RoCE: a warning where nothing slows READ responses, and none where CNPs do")
    {
    }

  private:
    void DoRun() override
    {
        ReadControlRun swift{"ns3::RoceTransport", "ns3::RdmaSwift", RdmaWrOpcode::RDMA_READ};
        Measure(swift);
        NS_TEST_EXPECT_MSG_EQ(swift.errors,
                              "rdma: warning: ns3::RdmaSwift does not slow READ responses over "
                              "RoCE, which nobody acknowledges (IrnTransport has them "
                              "acknowledged)\n",
                              "once for all hosts");
        NS_TEST_EXPECT_MSG_GT(swift.pauses, 100U, "they are not slowed");
        ReadControlRun dcqcn{"ns3::RoceTransport", "ns3::RdmaDcqcn", RdmaWrOpcode::RDMA_READ};
        Measure(dcqcn);
        NS_TEST_EXPECT_MSG_EQ(dcqcn.errors, "", "CNPs are enough");
        NS_TEST_EXPECT_MSG_LT(dcqcn.queueBytes, swift.queueBytes / 2, "and slow them");
        ReadControlRun write{"ns3::RoceTransport", "ns3::RdmaSwift", RdmaWrOpcode::RDMA_WRITE};
        Measure(write);
        NS_TEST_EXPECT_MSG_EQ(write.errors, "", "no READ");
    }
};

/** The suite. */
class RdmaReadControlTestSuite : public TestSuite
{
  public:
    RdmaReadControlTestSuite()
        : TestSuite("rdma-read-control")
    {
        AddTestCase(new IrnReadControlTestCase("ns3::RdmaSwift", 1.2));
        AddTestCase(new IrnReadControlTestCase("ns3::RdmaHpcc", 1.2));
        AddTestCase(new IrnReadControlTestCase("ns3::RdmaDctcp", 1.2));
        AddTestCase(new IrnReadControlTestCase("ns3::RdmaTimely", 1.5));
        AddTestCase(new RoceReadControlTestCase);
    }
};

RdmaReadControlTestSuite g_rdmaReadControlTestSuite; //!< registers the suite

} // namespace
