/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-pint.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{

namespace
{

constexpr double BASE = 1.025 * 1.025;
constexpr double SMALLEST = 0.001;

std::array<double, 256>
MakeValues()
{
    std::array<double, 256> values{-1, SMALLEST};
    for (size_t code = 2; code < values.size(); ++code)
    {
        values[code] = values[code - 1] * BASE;
    }
    return values;
}

} // namespace

double
RdmaPintCode::Decode(uint8_t code)
{
    static const std::array<double, 256> values = MakeValues();
    return values[code];
}

uint8_t
RdmaPintCode::Encode(double utilisation, uint32_t random)
{
    if (utilisation <= SMALLEST)
    {
        return LOWEST;
    }
    if (utilisation >= Decode(HIGHEST))
    {
        return HIGHEST;
    }
    static const double perLog = 1 / std::log(BASE);
    auto lower = static_cast<uint8_t>(LOWEST + std::log(utilisation / SMALLEST) * perLog);
    // The logarithm may have a rounding error where the value is exactly that of a byte.
    lower = std::min<uint8_t>(lower, HIGHEST - 1);
    const double below = Decode(lower);
    const double part = (utilisation - below) / (Decode(lower + 1) - below);
    return part * 4294967296.0 > random ? lower + 1 : lower;
}

RdmaPintPort::RdmaPintPort(RdmaBitRate rate, RdmaPs baseRtt)
    : m_perByte(8e12 / static_cast<double>(rate)),
      m_baseRttPs(static_cast<double>(baseRtt))
{
}

void
RdmaPintPort::OnDeparture(uint32_t bytes, uint64_t queueBytes, RdmaPs now)
{
    if (m_last >= 0_ps && now > m_last)
    {
        const auto tau = static_cast<double>(now - m_last);
        const double weight = std::min(tau / m_baseRttPs, 1.0);
        const double u =
            m_perByte * (static_cast<double>(queueBytes) / m_baseRttPs + m_lastBytes / tau);
        m_utilisation = (1 - weight) * m_utilisation + weight * u;
    }
    m_last = now;
    m_lastBytes = bytes;
}

uint8_t
RdmaPintPort::Write(uint8_t code, uint32_t random) const
{
    return code == RdmaPintCode::NONE ? code
                                      : std::max(code, RdmaPintCode::Encode(m_utilisation, random));
}

} // namespace ns3
