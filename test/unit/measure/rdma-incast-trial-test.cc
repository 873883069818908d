/* SPDX-License-Identifier: GPL-2.0-only */

// Incasts on paper. Frames of 1000 B take 1020 B of the line, 81.6 ns at 100 Gb/s. Two senders and
// a port of equal rate: when the first frame of wave k (from 0) arrives, k frames wait.

#include "qbb-shared-buffer-setup.h"
#include "rdma-incast-forecast.h"

#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr RdmaPs WAVE(81'600); //!< time of a frame

/** \return two senders at 100 Gb/s that send \p frames frames of class \p priority each */
RdmaIncast
MakeTwoSenders(uint64_t frames, uint8_t priority = 3)
{
    RdmaIncast incast;
    incast.inputs = {0, 1};
    incast.output = 3;
    incast.priority = priority;
    incast.inputRate = incast.outputRate = 100_gbps;
    incast.frameBytes = 1000;
    incast.lineBytes = 1020;
    incast.frames = frames;
    return incast;
}

/** \return a curve with Kmin = Kmax */
QbbMarkCurve
MakeStep(uint64_t bytes)
{
    return {{bytes, bytes, 0}, false, false};
}

} // namespace

TEST(RdmaIncastTrial, RoomOfADynamicThreshold)
{
    // The k-th frame fits if 1000 k <= (100000 - 1000 (k - 1)) / 8, which holds up to k = 11. With
    // s shared bytes left, XON needs 8 (s + 2 x 1000) <= 100000 - s, thus s <= 9333.
    const auto room = TryRdmaIngress(*MakeBuffer(PLAIN), 0, 1, 3, 1000);
    EXPECT_EQ(room.holdsBytes, 11'000U);
    EXPECT_TRUE(room.pauses);
    EXPECT_EQ(room.xonBytes, std::optional<uint64_t>(9000));
}

TEST(RdmaIncastTrial, RoomOfAStaticThreshold)
{
    const auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 20'000}, {"XonOffsetBytes", 5000}}));
    const auto room = TryRdmaIngress(*buffer, 0, 1, 3, 1000);
    EXPECT_EQ(room.holdsBytes, 20'000U);
    EXPECT_EQ(room.xonBytes, std::optional<uint64_t>(15'000));
}

TEST(RdmaIncastTrial, RoomOfALossyClass)
{
    // The egress queue is limited to 30 frames.
    const auto buffer = MakeBuffer(Plus(PLAIN, {{"EgressLimitBytes", 30'500}}));
    const auto room = TryRdmaIngress(*buffer, 0, 1, 0, 1000);
    EXPECT_EQ(room.holdsBytes, 30'000U);
    EXPECT_FALSE(room.pauses);
    EXPECT_FALSE(room.xonBytes);
}

TEST(RdmaIncastTrial, Pause)
{
    // The frames of the two senders alternate in the queue. Each sender holds 20 frames after wave
    // 39. The first frame of wave 40 is the 21st of its sender and exceeds XOFF.
    const auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 20'000}}));
    const auto outcome = TryRdmaIncast(*buffer, MakeTwoSenders(41));
    ASSERT_TRUE(outcome.pause);
    EXPECT_EQ(outcome.pause->at, 40 * WAVE);
    EXPECT_EQ(outcome.pause->queueBytes, 41'000U);
    EXPECT_EQ(outcome.pause->senderBytes, 21'000U);
    EXPECT_FALSE(outcome.drop);
    EXPECT_FALSE(outcome.mayMark || outcome.mark || outcome.signal);
    const auto shorter = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 20'000}}));
    EXPECT_FALSE(TryRdmaIncast(*shorter, MakeTwoSenders(40)).pause);
}

TEST(RdmaIncastTrial, UnequalSenders)
{
    const auto pauses = [](std::vector<uint64_t> frames, std::vector<double> shares) {
        RdmaIncast incast = MakeTwoSenders(0);
        incast.framesOf = std::move(frames);
        incast.shares = std::move(shares);
        const auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 20'000}}));
        const auto outcome = TryRdmaIncast(*buffer, incast);
        return outcome.pause ? std::optional(outcome.pause->at) : std::nullopt;
    };
    EXPECT_EQ(pauses({41, 41}, {}), std::optional(40 * WAVE)) << "as two equal senders";
    EXPECT_EQ(pauses({1000, 1000}, {1, 1}), std::optional(40 * WAVE));
    EXPECT_EQ(pauses({1000, 10}, {1, 1}), std::nullopt) << "ten frames more than the port sends";
    EXPECT_EQ(pauses({1000, 1000}, {0.5, 0.5}), std::nullopt) << "the port keeps up";
    // One frame more waits after every other wave. Two thirds of the frames are of sender 0.
    const auto at = pauses({1000, 1000}, {1, 0.5});
    ASSERT_TRUE(at);
    EXPECT_NEAR(static_cast<double>(*at), static_cast<double>(60 * WAVE), 3.0 * 81'600);
}

TEST(RdmaIncastTrial, OneSenderNeverWaits)
{
    RdmaIncast incast = MakeTwoSenders(1000);
    incast.inputs = {0};
    incast.marks = {MakeStep(0)};
    const auto outcome = TryRdmaIncast(*MakeBuffer(PLAIN), incast);
    EXPECT_FALSE(outcome.pause || outcome.drop || outcome.mayMark);
}

TEST(RdmaIncastTrial, Marks)
{
    RdmaIncast incast = MakeTwoSenders(50);
    const auto when = [&incast](QbbMarkCurve curve) {
        incast.marks = {curve};
        return TryRdmaIncast(*MakeBuffer(PLAIN), incast);
    };
    // Above 10 frames: a packet that finds 11, one that makes 11, one that leaves 11 behind.
    const auto finds = when(MakeStep(10'000));
    ASSERT_TRUE(finds.mark && finds.mayMark);
    EXPECT_EQ(finds.mark->at, 11 * WAVE);
    EXPECT_EQ(finds.mayMark->at, 11 * WAVE);
    EXPECT_EQ(finds.mark->queueBytes, 11'000U);
    QbbMarkCurve makes = MakeStep(10'000);
    makes.countsPacket = true;
    EXPECT_EQ(when(makes).mark->at, 10 * WAVE);
    QbbMarkCurve leaves = MakeStep(10'000);
    leaves.atDeparture = true;
    EXPECT_EQ(when(leaves).mark->at, 11 * WAVE);
    // 1% for each frame found. The two packets of wave k find k frames, so that waves 0 to 9 have
    // 2 x 1% x 45 = 0.9 marks, and the next packet adds the missing 10%.
    const auto curve = when({{0, 100'000, 1e-5}, false, false});
    ASSERT_TRUE(curve.mark && curve.mayMark);
    EXPECT_EQ(curve.mayMark->at, 1 * WAVE);
    EXPECT_EQ(curve.mark->at, 10 * WAVE);
}

// In each wave, one packet of each of two senders arrives and one packet leaves. Each sender has an
// ingress port, and the two ports take turns to send. When packets of wave k arrive, k / 2 frames
// (rounded down) of each ingress port wait. When a packet leaves in an even wave k, k / 2 frames of
// the packet's ingress port stay.
TEST(RdmaIncastTrial, MarksByTheQueueOfAnInput)
{
    RdmaIncast incast = MakeTwoSenders(50);
    QbbMarkCurve curve = MakeStep(10'000);
    curve.perInput = true;
    const auto when = [&] {
        incast.marks = {curve};
        const auto outcome = TryRdmaIncast(*MakeBuffer(PLAIN), incast);
        return outcome.mark ? outcome.mark->at : RDMA_NEVER;
    };
    EXPECT_EQ(when(), 22 * WAVE);
    curve.atDeparture = true;
    EXPECT_EQ(when(), 22 * WAVE);
    // Two senders behind one ingress port share a queue.
    curve.atDeparture = false;
    incast.inputs = {0, 0};
    EXPECT_EQ(when(), 11 * WAVE);
}

TEST(RdmaIncastTrial, SignalOfDelay)
{
    RdmaIncast incast = MakeTwoSenders(50);
    incast.signalBytes = 12'345;
    const auto outcome = TryRdmaIncast(*MakeBuffer(PLAIN), incast);
    ASSERT_TRUE(outcome.signal);
    EXPECT_EQ(outcome.signal->at, 13 * WAVE);
}

TEST(RdmaIncastTrial, DropOfALossyClass)
{
    // The first frame of wave 30 finds 30 frames.
    const Attributes attributes = Plus(PLAIN, {{"EgressLimitBytes", 30'000}});
    const auto outcome = TryRdmaIncast(*MakeBuffer(attributes), MakeTwoSenders(31, 0));
    ASSERT_TRUE(outcome.drop);
    EXPECT_EQ(outcome.drop->at, 30 * WAVE);
    EXPECT_EQ(outcome.drop->queueBytes, 30'000U);
    EXPECT_FALSE(outcome.pause);
    EXPECT_FALSE(TryRdmaIncast(*MakeBuffer(attributes), MakeTwoSenders(30, 0)).drop);
}

TEST(RdmaIncastTrial, DropForLackOfHeadroom)
{
    // One sender into a port of 1 Gb/s, which sends the first frame and no other one in 8 us. The
    // sender holds 20 frames after wave 20; wave 21 is above XOFF, in headroom, and pauses. Of the
    // frames that still arrive, headroom takes one, in wave 22.
    RdmaIncast incast = MakeTwoSenders(50);
    incast.inputs = {0};
    incast.outputRate = 1_gbps;
    const Attributes attributes = Plus(PLAIN, {{"XoffBytes", 20'000}, {"HeadroomBytes", 2000}});
    incast.framesAfterPause = 1;
    const auto enough = TryRdmaIncast(*MakeBuffer(attributes), incast);
    ASSERT_TRUE(enough.pause);
    EXPECT_EQ(enough.pause->at, 21 * WAVE);
    EXPECT_FALSE(enough.drop);
    incast.framesAfterPause = 2;
    const auto scarce = TryRdmaIncast(*MakeBuffer(attributes), incast);
    ASSERT_TRUE(scarce.drop);
    EXPECT_EQ(scarce.drop->at, 23 * WAVE);
}

TEST(RdmaIncastTrial, CopyHasTheSettingsAndNoFrames)
{
    const auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 20'000}}));
    TryRdmaIngress(*buffer, 0, 1, 3, 1000);
    const auto copy = buffer->Copy();
    ASSERT_TRUE(copy);
    copy->Configure(MakePorts(4));
    EXPECT_TRUE(copy->IsEmpty());
    EXPECT_FALSE(buffer->IsEmpty());
    EXPECT_EQ(TryRdmaIngress(*copy, 0, 1, 3, 1000).holdsBytes, 20'000U);
    const QbbIngressTerms terms = copy->GetTerms(0, 3);
    EXPECT_TRUE(terms.lossless);
    EXPECT_EQ(terms.limitBytes, 20'000U);
    EXPECT_EQ(terms.alpha, 0);
    EXPECT_EQ(terms.poolBytes, 100'000U);
    EXPECT_EQ(terms.headroomBytes, 5000U);
    EXPECT_EQ(copy->GetTerms(0, 2).alpha, 8);
    EXPECT_FALSE(copy->GetTerms(0, 2).lossless);
}
