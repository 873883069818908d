/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/test.h>

#include <algorithm>
#include <array>
#include <numeric>

/**
 * \file
 * \ingroup rdma-tests
 * Forwarding by switches: next hops, changed fields, and dropped frames.
 */

using namespace ns3;

namespace
{

/**
 * \param counts number of occurrences of each of several equally likely outcomes
 * \return Pearson's chi-square, which exceeds 21.1 (4 outcomes), 29.9 (8) or 44.3 (16) once in 10^4
 * cases
 */
double
GetChiSquare(const std::vector<uint64_t>& counts)
{
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const uint64_t count : counts)
    {
        const double difference = static_cast<double>(count) - expected;
        sum += difference * difference / expected;
    }
    return sum;
}

/** Flows spread over equal-cost ports and parallel links. */
class SpreadTestCase : public TestCase
{
  public:
    SpreadTestCase()
        : TestCase("flows spread evenly over equal-cost ports and parallel links")
    {
    }

  private:
    /** \return two leaves of 20 hosts, four spines, two links from each leaf to each spine */
    static RdmaTopology MakeTopology()
    {
        RdmaTopology topology;
        for (int host = 0; host < 40; ++host)
        {
            topology.AddHost();
        }
        const uint32_t leaves[] = {topology.AddSwitch(), topology.AddSwitch()};
        for (int host = 0; host < 40; ++host)
        {
            topology.AddLink(host, leaves[host / 20], 100_gbps, 100_ns);
        }
        for (int spine = 0; spine < 4; ++spine)
        {
            const uint32_t id = topology.AddSwitch();
            for (const uint32_t leaf : leaves)
            {
                topology.AddLink(leaf, id, 100_gbps, 100_ns);
                topology.AddLink(leaf, id, 100_gbps, 100_ns);
            }
        }
        return topology;
    }

    /**
     * Sends one packet on each queue pair.
     *
     * \param pairs queue pairs between each pair of hosts
     * \param hosts number of senders at leaf 0 and of receivers at leaf 1
     */
    void Check(uint32_t pairs, uint32_t hosts)
    {
        RdmaTestFabric test;
        test.Install(MakeTopology(), {});
        // Ports 20 .. 27 of leaf 0 are its uplinks.
        std::vector<uint64_t> predicted(8);
        for (uint32_t source = 0; source < hosts; ++source)
        {
            for (uint32_t destination = 0; destination < hosts; ++destination)
            {
                for (uint32_t i = 0; i < pairs; ++i)
                {
                    const auto [a, b] = test.fabric->Connect(source, 20 + destination);
                    const auto path = test.GetPath(*a);
                    NS_TEST_ASSERT_MSG_EQ(path.size(), 4U, "host, leaf, spine, leaf");
                    ++predicted.at(path[1]->GetPortNumber() - 20);
                    RdmaSendRequest request;
                    request.length = 100;
                    a->PostSend(request);
                }
            }
        }
        test.Run();
        const auto leaf = test.fabric->GetSwitch(40);
        std::vector<uint64_t> sent(8);
        for (uint32_t uplink = 0; uplink < 8; ++uplink)
        {
            sent[uplink] = leaf->GetPort(20 + uplink)->GetCounters().classes[3].txFrames;
            NS_TEST_EXPECT_MSG_EQ(sent[uplink],
                                  predicted[uplink],
                                  "frames go where GetPath() says");
        }
        NS_TEST_EXPECT_MSG_EQ(std::accumulate(sent.begin(), sent.end(), uint64_t{0}),
                              uint64_t{pairs} * hosts * hosts,
                              "all of them");
        NS_TEST_EXPECT_MSG_LT(GetChiSquare(sent), 29.9, hosts << " hosts, " << pairs << " pairs");
    }

    void DoRun() override
    {
        // One pair of hosts: packets differ only in the UDP source port, by queue pair numbers.
        Check(4000, 1);
        // 400 pairs of hosts, with one and with ten queue pairs each.
        Check(1, 20);
        Check(10, 20);
    }
};

/** Switches choose independently of each other. */
class PolarisationTestCase : public TestCase
{
  public:
    /** \param seed EcmpSeed of all switches; 0: each switch has its own seed */
    explicit PolarisationTestCase(uint32_t seed)
        : TestCase(seed ? "equal ECMP seeds polarise the fabric" : "ECMP is not polarised"),
          m_seed(seed)
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.helper.SetSwitchAttribute("EcmpSeed", UintegerValue(m_seed));
        test.Install(MakeRdmaFatTree(8, MakeTestRates(100, 100, 100)), {});
        // Counts of the 4 x 4 pairs of choices, at the edge switch and at the aggregation switch.
        std::vector<uint64_t> choices(16);
        std::vector<Ptr<RdmaQueuePair>> senders;
        for (int i = 0; i < 3200; ++i)
        {
            // Host 0 sends to the pods 1 .. 7: hosts 16 .. 127.
            const auto [a, b] = test.fabric->Connect(0, 16 + i % 112);
            senders.push_back(a);
            ++choices.at(4 * GetChoice(test, a, 1) + GetChoice(test, a, 2));
        }
        const auto used = std::count_if(choices.begin(), choices.end(), [](auto n) { return n; });
        if (m_seed)
        {
            // A flow that takes uplink k of its edge switch takes uplink k of the next switch, too.
            NS_TEST_EXPECT_MSG_EQ(used, 4, "choices");
        }
        else
        {
            NS_TEST_EXPECT_MSG_LT(GetChiSquare(choices), 44.3, "independent choices");
        }
        // The seed holds from the start on, not only from the first event.
        std::vector<uint32_t> before;
        for (const auto& qp : senders)
        {
            before.push_back(4 * GetChoice(test, qp, 1) + GetChoice(test, qp, 2));
        }
        test.Run(1_us);
        uint32_t moved = 0;
        for (std::size_t i = 0; i < senders.size(); ++i)
        {
            moved +=
                before[i] != 4 * GetChoice(test, senders[i], 1) + GetChoice(test, senders[i], 2);
        }
        NS_TEST_EXPECT_MSG_EQ(moved, 0U, "paths that changed when the run began");
    }

    /** \return uplink, of four, that the hop-th sender on the way up chooses */
    static uint32_t GetChoice(const RdmaTestFabric& test, Ptr<RdmaQueuePair> qp, std::size_t hop)
    {
        const auto path = test.GetPath(*qp);
        return path.at(hop)->GetPortNumber() - 4;
    }

    uint32_t m_seed;
};

/** Fields of a frame that a switch changes. */
class RewriteTestCase : public TestCase
{
  public:
    RewriteTestCase()
        : TestCase("each switch writes its own MAC addresses and takes one from the time to live")
    {
    }

  private:
    void DoRun() override
    {
        RdmaTestFabric test;
        test.Install(MakeRdmaFatTree(4, MakeTestRates(100, 100, 100)),
                     {MakeTestFlow(0, 0, 15, 100)});
        const auto sender = test.runner->GetSender(0);
        const auto path = test.GetPath(*sender);
        NS_TEST_ASSERT_MSG_EQ(path.size(), 6U, "hops");
        int seen = 0;
        for (std::size_t hop = 0; hop < path.size(); ++hop)
        {
            QbbPort* const port = PeekPointer(path[hop]); // the device holds the callback
            path[hop]->TraceConnectWithoutContext(
                "PhyTxBegin",
                Callback<void, Ptr<const Packet>>([&, hop, port](Ptr<const Packet> packet) {
                    std::array<uint8_t, 40> bytes{};
                    packet->CopyData(bytes.data(), bytes.size());
                    // The ACK comes back over other ports, or through the host's own.
                    Mac48Address to;
                    Mac48Address from;
                    to.CopyFrom(&bytes[0]);
                    from.CopyFrom(&bytes[6]);
                    NS_TEST_EXPECT_MSG_EQ(from, port->GetMac(), "source of hop " << hop);
                    NS_TEST_EXPECT_MSG_EQ(to, port->GetPeer()->GetMac(), "next of hop " << hop);
                    NS_TEST_EXPECT_MSG_EQ(+bytes[22], 64 - static_cast<int>(hop), "TTL at " << hop);
                    // IPv4 addresses do not change: bytes 26 .. 29 and 30 .. 33.
                    NS_TEST_EXPECT_MSG_EQ(Ipv4Address::Deserialize(&bytes[26]),
                                          sender->GetLocalAddress(),
                                          "source address");
                    NS_TEST_EXPECT_MSG_EQ(Ipv4Address::Deserialize(&bytes[30]),
                                          sender->GetRemoteAddress(),
                                          "destination address");
                    ++seen;
                }));
        }
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(seen, 6, "frames seen");
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flow");
    }
};

/** Time to live of frames. */
class TimeToLiveTestCase : public TestCase
{
  public:
    TimeToLiveTestCase()
        : TestCase("a frame whose time to live is over is dropped and counted")
    {
    }

  private:
    void DoRun() override
    {
        // There are five switches from pod to pod. Each reduces the TTL by one and drops a frame
        // whose TTL would be 0: TTL 6 reaches the host as 1, a smaller TTL ends at the switch with
        // that number.
        for (const uint32_t ttl : {1U, 2U, 3U, 4U, 5U, 6U})
        {
            RdmaTestFabric test;
            test.helper.SetQueuePairAttribute("Ttl", UintegerValue(ttl));
            test.Install(MakeRdmaFatTree(4, MakeTestRates(100, 100, 100)),
                         {MakeTestFlow(0, 0, 15, 100)});
            const auto sender = test.runner->GetSender(0);
            const auto path = test.GetPath(*sender);
            test.Run();
            const auto receiver = path.back()->GetPeer()->GetCounters().classes[3].rxFrames;
            NS_TEST_EXPECT_MSG_EQ(receiver, (ttl == 6 ? 1U : 0U), "arrivals with TTL " << ttl);
            NS_TEST_EXPECT_MSG_EQ(
                RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::TTL_EXPIRED),
                (ttl == 6 ? 0U : 1U),
                "drops with TTL " << ttl);
            if (ttl < 6)
            {
                const auto at = path[ttl - 1]->GetPeer()->GetCounters();
                NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(at, QbbDropReason::TTL_EXPIRED),
                                      1U,
                                      "the drop is at switch " << ttl);
                NS_TEST_EXPECT_MSG_EQ(test.results[0].status,
                                      "packets lost; there is no retransmission timer; "
                                      "0 of 1 packets acknowledged",
                                      "status with TTL " << ttl);
            }
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckSwitches(*test.fabric) +
                                      RdmaTestBooks::CheckRest(*test.fabric),
                                  "",
                                  "books");
        }
    }
};

/** Frames that a switch cannot forward. */
class NoWayTestCase : public TestCase
{
  public:
    NoWayTestCase()
        : TestCase("no route, and frames too long for the next link")
    {
    }

  private:
    void DoRun() override
    {
        {
            RdmaTestPair pair;
            const auto stray = pair.test.fabric->GetNic(0)->CreateQueuePair();
            stray->Connect(Ipv4Address("10.200.0.1"), 2);
            stray->PostSend(RdmaSendRequest());
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 100);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(
                RdmaTestBooks::CountDrops(*pair.test.fabric, QbbDropReason::NO_ROUTE),
                1U,
                "no route");
            NS_TEST_EXPECT_MSG_EQ(pair.sends.size(), 1U, "the other queue pair is not disturbed");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckSwitches(*pair.test.fabric), "", "books");
        }
        {
            // All links but the link to host 1 accept an MTU of 4 KiB.
            RdmaTestPair pair([](RdmaTestFabric& test) { test.SetMtu(4096); });
            for (const auto& port : {pair.receiver->GetPort(), pair.test.fabric->GetDevice(1, 2)})
            {
                port->SetMtu(1500);
            }
            pair.Post(1, RdmaWrOpcode::RDMA_WRITE, 1000);
            pair.Post(2, RdmaWrOpcode::RDMA_WRITE, 4000);
            pair.test.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "1000 ", "what fits");
            const auto& port = pair.test.fabric->GetDevice(1, 2)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(port, QbbDropReason::TOO_LONG),
                                  1U,
                                  "too long");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckSwitches(*pair.test.fabric), "", "books");
        }
    }
};

/** The suite. */
class RdmaSwitchPathsTestSuite : public TestSuite
{
  public:
    RdmaSwitchPathsTestSuite()
        : TestSuite("rdma-switch-paths")
    {
        AddTestCase(new SpreadTestCase);
        AddTestCase(new PolarisationTestCase(0));
        AddTestCase(new PolarisationTestCase(7));
        AddTestCase(new RewriteTestCase);
        AddTestCase(new TimeToLiveTestCase);
        AddTestCase(new NoWayTestCase);
    }
};

RdmaSwitchPathsTestSuite g_rdmaSwitchPathsTestSuite; //!< registers the suite

} // namespace
