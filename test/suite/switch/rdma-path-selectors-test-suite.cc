/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-drill-path-selector.h"
#include "qbb-flowlet-path-selector.h"
#include "qbb-wcmp-path-selector.h"
#include "rdma-test-verbs.h"

#include <ns3/pointer.h>
#include <ns3/test.h>

#include <algorithm>
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
    }
};

RdmaPathSelectorsTestSuite g_rdmaPathSelectorsTestSuite; //!< registers the suite

} // namespace
