/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-flow-runner.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fabric.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * What a runner finds out on many flows before the run.
 */

namespace ns3
{
namespace
{

/** Two leaves with hosts 0, 1 and 2, 3; the parameter is the number of threads. */
class RdmaFlowRunnerTest : public testing::TestWithParam<uint32_t>
{
  protected:
    static constexpr uint32_t FLOWS = 20'000; // more than the runner examines at a time

    RdmaFlowRunnerTest()
        : m_fabric(RdmaFabricHelper().Install(MakeRdmaLeafSpine(2, 2, 2)))
    {
        Simulator::GetImplementation()->SetAttribute("Threads", UintegerValue(GetParam()));
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            m_flows.push_back(MakeTestFlow(i, i % 4, (i + 1 + i / 4 % 3) % 4, 1000));
        }
    }

    ~RdmaFlowRunnerTest() override
    {
        Simulator::Destroy();
    }

    Ptr<RdmaFabric> m_fabric;
    std::vector<RdmaFlow> m_flows;
};

TEST_P(RdmaFlowRunnerTest, EachFlowHasTheIdealTimeOfItsOwnPath)
{
    ASSERT_EQ(RdmaSimulatorImpl::GetThreads(), GetParam());
    const auto runner = CreateObject<RdmaFlowRunner>();
    runner->Install(m_fabric, {m_flows.begin(), m_flows.begin() + FLOWS / 2});
    runner->AddFlows({m_flows.begin() + FLOWS / 2, m_flows.end()});
    // Hosts 0 and 1 share a leaf, and so do hosts 2 and 3: two links, or four.
    RdmaPs ideal[2]{};
    const auto results = runner->GetResults();
    ASSERT_EQ(results.size(), FLOWS);
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        const RdmaFlow& flow = m_flows[i];
        const bool isLong = flow.srcHost / 2 != flow.dstHost / 2;
        const auto path = runner->GetFlowPath(i);
        ASSERT_EQ(path.size(), isLong ? 4U : 2U) << "flow " << i;
        ASSERT_EQ(path.front()->GetNode(), m_fabric->GetNode(flow.srcHost)) << "flow " << i;
        ideal[isLong] = ideal[isLong] == 0_ps ? results[i].ideal : ideal[isLong];
        ASSERT_EQ(results[i].ideal, ideal[isLong]) << "flow " << i;
    }
    EXPECT_GT(ideal[0], 0_ps);
    EXPECT_GT(ideal[1], ideal[0] + 2_us) << "two more links of 1 us";
}

TEST_P(RdmaFlowRunnerTest, TheFirstFlowWithoutAPathIsNamed)
{
    // Link 3 is that of host 3, and the flows before 17,000 leave host 3 out.
    m_fabric->SetLinkUp(3, false);
    const auto usesHost3 = [](const RdmaFlow& flow) {
        return std::max(flow.srcHost, flow.dstHost) == 3;
    };
    m_flows.erase(std::remove_if(m_flows.begin(), m_flows.begin() + 17'000, usesHost3),
                  m_flows.begin() + 17'000);
    const auto first = std::find_if(m_flows.begin(), m_flows.end(), usesHost3);
    const auto runner = CreateObject<RdmaFlowRunner>();
    ExpectError<std::invalid_argument>([&] { runner->Install(m_fabric, m_flows); },
                                       {"flow " + std::to_string(first->id) + ": no path"});
}

INSTANTIATE_TEST_SUITE_P(Threads, RdmaFlowRunnerTest, testing::Values(1, 3));

} // namespace
} // namespace ns3
