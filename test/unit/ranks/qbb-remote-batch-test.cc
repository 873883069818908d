/* SPDX-License-Identifier: GPL-2.0-only */

// Frames that cross to another rank of MPI.

#include "qbb-frame-samples.h"
#include "qbb-remote-batch.h"

#include <ns3/flow-id-tag.h>

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/** \return a crossing whose fields all differ from 0 and from those of other numbers */
QbbRemoteCrossing
MakeCrossing(uint32_t number)
{
    return {number + 1, number % 2, RdmaEventTime(RdmaPs(7 * number), 5), RdmaPs(1000 + number)};
}

void
ExpectCrossing(const QbbRemoteCrossing& crossing, uint32_t number)
{
    const QbbRemoteCrossing wanted = MakeCrossing(number);
    EXPECT_EQ(crossing.cable, wanted.cable);
    EXPECT_EQ(crossing.end, wanted.end);
    EXPECT_EQ(crossing.sent, wanted.sent);
    EXPECT_EQ(crossing.arrival, wanted.arrival);
}

/** \return a frame with a packet of ns-3 of 100 bytes, which has a tag */
QbbFramePtr
MakeTagged(QbbFramePool& pool, uint32_t flow)
{
    const auto packet = Create<Packet>(100);
    packet->AddPacketTag(FlowIdTag(flow));
    return QbbFrameCodec::FromSdu(packet,
                                  0x86dd,
                                  Mac48Address("02:00:00:00:00:01"),
                                  Mac48Address("02:00:00:00:00:02"),
                                  {},
                                  pool)
        .frame;
}

/** \return the bytes of all frames, which leave the batch */
std::string
TakeBytes(QbbRemoteBatch& batch)
{
    std::string bytes;
    batch.MoveTo(bytes);
    return bytes;
}

} // namespace

TEST(QbbRemoteBatch, RandomFramesCrossUnchanged)
{
    std::mt19937_64 random(1);
    QbbFramePool pool;
    std::set<int> kinds;
    for (int round = 0; round < 1000 && !HasFailure(); ++round)
    {
        QbbRemoteBatch batch;
        std::vector<QbbFramePtr> frames;
        for (uint32_t i = 0; i < 20; ++i)
        {
            frames.push_back(pool.Allocate());
            FillFrame(random, *frames.back());
            batch.Add(MakeCrossing(i), *frames.back());
            kinds.insert(frames.back()->type == QbbFrameType::ROCE
                             ? frames.back()->opcode
                             : 0x100 + static_cast<int>(frames.back()->type));
        }
        const std::string bytes = TakeBytes(batch);
        EXPECT_EQ(TakeBytes(batch), "") << "the frames have left the batch";
        QbbRemoteBatchReader reader(bytes);
        for (uint32_t i = 0; i < 20; ++i)
        {
            ASSERT_FALSE(reader.IsAtEnd());
            ExpectCrossing(reader.TakeCrossing(), i);
            const QbbFramePtr taken = reader.TakeFrame(pool);
            EXPECT_EQ(Differences(*taken, *frames[i]), "");
            EXPECT_EQ(BytesOf(*taken), BytesOf(*frames[i]));
        }
        EXPECT_TRUE(reader.IsAtEnd());
    }
    EXPECT_EQ(kinds.size(), std::size(ALL_OPCODES) + 2) << "every opcode, PFC and PAUSE";
}

TEST(QbbRemoteBatch, PayloadTakesNoBytes)
{
    QbbFramePool pool;
    const QbbFramePtr frame = pool.Allocate();
    frame->payload = 1;
    QbbRemoteBatch small;
    small.Add(MakeCrossing(1), *frame);
    frame->payload = 4096;
    QbbRemoteBatch large;
    large.Add(MakeCrossing(1), *frame);
    EXPECT_EQ(TakeBytes(large).size(), TakeBytes(small).size());
}

TEST(QbbRemoteBatch, PacketsCrossWithTheirTags)
{
    QbbFramePool pool;
    QbbRemoteBatch batch;
    batch.Add(MakeCrossing(1), *MakeTagged(pool, 77));
    batch.Add(MakeCrossing(2), *MakeTagged(pool, 88));
    const std::string bytes = TakeBytes(batch);
    QbbRemoteBatchReader reader(bytes);
    for (const uint32_t flow : {77, 88})
    {
        reader.TakeCrossing();
        const QbbFramePtr frame = reader.TakeFrame(pool);
        FlowIdTag tag;
        EXPECT_TRUE(frame->packet->PeekPacketTag(tag));
        EXPECT_EQ(tag.GetFlowId(), flow);
        EXPECT_EQ(frame->packet->GetSize(), 100U);
    }
    EXPECT_TRUE(reader.IsAtEnd());
}

TEST(QbbRemoteBatch, TellsTheEarliestArrival)
{
    QbbFramePool pool;
    const QbbFramePtr frame = pool.Allocate();
    QbbRemoteBatch batch;
    std::string bytes;
    EXPECT_EQ(batch.MoveTo(bytes), RDMA_NEVER);
    for (const RdmaPs arrival : {30_ns, 20_ns, 40_ns})
    {
        batch.Add({0, 0, RdmaEventTime(), arrival}, *frame);
    }
    EXPECT_EQ(batch.MoveTo(bytes), 20_ns);
    EXPECT_EQ(batch.MoveTo(bytes), RDMA_NEVER) << "the frames have left the batch";
}
