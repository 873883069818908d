/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-time-series.h"

#include "rdma-file-table.h"
#include "rdma-shared-run.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace ns3
{

namespace
{

/** A row of the file. */
struct FlowSample : RdmaQueuePairSample
{
    uint32_t node{0};     //!< node id of the sender
    std::string nodeName; //!< name of the sender
    uint64_t flow{0};     //!< id of the flow

    /// \return the sending rate in bit/s
    std::optional<uint64_t> GetRate() const
    {
        return rate ? std::make_optional(rate->Get()) : std::nullopt;
    }

    /// \return the target rate in bit/s
    std::optional<int64_t> GetTargetRate() const
    {
        return targetRateBps ? std::make_optional<int64_t>(std::llround(*targetRateBps))
                             : std::nullopt;
    }

    /// \return alpha without the digits in which machines may differ
    std::optional<double> GetAlpha() const
    {
        return alpha ? std::make_optional(std::round(*alpha * 1e9) / 1e9) : std::nullopt;
    }
};

/// Columns of the file.
const RdmaFileTable<FlowSample> g_timeSeriesTable(
    "timeseries",
    {
        {"time_ns",
         "ns",
         "instant of the sample, after all other events of the instant",
         &FlowSample::time},
        {"node", "", "node id of the sender", &FlowSample::node},
        {"node_name", "", "name of the sender", &FlowSample::nodeName},
        {"qp", "", "number of the queue pair at the sender", &FlowSample::qpn},
        {"flow", "", "id of the flow, as in flows.csv", &FlowSample::flow},
        {"rate_bps",
         "bit/s",
         "pace of the packets on the line; empty without congestion control",
         &FlowSample::GetRate},
        {"target_rate_bps",
         "bit/s",
         "rate to which the algorithm returns; empty if it has none",
         &FlowSample::GetTargetRate},
        {"window_bytes",
         "bytes",
         "limit of in_flight_bytes; empty if the algorithm has none",
         &FlowSample::windowBytes},
        {"alpha",
         "",
         "estimate of congestion, 0 to 1, to nine decimals; empty if the algorithm has none",
         &FlowSample::GetAlpha},
        {"rtt_ns", "ns", "latest round-trip time; empty before the first", &FlowSample::rtt},
        {"in_flight_bytes",
         "bytes",
         "packets in flight, each counted as a full packet on the line, as windows count them",
         &FlowSample::bytesInFlight},
        {"acknowledged_packets",
         "packets",
         "request packets acknowledged since the beginning",
         &FlowSample::packetsAcknowledged},
    });

} // namespace

RdmaTimeSeries::RdmaTimeSeries(std::ostream& os, Ptr<RdmaFabric> fabric, QbbPs period)
    : m_os(os),
      m_rows(os),
      m_fabric(fabric),
      m_period(period),
      m_timer(this)
{
    NS_ABORT_MSG_IF(period <= 0_ps,
                    "rdma: a time series with a period of " << period
                                                            << " ps; accepted: 1 ps and above");
}

void
RdmaTimeSeries::Add(const RdmaFlow& flow, Ptr<const RdmaQueuePair> qp)
{
    m_fabric->GetNic(flow.srcHost)->SetAttribute("MeasureRtt", BooleanValue(true));
    if (!IsRdmaNodeLocal(*m_fabric->GetNode(flow.srcHost)))
    {
        return;
    }
    m_waiting.push_back({qp, flow.srcHost, flow.id, flow.start});
}

void
RdmaTimeSeries::Start()
{
    NS_ABORT_MSG_IF(m_timer.IsArmed(), "rdma: Start() of a time series a second time");
    std::stable_sort(m_waiting.begin(), m_waiting.end(), [](const Series& a, const Series& b) {
        return a.start != b.start ? a.start > b.start : a.flow > b.flow;
    });
    m_os << g_timeSeriesTable.FormatHeader();
    const QbbPs now = QbbNow();
    m_timer.Arm((now + m_period - 1_ps) / m_period * m_period);
}

void
RdmaTimeSeries::Finish()
{
    m_rows.Finish();
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
    const std::string name = m_fabric->GetTopology().GetNode(series.node).name;
    std::string row;
    g_timeSeriesTable.AppendRow(row, {series.qp->GetSample(), series.node, name, series.flow});
    // Rows of one sample are in the order of m_active.
    m_rows.Add({static_cast<uint64_t>(QbbNow().Get()),
                static_cast<uint64_t>(series.start.Get()),
                series.flow},
               row);
}

} // namespace ns3
