/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-pacer.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** A controller whose answers the test sets. */
struct FixedController : public RdmaRateController
{
    RdmaBitRate GetRate(RdmaPs) override
    {
        return rate;
    }

    uint64_t GetWindowBytes() const override
    {
        return windowBytes;
    }

    void OnSent(uint32_t bytes, RdmaPs) override
    {
        sentBytes += bytes;
    }

    RdmaPs GetNextRise() const override
    {
        return rise;
    }

    RdmaBitRate rate{1_gbps};        //!< rate
    RdmaPs rise{NEVER};              //!< GetNextRise()
    uint64_t windowBytes{NO_WINDOW}; //!< window
    uint64_t sentBytes{0};           //!< bytes reported by OnSent()
};

/** Says whether it has a window and hears acknowledgements; its window is one byte. */
struct NarrowController : public RdmaRateController
{
    NarrowController(bool window, bool acks)
        : hasWindow(window),
          usesAcks(acks)
    {
    }

    RdmaBitRate GetRate(RdmaPs) override
    {
        return 1_gbps;
    }

    uint64_t GetWindowBytes() const override
    {
        return 1;
    }

    bool HasWindow() const override
    {
        return hasWindow;
    }

    bool UsesAcks() const override
    {
        return usesAcks;
    }

    bool hasWindow; //!< HasWindow()
    bool usesAcks;  //!< UsesAcks()
};

/** A pacer of 1000-byte packets with a FixedController. */
struct Pacer
{
    explicit Pacer(bool timesPackets = false, RdmaBitRate minRate = 1_bps)
    {
        auto made = std::make_unique<FixedController>();
        control = made.get();
        pacer = std::make_unique<RdmaPacer>(std::move(made), 1000, minRate, timesPackets);
    }

    FixedController* control;         //!< its controller
    std::unique_ptr<RdmaPacer> pacer; //!< the pacer
};

} // namespace

TEST(RdmaPacer, ExactSpacing)
{
    // 8000 bits at 1 Gb/s: 8 us; at 400 Gb/s: 20 ns
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    EXPECT_EQ(p.pacer->GetNext(), 8_us);
    p.control->rate = 400_gbps;
    p.pacer->OnSent(1, false, 1000, 8_us);
    EXPECT_EQ(p.pacer->GetNext(), 8'020'000_ps);
    // half a packet: half the time
    p.pacer->OnSent(2, false, 500, 8'020'000_ps);
    EXPECT_EQ(p.pacer->GetNext(), 8'030'000_ps);
    EXPECT_EQ(p.control->sentBytes, 2500U);
}

TEST(RdmaPacer, AControllerWithoutWindowIsNotAsked)
{
    for (const bool hasWindow : {false, true})
    {
        for (const bool usesAcks : {false, true})
        {
            RdmaPacer pacer(std::make_unique<NarrowController>(hasWindow, usesAcks),
                            1000,
                            1_bps,
                            false);
            EXPECT_EQ(pacer.HasWindow(), hasWindow);
            // Acknowledgements also make room in a window.
            EXPECT_EQ(pacer.UsesAcks(), hasWindow || usesAcks);
        }
    }
}

TEST(RdmaPacer, RemainderIsCarriedOn)
{
    // 8 x 10^15 / (3 x 10^9) = 2 666 666.67 ps: three packets take 8 us to the picosecond, 3000
    // packets 8 ms
    Pacer p;
    p.control->rate = 3_gbps;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        p.pacer->OnSent(i, false, 1000, p.pacer->GetNext());
        if (i == 0)
        {
            EXPECT_EQ(p.pacer->GetNext(), 2'666'666_ps);
        }
        if (i == 1)
        {
            EXPECT_EQ(p.pacer->GetNext(), 5'333'333_ps);
        }
    }
    EXPECT_EQ(p.pacer->GetNext(), 8_ms);
}

TEST(RdmaPacer, RemainderOfAnotherRateIsNotCarriedOn)
{
    Pacer p;
    p.control->rate = 3_gbps;
    p.pacer->OnSent(0, false, 1000, 0_ps); // leaves 2/3 ps
    p.control->rate = 1500_mbps;           // 5 333 333.33 ps
    p.pacer->OnSent(1, false, 1000, p.pacer->GetNext());
    EXPECT_EQ(p.pacer->GetNext(), 2'666'666_ps + 5'333'333_ps);
}

TEST(RdmaPacer, NoBurstAfterIdling)
{
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    // After a second of silence one packet goes at once, and the next one 8 us later, not sooner.
    const RdmaPs later = 1_s;
    EXPECT_LE(p.pacer->GetNext(), later);
    p.pacer->ForgetWait();
    p.pacer->OnSent(1, false, 1000, later);
    EXPECT_EQ(p.pacer->GetNext(), later + 8_us);
    // 1 us late, for want of something to send: the pacer does not make up for it
    p.pacer->ForgetWait();
    p.pacer->OnSent(2, false, 1000, later + 9_us);
    EXPECT_EQ(p.pacer->GetNext(), later + 17_us);
}

TEST(RdmaPacer, WaitingForThePortIsMadeUpFor)
{
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0_us); // due at 8 us, but the port is taken until 11 us
    p.pacer->OnSent(1, false, 1000, 11_us);
    EXPECT_EQ(p.pacer->GetNext(), 16_us);
    p.pacer->OnSent(2, false, 1000, 16_us);
    EXPECT_EQ(p.pacer->GetNext(), 24_us);
}

TEST(RdmaPacer, NoMoreThanOnePacketIsMadeUpFor)
{
    // Due at 8 us, but the port is taken until 100 us: packet 2 may follow packet 1 at once. Packet
    // 3 is due 8 us after packet 1, not earlier.
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0_us);
    p.pacer->OnSent(1, false, 1000, 100_us);
    EXPECT_EQ(p.pacer->GetNext(), 100_us);
    p.pacer->OnSent(2, false, 1000, 101_us);
    EXPECT_EQ(p.pacer->GetNext(), 108_us);
    EXPECT_TRUE(p.pacer->MustWait(107'999'999_ps));
}

TEST(RdmaPacer, LatePacketsKeepTheRemainder)
{
    // 2 666 666 2/3 ps a packet at 3 Gb/s: 3000 packets, each 1 us late, take 8 ms.
    Pacer p;
    p.control->rate = 3_gbps;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    for (uint32_t i = 1; i < 3000; ++i)
    {
        p.pacer->OnSent(i, false, 1000, p.pacer->GetNext() + 1_us);
    }
    EXPECT_EQ(p.pacer->GetNext(), 8_ms);
}

TEST(RdmaPacer, WithoutCatchingUpEachWaitLowersTheRate)
{
    auto made = std::make_unique<FixedController>();
    RdmaPacer pacer(std::move(made), 1000, 1_bps, false, {}, 0, false);
    pacer.OnSent(0, false, 1000, 0_us);
    pacer.OnSent(1, false, 1000, 11_us);
    EXPECT_EQ(pacer.GetNext(), 19_us);
}

TEST(RdmaPacer, RisingRateShortensAWait)
{
    // 8000 bits at 1 Gb/s: 8 us. After 2 us 6000 bits are left, at 3 Gb/s 2 us of them; and of
    // the 3000 bits that are left 1 us later, 300 ns at 10 Gb/s.
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    p.control->rate = 3_gbps;
    p.pacer->ApplyHigherRate(2_us);
    EXPECT_EQ(p.pacer->GetNext(), 4_us);
    EXPECT_TRUE(p.pacer->MustWait(3_us));
    p.control->rate = 10_gbps;
    EXPECT_TRUE(p.pacer->MustWait(3_us));
    EXPECT_EQ(p.pacer->GetNext(), 3'300'000_ps);
    EXPECT_TRUE(p.pacer->MustWait(3'299'999_ps));
    EXPECT_FALSE(p.pacer->MustWait(3'300'000_ps));
}

TEST(RdmaPacer, FallingRateCountsFromTheNextPacket)
{
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    p.control->rate = 500_mbps;
    p.pacer->ApplyHigherRate(1_us);
    EXPECT_EQ(p.pacer->GetNext(), 8_us);
    p.control->rate = 1_gbps; // back to the earlier value: the packet does not go sooner
    p.pacer->ApplyHigherRate(2_us);
    EXPECT_EQ(p.pacer->GetNext(), 8_us);
    p.control->rate = 500_mbps;
    p.pacer->OnSent(1, false, 1000, 8_us);
    EXPECT_EQ(p.pacer->GetNext(), 24_us);
}

TEST(RdmaPacer, HasteningKeepsParts)
{
    // 8000 bits at 3 Gb/s: 2 666 666 2/3 ps. After 1 ps 7999.997 bits are left, at 7 Gb/s
    // 1 142 856 5/7 ps; a second packet at that rate takes 1 142 857 1/7 ps more: 2 285 714 6/7.
    Pacer p;
    p.control->rate = 3_gbps;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    p.control->rate = 7_gbps;
    p.pacer->ApplyHigherRate(1_ps);
    EXPECT_EQ(p.pacer->GetNext(), 1_ps + 1'142'856_ps);
    p.pacer->OnSent(1, false, 1000, p.pacer->GetNext());
    EXPECT_EQ(p.pacer->GetNext(), 1_ps + 2'285'713_ps);
}

TEST(RdmaPacer, HasteningAtTheSlowestRate)
{
    // The longest frame at 1 bit/s waits for 73 728 s; nothing overflows.
    Pacer p;
    p.control->rate = 1_bps;
    p.pacer->OnSent(0, false, 9216, 0_ps);
    EXPECT_EQ(p.pacer->GetNext(), 73'728_s);
    p.control->rate = 800_gbps;
    p.pacer->ApplyHigherRate(1_ps);
    EXPECT_EQ(p.pacer->GetNext(), 1_ps + 92'159_ps);
}

TEST(RdmaPacer, WakesWhereTheRateMayRise)
{
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    EXPECT_EQ(p.pacer->GetWake(0_ps), 8_us);
    p.control->rise = 5_us;
    EXPECT_EQ(p.pacer->GetWake(0_ps), 5_us);
    p.control->rise = 9_us;
    EXPECT_EQ(p.pacer->GetWake(0_ps), 8_us);
    p.control->rise = 10_ps; // in the past: the pacer wakes after this instant
    EXPECT_EQ(p.pacer->GetWake(1000_ps), 1001_ps);
}

TEST(RdmaPacer, FloorOfTheRate)
{
    Pacer p(false, 1_mbps);
    p.control->rate = 0_bps;
    p.pacer->OnSent(0, false, 1000, 0_ps);
    EXPECT_EQ(p.pacer->GetNext(), 8_ms);
}

TEST(RdmaPacer, ResponsesKeepThePace)
{
    Pacer p(true);
    p.pacer->OnResponseSent(1000, 0_ps);
    EXPECT_EQ(p.pacer->GetNext(), 8_us);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(0, 8_us), -1_ps);
}

TEST(RdmaPacer, WindowInWholePackets)
{
    Pacer p;
    EXPECT_TRUE(p.pacer->HasRoom(1'000'000));
    p.control->windowBytes = 3000;
    EXPECT_TRUE(p.pacer->HasRoom(2));
    EXPECT_FALSE(p.pacer->HasRoom(3));
    p.control->windowBytes = 2999; // a third packet would be 3000 bytes in flight
    EXPECT_TRUE(p.pacer->HasRoom(1));
    EXPECT_FALSE(p.pacer->HasRoom(2));
}

TEST(RdmaPacer, OnePacketIsAlwaysAllowed)
{
    Pacer p;
    for (const uint64_t window : {0, 1, 999})
    {
        p.control->windowBytes = window;
        EXPECT_TRUE(p.pacer->HasRoom(0)) << window;
        EXPECT_FALSE(p.pacer->HasRoom(1)) << window;
    }
}

TEST(RdmaPacer, RoundTripByPacketNumber)
{
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 100_ps);
    p.pacer->OnSent(1, false, 1000, 200_ps);
    p.pacer->OnSent(2, false, 1000, 300_ps);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(1, 1000_ps), 800_ps);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(0, 1000_ps), 900_ps);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(3, 1000_ps), -1_ps) << "not sent";
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(16, 1000_ps), -1_ps)
        << "not sent, the same slot as 0";
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(-1, 1000_ps), -1_ps);
    Pacer without;
    without.pacer->OnSent(0, false, 1000, 100_ps);
    EXPECT_EQ(without.pacer->GetRequestTimes().GetRtt(0, 1000_ps), -1_ps) << "keeps no times";
}

TEST(RdmaPacer, RoundTripsForOthersThanTheController)
{
    Pacer p; // its controller does not ask for round trips
    EXPECT_EQ(p.pacer->GetLatestRtt(), -1_ps);
    p.pacer->TimePackets();
    p.pacer->OnSent(0, false, 1000, 100_ps);
    EXPECT_EQ(p.pacer->NoteRtt(p.pacer->GetRequestTimes().GetRtt(0, 1000_ps)), -1_ps);
    EXPECT_EQ(p.pacer->GetLatestRtt(), 900_ps);
    EXPECT_EQ(p.pacer->NoteRtt(-1_ps), -1_ps);
    EXPECT_EQ(p.pacer->GetLatestRtt(), 900_ps) << "the latest that is known";
    Pacer asks(true);
    EXPECT_EQ(asks.pacer->NoteRtt(900_ps), 900_ps);
}

TEST(RdmaPacer, MeanOfRoundTrips)
{
    Pacer p(true);
    p.pacer->SmoothRtt(0.25);
    EXPECT_EQ(p.pacer->NoteRtt(800_ps), 800_ps) << "the first one is the mean";
    EXPECT_EQ(p.pacer->NoteRtt(1600_ps), 1000_ps);
    EXPECT_EQ(p.pacer->NoteRtt(-1_ps), -1_ps) << "none is known";
    EXPECT_EQ(p.pacer->NoteRtt(200_ps), 800_ps);
    EXPECT_EQ(p.pacer->GetLatestRtt(), 200_ps) << "time series show each one";
}

TEST(RdmaPacer, Karn)
{
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 100_ps);
    p.pacer->OnSent(1, false, 1000, 200_ps);
    p.pacer->OnSent(0, true, 1000, 300_ps); // which of the two is acknowledged is unknown
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(0, 1000_ps), -1_ps);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(1, 1000_ps), 800_ps);
    p.pacer->GetRequestTimes().OnAcked(2);
    p.pacer->OnSent(16, false, 1000, 400_ps); // in the slot that packet 0 had
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(16, 1000_ps), 600_ps);
}

TEST(RdmaPacer, TimesGrowWithWhatIsInFlight)
{
    Pacer p(true);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        p.pacer->OnSent(i, false, 1000, i * 1_ps);
    }
    for (uint32_t i = 0; i < 1000; ++i)
    {
        ASSERT_EQ(p.pacer->GetRequestTimes().GetRtt(i, 5000_ps), (5000 - i) * 1_ps) << i;
    }
}

TEST(RdmaPacer, TimesGrowWithGapsInTheNumbers)
{
    // 0 and 16 fall into the same slot of the first table, whose other slots were never used.
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 100_ps);
    p.pacer->OnSent(16, false, 1000, 200_ps);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(0, 1000_ps), 900_ps);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(16, 1000_ps), 800_ps);
}

TEST(RdmaPacer, TimesDoNotGrowWithoutEnd)
{
    // A large READ takes a million numbers. The table does not grow to a million slots and
    // keeps the latest packets. 16 slots doubled 12 times are 65536.
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 100_ps);
    const auto before = GetRdmaAllocationCount();
    p.pacer->OnSent(1 << 20, false, 1000, 200_ps);
    EXPECT_LE(GetRdmaAllocationCount() - before, 12U);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(1 << 20, 1000_ps), 800_ps);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(0, 1000_ps), -1_ps);
}

TEST(RdmaPacer, AcknowledgedTimesMakeRoomWithoutAllocation)
{
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 0_ps);
    const auto before = GetRdmaAllocationCount();
    for (uint32_t i = 1; i < 100'000; ++i)
    {
        p.pacer->GetRequestTimes().OnAcked(i);
        p.pacer->OnSent(i, false, 1000, i * 1_ps);
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
    EXPECT_EQ(p.pacer->GetRequestTimes().GetRtt(99'999, 100'000_ps), 1_ps);
}
