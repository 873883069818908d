/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Runs flows over a Clos fabric. Prints a table of flow completion times and writes all results to
 * CSV and JSON files.
 *
 *     ns3 run rdma-fabric
 *     ns3 run "rdma-fabric --workload=incast:32 --pfc=off --out=incast-lossy"
 *     ns3 run "rdma-fabric --workload=all-reduce-ring[Chunks=4] --bytes=64MB"
 *     ns3 run "rdma-fabric --topology=rail:16x8x8x4 --job=examples/jobs/step-of-128.json"
 *
 * ns3::RdmaFabricOptions describes the options. Scripts that build their own fabric use
 * ns3::RdmaFabricHelper.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <filesystem>
#include <iostream>
#include <optional>

using namespace ns3;

namespace
{

/** \return values of the option list; the empty one stands for all options */
std::vector<std::string>
GetListWords(const RdmaFabricOptions& options)
{
    std::vector<std::string> words{""};
    for (const auto& [name, kind] : options.GetPartKinds())
    {
        if (words.back() != name)
        {
            words.push_back(name);
        }
    }
    return words;
}

/** Prints the parts of an option. \param option name of the option; empty: all options */
void
PrintParts(const RdmaFabricOptions& options, const std::string& option)
{
    std::string last;
    for (const auto& [name, kind] : options.GetPartKinds())
    {
        if (option.empty() || option == name)
        {
            std::cout << (name == last ? "" : "--" + name + "\n");
            PrintRdmaParts(std::cout, kind);
            last = name;
        }
    }
}

/**
 * Refuses a file of an instrument that the results would replace.
 *
 * \param options options of the run
 * \param folder folder of the results
 */
void
CheckFiles(const RdmaFabricOptions& options, const std::string& folder)
{
    const auto normal = [](const std::filesystem::path& path) {
        return std::filesystem::absolute(path).lexically_normal();
    };
    for (const auto& [option, instrument] : RdmaFabricRun::MakeInstruments(options))
    {
        const std::string file = RdmaFabricRun::GetFile(*instrument);
        for (const std::string name : {"flows.csv",
                                       "ports.csv",
                                       "summary.json",
                                       "run.json",
                                       "steps.csv",
                                       "calls.csv",
                                       "path.csv"})
        {
            RefuseRdmaIf(
                !file.empty() && normal(file) == normal(std::filesystem::path(folder) / name),
                "--" + option + ": " + file + ", which --out writes; accepted: another file");
        }
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(
        __FILE__,
        "Flows over a Clos fabric. Options come from --preset, then --config, then here.");
    RdmaFabricOptions options;
    std::string out;
    std::string progress = "auto";
    std::optional<std::string> list;
    std::string saveConfig;
    cmd.AddAction("preset", "none, irn (IRN's default case) or parking-lot", [&](const auto& name) {
        ApplyRdmaPreset(name, options);
    });
    cmd.AddAction("config", "file of options, one per line", [&](const auto& file) {
        cmd.ApplyFile(file);
    });
    cmd.AddAction("save-config", "file for all options of this run", [&](const auto& file) {
        saveConfig = file;
    });
    cmd.AddAction(
        "list",
        "print the parts that an option takes; no option: all",
        [&](const auto& option) { list = option; },
        GetListWords(options));
    cmd.Include(options);
    cmd.Add("out", "directory for flows.csv, ports.csv, summary.json, run.json", out);
    cmd.Add("progress", "auto (on a terminal), on or off", progress, {"auto", "on", "off"});
    return cmd.Run(argc, argv, [&] {
        if (list)
        {
            PrintParts(options, *list);
            return 0;
        }
        RefuseRdmaOption("out", !out.empty() && options.checkDeadlock, "--checkDeadlock");
        const bool isShown = progress == "on" || (progress == "auto" && RdmaProgress::IsTerminal());
        if (!out.empty())
        {
            CheckFiles(options, out);
        }
        if (!saveConfig.empty() && RdmaRanks::IsFirst())
        {
            cmd.Save(saveConfig);
        }
        RdmaFabricRun run(options);
        RefuseRdmaOption("progress", progress == "on" && run.GetSchedule(), "a schedule");
        if (options.checkDeadlock)
        {
            PrintRdmaDeadlockCheck(std::cout, *run.GetFabric(), run.GetDeadlockCheck());
            return run.GetDeadlockCheck().IsDeadlockFree() ? 0 : 1;
        }
        std::optional<RdmaRunFolder> folder;
        if (!out.empty() && RdmaRanks::IsFirst())
        {
            folder.emplace(out, options.GetGiven());
        }
        run.PrintForecasts(std::cout);
        run.PrintExpectedMemory(std::cout);
        run.Run(isShown);
        const RdmaFabricOutcome outcome = run.GetOutcome(!out.empty());
        run.PrintSchedule(std::cout);
        PrintRdmaOutcome(std::cout, outcome);
        run.PrintFailures(std::cout);
        if (folder)
        {
            run.WriteSchedule(*folder);
            WriteRdmaReport(*folder, outcome.flows, outcome.ports, outcome.summary, outcome.tables);
            std::cout << "wrote flows.csv, ports.csv and summary.json to " << out << "\n";
        }
        // Destroy() disposes of the schedule.
        const bool isDone = run.IsScheduleDone() &&
                            outcome.summary.GetNCountedCompleted() == outcome.summary.GetNCounted();
        Simulator::Destroy();
        if (run.GetSignal() != 0)
        {
            return 128 + run.GetSignal();
        }
        return isDone ? 0 : 1;
    });
}
