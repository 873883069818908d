/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-time-series.h"

#include "rdma-flow-runner.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-result-table.h"
#include "rdma-shared-run.h"
#include "rdma-units.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimeSeries);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_timeSeriesName("timeseries",
                                    RdmaTimeSeries::GetTypeId(),
                                    "",
                                    "CSV file: rate, window, alpha, RTT of flows",
                                    {"File"});

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
const RdmaResultTable<FlowSample> g_timeSeriesTable = MakeRdmaFileTable<FlowSample>(
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

TypeId
RdmaTimeSeries::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaTimeSeriesInstrument")
            .SetParent<RdmaInstrument>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaTimeSeries>()
            .AddAttribute("File",
                          "The CSV file.",
                          StringValue(""),
                          MakeStringAccessor(&RdmaTimeSeries::m_path),
                          MakeStringChecker())
            .AddAttribute("Period",
                          "Time from row to row.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&RdmaTimeSeries::m_periodTime),
                          RdmaMakePositiveTimeChecker())
            .AddAttribute("Flows",
                          "Ids of the flows that are watched, as in 0-9,17; auto: all flows.",
                          StringValue("auto"),
                          MakeStringAccessor(&RdmaTimeSeries::m_flows),
                          MakeStringChecker());
    return tid;
}

RdmaTimeSeries::RdmaTimeSeries()
    : m_timer(this)
{
}

std::vector<std::pair<uint64_t, uint64_t>>
RdmaTimeSeries::ParseFlows(const std::string& text)
{
    constexpr uint64_t MAX = std::numeric_limits<uint64_t>::max();
    if (text == "auto")
    {
        return {{0, MAX}};
    }
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    std::size_t from = 0;
    while (from <= text.size())
    {
        const std::size_t to = std::min(text.find(',', from), text.size());
        const std::string part = text.substr(from, to - from);
        const std::size_t dash = part.find('-');
        const uint64_t first = ParseRdmaInteger(part.substr(0, dash), 0, MAX);
        const uint64_t last =
            dash == std::string::npos ? first : ParseRdmaInteger(part.substr(dash + 1), first, MAX);
        ranges.emplace_back(first, last);
        from = to + 1;
    }
    return ranges;
}

void
RdmaTimeSeries::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner)
{
    const auto flows = DynamicCast<RdmaFlowRunner>(runner);
    RefuseRdmaIf(!flows, "flows of this transport have no queue pairs; accepted: with roce or irn");
    const auto ranges = ParseFlows(m_flows);
    std::vector<bool> used(ranges.size(), m_flows == "auto");
    Watch(m_file.GetStream(), fabric, RdmaToPs(m_periodTime));
    for (uint64_t i = 0; i < flows->GetNFlows(); ++i)
    {
        const RdmaFlow& flow = flows->GetFlow(i);
        bool wanted = false;
        for (std::size_t r = 0; r < ranges.size(); ++r)
        {
            if (ranges[r].first <= flow.id && flow.id <= ranges[r].second)
            {
                wanted = true;
                used[r] = true;
            }
        }
        if (wanted)
        {
            RefuseRdmaIf(flows->GetConnection(i) != nullptr,
                         "Flows: flow " + std::to_string(flow.id) +
                             " has several queue pairs; accepted: flows with one, as those of "
                             "--connection=in-turn");
            RefuseRdmaIf(flows->GetDependency(i) != nullptr,
                         "Flows: flow " + std::to_string(flow.id) +
                             " waits for others, so that its start is not known before the run; "
                             "accepted: flows that do not wait");
            Add(flow, flows->GetSender(i));
        }
    }
    for (std::size_t r = 0; r < ranges.size(); ++r)
    {
        RefuseRdmaIf(!used[r],
                     "Flows: no flow has an id from " + std::to_string(ranges[r].first) + " to " +
                         std::to_string(ranges[r].second) + "; accepted: ids of the " +
                         std::to_string(flows->GetNFlows()) + " flows of the run");
    }
    m_file.OpenForRun(m_path);
    Start();
}

void
RdmaTimeSeries::Watch(std::ostream& os, Ptr<RdmaFabric> fabric, RdmaPs period)
{
    NS_ABORT_MSG_IF(period <= 0_ps,
                    "rdma: a time series with a period of " << period
                                                            << " ps; accepted: 1 ps and above");
    m_os = &os;
    m_rows.emplace(os);
    m_fabric = fabric;
    m_period = period;
}

void
RdmaTimeSeries::Add(const RdmaFlow& flow, Ptr<const RdmaQueuePair> qp)
{
    const std::vector<uint32_t> nics = m_fabric->GetTopology().GetNics(flow.srcHost);
    const auto nic = std::find_if(nics.begin(), nics.end(), [this, &qp](uint32_t id) {
        return m_fabric->GetNode(id)->GetId() == qp->GetDevice().GetNodeId();
    });
    NS_ABORT_MSG_IF(nic == nics.end(),
                    "rdma: the queue pair of flow " << flow.id << " in a time series is not one of "
                                                    << "host " << flow.srcHost);
    m_fabric->GetNic(*nic)->SetAttribute("MeasureRtt", BooleanValue(true));
    if (!IsRdmaNodeLocal(*m_fabric->GetNode(*nic)))
    {
        return;
    }
    m_waiting.push_back({qp, *nic, flow.id, flow.start});
}

void
RdmaTimeSeries::Start()
{
    NS_ABORT_MSG_IF(m_timer.IsArmed(), "rdma: Start() of a time series a second time");
    std::stable_sort(m_waiting.begin(), m_waiting.end(), [](const Series& a, const Series& b) {
        return a.start != b.start ? a.start > b.start : a.flow > b.flow;
    });
    *m_os << g_timeSeriesTable.FormatHeader();
    const RdmaPs now = RdmaNow();
    m_timer.Arm((now + m_period - 1_ps) / m_period * m_period);
}

void
RdmaTimeSeries::Finish()
{
    m_rows->Finish();
    if (!m_path.empty())
    {
        m_file.Close(IsCut());
    }
}

void
RdmaTimeSeries::OnTick()
{
    const RdmaPs now = RdmaNow();
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
        const RdmaPs from = m_active.empty() ? m_waiting.back().start : now + 1_ps;
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
    m_rows->Add({static_cast<uint64_t>(RdmaNow().Get()),
                 static_cast<uint64_t>(series.start.Get()),
                 series.flow},
                row);
}

} // namespace ns3
