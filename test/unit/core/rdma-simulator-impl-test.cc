/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-simulator-impl.h"
#include "rdma-test-simulator.h"
#include "rdma-time.h"

#include <ns3/default-simulator-impl.h>
#include <ns3/global-value.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace ns3;

namespace
{

/** A random script of all kinds of calls, which records its observations. */
class RandomScript
{
  public:
    explicit RandomScript(uint32_t seed)
        : m_random(seed)
    {
        SetScheduler();
    }

    std::string Run()
    {
        for (int i = 0; i < 20; ++i)
        {
            Add();
        }
        Simulator::ScheduleDestroy([this] { m_log << "destroy\n"; });
        const EventId cancelled = Simulator::ScheduleDestroy([this] { m_log << "never\n"; });
        m_log << cancelled.IsExpired();
        Simulator::Cancel(cancelled);
        m_log << cancelled.IsExpired();
        const EventId removed = Simulator::ScheduleDestroy([this] { m_log << "never\n"; });
        Simulator::Remove(removed);
        m_log << removed.IsExpired() << "\n";
        for (int run = 0; run < 3; ++run)
        {
            SetScheduler();
            Simulator::Stop(TimeStep(m_random() % 1'000'000'000));
            Simulator::Run();
            m_log << "stopped at " << Simulator::Now().GetTimeStep() << " finished "
                  << Simulator::IsFinished() << " events " << Simulator::GetEventCount() << "\n";
        }
        m_left = 0;
        Simulator::Run();
        m_log << "end at " << Simulator::Now().GetTimeStep() << " finished "
              << Simulator::IsFinished() << "\n";
        Simulator::Destroy();
        return m_log.str();
    }

  private:
    /**
     * Takes another of ns-3's schedulers; the pending events move to it. HeapScheduler is left out:
     * its Remove() only moves the event that fills the gap down, so later events can overtake
     * others.
     */
    void SetScheduler()
    {
        const std::vector<std::string> types = {"List", "Map", "Calendar", "PriorityQueue"};
        Simulator::SetScheduler(
            ObjectFactory("ns3::" + types[m_random() % types.size()] + "Scheduler"));
    }

    Time GetDelay()
    {
        // Delays of 0 and of up to 2^35 time steps: ties, near events, and events beyond the wheel.
        const uint32_t bits = m_random() % 36;
        return TimeStep(m_random() % 4 ? m_random() & ((uint64_t{1} << bits) - 1) : 0);
    }

    void Add()
    {
        const uint32_t number = m_number++;
        const auto event = [this, number] { OnEvent(number); };
        switch (m_random() % 4)
        {
        case 0:
            Simulator::ScheduleWithContext(m_random() % 5, GetDelay(), event);
            break;
        case 1:
            m_ids.push_back(Simulator::ScheduleNow(event));
            break;
        default:
            m_ids.push_back(Simulator::Schedule(GetDelay(), event));
        }
    }

    void OnEvent(uint32_t number)
    {
        m_log << number << " at " << Simulator::Now().GetTimeStep() << " on "
              << Simulator::GetContext() << "\n";
        for (uint32_t more = m_random() % 4; more > 0 && m_left > 0; --more, --m_left)
        {
            Add();
        }
        if (m_ids.empty())
        {
            return;
        }
        const EventId& id = m_ids[m_random() % m_ids.size()];
        m_log << id.IsExpired() << Simulator::GetDelayLeft(id).GetTimeStep();
        const uint32_t action = m_random() % 8;
        if (action == 0)
        {
            Simulator::Cancel(id);
        }
        else if (action == 1)
        {
            Simulator::Remove(id);
        }
        m_log << id.IsExpired() << "\n";
    }

    std::mt19937 m_random;
    std::ostringstream m_log;
    std::vector<EventId> m_ids;
    uint32_t m_number{0};
    int m_left{2000};
};

} // namespace

TEST(RdmaSimulatorImpl, SameAsDefaultSimulator)
{
    for (uint32_t seed = 1; seed <= 30; ++seed)
    {
        std::string logs[2];
        for (int own = 0; own < 2; ++own)
        {
            const TestSimulatorScope scope(own ? "ns3::RdmaSimulatorImpl"
                                               : "ns3::DefaultSimulatorImpl");
            logs[own] = RandomScript(seed).Run();
        }
        ASSERT_EQ(logs[1], logs[0]) << "seed " << seed;
        ASSERT_GT(logs[0].size(), 10'000U);
    }
}

TEST(RdmaSimulatorImpl, StopInAnEvent)
{
    const TestSimulatorScope scope("ns3::RdmaSimulatorImpl");
    std::vector<int> ran;
    Simulator::Schedule(TimeStep(5), [&] {
        ran.push_back(1);
        Simulator::Stop();
    });
    Simulator::Schedule(TimeStep(5), [&] { ran.push_back(2); });
    Simulator::Run();
    EXPECT_EQ(ran, (std::vector<int>{1}));
    EXPECT_TRUE(Simulator::IsFinished());
    Simulator::Run();
    EXPECT_EQ(ran, (std::vector<int>{1, 2}));
    EXPECT_EQ(Simulator::Now(), TimeStep(5));
}

TEST(RdmaSimulatorImpl, EventsOfAnotherThread)
{
    const TestSimulatorScope scope("ns3::RdmaSimulatorImpl");
    std::thread other;
    int64_t at = -1;
    uint32_t context = 0;
    Simulator::Schedule(TimeStep(100), [&] {
        other = std::thread([&] {
            Simulator::ScheduleWithContext(7, TimeStep(30), [&] {
                at = Simulator::Now().GetTimeStep();
                context = Simulator::GetContext();
            });
        });
        // The simulator takes the event once this event has ended.
        other.join();
    });
    Simulator::Schedule(TimeStep(500), [] {});
    Simulator::Run();
    EXPECT_EQ(at, 130);
    EXPECT_EQ(context, 7U);
}

TEST(RdmaSimulatorImpl, PendingEventsAreFreed)
{
    auto owned = std::make_shared<int>(1);
    {
        const TestSimulatorScope scope("ns3::RdmaSimulatorImpl");
        Simulator::Schedule(TimeStep(10), [owned] {});
        Simulator::ScheduleWithContext(1, Seconds(10), [owned] {});
        Simulator::Stop(TimeStep(5));
        Simulator::Run();
        EXPECT_EQ(owned.use_count(), 3);
    }
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(RdmaSimulatorImpl, AnExceptionEndsTheRun)
{
    const TestSimulatorScope scope("ns3::RdmaSimulatorImpl");
    EXPECT_EQ(RdmaEngine::GetRunning(), nullptr);
    Simulator::Schedule(TimeStep(10), [] {
        EXPECT_NE(RdmaEngine::GetRunning(), nullptr);
        EXPECT_EQ(RdmaEventNow().GetFs(), 10);
        throw std::runtime_error("out of the run");
    });
    EXPECT_THROW(Simulator::Run(), std::runtime_error);
    EXPECT_EQ(RdmaEngine::GetRunning(), nullptr);
    EXPECT_EQ(RdmaEventNow().GetFs(), 10);
}

TEST(RdmaSimulatorImpl, Select)
{
    const auto isOwn = [] {
        return bool(DynamicCast<RdmaSimulatorImpl>(Simulator::GetImplementation()));
    };
    Simulator::Destroy();
    RdmaSimulatorImpl::Select();
    EXPECT_TRUE(isOwn());
    Simulator::Destroy();
    // A simulator that exists stays.
    Simulator::GetImplementation();
    RdmaSimulatorImpl::Select();
    EXPECT_FALSE(isOwn());
    Simulator::Destroy();
    GlobalValue::Bind("simulator", StringValue("default"));
    RdmaSimulatorImpl::Select();
    EXPECT_FALSE(isOwn());
    GlobalValue::Bind("simulator", StringValue("own"));
    Simulator::Destroy();
    // Another simulator that the user names stays.
    GlobalValue::Bind(TestSimulatorScope::TYPE, StringValue("ns3::RealtimeSimulatorImpl"));
    RdmaSimulatorImpl::Select();
    EXPECT_FALSE(isOwn());
    GlobalValue::Bind(TestSimulatorScope::TYPE, StringValue("ns3::DefaultSimulatorImpl"));
    Simulator::Destroy();
}
