/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"

#include <ns3/config.h>
#include <ns3/simulator.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

/**
 * \file
 * \ingroup rdma-tests
 * The uplinks of a fat-tree that a run uses, by path selector and ECMP seed.
 */

using namespace ns3;

namespace
{

/** Runs of rdma-fabric with every path selector. */
class PolarisedRunTestCase : public TestCase
{
  public:
    PolarisedRunTestCase()
        : TestCase("one ECMP seed leaves half of the uplinks idle, all path selectors use all")
    {
    }

  private:
    /** \param options options of a run \return number of aggregation uplinks that carried data */
    uint32_t CountUplinks(const RdmaFabricOptions& options)
    {
        RdmaFabricRun run(options);
        run.Run();
        const RdmaFabricOutcome outcome = run.GetOutcome();
        NS_TEST_EXPECT_MSG_EQ(outcome.summary.flowsCompleted,
                              outcome.summary.flowsTotal,
                              "flows with " << options.paths);
        uint32_t used = 0;
        for (const RdmaPortResult& row : outcome.ports)
        {
            // Nodes 0 to 15 are hosts, 16 to 23 edge switches, 24 to 31 aggregation switches, whose
            // ports 2 and 3 lead to the cores. Control frames of ConWeave have another class.
            const RdmaFabricPort& port = *row.port;
            used += port.node >= 24 && port.node < 32 && port.number >= 2 && row.priority == 3 &&
                    row.txBytes > 0;
        }
        Simulator::Destroy();
        return used;
    }

    void DoRun() override
    {
        RdmaFabricOptions options;
        options.topology = "fat-tree:4";
        options.duration = "300us";
        options.cdf = "irn-heavy-tail";
        options.transport = "irn";
        Config::SetDefault("ns3::QbbSwitch::EcmpSeed", UintegerValue(7));
        NS_TEST_EXPECT_MSG_EQ(CountUplinks(options), 8U, "half of the uplinks are never used");
        Config::SetDefault("ns3::QbbSwitch::EcmpSeed", UintegerValue(0));
        NS_TEST_EXPECT_MSG_EQ(CountUplinks(options), 16U, "all are used");
        for (const char* paths :
             {"wcmp", "spray", "spray-in-turn", "drill", "flowlet", "adaptive", "conweave"})
        {
            options.paths = paths;
            NS_TEST_EXPECT_MSG_EQ(CountUplinks(options), 16U, "all are used with " << paths);
        }
    }
};

/** The suite. */
class RdmaPathUseTestSuite : public TestSuite
{
  public:
    RdmaPathUseTestSuite()
        : TestSuite("rdma-path-use")
    {
        AddTestCase(new PolarisedRunTestCase);
    }
};

RdmaPathUseTestSuite g_rdmaPathUseTestSuite; //!< registers the suite

} // namespace
