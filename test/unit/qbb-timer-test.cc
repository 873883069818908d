/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-allocation-count.h"

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

    std::vector<int64_t> fired;                //!< femtoseconds at which it fired
    std::function<void()> then;                //!< what it does then
    QbbTimer<Owner, &Owner::Fire> timer{this}; //!< the timer
};

/** A fresh simulator with the module's resolution. */
class QbbTimerTest : public testing::Test
{
  protected:
    QbbTimerTest()
    {
        QbbSetTimeResolution();
    }

    ~QbbTimerTest() override
    {
        Simulator::Destroy();
    }

    /** \param ps instant \param action what to do then */
    static void At(int64_t ps, std::function<void()> action)
    {
        Simulator::Schedule(QbbFromPs(ps) - Simulator::Now(), std::move(action));
    }

    /** \return events that a run executes */
    static uint64_t Run()
    {
        const uint64_t before = Simulator::GetEventCount();
        Simulator::Run();
        return Simulator::GetEventCount() - before;
    }

    /// Far from overflow: 1 s in picoseconds.
    static constexpr int64_t SECOND = 1'000'000'000'000;
};

} // namespace

TEST_F(QbbTimerTest, PicosecondsAndTime)
{
    EXPECT_EQ(QbbFromPs(1).GetTimeStep(), 1000);
    EXPECT_EQ(QbbToPs(NanoSeconds(3)), 3000);
    EXPECT_EQ(QbbToPs(TimeStep(1999)), 1); // rounded down
    EXPECT_EQ(QbbNowPs(), 0);
    QbbCheckTimeResolution();
    int64_t seen = 0;
    Simulator::Schedule(TimeStep(5999), [&seen]() { seen = QbbNowPs(); });
    Simulator::Run();
    EXPECT_EQ(seen, 5); // the digits of order are not part of the time
}

TEST_F(QbbTimerTest, FiresOnceAtItsTimeAndOrder)
{
    Owner owner;
    EXPECT_FALSE(owner.timer.IsArmed());
    owner.timer.Arm(123, 0, 990);
    EXPECT_TRUE(owner.timer.IsArmed());
    EXPECT_EQ(Run(), 1U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{123'990});
    EXPECT_FALSE(owner.timer.IsArmed());
}

TEST_F(QbbTimerTest, OrderDecidesAtOneInstant)
{
    // Armed in any order, they fire in that of their digits.
    std::vector<int> sequence;
    std::vector<std::unique_ptr<Owner>> owners;
    for (const uint32_t order : {999U, 0U, 450U, 990U})
    {
        owners.push_back(std::make_unique<Owner>());
        owners.back()->timer.Arm(77, 0, order);
        owners.back()->then = [&sequence, order]() { sequence.push_back(static_cast<int>(order)); };
    }
    Run();
    EXPECT_EQ(sequence, (std::vector<int>{0, 450, 990, 999}));
}

TEST_F(QbbTimerTest, LaterCostsNothing)
{
    // The entry at 100 finds that the deadline has moved and goes there: two events in all,
    // however often it was moved.
    Owner owner;
    owner.timer.Arm(100);
    for (int64_t ps = 101; ps <= 5000; ++ps)
    {
        owner.timer.Arm(ps);
    }
    EXPECT_EQ(Run(), 2U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{5'000'000});
}

TEST_F(QbbTimerTest, EarlierReplacesTheEntry)
{
    Owner owner;
    owner.timer.Arm(300);
    owner.timer.Arm(200);
    owner.timer.Arm(100);
    // the entries at 300 and 200 have been forgotten and do nothing
    EXPECT_EQ(Run(), 3U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{100'000});
}

TEST_F(QbbTimerTest, ForgottenEntriesDoNothing)
{
    // The entry at 300 was replaced by that at 100; when it comes, the timer is armed for 1000 by
    // an entry of its own, and no second one appears.
    Owner owner;
    owner.timer.Arm(300);
    owner.timer.Arm(100);
    At(200, [&owner]() { owner.timer.Arm(1000); });
    EXPECT_EQ(Run(), 4U); // 100, 200, 300, 1000
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{100'000, 1'000'000}));
}

TEST_F(QbbTimerTest, EarlierThenLater)
{
    Owner owner;
    owner.timer.Arm(300);
    owner.timer.Arm(100);
    owner.timer.Arm(400);
    Run();
    EXPECT_EQ(owner.fired, std::vector<int64_t>{400'000});
}

TEST_F(QbbTimerTest, ArmNoLater)
{
    Owner owner;
    owner.timer.ArmNoLater(200);
    owner.timer.ArmNoLater(300);
    Run();
    EXPECT_EQ(owner.fired, std::vector<int64_t>{200'000});
    owner.timer.ArmNoLater(500);
    owner.timer.ArmNoLater(400);
    owner.timer.ArmNoLater(400);
    Run();
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{200'000, 400'000}));
}

TEST_F(QbbTimerTest, Disarm)
{
    Owner owner;
    owner.timer.Arm(100);
    owner.timer.Disarm();
    EXPECT_FALSE(owner.timer.IsArmed());
    Run();
    EXPECT_TRUE(owner.fired.empty());
    // Disarmed and armed again before the entry comes: the entry serves.
    owner.timer.Arm(200);
    owner.timer.Disarm();
    owner.timer.Arm(250);
    EXPECT_EQ(Run(), 2U);
    EXPECT_EQ(owner.fired, std::vector<int64_t>{250'000});
    // Disarmed twice, and again with an entry that comes when it is armed for later.
    owner.timer.Disarm();
    owner.timer.Disarm();
    owner.timer.Arm(300);
    At(300, [&owner]() { owner.timer.Disarm(); }); // inserted later, so it comes too late
    Run();
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{250'000, 300'000}));
}

TEST_F(QbbTimerTest, PastFiresAtOnce)
{
    Owner owner;
    At(500, [&owner]() { owner.timer.Arm(20); });
    Run();
    EXPECT_EQ(owner.fired, std::vector<int64_t>{500'000});
    // The present instant with a smaller order than that of the running event, too.
    Simulator::Schedule(TimeStep(700'990) - Simulator::Now(),
                        [&owner]() { owner.timer.Arm(700, 700'990, 3); });
    Run();
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{500'000, 700'990}));
}

TEST_F(QbbTimerTest, ArmsItselfAgain)
{
    Owner owner;
    int left = 5;
    owner.then = [&owner, &left]() {
        if (--left)
        {
            owner.timer.Arm(QbbNowPs() + 10);
        }
    };
    owner.timer.Arm(10);
    EXPECT_EQ(Run(), 5U);
    EXPECT_EQ(owner.fired, (std::vector<int64_t>{10'000, 20'000, 30'000, 40'000, 50'000}));
}

TEST_F(QbbTimerTest, ItsEventOutlivesIt)
{
    auto owner = std::make_unique<Owner>();
    owner->timer.Arm(100);
    At(50, [&owner]() { owner.reset(); });
    EXPECT_EQ(Run(), 2U); // the entry at 100 comes and does nothing
    // In its own call.
    owner = std::make_unique<Owner>();
    owner->then = [&owner]() { owner.reset(); };
    owner->timer.Arm(200);
    Run();
    EXPECT_EQ(owner, nullptr);
}

TEST_F(QbbTimerTest, NoAllocationInSteadyState)
{
    // A heap scheduler allocates only while it grows, so what is left is the timer's own. Three
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
        if (left == 9000) // everything has its memory
        {
            before = GetRdmaAllocationCount();
        }
        if (--left)
        {
            sender.timer.Arm(QbbNowPs() + 10);
            other.timer.Arm(QbbNowPs() + 5);
            timeout.timer.Arm(QbbNowPs() + 1000);
        }
    };
    sender.timer.Arm(10);
    Run();
    EXPECT_EQ(sender.fired.size(), 10000U);
    EXPECT_EQ(other.fired.size(), 9999U);
    EXPECT_EQ(timeout.fired.size(), 1U);
    EXPECT_GT(before, 0U);
    EXPECT_EQ(GetRdmaAllocationCount(), before);
}

TEST_F(QbbTimerTest, RandomAgainstAReference)
{
    // Random arming, disarming and looking; the reference is the deadline, compared at each step.
    std::mt19937_64 random(41);
    uint64_t fired = 0;
    for (int pattern = 0; pattern < 500; ++pattern)
    {
        Owner owner;
        const int64_t start = QbbNowPs();
        int64_t deadline = QBB_NEVER;
        owner.then = [&]() {
            EXPECT_EQ(QbbNowPs(), deadline);
            deadline = QBB_NEVER;
            ++fired;
        };
        for (int i = 1; i <= 30; ++i)
        {
            // Instants that end in 5; deadlines are those that do not.
            At(start + 10 * i + 5, [&, i]() {
                EXPECT_EQ(owner.timer.IsArmed(), deadline != QBB_NEVER);
                EXPECT_GT(deadline, QbbNowPs());
                const int64_t target = start + 10 * (i + 1 + static_cast<int64_t>(random() % 8));
                switch (random() % 4)
                {
                case 0:
                    owner.timer.Disarm();
                    deadline = QBB_NEVER;
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
        EXPECT_EQ(deadline, QBB_NEVER);
    }
    EXPECT_GT(fired, 1000U);
}
