/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-crossbar-matcher.h"
#include "rdma-allocation-count.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Queues and a matcher.
class Rig
{
  public:
    explicit Rig(uint32_t nPorts)
    {
        m_queues.Configure(nPorts);
        m_matcher.Configure(nPorts);
    }

    void Push(uint16_t input, uint16_t output, uint8_t priority = 3, uint32_t count = 1)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            QbbFramePtr frame = m_pool.Allocate();
            frame->ingressPort = input;
            frame->priority = priority;
            frame->size = 1000;
            m_queues.Push(output, std::move(frame));
            m_matcher.AddWaiting(output);
        }
    }

    /// \return "input>output" of each new pair, by output
    std::string Match()
    {
        std::map<uint16_t, std::string> texts;
        for (const auto& pair : m_matcher.Match(m_queues))
        {
            EXPECT_EQ(pair.frame->ingressPort, pair.input);
            texts[pair.output] = std::to_string(pair.input) + ">" + std::to_string(pair.output);
            m_busy.emplace_back(pair.input, pair.output);
        }
        std::string all;
        for (const auto& [output, text] : texts)
        {
            all += (all.empty() ? "" : " ") + text;
        }
        return all;
    }

    /// Ends all pairs that cross.
    void Release()
    {
        for (const auto& [input, output] : m_busy)
        {
            m_matcher.Release(input, output);
        }
        m_busy.clear();
    }

    QbbFramePool m_pool;
    QbbVirtualOutputQueues m_queues;
    QbbCrossbarMatcher m_matcher;
    std::vector<std::pair<uint16_t, uint16_t>> m_busy;
};

} // namespace

TEST(QbbCrossbarMatcher, PointersLeaveEachOther)
{
    // Two inputs with frames for two outputs. First both outputs grant to input 0, which accepts
    // output 0; the second iteration joins 1 and 1 and moves no pointer. In the next match output
    // 0 (after 0) grants to 1 and output 1 to 0: all pairs in one iteration.
    Rig rig(2);
    for (uint16_t input : {0, 1})
    {
        for (uint16_t output : {0, 1})
        {
            rig.Push(input, output, 3, 100);
        }
    }
    EXPECT_EQ(rig.Match(), "0>0 1>1");
    EXPECT_EQ(rig.Match(), "");
    rig.Release();
    EXPECT_EQ(rig.Match(), "1>0 0>1");
    rig.Release();
    EXPECT_EQ(rig.Match(), "0>0 1>1");
    rig.Release();
    EXPECT_EQ(rig.Match(), "1>0 0>1");
}

TEST(QbbCrossbarMatcher, PriorityBeforeTurn)
{
    Rig rig(4);
    rig.Push(0, 2, 1);
    rig.Push(1, 2, 6);
    rig.Push(1, 3, 5);
    // Output 2 grants to input 1 (class 6), output 3 as well (class 5): 6 is accepted.
    EXPECT_EQ(rig.Match(), "1>2");
    rig.Release();
    EXPECT_EQ(rig.Match(), "0>2 1>3");
}

TEST(QbbCrossbarMatcher, RoomIsPerClass)
{
    Rig rig(3);
    rig.Push(0, 2, 6, 2);
    rig.Push(1, 2, 1, 2);
    rig.m_matcher.SetRoom(2, 6, false);
    EXPECT_EQ(rig.m_matcher.GetRoom(2, 0xff), 0xff & ~(1 << 6));
    EXPECT_EQ(rig.Match(), "1>2");
    rig.Release();
    rig.m_matcher.SetRoom(2, 6, true);
    EXPECT_EQ(rig.Match(), "0>2");
    rig.Release();
    rig.m_matcher.SetRoom(2, 6, false);
    rig.m_matcher.SetRoom(2, 1, false);
    EXPECT_EQ(rig.Match(), "");
}

TEST(QbbCrossbarMatcher, MaximalAndOneToOne)
{
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto pick = [&](uint64_t n) { return random() % n; };
        const auto n = static_cast<uint16_t>(2 + pick(30));
        Rig rig(n);
        std::map<std::pair<uint16_t, uint16_t>, int> waiting;
        uint64_t pushed = 0;
        uint64_t crossed = 0;
        for (uint32_t step = 0; step < 500; ++step)
        {
            for (uint64_t i = pick(2U * n); i > 0; --i)
            {
                const auto input = static_cast<uint16_t>(pick(n));
                const auto output = static_cast<uint16_t>(pick(n));
                rig.Push(input, output, static_cast<uint8_t>(pick(8)));
                ++waiting[{input, output}];
                ++pushed;
            }
            for (const auto& pair : rig.m_matcher.Match(rig.m_queues))
            {
                for (const auto& [input, output] : rig.m_busy)
                {
                    ASSERT_NE(input, pair.input) << "an input of two pairs";
                    ASSERT_NE(output, pair.output) << "an output of two pairs";
                }
                rig.m_busy.emplace_back(pair.input, pair.output);
                --waiting[{pair.input, pair.output}];
                ++crossed;
            }
            for (const auto& [key, count] : waiting)
            {
                ASSERT_TRUE(count == 0 || !rig.m_matcher.IsInputFree(key.first) ||
                            !rig.m_matcher.IsOutputFree(key.second))
                    << "free input " << key.first << " has a frame for free output " << key.second;
            }
            // Some pairs end.
            for (std::size_t i = 0; i < rig.m_busy.size();)
            {
                if (pick(2))
                {
                    rig.m_matcher.Release(rig.m_busy[i].first, rig.m_busy[i].second);
                    rig.m_busy.erase(rig.m_busy.begin() + static_cast<std::ptrdiff_t>(i));
                    continue;
                }
                ++i;
            }
        }
        EXPECT_EQ(pushed, crossed + rig.m_queues.GetNFrames());
    }
}

TEST(QbbCrossbarMatcher, FairAndWithoutAllocation)
{
    // Every input has frames for every output: all pairs get equal shares, and all ports are busy.
    constexpr uint16_t N = 5;
    Rig rig(N);
    for (uint16_t input = 0; input < N; ++input)
    {
        for (uint16_t output = 0; output < N; ++output)
        {
            rig.Push(input, output, 3, 4);
        }
    }
    std::map<std::pair<uint16_t, uint16_t>, int> crossed;
    for (uint16_t input = 0; input < N; ++input)
    {
        for (uint16_t output = 0; output < N; ++output)
        {
            crossed[{input, output}] = 0;
        }
    }
    // The pointers take up to N rounds until they differ.
    uint64_t before = 0;
    for (uint32_t round = 0; round < 10 * N; ++round)
    {
        if (round == 5 * N)
        {
            before = GetRdmaAllocationCount();
            for (auto& [key, count] : crossed)
            {
                count = 0;
            }
        }
        auto& pairs = rig.m_matcher.Match(rig.m_queues);
        EXPECT_EQ(pairs.size(), N);
        for (auto& pair : pairs)
        {
            ++crossed[{pair.input, pair.output}];
            rig.m_queues.Push(pair.output, std::move(pair.frame));
            rig.m_matcher.AddWaiting(pair.output);
            rig.m_matcher.Release(pair.input, pair.output);
        }
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
    for (const auto& [key, count] : crossed)
    {
        EXPECT_EQ(count, 5) << key.first << " to " << key.second;
    }
}

TEST(QbbCrossbarMatcher, WeightedClassesShareAnOutput)
{
    // Input 0 has class 3, input 1 class 4, both for output 2, always. Frames of 1000 B.
    for (const auto& [weights, share] : {std::pair("1", 0.5), std::pair("1,1,1,3,1,1,1,1", 0.75)})
    {
        Rig rig(3);
        rig.m_matcher.SetScheduler(2, QbbEgressScheduler::FromText(weights));
        int third = 0;
        constexpr int FRAMES = 4000;
        for (int i = 0; i < FRAMES; ++i)
        {
            rig.Push(0, 2, 3);
            rig.Push(1, 2, 4);
            third += rig.Match() == "0>2";
            rig.Release();
        }
        EXPECT_NEAR(third / static_cast<double>(FRAMES), share, 0.01) << weights;
    }
}

TEST(QbbCrossbarMatcher, AStrictClassGoesBeforeWeightedOnes)
{
    Rig rig(3);
    rig.m_matcher.SetScheduler(2, QbbEgressScheduler::FromText("1,1,1,strict,1,1,1,1"));
    rig.Push(0, 2, 3, 10);
    rig.Push(1, 2, 4, 10);
    for (int i = 0; i < 20; ++i)
    {
        EXPECT_EQ(rig.Match(), i < 10 ? "0>2" : "1>2");
        rig.Release();
    }
}

TEST(QbbCrossbarMatcher, AnInputTakesStrictGrantsBeforeWeightedOnes)
{
    // Input 0 has the weighted class 7 for output 1 and the strict class 0 for output 2.
    Rig rig(3);
    rig.m_matcher.SetScheduler(1, QbbEgressScheduler::FromText("1"));
    rig.Push(0, 1, 7);
    rig.Push(0, 2, 0);
    EXPECT_EQ(rig.Match(), "0>2");
    rig.Release();
    EXPECT_EQ(rig.Match(), "0>1");
}

TEST(QbbCrossbarMatcher, AnInputThatTurnsAwayComesBackToItsTurn)
{
    // Outputs 2 and 3 share input 0 for class 3; input 1 has class 4 for output 2 alone. A turn of
    // 2048 bytes covers up to three frames of 1000 bytes.
    // - Match 1: class 3 has the turn at output 2. Input 0, whose last output was 3, accepts 2.
    // - Match 2: output 2 grants class 3 again, but input 0 accepts output 3. Output 2 then serves
    //   class 4, and class 3 keeps its turn.
    // - Matches 3 and 4 repeat matches 1 and 2. Match 5 repeats match 1 and ends class 3's turn.
    // - Match 6: class 4 has the turn, with 48 bytes left, enough for a frame. Input 0 accepts
    //   output 3. Match 7 repeats match 1.
    Rig rig(4);
    rig.m_matcher.SetScheduler(2, QbbEgressScheduler::FromText("1"));
    rig.m_matcher.SetScheduler(3, QbbEgressScheduler::FromText("1"));
    for (int i = 0; i < 400; ++i)
    {
        rig.Push(0, 2, 3);
        rig.Push(0, 3, 3);
        rig.Push(1, 2, 4);
        const std::string pairs = rig.Match();
        EXPECT_TRUE(pairs == "0>2" || pairs == "1>2 0>3") << pairs;
        EXPECT_EQ(pairs == "0>2", i % 2 == 0) << "match " << i;
        rig.Release();
    }
}

TEST(QbbCrossbarMatcher, WeightsHoldWhereAnInputIsShared)
{
    // Input 0 has class 3 for outputs 1, 2, 3, and serves each of them a third of the time at most.
    // Classes 4 and 5 of inputs 4 and 5 share the rest of output 1 by their weights.
    for (const auto& [weights, third, fourth] : {std::tuple("1", 1 / 3.0, 1 / 3.0),
                                                 std::tuple("1,1,1,2,1,1,1,1", 1 / 3.0, 1 / 3.0),
                                                 std::tuple("1,1,1,1,2,1,1,1", 1 / 4.0, 1 / 2.0),
                                                 std::tuple("1,1,1,8,3,1,1,1", 1 / 3.0, 1 / 2.0)})
    {
        Rig rig(6);
        for (const uint16_t output : {1, 2, 3})
        {
            rig.m_matcher.SetScheduler(output, QbbEgressScheduler::FromText(weights));
        }
        constexpr int FRAMES = 12000;
        std::map<uint8_t, int> crossed;
        for (int i = 0; i < FRAMES; ++i)
        {
            for (const uint16_t output : {1, 2, 3})
            {
                rig.Push(0, output, 3);
            }
            rig.Push(4, 1, 4);
            rig.Push(5, 1, 5);
            for (const auto& pair : rig.m_matcher.Match(rig.m_queues))
            {
                crossed[pair.frame->priority] += pair.output == 1;
                rig.m_busy.emplace_back(pair.input, pair.output);
            }
            rig.Release();
        }
        EXPECT_NEAR(crossed[3] / static_cast<double>(FRAMES), third, 0.02) << weights;
        EXPECT_NEAR(crossed[4] / static_cast<double>(FRAMES), fourth, 0.02) << weights;
        EXPECT_EQ(crossed[3] + crossed[4] + crossed[5], FRAMES);
    }
}
