/* SPDX-License-Identifier: GPL-2.0-only */

// What the options cc and ecn of rdma-fabric set up beside the algorithm itself.

#include "qbb-ecn-marker.h"
#include "qbb-switch.h"
#include "rdma-fabric-control.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"
#include "rdma-nic.h"
#include "rdma-topology-builders.h"

#include <ns3/config.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

/** Three hosts, 0 to 2, at a switch, 3, under a congestion control. */
class RdmaFabricControlTest : public testing::Test
{
  protected:
    ~RdmaFabricControlTest() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    /** \param cc option cc \return the fabric of such a run */
    static Ptr<RdmaFabric> Build(const std::string& cc)
    {
        RdmaFabricOptions options;
        options.topology = "star:3";
        options.workload = "incast:2";
        options.cc = cc;
        return RdmaFabricRun(options).GetFabric();
    }

    /** \param cc option cc \return picoseconds between the CNPs of a host's NIC */
    static int64_t GetCnpIntervalPs(const std::string& cc)
    {
        return Build(cc)->GetNic(0)->GetCnpIntervalPs();
    }
};

} // namespace

TEST_F(RdmaFabricControlTest, CnpsAreThoseOfTheAlgorithm)
{
    EXPECT_EQ(GetCnpIntervalPs("none"), 50'000'000);
    EXPECT_EQ(GetCnpIntervalPs("dcqcn"), 50'000'000);
    EXPECT_EQ(GetCnpIntervalPs("dcqcn-nic"), 4'000'000);
    EXPECT_EQ(GetCnpIntervalPs("rcm"), 1) << "a CNP for each mark";
}

TEST_F(RdmaFabricControlTest, AnIntervalThatTheUserGaveStays)
{
    QbbSetTimeResolution();
    Config::SetDefault("ns3::RdmaNic::CnpInterval", StringValue("7us"));
    EXPECT_EQ(GetCnpIntervalPs("rcm"), 7'000'000);
    EXPECT_EQ(GetCnpIntervalPs("dcqcn-nic"), 7'000'000);
    Config::SetDefault("ns3::RdmaNic::CnpInterval", StringValue("50us"));
    EXPECT_EQ(GetCnpIntervalPs("rcm"), 50'000'000) << "the default, but given";
}

TEST_F(RdmaFabricControlTest, WarnsOfCongestionControlWithoutTheCnpsThatItNeeds)
{
    for (const auto& [cc, interval, warns] : {std::tuple{"rcm", "0s", true},
                                              {"dcqcn", "0s", true},
                                              {"dcqcn", "1ps", false},
                                              {"swift", "0s", false}})
    {
        QbbSetTimeResolution();
        Config::SetDefault("ns3::RdmaNic::CnpInterval", StringValue(interval));
        testing::internal::CaptureStderr();
        Build(cc);
        const bool warned =
            testing::internal::GetCapturedStderr().find("needs CNPs") != std::string::npos;
        EXPECT_EQ(warned, warns) << cc << " " << interval;
        Simulator::Destroy();
    }
}

TEST_F(RdmaFabricControlTest, DctcpMarksByAStep)
{
    for (const std::string cc : {"dctcp", "dctcp-window"})
    {
        PointerValue marker;
        Build(cc)->GetSwitch(3)->GetAttribute("EcnMarker", marker);
        const auto curve = marker.Get<QbbEcnMarker>()->GetThresholds(3, 100'000'000'000);
        EXPECT_EQ(curve.kminBytes, curve.kmaxBytes);
        EXPECT_EQ(curve.kminBytes, GetRdmaDctcpStep(MakeRdmaStar(3), 1024, 100'000'000'000));
    }
    // DCQCN keeps its curve: 5 KB and 200 KB at 40 Gb/s.
    PointerValue marker;
    Build("dcqcn")->GetSwitch(3)->GetAttribute("EcnMarker", marker);
    const auto curve = marker.Get<QbbEcnMarker>()->GetThresholds(3, 100'000'000'000);
    EXPECT_EQ(curve.kminBytes, 12'500U);
    EXPECT_EQ(curve.kmaxBytes, 500'000U);
}

TEST_F(RdmaFabricControlTest, TIsTheLongestRoundTripOfTheNetwork)
{
    // Two hosts at one leaf, and one at another: paths of two and of four links of 1 us.
    RdmaFabricHelper helper;
    helper.SetCongestionControl("ns3::RdmaHpcc");
    const auto fabric = helper.Install(MakeRdmaLeafSpine(2, 2, 1));
    const auto hosts = fabric->GetTopology().GetHosts();
    RdmaPathProfile near;
    RdmaPathProfile far;
    near.packetBytes = far.packetBytes = 1000;
    fabric->DescribePath(*fabric->Connect(hosts[0], hosts[1]).first, near);
    fabric->DescribePath(*fabric->Connect(hosts[0], hosts[2]).first, far);
    EXPECT_EQ(near.hops, 2U);
    EXPECT_EQ(far.hops, 4U);
    EXPECT_GT(near.baseRttPs, 4'000'000);
    EXPECT_LT(near.baseRttPs, 5'000'000);
    EXPECT_GT(near.networkRttPs, 8'000'000);
    EXPECT_EQ(near.networkRttPs, far.networkRttPs);
    EXPECT_GE(far.networkRttPs, far.baseRttPs);
}
