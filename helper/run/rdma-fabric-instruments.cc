/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-deadlock-report.h"
#include "rdma-explain-report.h"
#include "rdma-fabric-setup.h"
#include "rdma-failure-report.h"
#include "rdma-option.h"
#include "rdma-part-text.h"
#include "rdma-part.h"
#include "rdma-rank-alarms.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"
#include "rdma-time-series-instrument.h"

#include <ns3/string.h>

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// Options that stand for an instrument, with its class, in the order in which instruments begin.
constexpr std::pair<const char*, const char*> INSTRUMENT_OPTIONS[] = {
    {"pauseTree", "ns3::QbbPauseTree"},
    {"trace-events", "ns3::RdmaPauseTrace"},
    {"timeseries", "ns3::RdmaTimeSeriesInstrument"},
    {"monitor", "ns3::QbbPortMonitorInstrument"},
    {"pcap", "ns3::RdmaPcapInstrument"},
};

/** \return the instrument of an option; null if the user did not give the option */
Ptr<RdmaInstrument>
MakeFromOption(const RdmaFabricOptions& options,
               const std::string& option,
               const std::string& type,
               std::map<std::string, std::string>& writers)
{
    const std::string file = options.GetText(option);
    if (file.empty())
    {
        options.Refuse(option, option, "without --" + option);
        return nullptr;
    }
    RefuseRdmaOption(option, options.checkDeadlock, "--checkDeadlock");
    RdmaPart part = RdmaPart::Parse(type, RdmaInstrument::GetTypeId());
    options.SetAttributes(part, option, option);
    const auto [writer, isFirst] = writers.emplace(file, option);
    RefuseRdmaIf(!isFirst && part.Has("File"),
                 "--" + option + ": " + file + ", which --" + writer->second +
                     " writes; accepted: another file");
    return part.Create<RdmaInstrument>();
}

} // namespace

std::vector<std::pair<std::string, Ptr<RdmaInstrument>>>
MakeRdmaInstruments(const RdmaFabricOptions& options)
{
    std::vector<std::pair<std::string, Ptr<RdmaInstrument>>> all;
    ParseRdmaOption("timeseriesFlows",
                    [&] { RdmaTimeSeriesInstrument::ParseFlows(options.timeseriesFlows); });
    std::map<std::string, std::string> writers; // option that names a file, by file
    for (const auto& [option, type] : INSTRUMENT_OPTIONS)
    {
        if (const auto instrument = MakeFromOption(options, option, type, writers))
        {
            all.emplace_back(option, instrument);
        }
    }
    if (!options.instruments.empty())
    {
        RefuseRdmaOption("instruments", options.checkDeadlock, "--checkDeadlock");
        ParseRdmaOption("instruments", [&] {
            for (const std::string& text : SplitRdmaPart(options.instruments, ','))
            {
                const RdmaPart part = RdmaPart::Parse(text, RdmaInstrument::GetTypeId());
                if (part.HasAttribute("File"))
                {
                    StringValue file;
                    part.CreateObject()->GetAttribute("File", file);
                    const auto [writer, isFirst] = writers.emplace(file.Get(), "instruments");
                    RefuseRdmaIf(!isFirst,
                                 file.Get() + ", which --" + writer->second +
                                     " writes; accepted: another file");
                }
                all.emplace_back("instruments", part.Create<RdmaInstrument>());
            }
        });
    }
    const auto has = [&all](const Ptr<RdmaInstrument>& report) {
        return std::any_of(all.begin(), all.end(), [&report](const auto& each) {
            return each.second->GetInstanceTypeId() == report->GetInstanceTypeId();
        });
    };
    if (options.explain)
    {
        RefuseRdmaOption("explain", options.checkDeadlock, "--checkDeadlock");
        if (const auto report = CreateObject<RdmaExplainReport>(); !has(report))
        {
            all.emplace_back("explain", report);
        }
    }
    // A run has each of these reports at most once. Reports that the user does not name come first.
    const auto addReport = [&all, &has](const Ptr<RdmaInstrument>& report) {
        if (!has(report))
        {
            all.emplace(all.begin(), "instruments", report);
        }
    };
    // Only the module's own simulator can search for deadlocks over several ranks.
    if (options.pfc == "on" && (!RdmaRanks::AreSeveral() || RdmaRankAlarms::Get()))
    {
        addReport(CreateObject<RdmaDeadlockReport>());
    }
    addReport(CreateObject<RdmaFailureReport>());
    return all;
}

} // namespace ns3
