/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-conweave.h"

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * ConWeave's rules for one connection, by timelines worked out from sections 3.1 to 3.3 of the
 * paper (Song et al., SIGCOMM 2023).
 */

using namespace ns3;

namespace
{

using Kind = QbbConWeaveTag::Kind;

constexpr RdmaPs ROUND_TRIP = 4_us;
/// The parameters of the paper's leaf-spine: a reply is late 4 + 4 us after its request.
constexpr QbbConWeaveTimes TIMES{4_us, 300_us, 16_us, 200_us};
constexpr QbbConWeavePath A{{1, 7}};
constexpr QbbConWeavePath B{{2, 7}};

/** \param count number of units of a time in a tag \return the time */
constexpr RdmaPs
Units(int64_t count)
{
    return RdmaPs(count << 18);
}

/** The sender's side of a connection. */
class QbbConWeaveSenderTest : public ::testing::Test
{
  protected:
    /**
     * Sends a frame.
     *
     * \param now time of the frame
     * \param path path to take if the connection looks for one
     * \param free false: the path is congested
     * \return what the frame carries: kind, '+' if rerouted, epoch, first port of the path
     */
    std::string Send(RdmaPs now, const QbbConWeavePath& path = B, bool free = true)
    {
        needed = sender.NeedsPath(now, TIMES);
        tag = sender.Send(now, ROUND_TRIP, TIMES, {path, free});
        EXPECT_EQ(tag.sent, QbbConWeaveTag::MakeStamp(now));
        return Describe(tag);
    }

    /** \param kind RTT_REPLY or CLEAR \param epoch its epoch \param now time of arrival
     * \return true if it ends the epoch */
    bool Answer(Kind kind, uint8_t epoch, RdmaPs now)
    {
        QbbConWeaveTag answer;
        answer.kind = kind;
        answer.epoch = epoch;
        return sender.Answer(answer, now);
    }

    static std::string Describe(const QbbConWeaveTag& tag)
    {
        const char* names[] = {"data", "request", "tail"};
        return names[static_cast<uint32_t>(tag.kind)] + std::string(tag.rerouted ? "+" : "") + " " +
               std::to_string(tag.epoch) + " " + std::to_string(tag.path.ports[0]);
    }

    QbbConWeaveSender sender;
    QbbConWeaveTag tag;
    bool needed{false};
};

TEST_F(QbbConWeaveSenderTest, StaysOnItsPathWhileRepliesComeInTime)
{
    EXPECT_EQ(Send(0_us, A), "request 1 1");
    EXPECT_TRUE(needed);
    EXPECT_EQ(Send(1_us), "data 1 1");
    EXPECT_EQ(Send(7_us), "data 1 1");
    EXPECT_FALSE(needed);
    EXPECT_TRUE(Answer(Kind::RTT_REPLY, 1, RdmaPs(7'999'999)));
    EXPECT_EQ(Send(20_us), "request 2 1");
    EXPECT_FALSE(needed);
    EXPECT_EQ(Send(21_us), "data 2 1");
    EXPECT_TRUE(Answer(Kind::RTT_REPLY, 2, 24_us));
    EXPECT_FALSE(Answer(Kind::RTT_REPLY, 2, 24_us)) << "a second reply";
    EXPECT_EQ(Send(25_us), "request 3 1");
}

TEST_F(QbbConWeaveSenderTest, ReroutesBehindATailWhenTheReplyIsLate)
{
    EXPECT_EQ(Send(0_us, A), "request 1 1");
    EXPECT_EQ(Send(8_us), "data 1 1") << "the reply has until 8 us";
    EXPECT_EQ(Send(Units(31)), "tail 1 1") << "8.1 us: the TAIL takes the old path";
    EXPECT_TRUE(needed);
    EXPECT_EQ(tag.tailSent, 31);
    EXPECT_EQ(Send(9_us), "data+ 1 2");
    EXPECT_FALSE(needed);
    EXPECT_EQ(tag.tailSent, 31);
    EXPECT_FALSE(Answer(Kind::RTT_REPLY, 1, 10_us)) << "too late";
    EXPECT_EQ(Send(200_us), "data+ 1 2") << "no CLEAR: no further rerouting";
    EXPECT_FALSE(Answer(Kind::CLEAR, 0, 201_us)) << "of another epoch";
    EXPECT_TRUE(Answer(Kind::CLEAR, 1, 201_us));
    EXPECT_EQ(Send(202_us, A), "request 2 2");
    EXPECT_EQ(Send(203_us), "data 2 2");
}

TEST_F(QbbConWeaveSenderTest, LateReplyIsNone)
{
    EXPECT_EQ(Send(0_us, A), "request 1 1");
    EXPECT_FALSE(Answer(Kind::CLEAR, 1, 1_us)) << "there was no TAIL";
    EXPECT_FALSE(Answer(Kind::RTT_REPLY, 1, 8_us));
    EXPECT_EQ(Send(9_us), "tail 1 1");
    EXPECT_EQ(Send(10_us), "data+ 1 2");
}

TEST_F(QbbConWeaveSenderTest, KeepsItsPathIfNoOtherIsFree)
{
    EXPECT_EQ(Send(0_us, A, false), "request 1 1") << "the first path may be any";
    EXPECT_EQ(Send(9_us, B, false), "tail 1 1");
    EXPECT_EQ(Send(10_us), "data+ 1 1");
    EXPECT_TRUE(Answer(Kind::CLEAR, 1, 14_us));
    EXPECT_EQ(Send(15_us), "request 2 1");
    EXPECT_EQ(Send(24_us, B, true), "tail 2 1") << "the next attempt, after 15 + 8 us";
    EXPECT_EQ(Send(25_us), "data+ 2 2");
}

TEST_F(QbbConWeaveSenderTest, BeginsAnEpochOnAnyFreePathAfterIdleTime)
{
    Send(0_us, A);
    EXPECT_EQ(Send(9_us), "tail 1 1");
    EXPECT_EQ(Send(309_us), "data+ 1 2") << "300 us later";
    EXPECT_FALSE(needed);
    EXPECT_EQ(Send(RdmaPs(609'000'001), A), "request 2 1");
    EXPECT_TRUE(needed);
    EXPECT_EQ(Send(1000_us, B, false), "request 3 1") << "no other path is free";
    EXPECT_EQ(Send(1000_us, B), "data 3 1");
}

TEST_F(QbbConWeaveSenderTest, LeavesAPathThatHasCeasedToExist)
{
    Send(0_us, A);
    sender.LosePath();
    EXPECT_EQ(Send(1_us, B, false), "request 2 2") << "congested, but there";
}

TEST_F(QbbConWeaveSenderTest, CountsEpochsModulo256)
{
    Send(0_us, A);
    for (uint32_t i = 1; i <= 256; ++i)
    {
        EXPECT_TRUE(Answer(Kind::RTT_REPLY, static_cast<uint8_t>(i), i * 1_us));
        Send(i * 1_us);
    }
    EXPECT_EQ(tag.epoch, 1);
}

/** The receiver's side of a connection; times in units of a tag. */
class QbbConWeaveReceiverTest : public ::testing::Test
{
  protected:
    /**
     * Receives a frame.
     *
     * \param now arrival
     * \param kind kind of the frame
     * \param epoch epoch of the frame
     * \param sent departure
     * \return the fate of the frame: hold or pass, '<' or '>' if the queue is released before or
     *         after the frame, '!' if it is answered
     */
    std::string Receive(int64_t now, Kind kind, uint8_t epoch, int64_t sent)
    {
        return Receive(now, kind, epoch, sent, false, kind == Kind::TAIL ? sent : 0);
    }

    /** \copydoc Receive(int64_t,Kind,uint8_t,int64_t) \param tail departure of the TAIL */
    std::string Rerouted(int64_t now, uint8_t epoch, int64_t sent, int64_t tail)
    {
        return Receive(now, Kind::DATA, epoch, sent, true, tail);
    }

    std::string Receive(int64_t now,
                        Kind kind,
                        uint8_t epoch,
                        int64_t sent,
                        bool rerouted,
                        int64_t tail)
    {
        QbbConWeaveTag tag;
        tag.kind = kind;
        tag.epoch = epoch;
        tag.rerouted = rerouted;
        tag.sent = QbbConWeaveTag::MakeStamp(Units(sent));
        tag.tailSent = QbbConWeaveTag::MakeStamp(Units(tail));
        const auto fate = receiver.Receive(tag, Units(now), TIMES, missed);
        EXPECT_EQ(fate.notify, epoch != old);
        return std::string(fate.releaseFirst ? "<" : "") + (fate.hold ? "hold" : "pass") +
               (fate.releaseAfter ? ">" : "") + (fate.answer ? "!" : "");
    }

    QbbConWeaveReceiver receiver;
    QbbConWeaveReceiver::Missed missed;
    int old{-1}; //!< epoch that is over
};

TEST_F(QbbConWeaveReceiverTest, HoldsReroutedFramesUntilTheTail)
{
    // The old path takes 100 units and slows down; the new path takes 40. TAIL: sent at 300.
    EXPECT_EQ(Receive(300, Kind::RTT_REQUEST, 1, 200), "pass!");
    EXPECT_EQ(Receive(340, Kind::DATA, 1, 240), "pass");
    EXPECT_EQ(Rerouted(350, 1, 310, 300), "hold");
    EXPECT_TRUE(receiver.IsHolding());
    EXPECT_EQ(receiver.GetDeadline(), Units(340 + (300 - 240)) + 16_us);
    EXPECT_EQ(Rerouted(360, 1, 320, 300), "hold");
    EXPECT_EQ(receiver.GetDeadline(), Units(400) + 16_us);
    EXPECT_EQ(Receive(395, Kind::DATA, 1, 280), "pass") << "15 units slower";
    EXPECT_EQ(receiver.GetDeadline(), Units(395 + (300 - 280)) + 16_us);
    EXPECT_EQ(Receive(418, Kind::TAIL, 1, 300), "pass>!");
    EXPECT_FALSE(receiver.IsHolding());
    EXPECT_EQ(Rerouted(419, 1, 370, 300), "pass");
    EXPECT_EQ(Receive(430, Kind::RTT_REQUEST, 2, 390), "pass!");
    EXPECT_EQ(missed.early + missed.lost, 0U);
}

TEST_F(QbbConWeaveReceiverTest, TailInOrderHoldsNothing)
{
    EXPECT_EQ(Receive(300, Kind::RTT_REQUEST, 1, 200), "pass!");
    EXPECT_EQ(Receive(400, Kind::TAIL, 1, 300), "pass!");
    EXPECT_EQ(Rerouted(401, 1, 301, 300), "pass");
    EXPECT_EQ(Receive(500, Kind::TAIL, 2, 450), "pass!") << "its request was lost";
    EXPECT_EQ(Rerouted(501, 2, 451, 450), "pass");
}

TEST_F(QbbConWeaveReceiverTest, WithoutAFrameOfTheOldPathTheDefaultCounts)
{
    EXPECT_EQ(Rerouted(1000, 1, 900, 890), "hold");
    EXPECT_EQ(receiver.GetDeadline(), Units(1000) + 200_us + 16_us);
    EXPECT_EQ(Receive(1010, Kind::RTT_REQUEST, 1, 880), "pass!");
    EXPECT_EQ(receiver.GetDeadline(), Units(1010 + (890 - 880)) + 16_us);
    // What is known is of the previous epoch: the default again, after the release.
    EXPECT_EQ(Rerouted(1020, 2, 1000, 990), "<hold");
    EXPECT_EQ(receiver.GetDeadline(), Units(1020) + 200_us + 16_us);
    EXPECT_EQ(missed.lost, 1U);
}

TEST_F(QbbConWeaveReceiverTest, DeadlineGivesUpTheEpoch)
{
    Receive(300, Kind::RTT_REQUEST, 1, 200);
    EXPECT_EQ(Rerouted(350, 1, 310, 300), "hold");
    receiver.GiveUp();
    EXPECT_EQ(Rerouted(480, 1, 400, 300), "pass");
    EXPECT_EQ(Receive(490, Kind::DATA, 1, 290), "pass");
    EXPECT_EQ(missed.early, 0U);
    EXPECT_EQ(Receive(491, Kind::TAIL, 1, 300), "pass!") << "out of order";
    EXPECT_EQ(missed.early, 1U);
    // The next TAIL is lost.
    Receive(600, Kind::RTT_REQUEST, 2, 500);
    EXPECT_EQ(Rerouted(650, 2, 620, 610), "hold");
    receiver.GiveUp();
    EXPECT_EQ(missed.lost, 0U);
    EXPECT_EQ(Receive(2000, Kind::RTT_REQUEST, 3, 1900), "pass!");
    EXPECT_EQ(missed.lost, 1U);
    EXPECT_EQ(missed.early, 1U);
}

TEST_F(QbbConWeaveReceiverTest, DeadlineInThePastHoldsNothing)
{
    // 16 us are 61.04 units: expected at 400, given up after 461.04.
    Receive(300, Kind::RTT_REQUEST, 1, 200);
    EXPECT_EQ(Rerouted(462, 1, 310, 300), "pass");
    EXPECT_FALSE(receiver.IsHolding());
    EXPECT_EQ(Rerouted(463, 1, 311, 300), "pass");
    EXPECT_EQ(Receive(470, Kind::TAIL, 1, 300), "pass!");
    EXPECT_EQ(missed.early, 1U);
}

TEST_F(QbbConWeaveReceiverTest, NewEpochReleasesWhatWaits)
{
    Receive(300, Kind::RTT_REQUEST, 1, 200);
    EXPECT_EQ(Rerouted(350, 1, 310, 300), "hold");
    EXPECT_EQ(Receive(400, Kind::RTT_REQUEST, 2, 350), "<pass!");
    EXPECT_FALSE(receiver.IsHolding());
    old = 1;
    EXPECT_EQ(Receive(410, Kind::TAIL, 1, 300), "pass") << "of an epoch that is over: no CLEAR";
    EXPECT_EQ(Rerouted(420, 1, 320, 300), "pass");
    EXPECT_EQ(Rerouted(430, 2, 420, 410), "hold");
    EXPECT_EQ(receiver.GetDeadline(), Units(400 + (410 - 350)) + 16_us);
}

TEST_F(QbbConWeaveReceiverTest, ComparesEpochsModulo256)
{
    Receive(300, Kind::RTT_REQUEST, 255, 200);
    EXPECT_EQ(Receive(400, Kind::RTT_REQUEST, 0, 300), "pass!");
    old = 255;
    EXPECT_EQ(Receive(401, Kind::TAIL, 255, 290), "pass");
    EXPECT_EQ(Rerouted(410, 0, 390, 380), "hold");
}

TEST_F(QbbConWeaveReceiverTest, AnyEpochIsNewAfterALongTime)
{
    Receive(300, Kind::RTT_REQUEST, 9, 200);
    // 2 ms are 7629.4 units.
    EXPECT_EQ(Receive(7930, Kind::RTT_REQUEST, 1, 7830), "pass!");
}

TEST_F(QbbConWeaveReceiverTest, StampsWrap)
{
    // A stamp counts to 65536. TAIL: sent at 65546, the stamp is 10.
    Receive(65600, Kind::RTT_REQUEST, 1, 65500);
    EXPECT_EQ(Rerouted(65605, 1, 65550, 65546), "hold");
    EXPECT_EQ(receiver.GetDeadline(), Units(65600 + 46) + 16_us);
}

TEST(QbbConWeaveTagTest, ReadsWhatItWrites)
{
    QbbConWeaveTag tag;
    tag.kind = Kind::NOTIFY;
    tag.rerouted = true;
    tag.hop = 2;
    tag.epoch = 0xe1;
    tag.path.ports = {0x0102, QbbConWeavePath::NO_PORT};
    tag.sent = 0x0304;
    tag.tailSent = 0xfefd;
    const std::array<uint8_t, 10> expected{0xa5, 0xe1, 1, 2, 0xff, 0xff, 3, 4, 0xfe, 0xfd};
    EXPECT_EQ(tag.Write(), expected);
    const auto read = QbbConWeaveTag::Read(expected.data());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->Write(), expected);
    EXPECT_TRUE(read->IsControl());
    const std::array<uint8_t, 10> bad{0x06};
    EXPECT_FALSE(QbbConWeaveTag::Read(bad.data()));
}

} // namespace
