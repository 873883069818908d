/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"
#include "rdma-test-units.h"
#include "rdma-timely.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <array>
#include <iostream>

/**
 * \file
 * \ingroup rdma-tests
 * Results of the papers' theory, other than the fluid model of DCQCN: TIMELY's fixed points, HPCC's
 * empty queue, and an incast in which DCQCN prevents most pauses.
 */

using namespace ns3;

namespace
{

constexpr uint8_t PRIORITY = 3;

/** "ECN or Delay", CoNEXT 2016, sections 4.2 and 4.3: two flows over 10 Gb/s with given first
 * rates. */
class TimelyTestCase : public TestCase
{
  public:
    TimelyTestCase()
        : TestCase("TIMELY keeps the shares of the beginning, patched TIMELY does not")
    {
    }

  private:
    /**
     * \param patched true: patched TIMELY
     * \param startGbps first rates of the flows
     * \return share of the first flow
     */
    static double RunOnce(bool patched, const std::array<double, 2>& startGbps)
    {
        RdmaTestFabric test;
        test.Install(MakeRdmaStar(3, MakeTestRates(10, 10, 1000)), {});
        std::array<Ptr<RdmaQueuePair>, 2> senders;
        for (uint32_t i = 0; i < 2; ++i)
        {
            const auto control = CreateObjectWithAttributes<RdmaTimely>(
                "Patched",
                BooleanValue(patched),
                "InitialRate",
                DataRateValue(DataRate(static_cast<uint64_t>(1e9 * startGbps[i]))));
            test.fabric->GetNic(i)->SetCongestionControl(control);
            senders[i] = test.fabric->Connect(i, 2, PRIORITY).first;
            RdmaSendRequest request;
            request.length = RDMA_MAX_MESSAGE_BYTES;
            senders[i]->PostSend(request);
        }
        // The measurement lasts from 100 ms to 150 ms.
        std::array<uint64_t, 2> before{};
        test.Run(100 * MS);
        for (uint32_t i = 0; i < 2; ++i)
        {
            before[i] = senders[i]->GetStats().packetsSent;
        }
        test.Run(50 * MS);
        std::array<double, 2> sent{};
        for (uint32_t i = 0; i < 2; ++i)
        {
            sent[i] = static_cast<double>(senders[i]->GetStats().packetsSent - before[i]);
        }
        return sent[0] / (sent[0] + sent[1]);
    }

    void DoRun() override
    {
        // Nothing brings the rates together: the flow that is ahead at the beginning stays ahead.
        NS_TEST_EXPECT_MSG_GT(RunOnce(false, {7, 3}), 0.65, "TIMELY, 7 and 3 Gb/s");
        NS_TEST_EXPECT_MSG_LT(RunOnce(false, {3, 7}), 0.35, "TIMELY, 3 and 7 Gb/s");
        for (const auto& start : {std::array<double, 2>{7, 3}, {3, 7}, {5, 5}})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(RunOnce(true, start), 0.5, 0.01, "patched, " << start[0]);
        }
    }
};

/** Row D4 of the validation report. */
class HpccIncastTestCase : public TestCase
{
  public:
    HpccIncastTestCase()
        : TestCase("HPCC, 16 to 1 at 100 Gbps: no pause, the link at eta, no queue")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t SENDERS = 16;
        RdmaTestFabric test;
        test.helper.SetCongestionControl("ns3::RdmaHpcc");
        auto flows = MakeTestIncast(SENDERS, SENDERS, 1'000'000'000);
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)), flows);
        const auto port = test.fabric->GetDevice(SENDERS, SENDERS + 1);
        const auto count = [&port] {
            const auto& c = port->GetCounters().classes[PRIORITY];
            return static_cast<double>(c.txBytes + c.txFrames * port->GetLineOverheadBytes());
        };
        test.Run(5 * MS);
        const double before = count();
        constexpr RdmaPs STEP = 1_us;
        constexpr RdmaPs MEASURED = 10 * MS;
        double mean = 0;
        double peak = 0;
        for (RdmaPs at = 0_ps; at < MEASURED; at += STEP)
        {
            Simulator::Stop(RdmaToTime(STEP));
            Simulator::Run();
            const auto queue = static_cast<double>(port->GetQueues().GetBytes(PRIORITY));
            mean += queue * double(STEP) / double(MEASURED);
            peak = std::max(peak, queue);
        }
        // 100 Gb/s carry 125 MB in 10 ms.
        const double utilisation = (count() - before) / 125e6;
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().pauseFrames, 0U, "pauses from the start on");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "drops");
        NS_TEST_EXPECT_MSG_EQ_TOL(utilisation, 0.95, 0.02, "eta");
        NS_TEST_EXPECT_MSG_LT(mean, 2 * 1186, "mean queue: less than two packets");
        NS_TEST_EXPECT_MSG_LT(peak, 12 * 1186, "peak queue: less than one packet of each");
        // The flows begin with windows of B x T, which is the most that can arrive at once.
        const uint64_t first = port->GetQueues().GetPeakBytes(PRIORITY);
        std::cout << "HPCC, 16 to 1: utilisation " << utilisation << ", queue " << mean
                  << " B mean, " << peak << " B peak in steady state, " << first
                  << " B in the first round trip, " << test.fabric->GetTotals().pauseFrames
                  << " pauses\n";
        NS_TEST_EXPECT_MSG_LT(first, 16U * 60'000U, "peak queue in the first round trip");
    }
};

/** The incast of the validation report's table, with 2 MB in place of 10 MB. */
class PausesTestCase : public TestCase
{
  public:
    PausesTestCase()
        : TestCase("64 to 1 at 100 Gbps: DCQCN pauses a fifth as often as no control, at most")
    {
    }

  private:
    /** \param control TypeId name of a congestion control, or empty \return pause frames */
    static uint64_t RunOnce(const std::string& control)
    {
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(12 << 20));
        if (!control.empty())
        {
            test.helper.SetCongestionControl(control);
            test.helper.EnableEcn(true);
        }
        auto flows = MakeTestIncast(64, 64, 2'000'000);
        test.Install(MakeRdmaStar(65, MakeTestRates(100, 100, 1000)), flows);
        test.Run();
        return test.GetUnfinished().empty() ? test.fabric->GetTotals().pauseFrames : 0;
    }

    void DoRun() override
    {
        const uint64_t none = RunOnce("");
        const uint64_t dcqcn = RunOnce("ns3::RdmaDcqcn");
        NS_TEST_EXPECT_MSG_GT(dcqcn, 0U, "the first bursts overflow the threshold, and all finish");
        NS_TEST_EXPECT_MSG_GT(none, 5 * dcqcn, "none " << none << ", DCQCN " << dcqcn);
    }
};

/** A flow over two links and a flow over four links share a port. */
class PathLengthTestCase : public TestCase
{
  public:
    PathLengthTestCase()
        : TestCase("a path of two links and one of four have equal shares of a port")
    {
    }

  private:
    using Attributes = std::vector<std::pair<std::string, std::string>>;

    /**
     * \param type TypeId name of a congestion control
     * \param attributes attributes of the congestion control
     * \return the short path's share from 20 ms to 40 ms
     */
    static double GetShare(const std::string& type, const Attributes& attributes)
    {
        RdmaTestFabric test;
        test.helper.SetCongestionControl(type);
        for (const auto& [name, value] : attributes)
        {
            test.helper.SetCongestionControlAttribute(name, StringValue(value));
        }
        // Hosts 0 and 1 are at one leaf, 2 and 3 at the other.
        const auto topology = MakeRdmaLeafSpine(2, 2, 1, MakeTestRates(100, 400, 1000));
        const auto hosts = topology.GetHosts();
        test.Install(topology,
                     {MakeTestFlow(0, hosts[1], hosts[0], 10'000'000'000),
                      MakeTestFlow(1, hosts[2], hosts[0], 10'000'000'000)});
        std::array<double, 2> packets{};
        const auto count = [&](double sign) {
            for (uint32_t i = 0; i < 2; ++i)
            {
                const uint64_t sent = test.runner->GetSender(i)->GetStats().packetsSent;
                packets[i] += sign * static_cast<double>(sent);
            }
        };
        test.Run(20 * MS);
        count(-1);
        test.Run(20 * MS);
        count(1);
        return packets[0] / (packets[0] + packets[1]);
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare("ns3::RdmaHpcc", {}), 0.5, 0.05, "HPCC");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare("ns3::RdmaSwift", {}), 0.5, 0.05, "Swift");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare("ns3::RdmaPowerTcp", {}), 0.5, 0.05, "PowerTCP");
        // With the paper's rules the short path sends W / T. The long path has a round trip of T
        // plus the queueing delay, which is two beta in equilibrium, 0.2 T. The window of the long
        // path binds before its pace, and the path gets 1 / 1.2 of the short path's rate. With T
        // above that round trip, both paths are paced.
        NS_TEST_EXPECT_MSG_EQ_TOL(
            GetShare("ns3::RdmaPowerTcp", {{"Rules", "Paper"}, {"BaseRtt", "12us"}}),
            0.5,
            0.05,
            "the paper's rules, T above the longest round trip with a queue");
        NS_TEST_EXPECT_MSG_EQ_TOL(GetShare("ns3::RdmaPowerTcp", {{"Rules", "Paper"}}),
                                  1.2 / 2.2,
                                  0.05,
                                  "the paper's rules");
    }
};

/** TIMELY's incast of 64, whose duration depends on the largest cut and the lowest rate. */
class TimelyIncastTestCase : public TestCase
{
  public:
    TimelyIncastTestCase()
        : TestCase("TIMELY, 64 to 1, 10 MB each: below 100 ms in the mean")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t SENDERS = 64;
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(12 << 20));
        test.helper.SetCongestionControl("ns3::RdmaTimely");
        auto flows = MakeTestIncast(SENDERS, SENDERS, 10'000'000);
        test.Install(MakeRdmaStar(SENDERS + 1, MakeTestRates(100, 100, 1000)), flows);
        test.Run();
        double sumMs = 0;
        for (const RdmaFlowResult& result : test.runner->GetResults())
        {
            NS_TEST_ASSERT_MSG_EQ(result.IsCompleted(), true, "flow " << result.flow.id);
            sumMs += static_cast<double>(*result.fct) / 1e9;
        }
        // All flows together take 55.3 ms at line rate.
        NS_TEST_EXPECT_MSG_LT(sumMs / SENDERS, 100, "mean FCT in ms");
    }
};

/** The suite. */
class RdmaTheoryTestSuite : public TestSuite
{
  public:
    RdmaTheoryTestSuite()
        : TestSuite("rdma-theory")
    {
        AddTestCase(new TimelyTestCase);
        AddTestCase(new HpccIncastTestCase);
        AddTestCase(new PausesTestCase);
        AddTestCase(new TimelyIncastTestCase);
        AddTestCase(new PathLengthTestCase);
    }
};

RdmaTheoryTestSuite g_rdmaTheoryTestSuite; //!< registers the suite

} // namespace
