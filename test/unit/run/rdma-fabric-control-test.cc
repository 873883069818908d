/* SPDX-License-Identifier: GPL-2.0-only */

// Settings that the options cc and ecn of rdma-fabric make in addition to the algorithm.

#include "qbb-ecn-marker.h"
#include "qbb-switch.h"
#include "rdma-bdp.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"
#include "rdma-hpcc.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-topology-builders.h"

#include <ns3/config.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <string>
#include <tuple>

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
    static RdmaPs GetCnpInterval(const std::string& cc)
    {
        return Build(cc)->GetNic(0)->GetCnpIntervalPs();
    }
};

using RdmaFabricControlDeathTest = RdmaFabricControlTest;

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
    RdmaSetTimeResolution();
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
        RdmaSetTimeResolution();
        Config::SetDefault("ns3::RdmaNic::CnpInterval", StringValue(interval));
        testing::internal::CaptureStderr();
        Build(cc);
        const bool warned =
            testing::internal::GetCapturedStderr().find("needs CNPs") != std::string::npos;
        EXPECT_EQ(warned, warns) << cc << " " << interval;
        Simulator::Destroy();
        testing::internal::CaptureStderr();
        Build(cc);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "once in a process";
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

TEST_F(RdmaFabricControlTest, AHelperMakesTheSettingsToo)
{
    for (const auto& [cc, marks, interval] : {std::tuple{"none", false, 50_us},
                                              {"swift", false, 50_us},
                                              {"dcqcn", true, 50_us},
                                              {"ns3::RdmaDcqcn[Preset=Nic]", true, 4_us},
                                              {"ns3::RdmaRcm", true, 1_ps},
                                              {"dctcp", true, 50_us}})
    {
        RdmaFabricHelper helper;
        helper.SetCongestionControl(cc);
        const auto fabric = helper.Install(MakeRdmaStar(3));
        EXPECT_EQ(fabric->GetNic(0)->GetCnpIntervalPs(), interval) << cc;
        PointerValue value;
        fabric->GetSwitch(3)->GetAttribute("EcnMarker", value);
        const auto marker = value.Get<QbbEcnMarker>();
        ASSERT_EQ(marker != nullptr, marks) << cc;
        if (marker)
        {
            const bool isStep = std::string(cc) == "dctcp";
            const auto curve = marker->GetThresholds(3, 100_gbps);
            EXPECT_EQ(curve.kminBytes == curve.kmaxBytes, isStep) << cc;
        }
    }
}

TEST_F(RdmaFabricControlTest, SettingsOfAScriptStay)
{
    RdmaFabricHelper helper;
    helper.SetCongestionControl("dctcp");
    helper.SetEcnAttribute("Kmin", UintegerValue(7000));
    helper.SetNicAttribute("CnpInterval", TimeValue(MicroSeconds(7)));
    const auto fabric = helper.Install(MakeRdmaStar(3));
    PointerValue value;
    fabric->GetSwitch(3)->GetAttribute("EcnMarker", value);
    const auto curve = value.Get<QbbEcnMarker>()->GetThresholds(3, 40_gbps);
    EXPECT_EQ(curve.kminBytes, 7000U);
    EXPECT_EQ(curve.kmaxBytes, 200'000U) << "the marker's default";
    helper.SetCongestionControl("rcm");
    EXPECT_EQ(helper.Install(MakeRdmaStar(3))->GetNic(0)->GetCnpIntervalPs(), 7_us);
}

TEST_F(RdmaFabricControlTest, ADetectorMarksInPlaceOfTheCurve)
{
    for (const bool isOff : {false, true})
    {
        RdmaFabricHelper helper;
        helper.SetCongestionControl("rcm");
        helper.SetCongestionDetector("root");
        if (isOff)
        {
            helper.EnableEcn(false);
        }
        PointerValue value;
        helper.Install(MakeRdmaStar(3))->GetSwitch(3)->GetAttribute("EcnMarker", value);
        EXPECT_FALSE(value.Get<QbbEcnMarker>());
    }
}

TEST_F(RdmaFabricControlDeathTest, ContradictionsOfAScriptAreRefused)
{
    RdmaFabricHelper helper;
    helper.SetCongestionControl("dcqcn");
    helper.EnableEcn(false);
    ExpectRefusal([&] { helper.Install(MakeRdmaStar(3)); },
                  "ns3::RdmaDcqcn needs ECN marks, and EnableEcn.false. turns them off; accepted");
    helper.EnableEcn(true);
    helper.SetTransportAttribute("AckInterval", UintegerValue(16));
    helper.Install(MakeRdmaStar(3)); // DCQCN needs no acknowledgements
    for (const std::string cc : {"swift", "hpcc", "powertcp", "aimd", "dctcp-window"})
    {
        helper.SetCongestionControl(cc);
        ExpectRefusal([&] { helper.Install(MakeRdmaStar(3)); },
                      "looks at each acknowledgement, and ns3::RoceTransport::AckInterval is 16; "
                      "accepted: 1");
    }
}

/** \return telemetry format of a star of three hosts under HPCC */
RdmaIntFormat
FindFormat(RdmaBitRate rate, RdmaPs delay, const std::string& cc)
{
    RdmaTopologyRates rates;
    rates.hostRate = rate;
    rates.delay = delay;
    RdmaFabricHelper helper;
    helper.SetCongestionControl(cc);
    helper.SetDeviceAttribute("FlowControl", StringValue("None")); // no headroom for long cables
    const auto fabric = helper.Install(MakeRdmaStar(3, rates));
    const auto qp = fabric->Connect(0, 1, 3).first;
    RdmaPathProfile profile;
    profile.packetBytes = 1100;
    profile.ackBytes = 84;
    fabric->DescribePath(*qp, profile);
    const RdmaIntFormat format = fabric->GetIntFormat(*fabric->GetNic(0)->GetCongestionControl());
    EXPECT_TRUE(profile.intFormat == format || cc.find("Exact") != std::string::npos);
    Simulator::Destroy();
    return format;
}

TEST_F(RdmaFabricControlTest, TelemetryCarriesAnyRate)
{
    for (const std::string cc : {"hpcc", "powertcp"})
    {
        for (const RdmaBitRate rate : {25_gbps, 100_gbps, 3200_gbps})
        {
            EXPECT_EQ(FindFormat(rate, 1_us, cc), RdmaIntFormat::PAPER) << rate;
            EXPECT_EQ(FindFormat(rate, 1_us, cc + "[IntFormat=Exact]"), RdmaIntFormat::EXACT);
        }
        for (const RdmaBitRate rate : {10_mbps,
                                       75_gbps,
                                       146_gbps,
                                       202_gbps,
                                       1481_gbps,
                                       2400_gbps,
                                       2880_gbps,
                                       7200_gbps,
                                       8000_gbps})
        {
            EXPECT_EQ(FindFormat(rate, 1_us, cc), RdmaIntFormat::EXACT) << rate;
        }
        // Half of the counter of 2^27 bytes passes a port of 100 Gb/s in 5.4 ms.
        EXPECT_EQ(FindFormat(100_gbps, 1'300_us, cc), RdmaIntFormat::PAPER);
        EXPECT_EQ(FindFormat(100_gbps, 1'400_us, cc), RdmaIntFormat::EXACT);
        // Half of the clock of 2^24 ns is 8.4 ms.
        EXPECT_EQ(FindFormat(1_gbps, 2_ms, cc), RdmaIntFormat::PAPER);
        EXPECT_EQ(FindFormat(1_gbps, 2'200_us, cc), RdmaIntFormat::EXACT);
    }
}

TEST_F(RdmaFabricControlTest, RatesThatAFormatCannotCarryAreRefused)
{
    for (const std::string cc : {"hpcc", "powertcp"})
    {
        ExpectRefusal([&] { FindFormat(75_gbps, 1_us, cc + "[IntFormat=Paper]"); },
                      "IntFormat Paper has no code for a port of 75000000000 bit/s; accepted: ");
        ExpectRefusal([&] { FindFormat(999_bps, 1_us, cc); }, "accepted: links of 1kbps and more");
        RdmaFabricOptions options;
        options.topology = "star:3";
        options.workload = "incast:2";
        options.rate = "75Gbps";
        options.cc = cc + "[IntFormat=Paper]";
        ExpectRefusal([&] { RdmaFabricRun{options}; },
                      "^--cc: ns3::Rdma.*IntFormat Paper has no code");
        options.rate = "100Gbps";
        options.cc = "swift[BaseTarget=1us]";
        ExpectRefusal([&] { RdmaFabricRun{options}; }, "^--cc: RdmaSwift: BaseTarget and HopDelay");
    }
}

// A script that makes NICs without RdmaFabricHelper: nobody describes the network to them.
TEST_F(RdmaFabricControlTest, WithoutAPathOracleThePortsDecideOnTheFormat)
{
    for (const std::string format : {"Auto", "Paper", "Exact"})
    {
        RdmaTopologyRates rates;
        rates.hostRate = 100_gbps;
        rates.uplinkRate = 75_gbps;
        RdmaFabricHelper helper;
        helper.SetCongestionControl("hpcc[BaseRtt=20us|IntFormat=Exact]");
        const auto fabric = helper.Install(MakeRdmaLeafSpine(2, 2, 1, rates));
        const auto hosts = fabric->GetTopology().GetHosts();
        const auto control = CreateObject<RdmaHpcc>();
        control->SetAttribute("BaseRtt", TimeValue(MicroSeconds(20)));
        control->SetAttribute("IntFormat", StringValue(format));
        for (const uint32_t host : hosts)
        {
            fabric->GetNic(host)->SetPathOracle(nullptr);
            fabric->GetNic(host)->SetCongestionControl(control);
        }
        if (format == "Paper")
        {
            ExpectRefusal([&] { fabric->Connect(hosts[0], hosts[3], 3); },
                          "ns3::RdmaHpcc: IntFormat Paper has no code for a port of 75000000000");
        }
        else
        {
            const auto [sender, receiver] = fabric->Connect(hosts[0], hosts[3], 3);
            RdmaSendRequest request;
            request.length = 100'000;
            sender->PostSend(request);
            Simulator::Run();
            EXPECT_GE(receiver->GetStats().packetsAccepted, 98U) << format;
        }
        Simulator::Destroy();
    }
}

TEST_F(RdmaFabricControlTest, TheLargestPacketsFitWithTelemetryAndTag)
{
    for (const std::string transport : {"roce", "irn"})
    {
        for (const std::string cc : {"hpcc", "hpcc-pint", "powertcp"})
        {
            RdmaFabricOptions options;
            options.topology = "star:3";
            options.workload = "incast:2";
            options.mtu = 4096;
            options.trust = "vlan";
            options.transport = transport;
            options.cc = cc;
            RdmaFabricRun run(options);
            EXPECT_NO_THROW(run.Run()) << transport << " " << cc;
            Simulator::Destroy();
        }
    }
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
