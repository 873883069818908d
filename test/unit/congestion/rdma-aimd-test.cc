/* SPDX-License-Identifier: GPL-2.0-only */

// AIMD of a window, by hand.

#include "rdma-aimd.h"
#include "rdma-expect-error.h"

#include <ns3/double.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr RdmaBitRate LINE = 40_gbps;

RdmaPathProfile
MakeProfile()
{
    RdmaPathProfile profile;
    profile.lineRate = LINE;
    profile.packetBytes = 1000; // 200 ns
    profile.payloadBytes = 900;
    return profile;
}

std::unique_ptr<RdmaRateController>
MakeAimd(double window)
{
    auto control = CreateObject<RdmaAimd>();
    control->SetAttribute("InitialWindow", DoubleValue(window));
    return control->MakeController(MakeProfile());
}

RdmaAckSample
MakeSample(uint64_t packets, uint64_t ackedTo, uint64_t sentTo)
{
    RdmaAckSample sample;
    sample.ackedPackets = packets;
    sample.ackedTo = ackedTo;
    sample.sentTo = sentTo;
    return sample;
}

} // namespace

TEST(RdmaAimd, OnePacketForEachWindow)
{
    auto c = MakeAimd(2);
    EXPECT_EQ(c->GetRate(0_ps), LINE);
    EXPECT_EQ(c->GetWindowBytes(), 2000U);
    // 2, 2.5, 2.9, 2.9 + 1 / 2.9 = 3.2448
    c->OnAck(MakeSample(1, 1, 3));
    c->OnAck(MakeSample(1, 2, 4));
    EXPECT_EQ(c->GetWindowBytes(), 2000U);
    c->OnAck(MakeSample(1, 3, 5));
    EXPECT_EQ(c->GetWindowBytes(), 3000U);
    // One acknowledgement for 100 packets counts as 100: 3.2448 + 100 / 3.2448 = 34.06.
    c->OnAck(MakeSample(100, 103, 110));
    EXPECT_EQ(c->GetWindowBytes(), 34'000U);
}

TEST(RdmaAimd, HalvedOncePerLossEvent)
{
    auto c = MakeAimd(64);
    c->OnNak(MakeSample(0, 10, 74));
    EXPECT_EQ(c->GetWindowBytes(), 32'000U);
    // Other losses among the packets up to 74, and a timeout, belong to one event.
    c->OnNak(MakeSample(3, 20, 80));
    c->OnTimeout(0_ps);
    c->OnAck(MakeSample(50, 73, 90));
    EXPECT_EQ(c->GetWindowBytes(), 32'000U);
    // The acknowledgement of 74 ends the event. The window grows by 16 / 32; then the next event.
    c->OnAck(MakeSample(16, 74, 91));
    EXPECT_EQ(c->GetWindowBytes(), 32'000U);
    c->OnAck(MakeSample(17, 91, 100));
    EXPECT_EQ(c->GetWindowBytes(), 33'000U);
    c->OnNak(MakeSample(0, 91, 100));
    EXPECT_EQ(c->GetWindowBytes(), 16'000U);
}

TEST(RdmaAimd, TimeoutIsALoss)
{
    auto c = MakeAimd(64);
    c->OnTimeout(0_ps);
    c->OnTimeout(1_ps); // the packets of the first timeout
    EXPECT_EQ(c->GetWindowBytes(), 32'000U);
    c->OnAck(MakeSample(1, 1, 64));
    c->OnNak(MakeSample(1, 10, 64));
    EXPECT_EQ(c->GetWindowBytes(), 32'000U);
    c->OnAck(MakeSample(63, 64, 70));
    c->OnTimeout(2_ps);
    EXPECT_EQ(c->GetWindowBytes(), 16'000U);
}

TEST(RdmaAimd, Attributes)
{
    auto control = CreateObject<RdmaAimd>();
    auto profile = MakeProfile();
    ExpectRefusal([&] { control->MakeController(profile); }, "InitialWindow 0 needs a path");
    profile.baseRtt = 10'100_ns; // 50.5 packets
    EXPECT_EQ(control->MakeController(profile)->GetWindowBytes(), 51'000U);
    control->SetAttribute("Increase", DoubleValue(5));
    control->SetAttribute("Decrease", DoubleValue(0.1));
    control->SetAttribute("MinWindow", DoubleValue(10));
    control->SetAttribute("MaxWindow", DoubleValue(53));
    auto c = control->MakeController(profile);
    c->OnAck(MakeSample(11, 11, 12)); // 51 + 55 / 51 = 52.08
    EXPECT_EQ(c->GetWindowBytes(), 52'000U);
    c->OnAck(MakeSample(51, 62, 63));
    EXPECT_EQ(c->GetWindowBytes(), 53'000U);
    c->OnNak(MakeSample(0, 62, 63));
    EXPECT_EQ(c->GetWindowBytes(), 10'000U);
    control->SetAttribute("InitialWindow", DoubleValue(9));
    ExpectRefusal([&] { control->MakeController(profile); }, "InitialWindow 9, MinWindow 10");
}
