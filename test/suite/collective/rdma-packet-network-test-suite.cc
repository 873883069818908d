/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-plan.h"
#include "rdma-packet-network.h"
#include "rdma-test-schedule.h"
#include "rdma-test-threads.h"

#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <sstream>

/**
 * \file
 * \ingroup rdma-tests
 * Schedules on packets: exact times of a message, collectives by their closed forms, and equal
 * results on several threads.
 */

using namespace ns3;

namespace
{

constexpr uint64_t MTU = 4096;
constexpr uint64_t GAP = 12;            // between frames
constexpr uint64_t BASE = 82;           // Ethernet 14 + 4, IPv4 20, UDP 8, BTH 12, ICRC 4, gap 20
constexpr uint64_t RETH = 16;           // in the first packet of a WRITE
constexpr uint64_t IMMEDIATE = 4;       // in the last packet
constexpr uint64_t ACK = BASE + 4;      // with an AETH
constexpr uint64_t PART = 512 * 1024;   // a connection posts messages in parts of this size
constexpr int64_t BYTE_PS = 20;         // of a link of 400 Gb/s
constexpr int64_t DELAY_PS = 1'000'000; // of a link

/** \return hosts at one switch, with links of 400 Gb/s and 1 us */
RdmaTopology
MakePacketHub(uint32_t hosts)
{
    return MakeRdmaStar(hosts, MakeTestRates(400, 400, 1000));
}

/** A schedule on the packets of a fabric. */
struct PacketRun
{
    /**
     * \param topology the fabric
     * \param threads number of threads
     * \param groups number of groups of nodes
     * \param configure sets the fabric up; may be empty
     */
    explicit PacketRun(const RdmaTopology& topology,
                       uint32_t threads = 1,
                       uint32_t groups = 1,
                       const std::function<void(RdmaFabricHelper&)>& configure = {})
    {
        SelectTestThreads(threads, groups);
        test = std::make_unique<RdmaTestFabric>();
        test->SetMtu(MTU);
        if (configure)
        {
            configure(test->helper);
        }
        test->Install(topology, {});
        network = CreateObject<RdmaPacketNetwork>();
        network->SetFabric(test->fabric);
        schedule =
            std::make_unique<TestSchedule>(static_cast<uint32_t>(topology.GetHosts().size()));
    }

    /** \return end of the schedule; -1 ps: not all ended after a second */
    RdmaPs Run()
    {
        Simulator::Stop(Seconds(1));
        return schedule->Run(network);
    }

    std::unique_ptr<RdmaTestFabric> test;   //!< the fabric
    Ptr<RdmaPacketNetwork> network;         //!< the network
    std::unique_ptr<TestSchedule> schedule; //!< the schedule, destroyed first
};

/** One message, and one without bytes. */
class PacketMessageTestCase : public TestCase
{
  public:
    PacketMessageTestCase()
        : TestCase("times of a message")
    {
    }

  private:
    void DoRun() override
    {
        // 5000 B are a packet of 4096 + 82 + 16 = 4194 B, 83880 ps, and one of 904 + 82 + 4 = 990
        // B, 19800 ps. A packet has arrived 12 B, 240 ps, before the gap behind it ends. The switch
        // has the first packet at 83640 + 1 us, and sends until 167520 + 1 us. The second one,
        // which has waited, is at the receiver at 167520 + 19560 + 2 us. Then the acknowledgement
        // of 86 B takes 2 * (1720 - 240) ps and 2 us.
        const auto getTimes = [](uint64_t bytes, bool isRendezvous) {
            PacketRun run(MakePacketHub(3));
            run.schedule->Send(1, bytes, 2, {}, 0, isRendezvous);
            run.schedule->Receive(2, bytes, 1);
            const RdmaPs end = run.Run();
            return std::pair(run.schedule->GetEnd(2), end);
        };
        const auto [arrival, end] = getTimes(5000, false);
        NS_TEST_EXPECT_MSG_EQ(arrival, 2'187'080_ps, "arrival");
        NS_TEST_EXPECT_MSG_EQ(end, 4'190'040_ps, "end");

        // Without bytes: 82 + 16 + 4 = 102 B, 2040 - 240 ps on each link.
        const auto [noArrival, noEnd] = getTimes(0, false);
        NS_TEST_EXPECT_MSG_EQ(noArrival, 2'003'600_ps, "arrival without bytes");
        NS_TEST_EXPECT_MSG_EQ(noEnd, 4'006'560_ps, "end without bytes");

        // Rendezvous: a request of 24 B, 126 B, 2520 - 240 ps; its answer as long, behind the
        // acknowledgement of the request; then the data, behind that of the answer.
        const auto [lateArrival, lateEnd] = getTimes(5000, true);
        NS_TEST_EXPECT_MSG_EQ(lateArrival,
                              2 * 2'004'560_ps + 2'187'080_ps + 2 * 1720_ps,
                              "arrival with a rendezvous");
        NS_TEST_EXPECT_MSG_EQ(lateEnd - lateArrival, 2'002'960_ps, "the last acknowledgement");
    }
};

/** Whatever context, tag and number messages have, they find their receives. */
class PacketEnvelopeTestCase : public TestCase
{
  public:
    PacketEnvelopeTestCase()
        : TestCase("contexts, tags and numbers of messages")
    {
    }

  private:
    void DoRun() override
    {
        // A receive refuses a longer message, and all lengths differ: the sums show that each
        // receive has got its own message.
        const std::array<uint32_t, 7> tags{0, 1, 255, 256, (1U << 20) - 1, 1U << 20, UINT32_MAX};
        PacketRun run(MakePacketHub(2));
        uint64_t bytes = 1;
        for (uint32_t repeat = 0; repeat < 3; ++repeat)
        {
            for (const uint32_t tag : tags)
            {
                const bool isRendezvous = (bytes & 1) == 0;
                run.schedule->Send(0, bytes, 1, {}, tag, isRendezvous);
                run.schedule->Receive(1, bytes, 0, {}, tag);
                ++bytes;
            }
        }
        NS_TEST_EXPECT_MSG_GT(run.Run(), 0_ps, "end; " << run.schedule->schedule->DescribeWait());
    }
};

/**
 * Times of collectives by their definition: a list of steps for each rank, in which the rank sends
 * one range of the vector and receives another one. A chunk leaves after the rank's earlier chunks,
 * when what the chunk has been made of has arrived.
 */
class PacketClosedForm
{
  public:
    /** A range of blocks of the vector, to or from a rank. */
    struct Transfer
    {
        uint32_t peer{0};  //!< the other rank
        uint32_t first{0}; //!< first block
        uint32_t end{0};   //!< block after the last one
    };

    /** What a rank does in a step. */
    struct Step
    {
        Transfer send;    //!< what the rank sends
        Transfer receive; //!< what the rank receives
    };

    /** Steps of all ranks. */
    using Ranks = std::vector<std::vector<Step>>;

    /** \return steps of a ring all-reduce of n ranks */
    static Ranks Ring(uint32_t n)
    {
        Ranks ranks(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t k = 0; k < 2 * (n - 1); ++k)
            {
                // Rank i begins with the block of the rank behind, and has its own block of the sum
                // after n - 1 steps.
                const uint32_t block = (i + 2 * n - 1 - k) % n;
                const uint32_t other = (block + n - 1) % n;
                ranks[i].push_back(
                    {{(i + 1) % n, block, block + 1}, {(i + n - 1) % n, other, other + 1}});
            }
        }
        return ranks;
    }

    /** \return steps of an all-reduce of n ranks by halving and doubling */
    static Ranks Halving(uint32_t n)
    {
        Ranks ranks(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            std::vector<Step> halving;
            for (uint32_t distance = n / 2; distance > 0; distance /= 2)
            {
                const uint32_t other = i ^ distance;
                const auto range = [distance](uint32_t rank) { return rank / distance * distance; };
                halving.push_back({{other, range(other), range(other) + distance},
                                   {other, range(i), range(i) + distance}});
            }
            ranks[i] = halving;
            for (auto step = halving.rbegin(); step != halving.rend(); ++step)
            {
                ranks[i].push_back({step->receive, step->send});
            }
        }
        return ranks;
    }

    /** \return steps of an all-reduce of n ranks by recursive doubling */
    static Ranks Doubling(uint32_t n)
    {
        Ranks ranks(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t distance = 1; distance < n; distance *= 2)
            {
                ranks[i].push_back({{i ^ distance, 0, n}, {i ^ distance, 0, n}});
            }
        }
        return ranks;
    }

    /**
     * \param ranks steps of all ranks
     * \param bytes bytes of the vector, a multiple of the chunks of all blocks
     * \param chunks number of chunks of a step
     * \param pipelined a chunk waits for its own data; else for all chunks of the steps before
     * \return end of the last rank, in picoseconds: everything has arrived and is acknowledged
     */
    static double GetTime(const Ranks& ranks, uint64_t bytes, uint32_t chunks, bool pipelined)
    {
        const auto n = static_cast<uint32_t>(ranks.size());
        const double block = static_cast<double>(bytes) / n;
        std::vector<std::vector<Arrival>> arrived(n);
        std::vector<double> free(n);
        double end = 0;
        for (std::size_t k = 0; k < ranks.front().size(); ++k)
        {
            std::vector<std::vector<Arrival>> news(n);
            for (uint32_t i = 0; i < n; ++i)
            {
                const Transfer& send = ranks[i][k].send;
                const double length = (send.end - send.first) * block / chunks;
                for (uint32_t c = 0; c < chunks; ++c)
                {
                    const double from = send.first * block + c * length;
                    double ready = free[i];
                    for (const Arrival& part : arrived[i])
                    {
                        const bool isPart = part.from < from + length && from < part.to;
                        ready = isPart || !pipelined ? std::max(ready, part.at) : ready;
                    }
                    const auto size = static_cast<uint64_t>(std::llround(length));
                    const Times times = GetTimes(size, pipelined);
                    free[i] = ready + times.sending;
                    news[send.peer].push_back({from, from + length, free[i] + times.after});
                    end = std::max(end, free[i] + times.after);
                }
            }
            for (uint32_t i = 0; i < n; ++i)
            {
                arrived[i].insert(arrived[i].end(), news[i].begin(), news[i].end());
            }
        }
        return end + 2.0 * DELAY_PS + 2 * (ACK - GAP) * BYTE_PS;
    }

  private:
    /** A chunk that has arrived. */
    struct Arrival
    {
        double from{0}; //!< first byte in the vector
        double to{0};   //!< byte after the last one
        double at{0};   //!< when the chunk has arrived
    };

    /** Times of a chunk. */
    struct Times
    {
        double sending{0}; //!< the sender's link is busy
        double after{0};   //!< from then on, until the last packet has arrived
    };

    /**
     * A sender's link carries the packets of a chunk, and acknowledgements of the packets that the
     * sender receives. With blocking steps, all ranks begin a step at once. The first packet of
     * the neighbour therefore arrives one latency after the begin. Acknowledgements share the link
     * from that instant until the chunk is sent.
     */
    static Times GetTimes(uint64_t bytes, bool pipelined)
    {
        const uint64_t packets = std::max<uint64_t>(1, (bytes + MTU - 1) / MTU);
        const uint64_t parts = std::max<uint64_t>(1, (bytes + PART - 1) / PART);
        const uint64_t last = bytes - (packets - 1) * MTU + BASE + (packets == 1 ? RETH : 0);
        Times times;
        times.after = 2.0 * DELAY_PS + static_cast<double>((last + IMMEDIATE - 2 * GAP) * BYTE_PS);
        const auto data =
            static_cast<double>((bytes + packets * BASE + parts * (RETH + IMMEDIATE)) * BYTE_PS);
        const auto acks = static_cast<double>(packets * ACK * BYTE_PS);
        times.sending = data + (pipelined ? acks : 0);
        for (int i = 0; i < 20 && !pipelined; ++i)
        {
            times.sending = data + acks * std::max(0.0, 1 - times.after / times.sending);
        }
        return times;
    }
};

/** Collectives on an idle fabric that does not block. */
class PacketClosedFormTestCase : public TestCase
{
  public:
    PacketClosedFormTestCase()
        : TestCase("closed forms of all-reduce")
    {
    }

  private:
    void Check(const std::string& collective,
               PacketClosedForm::Ranks (*make)(uint32_t),
               uint32_t ranks,
               uint64_t bytes,
               uint32_t chunks,
               bool pipelined)
    {
        std::string form;
        if (chunks > 1)
        {
            form = "[Chunks=" + std::to_string(chunks) +
                   (pipelined ? "|Steps=Pipelined]" : "|Steps=Blocking]");
        }
        PacketRun run(MakePacketHub(ranks));
        run.schedule->job->AddCollective(run.schedule->world,
                                         MakeTestCollective(collective + form),
                                         bytes);
        const auto time = static_cast<double>(run.Run().Get());
        const double expected = PacketClosedForm::GetTime(make(ranks), bytes, chunks, pipelined);
        NS_TEST_EXPECT_MSG_EQ_TOL(time / expected,
                                  1,
                                  0.002,
                                  collective << form << ", " << ranks << " ranks, " << bytes
                                             << " B: " << time << " ps, expected " << expected);
    }

    void DoRun() override
    {
        using Maker = PacketClosedForm::Ranks (*)(uint32_t);
        const std::array<std::pair<const char*, Maker>, 3> collectives{
            {{"all-reduce-ring", &PacketClosedForm::Ring},
             {"all-reduce-halving-doubling", &PacketClosedForm::Halving},
             {"all-reduce-recursive-doubling", &PacketClosedForm::Doubling}}};
        constexpr uint64_t KIB = 1024;
        for (const auto& [name, make] : collectives)
        {
            for (const uint32_t ranks : {8, 16, 64})
            {
                for (const uint64_t bytes : {KIB, 32 * KIB, 1024 * KIB})
                {
                    Check(name, make, ranks, bytes, 1, false);
                }
            }
            Check(name, make, 8, 65536 * KIB, 1, false);
            Check(name, make, 32, 65536 * KIB, 1, false);
            // With pipelined halving, a rank receives chunks of two steps from two partners at
            // once, which share its link: there is no closed form.
            if (make == &PacketClosedForm::Halving)
            {
                continue;
            }
            for (const uint32_t ranks : {8, 16, 64})
            {
                for (const uint64_t bytes : {KIB, 32 * KIB, 1024 * KIB})
                {
                    Check(name, make, ranks, bytes, 4, true);
                }
            }
            Check(name, make, 8, 65536 * KIB, 4, true);
        }
    }
};

/** Queue pairs exist while they are used. */
class PacketIdleTestCase : public TestCase
{
  public:
    PacketIdleTestCase()
        : TestCase("idle connections close and open again")
    {
    }

  private:
    void DoRun() override
    {
        PacketRun run(MakePacketHub(4));
        const auto plan = CreateObject<RdmaConnectionPlan>();
        plan->SetAttribute("IdleTimeout", TimeValue(MicroSeconds(20)));
        plan->SetAttribute("QueuePairs", UintegerValue(2));
        run.network->SetAttribute("Plan", PointerValue(plan));
        // Rank 0 sends to 1, computes, sends to 2, computes, and sends to 1 again.
        uint32_t last = run.schedule->Send(0, 1 << 20, 1);
        last = run.schedule->Compute(0, 100_us, {last});
        last = run.schedule->Send(0, 1 << 20, 2, {last});
        last = run.schedule->Compute(0, 100_us, {last});
        run.schedule->Send(0, 1 << 20, 1, {last});
        run.schedule->Receive(1, 1 << 20, 0);
        run.schedule->Receive(1, 1 << 20, 0);
        run.schedule->Receive(2, 1 << 20, 0);
        std::vector<uint32_t> counts;
        for (const int us : {10, 90, 140, 220, 260})
        {
            Simulator::Schedule(MicroSeconds(us), [&] {
                uint32_t count = 0;
                for (const uint32_t host : run.test->fabric->GetTopology().GetHosts())
                {
                    count += run.test->fabric->GetNic(host)->GetNQueuePairs();
                }
                counts.push_back(count);
            });
        }
        NS_TEST_EXPECT_MSG_GT(run.Run(), 0_ps, "end");
        const std::vector<uint32_t> expected{4, 0, 4, 0, 4};
        NS_TEST_EXPECT_MSG_EQ((counts == expected), true, "queue pairs at the instants");
        const RdmaLaneResult totals = run.network->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.bytes, 3 << 20, "bytes");
        NS_TEST_EXPECT_MSG_EQ(totals.chunks, 3 * 2, "chunks");
        NS_TEST_EXPECT_MSG_EQ(totals.source.packetsRetransmitted, 0, "repeated packets");
    }
};

/**
 * Packets overtake each other, so that receivers have seen early packets and senders close before
 * receivers; both count on when the connection opens again.
 */
class PacketReopenTestCase : public TestCase
{
  public:
    PacketReopenTestCase()
        : TestCase("connections open again on paths that reorder")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"irn", "roce", "roce[OutOfOrder=true]"})
        {
            for (const char* paths : {"ecmp", "spray"})
            {
                PacketRun run(MakeRdmaLeafSpine(2, 4, 4, MakeTestRates(100, 100, 1000)),
                              1,
                              1,
                              [&](RdmaFabricHelper& helper) {
                                  // IRN's headers are longer.
                                  helper.SetDeviceAttribute("Mtu", UintegerValue(4200));
                                  helper.SetTransport(transport);
                                  helper.SetPathSelector(paths);
                              });
                // A failure keeps one connection waiting while the others close.
                run.test->fabric->InstallFailures(
                    RdmaFailurePlan::Parse("5/9:down:50us:500us,1/8:down:1000us:1500us"));
                const auto plan = CreateObject<RdmaConnectionPlan>();
                plan->SetAttribute("IdleTimeout", TimeValue(MicroSeconds(40)));
                run.network->SetAttribute("Plan", PointerValue(plan));
                TestSchedule& test = *run.schedule;
                const auto ring = MakeTestCollective("all-reduce-ring");
                const auto first = test.job->AddCollective(test.world, ring, 1'000'000);
                std::vector<std::vector<uint32_t>> after;
                for (uint32_t rank = 0; rank < first.size(); ++rank)
                {
                    after.push_back({test.Compute(rank, 200_us, {first[rank]})});
                }
                test.job->AddCollective(test.world, ring, 1'000'000, after);
                NS_TEST_EXPECT_MSG_GT(run.Run(),
                                      0_ps,
                                      transport << ", " << paths << ": "
                                                << test.schedule->DescribeWait());
                const RdmaLaneResult totals = run.network->GetTotals();
                NS_TEST_EXPECT_MSG_EQ(totals.bytes, 2 * 14 * 1'000'000, transport);
            }
        }
    }
};

/** A rank's message leaves through the NIC of another rank of the host. */
class PacketForwardTestCase : public TestCase, private RdmaScheduleNetworkUser
{
  public:
    PacketForwardTestCase()
        : TestCase("messages through the NIC of a neighbour")
    {
    }

  private:
    void Sent(uint32_t rank, uint64_t id) override
    {
        m_log << "sent " << rank << " " << id << "; ";
    }

    void Arrived(const RdmaScheduleMessage& message) override
    {
        m_log << "arrived " << message.from << " to " << message.to << " tag " << message.tag
              << " of " << message.bytes << " B; ";
    }

    void DoRun() override
    {
        // Hosts 0 and 1 with two NICs on two rails: ranks 0 and 1, and 2 and 3.
        RdmaTopology topology;
        topology.AddHost();
        topology.AddHost();
        const std::array<uint32_t, 2> second{topology.AddNic(0), topology.AddNic(1)};
        const std::array<uint32_t, 2> leaves{topology.AddSwitch(), topology.AddSwitch()};
        topology.AddLink(0, leaves[0], 400_gbps, 1_us);
        topology.AddLink(1, leaves[0], 400_gbps, 1_us);
        topology.AddLink(second[0], leaves[1], 400_gbps, 1_us);
        topology.AddLink(second[1], leaves[1], 400_gbps, 1_us);
        SelectTestThreads(1, 1);
        RdmaTestFabric test;
        test.Install(topology, {});
        const auto network = CreateObject<RdmaPacketNetwork>();
        network->SetFabric(test.fabric);
        network->Install(*this, {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}});
        NS_TEST_EXPECT_MSG_EQ(network->GetNodeId(1), second[0], "node of rank 1");
        RdmaScheduleMessage message;
        message.from = 0;
        message.to = 3;
        message.tag = 77;
        message.bytes = 1000;
        Simulator::ScheduleWithContext(second[0], Time(0), [&] {
            network->Forward(1, message, 5);
        });
        message.from = 0;
        Simulator::ScheduleWithContext(0, MicroSeconds(50), [&] {
            RdmaScheduleMessage own = message;
            own.to = 2;
            network->Send(own, 6);
        });
        test.Run(1_ms);
        NS_TEST_EXPECT_MSG_EQ(m_log.str(),
                              "arrived 0 to 3 tag 77 of 1000 B; sent 1 5; "
                              "arrived 0 to 2 tag 77 of 1000 B; sent 0 6; ",
                              "messages");
        network->Dispose();
    }

    std::ostringstream m_log; //!< what the network has told
};

/** A link that stays down ends connections, and the report of waits says so. */
class PacketFailureTestCase : public TestCase
{
  public:
    PacketFailureTestCase()
        : TestCase("a schedule whose message fails")
    {
    }

  private:
    void DoRun() override
    {
        PacketRun run(MakePacketHub(3), 1, 1, [](RdmaFabricHelper& helper) {
            helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
            helper.SetTransportAttribute("RetryCount", UintegerValue(2));
        });
        run.test->fabric->InstallFailures(RdmaFailurePlan::Parse("1/3:down:10us"));
        run.schedule->Send(0, 8 << 20, 1);
        run.schedule->Receive(1, 8 << 20, 0);
        NS_TEST_EXPECT_MSG_EQ(run.Run(), RdmaPs(-1), "the schedule does not end");
        const std::string text = run.network->DescribeWait(0);
        NS_TEST_EXPECT_MSG_EQ(text,
                              "1 messages to rank 1 have failed with IBV_WC_RETRY_EXC_ERR",
                              "reason");
    }
};

/** Random collectives on a leaf-spine fabric give equal results on any threads and groups. */
class PacketThreadsTestCase : public TestCase
{
  public:
    PacketThreadsTestCase()
        : TestCase("equal results on threads and groups")
    {
    }

  private:
    /** \return results of a run, all of what a user sees */
    RdmaTestOutcome RunOnce(uint32_t threads, uint32_t groups)
    {
        PacketRun run(MakeRdmaLeafSpine(4, 4, 2, MakeTestRates(100, 100, 1000)),
                      threads,
                      groups,
                      [](RdmaFabricHelper& helper) { helper.SetCongestionControl("dcqcn"); });
        const auto plan = CreateObject<RdmaConnectionPlan>();
        plan->SetAttribute("IdleTimeout", TimeValue(MicroSeconds(30)));
        run.network->SetAttribute("Plan", PointerValue(plan));
        TestSchedule& test = *run.schedule;
        // Two jobs share the hosts: one of all ranks, and one of every third.
        const auto order = MakeTestPermutation(16);
        const uint32_t mixed = test.schedule->AddCommunicator("mixed", order);
        const uint32_t few = test.schedule->AddCommunicator("few", {0, 3, 6, 9, 12, 15}, 4);
        const auto all = MakeTestCollective("all-reduce-ring[Chunks=2|Steps=Pipelined]");
        test.job->AddCollective(mixed, all, 1'000'000);
        RdmaScheduleJob& other = test.schedule->AddJob("other", 10_us);
        const auto first = other.AddCollective(few, MakeTestCollective("all-to-all"), 600'000);
        std::vector<std::vector<uint32_t>> after;
        for (const uint32_t operation : first)
        {
            after.push_back({operation});
        }
        other.AddCollective(few,
                            MakeTestCollective("all-reduce-double-tree[Chunks=8]"),
                            300'000,
                            after);
        std::ostringstream seen;
        seen << "end " << run.Run() << "; ";
        for (uint32_t rank = 0; rank < 16; ++rank)
        {
            seen << test.GetEnd(rank) << " ";
        }
        for (const uint32_t rank : other.GetRanks())
        {
            seen << other.GetEnd(rank).value_or(RdmaPs(-1)) << " ";
        }
        const RdmaLaneResult totals = run.network->GetTotals();
        seen << totals.source.packetsSent << " " << totals.destination.packetsAccepted << " "
             << totals.bytes;
        return GetTestOutcome(*run.test, seen.str());
    }

    /** \return the numbers below n in a fixed disorder */
    static std::vector<uint32_t> MakeTestPermutation(uint32_t n)
    {
        std::vector<uint32_t> order;
        for (uint32_t i = 0; i < n; ++i)
        {
            order.push_back(i * 7 % n);
        }
        return order;
    }

    void DoRun() override
    {
        const RdmaTestOutcome one = RunOnce(1, 1);
        NS_TEST_EXPECT_MSG_NE(one.seen.substr(0, 7), "end -1;", one.seen);
        for (const auto& [threads, groups] : std::vector<std::pair<uint32_t, uint32_t>>{
                 {1, 2},
                 {1, 5},
                 {2, 2},
                 {2, 8},
                 {3, 16},
                 {4, 4},
             })
        {
            const RdmaTestOutcome several = RunOnce(threads, groups);
            NS_TEST_EXPECT_MSG_EQ(one.Compare(several),
                                  "",
                                  threads << " threads, " << groups << " groups: " << several.seen
                                          << " instead of " << one.seen);
            NS_TEST_EXPECT_MSG_EQ(several.reason, "", "no reason for one thread");
            NS_TEST_EXPECT_MSG_GT(several.windows, 10, "groups have run apart");
        }
    }
};

/** Tests of RdmaPacketNetwork. */
class RdmaPacketNetworkTestSuite : public TestSuite
{
  public:
    RdmaPacketNetworkTestSuite()
        : TestSuite("rdma-packet-network")
    {
        AddTestCase(new PacketMessageTestCase);
        AddTestCase(new PacketEnvelopeTestCase);
        AddTestCase(new PacketClosedFormTestCase);
        AddTestCase(new PacketIdleTestCase);
        AddTestCase(new PacketReopenTestCase);
        AddTestCase(new PacketForwardTestCase);
        AddTestCase(new PacketFailureTestCase);
        AddTestCase(new PacketThreadsTestCase);
    }
};

RdmaPacketNetworkTestSuite g_packetNetworkTestSuite; // registers the test cases

} // namespace
