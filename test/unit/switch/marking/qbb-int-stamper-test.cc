/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-codec.h"
#include "qbb-int-stamper.h"
#include "qbb-wire.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator.h>

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The records that a switch writes into a packet with room for telemetry, exactly and in the
 * paper's units.
 */

namespace ns3
{
namespace
{

/** A switch with three hosts. */
class QbbIntStamperTest : public testing::Test
{
  protected:
    ~QbbIntStamperTest() override
    {
        m_port = nullptr;
        m_fabric = nullptr;
        Simulator::Destroy();
    }

    /** \param rate of the ports */
    void MakeFabric(RdmaBitRate rate)
    {
        RdmaTopologyRates rates;
        rates.hostRate = rate;
        rates.delay = 1_us;
        m_fabric = RdmaFabricHelper().Install(MakeRdmaStar(3, rates));
        m_port = m_fabric->GetDevice(1, 3);
    }

    /**
     * \param format format of the records
     * \param room number of records that fit
     * \return a packet of 1086 bytes
     */
    QbbFramePtr MakeFrame(RdmaIntFormat format, uint8_t room = 1)
    {
        QbbFramePtr frame = m_pool.Allocate();
        frame->type = QbbFrameType::ROCE;
        frame->opcode = static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_MIDDLE);
        frame->priority = 3;
        frame->intFormat = format;
        frame->intRoom = room;
        frame->size = 1086;
        return frame;
    }

    /**
     * Lets a packet depart that the port's counters include already.
     *
     * \param format of the records
     * \param at instant
     * \return record in the packet
     */
    RdmaIntHop Depart(RdmaIntFormat format, RdmaPs at)
    {
        const QbbFramePtr frame = MakeFrame(format);
        m_stamper->FrameDeparts(*m_port, *frame, at);
        EXPECT_EQ(frame->telemetry.size(), 1U);
        EXPECT_FALSE(frame->intOverflow);
        return frame->telemetry.at(0);
    }

    /** \param bytes that the port has sent before the packet that departs, with one frame */
    void SetSent(uint64_t bytes)
    {
        // A frame costs 20 bytes of preamble and gap.
        auto& counters = m_port->GetCounters().classes[3];
        counters.txFrames = 2;
        counters.txBytes = bytes - 20 + 1086;
    }

    QbbFramePool m_pool;                                         //!< frames
    Ptr<RdmaFabric> m_fabric;                                    //!< the switch and its hosts
    Ptr<QbbNetDevice> m_port;                                    //!< the port towards host 1
    Ptr<QbbIntStamper> m_stamper{CreateObject<QbbIntStamper>()}; //!< the stamper under test
};

} // namespace

TEST_F(QbbIntStamperTest, ExactValues)
{
    MakeFabric(100_gbps);
    SetSent(123'456'789);
    m_port->GetQueues().AddWaiting(3, 7'654'321);
    m_port->GetQueues().AddWaiting(4, 5000); // another class
    EXPECT_EQ(Depart(RdmaIntFormat::EXACT, 987'654'321_ps),
              (RdmaIntHop{100_gbps, 123'456'789, 7'654'321, 987'654'321_ps}));
    // Bytes are modulo 2^40, the time is modulo 2^48.
    SetSent((uint64_t{3} << 40) + 7);
    const RdmaIntHop wrapped = Depart(RdmaIntFormat::EXACT, RdmaPs(int64_t{5} << 48) + 11_ps);
    EXPECT_EQ(wrapped.txBytes, 7U);
    EXPECT_EQ(wrapped.time, 11_ps);
}

TEST_F(QbbIntStamperTest, ValuesInThePapersUnits)
{
    MakeFabric(100_gbps);
    SetSent(123'456'789);                    // 964506 x 128 + 21
    m_port->GetQueues().AddWaiting(3, 4321); // 54 x 80 + 1
    EXPECT_EQ(Depart(RdmaIntFormat::PAPER, 987'654'321_ps),
              (RdmaIntHop{100_gbps, 964'506 * 128, 54 * 80, 987'654_ns}));
    // Bytes are modulo 2^27, the time is modulo 2^24 ns; a queue above 5.24 MB reads as 5.24 MB.
    SetSent((uint64_t{3} << 27) + 300);
    m_port->GetQueues().AddWaiting(3, 8'000'000);
    EXPECT_EQ(Depart(RdmaIntFormat::PAPER, 5 * (int64_t{1} << 24) * 1_ns + 2999_ps),
              (RdmaIntHop{100_gbps, 256, 65'535 * 80, 2_ns}));
}

TEST_F(QbbIntStamperTest, TheWireLosesNothing)
{
    MakeFabric(25_gbps);
    SetSent(123'456'789'012);
    m_port->GetQueues().AddWaiting(3, 4321);
    for (const RdmaIntFormat format : {RdmaIntFormat::PAPER, RdmaIntFormat::EXACT})
    {
        QbbFramePtr frame = MakeFrame(format, 2);
        frame->etherType = QbbWire::ETHERTYPE_IPV4;
        frame->ipv4 = true;
        frame->protocol = QbbWire::IP_PROTOCOL_UDP;
        frame->dstPort = QbbWire::ROCE_UDP_PORT;
        frame->payload = 1000;
        frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame->opcode),
                                              1000,
                                              false,
                                              QbbWire::IntTrailerBytes(format, 2));
        m_stamper->FrameDeparts(*m_port, *frame, 123'456'789'012'345_ps);
        std::vector<uint8_t> bytes(QbbFrameCodec::SerializedSize(*frame));
        QbbFrameCodec::Serialize(*frame, bytes.data());
        const auto parsed = QbbFrameCodec::Parse(bytes.data(), bytes.size(), m_pool);
        ASSERT_EQ(parsed.error, QbbParseError::NONE);
        EXPECT_EQ(parsed.frame->telemetry, frame->telemetry);
    }
}

TEST_F(QbbIntStamperTest, LeavesOtherPacketsAlone)
{
    MakeFabric(100_gbps);
    QbbFramePtr without = MakeFrame(RdmaIntFormat::NONE, 0);
    m_stamper->FrameDeparts(*m_port, *without, 1_ns);
    EXPECT_TRUE(without->telemetry.empty());
    QbbFramePtr echo = MakeFrame(RdmaIntFormat::PAPER);
    echo->intEcho = true;
    m_stamper->FrameDeparts(*m_port, *echo, 1_ns);
    EXPECT_TRUE(echo->telemetry.empty());
    QbbFramePtr full = MakeFrame(RdmaIntFormat::PAPER);
    m_stamper->FrameDeparts(*m_port, *full, 1_ns);
    m_stamper->FrameDeparts(*m_port, *full, 2_ns);
    EXPECT_EQ(full->telemetry.size(), 1U);
    EXPECT_TRUE(full->intOverflow);
}

TEST_F(QbbIntStamperTest, RateThatThePaperCannotSay)
{
    MakeFabric(30_gbps);
    EXPECT_EQ(Depart(RdmaIntFormat::EXACT, 1_ns).rate, 30_gbps);
    EXPECT_DEATH(Depart(RdmaIntFormat::PAPER, 1_ns),
                 "rdma: telemetry: IntFormat Paper has no code for a port of 30000000000 bit/s; "
                 "accepted: IntFormat Auto or Exact");
}

} // namespace ns3
