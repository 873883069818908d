/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-receiver.h"
#include "rdma-test-units.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr int64_t QUANTUM_100G = 5120; //!< 512 bits of 10 ps

using Quanta = std::array<uint16_t, 8>;

/** \param gbps rate \return a receiver half at that rate */
QbbPauseReceiver
MakeReceiver(uint64_t gbps)
{
    QbbPauseReceiver receiver;
    receiver.SetRate(QbbLineRate(gbps * GBPS));
    return receiver;
}

} // namespace

TEST(QbbPauseReceiver, NothingAtFirst)
{
    auto receiver = MakeReceiver(100);
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetNextExpiryPs(), QBB_NEVER);
    EXPECT_EQ(receiver.Expire(1'000'000), 0);
    EXPECT_EQ(receiver.GetPausedPs(3, 1'000'000), 0);
}

TEST(QbbPauseReceiver, RunsOutToThePicosecond)
{
    auto receiver = MakeReceiver(100);
    EXPECT_EQ(receiver.Apply(1000, 0x08, Quanta{0, 0, 0, 2}), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x08);
    EXPECT_EQ(receiver.GetNextExpiryPs(), 1000 + 2 * QUANTUM_100G); // 11'240
    EXPECT_EQ(receiver.GetPausedPs(3, 5000), 4000);
    EXPECT_EQ(receiver.Expire(11'239), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x08);
    EXPECT_EQ(receiver.Expire(11'240), 0x08);
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetNextExpiryPs(), QBB_NEVER);
    EXPECT_EQ(receiver.GetPausedPs(3, 50'000), 10'240);
    EXPECT_EQ(receiver.GetXoffReceived(3), 1U);
    EXPECT_EQ(receiver.GetXonReceived(3), 0U);
}

TEST(QbbPauseReceiver, LateLookCountsTheExactDuration)
{
    // Nobody looked at the instant of the end: neither the duration before Expire() nor the one
    // after it includes the time since.
    auto receiver = MakeReceiver(100);
    receiver.Apply(0, 0x01, Quanta{1});
    EXPECT_EQ(receiver.GetPausedPs(0, 1'000'000), QUANTUM_100G);
    EXPECT_EQ(receiver.Expire(2'000'000), 0x01);
    EXPECT_EQ(receiver.GetPausedPs(0, 3'000'000), QUANTUM_100G);
    // A pause that comes after the end begins a new one; the gap does not count.
    receiver.Apply(4'000'000, 0x01, Quanta{1});
    receiver.Apply(5'000'000, 0x01, Quanta{1});
    EXPECT_EQ(receiver.GetPausedPs(0, 5'001'000), 2 * QUANTUM_100G + 1000);
}

TEST(QbbPauseReceiver, RefreshStartsTheTimerAgain)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(0, 0x02, Quanta{0, 10});
    EXPECT_EQ(receiver.GetNextExpiryPs(), 51'200);
    // Not longer by 10 quanta but 10 quanta from now, and it may become shorter too.
    EXPECT_EQ(receiver.Apply(30'000, 0x02, Quanta{0, 10}), 0);
    EXPECT_EQ(receiver.GetNextExpiryPs(), 81'200);
    EXPECT_EQ(receiver.Apply(40'000, 0x02, Quanta{0, 1}), 0);
    EXPECT_EQ(receiver.GetNextExpiryPs(), 45'120);
    EXPECT_EQ(receiver.Expire(45'120), 0x02);
    EXPECT_EQ(receiver.GetPausedPs(1, 45'120), 45'120);
    EXPECT_EQ(receiver.GetXoffReceived(1), 3U);
}

TEST(QbbPauseReceiver, RefreshAtTheInstantOfTheEnd)
{
    // It arrives as the time runs out: no gap, and nothing is said to resume.
    auto receiver = MakeReceiver(100);
    receiver.Apply(0, 0x10, Quanta{0, 0, 0, 0, 1});
    EXPECT_EQ(receiver.Apply(QUANTUM_100G, 0x10, Quanta{0, 0, 0, 0, 1}), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    EXPECT_EQ(receiver.Expire(2 * QUANTUM_100G), 0x10);
    EXPECT_EQ(receiver.GetPausedPs(4, QBB_NEVER), 2 * QUANTUM_100G);
}

TEST(QbbPauseReceiver, ZeroQuantaResume)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(100, 0x80, Quanta{0, 0, 0, 0, 0, 0, 0, 65535});
    EXPECT_EQ(receiver.Apply(733, 0x80, Quanta{}), 0x80);
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetPausedPs(7, 10'000), 633);
    // For a class that is not paused it says nothing new.
    EXPECT_EQ(receiver.Apply(800, 0xff, Quanta{}), 0);
    EXPECT_EQ(receiver.GetXonReceived(7), 2U);
    EXPECT_EQ(receiver.GetXonReceived(0), 1U);
    EXPECT_EQ(receiver.GetXoffReceived(7), 1U);
}

TEST(QbbPauseReceiver, OnlyEnabledClasses)
{
    // quanta of a class whose bit is not set mean nothing, be they 0 or more
    auto receiver = MakeReceiver(100);
    receiver.Apply(0, 0x05, Quanta{4, 4, 4, 4, 4, 4, 4, 4});
    EXPECT_EQ(receiver.GetPaused(), 0x05);
    receiver.Apply(10, 0x04, Quanta{});
    EXPECT_EQ(receiver.GetPaused(), 0x01);
    receiver.Apply(20, 0x00, Quanta{9, 9, 9, 9, 9, 9, 9, 9});
    EXPECT_EQ(receiver.GetPaused(), 0x01);
    EXPECT_EQ(receiver.GetNextExpiryPs(), 4 * QUANTUM_100G);
    for (uint8_t p = 0; p < 8; ++p)
    {
        EXPECT_EQ(receiver.GetXoffReceived(p), p == 0 || p == 2 ? 1U : 0U);
        EXPECT_EQ(receiver.GetXonReceived(p), p == 2 ? 1U : 0U);
    }
}

TEST(QbbPauseReceiver, ClassesRunOutOneByOne)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(0, 0xff, Quanta{8, 7, 6, 5, 4, 3, 2, 1});
    EXPECT_EQ(receiver.GetPaused(), 0xff);
    for (int i = 1; i <= 8; ++i)
    {
        EXPECT_EQ(receiver.GetNextExpiryPs(), i * QUANTUM_100G);
        EXPECT_EQ(receiver.Expire(i * QUANTUM_100G), 1U << (8 - i));
    }
    EXPECT_EQ(receiver.GetPaused(), 0);
    // One frame that pauses one class, resumes a second, and comes after the end of a third.
    receiver.Apply(100'000, 0x03, Quanta{1, 100});
    EXPECT_EQ(receiver.Apply(110'000, 0x06, Quanta{0, 0, 5}), 0x03);
    EXPECT_EQ(receiver.GetPaused(), 0x04);
    EXPECT_EQ(receiver.GetPausedPs(0, 110'000), (8 + 1) * QUANTUM_100G);
    EXPECT_EQ(receiver.GetPausedPs(1, 110'000), 7 * QUANTUM_100G + 10'000);
}

TEST(QbbPauseReceiver, LengthFollowsTheRate)
{
    // the longest pause, 65535 quanta of 512 bits
    struct
    {
        uint64_t gbps;
        int64_t ps;
    } const cases[] = {{1, 33'553'920'000},
                       {10, 3'355'392'000},
                       {40, 838'848'000},
                       {100, 335'539'200},
                       {400, 83'884'800},
                       // 3 Gb/s: 65535 is a multiple of 3, so a whole number: 33'553'920 x 1000 / 3
                       {3, 11'184'640'000},
                       // 7 Gb/s: 33'553'920'000 / 7 = 4'793'417'142 6/7
                       {7, 4'793'417'142}};

    for (const auto& [gbps, ps] : cases)
    {
        auto receiver = MakeReceiver(gbps);
        receiver.Apply(17, 0x01, Quanta{65535});
        EXPECT_EQ(receiver.GetNextExpiryPs(), 17 + ps) << gbps;
        EXPECT_EQ(receiver.Expire(17 + ps - 1), 0);
        EXPECT_EQ(receiver.Expire(17 + ps), 1);
        EXPECT_EQ(receiver.GetPausedPs(0, 18 + ps), ps);
    }
}

TEST(QbbPauseReceiver, ResetEndsEveryPause)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(0, 0x03, Quanta{1, 1000});
    receiver.Reset(8000); // class 0's ended by itself before
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetNextExpiryPs(), QBB_NEVER);
    EXPECT_EQ(receiver.GetPausedPs(0, 9000), QUANTUM_100G);
    EXPECT_EQ(receiver.GetPausedPs(1, 9000), 8000);
}

TEST(QbbPauseReceiver, RandomAgainstAReference)
{
    // The reference: for each class the end of the present pause (or the past), and a sum of
    // paused time that is brought up to date at each step.
    std::mt19937_64 random(23);
    auto receiver = MakeReceiver(100);
    std::array<int64_t, 8> until{};
    std::array<int64_t, 8> total{};
    int64_t now = 0;
    for (int step = 0; step < 50000; ++step)
    {
        const int64_t next = now + static_cast<int64_t>(random() % (4 * QUANTUM_100G));
        uint8_t pausedBefore = 0;
        for (uint8_t p = 0; p < 8; ++p)
        {
            pausedBefore |= static_cast<uint8_t>((until[p] > now) << p);
            total[p] += std::max<int64_t>(0, std::min(next, until[p]) - now);
        }
        now = next;
        uint8_t resumed = 0;
        if (random() % 2)
        {
            const auto enable = static_cast<uint8_t>(random());
            Quanta quanta{};
            for (uint8_t p = 0; p < 8; ++p)
            {
                quanta[p] = static_cast<uint16_t>(random() % 4 ? random() % 8 : 0);
                if (enable & (1U << p))
                {
                    until[p] = now + quanta[p] * QUANTUM_100G;
                }
            }
            resumed = receiver.Apply(now, enable, quanta);
        }
        else
        {
            resumed = receiver.Expire(now);
        }
        uint8_t paused = 0;
        int64_t nextExpiry = QBB_NEVER;
        for (uint8_t p = 0; p < 8; ++p)
        {
            if (until[p] > now)
            {
                paused |= static_cast<uint8_t>(1U << p);
                nextExpiry = std::min(nextExpiry, until[p]);
            }
            ASSERT_EQ(receiver.GetPausedPs(p, now), total[p]);
        }
        ASSERT_EQ(receiver.GetPaused(), paused);
        ASSERT_EQ(receiver.GetNextExpiryPs(), nextExpiry);
        ASSERT_EQ(resumed, pausedBefore & ~paused);
    }
}

TEST(QbbPauseReceiver, ClassesThatHeedNoPause)
{
    auto receiver = MakeReceiver(100);
    const Quanta quanta{0, 0, 0, 10, 10};
    receiver.Apply(0, 0x18, quanta);
    EXPECT_EQ(receiver.SetHonoured(1000, 0xf7), 0x08);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    EXPECT_EQ(receiver.GetPausedPs(3, 2000), 1000);
    // Pause frames are counted all the same.
    EXPECT_EQ(receiver.Apply(3000, 0x08, quanta), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    EXPECT_EQ(receiver.GetXoffReceived(3), 2U);
    EXPECT_EQ(receiver.SetHonoured(4000, 0xff), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    receiver.Apply(5000, 0x08, quanta);
    EXPECT_EQ(receiver.GetPaused(), 0x18);
    EXPECT_EQ(receiver.GetNextExpiryPs(), 10 * QUANTUM_100G);
}
