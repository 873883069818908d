/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

#include <random>

/**
 * \file
 * \ingroup rdma-tests
 * A flow that is alone takes exactly the ideal time of GetRdmaIdealFct(), which some cases compare
 * with a time worked out by hand.
 */

using namespace ns3;

namespace
{

/** Completion times worked out by hand, frame by frame. */
class HandComputedTestCase : public TestCase
{
  public:
    HandComputedTestCase()
        : TestCase("completion times worked out by hand")
    {
    }

  private:
    /** A flow and its times. */
    struct Row
    {
        const char* topology; //!< text for MakeRdmaTopology()
        RdmaTopologyRates rates;
        uint32_t destination; //!< receiving host; host 0 sends
        uint32_t mtu;
        uint64_t bytes;
        RdmaPs fct; //!< last byte in the receiver's memory
        RdmaPs ack; //!< time from there to the sender's completion
    };

    void Check(const Row& row)
    {
        RdmaTestFabric test;
        test.SetMtu(row.mtu);
        test.Install(MakeRdmaTopology(row.topology, row.rates),
                     {MakeTestFlow(1, 0, row.destination, row.bytes, 5_us)});
        test.Run();
        const RdmaFlowResult& result = test.results.front();
        NS_TEST_EXPECT_MSG_EQ(result.status, "IBV_WC_SUCCESS", row.topology << " " << row.bytes);
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), row.fct, "FCT of " << row.bytes);
        NS_TEST_EXPECT_MSG_EQ(result.ideal, row.fct, "ideal FCT of " << row.bytes);
        NS_TEST_EXPECT_MSG_EQ(result.cqe.value_or(-1_ps),
                              row.fct + row.ack,
                              "CQE of " << row.bytes);
    }

    void DoRun() override
    {
        // A WRITE has 62 B in addition to its payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4,
        // FCS 4. The first packet also has a RETH of 16 B. An ACK has 62 + AETH 4 = 66 B. A frame
        // has 8 B of preamble before it and a gap of 12 B behind it. Every link has a delay d =
        // 1 us.

        // One byte, padded to four: 82 B. 100 Gb/s is 80 ps a byte: (8 + 82) x 80 = 7200, twice
        // with d: 2 014 400. ACK: (8 + 66) x 80 = 5920, twice with d: 2 011 840.
        Check({"star:2", MakeTestRates(100, 100, 1000), 1, 1024, 1, 2'014'400_ps, 2'011'840_ps});

        // MTU + 1 from pod to pod of a fat-tree, 80 ps a byte at the hosts and 20 between switches:
        // frames of 1102 and 66 B. Last bits leave, and the line is free:
        //   host   1: 1110 x 80          =    88 800, free 89 760; 2: 89 760 + 5920 = 95 680
        //   edge   1: 1 088 800 + 22 200 = 1 111 000, free 1 111 240; 2: + 1480 = 1 112 720
        //   aggr   1: 2 111 000 + 22 200 = 2 133 200, free 2 133 440; 2: 2 134 920
        //   core   1: 3 133 200 + 22 200 = 3 155 400, free 3 155 640; 2: 3 157 120
        //   aggr   1: 4 155 400 + 22 200 = 4 177 600, free 4 177 840; 2: 4 179 320
        //   edge   1: 5 177 600 + 88 800 = 5 266 400, free 5 267 360; 2: + 5920 = 5 273 280
        // Frame 2 arrives 1 us later. ACK: 2 x 5920 + 4 x 74 x 20 + 6 d = 6 017 760.
        Check({"fat-tree:4",
               MakeTestRates(100, 400, 1000),
               15,
               1024,
               1025,
               6'273'280_ps,
               6'017'760_ps});

        // 10 MB at 40 Gb/s, 200 ps a byte: 10 000 packets of 1000 B. Line bytes up to the last bit
        // of the last frame: (20 + 1078) + 9998 x (20 + 1062) + 8 + 1062 = 10 820 004. The switch
        // begins when it has the first frame, (8 + 1078) x 200 + d, and is never idle from then
        // on, because the first frame is the longest: 217 200 + 10 820 004 x 200 + 2 d.
        // ACK: 2 x (74 x 200 + d).
        Check({"star:2",
               MakeTestRates(40, 40, 1000),
               1,
               1000,
               10'000'000,
               2'166'218'000_ps,
               2'029'600_ps});

        // 3 Gb/s is 8000/3 ps a byte, frames of 1102 and 66 B again:
        //   host    1: 1110 x 8000/3 = 2 960 000, free 1122 x 8000/3 = 2 992 000
        //           2: 2 992 000 + 74 x 8000/3 = 3 189 333.3
        //   switch  1: 3 960 000 + 2 960 000 = 6 920 000, free 6 952 000
        //           2: 6 952 000 + 197 333.3 = 7 149 333.3, rounded down, and d
        // ACK: 2 x (197 333.3 rounded down + d).
        Check({"star:2", MakeTestRates(3, 3, 1000), 1, 1024, 1025, 8'149'333_ps, 2'394'666_ps});
    }
};

/** One byte, one MTU, one byte more, and 10 MB, over 2, 4 and 6 hops, at many rates. */
class IdealFctTestCase : public TestCase
{
  public:
    /**
     * \param hostGbps rate of the hosts
     * \param uplinkGbps rate between switches
     * \param delayNs delay of every link
     * \param mtu payload of a full packet
     */
    IdealFctTestCase(uint64_t hostGbps, uint64_t uplinkGbps, int64_t delayNs, uint32_t mtu)
        : TestCase("alone at " + std::to_string(hostGbps) + " and " + std::to_string(uplinkGbps) +
                   " Gb per s, " + std::to_string(delayNs) + " ns, MTU " + std::to_string(mtu)),
          m_rates(MakeTestRates(hostGbps, uplinkGbps, delayNs)),
          m_mtu(mtu)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.SetMtu(m_mtu);
        std::vector<RdmaFlow> flows;
        // Hosts 0 and 1 share an edge switch, host 2 is in the same pod, host 15 in another pod.
        for (const uint32_t destination : {1, 2, 15})
        {
            for (const uint64_t bytes :
                 {uint64_t{1}, uint64_t{m_mtu}, uint64_t{m_mtu} + 1, uint64_t{10'000'000}})
            {
                // 10 MB at 3 Gb/s take 30 ms, so that each flow is alone.
                const RdmaPs start = flows.size() * 50_ms;
                flows.push_back(MakeTestFlow(flows.size(), 0, destination, bytes, start));
            }
        }
        test.Install(MakeRdmaFatTree(4, m_rates), flows);
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            const std::size_t hops = test.fabric->GetPath(test.runner->GetSender(i)).size();
            NS_TEST_EXPECT_MSG_EQ(hops, (i < 4 ? 2 : i < 8 ? 4 : 6), "hops of flow " << i);
        }
        test.Run();
        for (const auto& result : test.results)
        {
            NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps),
                                  result.ideal,
                                  result.flow.bytes << " B to host " << result.flow.dstHost);
        }
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "after the run");
    }

    RdmaTopologyRates m_rates;
    uint32_t m_mtu;
};

/** Chains of switches whose links all differ, with frames of all sizes. */
class RandomPathTestCase : public TestCase
{
  public:
    RandomPathTestCase()
        : TestCase("alone on paths of random rates and delays")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(7);
        const RdmaBitRate rates[] =
            {400_gbps, 100_gbps, 40_gbps, 10_gbps, 3_gbps, 7_gbps, 99'999'999'977_bps};
        for (int round = 0; round < 60; ++round)
        {
            RdmaTestFabric test;
            const uint32_t mtu = 256 + random() % 3841;
            test.SetMtu(mtu);
            test.helper.SetDeviceAttribute("LineOverhead", BooleanValue(random() % 4 != 0));
            test.helper.SetDeviceAttribute("TagFrames", BooleanValue(random() % 4 == 0));
            RdmaTopology topology;
            uint32_t last = topology.AddHost();
            const uint32_t other = topology.AddHost();
            const uint32_t switches = 1 + random() % 5;
            std::ostringstream path;
            for (uint32_t i = 0; i <= switches; ++i)
            {
                const uint32_t next = i == switches ? other : topology.AddSwitch();
                const RdmaBitRate rate = rates[random() % std::size(rates)];
                const RdmaPs delay(1 + random() % 3'000'000);
                topology.AddLink(last, next, rate, delay);
                path << rate << " bit/s " << delay << " ps, ";
                last = next;
            }
            const uint64_t bytes = 1 + random() % (100 * mtu);
            test.Install(topology, {MakeTestFlow(0, 0, 1, bytes, RdmaPs(random() % 1'000'000))});
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.results[0].fct.value_or(-1_ps),
                                  test.results[0].ideal,
                                  bytes << " B, MTU " << mtu << ": " << path.str());
        }
    }
};

/** More bytes than 32 bits can count, in three messages. */
class HugeFlowTestCase : public TestCase
{
  public:
    HugeFlowTestCase()
        : TestCase("a flow of 5 GB")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.SetMtu(4096);
        test.helper.SetTransportAttribute("AckInterval", UintegerValue(1024));
        constexpr uint64_t BYTES = 5'000'000'000;
        test.Install(MakeRdmaStar(2, MakeTestRates(400, 400, 1000)),
                     {MakeTestFlow(0, 0, 1, BYTES)});
        test.Run();
        const RdmaFlowResult& result = test.results[0];
        NS_TEST_EXPECT_MSG_EQ(result.status, "IBV_WC_SUCCESS", "status");
        // Messages of 2^31, 2^31 and 705 032 704 B have 524 288 + 524 288 + 172 128 packets. The
        // last of the 1 220 704 frames has 512 B of payload. 400 Gb/s is 20 ps a byte.
        //   line bytes up to the last bit: 1 220 703 x (20 + 62 + 4096) + 3 x 16 (three RETHs)
        //     + 8 + 62 + 512 = 5 100 097 764
        //   first frame at the switch: (8 + 62 + 16 + 4096) x 20 = 83 640, and twice 1 us
        const uint64_t lineBytes = 1'220'703ULL * 4178 + 48 + 582;
        NS_TEST_EXPECT_MSG_EQ(lineBytes, 5'100'097'764ULL, "arithmetic");
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps),
                              lineBytes * 20_ps + 83'640_ps + 2_us,
                              "FCT");
        NS_TEST_EXPECT_MSG_EQ(result.ideal, result.fct.value_or(-1_ps), "ideal FCT");
        const auto sender = test.runner->GetSender(0);
        NS_TEST_EXPECT_MSG_EQ(sender->GetStats().packetsSent, 1'220'704U, "packets");
        NS_TEST_EXPECT_MSG_EQ(sender->GetPacketsAcknowledged(), 1'220'704U, "acknowledged");
        // Two messages have an ACK for each 1024 packets; 172 128 = 168 x 1024 + 96 has one more.
        NS_TEST_EXPECT_MSG_EQ(sender->GetStats().acksReceived, 512U + 512U + 169U, "ACKs");
    }
};

/** Two hosts back to back, and more packets than there are PSNs. */
class AllPsnsTestCase : public TestCase
{
  public:
    AllPsnsTestCase()
        : TestCase("a flow of more packets than there are PSNs")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.SetMtu(256);
        test.helper.SetTransportAttribute("AckInterval", UintegerValue(1024));
        RdmaTopology topology;
        topology.AddHost();
        topology.AddHost();
        topology.AddLink(0, 1, 400_gbps, 1_us);
        constexpr uint64_t PACKETS = (1U << 24) + 2000;
        test.Install(topology, {MakeTestFlow(0, 0, 1, PACKETS * 256)});
        test.Run();
        const RdmaFlowResult& result = test.results[0];
        NS_TEST_EXPECT_MSG_EQ(result.status, "IBV_WC_SUCCESS", "status");
        // Two messages of 2^31 B and one of 512 000 B. A frame has 62 + 256 B, and 20 B of preamble
        // and gap. The last gap of 12 B does not count; three RETHs do. A byte takes 20 ps, the
        // cable 1 us.
        NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps),
                              (PACKETS * 338 - 12 + 48) * 20_ps + 1_us,
                              "FCT");
        NS_TEST_EXPECT_MSG_EQ(result.ideal, result.fct.value_or(-1_ps), "ideal FCT");
        NS_TEST_EXPECT_MSG_EQ(test.runner->GetSender(0)->GetPacketsAcknowledged(),
                              PACKETS,
                              "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(test.runner->GetSender(0)->GetStats().packetsSent,
                              PACKETS,
                              "sent once");
    }
};

/** PSNs that wrap around in the middle of flows, with and without losses. */
class PsnWrapTestCase : public TestCase
{
  public:
    /** \param errorRate frames lost on each link */
    explicit PsnWrapTestCase(double errorRate)
        : TestCase("PSNs wrap, loss rate " + std::to_string(errorRate)),
          m_errorRate(errorRate)
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t before : {1U, 2U, 3U, 50U, 99U, 100U})
        {
            RdmaTestFabric test;
            test.helper.SetQueuePairAttribute("InitialPsn", UintegerValue((1U << 24) - before));
            test.SetRetries(100_us, 1000);
            RdmaTopologyRates rates = MakeTestRates(100, 100, 1000);
            rates.errorRate = m_errorRate;
            test.Install(MakeRdmaStar(2, rates), {MakeTestFlow(0, 0, 1, 100 * 1024)});
            uint64_t arrived = 0;
            test.fabric->GetNic(1)
                ->GetQueuePair(RdmaNic::FIRST_QPN)
                ->TraceConnectWithoutContext(
                    "MessageReceived",
                    Callback<void, const RdmaMessageArrival&>(
                        [&](const RdmaMessageArrival& arrival) { arrived += arrival.bytes; }));
            test.Run();
            const RdmaFlowResult& result = test.results[0];
            NS_TEST_EXPECT_MSG_EQ(result.status, "IBV_WC_SUCCESS", before << " before the wrap");
            NS_TEST_EXPECT_MSG_EQ(arrived, 100 * 1024U, before << " before the wrap");
            const auto stats = test.runner->GetSender(0)->GetStats();
            NS_TEST_EXPECT_MSG_EQ(stats.packetsSent,
                                  100 + stats.packetsRetransmitted,
                                  "packets are sent once, or counted as sent again");
            if (m_errorRate == 0)
            {
                NS_TEST_EXPECT_MSG_EQ(result.fct.value_or(-1_ps), result.ideal, "FCT");
                NS_TEST_EXPECT_MSG_EQ(stats.packetsRetransmitted, 0U, "nothing is lost");
            }
            else
            {
                m_retransmitted += stats.packetsRetransmitted;
            }
        }
        NS_TEST_EXPECT_MSG_EQ((m_retransmitted > 0), (m_errorRate > 0), "packets were lost");
    }

    double m_errorRate;
    uint64_t m_retransmitted{0};
};

/** The suite. */
class RdmaIdealTestSuite : public TestSuite
{
  public:
    RdmaIdealTestSuite()
        : TestSuite("rdma-ideal")
    {
        AddTestCase(new HandComputedTestCase);
        AddTestCase(new IdealFctTestCase(100, 400, 1000, 1024));
        AddTestCase(new IdealFctTestCase(100, 400, 1000, 1000));
        AddTestCase(new IdealFctTestCase(400, 100, 500, 4096));
        AddTestCase(new IdealFctTestCase(10, 10, 10, 1024));
        AddTestCase(new IdealFctTestCase(25, 100, 5000, 1024));
        AddTestCase(new IdealFctTestCase(800, 400, 1, 2048));
        AddTestCase(new IdealFctTestCase(3, 3, 1000, 1024));
        AddTestCase(new IdealFctTestCase(3, 7, 1000, 1024));
        AddTestCase(new IdealFctTestCase(10, 3, 1000, 1000));
        AddTestCase(new RandomPathTestCase);
        AddTestCase(new HugeFlowTestCase);
        AddTestCase(new AllPsnsTestCase);
        AddTestCase(new PsnWrapTestCase(0));
        AddTestCase(new PsnWrapTestCase(0.05));
    }
};

RdmaIdealTestSuite g_rdmaIdealTestSuite; //!< registers the suite

} // namespace
