/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/pcap-file.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Trace sources, captures and ascii traces of a port. Times are worked out by hand, in picoseconds
 * at 100 Gb/s over 1 us: a frame of 1250 B begins at its start, its last bit leaves 100 640 later
 * and arrives 1 100 640 later.
 */

using namespace ns3;

namespace
{

/** \param frame a frame \return its bytes as they are on the wire, without FCS */
std::vector<uint8_t>
BytesOf(const QbbFrame& frame)
{
    std::vector<uint8_t> bytes(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, bytes.data());
    return bytes;
}

/** \param packet a packet \return its bytes */
std::vector<uint8_t>
BytesOf(const Packet& packet)
{
    std::vector<uint8_t> bytes(packet.GetSize());
    packet.CopyData(bytes.data(), packet.GetSize());
    return bytes;
}

/** Everything that the trace sources of a port tell. */
class PortLog
{
  public:
    /** \param port the port */
    explicit PortLog(Ptr<QbbNetDevice> port)
    {
        for (const char* source : {"MacTx",
                                   "MacTxDrop",
                                   "MacPromiscRx",
                                   "MacRx",
                                   "MacRxDrop",
                                   "PhyTxBegin",
                                   "PhyTxEnd",
                                   "PhyRxEnd",
                                   "PhyRxDrop",
                                   "Sniffer",
                                   "PromiscSniffer"})
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

    /** \return "source@picoseconds" for each, in order; forgets them */
    std::string Take()
    {
        std::string text;
        m_text.swap(text);
        return text;
    }

    /** \return the bytes of all packets if they were the same, otherwise none */
    const std::vector<uint8_t>& GetBytes() const
    {
        return m_bytes;
    }

  private:
    void Add(const std::string& source, const Packet& packet)
    {
        const auto bytes = BytesOf(packet);
        m_bytes = m_text.empty() || m_bytes == bytes ? bytes : std::vector<uint8_t>();
        m_text += (m_text.empty() ? "" : " ") + source + "@" + std::to_string(QbbNow().Get());
    }

    std::string m_text;           //!< everything since the last Take()
    std::vector<uint8_t> m_bytes; //!< of the packets since then
};

/** A source of frames, as a NIC is one. */
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

    std::deque<QbbFramePtr> frames; //!< what it will send
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
        const auto expected = BytesOf(*MakeTestFrame(*link.a, 7));
        NS_TEST_ASSERT_MSG_EQ(expected.size(), 1246, "without FCS");
        const std::string received = "PhyRxEnd@2100640 PromiscSniffer@2100640 "
                                     "MacPromiscRx@2100640 Sniffer@2100640 MacRx@2100640";

        // From the queue.
        link.At(1_us, [&]() { link.a->Enqueue(MakeTestFrame(*link.a, 7)); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(a.Take(),
                              "MacTx@1000000 PromiscSniffer@1000000 Sniffer@1000000 "
                              "PhyTxBegin@1000000 PhyTxEnd@1100640",
                              "sent");
        NS_TEST_EXPECT_MSG_EQ((a.GetBytes() == expected), true, "bytes");
        NS_TEST_EXPECT_MSG_EQ(b.Take(), received, "received");
        NS_TEST_EXPECT_MSG_EQ((b.GetBytes() == expected), true, "bytes");

        // From a source.
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

        // For another address: only a promiscuous listener hears of it.
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

        // Pause frames begin and end at the port: 72 x 80 = 5760.
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

        // Drops. Nobody at b wants RDMA once the sink is gone.
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

/** Data both ways with pauses, to look at with and without captures. */
class CaptureRun
{
  public:
    /** \param link where */
    explicit CaptureRun(RdmaTestLink& link)
        : m_link(link)
    {
        link.SendAt(1_us, 0, 13, 3);
        link.At(1_us, [this]() { m_link.b->GetFlowControl().RequestPause(3, true); });
        link.At(3_us, [this]() { m_link.b->GetFlowControl().RequestPause(3, false); });
        link.At(1'500'000_ps, [this]() {
            auto frame = MakeTestFrame(*m_link.a, 99);
            frame->dstMac = Mac48Address("00:00:00:00:77:77");
            m_link.a->Enqueue(std::move(frame));
        });
        Simulator::Run();
        arrivals = link.Arrivals();
        events = Simulator::GetEventCount();
    }

    std::string arrivals; //!< at b
    uint64_t events{0};   //!< in all

  private:
    RdmaTestLink& m_link; //!< where
};

/** Captures. */
class PcapTestCase : public TestCase
{
  public:
    PcapTestCase()
        : TestCase("captures: Ethernet, nanoseconds, all frames, and no influence on the run")
    {
    }

  private:
    void DoRun() override
    {
        std::string arrivals;
        uint64_t events = 0;
        {
            RdmaTestLink link;
            const CaptureRun run(link);
            arrivals = run.arrivals;
            events = run.events;
        }
        const std::string prefix = CreateTempDirFilename("rdma-trace");
        std::vector<uint8_t> firstFrame;
        {
            RdmaTestLink link;
            link.helper.EnablePcap(prefix, link.nodes, true);
            link.helper.SetPcapAttribute("NanosecMode", BooleanValue(false));
            link.helper.SetPcapAttribute("CaptureSize", UintegerValue(58));
            link.helper.EnablePcap(prefix + "-b.pcap", link.b, false, true);
            firstFrame = BytesOf(*MakeTestFrame(*link.a, 0));
            const CaptureRun run(link);
            NS_TEST_EXPECT_MSG_EQ(run.arrivals, arrivals, "the same run");
            NS_TEST_EXPECT_MSG_EQ(run.events, events, "the same events");
        }
        // a: 14 frames sent, 2 pause frames received. Timestamps in ns.
        CheckFile(prefix + "-0-0.pcap", true, 16, 1'000, 1246, firstFrame);
        // b: the same the other way round; the pause frame comes first.
        CheckFile(prefix + "-1-0.pcap", true, 16, 1'000, 60, {});
        // not promiscuous: without frame 99; timestamps in us, 58 bytes of each frame
        CheckFile(prefix + "-b.pcap", false, 15, 1, 60, {});
    }

    /**
     * \param name a capture
     * \param nanoseconds its timestamps are nanoseconds
     * \param records how many frames it has
     * \param firstTime when the first came, in its unit
     * \param firstLength bytes of the first
     * \param firstBytes what they are, if not empty
     */
    void CheckFile(const std::string& name,
                   bool nanoseconds,
                   uint32_t records,
                   uint32_t firstTime,
                   uint32_t firstLength,
                   const std::vector<uint8_t>& firstBytes)
    {
        PcapFile file;
        file.Open(name, std::ios::in);
        NS_TEST_ASSERT_MSG_EQ(file.Fail(), false, name);
        NS_TEST_EXPECT_MSG_EQ(file.GetDataLinkType(), 1, "Ethernet");
        NS_TEST_EXPECT_MSG_EQ(file.IsNanoSecMode(), nanoseconds, name);
        uint32_t count = 0;
        uint32_t last = 0;
        std::vector<uint8_t> bytes(2000);
        while (true)
        {
            uint32_t seconds = 0;
            uint32_t fraction = 0;
            uint32_t kept = 0;
            uint32_t length = 0;
            uint32_t read = 0;
            file.Read(bytes.data(), bytes.size(), seconds, fraction, kept, length, read);
            if (file.Fail())
            {
                break;
            }
            NS_TEST_EXPECT_MSG_EQ((fraction >= last), true, "in order");
            last = fraction;
            NS_TEST_EXPECT_MSG_EQ(kept, (nanoseconds ? length : 58), "cut off");
            if (count++ == 0)
            {
                NS_TEST_EXPECT_MSG_EQ(fraction, firstTime, name);
                NS_TEST_EXPECT_MSG_EQ(length, firstLength, name);
                bytes.resize(read);
                NS_TEST_EXPECT_MSG_EQ((firstBytes.empty() || bytes == firstBytes), true, name);
                bytes.resize(2000);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(count, records, name);
        file.Close();
        std::remove(name.c_str());
    }
};

/** Ascii traces. */
class AsciiTestCase : public TestCase
{
  public:
    AsciiTestCase()
        : TestCase("ascii traces: a line for each event, and no influence on the run")
    {
    }

  private:
    void DoRun() override
    {
        const std::string name = CreateTempDirFilename("rdma-trace.tr");
        auto both = std::make_shared<std::ostringstream>();
        std::string arrivals;
        uint64_t events = 0;
        {
            RdmaTestLink link;
            const CaptureRun run(link);
            arrivals = run.arrivals;
            events = run.events;
        }
        {
            RdmaTestLink link;
            link.helper.EnableAscii(name, link.a, true);
            link.helper.EnableAsciiAll(Create<OutputStreamWrapper>(both.get()));
            const CaptureRun run(link);
            NS_TEST_EXPECT_MSG_EQ(run.arrivals, arrivals, "the same run");
            NS_TEST_EXPECT_MSG_EQ(run.events, events, "the same events");
            link.channel->SetUp(false);
            link.a->Enqueue(MakeTestFrame(*link.a, 5));
        }
        std::ifstream file(name);
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);)
        {
            lines.push_back(line);
        }
        file.close();
        std::remove(name.c_str());
        // 14 frames come and go, then one comes and is dropped; pause frames are for b's half.
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 14 + 14 + 2, "lines of a");
        const std::string data = " 1250 B 10.0.0.1:49152 > 10.0.0.2:4791 DSCP 24 ECN 0 TTL 64 "
                                 "SEND_ONLY QP 0 PSN ";
        NS_TEST_EXPECT_MSG_EQ(lines[0], "+ 0.000001000000" + data + "0 payload 1188 B", "comes");
        NS_TEST_EXPECT_MSG_EQ(lines[1], "- 0.000001000000" + data + "0 payload 1188 B", "goes");
        NS_TEST_EXPECT_MSG_EQ(lines[2], "+ 0.000001000000" + data + "1 payload 1188 B", "comes");
        // 3 000 000 + 1 105 760 + 101 600: frame 12 begins
        NS_TEST_EXPECT_MSG_EQ(lines[27], "- 0.000004308960" + data + "99 payload 1188 B", "last");
        NS_TEST_EXPECT_MSG_EQ(lines[29].substr(0, 2), "d ", "dropped");
        NS_TEST_EXPECT_MSG_EQ(lines[29].substr(lines[29].size() - 32),
                              "PSN 5 payload 1188 B [link down]",
                              "why");

        const std::string path = " /NodeList/1/DeviceList/0/$ns3::QbbNetDevice/";
        const std::string text = both->str();
        std::map<char, uint32_t> count;
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);)
        {
            ++count[line[0]];
        }
        // 13 for b; 14 data and 2 pause frames begin
        NS_TEST_EXPECT_MSG_EQ(count['+'], 15, "came to a port");
        NS_TEST_EXPECT_MSG_EQ(count['-'], 16, "begun");
        NS_TEST_EXPECT_MSG_EQ(count['r'], 13, "received");
        NS_TEST_EXPECT_MSG_EQ(count['d'], 1, "dropped");
        const std::string pause = "- 0.000001000000" + path + "PhyTxBegin 64 B 00:00:00:00:00:";
        NS_TEST_EXPECT_MSG_NE(text.find(pause), std::string::npos, "pause frame");
        NS_TEST_EXPECT_MSG_NE(text.find(" > 01:80:c2:00:00:01 PFC class 3: 65535 quanta\n"),
                              std::string::npos,
                              "XOFF");
        NS_TEST_EXPECT_MSG_NE(text.find("PFC class 3: 0 quanta\n"), std::string::npos, "XON");
        NS_TEST_EXPECT_MSG_NE(text.find("r 0.000002100640" + path + "MacRx" + data + "0 "),
                              std::string::npos,
                              "first frame at b");
    }
};

/** \ingroup rdma-tests Trace sources, captures and ascii traces. */
class RdmaTraceTestSuite : public TestSuite
{
  public:
    RdmaTraceTestSuite()
        : TestSuite("rdma-trace")
    {
        AddTestCase(new TraceSourcesTestCase);
        AddTestCase(new PcapTestCase);
        AddTestCase(new AsciiTestCase);
    }
};

RdmaTraceTestSuite g_rdmaTraceTestSuite; //!< registers the suite

} // namespace
