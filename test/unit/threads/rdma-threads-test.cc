/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-fabric-groups.h"
#include "rdma-event-wheel.h"
#include "rdma-group-run.h"
#include "rdma-meeting.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-fabric.h"

#include <ns3/application.h>
#include <ns3/boolean.h>
#include <ns3/global-value.h>
#include <ns3/node-list.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The parts of a run on several threads, and the errors of scripts in such a run.
 */

using namespace ns3;

namespace
{

/** A fabric of two racks with one flow from each host, on two threads. */
class RdmaThreads : public testing::Test
{
  protected:
    RdmaThreads()
    {
        RdmaSimulatorImpl::Select();
        Simulator::GetImplementation()->SetAttribute("Threads", UintegerValue(2));
        Simulator::GetImplementation()->SetAttribute("Groups", UintegerValue(2));
        const RdmaTopology topology = MakeRdmaLeafSpine(2, 2, 1, MakeTestRates(100, 100, 500));
        hosts = topology.GetHosts();
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            flows.push_back(MakeTestFlow(i, hosts[i], hosts[(i + 2) % hosts.size()], 50'000));
        }
        test.Install(topology, flows);
    }

    /** \param foreign nodes with events of a script \return groups of the fabric's nodes */
    std::set<uint32_t> Divide(const std::set<uint32_t>& foreign = {})
    {
        Simulator::Stop(TimeStep(1));
        Simulator::Run(); // nodes are initialised
        groups = CreateObject<QbbFabricGroups>();
        count = groups->Divide({2, 2, foreign, false});
        std::set<uint32_t> numbers;
        for (uint32_t node = 0; count > 1 && node < NodeList::GetNNodes(); ++node)
        {
            numbers.insert(groups->GetGroup(node));
        }
        return numbers;
    }

    RdmaTestFabric test;         //!< the fabric
    std::vector<uint32_t> hosts; //!< its hosts
    Ptr<QbbFabricGroups> groups; //!< groups of its nodes
    uint32_t count{0};           //!< number of groups
};

using RdmaThreadsDeathTest = RdmaThreads;

/** An application from outside of the module. */
class IdleApplication : public Application
{
};

} // namespace

TEST(RdmaEventWheelGroups, AllEventsLeave)
{
    RdmaEventWheel wheel;
    std::multiset<uint64_t> times;
    for (uint32_t uid = 0; uid < 5000; ++uid)
    {
        RdmaEventWheel::Event ev{};
        // Instants in the current slot, in the wheel and beyond the wheel.
        ev.key.m_ts = uint64_t{uid} * uid * uid * 977 % (uint64_t{1} << (10 + uid % 40));
        ev.key.m_uid = uid;
        times.insert(ev.key.m_ts);
        wheel.Insert(ev);
    }
    for (uint32_t i = 0; i < 100; ++i)
    {
        EXPECT_EQ(wheel.RemoveNext().key.m_ts, *times.begin());
        times.erase(times.begin());
    }
    const RdmaEventWheel::Event next = *wheel.TakeNext();
    wheel.PutBack();
    EXPECT_EQ(wheel.PeekNext().key.m_uid, next.key.m_uid);
    std::multiset<uint64_t> taken;
    for (const auto& ev : wheel.TakeAll())
    {
        taken.insert(ev.key.m_ts);
    }
    EXPECT_EQ(taken, times);
    EXPECT_TRUE(wheel.IsEmpty());
    wheel.Insert(next);
    EXPECT_EQ(wheel.RemoveNext().key.m_ts, next.key.m_ts);
}

TEST(RdmaMeeting, AllThreadsHaveArrivedWhenTheWorkBegins)
{
    constexpr uint32_t THREADS = 3;
    constexpr uint32_t ROUNDS = 2000;
    RdmaMeeting meeting(THREADS);
    // Each thread writes its entry before a meeting; the work of the meeting reads all entries.
    std::array<uint32_t, THREADS> written{};
    uint32_t round = 0;
    uint32_t wrong = 0;
    std::atomic<uint32_t> late{0};
    std::vector<std::thread> threads;
    for (uint32_t number = 0; number < THREADS; ++number)
    {
        threads.emplace_back([&, number] {
            RdmaMeeting::Waits waits;
            for (uint32_t i = 1; i <= ROUNDS; ++i)
            {
                written[number] = i;
                meeting.Meet(waits, [&] {
                    ++round;
                    wrong += std::count(written.begin(), written.end(), round) != THREADS;
                });
                late += round != i;
                meeting.Meet(waits, [] {});
            }
        });
    }
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(late, 0U);
    EXPECT_EQ(round, ROUNDS);
}

TEST(QbbFreePacket, WaitsOnAnotherThreadThanTheFirst)
{
    for (const uint32_t group : {0U, 1U})
    {
        const Ptr<Packet> packet = Create<Packet>(100);
        RdmaEngine engine;
        engine.SetGroup(group, false);
        {
            const RdmaEngine::RunningScope scope(&engine);
            QbbFramePool pool;
            const QbbFramePtr frame = pool.Allocate();
            frame->packet = packet;
        }
        // The note of group 1 refers to the packet until it is taken.
        EXPECT_EQ(engine.HasNotes(), group == 1);
        EXPECT_EQ(packet->GetReferenceCount(), 1 + group);
        engine.TakeNotes();
        EXPECT_EQ(packet->GetReferenceCount(), 1U);
    }
}

TEST_F(RdmaThreads, RacksAreGroups)
{
    EXPECT_EQ(Divide(), (std::set<uint32_t>{0, 1}));
    EXPECT_EQ(groups->GetReason(), "");
    // Hosts are with their leaf switch.
    for (const uint32_t host : hosts)
    {
        const auto port = test.fabric->GetNic(host)->GetPort(0);
        EXPECT_EQ(groups->GetGroup(port->GetNodeId()),
                  groups->GetGroup(port->GetPeer()->GetNodeId()));
    }
    // The cable, and 64 + 8 bytes at 100 Gb/s.
    EXPECT_EQ(groups->GetLookahead(), 500_ns + 5'120_ps);
    groups->Unite();
}

TEST_F(RdmaThreads, SeenNodesAreInGroup0)
{
    const uint32_t last = hosts.back();
    test.fabric->GetNic(last)->GetPort(0)->TraceConnectWithoutContext(
        "MacRx",
        Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) {}));
    EXPECT_EQ(Divide(), (std::set<uint32_t>{0, 1}));
    EXPECT_EQ(groups->GetGroup(last), 0U);
    groups->Unite();
    EXPECT_EQ(groups->Divide({2, 2, {hosts.front()}, false}), 2U);
    EXPECT_EQ(groups->GetGroup(hosts.front()), 0U);
    EXPECT_EQ(groups->GetGroup(last), 0U);
    groups->Unite();
}

TEST_F(RdmaThreads, NodesAreLookedAtAgainIfAScriptHasRun)
{
    const uint32_t last = hosts.back();
    const auto divide = [this, last](bool isAsBefore) {
        EXPECT_EQ(groups->Divide({2, 2, {}, false, isAsBefore}), 2U);
        const uint32_t group = groups->GetGroup(last);
        groups->Unite();
        return group;
    };
    Divide();
    groups->Unite();
    EXPECT_EQ(divide(true), 1U);
    test.fabric->GetNic(last)->GetPort(0)->TraceConnectWithoutContext(
        "MacRx",
        Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) {}));
    EXPECT_EQ(divide(true), 1U) << "the caller says that there cannot be a sink";
    EXPECT_EQ(divide(false), 0U);
    EXPECT_EQ(divide(true), 0U);
    groups->Divide({2, 2, {hosts[1]}, false, true});
    EXPECT_EQ(groups->GetGroup(hosts[1]), 0U);
    groups->Unite();
}

TEST_F(RdmaThreads, ASinkOfAScriptEndsGroupsInTurn)
{
    Simulator::GetImplementation()->SetAttribute("Threads", UintegerValue(1));
    uint64_t windows = 0;
    uint64_t calls = 0;
    Simulator::Schedule(MicroSeconds(3), [this, &windows, &calls] {
        windows = RdmaSimulatorImpl::GetGroupCounters().windows;
        test.fabric->GetNic(hosts[0])->GetPort(0)->TraceConnectWithoutContext(
            "MacRx",
            Callback<void, Ptr<const Packet>>([&calls](Ptr<const Packet>) { ++calls; }));
    });
    test.Run();
    EXPECT_GT(windows, 0U);
    EXPECT_GT(calls, 0U);
    EXPECT_EQ(RdmaSimulatorImpl::GetGroupCounters().windows, windows);
}

TEST(RdmaGroupRun, NodesAreDividedAgainIfLoadsAreUneven)
{
    for (const bool isEven : {true, false})
    {
        RdmaTestFabric test;
        RdmaSimulatorImpl::Select();
        const auto simulator = Simulator::GetImplementation();
        simulator->SetAttribute("Threads", UintegerValue(2));
        simulator->SetAttribute("Groups", UintegerValue(4));
        const RdmaTopology topology = MakeRdmaLeafSpine(4, 4, 4, MakeTestRates(100, 100, 500));
        const std::vector<uint32_t> hosts = topology.GetHosts();
        const auto n = static_cast<uint32_t>(hosts.size());
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < n; ++i)
        {
            // Even: each host sends to the next rack. Uneven: the hosts of one rack send to others
            // of this rack.
            const uint32_t from = isEven ? i : i % 4;
            const uint32_t to = isEven ? (i + 4) % n : (i + 1) % 4;
            flows.push_back(MakeTestFlow(i, hosts[from], hosts[to], 1'000'000));
        }
        test.Install(topology, flows);
        test.Run();
        const RdmaGroupRunCounters counters = RdmaSimulatorImpl::GetGroupCounters();
        EXPECT_GT(counters.events, 60'000U) << "the first division is reviewed after 50,000 events";
        EXPECT_LT(counters.events, 400'000U) << "and the next one after 400,000";
        EXPECT_EQ(counters.runs, isEven ? 1U : 2U);
    }
}

TEST(RdmaGroupRunNotes, AreCodeFromOutside)
{
    RdmaEngine engine;
    RdmaGroupRun::Notes notes;
    notes.push_back({{1000, 1, 0}, [] {}});
    RdmaGroupRun::HandleNotes(engine, notes, RdmaEngine::NO_EVENT.m_ts);
    EXPECT_EQ(engine.GetForeignCount(), 1U);
}

TEST_F(RdmaThreads, ReasonForOneGroup)
{
    const std::set<uint32_t> all(hosts.begin(), hosts.end());
    const auto nodes = test.fabric->GetTopology().GetSwitches();
    std::set<uint32_t> foreign(nodes.begin(), nodes.end());
    foreign.insert(all.begin(), all.end());
    Divide(foreign);
    EXPECT_EQ(count, 1U);
    EXPECT_NE(groups->GetReason().find("an event of the script at node"), std::string::npos)
        << groups->GetReason();
}

TEST_F(RdmaThreads, RunsOnTwoThreads)
{
    test.Run();
    EXPECT_EQ(RdmaSimulatorImpl::GetReasonForOneThread(), "");
    EXPECT_EQ(test.GetUnfinished(), "");
    EXPECT_EQ(RdmaSimulatorImpl::GetThreads(), 2U);
}

TEST_F(RdmaThreads, NoGroupIsEmptyAfterUnevenLoad)
{
    test.Run();
    EXPECT_GT(test.fabric->GetTotals().packetHops, 0U);
    const auto again = CreateObject<QbbFabricGroups>();
    for (const uint32_t most : {2U, 3U, 6U})
    {
        const uint32_t made = again->Divide({most, most, {}, false});
        std::set<uint32_t> numbers;
        for (uint32_t node = 0; node < NodeList::GetNNodes(); ++node)
        {
            numbers.insert(again->GetGroup(node));
        }
        EXPECT_EQ(numbers.size(), made);
        EXPECT_LE(made, most);
        EXPECT_GT(made, 1U);
        EXPECT_LE(again->GetLookahead(), RdmaGroupRun::GRID);
        again->Unite();
    }
}

TEST_F(RdmaThreads, ExceptionsLeaveTheRun)
{
    Simulator::Schedule(MicroSeconds(3), [] { throw std::runtime_error("out of the run"); });
    EXPECT_THROW(Simulator::Run(), std::runtime_error);
    EXPECT_EQ(Simulator::Now(), MicroSeconds(3));
    test.Run();
    EXPECT_EQ(test.GetUnfinished(), "");
}

TEST_F(RdmaThreads, AScriptMayStopAFurtherRun)
{
    test.Run(5_us);
    const auto [here, there] = test.fabric->Connect(hosts[0], hosts[3]);
    RdmaSendRequest request;
    request.length = 1000;
    here->PostSend(request);
    Simulator::Run(); // the latest event is one of a node
    Simulator::Stop(MicroSeconds(1));
    here->PostSend(request);
    Simulator::Run();
    EXPECT_EQ(here->GetSendCompletionQueue()->Poll(10).size(), 1U);
}

TEST_F(RdmaThreads, OtherThreadsScheduleEventsForAnyNode)
{
    struct Seen
    {
        uint32_t asked;   //!< context that the other thread has named
        uint32_t context; //!< context in the event
        Time time;        //!< time of the event
        bool isApart;     //!< the event has run while other groups may run
    };

    std::vector<uint32_t> contexts{Simulator::NO_CONTEXT};
    for (uint32_t node = 0; node < NodeList::GetNNodes(); ++node)
    {
        contexts.push_back(node);
    }
    std::vector<Seen> seen;
    std::vector<Seen> later;
    const auto act = [&](uint32_t context) {
        const auto look = [context](std::vector<Seen>& list) {
            list.push_back({context,
                            Simulator::GetContext(),
                            Simulator::Now(),
                            RdmaEngine::GetRunning() && RdmaEngine::GetRunning()->GetGroup() > 0});
        };
        look(seen);
        // The event may do what an event does on one thread.
        const EventId next = Simulator::Schedule(NanoSeconds(20), [look, &later] { look(later); });
        EXPECT_FALSE(next.IsExpired());
        EventId never = Simulator::Schedule(NanoSeconds(10), [] { FAIL(); });
        never.Cancel();
    };
    constexpr int64_t TIMES[] = {1, 2, 4};
    for (const int64_t us : TIMES)
    {
        Simulator::Schedule(MicroSeconds(us), [&] {
            std::thread([&] {
                for (const uint32_t context : contexts)
                {
                    Simulator::ScheduleWithContext(context, NanoSeconds(1), [&act, context] {
                        act(context);
                    });
                }
            }).join();
        });
    }
    test.Run();
    EXPECT_EQ(test.GetUnfinished(), "");
    EXPECT_EQ(RdmaSimulatorImpl::GetReasonForOneThread(), "");
    ASSERT_EQ(seen.size(), std::size(TIMES) * contexts.size());
    EXPECT_EQ(later.size(), seen.size());
    for (const auto& list : {seen, later})
    {
        for (const Seen& event : list)
        {
            EXPECT_EQ(event.context, event.asked);
            EXPECT_FALSE(event.isApart);
        }
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
    {
        const int64_t us = TIMES[i / contexts.size()];
        EXPECT_GE(seen[i].time, MicroSeconds(us) + NanoSeconds(1));
        EXPECT_LT(seen[i].time, MicroSeconds(us) + NanoSeconds(600)) << "a window is shorter";
    }
}

TEST_F(RdmaThreads, OtherThreadsStopTheRun)
{
    for (const int64_t us : {2, 3})
    {
        Simulator::Schedule(MicroSeconds(us) - Simulator::Now(),
                            [] { std::thread([] { Simulator::Stop(); }).join(); });
        Simulator::Run();
        EXPECT_GE(Simulator::Now(), MicroSeconds(us));
        EXPECT_LT(Simulator::Now(), MicroSeconds(us) + NanoSeconds(600)) << "a window is shorter";
        EXPECT_LT(test.runner->GetNCompleted(), hosts.size());
    }
    Simulator::Schedule(MicroSeconds(1),
                        [] { std::thread([] { Simulator::Stop(MicroSeconds(1)); }).join(); });
    Simulator::Run();
    EXPECT_LT(test.runner->GetNCompleted(), hosts.size());
    test.Run();
    EXPECT_EQ(test.GetUnfinished(), "");
}

TEST_F(RdmaThreadsDeathTest, AnEventOfANodeMustNotStopTheRun)
{
    Simulator::ScheduleWithContext(hosts[0], MicroSeconds(2), [] { Simulator::Stop(); });
    EXPECT_DEATH(test.Run(), "Simulator::Stop\\(\\) in an event of node 0.*Threads=1");
}

TEST_F(RdmaThreadsDeathTest, AnEventOfANodeMustNotActOnAnother)
{
    Simulator::ScheduleWithContext(hosts[0], MicroSeconds(2), [this] {
        Simulator::ScheduleWithContext(hosts[3], MicroSeconds(1), [] {});
    });
    EXPECT_DEATH(test.Run(), "an event of node 0 schedules an event of node 3.*another thread");
}

TEST_F(RdmaThreadsDeathTest, AnEventWithoutANodeMustNotComeTooSoon)
{
    Simulator::ScheduleWithContext(hosts[0], MicroSeconds(2), [] {
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, NanoSeconds(1), [] {});
    });
    EXPECT_DEATH(test.Run(), "schedules an event without a node at 2001000 ps");
}

TEST_F(RdmaThreadsDeathTest, ASinkMustBeThereFromTheBeginning)
{
    Simulator::Schedule(MicroSeconds(2), [this] {
        for (const uint32_t host : hosts)
        {
            test.fabric->GetNic(host)->GetPort(0)->TraceConnectWithoutContext(
                "MacRx",
                Callback<void, Ptr<const Packet>>([](Ptr<const Packet>) {}));
        }
    });
    EXPECT_DEATH(test.Run(), "a sink of a trace source is to be called in an event of node");
}

TEST_F(RdmaThreadsDeathTest, NodesMustBeThereFromTheBeginning)
{
    Simulator::Schedule(MicroSeconds(2), [] { CreateObject<Node>(); });
    EXPECT_DEATH(test.Run(), "is created while nodes run on several threads");
}

TEST_F(RdmaThreadsDeathTest, AScriptsEventMustNotReachAnotherThread)
{
    Simulator::Schedule(MicroSeconds(2), [this] {
        for (const uint32_t host : hosts)
        {
            Simulator::ScheduleWithContext(host, MicroSeconds(1), [] {});
        }
    });
    EXPECT_DEATH(test.Run(), "an event of a script is scheduled for node");
}

TEST_F(RdmaThreadsDeathTest, APacketMustNotBeReadOnAnotherThread)
{
    Simulator::Schedule(MicroSeconds(2), [this] {
        for (const uint32_t host : hosts)
        {
            // Its switch would answer this ARP request.
            test.fabric->GetNic(host)->GetPort(0)->GetDevice()->Send(Create<Packet>(28),
                                                                     Mac48Address::GetBroadcast(),
                                                                     0x0806);
        }
    });
    EXPECT_DEATH(test.Run(), "a packet of ns-3 is for node .*accepted: for nodes with an IP stack");
}

TEST_F(RdmaThreads, PacketsAndSerializedCablesNeedOneThread)
{
    const auto cable = test.fabric->GetNic(hosts[0])->GetPort(0)->GetQbbChannel();
    cable->SetAttribute("SerializeFrames", BooleanValue(true));
    EXPECT_EQ(Divide(), (std::set<uint32_t>{0, 1}));
    groups->Unite();
    test.fabric->GetNode(hosts[0])->AddApplication(CreateObject<IdleApplication>());
    Divide();
    EXPECT_EQ(count, 1U);
    EXPECT_NE(groups->GetReason().find("SerializeFrames"), std::string::npos);
}

TEST_F(RdmaThreads, NeighboursOfAnIpStackAreInGroup0)
{
    // With more threads than switches, hosts have groups of their own.
    test.fabric->GetNode(hosts[0])->AddApplication(CreateObject<IdleApplication>());
    Divide();
    groups->Unite();
    EXPECT_GT(groups->Divide({4, 4, {}, false}), 2U);
    const auto port = test.fabric->GetNic(hosts[0])->GetPort(0);
    EXPECT_EQ(groups->GetGroup(hosts[0]), 0U);
    EXPECT_EQ(groups->GetGroup(port->GetPeer()->GetNodeId()), 0U);
    EXPECT_NE(groups->GetGroup(hosts[3]), 0U);
    groups->Unite();
}

TEST(RdmaThreadsSelectDeathTest, AnotherSimulatorHasNoThreads)
{
    const auto run = [] {
        Simulator::GetImplementation(); // ns-3's own
        GlobalValue::Bind("threads", UintegerValue(2));
        RdmaSimulatorImpl::Select();
    };
    EXPECT_DEATH(run(), "threads=2 with ns3::DefaultSimulatorImpl");
}
