/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-storm-detector.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Verdict = QbbStormDetector::Verdict;
using Sample = QbbStormDetector::Sample;

/** A queue as the watchdog sees it, moved on by hand. */
class Queue
{
  public:
    /** \param time time that passes */
    void Pass(RdmaPs time)
    {
        m_sample.at += time;
        m_sample.pausedTime += m_sample.paused ? time : 0_ps;
    }

    /** A pause frame comes in. \param pause XOFF or XON */
    void Pause(bool pause)
    {
        m_sample.paused = pause;
        ++m_sample.pauseFrames;
    }

    /** A pause runs out. */
    void Expire()
    {
        m_sample.paused = false;
    }

    /** \param waiting true if frames wait */
    void SetWaiting(bool waiting)
    {
        m_sample.waiting = waiting;
    }

    /** A frame leaves. */
    void Send()
    {
        ++m_sample.txFrames;
    }

    /** \return the watchdog's sample */
    const Sample& Read() const
    {
        return m_sample;
    }

  private:
    Sample m_sample; //!< state of the queue
};

/** Polls every 10 ps, storm after 20, restored after 30. */
constexpr QbbStormDetector::Settings SETTINGS{10_ps, 20_ps, 30_ps, false};

} // namespace

TEST(QbbStormDetector, StormAndRestoration)
{
    QbbStormDetector detector;
    Queue queue;
    queue.Pass(13_ps);
    queue.Pause(true);
    queue.SetWaiting(true);
    queue.Pass(7_ps);
    // At 20: no sample was taken at the start of this interval.
    EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE);
    queue.Pass(10_ps);
    EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE);
    queue.Pass(10_ps);
    EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::STORM);
    EXPECT_TRUE(detector.IsStormed());
    queue.Expire();
    queue.Pass(10_ps);
    EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE);
    queue.Pass(10_ps);
    EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE);
    // A resumption is a pause frame too: the count starts again.
    queue.Pause(false);
    for (int i = 0; i < 3; ++i)
    {
        queue.Pass(10_ps);
        EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE) << i;
    }
    queue.Pass(10_ps);
    EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::RESTORED);
    EXPECT_FALSE(detector.IsStormed());
}

TEST(QbbStormDetector, NoStorm)
{
    // A condition fails in the second interval: no storm at the end of the second and the third.
    const std::vector<std::string> reasons{"sent", "empty", "gap", "end", "none"};
    for (const std::string& reason : reasons)
    {
        QbbStormDetector detector;
        Queue queue;
        queue.Pause(true);
        queue.SetWaiting(true);
        EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE);
        queue.Pass(10_ps);
        EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE);
        queue.Pass(5_ps);
        if (reason == "sent")
        {
            queue.Send();
        }
        if (reason == "gap")
        {
            queue.Expire();
            queue.Pass(1_ps);
            queue.Pause(true);
            queue.Pass(4_ps);
        }
        else
        {
            queue.Pass(5_ps);
        }
        queue.SetWaiting(reason != "empty");
        if (reason == "end")
        {
            queue.Expire();
        }
        const Verdict expected = reason == "none" ? Verdict::STORM : Verdict::NONE;
        EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), expected) << reason;
        if (reason == "none")
        {
            continue;
        }
        if (reason == "end")
        {
            queue.Pause(true);
        }
        queue.SetWaiting(true);
        queue.Pass(10_ps);
        EXPECT_EQ(detector.Poll(SETTINGS, queue.Read()), Verdict::NONE) << reason;
    }
}

TEST(QbbStormDetector, DetectionTimeIsRoundedUpToPolls)
{
    const QbbStormDetector::Settings settings{10_ps, 21_ps, 30_ps, false};
    QbbStormDetector detector;
    Queue queue;
    queue.Pause(true);
    queue.SetWaiting(true);
    for (int i = 0; i < 3; ++i)
    {
        EXPECT_EQ(detector.Poll(settings, queue.Read()), Verdict::NONE) << i;
        queue.Pass(10_ps);
    }
    EXPECT_EQ(detector.Poll(settings, queue.Read()), Verdict::STORM);
}

TEST(QbbStormDetector, AlertEndsWithTheFirstIntervalThatIsNotStormy)
{
    const QbbStormDetector::Settings settings{10_ps, 20_ps, 30_ps, true};
    QbbStormDetector detector;
    Queue queue;
    queue.Pause(true);
    queue.SetWaiting(true);
    detector.Poll(settings, queue.Read());
    queue.Pass(10_ps);
    detector.Poll(settings, queue.Read());
    queue.Pass(10_ps);
    EXPECT_EQ(detector.Poll(settings, queue.Read()), Verdict::STORM);
    queue.Pass(10_ps);
    EXPECT_EQ(detector.Poll(settings, queue.Read()), Verdict::NONE);
    queue.Pass(3_ps);
    queue.Expire();
    queue.Send();
    queue.Pass(7_ps);
    EXPECT_EQ(detector.Poll(settings, queue.Read()), Verdict::RESTORED);
}

TEST(QbbStormDetector, SamplesOfQueuesThatAreNotPausedMayBeLeftOut)
{
    // One queue under two watchdogs: one takes every sample, the other only samples of a queue that
    // is paused or in storm.
    std::mt19937 random(7);
    const auto below = [&random](uint32_t bound) { return static_cast<int64_t>(random() % bound); };
    uint64_t storms = 0;
    uint64_t left = 0;
    for (int round = 0; round < 400; ++round)
    {
        QbbStormDetector eager;
        QbbStormDetector lazy;
        Queue queue;
        RdmaPs nextPoll = 10_ps;
        const bool alert = round % 4 == 0;
        const QbbStormDetector::Settings settings{10_ps,
                                                  RdmaPs(10 + below(30)),
                                                  RdmaPs(10 + below(30)),
                                                  alert};
        while (queue.Read().at < 2000_ps)
        {
            // Changes often fall on the instant of a poll, before it.
            RdmaPs step = below(3) ? RdmaPs(1 + below(60)) : nextPoll - queue.Read().at;
            while (queue.Read().at + step > nextPoll)
            {
                const RdmaPs part = nextPoll - queue.Read().at;
                queue.Pass(part);
                step -= part;
                const Verdict all = eager.Poll(settings, queue.Read());
                Verdict some = Verdict::NONE;
                if (queue.Read().paused || lazy.IsStormed())
                {
                    some = lazy.Poll(settings, queue.Read());
                }
                else
                {
                    ++left;
                }
                ASSERT_EQ(some, all) << round << " at " << queue.Read().at;
                storms += all == Verdict::STORM;
                nextPoll += 10_ps;
            }
            queue.Pass(step);
            switch (below(6))
            {
            case 0:
            case 1:
            case 2:
                queue.Pause(true);
                break;
            case 3:
                queue.Pause(false);
                break;
            case 4:
                queue.Expire();
                break;
            default:
                if (!queue.Read().paused)
                {
                    queue.Send();
                }
                queue.SetWaiting(below(4));
                break;
            }
        }
    }
    EXPECT_GT(storms, 500U);
    EXPECT_GT(left, 5000U);
}
