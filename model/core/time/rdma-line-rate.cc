/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-line-rate.h"

#include "rdma-int128.h"
#include "rdma-refuse.h"

namespace ns3
{

namespace
{

constexpr uint64_t PS_PER_BYTE_AT_1BPS = 8'000'000'000'000ULL;

} // namespace

RdmaLineRate::RdmaLineRate(RdmaBitRate rate)
    : m_rate(rate.Get())
{
    RefuseRdmaIf(m_rate == 0 || m_rate > PS_PER_BYTE_AT_1BPS,
                 "a line rate of ",
                 m_rate,
                 " bit/s; accepted: 1 bit/s to 8 Tb/s");
    m_psPerByte = PS_PER_BYTE_AT_1BPS / m_rate;
    m_remPerByte = PS_PER_BYTE_AT_1BPS % m_rate;
}

RdmaPs
RdmaLineRate::BytesToPsInexact(uint64_t bytes, uint64_t& fraction) const
{
    const auto rest = static_cast<RdmaUint128>(m_remPerByte) * bytes + fraction;
    fraction = static_cast<uint64_t>(rest % m_rate);
    return RdmaPs(bytes * m_psPerByte + static_cast<uint64_t>(rest / m_rate));
}

RdmaPs
RdmaLineRate::OccupyInexactly(uint32_t bytes,
                              uint32_t gap,
                              RdmaPs start,
                              RdmaPs& busyUntil,
                              uint64_t& fraction) const
{
    if (busyUntil < start)
    {
        // The line was idle, so the fraction of a picosecond has passed.
        fraction = 0;
    }
    uint64_t sentFraction = fraction;
    const RdmaPs sent = start + BytesToPs(bytes, sentFraction);
    busyUntil = start + BytesToPs(bytes + gap, fraction);
    return sent;
}

RdmaPs
RdmaLineRate::BitsToPs(uint64_t bits) const
{
    const auto product = static_cast<RdmaUint128>(bits) * (PS_PER_BYTE_AT_1BPS / 8);
    return RdmaPs(static_cast<int64_t>(product / m_rate));
}

} // namespace ns3
