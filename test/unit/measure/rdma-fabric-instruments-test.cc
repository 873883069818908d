/* SPDX-License-Identifier: GPL-2.0-only */

// Instruments of a run.

#include "rdma-expect-error.h"
#include "rdma-fabric-run.h"
#include "rdma-file-error.h"
#include "rdma-text-file.h"

#include <ns3/config.h>
#include <ns3/nstime.h>
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
        Config::SetDefault("ns3::QbbPfcWatchdog::DetectionTime", TimeValue(MicroSeconds(50)));
        Config::SetDefault("ns3::QbbPfcWatchdog::RestorationTime", TimeValue(MicroSeconds(50)));
        options.stop = "5ms";
    }

    ~RdmaFabricInstrumentsTest() override
    {
        Simulator::Destroy();
        Config::Reset();
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

TEST_F(RdmaFabricInstrumentsTest, InstrumentsChangeNothingElse)
{
    const std::string plain = Run();
    EXPECT_NE(plain.find("PFC watchdog: "), std::string::npos) << plain;
    EXPECT_NE(plain.find("slow receiver: "), std::string::npos) << plain;
    options.instruments = "pause-tree:" + At("tree.csv") + ",pause-trace:" + At("trace.json") +
                          "[Period=3us],monitor:" + At("ports.csv");
    EXPECT_EQ(Run(), plain);
    for (const std::string name : {"tree.csv", "trace.json", "ports.csv"})
    {
        EXPECT_GT(ReadRdmaFile(At(name)).size(), 200U) << name;
    }
}

TEST_F(RdmaFabricInstrumentsTest, ReportsAreThereOnce)
{
    const auto count = [this] { return RdmaFabricRun::MakeInstruments(options).size(); };
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
        ExpectError<std::invalid_argument>([this] { RdmaFabricRun::MakeInstruments(options); },
                                           {message});
        options = before;
    };
    expect([](auto& o) { o.instruments = "pause-tree:a,monitor:a"; },
           "--instruments: monitor:a: another instrument writes a; accepted: another file");
    expect([](auto& o) { o.instruments = "pause-trace:a[Period=0s]"; },
           "--instruments: ns3::RdmaPauseTrace: Period '0s'; accepted: a time, ");
    expect([](auto& o) { o.instruments = "pause-tree"; }, "accepted: pause-tree:File");
    options.instruments = "pause-tree:/no such folder/tree.csv";
    EXPECT_THROW(Run(), RdmaFileError);
}
