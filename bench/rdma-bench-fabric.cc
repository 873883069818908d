/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * A run of rdma-fabric with the bare pipeline (RunRdmaBenchPipeline()) before and after it, in the
 * same process. summary.json gets the numbers that only a benchmark needs: the cost of an event of
 * the pipeline, and the CPU time and the heap that setting up the run takes.
 */

#include "rdma-bench-heap.h"
#include "rdma-bench-pipeline.h"

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <ctime>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__,
                        "Measures a run of rdma-fabric, in units of a bare pipeline of events.");
    RdmaFabricOptions options;
    std::string out;
    cmd.Include(options);
    cmd.Add("out", "directory for flows.csv, ports.csv, summary.json", out);
    return cmd.Run(argc, argv, [&] {
        if (out.empty())
        {
            throw std::invalid_argument("--out: empty; accepted: a directory");
        }
        const double pipelineBefore = RunRdmaBenchPipeline();
        const double heapBefore = GetRdmaBenchHeapBytes();
        const std::clock_t begin = std::clock();
        RdmaFabricRun run(options);
        const double setupS = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        const double setupBytes = GetRdmaBenchHeapBytes() - heapBefore;
        const uint32_t hosts = run.GetFabric()->GetHosts().GetN();
        run.Run();
        RdmaFabricOutcome outcome = run.GetOutcome();
        Simulator::Destroy();
        const double pipelineNs = (pipelineBefore + RunRdmaBenchPipeline()) / 2;

        const auto add =
            [&outcome](const char* name, const char* unit, const char* meaning, double value) {
                outcome.tables.summary.Add(
                    {name, unit, meaning, [value](const RdmaFabricSummary&) { return value; }});
            };
        add("pipeline_event_ns", "ns", "CPU time of an event of the bare pipeline", pipelineNs);
        add("setup_s", "s", "CPU time from the options to the start of the simulation", setupS);
        add("setup_heap_bytes", "bytes", "heap that the fabric and its flows take", setupBytes);
        add("hosts", "", "hosts of the fabric", hosts);
        WriteRdmaReport(out, outcome.flows, outcome.ports, outcome.summary, outcome.tables);
        return 0;
    });
}
