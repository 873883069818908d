/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-loss-setup.h"

#include <ns3/test.h>

#include <algorithm>
#include <cmath>
#include <iostream>

/**
 * \file
 * \ingroup rdma-tests
 * Fabrics that lose packets, with both transports: IRN's goodput and tail latency follow from its
 * mechanisms, and go-back-0 ends in a livelock.
 */

using namespace ns3;

namespace
{

/** One long flow over 6 links at 40 Gbps, with packets and acknowledgements lost at the hosts. */
class GoodputTestCase : public TestCase
{
  public:
    GoodputTestCase()
        : TestCase("goodput of one long flow at 1% loss over 6 links")
    {
    }

  private:
    /// 40 MB: 40 000 packets of 1000 B.
    static constexpr uint64_t BYTES = 40'000'000;

    /** \param setup transport and losses \param cap if given, gets the BDP cap \return bits per
     * second */
    double Measure(const RdmaTestLossSetup& setup, uint64_t* cap = nullptr)
    {
        RdmaTestFabric test;
        test.SetMtu(1000);
        ConfigureTestLoss(test, setup);
        const auto topology = MakeRdmaFatTree(4, MakeTestRates(40, 40, 2000));
        const auto hosts = topology.GetHosts();
        test.Install(topology, {MakeTestFlow(0, hosts.front(), hosts.back(), BYTES)});
        const auto sender = test.runner->GetSender(0);
        NS_TEST_EXPECT_MSG_EQ(test.fabric->GetPath(sender).size(), 6U, "hops");
        if (setup.loss > 0)
        {
            LoseFramesAtRandom(test.fabric->GetNic(hosts.front())->GetPort(0), setup.loss, 77);
            LoseFramesAtRandom(test.fabric->GetNic(hosts.back())->GetPort(0), setup.loss, 78);
        }
        if (cap)
        {
            UintegerValue value;
            test.fabric->GetNic(hosts.front())->GetTransport()->GetAttribute("BdpCap", value);
            *cap = value.Get();
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", GetTestName(setup));
        return BYTES * 8.0 / (static_cast<double>(test.results[0].fct.value_or(0_ps)) * 1e-12);
    }

    void DoRun() override
    {
        constexpr double LOSS = 0.01;
        RdmaTestLossSetup setup;
        setup.bdpFc = false;
        const double lossFree = Measure(setup);
        setup.loss = LOSS;
        const double withoutCap = Measure(setup);
        // NACKs come until the flow has sent everything, and each NACK restarts the timer. The
        // repair of a lost retransmission waits until then and takes RTO_high.
        NS_TEST_EXPECT_MSG_GT(withoutCap / lossFree, 0.9, "IRN without BDP-FC");

        // With the cap W a lost packet stops new packets for one round trip. Until its NACK
        // arrives, W packets after it have gone out. Further packets wait until the retransmission
        // is acknowledged, which takes another round trip. Losses among the W packets are repaired
        // in that time. The next loss comes 1/p packets later. W + 1/p packets thus take W + 1/p +
        // R packet times; R is the round trip in packet times. Each packet is sent 1 + p times. Of
        // the 1 + W p retransmissions the fraction p is lost and takes RTO_high.
        uint64_t cap = 0;
        setup.bdpFc = true;
        const double withCap = Measure(setup, &cap);
        const double slotPs = 1098 * 200; // 1000 B and 98 of headers, preamble and gap
        const double roundTripPs = 2 * 6 * 2e6 + 6 * slotPs + 6 * 90 * 200;
        NS_TEST_EXPECT_MSG_EQ(cap,
                              static_cast<uint64_t>(std::ceil(roundTripPs / slotPs)),
                              "the helper's cap is the round trip");
        const double w = static_cast<double>(cap);
        const double packets = w + 1 / LOSS;
        const double slots =
            packets * (1 + LOSS) + roundTripPs / slotPs + (1 + w * LOSS) * LOSS * 320e6 / slotPs;
        const double expected = lossFree * packets / slots;
        NS_TEST_EXPECT_MSG_EQ_TOL(withCap / expected, 1.0, 0.10, "IRN with BDP-FC");

        // Go-back-N loses a round trip of packets with each loss.
        setup = RdmaTestLossSetup();
        setup.irn = false;
        setup.loss = LOSS;
        const double roce = Measure(setup);
        NS_TEST_EXPECT_MSG_LT(roce / withoutCap, 0.7, "go-back-N");
        std::cout << "goodput at 1% loss, of " << lossFree / 1e9
                  << " Gb/s without loss: IRN without BDP-FC " << withoutCap / 1e9 << ", with "
                  << withCap / 1e9 << " (analysis " << expected / 1e9 << "), RoCE " << roce / 1e9
                  << "\n";
    }
};

/** Single-packet messages, one at a time, at 1% loss. */
class TailTestCase : public TestCase
{
  public:
    TailTestCase()
        : TestCase(
              "99.9% latency of single-packet messages at 1% loss: RTO_low and two round trips")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        ConfigureTestLoss(test, RdmaTestLossSetup());
        test.Install(MakeRdmaStar(2, MakeTestRates(40, 40, 1000)), {});
        auto [sender, receiver] = test.fabric->Connect(0, 1);
        LoseFramesAtRandom(sender->GetPort(), 0.01, 105);
        LoseFramesAtRandom(receiver->GetPort(), 0.01, 206);
        constexpr uint32_t MESSAGES = 100'000;
        std::vector<RdmaPs> latencies;
        RdmaPs posted = 0_ps;
        const auto post = [&, &qp = sender]() {
            posted = RdmaNow();
            RdmaSendRequest request;
            request.length = 1000;
            qp->PostSend(request);
        };
        sender->GetSendCompletionQueue()->SetCallback(
            Callback<void, const RdmaWorkCompletion&>([&](const RdmaWorkCompletion& completion) {
                NS_TEST_EXPECT_MSG_EQ(completion.status, RdmaWcStatus::SUCCESS, "completion");
                latencies.push_back(completion.time - posted);
                if (latencies.size() < MESSAGES)
                {
                    post();
                }
            }));
        post();
        test.Run();
        NS_TEST_ASSERT_MSG_EQ(latencies.size(), MESSAGES, "messages");
        std::sort(latencies.begin(), latencies.end());
        // A packet of 1000 B (1098 B with all headers) and its acknowledgement (90 B) cross two
        // links of 1 us.
        const RdmaPs roundTrip = 4_us + 2 * (1098 - 12 + 90 - 12) * 200_ps;
        NS_TEST_EXPECT_MSG_EQ(latencies.front(), roundTrip, "without loss");
        const RdmaPs tail = latencies[MESSAGES * 999 / 1000];
        NS_TEST_EXPECT_MSG_GT(tail, 100_us, "a loss takes a timeout");
        NS_TEST_EXPECT_MSG_EQ((tail <= 100_us + 2 * roundTrip), true, "tail " << tail);
    }
};

/** One of 256 packets is lost; messages have 4 MB (Guo et al., SIGCOMM 2016, section 4.1). */
class LivelockTestCase : public TestCase
{
  public:
    LivelockTestCase()
        : TestCase("transport livelock: go-back-0 and go-back-N with 1 of 256 packets lost")
    {
    }

  private:
    /** \param recovery attribute LossRecovery \return goodput of 9 ms over the line rate */
    double Measure(const std::string& recovery)
    {
        RdmaTestFabric test;
        RdmaTestLossSetup setup;
        setup.irn = false;
        setup.recovery = recovery;
        ConfigureTestLoss(test, setup);
        test.Install(MakeRdmaStar(2, MakeTestRates(40, 40, 500)), {});
        auto [sender, receiver] = test.fabric->Connect(0, 1);
        uint64_t bytes = 0;
        receiver->TraceConnectWithoutContext(
            "MessageReceived",
            Callback<void, const RdmaMessageArrival&>(
                [&](const RdmaMessageArrival& arrival) { bytes += arrival.bytes; }));
        LoseFramesAtRandom(receiver->GetPort(), 1.0 / 256, 9);
        for (uint32_t i = 0; i < 10; ++i)
        {
            RdmaSendRequest request;
            request.length = 4'000'000;
            sender->PostSend(request);
        }
        test.Run(9_ms);
        return static_cast<double>(bytes) * 8 / (40e9 * 9e-3);
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Measure("GoBack0"), 0.0, "go-back-0 gets nowhere");
        NS_TEST_EXPECT_MSG_GT(Measure("GoBackN"), 0.7, "go-back-N");
    }
};

/** The suite. */
class RdmaLossGoodputTestSuite : public TestSuite
{
  public:
    RdmaLossGoodputTestSuite()
        : TestSuite("rdma-loss-goodput")
    {
        AddTestCase(new GoodputTestCase);
        AddTestCase(new TailTestCase);
        AddTestCase(new LivelockTestCase);
    }
};

RdmaLossGoodputTestSuite g_rdmaLossGoodputTestSuite; //!< registers the suite

} // namespace
