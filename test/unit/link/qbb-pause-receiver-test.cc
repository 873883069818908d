/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-receiver.h"
#include "rdma-test-units.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr RdmaPs QUANTUM_100G = 5120_ps; //!< 512 bits of 10 ps

using Quanta = std::array<uint16_t, 8>;

/** \param gbps rate \return a receiver half at that rate */
QbbPauseReceiver
MakeReceiver(uint64_t gbps)
{
    QbbPauseReceiver receiver;
    receiver.SetRate(RdmaLineRate(gbps * GBPS));
    return receiver;
}

} // namespace

TEST(QbbPauseReceiver, NothingAtFirst)
{
    auto receiver = MakeReceiver(100);
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetNextExpiry(), RDMA_NEVER);
    EXPECT_EQ(receiver.Expire(1_us), 0);
    EXPECT_EQ(receiver.GetPausedTime(3, 1_us), 0_ps);
}

TEST(QbbPauseReceiver, RunsOutToThePicosecond)
{
    auto receiver = MakeReceiver(100);
    EXPECT_EQ(receiver.Apply(1000_ps, 0x08, Quanta{0, 0, 0, 2}), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x08);
    EXPECT_EQ(receiver.GetNextExpiry(), 1000_ps + 2 * QUANTUM_100G); // 11'240
    EXPECT_EQ(receiver.GetPausedTime(3, 5000_ps), 4000_ps);
    EXPECT_EQ(receiver.Expire(11'239_ps), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x08);
    EXPECT_EQ(receiver.Expire(11'240_ps), 0x08);
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetNextExpiry(), RDMA_NEVER);
    EXPECT_EQ(receiver.GetPausedTime(3, 50'000_ps), 10'240_ps);
    EXPECT_EQ(receiver.GetXoffReceived(3), 1U);
    EXPECT_EQ(receiver.GetXonReceived(3), 0U);
}

TEST(QbbPauseReceiver, LateLookCountsTheExactDuration)
{
    // Expire() runs after the end of the pause. GetPausedTime() excludes the time after that end,
    // both before and after Expire().
    auto receiver = MakeReceiver(100);
    receiver.Apply(0_ps, 0x01, Quanta{1});
    EXPECT_EQ(receiver.GetPausedTime(0, 1_us), QUANTUM_100G);
    EXPECT_EQ(receiver.Expire(2_us), 0x01);
    EXPECT_EQ(receiver.GetPausedTime(0, 3_us), QUANTUM_100G);
    // A pause that comes after the end begins a new one; the gap does not count.
    receiver.Apply(4_us, 0x01, Quanta{1});
    receiver.Apply(5_us, 0x01, Quanta{1});
    EXPECT_EQ(receiver.GetPausedTime(0, 5'001'000_ps), 2 * QUANTUM_100G + 1000_ps);
}

TEST(QbbPauseReceiver, RefreshStartsTheTimerAgain)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(0_ps, 0x02, Quanta{0, 10});
    EXPECT_EQ(receiver.GetNextExpiry(), 51'200_ps);
    // The pause ends 10 quanta from its arrival, not 10 quanta later, and may become shorter.
    EXPECT_EQ(receiver.Apply(30'000_ps, 0x02, Quanta{0, 10}), 0);
    EXPECT_EQ(receiver.GetNextExpiry(), 81'200_ps);
    EXPECT_EQ(receiver.Apply(40'000_ps, 0x02, Quanta{0, 1}), 0);
    EXPECT_EQ(receiver.GetNextExpiry(), 45'120_ps);
    EXPECT_EQ(receiver.Expire(45'120_ps), 0x02);
    EXPECT_EQ(receiver.GetPausedTime(1, 45'120_ps), 45'120_ps);
    EXPECT_EQ(receiver.GetXoffReceived(1), 3U);
}

TEST(QbbPauseReceiver, RefreshAtTheInstantOfTheEnd)
{
    // A pause that arrives as the previous one ends: no gap, and no class is reported to resume.
    auto receiver = MakeReceiver(100);
    receiver.Apply(0_ps, 0x10, Quanta{0, 0, 0, 0, 1});
    EXPECT_EQ(receiver.Apply(QUANTUM_100G, 0x10, Quanta{0, 0, 0, 0, 1}), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    EXPECT_EQ(receiver.Expire(2 * QUANTUM_100G), 0x10);
    EXPECT_EQ(receiver.GetPausedTime(4, RDMA_NEVER), 2 * QUANTUM_100G);
}

TEST(QbbPauseReceiver, ZeroQuantaResume)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(100_ps, 0x80, Quanta{0, 0, 0, 0, 0, 0, 0, 65535});
    EXPECT_EQ(receiver.Apply(733_ps, 0x80, Quanta{}), 0x80);
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetPausedTime(7, 10'000_ps), 633_ps);
    // A resumption of a class that is not paused changes nothing.
    EXPECT_EQ(receiver.Apply(800_ps, 0xff, Quanta{}), 0);
    EXPECT_EQ(receiver.GetXonReceived(7), 2U);
    EXPECT_EQ(receiver.GetXonReceived(0), 1U);
    EXPECT_EQ(receiver.GetXoffReceived(7), 1U);
}

TEST(QbbPauseReceiver, OnlyEnabledClasses)
{
    // quanta of a class whose bit is not set have no meaning, whether 0 or more
    auto receiver = MakeReceiver(100);
    receiver.Apply(0_ps, 0x05, Quanta{4, 4, 4, 4, 4, 4, 4, 4});
    EXPECT_EQ(receiver.GetPaused(), 0x05);
    receiver.Apply(10_ps, 0x04, Quanta{});
    EXPECT_EQ(receiver.GetPaused(), 0x01);
    receiver.Apply(20_ps, 0x00, Quanta{9, 9, 9, 9, 9, 9, 9, 9});
    EXPECT_EQ(receiver.GetPaused(), 0x01);
    EXPECT_EQ(receiver.GetNextExpiry(), 4 * QUANTUM_100G);
    for (uint8_t p = 0; p < 8; ++p)
    {
        EXPECT_EQ(receiver.GetXoffReceived(p), p == 0 || p == 2 ? 1U : 0U);
        EXPECT_EQ(receiver.GetXonReceived(p), p == 2 ? 1U : 0U);
    }
}

TEST(QbbPauseReceiver, ClassesRunOutOneByOne)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(0_ps, 0xff, Quanta{8, 7, 6, 5, 4, 3, 2, 1});
    EXPECT_EQ(receiver.GetPaused(), 0xff);
    for (int i = 1; i <= 8; ++i)
    {
        EXPECT_EQ(receiver.GetNextExpiry(), i * QUANTUM_100G);
        EXPECT_EQ(receiver.Expire(i * QUANTUM_100G), 1U << (8 - i));
    }
    EXPECT_EQ(receiver.GetPaused(), 0);
    // One frame that pauses a class, resumes a second one, and arrives after a third one's pause.
    receiver.Apply(100'000_ps, 0x03, Quanta{1, 100});
    EXPECT_EQ(receiver.Apply(110'000_ps, 0x06, Quanta{0, 0, 5}), 0x03);
    EXPECT_EQ(receiver.GetPaused(), 0x04);
    EXPECT_EQ(receiver.GetPausedTime(0, 110'000_ps), (8 + 1) * QUANTUM_100G);
    EXPECT_EQ(receiver.GetPausedTime(1, 110'000_ps), 7 * QUANTUM_100G + 10'000_ps);
}

TEST(QbbPauseReceiver, LengthFollowsTheRate)
{
    // the longest pause, 65535 quanta of 512 bits
    struct
    {
        uint64_t gbps;
        RdmaPs pause;
    } const cases[] = {{1, 33'553'920'000_ps},
                       {10, 3'355'392'000_ps},
                       {40, 838'848'000_ps},
                       {100, 335'539'200_ps},
                       {400, 83'884'800_ps},
                       // 3 Gb/s: 65535 is a multiple of 3, so a whole number: 33'553'920 x 1000 / 3
                       {3, 11'184'640'000_ps},
                       // 7 Gb/s: 33'553'920'000 / 7 = 4'793'417'142 6/7
                       {7, 4'793'417'142_ps}};

    for (const auto& [gbps, pause] : cases)
    {
        auto receiver = MakeReceiver(gbps);
        receiver.Apply(17_ps, 0x01, Quanta{65535});
        EXPECT_EQ(receiver.GetNextExpiry(), 17_ps + pause) << gbps;
        EXPECT_EQ(receiver.Expire(17_ps + pause - 1_ps), 0);
        EXPECT_EQ(receiver.Expire(17_ps + pause), 1);
        EXPECT_EQ(receiver.GetPausedTime(0, 18_ps + pause), pause);
    }
}

TEST(QbbPauseReceiver, ResetEndsEveryPause)
{
    auto receiver = MakeReceiver(100);
    receiver.Apply(0_ps, 0x03, Quanta{1, 1000});
    receiver.Reset(8000_ps); // the pause of class 0 ended by itself before
    EXPECT_EQ(receiver.GetPaused(), 0);
    EXPECT_EQ(receiver.GetNextExpiry(), RDMA_NEVER);
    EXPECT_EQ(receiver.GetPausedTime(0, 9000_ps), QUANTUM_100G);
    EXPECT_EQ(receiver.GetPausedTime(1, 9000_ps), 8000_ps);
}

TEST(QbbPauseReceiver, RandomAgainstAReference)
{
    // The reference: for each class the end of the present pause (or the past), and a sum of
    // paused time that is brought up to date at each step.
    std::mt19937_64 random(23);
    auto receiver = MakeReceiver(100);
    std::array<RdmaPs, 8> until{};
    std::array<RdmaPs, 8> total{};
    RdmaPs now = 0_ps;
    for (int step = 0; step < 50000; ++step)
    {
        const RdmaPs next = now + random() % (4 * QUANTUM_100G.Get()) * 1_ps;
        uint8_t pausedBefore = 0;
        for (uint8_t p = 0; p < 8; ++p)
        {
            pausedBefore |= static_cast<uint8_t>((until[p] > now) << p);
            total[p] += std::max(0_ps, std::min(next, until[p]) - now);
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
        RdmaPs nextExpiry = RDMA_NEVER;
        for (uint8_t p = 0; p < 8; ++p)
        {
            if (until[p] > now)
            {
                paused |= static_cast<uint8_t>(1U << p);
                nextExpiry = std::min(nextExpiry, until[p]);
            }
            ASSERT_EQ(receiver.GetPausedTime(p, now), total[p]);
        }
        ASSERT_EQ(receiver.GetPaused(), paused);
        ASSERT_EQ(receiver.GetNextExpiry(), nextExpiry);
        ASSERT_EQ(resumed, pausedBefore & ~paused);
    }
}

TEST(QbbPauseReceiver, ClassesThatHeedNoPause)
{
    auto receiver = MakeReceiver(100);
    const Quanta quanta{0, 0, 0, 10, 10};
    receiver.Apply(0_ps, 0x18, quanta);
    EXPECT_EQ(receiver.SetHonoured(1000_ps, 0xf7), 0x08);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    EXPECT_EQ(receiver.GetPausedTime(3, 2000_ps), 1000_ps);
    // Pause frames are counted in any case.
    EXPECT_EQ(receiver.Apply(3000_ps, 0x08, quanta), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    EXPECT_EQ(receiver.GetXoffReceived(3), 2U);
    EXPECT_EQ(receiver.SetHonoured(4000_ps, 0xff), 0);
    EXPECT_EQ(receiver.GetPaused(), 0x10);
    receiver.Apply(5000_ps, 0x08, quanta);
    EXPECT_EQ(receiver.GetPaused(), 0x18);
    EXPECT_EQ(receiver.GetNextExpiry(), 10 * QUANTUM_100G);
}
