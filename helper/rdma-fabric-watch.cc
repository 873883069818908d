/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-watch.h"

#include "rdma-file-error.h"
#include "rdma-flow-runner.h"
#include "rdma-option.h"
#include "rdma-units.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace ns3
{

namespace
{

/** \param file to be opened \param path its name */
void
Open(std::ofstream& file, const std::string& path)
{
    errno = 0;
    file.open(path, std::ios::binary);
    if (!file)
    {
        throw RdmaFileError(path, 0, "", std::string("cannot be written: ") + std::strerror(errno));
    }
}

/** \param file that was written \param path its name */
void
Close(std::ofstream& file, const std::string& path)
{
    file.close();
    if (!file)
    {
        throw RdmaFileError(path, 0, "", "could not be written completely");
    }
}

/** \param option its name \param text its value \param standard for auto \return picoseconds */
QbbPs
ParsePeriod(const std::string& option, const std::string& text, const std::string& standard)
{
    const QbbPs ps =
        ParseRdmaOption(option, [&] { return ParseRdmaTime(text == "auto" ? standard : text); });
    if (ps == 0_ps)
    {
        throw std::invalid_argument("--" + option + ": " + text +
                                    "; accepted: auto, or a time above 0");
    }
    return ps;
}

} // namespace

RdmaFabricWatch::RdmaFabricWatch(const RdmaFabricOptions& options,
                                 Ptr<RdmaFabric> fabric,
                                 Ptr<RdmaFlowRunnerBase> runner)
    : m_seriesPath(options.timeseries),
      m_monitorPath(options.monitor)
{
    if (!m_seriesPath.empty() && m_seriesPath == m_monitorPath)
    {
        throw std::invalid_argument("--monitor: " + m_monitorPath +
                                    ", which --timeseries writes; accepted: another file");
    }
    if (m_seriesPath.empty())
    {
        RefuseRdmaOptionAlone("timeseriesPeriod", options.timeseriesPeriod != "auto", "timeseries");
        RefuseRdmaOptionAlone("timeseriesFlows", options.timeseriesFlows != "auto", "timeseries");
    }
    else
    {
        WatchFlows(options, fabric, runner);
    }
    if (m_monitorPath.empty())
    {
        RefuseRdmaOptionAlone("monitorPeriod", options.monitorPeriod != "auto", "monitor");
    }
    else
    {
        WatchPorts(options, fabric);
    }
}

void
RdmaFabricWatch::WatchFlows(const RdmaFabricOptions& options,
                            Ptr<RdmaFabric> fabric,
                            Ptr<RdmaFlowRunnerBase> runner)
{
    const auto flows = DynamicCast<RdmaFlowRunner>(runner);
    if (!flows)
    {
        throw std::invalid_argument("--timeseries: flows with --transport=" + options.transport +
                                    " have no queue pairs; accepted: with roce or irn");
    }
    const QbbPs period = ParsePeriod("timeseriesPeriod", options.timeseriesPeriod, "10us");
    std::vector<std::pair<uint64_t, uint64_t>> ranges{{0, std::numeric_limits<uint64_t>::max()}};
    if (options.timeseriesFlows != "auto")
    {
        ranges =
            ParseRdmaOption("timeseriesFlows", [&] { return ParseFlows(options.timeseriesFlows); });
    }
    std::vector<bool> used(ranges.size(), options.timeseriesFlows == "auto");
    m_series = std::make_unique<RdmaTimeSeries>(m_seriesFile, period);
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
            m_series->Add(fabric->GetNic(flow.srcHost), flows->GetSender(i), flow.id, flow.start);
        }
    }
    for (std::size_t r = 0; r < ranges.size(); ++r)
    {
        if (!used[r])
        {
            throw std::invalid_argument(
                "--timeseriesFlows: no flow has an id from " + std::to_string(ranges[r].first) +
                " to " + std::to_string(ranges[r].second) + "; accepted: ids of the " +
                std::to_string(flows->GetNFlows()) + " flows of the run");
        }
    }
    Open(m_seriesFile, m_seriesPath);
    m_series->Start();
}

void
RdmaFabricWatch::WatchPorts(const RdmaFabricOptions& options, Ptr<RdmaFabric> fabric)
{
    const QbbPs period = ParsePeriod("monitorPeriod", options.monitorPeriod, "100us");
    m_monitor = std::make_unique<QbbPortMonitor>(m_monitorFile, period);
    const RdmaTopology& topology = fabric->GetTopology();
    const auto linksByNode = topology.GetLinksByNode();
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        if (!topology.IsHost(node))
        {
            m_monitor->AddSwitch(fabric->GetSwitch(node));
            continue;
        }
        for (const uint32_t link : linksByNode[node])
        {
            m_monitor->AddDevice(fabric->GetDevice(link, node));
        }
    }
    Open(m_monitorFile, m_monitorPath);
    m_monitor->Start();
}

void
RdmaFabricWatch::Finish()
{
    if (m_series)
    {
        Close(m_seriesFile, m_seriesPath);
    }
    if (m_monitor)
    {
        m_monitor->Poll();
        Close(m_monitorFile, m_monitorPath);
    }
}

std::vector<std::pair<uint64_t, uint64_t>>
RdmaFabricWatch::ParseFlows(const std::string& text)
{
    constexpr uint64_t MAX = std::numeric_limits<uint64_t>::max();
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

} // namespace ns3
