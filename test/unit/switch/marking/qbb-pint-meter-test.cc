/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pint-meter.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"
#include "rdma-fabric.h"
#include "rdma-topology-builders.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * HPCC over PINT: the byte that a switch writes, the packets that ask for it, and its way back.
 */

namespace ns3
{
namespace
{

/** A switch with three hosts at 100 Gb/s, and a meter with T = 10 us. */
class QbbPintMeterTest : public testing::Test
{
  protected:
    QbbPintMeterTest()
    {
        RdmaTopologyRates rates;
        rates.hostRate = 100_gbps;
        rates.delay = 1_us;
        m_fabric = RdmaFabricHelper().Install(MakeRdmaStar(3, rates));
        m_port = m_fabric->GetDevice(1, 3);
        m_meter->SetBaseRtt(10_us);
        m_meter->AssignStreams(1);
    }

    ~QbbPintMeterTest() override
    {
        m_port = nullptr;
        m_fabric = nullptr;
        Simulator::Destroy();
    }

    /**
     * Lets a frame of 1106 bytes on the line depart.
     *
     * \param at instant
     * \param pint PINT byte of the frame
     * \param opcode opcode of the frame
     * \param priority class of the frame
     * \return PINT byte after the departure
     */
    uint8_t Depart(RdmaPs at,
                   uint8_t pint,
                   RdmaOpcode opcode = RdmaOpcode::RDMA_WRITE_MIDDLE,
                   uint8_t priority = 3)
    {
        QbbFramePtr frame = m_pool.Allocate();
        frame->type = QbbFrameType::ROCE;
        frame->opcode = static_cast<uint8_t>(opcode);
        frame->priority = priority;
        frame->pint = pint;
        frame->size = 1086;
        m_meter->FrameDeparts(*m_port, *frame, at);
        return frame->pint;
    }

    /** \return U of the port and class 3 */
    double GetUtilisation() const
    {
        return m_meter->GetUtilisation(m_port->GetPortNumber(), 3);
    }

    QbbFramePool m_pool;                                     //!< frames
    Ptr<RdmaFabric> m_fabric;                                //!< the switch and its hosts
    Ptr<QbbNetDevice> m_port;                                //!< the port towards host 1
    Ptr<QbbPintMeter> m_meter{CreateObject<QbbPintMeter>()}; //!< the meter under test
};

/**
 * \param code a byte
 * \param utilisation the utilisation that was encoded
 * \return true if the code is next to the utilisation
 */
bool
IsRounded(uint8_t code, double utilisation)
{
    const double base = 1.025 * 1.025;
    const double decoded = RdmaPintCode::Decode(code);
    return decoded > utilisation / base / 1.000001 && decoded < utilisation * base * 1.000001;
}

} // namespace

TEST_F(QbbPintMeterTest, UtilisationByHand)
{
    // Frames of 1106 bytes back to back, 88.48 ns each: u = 1, w = 0.008848.
    const double w = 0.008848;
    EXPECT_EQ(Depart(1_us, 1), RdmaPintCode::LOWEST) << "nothing is known yet";
    EXPECT_EQ(GetUtilisation(), 0);
    const uint8_t second = Depart(1'088'480_ps, 1);
    EXPECT_NEAR(GetUtilisation(), w, 1e-12);
    EXPECT_TRUE(IsRounded(second, w)) << +second;
    // Another class's frame counts too, and has no byte to write.
    EXPECT_EQ(Depart(1'176'960_ps, 0, RdmaOpcode::SEND_MIDDLE, 0), 0);
    const double two = (1 - w) * w + w;
    EXPECT_NEAR(GetUtilisation(), two, 1e-12);
    // Half of the link: u = 0.5, w = 0.017696.
    const uint8_t fourth = Depart(1'353'920_ps, 1);
    const double three = (1 - 2 * w) * two + 2 * w * 0.5;
    EXPECT_NEAR(GetUtilisation(), three, 1e-12);
    EXPECT_TRUE(IsRounded(fourth, three)) << +fourth;
    // After more than T, earlier traffic does not count: 88.48 ns of 20 us.
    Depart(21'353'920_ps, 1);
    EXPECT_NEAR(GetUtilisation(), 88'480 / 20e6, 1e-12);
}

TEST_F(QbbPintMeterTest, ABusierSwitchBeforeStays)
{
    Depart(0_ps, 1);
    EXPECT_EQ(Depart(88'480_ps, 200), 200);
    EXPECT_EQ(Depart(2 * 88'480_ps, 255), 255);
}

TEST_F(QbbPintMeterTest, AcknowledgementsKeepWhatTheyCarryBack)
{
    for (const RdmaOpcode opcode : {RdmaOpcode::ACKNOWLEDGE, RdmaOpcode::IRN_ACKNOWLEDGE})
    {
        EXPECT_EQ(Depart(0_ps, 1, opcode), 1);
        EXPECT_EQ(Depart(88'480_ps, 1, opcode), 1);
    }
    EXPECT_EQ(GetUtilisation(), 0) << "they do not ask";
    // The frames count once a packet asks for the byte.
    Depart(1_us, 1);
    Depart(1'088'480_ps, 1, RdmaOpcode::ACKNOWLEDGE);
    EXPECT_NEAR(GetUtilisation(), 0.008848, 1e-12);
}

TEST_F(QbbPintMeterTest, NothingIsMeasuredUnlessAsked)
{
    EXPECT_EQ(Depart(0_ps, 0), 0);
    EXPECT_EQ(Depart(88'480_ps, 0), 0);
    EXPECT_EQ(GetUtilisation(), 0);
    EXPECT_EQ(m_meter->GetUtilisation(77, 3), 0);
}

TEST(QbbPint, OneOfSoManyPacketsAsks)
{
    // 40 packets of a WRITE, each acknowledged; a packet that asks is a byte longer, and so is its
    // acknowledgement. Captures are without FCS: 1082 bytes, the first one 1098; 62.
    for (const uint32_t period : {1U, 4U, 16U})
    {
        RdmaFabricHelper helper;
        helper.SetCongestionControl("ns3::RdmaHpccPint");
        helper.SetCongestionControlAttribute("SamplePeriod", UintegerValue(period));
        auto fabric = helper.Install(MakeRdmaStar(2));
        const auto pair = fabric->Connect(0, 1);
        std::map<uint32_t, uint32_t> sizes;
        const auto count = [&sizes](Ptr<const Packet> packet) { ++sizes[packet->GetSize()]; };
        for (const auto& qp : {pair.first, pair.second})
        {
            qp->GetPort()->TraceConnectWithoutContext("PhyTxBegin",
                                                      Callback<void, Ptr<const Packet>>(count));
        }
        RdmaSendRequest request;
        request.length = 40 * 1024;
        pair.first->PostSend(request);
        Simulator::Run();
        const uint32_t asked = (40 + period - 1) / period;
        EXPECT_EQ(sizes[1099], 1U) << "the first one asks";
        EXPECT_EQ(sizes[1083], asked - 1);
        EXPECT_EQ(sizes[1082], 40 - asked);
        EXPECT_EQ(sizes[63], asked);
        EXPECT_EQ(sizes[62], 40 - asked);
        Simulator::Destroy();
    }
}

TEST(QbbPint, BaseRttFromTheTopology)
{
    // 1087 + 20 and 67 + 20 bytes, 80 ps each, on two links of 1 us there and back.
    RdmaTopologyRates rates;
    rates.hostRate = 100_gbps;
    rates.delay = 1_us;
    RdmaFabricHelper helper;
    helper.SetCongestionControl("ns3::RdmaHpccPint");
    TimeValue value;
    helper.Install(MakeRdmaStar(3, rates))->GetSwitch(3)->GetAttribute("PintBaseRtt", value);
    EXPECT_EQ(RdmaToPs(value.Get()), 2 * (2_us + (1107 + 87) * 80_ps));
    Simulator::Destroy();
    helper.SetSwitchAttribute("PintBaseRtt", TimeValue(MicroSeconds(13)));
    helper.Install(MakeRdmaStar(3, rates))->GetSwitch(3)->GetAttribute("PintBaseRtt", value);
    EXPECT_EQ(value.Get(), MicroSeconds(13));
    Simulator::Destroy();
    RdmaFabricHelper without;
    without.SetCongestionControl("ns3::RdmaHpcc");
    without.Install(MakeRdmaStar(3, rates))->GetSwitch(3)->GetAttribute("PintBaseRtt", value);
    EXPECT_TRUE(value.Get().IsZero());
    Simulator::Destroy();
}

TEST(QbbPint, FramesAsBytesGiveTheSameRun)
{
    for (const char* transport : {"roce", "irn"})
    {
        RdmaFabricOptions options;
        options.topology = "leaf-spine:2x4x2";
        options.workload = "incast:7";
        options.bytes = "300KB";
        options.cc = "hpcc-pint";
        options.transport = transport;
        std::vector<std::string> digests;
        for (const bool serialize : {false, true})
        {
            Config::SetDefault("ns3::QbbChannel::SerializeFrames", BooleanValue(serialize));
            RdmaFabricRun run(options);
            run.Run();
            const auto outcome = run.GetOutcome();
            EXPECT_EQ(outcome.summary.flowsCompleted, 7U);
            EXPECT_EQ(outcome.summary.pauseFrames, 0U);
            digests.push_back(outcome.summary.digest);
            Simulator::Destroy();
        }
        Config::SetDefault("ns3::QbbChannel::SerializeFrames", BooleanValue(false));
        EXPECT_EQ(digests[0], digests[1]) << transport;
    }
}

} // namespace ns3
