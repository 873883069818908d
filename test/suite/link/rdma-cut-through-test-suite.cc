/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <sstream>

/**
 * \file
 * \ingroup rdma-tests
 * Cut-through switches. A write of 1000 B is a frame of 1078 B, whose last bit arrives after
 * (8 + 1078) x 80 = 86 880 ps at 100 Gb/s. A switch waits for the first 128 B, which arrive after
 * (8 + 128) x 80 = 10 880 ps.
 */

using namespace ns3;

namespace
{

constexpr RdmaPs WHOLE = 86'880_ps;
constexpr RdmaPs PART = 10'880_ps;
constexpr RdmaPs FRAME_ON_LINE = (20 + 1078) * 80_ps;
constexpr RdmaPs CABLE = 500_ns;

/**
 * Time from a receiver's request for a pause frame, XOFF or XON, to its effect: (8 + 64) x 80 and
 * the cable until the frame is at the other end, and a reaction delay of 100 000.
 */
constexpr RdmaPs PAUSE_EFFECT = 5760_ps + CABLE + 100_ns;

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
                    m_text << (m_text.tellp() > 0 ? " " : "") << RdmaNow();
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

/** \param times instants \return the instants separated by spaces */
std::string
ToText(std::initializer_list<RdmaPs> times)
{
    std::ostringstream text;
    for (const RdmaPs time : times)
    {
        text << (text.tellp() > 0 ? " " : "") << time;
    }
    return text.str();
}

/** Travel time of one frame through two switches. */
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
        uint64_t cut = 0;
        for (const uint32_t id : test.fabric->GetTopology().GetSwitches())
        {
            const Ptr<QbbSwitch> sw = test.fabric->GetSwitch(id);
            for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
            {
                cut += sw->GetPort(p)->GetCounters().cutThroughFrames;
            }
        }
        return arrivals.GetText() + ", cut through: " + std::to_string(cut);
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Run(false, 100),
                              ToText({3 * (WHOLE + CABLE)}) + ", cut through: 0",
                              "store and forward");
        NS_TEST_EXPECT_MSG_EQ(Run(true, 100),
                              ToText({WHOLE + 2 * PART + 3 * CABLE}) + ", cut through: 2",
                              "cut-through");
        // 40 Gb/s between the switches: 200 ps a byte. The first switch cuts frames through to a
        // slower port. The second switch stores frames, because its port is faster.
        NS_TEST_EXPECT_MSG_EQ(Run(true, 40),
                              ToText({PART + 1086 * 200_ps + WHOLE + 3 * CABLE}) +
                                  ", cut through: 1",
                              "slower, then faster");
        // 400 Gb/s between the switches: 20 ps a byte. The first switch stores frames.
        NS_TEST_EXPECT_MSG_EQ(Run(true, 400),
                              ToText({WHOLE + (8 + 128) * 20_ps + WHOLE + 3 * CABLE}) +
                                  ", cut through: 1",
                              "faster, then slower");
        // Back-to-back frames of 1102 and 1086 B stay back to back.
        constexpr RdmaPs SHIFT = 2 * PART + 3 * CABLE;
        NS_TEST_EXPECT_MSG_EQ(
            Run(true, 100, 2048),
            ToText({(8 + 1102) * 80_ps + SHIFT, (20 + 1102 + 8 + 1086) * 80_ps + SHIFT}) +
                ", cut through: 4",
            "two frames");
    }
};

/** Two frames that want one port. */
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
        for (const RdmaPs later :
             {0_ps, 40_ns, FRAME_ON_LINE - 80_ps, FRAME_ON_LINE, FRAME_ON_LINE + 5_ns})
        {
            RdmaTestFabric test;
            test.helper.SetSwitchAttribute("CutThrough", BooleanValue(true));
            test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 500)),
                         {MakeTestFlow(0, 0, 2, 1000), MakeTestFlow(1, 1, 2, 1000, later)});
            Arrivals arrivals(test.fabric->GetNic(2)->GetPort(0));
            test.Run();
            const RdmaPs first = PART + WHOLE + 2 * CABLE;
            // The line is free again FRAME_ON_LINE after the start of the first frame. The header
            // of the second frame arrives "later" after the header of the first.
            const RdmaPs second = first + std::max(FRAME_ON_LINE, later);
            NS_TEST_EXPECT_MSG_EQ(arrivals.GetText(), ToText({first, second}), later);
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", later);
        }
    }
};

/** Frames of a paused class. */
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
        const RdmaPs header = 5_us + CABLE + PART;
        const RdmaPs last = 5_us + CABLE + WHOLE;

        struct Case
        {
            RdmaPs resumed;
            RdmaPs start;
        };

        for (const Case& c : {Case{header - 1_ns, header},
                              Case{header + 40_ns, header + 40_ns},
                              Case{last + 3_ns, last + 3_ns}})
        {
            RdmaTestFabric test;
            test.helper.SetSwitchAttribute("CutThrough", BooleanValue(true));
            test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 500)),
                         {MakeTestFlow(0, 0, 1, 1000, 5_us)});
            const auto port = test.fabric->GetNic(1)->GetPort(0);
            Arrivals arrivals(port);
            Simulator::Schedule(PicoSeconds(1'000'000),
                                [&]() { port->GetFlowControl().RequestPause(3, true); });
            Simulator::Schedule(RdmaToTime(c.resumed - PAUSE_EFFECT),
                                [&]() { port->GetFlowControl().RequestPause(3, false); });
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(arrivals.GetText(), ToText({c.start + WHOLE + CABLE}), c.resumed);
        }
    }
};

/** A frame of a paused class waits in the switch while another class cuts through. */
class CutThroughBesidePauseTestCase : public TestCase
{
  public:
    CutThroughBesidePauseTestCase()
        : TestCase("a paused class with queued frames leaves cut-through to the others")
    {
    }

  private:
    void DoRun() override
    {
        constexpr RdmaPs PAUSED = 1_us;
        constexpr RdmaPs WAITS = 5_us;   // a frame of class 3 begins, and waits in the switch
        constexpr RdmaPs PASSES = 10_us; // a frame of class 4 begins
        constexpr RdmaPs XON = 20_us;
        RdmaTestFabric test;
        test.helper.SetSwitchAttribute("CutThrough", BooleanValue(true));
        test.Install(
            MakeRdmaStar(3, MakeTestRates(100, 100, 500)),
            {MakeTestFlow(0, 0, 2, 1000, WAITS, 3), MakeTestFlow(1, 1, 2, 1000, PASSES, 4)});
        const auto port = test.fabric->GetNic(2)->GetPort(0);
        Arrivals arrivals(port);
        Simulator::Schedule(RdmaToTime(PAUSED),
                            [&]() { port->GetFlowControl().RequestPause(3, true); });
        Simulator::Schedule(RdmaToTime(PASSES), [&]() {
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetDevice(2, 3)->GetQueues().GetFrames(3),
                                  1U,
                                  "it waits");
        });
        Simulator::Schedule(RdmaToTime(XON - PAUSE_EFFECT),
                            [&]() { port->GetFlowControl().RequestPause(3, false); });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(arrivals.GetText(),
                              ToText({PASSES + PART + WHOLE + 2 * CABLE, XON + WHOLE + CABLE}),
                              "class 4 cuts through, class 3 begins with its XON");
    }
};

/** A frame comes in while its output's link comes up or the output stops honouring a pause. */
class CutThroughLinkTestCase : public TestCase
{
  public:
    CutThroughLinkTestCase()
        : TestCase("nothing is dated back before the link was up or a pause was not honoured")
    {
    }

  private:
    void DoRun() override
    {
        constexpr RdmaPs START = 5_us;
        constexpr RdmaPs HEADER = START + CABLE + PART;
        static_assert(WHOLE - PART > 40_ns, "the frame is coming in 40 ns after its header");

        struct Case
        {
            RdmaPs free;
            RdmaPs begin;
        };

        for (const bool link : {true, false})
        {
            for (const Case& c :
                 {Case{HEADER - 1_ns, HEADER}, Case{HEADER + 40_ns, HEADER + 40_ns}})
            {
                RdmaTestFabric test;
                test.helper.SetSwitchAttribute("CutThrough", BooleanValue(true));
                test.Install(MakeRdmaStar(2, MakeTestRates(100, 100, 500)),
                             {MakeTestFlow(0, 0, 1, 1000, START)});
                const auto host = test.fabric->GetNic(1)->GetPort(0);
                const auto port = test.fabric->GetDevice(1, 2);
                Arrivals arrivals(host);
                Simulator::Schedule(PicoSeconds(1'000'000), [&]() {
                    link ? test.fabric->SetLinkUp(1, false)
                         : host->GetFlowControl().RequestPause(3, true);
                });
                Simulator::Schedule(RdmaToTime(c.free), [&]() {
                    link ? test.fabric->SetLinkUp(1, true)
                         : port->GetFlowControl().SetPauseHonoured(0xff & ~(1U << 3));
                });
                test.Run();
                NS_TEST_EXPECT_MSG_EQ(arrivals.GetText(),
                                      ToText({c.begin + WHOLE + CABLE}),
                                      (link ? "link up at " : "pause not honoured at ") << c.free);
            }
        }
    }
};

/** Cut-through switches under load. */
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
                // Seven of each eight flows go to host 0, each of the others to its own receiver.
                flows.push_back(MakeTestFlow(i,
                                             1 + i % 15,
                                             i % 8 ? 0 : 1 + (i + 5) % 15,
                                             20'000 + 7919 * i,
                                             i * 1'234'567_ps));
            }
            test.Install(topology, flows);
            test.CheckBooksEvery(5_us);
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
            NS_TEST_EXPECT_MSG_GT(test.checks, 10, "books were looked at");
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0, "lossless");
            NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 10, "pauses");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "rest");
            CheckCutThrough(*test.fabric);
            NS_TEST_EXPECT_MSG_EQ((digest.empty() || digest == test.GetDigest()), true, "digest");
            digest = test.GetDigest();
        }
    }

    /** \param fabric fabric that has run */
    void CheckCutThrough(const RdmaFabric& fabric)
    {
        uint64_t cut = 0;
        uint64_t data = 0;
        for (const uint32_t id : fabric.GetTopology().GetSwitches())
        {
            const Ptr<QbbSwitch> sw = fabric.GetSwitch(id);
            for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
            {
                const auto& counters = sw->GetPort(p)->GetCounters();
                cut += counters.cutThroughFrames;
                data += counters.classes[3].txFrames;
            }
        }
        // The run is deterministic. Only one frame in twenty cuts through: 52 of the 60 flows share
        // the port of host 0, and half of all frames are acknowledgements, which are shorter than
        // the bytes that a switch waits for.
        NS_TEST_EXPECT_MSG_EQ(cut, 3323U, "frames that cut through, of " << data);
    }
};

/**
 * \ingroup rdma-tests
 * Cut-through.
 */
class RdmaCutThroughTestSuite : public TestSuite
{
  public:
    RdmaCutThroughTestSuite()
        : TestSuite("rdma-cut-through")
    {
        AddTestCase(new HopTestCase);
        AddTestCase(new ContentionTestCase);
        AddTestCase(new CutThroughPauseTestCase);
        AddTestCase(new CutThroughBesidePauseTestCase);
        AddTestCase(new CutThroughLinkTestCase);
        AddTestCase(new LoadTestCase);
    }
};

RdmaCutThroughTestSuite g_rdmaCutThroughTestSuite; //!< registers the suite

} // namespace
