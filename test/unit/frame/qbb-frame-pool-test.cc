/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-codec.h"
#include "qbb-frame.h"
#include "rdma-allocation-count.h"
#include "rdma-engine.h"

#include <ns3/simulator.h>

#include <array>
#include <bitset>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

TEST(QbbFramePool, DefaultsEachTime)
{
    QbbFramePool pool;
    const QbbFrame* place = nullptr;
    {
        QbbFramePtr frame = pool.Allocate();
        place = frame.get();
        frame->type = QbbFrameType::PFC;
        frame->psn = 7;
        frame->quanta.fill(9);
        frame->ingressPort = 3;
        frame->migReq = false;
        frame->packet = Create<Packet>(10);
        frame->intRoom = 2;
        frame->telemetry.resize(1);
    }
    // The frame reuses the memory, but has no value of the earlier frame.
    QbbFramePtr frame = pool.Allocate();
    EXPECT_EQ(frame.get(), place);
    EXPECT_EQ(frame->type, QbbFrameType::ROCE);
    EXPECT_EQ(frame->psn, 0U);
    EXPECT_EQ(frame->quanta, (std::array<uint16_t, 8>{}));
    EXPECT_EQ(frame->ingressPort, 0);
    EXPECT_TRUE(frame->migReq);
    EXPECT_EQ(frame->pKey, 0xffff);
    EXPECT_EQ(frame->packet, nullptr);
    EXPECT_EQ(frame->intRoom, 0);
    EXPECT_TRUE(frame->telemetry.empty());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(place) % 64, 0U);
}

TEST(QbbFramePool, FieldsInTheirCacheLines)
{
    QbbFramePool pool;
    const QbbFramePtr frame = pool.Allocate();
    const auto endsIn = [&frame](const auto& field) {
        const auto* end = reinterpret_cast<const uint8_t*>(&field) + sizeof(field) - 1;
        return (end - reinterpret_cast<const uint8_t*>(frame.get())) / 64;
    };
    // The fields that a switch needs, from the first one to the ports.
    EXPECT_EQ(endsIn(frame->type), 0);
    EXPECT_EQ(endsIn(frame->ttl), 0);
    EXPECT_EQ(endsIn(frame->dstPort), 0);
    // Further fields that a NIC needs of every packet.
    EXPECT_EQ(endsIn(frame->opcode), 1);
    EXPECT_EQ(endsIn(frame->packet), 1);
    EXPECT_EQ(endsIn(frame->wqeSn), 1);
    EXPECT_EQ(endsIn(frame->offset), 1);
    EXPECT_EQ(endsIn(frame->selectivePsn), 1);
    EXPECT_EQ(endsIn(frame->syndrome), 1);
    // The rest.
    EXPECT_EQ(endsIn(frame->compare), 2);
    EXPECT_EQ(sizeof(QbbFrame), 192U);
}

TEST(QbbFramePool, FieldsOfFewFramesAreDefaultAgain)
{
    QbbFramePool pool;
    using Use = std::function<void(QbbFrame&)>;
    const std::vector<Use> uses{
        [](QbbFrame& frame) {
            frame.opcode = static_cast<uint8_t>(RdmaOpcode::SEND_ONLY_WITH_IMMEDIATE);
            frame.immediate = 1;
        },
        [](QbbFrame& frame) {
            frame.opcode = static_cast<uint8_t>(RdmaOpcode::FETCH_ADD);
            frame.swapOrAdd = 2;
            frame.compare = 3;
        },
        [](QbbFrame& frame) {
            frame.opcode = static_cast<uint8_t>(RdmaOpcode::ATOMIC_ACKNOWLEDGE);
            frame.compare = 4;
        },
        [](QbbFrame& frame) {
            frame.intRoom = 1;
            frame.intOverflow = true;
        },
        [](QbbFrame& frame) { QbbFrameCodec::AddFabric(frame, 1, 14); },
        [](QbbFrame& frame) {
            frame.type = QbbFrameType::PFC;
            frame.classEnable = 0xff;
            frame.quanta.fill(5);
        },
    };
    for (const Use& use : uses)
    {
        {
            const QbbFramePtr frame = pool.Allocate();
            frame->size = 64;
            use(*frame);
        }
        const QbbFramePtr frame = pool.Allocate();
        EXPECT_EQ(frame->immediate, 0U);
        EXPECT_EQ(frame->swapOrAdd, 0U);
        EXPECT_EQ(frame->compare, 0U);
        EXPECT_FALSE(frame->intOverflow);
        EXPECT_EQ(frame->classEnable, 0U);
        EXPECT_EQ(frame->quanta, (std::array<uint16_t, 8>{}));
    }
}

TEST(QbbFramePool, HeadersAndNothingElse)
{
    QbbFramePool pool;
    const Ptr<Packet> packet = Create<Packet>(3);
    QbbFramePtr used = pool.Allocate();
    used->payload = 4096;
    used->msn = 7;
    used->packet = packet;
    EXPECT_EQ(packet->GetReferenceCount(), 2U);
    // A frame that goes back lets go of its packet at once.
    used.reset();
    EXPECT_EQ(packet->GetReferenceCount(), 1U);
    // The next frame reuses the memory, and has no value of the earlier frame.
    QbbFrameHeaders headers;
    headers.psn = 0xabcdef;
    headers.destQp = 17;
    const QbbFramePtr frame = pool.Allocate(headers);
    EXPECT_EQ(frame->psn, 0xabcdefU);
    EXPECT_EQ(frame->destQp, 17U);
    EXPECT_EQ(frame->payload, 0U);
    EXPECT_EQ(frame->msn, 0U);
    EXPECT_EQ(frame->packet, nullptr);
}

TEST(QbbFramePool, CountsAndGrowth)
{
    QbbFramePool pool;
    EXPECT_EQ(pool.GetCapacity(), 0U); // nothing until it is used
    EXPECT_EQ(pool.GetInUse(), 0U);
    // The pool grows by 85 frames, which take 16 KB, then by 170, by 255, and at most by 510.
    std::vector<QbbFramePtr> frames;
    std::vector<uint32_t> capacities;
    for (int i = 0; i < 1800; ++i)
    {
        frames.push_back(pool.Allocate());
        EXPECT_EQ(pool.GetInUse(), frames.size());
        if (capacities.empty() || capacities.back() != pool.GetCapacity())
        {
            capacities.push_back(pool.GetCapacity());
        }
    }
    EXPECT_EQ(capacities, (std::vector<uint32_t>{85, 255, 510, 850, 1275, 1785, 2295}));
    std::set<const QbbFrame*> distinct;
    for (const auto& frame : frames)
    {
        distinct.insert(frame.get());
    }
    EXPECT_EQ(distinct.size(), 1800U);
    frames.clear();
    EXPECT_EQ(pool.GetInUse(), 0U);
    EXPECT_EQ(pool.GetCapacity(), 2295U);
}

TEST(QbbFramePool, NoAllocationInSteadyState)
{
    QbbFramePool pool;
    std::vector<QbbFramePtr> frames;
    frames.reserve(64);
    for (int i = 0; i < 64; ++i)
    {
        frames.push_back(pool.Allocate());
    }
    frames.clear();
    const QbbFrameHeaders headers;
    const uint64_t before = GetRdmaAllocationCount();
    for (int round = 0; round < 100; ++round)
    {
        for (int i = 0; i < 64; ++i)
        {
            frames.push_back(i % 2 ? pool.Allocate() : pool.Allocate(headers));
        }
        frames.clear();
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
}

TEST(QbbFramePool, FramesOutliveTheirPool)
{
    // Builds with sanitizers check that the memory still exists.
    const auto packet = Create<Packet>(100);
    std::vector<QbbFramePtr> frames;
    frames.reserve(20);
    const uint64_t inUse = GetRdmaAllocationsInUse();
    {
        QbbFramePool pool;
        for (int i = 0; i < 20; ++i)
        {
            frames.push_back(pool.Allocate());
            frames.back()->psn = static_cast<uint32_t>(i);
            frames.back()->packet = packet;
        }
        frames.erase(frames.begin(), frames.begin() + 5);
    }
    EXPECT_GT(GetRdmaAllocationsInUse(), inUse);
    for (std::size_t i = 0; i < frames.size(); ++i)
    {
        EXPECT_EQ(frames[i]->psn, i + 5);
        EXPECT_EQ(frames[i]->packet, packet);
    }
    // Frames go back in another order than they were taken; the last one frees the memory.
    std::mt19937_64 random(1);
    while (!frames.empty())
    {
        std::swap(frames.back(), frames[random() % frames.size()]);
        frames.pop_back();
        EXPECT_EQ(packet->GetReferenceCount(), 1 + frames.size());
    }
    EXPECT_EQ(GetRdmaAllocationsInUse(), inUse);
}

TEST(QbbFramePool, EmptyPoolsLeaveNothing)
{
    const uint64_t inUse = GetRdmaAllocationsInUse();
    {
        QbbFramePool unused;
        QbbFramePool used;
        used.Allocate();
    }
    EXPECT_EQ(GetRdmaAllocationsInUse(), inUse);
}

TEST(QbbFramePool, PoolsShareMemory)
{
    const uint64_t inUse = GetRdmaAllocationsInUse();
    {
        QbbFramePool one;
        QbbFramePtr early = one.Allocate();
        QbbFramePool two;
        one.Share(two);
        EXPECT_EQ(one.GetInUse(), 0U) << "an early frame is in other memory";
        const QbbFrame* returned = nullptr;
        {
            const QbbFramePtr frame = one.Allocate();
            returned = frame.get();
            EXPECT_EQ(two.GetInUse(), 1U);
        }
        QbbFramePtr next = two.Allocate();
        EXPECT_EQ(next.get(), returned) << "the frame that was returned last";
        early.reset();
        EXPECT_EQ(one.GetInUse(), 1U);
    }
    EXPECT_EQ(GetRdmaAllocationsInUse(), inUse);
}

TEST(QbbFramePool, PoolsOfASimulation)
{
    QbbFramePool one(QbbFramePool::Memory::OF_SIMULATION);
    QbbFramePool two(QbbFramePool::Memory::OF_SIMULATION);
    EXPECT_EQ(one.GetCapacity(), 0U);
    const QbbFramePtr frame = one.Allocate();
    EXPECT_EQ(two.GetInUse(), 0U) << "a pool without memory";
    const QbbFramePtr other = two.Allocate();
    EXPECT_EQ(two.GetInUse(), 2U);
    EXPECT_EQ(QbbFramePool::OfSimulation().GetInUse(), 2U);
    Simulator::Destroy();
    EXPECT_EQ(QbbFramePool::OfSimulation().GetInUse(), 0U) << "another simulation";
    EXPECT_EQ(one.GetInUse(), 2U);
    Simulator::Destroy();
}

TEST(QbbFramePool, ThreadsHaveFreeFramesOfTheirOwn)
{
    const uint64_t inUse = GetRdmaAllocationsInUse();
    {
        QbbFramePool pool;
        std::array<RdmaEngine, 3> engines;
        for (uint32_t thread = 0; thread < engines.size(); ++thread)
        {
            engines[thread].SetTurn(thread, 0);
        }
        pool.Allocate();
        pool.SetThreads(3);
        // The block has 85 frames, which are divided among three threads.
        std::vector<std::vector<QbbFramePtr>> frames(3);
        std::set<const QbbFrame*> distinct;
        for (uint32_t thread = 0; thread < 3; ++thread)
        {
            const RdmaEngine::RunningScope scope(&engines[thread]);
            for (int i = 0; i < 28; ++i)
            {
                frames[thread].push_back(pool.Allocate());
                distinct.insert(frames[thread].back().get());
            }
        }
        EXPECT_EQ(pool.GetCapacity(), 85U);
        EXPECT_EQ(distinct.size(), 84U);
        EXPECT_EQ(pool.GetInUse(), 84U);
        // A frame is free for the thread that destroys it.
        {
            const RdmaEngine::RunningScope scope(&engines[1]);
            const QbbFrame* const frame = frames[2].back().get();
            frames[2].pop_back();
            frames[1].push_back(pool.Allocate());
            EXPECT_EQ(frames[1].back().get(), frame);
        }
        // Thread 2 has none left, and takes memory of its own.
        {
            const RdmaEngine::RunningScope scope(&engines[2]);
            while (pool.GetCapacity() == 85)
            {
                frames[2].push_back(pool.Allocate());
            }
            EXPECT_LE(frames[2].size(), 29U);
            EXPECT_EQ(pool.GetCapacity(), 170U);
        }
        pool.SetThreads(1);
        frames.clear();
        EXPECT_EQ(pool.GetInUse(), 0U);
        std::vector<QbbFramePtr> all;
        for (uint32_t i = 0; i < 170; ++i)
        {
            all.push_back(pool.Allocate());
        }
        EXPECT_EQ(pool.GetCapacity(), 170U) << "one thread has all free frames again";
    }
    EXPECT_EQ(GetRdmaAllocationsInUse(), inUse);
}

TEST(QbbFramePool, AThreadThatSendsMoreThanItGetsNeedsNoFurtherMemory)
{
    QbbFramePool pool;
    std::array<RdmaEngine, 2> engines;
    engines[1].SetTurn(1, 0);
    pool.SetThreads(2);
    constexpr uint32_t IN_FLIGHT = 100;
    for (int window = 0; window < 1000; ++window)
    {
        std::vector<QbbFramePtr> frames;
        {
            const RdmaEngine::RunningScope scope(&engines[0]);
            for (uint32_t i = 0; i < IN_FLIGHT; ++i)
            {
                frames.push_back(pool.Allocate());
            }
        }
        EXPECT_EQ(pool.GetInUse(), IN_FLIGHT);
        const RdmaEngine::RunningScope scope(&engines[1]);
        frames.clear();
    }
    EXPECT_EQ(pool.GetInUse(), 0U);
    const uint32_t capacity = pool.GetCapacity();
    EXPECT_LT(capacity, 2000U) << "100,000 frames have gone from thread to thread";
    // One thread has all free frames again.
    pool.SetThreads(1);
    std::vector<QbbFramePtr> all;
    for (uint32_t i = 0; i < capacity; ++i)
    {
        all.push_back(pool.Allocate());
    }
    EXPECT_EQ(pool.GetCapacity(), capacity);
}

TEST(QbbFramePool, FramesGoBackToTheirOwnPool)
{
    QbbFramePool one;
    QbbFramePool two;
    QbbFramePtr a = one.Allocate();
    QbbFramePtr b = two.Allocate();
    std::swap(a, b);
    a.reset(); // frees the frame of pool two
    EXPECT_EQ(one.GetInUse(), 1U);
    EXPECT_EQ(two.GetInUse(), 0U);
    b = two.Allocate(); // frees the frame of pool one
    EXPECT_EQ(one.GetInUse(), 0U);
    EXPECT_EQ(two.GetInUse(), 1U);
}

TEST(QbbFlowHash, EveryInputBitCounts)
{
    // Avalanche: flipping any one of the 104 bits of a 5-tuple flips each of the 32 output bits
    // about half the time. Over 2000 tuples the standard deviation of a share is 1.1%; 6 of them.
    constexpr int TUPLES = 2000;
    std::mt19937_64 random(2);
    std::vector<std::array<int, 32>> flips(104);
    for (int i = 0; i < TUPLES; ++i)
    {
        const auto src = static_cast<uint32_t>(random());
        const auto dst = static_cast<uint32_t>(random());
        const auto protocol = static_cast<uint8_t>(random());
        const auto srcPort = static_cast<uint16_t>(random());
        const auto dstPort = static_cast<uint16_t>(random());
        const uint32_t hash = QbbFlowHash(src, dst, protocol, srcPort, dstPort);
        ASSERT_EQ(hash, QbbFlowHash(src, dst, protocol, srcPort, dstPort));
        for (uint32_t bit = 0; bit < 104; ++bit)
        {
            const std::bitset<104> flip = std::bitset<104>(1) << bit;
            const auto part = [&flip](uint32_t from, uint32_t bits) {
                return ((flip >> from) & std::bitset<104>((1ULL << bits) - 1)).to_ullong();
            };
            const uint32_t other = QbbFlowHash(src ^ static_cast<uint32_t>(part(0, 32)),
                                               dst ^ static_cast<uint32_t>(part(32, 32)),
                                               static_cast<uint8_t>(protocol ^ part(64, 8)),
                                               static_cast<uint16_t>(srcPort ^ part(72, 16)),
                                               static_cast<uint16_t>(dstPort ^ part(88, 16)));
            for (uint32_t out = 0; out < 32; ++out)
            {
                flips[bit][out] += static_cast<int>(((hash ^ other) >> out) & 1);
            }
        }
    }
    for (const auto& row : flips)
    {
        for (const int count : row)
        {
            EXPECT_NEAR(static_cast<double>(count) / TUPLES, 0.5, 0.067);
        }
    }
}

TEST(QbbFlowHash, SpreadsNeighbours)
{
    // 4096 connections of two neighbouring hosts that differ in the source port only, over 16
    // paths: 256 each, standard deviation 15.5.
    std::array<int, 16> low{};
    std::array<int, 16> high{};
    for (uint32_t port = 0; port < 4096; ++port)
    {
        const uint32_t hash =
            QbbFlowHash(0x0a000001, 0x0a000002, 17, static_cast<uint16_t>(0xc000 + port), 4791);
        ++low[hash % 16];
        ++high[hash >> 28];
    }
    for (int i = 0; i < 16; ++i)
    {
        EXPECT_NEAR(low[i], 256, 6 * 15.5);
        EXPECT_NEAR(high[i], 256, 6 * 15.5);
    }
    // Direction matters: the two halves of a connection are two flows.
    EXPECT_NE(QbbFlowHash(1, 2, 17, 3, 4), QbbFlowHash(2, 1, 17, 4, 3));
}
