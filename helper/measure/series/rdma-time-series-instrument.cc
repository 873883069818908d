/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-time-series-instrument.h"

#include "qbb-time.h"
#include "rdma-flow-runner.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-units.h"

#include <ns3/string.h>

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTimeSeriesInstrument);

/// Names under which programs take the class.
const RdmaPartName g_timeSeriesName("timeseries",
                                    RdmaTimeSeriesInstrument::GetTypeId(),
                                    "",
                                    "CSV file: rate, window, alpha, RTT of flows",
                                    {"File"});

TypeId
RdmaTimeSeriesInstrument::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaTimeSeriesInstrument")
            .SetParent<RdmaInstrument>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaTimeSeriesInstrument>()
            .AddAttribute("File",
                          "The CSV file.",
                          StringValue(""),
                          MakeStringAccessor(&RdmaTimeSeriesInstrument::m_path),
                          MakeStringChecker())
            .AddAttribute("Period",
                          "Time from row to row.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&RdmaTimeSeriesInstrument::m_period),
                          QbbMakePositiveTimeChecker())
            .AddAttribute("Flows",
                          "Ids of the flows that are watched, as in 0-9,17; auto: all flows.",
                          StringValue("auto"),
                          MakeStringAccessor(&RdmaTimeSeriesInstrument::m_flows),
                          MakeStringChecker());
    return tid;
}

std::vector<std::pair<uint64_t, uint64_t>>
RdmaTimeSeriesInstrument::ParseFlows(const std::string& text)
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
RdmaTimeSeriesInstrument::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner)
{
    const auto flows = DynamicCast<RdmaFlowRunner>(runner);
    RefuseRdmaIf(!flows, "flows of this transport have no queue pairs; accepted: with roce or irn");
    const auto ranges = ParseFlows(m_flows);
    std::vector<bool> used(ranges.size(), m_flows == "auto");
    m_series = std::make_unique<RdmaTimeSeries>(m_file.GetStream(), fabric, QbbToPs(m_period));
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
            m_series->Add(flow, flows->GetSender(i));
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
    m_series->Start();
}

void
RdmaTimeSeriesInstrument::Finish()
{
    m_series->Finish();
    m_file.Close(IsCut());
}

} // namespace ns3
