/* SPDX-License-Identifier: GPL-2.0-only */

// The codec on many arbitrary frames and damaged bytes.

#include "qbb-frame-codec.h"
#include "qbb-frame-samples.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace ns3;

namespace
{

/**
 * Parse bytes and check the properties of every result.
 *
 * \return the error
 */
QbbParseError
CheckBytes(const std::vector<uint8_t>& bytes, QbbFramePool& pool)
{
    const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
    EXPECT_EQ(parsed.frame != nullptr, parsed.error == QbbParseError::NONE);
    if (parsed)
    {
        EXPECT_EQ(BytesOf(*parsed.frame), bytes);
        EXPECT_EQ(parsed.frame->size, bytes.size() + 4);
    }
    if (bytes.size() < 60 || (bytes.size() < 64 && bytes[12] == 0x81 && bytes[13] == 0x00))
    {
        return parsed.error;
    }

    // The bytes must give an equal result if they come from the node's stack.
    const bool tagged = bytes[12] == 0x81 && bytes[13] == 0x00;
    const size_t header = tagged ? 18 : 14;
    std::optional<uint16_t> tci;
    if (tagged)
    {
        tci = static_cast<uint16_t>(bytes[14] << 8 | bytes[15]);
    }
    Mac48Address dst;
    Mac48Address src;
    dst.CopyFrom(bytes.data());
    src.CopyFrom(bytes.data() + 6);
    const auto etherType = static_cast<uint16_t>(bytes[header - 2] << 8 | bytes[header - 1]);
    const Ptr<Packet> sdu =
        Create<Packet>(&bytes[header], static_cast<uint32_t>(bytes.size() - header));
    const QbbParseResult made = QbbFrameCodec::FromSdu(sdu, etherType, src, dst, tci, pool);
    if (etherType == 0x88b5)
    {
        EXPECT_EQ(made.error, QbbParseError::BAD_FABRIC_HEADER) << "switches alone send these";
        return parsed.error;
    }
    EXPECT_EQ(made.error, parsed.error);
    if (made && parsed)
    {
        EXPECT_EQ(Differences(*made.frame, *parsed.frame), "");
        EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*made.frame)), BytesOf(sdu));
    }
    return parsed.error;
}

} // namespace

TEST(QbbFrameRandom, FramesSurviveTheRoundTrip)
{
    std::mt19937_64 random(1);
    QbbFramePool pool;
    std::set<int> kinds;
    for (int i = 0; i < 200000; ++i)
    {
        const QbbFramePtr frame = pool.Allocate();
        FillFrame(random, *frame);
        const std::vector<uint8_t> bytes = BytesOf(*frame);
        const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
        ASSERT_TRUE(parsed) << parsed.error << " in round " << i;
        ASSERT_EQ(Differences(*parsed.frame, *frame), "") << "in round " << i;
        kinds.insert(frame->type == QbbFrameType::ROCE ? frame->opcode
                                                       : 0x100 + static_cast<int>(frame->type));
    }
    EXPECT_EQ(kinds.size(), std::size(ALL_OPCODES) + 2) << "every opcode, PFC and PAUSE";
}

TEST(QbbFrameRandom, DamagedBytesAreRefusedOrKept)
{
    std::mt19937_64 random(2);
    QbbFramePool pool;
    std::set<QbbParseError> errors;
    for (int i = 0; i < 200000 && !HasFailure(); ++i)
    {
        const QbbFramePtr frame = pool.Allocate();
        FillFrame(random, *frame);
        std::vector<uint8_t> bytes = BytesOf(*frame);
        const uint64_t how = random();
        for (uint64_t changes = how % 4; changes > 0; --changes)
        {
            // Most changes are in the headers, which have most of the rules.
            const size_t range = (how & 0x10) ? bytes.size() : std::min<size_t>(bytes.size(), 80);
            bytes[random() % range] ^= static_cast<uint8_t>(1U << (random() % 8));
        }
        if ((how & 0xe0) == 0)
        {
            bytes.resize(random() % (bytes.size() + 70));
        }
        if (how & 0x100)
        {
            MendChecksums(bytes, true, how & 0x200);
        }
        errors.insert(CheckBytes(bytes, pool));
    }
    EXPECT_EQ(pool.GetInUse(), 0U);
    EXPECT_GE(errors.size(), 17U) << "the changes reach nearly all of the checks";
}

TEST(QbbFrameRandom, NoiseIsRefusedOrKept)
{
    std::mt19937_64 random(3);
    QbbFramePool pool;
    for (int i = 0; i < 50000 && !HasFailure(); ++i)
    {
        std::vector<uint8_t> bytes(random() % 200);
        for (uint8_t& byte : bytes)
        {
            byte = static_cast<uint8_t>(random());
        }
        if (bytes.size() > 20 && i % 2 == 0)
        {
            // A random EtherType is hardly ever one that the parser knows.
            const uint8_t etherTypes[][2] = {{0x08, 0x00},
                                             {0x88, 0x08},
                                             {0x81, 0x00},
                                             {0x88, 0xb5}};
            const auto& etherType = etherTypes[random() % 4];
            bytes[12] = etherType[0];
            bytes[13] = etherType[1];
        }
        CheckBytes(bytes, pool);
    }
}
