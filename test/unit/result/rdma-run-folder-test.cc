/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-flow-report.h"
#include "rdma-measured-columns.h"
#include "rdma-run-folder.h"
#include "rdma-sha256.h"
#include "rdma-temp-directory.h"

#include <ns3/config.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/uinteger.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace ns3;

namespace
{

using Names = std::set<std::string>;

/** \return true if a text has a part */
bool
Has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/** \return value of the key id in the run.json of a folder */
std::string
ReadId(const std::filesystem::path& folder)
{
    const std::string text = ReadAll(folder / "run.json");
    const std::string key = "\"id\": \"";
    return text.substr(text.find(key) + key.size(), 16);
}

} // namespace

TEST(RdmaRunFolder, SaysWhatTheRunIsAndHowItEnds)
{
    const TempDirectory directory("rdma-run-folder-test");
    const auto path = directory.GetPath() / "a" / "b";
    RngSeedManager::SetSeed(7);
    Config::SetDefault("ns3::QbbSwitch::EcmpSeed", UintegerValue(99));
    {
        RdmaRunFolder folder(path.string(), {{"bytes", "\"1\""}, {"cc", "dcqcn"}});
        const std::string text = ReadAll(path / "run.json");
        EXPECT_TRUE(Has(text, "\"state\": \"running\""));
        EXPECT_TRUE(
            Has(text, "\"options\": {\n    \"bytes\": \"\\\"1\\\"\",\n    \"cc\": \"dcqcn\"\n  }"));
        EXPECT_TRUE(Has(text, "\"ns3::QbbSwitch::EcmpSeed\": \"99\""));
        EXPECT_TRUE(Has(text, "\"seed\": 7"));
        EXPECT_TRUE(Has(text, "\"process\": " + std::to_string(getpid())));
        EXPECT_TRUE(Has(text, "\"ns-3\": \"3."));
        EXPECT_TRUE(Has(text, "\"rdma\": \"")) << text;
        EXPECT_FALSE(Has(text, "\"rdma\": \"\""));
        const std::string sum = folder.Write("x.csv", [](const RdmaRunFolder::Add& add) {
            add("one\n");
            add("two\n");
        });
        RdmaSha256 hash;
        hash.Add("one\ntwo\n");
        EXPECT_EQ(sum, hash.Finish());
        EXPECT_EQ(ReadAll(path / "x.csv"), "one\ntwo\n");
        folder.Finish("SIGINT", {{"flows_total", 3}, {"sim_time_us", 1.5}});
        const std::string end = ReadAll(path / "run.json");
        EXPECT_TRUE(Has(end, "\"state\": \"cut\",\n  \"cut_by\": \"SIGINT\"")) << end;
        EXPECT_TRUE(Has(end, "\"flows_total\": 3,\n    \"sim_time_us\": 1.5"));
        EXPECT_TRUE(Has(end, "\"x.csv\": \"" + sum + "\""));
    }
    Config::Reset();
    RngSeedManager::SetSeed(1);
    const std::string before = ReadId(path);
    RdmaRunFolder(path.string()).Finish("", {});
    EXPECT_TRUE(Has(ReadAll(path / "run.json"), "\"state\": \"complete\",\n  \"cut_by\": null"));
    EXPECT_NE(ReadId(path), before) << "each run has an id of its own";
}

TEST(RdmaRunFolder, RemovesOlderResults)
{
    const TempDirectory directory("rdma-run-folder-old");
    const std::string path = directory.GetPath().string();
    WriteRdmaReport(path, {}, {}, RdmaFabricSummary());
    std::ofstream(directory.GetPath() / "notes.txt") << "mine";
    {
        const RdmaRunFolder folder(path);
        EXPECT_EQ(directory.GetNames(), (Names{"run.json", "notes.txt"}));
    }
    EXPECT_TRUE(Has(ReadAll(directory.GetPath() / "run.json"), "\"state\": \"running\""));
    WriteRdmaReport(path, {}, {}, RdmaFabricSummary());
    EXPECT_EQ(directory.GetNames(),
              (Names{"flows.csv", "ports.csv", "summary.json", "run.json", "notes.txt"}));
}

TEST(RdmaRunFolder, BelongsToOneRun)
{
    const TempDirectory directory("rdma-run-folder-two");
    const std::string path = directory.GetPath().string();
    {
        RdmaRunFolder first(path);
        first.Write("flows.csv", [](const RdmaRunFolder::Add& add) { add("x"); });
        ExpectError<RdmaFileError>([&path] { RdmaRunFolder second(path); },
                                   {"another run is writing its results there"});
        EXPECT_EQ(ReadAll(directory.GetPath() / "flows.csv"), "x") << "the refused run left it";
        first.Finish("", {});
    }
    EXPECT_NO_THROW(RdmaRunFolder{path});
}

TEST(RdmaRunFolder, AKilledRunGivesTheFolderUp)
{
    const TempDirectory directory("rdma-run-folder-killed");
    const std::string path = directory.GetPath().string();
    const pid_t child = fork();
    if (child == 0)
    {
        const RdmaRunFolder folder(path);
        raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(Has(ReadAll(directory.GetPath() / "run.json"), "\"state\": \"running\""));
    EXPECT_NO_THROW(RdmaRunFolder{path});
}

TEST(RdmaRunFolder, AFileThatCannotBeWrittenIsToldBeforeTheRun)
{
    const TempDirectory directory("rdma-run-folder-errors");
    std::filesystem::create_directories(directory.GetPath() / "ports.csv");
    std::ofstream(directory.GetPath() / "flows.csv") << "old";
    ExpectError<RdmaFileError>([&] { RdmaRunFolder(directory.GetPath().string()); },
                               {"ports.csv: cannot be written", "Is a directory"});
    EXPECT_EQ(directory.GetNames(), (Names{"flows.csv", "ports.csv"}));
}

TEST(RdmaRunFolder, ACutRunIsMarkedInAllFiles)
{
    const TempDirectory directory("rdma-run-folder-cut");
    RdmaFabricSummary summary;
    summary.cut = RdmaRunCut{"SIGTERM", 1'500'000_ps, 2, 3, false};
    RdmaResultTables tables;
    AddRdmaCutColumns(tables);
    WriteRdmaReport(directory.GetPath().string(), {}, {}, summary, tables);
    EXPECT_TRUE(Has(ReadAll(directory.GetPath() / "run.json"), "\"cut_by\": \"SIGTERM\""));
    EXPECT_TRUE(Has(ReadAll(directory.GetPath() / "summary.json"),
                    "\"ended\": \"cut by SIGTERM at 1.5us: 2 of 3 flows unfinished\""));
    summary.cut->by = "deadlock";
    EXPECT_EQ(summary.GetEnding(), "cut at 1.5us in a deadlock: 2 of 3 flows unfinished");
    summary.cut->by = "stop";
    summary.cut->hasWindow = true;
    EXPECT_EQ(summary.GetEnding(), "cut at 1.5us: 2 of 3 counted flows unfinished");
    summary.cut.reset();
    EXPECT_EQ(summary.GetEnding(), "all counted flows ended");
}
