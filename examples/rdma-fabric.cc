/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Runs flows over a Clos fabric. Prints a table of flow completion times and writes all results to
 * CSV and JSON files.
 *
 *     ns3 run rdma-fabric
 *     ns3 run "rdma-fabric --workload=incast:32 --pfc=off --out=incast-lossy"
 *
 * ns3::RdmaFabricOptions describes the options. Scripts that build their own fabric use
 * ns3::RdmaFabricHelper.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>
#include <optional>

using namespace ns3;

namespace
{

/**
 * Prints the available parts.
 *
 * \param option name of an option that accepts parts; empty: all such options
 * \return true if the option exists
 */
bool
PrintParts(const std::string& option)
{
    const std::pair<const char*, TypeId> kinds[] = {
        {"transport", RdmaTransport::GetTypeId()},
        {"cc", RdmaCongestionControl::GetTypeId()},
        {"paths", QbbPathSelector::GetTypeId()},
        {"buffer", QbbBufferManager::GetTypeId()},
        {"marking", QbbCongestionDetector::GetTypeId()},
        {"marker", QbbMarker::GetTypeId()},
        {"workload", RdmaWorkload::GetTypeId()},
        {"instruments", RdmaInstrument::GetTypeId()},
        {"topology", RdmaTopologyBuilder::GetTypeId()},
    };
    bool found = false;
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds)
    {
        names.emplace_back(name);
        if (option.empty() || option == name)
        {
            found = true;
            std::cout << "--" << name << "\n";
            PrintRdmaParts(std::cout, kind);
        }
    }
    if (!found)
    {
        std::cerr << "rdma-fabric: --list: no option " << option
                  << " takes parts; accepted: " << JoinRdmaWords(names) << "\n";
    }
    return found;
}

} // namespace

int
main(int argc, char* argv[])
{
    BeginRdmaProgram(argc, argv);
    RdmaFabricOptions options;
    std::string preset = FindRdmaArgument(argc, argv, "preset");
    preset = preset.empty() ? "none" : preset;
    std::string config = FindRdmaArgument(argc, argv, "config");
    std::string presetDuration;
    try
    {
        // Parse the command line after presets and files, so that its values take precedence.
        ApplyRdmaPreset(preset, options);
        presetDuration = options.duration;
        if (!config.empty())
        {
            options.ApplyFile(config);
        }
    }
    catch (const std::exception& e)
    {
        std::cerr << "rdma-fabric: " << e.what() << "\n";
        return 2;
    }
    std::string out;
    std::string progress = "auto";
    std::string list = "no";
    std::string saveConfig;
    std::string seeds = "1";
    std::string jobs = "1";
    CommandLine cmd(__FILE__);
    cmd.Usage("Flows over a Clos fabric. Options come from --preset, then --config, then here.");
    cmd.AddValue("preset", "none, irn (IRN's default case) or parking-lot", preset);
    cmd.AddValue("config", "file of options, one per line", config);
    cmd.AddValue("save-config", "file for all options of this run", saveConfig);
    cmd.AddValue("list", "print the parts that an option takes; no option: all", list);
    options.AddTo(cmd);
    cmd.AddValue("out", "directory for flows.csv, ports.csv, summary.json, run.json", out);
    cmd.AddValue("progress", "auto (on a terminal), on or off", progress);
    cmd.AddValue("seeds", "runs, with the seeds from --seed on; above 1: statistics", seeds);
    cmd.AddValue("jobs", "seeds: runs at a time, each a process", jobs);
    cmd.Parse(argc, argv);
    if (options.measure != "off" && options.duration == presetDuration &&
        FindRdmaArgument(argc, argv, "duration").empty())
    {
        // The duration of a preset yields to the window of the user.
        options.duration = "auto";
    }
    if (list != "no")
    {
        return PrintParts(list) ? 0 : 2;
    }

    try
    {
        if (progress != "auto" && progress != "on" && progress != "off")
        {
            throw std::invalid_argument("--progress: unknown value \"" + progress +
                                        "\"; accepted: auto, on, off");
        }
        const bool isShown = progress == "on" || (progress == "auto" && RdmaProgress::IsTerminal());
        RdmaSeedSetting setting = RdmaSeedSetting::Parse(seeds, jobs, options.seed);
        if (!saveConfig.empty() && RdmaRanks::IsFirst())
        {
            options.Save(saveConfig, argc, argv);
        }
        if (setting.seeds > 1)
        {
            setting.out = out;
            setting.progress = isShown;
            return RdmaSeedRuns(options, setting).Run(std::cout, std::cerr);
        }
        RdmaFabricRun run(options);
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
        run.Run(isShown);
        const RdmaFabricOutcome outcome = run.GetOutcome();
        PrintRdmaOutcome(std::cout, outcome);
        run.PrintFailures(std::cout);
        if (folder)
        {
            WriteRdmaReport(*folder, outcome.flows, outcome.ports, outcome.summary, outcome.tables);
            std::cout << "wrote flows.csv, ports.csv and summary.json to " << out << "\n";
        }
        Simulator::Destroy();
        if (run.GetSignal() != 0)
        {
            return 128 + run.GetSignal();
        }
        return outcome.summary.GetNCountedCompleted() == outcome.summary.GetNCounted() ? 0 : 1;
    }
    catch (const std::exception& error)
    {
        std::cerr << "rdma-fabric: " << error.what() << "\n";
        return 2;
    }
}
