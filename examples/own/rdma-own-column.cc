/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * User-defined result columns, implemented entirely in this file: the hop count and the rate of
 * each flow, the fraction of time for which each port was paused, and the lowest rate of all flows.
 * The columns follow the module's columns in flows.csv, ports.csv and summary.json, and the Python
 * package ns3_rdma reads them from there.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>

using namespace ns3;

namespace
{

/**
 * \param flow result of a flow
 * \return flow size divided by completion time, in Gb/s; no value for an unfinished flow
 */
std::optional<double>
GetRate(const RdmaFlowResult& flow)
{
    if (!flow.IsCompleted())
    {
        return std::nullopt;
    }
    return 8e3 * static_cast<double>(flow.flow.bytes) / static_cast<double>(*flow.fct);
}

/**
 * Adds user-defined columns to the results of a run.
 *
 * \param run run whose tables are extended
 */
void
AddColumns(RdmaFabricRun& run)
{
    const Ptr<RdmaFabric> fabric = run.GetFabric();
    const Ptr<RdmaFlowRunnerBase> runner = run.GetRunner();
    const auto getHops = [fabric](const RdmaFlowResult& result) {
        const auto port = fabric->GetNic(result.flow.srcHost)->GetPort(0);
        return fabric->GetPath(port, fabric->GetAddress(result.flow.dstHost), 0).size();
    };
    RdmaPs first = RDMA_NEVER;
    for (uint64_t i = 0; i < runner->GetNFlows(); ++i)
    {
        first = std::min(first, runner->GetFlow(i).start);
    }
    const auto getPausedShare = [first](const RdmaPortResult& row) {
        return RdmaResultRatio{row.pausedTime, RdmaNow() - first};
    };
    const auto getLowestRate = [runner](const RdmaFabricSummary&) {
        std::optional<double> lowest;
        for (const RdmaFlowResult& result : runner->GetResults())
        {
            const std::optional<double> rate = GetRate(result);
            lowest = rate ? std::min(*rate, lowest.value_or(*rate)) : lowest;
        }
        return lowest;
    };
    RdmaResultTables& tables = run.GetTables();
    tables.flows.Add({"hops", "links", "links from the sender to the receiver", getHops});
    tables.flows.Add({"rate_gbps", "Gb/s", "size of the message over fct_ns", GetRate});
    tables.ports.Add({"paused_share",
                      "",
                      "paused_ns over the time since the first flow's start",
                      getPausedShare});
    tables.summary.Add({"min_rate_gbps", "Gb/s", "lowest rate of a flow", getLowestRate});
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Adds columns of its own to the results of a run.");
    RdmaFabricOptions options;
    options.topology = "leaf-spine:2x4x2";
    options.workload = "incast:6";
    std::string out;
    cmd.Include(options, {"topology", "workload", "bytes"});
    cmd.Add("out", "directory for flows.csv, ports.csv and summary.json", out);
    return cmd.Run(argc, argv, [&] {
        RdmaFabricRun run(options);
        AddColumns(run);
        std::optional<RdmaRunFolder> folder;
        if (!out.empty())
        {
            folder.emplace(out); // before the run: refuses a folder that cannot be written
        }
        run.Run();
        const RdmaFabricOutcome outcome = run.GetOutcome();
        PrintRdmaOutcome(std::cout, outcome);
        if (folder)
        {
            WriteRdmaReport(*folder, outcome.flows, outcome.ports, outcome.summary, outcome.tables);
        }
        std::cout << "\n" << outcome.tables.flows.FormatHeader();
        for (const RdmaFlowResult& result : outcome.flows)
        {
            std::string row;
            outcome.tables.flows.AppendRow(row, result);
            std::cout << row;
        }
        Simulator::Destroy();
        return 0;
    });
}
