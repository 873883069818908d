/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"
#include "rdma-test-udp.h"

#include <ns3/boolean.h>
#include <ns3/flow-id-tag.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/simple-net-device-helper.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Scripts that use other parts of ns-3: global routing, and tags of their own.
 */

using namespace ns3;

namespace
{

/** Ipv4GlobalRoutingHelper over hosts behind switches. */
class GlobalRoutingTestCase : public TestCase
{
  public:
    GlobalRoutingTestCase()
        : TestCase("PopulateRoutingTables() does not change the fabric: UDP arrives")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.InstallStack({MakeTestFlow(1, 1, 3, 1'000'000, 10_ms)});
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        RdmaTestUdp udp(*test.fabric, 0, 3);
        udp.SendEvery(MilliSeconds(10), MilliSeconds(20), 100); // ARP takes up to 10 ms
        Simulator::Stop(Seconds(11));
        Simulator::Run();
        test.results = test.runner->GetResults();
        NS_TEST_EXPECT_MSG_EQ(udp.GetReceived(), 100U, "datagrams");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "RDMA flows");
    }
};

/** Tags that a user adds to packets: packet tags and byte tags. */
class UserTagsTestCase : public TestCase
{
  public:
    /** \param serialize every frame crosses its links as bytes */
    explicit UserTagsTestCase(bool serialize)
        : TestCase(serialize ? "tags of ns-3's packets end where frames are serialised"
                             : "tags of ns-3's packets go from host to host through switches"),
          m_serialize(serialize)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t PACKET_TAG = 17;
        constexpr uint32_t BYTE_TAG = 42;
        RdmaTestFabric test;
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(m_serialize));
        test.InstallStack();
        RdmaTestUdp udp(*test.fabric, 0, 3);
        udp.SendEvery(MilliSeconds(10), MilliSeconds(20), 3, [](Packet& packet) {
            packet.AddPacketTag(FlowIdTag(PACKET_TAG));
            packet.AddByteTag(FlowIdTag(BYTE_TAG));
        });
        uint32_t packetTags = 0;
        uint32_t byteTags = 0;
        udp.SetReceiveCallback([&](const Packet& packet) {
            FlowIdTag tag;
            packetTags += packet.PeekPacketTag(tag) && tag.GetFlowId() == PACKET_TAG;
            byteTags += packet.FindFirstMatchingByteTag(tag) && tag.GetFlowId() == BYTE_TAG;
        });
        Simulator::Stop(Seconds(11));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(udp.GetReceived(), 3U, "datagrams");
        NS_TEST_EXPECT_MSG_EQ(packetTags, (m_serialize ? 0U : 3U), "packet tags");
        NS_TEST_EXPECT_MSG_EQ(byteTags, (m_serialize ? 0U : 3U), "byte tags");
    }

    bool m_serialize; //!< attribute SerializeFrames
};

/** A host that forwards between the fabric and a network outside of the fabric. */
class GatewayTestCase : public TestCase
{
  public:
    GatewayTestCase()
        : TestCase(
              "a gateway host to a network of another kind: all packets, also after a link has "
              "failed, and by a default route")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t GATEWAY = 3;
        RdmaTestFabric test;
        test.InstallStack({MakeTestFlow(1, 1, 3, 1'000'000, 10_ms)});
        const Ptr<Node> gateway = test.fabric->GetNode(GATEWAY);
        const Ptr<Node> outside = CreateObject<Node>();
        InternetStackHelper().Install(outside);
        SimpleNetDeviceHelper simple;
        simple.SetChannelAttribute("Delay", TimeValue(MicroSeconds(10)));
        const NetDeviceContainer link = simple.Install(NodeContainer(gateway, outside));
        Ipv4AddressHelper addresses("192.168.0.0", "255.255.255.0");
        const Ipv4InterfaceContainer interfaces = addresses.Assign(link);
        Ipv4StaticRoutingHelper routing;
        for (const uint32_t host : {0U, 1U, 2U})
        {
            routing.GetStaticRouting(test.fabric->GetNode(host)->GetObject<Ipv4>())
                ->SetDefaultRoute(test.fabric->GetAddress(GATEWAY), 1);
        }
        routing.GetStaticRouting(outside->GetObject<Ipv4>())
            ->SetDefaultRoute(interfaces.GetAddress(0), 1);
        // An address behind the outside network, which hosts reach by the default route alone.
        const Ptr<Ipv4> stack = outside->GetObject<Ipv4>();
        stack->AddAddress(1, Ipv4InterfaceAddress("172.16.0.1", "255.255.255.255"));
        routing.GetStaticRouting(gateway->GetObject<Ipv4>())
            ->AddHostRouteTo("172.16.0.1", interfaces.GetAddress(1), 2);
        const Ptr<QbbNetDevice> port = test.fabric->GetNic(GATEWAY)->GetPort(0);
        test.fabric->GetRouting()->AddPrefix(port, "192.168.0.0", "255.255.255.0");
        test.fabric->GetRouting()->AddPrefix(port, "0.0.0.0", "0.0.0.0");

        RdmaTestUdp out(test.fabric->GetNode(0), outside, interfaces.GetAddress(1));
        RdmaTestUdp farther(test.fabric->GetNode(2), outside, Ipv4Address("172.16.0.1"), 9001);
        RdmaTestUdp in(outside, test.fabric->GetNode(1), test.fabric->GetAddress(1));
        for (RdmaTestUdp* udp : {&out, &farther, &in})
        {
            udp->SendEvery(MilliSeconds(10), MilliSeconds(20), 100);
        }
        // Links 4 and 5 join a leaf to the two spines.
        Simulator::Schedule(MilliSeconds(40) + MicroSeconds(500),
                            [&test]() { test.fabric->SetLinkUp(4, false); });
        Simulator::Schedule(MilliSeconds(70) + MicroSeconds(500),
                            [&test]() { test.fabric->SetLinkUp(4, true); });
        Simulator::Stop(Seconds(11));
        Simulator::Run();
        test.results = test.runner->GetResults();
        NS_TEST_EXPECT_MSG_EQ(out.GetReceived(), 100U, "to the network by its prefix");
        NS_TEST_EXPECT_MSG_EQ(farther.GetReceived(), 100U, "by the default route");
        NS_TEST_EXPECT_MSG_EQ(in.GetReceived(), 100U, "into the fabric");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "drops");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "RDMA flows");
    }
};

/** The suite. */
class RdmaMixedTestSuite : public TestSuite
{
  public:
    RdmaMixedTestSuite()
        : TestSuite("rdma-mixed")
    {
        AddTestCase(new GlobalRoutingTestCase);
        AddTestCase(new UserTagsTestCase(false));
        AddTestCase(new UserTagsTestCase(true));
        AddTestCase(new GatewayTestCase);
    }
};

RdmaMixedTestSuite g_rdmaMixedTestSuite; //!< registers the suite

} // namespace
