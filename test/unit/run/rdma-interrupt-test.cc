/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-interrupt.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace ns3;

namespace
{

/** Waits until a variable has a value; a test that waits for ever is ended by its time limit. */
void
WaitFor(const std::atomic<int>& variable, int value)
{
    while (variable != value)
    {
        usleep(1000);
    }
}

} // namespace

TEST(RdmaInterrupt, CatchesEachSignal)
{
    for (const int signal : {SIGINT, SIGTERM})
    {
        std::atomic<int> calls{0};
        const RdmaInterrupt interrupt([&calls] { ++calls; });
        EXPECT_EQ(RdmaInterrupt::GetSignal(), 0);
        raise(signal);
        EXPECT_EQ(RdmaInterrupt::GetSignal(), signal);
        WaitFor(calls, 1);
    }
    EXPECT_EQ(RdmaInterrupt::GetSignal(), 0) << "no object";
    EXPECT_EQ(RdmaInterrupt::GetName(SIGINT), "SIGINT");
    EXPECT_EQ(RdmaInterrupt::GetName(SIGTERM), "SIGTERM");
}

TEST(RdmaInterrupt, CallsNothingWithoutASignal)
{
    std::atomic<int> calls{0};
    {
        const RdmaInterrupt interrupt([&calls] { ++calls; });
    }
    EXPECT_EQ(calls, 0);
}

TEST(RdmaInterruptDeathTest, ASecondSignalEndsTheProgram)
{
    for (const int second : {SIGINT, SIGTERM})
    {
        EXPECT_EXIT(
            {
                const RdmaInterrupt interrupt;
                raise(SIGINT);
                raise(second);
            },
            testing::KilledBySignal(second),
            "");
    }
}

TEST(RdmaInterruptDeathTest, AfterTheObjectASignalEndsTheProgram)
{
    EXPECT_EXIT(
        {
            {
                const RdmaInterrupt interrupt;
            }
            raise(SIGTERM);
        },
        testing::KilledBySignal(SIGTERM),
        "");
}

TEST(RdmaInterrupt, AnIgnoredSignalStaysIgnored)
{
    const auto before = std::signal(SIGINT, SIG_IGN);
    {
        const RdmaInterrupt interrupt;
        raise(SIGINT);
        EXPECT_EQ(RdmaInterrupt::GetSignal(), 0);
        raise(SIGTERM);
        EXPECT_EQ(RdmaInterrupt::GetSignal(), SIGTERM);
    }
    EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}
