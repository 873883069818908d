/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-scale-up-network.h"
#include "rdma-test-schedule.h"
#include "rdma-test-threads.h"

#include <ns3/double.h>
#include <ns3/test.h>

#include <sstream>

/**
 * \file
 * \ingroup rdma-tests
 * Scale-up domains: timelines by hand, a star of packets beside a domain, and equal results on
 * several threads.
 */

using namespace ns3;

namespace
{

/** One host. A GPU sends and receives 7 bytes in a ns; a message of no bytes takes 1 us. */
class ScaleUpSendersTestCase : public TestCase
{
  public:
    ScaleUpSendersTestCase()
        : TestCase("1, 7 and 8 senders")
    {
    }

  private:
    static constexpr const char* NETWORK = "scale-up[Rate=112Gbps|Efficiency=0.5|Latency=1us]";

    void DoRun() override
    {
        for (const uint32_t senders : {1, 7, 8})
        {
            for (const bool isOne : {true, false})
            {
                // All senders to one receiver: each has its part of the receiver's rate. Each to
                // the next one: each has its whole rate.
                const RdmaPs end = 1_us + (isOne ? senders : 1) * 1_us;
                TestSchedule test(MakeRdmaPlaces(senders + 1, senders + 1, 1));
                for (uint32_t i = 1; i <= senders; ++i)
                {
                    const uint32_t to = isOne ? 0 : i - 1;
                    test.Send(i, 7000, to);
                    test.Receive(to, 7000, i);
                }
                NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), end, senders << " senders");
                for (uint32_t i = 0; i <= senders; ++i)
                {
                    NS_TEST_EXPECT_MSG_EQ(test.GetEnd(i), end, "rank " << i);
                }
            }
        }
        // 8 GPUs, each of which sends 7 messages at a time: a message has a seventh of the rate.
        TestSchedule all(MakeRdmaPlaces(8, 8, 8));
        all.job->AddCollective(all.world, MakeTestCollective("all-to-all[Steps=Pipelined]"), 8000);
        NS_TEST_EXPECT_MSG_EQ(all.Run(NETWORK), 2_us, "7 messages of 1000 B from each");
    }
};

/** Messages that come and go while others are on their way. 3 bytes in a ns, 1 us. */
class ScaleUpSharesTestCase : public TestCase
{
  public:
    ScaleUpSharesTestCase()
        : TestCase("arrivals in the middle, and what others leave")
    {
    }

  private:
    static constexpr const char* NETWORK = "scale-up[Rate=24Gbps|Latency=1us]";

    void DoRun() override
    {
        {
            // Messages reach the servers after 500 ns. The first one is alone from 500 to 900, and
            // has then done 1200 of 3000 B. Each gets 1.5 B/ns until the second one ends: 300 B,
            // 200 ns, at 1100. The first one has 1500 B left: until 1600. 500 ns more for both.
            TestSchedule test(MakeRdmaPlaces(3, 3, 1));
            test.Send(1, 3000, 0);
            test.Receive(0, 3000, 1);
            test.Send(2, 300, 0, {test.Compute(2, 400_ns)});
            test.Receive(0, 300, 2);
            NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), 2100_ns, "end");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(1), 2100_ns, "first sender");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(2), 1600_ns, "second sender");
        }
        {
            // Three messages into GPU 2 have 1 B/ns each, and end after 900 ns. One of them comes
            // from GPU 0, whose other message has the 2 B/ns that are left: 1800 of 2400 B. Its
            // last 600 B have 3 B/ns: 200 ns.
            TestSchedule test(MakeRdmaPlaces(5, 5, 1));
            const uint32_t a = test.Send(0, 2400, 1);
            test.Receive(1, 2400, 0);
            for (const uint32_t from : {0, 3, 4})
            {
                test.Send(from, 900, 2);
                test.Receive(2, 900, from);
            }
            test.Compute(0, 1_ns, {a});
            test.Run(NETWORK);
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(0), 2101_ns, "egress of GPU 0");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(1), 2100_ns, "ingress of GPU 1");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(2), 1900_ns, "ingress of GPU 2");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(4), 1900_ns, "egress of GPU 4");
        }
        {
            // No bytes, and two ranks on one GPU: the latency alone.
            std::vector<RdmaSchedulePlace> places = MakeRdmaPlaces(3, 3, 1);
            places[2].gpu = 0;
            TestSchedule test(places);
            test.Send(0, 0, 1);
            test.Receive(1, 0, 0);
            test.Send(0, 1'000'000, 2);
            test.Receive(2, 1'000'000, 0);
            NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), 1000_ns, "end");
        }
    }
};

/** Two hosts with two GPUs and a NIC for each. 1 B/ns within a host, 0.5 B/ns and 5 us between. */
class ScaleUpPxnTestCase : public TestCase
{
  public:
    ScaleUpPxnTestCase()
        : TestCase("messages to other hosts, through the own NIC and through a neighbour's")
    {
    }

  private:
    /** \return network, with or without PXN */
    static std::string MakeNetwork(bool pxn)
    {
        return std::string("scale-up[Rate=8Gbps|Latency=1us|Pxn=") + (pxn ? "true" : "false") +
               "|Outer=ideal[Delay=5us|Rate=4Gbps]]";
    }

    void DoRun() override
    {
        for (const bool pxn : {false, true})
        {
            TestSchedule test(MakeRdmaPlaces(4, 2, 2));
            test.Send(0, 1001, 3);
            test.Receive(3, 1001, 0);
            test.Run(MakeNetwork(pxn));
            // Own NIC: 1000 B at 0.5 B/ns, and 5 us. PXN: first 1 us and 1001 B at 1 B/ns.
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(0), pxn ? 2001_ns : 2000_ns, "sender");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(3), pxn ? 9001_ns : 7000_ns, "receiver");
        }
        {
            // Rank 1 sends to rank 3 itself, from 1900 to 5900. The message of rank 0 comes to its
            // GPU at 2001, and waits. Another one of rank 0 stays on the rail of rank 0. Tags are
            // equal: only the senders tell the messages apart.
            TestSchedule test(MakeRdmaPlaces(4, 2, 2));
            test.Send(0, 1001, 3);
            test.Receive(3, 1001, 0);
            test.Send(1, 2001, 3, {test.Compute(1, 1900_ns)});
            const uint32_t own = test.Receive(3, 2001, 1);
            test.Send(0, 501, 2);
            test.Receive(2, 501, 0);
            test.Compute(3, 1_us, {own});
            test.Run(MakeNetwork(true));
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(2), 6000_ns, "on the own rail: 1000 ns and 5 us");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(1), 5900_ns, "from 1900 for 4000 ns");
            // The other message of rank 0 leaves behind it, from 5900 for 2000 ns: 12900. The
            // computing of rank 3 ends before, at 5900 + 5000 + 1000.
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(3), 12'900_ns, "behind the carrier's own message");
        }
        {
            // A rail that the sender's host does not have: the sender's own NIC.
            std::vector<RdmaSchedulePlace> places = MakeRdmaPlaces(4, 2, 2);
            places[3].nic = 7;
            TestSchedule test(places);
            test.Send(0, 1001, 3);
            test.Receive(3, 1001, 0);
            NS_TEST_EXPECT_MSG_EQ(test.Run(MakeNetwork(true)), 7000_ns, "no such rail");
        }
        {
            // Two GPUs share NIC 1: the one with the lower number carries.
            const std::vector<RdmaSchedulePlace> places = MakeRdmaPlaces(8, 4, 2);
            NS_TEST_EXPECT_MSG_EQ(places[5].nic, 0, "GPU 1 of 4 with 2 NICs");
            NS_TEST_EXPECT_MSG_EQ(places[6].nic, 1, "GPU 2 of 4 with 2 NICs");
            TestSchedule test(places);
            test.Send(0, 1001, 7);
            test.Receive(7, 1001, 0);
            test.Send(1, 1001, 7);
            test.Receive(7, 1001, 1);
            // Both into GPU 2, at half of the rate each: 3002. Then one after the other: the second
            // one leaves from 5002 for 2000 ns.
            NS_TEST_EXPECT_MSG_EQ(test.Run(MakeNetwork(true)), 12'002_ns, "through GPU 2");
        }
    }
};

/** The switch reduces. 1 B/ns, 1 us. */
class ScaleUpReductionTestCase : public TestCase
{
  public:
    ScaleUpReductionTestCase()
        : TestCase("all-reduce in the switch")
    {
    }

  private:
    static constexpr const char* NETWORK = "scale-up[Rate=8Gbps|Latency=1us]";

    void DoRun() override
    {
        for (const uint32_t n : {2, 4, 8})
        {
            // Each GPU sends its vector, and its part of the sum: S (1 + 1/n). Twice the latency.
            TestSchedule test(MakeRdmaPlaces(n, n, 1));
            test.job->AddCollective(test.world, MakeTestCollective("all-reduce-in-switch"), 8000);
            NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), 2_us + (8000 + 8000 / n) * 1_ns, n);
        }
        {
            // The switch begins with the last member, which enters at 5 us. Meanwhile rank 0 sends
            // a message to rank 1, which is over when the all-reduce begins.
            TestSchedule test(MakeRdmaPlaces(4, 4, 1));
            test.Send(0, 1000, 1);
            test.Receive(1, 1000, 0);
            test.job->AddCollective(test.world,
                                    MakeTestCollective("all-reduce-in-switch"),
                                    4000,
                                    {{}, {}, {test.Compute(2, 5_us)}, {}});
            NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), 12_us, "a late member");
        }
        {
            // At 3 B/ns, a message of rank 2 to rank 3 and two chunks have 1 B/ns each until the
            // message ends after 1000 ns. Each chunk of 2000 B sends 2500 B, of which 1500 B are
            // left, at 1.5 B/ns: 1000 ns more.
            TestSchedule test(MakeRdmaPlaces(4, 4, 1));
            test.Send(2, 1000, 3);
            test.Receive(3, 1000, 2);
            test.job->AddCollective(test.world,
                                    MakeTestCollective("all-reduce-in-switch[Chunks=2]"),
                                    4000);
            const RdmaPs end = test.Run("scale-up[Rate=24Gbps|Latency=1us]");
            NS_TEST_EXPECT_MSG_EQ(end, 4_us, "chunks beside a message");
        }
        {
            // Two halves of a host, with equal tags in one context, do not wait for each other.
            TestSchedule test(MakeRdmaPlaces(8, 8, 1));
            for (uint32_t rank = 0; rank < 8; ++rank)
            {
                const uint32_t half = rank / 4 * 4;
                std::vector<uint32_t> after;
                if (half > 0)
                {
                    after = {test.Compute(rank, 50_us)};
                }
                test.job->Add(rank,
                              RdmaOperation::Combine(4000, half + (rank + 1) % 4, test.context, 9),
                              after);
                test.Receive(rank, 4000, half + (rank + 3) % 4, {}, 9);
            }
            test.Run(NETWORK);
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(1), 7_us, "first half");
            NS_TEST_EXPECT_MSG_EQ(test.GetEnd(6), 57_us, "second half");
        }
        {
            // A member that never comes.
            TestSchedule test(MakeRdmaPlaces(3, 3, 1));
            for (const uint32_t rank : {0, 1})
            {
                test.job->Add(rank, RdmaOperation::Combine(10, rank + 1, test.context, 0));
                test.Receive(rank, 10, (rank + 2) % 3);
            }
            NS_TEST_EXPECT_MSG_EQ(test.Run(NETWORK), RdmaPs(-1), "does not end");
            const std::string wait = test.schedule->DescribeWait();
            const bool names =
                wait.find(
                    "rank 0: the switch has the rank's vector, and waits for that of rank 2\n") !=
                std::string::npos;
            NS_TEST_EXPECT_MSG_EQ(names, true, wait);
        }
    }
};

/** Packets over a star beside a domain of the same rate: 400 Gb/s and 500 ns for each link. */
class ScaleUpStarTestCase : public TestCase
{
  public:
    ScaleUpStarTestCase()
        : TestCase("a star of packets beside a domain")
    {
    }

  private:
    /** A message. */
    struct Message
    {
        uint32_t from; //!< GPU that sends
        uint32_t to;   //!< GPU that receives
    };

    /**
     * \param name name of the case
     * \param messages the messages, all at once
     * \param bytes size of a message
     * \param receive true: the senders receive as well, so that each of their lines has an
     *        acknowledgement for each packet
     */
    void Compare(const std::string& name,
                 const std::vector<Message>& messages,
                 uint64_t bytes,
                 bool receive)
    {
        // Ethernet 14 + 4, IPv4 20, UDP 8, BTH 12, ICRC 4, preamble and gap 20; AETH 4
        constexpr double PAYLOAD = 4096;
        const double onLine = PAYLOAD + 82 + (receive ? 86 : 0);
        std::vector<RdmaPs> ends;
        {
            TestSchedule test(MakeRdmaPlaces(8, 8, 8));
            test.schedule->SetRecording(RdmaRecording::OPERATIONS);
            for (const Message& message : messages)
            {
                test.Send(message.from, bytes, message.to);
            }
            for (const Message& message : messages)
            {
                test.Receive(message.to, bytes, message.from);
            }
            const auto network = CreateObject<RdmaScaleUpNetwork>();
            network->SetAttribute("Rate", DataRateValue(DataRate("400Gbps")));
            network->SetAttribute("Efficiency", DoubleValue(PAYLOAD / onLine));
            network->SetAttribute("Latency", TimeValue(MicroSeconds(1)));
            test.Run(network);
            std::vector<std::size_t> sent(8, 0); // messages of the rank so far
            for (const Message& message : messages)
            {
                RdmaPs end{-1};
                for (const RdmaOperationRecord& record : test.schedule->GetRecords(message.from))
                {
                    if (record.operation == sent[message.from])
                    {
                        end = record.end;
                    }
                }
                ++sent[message.from];
                ends.push_back(end);
            }
        }
        RdmaTestFabric test;
        test.SetMtu(4096);
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        std::vector<RdmaFlow> flows;
        for (const Message& message : messages)
        {
            flows.push_back(MakeTestFlow(flows.size(), message.from, message.to, bytes));
        }
        test.Install(MakeRdmaStar(8, MakeTestRates(400, 400, 500)), flows);
        test.Run();
        NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", name);
        for (std::size_t i = 0; i < ends.size(); ++i)
        {
            const auto packets = static_cast<double>(test.results[i].fct.value_or(0_ps).Get());
            const auto domain = static_cast<double>(ends[i].Get());
            NS_TEST_EXPECT_MSG_EQ_TOL(packets / domain, 1, 0.02, name << ", message " << i);
        }
    }

    void DoRun() override
    {
        Compare("1 sender", {{1, 0}}, 16'000'000, false);
        std::vector<Message> seven;
        std::vector<Message> eight;
        std::vector<Message> all;
        for (uint32_t i = 0; i < 8; ++i)
        {
            if (i > 0)
            {
                seven.push_back({i, 0});
            }
            eight.push_back({i, (i + 3) % 8});
            for (uint32_t k = 1; k < 8; ++k)
            {
                all.push_back({i, (i + k) % 8});
            }
        }
        Compare("7 senders to one", seven, 4'000'000, false);
        Compare("8 senders, each to another one", eight, 16'000'000, true);
        Compare("8 senders, each to all others", all, 4'000'000, true);
    }
};

/** A network of ranks at the nodes of NICs, over which no message goes. */
class TestScaleUpNodes : public RdmaScheduleNetwork
{
  public:
    explicit TestScaleUpNodes(const RdmaFabric& fabric)
        : m_fabric(fabric)
    {
    }

    void Install(RdmaScheduleNetworkUser& /*user*/,
                 const std::vector<RdmaSchedulePlace>& places) override
    {
        for (const RdmaSchedulePlace& place : places)
        {
            m_nodes.push_back(m_fabric.GetNic(place.host, place.nic)->GetNodeId());
        }
    }

    uint32_t GetNodeId(uint32_t rank) const override
    {
        return m_nodes[rank];
    }

    RdmaBitRate GetRate(uint32_t /*rank*/) const override
    {
        return 100_gbps;
    }

    void Send(const RdmaScheduleMessage& message, uint64_t /*id*/) override
    {
        NS_ABORT_MSG("a message from rank " << message.from << " to rank " << message.to);
    }

  private:
    const RdmaFabric& m_fabric;
    std::vector<uint32_t> m_nodes;
};

/** Random messages and all-reduces within hosts, whose NICs run on several threads. */
class ScaleUpThreadsTestCase : public TestCase
{
  public:
    ScaleUpThreadsTestCase()
        : TestCase("equal results on several threads, and beside the ideal network")
    {
    }

  private:
    static constexpr uint32_t GPUS = 4; //!< GPUs and NICs of a host

    /** Adds what the ranks do. */
    static void Fill(TestSchedule& test, uint32_t hosts, RdmaTestDice& dice)
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            std::vector<uint32_t> ranks;
            for (uint32_t gpu = 0; gpu < GPUS; ++gpu)
            {
                ranks.push_back(host * GPUS + gpu);
            }
            const uint32_t local =
                test.schedule->AddCommunicator("host " + std::to_string(host), ranks);
            std::vector<std::vector<uint32_t>> after(GPUS);
            for (uint32_t call = 0; call < 3; ++call)
            {
                const auto collective =
                    MakeTestCollective(dice.OneIn(2) ? "all-reduce-in-switch[Chunks=3]"
                                                     : "all-to-all[Steps=Pipelined|Channels=2]");
                const auto numbers =
                    test.job->AddCollective(local, collective, dice.Number(0, 200'000), after);
                for (uint32_t gpu = 0; gpu < GPUS; ++gpu)
                {
                    after[gpu] = {numbers[gpu]};
                }
            }
            for (uint32_t i = 0; i < 20; ++i)
            {
                const auto from = static_cast<uint32_t>(dice.Number(0, GPUS - 1));
                const auto to = (from + static_cast<uint32_t>(dice.Number(1, GPUS - 1))) % GPUS;
                // Many equal instants and sizes.
                const uint64_t bytes = 1000 * dice.Number(0, 4);
                const uint32_t compute = test.Compute(ranks[from], dice.Number(0, 3) * 2_us);
                test.Send(ranks[from], bytes, ranks[to], {compute}, i, dice.OneIn(3));
                test.Receive(ranks[to], bytes, ranks[from], {}, i);
            }
        }
    }

    /** \return when all operations began and ended */
    static std::string GetTimes(TestSchedule& test)
    {
        std::ostringstream text;
        for (uint32_t rank = 0; rank < test.schedule->GetNRanks(); ++rank)
        {
            for (const RdmaOperationRecord& record : test.schedule->GetRecords(rank))
            {
                text << rank << " " << record.operation << " " << record.begin << " " << record.end
                     << "; ";
            }
        }
        return text.str();
    }

    /** \return topology with a leaf for each NIC of a host */
    static RdmaTopology MakeRails(uint32_t hosts)
    {
        RdmaTopology topology;
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddHost();
        }
        std::vector<std::vector<uint32_t>> rails(1, topology.GetHosts());
        for (uint32_t k = 1; k < GPUS; ++k)
        {
            rails.emplace_back();
            for (uint32_t i = 0; i < hosts; ++i)
            {
                rails.back().push_back(topology.AddNic(i));
            }
        }
        for (const std::vector<uint32_t>& rail : rails)
        {
            const uint32_t leaf = topology.AddSwitch();
            for (const uint32_t nic : rail)
            {
                topology.AddLink(nic, leaf, 100_gbps, 600_ns);
            }
        }
        return topology;
    }

    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(8);
        uint64_t windows = 0;
        for (uint32_t round = 1; round <= rounds; ++round)
        {
            const uint32_t hosts = 2 + round % 3;
            const auto makeNetwork = [round] {
                const auto network = CreateObject<RdmaScaleUpNetwork>();
                network->SetAttribute("Rate", DataRateValue(DataRate("80Gbps")));
                network->SetAttribute("Latency", TimeValue(NanoSeconds(300 + 400 * (round % 4))));
                return network;
            };
            std::string expected;
            {
                RdmaTestDice dice(round);
                TestSchedule test(MakeRdmaPlaces(hosts * GPUS, GPUS, GPUS));
                test.schedule->SetRecording(RdmaRecording::OPERATIONS);
                Fill(test, hosts, dice);
                test.Run(makeNetwork());
                NS_TEST_EXPECT_MSG_EQ(test.schedule->DescribeWait(), "", "round " << round);
                expected = GetTimes(test);
            }
            RdmaTestOutcome one;
            for (uint32_t again = 0; again < 4; ++again)
            {
                RdmaTestDice dice(round);
                const uint32_t threads = again == 0 ? 1 : 1 + (round + again) % 4;
                const uint32_t groups = again == 0 ? 1 : 1 + again * 2;
                SelectTestThreads(threads, groups);
                RdmaTestFabric test;
                std::vector<RdmaFlow> flows;
                for (uint32_t i = 0; i < 10; ++i)
                {
                    flows.push_back(MakeTestFlow(i, i % hosts, (i + 1) % hosts, 50'000));
                }
                test.Install(MakeRails(hosts), flows);
                TestSchedule schedule(MakeRdmaPlaces(hosts * GPUS, GPUS, GPUS));
                schedule.schedule->SetRecording(RdmaRecording::OPERATIONS);
                schedule.schedule->SetStopWhenDone(false);
                Fill(schedule, hosts, dice);
                const auto network = makeNetwork();
                network->SetOuter(CreateObject<TestScaleUpNodes>(*test.fabric));
                schedule.schedule->Install(network);
                test.Run(10_ms);
                const RdmaTestOutcome outcome = GetTestOutcome(test, GetTimes(schedule));
                NS_TEST_EXPECT_MSG_EQ(outcome.reason, "", "round " << round);
                NS_TEST_EXPECT_MSG_EQ((outcome.seen == expected),
                                      true,
                                      "round " << round << ", " << groups
                                               << " groups: other times than without nodes");
                windows += outcome.windows;
                if (again == 0)
                {
                    one = outcome;
                }
                NS_TEST_EXPECT_MSG_EQ(outcome.Compare(one),
                                      "",
                                      "round " << round << ", " << threads << " threads, " << groups
                                               << " groups");
            }
        }
        NS_TEST_EXPECT_MSG_EQ((windows > 0), true, "groups have run apart");
    }
};

/** The suite. */
class RdmaScaleUpTestSuite : public TestSuite
{
  public:
    RdmaScaleUpTestSuite()
        : TestSuite("rdma-scale-up")
    {
        AddTestCase(new ScaleUpSendersTestCase);
        AddTestCase(new ScaleUpSharesTestCase);
        AddTestCase(new ScaleUpPxnTestCase);
        AddTestCase(new ScaleUpReductionTestCase);
        AddTestCase(new ScaleUpStarTestCase);
        AddTestCase(new ScaleUpThreadsTestCase);
    }
};

RdmaScaleUpTestSuite g_rdmaScaleUpTestSuite; //!< registers the suite

} // namespace
