/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-plan.h"
#include "rdma-test-dual-tor.h"
#include "rdma-test-threads.h"
#include "rdma-test-verbs.h"

#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <string>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A leaf dies under load, in fabrics whose hosts are bonded to two leaves.
 */

using namespace ns3;

namespace
{

/** Frames that were lost with a switch, by place. */
struct LeafLoss
{
    uint64_t inside{0};    //!< frames in the queues of the switch
    uint64_t onCables{0};  //!< frames on its cables
    uint64_t elsewhere{0}; //!< frames queued for it by its neighbours

    /**
     * \param fabric a fabric
     * \param leaf node of the switch that has died, the only one whose links went down
     */
    LeafLoss(const RdmaFabric& fabric, uint32_t leaf)
    {
        const auto& topology = fabric.GetTopology();
        for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = topology.GetLink(link);
            if (ends.a != leaf && ends.b != leaf)
            {
                continue;
            }
            const auto& channel = *fabric.GetChannel(link);
            const auto& own = *fabric.GetDevice(link, leaf);
            const auto& other = *fabric.GetDevice(link, ends.a == leaf ? ends.b : ends.a);
            // The port at the end of a direction counts the frames that were on it.
            const uint64_t toLeaf = channel.GetLineTo(&own).GetLostInFlight();
            const uint64_t fromLeaf = channel.GetLineFrom(&own).GetLostInFlight();
            onCables += toLeaf + fromLeaf;
            inside +=
                RdmaTestBooks::CountDrops(own.GetCounters(), QbbDropReason::LINK_DOWN) - toLeaf;
            elsewhere +=
                RdmaTestBooks::CountDrops(other.GetCounters(), QbbDropReason::LINK_DOWN) - fromLeaf;
        }
    }

    /** \return sum of all losses */
    uint64_t GetSum() const
    {
        return inside + onCables + elsewhere;
    }
};

/** \param fabric a fabric without frames on the way \return frames that hosts sent in vain */
uint64_t
CountLoss(const RdmaFabric& fabric)
{
    uint64_t sent = 0;
    uint64_t received = 0;
    for (const uint32_t host : fabric.GetTopology().GetNics())
    {
        const auto nic = fabric.GetNic(host);
        for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
        {
            const auto& counters = nic->GetPort(port)->GetCounters();
            // Frames that wait in a port when its link goes down have been sent in vain, too.
            sent += counters.GetTxFrames();
            received += counters.GetRxFrames();
        }
    }
    return sent - received;
}

/**
 * Hosts 0, 1 and 2 are bonded to leaves 5 and 6, below spine 7; hosts 3 and 4 are alone on leaves 8
 * and 9 below the spine. 100 Gb/s and 1 us for each link, a byte every 80 ps. Hosts 0, 2, 3 and 4
 * each write 1000 packets to host 1 over leaf 5, whose acknowledgements come over leaf 6. No class
 * is lossless, and the buffers hold everything. Leaf 5 dies at 20 us. FailoverDelay is 20 us,
 * ConvergenceDelay 10 us.
 *
 * As in FailurePlanTestCase, packet 0 has 1102 B, occupies the line for 89 760 ps and arrives 1 088
 * 800 ps after its begin. All others occupy it for F = 88 480 ps and arrive S + 1 us = 1 087 520 ps
 * after their begin. Packet k (from 1) begins at 89 760 + (k - 1) F and arrives at the first switch
 * at A(k) = 1 177 280 + (k - 1) F. On an empty path, packet 1 waits there until packet 0 has left,
 * at 1 088 800 + 89 760 = 1 178 560, so that packet k arrives at the second switch at 2 266 080 +
 * (k - 1) F.
 *
 * - Cables of hosts 0 and 2: by 20 us, packets to k - 1 = 225 have begun (19 997 760) and to k - 1
 * = 212 have arrived (19 935 040): 13 are lost on each.
 * - Spine: by 20 us, packets to k - 1 = 200 of hosts 3 and 4 have arrived (19 962 080), 404 frames.
 *   Frame n (from 2) to leaf 5 begins at 2 177 600 + 2 x 89 760 + (n - 2) F = 2 357 120 + (n - 2)
 * F: by 20 us to n - 2 = 199, 202 frames, so that 202 wait. Those from n - 2 = 188 on arrive after
 * 20 us (2 357 120 + 188 F + 1 087 520 = 20 078 880): 12 are lost on the cable, 190 have arrived.
 * - Leaf 5: 2 x 214 frames of hosts 0 and 2 and 190 of the spine have arrived. Frame n (from 4) to
 *   host 1 begins at 1 088 800 + 4 x 89 760 + (n - 4) F = 1 447 840 + (n - 4) F: by 20 us to n - 4
 * = 209, 214 frames. 428 + 190 - 214 = 404 are lost in the leaf. Those from n - 4 = 198 on arrive
 *   after 20 us (1 447 840 + 198 F + 1 087 520 = 20 054 400): 12 are lost on the cable.
 * - Until 30 us the spine sends on to leaf 5: packets k - 1 = 201 to 313 (29 960 320) of hosts 3
 * and 4, 226 frames. Packet k - 1 = 314 arrives at 30 048 800 and goes to leaf 6 at once.
 *
 * Together 404 in the leaf, 26 + 12 + 12 = 50 on its cables, and 202 + 226 = 428 queued for it.
 */
class DeadLeafTestCase : public TestCase
{
  public:
    DeadLeafTestCase()
        : TestCase("a leaf dies: frames in the leaf, on its cables and queued for it are lost")
    {
    }

  private:
    static RdmaTopology MakeTopology()
    {
        RdmaTopology topology;
        for (uint32_t host = 0; host < 5; ++host)
        {
            topology.AddHost();
        }
        for (uint32_t sw = 5; sw < 10; ++sw)
        {
            topology.AddSwitch();
        }
        for (const auto& [a, b] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 5},
                                                                             {0, 6},
                                                                             {1, 5},
                                                                             {1, 6},
                                                                             {2, 5},
                                                                             {2, 6},
                                                                             {3, 8},
                                                                             {4, 9},
                                                                             {5, 7},
                                                                             {6, 7},
                                                                             {8, 7},
                                                                             {9, 7}})
        {
            topology.AddLink(a, b, 100_gbps, 1_us);
        }
        for (const uint32_t host : {0, 1, 2})
        {
            topology.SetBonded(host);
        }
        return topology;
    }

    // Connects queue pairs until one sends over leaf 5 and is answered over leaf 6.
    static Ptr<RdmaQueuePair> Connect(const RdmaTestFabric& test, uint32_t host)
    {
        for (uint32_t tries = 0; tries < 500; ++tries)
        {
            const auto [a, b] = test.fabric->Connect(host, 1);
            const auto over = [&test](const RdmaQueuePair& qp, uint32_t leaf) {
                for (const auto& hop : test.GetPath(qp))
                {
                    if (hop->GetPeer()->GetNodeId() == leaf)
                    {
                        return true;
                    }
                }
                return false;
            };
            if (over(*a, 5) && over(*b, 6))
            {
                return a;
            }
        }
        return nullptr;
    }

    static void WatchFirst(const Ptr<QbbNetDevice>& port, RdmaPs& first)
    {
        port->TraceConnectWithoutContext(
            "PhyTxBegin",
            Callback<void, Ptr<const Packet>>(
                [&first](Ptr<const Packet>) { first = std::min(first, RdmaNow()); }));
    }

    void DoRun() override
    {
        RdmaTestFabric test;
        test.SetRetries(1_ms, 1000);
        test.helper.SetTransportAttribute("AckInterval", UintegerValue(5000));
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(0));
        test.helper.SetBufferAttribute("BufferSize", UintegerValue(256 << 20));
        test.helper.SetRoutingAttribute("ConvergenceDelay", TimeValue(MicroSeconds(10)));
        test.Install(MakeTopology(), {});
        test.fabric->InstallFailures(RdmaFailurePlan::Parse("5:down:20us"));
        test.fabric->AssignStreams(1);
        std::vector<Ptr<RdmaQueuePair>> pairs;
        for (const uint32_t host : {0, 2, 3, 4})
        {
            test.fabric->GetNic(host)->SetAttribute("FailoverDelay", TimeValue(MicroSeconds(20)));
            pairs.push_back(Connect(test, host));
            NS_TEST_ASSERT_MSG_NE(pairs.back(), nullptr, "a queue pair over leaf 5");
            RdmaSendRequest request;
            request.opcode = RdmaWrOpcode::RDMA_WRITE;
            request.length = 1024 * 1000;
            pairs.back()->PostSend(request);
        }
        RdmaPs first0 = RDMA_NEVER;
        RdmaPs first2 = RDMA_NEVER;
        RdmaPs firstOfSpine = RDMA_NEVER;
        WatchFirst(test.fabric->GetDevice(1, 0), first0);
        WatchFirst(test.fabric->GetDevice(5, 2), first2);
        WatchFirst(test.fabric->GetDevice(9, 7), firstOfSpine);
        RdmaTestPair::At(19'999'999_ps, [&]() {
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetDevice(2, 5)->GetQueues().GetFrames(3),
                                  404U,
                                  "frames in leaf 5");
            NS_TEST_EXPECT_MSG_EQ(test.fabric->GetDevice(8, 7)->GetQueues().GetFrames(3),
                                  202U,
                                  "frames in the spine");
        });
        RdmaTestPair::At(30_us, [&]() {
            const LeafLoss loss(*test.fabric, 5);
            NS_TEST_EXPECT_MSG_EQ(loss.inside, 404U, "in the leaf");
            NS_TEST_EXPECT_MSG_EQ(loss.onCables, 50U, "on its cables");
            NS_TEST_EXPECT_MSG_EQ(loss.elsewhere, 428U, "queued for it");
        });
        test.Run(20_ms);
        NS_TEST_EXPECT_MSG_EQ(first0, 40_us, "host 0 is back after FailoverDelay");
        NS_TEST_EXPECT_MSG_EQ(first2, 40_us, "host 2 is back after FailoverDelay");
        NS_TEST_EXPECT_MSG_EQ(firstOfSpine, 30'048'800_ps, "hosts 3 and 4 after ConvergenceDelay");
        for (const auto& qp : pairs)
        {
            NS_TEST_EXPECT_MSG_EQ(qp->GetPacketsAcknowledged(), 1000U, "all packets");
        }
        NS_TEST_EXPECT_MSG_EQ(LeafLoss(*test.fabric, 5).GetSum(), 882U, "no more");
        NS_TEST_EXPECT_MSG_EQ(CountLoss(*test.fabric), 882U, "the loss of the hosts");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric) +
                                  RdmaTestBooks::CheckRest(*test.fabric),
                              "",
                              "books");
    }
};

/**
 * A leaf dies and comes back in a loaded fabric with PFC, on one thread and on several. All losses
 * are those of the leaf; after the fail-over time nothing more is lost and the hosts of the leaf
 * send and receive through their other port.
 */
class LoadedFabricTestCase : public TestCase
{
  public:
    /** \param areCabled true: the leaves of a pair have a link */
    explicit LoadedFabricTestCase(bool areCabled)
        : TestCase(std::string("a leaf dies in a loaded fabric, leaves ") +
                   (areCabled ? "cabled" : "not cabled") + " to each other"),
          m_areCabled(areCabled)
    {
    }

  private:
    static constexpr uint32_t HOSTS = 4;            // hosts on a pair of leaves
    static constexpr uint32_t PAIRS = 3;            // pairs of leaves
    static constexpr uint32_t LEAF = HOSTS * PAIRS; // the leaf that dies
    static constexpr uint32_t FLOWS_OF_HOST = 6;    // flows from each host

    RdmaTestOutcome RunOnce(uint32_t threads, uint32_t groups, const std::string& algorithm)
    {
        SelectTestThreads(threads, groups);
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < LEAF * FLOWS_OF_HOST; ++i)
        {
            const uint32_t from = i % LEAF;
            const uint32_t to = (from + 1 + 2 * (i / LEAF)) % LEAF;
            flows.push_back(MakeTestFlow(i, from, to, 150'000, i * 100_ns));
        }
        RdmaTestFabric test;
        test.SetRetries(100_us, 1000);
        test.helper.SetRoutingAttribute("ConvergenceDelay", TimeValue(MicroSeconds(5)));
        test.helper.SetRoutingAttribute("Algorithm", StringValue(algorithm));
        test.helper.SetNicAttribute("FailoverDelay", TimeValue(MicroSeconds(10)));
        test.Install(MakeTestDualTor(HOSTS, PAIRS, 2, m_areCabled), flows);
        const std::string leaf = std::to_string(LEAF);
        test.fabric->InstallFailures(RdmaFailurePlan::Parse(leaf + ":down:30us:400us"));
        test.fabric->AssignStreams(1);
        std::ostringstream seen;
        uint64_t before = 0;
        const auto sentByOthers = [&test] {
            uint64_t frames = 0;
            for (uint32_t host = 0; host < HOSTS; ++host)
            {
                frames += test.fabric->GetNic(host)->GetPort(1)->GetCounters().GetTxFrames();
            }
            return frames;
        };
        RdmaTestPair::At(30_us, [&]() {
            before = sentByOthers();
            seen << test.fabric->GetSwitch(LEAF)->GetBufferManager()->GetUsage().usedBytes << "; ";
        });
        RdmaTestPair::At(40'100_ns, [&]() {
            const LeafLoss loss(*test.fabric, LEAF);
            seen << loss.inside << " " << loss.onCables << " " << loss.elsewhere << "; ";
            m_loss = loss.GetSum();
            NS_TEST_EXPECT_MSG_GT(loss.onCables, 50U, "the fabric is loaded");
            NS_TEST_EXPECT_MSG_GT(loss.inside + loss.elsewhere, 0U, "queues");
        });
        RdmaTestPair::At(60_us, [&]() {
            NS_TEST_EXPECT_MSG_GT(sentByOthers(), before + 200, "the hosts send again");
        });
        test.Run(100_ms);
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "flows");
        NS_TEST_EXPECT_MSG_EQ(LeafLoss(*test.fabric, LEAF).GetSum(),
                              m_loss,
                              "nothing is lost after the fail-over");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CountDrops(*test.fabric, QbbDropReason::LINK_DOWN),
                              m_loss,
                              "other links lose nothing");
        uint64_t drops = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(QbbDropReason::COUNT); ++i)
        {
            drops += RdmaTestBooks::CountDrops(*test.fabric, static_cast<QbbDropReason>(i));
        }
        NS_TEST_EXPECT_MSG_EQ(drops, m_loss, "no frame is lost for another reason");
        NS_TEST_EXPECT_MSG_EQ(CountLoss(*test.fabric) + GetLostInHosts(*test.fabric),
                              m_loss,
                              "the loss of the hosts");
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckLinks(*test.fabric) +
                                  RdmaTestBooks::CheckRest(*test.fabric),
                              "",
                              "books");
        return GetTestOutcome(test, seen.str());
    }

    // Acknowledgements that hosts had for a dead port never became frames on a line.
    static uint64_t GetLostInHosts(const RdmaFabric& fabric)
    {
        uint64_t lost = 0;
        const auto& topology = fabric.GetTopology();
        for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
        {
            const uint32_t host = topology.GetLink(link).a;
            if (topology.IsNic(host))
            {
                const auto port = fabric.GetDevice(link, host);
                lost += RdmaTestBooks::CountDrops(port->GetCounters(), QbbDropReason::LINK_DOWN) -
                        fabric.GetChannel(link)->GetLineTo(PeekPointer(port)).GetLostInFlight();
            }
        }
        return lost;
    }

    void DoRun() override
    {
        for (const char* algorithm : {"ShortestPath", "UpDown"})
        {
            const RdmaTestOutcome one = RunOnce(1, 1, algorithm);
            for (const auto& [threads, groups] :
                 std::vector<std::pair<uint32_t, uint32_t>>{{1, 4}, {2, 2}, {3, 7}, {4, 32}})
            {
                const RdmaTestOutcome several = RunOnce(threads, groups, algorithm);
                NS_TEST_EXPECT_MSG_EQ(several.Compare(one),
                                      "",
                                      threads << " threads, " << groups << " groups");
                NS_TEST_EXPECT_MSG_GT(several.windows, 0U, "in groups: " << several.reason);
            }
        }
    }

    bool m_areCabled;   //!< the leaves of a pair have a link
    uint64_t m_loss{0}; //!< frames lost until the fail-over
};

/** The suite. */
class RdmaDualTorTestSuite : public TestSuite
{
  public:
    RdmaDualTorTestSuite()
        : TestSuite("rdma-dual-tor")
    {
        AddTestCase(new DeadLeafTestCase);
        AddTestCase(new LoadedFabricTestCase(false));
        AddTestCase(new LoadedFabricTestCase(true));
    }
};

RdmaDualTorTestSuite g_rdmaDualTorTestSuite; //!< registers the suite

} // namespace
