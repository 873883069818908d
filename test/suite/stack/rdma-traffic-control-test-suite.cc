/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "qbb-net-device.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-interface-container.h>
#include <ns3/net-device-queue-interface.h>
#include <ns3/node-container.h>
#include <ns3/queue-disc.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/traffic-control-helper.h>
#include <ns3/udp-socket-factory.h>
#include <ns3/uinteger.h>
#ifdef RDMA_TEST_POINT_TO_POINT
#include <ns3/point-to-point-helper.h>
#endif

#include <cstdint>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * ns-3's traffic control over a port: queue discs hold the packets for which the port has no room.
 */

using namespace ns3;

namespace
{

constexpr uint32_t PAYLOAD_BYTES = 1000; //!< payload of a datagram
/// A datagram with the headers of UDP and IPv4, MAC header and FCS
constexpr uint32_t UDP_FRAME_BYTES = PAYLOAD_BYTES + 28 + 18;
/// A limit that ten frames reach: 9 x 1046 + 1522 (largest frame) fits, 10 x 1046 + 1522 does not.
constexpr uint32_t TEN_FRAMES = 11'000;

/** Two hosts, a link of 100 Mb/s with a queue disc at each end, and UDP from one to the other. */
class Link
{
  public:
    /** \param disc class name of the queue discs; empty: none */
    explicit Link(const std::string& disc)
    {
        RngSeedManager::SetRun(1);
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        traffic.SetRootQueueDisc(disc.empty() ? "ns3::FifoQueueDisc" : disc);
        m_hasDisc = !disc.empty();
        nodes.Create(2);
    }

    ~Link()
    {
        Simulator::Destroy();
        Config::Reset();
    }

    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /** \param setUp sets the attributes of the ports */
    template <typename SetUp>
    void InstallQbb(SetUp setUp)
    {
        QbbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
        helper.SetDeviceAttribute("MaxStackQueueBytes", UintegerValue(TEN_FRAMES));
        setUp(helper);
        Connect(helper.Install(nodes));
        a = DynamicCast<QbbNetDevice>(devices.Get(0));
        b = DynamicCast<QbbNetDevice>(devices.Get(1));
    }

    /** Gives the nodes ns-3's stack. \param ports ports of the nodes */
    void Connect(const NetDeviceContainer& ports)
    {
        devices = ports;
        InternetStackHelper().Install(nodes);
        if (m_hasDisc)
        {
            discs = traffic.Install(devices);
        }
        Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
        interfaces = addresses.Assign(devices);
        m_receiver = Socket::CreateSocket(nodes.Get(1), UdpSocketFactory::GetTypeId());
        m_receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        m_receiver->SetRecvCallback(MakeCallback(&Link::Count, this));
    }

    /**
     * Sends datagrams, one each \p period.
     *
     * \param count how many
     * \param begin instant of the first one
     * \param period time between two
     * \param tos type of service of the datagrams
     * \param priority priority of the socket
     */
    void Send(uint32_t count, Time begin, Time period, uint8_t tos = 0, uint8_t priority = 0)
    {
        auto socket = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        socket->Bind();
        socket->Connect(InetSocketAddress(interfaces.GetAddress(1), 9));
        socket->SetIpTos(tos);
        if (priority > 0)
        {
            socket->SetPriority(priority);
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            Simulator::Schedule(begin + i * period,
                                [socket]() { socket->Send(Create<Packet>(PAYLOAD_BYTES)); });
        }
    }

    /** \return drops of the sender's port for a reason */
    uint64_t GetDrops(QbbDropReason reason) const
    {
        return a->GetCounters().dropsByReason[static_cast<std::size_t>(reason)];
    }

    TrafficControlHelper traffic;      //!< makes the queue discs
    NodeContainer nodes;               //!< the hosts
    NetDeviceContainer devices;        //!< their ports
    QueueDiscContainer discs;          //!< queue discs of the ports
    Ipv4InterfaceContainer interfaces; //!< 10.1.1.1 and 10.1.1.2
    Ptr<QbbNetDevice> a;               //!< the sender's port
    Ptr<QbbNetDevice> b;               //!< the receiver's port
    uint32_t received{0};              //!< datagrams received
    Time lastArrival;                  //!< arrival of the last datagram

  private:
    void Count(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
            ++received;
            lastArrival = Simulator::Now();
        }
    }

    Ptr<Socket> m_receiver; //!< counts datagrams
    bool m_hasDisc{false};  //!< the ports have queue discs
};

/// Default attributes of ports.
void
KeepDefaults(QbbHelper&)
{
}

/** What a link did with 3750 datagrams in 0.2 s, 150% of its rate. */
struct Overload
{
    uint32_t received{0};    //!< datagrams received
    uint32_t discDrops{0};   //!< drops of the queue disc
    uint64_t deviceDrops{0}; //!< drops of the port
    uint64_t peakBytes{0};   //!< longest egress queue in bytes
};

/** \param link a link \return its results, after a run */
Overload
RunOverload(Link& link)
{
    link.Send(1, Seconds(0.05), Seconds(1)); // resolves the address
    link.Send(3750, Seconds(0.1), NanoSeconds(53'333));
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    Overload result;
    result.received = link.received - 1;
    result.discDrops = static_cast<uint32_t>(link.discs.Get(0)->GetStats().nTotalDroppedPackets);
    return result;
}

/** A queue disc over an overloaded port, against ns-3's PointToPointNetDevice. */
class QueueDiscTestCase : public TestCase
{
  public:
    /** \param disc class name of the queue disc */
    explicit QueueDiscTestCase(const std::string& disc)
        : TestCase("traffic control: " + disc.substr(5) + " drops what the line cannot carry"),
          m_disc(disc)
    {
    }

  private:
    void DoRun() override
    {
        Overload qbb;
        {
            Link link(m_disc);
            link.InstallQbb(KeepDefaults);
            qbb = RunOverload(link);
            qbb.deviceDrops = link.a->GetCounters().GetDrops();
            qbb.peakBytes = link.a->GetQueues().GetPeakBytes(0);
        }
        NS_TEST_EXPECT_MSG_EQ(qbb.deviceDrops, 0, "the port drops nothing");
        NS_TEST_EXPECT_MSG_EQ(qbb.peakBytes, 10 * UDP_FRAME_BYTES, "ten frames wait in the port");
        NS_TEST_EXPECT_MSG_EQ(qbb.received + qbb.discDrops, 3750, "all that the disc let pass");
#ifdef RDMA_TEST_POINT_TO_POINT
        Link link(m_disc);
        PointToPointHelper helper;
        // PPP adds 2 bytes to an IP packet, Ethernet 38 with preamble and gap: with this rate, a
        // packet takes the same time on both lines.
        helper.SetDeviceAttribute("DataRate",
                                  DataRateValue(DataRate(100'000'000ULL * 1030 / 1066)));
        helper.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("10p"));
        link.Connect(helper.Install(link.nodes));
        const Overload reference = RunOverload(link);
        const double tolerance = 0.02 * reference.received;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(qbb.received) - reference.received,
                                  0.0,
                                  tolerance,
                                  "packets received");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(qbb.discDrops) - reference.discDrops,
                                  0.0,
                                  tolerance,
                                  "packets dropped by the disc");
#endif
    }

    std::string m_disc; //!< class name of the queue disc
};

/** A paused class and another one. */
class ClassQueuesTestCase : public TestCase
{
  public:
    ClassQueuesTestCase()
        : TestCase("traffic control: a paused class stops its own transmission queue alone")
    {
    }

  private:
    void DoRun() override
    {
        // Ipv4AddressHelper installs ns-3's default discs: mq with a child for each class.
        Link link("");
        link.InstallQbb([](QbbHelper& helper) {
            helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 5));
        });
        auto queues = link.a->GetObject<NetDeviceQueueInterface>();
        NS_TEST_ASSERT_MSG_EQ(queues->GetNTxQueues(), 8, "a transmission queue for each class");
        link.Send(1, Seconds(0.05), Seconds(1));
        Simulator::Schedule(Seconds(0.09),
                            [&]() { link.b->GetFlowControl().RequestPause(5, true); });
        link.Send(50, Seconds(0.1), MilliSeconds(1), 46 << 2); // DSCP 46 is class 5
        link.Send(50, Seconds(0.1), MilliSeconds(1));
        Simulator::Schedule(Seconds(0.2), [&]() {
            NS_TEST_EXPECT_MSG_EQ(link.received, 51, "class 0 alone");
            NS_TEST_EXPECT_MSG_EQ(queues->GetTxQueue(5)->IsStopped(), true, "class 5");
            NS_TEST_EXPECT_MSG_EQ(queues->GetTxQueue(0)->IsStopped(), false, "class 0");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetQueues().GetBytes(5), 10 * UDP_FRAME_BYTES, "port");
            link.b->GetFlowControl().RequestPause(5, false);
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.received, 101, "the rest came from the queue disc");
        NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().GetDrops(), 0, "no drops");
        NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().classes[5].rxFrames, 50, "class");
    }
};

/** Priorities of sockets in 802.1Q tags. */
class PriorityTestCase : public TestCase
{
  public:
    PriorityTestCase()
        : TestCase("traffic control: the priority of a socket becomes the PCP of the tag")
    {
    }

  private:
    void DoRun() override
    {
        Link link("ns3::PfifoFastQueueDisc");
        link.InstallQbb([](QbbHelper& helper) {
            helper.SetDeviceAttribute("Trust", StringValue("Pcp"));
            helper.SetDeviceAttribute("TagFrames", BooleanValue(true));
        });
        link.Send(1, Seconds(0.05), Seconds(1));
        link.Send(7, Seconds(0.1), MilliSeconds(1), 0, 6);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.received, 8, "datagrams");
        NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().classes[6].rxFrames, 7, "class of the PCP");
    }
};

/** Byte queue limits. */
class QueueLimitsTestCase : public TestCase
{
  public:
    QueueLimitsTestCase()
        : TestCase("traffic control: byte queue limits keep the port's queue short")
    {
    }

  private:
    void DoRun() override
    {
        Link link("ns3::FifoQueueDisc");
        link.traffic.SetQueueLimits("ns3::DynamicQueueLimits",
                                    "MaxLimit",
                                    UintegerValue(3 * UDP_FRAME_BYTES));
        link.InstallQbb([](QbbHelper& helper) {
            helper.SetDeviceAttribute("MaxStackQueueBytes", UintegerValue(1'000'000));
        });
        link.Send(1, Seconds(0.05), Seconds(1));
        link.Send(500, Seconds(0.1), NanoSeconds(53'333));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.received, 501, "datagrams");
        // The limit may be passed by one frame, as in Linux.
        NS_TEST_EXPECT_MSG_EQ((link.a->GetQueues().GetPeakBytes(0) <= 4 * UDP_FRAME_BYTES),
                              true,
                              "queue of the port");
        // 500 frames of 85.28 us in a row, and the way of the last one: the line never idles.
        NS_TEST_EXPECT_MSG_EQ_TOL(link.lastArrival.GetSeconds(),
                                  0.1 + 500 * 85.28e-6,
                                  100e-6,
                                  "time of the last arrival");
    }
};

/** A link that fails while its transmission queue is stopped. */
class LinkDownTestCase : public TestCase
{
  public:
    LinkDownTestCase()
        : TestCase("traffic control: a failure of the link leaves no queue stopped")
    {
    }

  private:
    void DoRun() override
    {
        Link link("ns3::FifoQueueDisc");
        link.InstallQbb(KeepDefaults);
        link.Send(1, Seconds(0.05), Seconds(1));
        link.Send(200, Seconds(0.1), MicroSeconds(1));
        // By 0.101 s, 11 frames of 85.28 us have left the port, and one is on the line. Ten are in
        // the egress queue; the others wait in the disc for the link.
        Simulator::Schedule(Seconds(0.101), [&]() { link.a->GetQbbChannel()->SetUp(false); });
        Simulator::Schedule(Seconds(0.2), [&]() { link.a->GetQbbChannel()->SetUp(true); });
        link.Send(5, Seconds(0.3), MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.received, 1 + 200 - 11 + 5, "before and after the failure");
        NS_TEST_EXPECT_MSG_EQ(link.GetDrops(QbbDropReason::LINK_DOWN), 10, "egress queue");
        NS_TEST_EXPECT_MSG_EQ(link.discs.Get(0)->GetNPackets(), 0, "the disc");
    }
};

/** A port whose limit is below one frame. */
class TinyQueueTestCase : public TestCase
{
  public:
    TinyQueueTestCase()
        : TestCase("traffic control: a limit of one frame stops no queue for ever")
    {
    }

  private:
    void DoRun() override
    {
        Link link("ns3::FifoQueueDisc");
        link.InstallQbb([](QbbHelper& helper) {
            helper.SetDeviceAttribute("MaxStackQueueBytes", UintegerValue(UDP_FRAME_BYTES));
        });
        link.Send(1, Seconds(0.05), Seconds(1));
        link.Send(20, Seconds(0.1), MicroSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.received, 21, "datagrams");
        NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().GetDrops(), 0, "no drops");
    }
};

/** A port without a queue disc. */
class NoDiscTestCase : public TestCase
{
  public:
    NoDiscTestCase()
        : TestCase("traffic control: without a queue disc the port drops and counts")
    {
    }

  private:
    void DoRun() override
    {
        Link link("");
        link.InstallQbb(KeepDefaults);
        TrafficControlHelper().Uninstall(link.devices);
        link.Send(1, Seconds(0.05), Seconds(1));
        link.Send(100, Seconds(0.1), MicroSeconds(1));
        Simulator::Run();
        // 99 frames come within 99 us, in which one frame leaves the queue of ten.
        NS_TEST_EXPECT_MSG_EQ(link.received + link.GetDrops(QbbDropReason::STACK_QUEUE),
                              101,
                              "received or counted");
        NS_TEST_EXPECT_MSG_EQ(link.received, 1 + 1 + 10 + 1, "on the line, and in the queue");
    }
};

/**
 * \ingroup rdma-tests
 * ns-3's traffic control over a port.
 */
class RdmaTrafficControlTestSuite : public TestSuite
{
  public:
    RdmaTrafficControlTestSuite()
        : TestSuite("rdma-traffic-control")
    {
        AddTestCase(new QueueDiscTestCase("ns3::RedQueueDisc"));
        AddTestCase(new QueueDiscTestCase("ns3::FqCoDelQueueDisc"));
        AddTestCase(new QueueDiscTestCase("ns3::PfifoFastQueueDisc"));
        AddTestCase(new ClassQueuesTestCase);
        AddTestCase(new PriorityTestCase);
        AddTestCase(new QueueLimitsTestCase);
        AddTestCase(new LinkDownTestCase);
        AddTestCase(new TinyQueueTestCase);
        AddTestCase(new NoDiscTestCase);
    }
};

RdmaTrafficControlTestSuite g_rdmaTrafficControlTestSuite; //!< registers the suite

} // namespace
