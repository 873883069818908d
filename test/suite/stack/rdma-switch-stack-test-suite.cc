/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/bulk-send-helper.h>
#include <ns3/inet-socket-address.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/udp-socket-factory.h>
#if __has_include(<ns3/ping.h>)
#include <ns3/ping.h>
#else
#include <ns3/v4ping.h>
#endif

/**
 * \file
 * \ingroup rdma-tests
 * ns-3's own stack through the switches, together with RDMA: ARP, ping, UDP, TCP. (Over a single
 * link: rdma-stack-test-suite.cc.)
 */

using namespace ns3;

namespace
{

/** Round-trip times of a ping. */
class Pinger
{
  public:
    /**
     * \param node node that sends the pings
     * \param destination address of the pinged host
     */
    Pinger(Ptr<Node> node, Ipv4Address destination)
    {
#if __has_include(<ns3/ping.h>)
        auto ping = CreateObject<Ping>();
        ping->SetAttribute("Destination", AddressValue(destination));
        ping->SetAttribute("VerboseMode", StringValue("Silent"));
        ping->TraceConnectWithoutContext("Rtt", MakeCallback(&Pinger::AddNumbered, this));
#else
        auto ping = CreateObject<V4Ping>();
        ping->SetAttribute("Remote", Ipv4AddressValue(destination));
        ping->TraceConnectWithoutContext("Rtt", MakeCallback(&Pinger::Add, this));
#endif
        ping->SetAttribute("Size", UintegerValue(56));
        node->AddApplication(ping);
        ping->SetStartTime(Seconds(1));
        ping->SetStopTime(Seconds(4.5));
    }

    std::vector<RdmaPs> rtt; //!< round-trip times

  private:
    void Add(Time time)
    {
        rtt.push_back(RdmaToPs(time));
    }

    void AddNumbered(uint16_t, Time time)
    {
        Add(time);
    }
};

/** Ping, and the ARP before it. */
class SwitchStackPingTestCase : public TestCase
{
  public:
    SwitchStackPingTestCase()
        : TestCase("ping from pod to pod: the round trip takes the time of twelve frames")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetInternetStack(true);
        test.Install(MakeRdmaFatTree(4, MakeTestRates(100, 100, 1000)), {});
        Pinger far(test.fabric->GetNode(0), test.fabric->GetAddress(15));
        Pinger near(test.fabric->GetNode(2), test.fabric->GetAddress(3));
        Pinger nobody(test.fabric->GetNode(4), Ipv4Address("10.99.99.99"));
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        // A ping is 56 + 8 (ICMP) + 20 (IPv4) + 18 (Ethernet) = 102 B and takes (8 + 102) x 80 and
        // 1 us on each of 12 or 4 links. The first ping waited for ARP.
        NS_TEST_ASSERT_MSG_GT(far.rtt.size(), 2U, "replies");
        NS_TEST_EXPECT_MSG_EQ(far.rtt[1], 12 * 1'008'800_ps, "six links away");
        NS_TEST_EXPECT_MSG_EQ(far.rtt[2], 12 * 1'008'800_ps, "six links away");
        NS_TEST_ASSERT_MSG_GT(near.rtt.size(), 2U, "replies");
        NS_TEST_EXPECT_MSG_EQ(near.rtt[1], 4 * 1'008'800_ps, "at the same switch");
        NS_TEST_EXPECT_MSG_EQ(nobody.rtt.size(), 0U, "no such host");
        // Nobody answers the ARP requests for the unknown address. ns-3 sends four for each waiting
        // ping.
        const auto noRoute = RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::NO_ROUTE);
        NS_TEST_EXPECT_MSG_GT(noRoute, 0U, "requests for an unknown address are counted");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, noRoute, "no other drops");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckAll(*test.fabric), "", "after the run");
    }
};

/** Datagrams, whole and in fragments, in the class of their DSCP. */
class SwitchStackUdpTestCase : public TestCase
{
  public:
    SwitchStackUdpTestCase()
        : TestCase("UDP from leaf to leaf: every byte, in the class of its DSCP")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.InstallStack();
        auto receiver =
            Socket::CreateSocket(test.fabric->GetNode(3), UdpSocketFactory::GetTypeId());
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9000));
        receiver->SetIpRecvTtl(true);
        std::vector<uint32_t> sizes;
        std::vector<int> ttls;
        receiver->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> socket) {
            while (Ptr<Packet> packet = socket->Recv())
            {
                sizes.push_back(packet->GetSize());
                SocketIpTtlTag tag;
                ttls.push_back(packet->RemovePacketTag(tag) ? tag.GetTtl() : -1);
            }
        }));
        auto sender = Socket::CreateSocket(test.fabric->GetNode(0), UdpSocketFactory::GetTypeId());
        sender->Connect(InetSocketAddress(test.fabric->GetAddress(3), 9000));
        sender->SetIpTos(26 << 2); // DSCP 26; Connect() has reset the TOS
        const std::vector<uint32_t> sent{100, 1472, 1473, 9000, 1};
        for (std::size_t i = 0; i < sent.size(); ++i)
        {
            Simulator::Schedule(MilliSeconds(20 * (i + 1)),
                                [&, i]() { sender->Send(Create<Packet>(sent[i])); });
        }
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((sizes == sent), true, "datagrams");
        for (const int ttl : ttls)
        {
            NS_TEST_EXPECT_MSG_EQ(ttl, 64 - 3, "three switches took one each");
        }
        // Host 3 receives 1 + 1 + 2 + 7 + 1 packets of class 3 (9008 B are 6 x 1480 + 128).
        const auto& counters = test.fabric->GetNic(3)->GetPort(0)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.classes[3].rxFrames, 12U, "frames of class 3");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "nothing is lost");
    }
};

/** TCP in a permutation during an RDMA incast. */
class TcpBesideRdmaTestCase : public TestCase
{
  public:
    TcpBesideRdmaTestCase()
        : TestCase("TCP among all hosts during an RDMA incast: TCP arrives, RDMA loses nothing")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t HOSTS = 16;
        constexpr uint64_t BYTES = 2'000'000;
        RdmaTestFabric test;
        test.helper.SetInternetStack(true);
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(600'000));
        std::vector<RdmaFlow> flows;
        for (uint32_t host = 1; host < HOSTS; ++host)
        {
            flows.push_back(MakeTestFlow(host, host, 0, 1'000'000, 10_ms));
        }
        test.Install(MakeRdmaFatTree(4, MakeTestRates(10, 10, 1000)), flows);
        ApplicationContainer sinks;
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            PacketSinkHelper sink("ns3::TcpSocketFactory",
                                  InetSocketAddress(Ipv4Address::GetAny(), 5000));
            sinks.Add(sink.Install(test.fabric->GetNode(host)));
            BulkSendHelper source(
                "ns3::TcpSocketFactory",
                InetSocketAddress(test.fabric->GetAddress((host + 5) % HOSTS), 5000));
            source.SetAttribute("MaxBytes", UintegerValue(BYTES));
            source.Install(test.fabric->GetNode(host)).Start(MilliSeconds(10));
        }
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        test.results = test.runner->GetResults();
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(host))->GetTotalRx(),
                                  BYTES,
                                  "TCP bytes at host " << host);
        }
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "RDMA flows");
        uint64_t losslessDrops = 0;
        uint64_t lossyFrames = 0;
        for (const auto& row : test.fabric->GetPortResults())
        {
            losslessDrops += row.priority == 3 ? row.drops : 0;
            lossyFrames += row.priority == 0 && row.txBytes > 0;
        }
        NS_TEST_EXPECT_MSG_EQ(losslessDrops, 0U, "class 3 loses nothing");
        NS_TEST_EXPECT_MSG_GT(lossyFrames, 0U, "TCP is in class 0");
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 0U, "under load");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckAll(*test.fabric), "", "after the run");
    }
};

/** The suite. */
class RdmaSwitchStackTestSuite : public TestSuite
{
  public:
    RdmaSwitchStackTestSuite()
        : TestSuite("rdma-switch-stack")
    {
        AddTestCase(new SwitchStackPingTestCase);
        AddTestCase(new SwitchStackUdpTestCase);
        AddTestCase(new TcpBesideRdmaTestCase);
    }
};

RdmaSwitchStackTestSuite g_rdmaSwitchStackTestSuite; //!< registers the suite

} // namespace
