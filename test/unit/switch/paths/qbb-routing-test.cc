/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator.h>

#include <functional>
#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * QbbRouting: when the switches learn of a link that went down or up.
 */

namespace ns3
{
namespace
{

/** Two leaves with a host each, and two spines. ConvergenceDelay is 10 us. */
class QbbRoutingTest : public testing::Test
{
  protected:
    QbbRoutingTest()
    {
        m_helper.SetRoutingAttribute("ConvergenceDelay", TimeValue(MicroSeconds(10)));
        m_fabric = m_helper.Install(MakeRdmaLeafSpine(2, 1, 2));
    }

    ~QbbRoutingTest() override
    {
        Simulator::Destroy();
    }

    /** \param leaf 0 or 1 \param spine 0 or 1 \return the link between them */
    Ptr<QbbChannel> GetLink(uint32_t leaf, uint32_t spine) const
    {
        const auto switches = m_fabric->GetTopology().GetSwitches();
        const auto sw = m_fabric->GetSwitch(switches[leaf]);
        for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
        {
            if (sw->GetPort(p)->GetPeer()->GetNodeId() ==
                m_fabric->GetNode(switches[2 + spine])->GetId())
            {
                return sw->GetPort(p)->GetQbbChannel();
            }
        }
        return nullptr;
    }

    /** \return spines to which leaf 0 sends frames for host 1: "01", "0", "1", or "" */
    std::string GetSpines() const
    {
        const auto switches = m_fabric->GetTopology().GetSwitches();
        const auto sw = m_fabric->GetSwitch(switches[0]);
        const auto hosts = m_fabric->GetTopology().GetHosts();
        const auto* group = sw->GetForwardingTable().Lookup(m_fabric->GetAddress(hosts[1]).Get());
        std::string spines;
        for (uint32_t spine = 0; group && spine < 2; ++spine)
        {
            for (const uint16_t port : *group)
            {
                if (sw->GetPort(port)->GetQbbChannel() == GetLink(0, spine))
                {
                    spines += std::to_string(spine);
                }
            }
        }
        return spines;
    }

    /** \param ns time of the action \param action the action */
    static void At(int64_t ns, std::function<void()> action)
    {
        Simulator::Schedule(NanoSeconds(ns), std::move(action));
    }

    void SetLink(uint32_t leaf, uint32_t spine, bool up)
    {
        m_fabric->GetRouting()->SetLinkUp(GetLink(leaf, spine), up);
    }

    void Expect(int64_t ns, const std::string& spines)
    {
        At(ns, [this, ns, spines]() { EXPECT_EQ(GetSpines(), spines) << "at " << ns << " ns"; });
    }

    RdmaFabricHelper m_helper;
    Ptr<RdmaFabric> m_fabric;
};

TEST_F(QbbRoutingTest, EachLinkHasItsOwnConvergenceDelay)
{
    // The second link fails just before the switches learn of the first one.
    Expect(0, "01");
    At(1000, [this]() { SetLink(0, 0, false); });
    Expect(1001, "01");
    At(10'999, [this]() { SetLink(1, 1, false); });
    Expect(11'001, "1");
    Expect(20'998, "1");
    Expect(21'000, "");
    Simulator::Run();
}

TEST_F(QbbRoutingTest, ALinkThatFlapsIsFollowedStepByStep)
{
    At(1000, [this]() { SetLink(0, 0, false); });
    At(3000, [this]() { SetLink(0, 0, true); });
    At(5000, [this]() { SetLink(0, 0, false); });
    At(30'000, [this]() { SetLink(0, 0, true); });
    Expect(10'999, "01");
    Expect(11'001, "1");
    Expect(12'999, "1");
    Expect(13'001, "01");
    Expect(14'999, "01");
    Expect(15'001, "1");
    Expect(39'999, "1");
    Expect(40'001, "01");
    Simulator::Run();
    EXPECT_TRUE(GetLink(0, 0)->IsUp());
}

TEST_F(QbbRoutingTest, RoutesComputedMeanwhileKnowNoMore)
{
    At(1000, [this]() { SetLink(0, 0, false); });
    At(2000, [this]() { m_fabric->GetRouting()->ComputeRoutes(); });
    Expect(2001, "01");
    Expect(11'001, "1");
    Simulator::Run();
}

} // namespace
} // namespace ns3
