/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"
#include "rdma-aeth.h"
#include "rdma-allocation-count.h"
#include "rdma-fake-connection.h"
#include "rdma-time.h"
#include "roce-transport.h"

#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Requesters with a congestion window: which packets take room, which packets ask for an
 * acknowledgement, and how long send times are kept.
 */

using namespace ns3;
using namespace ns3::RdmaFakeConnection;

namespace
{

/** A window that the test sets, and no pace. */
class FixedWindow : public RdmaRateController
{
  public:
    /** \param packets the window in full packets, which the test may change */
    explicit FixedWindow(const uint64_t& packets)
        : m_packets(packets)
    {
    }

    RdmaBitRate GetRate(RdmaPs) override
    {
        return 1000_gbps;
    }

    uint64_t GetWindowBytes() const override
    {
        return m_packets * MTU;
    }

  private:
    const uint64_t& m_packets;
};

/** A requester whose window the test sets, and its peer. */
class RdmaWindow : public testing::Test
{
  protected:
    /** \param transport transport of both sides */
    void Start(Ptr<RdmaTransport> transport)
    {
        RdmaSetTimeResolution();
        m_transport = transport;
        sent.clear();
        from = std::make_unique<FakeEndpoint>(*transport, 0, 0);
        to = std::make_unique<FakeEndpoint>(*transport, 0, 0);
        from->connection.reaction = std::make_unique<RdmaReactionPoint>(
            *from,
            RdmaPacer(std::make_unique<FixedWindow>(window), MTU, 1_bps, true));
    }

    /** \param interval AckInterval of RoCE */
    void StartRoce(uint32_t interval = 1)
    {
        auto transport = CreateObject<RoceTransport>();
        transport->SetAttribute("AckInterval", UintegerValue(interval));
        Start(transport);
    }

    /** \param opcode operation \param packets length in full packets */
    void Post(RdmaWrOpcode opcode, uint64_t packets)
    {
        RdmaSendRequest request;
        request.opcode = opcode;
        request.length = packets * MTU;
        from->requester->Post(request, 0_ps);
    }

    /** \return the packets sent until the window is full: "a" if a packet asks, else "-" */
    std::string Send()
    {
        std::string text;
        while (from->requester->CanSend())
        {
            sent.push_back(from->Next(0_ps));
            text += sent.back()->ackReq ? "a" : "-";
        }
        return text;
    }

    /** Acknowledges packets. \param packet the last of the packets */
    void Acknowledge(uint32_t packet, uint8_t syndrome = RdmaAeth::ACK | RdmaAeth::NO_CREDITS)
    {
        const QbbFramePtr ack = to->NewAeth(RdmaOpcode::ACKNOWLEDGE, syndrome, packet, 0);
        from->Receive(*ack, 0_ps);
    }

    uint64_t window{8};                 //!< window in packets
    std::unique_ptr<FakeEndpoint> from; //!< side with the window
    std::unique_ptr<FakeEndpoint> to;   //!< its peer
    std::vector<QbbFramePtr> sent;      //!< packets of Send()

  private:
    Ptr<RdmaTransport> m_transport;
};

constexpr auto READ = RdmaWrOpcode::RDMA_READ;
constexpr auto WRITE = RdmaWrOpcode::RDMA_WRITE;

} // namespace

TEST_F(RdmaWindow, ThePacketThatFillsTheWindowAsks)
{
    StartRoce(16);
    window = 4;
    Post(WRITE, 100);
    EXPECT_EQ(Send(), "---a");
    Acknowledge(3);
    EXPECT_EQ(Send(), "---a") << "packets 4 to 7";
    Acknowledge(7);
    window = 1;
    EXPECT_EQ(Send(), "a") << "packet 8";
    Acknowledge(8);
    window = 20;
    EXPECT_EQ(Send(), "------a------------a")
        << "packet 15 is the 16th, packet 28 fills the window";
    Acknowledge(15);
    EXPECT_EQ(Send(), "--a---a") << "packet 31 is the 32nd, packet 35 fills the window";
}

TEST_F(RdmaWindow, AWindowThatShrinksUnderPacketsThatDoNotAsk)
{
    StartRoce(16);
    window = 40;
    Post(WRITE, 100);
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_FALSE(from->Next(0_ps)->ackReq);
    }
    window = 3;
    EXPECT_EQ(Send(), "a") << "one packet more than the window, for it has to ask";
    Acknowledge(10);
    EXPECT_EQ(Send(), "--a");
}

TEST_F(RdmaWindow, AnAcknowledgementThatShrinksTheWindow)
{
    StartRoce(4);
    window = 40;
    Post(WRITE, 100);
    for (int i = 0; i < 6; ++i)
    {
        EXPECT_EQ(from->Next(0_ps)->ackReq, i == 3) << i;
    }
    window = 2;
    EXPECT_EQ(Send(), "") << "packet 3 has asked";
    Acknowledge(3); // packets 4 and 5 are in flight and have not asked
    EXPECT_EQ(Send(), "a");
    Acknowledge(6);
    EXPECT_EQ(Send(), "aa") << "packet 7 is the 8th, packet 8 fills the window";
}

TEST_F(RdmaWindow, GoingBackForgetsWhatAsked)
{
    StartRoce(16);
    window = 4;
    Post(WRITE, 100);
    EXPECT_EQ(Send(), "---a");
    Acknowledge(0, RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR);
    window = 40;
    EXPECT_FALSE(from->Next(0_ps)->ackReq);
    EXPECT_FALSE(from->Next(0_ps)->ackReq);
    window = 2;
    EXPECT_EQ(Send(), "a") << "packets 0 and 1 are in flight again and have not asked";
}

TEST_F(RdmaWindow, AnIntervalOfOneAsksAlwaysAndNeverOverruns)
{
    StartRoce(1);
    window = 5;
    Post(WRITE, 100);
    EXPECT_EQ(Send(), "aaaaa");
    window = 2;
    Acknowledge(1);
    EXPECT_EQ(Send(), "") << "3 packets are in flight";
    Acknowledge(3);
    EXPECT_EQ(Send(), "a");
}

TEST_F(RdmaWindow, GoBack0AdvancesTheWindowWithinAMessage)
{
    // Only whole messages are acknowledged for good, but packets that have arrived are not in
    // flight.
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("LossRecovery", EnumValue(RoceTransport::LossRecovery::GO_BACK_0));
    Start(transport);
    window = 4;
    Post(WRITE, 100);
    EXPECT_EQ(Send(), "aaaa");
    Acknowledge(1);
    EXPECT_EQ(Send(), "aa");
    EXPECT_EQ(from->requester->GetStream().acked, 2U);
    Acknowledge(0, RdmaAeth::NAK | RdmaAeth::PSN_SEQUENCE_ERROR);
    EXPECT_EQ(from->requester->GetStream().acked, 0U) << "the message begins anew";
    EXPECT_EQ(Send(), "aaaa");
    EXPECT_EQ(sent.back()->psn, 3U);
}

TEST_F(RdmaWindow, AReadRequestIsOnePacketInFlight)
{
    Ptr<RdmaTransport> roce = CreateObject<RoceTransport>();
    Ptr<RdmaTransport> irn = CreateObject<IrnTransport>();
    irn->SetAttribute("BdpCap", UintegerValue(20));
    for (const auto& transport : {roce, irn})
    {
        Start(transport);
        window = 3;
        Post(READ, 100);
        Post(WRITE, 10);
        EXPECT_EQ(Send(), "aaa") << "the READ request and two packets of the WRITE";
        const RdmaStreamState stream = from->requester->GetStream();
        EXPECT_EQ(stream.acked, 0U);
        EXPECT_EQ(stream.next, 3U);
        EXPECT_EQ(stream.highestSent, 3U);
        EXPECT_EQ(from->requester->GetPosted(), 11U);
    }
}

TEST_F(RdmaWindow, TheFirstResponseMakesRoom)
{
    StartRoce();
    window = 2;
    Post(READ, 3);
    Post(WRITE, 1);
    Post(WRITE, 1);
    EXPECT_EQ(Send(), "aa");
    to->Receive(*sent[0], 0_ps);
    to->Receive(*sent[1], 0_ps);
    const uint64_t acked[] = {1, 1, 1, 2}; // of three requests; the last frame acknowledges a WRITE
    for (uint32_t i = 0; i < 4; ++i)
    {
        const QbbFramePtr frame = to->Next(0_ps);
        ASSERT_TRUE(frame) << i;
        from->Receive(*frame, 0_ps);
        EXPECT_EQ(from->requester->GetStream().acked, acked[i]) << i;
        EXPECT_EQ(Send(), i == 0 ? "a" : "") << i;
    }
    EXPECT_EQ(from->requester->GetStream().highestSent, 3U);
    EXPECT_EQ(from->sent.size(), 2U);
}

TEST_F(RdmaWindow, ResponsesReleaseSendTimes)
{
    // The packet numbers of READ requests are 40 apart, so that the table of send times would grow
    // with each few READs if nothing was released.
    StartRoce();
    const auto read = [this](uint32_t count) {
        for (uint32_t i = 0; i < count; ++i)
        {
            Post(READ, 40);
            to->Receive(*from->Next(0_ps), 0_ps);
            while (const QbbFramePtr response = to->Next(0_ps))
            {
                from->Receive(*response, 0_ps);
            }
            EXPECT_EQ(from->sent.size(), 1U);
            from->sent.clear();
        }
    };
    read(100);
    const uint64_t before = GetRdmaAllocationCount();
    read(2000);
    EXPECT_EQ(GetRdmaAllocationCount() - before, 0U);
}
