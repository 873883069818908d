/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-virtual-output-queues.h"
#include "rdma-allocation-count.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

QbbFramePtr
MakeFrame(QbbFramePool& pool, uint16_t input, uint8_t priority, uint32_t number)
{
    QbbFramePtr frame = pool.Allocate();
    frame->ingressPort = input;
    frame->priority = priority;
    frame->psn = number;
    frame->size = 100;
    return frame;
}

/// A reference for QbbVirtualOutputQueues: a map and a search by number of the input.
class Reference
{
  public:
    explicit Reference(uint32_t nPorts)
        : m_nPorts(nPorts)
    {
    }

    void Push(uint16_t input, uint16_t output, uint8_t priority, uint32_t number)
    {
        m_queues[{output, priority, input}].push_back(number);
    }

    /// \return inputs with a frame, in the order of their turns
    std::vector<uint16_t> Turns(uint16_t output, uint8_t priority)
    {
        const auto served = m_served.find({output, priority});
        const uint32_t first = served == m_served.end() ? 0 : served->second + 1;
        std::vector<uint16_t> turns;
        for (uint32_t i = 0; i < m_nPorts; ++i)
        {
            const auto input = static_cast<uint16_t>((first + i) % m_nPorts);
            const auto queue = m_queues.find({output, priority, input});
            if (queue != m_queues.end() && !queue->second.empty())
            {
                turns.push_back(input);
            }
        }
        return turns;
    }

    uint32_t Pop(uint16_t input, uint16_t output, uint8_t priority, bool served)
    {
        auto& queue = m_queues[{output, priority, input}];
        const uint32_t number = queue.front();
        queue.pop_front();
        if (served)
        {
            m_served[{output, priority}] = input;
        }
        return number;
    }

  private:
    uint32_t m_nPorts;
    std::map<std::tuple<uint16_t, uint8_t, uint16_t>, std::deque<uint32_t>> m_queues;
    std::map<std::pair<uint16_t, uint8_t>, uint16_t> m_served;
};

} // namespace

TEST(QbbVirtualOutputQueues, RoundRobinGoesByInputNumber)
{
    QbbFramePool pool;
    QbbVirtualOutputQueues queues;
    queues.Configure(4);
    const auto pop = [&](bool served = true) {
        return queues.Pop(queues.GetTurn(3, 5), served)->psn;
    };
    EXPECT_EQ(queues.GetTurn(3, 5), QbbVirtualOutputQueues::NONE);
    // Whichever frame comes first, input 0 has the first turn.
    queues.Push(3, MakeFrame(pool, 2, 5, 20));
    queues.Push(3, MakeFrame(pool, 2, 5, 21));
    queues.Push(3, MakeFrame(pool, 0, 5, 0));
    queues.Push(3, MakeFrame(pool, 0, 5, 1));
    EXPECT_EQ(queues.GetWaiting(3), 1 << 5);
    EXPECT_EQ(queues.GetWaiting(2), 0);
    EXPECT_EQ(pop(), 0U);
    // Input 1 comes before input 2, which has waited longer.
    queues.Push(3, MakeFrame(pool, 1, 5, 10));
    EXPECT_EQ(pop(), 10U);
    EXPECT_EQ(pop(), 20U);
    // After 2: 3, then 0.
    queues.Push(3, MakeFrame(pool, 3, 5, 30));
    EXPECT_EQ(pop(), 30U);
    EXPECT_EQ(pop(), 1U);
    EXPECT_EQ(pop(), 21U);
    EXPECT_EQ(queues.GetWaiting(3), 0);
    // An input alone is served again and again, and keeps its place after itself.
    queues.Push(3, MakeFrame(pool, 2, 5, 22));
    queues.Push(3, MakeFrame(pool, 1, 5, 11));
    queues.Push(3, MakeFrame(pool, 3, 5, 31));
    EXPECT_EQ(pop(false), 31U);
    // Out of turn: the round robin still stands behind input 2.
    queues.Push(3, MakeFrame(pool, 3, 5, 32));
    EXPECT_EQ(pop(), 32U);
    EXPECT_EQ(pop(), 11U);
    EXPECT_EQ(pop(), 22U);
    EXPECT_EQ(queues.GetNFrames(), 0U);
}

TEST(QbbVirtualOutputQueues, LikeTheReference)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto pick = [&](uint64_t n) { return random() % n; };
        const auto nPorts = static_cast<uint32_t>(1 + pick(70));
        QbbFramePool pool;
        QbbVirtualOutputQueues queues;
        queues.Configure(nPorts);
        Reference reference(nPorts);
        uint32_t number = 0;
        uint32_t frames = 0;
        // few outputs and classes, so that many inputs wait for one of them
        const uint64_t nOutputs = 1 + pick(std::min(nPorts, 4U));
        for (uint32_t step = 0; step < 5000; ++step)
        {
            const auto output = static_cast<uint16_t>(pick(nOutputs));
            const auto priority = static_cast<uint8_t>(pick(2) * 7);
            const bool filling = step / 500 % 2 == 0;
            if (pick(10) < (filling ? 6 : 4))
            {
                const auto input = static_cast<uint16_t>(pick(nPorts));
                queues.Push(output, MakeFrame(pool, input, priority, number));
                reference.Push(input, output, priority, number++);
                ++frames;
                continue;
            }
            const auto turns = reference.Turns(output, priority);
            EXPECT_EQ((queues.GetWaiting(output) >> priority & 1) != 0, !turns.empty());
            std::vector<uint16_t> found;
            queues.FindTurn(output, priority, [&](uint16_t input) {
                found.push_back(input);
                return false;
            });
            ASSERT_EQ(found, turns) << "seed " << seed << ", step " << step;
            if (turns.empty())
            {
                continue;
            }
            // Mostly the input whose turn it is, sometimes another one out of turn.
            const bool served = pick(4) != 0;
            const uint16_t input = served && pick(2) ? turns.front() : turns[pick(turns.size())];
            const uint32_t queue =
                queues.FindTurn(output, priority, [&](uint16_t of) { return of == input; });
            ASSERT_NE(queue, QbbVirtualOutputQueues::NONE);
            EXPECT_EQ(queues.GetInput(queue), input);
            const QbbFramePtr frame = queues.Pop(queue, served);
            EXPECT_EQ(frame->psn, reference.Pop(input, output, priority, served));
            EXPECT_EQ(frame->ingressPort, input);
            --frames;
        }
        EXPECT_EQ(queues.GetNFrames(), frames);
        EXPECT_EQ(pool.GetInUse(), frames);
        uint64_t bytes = 0;
        for (uint32_t input = 0; input < nPorts; ++input)
        {
            for (uint32_t output = 0; output < nOutputs; ++output)
            {
                bytes +=
                    queues.GetBytes(static_cast<uint16_t>(input), static_cast<uint16_t>(output), 7);
                bytes +=
                    queues.GetBytes(static_cast<uint16_t>(input), static_cast<uint16_t>(output), 0);
            }
        }
        EXPECT_EQ(bytes, 100U * frames);
        queues.Clear();
        EXPECT_EQ(pool.GetInUse(), 0U);
        EXPECT_EQ(queues.GetNFrames(), 0U);
    }
}

TEST(QbbVirtualOutputQueues, MemoryFollowsUse)
{
    QbbFramePool pool;
    QbbVirtualOutputQueues queues;
    queues.Configure(1000);
    EXPECT_EQ(queues.GetNQueues(), 0U);
    for (uint16_t input = 0; input < 100; ++input)
    {
        queues.Push(7, MakeFrame(pool, input, 3, 0));
        queues.Push(7, MakeFrame(pool, input, 3, 0));
    }
    EXPECT_EQ(queues.GetNQueues(), 100U);
    EXPECT_EQ(queues.GetNPlaces(), 200U);
    const uint64_t before = GetRdmaAllocationCount();
    for (uint32_t round = 0; round < 10'000; ++round)
    {
        QbbFramePtr frame = queues.Pop(queues.GetTurn(7, 3));
        frame->ingressPort = static_cast<uint16_t>(round * 37 % 100);
        queues.Push(7, std::move(frame));
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
    EXPECT_EQ(queues.GetNQueues(), 100U);
    EXPECT_EQ(queues.GetNPlaces(), 200U);
}
