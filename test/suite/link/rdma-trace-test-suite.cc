/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/test.h>

#include <deque>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Trace sources of a port. Times are worked out by hand, in picoseconds
 * at 100 Gb/s over 1 us: a frame of 1250 B begins at its start, its last bit leaves 100 640 later
 * and arrives 1 100 640 later.
 */

using namespace ns3;

namespace
{

/** \param packet a packet \return its bytes */
std::vector<uint8_t>
BytesOf(const Packet& packet)
{
    std::vector<uint8_t> bytes(packet.GetSize());
    packet.CopyData(bytes.data(), packet.GetSize());
    return bytes;
}

/** Records the events of a port's trace sources. */
class PortLog
{
  public:
    /** \param port the port */
    explicit PortLog(Ptr<QbbNetDevice> port)
    {
        for (const char* source : RDMA_TEST_PACKET_SOURCES)
        {
            const bool connected = port->TraceConnectWithoutContext(
                source,
                Callback<void, Ptr<const Packet>>(
                    [this, source](Ptr<const Packet> packet) { Add(source, *packet); }));
            NS_ABORT_MSG_IF(!connected, "no trace source " << source);
        }
        port->TraceConnectWithoutContext(
            "Drop",
            Callback<void, Ptr<const Packet>, QbbDropReason>(
                [this](Ptr<const Packet> packet, QbbDropReason reason) {
                    Add(std::string("Drop(") + GetQbbDropReasonName(reason) + ")", *packet);
                }));
    }

    PortLog(const PortLog&) = delete;
    PortLog& operator=(const PortLog&) = delete;

    /** \return "source@picoseconds" for each event, in order; forgets the events */
    std::string Take()
    {
        std::string text;
        m_text.swap(text);
        return text;
    }

    /** \return the bytes of every packet, or nothing if packets differ */
    const std::vector<uint8_t>& GetBytes() const
    {
        return m_bytes;
    }

  private:
    void Add(const std::string& source, const Packet& packet)
    {
        const auto bytes = BytesOf(packet);
        m_bytes = m_text.empty() || m_bytes == bytes ? bytes : std::vector<uint8_t>();
        m_text += (m_text.empty() ? "" : " ") + source + "@" + std::to_string(RdmaNow().Get());
    }

    std::string m_text;           //!< everything since the last Take()
    std::vector<uint8_t> m_bytes; //!< bytes of each packet since then; empty if not equal
};

/** A source of frames for a port, like a NIC. */
class TestSource : public QbbFrameSource
{
  public:
    QbbFramePtr NextFrame(QbbPort& port, uint8_t) override
    {
        QbbFramePtr frame;
        if (!frames.empty())
        {
            frame = std::move(frames.front());
            frames.pop_front();
        }
        if (frames.empty())
        {
            port.WithdrawSource(3);
        }
        return frame;
    }

    std::deque<QbbFramePtr> frames; //!< frames that the source will send
};

/** Which trace sources fire, when, and with which bytes. */
class TraceSourcesTestCase : public TestCase
{
  public:
    TraceSourcesTestCase()
        : TestCase("trace sources fire at the right time with the bytes of the wire")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestLink link({{"PauseQuanta", "100"}});
        PortLog a(link.a);
        PortLog b(link.b);
        const auto expected = GetTestBytes(*MakeTestFrame(*link.a, 7));
        NS_TEST_ASSERT_MSG_EQ(expected.size(), 1246, "without FCS");
        const std::string received = "PhyRxEnd@2100640 PromiscSniffer@2100640 "
                                     "MacPromiscRx@2100640 Sniffer@2100640 MacRx@2100640";

        // A frame leaves from the port's queue.
        link.At(1_us, [&]() { link.a->Enqueue(MakeTestFrame(*link.a, 7)); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(a.Take(),
                              "MacTx@1000000 PromiscSniffer@1000000 Sniffer@1000000 "
                              "PhyTxBegin@1000000 PhyTxEnd@1100640",
                              "sent");
        NS_TEST_EXPECT_MSG_EQ((a.GetBytes() == expected), true, "bytes");
        NS_TEST_EXPECT_MSG_EQ(b.Take(), received, "received");
        NS_TEST_EXPECT_MSG_EQ((b.GetBytes() == expected), true, "bytes");

        // A frame leaves from a source.
        TestSource source;
        link.a->SetSource(&source);
        source.frames.push_back(MakeTestFrame(*link.a, 7));
        link.At(3_us, [&]() { link.a->AnnounceSource(3); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(a.Take(),
                              "MacTx@3000000 PromiscSniffer@3000000 Sniffer@3000000 "
                              "PhyTxBegin@3000000 PhyTxEnd@3100640",
                              "from a source");
        NS_TEST_EXPECT_MSG_EQ((a.GetBytes() == expected), true, "bytes");
        b.Take();

        // A frame for another address: only a promiscuous listener hears of the frame.
        link.At(5_us, [&]() {
            auto frame = MakeTestFrame(*link.a, 7);
            frame->dstMac = Mac48Address("00:00:00:00:77:77");
            link.a->Enqueue(std::move(frame));
        });
        Simulator::Run();
        a.Take();
        NS_TEST_EXPECT_MSG_EQ(b.Take(),
                              "PhyRxEnd@6100640 PromiscSniffer@6100640 MacPromiscRx@6100640",
                              "for somebody else");

        // A pause frame begins and ends at the port, 72 x 80 = 5760 later.
        link.At(7_us, [&]() { link.a->GetFlowControl().RequestPause(3, true); });
        link.At(7'000'001_ps, [&]() { link.a->GetFlowControl().RequestPause(3, false); });
        Simulator::Stop(PicoSeconds(7'006'000) - Simulator::Now());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(a.Take(),
                              "PromiscSniffer@7000000 Sniffer@7000000 PhyTxBegin@7000000 "
                              "PhyTxEnd@7005760",
                              "pause frame sent");
        NS_TEST_EXPECT_MSG_EQ(a.GetBytes().size(), 60, "without FCS");
        Simulator::Stop(PicoSeconds(8'006'000) - Simulator::Now());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.Take(),
                              "PhyRxEnd@8005760 PromiscSniffer@8005760 Sniffer@8005760",
                              "pause frame received");
        Simulator::Run();
        a.Take();
        b.Take();

        // Drops: b drops RDMA frames when the sink is gone.
        link.b->SetSink(nullptr);
        link.At(10_us, [&]() { link.a->Enqueue(MakeTestFrame(*link.a, 7)); });
        link.At(12_us, [&]() { link.channel->SetUp(false); });
        link.At(12'000'001_ps, [&]() { link.a->Enqueue(MakeTestFrame(*link.a, 7)); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(b.Take(),
                              "PhyRxEnd@11100640 PromiscSniffer@11100640 MacPromiscRx@11100640 "
                              "Sniffer@11100640 MacRx@11100640 MacRxDrop@11100640 "
                              "Drop(unexpected)@11100640",
                              "unexpected");
        NS_TEST_EXPECT_MSG_EQ((b.GetBytes() == expected), true, "bytes");
        NS_TEST_EXPECT_MSG_EQ(a.Take(),
                              "MacTx@10000000 PromiscSniffer@10000000 Sniffer@10000000 "
                              "PhyTxBegin@10000000 PhyTxEnd@10100640 MacTx@12000001 "
                              "MacTxDrop@12000001 Drop(link down)@12000001",
                              "link down");
        NS_TEST_EXPECT_MSG_EQ((a.GetBytes() == expected), true, "bytes");
    }
};

/**
 * \ingroup rdma-tests
 * Trace sources, captures and ascii traces.
 */
class RdmaTraceTestSuite : public TestSuite
{
  public:
    RdmaTraceTestSuite()
        : TestSuite("rdma-trace")
    {
        AddTestCase(new TraceSourcesTestCase);
    }
};

RdmaTraceTestSuite g_rdmaTraceTestSuite; //!< registers the suite

} // namespace
