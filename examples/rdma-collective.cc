/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Runs a collective for a range of sizes, and prints the table of nccl-tests, with the share of the
 * bus bandwidth in the rate of a rank:
 *
 *     ns3 run "rdma-collective --ranks=8"                                  all_reduce_perf
 *     ns3 run "rdma-collective --collective=all-to-all --ranks=64"         alltoall_perf
 *     ns3 run "rdma-collective --collective='all-reduce-ring[Channels=2|Chunks=4|Steps=Pipelined]'"
 *     ns3 run "rdma-collective --network='ideal[Delay=5us|Rate=100Gbps]'"
 *     ns3 run "rdma-collective --gpus=8 --network='scale-up[Latency=1us|Outer=ideal]'"
 *     ns3 run "rdma-collective --network=packets --topology=rail:2x4x2x2"
 *     ns3 run "rdma-collective --list=collective"
 *
 * Each row is a run of its own, of one call. The network has nothing else to do.
 *
 * With --job, runs the jobs of a file (ns3::RdmaJobFile), and prints the time of each step:
 *
 *     ns3 run "rdma-collective --job=train.json --out=results --timeLine=train-line.json"
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>

using namespace ns3;

namespace
{

/** Options of the command line. */
struct Options
{
    std::string collective{"all-reduce-ring"};
    std::string network{"ideal"};
    uint32_t ranks{8};
    uint32_t gpus{1};
    uint32_t nics{0};
    uint64_t minBytes{1024};
    uint64_t maxBytes{64 << 20};
    uint32_t factor{2};
    std::string type{"float"};
    std::string job;
    std::string out;
    std::string timeLine;
    uint32_t criticalPath{0};
    std::string topology{"auto"};
    std::string config;
};

/// Bytes of an element, by the name of its type.
const std::map<std::string, uint64_t> TYPES = {{"int8", 1},
                                               {"half", 2},
                                               {"float", 4},
                                               {"double", 8}};

/** What a call takes. */
struct Outcome
{
    RdmaPs time{0}; //!< time until the last rank has ended
    double rate{0}; //!< rate at which a rank can send, in GB/s
};

/** \return true if messages are packets \param options options of the command line */
bool
HasPackets(const Options& options)
{
    return ParseRdmaOption("network", [&options] {
        return RdmaFabricRun::FindPackets(
                   RdmaPart::Parse(options.network, RdmaScheduleNetwork::GetTypeId())
                       .Create<RdmaScheduleNetwork>()) != nullptr;
    });
}

/**
 * \param options options of the command line
 * \param [out] fabric takes the options of a run on packets
 */
void
SetFabric(const Options& options, RdmaFabricOptions& fabric)
{
    fabric.Apply("--topology=star:" + std::to_string(options.ranks) +
                     "\n--rate=400Gbps\n--uplinkRate=400Gbps\n",
                 "rdma-collective",
                 RdmaOptionSource::PRESET);
    if (!options.config.empty())
    {
        fabric.ApplyFile(options.config);
    }
    if (options.topology != "auto")
    {
        fabric.topology = options.topology;
    }
    fabric.workload = options.collective;
    fabric.network = options.network;
}

/** \return outcome of one call on packets \param options options \param bytes size */
Outcome
MeasurePackets(const Options& options, uint64_t bytes)
{
    RdmaFabricOptions fabric;
    SetFabric(options, fabric);
    if (bytes > 0)
    {
        fabric.bytes = std::to_string(bytes);
    }
    RdmaFabricRun run(fabric);
    run.Run();
    const auto schedule = run.GetSchedule();
    if (!schedule->IsDone())
    {
        throw std::runtime_error("the collective does not end:\n" + schedule->DescribeWait());
    }
    const Outcome outcome{schedule->GetEnd(),
                          static_cast<double>(schedule->GetNetwork()->GetRate(0).Get()) / 8e9};
    Simulator::Destroy();
    return outcome;
}

/** \return outcome of one call \param options options of the command line \param bytes size */
Outcome
Measure(const Options& options, uint64_t bytes)
{
    const auto collective = RdmaPartOf<RdmaCollective>(options.collective).Create<RdmaCollective>();
    const auto network =
        RdmaPartOf<RdmaScheduleNetwork>(options.network).Create<RdmaScheduleNetwork>();
    collective->AssignStreams(RdmaCollective::FIRST_STREAM);

    const auto schedule = CreateObject<RdmaOperationSchedule>();
    const uint32_t nics = options.nics > 0 ? options.nics : options.gpus;
    schedule->SetPlaces(MakeRdmaPlaces(options.ranks, options.gpus, nics));
    std::vector<uint32_t> ranks(options.ranks);
    std::iota(ranks.begin(), ranks.end(), 0);
    const uint32_t world = schedule->AddCommunicator("world", ranks);
    schedule->AddJob("job").AddCollective(world, collective, bytes);
    schedule->Install(network);
    Simulator::Run();
    if (!schedule->IsDone())
    {
        throw std::runtime_error("the collective does not end:\n" + schedule->DescribeWait());
    }
    const Outcome outcome{schedule->GetEnd(), static_cast<double>(network->GetRate(0).Get()) / 8e9};
    schedule->Dispose();
    Simulator::Destroy();
    return outcome;
}

/** \return a number as nccl-tests print it: with as many decimals as fit into \p width characters
 */
std::string
Format(double value, int width)
{
    int digits = 0;
    for (double power = 1; value >= power; power *= 10)
    {
        ++digits;
    }
    char text[32];
    if (digits > width)
    {
        std::snprintf(text, sizeof(text), "%*.*e", width, width >= 7 ? 1 : 0, value);
    }
    else
    {
        const int decimals = digits < width - 2 ? 2 : digits < width - 1 ? 1 : 0;
        std::snprintf(text, sizeof(text), "%*.*f", width, decimals, value);
    }
    return text;
}

/** Prints the lines above the rows. \param options options of the command line */
void
PrintHeader(const Options& options, const RdmaCollective& collective)
{
    std::printf("# Collective test starting: %s_perf\n", collective.GetOperationName().c_str());
    std::printf("# ranks %" PRIu32 " minBytes %" PRIu64 " maxBytes %" PRIu64 " step: %" PRIu32
                "(factor)\n",
                options.ranks,
                options.minBytes,
                options.maxBytes,
                options.factor);
    std::printf("# collective %s\n", options.collective.c_str());
    std::printf("# network %s\n#\n", options.network.c_str());
    std::printf("# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place "
                "         \n",
                "",
                "",
                "",
                "",
                "");
    const char* titles[][3] = {{"time", "algbw", "busbw"}, {"(us)", "(GB/s)", "(GB/s)"}};
    for (int line = 0; line < 2; ++line)
    {
        const bool isFirst = line == 0;
        std::printf("# %10s  %12s  %8s  %6s  %6s",
                    isFirst ? "size" : "(B)",
                    isFirst ? "count" : "(elements)",
                    isFirst ? "type" : "",
                    isFirst ? "redop" : "",
                    isFirst ? "root" : "");
        for (int place = 0; place < 2; ++place)
        {
            std::printf("  %7s  %6s  %6s  %6s",
                        titles[line][0],
                        titles[line][1],
                        titles[line][2],
                        isFirst ? "#wrong" : "");
        }
        std::printf("  %6s\n", isFirst ? "share" : "(%)");
    }
}

/**
 * Prints a row.
 *
 * \param options options of the command line
 * \param collective the collective
 * \param bytes size
 * \param outcome what the call has taken
 * \return bus bandwidth in GB/s
 */
double
PrintRow(const Options& options,
         const RdmaCollective& collective,
         uint64_t bytes,
         const Outcome& outcome)
{
    const uint64_t count =
        bytes / TYPES.at(options.type) / (collective.HasParts() ? options.ranks : uint64_t{1});
    const double us = static_cast<double>(outcome.time.Get()) / 1e6;
    const double algbw = us > 0 ? static_cast<double>(bytes) / 1e3 / us : 0;
    const double busbw = algbw * collective.GetBusFactor(options.ranks);
    std::printf("%12" PRIu64 "  %12" PRIu64 "  %8s  %6s  %6" PRId64,
                bytes,
                count,
                options.type.c_str(),
                collective.Reduces() ? "sum" : "none",
                collective.GetRoot());
    for (int place = 0; place < 2; ++place)
    {
        std::printf("  %7s  %6s  %6s    N/A",
                    Format(us, 7).c_str(),
                    Format(algbw, 6).c_str(),
                    Format(busbw, 6).c_str());
    }
    std::printf("    %6.2f\n", 100 * busbw / outcome.rate);
    return busbw;
}

/** \return the sizes, in multiples of what the operation divides \param unit that multiple */
std::vector<uint64_t>
GetSizes(const Options& options, uint64_t unit)
{
    std::vector<uint64_t> sizes;
    for (uint64_t bytes = options.minBytes; bytes <= options.maxBytes; bytes *= options.factor)
    {
        const uint64_t whole = bytes / unit * unit;
        if (whole > 0 && (sizes.empty() || whole > sizes.back()))
        {
            sizes.push_back(whole);
        }
    }
    RefuseRdmaIf(sizes.empty(),
                 "--maxBytes: ",
                 options.maxBytes,
                 "; accepted: ",
                 std::max(unit, options.minBytes),
                 " or more, with these ranks, this type and --minBytes");
    return sizes;
}

/**
 * Runs the jobs of a file.
 * \param options options of the command line
 * \param given those that the user gave, for run.json
 */
void
RunJobs(const Options& options, const std::map<std::string, std::string>& given)
{
    const RdmaJobFile file(options.job);
    const auto network =
        RdmaPartOf<RdmaScheduleNetwork>(options.network).Create<RdmaScheduleNetwork>();
    const auto schedule = CreateObject<RdmaOperationSchedule>();
    file.Fill(*schedule);
    schedule->SetRecording(options.criticalPath > 0 ? RdmaRecording::MESSAGES
                                                    : RdmaRecording::OPERATIONS);
    if (!options.timeLine.empty())
    {
        RdmaOutputFile::Check(options.timeLine);
    }
    std::optional<RdmaRunFolder> folder;
    if (!options.out.empty())
    {
        folder.emplace(options.out, given);
    }
    schedule->Install(network);
    Simulator::Run();
    if (!schedule->IsDone())
    {
        throw std::runtime_error("the jobs do not end:\n" + schedule->DescribeWait());
    }
    const RdmaScheduleResults results(*schedule);
    results.PrintSteps(std::cout);
    if (options.criticalPath > 0)
    {
        results.PrintCriticalPaths(std::cout, options.criticalPath);
    }
    if (!options.timeLine.empty())
    {
        results.SaveTimeLine(options.timeLine);
    }
    if (folder)
    {
        results.Write(*folder);
        folder->Finish("", {});
        std::cout << "wrote steps.csv and calls.csv to " << options.out << "\n";
    }
    schedule->Dispose();
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    RdmaCommandLine cmd(__FILE__, "Collectives for a range of sizes: the table of nccl-tests.");
    cmd.Add("collective", "collective, see --list=collective", options.collective);
    cmd.Add("network", "network between the ranks, see --list=network", options.network);
    cmd.Add("ranks", "number of ranks", options.ranks, {"1", "1000000"});
    cmd.Add("gpus", "number of GPUs of a host, with a rank each", options.gpus, {"1", "65534"});
    cmd.Add("nics", "number of NICs of a host; 0: one for each GPU", options.nics, {"0", "65534"});
    cmd.AddBytes("minBytes", "smallest size", options.minBytes, {"1", "1TB"});
    cmd.AddBytes("maxBytes", "largest size", options.maxBytes, {"1", "1TB"});
    cmd.Add("factor", "ratio of a size to the one before", options.factor, {"2", "1000000"});
    cmd.Add("type", "type of the elements", options.type, {"int8", "half", "float", "double"});
    cmd.Add("topology",
            "packets: a part; auto: star of --ranks hosts, 400 Gb/s; the ranks are its NICs",
            options.topology);
    cmd.Add("config", "packets: file of options of rdma-fabric, one per line", options.config);
    cmd.Add("job",
            "file of jobs (JSON); the options above but network are then in it",
            options.job);
    cmd.Add("out", "job: directory for steps.csv, calls.csv, run.json", options.out);
    cmd.Add("timeLine", "job: JSON file for Perfetto, with a time line by rank", options.timeLine);
    cmd.Add("criticalPath",
            "job: print so many of the longest parts of each job's critical path",
            options.criticalPath,
            {"0", "1000000"});
    bool isList = false;
    cmd.AddAction("list",
                  "print the parts of an option, and end",
                  [&isList](const std::string& option) {
                      PrintRdmaParts(std::cout,
                                     option == "collective" ? RdmaCollective::GetTypeId()
                                                            : RdmaScheduleNetwork::GetTypeId());
                      isList = true;
                  },
                  {"collective", "network"});

    return cmd.Run(argc, argv, [&] {
        if (isList)
        {
            return 0;
        }
        if (!options.job.empty())
        {
            cmd.RefuseGivenOptions({"topology",
                                    "config",
                                    "collective",
                                    "ranks",
                                    "gpus",
                                    "nics",
                                    "minBytes",
                                    "maxBytes",
                                    "factor",
                                    "type"},
                                   "with --job, whose file says that");
            RefuseRdmaIf(HasPackets(options),
                         "--network: " + options.network +
                             " with --job; accepted: rdma-fabric --job, for packets");
            RunJobs(options, cmd.GetGiven());
            return 0;
        }
        cmd.RefuseGivenOptions({"out", "timeLine", "criticalPath"}, "without --job");
        const auto collective = ParseRdmaOption("collective", [&options] {
            return RdmaPart::Parse(options.collective, RdmaCollective::GetTypeId())
                .Create<RdmaCollective>();
        });
        const bool hasPackets = HasPackets(options);
        if (hasPackets)
        {
            cmd.RefuseGivenOptions({"gpus", "nics"}, "with packets, whose topology says that");
            RdmaFabricOptions fabric;
            SetFabric(options, fabric);
            const auto nics =
                static_cast<uint32_t>(RdmaFabricRun::MakeTopology(fabric).GetNics().size());
            RefuseRdmaIf(cmd.IsGiven("ranks") && options.ranks != nics,
                         "--ranks: " + std::to_string(options.ranks) +
                             " with --topology=" + fabric.topology +
                             "; accepted: " + std::to_string(nics) + ", one for each NIC");
            options.ranks = nics;
        }
        else
        {
            cmd.RefuseGivenOptions({"topology", "config"},
                                   "with --network=" + options.network + ", which has no packets");
        }
        std::vector<uint64_t> sizes{0};
        if (collective->GetOperation() == RdmaCollective::Operation::BARRIER)
        {
            cmd.RefuseGivenOptions({"minBytes", "maxBytes", "factor", "type"},
                                   "with a barrier, which has no size");
        }
        else
        {
            sizes = GetSizes(options,
                             TYPES.at(options.type) *
                                 (collective->HasParts() ? options.ranks : uint64_t{1}));
        }
        ParseRdmaOption("collective", [&] {
            collective->Prepare(options.ranks, sizes.back());
            return 0;
        });
        double sum = 0;
        for (const uint64_t bytes : sizes)
        {
            const Outcome outcome =
                hasPackets ? MeasurePackets(options, bytes) : Measure(options, bytes);
            if (bytes == sizes.front())
            {
                PrintHeader(options, *collective);
            }
            sum += PrintRow(options, *collective, bytes, outcome);
        }
        std::printf("# %-20s : %d OK\n", "Out of bounds values", 0);
        std::printf("# %-20s : %g\n#\n",
                    "Avg bus bandwidth",
                    sum / static_cast<double>(sizes.size()));
        std::printf("# Collective test concluded: %s_perf\n",
                    collective->GetOperationName().c_str());
        return 0;
    });
}
