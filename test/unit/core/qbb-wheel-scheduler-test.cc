/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-wheel-scheduler.h"

#include <ns3/map-scheduler.h>
#include <ns3/object.h>

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

Scheduler::Event
MakeSchedulerEvent(uint64_t ts, uint32_t uid)
{
    Scheduler::Event event;
    event.impl = nullptr;
    event.key.m_ts = ts;
    event.key.m_uid = uid;
    event.key.m_context = 0;
    return event;
}

constexpr uint64_t SLOT = uint64_t{1} << 20;
constexpr uint64_t WHEEL = 32768 * SLOT;

/** Takes everything out and returns the uids. */
std::vector<uint32_t>
Drain(Scheduler& scheduler)
{
    std::vector<uint32_t> uids;
    while (!scheduler.IsEmpty())
    {
        EXPECT_EQ(scheduler.PeekNext().key.m_uid, scheduler.PeekNext().key.m_uid);
        const uint32_t peeked = scheduler.PeekNext().key.m_uid;
        uids.push_back(scheduler.RemoveNext().key.m_uid);
        EXPECT_EQ(uids.back(), peeked);
    }
    return uids;
}

} // namespace

TEST(QbbWheelScheduler, TimeThenUid)
{
    auto scheduler = CreateObject<QbbWheelScheduler>();
    EXPECT_TRUE(scheduler->IsEmpty());
    // One event in the present slot, two at one instant of a later slot in both orders, one beyond.
    scheduler->Insert(MakeSchedulerEvent(5, 10));
    scheduler->Insert(MakeSchedulerEvent(3 * SLOT + 7, 13));
    scheduler->Insert(MakeSchedulerEvent(3 * SLOT + 7, 12));
    scheduler->Insert(MakeSchedulerEvent(2 * WHEEL, 11));
    scheduler->Insert(MakeSchedulerEvent(3 * SLOT + 6, 14));
    EXPECT_EQ(Drain(*scheduler), (std::vector<uint32_t>{10, 14, 12, 13, 11}));
}

TEST(QbbWheelScheduler, FarEventsMeetTheWheel)
{
    // Uid 2 is beyond the wheel when it is inserted; when time has come near, uid 3 goes into the
    // wheel at the same slot, and uid 4 one slot before. Order: 4, then 3 (earlier in the slot), 2.
    auto scheduler = CreateObject<QbbWheelScheduler>();
    scheduler->Insert(MakeSchedulerEvent(0, 0));
    scheduler->Insert(MakeSchedulerEvent(WHEEL + 10 * SLOT + 9, 2));
    scheduler->Insert(MakeSchedulerEvent(20 * SLOT, 1));
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 0U);
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 1U);
    scheduler->Insert(MakeSchedulerEvent(WHEEL + 10 * SLOT + 8, 3));
    scheduler->Insert(MakeSchedulerEvent(WHEEL + 9 * SLOT, 4));
    EXPECT_EQ(Drain(*scheduler), (std::vector<uint32_t>{4, 3, 2}));
}

TEST(QbbWheelScheduler, TimesBeyondTheClock)
{
    // ns-3's time is signed: a time beyond its range, such as 3 h at 1 fs, is negative, and the
    // time step of its event is above 2^63 - 1.
    auto scheduler = CreateObject<QbbWheelScheduler>();
    constexpr auto LATEST = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    scheduler->Insert(MakeSchedulerEvent(LATEST, 1));
    EXPECT_DEATH(scheduler->Insert(MakeSchedulerEvent(LATEST + 1, 2)),
                 "rdma: an event beyond ns-3's clock, which ends after 9223 s at a resolution of 1 "
                 "fs; accepted: Simulator::Stop\\(\\) and other times below that");
    const int64_t threeHoursFs = static_cast<int64_t>(3 * 3600 * uint64_t{1'000'000'000'000'000});
    EXPECT_DEATH(scheduler->Insert(MakeSchedulerEvent(static_cast<uint64_t>(threeHoursFs), 3)),
                 "rdma: an event beyond ns-3's clock");
    EXPECT_EQ(Drain(*scheduler), (std::vector<uint32_t>{1}));
}

TEST(QbbWheelScheduler, EarlierThanThePresentSlot)
{
    // After uid 0 the scheduler has moved on to uid 1's slot; uid 2 is earlier than uid 1.
    auto scheduler = CreateObject<QbbWheelScheduler>();
    scheduler->Insert(MakeSchedulerEvent(0, 0));
    scheduler->Insert(MakeSchedulerEvent(100 * SLOT, 1));
    EXPECT_EQ(scheduler->RemoveNext().key.m_uid, 0U);
    scheduler->Insert(MakeSchedulerEvent(50 * SLOT, 2));
    EXPECT_EQ(Drain(*scheduler), (std::vector<uint32_t>{2, 1}));
}

TEST(QbbWheelScheduler, RemoveAnywhere)
{
    auto scheduler = CreateObject<QbbWheelScheduler>();
    const std::vector<uint64_t> times = {1, 2, 5 * SLOT, 5 * SLOT + 1, 5 * SLOT + 2, 3 * WHEEL};
    for (uint32_t uid = 0; uid < times.size(); ++uid)
    {
        scheduler->Insert(MakeSchedulerEvent(times[uid], uid));
    }
    scheduler->Remove(MakeSchedulerEvent(times[3], 3));
    scheduler->Remove(MakeSchedulerEvent(times[0], 0));
    scheduler->Remove(MakeSchedulerEvent(times[5], 5));
    EXPECT_EQ(Drain(*scheduler), (std::vector<uint32_t>{1, 2, 4}));
    EXPECT_DEATH(scheduler->Remove(MakeSchedulerEvent(7, 99)), "not in the scheduler");
}

TEST(QbbWheelScheduler, SameOrderAsMapScheduler)
{
    // Random inserts ahead of the present time at every scale, with ties, and random removals.
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        std::mt19937_64 random(seed);
        auto wheel = CreateObject<QbbWheelScheduler>();
        auto map = CreateObject<MapScheduler>();
        std::vector<Scheduler::Event> pending;
        uint64_t now = 0;
        uint32_t uid = 0;
        for (int step = 0; step < 20'000; ++step)
        {
            const uint32_t choice = random() % 100;
            if (pending.empty() || choice < 50)
            {
                // Delays of 0 and up to 2^bits time steps: within a slot, the wheel and beyond.
                const uint32_t bits = random() % 36;
                const uint64_t delay = random() % 8 ? random() & ((uint64_t{1} << bits) - 1) : 0;
                const auto event = MakeSchedulerEvent(now + delay, uid++);
                wheel->Insert(event);
                map->Insert(event);
                pending.push_back(event);
            }
            else if (choice < 95)
            {
                const auto expected = map->RemoveNext();
                const auto got = wheel->RemoveNext();
                ASSERT_EQ(got.key.m_uid, expected.key.m_uid) << "seed " << seed;
                ASSERT_EQ(got.key.m_ts, expected.key.m_ts);
                now = got.key.m_ts;
                pending.erase(std::find_if(pending.begin(), pending.end(), [&](const auto& e) {
                    return e.key.m_uid == got.key.m_uid;
                }));
            }
            else
            {
                const std::size_t victim = random() % pending.size();
                wheel->Remove(pending[victim]);
                map->Remove(pending[victim]);
                pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(victim));
            }
            ASSERT_EQ(wheel->IsEmpty(), map->IsEmpty());
        }
        while (!map->IsEmpty())
        {
            ASSERT_EQ(wheel->RemoveNext().key.m_uid, map->RemoveNext().key.m_uid);
        }
        EXPECT_TRUE(wheel->IsEmpty());
    }
}
