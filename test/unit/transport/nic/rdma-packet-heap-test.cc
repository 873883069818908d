/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-packet-heap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/// A message that counts how often messages are copied or moved.
struct CountedMessage
{
    explicit CountedMessage(uint64_t number)
        : packet(number)
    {
    }

    CountedMessage(CountedMessage&& other) noexcept
        : packet(other.packet)
    {
        ++moves;
    }

    CountedMessage& operator=(CountedMessage&& other) noexcept
    {
        packet = other.packet;
        ++moves;
        return *this;
    }

    uint64_t packet;              //!< number of the message
    static inline uint64_t moves; //!< copies and moves of all messages
};

/// \return 0 to n - 1
std::vector<uint64_t>
MakeNumbers(uint64_t n)
{
    std::vector<uint64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

} // namespace

TEST(RdmaPacketHeap, LowestNumberFirst)
{
    std::vector<uint64_t> numbers = MakeNumbers(1000);
    std::mt19937 random(3);
    std::shuffle(numbers.begin(), numbers.end(), random);
    RdmaPacketHeap<CountedMessage> heap;
    EXPECT_FALSE(heap.HasBefore(UINT64_MAX));
    for (const uint64_t number : numbers)
    {
        heap.Push(CountedMessage(number));
    }
    for (uint64_t number = 0; number < numbers.size(); ++number)
    {
        EXPECT_FALSE(heap.HasBefore(number));
        ASSERT_TRUE(heap.HasBefore(number + 1));
        EXPECT_EQ(heap.Pop().packet, number);
    }
    EXPECT_FALSE(heap.HasBefore(UINT64_MAX));
}

// A message that is lost holds up all that follow it, in order or, over several paths, in any other
// order. With n of them in the heap a Push() moves its message up to log2(n) + 4 times; a Pop()
// moves up to 2 log2(n) + 5; a vector that doubles moves each message twice at most. Inserting at
// its place in a sorted vector would take n / 2 moves for each message.
TEST(RdmaPacketHeap, WorkForAMessageGrowsByALogarithm)
{
    for (const uint32_t log : {8U, 12U, 16U})
    {
        const uint64_t n = uint64_t{1} << log;
        std::vector<uint64_t> upwards = MakeNumbers(n);
        std::vector<uint64_t> downwards(upwards.rbegin(), upwards.rend());
        std::vector<uint64_t> shuffled = upwards;
        std::mt19937 random(4);
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        for (const auto& order : {upwards, downwards, shuffled})
        {
            CountedMessage::moves = 0;
            RdmaPacketHeap<CountedMessage> heap;
            for (const uint64_t number : order)
            {
                heap.Push(CountedMessage(number));
            }
            for (uint64_t left = n; left > 0; --left)
            {
                heap.Pop();
            }
            EXPECT_LE(CountedMessage::moves, n * (3 * log + 11)) << n << " messages";
        }
    }
}
