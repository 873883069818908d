/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-goodput-meter.h"

#include "rdma-time.h"

namespace ns3
{

RdmaGoodputMeter::RdmaGoodputMeter(const std::vector<Ptr<RdmaQueuePair>>& receivers)
    : m_receivers(receivers),
      m_packets(receivers.size(), 0)
{
}

std::vector<double>
RdmaGoodputMeter::Take()
{
    const RdmaPs now = RdmaNow();
    const auto seconds = static_cast<double>(now - m_last) / 1e12;
    std::vector<double> rates;
    for (std::size_t i = 0; i < m_receivers.size(); ++i)
    {
        const uint64_t packets = m_receivers[i]->GetStats().packetsAccepted;
        const auto bits =
            static_cast<double>(packets - m_packets[i]) * m_receivers[i]->GetPathMtu() * 8;
        rates.push_back(seconds > 0 ? bits / seconds / 1e9 : 0);
        m_packets[i] = packets;
    }
    m_last = now;
    return rates;
}

double
RdmaGoodputMeter::GetJainIndex(const std::vector<double>& rates)
{
    double sum = 0;
    double squares = 0;
    for (const double rate : rates)
    {
        sum += rate;
        squares += rate * rate;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(rates.size()) * squares) : 0;
}

} // namespace ns3
