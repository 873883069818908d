/* SPDX-License-Identifier: GPL-2.0-only */

// Fuzzes QbbFrameCodec. The first byte of an input says how the other bytes are used.
// Bits 0 and 1: as bytes of a frame (0), as the SDU that the stack sends (1), or as the values of a
// frame's fields (2, 3). Bit 2: mend the IPv4 checksum. Bit 3: mend the ICRC. Bit 4: the SDU has a
// tag.

#include "qbb-frame-codec.h"
#include "qbb-frame-samples.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const Mac48Address SRC("02:00:00:00:00:0a");
const Mac48Address DST("01:80:c2:00:00:01");

/** Aborts if a condition does not hold, for libFuzzer to report the input. */
void
Require(bool holds, const std::string& what)
{
    if (!holds)
    {
        std::fprintf(stderr, "does not hold: %s\n", what.c_str());
        std::abort();
    }
}

/** Checks that bytes that parse serialise to equal bytes, as a frame and as a packet. */
void
CheckBytes(const std::vector<uint8_t>& bytes, QbbFramePool& pool)
{
    const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
    Require((parsed.frame != nullptr) == (parsed.error == QbbParseError::NONE), "frame or error");
    if (parsed)
    {
        Require(BytesOf(*parsed.frame) == bytes, "serialised bytes are those that were parsed");
        Require(BytesOf(QbbFrameCodec::ToPacket(*parsed.frame)) == bytes, "packet equals input");
    }
}

/** Checks that a packet that the stack sends arrives as an equal SDU, whether or not its frame
 * crossed as bytes. */
void
CheckSdu(const std::vector<uint8_t>& sdu, bool tagged, QbbFramePool& pool)
{
    if (sdu.size() < 2)
    {
        return;
    }
    const auto etherType = static_cast<uint16_t>(sdu[0] << 8 | sdu[1]);
    const Ptr<Packet> packet =
        Create<Packet>(sdu.data() + 2, static_cast<uint32_t>(sdu.size() - 2));
    const std::optional<uint16_t> tci =
        tagged ? std::optional<uint16_t>(0x6001) : std::optional<uint16_t>();
    const QbbParseResult made = QbbFrameCodec::FromSdu(packet, etherType, SRC, DST, tci, pool);
    if (!made)
    {
        return;
    }
    QbbFrame& frame = *made.frame;
    auto check = [&pool](const QbbFrame& frame) {
        const std::vector<uint8_t> bytes = BytesOf(frame);
        QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
        Require(static_cast<bool>(parsed), "a frame of the stack parses");
        Require(BytesOf(QbbFrameCodec::ToSdu(*parsed.frame)) ==
                    BytesOf(QbbFrameCodec::ToSdu(frame)),
                "the SDU is the same");
        return std::move(parsed.frame);
    };
    QbbFramePtr hop = check(frame);
    Require(Differences(*hop, frame).empty(), "fields differ: " + Differences(*hop, frame));

    // Two routers: the packet that arrives does not depend on whether frames cross as bytes.
    for (const uint8_t ecn : {frame.ecn, uint8_t{3}})
    {
        for (QbbFrame* router : {&frame, hop.get()})
        {
            if (router->ipv4)
            {
                router->ttl = router->ttl == 0 ? 0 : router->ttl - 1;
                router->ecn = ecn;
            }
        }
        hop = check(*hop);
        Require(BytesOf(QbbFrameCodec::ToSdu(*hop)) == BytesOf(QbbFrameCodec::ToSdu(frame)),
                "hop by hop as at once");
    }
}

/** The bytes of a fuzz input as 64-bit numbers, and zeros after the last byte. */
class Numbers
{
  public:
    Numbers(const uint8_t* data, size_t size)
        : m_data(data),
          m_size(size)
    {
    }

    uint64_t operator()()
    {
        uint64_t value = 0;
        for (int i = 0; i < 8; ++i)
        {
            value = value << 8 | (m_at < m_size ? m_data[m_at++] : 0);
        }
        return value;
    }

  private:
    const uint8_t* m_data;
    size_t m_size;
    size_t m_at{0};
};

/** Checks that a frame of arbitrary field values keeps them when its bytes are parsed. */
void
CheckFrame(Numbers next, uint8_t how, QbbFramePool& pool)
{
    const QbbFramePtr frame = pool.Allocate();
    FillFrame(next, *frame);
    std::vector<uint8_t> bytes = BytesOf(*frame);
    const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), pool);
    Require(static_cast<bool>(parsed), "a frame parses");
    Require(Differences(*parsed.frame, *frame).empty(),
            "fields differ: " + Differences(*parsed.frame, *frame));
    if ((how & 3) == 3)
    {
        const uint64_t changes = next();
        for (int i = 0; i < 3; ++i)
        {
            const auto change = static_cast<uint16_t>(changes >> (16 * i));
            bytes[(change & 0xff) % bytes.size()] ^= static_cast<uint8_t>(change >> 8);
        }
        bytes.resize(bytes.size() + (changes >> 60));
        MendChecksums(bytes, how & 4, how & 8);
        CheckBytes(bytes, pool);
    }
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0)
    {
        return 0;
    }
    static QbbFramePool pool;
    const uint8_t how = data[0];
    std::vector<uint8_t> bytes(data + 1, data + size);
    switch (how & 3)
    {
    case 0:
        MendChecksums(bytes, how & 4, how & 8);
        CheckBytes(bytes, pool);
        break;
    case 1:
        // MendChecksums() expects a frame: zeros take the place of the two MAC addresses.
        bytes.insert(bytes.begin(), 12, 0);
        MendChecksums(bytes, how & 4, how & 8);
        bytes.erase(bytes.begin(), bytes.begin() + 12);
        CheckSdu(bytes, how & 16, pool);
        break;
    default:
        CheckFrame({data + 1, size - 1}, how, pool);
        break;
    }
    Require(pool.GetInUse() == 0, "all frames are back");
    return 0;
}
