/* SPDX-License-Identifier: GPL-2.0-only */

// Frames of type PACKET: traffic of ns-3's own stack through the codec.

#include "qbb-frame-codec.h"
#include "qbb-frame-samples.h"
#include "qbb-hex.h"

#include <ns3/boolean.h>
#include <ns3/flow-id-tag.h>
#include <ns3/global-value.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

const Mac48Address SRC("02:00:00:00:00:0a");
const Mac48Address DST("02:00:00:00:00:0b");

/// A TCP header of 20 bytes, ports 1000 and 80.
const std::string TCP = "03e80050 00000001 00000000 50020000 00000000";

/// An IPv4 header around it: DSCP 10, ECT(0), TTL 64, checksum computed by hand (0x65a4).
const std::string IPV4_TCP = "452a0028 00000000 400665a4 0a000001 0a000102" + TCP;

/// Without the checksum, as ns-3 sends packets by default.
const std::string IPV4_TCP_NO_CHECKSUM = "452a0028 00000000 40060000 0a000001 0a000102" + TCP;

class QbbFramePacketTest : public ::testing::Test
{
  protected:
    ~QbbFramePacketTest() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    }

    static Ptr<Packet> MakePacket(const std::string& hex)
    {
        const std::vector<uint8_t> bytes = Hex(hex);
        return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    }

    QbbParseResult FromSdu(const Ptr<const Packet>& packet,
                           uint16_t etherType,
                           std::optional<uint16_t> tci = std::nullopt)
    {
        return QbbFrameCodec::FromSdu(packet, etherType, SRC, DST, tci, m_pool);
    }

    QbbParseResult FromSdu(const std::string& hex, uint16_t etherType)
    {
        return FromSdu(MakePacket(hex), etherType);
    }

    /** \return the frame that comes out at the other end of a link with SerializeFrames */
    QbbFramePtr Reparse(const QbbFrame& frame)
    {
        const std::vector<uint8_t> bytes = BytesOf(frame);
        EXPECT_EQ(bytes, BytesOf(QbbFrameCodec::ToPacket(frame)));
        QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), m_pool);
        EXPECT_TRUE(parsed) << parsed.error;
        EXPECT_EQ(bytes, BytesOf(*parsed.frame));
        return std::move(parsed.frame);
    }

    QbbFramePool m_pool;
};

} // namespace

TEST_F(QbbFramePacketTest, LiftsTheIpv4Fields)
{
    const QbbParseResult made = FromSdu(IPV4_TCP, 0x0800);
    ASSERT_TRUE(made) << made.error;
    const QbbFrame& frame = *made.frame;
    EXPECT_EQ(frame.type, QbbFrameType::PACKET);
    EXPECT_EQ(frame.size, 64U);
    EXPECT_EQ(frame.etherType, 0x0800);
    EXPECT_EQ(frame.srcMac, SRC);
    EXPECT_EQ(frame.dstMac, DST);
    EXPECT_TRUE(frame.ipv4);
    EXPECT_EQ(frame.dscp, 10);
    EXPECT_EQ(frame.ecn, 2);
    EXPECT_EQ(frame.ttl, 64);
    EXPECT_EQ(frame.protocol, 6);
    EXPECT_EQ(frame.srcIp, 0x0a000001U);
    EXPECT_EQ(frame.dstIp, 0x0a000102U);
    EXPECT_EQ(frame.srcPort, 1000);
    EXPECT_EQ(frame.dstPort, 80);
    EXPECT_EQ(frame.flowHash, QbbFlowHash(0x0a000001, 0x0a000102, 6, 1000, 80));
    EXPECT_EQ(BytesOf(frame), Hex("02000000000b 02000000000a 0800" + IPV4_TCP + Zeros(6)));
    EXPECT_EQ(Differences(*Reparse(frame), frame), "");
}

TEST_F(QbbFramePacketTest, PortsAreThoseOfWholeTcpAndUdp)
{
    auto ports = [this](const std::string& hex) {
        const QbbParseResult made = FromSdu(hex, 0x0800);
        EXPECT_TRUE(made) << made.error;
        EXPECT_EQ(Differences(*Reparse(*made.frame), *made.frame), "");
        return std::make_pair(made.frame->srcPort, made.frame->dstPort);
    };
    using Ports = std::pair<uint16_t, uint16_t>;
    const std::string addresses = "0a000001 0a000102";
    EXPECT_EQ(ports("4500001c 00000000 40110000" + addresses + "00350036 00080000"),
              Ports(0x35, 0x36));
    EXPECT_EQ(ports("4600001c 00000000 40110000" + addresses + "01010100 00350036"),
              Ports(0x35, 0x36))
        << "after options";
    EXPECT_EQ(ports("4500001c 00002000 40110000" + addresses + "003512b7 00080000"), Ports(0, 0))
        << "first fragment";
    EXPECT_EQ(ports("4500001c 00000001 40110000" + addresses + "003512b7 00080000"), Ports(0, 0))
        << "later fragment";
    EXPECT_EQ(ports("4500001c 00000000 40010000" + addresses + "08000000 00010001"), Ports(0, 0))
        << "ICMP";
    EXPECT_EQ(ports("45000017 00000000 40110000" + addresses + "003512b7 00080000"), Ports(0, 0))
        << "three bytes of UDP";
}

TEST_F(QbbFramePacketTest, DamagedIpv4IsAnErrorBothWays)
{
    const std::string addresses = "0a000001 0a000102";
    const std::pair<std::string, QbbParseError> cases[] = {
        {"6500001c 00000000 40110000" + addresses + Zeros(26), QbbParseError::BAD_IPV4_HEADER},
        {"4400001c 00000000 40110000" + addresses + Zeros(26), QbbParseError::BAD_IPV4_HEADER},
        {"45000013 00000000 40110000" + addresses + Zeros(26), QbbParseError::BAD_IPV4_HEADER},
        {"46000017 00000000 40110000" + addresses + Zeros(26), QbbParseError::BAD_IPV4_HEADER},
        {"4500002f 00000000 40110000" + addresses + Zeros(26), QbbParseError::BAD_IPV4_HEADER},
        {"4500001c 00000000 40110001" + addresses + Zeros(26), QbbParseError::BAD_IPV4_CHECKSUM},
        {"45", QbbParseError::BAD_IPV4_HEADER},
        {"", QbbParseError::BAD_IPV4_HEADER},
    };
    for (const auto& [hex, error] : cases)
    {
        EXPECT_EQ(FromSdu(hex, 0x0800).error, error) << hex;
        std::vector<uint8_t> bytes = Hex("02000000000b 02000000000a 0800" + hex);
        bytes.resize(std::max<size_t>(bytes.size(), 60));
        EXPECT_EQ(QbbFrameCodec::Parse(bytes.data(), bytes.size(), m_pool).error, error) << hex;
    }
    EXPECT_EQ(FromSdu(Zeros(46), 0x05ff).error, QbbParseError::BAD_ETHERTYPE);
    EXPECT_EQ(FromSdu(Zeros(46), 0x8100).error, QbbParseError::BAD_TAG);
    EXPECT_EQ(FromSdu(Create<Packet>(65536), 0x86dd).error, QbbParseError::TOO_LONG);
    EXPECT_EQ(m_pool.GetInUse(), 0U);
}

TEST_F(QbbFramePacketTest, RoceAndMacControlFromTheStackAreChecked)
{
    const std::string head = "45000030 00004000 401125bb 0a000001 0a000102 c123 12b7 001c";
    const std::string bth = "11 40 ffff 00000034 00000005 1f000007";
    EXPECT_EQ(FromSdu(head + "0000" + bth + "00000000", 0x0800).error, QbbParseError::BAD_ICRC);
    EXPECT_EQ(FromSdu(head + "1234" + bth + "00000000", 0x0800).error,
              QbbParseError::BAD_UDP_HEADER);
    // A datagram of a UDP socket to the port, header as ns-3 makes it.
    EXPECT_EQ(
        FromSdu("45000020 00070000 40110000 0a000001 0a000102 c123 12b7 000c 0000 68692121", 0x0800)
            .error,
        QbbParseError::BAD_ROCE_IPV4);
    EXPECT_EQ(FromSdu("0101 0008", 0x8808).error, QbbParseError::BAD_MAC_CONTROL)
        << "PFC to a station's address";
    EXPECT_EQ(FromSdu("0102 0008", 0x8808).error, QbbParseError::UNKNOWN_MAC_CONTROL);
    const QbbParseResult made = QbbFrameCodec::FromSdu(MakePacket("0001 1234"),
                                                       0x8808,
                                                       SRC,
                                                       Mac48Address("01:80:c2:00:00:01"),
                                                       std::nullopt,
                                                       m_pool);
    ASSERT_TRUE(made) << made.error;
    EXPECT_EQ(made.frame->type, QbbFrameType::PAUSE);
    EXPECT_EQ(made.frame->quanta[0], 0x1234);
}

TEST_F(QbbFramePacketTest, ShortSdusArePadded)
{
    const std::string arp = "00010800 06040001 02000000000a 0a000001 000000000000 0a000002";
    const Ptr<Packet> packet = MakePacket(arp);
    const QbbParseResult untagged = FromSdu(packet, 0x0806);
    const QbbParseResult tagged = FromSdu(packet, 0x0806, 0x6000);
    ASSERT_TRUE(untagged && tagged);
    EXPECT_EQ(packet->GetSize(), 28U) << "the stack's packet stays as it was";
    EXPECT_EQ(untagged.frame->size, 64U);
    EXPECT_EQ(tagged.frame->size, 64U);
    EXPECT_FALSE(untagged.frame->ipv4);
    EXPECT_EQ(untagged.frame->flowHash, 0U);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*untagged.frame)), Hex(arp + Zeros(18)));
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*tagged.frame)), Hex(arp + Zeros(14)));
    for (const QbbFrame* frame : {untagged.frame.get(), tagged.frame.get()})
    {
        const QbbFramePtr other = Reparse(*frame);
        EXPECT_EQ(Differences(*other, *frame), "");
        EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*other)), BytesOf(QbbFrameCodec::ToSdu(*frame)));
    }

    // A switch takes the tag off: the frame is padded again for its new form.
    QbbFrame& frame = *tagged.frame;
    frame.tagged = false;
    frame.tci = 0;
    frame.size = QbbWire::FrameBytes(frame.packet->GetSize(), false);
    EXPECT_EQ(frame.size, 64U);
    EXPECT_EQ(BytesOf(frame), BytesOf(*untagged.frame));
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(frame)), Hex(arp + Zeros(18)));
}

TEST_F(QbbFramePacketTest, BytesBehindTheIpv4PacketAreKept)
{
    const QbbParseResult made = FromSdu(IPV4_TCP + "deadbeef 00112233 44556677", 0x0800);
    ASSERT_TRUE(made) << made.error;
    EXPECT_EQ(made.frame->size, 14U + 52 + 4);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*Reparse(*made.frame))),
              Hex(IPV4_TCP + "deadbeef 00112233 44556677"));
}

TEST_F(QbbFramePacketTest, TagsOfTheUserAreKeptUntilTheFrameIsBytes)
{
    Ptr<Packet> packet = MakePacket(IPV4_TCP);
    packet->AddPacketTag(FlowIdTag(1));
    packet->AddByteTag(FlowIdTag(2));
    const QbbParseResult made = FromSdu(packet, 0x0800);
    ASSERT_TRUE(made) << made.error;
    FlowIdTag tag;
    Ptr<Packet> sdu = QbbFrameCodec::ToSdu(*made.frame);
    ASSERT_TRUE(sdu->PeekPacketTag(tag));
    EXPECT_EQ(tag.GetFlowId(), 1U);
    ASSERT_TRUE(sdu->FindFirstMatchingByteTag(tag));
    EXPECT_EQ(tag.GetFlowId(), 2U);
    sdu = QbbFrameCodec::ToSdu(*Reparse(*made.frame));
    EXPECT_FALSE(sdu->PeekPacketTag(tag));
    EXPECT_FALSE(sdu->FindFirstMatchingByteTag(tag));
    EXPECT_TRUE(packet->PeekPacketTag(tag)) << "the stack's packet keeps its own";
    EXPECT_TRUE(packet->FindFirstMatchingByteTag(tag));
}

TEST_F(QbbFramePacketTest, SduIsACopyOfItsOwn)
{
    const QbbParseResult made = FromSdu(IPV4_TCP, 0x0800);
    ASSERT_TRUE(made) << made.error;
    Ptr<Packet> sdu = QbbFrameCodec::ToSdu(*made.frame);
    sdu->RemoveAtStart(20);
    EXPECT_EQ(made.frame->packet->GetSize(), 46U);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*made.frame)), Hex(IPV4_TCP + Zeros(6)));
}

TEST_F(QbbFramePacketTest, FrameFieldsReplaceThoseOfTheHeader)
{
    const QbbParseResult made = FromSdu(IPV4_TCP, 0x0800);
    ASSERT_TRUE(made) << made.error;
    made.frame->ttl = 63;
    made.frame->ecn = 3;
    // 0x65a4 + 0x0100 for the TTL - 1 for the ECN.
    const std::string changed = "452b0028 00000000 3f0666a3 0a000001 0a000102" + TCP + Zeros(6);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*made.frame)), Hex(changed));
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*Reparse(*made.frame))), Hex(changed));
    EXPECT_EQ(BytesOf(made.frame->packet), Hex(IPV4_TCP + Zeros(6)))
        << "other frames may share the packet";
}

TEST_F(QbbFramePacketTest, ChecksumsLeftOutStayOut)
{
    const QbbParseResult made = FromSdu(IPV4_TCP_NO_CHECKSUM, 0x0800);
    ASSERT_TRUE(made) << made.error;
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*made.frame)), Hex(IPV4_TCP_NO_CHECKSUM + Zeros(6)));
    made.frame->ttl = 63;
    const auto sdu = BytesOf(QbbFrameCodec::ToSdu(*made.frame));
    EXPECT_EQ(sdu[8], 63);
    EXPECT_EQ(sdu[10], 0);
    EXPECT_EQ(sdu[11], 0);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*Reparse(*made.frame))), sdu);

    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
    const auto computed = BytesOf(QbbFrameCodec::ToSdu(*made.frame));
    EXPECT_EQ(computed[10], 0x66);
    EXPECT_EQ(computed[11], 0xa4);
}

TEST_F(QbbFramePacketTest, AChecksumThatComesOutAsZeroIsNotTakenForNone)
{
    // Source address chosen so that the sum of all words is 0xffff with TTL 63: the checksum is 0,
    // which a second node must not read as "not computed".
    const std::string rest = TCP + Zeros(6);
    const QbbParseResult made =
        FromSdu("452a0028 00000000 4006feff 0a0066a5 0a000102" + TCP, 0x0800);
    ASSERT_TRUE(made) << made.error;
    made.frame->ttl = 63;
    const auto direct = BytesOf(QbbFrameCodec::ToSdu(*made.frame));
    EXPECT_EQ(direct[10], 0xff);
    EXPECT_EQ(direct[11], 0xff);

    const QbbFramePtr second = Reparse(*made.frame);
    second->ttl = 62;
    made.frame->ttl = 62;
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*second)), BytesOf(QbbFrameCodec::ToSdu(*made.frame)));
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*second))[10], 0x01);
}

TEST_F(QbbFramePacketTest, VirtualPayloadOfTheStackReadsAsZeros)
{
    Ptr<Packet> packet = Create<Packet>(1460);
    const auto header = Hex("452a05dc 00000000 40060000 0a000001 0a000102" + TCP);
    Ptr<Packet> head = Create<Packet>(header.data(), static_cast<uint32_t>(header.size()));
    head->AddAtEnd(packet);
    const QbbParseResult made = FromSdu(head, 0x0800);
    ASSERT_TRUE(made) << made.error;
    EXPECT_EQ(made.frame->size, 14U + 1500 + 4);
    made.frame->ttl = 5;
    auto expected = header;
    expected[8] = 5;
    expected.resize(1500);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*made.frame)), expected);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*Reparse(*made.frame))), expected);
}
