/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-go-back-n-steps.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::RdmaGoBackNSteps;

namespace
{

constexpr auto ACCEPT = RdmaReceiverVerdict::ACCEPT;
constexpr auto DUPLICATE = RdmaReceiverVerdict::DUPLICATE;
constexpr auto GAP = RdmaReceiverVerdict::GAP;
constexpr auto IGNORE = RdmaReceiverVerdict::IGNORE;

/** \param responder a responder \param packets packets that arrive \return its answers */
std::vector<RdmaReceiverVerdict>
Receive(RdmaGoBackNReceiver& responder, const std::vector<int64_t>& packets)
{
    std::vector<RdmaReceiverVerdict> verdicts;
    for (const int64_t packet : packets)
    {
        verdicts.push_back(Offer(responder, packet));
    }
    return verdicts;
}

using Verdicts = std::vector<RdmaReceiverVerdict>;

} // namespace

TEST(RdmaGoBackNReceiver, InOrder)
{
    RdmaGoBackNReceiver responder;
    EXPECT_EQ(responder.GetExpected(), 0U);
    EXPECT_EQ(Receive(responder, {0, 1, 2, 3}), (Verdicts{ACCEPT, ACCEPT, ACCEPT, ACCEPT}));
    EXPECT_EQ(responder.GetExpected(), 4U);
}

TEST(RdmaGoBackNReceiver, Duplicates)
{
    RdmaGoBackNReceiver responder;
    EXPECT_EQ(
        Receive(responder, {0, 0, 1, 2, 0, 2, 1, 3}),
        (Verdicts{ACCEPT, DUPLICATE, ACCEPT, ACCEPT, DUPLICATE, DUPLICATE, DUPLICATE, ACCEPT}));
    // a PSN before the first packet
    EXPECT_EQ(Receive(responder, {-1, -8'388'608}), (Verdicts{DUPLICATE, DUPLICATE}));
    EXPECT_EQ(responder.GetExpected(), 4U);
}

TEST(RdmaGoBackNReceiver, OneNakForAGap)
{
    // 1 is lost: 2 causes a NAK, 3 and 4 do not. The requester goes back to 1.
    RdmaGoBackNReceiver responder;
    EXPECT_EQ(Receive(responder, {0, 2, 3, 4}), (Verdicts{ACCEPT, GAP, IGNORE, IGNORE}));
    EXPECT_EQ(responder.GetExpected(), 1U);
    EXPECT_EQ(Receive(responder, {1, 2, 3, 4, 5}),
              (Verdicts{ACCEPT, ACCEPT, ACCEPT, ACCEPT, ACCEPT}));
    // The next gap causes a NAK again.
    EXPECT_EQ(Receive(responder, {7, 8, 6, 8}), (Verdicts{GAP, IGNORE, ACCEPT, GAP}));
    EXPECT_EQ(responder.GetExpected(), 7U);
}

TEST(RdmaGoBackNReceiver, FirstPacketLost)
{
    RdmaGoBackNReceiver responder;
    EXPECT_EQ(Receive(responder, {1, 2, 0, 1}), (Verdicts{GAP, IGNORE, ACCEPT, ACCEPT}));
}

TEST(RdmaGoBackNReceiver, DuplicateWithinAGap)
{
    // A timeout sends from the oldest unacknowledged packet: duplicates first. They are
    // acknowledged, and the gap, which a NAK has reported, causes no second NAK.
    RdmaGoBackNReceiver responder;
    EXPECT_EQ(
        Receive(responder, {0, 1, 3, 0, 1, 3, 4, 2, 3}),
        (Verdicts{ACCEPT, ACCEPT, GAP, DUPLICATE, DUPLICATE, IGNORE, IGNORE, ACCEPT, ACCEPT}));
}

TEST(RdmaGoBackNReceiver, RefusedPacket)
{
    // 1 finds no receive request: RNR NAK. 2 and 3 were behind it and are no gap; all come again.
    RdmaGoBackNReceiver responder;
    EXPECT_EQ(Receive(responder, {0}), (Verdicts{ACCEPT}));
    EXPECT_EQ(responder.Check(1), ACCEPT);
    responder.Refuse();
    EXPECT_EQ(responder.GetExpected(), 1U);
    EXPECT_EQ(Receive(responder, {2, 3, 0}), (Verdicts{IGNORE, IGNORE, DUPLICATE}));
    EXPECT_EQ(responder.Check(1), ACCEPT);
    responder.Refuse(); // still none
    EXPECT_EQ(responder.GetExpected(), 1U);
    EXPECT_EQ(Receive(responder, {2, 1, 2, 3}), (Verdicts{IGNORE, ACCEPT, ACCEPT, ACCEPT}));
    EXPECT_EQ(responder.GetExpected(), 4U);
    EXPECT_EQ(Receive(responder, {5, 4}), (Verdicts{GAP, ACCEPT})); // a gap causes a NAK as usual
}

TEST(RdmaGoBackNReceiver, RefusedAfterAGap)
{
    RdmaGoBackNReceiver responder;
    EXPECT_EQ(Receive(responder, {1, 2}), (Verdicts{GAP, IGNORE}));
    EXPECT_EQ(responder.Check(0), ACCEPT);
    responder.Refuse();
    EXPECT_EQ(responder.GetExpected(), 0U);
    EXPECT_EQ(Receive(responder, {1, 2, 0, 2}), (Verdicts{IGNORE, IGNORE, ACCEPT, GAP}));
}

TEST(RdmaGoBackNReceiver, NakForEachPacket)
{
    // 1 is lost twice: 2, 3 and the packet after the duplicate request it.
    RdmaGoBackNReceiver responder(true);
    EXPECT_EQ(Receive(responder, {0, 2, 3, 0, 2}), (Verdicts{ACCEPT, GAP, GAP, DUPLICATE, GAP}));
    EXPECT_EQ(responder.GetExpected(), 1U);
    EXPECT_EQ(Receive(responder, {1, 2}), (Verdicts{ACCEPT, ACCEPT}));
    // A packet after a refused one is no gap.
    EXPECT_EQ(responder.Check(3), ACCEPT);
    responder.Refuse();
    EXPECT_EQ(Receive(responder, {4, 5, 3, 5, 5}), (Verdicts{IGNORE, IGNORE, ACCEPT, GAP, GAP}));
}
