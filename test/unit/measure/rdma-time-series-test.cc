/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-congestion-control.h"
#include "rdma-csv.h"
#include "rdma-fabric-run.h"
#include "rdma-file-error.h"
#include "rdma-flow-runner.h"
#include "rdma-part.h"
#include "rdma-time-series.h"

#include <ns3/simulator.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>

/**
 * \file
 * \ingroup rdma-tests
 * Time series of queue pairs: their samples, and a proof that sampling changes no result.
 */

namespace ns3
{
namespace
{

/** A file that is removed with the object. */
struct TemporaryFile
{
    ~TemporaryFile()
    {
        std::filesystem::remove(path);
    }

    /** \return the text of the file */
    std::string Read() const
    {
        std::ifstream file(path);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    /// path of the file
    std::string path{std::filesystem::temp_directory_path() /
                     ("rdma-" + std::to_string(getpid()) + ".csv")};
};

/** \param options a run \return its digest and its numbers of pauses, drops and marks */
std::string
RunOnce(const RdmaFabricOptions& options)
{
    RdmaFabricRun run(options);
    run.Run();
    const auto outcome = run.GetOutcome();
    Simulator::Destroy();
    EXPECT_EQ(outcome.summary.flowsCompleted, outcome.summary.flowsTotal);
    return outcome.summary.digest + " " + std::to_string(outcome.summary.pauseFrames) + " " +
           std::to_string(outcome.summary.packetHops) + " " +
           std::to_string(outcome.summary.ecnMarks) + " " +
           std::to_string(outcome.summary.simTimeUs);
}

/** \return eight senders to one, 200 kB each */
RdmaFabricOptions
MakeIncast()
{
    RdmaFabricOptions options;
    options.topology = "star:9";
    options.workload = "incast:8";
    options.bytes = "200KB";
    return options;
}

} // namespace

TEST(RdmaTimeSeries, NothingElseChanges)
{
    // The period is a prime number, so that rows fall between all other events.
    struct Case
    {
        const char* cc;
        const char* transport;
        bool window; //!< the algorithm has a window
        bool alpha;  //!< the algorithm has an alpha
    };

    std::set<std::string> tested;
    for (const Case& c : {Case{"none", "roce", false, false},
                          Case{"none", "irn", false, false},
                          Case{"dcqcn", "roce", false, true},
                          Case{"dcqcn-nic", "irn", false, true},
                          Case{"rcm", "roce", false, false},
                          Case{"dctcp", "roce", false, true},
                          Case{"dctcp-window", "roce", true, true},
                          Case{"timely", "roce", false, false},
                          Case{"timely-patched", "roce", false, false},
                          Case{"timely-acks", "irn", false, false},
                          Case{"swift", "roce", true, false},
                          Case{"hpcc", "roce", true, false},
                          Case{"hpcc-pint", "roce", true, false},
                          Case{"powertcp", "irn", true, false},
                          Case{"powertcp-theta", "roce", true, false},
                          Case{"powertcp-paper", "roce", true, false},
                          Case{"powertcp-theta-paper", "irn", true, false},
                          Case{"aimd", "irn", true, false}})
    {
        SCOPED_TRACE(std::string(c.cc) + " " + c.transport);
        tested.insert(c.cc);
        RdmaFabricOptions options = MakeIncast();
        options.cc = c.cc;
        options.transport = c.transport;
        const std::string plain = RunOnce(options);
        TemporaryFile file;
        options.instruments = "timeseries:" + file.path + "[Period=0.337us]";
        EXPECT_EQ(RunOnce(options), plain);

        const auto rows = ReadRdmaCsv(file.Read());
        EXPECT_GT(rows.size(), 2000U);
        const bool controlled = std::string(c.cc) != "none";
        bool rtt = false;
        std::set<std::string> flows;
        for (const auto& row : rows)
        {
            ASSERT_EQ(row.count(""), 0U) << row.at("");
            ASSERT_EQ(row.at("rate_bps").empty(), !controlled);
            ASSERT_EQ(row.at("window_bytes").empty(), !c.window);
            ASSERT_EQ(row.at("alpha").empty(), !c.alpha);
            rtt = rtt || !row.at("rtt_ns").empty();
            flows.insert(row.at("flow"));
        }
        EXPECT_EQ(flows.size(), 8U);
        EXPECT_EQ(rtt, controlled);
    }
    for (const auto& entry : RdmaPartName::GetAll(RdmaCongestionControl::GetTypeId()))
    {
        EXPECT_EQ(tested.count(entry.name), 1U) << "no case has " << entry.name;
    }
}

TEST(RdmaTimeSeries, ValuesOfAFlowAlone)
{
    // 100 Gb/s, a switch and two cables of 1 us. The first packet has 1122 bytes on the line, the
    // others 1106 (88.48 ns): at 10 us, 1 + 113 have begun. A round trip in an empty network is 2 x
    // (1094 x 80 ps + 74 x 80 ps) + 4 us = 4.18688 us; the switch is 16 bytes behind because of the
    // first packet, 1.28 ns. So the acknowledgement of the second one comes at 4.27792 us, and one
    // each 88.48 ns follows: 66 in all.
    RdmaFabricOptions options;
    options.topology = "star:2";
    options.workload = "incast:1";
    options.bytes = "1MB";
    options.cc = "dcqcn";
    TemporaryFile file;
    options.instruments = "timeseries:" + file.path;
    const auto flow =
        RdmaFabricRun::MakeFlows(options, RdmaFabricRun::MakeTopology(options)).front();
    RunOnce(options);
    const auto rows = ReadRdmaCsv(file.Read());
    ASSERT_GT(rows.size(), 8U);
    EXPECT_EQ(rows[0].at("time_ns"), "0.000");
    EXPECT_EQ(rows[0].at("in_flight_bytes"), "1106");
    EXPECT_EQ(rows[0].at("rtt_ns"), "");
    const auto& row = rows[1];
    EXPECT_EQ(row.at("time_ns"), "10000.000");
    EXPECT_EQ(row.at("node"), std::to_string(flow.srcHost));
    EXPECT_EQ(row.at("node_name"), "host-" + std::to_string(flow.srcHost));
    EXPECT_EQ(row.at("flow"), std::to_string(flow.id));
    EXPECT_EQ(row.at("rate_bps"), "100000000000");
    EXPECT_EQ(row.at("acknowledged_packets"), "66");
    EXPECT_EQ(row.at("in_flight_bytes"), std::to_string(48 * 1106));
    EXPECT_EQ(row.at("window_bytes"), "");
    EXPECT_EQ(row.at("rtt_ns"), "4188.160");
}

TEST(RdmaTimeSeries, FlowsThatAreAsked)
{
    RdmaFabricOptions options = MakeIncast();
    TemporaryFile file;
    options.instruments = "timeseries:" + file.path + "[Flows=0-2,6]";
    RunOnce(options);
    std::set<std::string> flows;
    for (const auto& row : ReadRdmaCsv(file.Read()))
    {
        flows.insert(row.at("flow"));
    }
    EXPECT_EQ(flows, (std::set<std::string>{"0", "1", "2", "6"}));
}

TEST(RdmaTimeSeries, WrongOptions)
{
    struct Case
    {
        const char* settings;
        const char* transport;
        const char* message;
    };

    TemporaryFile file;
    for (const Case& c :
         {Case{"Period=0s", "roce", "--instruments: ns3::RdmaTimeSeriesInstrument: Period '0s'"},
          Case{"Period=3", "roce", "--instruments: ns3::RdmaTimeSeriesInstrument: Period '3'"},
          Case{"Flows=", "roce", "--instruments: '' is empty; accepted: 0 to "},
          Case{"Flows=1,", "roce", "--instruments: '' is empty; accepted: 0 to "},
          Case{"Flows=2-1", "roce", "--instruments: '1' is too small; accepted: 2 to "},
          Case{"Flows=0,8", "roce", "--instruments: Flows: no flow has an id from 8 to 8"},
          Case{"Flows=auto",
               "iwarp",
               "--instruments: flows of this transport have no queue pairs"}})
    {
        RdmaFabricOptions options = MakeIncast();
        options.instruments = "timeseries:" + file.path + "[" + c.settings + "]";
        options.transport = c.transport;
        try
        {
            RdmaFabricRun run(options);
            ADD_FAILURE() << c.message;
        }
        catch (const std::invalid_argument& error)
        {
            EXPECT_EQ(std::string(error.what()).rfind(c.message, 0), 0U) << error.what();
        }
        Simulator::Destroy();
    }
    RdmaFabricOptions options = MakeIncast();
    options.instruments = "timeseries:/no such folder/x.csv";
    EXPECT_THROW(RdmaFabricRun run(options), RdmaFileError);
    Simulator::Destroy();
}

TEST(RdmaTimeSeries, TraceSource)
{
    // A sample for each of 196 acknowledgements, with the controller's response.
    RdmaFabricOptions options;
    options.topology = "star:2";
    options.workload = "incast:1";
    options.bytes = "200KB";
    options.cc = "hpcc";
    RdmaFabricRun run(options);
    std::vector<RdmaQueuePairSample> samples;
    run.GetFabric()->GetNic(0)->TraceConnectWithoutContext(
        "Sample",
        Callback<void, const RdmaQueuePairSample&>(
            [&samples](const RdmaQueuePairSample& sample) { samples.push_back(sample); }));
    run.GetFabric()->GetNic(1)->TraceConnectWithoutContext(
        "Sample",
        Callback<void, const RdmaQueuePairSample&>(
            [&samples](const RdmaQueuePairSample& sample) { samples.push_back(sample); }));
    run.Run();
    ASSERT_EQ(samples.size(), 196U);
    EXPECT_EQ(samples.back().packetsAcknowledged, 196U);
    EXPECT_EQ(samples.back().packetsInFlight, 0U);
    for (const auto& sample : samples)
    {
        EXPECT_TRUE(sample.rate);
        EXPECT_TRUE(sample.windowBytes);
        EXPECT_TRUE(sample.targetRateBps);
        EXPECT_FALSE(sample.alpha);
        EXPECT_GT(sample.rtt.value_or(0_ps), 4_us);
    }
    Simulator::Destroy();
}

} // namespace ns3
