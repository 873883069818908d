/* SPDX-License-Identifier: GPL-2.0-only */

// When a shared buffer pauses and resumes a class, and the headroom that the class uses meanwhile.

#include "qbb-shared-buffer-setup.h"

#include <gtest/gtest.h>

using namespace ns3;

// Pitfall: a dynamic threshold that underflows once everything is full never pauses.
TEST(QbbSharedBufferPause, PausesWhenNothingIsFree)
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
TEST(QbbSharedBufferPause, XoffOnceAndXonTwoFramesBelow)
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

TEST(QbbSharedBufferPause, XonOffsetDefaultsToTheLargerOfBothSides)
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
TEST(QbbSharedBufferPause, XonWhenEmptyAtTheLatest)
{
    auto buffer = MakeBuffer(Plus(PLAIN, {{"LosslessAlpha", 1.0 / 1024}}));
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 97U);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1000).xoff);
    EXPECT_FALSE(buffer->Release(0, 1, 3, 1000));
    EXPECT_TRUE(buffer->Release(0, 1, 3, 1000));
    EXPECT_TRUE(buffer->IsEmpty());
}

// A host is paused while others fill the memory. When frames of the others leave, the host resumes,
// although none of its frames has left, and its headroom use moves to the shared part.
TEST(QbbSharedBufferPause, XonAsSoonAsOthersHaveMadeRoom)
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
    // The resumption is announced once, and the headroom is whole for the next XOFF.
    EXPECT_FALSE(buffer->Release(1, 2, 0, 1000));
    EXPECT_EQ(FillToXoff(buffer, 0, 2, 3, 1000), 1U);
    for (int i = 0; i < 4; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 2, 3, 1000).admitted);
    }
    EXPECT_EQ(buffer->Admit(0, 2, 3, 1000).reason, QbbDropReason::HEADROOM_FULL);
}

// Several groups wait for room: the group that was paused first resumes first.
TEST(QbbSharedBufferPause, XonInTheOrderOfXoff)
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

TEST(QbbSharedBufferPause, DedicatedHeadroomEndsAndSaysSo)
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
    // the minimum of another group is its own
    EXPECT_EQ(FillToXoff(buffer, 1, 2, 3, 1000), 3U);
    EXPECT_TRUE(buffer->Admit(1, 2, 3, 1000).admitted);
}

// If no group holds memory, none will free any: a pause would never end.
TEST(QbbSharedBufferPause, OneHeadroomWherePausesStopAllClasses)
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
    // The other port has its own headroom.
    for (int i = 0; i < 15; ++i)
    {
        EXPECT_TRUE(buffer->Admit(1, 0, 3, 1000).admitted);
    }
    EXPECT_FALSE(buffer->Admit(1, 0, 3, 1000).admitted);
    // Another class may take the memory that one class gives back.
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

TEST(QbbSharedBufferPause, ADropPausesUnlessThereIsNothingToWaitFor)
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

// Others hold the headroom pool, and the shared part is full: a group that holds nothing is paused
// too, and resumes when its headroom is available.
TEST(QbbSharedBufferPause, AGroupThatHoldsNothingIsPausedToo)
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
    // One resumes itself when it holds nothing, and has freed all that the other needs.
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

TEST(QbbSharedBufferPause, HeadroomPool)
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
    // the first takes its 3000 and no more, the second takes the rest of the pool
    EXPECT_EQ(FillToXoff(buffer, 0, 3, 3, 1000), 1U);
    EXPECT_TRUE(buffer->Admit(0, 3, 3, 1000).admitted);
    EXPECT_TRUE(buffer->Admit(0, 3, 3, 1000).admitted);
    EXPECT_EQ(buffer->Admit(0, 3, 3, 1000).reason, QbbDropReason::HEADROOM_FULL);
    EXPECT_EQ(FillToXoff(buffer, 1, 3, 3, 1000), 1U);
    EXPECT_TRUE(buffer->Admit(1, 3, 3, 1000).admitted);
    EXPECT_FALSE(buffer->Admit(1, 3, 3, 1000).admitted);
    EXPECT_EQ(buffer->GetUsage().headroomBytes, 5000U);
    // headroom that was given back is available to the other group
    EXPECT_FALSE(buffer->Release(0, 3, 3, 1000));
    EXPECT_TRUE(buffer->Admit(1, 3, 3, 1000).admitted);
    EXPECT_EQ(buffer->GetUsage().peakHeadroomBytes, 5000U);
}
