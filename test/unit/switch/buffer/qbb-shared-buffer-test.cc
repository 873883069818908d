/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer-setup.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** Admits frames of one size until one is not taken or says XOFF. \return how many fitted */
uint32_t
FillToXoff(Ptr<QbbSharedBuffer> buffer, uint16_t in, uint16_t out, uint8_t priority, uint32_t size)
{
    for (uint32_t n = 0;; ++n)
    {
        const QbbAdmission answer = buffer->Admit(in, out, priority, size);
        if (answer.xoff || !answer.admitted)
        {
            return n;
        }
    }
}

} // namespace

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

// alpha 1/4 of what is free: x = (100000 - x) / 4 gives 20000 for one, and for two at once
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

// With alpha above 1 the threshold exceeds what is free; the shared part may not.
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

// Pitfall: a dynamic threshold that underflows once everything is full never pauses.
TEST(QbbSharedBuffer, PausesWhenNothingIsFree)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 1024}}));
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 3, 1000), 100U);
    EXPECT_EQ(buffer->GetUsage().sharedBytes, 100000U);
    EXPECT_EQ(buffer->GetIngress(1, 3).threshold, 0U);
    EXPECT_EQ(buffer->GetEgressLimit(), 1518U);
    const QbbAdmission answer = buffer->Admit(1, 2, 3, 1000);
    EXPECT_TRUE(answer.admitted);
    EXPECT_TRUE(answer.xoff);
}

// Pitfall: XOFF again for every packet above the threshold, or hysteresis of one byte.
TEST(QbbSharedBuffer, XoffOnceAndXonTwoFramesBelow)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 10000}}));
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 3, 1000), 10U);
    for (int i = 0; i < 4; ++i)
    {
        const QbbAdmission answer = buffer->Admit(0, 1, 3, 1000);
        EXPECT_TRUE(answer.admitted);
        EXPECT_FALSE(answer.xoff);
    }
    EXPECT_TRUE(buffer->IsPaused(0, 3));
    EXPECT_FALSE(buffer->IsPaused(0, 4));
    EXPECT_FALSE(buffer->IsPaused(1, 3));
    // 5 in headroom, 10 in shared; two frames below 10000 are 8000
    for (int i = 0; i < 6; ++i)
    {
        EXPECT_FALSE(buffer->Release(0, 1, 3, 1000));
    }
    EXPECT_TRUE(buffer->Release(0, 1, 3, 1000));
    EXPECT_FALSE(buffer->IsPaused(0, 3));
    EXPECT_FALSE(buffer->Release(0, 1, 3, 1000));
    // the next crossing is announced again
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 3, 1000), 3U);
}

TEST(QbbSharedBuffer, XonOffsetDefaultsToTheLargerOfBothSides)
{
    auto ports = MakePorts(2);
    ports[0].peerMaxFrameBytes = 2000;
    auto buffer =
        MakeBuffer({{"BufferSize", 120'000}, {"ReserveBytes", 0}, {"XoffBytes", 10000}}, ports);
    FillToXoff(buffer, 0, 1, 3, 1000);
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_FALSE(buffer->Release(0, 1, 3, 1000));
    }
    EXPECT_TRUE(buffer->Release(0, 1, 3, 1000)); // 6000
}

// A threshold below the offset would never be reached from above.
TEST(QbbSharedBuffer, XonWhenEmptyAtTheLatest)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 1.0 / 1024}}));
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 97U);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Release(0, 1, 3, 1000));
    EXPECT_TRUE(buffer->Release(0, 1, 3, 1000));
    EXPECT_TRUE(buffer->IsEmpty());
}

// A host is paused while others fill the memory, and these leave: the host goes on, though nothing
// of its own has left, and what it has in headroom is moved to the shared part.
TEST(QbbSharedBuffer, XonAsSoonAsOthersHaveMadeRoom)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 1}, {"XonOffsetBytes", 1000}}));
    for (int i = 0; i < 50; ++i)
    {
        ASSERT_TRUE(buffer->Admit(1, 2, 0, 1000).admitted);
    }
    ASSERT_EQ(FillToXoff(buffer, 0, 2, 3, 1000), 25U);
    ASSERT_TRUE(buffer->Admit(0, 2, 3, 1000).admitted);
    // 25 in shared and 2 in headroom. With 30 free it may resume: 28 are left, the threshold is
    // 28, and 27 + 1 are not above it. 25 are free now.
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_FALSE(buffer->Release(1, 2, 0, 1000)) << i;
    }
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomBytes, 2000U);
    EXPECT_TRUE(buffer->Release(1, 2, 0, 1000));
    const auto resumed = buffer->TakeResumed();
    ASSERT_TRUE(resumed);
    EXPECT_EQ(resumed->port, 0);
    EXPECT_EQ(resumed->priority, 3);
    EXPECT_FALSE(buffer->TakeResumed());
    EXPECT_FALSE(buffer->IsPaused(0, 3));
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomBytes, 0U);
    EXPECT_EQ(buffer->GetIngress(0, 3).sharedBytes, 27000U);
    EXPECT_EQ(buffer->GetUsage().headroomBytes, 0U);
    EXPECT_EQ(buffer->GetUsage().sharedBytes, 72000U);
    // It is announced once, and the headroom is whole for the next XOFF.
    EXPECT_FALSE(buffer->Release(1, 2, 0, 1000));
    EXPECT_EQ(FillToXoff(buffer, 0, 2, 3, 1000), 1U);
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 2, 3, 1000).admitted);
    }
    EXPECT_EQ(buffer->Admit(0, 2, 3, 1000).reason, QbbDropReason::HEADROOM_FULL);
}

// Several wait for room: those that were paused first resume first.
TEST(QbbSharedBuffer, XonInTheOrderOfXoff)
{
    auto buffer = MakeBuffer(
        Plus(PLAIN, {{"LosslessAlpha", 0.125}, {"LossyEgressAlpha", 8}, {"XonOffsetBytes", 1000}}));
    ASSERT_TRUE(buffer->Admit(3, 1, 0, 80'000).admitted);
    for (const uint16_t port : {2, 0, 1})
    {
        while (!buffer->IsPaused(port, 3))
        {
            ASSERT_TRUE(buffer->Admit(port, 1, 3, 1000).admitted);
        }
    }
    std::vector<uint16_t> order;
    EXPECT_TRUE(buffer->Release(3, 1, 0, 80'000)); // room for all at once
    while (const auto resumed = buffer->TakeResumed())
    {
        order.push_back(resumed->port);
    }
    EXPECT_EQ(order, std::vector<uint16_t>({2, 0, 1}));
    EXPECT_FALSE(buffer->IsPaused(0, 3) || buffer->IsPaused(1, 3) || buffer->IsPaused(2, 3));
}

TEST(QbbSharedBuffer, DedicatedHeadroomEndsAndSaysSo)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"XoffBytes", 3000}, {"XonOffsetBytes", 1000}}));
    EXPECT_EQ(FillToXoff(buffer, 0, 1, 3, 1000), 3U);
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).admitted);
    }
    const QbbAdmission answer = buffer->Admit(0, 1, 3, 1);
    EXPECT_FALSE(answer.admitted);
    EXPECT_FALSE(answer.xoff);
    EXPECT_EQ(answer.reason, QbbDropReason::HEADROOM_FULL);
    EXPECT_EQ(buffer->GetIngress(0, 3).peakHeadroomBytes, 5000U);
    // somebody else's is his own
    EXPECT_EQ(FillToXoff(buffer, 1, 2, 3, 1000), 3U);
    EXPECT_TRUE(buffer->Admit(1, 2, 3, 1000).admitted);
}

// Where nobody holds anything, nobody will make room: a pause would never end.
TEST(QbbSharedBuffer, OneHeadroomWherePausesStopAllClasses)
{
    auto ports = MakePorts(2, 0xff);
    ports[0].oneHeadroom = true;
    ports[1].oneHeadroom = true;
    const auto buffer = MakeBuffer({{"BufferSize", 110'000},
                                    {"ReserveBytes", 0},
                                    {"HeadroomBytes", 5000},
                                    {"XoffBytes", 10'000}},
                                   ports);
    EXPECT_EQ(buffer->GetUsage().headroomSize, 10'000U);
    EXPECT_EQ(buffer->GetUsage().sharedSize, 100'000U);
    const auto fill = [&buffer](uint8_t priority, int frames) {
        int admitted = 0;
        for (int i = 0; i < frames; ++i)
        {
            admitted += buffer->Admit(0, 1, priority, 1000).admitted;
        }
        return admitted;
    };
    // Ten frames of each class are below XOFF; five more of all classes together are headroom.
    EXPECT_EQ(fill(3, 12), 12);
    EXPECT_EQ(fill(4, 12), 12);
    EXPECT_EQ(fill(7, 12), 11);
    EXPECT_EQ(fill(3, 1), 0);
    EXPECT_EQ(buffer->Admit(0, 1, 4, 1000).reason, QbbDropReason::HEADROOM_FULL);
    EXPECT_EQ(buffer->GetUsage().headroomBytes, 5000U);
    // The other port has its own.
    for (int i = 0; i < 15; ++i)
    {
        EXPECT_TRUE(buffer->Admit(1, 0, 3, 1000).admitted);
    }
    EXPECT_FALSE(buffer->Admit(1, 0, 3, 1000).admitted);
    // What one class gives back another one may take.
    buffer->Release(0, 1, 7, 1000);
    EXPECT_EQ(fill(4, 2), 1);
    for (const auto& [priority, frames] : {std::pair(3, 12), std::pair(4, 13), std::pair(7, 10)})
    {
        for (int i = 0; i < frames; ++i)
        {
            buffer->Release(0, 1, static_cast<uint8_t>(priority), 1000);
        }
    }
    for (int i = 0; i < 15; ++i)
    {
        buffer->Release(1, 0, 3, 1000);
    }
    while (buffer->TakeResumed())
    {
    }
    EXPECT_TRUE(buffer->IsEmpty());
    EXPECT_EQ(fill(0, 16), 15) << "all of it is there again";
}

TEST(QbbSharedBuffer, ADropPausesUnlessThereIsNothingToWaitFor)
{
    auto buffer = MakeBuffer({{"BufferSize", 20'000},
                              {"ReserveBytes", 0},
                              {"HeadroomBytes", 500},
                              {"LosslessAlpha", 1.0 / 1024},
                              {"XonOffsetBytes", 1}});
    QbbAdmission answer = buffer->Admit(0, 1, 3, 1000);
    EXPECT_FALSE(answer.admitted);
    EXPECT_FALSE(answer.xoff);
    EXPECT_TRUE(buffer->IsEmpty());
    ASSERT_TRUE(buffer->Admit(0, 1, 3, 10).admitted);
    answer = buffer->Admit(0, 1, 3, 1000);
    EXPECT_FALSE(answer.admitted);
    EXPECT_TRUE(answer.xoff);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_TRUE(buffer->Release(0, 1, 3, 10));
    EXPECT_TRUE(buffer->IsEmpty());
}

// The pool of headroom is taken by others, and the shared part is full: who holds nothing is
// paused as well, and goes on when its headroom can be had.
TEST(QbbSharedBuffer, AGroupThatHoldsNothingIsPausedToo)
{
    auto buffer = MakeBuffer({{"BufferSize", 108'000},
                              {"ReserveBytes", 0},
                              {"HeadroomPool", 1},
                              {"HeadroomPoolBytes", 8000},
                              {"HeadroomBytes", 4000},
                              {"LosslessAlpha", 1},
                              {"LossyAlpha", 1024},
                              {"LossyEgressAlpha", 1024},
                              {"XonOffsetBytes", 1000}});
    for (int i = 0; i < 100; ++i)
    {
        ASSERT_TRUE(buffer->Admit(3, 2, 0, 1000).admitted);
    }
    for (const uint16_t port : {0, 1})
    {
        for (int i = 0; i < 4; ++i)
        {
            ASSERT_TRUE(buffer->Admit(port, 2, 3, 1000).admitted);
        }
    }
    QbbAdmission answer = buffer->Admit(2, 0, 3, 1000);
    EXPECT_FALSE(answer.admitted);
    EXPECT_EQ(answer.reason, QbbDropReason::HEADROOM_FULL);
    EXPECT_TRUE(answer.xoff);
    EXPECT_TRUE(buffer->IsPaused(2, 3));
    EXPECT_FALSE(buffer->Admit(2, 0, 3, 1000).xoff) << "asked for once";
    // One resumes itself when it holds nothing, and has given back all that the other needs.
    for (int i = 0; i < 3; ++i)
    {
        EXPECT_FALSE(buffer->Release(0, 2, 3, 1000)) << i;
    }
    EXPECT_TRUE(buffer->Release(0, 2, 3, 1000));
    std::vector<uint16_t> order;
    while (const auto resumed = buffer->TakeResumed())
    {
        order.push_back(resumed->port);
    }
    EXPECT_EQ(order, std::vector<uint16_t>({0, 2}));
    EXPECT_TRUE(buffer->IsPaused(1, 3));
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

TEST(QbbSharedBuffer, HeadroomPool)
{
    // 4 x 3290 / 2
    auto buffer = MakeBuffer({{"HeadroomPool", 1}, {"ReserveBytes", 0}});
    EXPECT_EQ(buffer->GetUsage().headroomSize, 6580U);
    buffer = MakeBuffer({{"HeadroomPool", 1}, {"HeadroomOversubscription", 3}});
    EXPECT_EQ(buffer->GetUsage().headroomSize, 4387U);
    buffer = MakeBuffer({{"HeadroomPool", 1},
                         {"HeadroomPoolBytes", 5000},
                         {"HeadroomBytes", 3000},
                         {"BufferSize", 105'000},
                         {"XoffBytes", 1000},
                         {"XonOffsetBytes", 500},
                         {"ReserveBytes", 0}});
    EXPECT_EQ(buffer->GetUsage().headroomSize, 5000U);
    EXPECT_EQ(buffer->GetUsage().sharedSize, 100'000U);
    // the first takes its 3000 and no more, the second what is left of the pool
    EXPECT_EQ(FillToXoff(buffer, 0, 3, 3, 1000), 1U);
    EXPECT_TRUE(buffer->Admit(0, 3, 3, 1000).admitted);
    EXPECT_TRUE(buffer->Admit(0, 3, 3, 1000).admitted);
    EXPECT_EQ(buffer->Admit(0, 3, 3, 1000).reason, QbbDropReason::HEADROOM_FULL);
    EXPECT_EQ(FillToXoff(buffer, 1, 3, 3, 1000), 1U);
    EXPECT_TRUE(buffer->Admit(1, 3, 3, 1000).admitted);
    EXPECT_FALSE(buffer->Admit(1, 3, 3, 1000).admitted);
    EXPECT_EQ(buffer->GetUsage().headroomBytes, 5000U);
    // given back, it is there for the other
    EXPECT_FALSE(buffer->Release(0, 3, 3, 1000));
    EXPECT_TRUE(buffer->Admit(1, 3, 3, 1000).admitted);
    EXPECT_EQ(buffer->GetUsage().peakHeadroomBytes, 5000U);
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

// Pitfall: priority 0 goes round the buffer manager.
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
// Those that came in at port 0 are not, wherever they leave.
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
    // In the queue of port 2, and in that of class 0 of port 1.
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

// Pitfall: a link goes down, and what was queued for it stays charged.
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
    buffer->ResetPeaks();
    EXPECT_EQ(buffer->GetUsage().peakUsedBytes, 0U);
    EXPECT_EQ(buffer->GetUsage().peakHeadroomBytes, 0U);
    EXPECT_EQ(buffer->GetIngress(0, 3).peakBytes, 0U);
    EXPECT_EQ(buffer->GetIngress(0, 3).peakHeadroomBytes, 0U);
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
