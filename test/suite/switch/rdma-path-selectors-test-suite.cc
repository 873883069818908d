/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-adaptive-path-selector.h"
#include "qbb-conga-path-selector.h"
#include "qbb-drill-path-selector.h"
#include "qbb-flowlet-path-selector.h"
#include "qbb-wcmp-path-selector.h"
#include "rdma-test-threads.h"
#include "rdma-test-verbs.h"

#include <ns3/pointer.h>
#include <ns3/test.h>

#include <algorithm>
#include <cmath>
#include <numeric>

/**
 * \file
 * \ingroup rdma-tests
 * Path selectors: where frames go, and whether they stay in order.
 */

using namespace ns3;

namespace
{

/**
 * Two leaves with hosts, and a spine for each uplink of a leaf.
 *
 * \param hosts hosts on each leaf: ids from 0 on the first, then on the second
 * \param uplinks rates of the links of both leaves to each spine, in Gb/s
 * \return the topology; leaf 0 is the node with the id 2 * hosts, its uplinks are the ports from
 *         hosts on
 */
RdmaTopology
MakeTwoLeaves(uint32_t hosts, const std::vector<uint64_t>& uplinks)
{
    RdmaTopology topology;
    for (uint32_t i = 0; i < 2 * hosts; ++i)
    {
        topology.AddHost();
    }
    const uint32_t leaves[] = {topology.AddSwitch(), topology.AddSwitch()};
    for (uint32_t i = 0; i < 2 * hosts; ++i)
    {
        topology.AddLink(i, leaves[i / hosts], 100_gbps, 100_ns);
    }
    for (const uint64_t rate : uplinks)
    {
        const uint32_t spine = topology.AddSwitch();
        topology.AddLink(leaves[0], spine, rate * 1_gbps, 100_ns);
        topology.AddLink(leaves[1], spine, rate * 1_gbps, 100_ns);
    }
    return topology;
}

/** Base of the tests in this file. */
class SelectorTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /**
     * \param test has run
     * \param hosts hosts on each leaf
     * \return data frames that leaf 0 sent over each of its uplinks
     */
    static std::vector<uint64_t> GetSent(const RdmaTestFabric& test, uint32_t hosts)
    {
        std::vector<uint64_t> sent;
        const auto leaf = test.fabric->GetSwitch(2 * hosts);
        for (uint32_t port = hosts; port < leaf->GetNPorts(); ++port)
        {
            sent.push_back(leaf->GetPort(port)->GetCounters().classes[3].txFrames);
        }
        return sent;
    }

    /** \param counts numbers \return their sum */
    static uint64_t Sum(const std::vector<uint64_t>& counts)
    {
        return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
    }

    /**
     * \tparam T a selector
     * \param test a fabric
     * \param node node id of a switch
     * \return its selector
     */
    template <typename T>
    static Ptr<T> GetSelector(const RdmaTestFabric& test, uint32_t node)
    {
        PointerValue value;
        test.fabric->GetSwitch(node)->GetAttribute("PathSelector", value);
        return value.Get<T>();
    }
};

/** WCMP: shares of the uplinks by weights or rates. */
class WcmpTestCase : public SelectorTestCase
{
  public:
    WcmpTestCase()
        : SelectorTestCase("WCMP spreads flows by rate or by weights, and keeps each on its path")
    {
    }

  private:
    /**
     * Runs flows of two packets each and compares the shares.
     *
     * \param weights weights of the uplinks of leaf 0; empty: by rate
     * \param expected share of each uplink, in tenths
     */
    void Check(const std::vector<uint32_t>& weights, const std::vector<double>& expected)
    {
        constexpr uint32_t HOSTS = 2;
        constexpr uint32_t FLOWS = 5000;
        RdmaTestFabric test;
        test.helper.SetPathSelector("ns3::QbbWcmpPathSelector");
        test.Install(MakeTwoLeaves(HOSTS, {100, 200, 300, 400}), {});
        for (uint16_t i = 0; i < weights.size(); ++i)
        {
            GetSelector<QbbWcmpPathSelector>(test, 4)->SetWeight(HOSTS + i, weights[i]);
        }
        std::vector<uint64_t> predicted(4);
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            const auto [a, b] = test.fabric->Connect(i % 2, 2 + i / 2 % 2);
            const auto path = test.GetPath(*a);
            predicted.at(path.at(1)->GetPortNumber() - HOSTS) += 2;
            RdmaSendRequest request;
            request.length = 2000;
            a->PostSend(request);
        }
        test.Run();
        const auto sent = GetSent(test, HOSTS);
        NS_TEST_EXPECT_MSG_EQ(Sum(sent), 2 * FLOWS, "all packets");
        double chiSquare = 0;
        for (std::size_t i = 0; i < sent.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(sent[i], predicted[i], "GetPath() knows uplink " << i);
            const double mean = FLOWS * expected[i] / 10;
            const double difference = static_cast<double>(sent[i]) / 2 - mean;
            chiSquare += mean > 0 ? difference * difference / mean : difference;
        }
        // With three degrees of freedom chi-square exceeds 21.1 once in 10^4.
        NS_TEST_EXPECT_MSG_LT(chiSquare, 21.1, "shares");
    }

    void DoRun() override
    {
        Check({}, {1, 2, 3, 4});
        Check({1, 1, 1, 1}, {2.5, 2.5, 2.5, 2.5});
        Check({3, 0, 0, 7}, {3, 0, 0, 7});
    }
};

/** DRILL: the shortest of a few queues. */
class DrillTestCase : public SelectorTestCase
{
  public:
    DrillTestCase()
        : SelectorTestCase("DRILL keeps queues even and short, and off links that are down")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 8;

    /** Results of a run. */
    struct Outcome
    {
        std::vector<uint64_t> sent; //!< frames over each uplink
        uint64_t peak;              //!< longest queue of an uplink, in bytes
        uint64_t lost;              //!< frames that went to a link while it was down
        std::string unfinished;     //!< flows that did not complete
    };

    /**
     * Each host of leaf 0 sends to a host of leaf 1.
     *
     * \param selector TypeId name of the selector
     * \param uplinks rates in Gb/s
     * \param failing true: the first uplink fails, and routes follow much later
     */
    static Outcome Measure(const std::string& selector,
                           const std::vector<uint64_t>& uplinks,
                           bool failing = false)
    {
        RdmaTestFabric test;
        SetTestTransport(test, RdmaWireFormat::IRN, 1000);
        test.helper.SetTransportAttribute("BdpCap", UintegerValue(2000));
        test.helper.SetPathSelector(selector);
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            flows.push_back(MakeTestFlow(i, i, HOSTS + i, 1'000'000));
        }
        test.Install(MakeTwoLeaves(HOSTS, uplinks), flows);
        if (failing)
        {
            test.fabric->GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(MilliSeconds(1)));
            RdmaTestPair::At(20_us, [&test]() { test.fabric->SetLinkUp(2 * HOSTS, false); });
        }
        test.Run();
        Outcome outcome;
        outcome.sent = GetSent(test, HOSTS);
        const auto leaf = test.fabric->GetSwitch(2 * HOSTS);
        outcome.peak = 0;
        for (uint32_t port = HOSTS; port < leaf->GetNPorts(); ++port)
        {
            outcome.peak =
                std::max<uint64_t>(outcome.peak, leaf->GetPort(port)->GetQueues().GetPeakBytes(3));
        }
        outcome.lost = RdmaTestBooks::CountDrops(leaf->GetPort(HOSTS)->GetCounters(),
                                                 QbbDropReason::LINK_DOWN);
        outcome.unfinished = test.GetUnfinished();
        return outcome;
    }

    void DoRun() override
    {
        const std::string drill = "ns3::QbbDrillPathSelector";
        const std::string spray = "ns3::QbbSprayPathSelector";
        // The flows offer as much as the uplinks carry.
        const std::vector<uint64_t> even(8, 100);
        const Outcome least = Measure(drill, even);
        const Outcome random = Measure(spray, even);
        NS_TEST_EXPECT_MSG_EQ(least.unfinished + random.unfinished, "", "flows");
        const auto [low, high] = std::minmax_element(least.sent.begin(), least.sent.end());
        NS_TEST_EXPECT_MSG_LT((*high - *low) * 20, *high, "shares within 5%");
        NS_TEST_EXPECT_MSG_LT(least.peak * 3, random.peak, "queues");
        // One uplink has a fifth of the others' rate, and gets a fifth of their frames.
        const std::vector<uint64_t> uneven{50, 250, 250, 250};
        const Outcome uneven1 = Measure(drill, uneven);
        NS_TEST_EXPECT_MSG_EQ(uneven1.unfinished, "", "flows");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(uneven1.sent[0]) / Sum(uneven1.sent),
                                  50.0 / 800,
                                  0.02,
                                  "share of the slow uplink");
        NS_TEST_EXPECT_MSG_LT(uneven1.peak * 3, Measure(spray, uneven).peak, "queues");
        // An empty queue behind a link that is down attracts nothing.
        const Outcome down = Measure(drill, even, true);
        const Outcome blind = Measure(spray, even, true);
        NS_TEST_EXPECT_MSG_EQ(down.unfinished + blind.unfinished, "", "flows");
        NS_TEST_EXPECT_MSG_LT(down.lost, 20U, "what waited there");
        NS_TEST_EXPECT_MSG_GT(blind.lost, 100U, "spraying goes on until the routes change");
    }
};

/** Flowlets. */
class FlowletTestCase : public SelectorTestCase
{
  public:
    FlowletTestCase()
        : SelectorTestCase("flowlets: a new port only after a gap, in order; a bounded table")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 2;
    static constexpr uint32_t MESSAGES = 1000;

    /** Results of a run. */
    struct Outcome
    {
        std::vector<uint64_t> sent;  //!< frames over each uplink
        uint64_t flowlets{0};        //!< flowlets at leaf 0
        uint64_t retransmissions{0}; //!< retransmissions of both flows, which reordering causes
        std::size_t completions{0};  //!< completions of all messages
    };

    /**
     * Two hosts send messages of four packets each, one message every ten microseconds.
     *
     * \param gap attribute Gap
     * \param entries attribute TableEntries
     */
    static Outcome Measure(Time gap, uint32_t entries)
    {
        RdmaTestFabric test;
        test.helper.SetPathSelector("ns3::QbbFlowletPathSelector");
        test.helper.SetPathSelectorAttribute("Gap", TimeValue(gap));
        test.helper.SetPathSelectorAttribute("TableEntries", UintegerValue(entries));
        // The paths differ in rate: frames on a new path may overtake others.
        test.Install(MakeTwoLeaves(HOSTS, {100, 100, 10, 400}), {});
        Outcome outcome;
        std::vector<Ptr<RdmaQueuePair>> senders;
        std::vector<Ptr<RdmaQueuePair>> receivers;
        for (uint32_t i = 0; i < 2; ++i)
        {
            const auto [a, b] = test.fabric->Connect(i, 2 + i);
            senders.push_back(a);
            receivers.push_back(b);
            a->GetSendCompletionQueue()->SetCallback(
                Callback<void, const RdmaWorkCompletion&>([&](const RdmaWorkCompletion& done) {
                    outcome.completions += done.status == RdmaWcStatus::SUCCESS;
                }));
        }
        for (uint32_t i = 0; i < MESSAGES; ++i)
        {
            // The second host's messages begin half a period later.
            for (uint32_t host = 0; host < 2; ++host)
            {
                RdmaTestPair::At(i * 10_us + host * 5_us, [qp = senders[host]]() {
                    RdmaSendRequest request;
                    request.length = 4096;
                    qp->PostSend(request);
                });
            }
        }
        test.Run();
        outcome.sent = GetSent(test, HOSTS);
        outcome.flowlets = GetSelector<QbbFlowletPathSelector>(test, 2 * HOSTS)->GetNFlowlets();
        for (const auto& qp : senders)
        {
            outcome.retransmissions += qp->GetStats().packetsRetransmitted;
        }
        return outcome;
    }

    void DoRun() override
    {
        // Messages of one host are 9 us apart: each message is a flowlet.
        const Outcome each = Measure(MicroSeconds(7), 4096);
        NS_TEST_EXPECT_MSG_EQ(each.completions, 2 * MESSAGES, "messages");
        NS_TEST_EXPECT_MSG_EQ(each.flowlets, 2 * MESSAGES, "one flowlet for each message");
        NS_TEST_EXPECT_MSG_EQ(each.retransmissions, 0U, "in order");
        double chiSquare = 0;
        for (const uint64_t sent : each.sent)
        {
            // The selector places whole messages at random.
            NS_TEST_EXPECT_MSG_EQ(sent % 4, 0U, "a message stays together");
            const double difference = static_cast<double>(sent) / 4 - 2.0 * MESSAGES / 4;
            chiSquare += difference * difference / (2.0 * MESSAGES / 4);
        }
        NS_TEST_EXPECT_MSG_LT(chiSquare, 21.1, "even shares");
        // The gap between frames never gets long enough: each of the two flows is one flowlet.
        const Outcome none = Measure(MicroSeconds(20), 4096);
        NS_TEST_EXPECT_MSG_EQ(none.completions, 2 * MESSAGES, "messages");
        NS_TEST_EXPECT_MSG_EQ(none.flowlets, 2U, "one for each flow");
        NS_TEST_EXPECT_MSG_EQ(none.retransmissions, 0U, "in order");
        // Both flows share the only entry of the table and are one flow, whose messages come every
        // 5 us.
        NS_TEST_EXPECT_MSG_EQ(Measure(MicroSeconds(7), 1).flowlets, 1U, "a shared entry");
        // With a gap shorter than the difference between paths, frames overtake each other.
        NS_TEST_EXPECT_MSG_GT(Measure(Time(0), 4096).retransmissions, 100U, "out of order");
    }
};

/** Adaptive routing: queues, loads, rates, pauses and links that are down. */
class AdaptiveTestCase : public SelectorTestCase
{
  public:
    AdaptiveTestCase()
        : SelectorTestCase("adaptive routing goes by queue, load, rate, pause and state of a port")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 8;
    static constexpr uint32_t LEAF = 2 * HOSTS;

    /**
     * Each host of leaf 0 sends to a host of leaf 1.
     *
     * \param test a fabric, whose selector and flow control are chosen
     * \param uplinks rates in Gb/s
     * \param bytes bytes of each flow
     */
    static void InstallFlows(RdmaTestFabric& test,
                             const std::vector<uint64_t>& uplinks,
                             uint64_t bytes = 1'000'000)
    {
        SetTestTransport(test, RdmaWireFormat::IRN, 1000);
        test.helper.SetTransportAttribute("BdpCap", UintegerValue(2000));
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            flows.push_back(MakeTestFlow(i, i, HOSTS + i, bytes));
        }
        test.Install(MakeTwoLeaves(HOSTS, uplinks), flows);
    }

    /** The flows offer as much as the uplinks carry. */
    void CheckEven()
    {
        for (const std::string ties : {"InTurn", "Random"})
        {
            RdmaTestFabric test;
            test.helper.SetPathSelector("ns3::QbbAdaptivePathSelector[Ties=" + ties + "]");
            InstallFlows(test, std::vector<uint64_t>(HOSTS, 100));
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows, " << ties);
            const auto sent = GetSent(test, HOSTS);
            const auto [low, high] = std::minmax_element(sent.begin(), sent.end());
            NS_TEST_EXPECT_MSG_LT((*high - *low) * 50, *high, "shares within 2%, " << ties);
            for (uint32_t port = HOSTS; port < 2 * HOSTS; ++port)
            {
                // Up to eight frames of 1102 bytes arrive at once. In turn, they find a port in the
                // lowest band of 8192 bytes; three random ports may all be in the second band.
                const auto& queues = test.fabric->GetSwitch(LEAF)->GetPort(port)->GetQueues();
                const uint64_t most = ties == "InTurn" ? 9000 : 17500;
                NS_TEST_EXPECT_MSG_LT(queues.GetPeakBytes(3), most, "queue, " << ties);
            }
        }
    }

    /** One uplink has a fifth of the others' rate, and gets a fifth of their frames. */
    void CheckUneven()
    {
        RdmaTestFabric test;
        test.helper.SetPathSelector("ns3::QbbAdaptivePathSelector");
        InstallFlows(test, {50, 250, 250, 250});
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        const auto sent = GetSent(test, HOSTS);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(sent[0]) / Sum(sent),
                                  50.0 / 800,
                                  0.015,
                                  "share of the slow uplink");
    }

    /** A spine pauses its link, and another link fails. */
    void CheckPausedAndDown()
    {
        for (const bool isDown : {false, true})
        {
            RdmaTestFabric test;
            test.helper.SetDeviceAttribute("FlowControl", StringValue("Pfc"));
            test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
            test.helper.SetPathSelector("ns3::QbbAdaptivePathSelector");
            InstallFlows(test, std::vector<uint64_t>(HOSTS, 200));
            test.fabric->GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(MilliSeconds(1)));
            const auto port = test.fabric->GetSwitch(LEAF)->GetPort(HOSTS);
            uint64_t before = 0;
            uint64_t after = 0;
            RdmaTestPair::At(20_us, [&] {
                if (isDown)
                {
                    test.fabric->SetLinkUp(2 * HOSTS, false);
                }
                else
                {
                    // 65535 quanta of 512 bits take 168 us at 200 Gb/s.
                    DynamicCast<QbbNetDevice>(port->GetPeer()->GetDevice())
                        ->GetFlowControl()
                        .InjectPause(1 << 3, 65535);
                }
            });
            // The pause has arrived, and frames that had chosen the port wait there.
            RdmaTestPair::At(22_us, [&] {
                before = port->GetQueues().GetBytes(3) + port->GetCounters().classes[3].txBytes;
            });
            RdmaTestPair::At(60_us, [&] {
                after = port->GetQueues().GetBytes(3) + port->GetCounters().classes[3].txBytes;
            });
            test.Run();
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
            NS_TEST_EXPECT_MSG_GT(before, 100'000U, "the port was in use");
            NS_TEST_EXPECT_MSG_EQ(after, before, "the port attracts nothing, down " << isDown);
        }
    }

    /** Load of one port that sends at its rate: one half for the latest window. */
    void CheckLoad()
    {
        RdmaTestFabric test;
        test.helper.SetPathSelector("ns3::QbbAdaptivePathSelector[Gap=1ms|LoadWeight=100|"
                                    "LoadWindow=20us|Bands=7]");
        test.Install(MakeTwoLeaves(1, {100, 100}), {MakeTestFlow(0, 0, 1, 1'500'000)});
        const auto selector = GetSelector<QbbAdaptivePathSelector>(test, 2);
        uint32_t checks = 0;
        // The first frame arrives after some 200 ns and begins the first window. After one, two and
        // three windows the average is 1/2, 3/4 and 7/8 of the rate: 3.5, 5.25 and 6.1 of 7 bands.
        const std::vector<uint32_t> expected{0, 3, 5, 6};
        for (uint32_t window = 0; window < expected.size(); ++window)
        {
            RdmaTestPair::At(window * 20_us + 10_us, [&, window] {
                const auto leaf = test.fabric->GetSwitch(2);
                for (uint16_t port = 1; port < 3; ++port)
                {
                    const bool isUsed = leaf->GetPort(port)->GetCounters().classes[3].txFrames > 0;
                    NS_TEST_EXPECT_MSG_EQ(selector->GetLoadBand(port),
                                          (isUsed ? expected[window] : 0U),
                                          "window " << window << ", port " << port);
                    checks += isUsed;
                }
            });
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(checks, 4U, "one port in use");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flow");
        NS_TEST_EXPECT_MSG_EQ(test.results[0].retransmittedPackets, 0U, "in order");
    }

    void DoRun() override
    {
        CheckEven();
        CheckUneven();
        CheckPausedAndDown();
        CheckLoad();
    }
};

/**
 * Hosts on two leaves, 100 Gb/s each, and two spines. The second spine's link to leaf 1 is slow.
 *
 * \param hosts hosts on each leaf
 * \param hostRate rate of hosts' links, in Gb/s
 * \param rate rate of links between switches, in Gb/s
 * \param slow rate of the slow link, in Gb/s
 * \return the topology; leaf 0 is the node 2 * hosts, leaf 1 the next, spines follow
 */
RdmaTopology
MakeAsymmetricLeaves(uint32_t hosts, uint64_t hostRate, uint64_t rate, uint64_t slow)
{
    RdmaTopology topology;
    for (uint32_t i = 0; i < 2 * hosts; ++i)
    {
        topology.AddHost();
    }
    const uint32_t leaves[] = {topology.AddSwitch(), topology.AddSwitch()};
    const uint32_t spines[] = {topology.AddSwitch(), topology.AddSwitch()};
    for (uint32_t i = 0; i < 2 * hosts; ++i)
    {
        topology.AddLink(i, leaves[i / hosts], hostRate * 1_gbps, 100_ns);
    }
    topology.AddLink(leaves[0], spines[0], rate * 1_gbps, 100_ns);
    topology.AddLink(leaves[0], spines[1], rate * 1_gbps, 100_ns);
    topology.AddLink(leaves[1], spines[0], rate * 1_gbps, 100_ns);
    topology.AddLink(leaves[1], spines[1], slow * 1_gbps, 100_ns);
    return topology;
}

/** CONGA by hand. */
class CongaTimelineTestCase : public SelectorTestCase
{
  public:
    CongaTimelineTestCase()
        : SelectorTestCase("CONGA: estimators, metrics, feedback, aging and choices by hand")
    {
    }

  private:
    static constexpr uint32_t LEAF0 = 2;
    static constexpr uint32_t LEAF1 = 3;
    static constexpr uint64_t PACKETS = 60;

    /**
     * With DreAlpha 1 an estimator holds what was sent since the last multiple of 20 us, and tau is
     * 20 us: 250000 bytes at 100 Gb/s, 100000 bytes at 40 Gb/s.
     *
     * \param stream first random stream, which decides where the first flow goes
     * \return number of the uplink of the first flow
     */
    uint32_t Check(int64_t stream)
    {
        RdmaTestFabric test;
        test.helper.SetPathSelector("ns3::QbbCongaPathSelector[DreInterval=20us|DreAlpha=1]");
        test.Install(MakeAsymmetricLeaves(1, 100, 100, 40),
                     {MakeTestFlow(0, 0, 1, PACKETS * 1024),
                      MakeTestFlow(1, 0, 1, PACKETS * 1024, 25_us),
                      MakeTestFlow(2, 0, 1, PACKETS * 1024, 50_us)});
        test.fabric->AssignStreams(stream);
        const auto leaf0 = GetSelector<QbbCongaPathSelector>(test, LEAF0);
        const auto leaf1 = GetSelector<QbbCongaPathSelector>(test, LEAF1);
        // A WRITE packet has 62 bytes of headers, the first one 16 more. Header of CONGA 8,
        // preamble and gap 20.
        const double bytes = PACKETS * (1024 + 62 + 8 + 20) + 16;
        const auto metric = [bytes](double tau) { return static_cast<uint32_t>(8 * bytes / tau); };
        // The metric of a path is that of its worst link: 2 by the first spine, 5 by the second.
        const uint32_t metrics[] = {metric(250'000), metric(100'000)};
        NS_TEST_EXPECT_MSG_EQ(metrics[0], 2U, "by the first spine");
        NS_TEST_EXPECT_MSG_EQ(metrics[1], 5U, "by the second spine");
        uint32_t first = 0;
        const auto sent = [&test](uint32_t uplink) {
            const auto leaf = test.fabric->GetSwitch(LEAF0);
            return leaf->GetPort(1 + uplink)->GetCounters().classes[3].txFrames;
        };
        // The last packet leaves the slow link after 60 * 1114 bytes of 200 ps, 13.4 us.
        RdmaTestPair::At(19_us, [&] {
            first = sent(1) > 0;
            NS_TEST_EXPECT_MSG_EQ(sent(first), PACKETS, "one flowlet on one path");
            NS_TEST_EXPECT_MSG_EQ(sent(1 - first), 0U, "nothing on the other one");
            const auto port = static_cast<uint16_t>(1 + first);
            NS_TEST_EXPECT_MSG_EQ_TOL(leaf0->GetDre(port), bytes, 1e-6, "estimator");
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetric(port), metrics[0], "the uplink is fast");
            NS_TEST_EXPECT_MSG_EQ(+leaf1->GetMetricFromLeaf(0, first), metrics[first], "CE");
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, first), metrics[first], "feedback");
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, 1 - first), 0U, "nothing known");
        });
        RdmaTestPair::At(24_us, [&] {
            NS_TEST_EXPECT_MSG_EQ(leaf0->GetDre(static_cast<uint16_t>(1 + first)), 0, "forgotten");
        });
        // The second flow takes the other path, whose metric is 0.
        RdmaTestPair::At(49_us, [&] {
            NS_TEST_EXPECT_MSG_EQ(sent(0), PACKETS, "one flow on each path");
            NS_TEST_EXPECT_MSG_EQ(sent(1), PACKETS, "one flow on each path");
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, 0), 2U, "path by the first spine");
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, 1), 5U, "path by the second spine");
        });
        // The third flow takes the path with the lower metric. Both metrics come back with its
        // acknowledgements until 56 us, and fall by 1 each 10 ms later.
        RdmaTestPair::At(9'900_us, [&] {
            NS_TEST_EXPECT_MSG_EQ(sent(0), 2 * PACKETS, "the third flow");
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, 1), 5U, "not old yet");
        });
        RdmaTestPair::At(10'100_us, [&] {
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, 0), 1U, "10 ms old");
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, 1), 4U, "10 ms old");
        });
        RdmaTestPair::At(50'100_us, [&] {
            NS_TEST_EXPECT_MSG_EQ(+leaf0->GetMetricToLeaf(1, 1), 0U, "50 ms old");
        });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(leaf0->GetNFlowlets(), 3U, "flowlets of data");
        NS_TEST_EXPECT_MSG_EQ(leaf1->GetNFlowlets(), 3U, "flowlets of acknowledgements");
        return first;
    }

    /** Age bits: a flowlet ends at the second multiple of the timeout without a frame. */
    void CheckFlowlets()
    {
        for (const auto& [second, flowlets] :
             std::vector<std::pair<RdmaPs, uint64_t>>{{19_us, 1}, {21_us, 2}})
        {
            RdmaTestFabric test;
            test.helper.SetPathSelector("ns3::QbbCongaPathSelector[FlowletTimeout=10us]");
            test.Install(MakeAsymmetricLeaves(1, 100, 100, 100), {});
            const auto qp = test.fabric->Connect(0, 1).first;
            for (const RdmaPs at : {5_us, second})
            {
                RdmaTestPair::At(at, [&qp] {
                    RdmaSendRequest request;
                    request.length = 1000;
                    qp->PostSend(request);
                });
            }
            test.Run();
            const auto leaf = GetSelector<QbbCongaPathSelector>(test, LEAF0);
            NS_TEST_EXPECT_MSG_EQ(leaf->GetNFlowlets(), flowlets, "second packet at " << second);
            const auto sent = GetSent(test, 1);
            NS_TEST_EXPECT_MSG_EQ(std::max(sent[0], sent[1]), 2U, "the cached port is kept");
        }
    }

    void DoRun() override
    {
        std::vector<uint32_t> times(2);
        for (int64_t stream = 1; stream < 200; stream += 20)
        {
            ++times[Check(stream)];
        }
        NS_TEST_EXPECT_MSG_GT(times[0], 0U, "ties are random");
        NS_TEST_EXPECT_MSG_GT(times[1], 0U, "ties are random");
        CheckFlowlets();
    }
};

/** The example of the paper's figure 2. */
class CongaAsymmetryTestCase : public SelectorTestCase
{
  public:
    CongaAsymmetryTestCase()
        : SelectorTestCase("CONGA gives a path of half the rate half the traffic, as its figure 2")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 10;

    /**
     * Ten hosts of 10 Gb/s send 95 Gb/s to the other leaf, in messages of 50 kB at random times.
     * The links between switches have 80 Gb/s, but for one of 40 Gb/s behind the second spine.
     *
     * \param selector path selector
     * \return share of the second spine in what leaf 0 sends, after a first millisecond
     */
    double Measure(const std::string& selector)
    {
        RdmaTestFabric test;
        SetTestTransport(test, RdmaWireFormat::IRN, 1000);
        test.helper.SetTransportAttribute("RtoLow", TimeValue(MilliSeconds(20)));
        test.helper.SetTransportAttribute("RtoHigh", TimeValue(MilliSeconds(20)));
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(64'000'000));
        test.helper.SetPathSelector(selector);
        RdmaTestDice dice(1);
        std::vector<RdmaFlow> flows;
        constexpr uint64_t BYTES = 50'000;
        constexpr double MEAN = 10 * BYTES * 8 / 9.5 * 1000; // ps between the messages of a host
        for (uint32_t host = 0; host < HOSTS; ++host)
        {
            for (double at = 0; at < 6e9;)
            {
                const double uniform = static_cast<double>(dice.Number(1, 1'000'000)) / 1e6;
                at -= std::log(uniform) * MEAN / 10;
                const auto to = static_cast<uint32_t>(HOSTS + dice.Number(0, HOSTS - 1));
                flows.push_back(
                    MakeTestFlow(flows.size(), host, to, BYTES, RdmaPs(static_cast<int64_t>(at))));
            }
        }
        test.Install(MakeAsymmetricLeaves(HOSTS, 10, 80, 40), flows);
        std::vector<uint64_t> before;
        std::vector<uint64_t> after;
        RdmaTestPair::At(1_ms, [&] { before = GetSent(test, HOSTS); });
        RdmaTestPair::At(6_ms, [&] { after = GetSent(test, HOSTS); });
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows, " << selector);
        const double second = static_cast<double>(after[1] - before[1]);
        return second / (second + static_cast<double>(after[0] - before[0]));
    }

    void DoRun() override
    {
        // Paper: ECMP and a choice by local state alone send half of the traffic to each spine,
        // CONGA sends 66.6 and 33.3 Gb/s.
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure("ecmp"), 0.5, 0.04, "ECMP");
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure("adaptive[Gap=500us]"), 0.5, 0.04, "local state");
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure("conga"), 1.0 / 3, 0.03, "CONGA");
    }
};

/** Random fabrics of two tiers, with any number of threads, and frames as bytes. */
class CongaRandomTestCase : public SelectorTestCase
{
  public:
    CongaRandomTestCase()
        : SelectorTestCase("CONGA on random fabrics: equal results with threads, groups and bytes")
    {
    }

  private:
    RdmaTestOutcome Measure(uint32_t round, uint32_t threads, uint32_t groups, bool isBytes)
    {
        RdmaTestDice dice(round);
        SelectTestThreads(threads, groups);
        const auto leaves = static_cast<uint32_t>(dice.Number(2, 5));
        const auto hosts = static_cast<uint32_t>(dice.Number(1, 4));
        const auto spines = static_cast<uint32_t>(dice.Number(1, 5));
        RdmaTestFabric test;
        test.helper.SetPathSelector(
            "ns3::QbbCongaPathSelector[FlowletTimeout=2us|DreInterval=3us]");
        test.helper.SetDeviceAttribute("FlowControl", StringValue(dice.OneIn(2) ? "None" : "Pfc"));
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        test.helper.SetSwitchAttribute("CutThrough", BooleanValue(dice.OneIn(3)));
        test.helper.SetChannelAttribute("SerializeFrames", BooleanValue(isBytes));
        std::vector<RdmaFlow> flows;
        for (uint64_t i = dice.Number(10, 60); i > 0; --i)
        {
            const auto from = static_cast<uint32_t>(dice.Number(0, leaves * hosts - 1));
            const auto to = static_cast<uint32_t>(dice.Number(0, leaves * hosts - 1));
            const RdmaPs start(dice.Number(0, 30) * 1'000'000);
            if (from != to)
            {
                flows.push_back(MakeTestFlow(i, from, to, dice.Number(1, 60'000), start));
            }
        }
        const auto rate = dice.OneOf(std::array<uint64_t, 3>{40, 100, 200});
        test.Install(MakeRdmaLeafSpine(leaves, hosts, spines, MakeTestRates(100, rate, 500)),
                     flows);
        // A leaf sends more bytes than it has received, and receives more than it sends on: the
        // headers. Buffers and links hold what the accounts say.
        std::string wrong;
        for (uint32_t at = 5; at < 100; at += 5)
        {
            RdmaTestPair::At(at * 1_us, [&] {
                wrong += RdmaTestBooks::CheckLinks(*test.fabric);
                for (const uint32_t id : test.fabric->GetTopology().GetSwitches())
                {
                    wrong += RdmaTestBooks::CheckBuffer(*test.fabric->GetSwitch(id), id);
                }
            });
        }
        test.Run(20_ms);
        NS_TEST_EXPECT_MSG_EQ(wrong, "", "books, round " << round);
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows, round " << round);
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*test.fabric), "", "round " << round);
        return GetTestOutcome(test);
    }

    void DoRun() override
    {
        for (uint32_t round = 0; round < GetTestRounds(6); ++round)
        {
            const RdmaTestOutcome one = Measure(round, 1, 1, false);
            NS_TEST_EXPECT_MSG_EQ(Measure(round, 1, 1, true).Compare(one), "", "bytes " << round);
            NS_TEST_EXPECT_MSG_EQ(Measure(round, 2, 5, round % 2).Compare(one), "", round);
        }
    }
};

/** Paths by destination: shift permutations have no collision. */
class DestinationTestCase : public SelectorTestCase
{
  public:
    DestinationTestCase()
        : SelectorTestCase("shift permutations without collisions, by destination")
    {
    }

  private:
    /** \return number of flows that take longer than alone in an empty fabric */
    static uint32_t CountSlow(const std::string& selector, uint32_t shift)
    {
        // 4 leaves of 8 hosts, and 8 spines: as many uplinks as hosts
        constexpr uint32_t HOSTS = 32;
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < HOSTS; ++i)
        {
            flows.push_back(MakeTestFlow(i, i, (i + shift) % HOSTS, 200'000));
        }
        RdmaTestFabric test;
        if (!selector.empty())
        {
            test.helper.SetPathSelector(selector);
        }
        test.Install(MakeRdmaLeafSpine(4, 8, 8, MakeTestRates(100, 100, 1000)), flows);
        test.Run();
        uint32_t slow = 0;
        for (const RdmaFlowResult& result : test.results)
        {
            // Each port also sends acknowledgements, 84 bytes for 1,106 of a packet.
            slow += result.fct && 100 * *result.fct <= 110 * result.ideal ? 0 : 1;
        }
        return slow;
    }

    void DoRun() override
    {
        for (const uint32_t shift : {8, 11, 16, 21})
        {
            NS_TEST_EXPECT_MSG_EQ(CountSlow("d-mod-k", shift), 0, "shift by " << shift);
            NS_TEST_EXPECT_MSG_GT(CountSlow("", shift), 5, "ECMP, shift by " << shift);
        }
    }
};

/** The suite. */
class RdmaPathSelectorsTestSuite : public TestSuite
{
  public:
    RdmaPathSelectorsTestSuite()
        : TestSuite("rdma-path-selectors")
    {
        AddTestCase(new WcmpTestCase);
        AddTestCase(new DrillTestCase);
        AddTestCase(new FlowletTestCase);
        AddTestCase(new AdaptiveTestCase);
        AddTestCase(new CongaTimelineTestCase);
        AddTestCase(new CongaAsymmetryTestCase);
        AddTestCase(new CongaRandomTestCase);
        AddTestCase(new DestinationTestCase);
    }
};

RdmaPathSelectorsTestSuite g_rdmaPathSelectorsTestSuite; //!< registers the suite

} // namespace
