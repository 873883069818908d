/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-simulator.h"

#include <ns3/simulator.h>

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The contract of a simulator of ns-3. Each SimulatorContract test runs with the module's simulator
 * and with ns-3's own, so an expectation that ns-3's simulator does not meet fails, too.
 */

using namespace ns3;

namespace
{

/** Observations of an event when it ran. */
struct SeenEvent
{
    int number{0};       //!< number of the event
    int64_t at{0};       //!< time in time steps
    uint32_t context{0}; //!< context

    bool operator==(const SeenEvent& other) const
    {
        return number == other.number && at == other.at && context == other.context;
    }
};

std::ostream&
operator<<(std::ostream& os, const SeenEvent& seen)
{
    return os << seen.number << " at " << seen.at << " in " << seen.context;
}

constexpr uint32_t NONE = Simulator::NO_CONTEXT;

/** Calls a function when it is destroyed. */
class OnDestruction
{
  public:
    explicit OnDestruction(std::function<void()> call)
        : m_call(std::move(call))
    {
    }

    ~OnDestruction()
    {
        m_call();
    }

    OnDestruction(const OnDestruction&) = delete;
    OnDestruction& operator=(const OnDestruction&) = delete;

  private:
    std::function<void()> m_call; //!< the function
};

/** A fresh simulator of the type that is the parameter. */
class SimulatorContract : public testing::TestWithParam<const char*>
{
  protected:
    /** \param number number to note \return a function that records an event's observations */
    std::function<void()> Note(int number)
    {
        return [this, number] {
            seen.push_back({number, Simulator::Now().GetTimeStep(), Simulator::GetContext()});
        };
    }

    std::vector<SeenEvent> seen;          //!< events that have run
    TestSimulatorScope scope{GetParam()}; //!< the simulator
};

using SeenEvents = std::vector<SeenEvent>;

/** A new simulator of the module, for behaviour that ns-3's own does not promise. */
class OwnSimulatorContract : public SimulatorContract
{
};

} // namespace

TEST_P(SimulatorContract, ItIsTheOneThatIsNamed)
{
    EXPECT_EQ(Simulator::GetImplementation()->GetInstanceTypeId().GetName(), GetParam());
    EXPECT_EQ(Simulator::GetSystemId(), 0U);
}

TEST_P(SimulatorContract, Contexts)
{
    EXPECT_EQ(Simulator::GetContext(), NONE);
    Simulator::Schedule(TimeStep(10), Note(1));
    Simulator::ScheduleWithContext(7, TimeStep(20), [this] {
        Note(2)();
        Simulator::Schedule(TimeStep(10), Note(4));
        Simulator::ScheduleNow(Note(3));
        Simulator::ScheduleWithContext(8, TimeStep(10), Note(5));
        Simulator::ScheduleWithContext(NONE, TimeStep(10), Note(6));
    });
    Simulator::Run();
    EXPECT_EQ(
        seen,
        (SeenEvents{{1, 10, NONE}, {2, 20, 7}, {3, 20, 7}, {4, 30, 7}, {5, 30, 8}, {6, 30, NONE}}));
}

TEST_P(SimulatorContract, ScheduleNowComesAfterTheEventsOfTheInstant)
{
    Simulator::Schedule(TimeStep(10), [this] { Simulator::ScheduleNow(Note(3)); });
    Simulator::Schedule(TimeStep(10), Note(1));
    Simulator::Schedule(TimeStep(10), Note(2));
    Simulator::Schedule(TimeStep(11), Note(4));
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{1, 10, NONE}, {2, 10, NONE}, {3, 10, NONE}, {4, 11, NONE}}));
}

TEST_P(SimulatorContract, ACancelledEventCountsAndARemovedOneDoesNot)
{
    const EventId cancelled = Simulator::Schedule(TimeStep(10), Note(1));
    const EventId removed = Simulator::Schedule(TimeStep(20), Note(2));
    const EventId copy = removed;
    EXPECT_EQ(Simulator::GetDelayLeft(removed), TimeStep(20));
    Simulator::Cancel(cancelled);
    Simulator::Remove(removed);
    EXPECT_TRUE(cancelled.IsExpired());
    EXPECT_TRUE(removed.IsExpired());
    EXPECT_TRUE(copy.IsExpired());
    EXPECT_EQ(Simulator::GetDelayLeft(removed), TimeStep(0));
    Simulator::Remove(copy);
    EXPECT_FALSE(Simulator::IsFinished());
    Simulator::Run();
    EXPECT_TRUE(seen.empty());
    EXPECT_EQ(Simulator::Now(), TimeStep(10));
    EXPECT_EQ(Simulator::GetEventCount(), 1U);
    EXPECT_TRUE(Simulator::IsFinished());
}

TEST_P(SimulatorContract, AnEventRemovesOneOfItsInstant)
{
    EventId first;
    EventId second;
    first = Simulator::Schedule(TimeStep(10), [&] {
        EXPECT_TRUE(first.IsExpired());
        EXPECT_EQ(Simulator::GetDelayLeft(first), TimeStep(0));
        EXPECT_FALSE(second.IsExpired());
        Simulator::Remove(first);
        Simulator::Remove(second);
    });
    second = Simulator::Schedule(TimeStep(10), Note(2));
    Simulator::Schedule(TimeStep(10), Note(3));
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{3, 10, NONE}}));
    EXPECT_EQ(Simulator::GetEventCount(), 2U);
}

TEST_P(SimulatorContract, RemovalFreesTheEvent)
{
    auto owned = std::make_shared<int>(1);
    {
        const EventId removed = Simulator::Schedule(TimeStep(10), [owned] {});
        Simulator::Remove(removed);
        EXPECT_EQ(owned.use_count(), 2);
    }
    EXPECT_EQ(owned.use_count(), 1);
    const EventId destroy = Simulator::ScheduleDestroy([owned] {});
    EXPECT_FALSE(destroy.IsExpired());
    Simulator::Remove(destroy);
    EXPECT_TRUE(destroy.IsExpired());
}

TEST_P(SimulatorContract, AnEventIdOfNothing)
{
    EventId none;
    EXPECT_TRUE(none.IsExpired());
    none.Cancel();
    none.Remove();
    EXPECT_EQ(Simulator::GetDelayLeft(none), TimeStep(0));
}

TEST_P(SimulatorContract, StopAndRunAgain)
{
    // Stop() outside of a run has no effect on the next one.
    Simulator::Stop();
    EXPECT_TRUE(Simulator::IsFinished());
    Simulator::Schedule(TimeStep(10), Note(1));
    Simulator::Stop(TimeStep(10));
    Simulator::Schedule(TimeStep(10), Note(2));
    Simulator::Schedule(TimeStep(30), Note(3));
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{1, 10, NONE}}));
    EXPECT_EQ(Simulator::Now(), TimeStep(10));
    EXPECT_TRUE(Simulator::IsFinished());
    // Delays between two runs count from the end of the first one.
    Simulator::Schedule(TimeStep(5), Note(4));
    Simulator::Stop(TimeStep(10));
    Simulator::Run();
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{1, 10, NONE}, {2, 10, NONE}, {4, 15, NONE}, {3, 30, NONE}}));
    EXPECT_EQ(Simulator::GetEventCount(), 6U);
    EXPECT_TRUE(Simulator::IsFinished());
}

TEST_P(SimulatorContract, ARunWithoutEvents)
{
    EXPECT_TRUE(Simulator::IsFinished());
    Simulator::Run();
    EXPECT_EQ(Simulator::Now(), TimeStep(0));
    EXPECT_EQ(Simulator::GetEventCount(), 0U);
}

TEST_P(SimulatorContract, AnEventAtTheEndOfTheClock)
{
    const Time end = Simulator::GetMaximumSimulationTime();
    EXPECT_EQ(end, Time::Max());
    Simulator::Schedule(end, Note(2));
    const EventId removed = Simulator::Schedule(end - TimeStep(1), Note(3));
    Simulator::Schedule(TimeStep(10), [this, end] {
        Simulator::Schedule(end - TimeStep(10), Note(4));
        Simulator::Schedule(end - TimeStep(11), Note(1));
    });
    Simulator::Remove(removed);
    Simulator::Run();
    EXPECT_EQ(seen,
              (SeenEvents{{1, end.GetTimeStep() - 1, NONE},
                          {2, end.GetTimeStep(), NONE},
                          {4, end.GetTimeStep(), NONE}}));
}

TEST_P(SimulatorContract, DestroyEvents)
{
    auto owned = std::make_shared<int>(1);
    Simulator::ScheduleWithContext(7, TimeStep(10), [this] {
        Note(1)();
        Simulator::ScheduleDestroy(Note(2));
    });
    const EventId first = Simulator::ScheduleDestroy([this, owned] {
        Note(3)();
        Simulator::ScheduleDestroy(Note(4));
        Simulator::Schedule(TimeStep(10), [this, owned] { Note(5)(); });
    });
    EventId cancelled = Simulator::ScheduleDestroy(Note(6));
    EXPECT_FALSE(cancelled.IsExpired());
    cancelled.Cancel();
    EXPECT_TRUE(cancelled.IsExpired());
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{1, 10, 7}}));
    EXPECT_FALSE(first.IsExpired());
    EXPECT_EQ(Simulator::GetEventCount(), 1U);
    Simulator::Destroy();
    EXPECT_TRUE(first.IsExpired());
    EXPECT_EQ(seen, (SeenEvents{{1, 10, 7}, {3, 10, 7}, {2, 10, 7}, {4, 10, 7}}));
    // The event that a destroy event has scheduled is freed; first holds its own object.
    EXPECT_EQ(owned.use_count(), 2);
}

TEST_P(SimulatorContract, DestroyAndStartAgain)
{
    Simulator::ScheduleWithContext(7, TimeStep(10), Note(1));
    const EventId before = Simulator::Schedule(TimeStep(50), Note(2));
    Simulator::Stop(TimeStep(20));
    Simulator::Run();
    EXPECT_FALSE(before.IsExpired());
    Simulator::Destroy();
    EXPECT_TRUE(before.IsExpired());
    const TestSimulatorScope again(GetParam());
    EXPECT_EQ(Simulator::Now(), TimeStep(0));
    EXPECT_EQ(Simulator::GetContext(), NONE);
    EXPECT_EQ(Simulator::GetEventCount(), 0U);
    EXPECT_TRUE(Simulator::IsFinished());
    Simulator::Schedule(TimeStep(5), Note(3));
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{1, 10, 7}, {3, 5, NONE}}));
}

TEST_P(SimulatorContract, DestructorsOfPendingEventsUseTheSimulator)
{
    // Destructors of models cancel their timers in this way.
    auto owned = std::make_shared<int>(1);
    EventId timer = Simulator::Schedule(TimeStep(20), [owned] {});
    auto model = std::make_shared<OnDestruction>([this, timer, owned]() mutable {
        EXPECT_EQ(Simulator::Now(), TimeStep(5));
        EXPECT_FALSE(timer.IsExpired());
        timer.Cancel();
        EXPECT_TRUE(timer.IsExpired());
        Simulator::ScheduleNow([owned] {});
        Simulator::ScheduleWithContext(3, TimeStep(30), [owned] {});
        Note(1)();
    });
    Simulator::Schedule(TimeStep(10), [model] {});
    Simulator::Stop(TimeStep(5));
    Simulator::Run();
    model.reset();
    timer = EventId();
    EXPECT_TRUE(seen.empty());
    Simulator::Destroy();
    EXPECT_EQ(seen, (SeenEvents{{1, 5, NONE}}));
    EXPECT_EQ(owned.use_count(), 1);
}

TEST_P(OwnSimulatorContract, ARunGoesOnAfterAnException)
{
    // ns-3's own simulator goes on as well, but never frees the event that threw.
    Simulator::ScheduleWithContext(7, TimeStep(10), [this] {
        Simulator::Schedule(TimeStep(10), Note(3));
        throw std::runtime_error("out of the run");
    });
    Simulator::Schedule(TimeStep(10), Note(1));
    EXPECT_THROW(Simulator::Run(), std::runtime_error);
    EXPECT_EQ(Simulator::Now(), TimeStep(10));
    EXPECT_EQ(Simulator::GetContext(), 7U);
    EXPECT_EQ(Simulator::GetEventCount(), 1U);
    EXPECT_FALSE(Simulator::IsFinished());
    Simulator::Schedule(TimeStep(1), Note(2));
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{1, 10, NONE}, {2, 11, 7}, {3, 20, 7}}));
    EXPECT_EQ(Simulator::GetEventCount(), 4U);
}

TEST_P(SimulatorContract, ARunInsideAnEvent)
{
    // The inner run takes all events; the outer one ends with it.
    Simulator::Schedule(TimeStep(10), [this] {
        Note(1)();
        Simulator::Run();
        Note(3)();
    });
    Simulator::Schedule(TimeStep(20), Note(2));
    Simulator::Run();
    EXPECT_EQ(seen, (SeenEvents{{1, 10, NONE}, {2, 20, NONE}, {3, 20, NONE}}));
}

#ifdef NS3_ASSERT_ENABLE
TEST_P(OwnSimulatorContract, ATimeThatHasPassed)
{
    // Where the module's asserts are on, no event may take the clock back. The asserts of ns-3's
    // own simulator belong to another library: Debian's package is built without them.
    Simulator::Schedule(TimeStep(10), [] {});
    Simulator::Run();
    EXPECT_DEATH(Simulator::Schedule(TimeStep(-1), [] {}), "");
    const auto runWithContext = [] {
        Simulator::ScheduleWithContext(7, TimeStep(-1), [] {});
        Simulator::Run();
    };
    EXPECT_DEATH(runWithContext(), "");
}
#endif

INSTANTIATE_TEST_SUITE_P(Simulators,
                         SimulatorContract,
                         testing::Values("ns3::RdmaSimulatorImpl", "ns3::DefaultSimulatorImpl"),
                         [](const auto& info) {
                             return std::string(info.param).find("Rdma") != std::string::npos
                                        ? "Own"
                                        : "Default";
                         });

INSTANTIATE_TEST_SUITE_P(Simulator,
                         OwnSimulatorContract,
                         testing::Values("ns3::RdmaSimulatorImpl"),
                         [](const auto&) { return std::string("Own"); });
