/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-time.h"
#include "rdma-window-plan.h"

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Steps of a run in groups, derived from the reports of two groups.
 */

using namespace ns3;

namespace
{

using Action = RdmaWindowPlan::Action;

const RdmaPauseRules NO_PAUSE; // the run goes on to its end

/** \param at an instant \return key of an event of node 3 at the instant */
Scheduler::EventKey
EventAt(RdmaPs at)
{
    return {static_cast<uint64_t>(RdmaEventTime(at, 0).GetFs()), 7, 3};
}

/** \return reports of two groups with events at 21 us and 22 us, and no event without a node */
RdmaWindowReports
MakeReports()
{
    RdmaWindowReports reports;
    reports.groups.resize(2);
    reports.groups[0].next = EventAt(22_us);
    reports.groups[1].next = EventAt(21_us);
    reports.global = RdmaEngine::NO_EVENT;
    return reports;
}

TEST(RdmaWindowPlan, WindowEndsAfterTheLookahead)
{
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(MakeReports(), 2_us, NO_PAUSE);
    EXPECT_EQ(plan.action, Action::WINDOW);
    EXPECT_EQ(plan.limit.m_ts, EventAt(23_us).m_ts);
    EXPECT_EQ(plan.limit0.m_ts, EventAt(23_us).m_ts);
}

TEST(RdmaWindowPlan, WindowEndsAtTheGrid)
{
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(MakeReports(), 50_us, NO_PAUSE);
    EXPECT_EQ(plan.limit.m_ts, EventAt(30_us).m_ts);
    EXPECT_EQ(RdmaWindowPlan::GetNextOfGrid(RdmaEventTime(21_us, 0)), 30_us);
    EXPECT_EQ(RdmaWindowPlan::GetNextOfGrid(RdmaEventTime(30_us, 0)), 40_us);
}

TEST(RdmaWindowPlan, WindowEndsBeforeAnEventWithoutANode)
{
    RdmaWindowReports reports = MakeReports();
    reports.global = EventAt(22_us);
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(reports, 50_us, NO_PAUSE);
    EXPECT_EQ(plan.action, Action::WINDOW);
    EXPECT_EQ(plan.limit.m_ts, EventAt(22_us).m_ts);
    EXPECT_EQ(plan.limit.m_uid, 0U);
    EXPECT_EQ(plan.limit0.m_uid, 7U); // group 0 shares uids with events without a node
}

TEST(RdmaWindowPlan, EventWithoutANodeRunsWhenItsTimeHasCome)
{
    RdmaWindowReports reports = MakeReports();
    reports.global = EventAt(20_us);
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 2_us, NO_PAUSE).action, Action::REST);
}

TEST(RdmaWindowPlan, NotesAndInterruptionsComeBeforeWindows)
{
    RdmaWindowReports reports = MakeReports();
    reports.groups[1].noted = true;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 2_us, NO_PAUSE).action, Action::REST);
    reports = MakeReports();
    reports.interrupted = true;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 2_us, NO_PAUSE).action, Action::REST);
}

TEST(RdmaWindowPlan, RunPausesAfterANumberOfEvents)
{
    RdmaWindowReports reports = MakeReports();
    reports.groups[0].count = 60;
    reports.groups[1].count = 40;
    RdmaPauseRules rules;
    rules.events = 101;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 2_us, rules).action, Action::WINDOW);
    rules.events = 100;
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(reports, 2_us, rules);
    EXPECT_EQ(plan.action, Action::END);
    EXPECT_TRUE(plan.pauses);
    // Notes are handled before the pause.
    reports.groups[0].noted = true;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 2_us, rules).action, Action::REST);
}

TEST(RdmaWindowPlan, RunPausesIfWindowsHaveFewEvents)
{
    RdmaWindowReports reports = MakeReports();
    reports.isSparse = true;
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(reports, 2_us, NO_PAUSE);
    EXPECT_EQ(plan.action, Action::END);
    EXPECT_TRUE(plan.pauses);
}

TEST(RdmaWindowPlan, RunPausesBeforeAScriptIfAsked)
{
    RdmaPauseRules rules;
    rules.leavesScripts = true;
    RdmaWindowReports interrupted = MakeReports();
    interrupted.interrupted = true;
    EXPECT_TRUE(RdmaWindowPlan::Make(interrupted, 2_us, rules).pauses);
    RdmaWindowReports reports = MakeReports();
    reports.global = EventAt(20_us);
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 2_us, rules).action, Action::REST);
    reports.isScript = true;
    EXPECT_TRUE(RdmaWindowPlan::Make(reports, 2_us, rules).pauses);
    // The groups first reach the time of the script's event.
    reports.global = EventAt(22_us);
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 2_us, rules).action, Action::WINDOW);
}

TEST(RdmaWindowPlan, RunEnds)
{
    RdmaWindowReports stopped = MakeReports();
    stopped.stop = true;
    RdmaWindowReports failed = MakeReports();
    failed.groups[0].failed = true;
    RdmaWindowReports empty = MakeReports();
    empty.groups[0].next = empty.groups[1].next = RdmaEngine::NO_EVENT;
    for (const RdmaWindowReports& reports : {stopped, failed, empty})
    {
        const RdmaWindowPlan plan = RdmaWindowPlan::Make(reports, 2_us, NO_PAUSE);
        EXPECT_EQ(plan.action, Action::END);
        EXPECT_FALSE(plan.pauses);
    }
}

} // namespace
