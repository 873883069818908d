/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-time.h"
#include "rdma-window-plan.h"

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Steps of a parallel run, derived from the reports of two groups.
 */

using namespace ns3;

namespace
{

using Action = RdmaWindowPlan::Action;

constexpr uint32_t PARTS = 2;        // steps in a lookahead
constexpr uint64_t MANY = 1'000'000; // events before a pause

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

TEST(RdmaWindowPlan, FirstWindowEndsAfterHalfOfTheLookahead)
{
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(MakeReports(), 0, 2_us, PARTS, MANY);
    EXPECT_EQ(plan.action, Action::WINDOW);
    EXPECT_EQ(plan.limit.m_ts, EventAt(22_us).m_ts);
    EXPECT_EQ(plan.limit0.m_ts, EventAt(22_us).m_ts);
}

TEST(RdmaWindowPlan, NextWindowEndsAfterTheLookahead)
{
    // The reports do not include the end of the last window: 22 us, 22.5 us or before 21 us.
    const auto getEnd = [](RdmaPs last) {
        const uint64_t end = EventAt(last).m_ts;
        return RdmaWindowPlan::Make(MakeReports(), end, 2_us, PARTS, MANY).limit.m_ts;
    };
    EXPECT_EQ(getEnd(22_us), EventAt(23_us).m_ts);
    EXPECT_EQ(getEnd(22500_ns), EventAt(23_us).m_ts);
    EXPECT_EQ(getEnd(5_us), EventAt(22_us).m_ts);
}

TEST(RdmaWindowPlan, WindowEndsAtTheGrid)
{
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(MakeReports(), 0, 50_us, PARTS, MANY);
    EXPECT_EQ(plan.limit.m_ts, EventAt(30_us).m_ts);
    EXPECT_EQ(RdmaWindowPlan::GetNextOfGrid(RdmaEventTime(21_us, 0)), 30_us);
    EXPECT_EQ(RdmaWindowPlan::GetNextOfGrid(RdmaEventTime(30_us, 0)), 40_us);
}

TEST(RdmaWindowPlan, WindowEndsBeforeAnEventWithoutANode)
{
    RdmaWindowReports reports = MakeReports();
    reports.global = EventAt(22_us);
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(reports, 0, 50_us, PARTS, MANY);
    EXPECT_EQ(plan.action, Action::WINDOW);
    EXPECT_EQ(plan.limit.m_ts, EventAt(22_us).m_ts);
    EXPECT_EQ(plan.limit.m_uid, 0U);
    EXPECT_EQ(plan.limit0.m_uid, 7U); // group 0 shares uids with events without a node
}

TEST(RdmaWindowPlan, NewEventWithoutANodeRunsWhenItsTimeHasCome)
{
    RdmaWindowReports reports = MakeReports();
    reports.groups[1].added = EventAt(20_us).m_ts;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 0, 2_us, PARTS, MANY).action, Action::REST);
}

TEST(RdmaWindowPlan, NotesAndInterruptionsComeBeforeWindows)
{
    RdmaWindowReports reports = MakeReports();
    reports.groups[1].noted = true;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 0, 2_us, PARTS, MANY).action, Action::REST);
    reports = MakeReports();
    reports.interrupted = true;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 0, 2_us, PARTS, MANY).action, Action::REST);
}

TEST(RdmaWindowPlan, RunPausesAfterANumberOfEvents)
{
    RdmaWindowReports reports = MakeReports();
    reports.groups[0].count = 60;
    reports.groups[1].count = 40;
    EXPECT_EQ(RdmaWindowPlan::Make(reports, 0, 2_us, PARTS, 101).action, Action::WINDOW);
    const RdmaWindowPlan plan = RdmaWindowPlan::Make(reports, 0, 2_us, PARTS, 100);
    EXPECT_EQ(plan.action, Action::END);
    EXPECT_TRUE(plan.pauses);
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
        const RdmaWindowPlan plan = RdmaWindowPlan::Make(reports, 0, 2_us, PARTS, MANY);
        EXPECT_EQ(plan.action, Action::END);
        EXPECT_FALSE(plan.pauses);
    }
}

} // namespace
