/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-explain-report.h"
#include "rdma-test-threads.h"

#include <ns3/object-factory.h>
#include <ns3/string.h>
#include <ns3/test.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Captures, the pause tree, the pause trace and the explanation have equal bytes with any number of
 * threads, and do not force a run onto one thread.
 *
 * RDMA_TEST_ROUNDS=N in the environment runs N random fabrics.
 */

using namespace ns3;

namespace
{

/** All instruments that observe events of nodes, with their files in one folder. */
class Instruments : public RdmaTestObserver
{
  public:
    /** \param folder a new folder for the files */
    explicit Instruments(const std::string& folder)
        : m_folder(folder)
    {
        std::filesystem::create_directories(folder);
        Add("ns3::QbbPauseTree", "File", "tree.csv");
        Add("ns3::RdmaPauseTrace", "File", "trace.json");
        Add("ns3::RdmaPcapInstrument", "Prefix", "port");
        m_instruments.push_back(CreateObject<RdmaExplainReport>());
    }

    void Configure(RdmaFabricHelper& helper) override
    {
        helper.SetBufferAttribute("XoffBytes", UintegerValue(20'000));
    }

    void Begin(RdmaTestFabric& test) override
    {
        for (const auto& instrument : m_instruments)
        {
            instrument->Begin(test.fabric, test.runner);
        }
    }

    std::string Finish() override
    {
        std::ostringstream text;
        for (const auto& instrument : m_instruments)
        {
            instrument->Finish();
            instrument->Print(text);
        }
        return text.str();
    }

    /** \return contents of the files by name, once the simulation is destroyed */
    std::map<std::string, std::string> GetFiles() const
    {
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(m_folder))
        {
            std::ifstream file(entry.path(), std::ios::binary);
            files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(file), {}};
        }
        return files;
    }

  private:
    void Add(const char* type, const char* attribute, const char* name)
    {
        ObjectFactory factory(type);
        factory.Set(attribute, StringValue(m_folder + "/" + name));
        m_instruments.push_back(factory.Create<RdmaInstrument>());
    }

    std::string m_folder;                           //!< folder with the files
    std::vector<Ptr<RdmaInstrument>> m_instruments; //!< the instruments
};

/** Runs of random fabrics with instruments. */
class InstrumentsTestCase : public TestCase
{
  public:
    InstrumentsTestCase()
        : TestCase("random fabrics with instruments")
    {
    }

  private:
    /** \return files of a run, by name */
    std::map<std::string, std::string> RunOnce(uint32_t round,
                                               uint32_t threads,
                                               uint32_t groups,
                                               RdmaTestOutcome& outcome)
    {
        Instruments instruments(
            CreateTempDirFilename("run-" + std::to_string(round) + "-" + std::to_string(threads)));
        outcome = RdmaTestRandomRun(round).Run(threads, groups, &instruments);
        return instruments.GetFiles();
    }

    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(4);
        std::size_t treeBytes = 0;
        for (uint32_t round = 1; round <= rounds; ++round)
        {
            const uint32_t threads = RdmaTestRandomRun(round).GetThreads();
            const uint32_t groups = RdmaTestRandomRun(round).GetGroups();
            RdmaTestOutcome one;
            RdmaTestOutcome several;
            const auto expected = RunOnce(round, 1, 1, one);
            const auto files = RunOnce(round, threads, groups, several);
            NS_TEST_EXPECT_MSG_EQ(several.Compare(one),
                                  "",
                                  "round " << round << ", " << threads << " threads, " << groups
                                           << " groups");
            NS_TEST_EXPECT_MSG_EQ(several.reason, "", "several threads");
            NS_TEST_EXPECT_MSG_EQ(files.size(), expected.size(), "round " << round << ": files");
            NS_TEST_EXPECT_MSG_GT(files.size(), 4U, "the capture of each port is a file");
            for (const auto& [name, bytes] : files)
            {
                NS_TEST_EXPECT_MSG_EQ((bytes == expected.at(name)),
                                      true,
                                      "round " << round << ": " << name);
            }
            treeBytes += files.at("tree.csv").size();
        }
        // Some fabrics have no pauses.
        NS_TEST_EXPECT_MSG_EQ((rounds < 4 || treeBytes > 4000), true, "there are pauses");
    }
};

/** The suite. */
class RdmaThreadsInstrumentsTestSuite : public TestSuite
{
  public:
    RdmaThreadsInstrumentsTestSuite()
        : TestSuite("rdma-threads-instruments")
    {
        AddTestCase(new InstrumentsTestCase);
    }
};

RdmaThreadsInstrumentsTestSuite g_rdmaThreadsInstrumentsTestSuite; //!< the suite

} // namespace
