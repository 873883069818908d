/* SPDX-License-Identifier: GPL-2.0-only */

#include "roce-spread-receiver.h"

#include <algorithm>

namespace ns3
{

RoceSpreadReceiver::RoceSpreadReceiver(uint32_t window)
    : m_window(window)
{
}

RdmaReceiverVerdict
RoceSpreadReceiver::Check(int64_t packet)
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
    if (packet - expected >= int64_t{m_window})
    {
        ++m_reordering.beyond;
        return RdmaReceiverVerdict::IGNORE;
    }
    return RdmaReceiverVerdict::EARLY;
}

void
RoceSpreadReceiver::Accept(uint64_t packet, uint64_t packets, bool)
{
    if (packet == m_kept.GetBase())
    {
        m_kept.Advance(packet + packets);
        return;
    }
    for (uint64_t i = 0; i < packets; ++i)
    {
        m_kept.Set(packet + i);
    }
    m_reordering.distance = std::max(m_reordering.distance, packet - m_kept.GetBase());
    m_reordering.held = std::max(m_reordering.held, uint64_t{m_kept.GetCount()});
}

void
RoceSpreadReceiver::Refuse()
{
    const uint64_t base = m_kept.GetBase();
    m_kept = RdmaPacketBitmap();
    m_kept.Advance(base);
}

void
RoceSpreadReceiver::Resume(uint64_t packet)
{
    m_kept.Advance(packet);
}

uint64_t
RoceSpreadReceiver::GetExpected() const
{
    return m_kept.GetBase();
}

RdmaReordering
RoceSpreadReceiver::GetReordering() const
{
    return m_reordering;
}

} // namespace ns3
