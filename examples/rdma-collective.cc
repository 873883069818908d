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
 *     ns3 run "rdma-collective --list=collective"
 *
 * Each row is a run of its own, of one call. The network has nothing else to do.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <map>
#include <numeric>

using namespace ns3;

namespace
{

/** Options of the command line. */
struct Options
{
    std::string collective{"all-reduce-ring"};
    std::string network{"ideal"};
    uint32_t ranks{8};
    uint64_t minBytes{1024};
    uint64_t maxBytes{64 << 20};
    uint32_t factor{2};
    std::string type{"float"};
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

/** \return outcome of one call \param options options of the command line \param bytes size */
Outcome
Measure(const Options& options, uint64_t bytes)
{
    const auto collective = RdmaPartOf<RdmaCollective>(options.collective).Create<RdmaCollective>();
    const auto network =
        RdmaPartOf<RdmaScheduleNetwork>(options.network).Create<RdmaScheduleNetwork>();
    collective->AssignStreams(RdmaCollective::FIRST_STREAM);

    const auto schedule = CreateObject<RdmaOperationSchedule>();
    schedule->SetRanks(options.ranks);
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

} // namespace

int
main(int argc, char* argv[])
{
    Options options;
    RdmaCommandLine cmd(__FILE__, "Collectives for a range of sizes: the table of nccl-tests.");
    cmd.Add("collective", "collective, see --list=collective", options.collective);
    cmd.Add("network", "network between the ranks, see --list=network", options.network);
    cmd.Add("ranks", "number of ranks", options.ranks, {"1", "1000000"});
    cmd.AddBytes("minBytes", "smallest size", options.minBytes, {"1", "1TB"});
    cmd.AddBytes("maxBytes", "largest size", options.maxBytes, {"1", "1TB"});
    cmd.Add("factor", "ratio of a size to the one before", options.factor, {"2", "1000000"});
    cmd.Add("type", "type of the elements", options.type, {"int8", "half", "float", "double"});
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
        const auto collective = ParseRdmaOption("collective", [&options] {
            return RdmaPart::Parse(options.collective, RdmaCollective::GetTypeId())
                .Create<RdmaCollective>();
        });
        ParseRdmaOption("network", [&options] {
            return RdmaPart::Parse(options.network, RdmaScheduleNetwork::GetTypeId());
        });
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
            const Outcome outcome = Measure(options, bytes);
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
