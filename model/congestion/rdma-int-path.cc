/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-int-path.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t TX_BITS = 40;
constexpr uint32_t TIME_BITS = 48;
constexpr int64_t HORIZON_PS = 1'000'000'000'000;
// A frame may be counted at its beginning and timed at its end, or the other way round.
constexpr double SLACK_BYTES = 16384;

uint32_t
ToKbps(uint64_t rateBps)
{
    return static_cast<uint32_t>(rateBps / 1000);
}

} // namespace

RdmaIntPath::RdmaIntPath(uint32_t links)
{
    m_hops.reserve(links > 0 ? std::min(links - 1, RDMA_INT_MAX_HOPS) : RDMA_INT_MAX_HOPS);
}

int64_t
RdmaIntPath::GetTimePs(const Hop& before, const RdmaIntHop& now)
{
    // Modulo 2^48, and down to -2^47: shifted up, the wrap is that of 64 bits.
    const uint64_t difference =
        static_cast<uint64_t>(now.timePs) - static_cast<uint64_t>(before.timePs);
    const auto wrapped = static_cast<int64_t>(difference << (64 - TIME_BITS));
    return wrapped / (int64_t{1} << (64 - TIME_BITS));
}

uint64_t
RdmaIntPath::GetTxBytes(const Hop& before, const RdmaIntHop& now)
{
    return (now.txBytes - before.txBytes) & ((uint64_t{1} << TX_BITS) - 1);
}

RdmaIntStep
RdmaIntPath::GetStep(const Hop& before, const RdmaIntHop& now)
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
    if (sample.hopCount != m_hops.size() || sample.nowPs - m_lastPs > HORIZON_PS)
    {
        return Kind::OTHER;
    }
    for (uint32_t i = 0; i < sample.hopCount; ++i)
    {
        const RdmaIntHop& hop = sample.hops[i];
        if (ToKbps(hop.rateBps) != m_hops[i].rateKbps)
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
