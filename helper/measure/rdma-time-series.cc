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

/** \param value optional number \param format printf format \return its text, or an empty text */
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

RdmaTimeSeries::RdmaTimeSeries(std::ostream& os, QbbPs period)
    : m_os(os),
      m_period(period),
      m_timer(this)
{
    NS_ABORT_MSG_IF(period <= 0_ps,
                    "rdma: a time series with a period of " << period
                                                            << " ps; accepted: 1 ps and above");
}

void
RdmaTimeSeries::Add(Ptr<RdmaNic> nic, Ptr<const RdmaQueuePair> qp, uint64_t flow, QbbPs start)
{
    nic->SetAttribute("MeasureRtt", BooleanValue(true));
    m_waiting.push_back({qp, qp->GetPort()->GetNodeId(), flow, start});
}

void
RdmaTimeSeries::Start()
{
    NS_ABORT_MSG_IF(m_timer.IsArmed(), "rdma: Start() of a time series a second time");
    std::stable_sort(m_waiting.begin(), m_waiting.end(), [](const Series& a, const Series& b) {
        return a.start != b.start ? a.start > b.start : a.flow > b.flow;
    });
    m_os << HEADING;
    const QbbPs now = QbbNow();
    m_timer.Arm((now + m_period - 1_ps) / m_period * m_period);
}

void
RdmaTimeSeries::OnTick()
{
    const QbbPs now = QbbNow();
    for (; !m_waiting.empty() && m_waiting.back().start <= now; m_waiting.pop_back())
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
        // Without active flows, the next sample follows the start of the next flow.
        const QbbPs from = m_active.empty() ? m_waiting.back().start : now + 1_ps;
        m_timer.Arm((from + m_period - 1_ps) / m_period * m_period);
    }
}

void
RdmaTimeSeries::Write(const Series& series)
{
    const RdmaQueuePairSample sample = series.qp->GetSample();
    m_os << FormatRdmaNs(sample.time) << ',' << series.node << ',' << sample.qpn << ','
         << series.flow << ',' << (sample.rate ? std::to_string(sample.rate->Get()) : "") << ','
         << Format(sample.targetRateBps, "%.0f") << ',' << Format(sample.windowBytes, "%" PRIu64)
         << ',' << Format(sample.alpha, "%.9g") << ','
         << (sample.rtt ? FormatRdmaNs(*sample.rtt) : "") << ',' << sample.bytesInFlight << ','
         << sample.packetsAcknowledged << '\n';
    ++m_rows;
}

} // namespace ns3
