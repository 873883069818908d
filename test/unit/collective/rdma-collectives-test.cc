/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-temp-directory.h"
#include "rdma-test-schedule.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <tuple>

/**
 * \file
 * \ingroup rdma-tests
 * Collectives: their times by closed forms, and what they send. On the ideal network, a message of
 * s bytes takes s - 1 ns from the first to the last byte, and L = 1000 ns from rank to rank.
 */

namespace ns3
{
namespace
{

constexpr const char* NETWORK = "ideal[Delay=1us|Rate=8Gbps]";
constexpr int64_t L = 1000;

/** \return the end of a collective in ns */
int64_t
RunNs(const std::string& collective, uint32_t ranks, uint64_t bytes)
{
    return RunTestCollective(collective, ranks, bytes, NETWORK).Get() / 1000;
}

// 2 (n - 1) steps; K messages of S / (n K) bytes follow each other in a step.
TEST(RdmaCollectives, RingWaitsForStepsOrForChunks)
{
    constexpr int64_t N = 6;
    constexpr int64_t BLOCK = 12'000;
    for (const int64_t chunks : {1, 2, 3, 4})
    {
        const std::string form = "Chunks=" + std::to_string(chunks);
        const int64_t step = chunks * (BLOCK / chunks - 1);
        EXPECT_EQ(RunNs("all-reduce-ring[" + form + "]", N, N * BLOCK), 2 * (N - 1) * (step + L));
        EXPECT_EQ(RunNs("reduce-scatter-ring[" + form + "]", N, N * BLOCK), (N - 1) * (step + L));
        EXPECT_EQ(RunNs("all-gather-ring[" + form + "]", N, N * BLOCK), (N - 1) * (step + L));
        // With two chunks or more, the first one arrives before the last one has left: the line is
        // never idle.
        const int64_t pipelined = chunks == 1 ? 2 * (N - 1) * (step + L) : 2 * (N - 1) * step + L;
        EXPECT_EQ(RunNs("all-reduce-ring[Steps=Pipelined|" + form + "]", N, N * BLOCK), pipelined);
    }
}

// Two channels share the line. Each of their steps takes half of the bytes, and the other channel's
// message goes first or second: a step of both takes the time of all bytes.
TEST(RdmaCollectives, ChannelsShareTheLine)
{
    constexpr int64_t N = 4;
    EXPECT_EQ(RunNs("all-reduce-ring[Channels=2]", N, N * 20'000),
              2 * (N - 1) * 2 * (10'000 - 1) + L);
}

TEST(RdmaCollectives, DoublingSendsWholeVectors)
{
    EXPECT_EQ(RunNs("all-reduce-recursive-doubling", 16, 5000), 4 * (4999 + L));
    // Chunk j of a step leaves when chunk j of the step before is there; 5 x 999 > 999 + L.
    EXPECT_EQ(RunNs("all-reduce-recursive-doubling[Chunks=5|Steps=Pipelined]", 16, 5000),
              4 * 5 * 999 + L);
}

// Bytes n/2, n/4, ..., 1, 1, 2, ..., n/2 blocks.
TEST(RdmaCollectives, HalvingAndDoubling)
{
    constexpr int64_t BLOCK = 3000;
    int64_t time = 0;
    for (const int64_t blocks : {4, 2, 1, 1, 2, 4})
    {
        time += blocks * BLOCK - 1 + L;
    }
    EXPECT_EQ(RunNs("all-reduce-halving-doubling", 8, 8 * BLOCK), time);
    // One chunk is as many as none; several are never slower.
    EXPECT_EQ(RunNs("all-reduce-halving-doubling[Steps=Pipelined]", 8, 8 * BLOCK), time);
    EXPECT_LT(RunNs("all-reduce-halving-doubling[Steps=Pipelined|Chunks=4]", 8, 8 * BLOCK), time);
}

// Four ranks, whose sends of half a vector are h bytes. In the first tree, 1 and 3 send to 2, one
// after the other at the receiver: 2 h'; then 2 to 0, 0 to 2, 2 to 1, and 2 to 3 behind that; with
// h' = h - 1. The second tree is the mirror image, and uses the lines at other times.
TEST(RdmaCollectives, TwoTrees)
{
    EXPECT_EQ(RunNs("all-reduce-double-tree", 2, 8000), 2 * (3999 + L));
    EXPECT_EQ(RunNs("all-reduce-double-tree", 4, 8000), 6 * 3999 + 4 * L);
}

// Within groups of 4: 3 steps of a quarter. Between 2 groups: 2 steps of an eighth.
TEST(RdmaCollectives, Hierarchy)
{
    EXPECT_EQ(RunNs("all-reduce-hierarchical:4", 8, 16'000), 2 * 3 * (3999 + L) + 2 * (1999 + L));
    EXPECT_EQ(RunNs("all-reduce-hierarchical:1", 4, 16'000), RunNs("all-reduce-ring", 4, 16'000));
    EXPECT_EQ(RunNs("all-reduce-hierarchical:4", 4, 16'000), RunNs("all-reduce-ring", 4, 16'000));
}

TEST(RdmaCollectives, Broadcasts)
{
    EXPECT_EQ(RunNs("broadcast-tree", 8, 5000), 3 * (4999 + L));
    EXPECT_EQ(RunNs("broadcast-tree[Root=5]", 8, 5000), 3 * (4999 + L));
    // The root sends to rank 4, then 2, then 1; rank 2 sends on to rank 3.
    EXPECT_EQ(RunNs("broadcast-tree", 5, 5000), (2 * 4999 + L) + (4999 + L));
    EXPECT_EQ(RunNs("broadcast-ring", 5, 5000), 4 * (4999 + L));
    EXPECT_EQ(RunNs("broadcast-ring[Chunks=5|Steps=Pipelined|Root=3]", 5, 5000),
              (5 - 2 + 5) * 999 + 4 * L);
}

TEST(RdmaCollectives, AllToAll)
{
    EXPECT_EQ(RunNs("all-to-all", 5, 5000), 4 * (999 + L));
    EXPECT_EQ(RunNs("all-to-all[Steps=Pipelined]", 5, 5000), 4 * 999 + L);
    EXPECT_EQ(RunNs("all-to-all-v[Steps=Pipelined]", 5, 5000), 4 * 999 + L);
    // With one message at a time in each direction, a receive begins at the end of the one before;
    // nothing changes, because messages wait at the receiver.
    EXPECT_EQ(RunNs("all-to-all[Steps=Pipelined|Depth=1]", 5, 5000), 4 * 999 + L);
}

TEST(RdmaCollectives, BarrierOfAnyNumberOfRanks)
{
    for (const auto& [ranks, steps] : {std::pair{2, 1}, {3, 2}, {4, 2}, {5, 3}, {8, 3}, {9, 4}})
    {
        EXPECT_EQ(RunNs("barrier", ranks, 0), steps * L) << ranks;
    }
}

TEST(RdmaCollectives, OneRankHasNothingToDo)
{
    for (const char* name : {"all-reduce-ring", "all-reduce-double-tree", "all-to-all", "barrier"})
    {
        EXPECT_EQ(RunNs(name, 1, 1000), 0) << name;
    }
}

// Sends: rank 0 to 1 (0 to 99), then to 2 (to 398); rank 1 to 2 (0 to 9), then to 0 (to 58); rank 2
// to 0 (0 to 19), then to 1 (to 418). Each rank receives one message after the other: rank 0 from
// 1000 to 1019 and to 1068, rank 1 from 1000 to 1099 and to 1498, rank 2 to 1009, and from 1099 to
// 1398.
TEST(RdmaCollectives, SizesOfAFile)
{
    const TempDirectory folder("rdma-collectives");
    std::filesystem::create_directory(folder.GetPath());
    const std::string path = (folder.GetPath() / "sizes.csv").string();
    std::ofstream(path) << "7,100,300\n50,7,10\n\n20,400,7\n";
    TestSchedule test(3);
    test.job->AddCollective(test.world,
                            MakeTestCollective("all-to-all-v[Steps=Pipelined|File=" + path + "]"),
                            0);
    test.Run(NETWORK);
    EXPECT_EQ(test.GetEnd(0), 1068_ns);
    EXPECT_EQ(test.GetEnd(1), 1498_ns);
    EXPECT_EQ(test.GetEnd(2), 1398_ns);

    const auto prepare = [&](uint32_t ranks) {
        return [&path, ranks] {
            MakeTestCollective("all-to-all-v[File=" + path + "]")->Prepare(ranks, 0);
        };
    };
    ExpectError<std::invalid_argument>(prepare(4), {"4 ranks", "one of 3 ranks"});
    std::ofstream(path) << "1,2\n3,x\n";
    ExpectError<RdmaFileError>(prepare(2), {"sizes.csv:2", "rank 1"});
    std::ofstream(path) << "1,2\n3\n";
    ExpectError<RdmaFileError>(prepare(2), {"sizes.csv:2", "bytes for each rank"});
    std::ofstream(path) << "1,2\n";
    ExpectError<RdmaFileError>(prepare(2), {"1 lines of 2 numbers"});
}

// Zipf's law: with Skew=1 and 4 ranks, the rank in demand gets 1 / (1 + 1/2 + 1/3 + 1/4) = 0.48 of
// all bytes, from three senders, which its line receives one after the other.
TEST(RdmaCollectives, SkewMakesOneRankSlow)
{
    const double share = 1 / (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0);
    const auto hot = static_cast<int64_t>(100'000 * share + 0.5);
    const std::string text = "all-to-all-v[Skew=1|Steps=Pipelined|Depth=0]";
    const int64_t time = RunNs(text, 4, 100'000);
    EXPECT_GE(time, 3 * (hot - 1) + L);
    EXPECT_LT(time, 4 * (hot - 1) + L);
    EXPECT_EQ(RunNs(text, 4, 100'000), time);
}

TEST(RdmaCollectives, StragglersEnterLate)
{
    const std::string text = "barrier[StartDelay=ns3::ConstantRandomVariable[Constant=250]]";
    EXPECT_EQ(RunNs(text, 4, 0), 250 + 2 * L);
    const std::string random = "barrier[StartDelay=ns3::UniformRandomVariable[Min=0|Max=5000]]";
    const RdmaPs end = RunTestCollective(random, 16, 0, NETWORK);
    EXPECT_GT(end, 4 * 1000_ns + 1000_ns);
    EXPECT_LE(end, 4 * 1000_ns + 5000_ns);
    EXPECT_EQ(RunTestCollective(random, 16, 0, NETWORK), end);
}

TEST(RdmaCollectives, RefuseWhatTheyCannotDo)
{
    using Error = std::invalid_argument;
    const auto prepare = [](const char* text, uint32_t ranks) {
        return [text, ranks] { MakeTestCollective(text)->Prepare(ranks, 100); };
    };
    ExpectError<Error>(prepare("all-reduce-recursive-doubling", 6), {"6 ranks", "a power of two"});
    ExpectError<Error>(prepare("all-reduce-halving-doubling", 3), {"3 ranks", "a power of two"});
    ExpectError<Error>(prepare("all-reduce-hierarchical:4", 6),
                       {"6 ranks in groups of 4", "a multiple of Group"});
    ExpectError<Error>(prepare("broadcast-ring[Root=3]", 3), {"Root 3", "0 to 2"});
    ExpectError<Error>(prepare("all-to-all-v[Skew=1|File=x]", 3), {"a File and a Skew"});
}

// nccl-tests, doc/PERFORMANCE.md.
TEST(RdmaCollectives, HaveTheFactorsOfNcclTests)
{
    for (const auto& [text, name, factor] :
         {std::tuple{"all-reduce-ring", "all_reduce", 2 * 7 / 8.0},
          {"all-reduce-double-tree", "all_reduce", 2 * 7 / 8.0},
          {"reduce-scatter-ring", "reduce_scatter", 7 / 8.0},
          {"all-gather-ring", "all_gather", 7 / 8.0},
          {"all-to-all", "alltoall", 7 / 8.0},
          {"broadcast-tree", "broadcast", 1.0}})
    {
        const auto collective = MakeTestCollective(text);
        EXPECT_EQ(collective->GetOperationName(), name);
        EXPECT_DOUBLE_EQ(collective->GetBusFactor(8), factor);
    }
}

/** A network in which each message takes 1 us. Counts what the ranks send. */
class TestCountingNetwork : public RdmaScheduleNetwork
{
  public:
    void Install(RdmaScheduleNetworkUser& user,
                 const std::vector<RdmaSchedulePlace>& /*places*/) override
    {
        m_user = &user;
    }

    uint32_t GetNodeId(uint32_t rank) const override
    {
        return rank;
    }

    RdmaBitRate GetRate(uint32_t /*rank*/) const override
    {
        return 1_gbps;
    }

    void Send(const RdmaScheduleMessage& message, uint64_t id) override
    {
        using Kind = RdmaScheduleMessage::Kind;
        if (message.kind == Kind::EAGER || message.kind == Kind::DATA)
        {
            bytes += message.bytes;
            ++messages;
        }
        else
        {
            ++controls;
        }
        Simulator::ScheduleWithContext(message.to, MicroSeconds(1), [this, message] {
            m_user->Arrived(message);
        });
        Simulator::ScheduleWithContext(message.from, NanoSeconds(1), [this, message, id] {
            m_user->Sent(message.from, id);
        });
    }

    uint64_t bytes{0};    //!< bytes of data
    uint64_t messages{0}; //!< messages with data
    uint64_t controls{0}; //!< messages of rendezvous without data

  private:
    RdmaScheduleNetworkUser* m_user{nullptr};
};

/** A collective, and the bytes that n ranks send for S bytes. */
struct Sum
{
    std::string name;
    std::function<uint64_t(uint64_t n, uint64_t s)> bytes; //!< 0: n is not accepted
};

uint64_t
GetLog(uint64_t n)
{
    uint64_t log = 0;
    while ((uint64_t{1} << log) < n)
    {
        ++log;
    }
    return log;
}

bool
IsPower(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

// Every send has its receive, all ranks end, and the bytes are those of the algorithm: sizes that
// do not divide, few bytes for many ranks, chunks, channels, both ways of stepping, eager messages
// and rendezvous.
TEST(RdmaCollectives, SendWhatTheyMust)
{
    const std::vector<Sum> sums{
        {"all-reduce-ring", [](uint64_t n, uint64_t s) { return 2 * (n - 1) * s; }},
        {"reduce-scatter-ring", [](uint64_t n, uint64_t s) { return (n - 1) * s; }},
        {"all-gather-ring", [](uint64_t n, uint64_t s) { return (n - 1) * s; }},
        {"all-reduce-halving-doubling",
         [](uint64_t n, uint64_t s) { return IsPower(n) ? 2 * (n - 1) * s : 0; }},
        {"all-reduce-recursive-doubling",
         [](uint64_t n, uint64_t s) { return IsPower(n) ? n * GetLog(n) * s : 0; }},
        {"all-reduce-double-tree", [](uint64_t n, uint64_t s) { return 2 * (n - 1) * s; }},
        {"all-reduce-hierarchical:3",
         [](uint64_t n, uint64_t s) {
             return n % 3 == 0 ? 2 * (n / 3) * 2 * s + 2 * (n / 3 - 1) * s : 0;
         }},
        {"broadcast-tree[Root=1]", [](uint64_t n, uint64_t s) { return (n - 1) * s; }},
        {"broadcast-ring[Root=1]", [](uint64_t n, uint64_t s) { return (n - 1) * s; }},
        {"all-to-all", [](uint64_t n, uint64_t s) { return (n - 1) * s; }},
    };
    for (const Sum& sum : sums)
    {
        for (uint32_t n = 2; n <= 17; ++n)
        {
            for (const char* form : {"Chunks=1",
                                     "Chunks=3|Steps=Pipelined",
                                     "Channels=3|Chunks=4|Depth=2|Steps=Pipelined|EagerBytes=10",
                                     "Channels=2|Chunks=5|Depth=1|EagerBytes=0"})
            {
                for (const uint64_t bytes : {uint64_t{0}, uint64_t{1}, uint64_t{1009}})
                {
                    if (sum.bytes(n, 1) == 0)
                    {
                        continue;
                    }
                    const std::size_t bracket = sum.name.find('[');
                    const std::string text = bracket == std::string::npos
                                                 ? sum.name + "[" + form + "]"
                                                 : sum.name.substr(0, bracket + 1) + form + "|" +
                                                       sum.name.substr(bracket + 1);
                    TestSchedule test(n);
                    const auto network = CreateObject<TestCountingNetwork>();
                    test.job->AddCollective(test.world, MakeTestCollective(text), bytes);
                    ASSERT_GE(test.Run(network), 0_ps) << text << " " << n << "\n"
                                                       << test.schedule->DescribeWait();
                    EXPECT_EQ(test.schedule->DescribeWait(), "") << text << " " << n;
                    EXPECT_EQ(network->bytes, sum.bytes(n, bytes)) << text << " " << n;
                    EXPECT_EQ(test.schedule->GetNActive(), 0U);
                    if (std::string(form).find("EagerBytes=0") != std::string::npos && bytes == 0)
                    {
                        EXPECT_EQ(network->controls, 0U); // 0 is not above 0
                    }
                }
            }
        }
    }
}

// What is kept does not grow with the number of operations.
TEST(RdmaCollectives, MemoryFollowsWhatIsInProgress)
{
    std::vector<std::size_t> memory;
    for (const char* chunks : {"10", "10000"})
    {
        TestSchedule test(4);
        const std::string text =
            "all-reduce-ring[Channels=2|Steps=Pipelined|Chunks=" + std::string(chunks) + "]";
        test.job->AddCollective(test.world, MakeTestCollective(text), 80'000'000);
        test.Run(NETWORK);
        memory.push_back(test.schedule->GetMemory());
    }
    EXPECT_EQ(memory[0], memory[1]);
}

} // namespace
} // namespace ns3
