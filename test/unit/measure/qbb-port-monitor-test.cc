/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-monitor.h"
#include "rdma-csv.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"
#include "rdma-file-error.h"
#include "rdma-flow-runner.h"
#include "rdma-topology-builders.h"
#include "rdma-units.h"

#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <tuple>
#include <unistd.h>

/**
 * \file
 * \ingroup rdma-tests
 * Polling ports: the rows agree with the results of the run, and polling changes none of them.
 */

namespace ns3
{
namespace
{

/** Four senders to one through a switch of little memory. */
class QbbPortMonitorTest : public testing::Test
{
  protected:
    void TearDown() override
    {
        Simulator::Destroy();
    }

    /** \param bytes bytes of each flow */
    void Install(uint64_t bytes)
    {
        RdmaFabricHelper helper;
        helper.SetBufferAttribute("BufferSize", UintegerValue(1'000'000));
        RdmaTopologyRates rates;
        rates.hostRate = 100_gbps;
        rates.delay = 1_us;
        fabric = helper.Install(MakeRdmaStar(5, rates));
        std::vector<RdmaFlow> flows(4);
        for (uint32_t i = 0; i < 4; ++i)
        {
            flows[i].id = i;
            flows[i].srcHost = i;
            flows[i].dstHost = 4;
            flows[i].bytes = bytes;
            flows[i].priority = 3;
        }
        runner = RdmaFlowRunner::Make(fabric, flows);
    }

    /** \return a monitor of all ports, hosts first \param os receives the rows */
    Ptr<QbbPortMonitor> Watch(std::ostream& os, RdmaPs period) const
    {
        auto monitor = CreateObject<QbbPortMonitor>();
        monitor->Watch(os, fabric, period);
        for (uint32_t node = 0; node < 6; ++node)
        {
            monitor->AddNode(node);
        }
        return monitor;
    }

    Ptr<RdmaFabric> fabric;     //!< star of five
    Ptr<RdmaFlowRunner> runner; //!< four flows
};

uint64_t
Get(const RdmaCsvRow& row, const std::string& column)
{
    return std::stoull(row.at(column));
}

} // namespace

TEST_F(QbbPortMonitorTest, RowsAgreeWithTheResults)
{
    Install(4'000'000);
    std::ostringstream text;
    const auto monitor = Watch(text, 20_us);
    monitor->Start();
    Simulator::Run();
    monitor->Finish();
    const auto rows = ReadRdmaCsv(text.str());
    std::map<std::tuple<uint64_t, uint64_t, uint64_t>, RdmaCsvRow> last;
    std::map<std::tuple<uint64_t, uint64_t, uint64_t>, uint64_t> peak;
    uint64_t headroom = 0;
    uint64_t below = 0;
    for (const auto& row : rows)
    {
        ASSERT_EQ(row.count(""), 0U) << row.at("");
        const auto key = std::make_tuple(Get(row, "node"), Get(row, "port"), Get(row, "priority"));
        ASSERT_LE(Get(row, "queue_bytes"), Get(row, "peak_queue_bytes"));
        ASSERT_EQ(row.at("ingress_bytes").empty(), Get(row, "node") != 5);
        if (Get(row, "node") == 5)
        {
            ASSERT_LE(Get(row, "ingress_bytes"), Get(row, "peak_ingress_bytes"));
            ASSERT_LE(Get(row, "headroom_bytes"), Get(row, "peak_headroom_bytes"));
            headroom = std::max(headroom, Get(row, "peak_headroom_bytes"));
        }
        if (last.count(key))
        {
            for (const char* column : {"tx_bytes", "rx_bytes", "xoff_sent", "xoff_received"})
            {
                ASSERT_GE(Get(row, column), Get(last[key], column)) << column;
            }
            ASSERT_GT(std::stod(row.at("time_ns")), std::stod(last[key].at("time_ns")));
            below += Get(row, "peak_queue_bytes") < peak[key];
        }
        last[key] = row;
        peak[key] = std::max(peak[key], Get(row, "peak_queue_bytes"));
    }
    EXPECT_GT(headroom, 0U) << "pauses have been sent";
    EXPECT_GT(below, 0U) << "watermarks are cleared";

    uint32_t used = 0;
    for (const RdmaPortResult& result : fabric->GetPortResults())
    {
        const auto key = std::make_tuple(result.port->node, result.port->number, result.priority);
        if (!last.count(key))
        {
            EXPECT_EQ(result.txBytes + result.peakQueueBytes + result.xoffSent, 0U);
            continue;
        }
        ++used;
        const RdmaCsvRow& row = last[key];
        EXPECT_EQ(row.at("node_name"), result.port->nodeName);
        EXPECT_EQ(row.at("port_name"), result.port->name);
        EXPECT_EQ(Get(row, "tx_frames"), result.txFrames);
        EXPECT_EQ(Get(row, "tx_bytes"), result.txBytes);
        EXPECT_EQ(Get(row, "rx_frames"), result.rxFrames);
        EXPECT_EQ(Get(row, "rx_bytes"), result.rxBytes);
        EXPECT_EQ(Get(row, "xoff_sent"), result.xoffSent);
        EXPECT_EQ(Get(row, "xon_sent"), result.xonSent);
        EXPECT_EQ(Get(row, "xoff_received"), result.xoffReceived);
        EXPECT_EQ(Get(row, "xon_received"), result.xonReceived);
        EXPECT_EQ(Get(row, "drops"), result.drops);
        EXPECT_EQ(Get(row, "ecn_marks"), result.ecnMarks);
        EXPECT_EQ(row.at("paused_ns"), FormatRdmaNs(result.pausedTime));
        EXPECT_EQ(peak[key], result.peakQueueBytes);
    }
    EXPECT_EQ(used, 10U) << "class 3 at both ends of five links";
}

TEST_F(QbbPortMonitorTest, ExactReadings)
{
    // Each host sends a packet of 1102 bytes, then 1086 ones each 88.48 ns, which are at the switch
    // 1.08816 us after their beginning at the earliest. At 2 us: a host has begun the packets at
    // 0, 89.76 + k x 88.48 ns, k up to 21, which are 23; those that began until 911.8 ns have come
    // in, 1 + 10. The port to host 4 has begun 1 + k with 1.08816 us + 89.76 ns + k 88.48 ns up
    // to 2 us.
    Install(100'000);
    std::ostringstream text;
    const auto monitor = CreateObject<QbbPortMonitor>();
    monitor->Watch(text, fabric, 2_us);
    monitor->AddNode(5);
    monitor->AddNode(0);
    monitor->Start();
    Simulator::Stop(PicoSeconds(2'000'001));
    Simulator::Run();
    const auto rows = ReadRdmaCsv(text.str());
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0].at("time_ns"), "2000.000");
    EXPECT_EQ(rows[0].at("node"), "5");
    EXPECT_EQ(rows[0].at("port_name"), "hub to host-0");
    EXPECT_EQ(rows[5].at("node"), "0");
    EXPECT_EQ(rows[5].at("node_name"), "host-0");
    EXPECT_EQ(rows[5].at("tx_frames"), "23");
    EXPECT_EQ(rows[5].at("tx_bytes"), std::to_string(1102 + 22 * 1086));
    EXPECT_EQ(rows[5].at("ingress_bytes"), "");
    EXPECT_EQ(rows[0].at("rx_frames"), "11");
    EXPECT_EQ(rows[0].at("rx_bytes"), std::to_string(1102 + 10 * 1086));
    EXPECT_EQ(rows[4].at("port"), "4");
    const uint64_t sent = Get(rows[4], "tx_bytes");
    EXPECT_EQ(Get(rows[4], "queue_bytes"), 4 * (1102 + 10 * 1086) - sent);
    uint64_t ingress = 0;
    for (uint32_t port = 0; port < 4; ++port)
    {
        ingress += Get(rows[port], "ingress_bytes");
    }
    EXPECT_EQ(ingress, Get(rows[4], "queue_bytes"));
}

TEST_F(QbbPortMonitorTest, WatermarksAreThoseSinceTheLastPoll)
{
    Install(100'000);
    const auto port = fabric->GetDevice(4, 5);
    const auto& queues = port->GetQueues();
    const auto reader = port->AddPeakReader();
    Simulator::Stop(MicroSeconds(20));
    Simulator::Run();
    const uint64_t now = queues.GetBytes(3);
    const uint64_t peak = port->ReadPeaks(reader)[3];
    EXPECT_GT(peak, now);
    EXPECT_EQ(queues.GetPeakBytes(3), peak);
    Simulator::Stop(MicroSeconds(1));
    Simulator::Run();
    EXPECT_EQ(port->ReadPeaks(reader)[3], now) << "the queue empties";
    EXPECT_LT(port->ReadPeaks(reader)[3], now);
    EXPECT_EQ(queues.GetPeakBytes(3), peak);
}

// Two monitors with periods of which neither divides the other.
TEST_F(QbbPortMonitorTest, MonitorsDoNotDisturbEachOther)
{
    const auto run = [this](bool withOther, std::string& others) {
        Install(4'000'000);
        std::ostringstream text;
        std::ostringstream other;
        const auto monitor = Watch(text, 100_us);
        const auto second = Watch(other, 7_us);
        monitor->Start();
        if (withOther)
        {
            second->Start();
        }
        Simulator::Stop(MicroSeconds(1500));
        Simulator::Run();
        monitor->Finish();
        uint64_t headroom = 0;
        for (uint16_t port = 0; port < 5; ++port)
        {
            const auto usage = fabric->GetSwitch(5)->GetBufferManager()->GetIngress(port, 3);
            headroom = std::max<uint64_t>(headroom, usage.peakHeadroomBytes);
            others += std::to_string(usage.peakBytes) + " ";
        }
        EXPECT_GT(headroom, 0U) << "the peak of the run";
        Simulator::Destroy();
        return text.str();
    };
    std::string alone;
    std::string beside;
    const std::string rows = run(false, alone);
    EXPECT_EQ(run(true, beside), rows);
    EXPECT_EQ(beside, alone) << "peaks of the run";
}

TEST(QbbPortMonitor, NothingElseChanges)
{
    RdmaFabricOptions options;
    options.topology = "leaf-spine:2x4x2";
    options.buffer = "2MiB";
    options.workload = "incast:7";
    options.bytes = "2MB";
    options.cc = "dcqcn";
    const auto run = [&options] {
        RdmaFabricRun run(options);
        run.Run();
        const auto outcome = run.GetOutcome();
        Simulator::Destroy();
        return outcome;
    };
    const auto plain = run();
    EXPECT_GT(plain.summary.pauseFrames, 0U);
    const std::string file =
        std::filesystem::temp_directory_path() / ("rdma-" + std::to_string(getpid()) + ".csv");
    options.instruments = "monitor:" + file + "[Period=1.237us]";
    const auto polled = run();
    EXPECT_EQ(polled.summary.digest, plain.summary.digest);
    EXPECT_EQ(FormatRdmaPortsCsv(polled.ports), FormatRdmaPortsCsv(plain.ports));
    EXPECT_GT(plain.summary.peakQueueBytes, 0U);
    EXPECT_EQ(polled.summary.peakQueueBytes, plain.summary.peakQueueBytes);
    EXPECT_GT(std::filesystem::file_size(file), 100'000U);
    std::filesystem::remove(file);
}

TEST(QbbPortMonitor, WrongOptions)
{
    RdmaFabricOptions options;
    options.instruments = "monitor:/no such folder/x.csv";
    EXPECT_THROW(RdmaFabricRun run(options), RdmaFileError);
    Simulator::Destroy();
    options.instruments = "monitor:/tmp/one.csv[Period=0us]";
    EXPECT_THROW(RdmaFabricRun run(options), std::invalid_argument);
    Simulator::Destroy();
    options.instruments = "timeseries:/tmp/both.csv,monitor:/tmp/both.csv";
    EXPECT_THROW(RdmaFabricRun run(options), std::invalid_argument);
    Simulator::Destroy();
}

} // namespace ns3
