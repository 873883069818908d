/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "rdma-nic-watchdog.h"
#include "rdma-receive-buffer.h"
#include "rdma-test-fabric.h"
#include "rdma-test-link.h"

#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A slow receiver: RdmaReceiveBuffer behind a port at 100 Gb/s over 1 us. Times are worked out by
 * hand, in picoseconds, from the start s of the first of many frames of 1250 B:
 *
 * - Frame i (from 0) arrives at s + 1 100 640 + i x 101 600. Let z = s + 1 100 640.
 * - Drained at 50 Gb/s, a frame takes 200 000: frame n is handed on at z + (n + 1) x 200 000.
 * - A pause frame takes effect 1 105 760 after its start, as in rdma-pfc.
 */

using namespace ns3;

namespace
{

constexpr RdmaPs S = 1_us;             //!< start of frame 0
constexpr RdmaPs Z = S + 1'100'640_ps; //!< arrival of frame 0

/** \param attributes attributes of the buffer and their values \return buffer, not installed */
Ptr<RdmaReceiveBuffer>
MakeBuffer(const std::vector<std::pair<const char*, uint32_t>>& attributes)
{
    auto buffer = CreateObject<RdmaReceiveBuffer>();
    buffer->SetAttribute("DrainRate", StringValue("50Gbps"));
    for (const auto& [name, value] : attributes)
    {
        buffer->SetAttribute(name, UintegerValue(value));
    }
    return buffer;
}

/** Occupancy, pause, resumption and loss over time. */
class ReceiverTimelineTestCase : public TestCase
{
  public:
    ReceiverTimelineTestCase()
        : TestCase("a slow receiver hands on, pauses and resumes at the instants worked out")
    {
    }

  private:
    /** \param size buffer size \param log gets the pause frames \return arrivals at the host */
    std::vector<RdmaTestSink::Arrival> RunOnce(uint32_t size, std::string& log)
    {
        RdmaTestLink link;
        auto buffer = MakeBuffer({{"Size", size}, {"XoffBytes", 3750}, {"XonBytes", 1250}});
        buffer->Install(link.b);
        link.b->TraceConnectWithoutContext(
            "PfcSent",
            Callback<void, uint8_t, uint16_t>([&](uint8_t priority, uint16_t quanta) {
                log += std::to_string(priority) + ":" + std::to_string(quanta) + "@" +
                       std::to_string(RdmaNow().Get()) + " ";
            }));
        link.SendAt(S, 0, 40, 3);
        Simulator::Run();
        m_peak = buffer->GetPeakBytes();
        m_drops = buffer->GetDrops();
        NS_TEST_EXPECT_MSG_EQ(
            RdmaTestBooks::CountDrops(link.b->GetCounters(), QbbDropReason::RECEIVER_FULL),
            m_drops,
            "counted at the port");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetFrames(), link.sinkB.arrivals.size(), "handed on");
        NS_TEST_EXPECT_MSG_EQ(buffer->GetBytes(), 0U, "left");
        return link.sinkB.arrivals;
    }

    void DoRun() override
    {
        // Frame 5 arrives at z + 508 000, when two frames are through: the buffer has four, above
        // 3750 B. The pause takes effect at z + 508 000 + 1 105 760 = s + 2 714 400, between the
        // starts of frames 26 (s + 2 641 600) and 27. Frame 25 arrives at z + 2 540 000, when 12
        // are through, and makes 14 x 1250 B; so does frame 26. One frame is left at z + 26 x
        // 200 000: XON is sent and takes effect 1 105 760 later, at s + 7 406 400, the start of
        // frame 27.
        std::string log;
        const auto arrivals = RunOnce(14 * 1250, log);
        NS_TEST_ASSERT_MSG_EQ(arrivals.size(), 40U, "frames");
        for (std::size_t n = 0; n < 27; ++n)
        {
            NS_TEST_EXPECT_MSG_EQ(arrivals[n].psn, n, "order");
            NS_TEST_EXPECT_MSG_EQ(arrivals[n].at, Z + (n + 1) * 200'000_ps, "frame " << n);
        }
        constexpr RdmaPs SECOND = S + 7'406'400_ps + 1'100'640_ps; // arrival of frame 27
        NS_TEST_EXPECT_MSG_EQ(arrivals[27].at, SECOND + 200'000_ps, "frame 27");
        // The 13 frames 27 to 39 bring the buffer above XOFF again. One frame is left at XON.
        const std::string expected = "3:65535@" + std::to_string((Z + 508'000_ps).Get()) + " 3:0@" +
                                     std::to_string((Z + 5'200'000_ps).Get()) + " 3:65535@" +
                                     std::to_string((SECOND + 508'000_ps).Get()) + " 3:0@" +
                                     std::to_string((SECOND + 2'400'000_ps).Get()) + " ";
        NS_TEST_EXPECT_MSG_EQ(log, expected, "pause frames");
        NS_TEST_EXPECT_MSG_EQ(m_peak, 14 * 1250, "most bytes");
        NS_TEST_EXPECT_MSG_EQ(m_drops, 0U, "drops");

        // With one byte less frame 25 does not fit.
        const auto shorter = RunOnce(14 * 1250 - 1, log);
        NS_TEST_EXPECT_MSG_EQ(m_drops, 1U, "drops");
        NS_TEST_ASSERT_MSG_EQ(shorter.size(), 39U, "frames");
        NS_TEST_EXPECT_MSG_EQ(shorter[24].psn, 24U, "before it");
        NS_TEST_EXPECT_MSG_EQ(shorter[25].psn, 26U, "after it");
    }

    uint32_t m_peak{0};  //!< most bytes in the buffer
    uint64_t m_drops{0}; //!< frames dropped
};

/** Stalls, lossy classes, and a rate that changes. */
class StallTestCase : public TestCase
{
  public:
    StallTestCase()
        : TestCase("stalls stop the pipeline; lossy classes are dropped above XOFF")
    {
    }

  private:
    void DoRun() override
    {
        {
            // The buffer stalls from z + 300 000 on, for 1 000 000, every 1 500 000: until z +
            // 1 300 000, and from z + 1 800 000 until z + 2 800 000. Frame 1 is half through when
            // the first stall begins.
            RdmaTestLink link;
            auto buffer = MakeBuffer({});
            buffer->SetAttribute("StallStart", TimeValue(RdmaToTime(Z + 300'000_ps)));
            buffer->SetAttribute("StallDuration", TimeValue(PicoSeconds(1'000'000)));
            buffer->SetAttribute("StallPeriod", TimeValue(PicoSeconds(1'500'000)));
            buffer->Install(link.b);
            link.SendAt(S, 0, 6, 3);
            Simulator::Run();
            std::string expected;
            for (const RdmaPs at : {200_ns, 1400_ns, 1600_ns, 1800_ns, 3000_ns, 3200_ns})
            {
                expected += std::to_string((Z + at).Get()) + " ";
            }
            std::string text;
            for (const auto& arrival : link.sinkB.arrivals)
            {
                text += std::to_string(arrival.at.Get()) + " ";
            }
            NS_TEST_EXPECT_MSG_EQ(text, expected, "handed on");
        }
        {
            // Class 4 is lossy: with three frames in the buffer, the next one is dropped. Class 3
            // is lossless.
            RdmaTestLink link({{"PfcClasses", "8"}});
            auto buffer = MakeBuffer({{"Size", 20'000}, {"XoffBytes", 3750}, {"XonBytes", 2500}});
            buffer->Install(link.b);
            link.SendAt(S, 0, 10, 4);
            Simulator::Run();
            // Frames 0 to 4 fit: two are through when frame 4 arrives (z + 406 400). Frame 5
            // arrives at z + 508 000, frame 6 at z + 609 600 (three are through), frame 7 at z +
            // 711 200.
            NS_TEST_EXPECT_MSG_EQ(link.sinkB.GetOrder(), "0 1 2 3 4 6 8", "order");
            NS_TEST_EXPECT_MSG_EQ(buffer->GetDrops(), 3U, "drops");
            NS_TEST_EXPECT_MSG_EQ(link.b->GetCounters().macControlTx, 0U, "pause frames");
        }
        {
            RdmaTestLink link;
            auto buffer = MakeBuffer({});
            buffer->Install(link.b);
            link.SendAt(S, 0, 3, 3);
            // The rate changes at z + 100 000, while frame 0 drains.
            link.At(Z + 100'000_ps, [&]() { buffer->SetDrainRate(DataRate("25Gbps")); });
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(link.Arrivals(),
                                  "0@" + std::to_string((Z + 200'000_ps).Get()) + " 1@" +
                                      std::to_string((Z + 600'000_ps).Get()) + " 2@" +
                                      std::to_string((Z + 1'000'000_ps).Get()),
                                  "handed on");
        }
    }
};

/** Headroom by the formula suffices for flows over a fabric to end without loss. */
class FabricTestCase : public TestCase
{
  public:
    FabricTestCase()
        : TestCase("with the formula's headroom a slow receiver loses nothing; with less, it does")
    {
    }

  private:
    /**
     * \param cut bytes less than the formula's headroom
     * \param stall true: the pipeline never goes on after 20 us
     * \return frames that the host has dropped
     */
    uint64_t RunOnce(uint32_t cut, bool stall)
    {
        RdmaTestFabric test;
        test.SetRetries(200_us, 1000);
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 2, 500'000), MakeTestFlow(1, 1, 2, 500'000)});
        const auto port = test.fabric->GetNic(2)->GetPort(0);
        const auto headroomed = MakeBuffer({{"Size", 64 << 10}});
        headroomed->SetAttribute("DrainRate", StringValue("10Gbps"));
        if (stall)
        {
            headroomed->SetAttribute("StallStart", TimeValue(MicroSeconds(20)));
            headroomed->SetAttribute("StallDuration", TimeValue(Seconds(100)));
        }
        headroomed->Install(port);
        Ptr<RdmaReceiveBuffer> buffer = headroomed;
        if (cut > 0)
        {
            // Runs a fabric of its own with equal thresholds and less headroom.
            const uint32_t xoff = headroomed->GetXoffBytes();
            Simulator::Destroy();
            return RunCut(xoff, (64 << 10) - cut);
        }
        auto watchdog = CreateObject<RdmaNicWatchdog>();
        watchdog->SetAttribute("Timeout", TimeValue(MicroSeconds(100)));
        watchdog->SetAttribute("PollInterval", TimeValue(MicroSeconds(10)));
        watchdog->Install(port);
        test.Run(2_ms);
        if (stall)
        {
            NS_TEST_EXPECT_MSG_EQ(watchdog->HasFired(), true, "NIC watchdog");
            NS_TEST_EXPECT_MSG_EQ(test.runner->GetNCompleted(), 0U, "flows");
            NS_TEST_EXPECT_MSG_EQ(+port->GetFlowControl().GetPauseSender().GetWanted(),
                                  0,
                                  "pauses");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(watchdog->HasFired(), false, "NIC watchdog");
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_GT(port->GetFlowControl().GetPauseSender().GetXoffSent(3),
                                  2U,
                                  "pauses of the NIC");
            // 1 MB takes 800 us at 10 Gb/s; headers add little.
            for (const auto& result : test.results)
            {
                NS_TEST_EXPECT_MSG_LT(*result.fct, 900_us, "FCT");
            }
            NS_TEST_EXPECT_MSG_GT(*test.results[0].fct + *test.results[1].fct, 1'600_us, "FCT");
            NS_TEST_EXPECT_MSG_LT(buffer->GetPeakBytes(), (64 << 10) + 1, "bytes");
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetTotals().drops, 0U, "drops");
        }
        return buffer->GetDrops();
    }

    /** \param xoff XoffBytes \param size Size \return frames that the host has dropped */
    static uint64_t RunCut(uint32_t xoff, uint32_t size)
    {
        RdmaTestFabric test;
        test.Install(MakeRdmaStar(3, MakeTestRates(100, 100, 1000)),
                     {MakeTestFlow(0, 0, 2, 500'000)});
        auto buffer = MakeBuffer({{"Size", size}, {"XoffBytes", xoff}});
        buffer->SetAttribute("DrainRate", StringValue("10Gbps"));
        buffer->Install(test.fabric->GetNic(2)->GetPort(0));
        test.Run(1_ms);
        return buffer->GetDrops();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(RunOnce(0, false), 0U, "drops");
        // The pipeline stalls for ever. Nothing is dropped as long as the NIC pauses its peer, but
        // frames are dropped after the watchdog has ended the pauses.
        NS_TEST_EXPECT_MSG_GT(RunOnce(0, true), 10U, "drops after the watchdog");
        NS_TEST_EXPECT_MSG_GT(RunOnce(12'000, false), 0U, "drops with less headroom");
    }
};

/** The suite. */
class RdmaReceiverTestSuite : public TestSuite
{
  public:
    RdmaReceiverTestSuite()
        : TestSuite("rdma-receiver")
    {
        AddTestCase(new ReceiverTimelineTestCase);
        AddTestCase(new StallTestCase);
        AddTestCase(new FabricTestCase);
    }
};

RdmaReceiverTestSuite g_rdmaReceiverTestSuite; //!< registers the suite

} // namespace
