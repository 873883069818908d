/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-time-series.h"

#include "rdma-units.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/node.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace ns3
{

namespace
{

constexpr const char* HEADING = "time_ns,node,qp,flow,rate_bps,target_rate_bps,window_bytes,alpha,"
                                "rtt_ns,in_flight_bytes,acknowledged_packets\n";

/** \param value a number, or nothing \param format for printf \return its text, or nothing */
template <typename T>
std::string
Format(const std::optional<T>& value, const char* format)
{
    if (!value)
    {
        return "";
    }
    char text[32];
    std::snprintf(text, sizeof(text), format, *value);
    return text;
}

} // namespace

RdmaTimeSeries::RdmaTimeSeries(std::ostream& os, int64_t periodPs)
    : m_os(os),
      m_periodPs(periodPs),
      m_timer(this)
{
    NS_ABORT_MSG_IF(periodPs <= 0,
                    "rdma: a time series with a period of " << periodPs
                                                            << " ps; accepted: 1 ps and above");
}

void
RdmaTimeSeries::Add(Ptr<RdmaNic> nic, Ptr<const RdmaQueuePair> qp, uint64_t flow, int64_t startPs)
{
    nic->SetAttribute("MeasureRtt", BooleanValue(true));
    m_waiting.push_back({qp, qp->GetPort()->GetNodeId(), flow, startPs});
}

void
RdmaTimeSeries::Start()
{
    NS_ABORT_MSG_IF(m_timer.IsArmed(), "rdma: Start() of a time series a second time");
    std::stable_sort(m_waiting.begin(), m_waiting.end(), [](const Series& a, const Series& b) {
        return a.startPs != b.startPs ? a.startPs > b.startPs : a.flow > b.flow;
    });
    m_os << HEADING;
    const int64_t nowPs = QbbNowPs();
    m_timer.Arm((nowPs + m_periodPs - 1) / m_periodPs * m_periodPs);
}

void
RdmaTimeSeries::OnTick()
{
    const int64_t nowPs = QbbNowPs();
    for (; !m_waiting.empty() && m_waiting.back().startPs <= nowPs; m_waiting.pop_back())
    {
        m_active.push_back(std::move(m_waiting.back()));
    }
    m_active.erase(
        std::remove_if(m_active.begin(),
                       m_active.end(),
                       [](const Series& series) { return series.qp->GetOutstandingSends() == 0; }),
        m_active.end());
    for (const Series& series : m_active)
    {
        Write(series);
    }
    if (!m_active.empty() || !m_waiting.empty())
    {
        // Nothing to see before the next flow starts.
        const int64_t fromPs = m_active.empty() ? m_waiting.back().startPs : nowPs + 1;
        m_timer.Arm((fromPs + m_periodPs - 1) / m_periodPs * m_periodPs);
    }
}

void
RdmaTimeSeries::Write(const Series& series)
{
    const RdmaQueuePairSample sample = series.qp->GetSample();
    m_os << FormatRdmaNs(sample.timePs) << ',' << series.node << ',' << sample.qpn << ','
         << series.flow << ',' << Format(sample.rateBps, "%" PRIu64) << ','
         << Format(sample.targetRateBps, "%.0f") << ',' << Format(sample.windowBytes, "%" PRIu64)
         << ',' << Format(sample.alpha, "%.9g") << ','
         << (sample.rttPs ? FormatRdmaNs(*sample.rttPs) : "") << ',' << sample.bytesInFlight << ','
         << sample.packetsAcknowledged << '\n';
    ++m_rows;
}

} // namespace ns3
