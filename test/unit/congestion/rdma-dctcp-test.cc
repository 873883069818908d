/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-dctcp.h"
#include "rdma-expect-error.h"

#include <ns3/double.h>
#include <ns3/string.h>

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/**
 * One queue pair of a 10 Gb/s port with packets of 10^4 bits and 10 us round trip. One packet per
 * round trip is 1 Gb/s, and 10 packets fill the path.
 */
struct Dctcp
{
    explicit Dctcp(const std::string& form = "Rate")
    {
        control->SetAttribute("Form", StringValue(form));
        controller = control->MakeController({10_gbps, 1250, 1192, 10_us, 3, 0});
    }

    /** \param to packets acknowledged so far \param sent so far \param marked echo of a mark */
    void Ack(uint64_t to, uint64_t sent, bool marked = false)
    {
        controller->OnAck(MakeSample(to, sent, marked));
    }

    /** \param to packets acknowledged so far \param sent so far */
    void Nak(uint64_t to, uint64_t sent)
    {
        RdmaAckSample sample = MakeSample(to, sent, false);
        sample.ackedPackets = 0;
        controller->OnNak(sample);
    }

    static RdmaAckSample MakeSample(uint64_t to, uint64_t sent, bool marked)
    {
        RdmaAckSample sample;
        sample.ackedPackets = 1;
        sample.rtt = 10_us;
        sample.ackedTo = to;
        sample.sentTo = sent;
        sample.ecnEcho = marked;
        return sample;
    }

    /** \return the rate in bit/s */
    double GetRate()
    {
        return static_cast<double>(controller->GetRate(0_ps));
    }

    Ptr<RdmaDctcp> control{CreateObject<RdmaDctcp>()}; //!< the algorithm
    std::unique_ptr<RdmaRateController> controller;    //!< the queue pair
};

} // namespace

TEST(RdmaDctcp, RateForm)
{
    Dctcp d;
    EXPECT_TRUE(d.control->NeedsRtt());
    EXPECT_EQ(d.GetRate(), 10e9);
    EXPECT_EQ(d.controller->GetWindowBytes(), RdmaRateController::NO_WINDOW);
    d.Ack(1, 10);
    EXPECT_EQ(d.GetRate(), 10e9);
    d.Ack(2, 11, true); // alpha = 1: half
    EXPECT_NEAR(d.GetRate(), 5e9, 1);
    d.Ack(3, 12, true); // once per window
    EXPECT_NEAR(d.GetRate(), 5e9, 1);
    EXPECT_EQ(d.controller->GetState().alpha, 1);
    for (uint64_t to = 4; to <= 10; ++to)
    {
        d.Ack(to, to + 9);
    }
    // 10 acknowledgements, 2 marked: alpha = 15/16 + 1/16 x 0.2 = 0.95; no increase
    EXPECT_DOUBLE_EQ(d.controller->GetState().alpha, 0.95);
    EXPECT_NEAR(d.GetRate(), 5e9, 1);
    for (uint64_t to = 11; to <= 19; ++to)
    {
        d.Ack(to, to + 6);
    }
    // none marked: alpha = 15/16 x 0.95 = 0.890625, and one packet more
    EXPECT_DOUBLE_EQ(d.controller->GetState().alpha, 0.890625);
    EXPECT_NEAR(d.GetRate(), 6e9, 1);
    d.Ack(20, 26, true); // x (1 - 0.890625 / 2)
    EXPECT_NEAR(d.GetRate(), 6e9 * 0.5546875, 1);
}

TEST(RdmaDctcp, WindowsDoNotOverlap)
{
    Dctcp d;
    // the window of the first acknowledgement: up to packet 10
    d.Ack(1, 10, true);
    for (uint64_t to = 2; to <= 9; ++to)
    {
        d.Ack(to, to + 5, true);
        EXPECT_EQ(d.controller->GetState().alpha, 1) << to;
    }
    // all marked: alpha stays 1, and the cut of packet 1 covered all packets sent until then
    d.Ack(10, 15, true);
    EXPECT_EQ(d.controller->GetState().alpha, 1);
    EXPECT_NEAR(d.GetRate(), 2.5e9, 1);
}

TEST(RdmaDctcp, AlphaIsAMovingAverage)
{
    Dctcp d;
    double alpha = 1;
    for (uint64_t to = 1; to <= 50; ++to) // one packet at a time: each is a window
    {
        d.Ack(to, to, to % 5 == 0);
        alpha = alpha * 15 / 16 + (to % 5 == 0 ? 1.0 / 16 : 0);
        EXPECT_NEAR(d.controller->GetState().alpha, alpha, 1e-12) << to;
    }
}

TEST(RdmaDctcp, WindowForm)
{
    Dctcp d("Window");
    EXPECT_FALSE(d.control->NeedsRtt());
    EXPECT_EQ(d.controller->GetWindowBytes(), 12500U);
    EXPECT_EQ(d.GetRate(), 10e9);
    for (uint64_t to = 1; to <= 10; ++to)
    {
        d.Ack(to, to + 9); // 10 in flight before each one: the window is used up
    }
    EXPECT_EQ(d.controller->GetWindowBytes(), 13750U);
    d.Ack(11, 21, true); // alpha = 15/16: 11 x (1 - 15/32) = 5.84
    EXPECT_EQ(d.controller->GetWindowBytes(), 5 * 1250U);
    EXPECT_EQ(d.GetRate(), 10e9);
}

TEST(RdmaDctcp, WindowThatIsNotUsedUpDoesNotGrow)
{
    Dctcp d("Window");
    for (uint64_t to = 1; to <= 100; ++to)
    {
        d.Ack(to, to + 3); // 4 in flight
    }
    EXPECT_EQ(d.controller->GetWindowBytes(), 12500U);
}

TEST(RdmaDctcp, LossesHalve)
{
    for (const std::string form : {"Rate", "Window"})
    {
        Dctcp d(form);
        d.Nak(1, 10);
        d.Nak(1, 11);
        const auto get = [&] {
            return form == "Rate" ? d.GetRate() / 1e9
                                  : static_cast<double>(d.controller->GetWindowBytes()) / 1250;
        };
        EXPECT_NEAR(get(), 5, 1e-6) << "once per window";
        d.Nak(10, 15);
        EXPECT_NEAR(get(), form == "Rate" ? 2.5 : 2, 1e-6);
        d.controller->OnTimeout(0_ps);
        EXPECT_NEAR(get(), form == "Rate" ? 1.25 : 1, 1e-6);
        for (int i = 0; i < 20; ++i)
        {
            d.controller->OnTimeout(0_ps);
        }
        EXPECT_NEAR(get(), 1, 1e-6) << "a packet for each round trip";
    }
}

TEST(RdmaDctcp, RateIsAWindowForEachRoundTrip)
{
    Dctcp d;
    d.controller->OnTimeout(0_ps); // 5 packets
    RdmaAckSample sample = Dctcp::MakeSample(1, 10, false);
    sample.rtt = 40_us;
    d.controller->OnAck(sample);
    EXPECT_NEAR(d.GetRate(), 1.25e9, 1);
    sample = Dctcp::MakeSample(2, 11, false);
    sample.rtt = -1_ps; // unknown: the last known round trip counts
    d.controller->OnAck(sample);
    EXPECT_NEAR(d.GetRate(), 1.25e9, 1);
}

TEST(RdmaDctcp, NeverAboveTheLineRate)
{
    Dctcp d;
    for (uint64_t to = 1; to <= 100; ++to)
    {
        d.Ack(to, to);
    }
    EXPECT_EQ(d.GetRate(), 10e9);
}

TEST(RdmaDctcp, AdditiveIncreaseAttribute)
{
    Dctcp d;
    d.control->SetAttribute("AdditiveIncrease", DoubleValue(0.25));
    d.controller->OnTimeout(0_ps); // 5 Gb/s
    d.Ack(1, 1);
    EXPECT_NEAR(d.GetRate(), 5e9, 1) << "a window with a loss";
    d.Ack(2, 2);
    EXPECT_NEAR(d.GetRate(), 5.25e9, 1);
}

TEST(RdmaDctcpDeathTest, UnknownRoundTrip)
{
    ExpectRefusal(
        [&] {
            CreateObject<RdmaDctcp>()->MakeController({10_gbps, 1250, 1192, 0_ps, 0, 0});
        },
        "RdmaDctcp: the path's round trip is not known");
}

TEST(RdmaDctcp, BeginsWithALargerWindowWherePathsReorder)
{
    const auto control = CreateObject<RdmaDctcp>();
    control->SetAttribute("Form", StringValue("Window"));
    RdmaPathProfile profile{10_gbps, 1250, 1192, 10_us, 3, 0};
    EXPECT_EQ(control->MakeController(profile)->GetWindowBytes(), 10 * 1250U);
    profile.spread = true;
    EXPECT_EQ(control->MakeController(profile)->GetWindowBytes(), 15 * 1250U);
    control->SetAttribute("SpreadWindow", DoubleValue(2));
    EXPECT_EQ(control->MakeController(profile)->GetWindowBytes(), 20 * 1250U);
}
