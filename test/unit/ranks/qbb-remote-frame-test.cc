/* SPDX-License-Identifier: GPL-2.0-only */

// Frames that cross to another rank in messages of MPI.

#include "qbb-frame-samples.h"
#include "qbb-remote-frame.h"

#include <ns3/flow-id-tag.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace ns3;

namespace
{

/// Bytes that ns-3 adds to a message of at most 2000 bytes: time, node and device.
constexpr uint32_t MESSAGE_BYTES = 2000 - 16;

/** \return the messages of a frame as they come out of MPI, the last fragment first if asked */
std::vector<Ptr<Packet>>
CrossMpi(const QbbFrame& frame, QbbPs arrival, bool isReversed)
{
    std::vector<Ptr<Packet>> messages;
    for (const Ptr<Packet>& message : MakeQbbRemoteMessages(frame, arrival))
    {
        const uint32_t size = message->GetSerializedSize();
        EXPECT_LE(size, MESSAGE_BYTES);
        std::vector<uint8_t> bytes(size);
        message->Serialize(bytes.data(), size);
        messages.push_back(Create<Packet>(bytes.data(), size, true));
    }
    if (isReversed)
    {
        std::reverse(messages.begin(), messages.end());
    }
    return messages;
}

/** Expects that a frame crosses unchanged. \return number of messages */
std::size_t
ExpectCrossing(const QbbFrame& frame, QbbRemoteFrames& frames, QbbFramePool& pool, bool isReversed)
{
    const QbbPs arrival(1'234'567'890'123);
    const auto messages = CrossMpi(frame, arrival, isReversed);
    for (std::size_t i = 0; i < messages.size(); ++i)
    {
        const auto taken = frames.Take(*messages[i], pool);
        EXPECT_EQ(taken.has_value(), i + 1 == messages.size());
        if (taken)
        {
            EXPECT_EQ(taken->second, arrival);
            EXPECT_EQ(Differences(*taken->first, frame), "");
            EXPECT_EQ(BytesOf(*taken->first), BytesOf(frame));
        }
    }
    return messages.size();
}

} // namespace

TEST(QbbRemoteFrame, RandomFrames)
{
    std::mt19937_64 random(1);
    QbbFramePool pool;
    QbbRemoteFrames frames;
    std::set<int> kinds;
    for (int i = 0; i < 20000 && !HasFailure(); ++i)
    {
        const QbbFramePtr frame = pool.Allocate();
        FillFrame(random, *frame);
        EXPECT_EQ(ExpectCrossing(*frame, frames, pool, false), 1U);
        kinds.insert(frame->type == QbbFrameType::ROCE ? frame->opcode
                                                       : 0x100 + static_cast<int>(frame->type));
    }
    EXPECT_EQ(kinds.size(), std::size(ALL_OPCODES) + 2) << "every opcode, PFC and PAUSE";
}

TEST(QbbRemoteFrame, PayloadTakesNoBytes)
{
    QbbFramePool pool;
    const QbbFramePtr frame = pool.Allocate();
    const uint32_t without = MakeQbbRemoteMessages(*frame, 0_ps)[0]->GetSize();
    frame->payload = 4096;
    EXPECT_EQ(MakeQbbRemoteMessages(*frame, 0_ps)[0]->GetSize(), without);
}

TEST(QbbRemoteFrame, PacketsInFragments)
{
    QbbFramePool pool;
    QbbRemoteFrames frames;
    std::vector<uint8_t> bytes(9000);
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        bytes[i] = static_cast<uint8_t>(i * 7 + 1);
    }
    // Some 200 bytes of fields stand before the packet.
    const std::map<uint32_t, std::size_t> messagesOf = {{60, 1}, {1500, 2}, {2900, 2}, {9000, 6}};
    for (const auto& [size, messages] : messagesOf)
    {
        const auto parsed = QbbFrameCodec::FromSdu(Create<Packet>(bytes.data(), size),
                                                   0x86dd,
                                                   Mac48Address("02:00:00:00:00:01"),
                                                   Mac48Address("02:00:00:00:00:02"),
                                                   {},
                                                   pool);
        ASSERT_TRUE(parsed);
        for (const bool isReversed : {false, true})
        {
            EXPECT_EQ(ExpectCrossing(*parsed.frame, frames, pool, isReversed), messages);
        }
    }
}

TEST(QbbRemoteFrame, TagsOfPackets)
{
    QbbFramePool pool;
    QbbRemoteFrames frames;
    const auto packet = Create<Packet>(100);
    packet->AddPacketTag(FlowIdTag(77));
    const auto parsed = QbbFrameCodec::FromSdu(packet,
                                               0x86dd,
                                               Mac48Address("02:00:00:00:00:01"),
                                               Mac48Address("02:00:00:00:00:02"),
                                               {},
                                               pool);
    const auto taken = frames.Take(*CrossMpi(*parsed.frame, 5_ps, false)[0], pool);
    ASSERT_TRUE(taken);
    FlowIdTag tag;
    EXPECT_TRUE(taken->first->packet->PeekPacketTag(tag));
    EXPECT_EQ(tag.GetFlowId(), 77U);
}
