/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-line-rate.h"

#include "qbb-int128.h"
#include "rdma-refuse.h"

namespace ns3
{

namespace
{

constexpr uint64_t PS_PER_BYTE_AT_1BPS = 8'000'000'000'000ULL;

} // namespace

QbbLineRate::QbbLineRate(QbbBitRate rate)
    : m_rate(rate.Get())
{
    RefuseRdmaIf(m_rate == 0 || m_rate > PS_PER_BYTE_AT_1BPS,
                 "a line rate of ",
                 m_rate,
                 " bit/s; accepted: 1 bit/s to 8 Tb/s");
    m_psPerByte = PS_PER_BYTE_AT_1BPS / m_rate;
    m_remPerByte = PS_PER_BYTE_AT_1BPS % m_rate;
}

QbbPs
QbbLineRate::BytesToPsInexact(uint64_t bytes, uint64_t& fraction) const
{
    const auto rest = static_cast<QbbUint128>(m_remPerByte) * bytes + fraction;
    fraction = static_cast<uint64_t>(rest % m_rate);
    return QbbPs(bytes * m_psPerByte + static_cast<uint64_t>(rest / m_rate));
}

QbbPs
QbbLineRate::OccupyInexactly(uint32_t bytes,
                             uint32_t gap,
                             QbbPs start,
                             QbbPs& busyUntil,
                             uint64_t& fraction) const
{
    if (busyUntil < start)
    {
        // The line was idle, so the fraction of a picosecond has passed.
        fraction = 0;
    }
    uint64_t sentFraction = fraction;
    const QbbPs sent = start + BytesToPs(bytes, sentFraction);
    busyUntil = start + BytesToPs(bytes + gap, fraction);
    return sent;
}

QbbPs
QbbLineRate::BitsToPs(uint64_t bits) const
{
    const auto product = static_cast<QbbUint128>(bits) * (PS_PER_BYTE_AT_1BPS / 8);
    return QbbPs(static_cast<int64_t>(product / m_rate));
}

} // namespace ns3
