/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-event-time.h"
#include "qbb-window-plan.h"

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Steps of a parallel run, derived from the reports of two groups.
 */

using namespace ns3;

namespace
{

using Action = QbbWindowPlan::Action;

constexpr uint32_t PARTS = 2;        // steps in a lookahead
constexpr uint64_t MANY = 1'000'000; // events before a pause

/** \param at an instant \return key of an event of node 3 at the instant */
Scheduler::EventKey
EventAt(QbbPs at)
{
    return {static_cast<uint64_t>(QbbEventTime(at, 0).GetFs()), 7, 3};
}

/** \return reports of two groups with events at 21 us and 22 us, and no event without a node */
QbbWindowReports
MakeReports()
{
    QbbWindowReports reports;
    reports.groups.resize(2);
    reports.groups[0].next = EventAt(22_us);
    reports.groups[1].next = EventAt(21_us);
    reports.global = QbbEngine::NO_EVENT;
    return reports;
}

TEST(QbbWindowPlan, FirstWindowEndsAfterHalfOfTheLookahead)
{
    const QbbWindowPlan plan = QbbWindowPlan::Make(MakeReports(), 0, 2_us, PARTS, MANY);
    EXPECT_EQ(plan.action, Action::WINDOW);
    EXPECT_EQ(plan.limit.m_ts, EventAt(22_us).m_ts);
    EXPECT_EQ(plan.limit0.m_ts, EventAt(22_us).m_ts);
}

TEST(QbbWindowPlan, NextWindowEndsAfterTheLookahead)
{
    // The reports do not include the end of the last window: 22 us, 22.5 us or before 21 us.
    const auto getEnd = [](QbbPs last) {
        const uint64_t end = EventAt(last).m_ts;
        return QbbWindowPlan::Make(MakeReports(), end, 2_us, PARTS, MANY).limit.m_ts;
    };
    EXPECT_EQ(getEnd(22_us), EventAt(23_us).m_ts);
    EXPECT_EQ(getEnd(22500_ns), EventAt(23_us).m_ts);
    EXPECT_EQ(getEnd(5_us), EventAt(22_us).m_ts);
}

TEST(QbbWindowPlan, WindowEndsAtTheGrid)
{
    const QbbWindowPlan plan = QbbWindowPlan::Make(MakeReports(), 0, 50_us, PARTS, MANY);
    EXPECT_EQ(plan.limit.m_ts, EventAt(30_us).m_ts);
    EXPECT_EQ(QbbWindowPlan::GetNextOfGrid(QbbEventTime(21_us, 0)), 30_us);
    EXPECT_EQ(QbbWindowPlan::GetNextOfGrid(QbbEventTime(30_us, 0)), 40_us);
}

TEST(QbbWindowPlan, WindowEndsBeforeAnEventWithoutANode)
{
    QbbWindowReports reports = MakeReports();
    reports.global = EventAt(22_us);
    const QbbWindowPlan plan = QbbWindowPlan::Make(reports, 0, 50_us, PARTS, MANY);
    EXPECT_EQ(plan.action, Action::WINDOW);
    EXPECT_EQ(plan.limit.m_ts, EventAt(22_us).m_ts);
    EXPECT_EQ(plan.limit.m_uid, 0U);
    EXPECT_EQ(plan.limit0.m_uid, 7U); // group 0 shares uids with events without a node
}

TEST(QbbWindowPlan, NewEventWithoutANodeRunsWhenItsTimeHasCome)
{
    QbbWindowReports reports = MakeReports();
    reports.groups[1].added = EventAt(20_us).m_ts;
    EXPECT_EQ(QbbWindowPlan::Make(reports, 0, 2_us, PARTS, MANY).action, Action::REST);
}

TEST(QbbWindowPlan, NotesAndInterruptionsComeBeforeWindows)
{
    QbbWindowReports reports = MakeReports();
    reports.groups[1].noted = true;
    EXPECT_EQ(QbbWindowPlan::Make(reports, 0, 2_us, PARTS, MANY).action, Action::REST);
    reports = MakeReports();
    reports.interrupted = true;
    EXPECT_EQ(QbbWindowPlan::Make(reports, 0, 2_us, PARTS, MANY).action, Action::REST);
}

TEST(QbbWindowPlan, RunPausesAfterANumberOfEvents)
{
    QbbWindowReports reports = MakeReports();
    reports.groups[0].count = 60;
    reports.groups[1].count = 40;
    EXPECT_EQ(QbbWindowPlan::Make(reports, 0, 2_us, PARTS, 101).action, Action::WINDOW);
    const QbbWindowPlan plan = QbbWindowPlan::Make(reports, 0, 2_us, PARTS, 100);
    EXPECT_EQ(plan.action, Action::END);
    EXPECT_TRUE(plan.pauses);
}

TEST(QbbWindowPlan, RunEnds)
{
    QbbWindowReports stopped = MakeReports();
    stopped.stop = true;
    QbbWindowReports failed = MakeReports();
    failed.groups[0].failed = true;
    QbbWindowReports empty = MakeReports();
    empty.groups[0].next = empty.groups[1].next = QbbEngine::NO_EVENT;
    for (const QbbWindowReports& reports : {stopped, failed, empty})
    {
        const QbbWindowPlan plan = QbbWindowPlan::Make(reports, 0, 2_us, PARTS, MANY);
        EXPECT_EQ(plan.action, Action::END);
        EXPECT_FALSE(plan.pauses);
    }
}

} // namespace
