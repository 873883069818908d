/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-link.h"

#include <ns3/boolean.h>
#include <ns3/pcap-file.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Captures and ascii traces of a port. Times are worked out by hand, in picoseconds.
 */

using namespace ns3;

namespace
{

/** Data in both directions with pauses, to compare runs with and without captures. */
class CaptureRun
{
  public:
    /** \param link link that carries the data */
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

    /** \return arrivals and events of a run without captures */
    static std::pair<std::string, uint64_t> RunPlain()
    {
        RdmaTestLink link;
        const CaptureRun run(link);
        return {run.arrivals, run.events};
    }

    std::string arrivals; //!< arrivals at b
    uint64_t events{0};   //!< number of events

  private:
    RdmaTestLink& m_link; //!< link that carries the data
};

/** Captures of both ports. */
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
        const auto [arrivals, events] = CaptureRun::RunPlain();
        const std::string prefix = CreateTempDirFilename("rdma-trace");
        std::vector<uint8_t> firstFrame;
        {
            RdmaTestLink link;
            link.helper.EnablePcap(prefix, link.nodes, true);
            link.helper.SetPcapAttribute("NanosecMode", BooleanValue(false));
            link.helper.SetPcapAttribute("CaptureSize", UintegerValue(58));
            link.helper.EnablePcap(prefix + "-b.pcap", link.b, false, true);
            firstFrame = GetTestBytes(*MakeTestFrame(*link.a, 0));
            const CaptureRun run(link);
            NS_TEST_EXPECT_MSG_EQ(run.arrivals, arrivals, "the same run");
            NS_TEST_EXPECT_MSG_EQ(run.events, events, "the same events");
        }
        // Capture of a: 14 frames sent, 2 pause frames received, timestamps in ns.
        CheckFile(prefix + "-0-0.pcap", true, 16, 1'000, 1246, firstFrame);
        // Capture of b: the opposite direction; the pause frame comes first.
        CheckFile(prefix + "-1-0.pcap", true, 16, 1'000, 60, {});
        // Not promiscuous: without frame 99, timestamps in us, 58 bytes of each frame.
        CheckFile(prefix + "-b.pcap", false, 15, 1, 60, {});
    }

    /**
     * \param name file name of a capture
     * \param nanoseconds true: the timestamps of the capture are in nanoseconds
     * \param records number of frames in the capture
     * \param firstTime time of the first frame, in the capture's unit
     * \param firstLength bytes of the first frame
     * \param firstBytes bytes of the first record, checked if not empty
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
        const auto [arrivals, events] = CaptureRun::RunPlain();
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
        // 14 frames come and go, then one comes and is dropped. Pause frames have lines at b only.
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 14 + 14 + 2, "lines of a");
        const std::string data = " 1250 B 10.0.0.1:49152 > 10.0.0.2:4791 DSCP 24 ECN 0 TTL 64 "
                                 "SEND_ONLY QP 0 PSN ";
        NS_TEST_EXPECT_MSG_EQ(lines[0], "+ 0.000001000000" + data + "0 payload 1188 B", "comes");
        NS_TEST_EXPECT_MSG_EQ(lines[1], "- 0.000001000000" + data + "0 payload 1188 B", "goes");
        NS_TEST_EXPECT_MSG_EQ(lines[2], "+ 0.000001000000" + data + "1 payload 1188 B", "comes");
        // Frame 12 begins at 3 000 000 + 1 105 760 + 101 600.
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
        // b receives 13 frames. 14 data frames and 2 pause frames begin.
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

/** The suite. */
class RdmaCapturesTestSuite : public TestSuite
{
  public:
    RdmaCapturesTestSuite()
        : TestSuite("rdma-captures")
    {
        AddTestCase(new PcapTestCase);
        AddTestCase(new AsciiTestCase);
    }
};

RdmaCapturesTestSuite g_rdmaCapturesTestSuite; //!< registers the suite

} // namespace
