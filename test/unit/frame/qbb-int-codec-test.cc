/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-codec.h"
#include "qbb-frame-samples.h"
#include "qbb-hex.h"
#include "qbb-wire.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/**
 * \param pool pool of the frame
 * \param room records that fit into the trailer
 * \param format of the records
 * \return a SEND of 4 bytes with a telemetry trailer
 */
QbbFramePtr
MakeFrame(QbbFramePool& pool, uint8_t room, RdmaIntFormat format = RdmaIntFormat::EXACT)
{
    QbbFramePtr frame = pool.Allocate();
    frame->type = QbbFrameType::ROCE;
    frame->etherType = QbbWire::ETHERTYPE_IPV4;
    frame->ipv4 = true;
    frame->ttl = 64;
    frame->protocol = QbbWire::IP_PROTOCOL_UDP;
    frame->srcIp = 0x0a000001;
    frame->dstIp = 0x0a000002;
    frame->srcPort = 50000;
    frame->dstPort = QbbWire::ROCE_UDP_PORT;
    frame->opcode = static_cast<uint8_t>(RdmaOpcode::SEND_ONLY);
    frame->payload = 4;
    frame->intFormat = format;
    frame->intRoom = room;
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame->opcode),
                                          frame->payload,
                                          false,
                                          QbbWire::IntTrailerBytes(format, room));
    return frame;
}

/** \param frame a frame \return its bytes */
std::vector<uint8_t>
Bytes(const QbbFrame& frame)
{
    std::vector<uint8_t> bytes(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, bytes.data());
    return bytes;
}

/// 14 Ethernet, 20 IPv4, 8 UDP, 12 BTH, 4 payload, 4 ICRC.
constexpr std::size_t TRAILER = 62;

} // namespace

TEST(QbbIntCodec, Bytes)
{
    QbbFramePool pool;
    QbbFramePtr frame = MakeFrame(pool, 2);
    // 100 Gb/s = 0x5f5e100 kb/s; 2^39 + 5 bytes sent; 70000 bytes queued; 2^47 + 9 ps.
    frame->telemetry.push_back(
        {100_gbps, (uint64_t{1} << 39) + 5, 70'000, RdmaPs((int64_t{1} << 47) + 9)});
    EXPECT_EQ(frame->size, 66U + 4 + 2 * 20);
    const auto bytes = Bytes(*frame);
    ASSERT_EQ(bytes.size(), TRAILER + 44);
    EXPECT_EQ(std::vector<uint8_t>(bytes.begin() + TRAILER, bytes.end()),
              Hex("01 02 01 00"
                  "00 05 f5 e1 00  80 00 00 00 05  00 01 11 70  80 00 00 00 00 09" +
                  Zeros(20)));
}

TEST(QbbIntCodec, BytesOfThePaper)
{
    QbbFramePool pool;
    QbbFramePtr frame = MakeFrame(pool, 2, RdmaIntFormat::PAPER);
    // The tenth rate; (2^23 + 9) ns; (2^19 + 5) x 128 bytes sent; 0x8123 x 80 bytes queued.
    frame->telemetry.push_back(
        {100_gbps, 128 * ((uint64_t{1} << 19) + 5), 80 * 0x8123, ((int64_t{1} << 23) + 9) * 1_ns});
    EXPECT_EQ(frame->size, 66U + 2 + 2 * 8);
    auto bytes = Bytes(*frame);
    ASSERT_EQ(bytes.size(), TRAILER + 18);
    EXPECT_EQ(std::vector<uint8_t>(bytes.begin() + TRAILER, bytes.end()),
              Hex("80 41  a8 00 00 98 00 05 81 23" + Zeros(8)));
    frame->intEcho = true;
    frame->intOverflow = true;
    bytes = Bytes(*frame);
    EXPECT_EQ(bytes[TRAILER], 0xe0);
    EXPECT_EQ(bytes[TRAILER + 1], 0x41);
}

TEST(QbbIntCodec, FiveHopsOfThePaperTake42Bytes)
{
    // HPCC, section 4.1: 42 bytes for at most five hops.
    EXPECT_EQ(QbbWire::IntTrailerBytes(RdmaIntFormat::PAPER, 5), 42U);
    EXPECT_EQ(QbbWire::IntTrailerBytes(RdmaIntFormat::EXACT, 5), 104U);
    EXPECT_EQ(QbbWire::IntTrailerBytes(RdmaIntFormat::PAPER, 0), 0U);
}

TEST(QbbIntCodec, RatesOfThePaper)
{
    uint8_t code = 0;
    for (const RdmaBitRate rate : RDMA_INT_RATES)
    {
        EXPECT_EQ(GetRdmaIntRateCode(rate), ++code);
        EXPECT_EQ(GetRdmaIntRateCode(rate - 1_bps), 0);
        EXPECT_EQ(GetRdmaIntRateCode(rate + 1_bps), 0);
    }
    EXPECT_EQ(code, 15);
    EXPECT_EQ(GetRdmaIntRateCode(0_bps), 0);
}

TEST(QbbIntCodec, RoundTrip)
{
    QbbFramePool pool;
    for (const RdmaIntFormat format : {RdmaIntFormat::EXACT, RdmaIntFormat::PAPER})
    {
        const RdmaIntUnits units = GetRdmaIntUnits(format);
        for (uint8_t room = 1; room <= RDMA_INT_MAX_HOPS; ++room)
        {
            for (uint8_t used = 0; used <= room; ++used)
            {
                QbbFramePtr frame = MakeFrame(pool, room, format);
                frame->intEcho = used % 2;
                frame->intOverflow = used == room;
                for (uint8_t i = 0; i < used; ++i)
                {
                    // The last record has the highest values.
                    const bool last = i + 1 == used;
                    frame->telemetry.push_back(
                        {RDMA_INT_RATES[i % RDMA_INT_RATES.size()],
                         last ? units.txWrap - units.txBytes : 7ULL * i * units.txBytes,
                         (last ? units.mostQueueUnits : 11ULL * i) * units.queueBytes,
                         last ? units.timeWrap - units.time : 13 * i * units.time});
                }
                const auto bytes = Bytes(*frame);
                auto result = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
                ASSERT_EQ(result.error, QbbParseError::NONE) << +room << " " << +used;
                EXPECT_EQ(result.frame->telemetry, frame->telemetry);
                EXPECT_EQ(result.frame->intFormat, format);
                EXPECT_EQ(result.frame->intRoom, room);
                EXPECT_EQ(result.frame->intEcho, frame->intEcho);
                EXPECT_EQ(result.frame->intOverflow, frame->intOverflow);
                EXPECT_EQ(result.frame->size, frame->size);
                EXPECT_EQ(Bytes(*result.frame), bytes);
            }
        }
    }
}

TEST(QbbIntCodec, SwitchesMayWriteWithoutTouchingTheIcrc)
{
    QbbFramePool pool;
    QbbFramePtr frame = MakeFrame(pool, 3);
    const auto before = Bytes(*frame);
    frame->telemetry.push_back({25_gbps, 1, 2, 3_ps});
    const auto after = Bytes(*frame);
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + TRAILER, after.begin()));
    EXPECT_NE(before, after);
}

TEST(QbbIntCodec, Damage)
{
    QbbFramePool pool;
    QbbFramePtr frame = MakeFrame(pool, 2);
    frame->telemetry.push_back({1000_bps, 1, 1, 1_ps});
    const auto good = Bytes(*frame);
    const auto parse = [&](std::size_t at, uint8_t value) {
        auto bytes = good;
        bytes[TRAILER + at] = value;
        return QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error;
    };
    EXPECT_EQ(parse(0, 1), QbbParseError::NONE);
    EXPECT_EQ(parse(0, 3), QbbParseError::BAD_TELEMETRY) << "kind";
    EXPECT_EQ(parse(0, 0), QbbParseError::BAD_PADDING) << "not a trailer, and not zeros";
    EXPECT_EQ(parse(1, 0), QbbParseError::BAD_TELEMETRY) << "no room";
    EXPECT_EQ(parse(1, 1), QbbParseError::BAD_TELEMETRY) << "another length";
    EXPECT_EQ(parse(1, 17), QbbParseError::BAD_TELEMETRY) << "too much room";
    EXPECT_EQ(parse(2, 3), QbbParseError::BAD_TELEMETRY) << "more than there is room for";
    EXPECT_EQ(parse(3, 2), QbbParseError::BAD_TELEMETRY) << "flags";
    EXPECT_EQ(parse(43, 1), QbbParseError::BAD_TELEMETRY) << "in a record that is not used";
    auto shorter = good;
    shorter.pop_back();
    EXPECT_EQ(QbbFrameCodec::Parse(shorter.data(), shorter.size(), pool).error,
              QbbParseError::BAD_TELEMETRY);
}

TEST(QbbIntCodec, DamageToThePapers)
{
    QbbFramePool pool;
    QbbFramePtr frame = MakeFrame(pool, 2, RdmaIntFormat::PAPER);
    frame->telemetry.push_back({1_gbps, 128, 80, 1_ns});
    const auto good = Bytes(*frame);
    const auto parse = [&](std::size_t at, uint8_t value) {
        auto bytes = good;
        bytes[TRAILER + at] = value;
        return QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error;
    };
    EXPECT_EQ(parse(0, 0x80), QbbParseError::NONE);
    EXPECT_EQ(parse(0, 0xe0), QbbParseError::NONE) << "sent back, and a switch found no room";
    for (const uint8_t bit : {0x04, 0x08, 0x10})
    {
        EXPECT_EQ(parse(0, 0x80 | bit), QbbParseError::BAD_TELEMETRY) << "always zero " << +bit;
    }
    EXPECT_EQ(parse(0, 0x82), QbbParseError::BAD_TELEMETRY) << "too much room";
    EXPECT_EQ(parse(1, 0x01), QbbParseError::BAD_TELEMETRY) << "no room";
    EXPECT_EQ(parse(1, 0x21), QbbParseError::BAD_TELEMETRY) << "another length";
    EXPECT_EQ(parse(1, 0x43), QbbParseError::BAD_TELEMETRY) << "more than there is room for";
    EXPECT_EQ(parse(1, 0x42), QbbParseError::BAD_TELEMETRY) << "a record without a rate";
    EXPECT_EQ(parse(17, 1), QbbParseError::BAD_TELEMETRY) << "in a record that is not used";
}

TEST(QbbIntCodec, OneByte)
{
    // Padding follows the byte in a frame of minimum size, and nothing in a longer frame.
    QbbFramePool pool;
    for (const uint32_t payload : {0U, 4U})
    {
        for (uint32_t code = 1; code < 256; ++code)
        {
            QbbFramePtr frame = MakeFrame(pool, 0);
            frame->payload = payload;
            frame->pint = static_cast<uint8_t>(code);
            frame->size = payload == 0 ? 64 : 67;
            const auto bytes = Bytes(*frame);
            ASSERT_EQ(bytes.size(), frame->size - 4);
            EXPECT_EQ(bytes[58 + payload], code);
            EXPECT_EQ(bytes.back(), payload == 0 ? 0 : code);
            auto result = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
            ASSERT_EQ(result.error, QbbParseError::NONE) << code;
            EXPECT_EQ(result.frame->pint, code);
            EXPECT_EQ(result.frame->intRoom, 0);
            EXPECT_EQ(result.frame->size, frame->size);
            EXPECT_EQ(Bytes(*result.frame), bytes);
        }
    }
}

TEST(QbbIntCodec, OneByteDamaged)
{
    QbbFramePool pool;
    QbbFramePtr frame = MakeFrame(pool, 0);
    frame->payload = 0;
    frame->pint = 7;
    frame->size = 64;
    auto bytes = Bytes(*frame);
    bytes[59] = 1;
    EXPECT_EQ(QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error,
              QbbParseError::BAD_TELEMETRY)
        << "behind it";
    bytes[59] = 0;
    bytes.push_back(0);
    EXPECT_EQ(QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error,
              QbbParseError::BAD_PADDING)
        << "more padding than a frame of minimum size has";
    bytes.push_back(0);
    EXPECT_EQ(QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error,
              QbbParseError::BAD_TELEMETRY)
        << "long enough for records";
}

TEST(QbbIntCodec, FramesFromThePoolHaveNone)
{
    QbbFramePool pool;
    MakeFrame(pool, 1)->telemetry.push_back({1000_bps, 1, 1, 1_ps});
    for (int i = 0; i < 8; ++i)
    {
        EXPECT_TRUE(pool.Allocate()->telemetry.empty());
    }
}
