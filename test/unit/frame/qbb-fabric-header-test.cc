/* SPDX-License-Identifier: GPL-2.0-only */

// The header that switches add to frames for each other.

#include "qbb-frame-codec.h"
#include "qbb-frame-samples.h"

#include <ns3/ipv4-header.h>
#include <ns3/udp-header.h>

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t PROTOCOL = 7;
const std::vector<uint8_t> CONTENTS = {0x11, 0x22, 0x33, 0x44, 0x55};

/** Adds a header with CONTENTS. */
void
AddHeader(QbbFrame& frame)
{
    QbbFrameCodec::AddFabric(frame, PROTOCOL, static_cast<uint8_t>(CONTENTS.size()));
    std::copy(CONTENTS.begin(), CONTENTS.end(), frame.fabric.bytes.begin());
}

/** \return the bytes of a frame with the header, from those without the header and the padding */
std::vector<uint8_t>
Insert(std::vector<uint8_t> bytes, size_t etherType)
{
    std::vector<uint8_t> header = {0x88, 0xb5, PROTOCOL, 5};
    header.insert(header.end(), CONTENTS.begin(), CONTENTS.end());
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(etherType),
                 header.begin(),
                 header.end());
    return bytes;
}

/** \return an acknowledgement without the header: 62 bytes without FCS, so without padding */
QbbFramePtr
MakeAck(QbbFramePool& pool, bool tagged)
{
    QbbFramePtr frame = pool.Allocate();
    frame->tagged = tagged;
    frame->tci = tagged ? 0x6005 : 0;
    frame->srcIp = 0x0a000001;
    frame->dstIp = 0x0a000002;
    frame->ttl = 64;
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::ACKNOWLEDGE);
    FinishRoce(*frame);
    return frame;
}

/** \return result of the bytes */
QbbParseError
ParseBytes(const std::vector<uint8_t>& bytes)
{
    QbbFramePool pool;
    return QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error;
}

} // namespace

TEST(QbbFabricHeader, StandsBeforeTheEtherType)
{
    for (const bool tagged : {false, true})
    {
        QbbFramePool pool;
        const QbbFramePtr frame = MakeAck(pool, tagged);
        const std::vector<uint8_t> without = BytesOf(*frame);
        const uint32_t size = frame->size;
        AddHeader(*frame);
        EXPECT_EQ(frame->size, size + 9) << "EtherType, protocol, count and five bytes";
        EXPECT_EQ(frame->GetFabricBytes(), 9U);
        const std::vector<uint8_t> bytes = BytesOf(*frame);
        EXPECT_EQ(bytes, Insert(without, tagged ? 16 : 12));
        const auto parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
        ASSERT_TRUE(parsed) << parsed.error;
        EXPECT_EQ(Differences(*parsed.frame, *frame), "");
        EXPECT_TRUE(frame->UsesRareFields()) << "the fields cross to other ranks";
        QbbFrameCodec::RemoveFabric(*parsed.frame);
        EXPECT_EQ(BytesOf(*parsed.frame), without);
        EXPECT_EQ(parsed.frame->size, size);
        EXPECT_FALSE(parsed.frame->UsesRareFields());
    }
}

TEST(QbbFabricHeader, TakesThePlaceOfPadding)
{
    // A SEND without payload has 14 + 20 + 8 + 12 + 4 = 58 bytes and the FCS: it is padded to 64.
    QbbFramePool pool;
    const QbbFramePtr frame = pool.Allocate();
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::SEND_ONLY);
    FinishRoce(*frame);
    ASSERT_EQ(frame->size, 64U);
    const std::vector<uint8_t> without = BytesOf(*frame);
    for (uint8_t count = 0; count <= QbbFabricHeader::MAX_BYTES; ++count)
    {
        QbbFrameCodec::AddFabric(*frame, PROTOCOL, count);
        EXPECT_EQ(frame->size, 66U + count) << "58 + 4 + 4 + count";
        const std::vector<uint8_t> bytes = BytesOf(*frame);
        EXPECT_EQ(bytes.size() + 4, frame->size);
        EXPECT_EQ(ParseBytes(bytes), QbbParseError::NONE);
        QbbFrameCodec::RemoveFabric(*frame);
        EXPECT_EQ(frame->size, 64U);
        EXPECT_EQ(BytesOf(*frame), without);
    }
}

TEST(QbbFabricHeader, CarriesPacketsOfTheStack)
{
    QbbFramePool pool;
    const auto packet = Create<Packet>(100);
    UdpHeader udp;
    udp.SetDestinationPort(9);
    packet->AddHeader(udp);
    Ipv4Header ip;
    ip.SetSource(Ipv4Address("10.0.0.1"));
    ip.SetDestination(Ipv4Address("10.0.0.2"));
    ip.SetProtocol(17);
    ip.SetTtl(9);
    ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    packet->AddHeader(ip);
    const auto made = QbbFrameCodec::FromSdu(packet,
                                             0x0800,
                                             Mac48Address("02:00:00:00:00:01"),
                                             Mac48Address("02:00:00:00:00:02"),
                                             {},
                                             pool);
    ASSERT_TRUE(made);
    const std::vector<uint8_t> without = BytesOf(*made.frame);
    AddHeader(*made.frame);
    EXPECT_EQ(BytesOf(*made.frame), Insert(without, 12));
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToPacket(*made.frame)), Insert(without, 12));
    const auto bytes = BytesOf(*made.frame);
    const auto parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
    ASSERT_TRUE(parsed) << parsed.error;
    EXPECT_EQ(Differences(*parsed.frame, *made.frame), "");
    EXPECT_EQ(parsed.frame->dstIp, 0x0a000002U) << "switches route the packet";
}

TEST(QbbFabricHeader, BadHeadersAreErrors)
{
    QbbFramePool pool;
    const QbbFramePtr frame = MakeAck(pool, false);
    AddHeader(*frame);
    const std::vector<uint8_t> good = BytesOf(*frame);
    ASSERT_EQ(ParseBytes(good), QbbParseError::NONE);
    const auto change = [&](size_t at, std::vector<uint8_t> values) {
        std::vector<uint8_t> bytes = good;
        std::copy(values.begin(), values.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
        return ParseBytes(bytes);
    };
    EXPECT_EQ(change(14, {0}), QbbParseError::BAD_FABRIC_HEADER) << "protocol 0";
    EXPECT_EQ(change(15, {15}), QbbParseError::BAD_FABRIC_HEADER) << "15 bytes";
    EXPECT_EQ(change(21, {0x88, 0xb5}), QbbParseError::BAD_FABRIC_HEADER) << "a second header";
    EXPECT_EQ(change(21, {0x88, 0x08}), QbbParseError::BAD_FABRIC_HEADER) << "a pause frame";
    EXPECT_EQ(change(21, {0x81, 0x00}), QbbParseError::BAD_TAG) << "a tag behind the header";
    EXPECT_EQ(QbbFrameCodec::FromSdu(Create<Packet>(100),
                                     0x88b5,
                                     Mac48Address("02:00:00:00:00:01"),
                                     Mac48Address("02:00:00:00:00:02"),
                                     {},
                                     pool)
                  .error,
              QbbParseError::BAD_FABRIC_HEADER)
        << "hosts send none";
}

TEST(QbbFabricHeader, AReusedFrameHasNone)
{
    QbbFramePool pool;
    {
        const QbbFramePtr frame = MakeAck(pool, false);
        AddHeader(*frame);
    }
    const QbbFramePtr frame = pool.Allocate();
    EXPECT_FALSE(frame->hasFabric);
    EXPECT_EQ(frame->quanta, (std::array<uint16_t, 8>{}));
}
