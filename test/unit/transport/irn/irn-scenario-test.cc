/* SPDX-License-Identifier: GPL-2.0-only */

// Both halves of IRN together, the packets and answers between them moved by hand, with PSNs that
// wrap around: the initial PSN is 2^24 - 3, so that packet 3 has PSN 0.

#include "irn-steps.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

constexpr uint32_t INITIAL = RDMA_PSN_SPACE - 3;

/** Sender and receiver, and the queue pair's part between them. */
class IrnScenario : public testing::Test
{
  protected:
    /** An answer on its way to the sender. */
    struct Reply
    {
        char kind{0};                   //!< A or N
        uint32_t psn{0};                //!< last PSN in order (A), or expected PSN (N)
        uint32_t early{RDMA_PSN_SPACE}; //!< PSN of the early packet
    };

    /** \param packets to post \param selective use of NACKs */
    void Begin(uint64_t packets, IrnSelective selective = IrnSelective::SACK)
    {
        sender = IrnSender(MakeConfig(), selective);
        sender.Extend(packets);
    }

    /** \param limit largest number of packets \return PSNs that are sent */
    std::vector<uint32_t> SendPsns(int limit = 100)
    {
        std::vector<uint32_t> psns;
        for (int i = 0; i < limit && sender.CanSend(); ++i)
        {
            psns.push_back(RdmaToPsn(INITIAL, sender.GetNext()));
            sender.Sent(1, now);
        }
        return psns;
    }

    /** \param psns PSNs that arrive \return answers */
    std::vector<Reply> ArrivePsns(const std::vector<uint32_t>& psns)
    {
        std::vector<Reply> replies;
        for (const uint32_t psn : psns)
        {
            const int64_t packet = RdmaFromPsn(INITIAL, psn, receiver.GetExpected());
            const auto verdict = receiver.Check(packet);
            if (verdict == RdmaReceiverVerdict::ACCEPT || verdict == RdmaReceiverVerdict::EARLY)
            {
                receiver.Accept(static_cast<uint64_t>(packet), 1, false);
                ++placed;
            }
            Reply reply;
            const uint64_t expected = receiver.GetExpected();
            reply.kind = verdict == RdmaReceiverVerdict::EARLY ? 'N' : 'A';
            reply.psn = RdmaToPsn(INITIAL, reply.kind == 'N' ? expected : expected - 1);
            reply.early = reply.kind == 'N' ? psn : RDMA_PSN_SPACE;
            replies.push_back(reply);
        }
        return replies;
    }

    /** \param replies answers that arrive */
    void Take(const std::vector<Reply>& replies)
    {
        for (const Reply& reply : replies)
        {
            const int64_t packet = RdmaFromPsn(INITIAL, reply.psn, sender.GetAcked());
            if (reply.kind == 'A')
            {
                sender.OnAck(packet, now);
            }
            else
            {
                sender.OnNak(packet, RdmaFromPsn(INITIAL, reply.early, sender.GetAcked()), now);
            }
        }
    }

    using Psns = std::vector<uint32_t>;

    IrnSender sender{MakeConfig()}; //!< the sender
    IrnReceiver receiver;           //!< the receiver
    RdmaPs now;                     //!< the clock
    uint64_t placed{0};             //!< packets taken
};

constexpr uint32_t LAST = RDMA_PSN_SPACE - 1; //!< PSN of packet 2

} // namespace

TEST_F(IrnScenario, LossAtTheWrap)
{
    // Packets 0..7 have the PSNs LAST-2 LAST-1 LAST 0 1 2 3 4. The one with PSN 0 is lost.
    Begin(8);
    EXPECT_EQ(SendPsns(), (Psns{LAST - 2, LAST - 1, LAST, 0, 1, 2, 3, 4}));
    const auto replies = ArrivePsns({LAST - 2, LAST - 1, LAST, 1, 2, 3, 4});
    ASSERT_EQ(replies.size(), 7U);
    EXPECT_EQ(replies[2].kind, 'A');
    EXPECT_EQ(replies[2].psn, LAST);
    EXPECT_EQ(replies[3].kind, 'N');
    EXPECT_EQ(replies[3].psn, 0U);
    EXPECT_EQ(replies[3].early, 1U);
    Take(replies);
    EXPECT_EQ(SendPsns(), (Psns{0}));
    const auto last = ArrivePsns({0});
    EXPECT_EQ(last[0].psn, 4U);
    Take(last);
    EXPECT_EQ(sender.GetAcked(), 8U);
    EXPECT_EQ(placed, 8U);
}

TEST_F(IrnScenario, LossBeforeTheWrapSeenBehindIt)
{
    // PSNs LAST and LAST-1 are lost; the NACKs that report the loss have small PSNs.
    Begin(6);
    SendPsns();
    const auto replies = ArrivePsns({LAST - 2, 0, 1, 2});
    EXPECT_EQ(replies[1].psn, LAST - 1);
    EXPECT_EQ(replies[1].early, 0U);
    Take(replies);
    EXPECT_EQ(SendPsns(), (Psns{LAST - 1, LAST}));
    Take(ArrivePsns({LAST, LAST - 1})); // and they overtake each other
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(sender.GetRetransmissions(), 2U);
}

TEST_F(IrnScenario, LostNacks)
{
    // Packets 1 and 2 are lost, and all NACKs but the last, which reports both losses.
    Begin(6);
    SendPsns();
    const auto replies = ArrivePsns({LAST - 2, 0, 1, 2});
    Take({replies[0], replies[3]});
    // 0 and 1 have arrived without an acknowledgement: their retransmission is in vain.
    EXPECT_EQ(SendPsns(), (Psns{LAST - 1, LAST, 0, 1}));
    Take(ArrivePsns({LAST - 1, LAST, 0, 1}));
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_EQ(placed, 6U);
}

TEST_F(IrnScenario, LostRetransmission)
{
    Begin(6);
    SendPsns();
    Take(ArrivePsns({LAST - 2, LAST - 1, 0, 1, 2}));
    EXPECT_EQ(SendPsns(), (Psns{LAST})); // lost again
    now = sender.GetDeadline();
    EXPECT_EQ(now, LOW); // four in flight: packets 2..5
    sender.OnTimeout(now);
    now = sender.GetDeadline();
    EXPECT_EQ(now, HIGH);
    sender.OnTimeout(now);
    EXPECT_EQ(SendPsns(), (Psns{LAST}));
    Take(ArrivePsns({LAST}));
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_EQ(sender.GetTimeouts(), 1U);
}

TEST_F(IrnScenario, AllAcksLost)
{
    // Everything has arrived. The timeout sends the first again; the answer to it acknowledges all.
    Begin(6);
    const Psns psns = SendPsns();
    ArrivePsns(psns);
    sender.OnTimeout(LOW);
    sender.OnTimeout(HIGH);
    now = HIGH;
    const Psns again = SendPsns();
    EXPECT_EQ(again, (Psns{LAST - 2}));
    Take(ArrivePsns(again));
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_EQ(placed, 6U);
    EXPECT_FALSE(sender.IsRecovering());
}

TEST_F(IrnScenario, OvertakingIsNoLossForLong)
{
    // 3 and 4 change places. The NACK sends 3 again for nothing; its copy is a duplicate.
    Begin(6);
    SendPsns();
    Take(ArrivePsns({LAST - 2, LAST - 1, LAST, 1, 0, 2}));
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_FALSE(sender.CanSend()); // the ACK came before its turn
    EXPECT_EQ(sender.GetRetransmissions(), 0U);
    Begin(6);
    receiver = IrnReceiver();
    SendPsns();
    Take(ArrivePsns({LAST - 2, LAST - 1, LAST, 1}));
    EXPECT_EQ(SendPsns(), (Psns{0}));
    Take(ArrivePsns({0, 2, 0}));
    EXPECT_EQ(sender.GetAcked(), 6U);
    EXPECT_EQ(sender.GetRetransmissions(), 1U);
}

TEST_F(IrnScenario, WithoutSackAtTheWrap)
{
    // Packets 1 and 4 (PSNs LAST-1 and 1) are lost: a round trip each.
    Begin(8, IrnSelective::NONE);
    SendPsns();
    Take(ArrivePsns({LAST - 2, LAST, 0, 2, 3, 4}));
    EXPECT_EQ(SendPsns(), (Psns{LAST - 1}));
    Take(ArrivePsns({LAST - 1}));
    EXPECT_EQ(sender.GetAcked(), 4U);
    EXPECT_EQ(SendPsns(), (Psns{1}));
    Take(ArrivePsns({1}));
    EXPECT_EQ(sender.GetAcked(), 8U);
    EXPECT_EQ(placed, 8U);
}

TEST_F(IrnScenario, PastTheWholePsnSpace)
{
    // 2^24 + 10'000 packets, 64 on the way at a time; one in 50'000 is lost once.
    constexpr uint64_t PACKETS = RDMA_PSN_SPACE + 10'000;
    constexpr uint64_t DISTANCE = 64;
    Begin(PACKETS);
    Psns line(DISTANCE);
    std::vector<bool> full(DISTANCE);
    uint64_t lost = 0;
    for (; sender.GetAcked() < PACKETS; now += 1_ps)
    {
        ASSERT_LT(now, 2 * PACKETS * 1_ps) << "livelock";
        const std::size_t slot = static_cast<std::size_t>(now.Get()) % DISTANCE;
        if (full[slot])
        {
            Take(ArrivePsns({line[slot]}));
        }
        full[slot] = sender.CanSend();
        if (full[slot])
        {
            line[slot] = RdmaToPsn(INITIAL, sender.GetNext());
            const bool again = sender.Sent(1, now);
            if (!again && sender.GetHighestSent() % 50'000 == 49'999)
            {
                full[slot] = false;
                ++lost;
            }
        }
        else if (sender.GetDeadline() <= now)
        {
            sender.OnTimeout(now);
        }
    }
    EXPECT_EQ(placed, PACKETS);
    EXPECT_GT(lost, 300U);
    EXPECT_EQ(sender.GetRetransmissions(), lost);
    EXPECT_EQ(sender.GetTimeouts(), 0U);
}
