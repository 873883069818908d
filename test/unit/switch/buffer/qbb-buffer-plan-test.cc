/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer-setup.h"
#include "rdma-expect-error.h"

#include <ns3/string.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Priority group 0 for the classes 0, 1 and 2; 3 and 4 are lossless, as in SONiC.
QbbBufferPlan
MakePlan()
{
    QbbBufferPlan plan;
    plan.pools = {{"ingress", false, 100'000, 8000},
                  {"lossy", true, 50'000},
                  {"all", true, 200'000}};
    QbbBufferProfile lossless{"lossless", 0, 1000, 0.125};
    lossless.headroomBytes = 5000;
    lossless.xonBytes = 600;
    lossless.xonOffsetBytes = 2000;
    const QbbBufferProfile ingressLossy{"ingress_lossy", 0, 0, 8.0};
    const QbbBufferProfile egressLossy{"egress_lossy", 1, 1500, 0.5};
    const QbbBufferProfile egressLossless{"egress_lossless", 2, 0, std::nullopt, 30'000};
    plan.profiles = {lossless, ingressLossy, egressLossy, egressLossless};
    QbbPortBufferPlan port;
    port.groups = {1, -1, -1, 0, 0, -1, -1, -1};
    port.queues = {2, 2, 2, 3, 3, -1, -1, -1};
    plan.ports = {port};
    plan.groupOfClass = {0, 0, 0, 3, 4, 5, 6, 7};
    return plan;
}

Ptr<QbbSharedBuffer>
MakePlanned(const QbbBufferPlan& plan, uint32_t bytes = 200'000)
{
    auto buffer = CreateObject<QbbSharedBuffer>();
    buffer->SetAttribute("BufferSize", UintegerValue(bytes));
    buffer->SetPlan(plan);
    buffer->Configure(MakePorts(3, 0x18));
    return buffer;
}

} // namespace

TEST(QbbBufferPlan, HeadroomIsGivenOrComputed)
{
    QbbBufferPlan plan = MakePlan();
    plan.pools[0].headroomBytes = 0; // separate headroom for each group
    plan.profiles[0].headroomBytes = 5000;
    EXPECT_EQ(MakePlanned(plan)->GetIngress(0, 3).headroomLimit, 5000U);
    plan.profiles[0].headroomBytes = 0; // no headroom
    const auto bare = MakePlanned(plan);
    EXPECT_EQ(bare->GetIngress(0, 3).headroomLimit, 0U);
    EXPECT_EQ(bare->GetUsage().headroomSize, 0U);
    plan.profiles[0].headroomBytes.reset();
    const uint64_t computed = QbbPfcHeadroom::GetBytes(MakePorts(3, 0x18)[0]);
    EXPECT_GT(computed, 0U);
    EXPECT_EQ(MakePlanned(plan)->GetIngress(0, 3).headroomLimit, computed);
}

// A lossless group without headroom sends XOFF and drops.
TEST(QbbBufferPlan, NoHeadroomLosesFrames)
{
    QbbBufferPlan plan = MakePlan();
    plan.pools[0].headroomBytes = 0;
    plan.profiles[0].headroomBytes = 0;
    const auto buffer = MakePlanned(plan);
    EXPECT_GT(FillToXoff(buffer, 0, 1, 3, 1000), 0U);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).admitted);
    EXPECT_TRUE(buffer->GetIngress(0, 3).paused);
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomBytes, 0U);
}

TEST(QbbClassAlphas, ReadsNumbersAndFractions)
{
    const auto alphas = QbbClassAlphas::FromText("3:1/8,4:0.0625,0:8");
    EXPECT_EQ(alphas.Get(3, 1), 0.125);
    EXPECT_EQ(alphas.Get(4, 1), 0.0625);
    EXPECT_EQ(alphas.Get(0, 1), 8);
    EXPECT_EQ(alphas.Get(7, 0.5), 0.5);
    EXPECT_EQ(alphas.ToText(), "0:8,3:0.125,4:0.0625");
    EXPECT_EQ(QbbClassAlphas::FromText(alphas.ToText()).ToText(), alphas.ToText());
    EXPECT_EQ(QbbClassAlphas::FromText("").ToText(), "");
}

TEST(QbbClassAlphasDeathTest, NamesTheEntry)
{
    for (const char* text : {"8:1",
                             "3:",
                             "3",
                             "3:0",
                             "3:1/0",
                             "3:-1",
                             "3:1/2048",
                             "3:1025",
                             "3:1e1",
                             "3:1/2/4",
                             "3:.5",
                             "3:5.",
                             "3: 1",
                             ":1",
                             "x:1"})
    {
        ExpectRefusal([&] { QbbClassAlphas::FromText(std::string("4:1/8,") + text); },
                      std::string("\"") + text + "\"; accepted: CLASS:ALPHA");
    }
    ExpectRefusal([&] { QbbClassAlphas::FromText("3:1,3:2"); }, "class 3 is there twice");
    ExpectRefusal([&] { QbbClassAlphas::FromText("3:1,"); }, "end with a comma");
    ExpectRefusal([&] { QbbClassAlphas::FromText("3:1,,4:1"); }, "\"\"; accepted");
}

// 100000 B shared: class 3 is paused above 1/8 of the free memory, class 4 above 1/4.
TEST(QbbClassAlphas, ThresholdsOfTheirOwn)
{
    auto buffer = CreateObject<QbbSharedBuffer>();
    Set(buffer, Plus(PLAIN, {{"BufferSize", 140'000}}));
    buffer->SetAttribute("ClassAlphas", StringValue("4:1/4"));
    buffer->SetAttribute("ClassEgressAlphas", StringValue("1:1/100"));
    buffer->Configure(MakePorts(4, 0x18));
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 12'500U);
    EXPECT_EQ(buffer->GetIngress(0, 4).threshold, 25'000U);
    EXPECT_EQ(buffer->GetEgressLimit(0, 0), 101'518U);
    EXPECT_EQ(buffer->GetEgressLimit(0, 1), 2518U); // 1518 + 100000 / 100
    for (int i = 0; i < 11; ++i)
    {
        EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    }
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).xoff);
    // 89000 B are left: with 17000 B used, the threshold is 18000, a quarter of the rest; 19000
    // exceed it.
    for (int i = 0; i < 18; ++i)
    {
        EXPECT_FALSE(buffer->Admit(1, 2, 4, 1000).xoff);
    }
    EXPECT_TRUE(buffer->Admit(1, 2, 4, 1000).xoff);
}

// Memory that lossy classes fill does not reduce the memory of lossless classes.
TEST(QbbSharedBufferPools, LossyClassesHaveTheirOwn)
{
    const auto buffer =
        MakeBuffer(Plus(PLAIN, {{"LossyPoolBytes", 20'000}, {"LossyEgressAlpha", 8}}));
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 10'000U); // 80000 / 8
    for (int i = 0; i < 17; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 1, 0, 1000).admitted);
    }
    // 17000 are at most 8 times the free memory of 3000. One more would make it 18000 of 24000.
    EXPECT_TRUE(buffer->Admit(0, 1, 0, 1000).admitted);
    EXPECT_EQ(buffer->Admit(0, 1, 0, 1000).reason, QbbDropReason::EGRESS_LIMIT);
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 10'000U);
    EXPECT_EQ(buffer->GetUsage().sharedSize, 100'000U);
    EXPECT_EQ(buffer->GetUsage().sharedBytes, 18'000U);
}

// All lossy queues together hold 10000 B above their minimum of 1518 B, each at most 8 times what
// is free; lossless frames do not count.
TEST(QbbSharedBufferPools, LossyQueuesTogether)
{
    const auto buffer =
        MakeBuffer(Plus(PLAIN, {{"LossyEgressPoolBytes", 10'000}, {"LossyEgressAlpha", 8}}));
    uint32_t held = 0;
    for (uint16_t out : {0, 1, 2, 3})
    {
        while (buffer->Admit(0, out, 0, 500).admitted)
        {
            held += 500;
        }
        EXPECT_GE(buffer->GetEgressBytes(out, 0), 1500U);
    }
    EXPECT_LE(held, 10'000U + 4 * 1518);
    EXPECT_GT(held, 13'000U);
    while (!buffer->Admit(1, 0, 3, 1000).xoff)
    {
    }
    EXPECT_GT(buffer->GetEgressBytes(0, 3), 8000U);
    EXPECT_EQ(buffer->Admit(0, 0, 0, 1000).reason, QbbDropReason::EGRESS_LIMIT);
}

TEST(QbbBufferPlan, DividesTheMemory)
{
    const auto buffer = MakePlanned(MakePlan());
    const QbbBufferUsage usage = buffer->GetUsage();
    EXPECT_EQ(usage.sizeBytes, 200'000U);
    EXPECT_EQ(usage.reservedSize, 3U * 2 * 1000);
    EXPECT_EQ(usage.headroomSize, 8000U);
    EXPECT_EQ(usage.sharedSize, 100'000U);
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 12'500U);
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomLimit, 5000U);
    EXPECT_EQ(buffer->GetIngress(0, 0).threshold, 800'000U);
    EXPECT_EQ(buffer->GetEgressLimit(0, 0), 1500U + 25'000);
    EXPECT_EQ(buffer->GetEgressLimit(0, 3), 30'000U);
    EXPECT_EQ(buffer->GetGuaranteedBytes(MakePorts(3, 0x18)), 114'000U);
}

// The classes 0, 1 and 2 are one group at ingress, and three queues at egress.
TEST(QbbBufferPlan, LossyClassesShareAGroup)
{
    const auto buffer = MakePlanned(MakePlan());
    EXPECT_TRUE(buffer->Admit(0, 1, 0, 1000).admitted);
    EXPECT_TRUE(buffer->Admit(0, 1, 1, 2000).admitted);
    EXPECT_TRUE(buffer->Admit(0, 1, 2, 4000).admitted);
    EXPECT_EQ(buffer->GetIngress(0, 0).bytes, 7000U);
    EXPECT_EQ(buffer->GetIngress(0, 1).bytes, 0U);
    EXPECT_EQ(buffer->GetEgressBytes(1, 1), 2000U);
    // No profile, no memory.
    EXPECT_EQ(buffer->Admit(0, 1, 7, 64).reason, QbbDropReason::EGRESS_LIMIT);
    buffer->Release(0, 1, 1, 2000);
    buffer->Release(0, 1, 2, 4000);
    buffer->Release(0, 1, 0, 1000);
    EXPECT_TRUE(buffer->IsEmpty());
}

// The queue of a lossless class is at its static limit before its ingress pool is full.
TEST(QbbBufferPlan, LosslessQueuesAreLimitedToo)
{
    const auto buffer = MakePlanned(MakePlan());
    for (uint16_t in : {0, 1, 2})
    {
        for (int i = 0; i < 10; ++i)
        {
            EXPECT_TRUE(buffer->Admit(in, 0, 3, 1000).admitted);
        }
    }
    const QbbAdmission answer = buffer->Admit(0, 0, 3, 1000);
    EXPECT_FALSE(answer.admitted);
    EXPECT_EQ(answer.reason, QbbDropReason::EGRESS_LIMIT);
}

// Both lossless classes of all ports take headroom from one pool of 8000 B, each 5000 B at most;
// XON comes at 600 B in all, however small the threshold is by then.
TEST(QbbBufferPlan, HeadroomPoolAndXon)
{
    QbbBufferPlan plan = MakePlan();
    plan.profiles[0].alpha.reset();
    plan.profiles[0].limitBytes = 1000;
    const auto buffer = MakePlanned(plan);
    const auto fill = [&](uint16_t in, uint32_t frames) {
        for (uint32_t i = 0; i < frames; ++i)
        {
            EXPECT_TRUE(buffer->Admit(in, 2, 3, 500).admitted);
        }
    };
    fill(0, 4 + 10); // reserve 1000, shared 1000, headroom 5000
    EXPECT_EQ(buffer->Admit(0, 2, 3, 64).reason, QbbDropReason::HEADROOM_FULL);
    fill(1, 4 + 6); // headroom 3000
    EXPECT_EQ(buffer->Admit(1, 2, 3, 64).reason, QbbDropReason::HEADROOM_FULL);
    // Static threshold 1000, offset 2000: it is the number of bytes that brings XON.
    for (int i = 0; i < 12; ++i)
    {
        EXPECT_FALSE(buffer->Release(0, 2, 3, 500)) << i;
    }
    EXPECT_TRUE(buffer->Release(0, 2, 3, 500));
    EXPECT_EQ(buffer->GetIngress(0, 3).bytes, 500U);
    EXPECT_FALSE(buffer->IsPaused(0, 3));
    EXPECT_TRUE(buffer->IsPaused(1, 3));
}

TEST(QbbBufferPlanDeathTest, NamesWhatIsWrong)
{
    ExpectRefusal([&] { MakePlanned(MakePlan(), 113'999); },
                  "accepted: a BufferSize of at least 114000");
    const std::vector<std::pair<std::function<void(QbbBufferPlan&)>, const char*>> wrong = {
        {[](QbbBufferPlan& plan) { plan.ports.resize(2); },
         "a buffer plan for 2 ports; the switch has 3"},
        {[](QbbBufferPlan& plan) { plan.groupOfClass[2] = 3; },
         "priority group 3 has 2 classes, and one is lossless"},
        {[](QbbBufferPlan& plan) { plan.ports[0].groups[3] = QbbPortBufferPlan::NONE; },
         "priority group 3 of port 0 is lossless and has no profile"},
        {[](QbbBufferPlan& plan) { plan.ports[0].groups[3] = 2; },
         "profile egress_lossy, which is in pool lossy of the other"},
        {[](QbbBufferPlan& plan) { plan.ports[0].queues[0] = 4; },
         "a queue of port 0 has profile 4 of 4"},
        {[](QbbBufferPlan& plan) { plan.profiles[1].pool = 3; },
         "profile ingress_lossy is in pool 3 of 3"},
        {[](QbbBufferPlan& plan) { plan.profiles[1].alpha = 1025; },
         "profile ingress_lossy has alpha 1025; accepted: 0 to 1024"},
        {[](QbbBufferPlan& plan) { plan.pools[0].bytes = 0; }, "pool ingress has 0 bytes"},
        {[](QbbBufferPlan& plan) { plan.pools[1].headroomBytes = 1; },
         "pool lossy has headroom; accepted: in ingress pools"},
        {[](QbbBufferPlan& plan) { plan.groupOfClass[7] = 8; }, "a class is in priority group 8"},
    };
    for (const auto& [change, message] : wrong)
    {
        QbbBufferPlan plan = MakePlan();
        change(plan);
        ExpectRefusal([&] { MakePlanned(plan); }, message);
    }
    ExpectRefusal(
        [&] {
            MakeBuffer(Plus(PLAIN, {{"LossyPoolBytes", 100'000}}));
        },
        "LossyPoolBytes is 100000, but only 100000 bytes are shared");
}
