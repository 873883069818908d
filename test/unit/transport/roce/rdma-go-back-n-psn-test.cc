/* SPDX-License-Identifier: GPL-2.0-only */

// Requester and responder of go-back-N with nothing but PSNs between them, around the wrap.

#include "rdma-go-back-n-steps.h"

#include <array>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::RdmaGoBackNSteps;

TEST(RdmaGoBackNPsn, PastTheWholePsnSpace)
{
    // 2^24 + 10'000 packets: every PSN is used, and some of them twice. One packet in 50'000 is
    // lost; 64 packets are on the way before an answer comes.
    constexpr uint32_t INITIAL = 0x800000;
    constexpr uint64_t PACKETS = RDMA_PSN_SPACE + 10'000;
    constexpr uint64_t DISTANCE = 64;
    RdmaSenderConfig config;
    config.timeouts.high = 1_us;
    config.timeouts.low = 1_us;
    RdmaGoBackNSender requester(config);
    RdmaGoBackNReceiver responder;
    requester.Extend(PACKETS);
    std::array<uint32_t, DISTANCE> line{}; // PSNs on their way, a ring
    std::array<bool, DISTANCE> full{};
    uint64_t delivered = 0;
    uint64_t lost = 0;
    uint64_t naks = 0;
    for (uint64_t step = 0; requester.GetAcked() < PACKETS; ++step)
    {
        ASSERT_LT(step, 2 * PACKETS) << "livelock";
        const RdmaPs now = step * 1_ps;
        const std::size_t slot = step % DISTANCE;
        if (full[slot])
        {
            const int64_t packet = RdmaFromPsn(INITIAL, line[slot], responder.GetExpected());
            const auto verdict = Offer(responder, packet);
            if (verdict == RdmaReceiverVerdict::ACCEPT)
            {
                ASSERT_EQ(packet, static_cast<int64_t>(delivered));
                ++delivered;
            }
            const uint32_t psn = RdmaToPsn(INITIAL, responder.GetExpected());
            if (verdict == RdmaReceiverVerdict::GAP)
            {
                ++naks;
                requester.OnNak(RdmaFromPsn(INITIAL, psn, requester.GetAcked()),
                                RdmaSender::NO_PACKET,
                                now);
            }
            else if (verdict != RdmaReceiverVerdict::IGNORE)
            {
                const uint32_t last = RdmaToPsn(INITIAL, responder.GetExpected() - 1);
                requester.OnAck(RdmaFromPsn(INITIAL, last, requester.GetAcked()), now);
            }
        }
        full[slot] = requester.CanSend();
        if (full[slot])
        {
            line[slot] = RdmaToPsn(INITIAL, requester.GetNext());
            requester.Sent(1, now);
            if (step % 50'000 == 49'999)
            {
                full[slot] = false;
                ++lost;
            }
        }
        else if (requester.GetDeadline() <= now)
        {
            requester.OnTimeout(now);
        }
    }
    EXPECT_EQ(delivered, PACKETS);
    EXPECT_EQ(requester.GetHighestSent(), PACKETS);
    EXPECT_GT(lost, 300U);
    EXPECT_EQ(naks, lost);
    // With a lost packet the 64 packets sent before its NAK came go again.
    EXPECT_EQ(requester.GetRetransmissions(), lost * (DISTANCE + 1));
}
