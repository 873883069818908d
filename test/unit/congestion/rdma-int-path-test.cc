/* SPDX-License-Identifier: GPL-2.0-only */

// Telemetry of two acknowledgements compared: wraps, old ones, other paths.

#include "rdma-int-path.h"
#include "rdma-test-units.h"

#include <gtest/gtest.h>
#include <optional>

using namespace ns3;

namespace
{

constexpr uint64_t TX_WRAP = uint64_t{1} << 40;
constexpr RdmaPs TIME_WRAP{int64_t{1} << 48};

RdmaIntHop
MakeHop(uint64_t txBytes, RdmaPs time, RdmaBitRate rate = 100 * GBPS, uint64_t queueBytes = 0)
{
    RdmaIntHop hop;
    hop.rate = rate;
    hop.txBytes = txBytes;
    hop.queueBytes = queueBytes;
    hop.time = time;
    return hop;
}

// The steps since the last telemetry; none if there was nothing to compare with.
std::optional<std::vector<RdmaIntStep>>
Advance(RdmaIntPath& path, RdmaPs now, const std::vector<RdmaIntHop>& hops)
{
    RdmaAckSample sample;
    sample.now = now;
    sample.hops = hops.data();
    sample.hopCount = static_cast<uint32_t>(hops.size());
    std::vector<RdmaIntStep> steps;
    if (!path.Advance(sample, [&](const RdmaIntStep& step) { steps.push_back(step); }))
    {
        EXPECT_TRUE(steps.empty());
        return {};
    }
    return steps;
}

} // namespace

TEST(RdmaIntPath, GivesWhatHappenedInBetween)
{
    RdmaIntPath path(2, RdmaIntFormat::EXACT);
    EXPECT_FALSE(
        Advance(path, 0_ps, {MakeHop(1000, 10_ps, 100 * GBPS, 7), MakeHop(0, 20_ps, GBPS, 8)}));
    const auto steps =
        Advance(path,
                US,
                {MakeHop(5000, 10_ps + US, 100 * GBPS, 9), MakeHop(80, 25_ps + US, GBPS, 4)});
    ASSERT_TRUE(steps);
    ASSERT_EQ(steps->size(), 2U);
    EXPECT_EQ(steps->at(0).rateBps, 100e9);
    EXPECT_EQ(steps->at(0).txBytes, 4000);
    EXPECT_EQ(steps->at(0).timePs, static_cast<double>(US));
    EXPECT_EQ(steps->at(0).queueBytes, 9);
    EXPECT_EQ(steps->at(0).queueBefore, 7);
    EXPECT_EQ(steps->at(1).rateBps, 1e9);
    EXPECT_EQ(steps->at(1).txBytes, 80);
    EXPECT_EQ(steps->at(1).timePs, static_cast<double>(US + 5_ps));
    EXPECT_EQ(steps->at(1).queueBytes, 4);
    EXPECT_EQ(steps->at(1).queueBefore, 8);
}

TEST(RdmaIntPath, DifferencesAreModulo)
{
    RdmaIntPath path(1, RdmaIntFormat::EXACT);
    Advance(path, 0_ps, {MakeHop(TX_WRAP - 1, TIME_WRAP - 1_ps)});
    auto steps = Advance(path, US, {MakeHop(999, US - 1_ps)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 1000);
    EXPECT_EQ(steps->at(0).timePs, static_cast<double>(US));
    // A step back over the wrap is old telemetry.
    EXPECT_FALSE(Advance(path, 2 * US, {MakeHop(TX_WRAP - 1, TIME_WRAP - 1_ps)}));
    // The old telemetry was not kept.
    steps = Advance(path, 3 * US, {MakeHop(1999, 3 * US - 1_ps)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 1000);
    EXPECT_EQ(steps->at(0).timePs, static_cast<double>(2 * US));
}

TEST(RdmaIntPath, OldOrNoTelemetryChangesNothing)
{
    RdmaIntPath path(2, RdmaIntFormat::EXACT);
    Advance(path, 0_ps, {MakeHop(100, US), MakeHop(100, US)});
    EXPECT_FALSE(Advance(path, US, {MakeHop(100, US), MakeHop(100, US)}));
    EXPECT_FALSE(Advance(path, US, {MakeHop(0, US - 1_ps), MakeHop(0, US - 1_ps)}));
    EXPECT_FALSE(Advance(path, US, {MakeHop(200, 2 * US), MakeHop(100, US)}));
    EXPECT_FALSE(Advance(path, US, {}));
    RdmaAckSample none;
    none.hopCount = 2; // but no hops
    EXPECT_FALSE(path.Advance(none, [](const RdmaIntStep&) { FAIL(); }));
    const auto steps = Advance(path, US, {MakeHop(200, US + 1_ns), MakeHop(200, US + 1_ns)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 100);
    EXPECT_EQ(steps->at(0).timePs, 1000);
}

TEST(RdmaIntPath, AnotherPathBeginsAnew)
{
    // Another number of hops, another rate, other ports with counters of their own. Hop 0 is at
    // 100 Gb/s and may have sent 12500 bytes in 1 us, and a frame of 16384.
    const std::vector<std::vector<RdmaIntHop>> paths{
        {MakeHop(100'000, 2 * US)},
        {MakeHop(100'000, 2 * US), MakeHop(100'000, 2 * US), MakeHop(0, 2 * US)},
        {MakeHop(100'000, 2 * US), MakeHop(100'000, 2 * US, 50 * GBPS)},
        {MakeHop(100'000, 2 * US), MakeHop(100'000, 2 * US, 100 * GBPS + 1000_bps)},
        {MakeHop(100'000 + 12'500 + 16'385, 2 * US), MakeHop(100'000, 2 * US)},
        {MakeHop(99'999, 2 * US), MakeHop(100'000, 2 * US)},
    };
    for (const auto& other : paths)
    {
        RdmaIntPath path(2, RdmaIntFormat::EXACT);
        Advance(path, 0_ps, {MakeHop(100'000, US), MakeHop(100'000, US)});
        EXPECT_FALSE(Advance(path, US, other));
        auto next = other;
        for (auto& hop : next)
        {
            hop.time += US;
            hop.txBytes += 6250;
        }
        const auto steps = Advance(path, 2 * US, next);
        ASSERT_TRUE(steps);
        EXPECT_EQ(steps->size(), other.size());
        EXPECT_EQ(steps->at(0).txBytes, 6250);
        EXPECT_EQ(steps->at(0).timePs, static_cast<double>(US));
    }
    // The most bytes that a port can send are no sign of another path.
    RdmaIntPath path(1, RdmaIntFormat::EXACT);
    Advance(path, 0_ps, {MakeHop(100'000, US)});
    EXPECT_TRUE(Advance(path, US, {MakeHop(100'000 + 12'500 + 16'384, 2 * US)}));
}

TEST(RdmaIntPath, AfterASecondCountersAreNotCompared)
{
    constexpr RdmaPs SECOND = 1_s;
    RdmaIntPath path(1, RdmaIntFormat::EXACT);
    Advance(path, 0_ps, {MakeHop(0, 0_ps)});
    auto steps = Advance(path, SECOND, {MakeHop(6'250'000'000, SECOND)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 6'250'000'000);
    EXPECT_FALSE(Advance(path, 2 * SECOND + 1_ps, {MakeHop(6'250'000'000, 2 * SECOND + 1_ps)}));
    // Half a wrap of the clock later, the telemetry would seem to be old.
    const RdmaPs later = 2 * SECOND + TIME_WRAP / 2 + 2_ps;
    EXPECT_FALSE(Advance(path, later, {MakeHop(0, later)}));
    steps = Advance(path, later + US, {MakeHop(1000, later + US)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 1000);
}

TEST(RdmaIntPath, FastPortsDoNotWrapWithinTheHorizon)
{
    // 4 Tb/s send 5 x 10^11 bytes in a second, less than 2^39; 5 Tb/s send more.
    RdmaIntPath path(1, RdmaIntFormat::EXACT);
    Advance(path, 0_ps, {MakeHop(TX_WRAP - 1000, TIME_WRAP - 1_ns, 4000 * GBPS)});
    const auto steps =
        Advance(path, 1_s, {MakeHop(500'000'000'000 - 1000, 1_s - 1_ns, 4000 * GBPS)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 5e11);
    EXPECT_EQ(steps->at(0).timePs, 1e12);
    RdmaIntPath faster(1, RdmaIntFormat::EXACT);
    Advance(faster, 0_ps, {MakeHop(0, 0_ps, 5000 * GBPS)});
    EXPECT_FALSE(Advance(faster, 1_s, {MakeHop(1, 1_s, 5000 * GBPS)}));
}

TEST(RdmaIntPath, PaperWrapsSooner)
{
    // 2^20 units of 128 bytes, and 2^24 ns. 100 Gb/s send half of these bytes in 5368 us.
    constexpr uint64_t TX = 128 << 20;
    constexpr RdmaPs TIME = (1 << 24) * 1_ns;
    RdmaIntPath path(1, RdmaIntFormat::PAPER);
    Advance(path, 0_ps, {MakeHop(TX - 128, TIME - 1_ns)});
    auto steps = Advance(path, US, {MakeHop(1024, US - 1_ns)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 1152);
    EXPECT_EQ(steps->at(0).timePs, static_cast<double>(US));
    EXPECT_FALSE(Advance(path, 2 * US, {MakeHop(TX - 128, TIME - 1_ns)})) << "old";
    steps = Advance(path, 5369 * US, {MakeHop(2048, 5369 * US - 1_ns)});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->at(0).txBytes, 1024);
    EXPECT_FALSE(Advance(path, 10'738 * US, {MakeHop(3072, 10'738 * US - 1_ns)})) << "too long ago";
    // At 10 Gb/s the clock sets the limit, 8388 us.
    RdmaIntPath slow(1, RdmaIntFormat::PAPER);
    Advance(slow, 0_ps, {MakeHop(0, 0_ps, 10 * GBPS)});
    EXPECT_TRUE(Advance(slow, 8388 * US, {MakeHop(128, 8388 * US, 10 * GBPS)}));
    EXPECT_FALSE(Advance(slow, 16'777 * US, {MakeHop(256, 16'777 * US % TIME, 10 * GBPS)}));
}

TEST(RdmaIntPath, MemoryFollowsItsLength)
{
    EXPECT_EQ(RdmaIntPath(1, RdmaIntFormat::EXACT).GetMemory(), 0U); // no switch
    EXPECT_EQ(RdmaIntPath(3, RdmaIntFormat::EXACT).GetMemory(), 2 * 24U);
    EXPECT_EQ(RdmaIntPath(0, RdmaIntFormat::EXACT).GetMemory(), 16 * 24U);
    EXPECT_EQ(RdmaIntPath(17, RdmaIntFormat::EXACT).GetMemory(), 16 * 24U);
    EXPECT_EQ(RdmaIntPath(40, RdmaIntFormat::EXACT).GetMemory(), 16 * 24U);
    RdmaIntPath path(3, RdmaIntFormat::EXACT);
    Advance(path, 0_ps, {MakeHop(0, 0_ps), MakeHop(0, 0_ps)});
    EXPECT_EQ(path.GetMemory(), 2 * 24U);
}
