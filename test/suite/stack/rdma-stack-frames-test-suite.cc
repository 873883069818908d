/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "qbb-switch.h"
#include "rdma-test-stack.h"

#include <ns3/inet-socket-address.h>
#include <ns3/test.h>

#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Frames of ns-3's stack at a port: frames that the port refuses, frames that reach protocol
 * handlers, and frames of a switch's own stack.
 */

using namespace ns3;

namespace
{

/** Packets to RoCE's UDP port that are not RoCE packets. */
class GarbageTestCase : public TestCase
{
  public:
    GarbageTestCase()
        : TestCase("garbage to port 4791 and to MAC control is counted and dropped")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestStack link;
        uint64_t traced = 0;
        link.a->TraceConnectWithoutContext("Drop",
                                           Callback<void, Ptr<const Packet>, QbbDropReason>(
                                               [&](Ptr<const Packet>, QbbDropReason reason) {
                                                   traced += reason == QbbDropReason::MALFORMED;
                                               }));
        uint64_t received = 0;
        auto receiver = link.MakeUdpSocket(1);
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        receiver->SetRecvCallback(Callback<void, Ptr<Socket>>([&](Ptr<Socket> socket) {
            while (socket->Recv())
            {
                ++received;
            }
        }));
        auto sender = link.MakeUdpSocket(0);
        sender->Bind();
        const InetSocketAddress good(link.interfaces.GetAddress(1), 9);
        const InetSocketAddress bad(link.interfaces.GetAddress(1), 4791);
        Simulator::Schedule(Seconds(1), [&]() { sender->SendTo(Create<Packet>(1), 0, good); });
        // The packets have all lengths, some too short for a BTH, and all first bytes, including
        // all opcodes.
        Simulator::Schedule(Seconds(2), [&]() {
            for (uint32_t size = 0; size < 300; ++size)
            {
                std::vector<uint8_t> bytes(size, static_cast<uint8_t>(size));
                sender->SendTo(Create<Packet>(bytes.data(), size), 0, bad);
            }
        });
        // A MAC control frame from the stack, with a wrong opcode and a wrong length.
        Simulator::Schedule(Seconds(3), [&]() {
            const bool sent = link.a->Send(Create<Packet>(10), link.b->GetAddress(), 0x8808);
            NS_TEST_EXPECT_MSG_EQ(sent, false, "not sent");
        });
        Simulator::Schedule(Seconds(4), [&]() { sender->SendTo(Create<Packet>(1), 0, good); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(link.CountDrops(link.a, QbbDropReason::MALFORMED), 301, "counted");
        NS_TEST_EXPECT_MSG_EQ(traced, 301, "traced");
        NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().GetDrops(), 301, "no other drops");
        NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().GetDrops(), 0, "never sent");
        NS_TEST_EXPECT_MSG_EQ(received, 2, "the others arrive, before and after");
    }
};

/** Packets that the protocol handlers of a node receive, promiscuous or not. */
class HandlerTestCase : public TestCase
{
  public:
    HandlerTestCase()
        : TestCase("protocol handlers get the frames for them, promiscuous ones all")
    {
    }

  private:
    void Receive(Ptr<NetDevice>,
                 Ptr<const Packet> packet,
                 uint16_t type,
                 const Address& from,
                 const Address&,
                 NetDevice::PacketType)
    {
        m_received += std::to_string(packet->GetSize()) + " ";
        m_wrong += type != TYPE || Mac48Address::ConvertFrom(from) != m_sender;
    }

    void ReceiveAll(Ptr<NetDevice>,
                    Ptr<const Packet> packet,
                    uint16_t type,
                    const Address& from,
                    const Address&,
                    NetDevice::PacketType kind)
    {
        m_all += std::to_string(packet->GetSize()) + ":" + std::to_string(kind) + " ";
        m_wrong += type != TYPE || Mac48Address::ConvertFrom(from) != m_sender;
    }

    void DoRun() override
    {
        RdmaTestStack link;
        m_sender = link.a->GetMac();
        auto node = link.nodes.Get(1);
        node->RegisterProtocolHandler(MakeCallback(&HandlerTestCase::Receive, this), TYPE, link.b);
        node->RegisterProtocolHandler(MakeCallback(&HandlerTestCase::ReceiveAll, this),
                                      TYPE,
                                      link.b,
                                      true);
        Simulator::Schedule(Seconds(1), [&]() {
            link.a->Send(Create<Packet>(100), link.b->GetAddress(), TYPE);
            link.a->Send(Create<Packet>(101), link.a->GetBroadcast(), TYPE);
            link.a->Send(Create<Packet>(102), Mac48Address("01:00:5e:00:00:01"), TYPE);
            link.a->Send(Create<Packet>(103), Mac48Address("00:00:00:00:77:77"), TYPE);
            // A frame has at least 46 B of payload. The receiver gets the padding, as on a wire.
            link.a->Send(Create<Packet>(1), link.b->GetAddress(), TYPE);
            link.a->SendFrom(Create<Packet>(104), m_sender, link.b->GetAddress(), TYPE);
        });
        Simulator::Run();
        // ns-3 reports the kind only to the promiscuous handler: 1 host, 2 broadcast, 3 multicast,
        // 4 other host.
        NS_TEST_EXPECT_MSG_EQ(m_received, "100 101 102 46 104 ", "for this port");
        NS_TEST_EXPECT_MSG_EQ(m_all, "100:1 101:2 102:3 103:4 46:1 104:1 ", "promiscuous");
        NS_TEST_EXPECT_MSG_EQ(m_wrong, 0, "sender and type");
        NS_TEST_EXPECT_MSG_EQ(link.CountDrops(link.b, QbbDropReason::NOT_FOR_US), 1, "other host");
        NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().GetDrops(), 1, "nothing else");
    }

    static constexpr uint16_t TYPE = 0x88b6; //!< local experimental EtherType

    Mac48Address m_sender;  //!< MAC address of the sender
    std::string m_received; //!< bytes of each frame
    std::string m_all;      //!< "bytes:kind" of each frame at the promiscuous handler
    uint32_t m_wrong{0};    //!< frames with another sender or type
};

/** A switch node may have a stack of its own. */
class SwitchStackTestCase : public TestCase
{
  public:
    SwitchStackTestCase()
        : TestCase("frames of a switch node's stack are not in the buffer's accounts")
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(2);
        QbbHelper helper;
        const NetDeviceContainer ports = helper.Install(nodes);
        auto sw = CreateObject<QbbSwitch>();
        sw->AddPort(DynamicCast<QbbNetDevice>(ports.Get(0)));
        nodes.Get(0)->AggregateObject(sw);
        const auto port = DynamicCast<QbbNetDevice>(ports.Get(0));
        const auto host = DynamicCast<QbbNetDevice>(ports.Get(1));
        Simulator::Schedule(MicroSeconds(1), [&]() {
            for (uint32_t i = 0; i < 3; ++i)
            {
                port->Send(Create<Packet>(100), host->GetAddress(), 0x88b6);
            }
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(host->GetCounters().classes[0].rxFrames, 3, "they arrive");
        NS_TEST_EXPECT_MSG_EQ(sw->GetBufferManager()->IsEmpty(), true, "nothing is charged");
        NS_TEST_EXPECT_MSG_EQ(sw->GetBufferManager()->GetUsage().usedBytes, 0, "nor credited");
        Simulator::Destroy();
    }
};

/** The suite. */
class RdmaStackFramesTestSuite : public TestSuite
{
  public:
    RdmaStackFramesTestSuite()
        : TestSuite("rdma-stack-frames")
    {
        AddTestCase(new GarbageTestCase);
        AddTestCase(new HandlerTestCase);
        AddTestCase(new SwitchStackTestCase);
    }
};

RdmaStackFramesTestSuite g_rdmaStackFramesTestSuite; //!< registers the suite

} // namespace
