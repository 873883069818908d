/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"
#include "rdma-test-udp.h"

#ifdef RDMA_TEST_FLOW_MONITOR
#include <ns3/flow-monitor-helper.h>
#endif
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * ns-3's FlowMonitor on the hosts of a fabric. The suite is empty where ns-3 lacks that module.
 */

using namespace ns3;

namespace
{

#ifdef RDMA_TEST_FLOW_MONITOR
/** FlowMonitorHelper::InstallAll(), with UDP through four switches. */
class FlowMonitorTestCase : public TestCase
{
  public:
    FlowMonitorTestCase()
        : TestCase("FlowMonitor counts every packet, sent and received")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t PACKETS = 100;
        RdmaTestFabric test;
        test.InstallStack({MakeTestFlow(1, 1, 3, 1'000'000, 10_ms)});
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        RdmaTestUdp udp(*test.fabric, 0, 3);
        udp.SendEvery(MilliSeconds(10), MilliSeconds(20), PACKETS); // ARP takes up to 10 ms
        FlowMonitorHelper helper;
        Ptr<FlowMonitor> monitor = helper.InstallAll();
        Simulator::Stop(Seconds(12));
        Simulator::Run();
        monitor->CheckForLostPackets();
        const auto flows = monitor->GetFlowStats();
        NS_TEST_EXPECT_MSG_EQ(udp.GetReceived(), PACKETS, "datagrams");
        NS_TEST_ASSERT_MSG_EQ(flows.size(), 1U, "flows of ns-3's stack");
        const FlowMonitor::FlowStats& flow = flows.begin()->second;
        NS_TEST_EXPECT_MSG_EQ(flow.txPackets, PACKETS, "sent");
        NS_TEST_EXPECT_MSG_EQ(flow.rxPackets, PACKETS, "received");
        NS_TEST_EXPECT_MSG_EQ(flow.lostPackets, 0U, "lost");
        // A packet is 1000 + 8 (UDP) + 20 (IPv4) + 18 (Ethernet) = 1046 B and takes 1054 x 80 ps
        // and 1 us on each of 4 links. The first packet waited for ARP.
        NS_TEST_EXPECT_MSG_EQ(RdmaToPs(flow.lastDelay),
                              4 * 1'084'320_ps,
                              "delay of the last packet");
    }
};
#endif

/** The suite. */
class RdmaFlowMonitorTestSuite : public TestSuite
{
  public:
    RdmaFlowMonitorTestSuite()
        : TestSuite("rdma-flow-monitor")
    {
#ifdef RDMA_TEST_FLOW_MONITOR
        AddTestCase(new FlowMonitorTestCase);
#endif
    }
};

RdmaFlowMonitorTestSuite g_rdmaFlowMonitorTestSuite; //!< registers the suite

} // namespace
