/* SPDX-License-Identifier: GPL-2.0-only */

// Path selectors that see frames: fabrics and changes that they refuse.

#include "qbb-conga-path-selector.h"
#include "qbb-spray-path-selector.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/pointer.h>
#include <ns3/simulator.h>

#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/** Runs a fabric for a moment. \return the message that ends the run; empty: there is none */
std::string
RunBriefly(const RdmaTopology& topology,
           const std::string& selector = "conga",
           const std::function<void(RdmaFabric&)>& change = {})
{
    std::string message;
    {
        RdmaFabricHelper helper;
        helper.SetPathSelector(selector);
        const auto fabric = helper.Install(topology);
        if (change)
        {
            change(*fabric);
        }
        Simulator::Stop(MicroSeconds(1));
        try
        {
            Simulator::Run();
        }
        catch (const std::invalid_argument& error)
        {
            message = error.what();
        }
    }
    Simulator::Destroy();
    return message;
}

} // namespace

TEST(QbbSelectorRefusals, CongaKnowsTwoTiers)
{
    EXPECT_EQ(RunBriefly(MakeRdmaLeafSpine(3, 2, 2)), "");
    EXPECT_EQ(RunBriefly(MakeRdmaStar(3)), "") << "one leaf alone";
    const std::string message = RunBriefly(MakeRdmaFatTree(4));
    EXPECT_NE(message.find("both have no hosts and are neighbours; accepted: two tiers"),
              std::string::npos)
        << message;
    RdmaTopology chain;
    const uint32_t hosts[] = {chain.AddHost(), chain.AddHost()};
    const uint32_t switches[] = {chain.AddSwitch(), chain.AddSwitch()};
    chain.AddLink(hosts[0], switches[0], 100_gbps, 1_us);
    chain.AddLink(hosts[1], switches[1], 100_gbps, 1_us);
    chain.AddLink(switches[0], switches[1], 100_gbps, 1_us);
    const std::string other = RunBriefly(chain);
    EXPECT_NE(other.find("both have hosts and are neighbours"), std::string::npos) << other;
}

TEST(QbbSelectorRefusals, NeighboursNeedTheSameSelector)
{
    // Leaves are the nodes 2 and 3, the spine is node 4.
    const std::string message =
        RunBriefly(MakeRdmaLeafSpine(2, 1, 1), "conga", [](RdmaFabric& fabric) {
            fabric.GetSwitch(4)->SetAttribute("PathSelector",
                                              PointerValue(CreateObject<QbbSprayPathSelector>()));
        });
    EXPECT_NE(message.find("its neighbour of node 4 has ns3::QbbSprayPathSelector; accepted: the "
                           "same selector at all switches"),
              std::string::npos)
        << message;
    const std::string none = RunBriefly(MakeRdmaLeafSpine(2, 1, 1), "ecmp", [](RdmaFabric& fabric) {
        fabric.GetSwitch(2)->SetAttribute("PathSelector",
                                          PointerValue(CreateObject<QbbCongaPathSelector>()));
    });
    EXPECT_NE(none.find("its neighbour of node 4 has none; accepted"), std::string::npos) << none;
}

TEST(QbbSelectorRefusals, ASelectorThatSeesFramesStays)
{
    std::string message;
    const auto change = [&message](RdmaFabric& fabric) {
        Simulator::Schedule(NanoSeconds(10), [&message, &fabric] {
            try
            {
                fabric.GetSwitch(2)->SetAttribute(
                    "PathSelector",
                    PointerValue(CreateObject<QbbSprayPathSelector>()));
            }
            catch (const std::invalid_argument& error)
            {
                message = error.what();
            }
        });
    };
    EXPECT_EQ(RunBriefly(MakeRdmaLeafSpine(2, 1, 1), "conga", change), "");
    EXPECT_NE(message.find("the path selector of the switch of node 2 is changed while the switch "
                           "runs"),
              std::string::npos)
        << message;
    message.clear();
    EXPECT_EQ(RunBriefly(MakeRdmaLeafSpine(2, 1, 1), "drill", change), "");
    EXPECT_EQ(message, "") << "these selectors see no frames";
}
