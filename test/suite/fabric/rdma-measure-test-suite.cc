/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-arrivals.h"
#include "rdma-fabric-run.h"
#include "rdma-flow-runner.h"
#include "rdma-run-end.h"
#include "rdma-topology-builders.h"

#include <ns3/rng-seed-manager.h>
#include <ns3/test.h>

#include <algorithm>

/**
 * \file
 * \ingroup rdma-tests
 * Runs with a window of counted flows: arrivals go on until the last counted flow has ended.
 */

using namespace ns3;

namespace
{

constexpr RdmaPs WINDOW_BEGIN = 50_us;
constexpr RdmaPs WINDOW_END = 200_us;

/** \return options of a run with eight hosts at a switch; all runs have one window */
RdmaFabricOptions
MakeMeasureOptions()
{
    RdmaFabricOptions options;
    options.topology = "star:8";
    options.cdf = "storage";
    options.load = 0.7;
    options.warmUp = "50us";
    options.measure = "150us";
    return options;
}

/** \param options options of a run \return outcome of the run */
RdmaFabricOutcome
RunMeasured(const RdmaFabricOptions& options)
{
    RdmaFabricRun run(options);
    run.Run();
    RdmaFabricOutcome outcome = run.GetOutcome();
    Simulator::Destroy();
    return outcome;
}

/** \return true if the flows of the shorter list begin the longer list */
bool
AgreeInOverlap(const std::vector<RdmaFlowResult>& a, const std::vector<RdmaFlowResult>& b)
{
    const std::size_t n = std::min(a.size(), b.size());
    return std::equal(a.begin(),
                      a.begin() + static_cast<std::ptrdiff_t>(n),
                      b.begin(),
                      [](const auto& x, const auto& y) { return x.flow == y.flow; });
}

/** The flows that a run counts, the end of a run, and the flows of other runs. */
class MeasuredRunTestCase : public TestCase
{
  public:
    MeasuredRunTestCase()
        : TestCase("arrivals go on until the last counted flow has ended")
    {
    }

  private:
    void DoRun() override
    {
        const RdmaFabricOptions options = MakeMeasureOptions();
        const RdmaFabricOutcome outcome = RunMeasured(options);
        NS_TEST_ASSERT_MSG_EQ(outcome.summary.measured.has_value(), true, "there is a window");
        const RdmaMeasuredSummary measured = *outcome.summary.measured;
        uint64_t counted = 0;
        uint64_t later = 0;
        double slowdowns = 0;
        RdmaPs last{0};
        for (const RdmaFlowResult& result : outcome.flows)
        {
            const RdmaPs start = result.flow.start;
            const bool isCounted = WINDOW_BEGIN <= start && start < WINDOW_END;
            NS_TEST_ASSERT_MSG_EQ(result.isCounted, isCounted, "flow " << result.flow.id);
            NS_TEST_EXPECT_MSG_NE(result.status, "not started", "flow " << result.flow.id);
            later += start >= WINDOW_END ? 1 : 0;
            if (isCounted)
            {
                NS_TEST_ASSERT_MSG_EQ(result.IsCompleted(), true, "flow " << result.flow.id);
                ++counted;
                slowdowns += static_cast<double>(*result.fct) / static_cast<double>(result.ideal);
                last = std::max(last, start + *result.cqe);
            }
        }
        NS_TEST_EXPECT_MSG_GT(counted, 40U, "counted flows");
        NS_TEST_EXPECT_MSG_GT(later, 0U, "flows after the window");
        NS_TEST_EXPECT_MSG_EQ(measured.flows, counted, "number of counted flows");
        NS_TEST_EXPECT_MSG_EQ(measured.completed, counted, "all of them finish");
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.GetEnding(), "all counted flows ended", "end");
        NS_TEST_EXPECT_MSG_EQ_TOL(outcome.summary.avgSlowdown.value_or(0),
                                  slowdowns / static_cast<double>(counted),
                                  1e-9,
                                  "mean slowdown of the counted flows");
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.simTimeUs,
                              static_cast<double>(GetRdmaRunEnd(last)) / 1e6,
                              "end of the run");
        NS_TEST_EXPECT_MSG_EQ(RunMeasured(options).summary.digest, outcome.summary.digest, "again");

        RdmaFabricOptions keep = options;
        keep.keepQueuePairs = true;
        NS_TEST_EXPECT_MSG_EQ(RunMeasured(keep).summary.digest,
                              outcome.summary.digest,
                              "queue pairs that stay");

        RdmaFabricOptions plain = options;
        plain.warmUp = "0s";
        plain.measure = "off";
        plain.duration = "200us";
        const RdmaFabricOutcome duration = RunMeasured(plain);
        NS_TEST_EXPECT_MSG_EQ(duration.summary.measured.has_value(), false, "no window");
        NS_TEST_EXPECT_MSG_EQ(duration.flows.size(), outcome.flows.size() - later, "flows");
        NS_TEST_EXPECT_MSG_EQ(AgreeInOverlap(duration.flows, outcome.flows), true, "duration");

        for (const std::string transport : {"irn", "iwarp"})
        {
            RdmaFabricOptions other = options;
            other.transport = transport;
            const RdmaFabricOutcome flows = RunMeasured(other);
            NS_TEST_EXPECT_MSG_EQ(AgreeInOverlap(flows.flows, outcome.flows), true, transport);
            NS_TEST_EXPECT_MSG_EQ(flows.summary.measured->completed, counted, transport);
        }
        RdmaFabricOptions control = options;
        control.cc = "dcqcn";
        NS_TEST_EXPECT_MSG_EQ(AgreeInOverlap(RunMeasured(control).flows, outcome.flows),
                              true,
                              "congestion control");
    }
};

/** Runs that --stop ends. */
class CutRunTestCase : public TestCase
{
  public:
    CutRunTestCase()
        : TestCase("a cut run is reported as cut")
    {
    }

  private:
    void DoRun() override
    {
        RdmaFabricOptions options = MakeMeasureOptions();
        const uint64_t counted = RunMeasured(options).summary.measured->flows;
        options.stop = "120us"; // within the window
        const RdmaFabricOutcome outcome = RunMeasured(options);
        uint64_t completed = 0;
        for (const RdmaFlowResult& result : outcome.flows)
        {
            completed += result.isCounted && result.IsCompleted() ? 1 : 0;
        }
        const RdmaMeasuredSummary& measured = *outcome.summary.measured;
        NS_TEST_EXPECT_MSG_EQ(measured.flows, counted, "flows that did not start are counted");
        NS_TEST_EXPECT_MSG_GT(completed, 0U, "some finish");
        NS_TEST_EXPECT_MSG_LT(completed, counted, "some do not");
        NS_TEST_EXPECT_MSG_EQ(measured.completed, completed, "number of finished flows");
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.GetEnding(),
                              "cut at 120us: " + std::to_string(counted - completed) + " of " +
                                  std::to_string(counted) + " counted flows unfinished",
                              "end");
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.simTimeUs, 120.0, "the cut");
    }
};

/** The results do not depend on the length of a block. */
class BlockTestCase : public TestCase
{
  public:
    BlockTestCase()
        : TestCase("the length of a block of arrivals changes nothing")
    {
    }

  private:
    /** \param block length of a block \return digest of all flows */
    static std::string RunBlocks(RdmaPs block)
    {
        RngSeedManager::SetSeed(3);
        RdmaFabricHelper helper;
        const RdmaTopology topology = MakeRdmaLeafSpine(2, 4, 2);
        const auto fabric = helper.Install(topology);
        fabric->AssignStreams(1);
        const auto workload = MakeRdmaWorkload(
            RdmaPart::Parse("poisson[WarmUp=20us|Measure=100us|Cdf=storage|Load=0.8]",
                            RdmaWorkload::GetTypeId()));
        auto runner = CreateObject<RdmaFlowRunner>();
        runner->SetWindow(*workload->GetWindow());
        runner->Install(fabric, workload->MakeFlows(topology));
        Create<RdmaArrivals>(workload, runner, topology, block)->Start();
        Simulator::Run();
        const auto results = runner->GetResults();
        Simulator::Destroy();
        return std::to_string(results.size()) + " " + GetRdmaDigest(results);
    }

    void DoRun() override
    {
        const std::string digest = RunBlocks(RdmaArrivals::BLOCK);
        for (const RdmaPs block : {1_us, 17_us, 1_ms})
        {
            NS_TEST_EXPECT_MSG_EQ(RunBlocks(block), digest, "block of " << block << " ps");
        }
    }
};

/** The suite. */
class RdmaMeasureTestSuite : public TestSuite
{
  public:
    RdmaMeasureTestSuite()
        : TestSuite("rdma-measure")
    {
        AddTestCase(new MeasuredRunTestCase);
        AddTestCase(new CutRunTestCase);
        AddTestCase(new BlockTestCase);
    }
};

RdmaMeasureTestSuite g_rdmaMeasureTestSuite;

} // namespace
