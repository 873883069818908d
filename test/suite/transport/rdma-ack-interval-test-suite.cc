/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * RoceTransport::AckInterval with congestion controls that set a window. A window of fewer packets
 * than the interval must not stop a queue pair.
 */

using namespace ns3;

namespace
{

/** Flows that share a port, with each acknowledgement interval. */
class IntervalGoodputTestCase : public TestCase
{
  public:
    /** \param control type of the congestion control \param flows number of flows to one host */
    IntervalGoodputTestCase(const std::string& control, uint32_t flows)
        : TestCase("goodput with each acknowledgement interval, " + control + ", " +
                   std::to_string(flows) + " flows"),
          m_control(control),
          m_flows(flows)
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t interval : {1, 2, 4, 16, 64, 256})
        {
            // An interval of more packets than the window leaves one acknowledgement for each
            // window. A paced window then takes a round trip to leave and a round trip to be
            // acknowledged. A flow alone keeps half of its goodput. Many flows fill the port.
            const double share = Measure(interval);
            NS_TEST_EXPECT_MSG_GT(share, 0.4, "AckInterval " << interval);
        }
    }

    /** \param interval AckInterval \return goodput in parts of the largest one, in the second half
     */
    double Measure(uint32_t interval)
    {
        RdmaTestFabric test;
        test.helper.SetCongestionControl("ns3::Rdma" + m_control);
        if (m_control == "Dctcp")
        {
            test.helper.SetCongestionControlAttribute("Form", StringValue("Window"));
            test.helper.EnableEcn(true);
        }
        test.Install(MakeRdmaStar(m_flows + 1, MakeTestRates(100, 100, 1000)), {});
        // Not by the helper, which refuses intervals with controls that look at each ACK.
        PointerValue transport;
        test.fabric->GetNic(0)->GetAttribute("Transport", transport);
        transport.Get<RdmaTransport>()->SetAttribute("AckInterval", UintegerValue(interval));
        std::vector<Ptr<RdmaQueuePair>> receivers;
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            const auto [a, b] = test.fabric->Connect(i, m_flows);
            RdmaSendRequest request;
            request.length = 1'000'000'000;
            a->PostSend(request);
            receivers.push_back(b);
        }
        const auto count = [&receivers]() {
            uint64_t packets = 0;
            for (const auto& receiver : receivers)
            {
                packets += receiver->GetStats().packetsAccepted;
            }
            return packets;
        };
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        const uint64_t before = count();
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        // 1024 bytes of 1110 on the line: 11 261 packets in a millisecond.
        return static_cast<double>(count() - before) / 11'261;
    }

    std::string m_control;
    uint32_t m_flows;
};

/** The suite. */
class RdmaAckIntervalTestSuite : public TestSuite
{
  public:
    RdmaAckIntervalTestSuite()
        : TestSuite("rdma-ack-interval")
    {
        for (const char* control : {"Swift", "Hpcc", "PowerTcp", "Dctcp", "Aimd"})
        {
            AddTestCase(new IntervalGoodputTestCase(control, 1));
            AddTestCase(new IntervalGoodputTestCase(control, 32));
        }
    }
};

RdmaAckIntervalTestSuite g_rdmaAckIntervalTestSuite; //!< registers the suite

} // namespace
