/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"
#include "rdma-flow-report.h"
#include "rdma-output-file.h"

#include <ns3/config.h>
#include <ns3/global-value.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <csignal>
#include <filesystem>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * A signal ends a run in order: results and files say that the run was cut, and when.
 */

using namespace ns3;

namespace
{

/** Runs of hours that a signal ends. */
class InterruptTestCase : public TestCase
{
  public:
    /**
     * \param simulator global value "simulator"
     * \param threads threads of the simulator
     * \param groups groups of nodes; 0: as many as the simulator chooses
     */
    InterruptTestCase(const std::string& simulator, uint32_t threads, uint32_t groups)
        : TestCase("simulator " + simulator + ", threads " + std::to_string(threads) + ", groups " +
                   std::to_string(groups)),
          m_simulator(simulator),
          m_threads(threads),
          m_groups(groups)
    {
    }

  private:
    void DoRun() override
    {
        GlobalValue::Bind("simulator", StringValue(m_simulator));
        Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(m_threads));
        Config::SetDefault("ns3::RdmaSimulatorImpl::Groups", UintegerValue(m_groups));
        for (const int signal : {SIGINT, SIGTERM})
        {
            for (const RdmaPs at : {1_us, 50_us, 1'000_us})
            {
                Interrupt(signal, at);
            }
        }
        Config::SetDefault("ns3::RdmaSimulatorImpl::Threads", UintegerValue(1));
        Config::SetDefault("ns3::RdmaSimulatorImpl::Groups", UintegerValue(0));
        GlobalValue::Bind("simulator", StringValue("own"));
    }

    void Interrupt(int signal, RdmaPs at)
    {
        const std::string file = CreateTempDirFilename("monitor.csv");
        RdmaFabricOptions options;
        options.topology = "leaf-spine:2x2x1";
        options.workload = "permutation";
        options.bytes = "100TB";
        options.stop = "1000s";
        options.instruments = "monitor[File=" + file + "]"; // the name has commas
        RdmaFabricRun run(options);
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, RdmaToTime(at), [signal] {
            raise(signal);
        });
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.GetSignal(), signal, "the signal");
        const RdmaFabricOutcome outcome = run.GetOutcome();
        NS_TEST_ASSERT_MSG_EQ(outcome.summary.cut.has_value(), true, "the run was cut");
        const RdmaRunCut& cut = *outcome.summary.cut;
        NS_TEST_EXPECT_MSG_EQ(cut.by, (signal == SIGINT ? "SIGINT" : "SIGTERM"), "the reason");
        NS_TEST_EXPECT_MSG_EQ((cut.at >= at && cut.at < 1000_s), true, "the moment " << cut.at);
        NS_TEST_EXPECT_MSG_EQ(cut.left, 4, "flows that have not ended");
        NS_TEST_EXPECT_MSG_EQ(cut.flows, 4, "flows");
        const std::string summary = FormatRdmaSummaryJson(outcome.summary, outcome.tables);
        NS_TEST_EXPECT_MSG_NE(summary.find(cut.Describe()), std::string::npos, summary);
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(file), false, "no file of a whole run");
        NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(RdmaOutputFile::GetCutPath(file)),
                              true,
                              "a file of a cut run");
        Simulator::Destroy();
    }

    std::string m_simulator; //!< global value "simulator"
    uint32_t m_threads;      //!< threads of the simulator
    uint32_t m_groups;       //!< attribute Groups
};

/** The suite. */
class InterruptTestSuite : public TestSuite
{
  public:
    InterruptTestSuite()
        : TestSuite("rdma-interrupt")
    {
        AddTestCase(new InterruptTestCase("own", 1, 0));
        AddTestCase(new InterruptTestCase("own", 1, 4));
        AddTestCase(new InterruptTestCase("own", 3, 4));
        AddTestCase(new InterruptTestCase("default", 1, 0));
    }
};

InterruptTestSuite g_interruptTestSuite; //!< the suite

} // namespace
