/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-steps.h"
#include "irn-transport.h"
#include "rdma-expect-error.h"
#include "rdma-go-back-0.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::IrnSteps;

namespace
{

/** \param recovery value of LossRecovery \return a transport with a BDP of 5 packets */
Ptr<IrnTransport>
MakeTransport(const std::string& recovery = "Sack")
{
    RdmaSetTimeResolution();
    auto transport = CreateObject<IrnTransport>();
    transport->SetAttribute("BdpCap", UintegerValue(5));
    transport->SetAttribute("LossRecovery", StringValue(recovery));
    return transport;
}

/**
 * \param transport a transport
 * \param limits overrides of the queue pair
 * \return a sender of 100 packets that has sent as much as allowed at the instant 0
 */
std::unique_ptr<RdmaSender>
MakeBusySender(const Ptr<IrnTransport>& transport, const RdmaRetryLimits& limits = {})
{
    auto sender = transport->MakeSender(limits);
    sender->Extend(100);
    Send(*sender, 0_ps);
    return sender;
}

} // namespace

TEST(IrnTransport, Defaults)
{
    auto transport = MakeTransport();
    EXPECT_EQ(transport->GetAckInterval(), 1U);
    EXPECT_EQ(transport->GetPacketFormat().write, RdmaOpcode::IRN_WRITE_MIDDLE);
    EXPECT_EQ(transport->GetRetryCount(), 5000U);
    EXPECT_EQ(transport->GetResponseTimeout(), 4 * 320 * US);
    const auto sender = MakeBusySender(transport);
    EXPECT_EQ(sender->GetHighestSent(), 5U);
    EXPECT_EQ(sender->GetDeadline(), 100 * US);
    sender->OnTimeout(100 * US);
    EXPECT_EQ(sender->GetDeadline(), 320 * US);
    EXPECT_TRUE(sender->OnTimeout(320 * US).mayBegin);
    sender->OnNak(0, 4, 400 * US);
    EXPECT_EQ(Send(*sender, 400 * US), "0r 1r 2r 3r");
    EXPECT_EQ(ArriveAll(*transport->MakeReceiver(), "0 2 1"), "A0 N1/2 A2");
}

TEST(IrnTransport, EveryRecoveryHasItsHalves)
{
    auto transport = MakeTransport("SelectiveWithoutSack");
    auto sender = MakeBusySender(transport);
    sender->OnNak(0, 4, 10_ps);
    EXPECT_EQ(Send(*sender, 10_ps), "0r");
    EXPECT_EQ(ArriveAll(*transport->MakeReceiver(), "0 2 1"), "A0 N1/2 A2");

    transport = MakeTransport("GoBackN");
    sender = MakeBusySender(transport);
    sender->OnNak(2, NONE, 10_ps);
    EXPECT_EQ(Send(*sender, 10_ps), "2r 3r 4r 5 6");
    EXPECT_EQ(ArriveAll(*transport->MakeReceiver(), "0 2 3 1"), "A0 N1 A1");

    transport = MakeTransport("GoBack0");
    sender = MakeBusySender(transport);
    sender->OnNak(2, NONE, 10_ps);
    EXPECT_EQ(Send(*sender, 10_ps), "0r 1r 2r 3r 4r");
    EXPECT_EQ(ArriveAll(*transport->MakeReceiver(), "0 1 3 2 0"), "A0 A1 N0 A0");
}

TEST(IrnTransport, BdpFcOff)
{
    auto transport = MakeTransport();
    transport->SetAttribute("BdpFc", BooleanValue(false));
    EXPECT_EQ(MakeBusySender(transport)->GetHighestSent(), 100U);
    transport->SetAttribute("BdpCap", UintegerValue(0)); // not needed then
    EXPECT_EQ(MakeBusySender(transport)->GetHighestSent(), 100U);
}

TEST(IrnTransport, BackOffOnLoss)
{
    auto transport = MakeTransport("GoBackN");
    transport->SetAttribute("BackOffOnLoss", BooleanValue(true));
    const auto sender = MakeBusySender(transport);
    sender->OnNak(0, NONE, 10_ps);
    EXPECT_EQ(Send(*sender, 10_ps), "0r 1r");
}

TEST(IrnTransport, Timeouts)
{
    auto transport = MakeTransport();
    transport->SetAttribute("RtoLow", TimeValue(MicroSeconds(7)));
    transport->SetAttribute("RtoHigh", TimeValue(MicroSeconds(9)));
    transport->SetAttribute("RtoLowPackets", UintegerValue(5));
    transport->SetAttribute("RetryCount", UintegerValue(0));
    transport->SetAttribute("RnrRetryCount", UintegerValue(0));
    const auto sender = MakeBusySender(transport);
    EXPECT_EQ(sender->GetDeadline(), 7 * US);
    const auto timeout = sender->OnTimeout(7 * US); // five are few
    EXPECT_TRUE(timeout.failed);
    EXPECT_EQ(timeout.status, RdmaWcStatus::RETRY_EXC_ERR);
    EXPECT_EQ(transport->GetResponseTimeout(), 36 * US);
    EXPECT_EQ(transport->GetRetryCount(), 0U);
    const auto rnr = MakeBusySender(transport)->OnRnrNak(0, 10_ps, 0_ps);
    EXPECT_EQ(rnr.status, RdmaWcStatus::RNR_RETRY_EXC_ERR);
}

TEST(IrnTransport, WaitsAsLongAsARoceNic)
{
    // A link is down for 0.5 s, and nothing comes back: 67.1 ms eight times, with timeout 14 and
    // retry_cnt 7. Then it gives up before long.
    auto transport = MakeTransport();
    auto sender = transport->MakeSender({});
    sender->Extend(1);
    RdmaPs now = 0_ps;
    bool failed = false;
    while (!failed && now < 10_s)
    {
        Send(*sender, now);
        now = sender->GetDeadline();
        failed = sender->OnTimeout(now).failed;
    }
    EXPECT_TRUE(failed);
    EXPECT_GT(now, 500_ms);
    EXPECT_LT(now, 1_s);
}

TEST(IrnTransport, WithoutTimer)
{
    auto transport = MakeTransport();
    transport->SetAttribute("RtoHigh", TimeValue(Time(0)));
    const auto sender = MakeBusySender(transport);
    EXPECT_EQ(sender->GetHighestSent(), 5U);
    EXPECT_EQ(sender->GetDeadline(), RdmaSender::NO_DEADLINE);
    sender->OnNak(0, 1, 10_ps);
    EXPECT_EQ(sender->GetDeadline(), RdmaSender::NO_DEADLINE);
    EXPECT_EQ(transport->GetResponseTimeout(), 0_ps);
}

TEST(IrnTransport, ByThePapersWords)
{
    // By the paper's words the first NACK shows the loss of 1. The published logic takes one more.
    for (const bool paper : {false, true})
    {
        auto transport = MakeTransport();
        transport->SetAttribute("RecoveryRules", StringValue(paper ? "Paper" : "PublishedLogic"));
        const auto sender = MakeBusySender(transport);
        sender->OnNak(1, 2, 10_ps);
        EXPECT_EQ(sender->GetNext(), paper ? 1U : 5U);
    }
}

TEST(IrnTransport, DynamicRto)
{
    auto transport = MakeTransport();
    transport->SetAttribute("DynamicRto", BooleanValue(true));
    transport->SetAttribute("MinRto", TimeValue(MicroSeconds(20)));
    const auto sender = MakeBusySender(transport);
    EXPECT_EQ(sender->GetDeadline(), 320 * US);
    sender->OnAck(0, 10 * US);
    EXPECT_EQ(sender->GetDeadline(), 10 * US + 30 * US); // 10 + 4 * 5
    // With one packet at a time and round trips of 5 us, the timeout is MinRto.
    transport->SetAttribute("BdpCap", UintegerValue(1));
    const auto other = transport->MakeSender({});
    other->Extend(60);
    for (int64_t packet = 0; packet < 60; ++packet)
    {
        EXPECT_EQ(Send(*other, packet * 10 * US), std::to_string(packet));
        other->OnAck(packet, packet * 10 * US + 5 * US);
    }
    other->Extend(1);
    Send(*other, 700 * US);
    EXPECT_EQ(other->GetDeadline(), 720 * US);
}

TEST(IrnTransport, LimitsOfAQueuePair)
{
    auto transport = MakeTransport();
    RdmaRetryLimits limits;
    limits.timeout = 5000_ps;
    limits.retryCount = 1;
    limits.rnrRetryCount = 0;
    const auto sender = MakeBusySender(transport, limits);
    EXPECT_EQ(sender->GetDeadline(), 5000_ps); // for few and for many packets in flight
    EXPECT_FALSE(sender->OnTimeout(5000_ps).failed);
    EXPECT_EQ(sender->GetTimeouts(), 1U);
    Send(*sender, 6000_ps);
    EXPECT_TRUE(sender->OnTimeout(11'000_ps).failed);
    EXPECT_TRUE(MakeBusySender(transport, limits)->OnRnrNak(0, 10_ps, 0_ps).failed);
    limits.timeout = 0_ps;
    EXPECT_EQ(MakeBusySender(transport, limits)->GetDeadline(), NEVER);
    // A queue pair's own timeout is fixed.
    transport->SetAttribute("DynamicRto", BooleanValue(true));
    limits.timeout = 5000_ps;
    const auto fixed = MakeBusySender(transport, limits);
    fixed->OnAck(0, 10_ps);
    EXPECT_EQ(fixed->GetDeadline(), 5010_ps);
}

TEST(IrnTransport, Ranges)
{
    auto transport = MakeTransport();
    EXPECT_FALSE(transport->SetAttributeFailSafe("BdpCap", UintegerValue(RDMA_MAX_WINDOW)));
    EXPECT_TRUE(transport->SetAttributeFailSafe("BdpCap", UintegerValue(RDMA_MAX_WINDOW - 1)));
    EXPECT_FALSE(transport->SetAttributeFailSafe("RnrRetryCount", UintegerValue(8)));
    for (const char* name : {"RtoLow", "MinRto"})
    {
        EXPECT_FALSE(transport->SetAttributeFailSafe(name, TimeValue(Time(0)))) << name;
        EXPECT_TRUE(transport->SetAttributeFailSafe(name, TimeValue(NanoSeconds(1)))) << name;
    }
}

TEST(IrnTransportDeathTest, SettingsThatMakeNoSense)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    auto transport = MakeTransport();
    transport->SetAttribute("BdpCap", UintegerValue(0));
    ExpectRefusal([&] { transport->MakeSender({}); },
                  "BdpFc is on and BdpCap is not known; .*1..8388607");
    transport = MakeTransport();
    transport->SetAttribute("RtoLow", TimeValue(MicroSeconds(321)));
    ExpectRefusal([&] { transport->MakeSender({}); },
                  "RtoLow is .*321us; accepted: up to RtoHigh, .*320us");
    transport = MakeTransport();
    transport->SetAttribute("DynamicRto", BooleanValue(true));
    transport->SetAttribute("MinRto", TimeValue(MicroSeconds(321)));
    ExpectRefusal([&] { transport->MakeSender({}); },
                  "MinRto is .*321us; accepted: .*RtoHigh, .*320us");
    for (const char* recovery : {"Sack", "SelectiveWithoutSack", "GoBack0"})
    {
        transport = MakeTransport(recovery);
        transport->SetAttribute("BackOffOnLoss", BooleanValue(true));
        ExpectRefusal([&] { transport->MakeSender({}); },
                      "BackOffOnLoss is on; accepted: only with .*GoBackN");
    }
}
