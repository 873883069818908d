/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"
#include "rdma-aeth.h"
#include "rdma-fake-connection.h"
#include "rdma-time.h"

#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Tests of IRN with RoCE's headers in WRITEs. The tests check the requester's packets and the
 * responder's buffer of early packets. The wire is an array of frames, which a test delivers in any
 * order.
 */

using namespace ns3;
using namespace ns3::RdmaFakeConnection;

namespace
{

constexpr uint64_t ADDRESS = 4096;            //!< where the WRITE goes
constexpr uint32_t BYTES = 3 * MTU + MTU / 2; //!< a WRITE of four packets, the last one half full
constexpr uint32_t PSN = (1U << 24) - 2;      //!< the packets have PSNs 2^24-2, 2^24-1, 0 and 1
constexpr uint32_t PSNS[] = {PSN, PSN + 1, 0, 1}; //!< PSNs of the four packets

/** A requester with posted requests, and the responder of its peer. */
class IrnRoceWrites : public ::testing::Test
{
  protected:
    /** \return IRN with RoCE's headers in WRITEs */
    static Ptr<RdmaTransport> MakeTransport()
    {
        RdmaSetTimeResolution();
        auto transport = CreateObject<IrnTransport>();
        transport->SetAttribute("BdpCap", UintegerValue(20));
        transport->SetAttribute("WriteHeaders", EnumValue(IrnTransport::ROCE));
        return transport;
    }

    /** \param opcode opcode of a request \param bytes length of the request */
    void Post(RdmaWrOpcode opcode, uint64_t bytes)
    {
        RdmaSendRequest request;
        request.opcode = opcode;
        request.length = bytes;
        request.remoteAddress = ADDRESS;
        m_from.requester->Post(request, 0_ps);
        while (m_from.requester->CanSend())
        {
            m_frames.push_back(m_from.Next(0_ps));
        }
    }

    /** \param index index of the frame that arrives \return the acknowledgement of the frame */
    const QbbFrame& Deliver(std::size_t index)
    {
        m_to.out.clear();
        m_to.Receive(*m_frames.at(index), 1_us);
        EXPECT_EQ(m_to.out.size(), 1U) << "frame " << index;
        return *m_to.out.front();
    }

    /** \param index index of a frame \param psn PSN of the cumulative acknowledgement */
    void DeliverInOrder(std::size_t index, uint32_t psn)
    {
        const QbbFrame& ack = Deliver(index);
        EXPECT_EQ(ack.syndrome, RdmaAeth::ACK | RdmaAeth::NO_CREDITS);
        EXPECT_EQ(ack.psn, psn);
    }

    /** \param index index of an early frame \param missing PSN of the first missing packet */
    void DeliverEarly(std::size_t index, uint32_t missing)
    {
        const QbbFrame& nack = Deliver(index);
        EXPECT_EQ(nack.syndrome, RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR);
        EXPECT_EQ(nack.psn, missing);
        EXPECT_EQ(nack.selectivePsn, m_frames[index]->psn);
    }

    Ptr<RdmaTransport> m_transport = MakeTransport(); //!< transport of both sides
    FakeEndpoint m_from{*m_transport, PSN, 7};        //!< the requester's side
    FakeEndpoint m_to{*m_transport, 7, PSN};          //!< the responder's side
    std::vector<QbbFramePtr> m_frames;                //!< packets sent, in order
};

TEST_F(IrnRoceWrites, OnlyTheFirstPacketHasAnReth)
{
    Post(RdmaWrOpcode::RDMA_WRITE, BYTES);
    ASSERT_EQ(m_frames.size(), 4U);
    const RdmaOpcode opcodes[] = {RdmaOpcode::RDMA_WRITE_FIRST,
                                  RdmaOpcode::RDMA_WRITE_MIDDLE,
                                  RdmaOpcode::RDMA_WRITE_MIDDLE,
                                  RdmaOpcode::RDMA_WRITE_LAST};
    // Ethernet 18, IPv4 20, UDP 8, BTH 12, ICRC 4: 62 bytes and the payload; RETH: 16.
    const uint32_t sizes[] = {62 + 16 + MTU, 62 + MTU, 62 + MTU, 62 + MTU / 2};
    for (std::size_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(m_frames[i]->opcode, static_cast<uint8_t>(opcodes[i])) << i;
        EXPECT_EQ(m_frames[i]->size, sizes[i]) << i;
        EXPECT_EQ(m_frames[i]->psn, PSNS[i]) << i;
        EXPECT_TRUE(m_frames[i]->ackReq) << i;
    }
}

TEST_F(IrnRoceWrites, KeepsPacketsUntilTheMissingOnesArrive)
{
    Post(RdmaWrOpcode::RDMA_WRITE, BYTES);
    DeliverEarly(3, PSNS[0]);
    DeliverEarly(1, PSNS[0]);
    EXPECT_TRUE(m_to.messages.empty());
    DeliverInOrder(0, PSNS[1]); // packets 0 and 1 are complete
    EXPECT_TRUE(m_to.messages.empty());
    DeliverInOrder(2, PSNS[3]);
    EXPECT_EQ(m_to.messages, std::vector<uint64_t>{BYTES});
    EXPECT_TRUE(m_to.failures.empty());
}

TEST_F(IrnRoceWrites, PerformsRequestsOfAllKindsInOrder)
{
    Post(RdmaWrOpcode::RDMA_WRITE, MTU);         // frame 0
    Post(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 8); // frame 1
    Post(RdmaWrOpcode::RDMA_WRITE, 2 * MTU);     // frames 2 and 3
    Post(RdmaWrOpcode::SEND, 100);               // frame 4
    m_to.responder->PostReceive({0, MTU}, 0_ps);
    for (std::size_t early : {4U, 2U, 1U, 3U})
    {
        DeliverEarly(early, PSNS[0]);
    }
    EXPECT_TRUE(m_to.messages.empty() && m_to.received.empty());
    DeliverInOrder(0, PSN + 4 - (1U << 24));
    EXPECT_EQ(m_to.messages, (std::vector<uint64_t>{MTU, 2 * MTU, 100}));
    ASSERT_EQ(m_to.received.size(), 1U);
    ASSERT_TRUE(m_to.responder->IsReady()) << "the atomic has an answer";
    EXPECT_EQ(m_to.responder->MakeFrame(1_us)->msn, 2U) << "the second request";
}

TEST_F(IrnRoceWrites, RefusesAKeptPacketWhoseMessageIsTooLong)
{
    Post(RdmaWrOpcode::RDMA_WRITE, BYTES);
    m_frames[0]->dmaLength = 2 * MTU; // the message goes on behind this length
    DeliverEarly(1, PSNS[0]);
    const QbbFrame& nak = Deliver(0);
    EXPECT_EQ(nak.syndrome, RdmaAeth::NAK | RdmaAeth::INVALID_REQUEST);
    EXPECT_EQ(nak.psn, PSNS[1]) << "the message reaches its length before its last packet";
    EXPECT_EQ(m_to.failures, std::vector<RdmaWcStatus>{RdmaWcStatus::WR_FLUSH_ERR});
}

TEST_F(IrnRoceWrites, RefusesAKeptPacketOfAMessageWithoutAccess)
{
    Post(RdmaWrOpcode::RDMA_WRITE, MTU);
    Post(RdmaWrOpcode::RDMA_WRITE, MTU);
    m_to.memory.SetGlobalKey(false);
    RdmaMemoryAccess access;
    access.remoteWrite = true;
    const uint32_t key = m_to.memory.Register(ADDRESS, MTU, access);
    m_frames[0]->rKey = key;
    m_frames[1]->rKey = key + 1;
    DeliverEarly(1, PSNS[0]);
    const QbbFrame& nak = Deliver(0);
    EXPECT_EQ(nak.syndrome, RdmaAeth::NAK | RdmaAeth::REMOTE_ACCESS_ERROR);
    EXPECT_EQ(nak.psn, PSNS[1]);
    EXPECT_EQ(m_to.messages, std::vector<uint64_t>{MTU}) << "the first WRITE was executed";
    EXPECT_EQ(m_to.failures, std::vector<RdmaWcStatus>{RdmaWcStatus::WR_FLUSH_ERR});
}

TEST_F(IrnRoceWrites, AcknowledgesNothingBehindARefusedPacket)
{
    Post(RdmaWrOpcode::RDMA_READ, 2 * MTU); // frame 0; nobody takes the responses
    Post(RdmaWrOpcode::RDMA_WRITE, MTU);    // frame 1
    Post(RdmaWrOpcode::RDMA_WRITE, MTU);    // frame 2
    m_frames[2]->rKey = 1;
    DeliverInOrder(0, PSNS[0]);
    DeliverEarly(2, PSNS[1]);
    for (std::size_t again : {1U, 1U, 0U, 2U})
    {
        const QbbFrame& nak = Deliver(again);
        EXPECT_EQ(nak.syndrome, RdmaAeth::NAK | RdmaAeth::REMOTE_ACCESS_ERROR) << again;
        EXPECT_EQ(nak.psn, PSNS[2]) << again;
        EXPECT_TRUE(m_to.failures.empty()) << "the READ is not answered";
    }
    EXPECT_EQ(m_to.messages, std::vector<uint64_t>{MTU});
}

TEST_F(IrnRoceWrites, ResetAndEndDropWhatIsKept)
{
    for (const bool reset : {true, false})
    {
        Post(RdmaWrOpcode::RDMA_WRITE, BYTES);
        const std::size_t first = m_frames.size() - 4;
        m_to.Receive(*m_frames[first + 1], 1_us);
        reset ? m_to.responder->Reset() : m_to.responder->End();
        m_to.messages.clear();
        if (reset)
        {
            // The responder begins again with the first packet, and packet 1 is early once more.
            DeliverEarly(1, PSNS[0]);
            DeliverInOrder(0, PSNS[1]);
            DeliverInOrder(2, PSNS[2]);
            DeliverInOrder(3, PSNS[3]);
            EXPECT_EQ(m_to.messages, std::vector<uint64_t>{BYTES});
        }
        else
        {
            m_to.Receive(*m_frames[first], 1_us);
            EXPECT_TRUE(m_to.messages.empty());
        }
    }
}

TEST_F(IrnRoceWrites, DropsPacketsOfOtherFormats)
{
    Post(RdmaWrOpcode::RDMA_WRITE, MTU);
    m_frames[0]->opcode = static_cast<uint8_t>(RdmaOpcode::SEND_ONLY);
    m_to.Receive(*m_frames[0], 1_us);
    EXPECT_EQ(m_to.dropped, 1U);
    m_frames[0]->opcode = static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_ONLY_WITH_IMMEDIATE);
    m_to.Receive(*m_frames[0], 1_us);
    EXPECT_EQ(m_to.dropped, 2U);
    m_frames[0]->opcode = static_cast<uint8_t>(RdmaOpcode::RDMA_WRITE_ONLY);
    m_transport->SetAttribute("WriteHeaders", EnumValue(IrnTransport::IRN));
    FakeEndpoint other(*m_transport, 7, PSN);
    other.Receive(*m_frames[0], 1_us);
    EXPECT_EQ(other.dropped, 1U) << "IRN's headers are expected";
}

TEST_F(IrnRoceWrites, RefusesARequestWithinAWrite)
{
    Post(RdmaWrOpcode::RDMA_WRITE, 2 * MTU);
    Post(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 8);
    m_frames[2]->psn = PSNS[1];
    DeliverInOrder(0, PSNS[0]);
    const QbbFrame& nak = Deliver(2);
    EXPECT_EQ(nak.syndrome, RdmaAeth::NAK | RdmaAeth::INVALID_REQUEST);
    EXPECT_EQ(nak.psn, PSNS[1]);
}

} // namespace
