/* SPDX-License-Identifier: GPL-2.0-only */

// Messages of MPI in which bytes cross to another rank.

#include "qbb-remote-message.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Bytes of a message of ns-3: at most 2000 with time, node and device, which ns-3 adds.
constexpr uint32_t MESSAGE_BYTES = 2000 - 16;

/** \return bytes that differ from place to place */
std::string
MakeBytes(std::size_t count, int first)
{
    std::string bytes(count, '\0');
    for (std::size_t i = 0; i < count; ++i)
    {
        bytes[i] = static_cast<char>(i * 7 + first);
    }
    return bytes;
}

/** \return the messages as they come out of MPI */
std::vector<Ptr<Packet>>
CrossMpi(const std::string& bytes, uint32_t rank)
{
    std::vector<Ptr<Packet>> messages;
    for (const Ptr<Packet>& message : MakeQbbRemoteMessages(bytes, rank))
    {
        const uint32_t size = message->GetSerializedSize();
        EXPECT_LE(size, MESSAGE_BYTES);
        std::vector<uint8_t> form(size);
        message->Serialize(form.data(), size);
        messages.push_back(Create<Packet>(form.data(), size, true));
    }
    return messages;
}

} // namespace

TEST(QbbRemoteMessages, Fragments)
{
    const std::map<std::size_t, std::size_t> messagesOf = {{1, 1}, {1900, 1}, {1901, 2}, {9000, 5}};
    QbbRemoteMessages all;
    for (const auto& [size, number] : messagesOf)
    {
        const std::string bytes = MakeBytes(size, 1);
        for (const bool isReversed : {false, true})
        {
            auto messages = CrossMpi(bytes, 3);
            ASSERT_EQ(messages.size(), number);
            if (isReversed)
            {
                std::reverse(messages.begin(), messages.end());
            }
            for (std::size_t i = 0; i + 1 < number; ++i)
            {
                EXPECT_FALSE(all.Take(*messages[i]));
            }
            EXPECT_EQ(all.Take(*messages.back()), bytes);
        }
    }
}

TEST(QbbRemoteMessages, FragmentsOfTwoRanksMayMix)
{
    const std::string first = MakeBytes(5000, 1);
    const std::string second = MakeBytes(3000, 9);
    const auto ofFirst = CrossMpi(first, 0);
    const auto ofSecond = CrossMpi(second, 2);
    QbbRemoteMessages all;
    EXPECT_FALSE(all.Take(*ofFirst[0]));
    EXPECT_FALSE(all.Take(*ofSecond[0]));
    EXPECT_FALSE(all.Take(*ofFirst[1]));
    EXPECT_EQ(all.Take(*ofSecond[1]), second);
    EXPECT_EQ(all.Take(*ofFirst[2]), first);
}
