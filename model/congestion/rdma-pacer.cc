/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pacer.h"

namespace ns3
{

RdmaPacer::RdmaPacer(std::unique_ptr<RdmaRateController> controller,
                     uint32_t packetBytes,
                     uint64_t minRateBps,
                     bool needsRtt,
                     uint8_t intRoom,
                     uint32_t utilisationPeriod)
    : m_controller(std::move(controller)),
      m_minRateBps(minRateBps),
      m_packetBytes(packetBytes),
      m_intRoom(intRoom),
      m_needsRtt(needsRtt),
      m_timesPackets(needsRtt),
      m_utilisationPeriod(utilisationPeriod)
{
}

void
RdmaPacer::OnSent(uint64_t packet, bool again, uint32_t bytes, int64_t nowPs)
{
    if (m_timesPackets)
    {
        KeepTime(packet, again, nowPs);
    }
    OnResponseSent(bytes, nowPs);
}

void
RdmaPacer::OnResponseSent(uint32_t bytes, int64_t nowPs)
{
    constexpr uint64_t BITS_PS = 8'000'000'000'000; // bits of a byte x picoseconds of a second
    m_controller->OnSent(bytes, nowPs);
    const uint64_t rateBps = GetRateBps(nowPs);
    const uint64_t carried = rateBps == m_rateBps && m_nextPs == nowPs ? m_remainder : 0;
    const uint64_t work = bytes * BITS_PS + carried;
    m_nextPs = nowPs + static_cast<int64_t>(work / rateBps);
    m_remainder = work % rateBps;
    m_rateBps = rateBps;
}

void
RdmaPacer::TakeRate(int64_t nowPs)
{
    const uint64_t rateBps = GetRateBps(nowPs);
    if (rateBps > m_rateBps)
    {
        // No more than when the wait began, so that it fits.
        const uint64_t work = static_cast<uint64_t>(m_nextPs - nowPs) * m_rateBps + m_remainder;
        m_nextPs = nowPs + static_cast<int64_t>(work / rateBps);
        m_remainder = work % rateBps;
        m_rateBps = rateBps;
    }
}

void
RdmaPacer::KeepTime(uint64_t packet, bool again, int64_t nowPs)
{
    if (m_times.empty())
    {
        m_times.resize(16);
    }
    const uint64_t mask = m_times.size() - 1;
    SendTime& slot = m_times[packet & mask];
    // A slot whose packet is still on its way would lose it: make room. A READ takes the numbers of
    // its responses, so that packets in flight can be far apart; no table is made for those.
    if (slot.sentPs != UNKNOWN && slot.packet >= m_oldest && slot.packet != packet &&
        m_times.size() < MAX_TIMES)
    {
        std::vector<SendTime> larger(2 * m_times.size());
        for (const SendTime& time : m_times)
        {
            if (time.sentPs != UNKNOWN && time.packet >= m_oldest)
            {
                larger[time.packet & (larger.size() - 1)] = time;
            }
        }
        m_times.swap(larger);
        KeepTime(packet, again, nowPs);
        return;
    }
    slot.packet = packet;
    slot.sentPs = again ? UNKNOWN : nowPs;
}

int64_t
RdmaPacer::GetRttPs(int64_t packet, int64_t nowPs) const
{
    if (m_times.empty() || packet < 0)
    {
        return UNKNOWN;
    }
    const auto number = static_cast<uint64_t>(packet);
    const SendTime& slot = m_times[number & (m_times.size() - 1)];
    return slot.packet == number && slot.sentPs != UNKNOWN ? nowPs - slot.sentPs : UNKNOWN;
}

} // namespace ns3
