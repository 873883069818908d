/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-steps.h"
#include "rdma-expect-error.h"
#include "rdma-time.h"
#include "roce-responder.h"
#include "roce-transport.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;

TEST(RoceTransport, Defaults)
{
    RdmaSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    EXPECT_EQ(transport->GetAckInterval(), 1U);
    const auto requester = transport->MakeSender({});
    requester->Extend(2);
    requester->Sent(1, 1_ns);
    EXPECT_EQ(requester->GetDeadline(), RdmaSender::NO_DEADLINE); // the timer is off
    EXPECT_EQ(transport->MakeReceiver()->Check(0), RdmaReceiverVerdict::ACCEPT);
}

TEST(RoceTransport, TheResponderIsSmall)
{
    // Each queue pair has one.
    EXPECT_LE(sizeof(RoceResponder), 104U);
}

TEST(RoceTransport, AttributesReachTheRequester)
{
    RdmaSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(16)));
    transport->SetAttribute("RetryCount", UintegerValue(1));
    transport->SetAttribute("RnrRetryCount", UintegerValue(0));
    transport->SetAttribute("AckInterval", UintegerValue(64));
    EXPECT_EQ(transport->GetAckInterval(), 64U);
    const auto requester = transport->MakeSender({});
    requester->Extend(2);
    requester->Sent(1, 1_ns);
    EXPECT_EQ(requester->GetDeadline(), 16'001_ns);
    EXPECT_FALSE(requester->OnTimeout(16'001_ns).failed);
    requester->Sent(1, 20_us);
    const auto timeout = requester->OnTimeout(36_us);
    EXPECT_TRUE(timeout.failed);
    EXPECT_EQ(timeout.status, RdmaWcStatus::RETRY_EXC_ERR);
    const auto other = transport->MakeSender({}); // each has a state of its own
    other->Extend(1);
    other->Sent(1, 0_ps);
    const auto rnr = other->OnRnrNak(0, 10_us, 5_ps);
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

TEST(RoceTransport, GoBack0)
{
    RdmaSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("LossRecovery", StringValue("GoBack0"));
    EXPECT_EQ(transport->GetPacketFormat().write, RdmaOpcode::RDMA_WRITE_MIDDLE);
    const auto sender = transport->MakeSender({});
    sender->Extend(4);
    IrnSteps::Send(*sender, 0_ps);
    sender->OnNak(2, RdmaSender::NO_PACKET, 10_ps);
    EXPECT_EQ(IrnSteps::Send(*sender, 10_ps), "0r 1r 2r 3r");
    const auto receiver = transport->MakeReceiver();
    EXPECT_EQ(IrnSteps::ArriveAll(*receiver, "0 1 3 2 0"), "A0 A1 N0 A0");
}

TEST(RoceTransport, AdaptiveRetransmission)
{
    RdmaSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(4)));
    transport->SetAttribute("MaxRetransmissionTimeout", TimeValue(MicroSeconds(10)));
    for (const bool adaptive : {false, true})
    {
        transport->SetAttribute("AdaptiveRetransmission", BooleanValue(adaptive));
        const auto sender = transport->MakeSender({});
        sender->Extend(1);
        for (const RdmaPs timeout : {4_us, 8_us, 10_us})
        {
            sender->Sent(1, 0_ps);
            EXPECT_EQ(sender->GetDeadline(), adaptive ? timeout : 4_us);
            sender->OnTimeout(sender->GetDeadline());
        }
    }
}

TEST(RoceTransportDeathTest, AdaptiveRetransmissionWithoutRoom)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    RdmaSetTimeResolution();
    auto transport = CreateObject<RoceTransport>();
    transport->SetAttribute("AdaptiveRetransmission", BooleanValue(true));
    ExpectRefusal([&] { transport->MakeSender({}); },
                  "RetransmissionTimeout is 0; accepted: more than 0");
    RdmaRetryLimits limits;
    limits.timeout = 100'000'000'001_ps;
    ExpectRefusal([&] { transport->MakeSender(limits); },
                  "100000000001 ps; accepted .* 100000000000 ps");
    limits.timeout = 0_ps; // this queue pair wants none
    auto sender = transport->MakeSender(limits);
    sender->Extend(1);
    sender->Sent(1, 0_ps);
    EXPECT_EQ(sender->GetDeadline(), RdmaSender::NO_DEADLINE);
}
