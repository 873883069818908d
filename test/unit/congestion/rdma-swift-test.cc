/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-swift.h"
#include "rdma-test-units.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/**
 * One queue pair of a 10 Gb/s port with packets of 10^4 bits, an empty path of 10 us, two switches
 * on it: 10 packets fill the path, the target without flow scaling is 25 + 2 x 1 = 27 us.
 */
struct Swift
{
    explicit Swift(double rangeUs = 0)
    {
        RdmaSetTimeResolution();
        control->SetAttribute("FlowScalingRange", TimeValue(NanoSeconds(rangeUs * 1000)));
        control->SetAttribute("FlowScalingMaxWindow", DoubleValue(100));
        control->SetAttribute("HopDelay", TimeValue(MicroSeconds(1)));
    }

    RdmaRateController& Get()
    {
        if (!controller)
        {
            controller = control->MakeController({10_gbps, 1250, 1192, 10 * US, 3, 0});
        }
        return *controller;
    }

    /** \param atUs time of arrival \param delayUs round trip \param packets acknowledged */
    void Ack(double atUs, double delayUs, uint64_t packets = 1)
    {
        Get().OnAck(MakeSample(atUs, delayUs, packets));
    }

    /** \param atUs time of arrival \param delayUs round trip */
    void Nak(double atUs, double delayUs)
    {
        Get().OnNak(MakeSample(atUs, delayUs, 0));
    }

    static RdmaAckSample MakeSample(double atUs, double delayUs, uint64_t packets)
    {
        RdmaAckSample sample;
        sample.now = RdmaPs(static_cast<int64_t>(atUs * static_cast<double>(US)));
        sample.rtt = RdmaPs(static_cast<int64_t>(delayUs * static_cast<double>(US)));
        sample.ackedPackets = packets;
        return sample;
    }

    /** \return the window in whole packets */
    uint64_t GetPackets()
    {
        return Get().GetWindowBytes() / 1250;
    }

    /**
     * A window below one packet shows in the pace.
     *
     * \param rttUs the last round trip
     * \return the window
     */
    double GetFraction(double rttUs)
    {
        return static_cast<double>(Get().GetRate(0_ps)) * rttUs * 1e-6 / 1e4;
    }

    Ptr<RdmaSwift> control{CreateObject<RdmaSwift>()}; //!< the algorithm
    std::unique_ptr<RdmaRateController> controller;    //!< the queue pair
};

} // namespace

TEST(RdmaSwift, StartsWithWhatFillsThePath)
{
    Swift s;
    EXPECT_TRUE(s.control->NeedsRtt());
    EXPECT_EQ(s.Get().GetWindowBytes(), 12500U);
    EXPECT_EQ(s.Get().GetRate(0_ps), 10_gbps);
}

TEST(RdmaSwift, AHopCostsWhatALinkOfThePathDoes)
{
    // Two links of 4 us in all, and four of 16 us: targets of 25 + 1 x 2 = 27 us and 25 + 3 x 4 =
    // 37 us, which are 23 and 21 us for queues.
    struct
    {
        RdmaPs rtt;
        uint32_t links;
        double targetUs;
    } const paths[] = {{4 * US, 2, 27}, {16 * US, 4, 37}};

    for (const auto& path : paths)
    {
        Swift s;
        s.control->SetAttribute("HopDelay", TimeValue(Time(0)));
        s.control->SetAttribute("MaxWindow", DoubleValue(1000));
        s.controller = s.control->MakeController({10_gbps, 125, 67, path.rtt, path.links, 0});
        const uint64_t packets = s.Get().GetWindowBytes() / 125;
        s.Ack(100, path.targetUs - 0.001, packets); // below the target: one packet more
        EXPECT_EQ(s.Get().GetWindowBytes() / 125, packets + 1);
        s.Ack(200, path.targetUs, packets); // at the target: nothing
        EXPECT_EQ(s.Get().GetWindowBytes() / 125, packets + 1);
        s.Ack(300, 2 * path.targetUs, packets); // above the target: a decrease
        EXPECT_LT(s.Get().GetWindowBytes() / 125, packets);
    }
}

TEST(RdmaSwift, AdditiveIncrease)
{
    // 1 / window for each packet: 10, 10.1, 10.1990, ... : above 11 with the 11th
    Swift s;
    double window = 10;
    for (int i = 1; i <= 10; ++i)
    {
        s.Ack(i, 20);
        window += 1 / window;
        EXPECT_EQ(s.GetPackets(), 10U) << i << ": " << window;
    }
    s.Ack(11, 20);
    EXPECT_EQ(s.GetPackets(), 11U);
    // 11 packets at once: one more, 11 + 0.04 + 11 / 11.04 = 12.04
    s.Ack(12, 20, 11);
    EXPECT_EQ(s.GetPackets(), 12U);
}

TEST(RdmaSwift, MultiplicativeDecrease)
{
    // target 27 us, delay 54 us: x (1 - 0.8 x 27 / 54) = 0.6
    Swift s;
    s.Ack(100, 54);
    EXPECT_EQ(s.GetPackets(), 6U);
    // not again within a round trip
    s.Ack(153, 54);
    EXPECT_EQ(s.GetPackets(), 6U);
    s.Ack(154, 54); // 3.6
    EXPECT_EQ(s.GetPackets(), 3U);
    // 1 - 0.8 x (270 - 27) / 270 = 0.28; at most half: 1.8, then 0.9
    s.Ack(1000, 270);
    EXPECT_EQ(s.GetPackets(), 1U);
    s.Ack(1269, 270);
    EXPECT_EQ(s.GetPackets(), 1U);
    s.Ack(1270, 270);
    EXPECT_EQ(s.GetPackets(), 0U);
    EXPECT_NEAR(s.GetFraction(270), 0.9, 1e-6);
}

TEST(RdmaSwift, DelayAtTheTargetIsNotBelowIt)
{
    Swift s;
    s.Ack(100, 27); // factor 1: nothing changes, and it is no decrease either
    EXPECT_EQ(s.GetPackets(), 10U);
    s.Ack(101, 54);
    EXPECT_EQ(s.GetPackets(), 6U);
}

TEST(RdmaSwift, FractionalWindow)
{
    Swift s;
    for (int i = 1; i <= 5; ++i)
    {
        s.Nak(100 * i, 20); // 10 / 32 = 0.3125
    }
    EXPECT_EQ(s.Get().GetWindowBytes(), 0U); // one packet at a time
    // a packet every 20 us / 0.3125 = 64 us: 10^4 bits / 64 us = 156.25 Mb/s
    EXPECT_EQ(s.Get().GetRate(0_ps), 156'250'000_bps);
    // below one packet the whole increment for each packet: 1.3125
    s.Ack(1000, 20);
    EXPECT_EQ(s.GetPackets(), 1U);
    EXPECT_EQ(s.Get().GetRate(0_ps), 10_gbps);
}

TEST(RdmaSwift, FlowScaling)
{
    // a = 100 us / (1 / sqrt 0.1 - 1 / sqrt 100) = 100 / 3.062278 = 32.6555 us, b = -3.26555 us.
    // Window 10: 32.6555 / 3.162278 - 3.26555 = 7.0612 us, the target is 34.0612 us.
    Swift below(100);
    below.Ack(100, 34.06, 10);
    EXPECT_EQ(below.GetPackets(), 11U);
    Swift above(100);
    above.Ack(100, 34.07);
    EXPECT_EQ(above.GetPackets(), 9U);
}

TEST(RdmaSwift, FlowScalingHasLimits)
{
    // At a window of 0.1 and below 27 + 100 us
    for (const double window : {0.1, 0.01})
    {
        Swift s(100);
        s.control->SetAttribute("MinWindow", DoubleValue(window));
        s.control->SetAttribute("RetxResetThreshold", UintegerValue(1));
        s.Get().OnTimeout(0_ps);
        s.Ack(1000, 127.001); // MinWindow stops the decrease
        EXPECT_NEAR(s.GetFraction(127.001), window, 1e-6);
        s.Ack(1001, 126.999);
        EXPECT_EQ(s.GetPackets(), 1U);
    }
    // From 100 packets on flow scaling adds nothing: 10 us x 100 Gb/s are 100 packets
    Swift s(100);
    s.control->SetAttribute("MaxWindow", DoubleValue(1000));
    s.controller = s.control->MakeController({100_gbps, 1250, 1192, 10 * US, 3, 0});
    EXPECT_EQ(s.GetPackets(), 100U);
    s.Ack(100, 26.99, 300);
    EXPECT_EQ(s.GetPackets(), 103U);
    s.Ack(200, 27.01);
    EXPECT_EQ(s.GetPackets(), 102U);
}

TEST(RdmaSwift, FlowScalingUpToTheLargestWindow)
{
    // MaxWindow is what the port sends in 27 us: 27 packets. a = 100 / (1 / sqrt 0.1 -
    // 1 / sqrt 27) = 33.6697 us, b = -6.4797 us; window 10: 4.1676 us, the target is 31.1676 us
    Swift below(100);
    below.control->SetAttribute("FlowScalingMaxWindow", DoubleValue(0));
    below.Ack(100, 31.16, 10);
    EXPECT_EQ(below.GetPackets(), 11U);
    Swift above(100);
    above.control->SetAttribute("FlowScalingMaxWindow", DoubleValue(0));
    above.Ack(100, 31.17);
    EXPECT_EQ(above.GetPackets(), 9U);
}

TEST(RdmaSwift, HopScaling)
{
    // one link more: 28 us
    Swift s;
    s.controller = s.control->MakeController({10_gbps, 1250, 1192, 10 * US, 4, 0});
    s.Ack(100, 27.5, 10);
    EXPECT_EQ(s.GetPackets(), 11U);
    s.Ack(200, 28.5);
    EXPECT_EQ(s.GetPackets(), 10U);
}

TEST(RdmaSwift, Timeouts)
{
    Swift s;
    s.Ack(1, 20); // 10.1, round trip 20 us
    s.Get().OnTimeout(100 * US);
    EXPECT_EQ(s.GetPackets(), 5U);
    s.Get().OnTimeout(110 * US); // within a round trip
    EXPECT_EQ(s.GetPackets(), 5U);
    s.Get().OnTimeout(200 * US);
    EXPECT_EQ(s.GetPackets(), 2U);
    s.Get().OnTimeout(300 * US);
    EXPECT_EQ(s.GetPackets(), 1U);
    // the fifth in a row: MinWindow
    s.Get().OnTimeout(300 * US);
    EXPECT_NEAR(s.GetFraction(20), 0.001, 1e-6);
}

TEST(RdmaSwift, AnAcknowledgementEndsARowOfTimeouts)
{
    Swift s;
    s.Ack(1, 20);
    for (int i = 1; i <= 4; ++i)
    {
        s.Get().OnTimeout(100 * i * US); // 10.1 / 16 = 0.63
    }
    s.Ack(450, 20); // 1.63
    s.Get().OnTimeout(500 * US);
    EXPECT_NEAR(s.GetFraction(20), (10.1 / 16 + 1) / 2, 1e-6);
}

TEST(RdmaSwift, LargestWindow)
{
    // what the port sends in 27 us: 27 packets
    Swift s;
    for (int i = 0; i < 1000; ++i)
    {
        s.Ack(i, 20);
    }
    EXPECT_EQ(s.GetPackets(), 27U);
}

// 25 us and a link's share of the round trip for each switch, up to a share of 12.5 us; above that,
// two shares in place of the 25 us. The accepted delay is the target less the round trip.
TEST(RdmaSwift, TheTargetHoldsForAnyPath)
{
    RdmaSetTimeResolution();
    auto control = CreateObject<RdmaSwift>();
    const auto accepted = [&](RdmaPs rtt, uint32_t links) {
        const RdmaPathProfile profile{10_gbps, 1250, 1192, rtt, links, 0};
        control->MakeController(profile); // not refused
        return control->GetAcceptedDelay(profile);
    };
    EXPECT_EQ(accepted(10 * US, 2), 20 * US);
    EXPECT_EQ(accepted(40 * US, 4), 15 * US);
    EXPECT_EQ(accepted(25 * US, 2), 12'500'000_ps) << "the two rules meet";
    EXPECT_EQ(accepted(52 * US, 2), 26 * US) << "two cables of 13 us";
    EXPECT_EQ(accepted(40'000 * US, 4), 10'000 * US);
    for (uint32_t links = 1; links <= 16; ++links)
    {
        for (RdmaPs rtt = 1_ns; rtt < 100_s; rtt = 3 * rtt + 1_ps)
        {
            EXPECT_GE(accepted(rtt, links), std::min(rtt / links, 12'500'000_ps) - 16_ps)
                << rtt << " " << links;
        }
    }
}

TEST(RdmaSwift, UnknownRoundTripChangesNothing)
{
    Swift s;
    s.Ack(1, -1, 10);
    EXPECT_EQ(s.GetPackets(), 10U);
}

TEST(RdmaSwiftDeathTest, WrongParameters)
{
    RdmaSetTimeResolution();
    auto make = [](const std::string& name, double value, RdmaPs rtt) {
        auto control = CreateObject<RdmaSwift>();
        if (!name.empty())
        {
            control->SetAttribute(name, DoubleValue(value));
        }
        control->MakeController({10_gbps, 1250, 1192, rtt, 3, 0});
    };
    ExpectRefusal([&] { make("", 0, 0_ps); }, "round trip and length are not known");
    auto given = CreateObjectWithAttributes<RdmaSwift>("BaseTarget", TimeValue(MicroSeconds(25)));
    ExpectRefusal(
        [&] {
            given->MakeController({10_gbps, 1250, 1192, 100 * US, 3, 0});
        },
        "RdmaSwift: BaseTarget and HopDelay make a target .*; accepted: a target above that");
    ExpectRefusal([&] { make("FlowScalingMaxWindow", 0.1, 10 * US); },
                  "accepted: the former below the latter");
    ExpectRefusal([&] { make("MaxWindow", 0.5, 10 * US); },
                  "MaxWindow 0.5; accepted: 1 and above, or 0");
}

TEST(RdmaSwift, BeginsWithALargerWindowWherePathsReorder)
{
    // 10 packets fill the path. The largest window is that of the target, 27 packets.
    Swift s;
    RdmaPathProfile profile{10_gbps, 1250, 1192, 10 * US, 3, 0};
    profile.spread = true;
    EXPECT_EQ(s.control->MakeController(profile)->GetWindowBytes(), 15 * 1250U);
    s.control->SetAttribute("SpreadWindow", DoubleValue(4));
    EXPECT_EQ(s.control->MakeController(profile)->GetWindowBytes(), 27 * 1250U);
    profile.spread = false;
    EXPECT_EQ(s.control->MakeController(profile)->GetWindowBytes(), 10 * 1250U);
    EXPECT_EQ(s.control->GetSpreadRttGain(), 1) << "no mean of delays";
}
