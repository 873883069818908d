/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-receiver.h"

#include "rdma-psn.h"

#include <ns3/assert.h>

#include <algorithm>

namespace ns3
{

RdmaReceiverVerdict
IrnReceiver::Check(int64_t packet)
{
    const auto expected = static_cast<int64_t>(m_kept.GetBase());
    if (packet == expected)
    {
        return RdmaReceiverVerdict::ACCEPT;
    }
    if (packet < expected || m_kept.Test(static_cast<uint64_t>(packet)))
    {
        return RdmaReceiverVerdict::DUPLICATE;
    }
    if (packet - expected >= static_cast<int64_t>(RDMA_MAX_WINDOW - 1))
    {
        return RdmaReceiverVerdict::IGNORE; // beyond the window of any sender
    }
    return RdmaReceiverVerdict::EARLY;
}

void
IrnReceiver::Accept(uint64_t packet, [[maybe_unused]] uint64_t packets, bool)
{
    NS_ASSERT_MSG(packets == 1, "IRN numbers responses apart from requests");
    if (packet == m_kept.GetBase())
    {
        m_kept.Advance(m_kept.FindClear(packet + 1));
    }
    else
    {
        m_kept.Set(packet);
        m_distance = std::max(m_distance, static_cast<uint32_t>(packet - m_kept.GetBase()));
        m_held = std::max(m_held, m_kept.GetCount());
    }
}

void
IrnReceiver::Refuse()
{
    // Packets after a refused one are buffered as usual, if a receive request is available.
}

void
IrnReceiver::Resume(uint64_t packet)
{
    m_kept.Advance(packet);
}

uint64_t
IrnReceiver::GetExpected() const
{
    return m_kept.GetBase();
}

uint8_t
IrnReceiver::GetArrivedBefore(int64_t packet) const
{
    uint8_t arrived = 0;
    const auto base = static_cast<int64_t>(m_kept.GetBase());
    for (int bit = 0; bit < 8 && packet - 1 - bit > base; ++bit)
    {
        const bool isKept = m_kept.Test(static_cast<uint64_t>(packet - 1 - bit));
        arrived = static_cast<uint8_t>(arrived | (isKept ? 1U << bit : 0U));
    }
    return arrived;
}

RdmaReordering
IrnReceiver::GetReordering() const
{
    return {m_distance, m_held, 0};
}

} // namespace ns3
