/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-test-units.h"
#include "rdma-time.h"
#include "rdma-timely.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/string.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** One queue pair of a 10 Gb/s port; the empty path's round trip is 20 us. Begins at 5 Gb/s. */
struct Timely
{
    explicit Timely(bool patched = false)
    {
        RdmaSetTimeResolution();
        control->SetAttribute("Patched", BooleanValue(patched));
        control->SetAttribute("InitialRate", StringValue("5Gbps"));
    }

    /** \param rttUs round trip of a completion event */
    void Complete(double rttUs)
    {
        // 16 packets of 1024 bytes: one segment
        Ack(16, RdmaPs(static_cast<int64_t>(rttUs * double(US))));
    }

    /** \param packets acknowledged \param rtt round trip */
    void Ack(uint64_t packets, RdmaPs rtt)
    {
        if (!controller)
        {
            controller = control->MakeController(profile);
        }
        RdmaAckSample sample;
        sample.ackedPackets = packets;
        sample.rtt = rtt;
        controller->OnAck(sample);
    }

    /**
     * \param nak true: a NAK of a packet behind a hole; false: an acknowledgement
     * \param nowUs time of arrival
     * \param rttUs round trip of the packet that caused the answer; negative: not known
     */
    void Answer(bool nak, double nowUs, double rttUs)
    {
        if (!controller)
        {
            controller = control->MakeController(profile);
        }
        RdmaAckSample sample;
        sample.now = RdmaPs(static_cast<int64_t>(nowUs * double(US)));
        sample.ackedPackets = nak ? 0 : 1;
        sample.rtt = RdmaPs(static_cast<int64_t>(rttUs * double(US)));
        nak ? controller->OnNak(sample) : controller->OnAck(sample);
    }

    /** \return the rate in bit/s */
    double GetRate()
    {
        return static_cast<double>(controller->GetRate(0_ps));
    }

    Ptr<RdmaTimely> control{CreateObject<RdmaTimely>()};         //!< the algorithm
    RdmaPathProfile profile{10_gbps, 1106, 1024, 20 * US, 3, 0}; //!< the queue pair
    std::unique_ptr<RdmaRateController> controller;              //!< made by the first Ack()
};

} // namespace

TEST(RdmaTimely, StartsAtLineRateWithoutAWindow)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaTimely>();
    EXPECT_TRUE(control->NeedsRtt());
    EXPECT_EQ(control->GetIntFormat(), RdmaIntFormat::NONE);
    auto controller = control->MakeController({10_gbps, 1106, 1024, 20 * US, 3, 0});
    EXPECT_EQ(controller->GetRate(0_ps), 10_gbps);
    EXPECT_EQ(controller->GetWindowBytes(), RdmaRateController::NO_WINDOW);
}

TEST(RdmaTimely, Algorithm1)
{
    Timely t;
    t.control->SetAttribute("MaxDecrease", DoubleValue(1)); // not in the paper
    t.Complete(40);                                         // below TLow = 50 us: + 10 Mb/s
    EXPECT_EQ(t.GetRate(), 5.01e9);
    // diff = 0.125 x 0 + 0.875 x 20 = 17.5 us; gradient 17.5 / 20 = 0.875; x (1 - 0.8 x 0.875 =
    // 0.3)
    t.Complete(60);
    EXPECT_NEAR(t.GetRate(), 1.503e9, 1);
    // diff = 0.125 x 17.5 = 2.1875 us; gradient 0.109375; x 0.9125
    t.Complete(60);
    EXPECT_NEAR(t.GetRate(), 1'371'487'500, 1);
    // diff = 0.125 x 2.1875 - 0.875 x 10 < 0: + 10 Mb/s
    t.Complete(50);
    EXPECT_NEAR(t.GetRate(), 1'381'487'500, 1);
    // above THigh = 500 us, with any gradient: x (1 - 0.8 (1 - 500 / 1000) = 0.6)
    t.Complete(1000);
    EXPECT_NEAR(t.GetRate(), 828'892'500, 1);
}

TEST(RdmaTimely, HyperactiveIncreaseAfterFiveEventsWithANegativeGradient)
{
    Timely t;
    t.Complete(200); // gradient 0
    EXPECT_EQ(t.GetRate(), 5.01e9);
    for (int i = 1; i <= 4; ++i)
    {
        t.Complete(200 - 10 * i);
    }
    EXPECT_EQ(t.GetRate(), 5.05e9);
    t.Complete(150); // the fifth: 5 x 10 Mb/s
    EXPECT_EQ(t.GetRate(), 5.10e9);
    t.Complete(140);
    EXPECT_EQ(t.GetRate(), 5.15e9);
    // diff = 0.125 x -10 + 0.875 x 2 = 0.5 us, about; x (1 - 0.8 x 0.025), and the count begins
    // anew
    t.Complete(142);
    const double cut = t.GetRate();
    EXPECT_NEAR(cut, 5.15e9 * 0.98, 5.15e9 * 1e-4);
    t.Complete(130);
    EXPECT_NEAR(t.GetRate(), cut + 1e7, 1);
}

TEST(RdmaTimely, OncePerSegment)
{
    Timely t;
    t.Ack(15, 40 * US);
    EXPECT_EQ(t.GetRate(), 5e9);
    t.Ack(1, 40 * US);
    EXPECT_EQ(t.GetRate(), 5.01e9);
    // 20 packets: one update, and 4 packets towards the next one
    t.Ack(20, 40 * US);
    EXPECT_EQ(t.GetRate(), 5.02e9);
    t.Ack(11, 40 * US);
    EXPECT_EQ(t.GetRate(), 5.02e9);
    // the completing packet was sent twice: the next one whose round trip is known completes
    t.Ack(1, -1_ps);
    EXPECT_EQ(t.GetRate(), 5.02e9);
    t.Ack(1, 40 * US);
    EXPECT_EQ(t.GetRate(), 5.03e9);
}

TEST(RdmaTimely, NaksOfPacketsBehindAHoleCompleteNoSegment)
{
    Timely t;
    for (int i = 1; i <= 40; ++i)
    {
        t.Answer(true, i, 40);
    }
    EXPECT_EQ(t.GetRate(), 5e9);
}

TEST(RdmaTimely, EachAckAndNakIsAnEventWithEventsAcks)
{
    Timely t;
    t.control->SetAttribute("Events", StringValue("Acks"));
    t.Answer(false, 100, 40); // the first event: all of Delta
    EXPECT_EQ(t.GetRate(), 5.01e9);
    t.Answer(true, 105, 40); // 5 us later: a quarter of Delta, since MinRtt is 20 us
    EXPECT_EQ(t.GetRate(), 5.0125e9);
    t.Answer(false, 125, 40); // 20 us later
    EXPECT_EQ(t.GetRate(), 5.0225e9);
    t.Answer(true, 325, 40); // 200 us later: no more than Delta
    EXPECT_EQ(t.GetRate(), 5.0325e9);
    t.Answer(false, 345, -1); // a packet that was sent twice
    EXPECT_EQ(t.GetRate(), 5.0325e9);
}

TEST(RdmaTimely, LineDeltaIsAPartOfThePortsRate)
{
    Timely t;
    t.profile.lineRate = 40_gbps;
    t.control->SetAttribute("LineDelta", DoubleValue(0.001));
    t.Complete(40);
    EXPECT_EQ(t.GetRate(), 5.04e9);
}

TEST(RdmaTimely, CutsWithEventsAcks)
{
    Timely t;
    t.control->SetAttribute("Events", StringValue("Acks"));
    t.control->SetAttribute("Alpha", DoubleValue(0.02));
    t.Answer(false, 100, 60);
    EXPECT_EQ(t.GetRate(), 5.01e9);
    // The smoothed difference is 0.02 x 50 us = 1 us, and the gradient 1 / 20 = 0.05. The rate
    // falls to 1 - 0.8 x 0.05, however short the time since the last update.
    t.Answer(false, 101, 110);
    EXPECT_NEAR(t.GetRate(), 5.01e9 * 0.96, 1);
    // A round trip of 1000 us is above THigh = 500 us. The rate falls by 0.8 x (1 - 500 / 1000) =
    // 0.4 in a minimum round trip, which is 20 us, and therefore by 0.1 in 5 us.
    t.Answer(false, 106, 1000);
    EXPECT_NEAR(t.GetRate(), 5.01e9 * 0.96 * 0.9, 1);
}

TEST(RdmaTimely, HyperactiveIncreaseWithEventsAcksCountsSingleDifferences)
{
    Timely t;
    t.control->SetAttribute("Events", StringValue("Acks"));
    t.control->SetAttribute("Alpha", DoubleValue(0.02));
    t.Answer(false, 100, 400);
    EXPECT_EQ(t.GetRate(), 5.01e9);
    t.Answer(false, 120, 300); // diff = -2 us
    // The round trip no longer falls, but the smoothed difference is negative: no hyperactive
    // increase
    for (int i = 0; i < 10; ++i)
    {
        t.Answer(false, 140 + 20 * i, 300);
    }
    EXPECT_NEAR(t.GetRate(), 5.12e9, 1);
    for (int i = 1; i <= 5; ++i)
    {
        t.Answer(false, 320 + 20 * i, 300 - i);
    }
    EXPECT_NEAR(t.GetRate(), 5.12e9 + 4 * 10e6 + 50e6, 1);
}

TEST(RdmaTimely, AnUpdateTakesHalfOfTheRateAtMost)
{
    Timely t;
    t.Complete(60);
    EXPECT_EQ(t.GetRate(), 5.01e9);
    // diff = 0.875 x 60 = 52.5 us; gradient 2.625; 1 - 0.8 x 2.625 is negative
    t.Complete(120);
    EXPECT_NEAR(t.GetRate(), 2.505e9, 1);
    // diff = 0.125 x 52.5 + 0.875 x 1880 = 1652 us; above THigh: 1 - 0.8 (1 - 500 / 2000) = 0.4
    t.Complete(2000);
    EXPECT_NEAR(t.GetRate(), 1.2525e9, 1);
}

TEST(RdmaTimely, MaxDecreaseAttribute)
{
    Timely t;
    t.control->SetAttribute("MaxDecrease", DoubleValue(0.25));
    t.Complete(60);
    t.Complete(120);
    EXPECT_NEAR(t.GetRate(), 5.01e9 * 0.75, 1);
}

TEST(RdmaTimely, GradientsAreRelativeTo20UsWhateverThePath)
{
    Timely t;
    t.profile.baseRtt = 4 * US;
    t.Complete(60);
    // diff = 0.875 x 4 = 3.5 us; gradient 0.175; x 0.86. Relative to 4 us it would be 0.3.
    t.Complete(64);
    EXPECT_NEAR(t.GetRate(), 5.01e9 * 0.86, 1);
}

TEST(RdmaTimely, Limits)
{
    Timely t;
    t.control->SetAttribute("MaxDecrease", DoubleValue(1));
    t.Complete(60);
    // diff = 0.875 x 60 = 52.5 us; gradient 2.625; 1 - 0.8 x 2.625 is negative: MinRate
    t.Complete(120);
    EXPECT_EQ(t.GetRate(), 100e6);
    for (int i = 0; i < 2000; ++i)
    {
        t.Complete(30);
    }
    EXPECT_EQ(t.GetRate(), 10e9);
}

TEST(RdmaTimely, MinRttAttribute)
{
    Timely t;
    t.control->SetAttribute("MinRtt", TimeValue(MicroSeconds(40)));
    t.Complete(60);
    // diff = 0.875 x 20 = 17.5 us; gradient 17.5 / 40 = 0.4375; x 0.65
    t.Complete(80);
    EXPECT_NEAR(t.GetRate(), 5.01e9 * 0.65, 1);
}

TEST(RdmaTimely, PatchedAlgorithm2)
{
    Timely t(true);
    // gradient 0, weight 0.5, error (60 - 50) / 50 = 0.2:
    // 10 Mb/s x 0.5 + 5 Gb/s (1 - 0.008 x 0.5 x 0.2) = 5 Mb/s + 4.996 Gb/s
    t.Complete(60);
    EXPECT_NEAR(t.GetRate(), 5.001e9, 1);
    // diff 0.875 x 2 = 1.75 us, gradient 0.0875, weight 0.675, error 0.24:
    // 10 Mb/s x 0.325 + 5.001 Gb/s x (1 - 0.001296) = 3.25 Mb/s + 4 994 518 704
    t.Complete(62);
    EXPECT_NEAR(t.GetRate(), 4'997'768'704, 1);
    // diff 0.125 x 1.75 - 0.875 x 10 = -8.53 us, gradient below -1/4: weight 0
    t.Complete(52);
    EXPECT_NEAR(t.GetRate(), 5'007'768'704, 1);
    // gradient above 1/4: weight 1; error 0.8: x (1 - 0.0064)
    t.Complete(90);
    EXPECT_NEAR(t.GetRate(), 4'975'718'984, 1);
    // outside TLow..THigh the unpatched rules hold, with beta 0.008: x (1 - 0.008 x 0.5)
    t.Complete(40);
    EXPECT_NEAR(t.GetRate(), 4'985'718'984, 1);
    t.Complete(1000);
    EXPECT_NEAR(t.GetRate(), 4'985'718'984 * 0.996, 1);
}

TEST(RdmaTimely, PatchedFixedPoint)
{
    // 10 flows on 10 Gb/s: 1 Gb/s each and 50 us x (1 + 10 x 0.01 / (0.008 x 10)) = 112.5 us
    Timely t(true);
    t.control->SetAttribute("InitialRate", StringValue("1Gbps"));
    for (int i = 0; i < 100; ++i)
    {
        t.Complete(112.5);
    }
    EXPECT_NEAR(t.GetRate(), 1e9, 10);
}

TEST(RdmaTimelyDeathTest, WrongParameters)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaTimely>();
    control->SetAttribute("MinRtt", TimeValue(Time(0)));
    ExpectRefusal(
        [&] {
            control->MakeController({10_gbps, 1106, 1024, 0_ps, 0, 0});
        },
        "MinRtt is 0 and the path's round trip is not known");
    control->SetAttribute("InitialRate", StringValue("11Gbps"));
    ExpectRefusal(
        [&] {
            control->MakeController({10_gbps, 1106, 1024, 1_ps, 1, 0});
        },
        "InitialRate");
    control->SetAttribute("TLow", TimeValue(MicroSeconds(501)));
    ExpectRefusal(
        [&] {
            control->MakeController({10_gbps, 1106, 1024, 1_ps, 1, 0});
        },
        "accepted: TLow at most THigh");
}
