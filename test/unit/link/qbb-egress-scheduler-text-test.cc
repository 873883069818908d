/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-egress-scheduler.h"
#include "rdma-expect-error.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

TEST(QbbEgressSchedulerText, Text)
{
    EXPECT_EQ(QbbEgressScheduler().ToText(),
              "strict,strict,strict,strict,strict,strict,strict,strict");
    EXPECT_EQ(QbbEgressScheduler::FromText("strict").ToText(), QbbEgressScheduler().ToText());
    EXPECT_EQ(QbbEgressScheduler::FromText("7").ToText(), "7,7,7,7,7,7,7,7");
    const std::string mix = "1,1000,strict,2,strict,10,1,strict";
    EXPECT_EQ(QbbEgressScheduler::FromText(mix).ToText(), mix);
    auto scheduler = QbbEgressScheduler::FromText(mix);
    scheduler.SetStrict(0);
    scheduler.SetWeight(7, 5);
    EXPECT_EQ(scheduler.ToText(), "strict,1000,strict,2,strict,10,1,5");
}

TEST(QbbEgressSchedulerTextDeathTest, Text)
{
    const std::string count = "accepted: one entry, or eight separated by commas";
    for (const char* text : {"",
                             ",",
                             "1,1",
                             "1,1,1,1,1,1,1",
                             "1,1,1,1,1,1,1,1,", //
                             "1,1,1,1,1,1,1,1,1"})
    {
        ExpectRefusal([&] { QbbEgressScheduler::FromText(text); }, count);
    }
    const std::string entry = "accepted: \"strict\" or a weight 1..1000";
    for (const char* text : {"0",
                             "1001",
                             "-1",
                             " 1",
                             "1 ",
                             "1.5",
                             "Strict",
                             "strict ",
                             "0x10",
                             "99999999999999999999"})
    {
        ExpectRefusal([&] { QbbEgressScheduler::FromText(text); }, entry);
    }
    ExpectRefusal([&] { QbbEgressScheduler::FromText("1,1,1,,1,1,1,1"); },
                  "class 3 has \"\"; accepted");
    ExpectRefusal([&] { QbbEgressScheduler::FromText("1,1,1,1,1,1,1,no"); },
                  "class 7 has \"no\"; accepted");
}

TEST(QbbEgressSchedulerTextDeathTest, Setters)
{
    QbbEgressScheduler scheduler;
    EXPECT_DEATH(scheduler.SetStrict(8), "class 8; accepted: 0..7");
    EXPECT_DEATH(scheduler.SetWeight(8, 1), "class 8; accepted: 0..7");
    EXPECT_DEATH(scheduler.SetWeight(2, 0), "weight 0 of class 2; accepted: 1..1000");
    EXPECT_DEATH(scheduler.SetWeight(2, 1001), "weight 1001 of class 2; accepted: 1..1000");
}
