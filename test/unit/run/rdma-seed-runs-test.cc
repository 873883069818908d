/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-fabric-run.h"
#include "rdma-flow-report.h"
#include "rdma-seed-runs.h"
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

/** Runs of a small star, and a folder for their files. */
class RdmaSeedRunsTest : public testing::Test
{
  protected:
    RdmaSeedRunsTest()
    {
        options.topology = "star:4";
        options.workload = "poisson";
        options.cdf = "storage";
        options.duration = "100us";
        options.seed = 5;
        setting.seeds = 3;
        setting.out = folder.string();
    }

    ~RdmaSeedRunsTest() override
    {
        std::filesystem::remove_all(folder);
    }

    /** \return text that the runs print */
    std::string Run(int status = 0) const
    {
        std::ostringstream os;
        std::ostringstream log;
        EXPECT_EQ(RdmaSeedRuns(options, setting).Run(os, log), status);
        EXPECT_EQ(log.str(), "");
        return os.str();
    }

    /** \param name name of a file in the folder \return content of the file */
    std::string Read(const std::string& name) const
    {
        return ReadRdmaFile((folder / name).string());
    }

    /** \param parts parts of the message of an error that the options cause */
    void Expect(const std::vector<std::string>& parts) const
    {
        ExpectError<std::invalid_argument>([this] { RdmaSeedRuns(options, setting); }, parts);
    }

    RdmaFabricOptions options;
    RdmaSeedSetting setting;
    std::filesystem::path folder{std::filesystem::temp_directory_path() /
                                 ("rdma-seeds-" + std::to_string(getpid()))};
};

} // namespace

TEST_F(RdmaSeedRunsTest, EachRunIsThatOfItsSeed)
{
    options.monitor = "series/ports.csv";
    const std::string text = Run();
    std::vector<double> slowdowns;
    for (const uint32_t seed : {5, 6, 7})
    {
        RdmaFabricOptions alone = options;
        alone.seed = seed;
        alone.monitor = (folder / "alone.csv").string();
        RdmaFabricRun run(alone);
        run.Run();
        const RdmaFabricOutcome outcome = run.GetOutcome();
        Simulator::Destroy();
        slowdowns.push_back(*outcome.summary.avgSlowdown);
        const std::string own = "seed-" + std::to_string(seed) + "/";
        EXPECT_EQ(Read(own + "flows.csv"), FormatRdmaFlowsCsv(outcome.flows, outcome.tables));
        EXPECT_EQ(Read(own + "ports.csv"), FormatRdmaPortsCsv(outcome.ports, outcome.tables));
        EXPECT_EQ(Read(own + "series/ports.csv"), Read("alone.csv"));
        EXPECT_NE(Read(own + "summary.json").find(outcome.summary.digest), std::string::npos);
    }
    const std::string csv = Read("seeds.csv");
    const auto slowdown = MakeRdmaSeedStatistic("avg_slowdown", "", slowdowns);
    EXPECT_GT(*slowdown.error, 0);
    const std::string rows = FormatRdmaSeedsCsv({slowdown});
    EXPECT_NE(csv.find(rows.substr(rows.find('\n'))), std::string::npos) << csv;
    EXPECT_EQ(text.rfind("seeds 5 to 7 ", 0), 0U) << text;
    EXPECT_NE(text.find("\nwrote seeds.csv and seed-5 to seed-7 to " + setting.out + "\n"),
              std::string::npos);

    setting.jobs = 2;
    EXPECT_EQ(Run(), text);
    EXPECT_EQ(Read("seeds.csv"), csv);
}

TEST_F(RdmaSeedRunsTest, FlowsThatDoNotFinish)
{
    options.workload = "incast:3";
    options.bytes = "1MB";
    options.stop = "5us";
    options.duration = "auto";
    options.cdf = "auto";
    setting.out = "";
    setting.seeds = 2;
    const std::string text = Run(1);
    EXPECT_EQ(text.rfind("seed 5: 3 of 3 flows did not finish\n"
                         "seed 6: 3 of 3 flows did not finish\n\nseeds 5 to 6 ",
                         0),
              0U)
        << text;
    EXPECT_EQ(text.find("wrote"), std::string::npos);
}

TEST_F(RdmaSeedRunsTest, ProgressAndFailure)
{
    setting.progress = true;
    setting.jobs = 2;
    std::ostringstream os;
    std::ostringstream log;
    RdmaSeedRuns(options, setting).Run(os, log);
    EXPECT_NE(log.str().find(" has ended, 3 of 3 runs\n"), std::string::npos) << log.str();

    options.topology = "torus:4";
    ExpectError<std::runtime_error>([&] { RdmaSeedRuns(options, setting).Run(os, log); },
                                    {"seed 5: --topology: ", "'torus:4'", "accepted"});
}

TEST_F(RdmaSeedRunsTest, FilesOfEachRun)
{
    options.monitor = "/tmp/ports.csv";
    Expect({"--monitor: /tmp/ports.csv with --seeds=3", "accepted: a path relative to --out"});
    options.monitor = "a/../../ports.csv";
    Expect({"--monitor: a/../../ports.csv with --seeds=3", "accepted: a path relative to --out"});
    options.monitor = "ports.csv";
    setting.out = "";
    Expect({"--monitor: ports.csv with --seeds=3", "accepted: with --out=DIR"});
    options.monitor = "";
    options.pcap = "port";
    Expect({"--pcap: port with --seeds=3", "accepted: with --out=DIR"});
    options.pcap = "";
    options.instruments = "failures,monitor:ports.csv";
    Expect({"--instruments: monitor:ports.csv with --seeds=3", "accepted: ", "--monitor"});
    options.instruments = "pcap:port";
    Expect({"--instruments: pcap:port with --seeds=3", "accepted: "});
    options.instruments = "failures";
    EXPECT_NO_THROW(RdmaSeedRuns(options, setting));
    options.checkDeadlock = true;
    Expect({"--checkDeadlock means nothing with --seeds=3"});
}

TEST(RdmaSeedSetting, Ranges)
{
    const auto setting = RdmaSeedSetting::Parse("10000", "1024", 1);
    EXPECT_EQ(setting.seeds, 10'000U);
    EXPECT_EQ(setting.jobs, 1024U);
    EXPECT_EQ(RdmaSeedSetting::Parse("3", "1", 4'294'944'440).seeds, 3U);
    const auto expect = [](const std::string& seeds,
                           const std::string& jobs,
                           uint32_t first,
                           const std::vector<std::string>& parts) {
        ExpectError<std::invalid_argument>([&] { RdmaSeedSetting::Parse(seeds, jobs, first); },
                                           parts);
    };
    for (const char* wrong : {"0", "-1", "x", "", "1.5", "10001", "99999999999999999999"})
    {
        expect(wrong, "1", 1, {"--seeds: ", "accepted: ", "1 to 10000"});
    }
    expect("4", "1", 4'294'944'440, {"--seeds: '4'", "accepted: 1 to 3"});
    expect("2", "1", 4'294'967'295, {"--seeds: '2'", "accepted: 1"});
    expect("2", "0", 1, {"--jobs: '0'", "accepted: 1 to 1024"});
    expect("2", "1025", 1, {"--jobs: '1025'", "accepted: 1 to 1024"});
    expect("1", "2", 1, {"--jobs means nothing with --seeds=1"});
}
