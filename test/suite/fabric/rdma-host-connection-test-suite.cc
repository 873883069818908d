/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-connection-plan.h"
#include "rdma-failure-plan.h"
#include "rdma-host-connection.h"
#include "rdma-test-threads.h"

#include <ns3/nstime.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <functional>
#include <sstream>

/**
 * \file
 * \ingroup rdma-tests
 * Connections between hosts with several NICs: goodput, what happens when a port dies, and equal
 * results on several threads.
 */

using namespace ns3;

namespace
{

constexpr uint32_t NICS = 4;            // NICs of each host
constexpr uint64_t BYTES = 400'000'000; // of the message
constexpr double PAYLOAD = 4096;        // of a packet
// Ethernet 14 + 4, IPv4 20, UDP 8, BTH 12, ICRC 4, preamble and gap 20
constexpr double ON_LINE = PAYLOAD + 82;
constexpr double GOODPUT = 400e9 / 8 * PAYLOAD / ON_LINE; // of a NIC, bytes a second

/// Two hosts with four NICs of 400 Gb/s, each NIC at a switch of its rail. Links 2k and 2k + 1 are
/// those of NIC k at hosts 0 and 1.
RdmaTopology
MakeRails()
{
    RdmaTopology topology;
    topology.AddHost();
    topology.AddHost();
    std::vector<std::array<uint32_t, 2>> nics{{0, 1}};
    for (uint32_t k = 1; k < NICS; ++k)
    {
        const uint32_t first = topology.AddNic(0);
        nics.push_back({first, topology.AddNic(1)});
    }
    for (const auto& rail : nics)
    {
        const uint32_t leaf = topology.AddSwitch();
        topology.AddLink(rail[0], leaf, 400_gbps, 1_us);
        topology.AddLink(rail[1], leaf, 400_gbps, 1_us);
    }
    return topology;
}

/** Settings of a run over MakeRails(). */
struct ConnectionSetup
{
    std::string plan{"chunks"};            //!< the plan, as RdmaPart
    std::string failures;                  //!< failures; empty: none
    Time failoverDelay{MicroSeconds(100)}; //!< RdmaNic::FailoverDelay
    RdmaPs timeout{100_us};                //!< retransmission timeout
    uint32_t retries{3};                   //!< timeouts in a row before an error
    uint32_t threads{1};                   //!< number of threads
    uint32_t groups{1};                    //!< number of groups
    std::vector<RdmaFlow> flows{MakeTestFlow(7, 0, 1, BYTES)}; //!< what to run
};

/** Results of a run. */
struct ConnectionRun
{
    RdmaTestOutcome outcome;           //!< results of flows and ports
    std::string unfinished;            //!< flows that did not complete
    double seconds{0};                 //!< completion time of the first flow
    double ideal{0};                   //!< its ideal completion time, in seconds
    std::vector<RdmaLaneResult> lanes; //!< its lanes
    uint64_t repeated{0};              //!< its chunks that were posted again
    uint64_t duplicates{0};            //!< its chunks that arrived again
};

ConnectionRun
RunSetup(const ConnectionSetup& setup)
{
    SelectTestThreads(setup.threads, setup.groups);
    RdmaTestFabric test;
    test.SetMtu(4096);
    test.keepQueuePairs = false;
    test.SetRetries(setup.timeout, setup.retries);
    test.helper.SetNicAttribute("FailoverDelay", TimeValue(setup.failoverDelay));
    test.Install(MakeRails(), {});
    if (!setup.failures.empty())
    {
        test.fabric->InstallFailures(RdmaFailurePlan::Parse(setup.failures));
    }
    const auto plan = RdmaPart::Parse(setup.plan, RdmaConnectionPlan::GetTypeId());
    test.runner->SetAttribute("Plan", PointerValue(plan.Create<RdmaConnectionPlan>()));
    test.runner->Install(test.fabric, setup.flows);
    test.Run(1_s);
    ConnectionRun result;
    result.outcome = GetTestOutcome(test);
    result.unfinished = test.GetUnfinished();
    result.ideal = static_cast<double>(test.results.front().ideal.Get()) * 1e-12;
    if (test.results.front().fct)
    {
        result.seconds = static_cast<double>(test.results.front().fct->Get()) * 1e-12;
    }
    if (const RdmaHostConnection* connection = test.runner->GetConnection(0))
    {
        for (uint32_t lane = 0; lane < connection->GetNLanes(); ++lane)
        {
            result.lanes.push_back(connection->GetResult(lane));
        }
        result.repeated = connection->GetNRepeated();
        result.duplicates = connection->GetNDuplicates();
    }
    return result;
}

/** A message over four NICs takes a quarter of the time over one. */
class GoodputTestCase : public TestCase
{
  public:
    GoodputTestCase()
        : TestCase("goodput of four NICs")
    {
    }

  private:
    void DoRun() override
    {
        ConnectionSetup setup;
        setup.flows.front().bytes = 1'000'000'000;
        const ConnectionRun four = RunSetup(setup);
        setup.plan = "chunks[Nics=2]";
        const ConnectionRun one = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(four.unfinished + one.unfinished, "", "flows complete");
        NS_TEST_EXPECT_MSG_EQ_TOL(one.seconds / four.seconds, 4, 0.04, "four times the goodput");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.seconds * 4 * GOODPUT / 1e9, 1, 0.01, "the formula");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.seconds / four.ideal, 1, 0.01, "the ideal time");
        NS_TEST_EXPECT_MSG_EQ((four.seconds >= four.ideal), true, "not faster than the ideal");
        NS_TEST_EXPECT_MSG_EQ(four.lanes.size(), NICS, "a queue pair for each NIC");
        NS_TEST_EXPECT_MSG_EQ(one.lanes.size(), 0, "one queue pair needs no connection");
        uint64_t bytes = 0;
        for (const RdmaLaneResult& lane : four.lanes)
        {
            bytes += lane.bytes;
            NS_TEST_EXPECT_MSG_EQ(lane.source.packetsRetransmitted, 0, "nothing is lost");
        }
        NS_TEST_EXPECT_MSG_EQ(bytes, 1'000'000'000, "all bytes are acknowledged once");
        NS_TEST_EXPECT_MSG_EQ(four.repeated + four.duplicates, 0, "nothing is repeated");
    }
};

/** A port dies in the middle of a message. */
class DeadPortTestCase : public TestCase
{
  public:
    DeadPortTestCase()
        : TestCase("a port dies")
    {
    }

  private:
    /**
     * \param setup the run
     * \param died time at which the port died, in seconds
     * \param noticed time from then on until other NICs take over, in seconds
     * \param what name of the case
     */
    void Check(ConnectionSetup setup, double died, double noticed, const std::string& what)
    {
        const ConnectionRun one = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(one.unfinished, "", what);
        const double rest = static_cast<double>(BYTES) - 4 * GOODPUT * died;
        const double outstanding = 4 * 524288;
        // Three NICs carry on. What the dead one had comes at the end, but not before the others
        // know.
        const double whole = died + rest / (3 * GOODPUT);
        const double late = died + noticed + outstanding / (3 * GOODPUT);
        const double expected = std::max(whole, late);
        NS_TEST_EXPECT_MSG_EQ_TOL(one.seconds / expected, 1, 0.01, what);
        NS_TEST_EXPECT_MSG_EQ((one.repeated > 0 && one.repeated <= 4), true, what);
        for (uint32_t threads = 1; threads <= 4; ++threads)
        {
            for (const uint32_t groups : {2, 5, 16})
            {
                setup.threads = threads;
                setup.groups = groups;
                const ConnectionRun other = RunSetup(setup);
                NS_TEST_EXPECT_MSG_EQ(other.outcome.Compare(one.outcome),
                                      "",
                                      what << ", " << threads << " threads, " << groups
                                           << " groups");
                NS_TEST_EXPECT_MSG_EQ(other.repeated, one.repeated, what);
                NS_TEST_EXPECT_MSG_EQ(other.outcome.reason, "", what);
                NS_TEST_EXPECT_MSG_EQ((other.outcome.windows > 0), true, what);
            }
        }
    }

    void DoRun() override
    {
        ConnectionSetup setup;
        setup.failures = "host-0-nic-1:down:500us";
        Check(setup, 500e-6, 100e-6, "port of the sender");
        setup.failoverDelay = MilliSeconds(2);
        setup.retries = 100;
        Check(setup, 500e-6, 2e-3, "port of the sender, noticed late");
        setup.failures = "host-1-nic-1:down:500us";
        setup.retries = 3;
        Check(setup, 500e-6, 4 * 100e-6, "port of the receiver");
        setup.timeout = 500_us;
        Check(setup, 500e-6, 4 * 500e-6, "port of the receiver, noticed late");
    }
};

/** A port that comes up again is used again, and nothing is lost or counted twice. */
class PortComesBackTestCase : public TestCase
{
  public:
    PortComesBackTestCase()
        : TestCase("a port comes back")
    {
    }

  private:
    void DoRun() override
    {
        ConnectionSetup setup;
        setup.retries = 100;
        setup.failures = "host-0-nic-1:down:500us:900us";
        const ConnectionRun result = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(result.unfinished, "", "the flow completes");
        // The NIC takes the port to be up 100 us after 900 us.
        const double lost = 500e-6 * GOODPUT;
        const double expected = (static_cast<double>(BYTES) + lost) / (4 * GOODPUT);
        NS_TEST_EXPECT_MSG_EQ_TOL(result.seconds / expected, 1, 0.01, "three NICs for 500 us");
        // The queue pair of the port repeats what it has, beside the others.
        NS_TEST_EXPECT_MSG_EQ((result.repeated > 0 && result.repeated <= 4), true, "parts again");
        NS_TEST_EXPECT_MSG_EQ(result.duplicates, result.repeated, "each of them arrives twice");
        const uint64_t quarter = BYTES / 4;
        NS_TEST_EXPECT_MSG_EQ((result.lanes[1].bytes < quarter), true, "NIC 1 carries less");
        NS_TEST_EXPECT_MSG_EQ((result.lanes[1].bytes > quarter / 2), true, "NIC 1 is used again");
    }
};

/** All ports of the receiver die: the flow fails with the error of the last queue pair. */
class AllPortsDieTestCase : public TestCase
{
  public:
    AllPortsDieTestCase()
        : TestCase("all ports die")
    {
    }

  private:
    void DoRun() override
    {
        ConnectionSetup setup;
        setup.failures = "host-1:down:500us,host-1-nic-1:down:500us,host-1-nic-2:down:600us,"
                         "host-1-nic-3:down:700us";
        const ConnectionRun result = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(result.unfinished, "flow 7: IBV_WC_RETRY_EXC_ERR; ", "no lane left");
    }
};

/** A port of a bond dies: its queue pairs go over to the other port, and no chunk is repeated. */
class BondedPortTestCase : public TestCase
{
  public:
    BondedPortTestCase()
        : TestCase("a port of a bond dies")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* link : {"host-0/switch-2", "host-0/switch-3"})
        {
            SelectTestThreads(1, 1);
            RdmaTopology topology;
            for (uint32_t host = 0; host < 2; ++host)
            {
                topology.AddHost();
                topology.SetBonded(host);
            }
            const uint32_t leaves[] = {topology.AddSwitch(), topology.AddSwitch()};
            const uint32_t spine = topology.AddSwitch();
            for (const uint32_t leaf : leaves)
            {
                topology.AddLink(0, leaf, 100_gbps, 1_us);
                topology.AddLink(1, leaf, 100_gbps, 1_us);
                topology.AddLink(leaf, spine, 200_gbps, 1_us); // acknowledgements go this way
            }
            RdmaTestFabric test;
            test.keepQueuePairs = false;
            test.SetRetries(100_us, 100);
            test.helper.SetNicAttribute("FailoverDelay", TimeValue(MicroSeconds(50)));
            test.Install(topology, {});
            test.fabric->InstallFailures(RdmaFailurePlan::Parse(std::string(link) + ":down:100us"));
            auto plan = CreateObject<RdmaConnectionPlan>();
            plan->SetAttribute("QueuePairs", UintegerValue(6));
            test.runner->SetAttribute("Plan", PointerValue(plan));
            test.runner->Install(test.fabric, {MakeTestFlow(0, 0, 1, 20'000'000)});
            test.Run(1_s);
            NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", link);
            const RdmaHostConnection& connection = *test.runner->GetConnection(0);
            NS_TEST_EXPECT_MSG_EQ(connection.GetNRepeated(), 0, link);
            uint32_t lanes = 0;
            for (uint32_t lane = 0; lane < connection.GetNLanes(); ++lane)
            {
                const RdmaLaneResult result = connection.GetResult(lane);
                NS_TEST_EXPECT_MSG_EQ(result.isDown, false, link);
                NS_TEST_EXPECT_MSG_EQ(result.error.has_value(), false, link);
                lanes += result.source.packetsRetransmitted > 0 ? 1 : 0;
            }
            NS_TEST_EXPECT_MSG_GT(lanes, 0, "queue pairs of the dead port have gone over");
        }
    }
};

/** Flows take the queue pairs as the plan says. */
class SpreadTestCase : public TestCase
{
  public:
    SpreadTestCase()
        : TestCase("spread of flows")
    {
    }

  private:
    void DoRun() override
    {
        // Six flows at once: in turn, NICs 0, 1, 2, 3, 0, 1. The two NICs with two flows take
        // twice as long.
        constexpr uint64_t SIZE = 40'000'000;
        ConnectionSetup setup;
        setup.plan = "in-turn";
        setup.flows.clear();
        for (uint32_t i = 0; i < 6; ++i)
        {
            setup.flows.push_back(MakeTestFlow(i, 0, 1, SIZE));
        }
        const ConnectionRun turn = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(turn.unfinished, "", "in turn");
        NS_TEST_EXPECT_MSG_EQ_TOL(turn.seconds * GOODPUT / SIZE, 2, 0.02, "two flows on NIC 0");
        // The first flow is four times as long: the others leave its NIC to it.
        setup.plan = "outstanding";
        setup.flows.front().bytes = 4 * SIZE;
        const ConnectionRun least = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(least.unfinished, "", "fewest bytes outstanding");
        NS_TEST_EXPECT_MSG_EQ_TOL(least.seconds * GOODPUT / (4 * SIZE), 1, 0.01, "NIC 0 alone");
        NS_TEST_EXPECT_MSG_EQ(least.lanes[0].bytes, 4 * SIZE, "one lane has it all");
        // Two queue pairs for each NIC share its rate.
        setup.plan = "chunks[QueuePairs=2|ChunkBytes=100000]";
        setup.flows = {MakeTestFlow(0, 0, 1, BYTES)};
        const ConnectionRun two = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(two.unfinished, "", "two queue pairs");
        NS_TEST_EXPECT_MSG_EQ(two.lanes.size(), 8, "two for each NIC");
        NS_TEST_EXPECT_MSG_EQ_TOL(two.seconds * 4 * GOODPUT / BYTES, 1, 0.01, "all NICs");
        // A flow file's columns come before the plan.
        setup.flows.front().nic = 3;
        setup.flows.front().queuePairs = 3;
        const ConnectionRun given = RunSetup(setup);
        NS_TEST_EXPECT_MSG_EQ(given.lanes.size(), 3, "three queue pairs at one NIC");
        NS_TEST_EXPECT_MSG_EQ_TOL(given.seconds * GOODPUT / BYTES, 1, 0.01, "one NIC");
    }
};

/** A script's connection: messages one after the other, with long breaks. */
class IdleTestCase : public TestCase, private RdmaHostConnectionUser
{
  public:
    IdleTestCase()
        : TestCase("idle queue pairs close and open again")
    {
    }

  private:
    void MessageArrived(uint64_t id, uint64_t message, const RdmaHostArrival& arrival) override
    {
        m_log << "arrived " << id << " " << message << " " << arrival.bytes << " at "
              << arrival.address << "; ";
        m_arrived += arrival.bytes;
    }

    void MessageSent(uint64_t id, uint64_t message, RdmaWcStatus status, RdmaPs time) override
    {
        m_sent << "sent " << id << " " << message << " " << GetRdmaWcStatusName(status) << "; ";
    }

    /** \return number of queue pairs of all NICs */
    static uint32_t CountQueuePairs(const RdmaFabric& fabric)
    {
        uint32_t count = 0;
        for (const uint32_t nic : fabric.GetTopology().GetNics())
        {
            count += fabric.GetNic(nic)->GetNQueuePairs();
        }
        return count;
    }

    void DoRun() override
    {
        for (const char* transport : {"roce", "irn", "roce[OutOfOrder=true]"})
        {
            SelectTestThreads(1, 1);
            RdmaTestFabric test;
            test.helper.SetTransport(transport);
            test.helper.SetQueuePairAttribute("InitialPsn", UintegerValue(16777000));
            test.Install(MakeRails(), {});
            auto plan = CreateObject<RdmaConnectionPlan>();
            plan->SetAttribute("ChunkBytes", UintegerValue(10'000));
            plan->SetAttribute("IdleTimeout", TimeValue(MicroSeconds(200)));
            const auto connection = test.fabric->ConnectHosts(1, 0, *plan, *this, 42);
            m_log.str("");
            m_sent.str("");
            m_arrived = 0;
            std::vector<uint32_t> counts;
            for (uint32_t i = 0; i < 5; ++i)
            {
                const Time at = MilliSeconds(1 + 2 * i);
                Simulator::ScheduleWithContext(connection->GetSourceNode(), at, [&connection] {
                    connection->Post(123'457, 1 << 20);
                    connection->Post(1, 77);
                });
                const auto count = [&] { counts.push_back(CountQueuePairs(*test.fabric)); };
                Simulator::Schedule(at + MicroSeconds(5), count);
                Simulator::Schedule(at + MilliSeconds(1), count);
            }
            test.Run(20_ms);
            NS_TEST_EXPECT_MSG_EQ(m_arrived, 5 * 123'458, transport);
            std::ostringstream expected;
            std::ostringstream expectedSent;
            for (uint32_t i = 0; i < 10; i += 2)
            {
                expected << "arrived 42 " << i << " 123457 at 1048576; arrived 42 " << i + 1
                         << " 1 at 77; ";
                expectedSent << "sent 42 " << i << " IBV_WC_SUCCESS; sent 42 " << i + 1
                             << " IBV_WC_SUCCESS; ";
            }
            NS_TEST_EXPECT_MSG_EQ(m_log.str(), expected.str(), transport);
            NS_TEST_EXPECT_MSG_EQ(m_sent.str(), expectedSent.str(), transport);
            for (std::size_t i = 0; i < counts.size(); i += 2)
            {
                NS_TEST_EXPECT_MSG_EQ(counts[i], 2 * NICS, "all lanes are open; " << transport);
                NS_TEST_EXPECT_MSG_EQ(counts[i + 1], 0, "all have closed; " << transport);
            }
            uint64_t packets = 0;
            for (uint32_t lane = 0; lane < connection->GetNLanes(); ++lane)
            {
                const RdmaLaneResult result = connection->GetResult(lane);
                packets += result.source.packetsSent;
                NS_TEST_EXPECT_MSG_EQ(result.source.packetsRetransmitted, 0, transport);
            }
            // Chunks of at most 10,000 bytes for four lanes: 16, of 123457 / 16 bytes rounded up to
            // whole packets of 1,024 bytes. 15 chunks of 8 packets, one of 577 bytes, and a message
            // of one byte.
            NS_TEST_EXPECT_MSG_EQ(packets, 5 * (15 * 8 + 1 + 1), transport);
        }
    }

    std::ostringstream m_log;  //!< messages that have arrived
    std::ostringstream m_sent; //!< messages that have been sent
    uint64_t m_arrived{0};     //!< bytes that have arrived
};

/** Random rails, plans, flows and failures: each flow arrives once, on any threads. */
class RandomRailsTestCase : public TestCase
{
  public:
    RandomRailsTestCase()
        : TestCase("random rails")
    {
    }

  private:
    /** \return a topology of hosts with several NICs and ports, and the names of what may fail */
    static RdmaTopology MakeTopology(RdmaTestDice& dice, std::vector<std::string>& names)
    {
        RdmaTopology topology;
        const uint32_t hosts = dice.Number(2, 5);
        const uint32_t nics = dice.Number(1, 4);
        const uint32_t ports = dice.Number(nics == 1 ? 2 : 1, 2);
        for (uint32_t i = 0; i < hosts; ++i)
        {
            topology.AddHost();
        }
        std::vector<std::vector<uint32_t>> ofNumber(1, topology.GetHosts());
        for (uint32_t k = 1; k < nics; ++k)
        {
            ofNumber.emplace_back();
            for (uint32_t i = 0; i < hosts; ++i)
            {
                ofNumber.back().push_back(topology.AddNic(i));
                names.push_back(topology.GetNode(ofNumber.back().back()).name);
            }
        }
        const uint32_t spine = topology.AddSwitch();
        const bool isBonded = ports > 1 && dice.Number(0, 1) == 1;
        for (const std::vector<uint32_t>& rail : ofNumber)
        {
            for (uint32_t port = 0; port < ports; ++port)
            {
                const uint32_t leaf = topology.AddSwitch();
                topology.AddLink(leaf, spine, 200_gbps, 500_ns);
                for (const uint32_t nic : rail)
                {
                    topology.AddLink(nic, leaf, 100_gbps, dice.Number(100, 900) * 1_ns);
                    if (isBonded)
                    {
                        topology.SetBonded(nic);
                    }
                }
                names.push_back(topology.GetNode(leaf).name);
            }
        }
        return topology;
    }

    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(20);
        uint64_t repeated = 0;
        uint64_t windows = 0;
        for (uint32_t round = 1; round <= rounds; ++round)
        {
            std::string first;
            RdmaTestOutcome one;
            for (uint32_t again = 0; again < 3; ++again)
            {
                RdmaTestDice dice(round);
                std::vector<std::string> names;
                const RdmaTopology topology = MakeTopology(dice, names);
                const uint32_t threads = again == 0 ? 1 : 1 + (round + again) % 4;
                const uint32_t groups = again == 0 ? 1 : 2 + again * 3;
                SelectTestThreads(threads, groups);
                RdmaTestFabric test;
                test.keepQueuePairs = dice.Number(0, 3) == 0;
                test.helper.SetTransport(dice.Number(0, 1) ? "roce" : "irn");
                if (dice.Number(0, 1))
                {
                    test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
                }
                test.helper.SetNicAttribute(
                    "FailoverDelay",
                    TimeValue(MicroSeconds(static_cast<uint64_t>(dice.Number(1, 300)))));
                test.Install(topology, {});
                // What fails comes back, so that every flow can end.
                std::string failures;
                for (uint32_t i = dice.Number(0, 2); i > 0 && !names.empty(); --i)
                {
                    const uint32_t down = dice.Number(5, 60);
                    const std::string& name =
                        names[dice.Number(0, static_cast<uint32_t>(names.size()) - 1)];
                    if (failures.find(name) == std::string::npos)
                    {
                        failures += (failures.empty() ? "" : ",") + name +
                                    ":down:" + std::to_string(down) +
                                    "us:" + std::to_string(down + dice.Number(20, 2000)) + "us";
                    }
                }
                if (!failures.empty())
                {
                    test.fabric->InstallFailures(RdmaFailurePlan::Parse(failures));
                }
                auto plan = CreateObject<RdmaConnectionPlan>();
                const std::array<const char*, 3> spreads{"InTurn", "Outstanding", "Chunks"};
                plan->SetAttribute("Spread", StringValue(dice.OneOf(spreads)));
                plan->SetAttribute("QueuePairs", UintegerValue(dice.Number(1, 3)));
                plan->SetAttribute("ChunkBytes", UintegerValue(dice.Number(1'000, 200'000)));
                plan->SetAttribute("Depth", UintegerValue(dice.Number(1, 6)));
                test.runner->SetAttribute("Plan", PointerValue(plan));
                std::vector<RdmaFlow> flows;
                const auto hosts = static_cast<uint32_t>(topology.GetHosts().size());
                for (uint32_t i = 0; i < 12; ++i)
                {
                    const uint32_t source = dice.Number(0, hosts - 1);
                    const uint32_t destination = (source + dice.Number(1, hosts - 1)) % hosts;
                    flows.push_back(MakeTestFlow(i,
                                                 source,
                                                 destination,
                                                 dice.Number(1, 900'000),
                                                 dice.Number(0, 80) * 1_us));
                }
                test.runner->Install(test.fabric, flows);
                test.Run(1_s);
                std::ostringstream seen;
                for (uint32_t i = 0; i < flows.size(); ++i)
                {
                    const RdmaHostConnection* connection = test.runner->GetConnection(i);
                    for (uint32_t lane = 0; connection && lane < connection->GetNLanes(); ++lane)
                    {
                        seen << connection->GetResult(lane).bytes << " ";
                        repeated += lane == 0 ? connection->GetNRepeated() : 0;
                    }
                }
                const RdmaTestOutcome outcome = GetTestOutcome(test, seen.str());
                NS_TEST_EXPECT_MSG_EQ(test.GetUnfinished(), "", "round " << round << failures);
                windows += outcome.windows;
                if (again == 0)
                {
                    one = outcome;
                    continue;
                }
                NS_TEST_EXPECT_MSG_EQ(outcome.Compare(one),
                                      "",
                                      "round " << round << ", " << threads << " threads, " << groups
                                               << " groups");
            }
        }
        NS_TEST_EXPECT_MSG_EQ((repeated > 0), true, "parts have been posted again");
        NS_TEST_EXPECT_MSG_EQ((windows > 0), true, "groups have run apart");
    }
};

/** A script's atomics, before, during and after the failure of a port. */
class AtomicTestCase : public TestCase, private RdmaHostConnectionUser
{
  public:
    AtomicTestCase()
        : TestCase("atomics fail with their lane")
    {
    }

  private:
    void MessageArrived(uint64_t, uint64_t, const RdmaHostArrival& arrival) override
    {
        m_arrived += arrival.bytes;
    }

    void MessageSent(uint64_t, uint64_t, RdmaWcStatus, RdmaPs) override
    {
    }

    void AtomicCompleted(uint64_t, uint64_t atomic, RdmaWcStatus status, uint64_t original) override
    {
        m_log << atomic << " " << GetRdmaWcStatusName(status) << " " << original << " after "
              << Simulator::Now().GetMicroSeconds() << " us; ";
    }

    void DoRun() override
    {
        for (const char* transport : {"roce", "irn"})
        {
            SelectTestThreads(1, 1);
            RdmaTestFabric test;
            test.helper.SetTransport(transport);
            test.helper.SetNicAttribute("FailoverDelay", TimeValue(MicroSeconds(20)));
            test.Install(MakeRails(), {});
            test.fabric->InstallFailures(RdmaFailurePlan::Parse("0/8:down:100us:300us"));
            auto plan = CreateObject<RdmaConnectionPlan>();
            plan->SetAttribute("QueuePairs", UintegerValue(2));
            const auto connection = test.fabric->ConnectHosts(0, 1, *plan, *this, 42);
            m_log.str("");
            m_arrived = 0;
            const auto at = [&connection](double us, std::function<void()> what) {
                Simulator::ScheduleWithContext(connection->GetSourceNode(),
                                               NanoSeconds(std::llround(us * 1000)),
                                               std::move(what));
            };
            const auto add = [&connection](uint64_t value) {
                return [&connection, value] {
                    connection->PostAtomic(RdmaWrOpcode::ATOMIC_FETCH_AND_ADD, 64, value);
                };
            };
            at(10, add(5));
            at(20, add(6));
            at(30, [&connection] {
                connection->PostAtomic(RdmaWrOpcode::ATOMIC_CMP_AND_SWP, 64, 11, 40);
            });
            // The request is lost on the cable. The queue pair asks again once the port is up,
            // after the atomic has failed.
            at(99.5, add(1000));
            at(150, [&connection] { connection->Post(1'000'000); });
            at(151, add(7)); // waits for a lane to the NIC that has the word
            test.Run(20_ms);
            // Round trips take 4 us. The failure at 100 us is known 20 us later, and the port's
            // return at 300 us is, too. Atomic 3 has been carried out after all.
            NS_TEST_EXPECT_MSG_EQ(m_log.str(),
                                  "0 IBV_WC_SUCCESS 0 after 14 us; "
                                  "1 IBV_WC_SUCCESS 5 after 24 us; "
                                  "2 IBV_WC_SUCCESS 11 after 34 us; "
                                  "3 IBV_WC_WR_FLUSH_ERR 0 after 120 us; "
                                  "4 IBV_WC_SUCCESS 1040 after 324 us; ",
                                  transport);
            NS_TEST_EXPECT_MSG_EQ(m_arrived, 1'000'000, "the message takes the other NICs");
        }
    }

    std::ostringstream m_log; //!< what has become of the atomics
    uint64_t m_arrived{0};    //!< bytes of messages
};

/** Tests of connections between hosts. */
class RdmaHostConnectionTestSuite : public TestSuite
{
  public:
    RdmaHostConnectionTestSuite()
        : TestSuite("rdma-host-connection")
    {
        AddTestCase(new GoodputTestCase);
        AddTestCase(new DeadPortTestCase);
        AddTestCase(new PortComesBackTestCase);
        AddTestCase(new AllPortsDieTestCase);
        AddTestCase(new BondedPortTestCase);
        AddTestCase(new SpreadTestCase);
        AddTestCase(new IdleTestCase);
        AddTestCase(new AtomicTestCase);
        AddTestCase(new RandomRailsTestCase);
    }
};

RdmaHostConnectionTestSuite g_hostConnectionTestSuite; // registers the test cases

} // namespace
