/* SPDX-License-Identifier: GPL-2.0-only */

// CNPs where only some of a queue pair's packets are marked.

#include "rdma-notification-point.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(RdmaCnpShareTest, AnIntervalNeedsItsShareOfMarks)
{
    RdmaNotificationPoint point;
    point.interval = 10_us;
    point.share = 0.25;
    RdmaNotificationPoint::Marks marks;
    const auto notify = [&](uint64_t received, RdmaPs now) {
        return point.Notify(marks, 0, 1, received, now);
    };
    marks.Add(1_us);
    EXPECT_FALSE(notify(5, 1_us)) << "1 of 5";
    EXPECT_FALSE(marks.due);
    // The next decision is at 11 us or later: 2 of the 8 packets since are marked.
    marks.Add(9_us);
    marks.Add(10_us);
    EXPECT_FALSE(notify(12, 10_us)) << "within the interval";
    EXPECT_TRUE(notify(13, 11_us)) << "2 of 8";
    // 1 of 4, and 1 of 5.
    marks.Add(21_us);
    EXPECT_TRUE(notify(17, 21_us));
    marks.Add(31_us);
    EXPECT_FALSE(notify(22, 31_us));
}

TEST(RdmaCnpShareTest, WithoutAShareOneMarkSuffices)
{
    RdmaNotificationPoint point;
    point.interval = 10_us;
    RdmaNotificationPoint::Marks marks;
    marks.Add(1_us);
    EXPECT_TRUE(point.Notify(marks, 0, 1, 1'000'000, 1_us));
}

TEST(RdmaCnpShareTest, AQueuePairWithFewMarksLeavesTheTurnToOthers)
{
    RdmaNotificationPoint point;
    point.interval = 10_us;
    point.share = 0.5;
    point.moderation = RdmaNotificationPoint::PER_PORT;
    RdmaNotificationPoint::Marks few;
    RdmaNotificationPoint::Marks many;
    few.Add(1_us);
    EXPECT_FALSE(point.Notify(few, 0, 1, 10, 1_us));
    many.Add(2_us);
    EXPECT_TRUE(point.Notify(many, 0, 2, 1, 2_us)) << "the port has sent no CNP yet";
    many.Add(3_us);
    EXPECT_FALSE(point.Notify(many, 0, 2, 2, 3_us));
}
