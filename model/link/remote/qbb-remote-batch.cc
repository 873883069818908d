/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-remote-batch.h"

#include "rdma-int-hop.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/** Fixed part of a frame. Telemetry records and the packet follow. */
struct Contents
{
    QbbRemoteCrossing crossing;    //!< where and when the frame crosses
    QbbFrameHeaders headers;       //!< the frame's headers
    QbbFrameExtensions extensions; //!< the frame's further headers
    uint32_t hops{0};              //!< number of telemetry records
    uint32_t packetBytes{0};       //!< bytes of ns-3's packet in its serialised form; 0: no packet
};

using Word = uint64_t;
using Mask = uint32_t; // a bit for each word of Contents that is not 0

constexpr std::size_t WORDS = (sizeof(Contents) + sizeof(Word) - 1) / sizeof(Word);

static_assert(std::is_trivially_copyable_v<Contents> && std::is_trivially_copyable_v<RdmaIntHop>,
              "the bytes in memory are the value");
static_assert(WORDS <= 8 * sizeof(Mask), "each word has a bit");

template <typename T>
void
Append(std::string& bytes, const T& value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

} // namespace

void
QbbRemoteBatch::Add(const QbbRemoteCrossing& crossing, const QbbFrame& frame)
{
    Contents contents;
    contents.crossing = crossing;
    contents.headers = frame;
    contents.extensions = frame;
    contents.hops = static_cast<uint32_t>(frame.telemetry.size());
    contents.packetBytes = frame.packet ? frame.packet->GetSerializedSize() : 0;
    std::array<Word, WORDS> words{};
    std::memcpy(words.data(), &contents, sizeof(contents));
    Mask mask = 0;
    for (std::size_t i = 0; i < WORDS; ++i)
    {
        mask |= Mask{words[i] != 0} << i;
    }
    Append(m_bytes, mask);
    for (const Word word : words)
    {
        if (word != 0)
        {
            Append(m_bytes, word);
        }
    }
    if (contents.hops > 0)
    {
        m_bytes.append(reinterpret_cast<const char*>(frame.telemetry.data()),
                       contents.hops * sizeof(RdmaIntHop));
    }
    if (frame.packet)
    {
        const std::size_t begin = m_bytes.size();
        m_bytes.resize(begin + contents.packetBytes);
        frame.packet->Serialize(reinterpret_cast<uint8_t*>(m_bytes.data() + begin),
                                contents.packetBytes);
    }
}

std::string
QbbRemoteBatch::Take()
{
    return std::exchange(m_bytes, {});
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
    for (std::size_t i = 0; i < WORDS; ++i)
    {
        if (mask >> i & 1)
        {
            std::memcpy(&words[i], TakeBytes(sizeof(Word)).data(), sizeof(Word));
        }
    }
    Contents contents;
    std::memcpy(static_cast<void*>(&contents), words.data(), sizeof(contents));
    m_headers = contents.headers;
    m_extensions = contents.extensions;
    m_hops = contents.hops;
    m_packetBytes = contents.packetBytes;
    return contents.crossing;
}

QbbFramePtr
QbbRemoteBatchReader::TakeFrame(QbbFramePool& pool)
{
    QbbFramePtr frame = pool.Allocate(m_headers);
    static_cast<QbbFrameExtensions&>(*frame) = m_extensions;
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
