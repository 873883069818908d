/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-int-path.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr RdmaPs HORIZON = 1_s;
// A switch may count a frame at its beginning and time it at its end, or the reverse.
constexpr double SLACK_BYTES = 16384;

uint32_t
ToKbps(RdmaBitRate rate)
{
    return static_cast<uint32_t>(rate.Get() / 1000);
}

} // namespace

RdmaIntPath::RdmaIntPath(uint32_t links, RdmaIntFormat format)
    : m_format(format)
{
    m_hops.reserve(links > 0 ? std::min(links - 1, RDMA_INT_MAX_HOPS) : RDMA_INT_MAX_HOPS);
}

RdmaPs
RdmaIntPath::GetTime(const Hop& before, const RdmaIntHop& hop) const
{
    // The difference modulo the clock's wrap, between minus half of the wrap and half of it.
    const RdmaPs difference = hop.time - before.time;
    const RdmaPs wrap = GetRdmaIntUnits(m_format).timeWrap;
    const RdmaPs half = wrap / 2;
    if (difference >= half)
    {
        return difference - wrap;
    }
    return difference < -half ? difference + wrap : difference;
}

uint64_t
RdmaIntPath::GetTxBytes(const Hop& before, const RdmaIntHop& hop) const
{
    return (hop.txBytes - before.txBytes) & (GetRdmaIntUnits(m_format).txWrap - 1);
}

RdmaIntStep
RdmaIntPath::GetStep(const Hop& before, const RdmaIntHop& hop) const
{
    return {static_cast<double>(hop.rate),
            static_cast<double>(GetTxBytes(before, hop)),
            static_cast<double>(GetTime(before, hop)),
            static_cast<double>(hop.queueBytes),
            static_cast<double>(before.queueBytes)};
}

RdmaIntPath::Kind
RdmaIntPath::Compare(const RdmaAckSample& sample) const
{
    if (sample.hops == nullptr || sample.hopCount == 0)
    {
        return Kind::OLD;
    }
    const RdmaIntUnits units = GetRdmaIntUnits(m_format);
    const RdmaPs elapsed = std::max(sample.now - m_last, 1_ps);
    if (sample.hopCount != m_hops.size() || elapsed > std::min(HORIZON, units.timeWrap / 2))
    {
        return Kind::OTHER;
    }
    // A port above this rate may have sent more than half of its counter's range since m_last.
    const double mostBps = 4e12 * static_cast<double>(units.txWrap) / static_cast<double>(elapsed);
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const RdmaIntHop& hop = sample.hops[i];
        if (ToKbps(hop.rate) != m_hops[i].rateKbps || static_cast<double>(hop.rate) > mostBps)
        {
            return Kind::OTHER;
        }
        const RdmaIntStep step = GetStep(m_hops[i], hop);
        if (step.timePs <= 0)
        {
            return Kind::OLD;
        }
        if (step.txBytes > step.rateBps * step.timePs / 8e12 + SLACK_BYTES)
        {
            return Kind::OTHER;
        }
    }
    return Kind::NEXT;
}

void
RdmaIntPath::Keep(const RdmaAckSample& sample)
{
    m_hops.resize(sample.hopCount);
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const RdmaIntHop& hop = sample.hops[i];
        m_hops[i] = {hop.txBytes,
                     hop.time,
                     static_cast<uint32_t>(hop.queueBytes),
                     ToKbps(hop.rate)};
    }
    m_last = sample.now;
}

} // namespace ns3
