/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-ideal-fct.h"
#include "rdma-int128.h"
#include "rdma-test-units.h"
#include "rdma-units.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>

using namespace ns3;

namespace
{

constexpr uint64_t PS_PER_BYTE_AT_1BPS = 8'000'000'000'000;
constexpr uint32_t ROCE_HEADER = 62; // 14 + 20 + 8 + 12, ICRC 4, FCS 4

/// Frame by frame; a port's end of occupancy is a whole number of 1/rate ps.
RdmaPs
GetBruteForce(const std::vector<RdmaIdealHop>& path,
              const RdmaIdealFrames& frames,
              const RdmaLineOverhead& overhead)
{
    std::vector<RdmaInt128> free(path.size(), 0);
    RdmaInt128 arrival = 0;
    for (uint64_t i = 0; i < frames.count; ++i)
    {
        RdmaInt128 bytes = frames.middleBytes;
        if (i + 1 == frames.count)
        {
            bytes = frames.lastBytes;
        }
        else if (i == 0)
        {
            bytes = frames.firstBytes;
        }
        arrival = 0;
        for (std::size_t h = 0; h < path.size(); ++h)
        {
            const RdmaInt128 rate = path[h].rate.Get();
            const RdmaInt128 start = arrival > free[h] / rate ? arrival * rate : free[h];
            const RdmaInt128 end = start + (overhead.preambleBytes + bytes) * PS_PER_BYTE_AT_1BPS;
            arrival = end / rate + path[h].delay.Get();
            free[h] = end + overhead.gapBytes * RdmaInt128{PS_PER_BYTE_AT_1BPS};
        }
    }
    return RdmaPs(static_cast<int64_t>(arrival));
}

/// A random path, frames and overhead; rates are drawn from \p rates.
void
CompareRandomCases(const std::vector<RdmaBitRate>& rates,
                   int cases,
                   unsigned seed,
                   uint64_t mostFrames = 60)
{
    std::mt19937_64 random(seed);
    const auto draw = [&random](uint64_t min, uint64_t max) {
        return min + random() % (max - min + 1);
    };
    for (int i = 0; i < cases; ++i)
    {
        std::vector<RdmaIdealHop> path(draw(1, 8));
        for (auto& hop : path)
        {
            hop.rate = rates[draw(0, rates.size() - 1)];
            hop.delay = draw(0, 1) * draw(0, 5'000'000) * 1_ps;
        }
        RdmaIdealFrames frames;
        frames.count = draw(1, draw(1, mostFrames));
        frames.firstBytes = static_cast<uint32_t>(draw(1, 2000));
        frames.middleBytes = static_cast<uint32_t>(draw(1, 2000));
        frames.lastBytes = static_cast<uint32_t>(draw(1, 2000));
        RdmaLineOverhead overhead;
        if (draw(0, 1) == 0)
        {
            overhead.preambleBytes = static_cast<uint32_t>(draw(0, 20));
            overhead.gapBytes = static_cast<uint32_t>(draw(0, 20));
        }
        ASSERT_EQ(GetRdmaIdealFct(path, frames, overhead), GetBruteForce(path, frames, overhead))
            << "case " << i;
    }
}

} // namespace

TEST(RdmaIdealFct, Frames)
{
    const auto expect = [](const RdmaIdealFrames& frames,
                           uint64_t count,
                           uint32_t first,
                           uint32_t middle,
                           uint32_t last) {
        EXPECT_EQ(frames.count, count);
        EXPECT_EQ(frames.firstBytes, first);
        EXPECT_EQ(frames.middleBytes, middle);
        EXPECT_EQ(frames.lastBytes, last);
    };
    expect(MakeRdmaIdealFrames(1, 1000, ROCE_HEADER), 1, 0, 0, 66);
    expect(MakeRdmaIdealFrames(1000, 1000, ROCE_HEADER), 1, 0, 0, 1062);
    expect(MakeRdmaIdealFrames(1001, 1000, ROCE_HEADER), 2, 1062, 0, 66);
    expect(MakeRdmaIdealFrames(2001, 1000, ROCE_HEADER), 3, 1062, 1062, 66);
    expect(MakeRdmaIdealFrames(10'000'000, 1000, ROCE_HEADER), 10'000, 1062, 1062, 1062);
    // A WRITE with immediate: RETH in the first packet, the data in the last, both in an only one.
    expect(MakeRdmaIdealFrames(999, 1000, ROCE_HEADER, 16, 4), 1, 0, 0, 62 + 1000 + 20);
    expect(MakeRdmaIdealFrames(2500, 1000, ROCE_HEADER, 16, 4), 3, 1078, 1062, 566);
    // Ethernet's minimum, and a flow beyond 32 bits.
    expect(MakeRdmaIdealFrames(1, 1000, 20), 1, 0, 0, 64);
    // TCP over IPv4 does not pad: 14 + 20 + 20 + 4 bytes of headers and FCS.
    expect(MakeRdmaIdealFrames(1007, 1000, 58, 0, 0, 1), 2, 1058, 0, 65);
    expect(MakeRdmaIdealFrames(6, 1000, 58, 0, 0, 1), 1, 0, 0, 64);
    expect(MakeRdmaIdealFrames(uint64_t{1} << 40, 4096, ROCE_HEADER), 1 << 28, 4158, 4158, 4158);
    EXPECT_THROW(MakeRdmaIdealFrames(0, 1000, 62), std::invalid_argument);
    EXPECT_THROW(MakeRdmaIdealFrames(1, 0, 62), std::invalid_argument);
    EXPECT_THROW(MakeRdmaIdealFrames(1, 65537, 62), std::invalid_argument);
    EXPECT_THROW(MakeRdmaIdealFrames(1, 1000, 62, 0, 0, 0), std::invalid_argument);
    EXPECT_THROW(MakeRdmaIdealFrames(1, 1000, 62, 0, 0, 65), std::invalid_argument);
}

TEST(RdmaIdealFct, ByHand)
{
    // 100 Gb/s: 80 ps a byte; 1 us a link.
    const std::vector<RdmaIdealHop> two(2, {100 * GBPS, 1_us});
    const std::vector<RdmaIdealHop> six(6, {100 * GBPS, 1_us});
    const auto send = [](uint64_t bytes) { return MakeRdmaIdealFrames(bytes, 1000, ROCE_HEADER); };
    // One frame: preamble and frame on each link.
    EXPECT_EQ(GetRdmaIdealFct(two, send(1)), 2 * (74 * 80_ps + 1_us));
    EXPECT_EQ(GetRdmaIdealFct(six, send(1)), 6 * (74 * 80_ps + 1_us));
    EXPECT_EQ(GetRdmaIdealFct(six, send(1000)), 6 * (1070 * 80_ps + 1_us));
    // A long and a short frame: the short one waits behind the long one at every link.
    EXPECT_EQ(GetRdmaIdealFct(two, send(1001)), (1070 + 1082 + 74) * 80_ps + 2_us);
    EXPECT_EQ(GetRdmaIdealFct(six, send(1001)), (5 * 1070 + 1082 + 74) * 80_ps + 6_us);
    // 10^4 equal frames: all but the last occupy the first link, the last one crosses.
    EXPECT_EQ(GetRdmaIdealFct(two, send(10'000'000)), (9999 * 1082 + 2 * 1070) * 80_ps + 2_us);
    EXPECT_EQ(GetRdmaIdealFct(six, send(10'000'000)), (9999 * 1082 + 6 * 1070) * 80_ps + 6_us);
    // The 16 bytes of the RETH delay all frames behind them at each link.
    EXPECT_EQ(GetRdmaIdealFct(two, MakeRdmaIdealFrames(10'000'000, 1000, ROCE_HEADER, 16)),
              (1086 + 1098 + 9998 * 1082 + 1070) * 80_ps + 2_us);
    // A slow link in the middle takes all frames; the first one has to get there.
    const std::vector<RdmaIdealHop> slow{{400 * GBPS, 1_ns}, {10 * GBPS, 2_ns}, {400 * GBPS, 3_ns}};
    EXPECT_EQ(GetRdmaIdealFct(slow, send(5000)),
              1070 * 20_ps + 1_ns + 4 * 1082 * 800_ps + 1070 * 800_ps + 2_ns + 1070 * 20_ps + 3_ns);
    // Without preamble and gap.
    EXPECT_EQ(GetRdmaIdealFct(two, send(10'000'000), {0, 0}), (10'001 * 1062) * 80_ps + 2_us);
}

TEST(RdmaIdealFct, FractionsByHand)
{
    // 3 Gb/s: 8000/3 ps a byte. A frame of 10 bytes with 1 byte before and 0 after: 29333 1/3 ps;
    // back to back, three of them take 88000 ps exactly.
    const RdmaLineOverhead overhead{1, 0};
    EXPECT_EQ(GetRdmaIdealFct({{3 * GBPS, 5_ps}}, {1, 0, 0, 10}, overhead), 29'333_ps + 5_ps);
    EXPECT_EQ(GetRdmaIdealFct({{3 * GBPS, 5_ps}}, {2, 10, 0, 10}, overhead), 58'666_ps + 5_ps);
    EXPECT_EQ(GetRdmaIdealFct({{3 * GBPS, 5_ps}}, {3, 10, 10, 10}, overhead), 88'000_ps + 5_ps);
}

TEST(RdmaIdealFct, ClosedFormEqualsBruteForce)
{
    CompareRandomCases({GBPS, 10 * GBPS, 25 * GBPS, 40 * GBPS, 100 * GBPS, 400 * GBPS, 800 * GBPS},
                       20'000,
                       1);
    CompareRandomCases({8'000 * GBPS, 1'000 * GBPS, 1'000_bps}, 2'000, 2);
}

TEST(RdmaIdealFct, RecursionEqualsBruteForce)
{
    CompareRandomCases(
        {3 * GBPS, 7 * GBPS, 100 * GBPS, 97'656'250'001_bps, 7'999'999'999'999_bps, 12'345_bps},
        20'000,
        3);
}

// Long flows at rates of public topologies: whole periods of frames are skipped.
TEST(RdmaIdealFct, SkippedPeriodsEqualBruteForce)
{
    CompareRandomCases({75 * GBPS,
                        146 * GBPS,
                        202 * GBPS,
                        1481 * GBPS,
                        2400 * GBPS,
                        100 * GBPS,
                        74'999'000'000_bps,
                        97'656'250'001_bps},
                       400,
                       4,
                       20'000);
    CompareRandomCases({75 * GBPS, 3 * GBPS, 7 * GBPS}, 300, 5, 20'000);
}

TEST(RdmaIdealFct, LargeFlowAtAnOddRate)
{
    // 2^40 bytes at 75 Gb/s: a byte takes 8/75 ns, and only the last instant is rounded down.
    const auto frames = MakeRdmaIdealFrames(uint64_t{1} << 40, 4096, ROCE_HEADER);
    const RdmaInt128 bytes = RdmaInt128{(1 << 28) - 1} * 4178 + 4166;
    EXPECT_EQ(GetRdmaIdealFct({{75 * GBPS, 1_ns}}, frames),
              static_cast<int64_t>(bytes * 8000 / 75) * 1_ps + 1_ns);
}

TEST(RdmaIdealFct, LargeFlow)
{
    // 2^40 bytes: 2^28 frames of 4096 bytes at 800 Gb/s, 10 ps a byte.
    const auto frames = MakeRdmaIdealFrames(uint64_t{1} << 40, 4096, ROCE_HEADER);
    EXPECT_EQ(GetRdmaIdealFct({{800 * GBPS, 1_ns}, {800 * GBPS, 1_ns}}, frames),
              (int64_t{(1 << 28) - 1} * 4178 + 2 * 4166) * 10_ps + 2_ns);
}

TEST(RdmaIdealFct, Errors)
{
    const auto expect = [](const std::vector<RdmaIdealHop>& path,
                           const RdmaIdealFrames& frames,
                           const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { GetRdmaIdealFct(path, frames); },
                                           {problem, "accepted"});
    };
    const RdmaIdealHop hop{GBPS, 1_ps};
    const RdmaIdealFrames one{1, 0, 0, 64};
    expect({}, one, "links of the path: 0");
    expect({{0_bps, 1_ps}}, one, "rate in bit/s: 0");
    expect({{RDMA_MAX_RATE + 1_bps, 1_ps}}, one, "rate in bit/s");
    expect({{GBPS, -1_ps}}, one, "delay in ps");
    expect({{GBPS, RDMA_MAX_DELAY + 1_ps}}, one, "delay in ps");
    expect({hop}, {0, 0, 0, 64}, "number of frames: 0");
    expect({hop}, {1, 0, 0, 0}, "last frame: 0");
    expect({hop}, {2, 0, 0, 64}, "first frame: 0");
    expect({hop}, {3, 64, 0, 64}, "middle frame: 0");
    expect({hop}, {3, 64, 64, 2'000'000}, "last frame: 2000000");
    expect({hop}, {RDMA_MAX_FLOW_BYTES, 1'000, 1'000, 64}, "too long");
    expect({{1_bps, 1_ps}}, {RDMA_MAX_FLOW_BYTES, 1 << 20, 1 << 20, 1 << 20}, "too long");
    expect({{3_bps, 1_ps}}, {1, 0, 0, 1 << 20}, "too long");
    ExpectError<std::invalid_argument>(
        [&] {
            GetRdmaIdealFct({hop}, one, {1025, 12});
        },
        {"preamble bytes: 1025"});
}
