/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-flow-report.h"
#include "rdma-for-each-index.h"
#include "rdma-temp-directory.h"

#include <ns3/global-value.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;

namespace
{

RdmaFlowResult
MakeResult(uint64_t id, RdmaPs fct, RdmaPs ideal)
{
    RdmaFlowResult result;
    result.flow = RdmaFlow{id, 1, 2, 3, 4791, RdmaFlow::ANY_NIC, 0, 1000, 5'001_ps};
    result.fct = fct;
    result.cqe = fct + 1_ns;
    result.ideal = ideal;
    result.status = "success";
    return result;
}

RdmaFlowResult
MakeStuck(uint64_t id)
{
    RdmaFlowResult result = MakeResult(id, 0_ps, 7'000_ps);
    result.fct.reset();
    result.cqe.reset();
    result.retransmittedPackets = 12;
    result.timeouts = 7;
    result.status = "stuck: \"paused\", priority 3";
    return result;
}

const char* const HEADER = "id,src,dst,bytes,start_ns,fct_ns,cqe_ns,ideal_fct_ns,slowdown,"
                           "retransmitted_packets,timeouts,status\n";

} // namespace

TEST(RdmaFlowReport, FlowsCsv)
{
    EXPECT_EQ(FormatRdmaFlowsCsv({}), HEADER);
    EXPECT_EQ(FormatRdmaFlowsCsv({MakeStuck(9), MakeResult(4, 2'000'123_ps, 1'500'000_ps)}),
              std::string(HEADER) +
                  "4,1,2,1000,5.001,2000.123,2001.123,1500.000,1.333415,0,0,success\n"
                  "9,1,2,1000,5.001,,,7.000,,12,7,\"stuck: \"\"paused\"\", priority 3\"\n");
}

TEST(RdmaFlowReport, StatedNicsAndQueuePairs)
{
    std::vector<RdmaFlowResult> results{MakeResult(0, 2_ps, 1_ps), MakeResult(1, 2_ps, 1_ps)};
    RdmaResultTables tables;
    AddRdmaStatedColumns(tables, results);
    EXPECT_EQ(FormatRdmaFlowsCsv(results, tables), FormatRdmaFlowsCsv(results));
    results[1].flow.nic = 2;
    AddRdmaStatedColumns(tables, results);
    EXPECT_EQ(FormatRdmaFlowsCsv({results[1]}, tables),
              std::string(HEADER).substr(0, std::string(HEADER).size() - 1) +
                  ",nic,queue_pairs\n1,1,2,1000,5.001,0.002,1.002,0.001,2.000000,0,0,success,2,\n");
    results[1].flow.nic = RdmaFlow::ANY_NIC;
    results[0].flow.queuePairs = 4;
    RdmaResultTables others;
    AddRdmaStatedColumns(others, results);
    EXPECT_EQ(FormatRdmaFlowsCsv({results[0]}, others),
              std::string(HEADER).substr(0, std::string(HEADER).size() - 1) +
                  ",nic,queue_pairs\n0,1,2,1000,5.001,0.002,1.002,0.001,2.000000,0,0,success,,4\n");
}

TEST(RdmaFlowReport, HalfFinishedIsNotFinished)
{
    // The data arrived but the sender never learnt of that: the row must not look finished.
    RdmaFlowResult result = MakeResult(0, 2'000_ps, 1'000_ps);
    result.cqe.reset();
    result.status = "transport retry counter exceeded";
    EXPECT_FALSE(result.IsCompleted());
    EXPECT_EQ(FormatRdmaFlowsCsv({result}),
              std::string(HEADER) +
                  "0,1,2,1000,5.001,,,1.000,,0,0,transport retry counter exceeded\n");
    EXPECT_EQ(MakeRdmaSummary({result}).flowsCompleted, 0u);
}

TEST(RdmaFlowReport, SlowdownIsRoundedExactly)
{
    const auto slowdown = [](RdmaPs fct, RdmaPs ideal) {
        const std::string text = FormatRdmaFlowsCsv({MakeResult(0, fct, ideal)});
        std::istringstream row(text.substr(text.find('\n') + 1));
        std::string field;
        for (int i = 0; i < 9; ++i)
        {
            std::getline(row, field, ',');
        }
        return field;
    };
    EXPECT_EQ(slowdown(1_ps, 1_ps), "1.000000");
    EXPECT_EQ(slowdown(2_ps, 3_ps), "0.666667");
    EXPECT_EQ(slowdown(1_ps, 3_ps), "0.333333");
    EXPECT_EQ(slowdown(1_ps, 2'000'000_ps), "0.000001"); // half rounds up
    EXPECT_EQ(slowdown(1_ps, 2'000'001_ps), "0.000000");
    EXPECT_EQ(slowdown(1'999'999_ps, 2'000'000_ps), "1.000000");
    EXPECT_EQ(slowdown(RDMA_NEVER - 1_ns, 1_ps), "9223372036854774807.000000");
}

TEST(RdmaFlowReport, ThreadsFormatWhatOneThreadFormats)
{
    std::vector<RdmaFlowResult> results;
    for (int64_t i = 0; i < 20'000; ++i)
    {
        results.push_back(MakeResult(static_cast<uint64_t>(i), (i + 1) * 1_ns, 1_ns));
    }
    const std::string one = FormatRdmaFlowsCsv(results);
    EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 20'001);
    GlobalValue::Bind("threads", UintegerValue(3));
    const std::string three = FormatRdmaFlowsCsv(results);
    const std::string digest = GetRdmaDigest(results);
    GlobalValue::Bind("threads", UintegerValue(1));
    EXPECT_TRUE(three == one);
    EXPECT_EQ(digest, GetRdmaDigest(results));
}

TEST(RdmaForEachIndex, CallsEachIndexAndThrowsTheFirstError)
{
    for (const std::size_t threads : {1, 3, 16})
    {
        std::vector<int> calls(1000);
        RdmaForEachIndex(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
        EXPECT_EQ(std::count(calls.begin(), calls.end(), 1), 1000) << threads;
        std::string message;
        try
        {
            RdmaForEachIndex(10, threads, [](std::size_t i) {
                if (i % 4 == 3)
                {
                    throw std::invalid_argument("index " + std::to_string(i));
                }
            });
        }
        catch (const std::invalid_argument& error)
        {
            message = error.what();
        }
        EXPECT_EQ(message, "index 3") << threads;
    }
}

TEST(RdmaForEachInOrder, TakesResultsInOrder)
{
    for (const std::size_t threads : {1, 3, 16})
    {
        std::vector<std::size_t> taken;
        std::atomic<std::size_t> made{0};
        std::size_t mostWaiting = 0;
        RdmaForEachInOrder<std::size_t>(
            1000,
            threads,
            [&made](std::size_t i, std::size_t& result) {
                result = 2 * i;
                ++made;
            },
            [&](std::size_t result) {
                mostWaiting = std::max(mostWaiting, made - taken.size());
                taken.push_back(result);
            });
        ASSERT_EQ(taken.size(), 1000U) << threads;
        for (std::size_t i = 0; i < taken.size(); ++i)
        {
            EXPECT_EQ(taken[i], 2 * i) << threads;
        }
        EXPECT_LE(mostWaiting, 2 * threads);
    }
}

TEST(RdmaForEachInOrder, StopsAtAnException)
{
    const auto run = [](std::size_t threads, std::size_t wrongMade, std::size_t wrongTaken) {
        std::vector<std::size_t> taken;
        std::string message;
        try
        {
            RdmaForEachInOrder<std::size_t>(
                100,
                threads,
                [wrongMade](std::size_t i, std::size_t& result) {
                    result = i;
                    if (i >= wrongMade)
                    {
                        throw std::invalid_argument("made " + std::to_string(i));
                    }
                },
                [&](std::size_t result) {
                    if (result == wrongTaken)
                    {
                        throw std::invalid_argument("taken " + std::to_string(result));
                    }
                    taken.push_back(result);
                });
        }
        catch (const std::invalid_argument& error)
        {
            message = error.what();
        }
        return std::make_pair(message, taken.size());
    };
    for (const std::size_t threads : {1, 3, 16})
    {
        EXPECT_EQ(run(threads, 7, 100), std::make_pair(std::string("made 7"), std::size_t{7}));
        EXPECT_EQ(run(threads, 100, 5), std::make_pair(std::string("taken 5"), std::size_t{5}));
        EXPECT_EQ(run(threads, 100, 100), std::make_pair(std::string(), std::size_t{100}));
    }
}

TEST(RdmaFlowReport, WrongFlows)
{
    const auto expect = [](const RdmaFlowResult& result, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { FormatRdmaFlowsCsv({result}); },
                                           {"flow 5", problem, "accepted"});
    };
    expect(MakeResult(5, 1_ps, 0_ps), "ideal FCT of 0");
    expect(MakeResult(5, -1_ps, 1_ps), "negative time");
    RdmaFlowResult silent = MakeResult(5, 1_ps, 1_ps);
    silent.status.clear();
    expect(silent, "no status");
    ExpectError<std::invalid_argument>(
        [] {
            FormatRdmaFlowsCsv({MakeResult(5, 1_ps, 1_ps), MakeResult(5, 2_ps, 1_ps)});
        },
        {"flow 5", "two results"});
}

TEST(RdmaFlowReport, PortsCsv)
{
    RdmaTopology topology;
    topology.AddHost();
    topology.AddSwitch("leaf-0");
    topology.AddLink(0, 1, 25_gbps, 1_us);
    topology.AddLink(0, 1, 40_gbps, 1_us);
    const auto ports = MakeRdmaFabricPorts(topology);
    RdmaPortResult row;
    row.port = ports[1][1];
    row.priority = 2;
    row.txFrames = 1;
    row.txBytes = 1'000'000'000'000;
    row.rxFrames = 2;
    row.rxBytes = 3;
    row.drops = 4;
    row.ecnMarks = 5;
    row.xoffSent = 6;
    row.xonSent = 7;
    row.xoffReceived = 8;
    row.xonReceived = 9;
    row.pausedTime = 6'789_ps;
    row.peakQueueBytes = 10;
    RdmaPortResult first;
    first.port = ports[0][0];
    EXPECT_EQ(FormatRdmaPortsCsv({row, first}),
              "node,node_name,port,port_name,priority,tx_frames,tx_bytes,rx_frames,rx_bytes,drops,"
              "ecn_marks,xoff_sent,xon_sent,xoff_received,xon_received,paused_ns,peak_queue_bytes,"
              "line_rate_bps,role,peer,peer_port\n"
              "0,host-0,0,host-0 to leaf-0,0,0,0,0,0,0,0,0,0,0,0,0.000,0,25000000000,host,1,0\n"
              "1,leaf-0,1,leaf-0 to host-0 #2,2,1,1000000000000,2,3,4,5,6,7,8,9,6.789,10,"
              "40000000000,switch,0,1\n");
    ExpectError<std::invalid_argument>(
        [&] {
            FormatRdmaPortsCsv({row, row});
        },
        {"port 1 of node 1, priority 2", "two rows"});
    row.pausedTime = -1_ps;
    ExpectError<std::invalid_argument>([&] { FormatRdmaPortsCsv({row}); }, {"negative time"});
}

TEST(RdmaFlowReport, Summary)
{
    // Slowdowns 1, 2, 3 and FCTs 10, 20, 30 us in a scrambled order, and a flow that is stuck.
    const std::vector<RdmaFlowResult> results{MakeResult(2, 30_us, 10_us),
                                              MakeResult(0, 10_us, 10_us),
                                              MakeStuck(3),
                                              MakeResult(1, 20_us, 10_us)};
    const auto summary = MakeRdmaSummary(results);
    EXPECT_EQ(summary.flowsTotal, 4u);
    EXPECT_EQ(summary.flowsCompleted, 3u);
    EXPECT_DOUBLE_EQ(*summary.avgSlowdown, 2.0);
    EXPECT_DOUBLE_EQ(*summary.p99Slowdown, 2.98); // 0.99 x 2 = 1.98 between 2 and 3
    EXPECT_DOUBLE_EQ(*summary.avgFctUs, 20.0);
    EXPECT_DOUBLE_EQ(*summary.p99FctUs, 29.8);
    EXPECT_EQ(summary.digest, GetRdmaDigest(results));

    const std::vector<RdmaFlowResult> reversed(results.rbegin(), results.rend());
    EXPECT_EQ(GetRdmaDigest(reversed), summary.digest);
    auto changed = results;
    *changed[0].fct += 1_ps;
    EXPECT_NE(GetRdmaDigest(changed), summary.digest);
}

TEST(RdmaFlowReport, SummaryOfNothing)
{
    const auto summary = MakeRdmaSummary({MakeStuck(0)});
    EXPECT_EQ(summary.flowsTotal, 1u);
    EXPECT_EQ(summary.flowsCompleted, 0u);
    EXPECT_FALSE(summary.avgSlowdown.has_value());
    EXPECT_FALSE(summary.p99FctUs.has_value());
}

TEST(RdmaFlowReport, SummaryJson)
{
    RdmaFabricSummary summary;
    summary.flowsTotal = 3;
    summary.flowsCompleted = 2;
    summary.avgSlowdown = 1.5;
    summary.p99Slowdown = 2;
    summary.avgFctUs = 0.1;
    summary.drops = 4;
    summary.pauseFrames = 5;
    summary.ecnMarks = 6;
    summary.peakQueueBytes = 7;
    summary.packetHops = 25'250'000'000;
    summary.events = 8;
    summary.simTimeUs = 1e-9;
    summary.cpuS = 9.25;
    summary.peakRssMb = 100;
    summary.digest = "a\"\\\n";
    EXPECT_EQ(FormatRdmaSummaryJson(summary),
              "{\n"
              "  \"flows_total\": 3,\n"
              "  \"flows_completed\": 2,\n"
              "  \"avg_slowdown\": 1.5,\n"
              "  \"p99_slowdown\": 2,\n"
              "  \"avg_fct_us\": 0.1,\n"
              "  \"p99_fct_us\": null,\n"
              "  \"drops\": 4,\n"
              "  \"pause_frames\": 5,\n"
              "  \"ecn_marks\": 6,\n"
              "  \"peak_queue_bytes\": 7,\n"
              "  \"packet_hops\": 25250000000,\n"
              "  \"events\": 8,\n"
              "  \"sim_time_us\": 1e-09,\n"
              "  \"cpu_s\": 9.25,\n"
              "  \"peak_rss_mb\": 100,\n"
              "  \"digest\": \"a\\\"\\\\\\u000a\"\n"
              "}\n");
    summary.cpuS = std::nan("");
    ExpectError<std::invalid_argument>([&] { FormatRdmaSummaryJson(summary); },
                                       {"cpu_s is not finite"});
}

TEST(RdmaFlowReport, WritesFiles)
{
    const TempDirectory directory("rdma-flow-report-test");
    const std::vector<RdmaFlowResult> results{MakeResult(0, 2_ps, 1_ps)};
    const auto summary = MakeRdmaSummary(results);
    const auto deep = directory.GetPath() / "a" / "b";
    WriteRdmaReport(deep.string(), results, {RdmaPortResult()}, summary);
    EXPECT_EQ(ReadAll(deep / "flows.csv"), FormatRdmaFlowsCsv(results));
    EXPECT_EQ(ReadAll(deep / "ports.csv"), FormatRdmaPortsCsv({RdmaPortResult()}));
    EXPECT_EQ(ReadAll(deep / "summary.json"), FormatRdmaSummaryJson(summary));
    // A second report goes into an existing directory.
    WriteRdmaReport(deep.string(), results, {}, summary);
    EXPECT_EQ(ReadAll(deep / "ports.csv"), FormatRdmaPortsCsv({}));
}

TEST(RdmaFlowReport, WriteErrors)
{
    const TempDirectory directory("rdma-flow-report-errors");
    std::filesystem::create_directories(directory.GetPath() / "flows.csv");
    const auto file = directory.GetPath() / "file";
    std::ofstream(file) << "x";
    ExpectError<RdmaFileError>(
        [&] { WriteRdmaReport((file / "out").string(), {}, {}, RdmaFabricSummary()); },
        {"out: the directory cannot be made", "Not a directory"});
    ExpectError<RdmaFileError>([&] { WriteRdmaReport(file.string(), {}, {}, RdmaFabricSummary()); },
                               {"file: the directory cannot be made"});
    ExpectError<RdmaFileError>(
        [&] { WriteRdmaReport(directory.GetPath().string(), {}, {}, RdmaFabricSummary()); },
        {"flows.csv: cannot be written", "Is a directory"});
}
