/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-simulator.h"

#include <ns3/simulator.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Events from other threads. ns-3's suite "threaded-simulator" checks ns-3's simulators only,
 * because it names them; these tests run with the module's simulator and with ns-3's default one.
 */

using namespace ns3;

namespace
{

using Clock = std::chrono::steady_clock;

/** A thread that schedules events one after another, each once the one before has run. */
class SchedulingThread
{
  public:
    /** \param context context of the thread's events */
    explicit SchedulingThread(uint32_t context)
        : m_context(context),
          m_thread([this] { Work(); })
    {
    }

    ~SchedulingThread()
    {
        Join();
    }

    /** Ends the thread. */
    void Join()
    {
        m_end = true;
        if (m_thread.joinable())
        {
            m_thread.join();
        }
    }

    uint32_t sent{0};      //!< events scheduled; to be read after Join()
    uint32_t ran{0};       //!< events that have run
    uint32_t misplaced{0}; //!< events that ran in another context
    int64_t early{0};      //!< events that ran before their delay was over

  private:
    void Work()
    {
        while (!m_end)
        {
            m_waiting = true;
            ++sent;
            // No event can run earlier: the thread has seen the time of its last event.
            const int64_t earliest = m_last + 7;
            Simulator::ScheduleWithContext(m_context, TimeStep(7), [this, earliest] {
                ++ran;
                misplaced += Simulator::GetContext() != m_context;
                early += Simulator::Now().GetTimeStep() < earliest;
                m_last = Simulator::Now().GetTimeStep();
                m_waiting = false;
            });
            while (!m_end && m_waiting)
            {
                std::this_thread::yield();
            }
        }
    }

    uint32_t m_context;                //!< context of the events
    std::atomic<bool> m_end{false};    //!< the thread is to end
    std::atomic<bool> m_waiting{true}; //!< an event has not yet run
    std::atomic<int64_t> m_last{0};    //!< time of the last event
    std::thread m_thread;              //!< the thread, which begins once all the rest is made
};

/** Type of the simulator, and number of threads. */
class SimulatorThreads : public testing::TestWithParam<std::tuple<const char*, uint32_t>>
{
  protected:
    static constexpr uint32_t ENOUGH = 20; //!< events of each thread

    /** Step of a chain of events, 10 time steps apart, that ends when the threads are done. */
    void Step()
    {
        broken += Simulator::Now().GetTimeStep() != 10 * steps;
        broken += Simulator::GetContext() != 1000;
        ++steps;
        bool enough = true;
        for (const SchedulingThread& thread : threads)
        {
            enough = enough && thread.ran >= ENOUGH;
        }
        if ((enough && steps > 1000) || Clock::now() > deadline)
        {
            for (SchedulingThread& thread : threads)
            {
                thread.Join();
            }
            return;
        }
        Simulator::Schedule(TimeStep(10), &SimulatorThreads::Step, this);
    }

    TestSimulatorScope scope{std::get<0>(GetParam())};                  //!< the simulator
    Clock::time_point deadline{Clock::now() + std::chrono::minutes(2)}; //!< when the chain gives up
    std::deque<SchedulingThread> threads;                               //!< the threads
    int64_t steps{0};                                                   //!< steps of the chain
    int64_t broken{0}; //!< steps at another time or in another context
};

/** A simulator of the type that is the parameter. */
class SimulatorThread : public testing::TestWithParam<const char*>
{
  protected:
    TestSimulatorScope scope{GetParam()}; //!< the simulator
};

std::string
GetSimulatorWord(const std::string& type)
{
    return type == "ns3::RdmaSimulatorImpl" ? "Own" : "Default";
}

constexpr const char* OWN = "ns3::RdmaSimulatorImpl";
constexpr const char* DEFAULT = "ns3::DefaultSimulatorImpl";

} // namespace

TEST_P(SimulatorThreads, AChainOfEventsAndThreads)
{
    Simulator::ScheduleWithContext(1000, TimeStep(0), [this] {
        for (uint32_t i = 0; i < std::get<1>(GetParam()); ++i)
        {
            threads.emplace_back(i);
        }
        Step();
    });
    Simulator::Run();
    EXPECT_EQ(broken, 0);
    EXPECT_GT(steps, 1000);
    EXPECT_TRUE(Simulator::IsFinished());
    for (const SchedulingThread& thread : threads)
    {
        // No event is lost, not even one that was added while the last event of the chain ran.
        EXPECT_EQ(thread.ran, thread.sent);
        EXPECT_GE(thread.ran, ENOUGH);
        EXPECT_EQ(thread.misplaced, 0U);
        EXPECT_EQ(thread.early, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Simulators,
                         SimulatorThreads,
                         testing::Combine(testing::Values(OWN, DEFAULT),
                                          testing::Values(0U, 2U, 10U, 20U)),
                         [](const auto& info) {
                             return GetSimulatorWord(std::get<0>(info.param)) +
                                    std::to_string(std::get<1>(info.param));
                         });

TEST_P(SimulatorThread, BeforeAndAfterARun)
{
    std::vector<int64_t> at;
    const auto schedule = [&at](uint32_t context, int64_t delay) {
        std::thread([&at, context, delay] {
            Simulator::ScheduleWithContext(context, TimeStep(delay), [&at, context] {
                EXPECT_EQ(Simulator::GetContext(), context);
                at.push_back(Simulator::Now().GetTimeStep());
            });
        }).join();
    };
    schedule(1, 30);
    Simulator::Schedule(TimeStep(20), [&] {
        schedule(2, 10);
        schedule(3, 10);
    });
    Simulator::Run();
    EXPECT_EQ(at, (std::vector<int64_t>{30, 30, 30}));
    schedule(4, 5);
    // The delay counts from the end of the run before.
    Simulator::Run();
    EXPECT_EQ(at, (std::vector<int64_t>{30, 30, 30, 35}));
    EXPECT_EQ(Simulator::GetEventCount(), 5U);
}

TEST_P(SimulatorThread, RunsInTheThreadThatCallsRun)
{
    // The thread that runs the simulator may schedule; the one that made it is then another one.
    std::thread::id ranIn;
    Simulator::Schedule(TimeStep(10), [&] {
        Simulator::Schedule(TimeStep(10), [&] { ranIn = std::this_thread::get_id(); });
    });
    std::thread runner([] { Simulator::Run(); });
    const std::thread::id expected = runner.get_id();
    runner.join();
    EXPECT_EQ(ranIn, expected);
    EXPECT_EQ(Simulator::Now(), TimeStep(20));
}

TEST_P(SimulatorThread, EventsThatNoRunTakesAreFreed)
{
    auto owned = std::make_shared<int>(1);
    std::thread([owned] { Simulator::ScheduleWithContext(1, TimeStep(1), [owned] {}); }).join();
    EXPECT_EQ(owned.use_count(), 2);
    Simulator::Destroy();
    EXPECT_EQ(owned.use_count(), 1);
}

INSTANTIATE_TEST_SUITE_P(Simulators,
                         SimulatorThread,
                         testing::Values(OWN, DEFAULT),
                         [](const auto& info) { return GetSimulatorWord(info.param); });
