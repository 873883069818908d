/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-seed-runs.h"

#include "rdma-fabric-run.h"
#include "rdma-fabric-setup.h"
#include "rdma-flow-report.h"
#include "rdma-interrupt.h"
#include "rdma-option.h"
#include "rdma-part-text.h"
#include "rdma-part.h"
#include "rdma-process-pool.h"
#include "rdma-refuse.h"
#include "rdma-run-folder.h"
#include "rdma-units.h"

#include <ns3/global-value.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <algorithm>
#include <filesystem>
#include <locale>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace ns3
{

namespace
{

/**
 * Rejects a file that all runs would write, or that would lie outside of the folders of the runs.
 * \param option name of the option
 * \param file value of the option
 * \param setting number of seeds, and where the results go
 */
void
CheckSeedFile(const std::string& option, const std::string& file, const RdmaSeedSetting& setting)
{
    const std::string problem =
        "--" + option + ": " + file + " with --seeds=" + std::to_string(setting.seeds);
    RefuseRdmaIf(setting.out.empty(),
                 problem + "; accepted: with --out=DIR, so that each run has a "
                           "file of its own below DIR/seed-K");
    const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
    RefuseRdmaIf(path.is_absolute() || *path.begin() == "..",
                 problem + "; accepted: a path relative to --out=DIR/seed-K, "
                           "which it does not leave");
}

/**
 * Rejects parts of the option instruments that write files: all runs would write one file.
 * \param instruments value of the option
 * \param seeds number of seeds
 */
void
CheckSeedInstruments(const std::string& instruments, uint32_t seeds)
{
    std::vector<std::string> options;
    for (const std::string& option : GetRdmaFileOptions())
    {
        options.push_back("--" + option);
    }
    for (const std::string& text : SplitRdmaPart(instruments, ','))
    {
        const RdmaPart part = RdmaPart::Parse(text, RdmaInstrument::GetTypeId());
        RefuseRdmaIf(part.HasAttribute("File") || part.HasAttribute("Prefix"),
                     text + " with --seeds=" + std::to_string(seeds) +
                         "; accepted: instruments without files; with --out=DIR also " +
                         JoinRdmaWords(options));
    }
}

/** One number of summary.json, over the runs that have ended. */
struct SeedMetric
{
    std::string name;           //!< key of summary.json
    std::string unit;           //!< unit of the number
    std::vector<double> values; //!< values of the runs that have one
};

/**
 * Reads the reply of RdmaSeedRuns::RunSeed().
 * \param reply the reply
 * \param [in,out] metrics numbers of the runs so far, to which the numbers of the reply are added
 * \return the text for users that follows the numbers
 */
std::string
ReadSeedReply(const std::string& reply, std::vector<SeedMetric>& metrics)
{
    std::istringstream lines(reply);
    std::string line;
    std::size_t i = 0;
    for (; std::getline(lines, line) && !line.empty(); ++i)
    {
        const std::size_t first = line.find('\t');
        const std::size_t second = line.find('\t', first + 1);
        if (i == metrics.size())
        {
            metrics.push_back(
                {line.substr(0, first), line.substr(first + 1, second - first - 1), {}});
        }
        std::istringstream number(line.substr(second + 1));
        number.imbue(std::locale::classic());
        double value = 0;
        if (number >> value)
        {
            metrics[i].values.push_back(value);
        }
    }
    std::ostringstream rest;
    if (lines.peek() != std::istringstream::traits_type::eof())
    {
        rest << lines.rdbuf();
    }
    return rest.str();
}

} // namespace

RdmaSeedSetting
RdmaSeedSetting::Parse(const std::string& seeds, const std::string& jobs, uint32_t first)
{
    const uint32_t left = first <= LAST_SEED ? LAST_SEED - first + 1 : 1;
    RdmaSeedSetting setting;
    setting.seeds = static_cast<uint32_t>(ParseRdmaOption("seeds", [&] {
        return ParseRdmaInteger(seeds, 1, std::min(MOST_SEEDS, left));
    }));
    setting.jobs = static_cast<uint32_t>(
        ParseRdmaOption("jobs", [&] { return ParseRdmaInteger(jobs, 1, MOST_JOBS); }));
    RefuseRdmaOption("jobs", setting.jobs > 1 && setting.seeds == 1, "--seeds=1");
    return setting;
}

RdmaSeedRuns::RdmaSeedRuns(const RdmaFabricOptions& options, const RdmaSeedSetting& setting)
    : m_options(options),
      m_setting(setting)
{
    RefuseRdmaOption("checkDeadlock",
                     options.checkDeadlock,
                     "--seeds=" + std::to_string(setting.seeds));
    StringValue simulator;
    GlobalValue::GetValueByName("simulator", simulator);
    if (simulator.Get() == "mpi")
    {
        // Each seed is a process of its own, and a rank of MPI is one process.
        throw std::invalid_argument("--seeds: " + std::to_string(setting.seeds) +
                                    " with simulator=mpi; accepted: with one rank");
    }
    for (const std::string& option : GetRdmaFileOptions())
    {
        if (const std::string file = options.GetText(option); !file.empty())
        {
            CheckSeedFile(option, file, setting);
        }
    }
    if (!options.instruments.empty())
    {
        ParseRdmaOption("instruments",
                        [&] { CheckSeedInstruments(options.instruments, setting.seeds); });
    }
}

std::string
RdmaSeedRuns::GetFolder(uint32_t seed) const
{
    return (std::filesystem::path(m_setting.out) / ("seed-" + std::to_string(seed))).string();
}

RdmaFabricOptions
RdmaSeedRuns::MakeOptions(uint32_t seed) const
{
    RdmaFabricOptions options = m_options;
    options.seed = seed;
    for (const std::string& option : GetRdmaFileOptions())
    {
        if (const std::string file = options.GetText(option); !file.empty())
        {
            const std::filesystem::path path = std::filesystem::path(GetFolder(seed)) / file;
            std::error_code ignored; // the writer of the file reports a missing folder
            std::filesystem::create_directories(path.parent_path(), ignored);
            options.SetText(option, path.string());
        }
    }
    return options;
}

int
RdmaSeedRuns::RunSeed(uint32_t seed, std::ostream& reply) const
{
    const RdmaFabricOptions options = MakeOptions(seed);
    RdmaFabricRun run(options);
    std::optional<RdmaRunFolder> folder;
    if (!m_setting.out.empty())
    {
        folder.emplace(GetFolder(seed), options.GetGiven());
    }
    std::ostringstream reports;
    run.PrintForecasts(reports);
    // Several runs at a time would write over each other's lines.
    run.Run(m_setting.progress && m_setting.jobs == 1);
    const RdmaFabricOutcome outcome = run.GetOutcome();
    run.PrintFailures(reports);
    if (folder)
    {
        WriteRdmaReport(*folder, outcome.flows, outcome.ports, outcome.summary, outcome.tables);
    }
    Simulator::Destroy();
    if (run.GetSignal() != 0 && outcome.summary.cut)
    {
        throw std::runtime_error(outcome.summary.GetEnding());
    }

    const auto& table = outcome.tables.summary;
    for (const auto& column : table.GetColumns())
    {
        if (column.GetInfo().isAveraged)
        {
            std::string value;
            table.AppendField(value, RdmaResultFormat::CSV, column, outcome.summary);
            reply << column.GetInfo().name << '\t' << column.GetInfo().unit << '\t' << value
                  << '\n';
        }
    }
    reply << '\n';
    const uint64_t counted = outcome.summary.GetNCounted();
    const uint64_t unfinished = counted - outcome.summary.GetNCountedCompleted();
    if (unfinished > 0)
    {
        reply << "seed " << seed << ": " << unfinished << " of " << counted
              << (outcome.summary.measured ? " counted" : "") << " flows did not finish\n";
    }
    if (const std::string text = reports.str(); !text.empty())
    {
        reply << "seed " << seed << ":\n" << text;
    }
    return unfinished == 0 ? 0 : 1;
}

int
RdmaSeedRuns::Run(std::ostream& os, std::ostream& log) const
{
    const uint32_t first = m_options.seed;
    const uint32_t last = first + m_setting.seeds - 1;
    RngSeedManager::SetSeed(first); // for run.json
    std::optional<RdmaRunFolder> folder;
    if (!m_setting.out.empty())
    {
        auto options = m_options.GetGiven();
        options["seeds"] = std::to_string(m_setting.seeds);
        options["jobs"] = std::to_string(m_setting.jobs);
        folder.emplace(m_setting.out, options);
        for (uint32_t seed = first; seed - first < m_setting.seeds; ++seed)
        {
            RdmaRunFolder::RemoveResults(GetFolder(seed));
        }
    }
    std::vector<RdmaProcessEnd> ends(m_setting.seeds);
    uint32_t count = 0;
    uint32_t complete = 0;
    const int signal = RdmaProcessPool(m_setting.jobs)
                           .Run(

                               m_setting.seeds,
                               [this, first](std::size_t index, std::ostream& reply) {
                                   return RunSeed(first + static_cast<uint32_t>(index), reply);
                               },
                               [&](const RdmaProcessEnd& end) {
                                   ends[end.index] = end;
                                   ++count;
                                   complete += end.fault.empty() ? 1 : 0;
                                   if (m_setting.progress)
                                   {
                                       log << "seed " << first + end.index << " has ended, "
                                           << count << " of " << m_setting.seeds << " runs\n"
                                           << std::flush;
                                   }
                                   return end.fault.empty();
                               });

    const std::map<std::string, double> counts{{"runs", m_setting.seeds},
                                               {"runs_completed", complete}};
    if (signal != 0 && complete < m_setting.seeds)
    {
        const std::string by = RdmaInterrupt::GetName(signal);
        if (folder)
        {
            folder->Finish(by, counts);
        }
        log << "rdma: interrupted by " << by << ", " << complete << " of " << m_setting.seeds
            << " runs are complete; no statistics\n";
        return 128 + signal;
    }
    int status = 0;
    std::vector<SeedMetric> metrics;
    std::string texts;
    for (const RdmaProcessEnd& end : ends)
    {
        // Tasks begin in order, so the first fault does not depend on the order of the ends.
        if (!end.fault.empty())
        {
            throw std::runtime_error("seed " + std::to_string(first + end.index) + ": " +
                                     end.fault);
        }
        status = std::max(status, end.status);
        texts += ReadSeedReply(end.reply, metrics);
    }
    os << texts << (texts.empty() ? "" : "\n");
    std::vector<RdmaSeedStatistic> rows;
    for (const SeedMetric& metric : metrics)
    {
        rows.push_back(MakeRdmaSeedStatistic(metric.name, metric.unit, metric.values));
    }
    PrintRdmaSeedStatistics(os,
                            "seeds " + std::to_string(first) + " to " + std::to_string(last),
                            rows);
    if (folder)
    {
        folder->Write("seeds.csv",
                      [&rows](const RdmaRunFolder::Add& add) { add(FormatRdmaSeedsCsv(rows)); });
        folder->Finish("", counts);
        os << "wrote seeds.csv and seed-" << first << " to seed-" << last << " to " << m_setting.out
           << "\n";
    }
    return status;
}

} // namespace ns3
