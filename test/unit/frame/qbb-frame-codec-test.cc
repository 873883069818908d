/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-codec.h"
#include "qbb-frame-irn-vectors.h"
#include "qbb-frame-roce-vectors.h"
#include "qbb-frame-samples.h"
#include "qbb-hex.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::QbbFrameVectors;

namespace
{

const std::vector<Vector>&
AllVectors()
{
    static const std::vector<Vector> all = [] {
        std::vector<Vector> vectors = RoceVectors();
        const std::vector<Vector> irn = IrnVectors();
        vectors.insert(vectors.end(), irn.begin(), irn.end());
        return vectors;
    }();
    return all;
}

class QbbFrameCodecVectors : public ::testing::TestWithParam<Vector>
{
};

} // namespace

TEST_P(QbbFrameCodecVectors, FrameToBytes)
{
    QbbFramePool pool;
    const QbbFramePtr frame = pool.Allocate();
    GetParam().fill(*frame);
    const std::vector<uint8_t> expected = Hex(GetParam().hex);
    EXPECT_EQ(QbbFrameCodec::SerializedSize(*frame), expected.size());
    EXPECT_EQ(frame->size, expected.size() + 4);
    EXPECT_EQ(BytesOf(*frame), expected);
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToPacket(*frame)), expected);
    const size_t header = frame->tagged ? 18 : 14;
    EXPECT_EQ(BytesOf(QbbFrameCodec::ToSdu(*frame)),
              std::vector<uint8_t>(expected.begin() + header, expected.end()));
}

TEST_P(QbbFrameCodecVectors, BytesToFrame)
{
    QbbFramePool pool;
    const QbbFramePtr expected = pool.Allocate();
    GetParam().fill(*expected);
    const std::vector<uint8_t> bytes = Hex(GetParam().hex);
    const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
    ASSERT_TRUE(parsed) << parsed.error;
    EXPECT_EQ(parsed.error, QbbParseError::NONE);
    EXPECT_EQ(Differences(*parsed.frame, *expected), "");
    EXPECT_EQ(parsed.frame->priority, 0);
    EXPECT_EQ(parsed.frame->ingressPort, 0);
}

TEST_P(QbbFrameCodecVectors, SentByTheStack)
{
    // The bytes, handed down as the payload of an Ethernet frame.
    QbbFramePool pool;
    const QbbFramePtr expected = pool.Allocate();
    GetParam().fill(*expected);
    std::optional<uint16_t> tci;
    if (expected->tagged)
    {
        tci = expected->tci;
    }
    const QbbParseResult made = QbbFrameCodec::FromSdu(QbbFrameCodec::ToSdu(*expected),
                                                       expected->etherType,
                                                       expected->srcMac,
                                                       expected->dstMac,
                                                       tci,
                                                       pool);
    ASSERT_TRUE(made) << made.error;
    EXPECT_EQ(Differences(*made.frame, *expected), "");
}

INSTANTIATE_TEST_SUITE_P(All,
                         QbbFrameCodecVectors,
                         ::testing::ValuesIn(AllVectors()),
                         [](const auto& info) { return info.param.name; });

namespace
{

/** A change to a vector's bytes, and the error that the parser must return. */
struct Damage
{
    std::string vector;  //!< name of the vector
    size_t offset;       //!< byte that changes
    uint8_t flip;        //!< bits of the byte that change
    bool mend;           //!< checksums and ICRC are mended after the change
    QbbParseError error; //!< the error expected
};

const Vector&
FindVector(const std::string& name)
{
    for (const Vector& vector : AllVectors())
    {
        if (vector.name == name)
        {
            return vector;
        }
    }
    throw std::invalid_argument("no vector " + name);
}

} // namespace

TEST(QbbFrameCodec, EachKindOfDamageHasItsError)
{
    // Offsets without a tag: 14 IPv4, 34 UDP, 42 BTH, 54 extended headers.
    const Damage damages[] = {
        {"Acknowledge", 12, 0x0a, false, QbbParseError::BAD_ETHERTYPE},
        {"Acknowledge", 14, 0x10, false, QbbParseError::BAD_IPV4_HEADER},
        {"Acknowledge", 17, 0x40, false, QbbParseError::BAD_IPV4_HEADER},
        {"Acknowledge", 22, 0x01, false, QbbParseError::BAD_IPV4_CHECKSUM},
        {"Acknowledge", 14, 0x03, true, QbbParseError::NONE}, // options shift the UDP ports
        {"Acknowledge", 19, 0x01, true, QbbParseError::BAD_ROCE_IPV4},
        {"Acknowledge", 20, 0x40, true, QbbParseError::BAD_ROCE_IPV4},
        {"Acknowledge", 20, 0x20, true, QbbParseError::NONE}, // a fragment is not RoCE
        {"Acknowledge", 17, 0x10, true, QbbParseError::BAD_ROCE_LENGTH},
        {"Acknowledge", 39, 0x04, true, QbbParseError::BAD_UDP_HEADER},
        {"Acknowledge", 41, 0x01, true, QbbParseError::BAD_UDP_HEADER},
        {"Acknowledge", 42, 0x80, true, QbbParseError::UNKNOWN_OPCODE},
        {"Acknowledge", 42, 0x03, true, QbbParseError::BAD_ROCE_LENGTH}, // ATOMIC_ACKNOWLEDGE
        {"SendOnlyWithInvalidate", 42, 0x06, true, QbbParseError::BAD_ROCE_LENGTH}, // ACKNOWLEDGE
        {"Acknowledge", 43, 0x01, true, QbbParseError::BAD_BTH_VERSION},
        {"Acknowledge", 43, 0x10, true, QbbParseError::BAD_PAD},
        {"Acknowledge", 46, 0x01, true, QbbParseError::BAD_RESERVED},
        {"Acknowledge", 50, 0x40, true, QbbParseError::BAD_RESERVED},
        {"Acknowledge", 57, 0x01, false, QbbParseError::BAD_ICRC},
        {"Acknowledge", 58, 0x01, false, QbbParseError::BAD_ICRC},
        {"Cnp", 60, 0x01, true, QbbParseError::BAD_RESERVED},
        {"RdmaWriteOnly", 70, 0x01, true, QbbParseError::BAD_PAYLOAD},
        {"RdmaWriteOnly", 75, 0x01, true, QbbParseError::BAD_PAD},
        {"RdmaWriteOnly", 75, 0x01, false, QbbParseError::BAD_ICRC},
        {"SendOnlyWithoutPayload", 59, 0x01, true, QbbParseError::BAD_PADDING},
        {"IrnSendOnly", 42, 0x02, true, QbbParseError::BAD_ROCE_LENGTH}, // IRN_WRITE_FIRST
        {"IrnSendOnly", 54, 0x80, true, QbbParseError::BAD_RESERVED},
        {"IrnSendOnly", 54, 0x80, false, QbbParseError::BAD_ICRC},
        {"IrnSendOnly", 55, 0x80, true, QbbParseError::NONE},
        {"IrnWriteLastWithImmediate", 74, 0x01, true, QbbParseError::BAD_RESERVED},
        {"IrnReadRequest", 42, 0x02, true, QbbParseError::BAD_PAYLOAD}, // a response
        {"IrnReadRequest", 43, 0x10, true, QbbParseError::BAD_PAD},
        {"IrnAcknowledge", 42, 0x03, true, QbbParseError::BAD_ROCE_LENGTH}, // an atomic one
        {"IrnAcknowledge", 42, 0x04, true, QbbParseError::UNKNOWN_OPCODE},
        {"IrnAcknowledge", 58, 0x10, true, QbbParseError::NONE},
        {"IrnAcknowledge", 59, 0x10, true, QbbParseError::NONE},
        {"IrnAtomicAcknowledge", 66, 0x01, true, QbbParseError::BAD_RESERVED},
        {"IrnReadAcknowledge", 42, 0x01, true, QbbParseError::UNKNOWN_OPCODE},
        {"IrnReadAcknowledge", 58, 0x01, true, QbbParseError::NONE},
        {"PfcXoffOfTwoClasses", 15, 0x02, false, QbbParseError::UNKNOWN_MAC_CONTROL},
        {"PfcXoffOfTwoClasses", 16, 0x01, false, QbbParseError::BAD_MAC_CONTROL},
        {"PfcXoffOfTwoClasses", 5, 0x01, false, QbbParseError::BAD_MAC_CONTROL},
        {"PfcXoffOfTwoClasses", 59, 0x01, false, QbbParseError::BAD_PADDING},
        {"Pause", 18, 0x01, false, QbbParseError::BAD_PADDING},
        {"Pause", 0, 0x02, false, QbbParseError::BAD_MAC_CONTROL},
    };
    QbbFramePool pool;
    for (const Damage& damage : damages)
    {
        std::vector<uint8_t> bytes = Hex(FindVector(damage.vector).hex);
        bytes.at(damage.offset) ^= damage.flip;
        if (damage.mend)
        {
            MendChecksums(bytes, true, true);
        }
        const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
        EXPECT_EQ(parsed.error, damage.error)
            << damage.vector << " byte " << damage.offset << " flipped by " << +damage.flip;
        EXPECT_EQ(parsed.frame != nullptr, damage.error == QbbParseError::NONE);
    }
    EXPECT_EQ(pool.GetInUse(), 0U);
}

TEST(QbbFrameCodec, AnyFlippedBitOfARocePacketIsNoticed)
{
    QbbFramePool pool;
    for (const Vector& vector : AllVectors())
    {
        std::vector<uint8_t> bytes = Hex(vector.hex);
        const size_t ip = bytes[12] == 0x81 ? 18 : 14;
        if (bytes[12] == 0x88)
        {
            continue;
        }
        const size_t length = (size_t{bytes[ip + 2]} << 8) + bytes[ip + 3];
        for (size_t bit = 8 * ip; bit < 8 * bytes.size(); ++bit)
        {
            const size_t offset = bit / 8 - ip;
            const auto mask = static_cast<uint8_t>(0x80 >> (bit % 8));
            bytes[bit / 8] ^= mask;
            const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
            // Another destination port is not RoCE. FECN and BECN are for routers to change, and
            // the first byte behind the datagram is for telemetry.
            const bool port = offset == 22 || offset == 23;
            const bool congestion = offset == 32 && (mask & 0xc0);
            const bool telemetry = offset == length;
            EXPECT_EQ(static_cast<bool>(parsed), port || congestion || telemetry)
                << vector.name << " bit " << bit << ": " << parsed.error;
            bytes[bit / 8] ^= mask;
        }
    }
}

TEST(QbbFrameCodec, RoceHeadersOfOtherMakersAreErrors)
{
    QbbFramePool pool;
    auto error = [&pool](const std::vector<uint8_t>& bytes) {
        return QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error;
    };
    std::vector<uint8_t> bytes = Hex(FindVector("Acknowledge").hex);
    bytes[24] = bytes[25] = 0;
    EXPECT_EQ(error(bytes), QbbParseError::BAD_ROCE_IPV4) << "no header checksum";

    bytes = Hex(ETHERNET + "466a0034 00004000 40110000 0a000001 0a000102 01010100 c123 12b7" +
                "001c 0000 11 40 ffff 00000034 00000005 1f000007 00000000");
    MendChecksums(bytes, true, true);
    EXPECT_EQ(error(bytes), QbbParseError::BAD_ROCE_IPV4) << "options";

    // The CNP of a ConnectX-4 Lx (scapy's test/contrib/roce.uts) has an IPv4 identification.
    bytes = Hex("e41d2dab2bc2 7cfe90643b32 0800"
                "45c2003c 718c4000 40119161 0a001101 0a001201 0000 12b7 0028 0000"
                "8100ffff 40000118 00000000" +
                Zeros(16) + "82fd002a");
    EXPECT_EQ(error(bytes), QbbParseError::BAD_ROCE_IPV4);
    bytes[18] = bytes[19] = 0;
    MendChecksums(bytes, true, true);
    EXPECT_EQ(error(bytes), QbbParseError::NONE) << "the rest of it is as we write it";
}

TEST(QbbFrameCodec, LengthsAndTags)
{
    QbbFramePool pool;
    auto error = [&pool](const std::vector<uint8_t>& bytes) {
        return QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool).error;
    };
    std::vector<uint8_t> bytes = Hex(FindVector("Acknowledge").hex);
    EXPECT_EQ(error(std::vector<uint8_t>(bytes.begin(), bytes.begin() + 59)),
              QbbParseError::TOO_SHORT);
    EXPECT_EQ(error({}), QbbParseError::TOO_SHORT);
    bytes.push_back(0);
    EXPECT_EQ(error(bytes), QbbParseError::BAD_PADDING) << "a byte too many";

    bytes = Hex(FindVector("Pause").hex);
    bytes.push_back(0);
    EXPECT_EQ(error(bytes), QbbParseError::BAD_MAC_CONTROL) << "a byte too many";

    bytes = Hex("0180c2000001 02000000000a 8100 6000 8808 0001 00ff" + Zeros(38));
    EXPECT_EQ(error(bytes), QbbParseError::BAD_MAC_CONTROL) << "tagged PAUSE";
    bytes = Hex("02000000000b 02000000000a 8100 6000 8100 6000 0800" + Zeros(50));
    EXPECT_EQ(error(bytes), QbbParseError::BAD_TAG);
    bytes = Hex("02000000000b 02000000000a 86dd" + Zeros(65535));
    EXPECT_EQ(error(bytes), QbbParseError::NONE);
    bytes.push_back(0);
    EXPECT_EQ(error(bytes), QbbParseError::TOO_LONG);
    bytes.resize(bytes.size() + 5);
    EXPECT_EQ(error(bytes), QbbParseError::TOO_LONG);
}

TEST(QbbFrameCodec, EachOfIrnsOpcodesHasAVector)
{
    std::set<uint8_t> opcodes;
    QbbFramePool pool;
    for (const Vector& vector : IrnVectors())
    {
        const QbbFramePtr frame = pool.Allocate();
        vector.fill(*frame);
        opcodes.insert(frame->opcode);
    }
    for (int opcode = 0; opcode < 256; ++opcode)
    {
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(static_cast<uint8_t>(opcode));
        EXPECT_EQ(opcodes.count(static_cast<uint8_t>(opcode)), info.irn ? 1U : 0U) << opcode;
    }
}

TEST(QbbFrameCodecDeathTest, FieldsOf24BitsAreNotCutOff)
{
#ifndef NS3_ASSERT_ENABLE
    GTEST_SKIP() << "built without asserts";
#endif
    uint32_t QbbFrameFields::*const fields[] = {&QbbFrameFields::destQp,
                                                &QbbFrameFields::psn,
                                                &QbbFrameFields::msn,
                                                &QbbFrameFields::wqeSn,
                                                &QbbFrameFields::selectivePsn};
    QbbFramePool pool;
    for (const auto field : fields)
    {
        const QbbFramePtr frame = pool.Allocate();
        FindVector("IrnAcknowledge").fill(*frame);
        (*frame).*field = 0xffffff;
        EXPECT_EQ(BytesOf(*frame).size(), 66U);
        (*frame).*field = 0x1000000;
        EXPECT_DEATH(BytesOf(*frame), "24 bits");
    }
}

TEST(QbbFrameCodec, ErrorsHaveNames)
{
    EXPECT_STREQ(QbbParseErrorName(QbbParseError::NONE), "NONE");
    EXPECT_STREQ(QbbParseErrorName(QbbParseError::BAD_ICRC), "BAD_ICRC");
    EXPECT_STREQ(QbbParseErrorName(QbbParseError::UNKNOWN_MAC_CONTROL), "UNKNOWN_MAC_CONTROL");
    std::ostringstream text;
    text << QbbParseError::TOO_LONG;
    EXPECT_EQ(text.str(), "TOO_LONG");
}
