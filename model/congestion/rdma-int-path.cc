/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-int-path.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr int64_t HORIZON_PS = 1'000'000'000'000;
// A frame may be counted at its beginning and timed at its end, or the other way round.
constexpr double SLACK_BYTES = 16384;

uint32_t
ToKbps(uint64_t rateBps)
{
    return static_cast<uint32_t>(rateBps / 1000);
}

} // namespace

RdmaIntPath::RdmaIntPath(uint32_t links, RdmaIntFormat format)
    : m_format(format)
{
    m_hops.reserve(links > 0 ? std::min(links - 1, RDMA_INT_MAX_HOPS) : RDMA_INT_MAX_HOPS);
}

int64_t
RdmaIntPath::GetTimePs(const Hop& before, const RdmaIntHop& now) const
{
    // Modulo the clock's wrap, from minus half of that to half.
    const int64_t difference = now.timePs - before.timePs;
    const int64_t wrap = GetRdmaIntUnits(m_format).timeWrapPs;
    const int64_t half = wrap / 2;
    if (difference >= half)
    {
        return difference - wrap;
    }
    return difference < -half ? difference + wrap : difference;
}

uint64_t
RdmaIntPath::GetTxBytes(const Hop& before, const RdmaIntHop& now) const
{
    return (now.txBytes - before.txBytes) & (GetRdmaIntUnits(m_format).txWrap - 1);
}

RdmaIntStep
RdmaIntPath::GetStep(const Hop& before, const RdmaIntHop& now) const
{
    return {static_cast<double>(now.rateBps),
            static_cast<double>(GetTxBytes(before, now)),
            static_cast<double>(GetTimePs(before, now)),
            static_cast<double>(now.queueBytes),
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
    const int64_t elapsedPs = std::max<int64_t>(sample.nowPs - m_lastPs, 1);
    if (sample.hopCount != m_hops.size() || elapsedPs > std::min(HORIZON_PS, units.timeWrapPs / 2))
    {
        return Kind::OTHER;
    }
    // At a higher rate a port sends half of its counter's range in that time.
    const double mostBps = 4e12 * static_cast<double>(units.txWrap) / elapsedPs;
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const RdmaIntHop& hop = sample.hops[i];
        if (ToKbps(hop.rateBps) != m_hops[i].rateKbps || hop.rateBps > mostBps)
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
                     hop.timePs,
                     static_cast<uint32_t>(hop.queueBytes),
                     ToKbps(hop.rateBps)};
    }
    m_lastPs = sample.nowPs;
}

} // namespace ns3
