/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/heap-scheduler.h>
#include <ns3/object-factory.h>

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/** An owner of a timer that notes when it fires. */
class Owner
{
  public:
    void Fire()
    {
        fired.push_back(Simulator::Now().GetTimeStep());
        if (then)
        {
            then();
        }
    }

    uint32_t GetNodeId() const
    {
        return 5;
    }

    std::vector<int64_t> fired;                 //!< femtoseconds at which it fired
    std::function<void()> then;                 //!< called when it fires
    RdmaTimer<Owner, &Owner::Fire> timer{this}; //!< the timer
};

/** A fresh simulator with the module's resolution. */
class RdmaTimerTest : public testing::Test
{
  protected:
    RdmaTimerTest()
    {
        RdmaSetTimeResolution();
    }

    ~RdmaTimerTest() override
    {
        Simulator::Destroy();
    }

    /** \param at instant \param action action at that instant */
    static void At(RdmaPs at, std::function<void()> action)
    {
        Simulator::Schedule(RdmaToTime(at) - Simulator::Now(), std::move(action));
    }

    /** \return events that a run executes */
    static uint64_t Run()
    {
        const uint64_t before = Simulator::GetEventCount();
        Simulator::Run();
        return Simulator::GetEventCount() - before;
    }

    /// Far from overflow.
    static constexpr RdmaPs SECOND = 1_s;
};

} // namespace

TEST_F(RdmaTimerTest, PicosecondsAndTime)
{
    EXPECT_EQ(RdmaToTime(1_ps).GetTimeStep(), 1000);
    EXPECT_EQ(RdmaToPs(NanoSeconds(3)), 3_ns);
    EXPECT_EQ(RdmaToPs(TimeStep(1999)), 1_ps); // rounded down
    EXPECT_EQ(RdmaNow(), 0_ps);
    RdmaCheckTimeResolution();
    RdmaPs seen;
    Simulator::Schedule(TimeStep(5999), [&seen]() { seen = RdmaNow(); });
    Simulator::Run();
    EXPECT_EQ(seen, 5_ps); // the digits of order are not part of the time
}

TEST_F(RdmaTimerTest, FiresOnceAtItsTimeAndOrder)
{
    Owner owner;
    EXPECT_FALSE(owner.timer.IsArmed());
    owner.timer.Arm(123_ps, RdmaEventTime(), 990);
    EXPECT_TRUE(owner.timer.IsArmed());
    EXPECT_EQ(Run(), 1U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{123'990});
    EXPECT_FALSE(owner.timer.IsArmed());
}

TEST_F(RdmaTimerTest, OrderDecidesAtOneInstant)
{
    // Armed in any order, they fire in the order of their digits.
    std::vector<int> sequence;
    std::vector<std::unique_ptr<Owner>> owners;
    for (const uint32_t order : {999U, 0U, 450U, 990U})
    {
        owners.push_back(std::make_unique<Owner>());
        owners.back()->timer.Arm(77_ps, RdmaEventTime(), order);
        owners.back()->then = [&sequence, order]() { sequence.push_back(static_cast<int>(order)); };
    }
    Run();
    EXPECT_EQ(sequence, (std::vector<int>{0, 450, 990, 999}));
}

TEST_F(RdmaTimerTest, LaterCostsNothing)
{
    // The entry at 100 finds that the deadline has moved and goes there: two events in all,
    // however often it was moved.
    Owner owner;
    owner.timer.Arm(100_ps);
    for (RdmaPs at = 101_ps; at <= 5000_ps; at += 1_ps)
    {
        owner.timer.Arm(at);
    }
    EXPECT_EQ(Run(), 2U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{5'000'000});
}

TEST_F(RdmaTimerTest, EarlierReplacesTheEntry)
{
    Owner owner;
    owner.timer.Arm(300_ps);
    owner.timer.Arm(200_ps);
    owner.timer.Arm(100_ps);
    // the entries at 300 and 200 have been forgotten and do nothing
    EXPECT_EQ(Run(), 3U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{100'000});
}

TEST_F(RdmaTimerTest, ForgottenEntriesDoNothing)
{
    // The entry at 300 was replaced by that at 100; when it comes, the timer is armed for 1000 by
    // an entry of its own, and no second one appears.
    Owner owner;
    owner.timer.Arm(300_ps);
    owner.timer.Arm(100_ps);
    At(200_ps, [&owner]() { owner.timer.Arm(1000_ps); });
    EXPECT_EQ(Run(), 4U); // 100, 200, 300, 1000
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{100'000, 1'000'000}));
}

TEST_F(RdmaTimerTest, EarlierThenLater)
{
    Owner owner;
    owner.timer.Arm(300_ps);
    owner.timer.Arm(100_ps);
    owner.timer.Arm(400_ps);
    Run();
    EXPECT_EQ(owner.fired, std::vector<int64_t>{400'000});
}

TEST_F(RdmaTimerTest, ArmNoLater)
{
    Owner owner;
    owner.timer.ArmNoLater(200_ps);
    owner.timer.ArmNoLater(300_ps);
    Run();
    EXPECT_EQ(owner.fired, std::vector<int64_t>{200'000});
    owner.timer.ArmNoLater(500_ps);
    owner.timer.ArmNoLater(400_ps);
    owner.timer.ArmNoLater(400_ps);
    Run();
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{200'000, 400'000}));
}

TEST_F(RdmaTimerTest, Disarm)
{
    Owner owner;
    owner.timer.Arm(100_ps);
    owner.timer.Disarm();
    EXPECT_FALSE(owner.timer.IsArmed());
    Run();
    EXPECT_TRUE(owner.fired.empty());
    // Disarmed and armed again before the entry comes: the pending entry serves the new deadline.
    owner.timer.Arm(200_ps);
    owner.timer.Disarm();
    owner.timer.Arm(250_ps);
    EXPECT_EQ(Run(), 2U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{250'000});
    // Disarmed twice, then armed; a call to Disarm() at the deadline comes after the timer's entry.
    owner.timer.Disarm();
    owner.timer.Disarm();
    owner.timer.Arm(300_ps);
    At(300_ps, [&owner]() { owner.timer.Disarm(); }); // inserted later, so it runs too late
    Run();
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{250'000, 300'000}));
}

TEST_F(RdmaTimerTest, PastFiresAtOnce)
{
    Owner owner;
    At(500_ps, [&owner]() { owner.timer.Arm(20_ps); });
    Run();
    EXPECT_EQ(owner.fired, std::vector<int64_t>{500'000});
    // A deadline at the present instant, but with a smaller order than the running event's.
    Simulator::Schedule(TimeStep(700'990) - Simulator::Now(),
                        [&owner]() { owner.timer.Arm(700_ps, RdmaEventTime(700_ps, 990), 3); });
    Run();
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{500'000, 700'990}));
}

TEST_F(RdmaTimerTest, ArmsItselfAgain)
{
    Owner owner;
    int left = 5;
    owner.then = [&owner, &left]() {
        if (--left)
        {
            owner.timer.Arm(RdmaNow() + 10_ps);
        }
    };
    owner.timer.Arm(10_ps);
    EXPECT_EQ(Run(), 5U);
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{10'000, 20'000, 30'000, 40'000, 50'000}));
}

TEST_F(RdmaTimerTest, ItsEventOutlivesIt)
{
    auto owner = std::make_unique<Owner>();
    owner->timer.Arm(100_ps);
    At(50_ps, [&owner]() { owner.reset(); });
    EXPECT_EQ(Run(), 2U); // the entry at 100 comes and does nothing
    // The timer is destroyed in the call that it makes.
    owner = std::make_unique<Owner>();
    owner->then = [&owner]() { owner.reset(); };
    owner->timer.Arm(200_ps);
    Run();
    EXPECT_EQ(owner, nullptr);
}

TEST_F(RdmaTimerTest, ObserversHaveNoNode)
{
    constexpr uint32_t NODE = 7;

    struct Watcher
    {
        void Fire()
        {
            context = Simulator::GetContext();
        }

        uint32_t context{0};
        RdmaTimer<Watcher, &Watcher::Fire, RdmaEventOrder::Observers::At<0>()> timer{this};
    };

    Watcher watcher;
    Owner worker;
    uint32_t context = 0;
    worker.then = [&context]() { context = Simulator::GetContext(); };
    Simulator::ScheduleWithContext(NODE, PicoSeconds(100), [&]() {
        watcher.timer.Arm(200_ps);
        worker.timer.Arm(200_ps);
    });
    Run();
    EXPECT_EQ(context, NODE);
    EXPECT_EQ(watcher.context, Simulator::NO_CONTEXT);
}

TEST_F(RdmaTimerTest, NoAllocationInSteadyState)
{
    // A heap scheduler allocates only while it grows; further allocations are the timer's. Three
    // ways of use: armed again when it fires (a port that sends), armed by something else when it
    // is not pending, and moved again and again (a retransmission timeout).
    ObjectFactory factory;
    factory.SetTypeId(HeapScheduler::GetTypeId());
    Simulator::SetScheduler(factory);
    Owner sender;
    Owner other;
    Owner timeout;
    for (Owner* owner : {&sender, &other, &timeout})
    {
        owner->fired.reserve(20000);
    }
    uint64_t before = 0;
    int left = 10000;
    sender.then = [&]() {
        if (left == 9000) // all memory has been allocated
        {
            before = GetRdmaAllocationCount();
        }
        if (--left)
        {
            sender.timer.Arm(RdmaNow() + 10_ps);
            other.timer.Arm(RdmaNow() + 5_ps);
            timeout.timer.Arm(RdmaNow() + 1000_ps);
        }
    };
    sender.timer.Arm(10_ps);
    Run();
    EXPECT_EQ(sender.fired.size(), 10000U);
    EXPECT_EQ(other.fired.size(), 9999U);
    EXPECT_EQ(timeout.fired.size(), 1U);
    EXPECT_GT(before, 0U);
    EXPECT_EQ(GetRdmaAllocationCount(), before);
}

TEST_F(RdmaTimerTest, RandomAgainstAReference)
{
    // Random arming and disarming; the reference is the deadline, compared at each step.
    std::mt19937_64 random(41);
    uint64_t fired = 0;
    for (int pattern = 0; pattern < 500; ++pattern)
    {
        Owner owner;
        const RdmaPs start = RdmaNow();
        RdmaPs deadline = RDMA_NEVER;
        owner.then = [&]() {
            EXPECT_EQ(RdmaNow(), deadline);
            deadline = RDMA_NEVER;
            ++fired;
        };
        for (int i = 1; i <= 30; ++i)
        {
            // The steps are at instants that end in 5, and no deadline is.
            At(start + i * 10_ps + 5_ps, [&, i]() {
                EXPECT_EQ(owner.timer.IsArmed(), deadline != RDMA_NEVER);
                EXPECT_GT(deadline, RdmaNow());
                const RdmaPs target = start + (i + 1 + random() % 8) * 10_ps;
                switch (random() % 4)
                {
                case 0:
                    owner.timer.Disarm();
                    deadline = RDMA_NEVER;
                    break;
                case 1:
                    owner.timer.ArmNoLater(target);
                    deadline = std::min(deadline, target);
                    break;
                default:
                    owner.timer.Arm(target);
                    deadline = target;
                }
            });
        }
        Run();
        EXPECT_EQ(deadline, RDMA_NEVER);
    }
    EXPECT_GT(fired, 1000U);
}
