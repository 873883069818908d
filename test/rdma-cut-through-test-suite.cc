/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <sstream>

/**
 * \file
 * \ingroup rdma-tests
 * Cut-through switches. A write of 1000 B is a frame of 1078 B: at 100 Gb/s (8 + 1078) x 80 =
 * 86 880 ps to its last bit, of which (8 + 128) x 80 = 10 880 ps to what a switch waits for.
 */

using namespace ns3;

namespace
{

constexpr int64_t WHOLE = 86'880;
constexpr int64_t PART = 10'880;
constexpr int64_t LINE = (20 + 1078) * 80;
constexpr int64_t CABLE = 500'000;

/** Arrivals of data frames at a host. */
class Arrivals
{
  public:
    /** \param port a host's port */
    explicit Arrivals(Ptr<QbbNetDevice> port)
    {
        port->TraceConnectWithoutContext(
            "MacRx",
            Callback<void, Ptr<const Packet>>([this](Ptr<const Packet> packet) {
                if (packet->GetSize() > 500)
                {
                    m_text << (m_text.tellp() > 0 ? " " : "") << QbbNowPs();
                }
            }));
    }

    Arrivals(const Arrivals&) = delete;
    Arrivals& operator=(const Arrivals&) = delete;

    /** \return instants in picoseconds, separated by spaces */
    std::string GetText() const
    {
        return m_text.str();
    }

  private:
    std::ostringstream m_text; //!< instants
};

/** \param times in picoseconds \return the same separated by spaces */
std::string
ToText(std::initializer_list<int64_t> times)
{
    std::ostringstream text;
    for (const int64_t time : times)
    {
        text << (text.tellp() > 0 ? " " : "") << time;
    }
    return text.str();
}

/** Time of one frame through two switches. */
class HopTestCase : public TestCase
{
  public:
    HopTestCase()
        : TestCase(
              "a hop takes preamble and 128 bytes; slower ports cut through, faster ones do not")
    {
    }

  private:
    static std::string Run(bool cutThrough, uint64_t uplinkGbps, uint64_t bytes = 1000)
    {
        RdmaTestFabric test;
        test.helper.SetSwitchAttribute("CutThrough", BooleanValue(cutThrough));
        test.Install(MakeRdmaDumbbell(1, MakeTestRates(100, uplinkGbps, 500)),
                     {MakeTestFlow(0, 0, 1, bytes)});
        Arrivals arrivals(test.fabric->GetNic(1)->GetPort(0));
        test.Run();
        return arrivals.GetText();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run(false, 100), ToText({3 * (WHOLE + CABLE)}), "store and forward");
        NS_TEST_EXPECT_MSG_EQ(Run(true, 100),
                              ToText({WHOLE + 2 * PART + 3 * CABLE}),
                              "cut-through");
        // 40 Gb/s between the switches: 200 ps a byte. The first cuts through, to a slower port;
        // the second stores, for its port is faster.
        NS_TEST_EXPECT_MSG_EQ(Run(true, 40),
                              ToText({PART + 1086 * 200 + WHOLE + 3 * CABLE}),
                              "slower, then faster");
        // 400 Gb/s, 20 ps a byte: the first stores.
        NS_TEST_EXPECT_MSG_EQ(Run(true, 400),
                              ToText({WHOLE + (8 + 128) * 20 + WHOLE + 3 * CABLE}),
                              "faster, then slower");
        // Frames of 1102 and 1086 B back to back stay so.
        constexpr int64_t SHIFT = 2 * PART + 3 * CABLE;
        NS_TEST_EXPECT_MSG_EQ(
            Run(true, 100, 2048),
            ToText({(8 + 1102) * 80 + SHIFT, (20 + 1102 + 8 + 1086) * 80 + SHIFT}),
            "two frames");
    }
};

/** Two frames for one port. */
class ContentionTestCase : public TestCase
{
  public:
    ContentionTestCase()
        : TestCase("a frame that finds the port in use waits; one that comes when it is free again "
                   "begins then")
    {
    }

  private:
    void DoRun() override
    {
        for (const int64_t laterPs : {int64_t{0}, int64_t{40'000}, LINE - 80, LINE, LINE + 5000})
        {
            RdmaTestFabric test;
            test.helper.SetSwitchAttribute("CutThrough", BooleanValue(true));
            test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 500)),
                         {MakeTestFlow(0, 0, 2, 1000), MakeTestFlow(1, 1, 2, 1000, laterPs)});
            Arrivals arrivals(test.fabric->GetNic(2)->GetPort(0));
            test.Run();
            const int64_t first = PART + WHOLE + 2 * CABLE;
            // The line is free LINE after the first began; the second's header is there laterPs
            // after the first's.
            const int64_t second = first + std::max(LINE, laterPs);
            NS_TEST_EXPECT_MSG_EQ(arrivals.GetText(), ToText({first, second}), laterPs);
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", laterPs);
        }
    }
};

/** A class that is paused. */
class CutThroughPauseTestCase : public TestCase
{
  public:
    CutThroughPauseTestCase()
        : TestCase("nothing is dated back before the end of a pause")
    {
    }

  private:
    void DoRun() override
    {
        // XON of the receiver: sent at `atPs`, there (8 + 64) x 80 + 500 000 later, and in effect
        // after 100 000 of reaction.
        constexpr int64_t EFFECT = 5760 + CABLE + 100'000;
        const int64_t header = 5'000'000 + CABLE + PART;
        const int64_t last = 5'000'000 + CABLE + WHOLE;

        struct Case
        {
            int64_t resumedPs;
            int64_t startPs;
        };

        for (const Case& c : {Case{header - 1000, header},
                              Case{header + 40'000, header + 40'000},
                              Case{last + 3000, last + 3000}})
        {
            RdmaTestFabric test;
            test.helper.SetSwitchAttribute("CutThrough", BooleanValue(true));
            test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 500)),
                         {MakeTestFlow(0, 0, 1, 1000, 5'000'000)});
            const auto port = test.fabric->GetNic(1)->GetPort(0);
            Arrivals arrivals(port);
            Simulator::Schedule(PicoSeconds(1'000'000), [&]() { port->RequestPause(3, true); });
            Simulator::Schedule(PicoSeconds(c.resumedPs - EFFECT),
                                [&]() { port->RequestPause(3, false); });
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(arrivals.GetText(),
                                  ToText({c.startPs + WHOLE + CABLE}),
                                  c.resumedPs);
        }
    }
};

/** Load. */
class LoadTestCase : public TestCase
{
  public:
    LoadTestCase()
        : TestCase("under load: lossless, books in order, equal with frames as bytes")
    {
    }

  private:
    void DoRun() override
    {
        std::string digest;
        for (const bool serialize : {false, true})
        {
            RdmaTestFabric test;
            test.helper.SetSwitchAttribute("CutThrough", BooleanValue(true));
            test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(serialize));
            test.helper.SetBufferAttribute("BufferSize", UintegerValue(2'000'000));
            const RdmaTopology topology = MakeRdmaLeafSpine(2, 8, 2, MakeTestRates(100, 100, 300));
            std::vector<RdmaFlow> flows;
            for (uint32_t i = 0; i < 60; ++i)
            {
                // Seven of each eight senders share a receiver, the others have one each.
                flows.push_back(MakeTestFlow(i,
                                             1 + i % 15,
                                             i % 8 ? 0 : 1 + (i + 5) % 15,
                                             20'000 + 7919 * i,
                                             int64_t{i} * 1'234'567));
            }
            test.Install(topology, flows);
            test.CheckBooksEvery(5'000'000);
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
            NS_TEST_EXPECT_MSG_GT(test.checks, 10, "books were looked at");
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0, "lossless");
            NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 10, "pauses");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "rest");
            NS_TEST_EXPECT_MSG_EQ((digest.empty() || digest == test.GetDigest()), true, "digest");
            digest = test.GetDigest();
        }
    }
};

/** \ingroup rdma-tests Cut-through. */
class RdmaCutThroughTestSuite : public TestSuite
{
  public:
    RdmaCutThroughTestSuite()
        : TestSuite("rdma-cut-through")
    {
        AddTestCase(new HopTestCase);
        AddTestCase(new ContentionTestCase);
        AddTestCase(new CutThroughPauseTestCase);
        AddTestCase(new LoadTestCase);
    }
};

RdmaCutThroughTestSuite g_rdmaCutThroughTestSuite; //!< registers the suite

} // namespace
