/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-wheel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

using Event = RdmaEventWheel::Event;

/** A wheel, and a set with equal events. The address of an event object is twice its uid. */
class Crowd
{
  public:
    explicit Crowd(uint32_t slots = RdmaEventWheel::SLOTS)
        : wheel(slots)
    {
    }

    void Insert(uint64_t at)
    {
        Event ev{};
        ev.key.m_ts = at;
        ev.key.m_uid = ++m_uid;
        ev.impl = reinterpret_cast<EventImpl*>(uintptr_t{2} * m_uid);
        wheel.Insert(ev);
        expected.insert(ev);
    }

    void Remove(std::set<Event>::iterator ev)
    {
        wheel.Remove(*ev);
        expected.erase(ev);
    }

    /** Takes the next event, and counts whether the wheel knows the events that follow. */
    void Take()
    {
        const Event* next = wheel.TakeNext();
        ASSERT_NE(next, nullptr);
        ASSERT_EQ(next->key.m_uid, expected.begin()->key.m_uid);
        now = next->key.m_ts;
        expected.erase(expected.begin());
        auto following = expected.begin();
        for (uint32_t place = 0; place < 3 && following != expected.end(); ++place, ++following)
        {
            ++looks;
            known += wheel.IsCrowded() && wheel.LookAhead(place) == following->impl;
        }
    }

    RdmaEventWheel wheel;     //!< the wheel
    std::set<Event> expected; //!< the events in it
    uint64_t now{0};          //!< time of the latest event
    uint32_t looks{0};        //!< events that follow an event closely
    uint32_t known{0};        //!< events of looks that LookAhead() had predicted

  private:
    uint32_t m_uid{0}; //!< uid of the latest event
};

} // namespace

TEST(RdmaEventWheel, ACrowdIsInOrderAndKnownAhead)
{
    for (const uint32_t spread : {24, 28, 32})
    {
        std::mt19937_64 random(spread);
        Crowd crowd;
        const auto insert = [&]() {
            // Events at the present instant, within the spread, and far beyond the wheel.
            const uint32_t kind = random() % 64;
            const uint32_t bits = kind == 0 ? 0 : kind == 1 ? 50 : spread;
            crowd.Insert(crowd.now + (random() & ((uint64_t{1} << bits) - 1)));
        };
        for (uint32_t i = 0; i < 5000; ++i)
        {
            insert();
        }
        for (uint32_t step = 0; step < 60'000; ++step)
        {
            crowd.Take();
            if (step % 16 == 0)
            {
                insert();
                crowd.Remove(std::next(crowd.expected.begin(), random() % 50));
            }
            insert();
        }
        EXPECT_GT(crowd.known, crowd.looks / 10 * 9) << spread;
        while (!crowd.expected.empty())
        {
            crowd.Take();
        }
        EXPECT_TRUE(crowd.wheel.IsEmpty());
        EXPECT_EQ(crowd.wheel.TakeNext(), nullptr);
    }
}

TEST(RdmaEventWheel, FewEventsAreNoCrowd)
{
    RdmaEventWheel wheel;
    Event ev{};
    for (uint32_t i = 0; i < 100; ++i)
    {
        ev.key.m_ts = uint64_t{i} << 22;
        ev.key.m_uid = i;
        wheel.Insert(ev);
    }
    for (uint32_t i = 0; i < 100; ++i)
    {
        ASSERT_EQ(wheel.RemoveNext().key.m_uid, i);
        EXPECT_FALSE(wheel.IsCrowded());
    }
}

TEST(RdmaEventWheel, OfAnyNumberOfSlotsAndAnyWidth)
{
    for (const uint32_t slots : {64, 4096, 131072})
    {
        std::mt19937_64 random(slots);
        Crowd crowd(slots);
        for (uint32_t step = 0; step < 40'000; ++step)
        {
            if (step % 1000 == 0)
            {
                const uint32_t width = random() % 40;
                crowd.wheel.SetWidth(width);
                EXPECT_LE(crowd.wheel.GetWidth(), std::max(width, 12U));
            }
            const uint64_t spread = uint64_t{1} << (random() % 40);
            crowd.Insert(crowd.now + random() % spread);
            if (step % 3 > 0 || step > 30'000)
            {
                ASSERT_EQ(crowd.wheel.PeekNext().key.m_uid, crowd.expected.begin()->key.m_uid);
                crowd.Take();
            }
            ASSERT_EQ(crowd.wheel.GetCount(), crowd.expected.size());
        }
        const std::vector<Event> rest = crowd.wheel.TakeAll();
        EXPECT_EQ(std::set<Event>(rest.begin(), rest.end()), crowd.expected);
        EXPECT_EQ(rest.size(), crowd.expected.size());
        EXPECT_EQ(crowd.wheel.GetCount(), 0U);
    }
}

TEST(RdmaEventWheel, AnInstantOfManyEventsIsInOrderAndKnownAhead)
{
    for (const uint32_t slots : {4096, 131072})
    {
        for (const uint32_t places : {1, 7, 1000})
        {
            std::mt19937_64 random(places);
            Crowd crowd(slots);
            for (uint32_t i = 0; i < 5000; ++i)
            {
                crowd.Insert(random() % places);
            }
            // Events belong to the present instant, at later places, or to the instant 2 ns later.
            for (uint32_t step = 0; step < 60'000; ++step)
            {
                crowd.Take();
                const uint64_t place = crowd.now % 1000;
                const bool isSame = step % 4 == 0 && place < places;
                crowd.Insert(isSame ? crowd.now + random() % (places - place)
                                    : crowd.now - place + 2'000'000 + random() % places);
            }
            EXPECT_GT(crowd.known, crowd.looks / 10 * 9) << slots << " " << places;
            while (!crowd.expected.empty())
            {
                crowd.Take();
            }
            EXPECT_TRUE(crowd.wheel.IsEmpty());
        }
    }
}

TEST(RdmaEventWheel, UidsOfAnInstantInAnyOrder)
{
    std::mt19937_64 random(1);
    RdmaEventWheel wheel(4096);
    std::set<Event> expected;
    const auto insert = [&](uint64_t at) {
        Event ev{};
        ev.key.m_ts = at;
        ev.key.m_uid = static_cast<uint32_t>(random());
        if (expected.insert(ev).second)
        {
            wheel.Insert(ev);
        }
    };
    for (uint32_t i = 0; i < 3000; ++i)
    {
        insert(random() % 2);
    }
    for (uint32_t step = 0; step < 5000; ++step)
    {
        ASSERT_EQ(wheel.TakeNext()->key.m_uid, expected.begin()->key.m_uid);
        expected.erase(expected.begin());
        insert(1);
        const auto victim = std::next(expected.begin(), random() % 100);
        if (step % 8 == 0)
        {
            wheel.Remove(*victim);
            expected.erase(victim);
            insert(1);
        }
        ASSERT_EQ(wheel.GetCount(), expected.size());
    }
}

TEST(RdmaEventWheel, EventsBeforeAPutBackEventAreKnownAhead)
{
    // A timer is next, and is put back. Then a crowd is inserted before the timer.
    for (const uint32_t slots : {64, 131072})
    {
        std::mt19937_64 random(slots);
        Crowd crowd(slots);
        for (uint32_t round = 0; round < 20; ++round)
        {
            crowd.Insert(crowd.now + 1'000'000'000'000);
            ASSERT_NE(crowd.wheel.TakeNext(), nullptr);
            crowd.wheel.PutBack();
            for (uint32_t i = 0; i < 3000; ++i)
            {
                crowd.Insert(crowd.now + random() % 100'000'000);
            }
            for (uint32_t i = 0; i < 3000; ++i)
            {
                crowd.Take();
            }
            crowd.Take();
        }
        EXPECT_TRUE(crowd.wheel.IsEmpty());
        EXPECT_GT(crowd.known, crowd.looks / 2) << slots;
    }
}
