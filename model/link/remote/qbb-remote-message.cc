/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-remote-message.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace ns3
{

namespace
{

/** Header of each message. */
struct Fragment
{
    uint32_t rank{0};    //!< rank that sends
    uint32_t bytes{0};   //!< bytes of all fragments together
    uint32_t number{0};  //!< number of the fragment, from 0
    uint32_t numbers{0}; //!< number of fragments
};

constexpr std::size_t MOST = QbbRemoteMessages::FRAGMENT_BYTES;

/// Bytes of a message.
using Message = std::array<uint8_t, sizeof(Fragment) + MOST>;

} // namespace

std::vector<Ptr<Packet>>
MakeQbbRemoteMessages(const std::string& bytes, uint32_t rank)
{
    Fragment fragment;
    fragment.rank = rank;
    fragment.bytes = static_cast<uint32_t>(bytes.size());
    fragment.numbers = static_cast<uint32_t>((bytes.size() + MOST - 1) / MOST);
    std::vector<Ptr<Packet>> messages;
    for (Message message; fragment.number < fragment.numbers; ++fragment.number)
    {
        const std::size_t begin = fragment.number * MOST;
        const std::size_t count = std::min(MOST, bytes.size() - begin);
        std::memcpy(message.data(), &fragment, sizeof(fragment));
        std::memcpy(message.data() + sizeof(fragment), bytes.data() + begin, count);
        messages.push_back(
            Create<Packet>(message.data(), static_cast<uint32_t>(sizeof(fragment) + count)));
    }
    return messages;
}

std::optional<std::string>
QbbRemoteMessages::Take(const Packet& message)
{
    Message bytes;
    message.CopyData(bytes.data(), message.GetSize());
    Fragment fragment;
    std::memcpy(&fragment, bytes.data(), sizeof(fragment));
    Part& part = m_parts[fragment.rank];
    part.bytes.resize(fragment.bytes);
    std::memcpy(part.bytes.data() + fragment.number * MOST,
                bytes.data() + sizeof(fragment),
                message.GetSize() - sizeof(fragment));
    if (++part.received < fragment.numbers)
    {
        return {};
    }
    part.received = 0;
    return std::exchange(part.bytes, {});
}

} // namespace ns3
