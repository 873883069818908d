/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-time.h"
#include "roce-transport.h"

#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;

TEST(RoceTransport, Defaults)
{
    QbbSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    EXPECT_EQ(transport->GetAckInterval(), 1U);
    const auto requester = transport->MakeSender({});
    requester->Extend(2);
    requester->Sent(1, 1000);
    EXPECT_EQ(requester->GetDeadlinePs(), RdmaSender::NO_DEADLINE); // the timer is off
    EXPECT_EQ(transport->MakeReceiver()->Check(0), RdmaReceiverVerdict::ACCEPT);
}

TEST(RoceTransport, AttributesReachTheRequester)
{
    QbbSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(16)));
    transport->SetAttribute("RetryCount", UintegerValue(1));
    transport->SetAttribute("RnrRetryCount", UintegerValue(0));
    transport->SetAttribute("AckInterval", UintegerValue(64));
    EXPECT_EQ(transport->GetAckInterval(), 64U);
    const auto requester = transport->MakeSender({});
    requester->Extend(2);
    requester->Sent(1, 1000);
    EXPECT_EQ(requester->GetDeadlinePs(), 16'001'000);
    EXPECT_FALSE(requester->OnTimeout(16'001'000).failed);
    requester->Sent(1, 20'000'000);
    const auto timeout = requester->OnTimeout(36'000'000);
    EXPECT_TRUE(timeout.failed);
    EXPECT_EQ(timeout.status, RdmaWcStatus::RETRY_EXC_ERR);
    const auto other = transport->MakeSender({}); // each has a state of its own
    other->Extend(1);
    other->Sent(1, 0);
    const auto rnr = other->OnRnrNak(0, 10'000'000, 5);
    EXPECT_TRUE(rnr.failed);
    EXPECT_EQ(rnr.status, RdmaWcStatus::RNR_RETRY_EXC_ERR);
}

TEST(RoceTransport, Ranges)
{
    auto transport = CreateObject<RoceTransport>();
    EXPECT_FALSE(transport->SetAttributeFailSafe("RnrRetryCount", UintegerValue(8)));
    EXPECT_FALSE(transport->SetAttributeFailSafe("AckInterval", UintegerValue(0)));
    EXPECT_FALSE(transport->SetAttributeFailSafe("AckInterval", UintegerValue((1U << 20) + 1)));
    EXPECT_FALSE(
        transport->SetAttributeFailSafe("RetransmissionTimeout", TimeValue(NanoSeconds(-1))));
    EXPECT_TRUE(transport->SetAttributeFailSafe("RetryCount", UintegerValue(0)));
}
