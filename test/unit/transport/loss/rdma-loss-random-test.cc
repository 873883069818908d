/* SPDX-License-Identifier: GPL-2.0-only */

// Every way of loss recovery against a reference, over random patterns of loss, duplication and
// reordering. The environment variable RDMA_RANDOM_PATTERNS is the number of patterns in all,
// 1'000'000 by default; 20'000 and more cover all cases that the tests look for.

#include "rdma-loss-model.h"
#include "rdma-psn.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// All ways of loss recovery.
constexpr RdmaLossMode MODES[] = {RdmaLossMode::SACK,
                                  RdmaLossMode::WITHOUT_SACK,
                                  RdmaLossMode::GO_BACK_N,
                                  RdmaLossMode::GO_BACK_0};

/** \return patterns in all */
uint64_t
GetPatterns()
{
    const char* text = std::getenv("RDMA_RANDOM_PATTERNS");
    return text ? std::strtoull(text, nullptr, 10) : 1'000'000;
}

/** \param random source of random numbers \return a probability: 0, small, or large */
double
RandomProbability(std::mt19937_64& random)
{
    static constexpr double CHOICES[] = {0, 0, 0.01, 0.05, 0.2, 0.5};
    return CHOICES[random() % 6];
}

/**
 * \param random source of random numbers
 * \param mode how a lost packet is recovered
 * \return a random pattern
 */
RdmaLossPattern
RandomPattern(std::mt19937_64& random, RdmaLossMode mode)
{
    RdmaLossPattern pattern;
    pattern.seed = random();
    pattern.messages = 1 + random() % 5;
    pattern.maxPackets = 1 + random() % 12;
    pattern.initialPsn = static_cast<uint32_t>(random() % RDMA_PSN_SPACE);
    if (random() % 2)
    {
        pattern.initialPsn = RDMA_PSN_SPACE - 1 - random() % 40; // wraps within the run
    }
    pattern.maxDelay = RdmaPs(1LL << (random() % 13)); // up to 4 us, a packet takes 100 ps
    pattern.maxPause = random() % 2 ? 3_ns : 0_ps;
    pattern.postedAtOnce = random() % 2;
    pattern.rnrWait = 1_ps + random() % 5000 * 1_ps;
    pattern.loseData = RandomProbability(random);
    pattern.loseAck = RandomProbability(random);
    pattern.loseNak = RandomProbability(random);
    pattern.loseRnr = RandomProbability(random);
    pattern.duplicate = RandomProbability(random);
    pattern.reorder = random() % 2;
    pattern.receivesPosted = random() % 4;
    pattern.needsAtEnd = random() % 2;
    pattern.tellDuplicates = random() % 2;

    RdmaLossSettings& settings = pattern.settings;
    settings.mode = mode;
    static constexpr int64_t WINDOWS[] = {1, 2, 3, 5, 8, 16, 110, 1 << 20};
    settings.window = WINDOWS[random() % 8];
    settings.high = RdmaPs(1LL << (5 + random() % 12)); // 32 ps to 64 us
    settings.low = random() % 2 ? settings.high : 1_ps + settings.high / 3;
    settings.lowPackets = static_cast<int64_t>(random() % 5);
    if (random() % 3 == 0)
    {
        settings.dynamic = true;
        settings.min = 1_ps + settings.high / 2;
    }
    if (mode == RdmaLossMode::GO_BACK_N)
    {
        settings.backOff = random() % 2;
        pattern.ackInterval = 1 + random() % 5;
    }
    if (random() % 256 == 0)
    {
        // Bursts that are longer than a word of a bitmap, and than two, all in flight at a time.
        pattern.maxPackets = 300;
        pattern.postedAtOnce = true;
        pattern.maxDelay = 8192_ps;
        settings.window = random() % 4 ? 1 << 20 : 110;
        settings.high = RdmaPs(1 << 16);
        settings.low = settings.high / (1 + random() % 2);
    }
    const bool mayDouble = mode == RdmaLossMode::GO_BACK_N || mode == RdmaLossMode::GO_BACK_0;
    if (mayDouble && settings.low == settings.high && random() % 2)
    {
        settings.max = 10 * settings.high;
    }
    return pattern;
}

/**
 * \param mode how a lost packet is recovered
 * \param seed of the patterns
 * \param share one pattern in this number is run
 * \param change changes each pattern
 * \return events of the runs
 */
template <typename Change>
RdmaLossSeen
RunPatterns(RdmaLossMode mode, uint64_t seed, uint64_t share, Change change)
{
    std::mt19937_64 random(seed);
    RdmaLossSeen seen;
    for (uint64_t i = 0; i < GetPatterns() / share; ++i)
    {
        RdmaLossPattern pattern = RandomPattern(random, mode);
        change(pattern);
        RdmaLossModel model(pattern, seen);
        const std::string error = model.Run();
        EXPECT_EQ(error, "") << "pattern " << i;
        if (!error.empty())
        {
            break;
        }
    }
    return seen;
}

/** \param [in,out] pattern loses, reorders and refuses nothing after the call */
void
MakeLossless(RdmaLossPattern& pattern)
{
    pattern.loseData = 0;
    pattern.loseAck = 0;
    pattern.loseNak = 0;
    pattern.loseRnr = 0;
    pattern.reorder = false;
    pattern.receivesPosted = true;
}

/** \param [in,out] pattern has no retransmission timer after the call */
void
TakeTimerAway(RdmaLossPattern& pattern)
{
    pattern.settings.high = 0_ps;
    pattern.settings.dynamic = false;
    // A full window in which nothing asks for an acknowledgement would stand still.
    const auto window = static_cast<uint32_t>(pattern.settings.window);
    pattern.ackInterval = std::min(pattern.ackInterval, window);
}

/** \param seen events of the runs \param patterns number of runs */
void
ExpectSeen(const RdmaLossSeen& seen, uint64_t patterns)
{
    EXPECT_GT(seen.retransmissions, patterns);
    EXPECT_GT(seen.timeouts, patterns / 2);
    EXPECT_GT(seen.refused, patterns / 10);
    EXPECT_GT(seen.duplicates, patterns);
    EXPECT_GT(seen.deepest, 192U);
}

} // namespace

TEST(RdmaLossRandom, Sack)
{
    const auto seen = RunPatterns(RdmaLossMode::SACK, 301, 4, [](RdmaLossPattern&) {});
    ExpectSeen(seen, GetPatterns() / 4);
    EXPECT_GT(seen.early, GetPatterns() / 4);
    EXPECT_GT(seen.dropped, GetPatterns() / 100);
    EXPECT_EQ(seen.gaps, 0U);
}

TEST(RdmaLossRandom, ByThePapersWords)
{
    for (const auto mode : {RdmaLossMode::SACK, RdmaLossMode::WITHOUT_SACK})
    {
        const auto seen = RunPatterns(mode, 307, 8, [](RdmaLossPattern& pattern) {
            pattern.settings.paper = true;
        });
        ExpectSeen(seen, GetPatterns() / 8);
        EXPECT_GT(seen.early, GetPatterns() / 8);
    }
}

TEST(RdmaLossRandom, WithoutSack)
{
    const auto seen = RunPatterns(RdmaLossMode::WITHOUT_SACK, 302, 4, [](RdmaLossPattern&) {});
    ExpectSeen(seen, GetPatterns() / 4);
    EXPECT_GT(seen.early, GetPatterns() / 4);
    EXPECT_GT(seen.dropped, GetPatterns() / 100);
    EXPECT_EQ(seen.gaps, 0U);
}

TEST(RdmaLossRandom, GoBackN)
{
    const auto seen = RunPatterns(RdmaLossMode::GO_BACK_N, 303, 4, [](RdmaLossPattern&) {});
    ExpectSeen(seen, GetPatterns() / 4);
    EXPECT_GT(seen.gaps, GetPatterns() / 10);
    EXPECT_EQ(seen.early, 0U);
}

TEST(RdmaLossRandom, GoBack0)
{
    // A message that takes longer than the timeout, or is hit by a loss or overtakes itself at each
    // attempt, never gets through, and rightly so: messages are shorter and timeouts longer.
    const auto seen = RunPatterns(RdmaLossMode::GO_BACK_0, 304, 4, [](RdmaLossPattern& pattern) {
        pattern.maxPackets = std::min(pattern.maxPackets, pattern.reorder ? 4U : 300U);
        const bool isLong = pattern.maxPackets > 12;
        pattern.loseData = std::min(pattern.loseData, isLong ? 0.01 : 0.2);
        for (double* lose : {&pattern.loseAck, &pattern.loseNak, &pattern.loseRnr})
        {
            *lose = std::min(*lose, isLong ? 0.01 : 0.2);
        }
        RdmaLossSettings& settings = pattern.settings;
        const bool twoStages = settings.low < settings.high;
        settings.high = 4 * pattern.maxDelay + 2 * pattern.maxPause + 1_ns;
        settings.low = settings.high - (twoStages ? settings.high / 8 : 0_ps);
        settings.min = settings.low;
        settings.max = settings.max > 0_ps ? 4 * settings.high : 0_ps;
    });
    ExpectSeen(seen, GetPatterns() / 4);
    EXPECT_GT(seen.gaps, GetPatterns() / 10);
    EXPECT_GT(seen.restarts, GetPatterns() / 10);
    EXPECT_EQ(seen.early, 0U);
}

TEST(RdmaLossRandom, LosslessInOrderWithoutTimer)
{
    // Without losses and reordering nothing is sent again, whatever the delays and however often a
    // packet arrives.
    for (const auto mode : MODES)
    {
        const auto seen = RunPatterns(mode, 305, 40, [](RdmaLossPattern& pattern) {
            MakeLossless(pattern);
            TakeTimerAway(pattern);
        });
        EXPECT_EQ(seen.retransmissions, 0U);
        EXPECT_EQ(seen.timeouts, 0U);
        EXPECT_EQ(seen.early + seen.gaps + seen.refused, 0U);
        EXPECT_GT(seen.duplicates, GetPatterns() / 40);
    }
}

TEST(RdmaLossRandom, LosslessInOrderWithLongTimer)
{
    // With a timer that is longer than the run can take, the timer never expires.
    for (const auto mode : MODES)
    {
        const auto seen = RunPatterns(mode, 308, 80, [](RdmaLossPattern& pattern) {
            MakeLossless(pattern);
            TakeTimerAway(pattern);
            pattern.settings.high = 1_ms;
            pattern.settings.low = pattern.settings.high;
            pattern.settings.max = 0_ps;
        });
        EXPECT_EQ(seen.retransmissions, 0U);
        EXPECT_EQ(seen.timeouts, 0U);
    }
}

TEST(RdmaLossRandom, RefusedInOrderWithoutTimer)
{
    // Nothing is lost but receive requests come late: RNR NAKs alone bring every run to its end.
    for (const auto mode : MODES)
    {
        const auto seen = RunPatterns(mode, 309, 40, [](RdmaLossPattern& pattern) {
            MakeLossless(pattern);
            TakeTimerAway(pattern);
            pattern.receivesPosted = false;
        });
        EXPECT_GT(seen.refused, GetPatterns() / 80);
        EXPECT_EQ(seen.gaps, 0U); // a packet after a refused one is no gap
        EXPECT_EQ(seen.timeouts, 0U);
    }
}

TEST(RdmaLossRandom, OneLossInOrderWithoutTimer)
{
    // A packet is lost and another one follows it: the NAK alone brings the run to its end.
    for (const auto mode : {RdmaLossMode::GO_BACK_N, RdmaLossMode::GO_BACK_0})
    {
        const auto seen = RunPatterns(mode, 310, 40, [](RdmaLossPattern& pattern) {
            MakeLossless(pattern);
            pattern.loseOne = true;
            TakeTimerAway(pattern);
            // Behind a packet that asks for an acknowledgement, one more has to fit in the window.
            pattern.settings.window = std::max<int64_t>(pattern.settings.window, 6);
            pattern.settings.backOff = false;
        });
        EXPECT_GT(seen.lostOnes, GetPatterns() / 80);
        EXPECT_GE(seen.retransmissions, seen.lostOnes);
        EXPECT_EQ(seen.gaps, seen.lostOnes) << "a gap is told of once";
        EXPECT_EQ(seen.timeouts, 0U);
    }
}

TEST(RdmaLossRandom, ReorderedWithoutTimer)
{
    // Packets and answers overtake each other, none is lost: selective recovery ends without a
    // timer, although late packets are retransmitted in vain.
    for (const auto mode : {RdmaLossMode::SACK, RdmaLossMode::WITHOUT_SACK})
    {
        const auto seen = RunPatterns(mode, 306, 40, [](RdmaLossPattern& pattern) {
            MakeLossless(pattern);
            TakeTimerAway(pattern);
            pattern.reorder = true;
        });
        EXPECT_EQ(seen.timeouts, 0U);
        EXPECT_GT(seen.early, GetPatterns() / 40);
    }
}
