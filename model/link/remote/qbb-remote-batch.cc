/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-remote-batch.h"

#include "rdma-int-hop.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/** Fixed part of a frame's bytes. Telemetry records and the packet follow. */
struct Contents
{
    QbbRemoteCrossing crossing;    //!< where and when the frame crosses
    QbbFrameHeaders headers;       //!< the frame's headers
    QbbFrameExtensions extensions; //!< the frame's further headers
    QbbFrameRareFields rareFields; //!< the frame's rare fields
    uint32_t hops{0};              //!< number of telemetry records
    uint32_t packetBytes{0};       //!< bytes of ns-3's packet in its serialised form; 0: no packet
};

using Word = uint64_t;
using Mask = uint32_t; // a bit for each word of Contents that is not 0

constexpr std::size_t WORDS = (sizeof(Contents) + sizeof(Word) - 1) / sizeof(Word);

template <typename T>
constexpr bool BYTES_ARE_THE_VALUE =
    std::conjunction_v<std::is_trivially_copyable<T>, std::has_unique_object_representations<T>>;

static_assert(BYTES_ARE_THE_VALUE<Contents> && BYTES_ARE_THE_VALUE<RdmaIntHop>,
              "padding has arbitrary bytes, which would cross to the other rank");
static_assert(WORDS <= 8 * sizeof(Mask), "each word has a bit");

} // namespace

void
QbbRemoteBatch::Add(const QbbRemoteCrossing& crossing, const QbbFrame& frame)
{
    Contents contents;
    contents.crossing = crossing;
    contents.headers = frame;
    contents.extensions = frame;
    if (frame.UsesRareFields())
    {
        contents.rareFields = frame;
        contents.hops = static_cast<uint32_t>(frame.telemetry.size());
        contents.packetBytes = frame.packet ? frame.packet->GetSerializedSize() : 0;
    }
    std::array<Word, WORDS> words{};
    std::memcpy(words.data(), &contents, sizeof(contents));
    const std::size_t hopBytes = contents.hops * sizeof(RdmaIntHop);
    char* const begin = Extend(sizeof(Mask) + sizeof(words) + hopBytes + contents.packetBytes);
    char* next = begin + sizeof(Mask);
    Mask mask = 0;
    for (std::size_t i = 0; i < WORDS; ++i)
    {
        // A word of zeros is overwritten by the next word. A branch would cost more.
        const bool isKept = words[i] != 0;
        std::memcpy(next, &words[i], sizeof(Word));
        next += isKept ? sizeof(Word) : 0;
        mask |= Mask{isKept} << i;
    }
    std::memcpy(begin, &mask, sizeof(mask));
    if (hopBytes > 0)
    {
        std::memcpy(next, frame.telemetry.data(), hopBytes);
        next += hopBytes;
    }
    if (frame.packet)
    {
        frame.packet->Serialize(reinterpret_cast<uint8_t*>(next), contents.packetBytes);
        next += contents.packetBytes;
    }
    m_size += next - begin;
    m_earliest = std::min(m_earliest, crossing.arrival);
}

char*
QbbRemoteBatch::Extend(std::size_t count)
{
    if (m_bytes.size() - m_size < count)
    {
        m_bytes.resize(2 * (m_size + count));
    }
    return m_bytes.data() + m_size;
}

RdmaPs
QbbRemoteBatch::MoveTo(std::string& bytes)
{
    bytes.append(m_bytes, 0, m_size);
    m_size = 0;
    return std::exchange(m_earliest, RDMA_NEVER);
}

QbbRemoteBatchReader::QbbRemoteBatchReader(std::string_view bytes)
    : m_rest(bytes)
{
}

std::string_view
QbbRemoteBatchReader::TakeBytes(std::size_t count)
{
    const std::string_view bytes = m_rest.substr(0, count);
    m_rest.remove_prefix(count);
    return bytes;
}

QbbRemoteCrossing
QbbRemoteBatchReader::TakeCrossing()
{
    Mask mask = 0;
    std::memcpy(&mask, TakeBytes(sizeof(mask)).data(), sizeof(mask));
    std::array<Word, WORDS> words{};
    const char* next = m_rest.data();
    for (Mask left = mask; left != 0; left &= left - 1)
    {
        std::memcpy(&words[__builtin_ctz(left)], next, sizeof(Word));
        next += sizeof(Word);
    }
    m_rest.remove_prefix(next - m_rest.data());
    Contents contents;
    std::memcpy(static_cast<void*>(&contents), words.data(), sizeof(contents));
    m_headers = contents.headers;
    m_extensions = contents.extensions;
    m_rareFields = contents.rareFields;
    m_hops = contents.hops;
    m_packetBytes = contents.packetBytes;
    return contents.crossing;
}

QbbFramePtr
QbbRemoteBatchReader::TakeFrame(QbbFramePool& pool)
{
    QbbFramePtr frame = pool.Allocate(m_headers, m_extensions);
    static_cast<QbbFrameRareFields&>(*frame) = m_rareFields;
    frame->telemetry.resize(m_hops);
    if (m_hops > 0)
    {
        const std::size_t count = m_hops * sizeof(RdmaIntHop);
        std::memcpy(frame->telemetry.data(), TakeBytes(count).data(), count);
    }
    if (m_packetBytes > 0)
    {
        // ns-3 reads words of four bytes in place.
        const std::string_view bytes = TakeBytes(m_packetBytes);
        std::vector<uint32_t> aligned((bytes.size() + 3) / 4);
        std::memcpy(aligned.data(), bytes.data(), bytes.size());
        frame->packet =
            Create<Packet>(reinterpret_cast<const uint8_t*>(aligned.data()), m_packetBytes, true);
    }
    return frame;
}

} // namespace ns3
