/* SPDX-License-Identifier: GPL-2.0-only */

// Instruments of a run: options that stand for an instrument, and texts of parts.

#include "rdma-expect-error.h"
#include "rdma-fabric-run.h"
#include "rdma-fabric-setup.h"
#include "rdma-file-error.h"
#include "rdma-text-file.h"

#include <ns3/simulator.h>

#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

using namespace ns3;

namespace
{

/** A run with a storm, a slow receiver and watchdogs, and a folder for files. */
class RdmaFabricInstrumentsTest : public testing::Test
{
  protected:
    RdmaFabricInstrumentsTest()
    {
        std::filesystem::create_directory(folder);
        options.topology = "leaf-spine:2x4x2";
        options.workload = "permutation";
        options.bytes = "300KB";
        options.buffer = "1MiB";
        options.storm = "0:10us:300us";
        options.slowReceiver = "3:20Gbps:256KB";
        options.watchdog = "alert";
        options.detection = options.restoration = "50us";
        options.stop = "5ms";
    }

    ~RdmaFabricInstrumentsTest() override
    {
        Simulator::Destroy();
        std::filesystem::remove_all(folder);
    }

    /** \return digest of the run, and the output of its instruments */
    std::string Run() const
    {
        RdmaFabricRun run(options);
        run.Run();
        std::ostringstream os;
        run.PrintFailures(os);
        const std::string digest = run.GetOutcome().summary.digest;
        Simulator::Destroy();
        return digest + "\n" + os.str();
    }

    /** \param name name of a file in the folder \return its path */
    std::string At(const std::string& name) const
    {
        return (folder / name).string();
    }

    RdmaFabricOptions options;
    std::filesystem::path folder{std::filesystem::temp_directory_path() /
                                 ("rdma-instruments-" + std::to_string(getpid()))};
};

} // namespace

TEST_F(RdmaFabricInstrumentsTest, OptionsAndTextsWriteTheSameFiles)
{
    const std::string plain = Run();
    EXPECT_NE(plain.find("PFC watchdog: "), std::string::npos) << plain;
    EXPECT_NE(plain.find("slow receiver: "), std::string::npos) << plain;
    RdmaFabricOptions before = options;
    options.pauseTree = At("tree.csv");
    options.traceEvents = At("trace.json");
    options.traceInterval = "3us";
    options.monitor = At("ports.csv");
    EXPECT_EQ(Run(), plain);
    options = before;
    options.instruments = "pause-tree:" + At("b-tree.csv") + ",pause-trace:" + At("b-trace.json") +
                          "[Period=3us],monitor:" + At("b-ports.csv");
    EXPECT_EQ(Run(), plain);
    for (const std::string name : {"tree.csv", "trace.json", "ports.csv"})
    {
        const std::string text = ReadRdmaFile(At(name));
        EXPECT_GT(text.size(), 200U) << name;
        EXPECT_EQ(ReadRdmaFile(At("b-" + name)), text) << name;
    }
}

TEST_F(RdmaFabricInstrumentsTest, ReportsAreThereOnce)
{
    const auto count = [this] { return MakeRdmaInstruments(options).size(); };
    EXPECT_EQ(count(), 2U);
    options.instruments = "failures";
    EXPECT_EQ(count(), 2U);
    options.instruments = "deadlocks,failures";
    EXPECT_EQ(count(), 2U);
    options.explain = true;
    EXPECT_EQ(count(), 3U);
    options.instruments = "deadlocks,explain,failures";
    EXPECT_EQ(count(), 3U);
    options.explain = false;
    options.pfc = "off";
    options.instruments = "";
    EXPECT_EQ(count(), 1U);
}

TEST_F(RdmaFabricInstrumentsTest, PortsAreCaptured)
{
    options.instruments = "pcap:" + At("run");
    Run();
    EXPECT_GT(std::filesystem::file_size(At("run-0-0.pcap")), 1000U);
}

TEST_F(RdmaFabricInstrumentsTest, Messages)
{
    const auto expect = [this](const auto& change, const std::string& message) {
        const RdmaFabricOptions before = options;
        change(options);
        ExpectError<std::invalid_argument>([this] { MakeRdmaInstruments(options); }, {message});
        options = before;
    };
    expect([](auto& o) { o.traceInterval = "1us"; },
           "--traceInterval means nothing without --trace-events");
    expect([](auto& o) { o.monitor = o.pauseTree = "a"; },
           "--monitor: a, which --pauseTree writes; accepted: another file");
    expect([](auto& o) { (o.traceEvents = "a", o.traceInterval = "0s"); },
           "--traceInterval: 0s; accepted: auto, or a time, ");
    expect([](auto& o) { o.instruments = "pause-tree"; }, "accepted: pause-tree:File");
    options.pauseTree = "/no such folder/tree.csv";
    EXPECT_THROW(Run(), RdmaFileError);
}
