/* SPDX-License-Identifier: GPL-2.0-only */

// Settings that the options cc and ecn of rdma-fabric make in addition to the algorithm.

#include "qbb-ecn-marker.h"
#include "qbb-switch.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"
#include "rdma-fabric-setup.h"
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

    /** \param cc option cc \return time between the CNPs of a host's NIC */
    static QbbPs GetCnpInterval(const std::string& cc)
    {
        return Build(cc)->GetNic(0)->GetCnpIntervalPs();
    }
};

} // namespace

TEST_F(RdmaFabricControlTest, CnpsAreThoseOfTheAlgorithm)
{
    EXPECT_EQ(GetCnpInterval("none"), 50_us);
    EXPECT_EQ(GetCnpInterval("dcqcn"), 50_us);
    EXPECT_EQ(GetCnpInterval("dcqcn-nic"), 4_us);
    EXPECT_EQ(GetCnpInterval("rcm"), 1_ps) << "a CNP for each mark";
}

TEST_F(RdmaFabricControlTest, AnIntervalThatTheUserGaveStays)
{
    QbbSetTimeResolution();
    Config::SetDefault("ns3::RdmaNic::CnpInterval", StringValue("7us"));
    EXPECT_EQ(GetCnpInterval("rcm"), 7_us);
    EXPECT_EQ(GetCnpInterval("dcqcn-nic"), 7_us);
    Config::SetDefault("ns3::RdmaNic::CnpInterval", StringValue("50us"));
    EXPECT_EQ(GetCnpInterval("rcm"), 50_us) << "the default, but given";
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
        const auto curve = marker.Get<QbbEcnMarker>()->GetThresholds(3, 100_gbps);
        EXPECT_EQ(curve.kminBytes, curve.kmaxBytes);
        EXPECT_EQ(curve.kminBytes, GetRdmaDctcpStep(MakeRdmaStar(3), 1024, 100_gbps));
    }
    // DCQCN keeps its curve: 5 KB and 200 KB at 40 Gb/s.
    PointerValue marker;
    Build("dcqcn")->GetSwitch(3)->GetAttribute("EcnMarker", marker);
    const auto curve = marker.Get<QbbEcnMarker>()->GetThresholds(3, 100_gbps);
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
    EXPECT_GT(near.baseRtt, 4_us);
    EXPECT_LT(near.baseRtt, 5_us);
    EXPECT_GT(near.networkRtt, 8_us);
    EXPECT_EQ(near.networkRtt, far.networkRtt);
    EXPECT_GE(far.networkRtt, far.baseRtt);
}
