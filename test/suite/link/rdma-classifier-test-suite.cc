/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/error-model.h>
#include <ns3/ipv4-header.h>
#include <ns3/pointer.h>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The class of a frame at both ends of a link, tags, and proof that only a frame's bytes reach the
 * other end: all results are equal with the channel's SerializeFrames on and off.
 */

using namespace ns3;

namespace
{

constexpr uint16_t OTHER_TYPE = 0x88b6; //!< local experimental EtherType

/** \param dscp DSCP \return an IPv4 packet of 100 B */
Ptr<Packet>
MakeIpPacket(uint8_t dscp)
{
    auto packet = Create<Packet>(80);
    Ipv4Header header;
    header.SetSource(Ipv4Address("10.0.0.1"));
    header.SetDestination(Ipv4Address("10.0.0.2"));
    header.SetProtocol(253); // for experiments
    header.SetTtl(64);
    header.SetPayloadSize(80);
    header.SetDscp(static_cast<Ipv4Header::DscpType>(dscp));
    packet->AddHeader(header);
    return packet;
}

/** DSCP and PCP, tables, and frames with neither. */
class ClassifierClassesTestCase : public TestCase
{
  public:
    ClassifierClassesTestCase()
        : TestCase("the class of a frame by DSCP or PCP, at the sender and at the receiver")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* trust;
            const char* tag;             //!< attribute TagFrames
            int dscp;                    //!< DSCP of an IPv4 packet; -1: not IP
            int socketPriority;          //!< SO_PRIORITY; -1: none
            uint32_t priority;           //!< expected class
            std::optional<uint16_t> tci; //!< expected tag
        };

        const Row rows[] = {
            // DSCP d has class d / 8, but DSCP 11 is mapped to 6. Frames that are not IP have the
            // default class 2.
            {"Dscp", "false", 0, -1, 0, {}},
            {"Dscp", "false", 26, -1, 3, {}},
            {"Dscp", "false", 63, -1, 7, {}},
            {"Dscp", "false", 11, -1, 6, {}},
            {"Dscp", "false", 26, 5, 3, {}},
            {"Dscp", "false", -1, 5, 2, {}},
            // Tagged: the frame carries the tag, but the DSCP decides.
            {"Dscp", "true", 26, 5, 3, 0xa064},
            {"Dscp", "true", 26, -1, 3, 0x0064},
            // PCP of the tag, but PCP 1 is mapped to 4. A frame without a tag has the default
            // class.
            {"Pcp", "false", 26, 5, 2, {}},
            {"Pcp", "true", 26, 5, 5, 0xa064},
            {"Pcp", "true", 26, -1, 0, 0x0064},
            {"Pcp", "true", -1, 7, 7, 0xe064},
            {"Pcp", "true", -1, 1, 4, 0x2064},
        };
        for (const Row& row : rows)
        {
            std::ostringstream name;
            name << row.trust << " " << row.tag << " " << row.dscp << " " << row.socketPriority;
            RdmaTestLink link({{"Trust", row.trust}, {"TagFrames", row.tag}, {"VlanId", "100"}});
            for (const auto& port : {link.a, link.b})
            {
                port->GetClassifier().SetDefault(2);
                port->GetClassifier().MapDscp(11, 6);
                port->GetClassifier().MapPcp(1, 4);
            }
            std::vector<uint8_t> bytes(16);
            link.b->TraceConnectWithoutContext(
                "MacRx",
                Callback<void, Ptr<const Packet>>([&](Ptr<const Packet> packet) {
                    packet->CopyData(bytes.data(), bytes.size());
                }));
            link.At(1_us, [&]() {
                auto packet = row.dscp < 0 ? Create<Packet>(100)
                                           : MakeIpPacket(static_cast<uint8_t>(row.dscp));
                if (row.socketPriority >= 0)
                {
                    SocketPriorityTag tag;
                    tag.SetPriority(static_cast<uint8_t>(row.socketPriority));
                    packet->AddPacketTag(tag);
                }
                link.a->Send(packet,
                             link.b->GetAddress(),
                             row.dscp < 0 ? OTHER_TYPE : QbbWire::ETHERTYPE_IPV4);
            });
            Simulator::Run();
            const auto& a = link.a->GetCounters();
            const auto& b = link.b->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(a.classes[row.priority].txFrames, 1, name.str());
            NS_TEST_EXPECT_MSG_EQ(b.classes[row.priority].rxFrames, 1, name.str());
            NS_TEST_ASSERT_MSG_EQ(link.sinkB.arrivals.size(), 1, name.str());
            NS_TEST_EXPECT_MSG_EQ(+link.sinkB.arrivals[0].priority, row.priority, name.str());
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.arrivals[0].size, (row.tci ? 122 : 118), name.str());
            const uint32_t type = 256 * bytes[12] + bytes[13];
            NS_TEST_EXPECT_MSG_EQ((type == 0x8100), row.tci.has_value(), name.str());
            if (row.tci)
            {
                NS_TEST_EXPECT_MSG_EQ(256 * bytes[14] + bytes[15], *row.tci, name.str());
            }
        }
    }
};

/** The ends of a link may map classes differently: each end uses its own table. */
class OwnTablesTestCase : public TestCase
{
  public:
    OwnTablesTestCase()
        : TestCase("each end classes by its own table")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool serialize : {false, true})
        {
            RdmaTestLink link;
            link.channel->SetAttribute("SerializeFrames", BooleanValue(serialize));
            link.a->GetClassifier().MapDscp(24, 1);
            link.b->GetClassifier().MapDscp(24, 6);
            link.At(1_us, [&]() {
                link.a->Send(MakeIpPacket(24), link.b->GetAddress(), QbbWire::ETHERTYPE_IPV4);
            });
            // A switch gives the frame a class of its own, which does not cross the link.
            link.SendAt(2_us, 0, 1, 3);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().classes[1].txFrames, 1, "sent in 1");
            NS_TEST_EXPECT_MSG_EQ(link.a->GetCounters().classes[3].txFrames, 1, "sent in 3");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().classes[6].rxFrames, 2, "received in 6");
        }
    }
};

/** A link with all kinds of frames and events at once, for a digest. */
class BusyLink
{
  public:
    /** \param serialize true: frames cross the link as bytes */
    explicit BusyLink(bool serialize)
        : m_link({{"DataRate", "7Gbps"},
                  {"PfcClasses", "24"},
                  {"PauseQuanta", "50"},
                  {"Scheduler", "2,1,1,strict,3,1,1,strict"},
                  {"MaxStackQueueBytes", "5000"},
                  {"TagFrames", "true"},
                  {"VlanId", "5"}})
    {
        m_link.channel->SetAttribute("SerializeFrames", BooleanValue(serialize));
        m_random->SetStream(7);
        for (const auto& port : {m_link.a, m_link.b})
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_BYTE"));
            model->SetAttribute("ErrorRate", DoubleValue(1e-4));
            model->AssignStreams(port == m_link.a ? 8 : 9);
            port->SetAttribute("ReceiveErrorModel", PointerValue(model));
            port->GetClassifier().MapDscp(40, port == m_link.a ? 5 : 6);
            port->TraceConnectWithoutContext(
                "Drop",
                Callback<void, Ptr<const Packet>, QbbDropReason>(
                    [this](Ptr<const Packet> packet, QbbDropReason reason) {
                        m_drops << reason << packet->GetSize() << "@" << RdmaNow() << " ";
                    }));
        }
        for (uint32_t i = 0; i < 3000; ++i)
        {
            m_link.At(1_us + m_random->GetInteger(0, 1'200'000'000) * 1_ps,
                      [this, i]() { DoSomething(i); });
        }
        m_link.At(500_us, [this]() { m_link.channel->SetUp(false); });
        m_link.At(505_us, [this]() { m_link.channel->SetUp(true); });
        Simulator::Stop(PicoSeconds(4'000'000'000));
        Simulator::Run();
    }

    /** \return text of everything that happened on the link */
    std::string GetText() const
    {
        std::ostringstream text;
        for (const auto* sink : {&m_link.sinkA, &m_link.sinkB})
        {
            for (const auto& list : {sink->arrivals, sink->left})
            {
                for (const auto& arrival : list)
                {
                    text << arrival.at << ":" << arrival.psn << ":" << +arrival.priority << ":"
                         << arrival.size << " ";
                }
            }
        }
        for (const auto& port : {m_link.a, m_link.b})
        {
            const auto& counters = port->GetCounters();
            for (uint8_t p = 0; p < 8; ++p)
            {
                const auto& c = counters.classes[p];
                text << "\n"
                     << c.txFrames << " " << c.txBytes << " " << c.rxFrames << " " << c.rxBytes
                     << " " << c.drops << " " << port->GetQueues().GetPeakBytes(p) << " "
                     << port->GetFlowControl().GetPauseReceiver().GetPausedTime(p, RdmaNow()) << " "
                     << port->GetFlowControl().GetPauseReceiver().GetXoffReceived(p) << " "
                     << port->GetFlowControl().GetPauseSender().GetXonSent(p);
            }
            for (const auto count : counters.dropsByReason)
            {
                text << " " << count;
            }
            text << " " << counters.macControlTx << " " << counters.macControlRx;
        }
        text << "\n" << m_drops.str() << Simulator::GetEventCount();
        return text.str();
    }

    /** \return the link */
    const RdmaTestLink& GetLink() const
    {
        return m_link;
    }

  private:
    void DoSomething(uint32_t i)
    {
        const bool fromA = m_random->GetInteger(0, 1);
        QbbNetDevice& port = fromA ? *m_link.a : *m_link.b;
        const auto priority = static_cast<uint8_t>(m_random->GetInteger(0, 7));
        const uint32_t kind = m_random->GetInteger(0, 9);
        if (kind < 6)
        {
            const uint32_t size = 62 + 4 * m_random->GetInteger(1, 400);
            port.Enqueue(MakeTestFrame(port, i, priority, size));
        }
        else if (kind < 8)
        {
            auto packet = kind == 6 ? MakeIpPacket(static_cast<uint8_t>(8 * priority))
                                    : Create<Packet>(m_random->GetInteger(0, 1500));
            SocketPriorityTag tag;
            tag.SetPriority(priority);
            packet->AddPacketTag(tag);
            port.Send(packet,
                      port.GetPeer()->GetMac(),
                      kind == 6 ? QbbWire::ETHERTYPE_IPV4 : OTHER_TYPE);
        }
        else
        {
            port.GetFlowControl().RequestPause(3 + priority % 2, kind == 8);
        }
    }

    RdmaTestLink m_link;                                                        //!< the busy link
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< random choices
    std::ostringstream m_drops;                                                 //!< logged drops
};

/** Runs with and without SerializeFrames have equal results. */
class SerializeFramesTestCase : public TestCase
{
  public:
    SerializeFramesTestCase()
        : TestCase("frames as bytes and as objects: equal runs to the bit")
    {
    }

  private:
    void DoRun() override
    {
        std::string asTheyAre;
        {
            const BusyLink busy(false);
            asTheyAre = busy.GetText();
            // The link has all kinds of drops.
            const auto& a = busy.GetLink().a->GetCounters();
            const auto& b = busy.GetLink().b->GetCounters();
            for (const auto reason :
                 {QbbDropReason::CORRUPTED, QbbDropReason::LINK_DOWN, QbbDropReason::STACK_QUEUE})
            {
                const auto index = static_cast<std::size_t>(reason);
                NS_TEST_EXPECT_MSG_GT(a.dropsByReason[index] + b.dropsByReason[index], 0, reason);
            }
            for (uint8_t p = 0; p < 8; ++p)
            {
                NS_TEST_EXPECT_MSG_GT(a.classes[p].rxFrames, 0, "class " << +p);
            }
            NS_TEST_EXPECT_MSG_GT(a.macControlRx, 50, "pauses");
            NS_TEST_EXPECT_MSG_GT(
                busy.GetLink().a->GetFlowControl().GetPauseReceiver().GetPausedTime(3, RdmaNow()),
                1_us,
                "paused");
            NS_TEST_EXPECT_MSG_GT(busy.GetLink().sinkB.arrivals.size(), 500, "frames");
        }
        {
            const BusyLink busy(true);
            NS_TEST_EXPECT_MSG_EQ((busy.GetText() == asTheyAre), true, "not the same run");
            NS_TEST_EXPECT_MSG_EQ(busy.GetLink().channel->GetMalformed(), 0, "all parse");
        }
    }
};

/**
 * \ingroup rdma-tests
 * Classes, tags, and frames as bytes.
 */
class RdmaClassifierTestSuite : public TestSuite
{
  public:
    RdmaClassifierTestSuite()
        : TestSuite("rdma-classifier")
    {
        AddTestCase(new ClassifierClassesTestCase);
        AddTestCase(new OwnTablesTestCase);
        AddTestCase(new SerializeFramesTestCase);
    }
};

RdmaClassifierTestSuite g_rdmaClassifierTestSuite; //!< registers the suite

} // namespace
