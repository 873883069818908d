/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-fabric-run.h"
#include "rdma-flow-report.h"

#include <ns3/simulator.h>

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/** Runs of rdma-fabric with a job on some of the hosts. */
class RdmaFabricPlacementTest : public testing::Test
{
  protected:
    RdmaFabricPlacementTest()
    {
        options.workload = "permutation";
        options.bytes = "10KB";
    }

    ~RdmaFabricPlacementTest() override
    {
        Simulator::Destroy();
    }

    RdmaFabricOutcome Run() const
    {
        RdmaFabricRun run(options);
        run.Run();
        return run.GetOutcome();
    }

    RdmaFabricOptions options; //!< options of the runs
};

} // namespace

TEST_F(RdmaFabricPlacementTest, FlowsAreOnTheHostsOfTheJob)
{
    options.topology = "star:8";
    options.placement = "blocks:3[First=4]";
    const RdmaFabricOutcome outcome = Run();
    std::set<uint32_t> senders;
    std::set<uint32_t> receivers;
    for (const RdmaFlowResult& result : outcome.flows)
    {
        EXPECT_TRUE(result.IsCompleted());
        senders.insert(result.flow.srcHost);
        receivers.insert(result.flow.dstHost);
    }
    EXPECT_EQ(senders, (std::set<uint32_t>{4, 5, 6}));
    EXPECT_EQ(receivers, senders);
}

TEST_F(RdmaFabricPlacementTest, FlowsOfTheCallerHaveNoPlacement)
{
    options.topology = "star:4";
    options.placement = "blocks";
    RdmaFlow flow;
    flow.dstHost = 1;
    flow.bytes = 1000;
    ExpectError<std::invalid_argument>(
        [&] { RdmaFabricRun(options, std::vector<RdmaFlow>{flow}); },
        {"--placement means nothing where the caller gives the flows"});
}

TEST_F(RdmaFabricPlacementTest, PortsNameTheirHostWhereHostsHaveSeveralNics)
{
    options.topology = "star:3";
    const RdmaFabricOutcome one = Run();
    Simulator::Destroy();
    EXPECT_EQ(FormatRdmaPortsCsv(one.ports, one.tables).find(",host,nic\n"), std::string::npos);
    options.topology = "rail:1x3x2x1";
    const RdmaFabricOutcome several = Run();
    const std::string text = FormatRdmaPortsCsv(several.ports, several.tables);
    EXPECT_NE(text.find(",peer_port,host,nic\n"), std::string::npos);
    // Port 0 of NIC 1 of host 2, which is node 3 + 2, to the second leaf, node 7; and back.
    EXPECT_NE(text.find("5,host-2-nic-1,0,host-2-nic-1 to leaf-0-1,0,"), std::string::npos);
    EXPECT_NE(text.find(",host,7,2,2,1\n"), std::string::npos);
    EXPECT_NE(text.find(",switch,5,0,,\n"), std::string::npos);
}
