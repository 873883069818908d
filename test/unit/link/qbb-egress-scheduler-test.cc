/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-egress-scheduler.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t QUANTUM = QbbEgressScheduler::QUANTUM_BYTES;

/** \param priorities classes \return the mask with their bits */
uint8_t
Mask(std::initializer_list<uint8_t> priorities)
{
    uint8_t mask = 0;
    for (const uint8_t p : priorities)
    {
        mask |= static_cast<uint8_t>(1U << p);
    }
    return mask;
}

/**
 * \param scheduler the scheduler
 * \param ready classes with something to send
 * \param bytes length of the frame
 * \return the class that sent one
 */
int
Send(QbbEgressScheduler& scheduler, uint8_t ready, uint32_t bytes)
{
    const uint8_t priority = scheduler.Pick(ready);
    scheduler.Charge(priority, bytes);
    return priority;
}

/**
 * \param scheduler the scheduler
 * \param ready classes with something to send
 * \param bytes length of a class's frames
 * \param n how many frames to send
 * \return the classes that sent them
 */
std::vector<int>
SendMany(QbbEgressScheduler& scheduler, uint8_t ready, const std::array<uint32_t, 8>& bytes, int n)
{
    std::vector<int> sent;
    for (int i = 0; i < n; ++i)
    {
        const uint8_t priority = scheduler.Pick(ready);
        scheduler.Charge(priority, bytes[priority]);
        sent.push_back(priority);
    }
    return sent;
}

/** \param bytes length of every class's frames \return the lengths */
std::array<uint32_t, 8>
All(uint32_t bytes)
{
    std::array<uint32_t, 8> lengths;
    lengths.fill(bytes);
    return lengths;
}

} // namespace

TEST(QbbEgressScheduler, StrictHighestFirst)
{
    QbbEgressScheduler scheduler;
    for (int ready = 1; ready < 256; ++ready)
    {
        int highest = 7;
        while (!(ready & (1 << highest)))
        {
            --highest;
        }
        // A strict class goes on for as long as it has frames, however much it has sent before.
        for (int i = 0; i < 3; ++i)
        {
            EXPECT_EQ(Send(scheduler, static_cast<uint8_t>(ready), 9000), highest);
        }
    }
}

TEST(QbbEgressScheduler, EqualWeights)
{
    // A turn of weight 1 is 2048 bytes, two frames of 1024. Class 0 is where the ring starts, so
    // its first turn counts as over.
    auto scheduler = QbbEgressScheduler::FromText("1");
    EXPECT_EQ(SendMany(scheduler, Mask({0, 1}), All(1024), 10),
              (std::vector<int>{1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(QbbEgressScheduler, OneToThree)
{
    // Turns of 2048 and 6144 bytes: one frame of 2048 and three of them.
    auto scheduler = QbbEgressScheduler::FromText("1,3,1,1,1,1,1,1");
    EXPECT_EQ(SendMany(scheduler, Mask({0, 1}), All(2048), 9),
              (std::vector<int>{1, 1, 1, 0, 1, 1, 1, 0, 1}));
}

TEST(QbbEgressScheduler, DifferentFrameSizes)
{
    // Class 0 sends 3000 bytes at a time, class 1 sends 500; the debt of a turn is paid in the
    // next.
    // - class 1: 2048 - 5 x 500 = -452; class 0: 2048 - 3000 = -952
    // - class 1: -452 + 2048 - 4 x 500 = -404; class 0: -952 + 2048 - 3000 = -1904
    // - class 1: -404 + 2048 - 4 x 500 = -356; class 0: -1904 + 2048 - 3000 = -2856
    // - class 1: -356 + 2048 - 4 x 500 = -308; class 0: -2856 + 2048 = -808, misses its turn
    // - class 1: -308 + 2048 - 4 x 500 = -260; class 0: -808 + 2048 - 3000 = -1760
    auto scheduler = QbbEgressScheduler::FromText("1");
    EXPECT_EQ(SendMany(scheduler, Mask({0, 1}), {3000, 500}, 26),
              (std::vector<int>{1, 1, 1, 1, 1,
                                0, 1, 1, 1, 1,
                                0, 1, 1, 1, 1,
                                0, //
                                1, 1, 1, 1, /* missed */ 1,
                                1, 1, 1, 0, 1}));
}

TEST(QbbEgressScheduler, WeightsInterleaveByTurns)
{
    // Three classes, weights 2, 1, 3 at 2, 4, 6: the ring goes on to the next number.
    auto scheduler = QbbEgressScheduler::FromText("1,1,2,1,1,1,3,1");
    EXPECT_EQ(SendMany(scheduler, Mask({2, 4, 6}), All(2048), 12),
              (std::vector<int>{2, 2, 4, 6, 6, 6, 2, 2, 4, 6, 6, 6}));
}

TEST(QbbEgressScheduler, StrictBeforeWeighted)
{
    // 5 and 2 are strict: 5 before 2 before the weighted ones, though 6 and 7 have higher numbers.
    // A strict frame in between leaves the turn of a weighted class as it is.
    auto scheduler = QbbEgressScheduler::FromText("1,1,strict,1,1,strict,1,1");
    EXPECT_EQ(Send(scheduler, Mask({2, 5, 6, 7}), 1000), 5);
    EXPECT_EQ(Send(scheduler, Mask({2, 6, 7}), 1000), 2);
    EXPECT_EQ(Send(scheduler, Mask({6, 7}), 1024), 6); // turn of 6: 1024 left
    EXPECT_EQ(Send(scheduler, Mask({5, 6, 7}), 9000), 5);
    EXPECT_EQ(Send(scheduler, Mask({2, 6, 7}), 9000), 2);
    EXPECT_EQ(Send(scheduler, Mask({6, 7}), 1024), 6); // the turn is used up
    EXPECT_EQ(Send(scheduler, Mask({6, 7}), 1024), 7);
}

TEST(QbbEgressScheduler, AloneSendsAllTheTime)
{
    auto scheduler = QbbEgressScheduler::FromText("1");
    for (int i = 0; i < 1000; ++i)
    {
        EXPECT_EQ(Send(scheduler, Mask({4}), 9000), 4);
    }
    // A competitor finds no debt of 9 MB: only the last frame, 2048 - 9000 = -6952, is to be paid.
    // Turns bring the credit to -4904, -2856, -808 and 1240; class 5 has a turn before each.
    std::vector<int> expected{5, 5, 5, 5, 5, 5, 5, 5, 4};
    EXPECT_EQ(SendMany(scheduler, Mask({4, 5}), All(1024), 9), expected);
}

TEST(QbbEgressScheduler, DebtStaysWithAClassThatPauses)
{
    auto scheduler = QbbEgressScheduler::FromText("1");
    EXPECT_EQ(Send(scheduler, Mask({0, 1, 2}), 9000), 1); // 2048 - 9000 = -6952
    // Paused while the others go on...
    EXPECT_EQ(SendMany(scheduler, Mask({0, 2}), All(2048), 6),
              (std::vector<int>{2, 0, 2, 0, 2, 0}));
    // ...and back: -6952 + 3 x 2048 = -808 is not enough, the fourth turn gives 1240.
    EXPECT_EQ(SendMany(scheduler, Mask({0, 1, 2}), All(2048), 9),
              (std::vector<int>{2, 0, 2, 0, 2, 0, 1, 2, 0}));
}

TEST(QbbEgressScheduler, NoCreditIsSavedWhileOthersSend)
{
    // Class 1 sends 64 bytes of its turn and stops, the others go on without it. When it is back
    // it has one turn of 2048 bytes like every class.
    auto scheduler = QbbEgressScheduler::FromText("1");
    for (int i = 0; i < 100; ++i)
    {
        while (Send(scheduler, Mask({0, 1, 2}), 64) != 1)
        {
        }
        EXPECT_NE(Send(scheduler, Mask({0, 2}), 2048), 1);
    }
    int run = 0;
    while (Send(scheduler, Mask({0, 1, 2}), 1024) != 1)
    {
    }
    do
    {
        ++run;
    } while (Send(scheduler, Mask({0, 1, 2}), 1024) == 1);
    EXPECT_EQ(run, 2);
}

TEST(QbbEgressScheduler, NoCreditIsSavedWhileAnotherIsAlone)
{
    // With only two classes, the other class is alone in between.
    auto scheduler = QbbEgressScheduler::FromText("1");
    for (int i = 0; i < 100; ++i)
    {
        while (Send(scheduler, Mask({0, 1}), 64) != 1)
        {
        }
        EXPECT_EQ(Send(scheduler, Mask({0}), 2048), 0);
    }
    int run = 0;
    while (Send(scheduler, Mask({0, 1}), 1024) != 1)
    {
    }
    do
    {
        ++run;
    } while (Send(scheduler, Mask({0, 1}), 1024) == 1);
    EXPECT_EQ(run, 2);
}

TEST(QbbEgressScheduler, SharesOfRandomFrames)
{
    // A class sends k turns of w x Q bytes, less what is left of the last one (below w x Q) or plus
    // its debt (below a frame): bytes / w lies in [(k - 1) Q, k Q + F / w]. Turns of two classes
    // differ by one at most, so their bytes / w differ by less than 2 Q + F / w.
    constexpr int64_t FRAME = 9018;
    std::mt19937_64 random(5);
    for (int pattern = 0; pattern < 50; ++pattern)
    {
        QbbEgressScheduler scheduler;
        std::array<int64_t, 8> weight{};
        for (uint8_t p = 0; p < 8; ++p)
        {
            weight[p] = 1 + static_cast<int64_t>(random() % (pattern % 2 ? 4 : 100));
            scheduler.SetWeight(p, static_cast<uint32_t>(weight[p]));
        }
        const auto ready = static_cast<uint8_t>(1 + random() % 255);
        std::array<int64_t, 8> bytes{};
        for (int i = 0; i < 5000; ++i)
        {
            const uint8_t p = scheduler.Pick(ready);
            ASSERT_TRUE(ready & (1U << p));
            const auto length = static_cast<uint32_t>(64 + random() % (FRAME - 63));
            scheduler.Charge(p, length);
            bytes[p] += length;
        }
        for (uint8_t p = 0; p < 8; ++p)
        {
            for (uint8_t q = 0; q < 8; ++q)
            {
                if ((ready & (1U << p)) && (ready & (1U << q)))
                {
                    EXPECT_LT(bytes[p] / weight[p],
                              bytes[q] / weight[q] + 2 * QUANTUM +
                                  FRAME / std::min(weight[p], weight[q]) + 1)
                        << "class " << +p << " and " << +q << " of mask " << +ready;
                }
            }
        }
    }
}

TEST(QbbEgressScheduler, AHeldClassKeepsItsTurn)
{
    // Class 0 begins a turn of 2048 bytes and is held. Class 1 goes before it on credit, and class
    // 0 goes on with its turn afterwards: 3 frames of 1000. Then class 1, which owes 2000 of its
    // 2048, has one frame, and the turn goes round.
    QbbEgressScheduler scheduler = QbbEgressScheduler::FromText("1");
    const auto send = [&](uint8_t ready, uint8_t held) {
        const uint8_t priority = scheduler.Pick(ready, held);
        scheduler.Charge(priority, 1000);
        return priority;
    };
    EXPECT_EQ(send(Mask({0, 1}), 0), 1) << "the first turn is the next class's";
    EXPECT_EQ(send(Mask({0, 1}), 0), 1);
    EXPECT_EQ(send(Mask({0, 1}), 0), 1) << "952 bytes of debt";
    EXPECT_EQ(send(Mask({1}), Mask({0})), 1) << "class 0's turn, which is held";
    EXPECT_EQ(send(Mask({1}), Mask({0})), 1);
    EXPECT_EQ(send(Mask({0, 1}), 0), 0);
    EXPECT_EQ(send(Mask({0, 1}), 0), 0);
    EXPECT_EQ(send(Mask({0, 1}), 0), 0);
}

TEST(QbbEgressScheduler, AClassThatIsHeldAtTimesHasItsShare)
{
    // Class 0 is held half of the time, at random, and can have half of the port; classes 1 and 2
    // share the rest by their weights. Class 0 gets a little less, as it saves up one turn at most
    // while it is held for several.
    for (const auto& [text, zeroth, first] : {std::tuple("1", 1 / 3.0, 1 / 3.0),
                                              std::tuple("6,2,1,1,1,1,1,1", 0.5, 1 / 3.0),
                                              std::tuple("1,2,1,1,1,1,1,1", 0.25, 0.5)})
    {
        QbbEgressScheduler scheduler = QbbEgressScheduler::FromText(text);
        std::mt19937_64 random(11);
        std::array<int64_t, 8> bytes{};
        int64_t sum = 0;
        for (int i = 0; i < 200'000; ++i)
        {
            const bool held = random() % 2;
            const auto size = static_cast<uint32_t>(64 + random() % 1455);
            const uint8_t priority =
                held ? scheduler.Pick(Mask({1, 2}), Mask({0})) : scheduler.Pick(Mask({0, 1, 2}), 0);
            scheduler.Charge(priority, size);
            bytes[priority] += size;
            sum += size;
        }
        EXPECT_NEAR(static_cast<double>(bytes[0]) / static_cast<double>(sum), zeroth, 0.02) << text;
        EXPECT_NEAR(static_cast<double>(bytes[1]) / static_cast<double>(sum), first, 0.02) << text;
    }
}

TEST(QbbEgressScheduler, AClassThatIsHeldForLongSavesUpNoMoreThanATurn)
{
    QbbEgressScheduler scheduler = QbbEgressScheduler::FromText("1");
    for (int i = 0; i < 1000; ++i)
    {
        scheduler.Charge(scheduler.Pick(Mask({1, 2}), Mask({0})), 1000);
    }
    int more = 0;
    while (scheduler.Pick(Mask({0, 1, 2}), 0) == 0)
    {
        scheduler.Charge(0, 1000);
        ASSERT_LT(++more, 100);
    }
    EXPECT_GE(more, 1);
    EXPECT_LE(more * 1000, 3 * QUANTUM) << "one turn, and the debt of the others";
}

TEST(QbbEgressScheduler, HalfForTcpBesideRdma)
{
    // Class 3 full of RDMA frames of 1086 bytes, class 1 of TCP frames of 1518, weights 1:1, a
    // strict class that takes every tenth frame: halves of what is left, to 0.1% after 10^5 frames.
    auto scheduler = QbbEgressScheduler::FromText("1,1,1,1,1,1,1,strict");
    std::array<int64_t, 8> bytes{};
    const std::array<uint32_t, 8> length{0, 1518, 0, 1086, 0, 0, 0, 64};
    for (int i = 0; i < 100000; ++i)
    {
        const uint8_t p = scheduler.Pick(i % 10 ? Mask({1, 3}) : Mask({1, 3, 7}));
        scheduler.Charge(p, length[p]);
        bytes[p] += length[p];
    }
    EXPECT_EQ(bytes[7], 10000 * 64);
    EXPECT_NEAR(static_cast<double>(bytes[1]) / static_cast<double>(bytes[1] + bytes[3]),
                0.5,
                0.001);
}

TEST(QbbEgressScheduler, WeightAfterStrictStartsFresh)
{
    // Bytes that a class sent while it was strict are no debt.
    QbbEgressScheduler scheduler;
    for (int i = 0; i < 1000; ++i)
    {
        EXPECT_EQ(Send(scheduler, Mask({1}), 1500), 1);
    }
    scheduler.SetWeight(0, 1);
    scheduler.SetWeight(1, 1);
    EXPECT_EQ(SendMany(scheduler, Mask({0, 1}), All(2048), 4), (std::vector<int>{1, 0, 1, 0}));
    scheduler.SetStrict(0);
    EXPECT_EQ(SendMany(scheduler, Mask({0, 1}), All(2048), 3), (std::vector<int>{0, 0, 0}));
}

TEST(QbbEgressScheduler, LargestWeight)
{
    // 1000 x 2048 bytes a turn: 1000 frames of 2048, then one of weight 1.
    auto scheduler = QbbEgressScheduler::FromText("1,1000,1,1,1,1,1,1");
    const auto sent = SendMany(scheduler, Mask({0, 1}), All(2048), 1002);
    EXPECT_EQ(std::count(sent.begin(), sent.end(), 1), 1001);
    EXPECT_EQ(sent[1000], 0);
}
