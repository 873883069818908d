/* SPDX-License-Identifier: GPL-2.0-only */

// Loss recovery of IRN's sender with SACK: "Revisiting Network Support for RDMA", section 3.1.
// Retransmitted packets carry an 'r'.

#include "irn-steps.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

TEST(IrnRecovery, NackSendsTheCumulativeValueAgain)
{
    // 0 1 x 3 4 5: the NACK of 3 says "2 is expected, 3 has come". 2 goes again, then new packets.
    // The recovery begins with the retransmission.
    auto sender = Begin<IrnSender>(9, 6);
    Answer(sender, 9_ps, "A0 A1");
    const auto event = sender.OnNak(2, 3, 10_ps);
    EXPECT_TRUE(event.mayBegin);
    EXPECT_FALSE(event.failed);
    EXPECT_EQ(sender.GetAcked(), 2U);
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_TRUE(sender.IsAcknowledged(1));
    EXPECT_FALSE(sender.IsAcknowledged(2));
    EXPECT_TRUE(sender.IsAcknowledged(3));
    EXPECT_FALSE(sender.IsAcknowledged(4));
    EXPECT_EQ(Send(sender, 10_ps, 1), "2r");
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(sender.GetRecoverySequence(), 5U);
    EXPECT_EQ(Send(sender, 10_ps), "6 7 8");
    EXPECT_EQ(sender.GetRecoverySequence(), 5U);
    EXPECT_EQ(sender.GetRetransmissions(), 1U);
    EXPECT_EQ(sender.GetTimeouts(), 0U);
}

TEST(IrnRecovery, NackThatMovesTheCumulativeValueBeginsNoRecovery)
{
    // The ACK of 1 is lost. The NACK of 3 acknowledges 1, and the NACK of 4 sends 2 again.
    auto sender = Begin<IrnSender>(6);
    EXPECT_TRUE(sender.OnNak(2, 3, 10_ps).mayBegin); // for the window has moved
    EXPECT_TRUE(sender.IsAcknowledged(3));
    EXPECT_FALSE(sender.CanSend());
    EXPECT_EQ(Reply(sender, 11_ps, "N2/4"), "2r");
}

TEST(IrnRecovery, ArrivedBeforeItsTurn)
{
    // 2 was only late. Its ACK arrives before the port is free, so nothing is retransmitted:
    // neither 2, nor 3, which was not missing.
    auto sender = Begin<IrnSender>(9, 6);
    Answer(sender, 10_ps, "A1 N2/4");
    EXPECT_EQ(sender.GetNext(), 2U);
    Answer(sender, 11_ps, "A2");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 11_ps), "6 7 8");
}

TEST(IrnRecovery, LostOnlyIfAHigherOneHasArrived)
{
    // 0..9 sent; 2, 5 and 8 are lost. Each goes again when a packet behind it has arrived, once,
    // however many NACKs report the loss.
    auto sender = Begin<IrnSender>(12, 10);
    EXPECT_EQ(Reply(sender, 10_ps, "A1 N2/3", 1), "2r");
    EXPECT_EQ(sender.GetNext(), 10U); // no NACK shows that 4..9 are lost
    Answer(sender, 11_ps, "N2/4");
    EXPECT_EQ(sender.GetNext(), 10U);
    EXPECT_EQ(Reply(sender, 12_ps, "N2/6", 1), "5r");
    EXPECT_EQ(Reply(sender, 13_ps, "N2/7"), "10 11");
    EXPECT_EQ(Reply(sender, 14_ps, "N2/9"), "8r");
    EXPECT_EQ(Reply(sender, 15_ps, "N2/10 N2/11"), "");
    EXPECT_EQ(sender.GetRetransmissions(), 3U);
}

TEST(IrnRecovery, ManyLostAtOnce)
{
    // 0..9 sent; 1..5, 7 and 8 are lost. The NACK of 9 overtakes the NACK of 6.
    auto sender = Begin<IrnSender>(11, 10);
    // without the NACK of 6, packet 6 goes again, too
    EXPECT_EQ(Reply(sender, 10_ps, "A0 N1/9"), "1r 2r 3r 4r 5r 6r 7r 8r 10");
    // The NACK of 6 comes too late for packet 6. Nothing goes a second time.
    EXPECT_EQ(Reply(sender, 11_ps, "N1/6"), "");
}

TEST(IrnRecovery, SackedInTheMiddleOfThePass)
{
    // 1..6 are to go again. 4 arrives late and does not go again.
    auto sender = Begin<IrnSender>(8);
    EXPECT_EQ(Reply(sender, 10_ps, "A0 N1/7", 2), "1r 2r");
    Answer(sender, 11_ps, "N1/4 N1/3"); // and 3, which goes next
    EXPECT_EQ(Send(sender, 12_ps), "5r 6r");
}

TEST(IrnRecovery, AcknowledgedInTheMiddleOfThePass)
{
    auto sender = Begin<IrnSender>(8);
    EXPECT_EQ(Reply(sender, 10_ps, "A0 N1/7", 1), "1r");
    Answer(sender, 11_ps, "N5/3"); // 1..4 have come: only 5 and 6 are left
    EXPECT_EQ(sender.GetAcked(), 5U);
    EXPECT_EQ(Send(sender, 12_ps), "5r 6r");
}

TEST(IrnRecovery, RecoveryEndsBehindItsSequence)
{
    // 0..5 sent, 2 and 5 lost: the recovery sequence is 5. 6 and 7 go in recovery. The ACK of 4 is
    // a partial one: 5 goes again, for nothing else can have kept it from coming. Since 7 was sent
    // before the ACK of 4 came, the recovery sequence becomes 7.
    auto sender = Begin<IrnSender>(8, 6);
    EXPECT_EQ(Reply(sender, 10_ps, "A1 N2/3 N2/4"), "2r 6 7");
    EXPECT_EQ(sender.GetRecoverySequence(), 5U);
    Answer(sender, 20_ps, "A4");
    EXPECT_EQ(sender.GetAcked(), 5U);
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 20_ps), "5r");
    EXPECT_EQ(sender.GetRecoverySequence(), 7U);
    EXPECT_EQ(Reply(sender, 21_ps, "N5/6"), "");
    Answer(sender, 30_ps, "A6"); // 7 is expected: it has not gone again
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 30_ps), "7r");
    Answer(sender, 31_ps, "A7");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(sender.GetAcked(), 8U);
}

TEST(IrnRecovery, PartialAckOfWhatWentAgain)
{
    // 1, 2 and 4 are lost and go again in one pass. The partial acknowledgements of 1 and 2 stop at
    // packets that have gone again already.
    auto sender = Begin<IrnSender>(6);
    EXPECT_EQ(Reply(sender, 10_ps, "A0 N1/3 N1/5"), "1r 2r 4r");
    EXPECT_EQ(Reply(sender, 20_ps, "A1 A3"), "");
    Answer(sender, 21_ps, "A5");
    EXPECT_EQ(sender.GetRetransmissions(), 3U);
    EXPECT_FALSE(sender.IsRecovering());
}

TEST(IrnRecovery, RecoveryEndsExactlyBehindItsSequence)
{
    IrnSender sender(MakeConfig());
    sender.Extend(8);
    Send(sender, 0_ps, 4); // 0 1 2 3
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1"), "0r 4 5 6 7");
    EXPECT_EQ(sender.GetRecoverySequence(), 3U);
    Answer(sender, 11_ps, "A2"); // 3 is expected: not passed
    EXPECT_TRUE(sender.IsRecovering());
    Answer(sender, 12_ps, "A3"); // 4 is expected: passed
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 12_ps), "");
}

TEST(IrnRecovery, RecoverySequenceMovesWithEachRetransmission)
{
    // 0 and 4 are lost; 4 was sent in the recovery of 0 and goes again in it. The recovery lasts
    // until all that was sent before that has come: the next NACKs do not send 4, 6 and 7 a third
    // time.
    auto sender = Begin<IrnSender>(9, 4);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1 N0/2 N0/3", 5), "0r 4 5 6 7");
    EXPECT_EQ(sender.GetRecoverySequence(), 3U);
    EXPECT_EQ(Reply(sender, 20_ps, "N0/5"), "4r 8");
    EXPECT_EQ(sender.GetRecoverySequence(), 7U);
    Answer(sender, 21_ps, "A3");
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 21_ps), "");
    EXPECT_EQ(Reply(sender, 22_ps, "N4/6 N4/7"), "");
    Answer(sender, 30_ps, "A7");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(sender.GetRetransmissions(), 2U);
}

TEST(IrnRecovery, RecoveriesOneAfterAnother)
{
    // 0..3 sent, 0 lost. In recovery 4..7 go, and 4 is lost. The first recovery ends with the ACK
    // of 3; the next NACK, of 5, begins another one, in which packets of the first may be
    // retransmitted again.
    auto sender = Begin<IrnSender>(10, 4);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1", 5), "0r 4 5 6 7");
    Answer(sender, 20_ps, "A3");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Reply(sender, 21_ps, "N4/5", 1), "4r");
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(sender.GetRecoverySequence(), 7U);
    Answer(sender, 30_ps, "A7");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 31_ps), "8 9");
}

TEST(IrnRecovery, NackThatEndsARecovery)
{
    // The ACK of 3 is lost; the NACK of 5 carries the same cumulative value, and ends the recovery.
    // The NACK of 6 begins the next one, which knows of 5.
    auto sender = Begin<IrnSender>(8, 4);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1"), "0r 4 5 6 7");
    Answer(sender, 20_ps, "N4/5");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 20_ps), "");
    EXPECT_EQ(Reply(sender, 21_ps, "N4/7"), "4r 6r");
    EXPECT_EQ(sender.GetRecoverySequence(), 7U);
}

TEST(IrnRecovery, KnownLossWhenTheRecoveryEnds)
{
    // 0..3 sent, 0 lost. In recovery 4..7 go; 4 is lost, and the NACK of 5 reports the loss. Before
    // the port is free for 4, the ACK of 3 ends the recovery. 4 waits for the next NACK.
    auto sender = Begin<IrnSender>(8, 4);
    EXPECT_EQ(Reply(sender, 10_ps, "N0/1"), "0r 4 5 6 7");
    Answer(sender, 20_ps, "N0/5 A3");
    EXPECT_FALSE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 20_ps), "");
    EXPECT_EQ(Reply(sender, 21_ps, "N4/6"), "4r");
    Answer(sender, 30_ps, "A7");
    EXPECT_FALSE(sender.IsRecovering());
}

// The paper's words

TEST(IrnRecovery, ByThePapersWords)
{
    // 0..7 sent; 1, 4 and 7 are lost. The NACK of 2 brings the ACK of 0, and begins the recovery.
    // The partial ACK of 3 makes 4 lost only because 5 has come; the ACK of 6 does not make 7 lost.
    auto sender = Begin<IrnSender>(8, ALL, MakeConfig(), IrnSelective::SACK, IrnSender::PAPER);
    Answer(sender, 10_ps, "N1/2");
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 10_ps), "1r");
    EXPECT_EQ(Reply(sender, 20_ps, "A3"), "");
    EXPECT_EQ(Reply(sender, 21_ps, "N4/5"), "4r");
    Answer(sender, 30_ps, "A6");
    EXPECT_TRUE(sender.IsRecovering());
    EXPECT_EQ(Send(sender, 30_ps), "");
    sender.OnTimeout(30_ps + LOW);
    EXPECT_EQ(Send(sender, 200_ps), "7r");
}
