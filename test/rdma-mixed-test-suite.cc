/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"
#include "rdma-test-udp.h"

#include <ns3/boolean.h>
#include <ns3/flow-id-tag.h>
#include <ns3/ipv4-global-routing-helper.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * What scripts that use more of ns-3 than this module do: global routing, and tags of their own.
 */

using namespace ns3;

namespace
{

/** Ipv4GlobalRoutingHelper over hosts behind switches. */
class GlobalRoutingTestCase : public TestCase
{
  public:
    GlobalRoutingTestCase()
        : TestCase("PopulateRoutingTables() leaves the fabric as it is: UDP gets through")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetInternetStack(true);
        test.Install(MakeRdmaLeafSpine(2, 2, 2, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(1, 1, 3, 1'000'000, 10'000'000'000)});
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        RdmaTestUdp udp(test.fabric->GetNode(0),
                        test.fabric->GetNode(3),
                        test.fabric->GetAddress(3));
        udp.SendEvery(MilliSeconds(10), MilliSeconds(20), 100); // ARP takes up to 10 ms
        Simulator::Stop(Seconds(11));
        Simulator::Run();
        test.results = test.runner->GetResults();
        NS_TEST_EXPECT_MSG_EQ(udp.GetReceived(), 100U, "datagrams");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "RDMA flows");
    }
};

/** Tags of a user on a user's packets. */
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
        test.helper.SetInternetStack(true);
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(m_serialize));
        test.Install(MakeRdmaLeafSpine(2, 2, 2, MakeTestRates(100, 100, 1000)), {});
        RdmaTestUdp udp(test.fabric->GetNode(0),
                        test.fabric->GetNode(3),
                        test.fabric->GetAddress(3));
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

    bool m_serialize; //!< SerializeFrames
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
    }
};

RdmaMixedTestSuite g_rdmaMixedTestSuite; //!< registers the suite

} // namespace
