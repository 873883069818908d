/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-storm.h"
#include "rdma-test-units.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <algorithm>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The PFC watchdog, at one switch with three hosts. Times are worked out by hand, see
 * RdmaTestStormCase.
 */

using namespace ns3;

namespace
{

/** The action drop, in two storms. */
class DropTestCase : public RdmaTestStormCase
{
  public:
    DropTestCase()
        : RdmaTestStormCase("drop: detected, frames dropped both ways, restored, and again")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string kind : {"OutputQueued", "InputQueued", "serialize"})
        {
            RdmaTestFabric test;
            test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(kind == "serialize"));
            if (kind == "InputQueued")
            {
                test.helper.SetSwitchAttribute("Queueing", StringValue(kind));
            }
            // Pause frames at 12 us and at 179.7696 us.
            Build(test, MicroSeconds(200));
            AddWatchdog("Drop");
            // The pause takes effect at 13.10576 us. The samples at 20, 30 and 40 us bound two
            // stormy intervals. The intervals that end at 50, 60 and 70 us are quiet.
            uint64_t queued = 0;
            uint64_t hostSent = 0;
            AtEndOf(40 * US - 1_ps, [&]() {
                queued = m_port->GetQueues().GetFrames(3);
                NS_TEST_EXPECT_MSG_EQ(m_watchdog->IsStormed(2, 3), false, "not yet");
            });
            AtEndOf(40 * US, [&]() {
                NS_TEST_EXPECT_MSG_GT(queued, 10U, "frames waited");
                NS_TEST_EXPECT_MSG_EQ(m_watchdog->IsStormed(2, 3), true, "in storm");
                NS_TEST_EXPECT_MSG_EQ(m_port->GetQueues().GetFrames(3), 0U, "queue");
                NS_TEST_EXPECT_MSG_EQ(m_sw->GetBufferManager()->GetEgressBytes(2, 3), 0U, "books");
                NS_TEST_EXPECT_MSG_EQ(GetCounters().all.txDrop, queued, "dropped");
                NS_TEST_EXPECT_MSG_EQ(+m_port->GetFlowControl().GetPauseReceiver().GetPaused(),
                                      0,
                                      "no pause");
                hostSent = m_port->GetCounters().classes[3].rxFrames;
            });
            AtEndOf(70 * US - 1_ps, [&]() {
                NS_TEST_EXPECT_MSG_EQ(m_watchdog->IsStormed(2, 3), true, "still in storm");
                const auto now = GetCounters();
                NS_TEST_EXPECT_MSG_EQ(now.detected, 1U, "storms");
                NS_TEST_EXPECT_MSG_EQ(now.restored, 0U, "restored");
                NS_TEST_EXPECT_MSG_EQ(now.all.txOk, 0U, "none sent");
                NS_TEST_EXPECT_MSG_EQ(now.all.rxOk, 0U, "none let in");
                NS_TEST_EXPECT_MSG_GT(now.all.rxDrop, 100U, "the host's own flow");
                NS_TEST_EXPECT_MSG_EQ(now.all.rxDrop,
                                      m_port->GetCounters().classes[3].rxFrames - hostSent,
                                      "all that came in");
                NS_TEST_EXPECT_MSG_EQ(now.all.txDrop + now.all.rxDrop, GetStormDrops(), "drops");
            });
            AtEndOf(170 * US, [&]() {
                const auto now = GetCounters();
                NS_TEST_EXPECT_MSG_EQ(now.restored, 1U, "restored");
                NS_TEST_EXPECT_MSG_EQ(now.last.txDrop, now.all.txDrop, "one storm");
                NS_TEST_EXPECT_MSG_EQ(now.all.txDrop + now.all.rxDrop, GetStormDrops(), "drops");
                NS_TEST_EXPECT_MSG_GT(m_port->GetCounters().classes[3].txFrames, 2000U, "sent");
            });
            // The second pause takes effect at 180.87536 us: samples at 190, 200 and 210 us.
            test.CheckBooksEvery(7 * US);
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(m_log,
                                  "Detected:2:3@40000000 Restored:2:3@70000000 "
                                  "Detected:2:3@210000000 Restored:2:3@240000000",
                                  "storms");
            NS_TEST_EXPECT_MSG_EQ(m_storm->GetFrames(), 2U, "pause frames");
            NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
            NS_TEST_EXPECT_MSG_GT(test.checks, 30U, "looks at the books");
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::PFC_STORM),
                                  GetStormDrops(),
                                  "nowhere else");
            NS_TEST_EXPECT_MSG_EQ(m_watchdog->GetStorms(), 2U, "storms");
        }
    }
};

/** The action forward. */
class ForwardTestCase : public RdmaTestStormCase
{
  public:
    ForwardTestCase()
        : RdmaTestStormCase("forward: the queue is sent from the detection on, and nothing is lost")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        // Pause frames come every 20 us, the last at 192 us. The storm ends after that frame.
        Build(test, MicroSeconds(200), MicroSeconds(20));
        AddWatchdog("Forward");
        QbbPortCounters::Class before;
        RdmaPs first = 0_ps;
        m_port->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) {
                if (RdmaNow() > 30 * US && first == 0_ps)
                {
                    first = RdmaNow();
                }
            }));
        AtEndOf(20 * US, [&]() { before = m_port->GetCounters().classes[3]; });
        AtEndOf(60 * US, [&]() {
            const auto now = GetCounters();
            const auto& counters = m_port->GetCounters().classes[3];
            const uint64_t frames = counters.txFrames - before.txFrames;
            NS_TEST_EXPECT_MSG_EQ(now.all.txOk, frames, "sent in the storm");
            // The port sends for 20 us at 80 ps a byte, plus the rest of a last frame and a pause
            // frame of the switch.
            const uint64_t line = counters.txBytes - before.txBytes + 20 * frames;
            NS_TEST_EXPECT_MSG_GT(line, 249'900U, "at line rate");
            NS_TEST_EXPECT_MSG_LT(line, 251'200U, "at line rate");
            NS_TEST_EXPECT_MSG_GT(now.all.rxOk, 100U, "the host's own flow");
        });
        // During the storm the port sends no pause frames, but sends the requested pause
        // afterwards.
        AtEndOf(61 * US, [&]() { m_port->GetFlowControl().RequestPause(3, true); });
        AtEndOf(229 * US, [&]() {
            NS_TEST_EXPECT_MSG_EQ(+m_port->GetFlowControl().GetPauseSender().GetWanted(),
                                  0,
                                  "no pause is sent");
            NS_TEST_EXPECT_MSG_EQ(m_port->GetFlowControl().GetPauseSender().GetXoffSent(3),
                                  0U,
                                  "none was");
        });
        AtEndOf(231 * US, [&]() {
            NS_TEST_EXPECT_MSG_EQ(+m_port->GetFlowControl().GetPauseSender().GetWanted(),
                                  8,
                                  "a pause");
            NS_TEST_EXPECT_MSG_EQ(m_port->GetFlowControl().GetPauseSender().GetXoffSent(3),
                                  1U,
                                  "sent");
            m_port->GetFlowControl().RequestPause(3, false);
        });
        test.CheckBooksEvery(7 * US);
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(first, 40 * US, "first frame after the detection");
        // The last pause frame arrives at 193.00576 us: the quiet intervals end at 210, 220 and
        // 230 us.
        NS_TEST_EXPECT_MSG_EQ(m_log, "Detected:2:3@40000000 Restored:2:3@230000000", "storm");
        NS_TEST_EXPECT_MSG_EQ(GetCounters().all.txDrop + GetCounters().all.rxDrop, 0U, "drops");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "drops anywhere");
        NS_TEST_EXPECT_MSG_EQ(test.wrong, "", "books");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }
};

/** Frames that count like pause frames in the restoration time: resumptions. */
class ResumptionTestCase : public RdmaTestStormCase
{
  public:
    ResumptionTestCase()
        : RdmaTestStormCase("a resumption in the restoration time starts it again")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        Build(test, MicroSeconds(100));
        AddWatchdog("Drop");
        // The resumption takes effect between 56 and 57 us: the quiet intervals end at 70, 80 and
        // 90 us.
        AtEndOf(55 * US, [&]() { m_host->GetFlowControl().InjectPause(8, 0); });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(m_log, "Detected:2:3@40000000 Restored:2:3@90000000", "storm");
    }
};

/** The action alert, and a watchdog without a storm, which does nothing. */
class AlertTestCase : public RdmaTestStormCase
{
  public:
    AlertTestCase()
        : RdmaTestStormCase("alert, and a watchdog with nothing to do, change nothing")
    {
    }

  private:
    void DoRun() override
    {
        std::string digest;
        for (const std::string action : {"", "Alert"})
        {
            RdmaTestFabric test;
            Build(test, MicroSeconds(100));
            if (!action.empty())
            {
                AddWatchdog(action);
            }
            test.Run();
            digest = digest.empty() ? test.GetDigest() : digest;
            NS_TEST_EXPECT_MSG_EQ(test.GetDigest(), digest, "flows");
            if (!action.empty())
            {
                // The pause runs out at 13.10576 + 335.5392 = 348.64496 us.
                NS_TEST_EXPECT_MSG_EQ(m_log,
                                      "Detected:2:3@40000000 Restored:2:3@350000000",
                                      "storm");
                NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "drops");
            }
        }
        // Without pauses the watchdog adds no event. The flow has its timer in both runs.
        uint64_t events = 0;
        for (const bool watch : {false, true})
        {
            RdmaTestFabric test;
            test.SetRetries(1_ms, 7);
            test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)),
                         {MakeTestFlow(0, 0, 2, 400'000)});
            m_sw = test.fabric->GetSwitch(3);
            if (watch)
            {
                AddWatchdog("Drop");
            }
            const uint64_t begin = Simulator::GetEventCount();
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().pauseFrames, 0U, "pauses");
            if (watch)
            {
                NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount() - begin, events, "events");
            }
            events = Simulator::GetEventCount() - begin;
        }
    }
};

/** Pauses that are no storm. */
class CongestionTestCase : public RdmaTestStormCase
{
  public:
    CongestionTestCase()
        : RdmaTestStormCase("an incast that pauses again and again is no storm")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(600'000));
        auto flows = MakeTestIncast(6, 6, 1'000'000);
        test.Install(MakeRdmaStar(7, MakeTestRates(100, 100, 1000)), flows);
        m_sw = test.fabric->GetSwitch(7);
        AddWatchdog("Drop");
        test.Run();
        NS_TEST_EXPECT_MSG_GT(test.fabric->GetTotals().pauseFrames, 20U, "pauses");
        NS_TEST_EXPECT_MSG_EQ(m_watchdog->GetStorms(), 0U, "storms");
        NS_TEST_EXPECT_MSG_EQ(m_log, "", "storms");
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "drops");
    }
};

/** The suite. */
class RdmaWatchdogTestSuite : public TestSuite
{
  public:
    RdmaWatchdogTestSuite()
        : TestSuite("rdma-watchdog")
    {
        AddTestCase(new DropTestCase);
        AddTestCase(new ForwardTestCase);
        AddTestCase(new ResumptionTestCase);
        AddTestCase(new AlertTestCase);
        AddTestCase(new CongestionTestCase);
    }
};

RdmaWatchdogTestSuite g_rdmaWatchdogTestSuite; //!< registers the suite

} // namespace
