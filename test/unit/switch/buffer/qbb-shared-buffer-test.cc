/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer-setup.h"
#include "rdma-expect-error.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(QbbSharedBuffer, Divides)
{
    ASSERT_EQ(QbbPfcHeadroom::GetBytes(MakePorts(1)[0]), 3290U);
    auto buffer = MakeBuffer({});
    const QbbBufferUsage usage = buffer->GetUsage();
    EXPECT_EQ(usage.sizeBytes, 12U * 1024 * 1024);
    EXPECT_EQ(usage.reservedSize, 4U * 8 * 1248);
    EXPECT_EQ(usage.headroomSize, 4U * 3290);
    EXPECT_EQ(usage.sharedSize, usage.sizeBytes - usage.reservedSize - usage.headroomSize);
    EXPECT_EQ(buffer->GetIngress(2, 3).headroomLimit, 3290U);
    EXPECT_EQ(buffer->GetIngress(2, 4).headroomLimit, 0U);
    EXPECT_EQ(buffer->GetNPorts(), 4U);
    EXPECT_TRUE(buffer->IsEmpty());
}

// 26 GB, as in deep-buffer switches: thresholds, sizes and counters exceed 32 bits.
TEST(QbbSharedBuffer, MemoryAbove4GiB)
{
    const uint64_t size = 26'000'000'000;
    const uint64_t reserve = 3'000'000'000; // of each of 32 (port, priority); too much
    ExpectRefusal(
        [&] {
            MakeBuffer({{"BufferSize", size}, {"ReserveBytes", reserve}});
        },
        "take 96000000000 bytes");
    auto buffer = MakeBuffer({{"BufferSize", size},
                              {"ReserveBytes", 0},
                              {"HeadroomBytes", 5'000'000'000},
                              {"LosslessAlpha", 1024},
                              {"LossyAlpha", 1024},
                              {"LossyEgressAlpha", 1024}});
    const uint64_t shared = size - 4 * uint64_t{5'000'000'000};
    EXPECT_EQ(buffer->GetUsage().sizeBytes, size);
    EXPECT_EQ(buffer->GetUsage().sharedSize, shared);
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomLimit, 5'000'000'000U);
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 1024 * shared);
    EXPECT_EQ(buffer->GetEgressLimit(1, 0), 1518 + 1024 * shared);
    EXPECT_EQ(buffer->GetTerms(0, 3).poolBytes, shared);
    EXPECT_EQ(buffer->GetTerms(0, 3).headroomBytes, 5'000'000'000U);
    EXPECT_GT(buffer->GetLongestQueues(3)[0], shared);
    EXPECT_EQ(buffer->GetClassesShortOfHeadroom({5'000'000'000, 1, 1, 1}), 0);
    EXPECT_EQ(buffer->GetClassesShortOfHeadroom({5'000'000'001, 1, 1, 1}), 1 << 3);

    // Frames of 1 GB are no frames, but fill 5 GB in few steps.
    constexpr uint32_t GB = 1'000'000'000;
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 1, 0, GB).admitted);
    }
    EXPECT_EQ(buffer->GetIngress(0, 0).bytes, 5'000'000'000U);
    EXPECT_EQ(buffer->GetEgressBytes(1, 0), 5'000'000'000U);
    EXPECT_EQ(buffer->GetUsage().usedBytes, 5'000'000'000U);
    // 1 GB is left to share; the next frames go to headroom.
    EXPECT_FALSE(buffer->Admit(2, 1, 3, GB).xoff);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(buffer->Admit(2, 1, 3, GB).xoff, i == 0);
    }
    EXPECT_FALSE(buffer->Admit(2, 1, 3, GB).admitted);
    EXPECT_EQ(buffer->GetIngress(2, 3).headroomBytes, 5'000'000'000U);
    EXPECT_TRUE(buffer->IsPaused(2, 3));
    for (int i = 0; i < 6; ++i)
    {
        buffer->Release(2, 1, 3, GB);
    }
    EXPECT_FALSE(buffer->IsPaused(2, 3));
    for (int i = 0; i < 5; ++i)
    {
        buffer->Release(0, 1, 0, GB);
    }
    EXPECT_TRUE(buffer->IsEmpty());
    EXPECT_EQ(buffer->GetIngress(0, 0).peakBytes, 5'000'000'000U);
    EXPECT_EQ(buffer->GetIngress(2, 3).peakHeadroomBytes, 5'000'000'000U);
    EXPECT_EQ(buffer->GetUsage().peakUsedBytes, 11'000'000'000U);
}

TEST(QbbSharedBuffer, LargestMemory)
{
    const uint64_t most = uint64_t{1} << 40;
    auto buffer = MakeBuffer({{"LossyAlpha", 1024}, {"LossyEgressPoolBytes", double(most)}});
    EXPECT_TRUE(buffer->SetAttributeFailSafe("BufferSize", UintegerValue(most)));
    EXPECT_FALSE(buffer->SetAttributeFailSafe("BufferSize", UintegerValue(most + 1)));
    EXPECT_FALSE(buffer->SetAttributeFailSafe("XoffBytes", UintegerValue(most + 1)));
    buffer->Configure(MakePorts(4));
    EXPECT_EQ(buffer->GetIngress(0, 0).threshold, 1024 * buffer->GetUsage().sharedSize);
}

TEST(QbbSharedBuffer, PortsMayDiffer)
{
    auto ports = MakePorts(3);
    ports[1].rate = 400_gbps;
    ports[1].delay = 1500_ns;
    ports[2] = QbbPortProfile(); // no lossless class: its rate does not matter
    ports[2].usedMask = 0x81;
    auto buffer = MakeBuffer({}, ports);
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomLimit, 3290U);
    EXPECT_EQ(buffer->GetIngress(1, 3).headroomLimit, QbbPfcHeadroom::GetBytes(ports[1]));
    EXPECT_EQ(buffer->GetIngress(2, 3).headroomLimit, 0U);
    EXPECT_EQ(buffer->GetUsage().reservedSize, (8U + 8 + 2) * 1248);
}

TEST(QbbSharedBuffer, ReserveThenSharedThenHeadroom)
{
    auto buffer = MakeBuffer({{"BufferSize", 4 * 8 * 1500 + 4 * 5000 + 10000},
                              {"ReserveBytes", 1500},
                              {"HeadroomBytes", 5000},
                              {"XoffBytes", 2500},
                              {"XonOffsetBytes", 1}});
    // 1500 of reserve, 2500 of shared: the second and the third frame lie across
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    QbbIngressUsage usage = buffer->GetIngress(0, 3);
    EXPECT_EQ(usage.reservedBytes, 1500U);
    EXPECT_EQ(usage.sharedBytes, 2500U);
    EXPECT_EQ(usage.headroomBytes, 0U);
    EXPECT_FALSE(usage.paused);
    // one byte more is headroom
    const QbbAdmission answer = buffer->Admit(0, 2, 3, 64);
    EXPECT_TRUE(answer.admitted);
    EXPECT_TRUE(answer.xoff);
    usage = buffer->GetIngress(0, 3);
    EXPECT_EQ(usage.headroomBytes, 64U);
    EXPECT_EQ(usage.sharedBytes, 2500U);
    EXPECT_TRUE(usage.paused);
    EXPECT_EQ(buffer->GetEgressBytes(1, 3), 4000U);
    EXPECT_EQ(buffer->GetEgressBytes(2, 3), 64U);
    // released in the order headroom, shared, reserve, whichever frame it is
    buffer->Release(0, 1, 3, 1000);
    usage = buffer->GetIngress(0, 3);
    EXPECT_EQ(usage.headroomBytes, 0U);
    EXPECT_EQ(usage.sharedBytes, 2500U - 936);
    EXPECT_EQ(usage.reservedBytes, 1500U);
    buffer->Release(0, 1, 3, 1000);
    buffer->Release(0, 1, 3, 1000);
    usage = buffer->GetIngress(0, 3);
    EXPECT_EQ(usage.sharedBytes, 0U);
    EXPECT_EQ(usage.reservedBytes, 1064U);
    buffer->Release(0, 1, 3, 1000);
    buffer->Release(0, 2, 3, 64);
    EXPECT_TRUE(buffer->IsEmpty());
    EXPECT_EQ(buffer->GetIngress(0, 3).peakBytes, 4064U);
    EXPECT_EQ(buffer->GetIngress(0, 3).peakHeadroomBytes, 64U);
    EXPECT_EQ(buffer->GetUsage().peakUsedBytes, 4064U);
}

// alpha 1/4 of the free memory: x = (100000 - x) / 4 gives 20000 for one, and for two at once
// x = (100000 - 2 x) / 4 gives 16666, give or take a frame.
TEST(QbbSharedBuffer, DynamicThreshold)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 0.25}}));
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 25000U);
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 3, 500), 40U);
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 20000U);

    buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 0.25}}));
    bool xoff = false;
    while (!xoff)
    {
        xoff = buffer->Admit(0, 2, 3, 100).xoff;
        xoff |= buffer->Admit(1, 2, 3, 100).xoff;
    }
    // with 66800 free, 16700 are just allowed; with 66700, 16675 are
    EXPECT_EQ(buffer->GetIngress(0, 3).sharedBytes, 16700U);
    EXPECT_EQ(buffer->GetIngress(1, 3).sharedBytes, 16600U);
}

TEST(QbbSharedBuffer, AlphaNeedNotBeAPowerOfTwo)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 0.1}}));
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 10000U); // 0.1 rounds up in 2^-20
    EXPECT_FALSE(buffer->SetAttributeFailSafe("LosslessAlpha", DoubleValue(0)));
    EXPECT_FALSE(buffer->SetAttributeFailSafe("LossyAlpha", DoubleValue(-1)));
    EXPECT_FALSE(buffer->SetAttributeFailSafe("LossyEgressAlpha", DoubleValue(1025)));
}

// With alpha above 1 the threshold exceeds the free memory; the use of the shared part must not.
TEST(QbbSharedBuffer, SharedPartIsNeverOverrun)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 1024}}));
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 3, 900), 111U);
    EXPECT_EQ(buffer->GetUsage().sharedBytes, 99900U);
    EXPECT_EQ(buffer->GetUsage().headroomBytes, 900U);
    // 100 bytes are free, enough for a small one
    EXPECT_TRUE(buffer->Admit(1, 2, 0, 64).admitted);
    EXPECT_EQ(buffer->Admit(1, 2, 0, 64).reason, QbbDropReason::BUFFER_FULL);
}

// Pitfall: reserve and headroom charged once per port, granted per port and priority. With all
// eight priorities lossless and all groups of all ports at their limits, nothing is lost.
TEST(QbbSharedBuffer, EveryGuaranteeHoldsAtOnce)
{
    const auto ports = MakePorts(4, 0xff);
    const uint32_t size = 4 * 8 * (1000 + 3290) + 1;
    auto buffer = MakeBuffer({{"BufferSize", size}, {"ReserveBytes", 1000}}, ports);
    EXPECT_EQ(buffer->GetUsage().headroomSize, 4U * 8 * 3290);
    EXPECT_EQ(buffer->GetUsage().reservedSize, 4U * 8 * 1000);
    for (uint16_t port = 0; port < 4; ++port)
    {
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            EXPECT_FALSE(buffer->Admit(port, 0, priority, 1000).xoff);
            EXPECT_TRUE(buffer->Admit(port, 0, priority, 1000).xoff);
            EXPECT_TRUE(buffer->Admit(port, 0, priority, 1000).admitted);
            EXPECT_TRUE(buffer->Admit(port, 0, priority, 1000).admitted);
            EXPECT_TRUE(buffer->Admit(port, 0, priority, 290).admitted);
            EXPECT_EQ(buffer->Admit(port, 0, priority, 64).reason, QbbDropReason::HEADROOM_FULL);
        }
    }
    EXPECT_EQ(buffer->GetUsage().usedBytes, size - 1);
    EXPECT_EQ(buffer->GetUsage().peakHeadroomBytes, 4U * 8 * 3290);
}

TEST(QbbSharedBuffer, LossyIngressThreshold)
{
    // x = (100000 - x) / 4
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LossyAlpha", 0.25}}));
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 0, 1000), 20U);
    const QbbAdmission answer = buffer->Admit(0, 1, 0, 1000);
    EXPECT_FALSE(answer.admitted);
    EXPECT_FALSE(answer.xoff);
    EXPECT_EQ(answer.reason, QbbDropReason::BUFFER_FULL);
    EXPECT_EQ(buffer->GetUsage().headroomBytes, 0U);
    EXPECT_EQ(buffer->GetUsage().usedBytes, 20000U);
}

// Pitfall: priority 0 bypasses the buffer manager.
TEST(QbbSharedBuffer, PriorityZeroIsLikeTheOthers)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 5000}}), MakePorts(4, 1));
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 0, 1000), 5U);
    EXPECT_TRUE(buffer->IsPaused(0, 0));
    EXPECT_EQ(buffer->GetIngress(0, 0).bytes, 6000U);
    EXPECT_EQ(buffer->GetEgressBytes(1, 0), 6000U);
}

TEST(QbbSharedBuffer, DynamicEgressLimit)
{
    // many ports in, one queue out: x <= 2000 + (100000 - x) / 4
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LossyEgressAlpha", 0.25}, {"EgressMinBytes", 2000}}));
    EXPECT_EQ(buffer->GetEgressLimit(), 27000U);
    uint32_t n = 0;
    QbbAdmission answer = buffer->Admit(0, 3, 1, 100);
    while (answer.admitted)
    {
        answer = buffer->Admit(++n % 3, 3, 1, 100);
    }
    EXPECT_EQ(answer.reason, QbbDropReason::EGRESS_LIMIT);
    EXPECT_EQ(buffer->GetEgressBytes(3, 1), 21600U);
    // other queues, of this port and of others, are not full
    EXPECT_TRUE(buffer->Admit(0, 3, 2, 100).admitted);
    EXPECT_TRUE(buffer->Admit(0, 2, 1, 100).admitted);
}

TEST(QbbSharedBuffer, StaticEgressLimitIsForLossyClassesOnly)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"EgressLimitBytes", 3000}}));
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 0, 1000), 3U);
    EXPECT_EQ(buffer->Admit(2, 1, 0, 1).reason, QbbDropReason::EGRESS_LIMIT);
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).admitted);
    }
    EXPECT_EQ(buffer->GetEgressBytes(1, 3), 5000U);
    buffer->Release(0, 1, 0, 1000);
    EXPECT_TRUE(buffer->Admit(2, 1, 0, 1000).admitted);
}

// Class 3 is lossless at ports 0 to 2 and lossy at port 3. Its frames that came in at port 3 are in
// the lossy pool of 10 000 B wherever they leave, above the 1518 B that each queue has for itself.
// Frames that came in at port 0 are not in this pool, wherever they leave.
TEST(QbbSharedBuffer, LossyEgressPoolHasWhatIsLossyAtIngress)
{
    auto ports = MakePorts(4);
    ports[3].losslessMask = 0;
    auto buffer =
        MakeBuffer(Plus(PLAIN, {{"LossyEgressPoolBytes", 10'000}, {"LossyEgressAlpha", 8}}), ports);
    for (int i = 0; i < 5; ++i)
    {
        ASSERT_TRUE(buffer->Admit(0, 1, 3, 1000).admitted);
        ASSERT_TRUE(buffer->Admit(0, 3, 3, 1000).admitted);
    }
    // In the queue of class 3 at port 2, and in the queue of class 0 at port 1.
    for (int i = 0; i < 6; ++i)
    {
        ASSERT_TRUE(buffer->Admit(3, 2, 3, 1000).admitted) << i;
    }
    for (int i = 0; i < 6; ++i)
    {
        ASSERT_TRUE(buffer->Admit(3, 1, 0, 1000).admitted) << i;
    }
    // 2 x (6000 - 1518) are in use, and 1036 are free.
    EXPECT_TRUE(buffer->Admit(3, 2, 3, 1000).admitted);
    EXPECT_EQ(buffer->Admit(3, 2, 3, 100).reason, QbbDropReason::EGRESS_LIMIT);
    buffer->Release(3, 2, 3, 1000);
    EXPECT_TRUE(buffer->Admit(3, 1, 0, 500).admitted);
}

// Pitfall: a link goes down, and its queued frames stay charged.
TEST(QbbSharedBuffer, FlushGivesEverythingBack)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 5000}, {"ReserveBytes", 500}}));
    FillToXoff(buffer, 0, 1, 3, 1000);
    FillToXoff(buffer, 2, 1, 3, 700);
    ASSERT_TRUE(buffer->IsPaused(0, 3));
    ASSERT_TRUE(buffer->IsPaused(2, 3));
    uint32_t xon = 0;
    while (buffer->GetIngress(0, 3).bytes > 0)
    {
        xon += buffer->Release(0, 1, 3, 1000) ? 1 : 0;
    }
    while (buffer->GetIngress(2, 3).bytes > 0)
    {
        xon += buffer->Release(2, 1, 3, 700) ? 1 : 0;
    }
    EXPECT_EQ(xon, 2U);
    EXPECT_TRUE(buffer->IsEmpty());
    EXPECT_GT(buffer->GetUsage().peakUsedBytes, 0U);
    EXPECT_GT(buffer->GetIngress(0, 3).peakBytes, 0U);
    const auto reader = buffer->AddPeakReader();
    for (const QbbIngressPeaks& peaks : buffer->ReadPeaks(reader))
    {
        EXPECT_EQ(peaks.bytes, 0U);
        EXPECT_EQ(peaks.headroomBytes, 0U);
    }
}

TEST(QbbSharedBuffer, ConfiguredAgainWithMorePorts)
{
    auto buffer = MakeBuffer({});
    buffer->Admit(0, 1, 3, 1000);
    buffer->Release(0, 1, 3, 1000);
    buffer->Configure(MakePorts(16));
    EXPECT_EQ(buffer->GetNPorts(), 16U);
    EXPECT_EQ(buffer->GetUsage().headroomSize, 16U * 3290);
    EXPECT_EQ(buffer->GetUsage().sizeBytes, 12U * 1024 * 1024); // does not grow with the ports
    EXPECT_TRUE(buffer->Admit(15, 0, 3, 1000).admitted);
}
