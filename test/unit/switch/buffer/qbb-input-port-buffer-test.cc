/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-input-port-buffer-setup.h"
#include "qbb-pfc-headroom.h"
#include "rdma-expect-error.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::QbbInputPortBufferSetup;

TEST(QbbInputPortBuffer, AutomaticThresholds)
{
    const auto ports = MakePorts(1 << 3);
    const uint64_t headroom = QbbPfcHeadroom::GetBytes(ports[0]);
    // Wait and pause (1082 + 20 + 72) x 200 ps, twice the cable and the reaction are 4 334 800 ps,
    // at 5 B/ns 21 674 line bytes, less a gap of 12. 19 frames of 1102 are 20 938, and of the 724
    // left 704 are frame.
    ASSERT_EQ(headroom, 19U * 1082 + 704 + 2 * 1082);
    const auto one = MakeBuffer({}, ports);
    // 4096 B are for lossy classes alone.
    EXPECT_EQ(one->GetIngress(0, 3).threshold, 235'904 - headroom);
    EXPECT_EQ(one->GetIngress(0, 3).headroomLimit, headroom);
    // In addition, the lossy classes may hold half as much.
    EXPECT_EQ(one->GetIngress(0, 0).threshold, (240'000 - headroom) / 2);
    EXPECT_EQ(one->GetIngress(0, 0).headroomLimit, 0U);

    const auto two = MakeBuffer({}, MakePorts(0x18));
    EXPECT_EQ(two->GetIngress(0, 3).threshold, (235'904 - 2 * headroom) / 2);
    EXPECT_EQ(two->GetIngress(0, 4).threshold, (235'904 - 2 * headroom) / 2);

    const auto none = MakeBuffer({}, MakePorts(0));
    EXPECT_EQ(none->GetIngress(0, 3).threshold, 240'000U);

    const auto given = MakeBuffer({{"XoffBytes", 220'000}, {"LossyReserveBytes", 0}}, ports);
    EXPECT_EQ(given->GetIngress(0, 3).threshold, 220'000U);
    EXPECT_EQ(given->GetIngress(0, 3).headroomLimit, 20'000U);
    EXPECT_EQ(given->GetUsage().sizeBytes, 720'000U);
    EXPECT_EQ(given->GetUsage().sharedSize, 660'000U);
    EXPECT_EQ(given->GetUsage().headroomSize, 60'000U);
}

TEST(QbbInputPortBuffer, MemoryAbove4GiB)
{
    const auto buffer = CreateObject<QbbInputPortBuffer>();
    buffer->SetAttribute("PortBufferBytes", UintegerValue(20'000'000'000));
    buffer->SetAttribute("XoffBytes", UintegerValue(12'000'000'000));
    buffer->SetAttribute("LossyReserveBytes", UintegerValue(2'000'000'000));
    buffer->Configure(MakePorts(1 << 3));
    EXPECT_EQ(buffer->GetUsage().sizeBytes, 60'000'000'000U);
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, 12'000'000'000U);
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomLimit, 6'000'000'000U);
    EXPECT_EQ(buffer->GetIngress(0, 0).threshold, 7'000'000'000U);
    constexpr uint32_t GB = 1'000'000'000;
    for (int i = 0; i < 7; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 1, i % 2, GB).admitted);
    }
    EXPECT_FALSE(buffer->Admit(0, 1, 0, GB).admitted); // the lossy classes hold half
    for (int i = 0; i < 7; ++i)
    {
        EXPECT_FALSE(buffer->Admit(0, 1, 3, GB).xoff);
    }
    EXPECT_TRUE(buffer->Admit(0, 1, 3, GB).xoff);
    EXPECT_EQ(buffer->GetPortBytes(0), 15'000'000'000U);
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomBytes, GB);
    buffer->Release(0, 1, 3, GB);
    for (int i = 0; i < 7; ++i)
    {
        buffer->Release(0, 1, i % 2, GB);
        buffer->Release(0, 1, 3, GB);
    }
    EXPECT_TRUE(buffer->IsEmpty());
}

TEST(QbbInputPortBuffer, OneHeadroomWherePausesStopAllClasses)
{
    auto ports = MakePorts(0xff);
    for (auto& port : ports)
    {
        port.oneHeadroom = true;
    }
    const auto headroom = static_cast<uint32_t>(QbbPfcHeadroom::GetBytes(ports[0]));
    const auto buffer = MakeBuffer({{"LossyReserveBytes", 0}}, ports);
    // Eight classes share the memory that one headroom leaves.
    EXPECT_EQ(buffer->GetIngress(0, 3).threshold, (240'000 - headroom) / 8);
    const uint32_t limit = buffer->GetIngress(0, 3).headroomLimit;
    EXPECT_GE(limit, headroom);
    EXPECT_LT(limit, headroom + 8);
    EXPECT_EQ(buffer->GetUsage().headroomSize, 3 * uint64_t{limit});
    // Two classes at XOFF; then headroom, which both take from.
    const uint32_t xoff = buffer->GetIngress(0, 3).threshold;
    EXPECT_TRUE(buffer->Admit(0, 1, 3, xoff).admitted);
    EXPECT_TRUE(buffer->Admit(0, 1, 4, xoff).admitted);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, limit - 1000).admitted);
    EXPECT_FALSE(buffer->Admit(0, 1, 4, 1001).admitted);
    EXPECT_TRUE(buffer->Admit(0, 1, 4, 1000).admitted);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 1).admitted);
    buffer->Release(0, 1, 4, 1000);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 1000).admitted);
}

TEST(QbbInputPortBuffer, WatermarksAndHeadroom)
{
    const auto buffer = MakeBuffer({{"PortBufferBytes", 9000},
                                    {"XoffBytes", 6000},
                                    {"XonBytes", 3000},
                                    {"LossyReserveBytes", 0}},
                                   MakePorts(1 << 3));
    for (uint32_t i = 0; i < 6; ++i)
    {
        const QbbAdmission answer = buffer->Admit(1, 2, 3, 1000);
        EXPECT_TRUE(answer.admitted);
        EXPECT_FALSE(answer.xoff);
    }
    EXPECT_FALSE(buffer->IsPaused(1, 3));
    QbbAdmission answer = buffer->Admit(1, 0, 3, 1000);
    EXPECT_TRUE(answer.admitted);
    EXPECT_TRUE(answer.xoff);
    EXPECT_TRUE(buffer->IsPaused(1, 3));
    EXPECT_EQ(buffer->GetIngress(1, 3).headroomBytes, 1000U);
    // The buffer of another port is separate.
    EXPECT_FALSE(buffer->Admit(0, 2, 3, 1000).xoff);
    EXPECT_EQ(buffer->GetEgressBytes(2, 3), 7000U);
    EXPECT_EQ(buffer->GetEgressBytes(0, 3), 1000U);
    EXPECT_EQ(buffer->GetPortBytes(1), 7000U);
    EXPECT_FALSE(buffer->Admit(1, 0, 3, 1000).xoff) << "asked for once";
    EXPECT_TRUE(buffer->Admit(1, 0, 3, 1000).admitted);
    answer = buffer->Admit(1, 0, 3, 64);
    EXPECT_FALSE(answer.admitted);
    EXPECT_EQ(answer.reason, QbbDropReason::HEADROOM_FULL);
    // Headroom goes first; XON at 3000.
    for (uint32_t i = 0; i < 3; ++i)
    {
        EXPECT_FALSE(buffer->Release(1, 0, 3, 1000));
    }
    EXPECT_EQ(buffer->GetIngress(1, 3).headroomBytes, 0U);
    EXPECT_FALSE(buffer->Release(1, 2, 3, 1000));
    EXPECT_FALSE(buffer->Release(1, 2, 3, 1000));
    EXPECT_EQ(buffer->GetIngress(1, 3).bytes, 4000U);
    EXPECT_TRUE(buffer->Release(1, 2, 3, 1000)) << "XON";
    EXPECT_FALSE(buffer->IsPaused(1, 3));
    EXPECT_FALSE(buffer->Release(1, 2, 3, 1000));
    EXPECT_EQ(buffer->GetIngress(1, 3).peakBytes, 9000U);
    buffer->AddPeakReader();
    EXPECT_EQ(buffer->GetIngress(1, 3).peakBytes, 9000U) << "whoever reads";
}

TEST(QbbInputPortBuffer, LossyAlone)
{
    const auto buffer = MakeBuffer({{"PortBufferBytes", 5000}}, MakePorts(0));
    for (uint32_t i = 0; i < 5; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 1, static_cast<uint8_t>(i), 1000).admitted);
    }
    const QbbAdmission answer = buffer->Admit(0, 1, 7, 64);
    EXPECT_FALSE(answer.admitted);
    EXPECT_FALSE(answer.xoff);
    EXPECT_EQ(answer.reason, QbbDropReason::BUFFER_FULL);
    EXPECT_TRUE(buffer->Admit(1, 2, 7, 1000).admitted);
    EXPECT_FALSE(buffer->Release(0, 1, 2, 1000));
    EXPECT_TRUE(buffer->Admit(0, 1, 7, 64).admitted);
}

TEST(QbbInputPortBuffer, LossyBesideLossless)
{
    // S = 8000; lossy classes at most 4000 of it.
    const auto buffer = MakeBuffer({{"PortBufferBytes", 12'000},
                                    {"XoffBytes", 8000},
                                    {"XonBytes", 5000},
                                    {"LossyReserveBytes", 0}},
                                   MakePorts(1 << 3));
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_TRUE(buffer->Admit(0, 1, static_cast<uint8_t>(i % 2), 1000).admitted);
    }
    EXPECT_EQ(buffer->Admit(0, 1, 0, 64).reason, QbbDropReason::BUFFER_FULL);
    // The fifth frame fills S, though the class is far below its XOFF.
    EXPECT_EQ(AdmitAll(*buffer, 3, 5), "aaaax");
    // No XON while S has less than XOFF - XON of room, however little the class holds ...
    EXPECT_EQ(ReleaseAll(*buffer, 3, 5), "rrror") << "3000 B of room";
    // ... but in any case when it holds nothing: lossy classes fill their half, the other half is
    // taken by the class and left again.
    EXPECT_EQ(buffer->GetIngress(0, 3).bytes, 0U);
    EXPECT_FALSE(buffer->IsPaused(0, 3));
}

TEST(QbbInputPortBuffer, LossyReserve)
{
    // A lossless class alone fills its XOFF and headroom; lossy frames have another 1000 B.
    const auto buffer = MakeBuffer({{"PortBufferBytes", 10'000},
                                    {"XoffBytes", 6000},
                                    {"XonBytes", 3000},
                                    {"LossyReserveBytes", 1000}},
                                   MakePorts(1 << 3));
    EXPECT_EQ(AdmitAll(*buffer, 3, 9), "aaaaaaxaa");
    EXPECT_EQ(buffer->Admit(0, 1, 3, 1000).reason, QbbDropReason::HEADROOM_FULL);
    EXPECT_TRUE(buffer->Admit(0, 1, 6, 500).admitted);
    EXPECT_TRUE(buffer->Admit(0, 1, 6, 500).admitted);
    EXPECT_FALSE(buffer->Admit(0, 1, 6, 64).admitted);
    // XON: headroom is given back first; the reserve in use does not delay it.
    EXPECT_EQ(ReleaseAll(*buffer, 3, 6), "rrrrro");
}

TEST(QbbInputPortBuffer, Cells)
{
    const auto buffer = MakeBuffer({{"PortBufferBytes", 1200}, {"CellBytes", 64}}, MakePorts(0));
    EXPECT_EQ(buffer->GetUsage().sizeBytes, 3U * 1152);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 65).admitted);
    EXPECT_EQ(buffer->GetPortBytes(0), 128U);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 64).admitted);
    EXPECT_EQ(buffer->GetPortBytes(0), 192U);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 960).admitted);
    EXPECT_FALSE(buffer->Admit(0, 1, 3, 64).admitted);
    buffer->Release(0, 1, 3, 65);
    EXPECT_TRUE(buffer->Admit(0, 1, 3, 128).admitted);
}

TEST(QbbInputPortBuffer, CellHeadroomHoldsWhatTheLineCanFill)
{
    // All bytes that the line can bring in W line bytes, with frames of any one size, plus a
    // crossing frame and a last frame.
    const auto ports = MakePorts(1 << 3);
    const auto terms = QbbPfcHeadroom::GetTerms(ports[0]);
    for (const uint32_t cell : {2U, 60U, 64U, 80U, 208U, 256U, 1024U})
    {
        const auto buffer =
            MakeBuffer({{"CellBytes", cell}, {"PortBufferBytes", 1'000'000}}, ports);
        const uint32_t headroom = buffer->GetIngress(0, 3).headroomLimit;
        EXPECT_EQ(headroom % cell, 0U);
        const auto inCells = [&](uint32_t bytes) { return (bytes + cell - 1) / cell * cell; };
        uint64_t most = 0;
        for (uint32_t frame = 64; frame <= 1082; ++frame)
        {
            most = std::max<uint64_t>(most, terms.lineBytes / (frame + 20) * inCells(frame));
        }
        EXPECT_GE(headroom, most + 2 * inCells(1082)) << "cells of " << cell;
        EXPECT_LE(headroom, most + 4 * inCells(1082) + 4 * cell) << "cells of " << cell;
    }
}

TEST(QbbInputPortBufferDeathTest, WrongSettings)
{
    const auto lossless = MakePorts(1 << 3);
    ExpectRefusal(
        [&] {
            MakeBuffer({{"PortBufferBytes", 20'000}}, lossless);
        },
        "QbbInputPortBuffer: PortBufferBytes of 20000 .whole cells. is too small "
        "for port 0; accepted: at least 30768 bytes");
    ExpectRefusal(
        [&] {
            MakeBuffer({{"PortBufferBytes", 9000}, {"XoffBytes", 9001}}, lossless);
        },
        "accepted: at least 13097 bytes");
    ExpectRefusal(
        [&] {
            MakeBuffer({{"XoffBytes", 6000}, {"XonBytes", 6000}}, lossless);
        },
        "port 0: XonBytes is 6000 with XOFF at 6000 bytes");
    ExpectRefusal(
        [&] {
            MakeBuffer({{"XoffBytes", 2000}}, lossless);
        },
        "XonBytes is 0 with XOFF at 2000 bytes");
    ExpectRefusal(
        [&] {
            MakeBuffer({{"XoffBytes", 6000}, {"LossyBytes", 10'097}}, lossless);
        },
        "LossyBytes is 10097, but only 10096 bytes of port 0 are not headroom");
    ExpectRefusal(
        [&] {
            MakeBuffer({{"PortBufferBytes", 1081}}, MakePorts(0));
        },
        "accepted: at least 1082 bytes");
    const auto buffer = MakeBuffer({}, lossless);
    buffer->Admit(0, 1, 3, 500);
    EXPECT_DEATH(buffer->Release(0, 1, 3, 501), "501 bytes of priority 3 released from port 0");
    EXPECT_DEATH(buffer->Configure(lossless), "configured while it holds frames");
    EXPECT_DEATH(buffer->GetIngress(3, 0), "port 3, priority 0; accepted: ports below 3");
}

TEST(QbbInputPortBuffer, XonAsSoonAsAnotherClassHasMadeRoom)
{
    // S = 8000, half of it for lossy classes.
    const auto buffer = MakeBuffer({{"PortBufferBytes", 12'000},
                                    {"XoffBytes", 8000},
                                    {"XonBytes", 5000},
                                    {"LossyReserveBytes", 0}},
                                   MakePorts(1 << 3));
    EXPECT_EQ(AdmitAll(*buffer, 0, 4), "aaaa");
    EXPECT_EQ(AdmitAll(*buffer, 3, 5), "aaaax");
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomBytes, 1000U);
    // 5000 B are at the low watermark; S must have 1000 B for those in headroom, and 3000 B more.
    EXPECT_EQ(ReleaseAll(*buffer, 0, 4), "rrro");
    EXPECT_EQ(buffer->TakeResumed()->priority, 3);
    EXPECT_EQ(buffer->GetIngress(0, 3).headroomBytes, 0U);
    EXPECT_EQ(buffer->GetIngress(0, 3).sharedBytes, 5000U);
    EXPECT_EQ(buffer->GetUsage().headroomBytes, 0U);
}
