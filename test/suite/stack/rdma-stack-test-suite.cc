/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-stack.h"
#include "rdma-time.h"

#include <ns3/bulk-send-helper.h>
#include <ns3/inet-socket-address.h>
#include <ns3/inet6-socket-address.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/ipv6-address-helper.h>
#include <ns3/ipv6-interface-container.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/packet-sink.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>
#if __has_include(<ns3/ping.h>)
#include <ns3/ping.h>
#else
#include <ns3/v4ping.h>
#endif

#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * ns-3's own stack over one link: two hosts, 100 Gb/s over 1 us.
 */

using namespace ns3;

namespace
{

/** Round-trip times of a ping. */
class StackPingTestCase : public TestCase
{
  public:
    StackPingTestCase()
        : TestCase("ping: the round trip takes the time of two frames")
    {
    }

  private:
    void AddRtt(Time rtt)
    {
        m_rtt.push_back(RdmaToPs(rtt));
    }

    void AddNumberedRtt(uint16_t, Time rtt)
    {
        AddRtt(rtt);
    }

    void DoRun() override
    {
        RdmaTestStack link;
#if __has_include(<ns3/ping.h>)
        auto ping = CreateObject<Ping>();
        ping->SetAttribute("Destination", AddressValue(link.interfaces.GetAddress(1)));
        ping->SetAttribute("VerboseMode", StringValue("Silent"));
        ping->TraceConnectWithoutContext("Rtt",
                                         MakeCallback(&StackPingTestCase::AddNumberedRtt, this));
#else
        auto ping = CreateObject<V4Ping>();
        ping->SetAttribute("Remote", Ipv4AddressValue(link.interfaces.GetAddress(1)));
        ping->TraceConnectWithoutContext("Rtt", MakeCallback(&StackPingTestCase::AddRtt, this));
#endif
        ping->SetAttribute("Size", UintegerValue(56));
        link.nodes.Get(0)->AddApplication(ping);
        ping->SetStartTime(Seconds(1));
        ping->SetStopTime(Seconds(4.5));
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ((m_rtt.size() >= 3), true, "replies");
        // A ping is 56 + 8 (ICMP) + 20 (IP) + 18 (MAC header, FCS) = 102 B. The round trip is twice
        // (8 + 102) x 80 and the delay. The first ping waited for ARP.
        NS_TEST_EXPECT_MSG_EQ(m_rtt[1], 2'017'600_ps, "second");
        NS_TEST_EXPECT_MSG_EQ(m_rtt[2], 2'017'600_ps, "third");
        // ARP requests are broadcast, ARP replies unicast. All frames have class 0.
        NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().GetDrops(), 0, "no drops");
        NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().GetDrops(), 0, "no drops");
        NS_TEST_EXPECT_MSG_EQ((link.b->GetCounters().classes[0].rxFrames >= 4), true, "ARP too");
    }

    std::vector<RdmaPs> m_rtt; //!< round-trip times
};

/** UDP over IPv4, whole datagrams and fragments. */
class StackUdpTestCase : public TestCase
{
  public:
    StackUdpTestCase()
        : TestCase("UDP: every byte arrives, whole or in fragments, in the class of its DSCP")
    {
    }

  private:
    /** \param socket a bound socket, whose packets are counted */
    void Count(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), bytes.size());
            m_datagrams += 1;
            m_bytes += bytes.size();
            for (std::size_t i = 0; i < bytes.size(); ++i)
            {
                m_wrong += bytes[i] != static_cast<uint8_t>(i * 7);
            }
        }
    }

    /** \param size bytes \return a packet with the content that Count() expects */
    static Ptr<Packet> MakePacket(uint32_t size)
    {
        std::vector<uint8_t> bytes(size);
        for (std::size_t i = 0; i < bytes.size(); ++i)
        {
            bytes[i] = static_cast<uint8_t>(i * 7);
        }
        return Create<Packet>(bytes.data(), size);
    }

    void DoRun() override
    {
        RdmaTestStack link;
        auto receiver = link.MakeUdpSocket(1);
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        receiver->SetRecvCallback(MakeCallback(&StackUdpTestCase::Count, this));
        auto sender = link.MakeUdpSocket(0);
        sender->Bind();
        sender->Connect(InetSocketAddress(link.interfaces.GetAddress(1), 9));
        Simulator::Schedule(Seconds(1), [&]() { sender->Send(MakePacket(100)); });
        // DSCP 46 is class 5. 5000 B with UDP header are three fragments of 1480 B and one of
        // 568 B.
        Simulator::Schedule(Seconds(2), [&]() {
            sender->SetIpTos(46 << 2);
            sender->Send(MakePacket(100));
            sender->Send(MakePacket(5000));
            sender->Send(MakePacket(1));
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_datagrams, 4, "datagrams");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 5201, "bytes");
        NS_TEST_EXPECT_MSG_EQ(m_wrong, 0, "content");
        const auto& classes = link.b->GetCounters().classes;
        NS_TEST_EXPECT_MSG_EQ(classes[5].rxFrames, 6, "DSCP 46");
        // Headers have 20 + 8 + 18 B. Frames: 146 B, 64 B (minimum), and 5008 B in four fragments.
        NS_TEST_EXPECT_MSG_EQ(classes[5].rxBytes, 146 + 64 + 5008 + 4 * 38, "their bytes");
        NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().classes[5].txBytes,
                              classes[5].rxBytes,
                              "sent and received");
    }

    uint32_t m_datagrams{0}; //!< received datagrams
    uint64_t m_bytes{0};     //!< bytes in the datagrams
    uint64_t m_wrong{0};     //!< bytes that differ from the bytes sent
};

/** UDP over IPv6, which needs neighbour discovery by multicast. */
class Ipv6TestCase : public TestCase
{
  public:
    Ipv6TestCase()
        : TestCase("UDP over IPv6")
    {
    }

  private:
    void Count(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_bytes += packet->GetSize();
        }
    }

    void DoRun() override
    {
        RdmaTestStack link;
        Ipv6AddressHelper addresses;
        const auto interfaces = addresses.Assign(link.ports);
        auto receiver = link.MakeUdpSocket(1);
        receiver->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 9));
        receiver->SetRecvCallback(MakeCallback(&Ipv6TestCase::Count, this));
        auto sender = link.MakeUdpSocket(0);
        sender->Bind6();
        sender->Connect(Inet6SocketAddress(interfaces.GetAddress(1, 1), 9));
        Simulator::Schedule(Seconds(3), [&]() { sender->Send(Create<Packet>(1000)); });
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 1000, "bytes");
    }

    uint64_t m_bytes{0}; //!< received bytes
};

/** TCP over one link. */
class TcpTestCase : public TestCase
{
  public:
    TcpTestCase()
        : TestCase("TCP: a bulk transfer at nearly the rate of the line")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestStack link;
        constexpr uint64_t BYTES = 20'000'000;
        PacketSinkHelper sinkHelper("ns3::TcpSocketFactory",
                                    InetSocketAddress(Ipv4Address::GetAny(), 80));
        const auto sinks = sinkHelper.Install(link.nodes.Get(1));
        BulkSendHelper bulk("ns3::TcpSocketFactory",
                            InetSocketAddress(link.interfaces.GetAddress(1), 80));
        bulk.SetAttribute("MaxBytes", UintegerValue(BYTES));
        bulk.SetAttribute("SendSize", UintegerValue(65536));
        auto sources = bulk.Install(link.nodes.Get(0));
        sources.Start(Seconds(1));
        RdmaPs begin; // ARP waits for a random time before that
        RdmaPs done;
        const auto sink = DynamicCast<PacketSink>(sinks.Get(0));
        sink->TraceConnectWithoutContext("Rx",
                                         Callback<void, Ptr<const Packet>, const Address&>(
                                             [&](Ptr<const Packet>, const Address&) {
                                                 begin = begin == 0_ps ? RdmaNow() : begin;
                                                 done =
                                                     sink->GetTotalRx() >= BYTES ? RdmaNow() : 0_ps;
                                             }));
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sink->GetTotalRx(), BYTES, "bytes");
        NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().GetDrops(), 0, "no drops");
        NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().GetDrops(), 0, "no drops");
        const double gbps = 8e3 * BYTES / static_cast<double>(done - begin);
        // At most 536 B of data in 536 + 32 (TCP) + 20 (IP) + 18 + 20 B of line: 85.6 Gb/s.
        NS_TEST_EXPECT_MSG_EQ_TOL(gbps, 83, 2.7, "throughput");
    }
};

/**
 * \ingroup rdma-tests
 * ns-3's own stack over a link.
 */
class RdmaStackTestSuite : public TestSuite
{
  public:
    RdmaStackTestSuite()
        : TestSuite("rdma-stack")
    {
        AddTestCase(new StackPingTestCase);
        AddTestCase(new StackUdpTestCase);
        AddTestCase(new Ipv6TestCase);
        AddTestCase(new TcpTestCase);
    }
};

RdmaStackTestSuite g_rdmaStackTestSuite; //!< registers the suite

} // namespace
