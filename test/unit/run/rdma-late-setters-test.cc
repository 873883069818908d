/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "rdma-fabric-helper.h"
#include "rdma-topology-builders.h"

#include <ns3/node-container.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Setters of helpers after Install().
 */

namespace ns3
{
namespace
{

/** \return what a run of the simulation says on standard error */
std::string
RunAndListen()
{
    testing::internal::CaptureStderr();
    Simulator::Run();
    std::string said = testing::internal::GetCapturedStderr();
    Simulator::Destroy();
    return said;
}

TEST(RdmaLateSetters, AreToldOnceAtTheStart)
{
    RdmaFabricHelper helper;
    helper.SetDeviceAttribute("Mtu", UintegerValue(4000));
    helper.Install(MakeRdmaStar(2));
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(1));
    helper.SetCongestionControl("dcqcn");
    EXPECT_EQ(RunAndListen(),
              "rdma: warning: RdmaFabricHelper::SetDeviceAttribute(PfcClasses) was called after "
              "the last Install() and has no effect; accepted: before Install()\n");
}

TEST(RdmaLateSetters, EachSetter)
{
    for (const auto& set :
         {+[](RdmaFabricHelper& h) { h.SetCongestionControl("dcqcn"); },
          +[](RdmaFabricHelper& h) { h.SetTransport("irn"); },
          +[](RdmaFabricHelper& h) { h.SetInternetStack(true); },
          +[](RdmaFabricHelper& h) { h.EnableEcn(true); },
          +[](RdmaFabricHelper& h) { h.SetDelayJitter(NanoSeconds(1)); },
          +[](RdmaFabricHelper& h) { h.SetAddressRange("10.0.0.0", "255.255.0.0"); }})
    {
        RdmaFabricHelper helper;
        helper.Install(MakeRdmaStar(2));
        set(helper);
        EXPECT_NE(RunAndListen().find("was called after the last Install()"), std::string::npos);
    }
}

TEST(RdmaLateSetters, SettingsOfALaterFabric)
{
    RdmaFabricHelper helper;
    helper.Install(MakeRdmaStar(2));
    helper.SetCongestionControl("dcqcn-nic");
    helper.Install(MakeRdmaStar(2));
    EXPECT_EQ(RunAndListen(), "");
    // The next simulation.
    helper.SetCongestionControl("none");
    helper.Install(MakeRdmaStar(2));
    EXPECT_EQ(RunAndListen(), "");
}

TEST(RdmaLateSetters, OfALink)
{
    QbbHelper helper;
    NodeContainer nodes;
    nodes.Create(2);
    helper.Install(nodes);
    helper.SetChannelAttribute("Delay", StringValue("2us"));
    EXPECT_EQ(RunAndListen(),
              "rdma: warning: QbbHelper::SetChannelAttribute(Delay) was called after the last "
              "Install() and has no effect; accepted: before Install()\n");
}

} // namespace
} // namespace ns3
