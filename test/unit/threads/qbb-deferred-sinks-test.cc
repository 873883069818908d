/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-fabric-groups.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fabric.h"

#include <ns3/boolean.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Sinks that are called between two windows of simulated time (attribute DeferSinks).
 */

using namespace ns3;

namespace
{

/** Call of a sink: time in femtoseconds, node, bytes of a packet or an argument, and the rest. */
using Call = std::tuple<int64_t, uint32_t, uint32_t, std::string>;

/** A fabric of two racks with flows from each host, whose ports have sinks. */
class DeferredSinksRun
{
  public:
    /** \param threads number of threads \param defers value of DeferSinks */
    DeferredSinksRun(uint32_t threads, bool defers)
    {
        RdmaSimulatorImpl::Select();
        const auto simulator = Simulator::GetImplementation();
        simulator->SetAttribute("Threads", UintegerValue(threads));
        simulator->SetAttribute("Groups", UintegerValue(std::max(threads, 2U)));
        simulator->SetAttribute("DeferSinks", BooleanValue(defers));
        const RdmaTopology topology = MakeRdmaLeafSpine(2, 2, 1, MakeTestRates(100, 100, 500));
        hosts = topology.GetHosts();
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            // Flows of different sizes and starts have no events at equal instants.
            const auto start = RdmaPs(1009 + 7919 * int64_t{i});
            flows.push_back(MakeTestFlow(2 * i, hosts[i], hosts[(i + 2) % 4], 50'000 + i, start));
            flows.push_back(MakeTestFlow(2 * i + 1, hosts[i], hosts[(i + 1) % 4], 20'000, start));
        }
        test.Install(topology, flows);
    }

    /** Records the calls of two sinks at each host. */
    void Record()
    {
        for (const uint32_t host : hosts)
        {
            const auto port = test.fabric->GetNic(host)->GetPort(0);
            port->TraceConnectWithoutContext(
                "MacRx",
                Callback<void, Ptr<const Packet>>([this](Ptr<const Packet> packet) {
                    std::string bytes(packet->GetSize(), '\0');
                    packet->CopyData(reinterpret_cast<uint8_t*>(bytes.data()), packet->GetSize());
                    Add(packet->GetSize(), bytes);
                }));
            port->TraceConnect("PfcReceived",
                               "pause of " + std::to_string(host),
                               Callback<void, std::string, uint8_t, uint16_t>(
                                   [this](std::string context, uint8_t priority, uint16_t quanta) {
                                       Add(quanta, context + " " + std::to_string(priority));
                                   }));
        }
    }

    /** Connects a sink of MacRx at each host. \param sink the sink */
    void Connect(const std::function<void()>& sink)
    {
        for (const uint32_t host : hosts)
        {
            test.fabric->GetNic(host)->GetPort(0)->TraceConnectWithoutContext(
                "MacRx",
                Callback<void, Ptr<const Packet>>([sink](Ptr<const Packet>) { sink(); }));
        }
    }

    RdmaTestFabric test;         //!< the fabric
    std::vector<uint32_t> hosts; //!< its hosts
    std::vector<Call> calls;     //!< calls of the sinks of Record()

  private:
    void Add(uint32_t number, const std::string& text)
    {
        calls.emplace_back(Simulator::Now().GetTimeStep(), Simulator::GetContext(), number, text);
    }
};

/** \return calls of the sinks in a run */
std::vector<Call>
GetCalls(uint32_t threads, bool defers)
{
    DeferredSinksRun run(threads, defers);
    run.Record();
    run.test.Run();
    EXPECT_EQ(run.test.GetUnfinished(), "");
    return run.calls;
}

TEST(RdmaDeferredSinks, SinksAreCalledInTheOrderOfOneThread)
{
    const std::vector<Call> calls = GetCalls(1, false);
    ASSERT_GT(calls.size(), 200U);
    for (const uint32_t threads : {1U, 2U, 3U})
    {
        EXPECT_EQ(GetCalls(threads, true), calls) << threads << " threads";
    }
}

/** \return groups of the hosts, which all have sinks, on two threads */
std::set<uint32_t>
GetGroups(bool defersSinks)
{
    DeferredSinksRun run(2, defersSinks);
    run.Record();
    Simulator::Stop(TimeStep(1));
    Simulator::Run(); // nodes are initialised
    const auto groups = CreateObject<QbbFabricGroups>();
    EXPECT_EQ(groups->Divide({2, 2, {}, defersSinks}), 2U);
    std::set<uint32_t> numbers;
    for (const uint32_t host : run.hosts)
    {
        numbers.insert(groups->GetGroup(host));
    }
    groups->Unite();
    return numbers;
}

TEST(RdmaDeferredSinks, OtherwiseNodesWithSinksAreInGroup0)
{
    EXPECT_EQ(GetGroups(false), (std::set<uint32_t>{0}));
    EXPECT_EQ(GetGroups(true), (std::set<uint32_t>{0, 1}));
    EXPECT_EQ(GetCalls(2, false), GetCalls(1, false));
}

TEST(RdmaDeferredSinks, ASinkMayBeConnectedDuringTheRun)
{
    DeferredSinksRun run(2, true);
    Simulator::Schedule(MicroSeconds(2), [&run] { run.Record(); });
    run.test.Run();
    ASSERT_FALSE(run.calls.empty());
    EXPECT_GT(std::get<0>(run.calls.front()), MicroSeconds(2).GetTimeStep());
    EXPECT_TRUE(std::is_sorted(run.calls.begin(), run.calls.end()));
}

TEST(RdmaDeferredSinks, PhyTxEndKeepsItsNodeInGroup0)
{
    DeferredSinksRun run(2, true);
    const uint32_t last = run.hosts.back();
    run.test.fabric->GetNic(last)->GetPort(0)->TraceConnectWithoutContext(
        "PhyTxEnd",
        Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) {}));
    Simulator::Stop(TimeStep(1));
    Simulator::Run(); // nodes are initialised
    const auto groups = CreateObject<QbbFabricGroups>();
    EXPECT_EQ(groups->Divide({2, 2, {}, true}), 2U);
    EXPECT_EQ(groups->GetGroup(last), 0U);
    EXPECT_EQ(groups->GetGroup(run.hosts.front()), 1U);
    groups->Unite();
}

TEST(RdmaDeferredSinks, AnExceptionLosesNoFurtherCall)
{
    const std::vector<Call> expected = GetCalls(2, true);
    for (const uint32_t bad : {1U, 50U, 77U})
    {
        DeferredSinksRun run(2, true);
        uint32_t calls = 0;
        run.Record();
        run.test.fabric->GetNic(run.hosts[1])
            ->GetPort(0)
            ->TraceConnectWithoutContext(
                "MacRx",
                Callback<void, Ptr<const Packet>>([&calls, bad](Ptr<const Packet>) {
                    if (++calls == bad)
                    {
                        throw std::runtime_error("a sink");
                    }
                }));
        EXPECT_THROW(Simulator::Run(), std::runtime_error);
        EXPECT_LT(run.calls.size(), expected.size());
        run.test.Run();
        EXPECT_EQ(run.calls, expected) << bad;
    }
}

TEST(RdmaDeferredSinks, AnExceptionInAnEventLosesNoCall)
{
    const std::vector<Call> expected = GetCalls(2, true);
    for (const uint32_t threads : {2U, 1U})
    {
        DeferredSinksRun run(2, true);
        run.Record();
        Simulator::ScheduleWithContext(run.hosts[0], NanoSeconds(5678), [] {
            throw std::runtime_error("an event");
        });
        EXPECT_THROW(Simulator::Run(), std::runtime_error);
        EXPECT_FALSE(run.calls.empty());
        // Sinks have seen what precedes the exception, and nothing else.
        EXPECT_LE(std::get<0>(run.calls.back()), NanoSeconds(5678).GetTimeStep());
        Simulator::GetImplementation()->SetAttribute("Threads", UintegerValue(threads));
        Simulator::GetImplementation()->SetAttribute("Groups",
                                                     UintegerValue(std::max(threads, 2U)));
        run.test.Run();
        std::vector<Call> calls = run.calls;
        std::sort(calls.begin(), calls.end());
        std::vector<Call> sorted = expected;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_EQ(calls, sorted) << threads;
        if (threads > 1)
        {
            EXPECT_EQ(run.calls, expected);
        }
    }
}

TEST(RdmaDeferredSinksDeathTest, ASinkMustNotStopTheRun)
{
    DeferredSinksRun run(2, true);
    run.Connect([] { Simulator::Stop(); });
    EXPECT_DEATH(run.test.Run(), "Simulator::Stop\\(\\) in an event of node .*Threads=1");
}

TEST(RdmaDeferredSinksDeathTest, ASinkMustNotScheduleAnEventOfItsNode)
{
    DeferredSinksRun run(2, true);
    run.Connect([] { Simulator::Schedule(NanoSeconds(1), [] {}); });
    EXPECT_DEATH(run.test.Run(), "an event of node .* is scheduled for .*Threads=1");
}

} // namespace
