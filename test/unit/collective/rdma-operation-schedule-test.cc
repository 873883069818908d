/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-message-counts.h"
#include "rdma-test-schedule.h"
#include "rdma-test-simulator.h"
#include "rdma-time.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>
#include <tuple>

/**
 * \file
 * \ingroup rdma-tests
 * Operations of a schedule: what they wait for, how messages are matched, and what is said of those
 * that never end. Times are worked out by hand: the first byte of a message takes 1000 ns, each
 * further one 1 ns.
 */

namespace ns3
{
namespace
{

constexpr const char* NETWORK = "ideal[Delay=1us|Rate=8Gbps]";

TEST(RdmaOperationSchedule, OperationsWaitForEndsAndBegins)
{
    TestSchedule test(1);
    const uint32_t a = test.Compute(0, 100_ns);
    const uint32_t b = test.Compute(0, 30_ns, {a}); // 100 to 130
    const uint32_t c = test.Compute(0, 500_ns);
    test.job->AddDependency(0, c, b, RdmaScheduleJob::After::BEGIN); // 100 to 600
    test.Compute(0, 7_ns, {b, c});                                   // 600 to 607
    EXPECT_EQ(test.Run(NETWORK), 607_ns);
    EXPECT_EQ(test.schedule->GetNActive(), 0U);
}

TEST(RdmaOperationSchedule, AUnitServesInTheOrderOfTheBegins)
{
    TestSchedule test(1);
    test.Compute(0, 100_ns, {}, 2);                   // 0 to 100
    const uint32_t b = test.Compute(0, 10_ns, {}, 2); // waits; 100 to 110
    test.Compute(0, 1000_ns, {}, 1);                  // another unit; 0 to 1000
    const uint32_t d = test.Compute(0, 50_ns);        // no unit; 0 to 50
    test.Compute(0, 20_ns, {d}, 2);                   // begins to wait at 50; 110 to 130
    const uint32_t f = test.Compute(0, 900_ns);
    test.job->AddDependency(0, f, b, RdmaScheduleJob::After::BEGIN); // when b has its unit: 1000
    test.Compute(0, 1_ns, {f});
    EXPECT_EQ(test.Run(NETWORK), 1001_ns);
}

// A chain as long would overflow the stack if one end led to the next within one call.
TEST(RdmaOperationSchedule, ManyOperationsOfNoTimeWaitForAUnit)
{
    TestSchedule test(1);
    test.Compute(0, 5_ns, {}, 0);
    for (uint32_t i = 0; i < 300'000; ++i)
    {
        test.Compute(0, 0_ns, {}, 0);
    }
    EXPECT_EQ(test.Run(NETWORK), 5_ns);
}

TEST(RdmaOperationSchedule, MemoryTakesAccessesAtItsRate)
{
    TestSchedule test(1);
    test.schedule->SetAttribute("MemoryRate", DataRateValue(DataRate("8Gbps")));
    test.job->Add(0, RdmaOperation::Reduce(100), {test.job->Add(0, RdmaOperation::Copy(10))});
    EXPECT_EQ(test.Run(NETWORK), 2 * 10_ns + 3 * 100_ns);
}

TEST(RdmaOperationSchedule, AMessageWaitsForItsReceive)
{
    TestSchedule test(2);
    test.Send(0, 101, 1); // arrives at 1100
    test.Receive(1, 101, 0, {test.Compute(1, 5000_ns)});
    test.Run(NETWORK);
    EXPECT_EQ(test.GetEnd(0), 100_ns); // the last byte has left
    EXPECT_EQ(test.GetEnd(1), 5000_ns);
}

TEST(RdmaOperationSchedule, RendezvousWaitsForTheReceive)
{
    TestSchedule test(2);
    test.schedule->SetAttribute("HeaderBytes", UintegerValue(10));
    test.Send(0, 491, 1, {}, 0, true);
    test.Receive(1, 491, 0, {test.Compute(1, 5000_ns)});
    test.Run(NETWORK);
    // The request is there before 5000. The answer of 24 + 10 B arrives at 5000 + 33 + 1000 = 6033,
    // and the last of 501 B leaves at 6533.
    EXPECT_EQ(test.GetEnd(0), 6533_ns);
    EXPECT_EQ(test.GetEnd(1), 7533_ns);
}

TEST(RdmaOperationSchedule, AnEdgeHasItsDelay)
{
    TestSchedule test(2);
    const uint32_t a = test.Compute(0, 40_ns);
    const uint32_t b = test.Compute(1, 3_ns);
    test.job->AddEdge(0, a, 1, b, 17_ns);
    test.Run(NETWORK);
    EXPECT_EQ(test.GetEnd(0), 40_ns);
    EXPECT_EQ(test.GetEnd(1), 60_ns);
}

TEST(RdmaOperationSchedule, RecordsBeginsAndEnds)
{
    TestSchedule test(2);
    test.schedule->SetRecording(RdmaRecording::OPERATIONS);
    const uint32_t a = test.Compute(0, 100_ns, {}, 3);
    const uint32_t b = test.Compute(0, 40_ns, {}, 3); // the unit takes it at 100
    const uint32_t c = test.Send(0, 11, 1, {a});      // 100 to 110
    const uint32_t d =
        test.job->AddCollective(test.world, MakeTestCollective("barrier"), 0, {{b, c}, {}})[0];
    test.Receive(1, 11, 0);
    test.Run(NETWORK);
    std::vector<std::tuple<uint64_t, RdmaPs, RdmaPs>> records;
    for (const RdmaOperationRecord& record : test.job->GetRecords(0))
    {
        records.emplace_back(record.operation, record.begin, record.end);
    }
    // The barrier: rank 1 enters at 0, and its message is at rank 0 at 1000.
    const std::vector<std::tuple<uint64_t, RdmaPs, RdmaPs>> expected{{a, 0_ns, 100_ns},
                                                                     {c, 100_ns, 110_ns},
                                                                     {b, 100_ns, 140_ns},
                                                                     {d, 140_ns, 1000_ns}};
    EXPECT_EQ(records, expected);
    ASSERT_EQ(test.job->GetRecords(1).size(), 2U);
    EXPECT_EQ(test.job->GetRecords(1)[1].end, 1140_ns); // its barrier
}

/** A network in which the message with number i from the first one on takes (10 - i) us. */
class TestOvertakingNetwork : public RdmaScheduleNetwork
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
        const Time delay = MicroSeconds(10 - m_sent++);
        Simulator::ScheduleWithContext(message.to, delay, [this, message] {
            m_user->Arrived(message);
        });
        Simulator::ScheduleWithContext(message.from, NanoSeconds(1), [this, message, id] {
            m_user->Sent(message.from, id);
        });
    }

  private:
    RdmaScheduleNetworkUser* m_user{nullptr};
    int64_t m_sent{0};
};

TEST(RdmaOperationSchedule, MessagesThatOvertakeAreMatchedInPostingOrder)
{
    TestSchedule test(2);
    // Arrivals: the first message at 10 us, the second at 9 us, the third at 8 us. A message that
    // is larger than its receive would end the program.
    std::vector<uint32_t> receives;
    for (const uint64_t bytes : {10, 20, 30})
    {
        test.Send(0, bytes, 1);
        receives.push_back(test.Receive(1, bytes, 0));
    }
    // Behind each receive a longer time, so that the end of the rank tells when the third ended.
    test.Compute(1, 100_us, {receives[2]});
    test.Run(CreateObject<TestOvertakingNetwork>());
    EXPECT_EQ(test.GetEnd(1), 108_us);
}

TEST(RdmaOperationSchedule, TagsContextsAndSendersDoNotMix)
{
    TestSchedule test(3);
    const uint32_t other = test.schedule->AddCommunicator("other", {1, 0});
    RdmaScheduleJob& second = test.schedule->AddJob("second", 100_ns);
    // Arrivals by job, communicator and tag: sizes tell them apart, and the largest comes first.
    test.Send(0, 401, 1, {}, 7);
    test.Send(0, 301, 1, {}, 3);
    test.job->Add(0, RdmaOperation::Send(201, 1, test.schedule->GetContext(other), 7));
    test.Send(2, 101, 1, {}, 7);
    second.Add(0, RdmaOperation::Send(51, 1, test.context, 7));
    test.Receive(1, 101, 2, {}, 7);
    test.job->Add(1, RdmaOperation::Receive(201, 0, test.schedule->GetContext(other), 7));
    test.Receive(1, 301, 0, {}, 3);
    test.Receive(1, 401, 0, {}, 7);
    second.Add(1, RdmaOperation::Receive(51, 0, test.context, 7));
    test.Run(NETWORK);
    EXPECT_TRUE(test.schedule->IsDone()) << test.schedule->DescribeWait();
    EXPECT_EQ(test.schedule->DescribeWait(), "");
    EXPECT_EQ(second.GetEnd(0), RdmaPs(950_ns)); // behind the bytes of the others, less 1 each
}

TEST(RdmaOperationSchedule, EndsAtTheGridStrictlyAfterTheLastEnd)
{
    TestSchedule test(1);
    test.Compute(0, 20_us);
    bool isLate = false;
    Simulator::Schedule(MicroSeconds(29), [] {});
    Simulator::Schedule(MicroSeconds(31), [&] { isLate = true; });
    EXPECT_EQ(test.Run(NETWORK), 20_us);
    EXPECT_EQ(RdmaNow(), 30_us);
    EXPECT_FALSE(isLate);
}

TEST(RdmaOperationSchedule, SaysWhatWaitsForWhat)
{
    TestSchedule test(3);
    // Rank 0 waits for rank 1, rank 1 for rank 2, and rank 2 for rank 0, before they send.
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        const uint32_t receive = test.Receive(rank, 8, (rank + 1) % 3, {}, 5);
        test.Send(rank, 8, (rank + 2) % 3, {receive}, 5);
    }
    EXPECT_EQ(test.Run(NETWORK), RdmaPs(-1));
    EXPECT_EQ(
        test.schedule->DescribeWait(),
        "rank 0: operation 0, a receive of 8 B from rank 1 (communicator world, tag 5, message "
        "0), waits for the message\n"
        "rank 0: operation 1 waits for operation 0\n"
        "rank 1: operation 0, a receive of 8 B from rank 2 (communicator world, tag 5, message "
        "0), waits for the message\n"
        "rank 1: operation 1 waits for operation 0\n"
        "rank 2: operation 0, a receive of 8 B from rank 0 (communicator world, tag 5, message "
        "0), waits for the message\n"
        "rank 2: operation 1 waits for operation 0\n");
}

TEST(RdmaOperationSchedule, SaysThatDependenciesFormACircle)
{
    TestSchedule test(2);
    const uint32_t a = test.Compute(0, 1_ns);
    const uint32_t b = test.Compute(0, 1_ns, {a});
    test.job->AddDependency(0, a, b);
    test.Send(1, 3, 0, {}, 9);
    EXPECT_EQ(test.Run(NETWORK), RdmaPs(-1));
    EXPECT_EQ(test.schedule->DescribeWait(),
              "rank 0: message 0 from rank 1 (communicator world, tag 9) has no receive\n"
              "rank 0: operation 1 waits for operation 0\n"
              "rank 0: operation 0 waits for operation 1\n");
}

TEST(RdmaOperationSchedule, SaysWhatACollectiveWaitsFor)
{
    TestSchedule test(2);
    // Rank 1 never enters the call.
    const auto never = test.Compute(1, 1_ns);
    const auto too = test.Compute(1, 1_ns, {never});
    test.job->AddDependency(1, never, too);
    test.job->AddCollective(test.world, MakeTestCollective("all-reduce-ring"), 1000, {{}, {too}});
    EXPECT_EQ(test.Run(NETWORK), RdmaPs(-1));
    const std::string text = test.schedule->DescribeWait();
    for (const char* line :
         {"rank 0: receive 0 of the collective, a receive of 500 B from rank 1 (communicator "
          "world, "
          "call 0, tag 0, message 0), waits for the message\n",
          "rank 0: send 1 of the collective waits for receive 0 of the collective\n",
          "rank 1: operation 2 waits for operation 1\n",
          "rank 1: message 0 from rank 0 (communicator world, call 0, tag 0) has no receive\n"})
    {
        EXPECT_NE(text.find(line), std::string::npos) << line << "is not in\n" << text;
    }
}

TEST(RdmaOperationScheduleDeathTest, AMessageMustFit)
{
    EXPECT_DEATH(
        {
            TestSchedule test(2);
            test.Send(0, 9, 1);
            test.Receive(1, 8, 0);
            test.Run(NETWORK);
        },
        "rank 1: operation 0, a receive of 8 B from rank 0 .*, but the message has 9 B; accepted: "
        "up "
        "to 8 B");
}

TEST(RdmaOperationSchedule, RefusesWhatDoesNotExist)
{
    TestSchedule test(2);
    using Error = std::invalid_argument;
    ExpectError<Error>([&] { test.Compute(2, 1_ns); }, {"rank 2; accepted: 0 to 1"});
    ExpectError<Error>([&] { test.Send(0, 1, 0); }, {"sends to itself"});
    test.Compute(0, 1_ns);
    ExpectError<Error>([&] { test.Compute(0, 1_ns, {1}); }, {"depends on itself"});
    ExpectError<Error>([&] { test.Compute(0, 1_ns, {7}); }, {"operation 7; accepted: 0 to 2"});
    ExpectError<Error>(
        [&] {
            test.schedule->AddCommunicator("a", {1, 1});
        },
        {"communicator a has rank 1 twice"});
    ExpectError<Error>([&] { test.schedule->GetContext(1); }, {"communicator 1; accepted: 0 to 0"});
    ExpectError<Error>([&] { test.job->AddEdge(0, 0, 1, 0, 0_ps); }, {"1 ps or more"});
    ExpectError<Error>(
        [&] { test.job->AddCollective(test.world, MakeTestCollective("barrier"), 0, {{}}); },
        {"for 1 ranks; accepted: 2, or none"});
    ExpectError<Error>(
        [&] { test.job->AddCollective(test.world, MakeTestCollective("barrier[Channels=2]"), 0); },
        {"ns3::RdmaBarrier", "Channels=1"});
    ExpectError<Error>([&] { test.schedule->Install(MakeTestNetwork("ideal[Delay=1500ps]")); },
                       {"ns3::RdmaIdealNetwork::Delay is 1500 ps; accepted: whole nanoseconds"});
    test.schedule->Install(MakeTestNetwork(NETWORK));
    ExpectError<Error>([&] { test.Compute(0, 1_ns); }, {"after Install()"});
}

/** Ends of all ranks of a random schedule. */
std::vector<RdmaPs>
RunRandom(uint32_t seed, bool backwards)
{
    constexpr uint32_t RANKS = 12;
    TestSchedule test(RANKS);
    const auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(seed);

    struct Message
    {
        uint32_t from, to, bytes, computing;
    };

    std::vector<Message> messages(300);
    for (Message& message : messages)
    {
        message.from = random->GetInteger(0, RANKS - 1);
        message.to = (message.from + random->GetInteger(1, RANKS - 1)) % RANKS;
        message.bytes = 100 * random->GetInteger(1, 5);
        message.computing = 500 * random->GetInteger(0, 2);
    }
    // The order in which operations of different ranks are added must not matter.
    std::vector<uint32_t> ranks(RANKS);
    std::iota(ranks.begin(), ranks.end(), 0);
    if (backwards)
    {
        std::reverse(ranks.begin(), ranks.end());
    }
    for (const uint32_t rank : ranks)
    {
        std::vector<uint32_t> before;
        for (uint32_t i = 0; i < messages.size(); ++i)
        {
            const Message& message = messages[i];
            if (message.from == rank)
            {
                test.Send(rank, message.bytes, message.to, before, i % 3, i % 5 == 0);
            }
            if (message.to == rank)
            {
                // Sends may begin in another order than they are listed in.
                const uint32_t receive = test.Receive(rank, 500, message.from, {}, i % 3);
                before = {test.Compute(rank, RdmaPs(1000) * message.computing, {receive}, i % 2)};
            }
        }
    }
    EXPECT_GE(test.Run(NETWORK), 0_ps) << test.schedule->DescribeWait();
    std::vector<RdmaPs> ends;
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        ends.push_back(test.GetEnd(rank));
    }
    return ends;
}

TEST(RdmaOperationSchedule, IsTheSameInAnyOrderAndWithAnySimulator)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        const auto ends = RunRandom(seed, false);
        EXPECT_EQ(RunRandom(seed, true), ends) << seed;
        TestSimulatorScope scope("ns3::DefaultSimulatorImpl");
        EXPECT_EQ(RunRandom(seed, false), ends) << seed;
    }
}

TEST(RdmaOperationGraph, AnOperationTakesLittleMemory)
{
    RdmaOperationGraph graph;
    constexpr uint32_t COUNT = 100'000;
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        graph.Add(RdmaOperation::Compute(1_ns));
        for (uint32_t j = 1; j <= 4 && j <= i; ++j)
        {
            graph.AddDependency(i, i - j);
        }
    }
    EXPECT_LT(graph.GetMemory(), 70 * COUNT); // 32 + 4 x 8, and the last blocks
}

TEST(RdmaMessageCounts, CountsEachKey)
{
    RdmaMessageCounts counts;
    for (uint32_t round = 0; round < 3; ++round)
    {
        for (uint32_t i = 0; i < 1000; ++i)
        {
            EXPECT_EQ(counts.Count(i % 10, i / 10, 7), round);
            EXPECT_EQ(counts.Count(i / 10, 5, i % 10 + 8), round);
        }
    }
    EXPECT_EQ(counts.GetSize(), 2000U);
}

} // namespace
} // namespace ns3
