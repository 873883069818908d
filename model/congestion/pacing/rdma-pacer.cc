/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pacer.h"

namespace ns3
{

RdmaPacer::RdmaPacer(std::unique_ptr<RdmaRateController> controller,
                     uint32_t packetBytes,
                     RdmaBitRate minRate,
                     bool needsRtt,
                     RdmaIntRoom intRoom,
                     uint32_t utilisationPeriod,
                     bool catchUp)
    : m_controller(std::move(controller)),
      m_minRate(minRate),
      m_packetBytes(packetBytes),
      m_intRoom(intRoom),
      m_hasWindow(m_controller->HasWindow()),
      m_usesAcks(m_controller->UsesAcks() || m_hasWindow),
      m_needsRtt(needsRtt),
      m_timesPackets(needsRtt),
      m_catchUp(catchUp),
      m_utilisationPeriod(utilisationPeriod)
{
}

void
RdmaPacer::OnResponseSent(uint32_t bytes, RdmaPs now)
{
    Pace(bytes, now);
}

void
RdmaPacer::OnResponseSent(uint64_t response, bool again, uint32_t bytes, RdmaPs now)
{
    if (m_timesPackets)
    {
        if (!m_responseTimes)
        {
            m_responseTimes = std::make_unique<RdmaSendTimes>();
        }
        m_responseTimes->Keep(response, again, now);
    }
    Pace(bytes, now);
}

void
RdmaPacer::OnResponsesAcked(uint64_t ackedTo)
{
    if (m_responseTimes)
    {
        m_responseTimes->OnAcked(ackedTo);
    }
}

RdmaPs
RdmaPacer::GetResponseRtt(int64_t response, RdmaPs now) const
{
    return m_responseTimes ? m_responseTimes->GetRtt(response, now) : RdmaSendTimes::UNKNOWN;
}

void
RdmaPacer::Pace(uint32_t bytes, RdmaPs now)
{
    constexpr uint64_t BITS = 8'000'000'000'000; // bits per byte x picoseconds per second
    m_controller->OnSent(bytes, now);
    const RdmaBitRate rate = GetRate(now);
    const RdmaPs due = m_waits ? std::min(m_next, now) : now;
    const uint64_t carried = rate == m_rate && m_next == due ? m_remainder : 0;
    const uint64_t work = bytes * BITS + carried;
    m_next = due + RdmaPs(work / rate.Get());
    m_remainder = work % rate.Get();
    m_rate = rate;
    if (m_next < now)
    {
        m_next = now;
        m_remainder = 0;
    }
    m_waits = m_catchUp;
}

void
RdmaPacer::TakeRate(RdmaPs now)
{
    const RdmaBitRate rate = GetRate(now);
    if (rate > m_rate)
    {
        // The product is no larger than when the wait began, so it does not overflow.
        const uint64_t work =
            static_cast<uint64_t>((m_next - now).Get()) * m_rate.Get() + m_remainder;
        m_next = now + RdmaPs(work / rate.Get());
        m_remainder = work % rate.Get();
        m_rate = rate;
    }
}

} // namespace ns3
