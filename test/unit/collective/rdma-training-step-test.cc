/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-schedule.h"

#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * A step of training of 128 GPUs, beside a list scheduler in Python that shares no code with the
 * module: test/python/list_scheduler.py, which describes the step and has written
 * step-of-128.csv. test/python/test_list_scheduler.py compares that file.
 */

namespace ns3
{
namespace
{

constexpr uint32_t RANKS = 128;
constexpr uint32_t LAYERS = 3;
constexpr uint32_t BATCHES = 2;

using Before = std::vector<std::vector<uint32_t>>; // operations by rank

/** Makes the step. */
class Step
{
  public:
    explicit Step(TestSchedule& test)
        : m_test(test)
    {
        for (uint32_t d = 0; d < 8; ++d)
        {
            for (uint32_t p = 0; p < 4; ++p)
            {
                m_tensor.push_back(Add("tensor", 16 * d + 4 * p, 1, 4));
            }
        }
        for (uint32_t stage = 0; stage < 16; ++stage)
        {
            m_data.push_back(Add("data", stage, 16, 8));
            m_expert.push_back(Add("expert", stage, 16, 4));
            m_expert.push_back(Add("expert", stage + 64, 16, 4));
        }
    }

    void Make()
    {
        std::vector<Before> last(BATCHES, Before(RANKS));
        std::vector<Before> passed(LAYERS, Before(RANKS));
        constexpr uint64_t ACTIVATIONS = 1'000'000;
        for (uint32_t batch = 0; batch < BATCHES; ++batch)
        {
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                if (rank % 16 >= 4)
                {
                    last[batch][rank] = {m_test.Receive(rank, ACTIVATIONS, rank - 4, {}, batch)};
                }
            }
            for (uint32_t layer = 0; layer < LAYERS; ++layer)
            {
                Pass(last[batch], layer, 100);
            }
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                if (rank % 16 < 12)
                {
                    m_test.Send(rank, ACTIVATIONS, rank + 4, last[batch][rank], batch);
                }
            }
        }
        for (uint32_t batch = 0; batch < BATCHES; ++batch)
        {
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                if (rank % 16 < 12)
                {
                    last[batch][rank] = {m_test.Receive(rank,
                                                        ACTIVATIONS,
                                                        rank + 4,
                                                        last[batch][rank],
                                                        100 + batch)};
                }
            }
            for (uint32_t layer = LAYERS; layer-- > 0;)
            {
                Pass(last[batch], layer, 200);
                for (uint32_t rank = 0; rank < RANKS; ++rank)
                {
                    passed[layer][rank].push_back(last[batch][rank][0]);
                }
            }
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                if (rank % 16 >= 4)
                {
                    m_test.Send(rank, ACTIVATIONS, rank - 4, last[batch][rank], 100 + batch);
                }
            }
        }
        Before summed(RANKS);
        for (uint32_t layer = LAYERS; layer-- > 0;)
        {
            const Before ends =
                Call(m_data, "all-reduce-halving-doubling", 30'000'000 + 3 * layer, passed[layer]);
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                summed[rank].push_back(ends[rank][0]);
            }
        }
        m_test.job->AddCollective(m_test.world,
                                  MakeTestCollective("barrier"),
                                  0,
                                  Work(summed, 0, 50));
    }

  private:
    uint32_t Add(const std::string& name, uint32_t first, uint32_t stride, uint32_t count)
    {
        std::vector<uint32_t> members;
        for (uint32_t i = 0; i < count; ++i)
        {
            members.push_back(first + i * stride);
        }
        return m_test.schedule->AddCommunicator(name, members);
    }

    /** All ranks compute. */
    Before Work(const Before& before, uint32_t layer, uint32_t base)
    {
        Before after(RANKS);
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            const uint32_t ns = 1000 * (base + 11 * layer + 37 * rank % 13) + rank;
            after[rank] = {m_test.Compute(rank, RdmaPs(1000) * ns, before[rank], 0)};
        }
        return after;
    }

    /** All groups call a collective. */
    Before Call(const std::vector<uint32_t>& groups,
                const std::string& collective,
                uint64_t bytes,
                const Before& before)
    {
        Before after(RANKS);
        const auto shared = MakeTestCollective(collective);
        for (const uint32_t group : groups)
        {
            const auto& members = m_test.schedule->GetMembers(group);
            Before waits;
            for (const uint32_t rank : members)
            {
                waits.push_back(before[rank]);
            }
            const auto ends = m_test.job->AddCollective(group, shared, bytes, waits);
            for (std::size_t i = 0; i < members.size(); ++i)
            {
                after[members[i]] = {ends[i]};
            }
        }
        return after;
    }

    /** A micro-batch passes a layer. */
    void Pass(Before& now, uint32_t layer, uint32_t base)
    {
        const std::string exchange = "all-to-all[Steps=Pipelined|Depth=0]";
        now = Work(now, layer, base);
        now = Call(m_tensor, "all-reduce-ring", 4'000'000 + layer, now);
        if (layer == 1)
        {
            now = Call(m_expert, exchange, 2'000'000, now);
            now = Work(now, layer, base / 2);
            now = Call(m_expert, exchange, 2'000'000, now);
        }
    }

    TestSchedule& m_test;
    std::vector<uint32_t> m_tensor;
    std::vector<uint32_t> m_data;
    std::vector<uint32_t> m_expert;
};

TEST(RdmaTrainingStep, EqualsTheListScheduler)
{
    TestSchedule test(RANKS);
    Step(test).Make();
    test.Run("ideal[Delay=2us|SendOverhead=100ns|ReceiveOverhead=150ns|Gap=10ns|Rate=400Gbps]");
    ASSERT_TRUE(test.schedule->IsDone()) << test.schedule->DescribeWait();
    std::ifstream file(std::string(RDMA_SOURCE_FOLDER) + "/test/unit/collective/step-of-128.csv");
    std::string line;
    std::getline(file, line);
    ASSERT_EQ(line, "rank,end_ns");
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        std::getline(file, line);
        EXPECT_EQ(std::to_string(rank) + "," + std::to_string(test.GetEnd(rank).Get() / 1000),
                  line);
    }
}

} // namespace
} // namespace ns3
