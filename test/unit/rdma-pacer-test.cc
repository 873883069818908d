/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-allocation-count.h"
#include "rdma-pacer.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** Says what it is told to say. */
struct FixedController : public RdmaRateController
{
    uint64_t GetRateBps(int64_t) override
    {
        return rateBps;
    }

    uint64_t GetWindowBytes() const override
    {
        return windowBytes;
    }

    void OnSent(uint32_t bytes, int64_t) override
    {
        sentBytes += bytes;
    }

    int64_t GetNextRisePs() const override
    {
        return risePs;
    }

    uint64_t rateBps{1'000'000'000}; //!< rate
    int64_t risePs{NEVER};           //!< GetNextRisePs()
    uint64_t windowBytes{NO_WINDOW}; //!< window
    uint64_t sentBytes{0};           //!< told by OnSent()
};

/** A pacer of 1000-byte packets with a FixedController. */
struct Pacer
{
    explicit Pacer(bool timesPackets = false, uint64_t minRateBps = 1)
    {
        auto made = std::make_unique<FixedController>();
        control = made.get();
        pacer = std::make_unique<RdmaPacer>(std::move(made), 1000, minRateBps, timesPackets);
    }

    FixedController* control;         //!< its controller
    std::unique_ptr<RdmaPacer> pacer; //!< the pacer
};

} // namespace

TEST(RdmaPacer, ExactSpacing)
{
    // 8000 bits at 1 Gb/s: 8 us; at 400 Gb/s: 20 ns
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0);
    EXPECT_EQ(p.pacer->GetNextPs(), 8'000'000);
    p.control->rateBps = 400'000'000'000;
    p.pacer->OnSent(1, false, 1000, 8'000'000);
    EXPECT_EQ(p.pacer->GetNextPs(), 8'020'000);
    // half a packet: half the time
    p.pacer->OnSent(2, false, 500, 8'020'000);
    EXPECT_EQ(p.pacer->GetNextPs(), 8'030'000);
    EXPECT_EQ(p.control->sentBytes, 2500U);
}

TEST(RdmaPacer, RemainderIsCarriedOn)
{
    // 8 x 10^15 / (3 x 10^9) = 2 666 666.67 ps: three packets take 8 us to the picosecond, 3000
    // packets 8 ms
    Pacer p;
    p.control->rateBps = 3'000'000'000;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        p.pacer->OnSent(i, false, 1000, p.pacer->GetNextPs());
        if (i == 0)
        {
            EXPECT_EQ(p.pacer->GetNextPs(), 2'666'666);
        }
        if (i == 1)
        {
            EXPECT_EQ(p.pacer->GetNextPs(), 5'333'333);
        }
    }
    EXPECT_EQ(p.pacer->GetNextPs(), 8'000'000'000);
}

TEST(RdmaPacer, RemainderOfAnotherRateIsNotCarriedOn)
{
    Pacer p;
    p.control->rateBps = 3'000'000'000;
    p.pacer->OnSent(0, false, 1000, 0); // leaves 2/3 ps
    p.control->rateBps = 1'500'000'000; // 5 333 333.33 ps
    p.pacer->OnSent(1, false, 1000, p.pacer->GetNextPs());
    EXPECT_EQ(p.pacer->GetNextPs(), 2'666'666 + 5'333'333);
}

TEST(RdmaPacer, NoBurstAfterIdling)
{
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0);
    // Silent for a second; then one packet at once, and the next one 8 us later, not sooner.
    const int64_t later = 1'000'000'000'000;
    EXPECT_LE(p.pacer->GetNextPs(), later);
    p.pacer->OnSent(1, false, 1000, later);
    EXPECT_EQ(p.pacer->GetNextPs(), later + 8'000'000);
    // late by 1 us: that is not made up for
    p.pacer->OnSent(2, false, 1000, later + 9'000'000);
    EXPECT_EQ(p.pacer->GetNextPs(), later + 17'000'000);
}

TEST(RdmaPacer, RisingRateShortensAWait)
{
    // 8000 bits at 1 Gb/s: 8 us. After 2 us 6000 bits are left, at 3 Gb/s 2 us of them; and of
    // the 3000 bits that are left 1 us later, 300 ns at 10 Gb/s.
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0);
    p.control->rateBps = 3'000'000'000;
    p.pacer->Hasten(2'000'000);
    EXPECT_EQ(p.pacer->GetNextPs(), 4'000'000);
    EXPECT_TRUE(p.pacer->MustWait(3'000'000));
    p.control->rateBps = 10'000'000'000;
    EXPECT_TRUE(p.pacer->MustWait(3'000'000));
    EXPECT_EQ(p.pacer->GetNextPs(), 3'300'000);
    EXPECT_TRUE(p.pacer->MustWait(3'299'999));
    EXPECT_FALSE(p.pacer->MustWait(3'300'000));
}

TEST(RdmaPacer, FallingRateCountsFromTheNextPacket)
{
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0);
    p.control->rateBps = 500'000'000;
    p.pacer->Hasten(1'000'000);
    EXPECT_EQ(p.pacer->GetNextPs(), 8'000'000);
    p.control->rateBps = 1'000'000'000; // back to what it was: no gain
    p.pacer->Hasten(2'000'000);
    EXPECT_EQ(p.pacer->GetNextPs(), 8'000'000);
    p.control->rateBps = 500'000'000;
    p.pacer->OnSent(1, false, 1000, 8'000'000);
    EXPECT_EQ(p.pacer->GetNextPs(), 24'000'000);
}

TEST(RdmaPacer, HasteningKeepsParts)
{
    // 8000 bits at 3 Gb/s: 2 666 666 2/3 ps. After 1 ps 7999.997 bits are left, at 7 Gb/s
    // 1 142 856 5/7 ps; a second packet at that rate takes 1 142 857 1/7 ps more: 2 285 714 6/7.
    Pacer p;
    p.control->rateBps = 3'000'000'000;
    p.pacer->OnSent(0, false, 1000, 0);
    p.control->rateBps = 7'000'000'000;
    p.pacer->Hasten(1);
    EXPECT_EQ(p.pacer->GetNextPs(), 1 + 1'142'856);
    p.pacer->OnSent(1, false, 1000, p.pacer->GetNextPs());
    EXPECT_EQ(p.pacer->GetNextPs(), 1 + 2'285'713);
}

TEST(RdmaPacer, HasteningAtTheSlowestRate)
{
    // The longest frame at 1 bit/s waits for 73 728 s; nothing overflows.
    Pacer p;
    p.control->rateBps = 1;
    p.pacer->OnSent(0, false, 9216, 0);
    EXPECT_EQ(p.pacer->GetNextPs(), 73'728'000'000'000'000);
    p.control->rateBps = 800'000'000'000;
    p.pacer->Hasten(1);
    EXPECT_EQ(p.pacer->GetNextPs(), 1 + 92'159);
}

TEST(RdmaPacer, WakesWhereTheRateMayRise)
{
    Pacer p;
    p.pacer->OnSent(0, false, 1000, 0);
    EXPECT_EQ(p.pacer->GetWakePs(0), 8'000'000);
    p.control->risePs = 5'000'000;
    EXPECT_EQ(p.pacer->GetWakePs(0), 5'000'000);
    p.control->risePs = 9'000'000;
    EXPECT_EQ(p.pacer->GetWakePs(0), 8'000'000);
    p.control->risePs = 10; // past: not again at this instant
    EXPECT_EQ(p.pacer->GetWakePs(1000), 1001);
}

TEST(RdmaPacer, FloorOfTheRate)
{
    Pacer p(false, 1'000'000);
    p.control->rateBps = 0;
    p.pacer->OnSent(0, false, 1000, 0);
    EXPECT_EQ(p.pacer->GetNextPs(), 8'000'000'000); // 8 ms
}

TEST(RdmaPacer, ResponsesKeepThePace)
{
    Pacer p(true);
    p.pacer->OnResponseSent(1000, 0);
    EXPECT_EQ(p.pacer->GetNextPs(), 8'000'000);
    EXPECT_EQ(p.pacer->GetRttPs(0, 8'000'000), -1);
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
    p.pacer->OnSent(0, false, 1000, 100);
    p.pacer->OnSent(1, false, 1000, 200);
    p.pacer->OnSent(2, false, 1000, 300);
    EXPECT_EQ(p.pacer->GetRttPs(1, 1000), 800);
    EXPECT_EQ(p.pacer->GetRttPs(0, 1000), 900);
    EXPECT_EQ(p.pacer->GetRttPs(3, 1000), -1) << "not sent";
    EXPECT_EQ(p.pacer->GetRttPs(16, 1000), -1) << "not sent, the same slot as 0";
    EXPECT_EQ(p.pacer->GetRttPs(-1, 1000), -1);
    Pacer without;
    without.pacer->OnSent(0, false, 1000, 100);
    EXPECT_EQ(without.pacer->GetRttPs(0, 1000), -1) << "keeps no times";
}

TEST(RdmaPacer, RoundTripsForOthersThanTheController)
{
    Pacer p; // whose controller does not ask for them
    EXPECT_EQ(p.pacer->GetLatestRttPs(), -1);
    p.pacer->TimePackets();
    p.pacer->OnSent(0, false, 1000, 100);
    EXPECT_EQ(p.pacer->NoteRtt(p.pacer->GetRttPs(0, 1000)), -1);
    EXPECT_EQ(p.pacer->GetLatestRttPs(), 900);
    EXPECT_EQ(p.pacer->NoteRtt(-1), -1);
    EXPECT_EQ(p.pacer->GetLatestRttPs(), 900) << "the latest that is known";
    Pacer asks(true);
    EXPECT_EQ(asks.pacer->NoteRtt(900), 900);
}

TEST(RdmaPacer, Karn)
{
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 100);
    p.pacer->OnSent(1, false, 1000, 200);
    p.pacer->OnSent(0, true, 1000, 300); // which of the two is acknowledged cannot be told
    EXPECT_EQ(p.pacer->GetRttPs(0, 1000), -1);
    EXPECT_EQ(p.pacer->GetRttPs(1, 1000), 800);
    p.pacer->OnAcked(2);
    p.pacer->OnSent(16, false, 1000, 400); // the slot of 0 again
    EXPECT_EQ(p.pacer->GetRttPs(16, 1000), 600);
}

TEST(RdmaPacer, TimesGrowWithWhatIsInFlight)
{
    Pacer p(true);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        p.pacer->OnSent(i, false, 1000, i);
    }
    for (uint32_t i = 0; i < 1000; ++i)
    {
        ASSERT_EQ(p.pacer->GetRttPs(i, 5000), 5000 - i) << i;
    }
}

TEST(RdmaPacer, TimesGrowWithGapsInTheNumbers)
{
    // 0 and 16 fall into the same slot of the first table, whose other slots were never used.
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 100);
    p.pacer->OnSent(16, false, 1000, 200);
    EXPECT_EQ(p.pacer->GetRttPs(0, 1000), 900);
    EXPECT_EQ(p.pacer->GetRttPs(16, 1000), 800);
}

TEST(RdmaPacer, TimesDoNotGrowWithoutEnd)
{
    // A large READ takes a million numbers: no table of a million slots, and what is latest counts.
    // 16 slots doubled 12 times are 65536.
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 100);
    const auto before = GetRdmaAllocationCount();
    p.pacer->OnSent(1 << 20, false, 1000, 200);
    EXPECT_LE(GetRdmaAllocationCount() - before, 12U);
    EXPECT_EQ(p.pacer->GetRttPs(1 << 20, 1000), 800);
    EXPECT_EQ(p.pacer->GetRttPs(0, 1000), -1);
}

TEST(RdmaPacer, AcknowledgedTimesMakeRoomWithoutAllocation)
{
    Pacer p(true);
    p.pacer->OnSent(0, false, 1000, 0);
    const auto before = GetRdmaAllocationCount();
    for (uint32_t i = 1; i < 100'000; ++i)
    {
        p.pacer->OnAcked(i);
        p.pacer->OnSent(i, false, 1000, i);
    }
    EXPECT_EQ(GetRdmaAllocationCount(), before);
    EXPECT_EQ(p.pacer->GetRttPs(99'999, 100'000), 1);
}
