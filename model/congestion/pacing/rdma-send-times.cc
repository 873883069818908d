/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-send-times.h"

namespace ns3
{

void
RdmaSendTimes::Keep(uint64_t packet, bool again, RdmaPs now)
{
    if (m_times.empty())
    {
        m_times.resize(16);
    }
    const uint64_t mask = m_times.size() - 1;
    SendTime& slot = m_times[packet & mask];
    // If the slot's packet is still in flight, its time would be lost, so the table grows. A READ
    // takes the numbers of its responses, so packets in flight can be far apart: MAX_TIMES bounds
    // the table.
    if (slot.sent != UNKNOWN && slot.packet >= m_oldest && slot.packet != packet &&
        m_times.size() < MAX_TIMES)
    {
        std::vector<SendTime> larger(2 * m_times.size());
        for (const SendTime& time : m_times)
        {
            if (time.sent != UNKNOWN && time.packet >= m_oldest)
            {
                larger[time.packet & (larger.size() - 1)] = time;
            }
        }
        m_times.swap(larger);
        Keep(packet, again, now);
        return;
    }
    slot.packet = packet;
    slot.sent = again ? UNKNOWN : now;
}

RdmaPs
RdmaSendTimes::GetRtt(int64_t packet, RdmaPs now) const
{
    if (m_times.empty() || packet < 0)
    {
        return UNKNOWN;
    }
    const auto number = static_cast<uint64_t>(packet);
    const SendTime& slot = m_times[number & (m_times.size() - 1)];
    return slot.packet == number && slot.sent != UNKNOWN ? now - slot.sent : UNKNOWN;
}

} // namespace ns3
