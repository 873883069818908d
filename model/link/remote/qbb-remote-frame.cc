/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-remote-frame.h"

#include "rdma-int-hop.h"

#include <ns3/assert.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace ns3
{

namespace
{

/** First bytes of each message. */
struct Fragment
{
    uint32_t bytes{0};   //!< bytes of the frame, all fragments together
    uint16_t number{0};  //!< number of the fragment, from 0
    uint16_t numbers{0}; //!< number of fragments
};

/** First bytes of a frame. Telemetry records and the packet follow. */
struct Contents
{
    QbbPs arrival{0};              //!< instant at which the last bit arrives
    QbbFrameHeaders headers;       //!< the frame's headers
    QbbFrameExtensions extensions; //!< the frame's further headers
    uint32_t hops{0};              //!< number of telemetry records
    uint32_t packetBytes{0};       //!< bytes of ns-3's packet in its serialised form; 0: no packet
};

static_assert(std::is_trivially_copyable_v<Contents> && std::is_trivially_copyable_v<RdmaIntHop> &&
                  std::is_trivially_copyable_v<Fragment>,
              "the bytes in memory are the value");

} // namespace

std::vector<Ptr<Packet>>
MakeQbbRemoteMessages(const QbbFrame& frame, QbbPs arrival)
{
    Contents contents;
    contents.arrival = arrival;
    contents.headers = frame;
    contents.extensions = frame;
    contents.hops = static_cast<uint32_t>(frame.telemetry.size());
    contents.packetBytes = frame.packet ? frame.packet->GetSerializedSize() : 0;
    const std::size_t hopBytes = contents.hops * sizeof(RdmaIntHop);
    std::vector<uint8_t> bytes(sizeof(contents) + hopBytes + contents.packetBytes);
    std::memcpy(bytes.data(), &contents, sizeof(contents));
    if (hopBytes > 0)
    {
        std::memcpy(bytes.data() + sizeof(contents), frame.telemetry.data(), hopBytes);
    }
    if (frame.packet)
    {
        frame.packet->Serialize(bytes.data() + sizeof(contents) + hopBytes, contents.packetBytes);
    }

    constexpr std::size_t MOST = QbbRemoteFrames::FRAGMENT_BYTES;
    Fragment fragment;
    fragment.bytes = static_cast<uint32_t>(bytes.size());
    fragment.numbers = static_cast<uint16_t>((bytes.size() + MOST - 1) / MOST);
    std::vector<Ptr<Packet>> messages;
    std::vector<uint8_t> message;
    for (; fragment.number < fragment.numbers; ++fragment.number)
    {
        const std::size_t begin = fragment.number * MOST;
        const std::size_t count = std::min(MOST, bytes.size() - begin);
        message.resize(sizeof(fragment) + count);
        std::memcpy(message.data(), &fragment, sizeof(fragment));
        std::memcpy(message.data() + sizeof(fragment), bytes.data() + begin, count);
        messages.push_back(Create<Packet>(message.data(), static_cast<uint32_t>(message.size())));
    }
    return messages;
}

std::optional<std::pair<QbbFramePtr, QbbPs>>
QbbRemoteFrames::Take(const Packet& message, QbbFramePool& pool)
{
    std::vector<uint8_t> part(message.GetSize());
    message.CopyData(part.data(), message.GetSize());
    Fragment fragment;
    std::memcpy(&fragment, part.data(), sizeof(fragment));
    m_bytes.resize(fragment.bytes);
    std::copy(part.begin() + sizeof(fragment),
              part.end(),
              m_bytes.begin() + static_cast<std::ptrdiff_t>(fragment.number) * FRAGMENT_BYTES);
    if (++m_received < fragment.numbers)
    {
        return {};
    }
    m_received = 0;

    Contents contents;
    std::memcpy(&contents, m_bytes.data(), sizeof(contents));
    const uint8_t* rest = m_bytes.data() + sizeof(contents);
    QbbFramePtr frame = pool.Allocate(contents.headers);
    static_cast<QbbFrameExtensions&>(*frame) = contents.extensions;
    frame->telemetry.resize(contents.hops);
    if (contents.hops > 0)
    {
        std::memcpy(frame->telemetry.data(), rest, contents.hops * sizeof(RdmaIntHop));
        rest += contents.hops * sizeof(RdmaIntHop);
    }
    if (contents.packetBytes > 0)
    {
        frame->packet = Create<Packet>(rest, contents.packetBytes, true);
    }
    return std::make_pair(std::move(frame), contents.arrival);
}

} // namespace ns3
