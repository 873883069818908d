/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pacer.h"

namespace ns3
{

RdmaPacer::RdmaPacer(std::unique_ptr<RdmaRateController> controller,
                     uint32_t packetBytes,
                     uint64_t minRateBps,
                     bool needsRtt,
                     RdmaIntRoom intRoom,
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
        m_requestTimes.Keep(packet, again, nowPs);
    }
    Pace(bytes, nowPs);
}

void
RdmaPacer::OnResponseSent(uint32_t bytes, int64_t nowPs)
{
    Pace(bytes, nowPs);
}

void
RdmaPacer::OnResponseSent(uint64_t response, bool again, uint32_t bytes, int64_t nowPs)
{
    if (m_timesPackets)
    {
        if (!m_responseTimes)
        {
            m_responseTimes = std::make_unique<RdmaSendTimes>();
        }
        m_responseTimes->Keep(response, again, nowPs);
    }
    Pace(bytes, nowPs);
}

void
RdmaPacer::OnResponsesAcked(uint64_t ackedTo)
{
    if (m_responseTimes)
    {
        m_responseTimes->OnAcked(ackedTo);
    }
}

int64_t
RdmaPacer::GetResponseRttPs(int64_t response, int64_t nowPs) const
{
    return m_responseTimes ? m_responseTimes->GetRttPs(response, nowPs) : RdmaSendTimes::UNKNOWN;
}

void
RdmaPacer::Pace(uint32_t bytes, int64_t nowPs)
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

} // namespace ns3
