/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-schedule.h"

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Collectives and messages on the ideal network, beside what other simulators print.
 */

namespace ns3
{
namespace
{

// LogGOPSim (spcl/LogGOPSim of 2023-12, run with -L 2500 -o 0 -g 0 -G 1 -S 100000000 on the output
// of its schedgen). G = 1 ns a byte is 8 Gb/s.
constexpr const char* LOGGOPS = "ideal[Delay=2500ns|Rate=8Gbps]";
constexpr uint64_t MIB = 1 << 20;

TEST(RdmaCollectiveJudges, RingAllReduceOfLogGopSim)
{
    EXPECT_EQ(RunTestCollective("all-reduce-ring", 8, MIB, LOGGOPS), 1'869'994_ns);
}

TEST(RdmaCollectiveJudges, HalvingAndDoublingOfLogGopSim)
{
    EXPECT_EQ(RunTestCollective("all-reduce-halving-doubling", 8, MIB, LOGGOPS), 1'850'002_ns);
}

TEST(RdmaCollectiveJudges, DisseminationOfLogGopSim)
{
    EXPECT_EQ(RunTestCollective("barrier", 8, 0, LOGGOPS), 7500_ns);
}

// LogGOPSim has 934 997: a message that is being received keeps the CPU busy there, for (s - 1) G,
// and the next send waits. Without that: 7 x 131 071 + 2500.
TEST(RdmaCollectiveJudges, LinearAllToAllOfLogGopSim)
{
    EXPECT_EQ(RunTestCollective("all-to-all[Steps=Pipelined|Depth=0]", 8, MIB, LOGGOPS),
              919'997_ns);
}

// Default parameters of LogGOPSim: L = 2500, o = 1500, g = 1000, G = 6 ns.
constexpr const char* DEFAULTS =
    "ideal[Delay=2500ns|SendOverhead=1500ns|ReceiveOverhead=1500ns|Gap=1000ns|Rate=1333333333bps]";

// A message of 1 byte needs no G: binary_tree_32.goal, whose node i sends to 2 i + 1 and 2 i + 2.
TEST(RdmaCollectiveJudges, BinaryTreeOfLogGopSim)
{
    for (const auto& [network, end] :
         {std::pair{DEFAULTS, 27'500_ns}, std::pair{"ideal[Delay=2500ns]", 12'500_ns}})
    {
        TestSchedule test(32);
        for (uint32_t rank = 0; rank < 32; ++rank)
        {
            std::vector<uint32_t> after;
            if (rank > 0)
            {
                after.push_back(test.Receive(rank, 1, (rank - 1) / 2));
            }
            for (const uint32_t child : {2 * rank + 1, 2 * rank + 2})
            {
                if (child < 32)
                {
                    test.Send(rank, 1, child, after);
                }
            }
        }
        test.Run(network);
        EXPECT_EQ(test.GetEnd(31), end);
    }
}

// one_send.goal, and incast_8_1_2MiB.goal, which is a message of 80 MB there and one back; with
// o = g = 0 and G = 6: 80 000 000 - 1 bytes of 6 ns and 2500 ns. 1/6 GB/s is no whole number of
// bit/s, so the rate here is 8 Gb/s, and G = 1: 79 999 999 + 2500.
TEST(RdmaCollectiveJudges, MessagesOfLogGopSim)
{
    TestSchedule test(2);
    const uint32_t arrived = test.Receive(1, 80'000'000, 0);
    test.Send(0, 80'000'000, 1);
    test.Send(1, 80'000'000, 0, {arrived});
    test.Receive(0, 80'000'000, 1);
    EXPECT_EQ(test.Run("ideal[Delay=2500ns|Rate=8Gbps|SendOverhead=1500ns|ReceiveOverhead=1500ns|"
                       "Gap=1000ns]"),
              2 * (79'999'999_ns + 2500_ns + 2 * 1500_ns));
}

// ASTRA-sim (518bd51, analytical backend, Ring_4chunks.json, Ring_Nnpus.yml): 50 GB/s of 2^30 B,
// 500 ns, an endpoint delay of 10 ns for each message and once for each of the 4 parts of the
// vector, which follow each other; memory of 1600 B/ns. 1 MiB, for all-gather 1 MiB of each rank.
RdmaPs
RunAstra(const std::string& collective, uint32_t ranks, uint64_t bytes)
{
    constexpr uint32_t PARTS = 4;
    TestSchedule test(ranks);
    test.schedule->SetAttribute("MemoryRate", DataRateValue(DataRate(1600ULL * 8'000'000'000ULL)));
    test.schedule->SetAttribute("MemoryTimeStep", TimeValue(NanoSeconds(1)));
    std::vector<std::vector<uint32_t>> before(ranks);
    for (uint32_t part = 0; part < PARTS; ++part)
    {
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            before[rank] = {test.Compute(rank, 10_ns, before[rank])};
        }
        const auto calls = test.job->AddCollective(test.world,
                                                   MakeTestCollective(collective),
                                                   bytes / PARTS,
                                                   before);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            before[rank] = {calls[rank]};
        }
    }
    return test.Run("ideal[Model=Links|Delay=500ns|ReceiveOverhead=10ns|Rate=429496729600bps]");
}

TEST(RdmaCollectiveJudges, TableOfAstraSim)
{
    struct Row
    {
        uint32_t ranks;
        RdmaPs allReduce;
        RdmaPs reduceScatter;
        RdmaPs allToAll;
        RdmaPs allGather;
    };

    for (const Row& row : {Row{4, 43'000_ns, 22'240_ns, 41'560_ns, 64'744_ns},
                           Row{8, 64'440_ns, 33'080_ns, 125'480_ns, 151'016_ns},
                           Row{16, 99'640_ns, 50'740_ns, 391'240_ns, 323'560_ns}})
    {
        EXPECT_EQ(RunAstra("all-reduce-ring", row.ranks, MIB), row.allReduce) << row.ranks;
        EXPECT_EQ(RunAstra("reduce-scatter-ring", row.ranks, MIB), row.reduceScatter) << row.ranks;
        EXPECT_EQ(RunAstra("all-to-all-ring", row.ranks, MIB), row.allToAll) << row.ranks;
        EXPECT_EQ(RunAstra("all-gather-ring", row.ranks, MIB * row.ranks), row.allGather)
            << row.ranks;
    }
}

} // namespace
} // namespace ns3
