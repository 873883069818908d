/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-receiver.h"
#include "qbb-pause-sender.h"
#include "rdma-expect-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Quanta = std::array<uint16_t, 8>;

/// At 100 Gb/s a pause of 100 quanta lasts PAUSE and is repeated after REFRESH.
constexpr RdmaPs PAUSE = 512_ns;
constexpr RdmaPs REFRESH = 256_ns;

/** \return the classes that the sender's frame names, with their quanta: "3:100 4:0" */
std::string
Take(QbbPauseSender& sender, RdmaPs now)
{
    Quanta quanta;
    quanta.fill(77); // every entry is written
    const uint8_t named = sender.Take(now, quanta);
    std::string text;
    for (std::size_t i = 0; i < quanta.size(); ++i)
    {
        if (named >> i & 1)
        {
            text += (text.empty() ? "" : " ") + std::to_string(i) + ":" + std::to_string(quanta[i]);
        }
        else
        {
            EXPECT_EQ(quanta[i], 0);
        }
    }
    return text;
}

/** \return a sender half at 100 Gb/s for 100 quanta that has paused some classes at 0 */
QbbPauseSender
MakeSender(const std::vector<uint8_t>& paused = {})
{
    QbbPauseSender sender;
    sender.Configure(RdmaLineRate(100_gbps), 100, 0.5);
    for (const uint8_t priority : paused)
    {
        sender.Request(priority, true);
    }
    if (!paused.empty())
    {
        Take(sender, 0_ps);
    }
    return sender;
}

/** Takes a frame at 300 ns that pauses class 3. \param sender sender with a pending frame */
void
ExpectPauseOfClass3(QbbPauseSender& sender)
{
    EXPECT_TRUE(sender.IsPending());
    EXPECT_EQ(Take(sender, 300_ns), "3:100");
    EXPECT_EQ(sender.GetNextRefresh(), 300_ns + REFRESH);
}

} // namespace

TEST(QbbPauseSender, NothingAtFirst)
{
    auto sender = MakeSender();
    EXPECT_FALSE(sender.IsPending());
    EXPECT_EQ(sender.GetWanted(), 0);
    EXPECT_EQ(sender.GetNextRefresh(), RDMA_NEVER);
    // Resuming a class that is not paused sends nothing.
    sender.Request(3, false);
    EXPECT_FALSE(sender.IsPending());
}

TEST(QbbPauseSender, XoffRefreshXon)
{
    auto sender = MakeSender();
    sender.Request(3, true);
    EXPECT_EQ(sender.GetWanted(), 0x08);
    EXPECT_TRUE(sender.IsPending());
    EXPECT_EQ(Take(sender, 1000_ps), "3:100");
    EXPECT_FALSE(sender.IsPending());
    EXPECT_EQ(sender.GetNextRefresh(), 1000_ps + REFRESH);

    sender.Refresh(1000_ps + REFRESH - 1_ps); // too early
    EXPECT_FALSE(sender.IsPending());
    sender.Refresh(1000_ps + REFRESH);
    EXPECT_TRUE(sender.IsPending());
    // A frame is on the line until 300'000.
    EXPECT_EQ(Take(sender, 300_ns), "3:100");
    EXPECT_EQ(sender.GetNextRefresh(), 300_ns + REFRESH);

    sender.Request(3, false);
    EXPECT_EQ(sender.GetWanted(), 0);
    EXPECT_TRUE(sender.IsPending());
    EXPECT_EQ(Take(sender, 400_ns), "3:0");
    EXPECT_FALSE(sender.IsPending());
    EXPECT_EQ(sender.GetNextRefresh(), RDMA_NEVER);
    EXPECT_EQ(sender.GetXoffSent(3), 2U);
    EXPECT_EQ(sender.GetXonSent(3), 1U);
    EXPECT_EQ(sender.GetXoffSent(2), 0U);
}

TEST(QbbPauseSender, AskedTwiceSentOnce)
{
    auto sender = MakeSender({0, 0});
    for (int i = 0; i < 100; ++i)
    {
        sender.Request(0, true);
    }
    EXPECT_FALSE(sender.IsPending());
    sender.Request(0, false);
    sender.Request(0, false);
    Take(sender, 10_ps);
    sender.Request(0, false);
    EXPECT_FALSE(sender.IsPending());
    EXPECT_EQ(sender.GetXoffSent(0), 1U);
    EXPECT_EQ(sender.GetXonSent(0), 1U);
}

TEST(QbbPauseSender, ChangesThatCancelOutAreNotSent)
{
    auto sender = MakeSender();
    // XOFF and XON while the port is busy: no frame.
    sender.Request(4, true);
    sender.Request(4, false);
    EXPECT_FALSE(sender.IsPending());
    // XON and XOFF: no frame either, and the refresh time of the pause that was sent stays.
    sender.Request(4, true);
    Take(sender, 0_ps);
    sender.Request(4, false);
    sender.Request(4, true);
    EXPECT_FALSE(sender.IsPending());
    EXPECT_EQ(sender.GetNextRefresh(), REFRESH);
    EXPECT_EQ(sender.GetXoffSent(4), 1U);
    EXPECT_EQ(sender.GetXonSent(4), 0U);
}

TEST(QbbPauseSender, OneFrameSaysItAll)
{
    auto sender = MakeSender();
    sender.Request(1, true);
    sender.Request(2, true);
    EXPECT_EQ(Take(sender, 0_ps), "1:100 2:100");
    // While a frame is on the line, 1 may resume and 5 shall pause; 2 is paused already and is left
    // out.
    sender.Request(1, false);
    sender.Request(5, true);
    EXPECT_EQ(Take(sender, 1000_ps), "1:0 5:100");
}

TEST(QbbPauseSender, TheEarliestPauseDecidesTheRefresh)
{
    auto sender = MakeSender({0});
    sender.Request(7, true);
    Take(sender, 100_ns);
    EXPECT_EQ(sender.GetNextRefresh(), REFRESH);
    sender.Refresh(REFRESH);
    EXPECT_EQ(Take(sender, REFRESH), "0:100 7:100");
    EXPECT_EQ(sender.GetNextRefresh(), 2 * REFRESH);
    // Class 0 resumes; the refresh of class 7 comes no later.
    sender.Request(0, false);
    EXPECT_EQ(Take(sender, 300_ns), "0:0");
    EXPECT_EQ(sender.GetNextRefresh(), 2 * REFRESH);
    // Both classes have resumed: no refresh.
    sender.Request(7, false);
    EXPECT_EQ(Take(sender, 310_ns), "7:0");
    EXPECT_EQ(sender.GetNextRefresh(), RDMA_NEVER);
    // A new pause counts from its own start.
    sender.Request(7, true);
    Take(sender, 400_ns);
    EXPECT_EQ(sender.GetNextRefresh(), 400_ns + REFRESH);
}

TEST(QbbPauseSender, ResumedWhileTheRefreshWaits)
{
    // The refresh is due, the port is busy, and the class resumes: an XON and no refresh.
    auto sender = MakeSender({3});
    sender.Refresh(REFRESH);
    sender.Request(3, false);
    EXPECT_EQ(Take(sender, REFRESH + 10_ns), "3:0");
    EXPECT_EQ(sender.GetXoffSent(3), 1U);
    EXPECT_EQ(sender.GetXonSent(3), 1U);
}

TEST(QbbPauseSender, ResumedAndPausedWhileTheRefreshWaits)
{
    // The refresh is due at 256'000, a frame is on the line until 300'000, and in between the class
    // falls below XON and rises above XOFF again. The peer's timer still runs, so it must be told.
    auto sender = MakeSender({3});
    sender.Refresh(REFRESH);
    sender.Request(3, false);
    sender.Request(3, true);
    ExpectPauseOfClass3(sender);
}

TEST(QbbPauseSender, RefreshTimeBetweenXonAndXoff)
{
    // The refresh is due after the class falls below XON and before the class rises above XOFF.
    auto sender = MakeSender({3});
    sender.Request(3, false);
    sender.Refresh(REFRESH);
    sender.Request(3, true);
    ExpectPauseOfClass3(sender);
}

TEST(QbbPauseSender, ForgetTellsAgain)
{
    auto sender = MakeSender({3, 4});
    sender.Request(4, false);
    sender.Forget(); // the link went down and up: the peer has no pause
    EXPECT_EQ(sender.GetNextRefresh(), RDMA_NEVER);
    EXPECT_TRUE(sender.IsPending());
    EXPECT_EQ(Take(sender, 1_us), "3:100"); // 3 only: 4 is not wanted, and needs no XON
    EXPECT_EQ(sender.GetNextRefresh(), 1_us + REFRESH);
    sender.Request(3, false);
    Take(sender, 1'000'001_ps);
    sender.Forget();
    EXPECT_FALSE(sender.IsPending());
}

TEST(QbbPauseSender, RefreshFractions)
{
    // refresh times as fractions of PAUSE
    struct
    {
        double fraction;
        RdmaPs time;
    } const cases[] = {{0.25, 128_ns}, {0.75, 384_ns}, {0.9, 460'800_ps}, {1.0 / 3, 170'667_ps}};

    for (const auto& [fraction, time] : cases)
    {
        QbbPauseSender sender;
        sender.Configure(RdmaLineRate(100_gbps), 100, fraction);
        sender.Request(0, true);
        Take(sender, 5_ps);
        EXPECT_EQ(sender.GetNextRefresh(), 5_ps + time);
        EXPECT_EQ(sender.GetSlack(), PAUSE - time);
    }
}

TEST(QbbPauseSender, ThePeerNeverRunsOut)
{
    // Both halves together, at random: requests change at any time, and the line is busy for up to
    // BUSY when a pause frame is to be sent, less than the time between refresh and end. A class
    // that the peer was told to pause, and that is still wanted paused, is paused.
    constexpr RdmaPs BUSY = 200_ns;
    std::mt19937_64 random(31);
    const auto below = [&random](RdmaPs limit) {
        return RdmaPs(static_cast<int64_t>(random() % static_cast<uint64_t>(limit.Get())));
    };
    for (int pattern = 0; pattern < 300; ++pattern)
    {
        auto sender = MakeSender();
        QbbPauseReceiver receiver;
        receiver.SetRate(RdmaLineRate(100_gbps));
        const RdmaPs period = 20_ns * (1 << (random() % 8)); // requests change often, or seldom
        RdmaPs now;
        RdmaPs freeAt; // when the line is free
        RdmaPs nextChange;
        uint8_t told = 0;
        for (int step = 0; step < 500; ++step)
        {
            RdmaPs next = std::min(nextChange, sender.GetNextRefresh());
            if (sender.IsPending())
            {
                next = std::min(next, std::max(now, freeAt));
            }
            now = next;
            sender.Refresh(now);
            if (now == nextChange)
            {
                sender.Request(static_cast<uint8_t>(random() % 3), random() % 2 == 0);
                nextChange = now + 1_ps + below(period);
                if (now >= freeAt && random() % 2) // a data frame went first
                {
                    freeAt = now + below(BUSY);
                }
            }
            if (sender.IsPending() && now >= freeAt)
            {
                Quanta quanta{};
                const uint8_t named = sender.Take(now, quanta);
                ASSERT_NE(named, 0);
                receiver.Apply(now, named, quanta);
                told = sender.GetWanted();
                freeAt = now + 1_ps + below(BUSY);
            }
            receiver.Expire(now);
            const uint8_t expected = told & sender.GetWanted();
            ASSERT_EQ(receiver.GetPaused() & expected, expected)
                << "pattern " << pattern << " at " << now;
            // While a class is wanted paused, a frame waits or a refresh is to come.
            if (sender.GetWanted() && !sender.IsPending())
            {
                ASSERT_LE(sender.GetNextRefresh(), now + REFRESH);
            }
        }
    }
}

TEST(QbbPauseSenderDeathTest, Range)
{
    QbbPauseSender sender;
    const RdmaLineRate rate(100_gbps);
    ExpectRefusal([&] { sender.Configure(rate, 0, 0.5); },
                  "a pause of 0 quanta; accepted: 1..65535");
    for (const double fraction : {0.0, 1.0, -0.5, 1.5})
    {
        ExpectRefusal([&] { sender.Configure(rate, 1, fraction); },
                      "accepted: above 0 and below 1");
    }
}

TEST(QbbPauseSender, InjectedOnce)
{
    auto sender = MakeSender();
    sender.Inject(0x18, 7);
    EXPECT_TRUE(sender.IsPending());
    EXPECT_EQ(sender.GetWanted(), 0);
    EXPECT_EQ(Take(sender, 0_ps), "3:7 4:7");
    EXPECT_FALSE(sender.IsPending());
    EXPECT_EQ(sender.GetNextRefresh(), RDMA_NEVER);
    EXPECT_EQ(sender.GetXoffSent(3), 1U);
    // A class that is wanted paused keeps its own quanta; zero quanta count as a resumption.
    sender.Request(3, true);
    sender.Inject(0x18, 0);
    EXPECT_EQ(Take(sender, 10_ps), "3:100 4:0");
    EXPECT_EQ(sender.GetXoffSent(3), 2U);
    EXPECT_EQ(sender.GetXonSent(4), 1U);
    EXPECT_EQ(sender.GetNextRefresh(), 10_ps + REFRESH);
    // The link went down before the injected pause was sent.
    sender.Inject(0x10, 7);
    sender.Forget();
    EXPECT_EQ(Take(sender, 20_ps), "3:100");
}

TEST(QbbPauseSender, ClassesThatAreNotAllowed)
{
    auto sender = MakeSender({3, 4});
    // Pauses that were sent are taken back; pauses that are asked for wait.
    sender.SetAllowed(0xf7);
    EXPECT_EQ(sender.GetWanted(), 0x10);
    EXPECT_EQ(Take(sender, 10_ps), "3:0");
    sender.Inject(0x0c, 7);
    EXPECT_EQ(Take(sender, 20_ps), "2:7");
    sender.Request(4, false);
    Take(sender, 30_ps);
    EXPECT_FALSE(sender.IsPending());
    sender.SetAllowed(0xff);
    EXPECT_EQ(sender.GetWanted(), 0x08);
    EXPECT_EQ(Take(sender, 40_ps), "3:100");
    EXPECT_EQ(sender.GetNextRefresh(), 40_ps + REFRESH);
}
