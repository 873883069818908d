/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-plan.h"
#include "rdma-simulator-impl.h"
#include "rdma-test-threads.h"

#include <ns3/application.h>
#include <ns3/bulk-send-helper.h>
#include <ns3/double.h>
#include <ns3/error-model.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4.h>
#include <ns3/on-off-helper.h>
#include <ns3/packet-sink-helper.h>
#include <ns3/pointer.h>
#include <ns3/test.h>
#include <ns3/uinteger.h>

#include <array>
#include <functional>
#include <sstream>

/**
 * \file
 * \ingroup rdma-tests
 * A run on several threads gives the results of a run on one thread, to the bit: on random fabrics,
 * with links that fail, and with scripts that do more than start flows.
 *
 * RDMA_TEST_ROUNDS=N in the environment runs N random fabrics. A failure names its round; the
 * fabric is a function of that number.
 */

using namespace ns3;

namespace
{

/** Runs of random fabrics on one thread and on several threads. */
class RandomThreadsTestCase : public TestCase
{
  public:
    RandomThreadsTestCase()
        : TestCase("random fabrics")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t rounds = GetTestRounds(30);
        uint32_t apart = 0;
        for (uint32_t round = 1; round <= rounds; ++round)
        {
            const RdmaTestRandomRun random(round);
            const RdmaTestOutcome one = random.Run(1, 1);
            const RdmaTestOutcome several = random.Run(random.GetThreads(), random.GetGroups());
            NS_TEST_EXPECT_MSG_EQ(several.Compare(one),
                                  "",
                                  "round " << round << ", " << random.GetThreads() << " threads, "
                                           << random.GetGroups() << " groups");
            NS_TEST_EXPECT_MSG_EQ(one.reason, "", "one thread was asked for");
            NS_TEST_EXPECT_MSG_EQ(one.windows, 0, "one list was asked for");
            apart += several.windows > 0 ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_EQ(apart, rounds, "all rounds run in groups");
    }
};

/** Actions of a script during the flows of a leaf-spine fabric. */
class ScriptThreadsTestCase : public TestCase
{
  public:
    /** Connects a script to the fabric. \param seen text to which the script appends its
     * observations */
    using Script = std::function<void(RdmaTestFabric& test, std::ostringstream& seen)>;

    /**
     * \param name name of the test case
     * \param script actions of the script
     * \param reason true if all nodes must run on one thread because of the script
     */
    ScriptThreadsTestCase(const std::string& name, Script script, bool reason)
        : TestCase(name),
          m_script(std::move(script)),
          m_reason(reason)
    {
    }

  private:
    RdmaTestOutcome RunOnce(uint32_t threads, uint32_t groups)
    {
        SelectTestThreads(threads, groups);
        const RdmaTopology topology = MakeRdmaLeafSpine(4, 4, 2, MakeTestRates(100, 100, 500));
        const auto hosts = topology.GetHosts();
        std::vector<RdmaFlow> flows;
        for (uint32_t i = 0; i < hosts.size(); ++i)
        {
            flows.push_back(MakeTestFlow(i, hosts[i], hosts[(i + 5) % hosts.size()], 100'000));
        }
        RdmaTestFabric test;
        test.helper.SetDeviceAttribute("PfcClasses", UintegerValue(1 << 3));
        test.Install(topology, flows);
        std::ostringstream seen;
        m_script(test, seen);
        test.Run();
        return GetTestOutcome(test, seen.str());
    }

    void DoRun() override
    {
        const RdmaTestOutcome one = RunOnce(1, 1);
        NS_TEST_EXPECT_MSG_EQ(one.seen.empty(), false, "the script sees something");
        for (const uint32_t threads : {2, 3})
        {
            const RdmaTestOutcome several = RunOnce(threads, 2 * threads);
            NS_TEST_EXPECT_MSG_EQ(several.Compare(one), "", threads << " threads");
            NS_TEST_EXPECT_MSG_EQ(several.reason.empty(), !m_reason, several.reason);
        }
        // One thread has groups only while no code of the script sees the nodes.
        const RdmaTestOutcome inTurn = RunOnce(1, 6);
        NS_TEST_EXPECT_MSG_EQ(inTurn.Compare(one), "", "groups in turn");
    }

    Script m_script; //!< what the script does
    bool m_reason;   //!< all nodes run on one thread
};

/** Records time and size of each packet that a port of a switch receives. */
void
TraceAPort(RdmaTestFabric& test, std::ostringstream& seen)
{
    const uint32_t sw = test.fabric->GetTopology().GetSwitches().front();
    test.fabric->GetSwitch(sw)->GetPort(0)->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>([&seen](Ptr<const Packet> packet) {
            seen << Simulator::Now().GetTimeStep() << " " << packet->GetSize() << "; ";
        }));
}

/** Records the time of each message that a queue pair receives, and of a timer that it starts. */
void
TraceAQueuePair(RdmaTestFabric& test, std::ostringstream& seen)
{
    test.runner->GetReceiver(3)->TraceConnectWithoutContext(
        "MessageReceived",
        Callback<void, const RdmaMessageArrival&>([&seen](const RdmaMessageArrival& arrival) {
            seen << arrival.time << "; ";
            Simulator::Schedule(NanoSeconds(3), [&seen] {
                seen << Simulator::Now().GetTimeStep() << " at " << Simulator::GetContext() << "; ";
            });
        }));
}

/** Links and a switch fail, get slower and lossy, and are as before again. */
void
PlanFailures(RdmaTestFabric& test, std::ostringstream& seen)
{
    test.fabric->InstallFailures(RdmaFailurePlan::Parse(
        "spine-1:down:3us:9us,leaf-0/spine-0:rate=30Gbps:2us:12us,spine-0->leaf-1:rate=25%:4us,"
        "leaf-2/spine-0:loss=0.05:0us:20us,host-3/leaf-0:down:5us,host-3/leaf-0:up:7us"));
    test.fabric->AssignStreams(1);
    test.fabric->GetRouting()->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(2)));
    test.fabric->GetRouting()->TraceConnectWithoutContext(
        "RoutesChanged",
        Callback<void>([&seen] { seen << Simulator::Now().GetTimeStep() << "; "; }));
}

/** Records hops at fixed times, in events without a node and in events of one node. */
void
LookRegularly(RdmaTestFabric& test, std::ostringstream& seen)
{
    for (uint32_t i = 1; i < 20; ++i)
    {
        Simulator::Schedule(MicroSeconds(i), [&test, &seen] {
            seen << Simulator::Now().GetTimeStep() << " " << test.fabric->GetTotals().packetHops
                 << " " << Simulator::GetContext() << "; ";
        });
    }
    const auto node = test.fabric->GetNode(test.fabric->GetTopology().GetHosts().front());
    Simulator::ScheduleWithContext(node->GetId(), MicroSeconds(4), [&seen] {
        Simulator::Schedule(NanoSeconds(10), [&seen] {
            seen << "node " << Simulator::GetContext() << " " << Simulator::Now().GetTimeStep()
                 << "; ";
        });
    });
}

/** Stops the run in the middle and goes on. */
void
StopAndGoOn(RdmaTestFabric& test, std::ostringstream& seen)
{
    for (const int64_t us : {3, 5, 9})
    {
        Simulator::Stop(MicroSeconds(us) - Simulator::Now());
        Simulator::Run();
        seen << Simulator::Now().GetTimeStep() << " " << test.fabric->GetTotals().packetHops
             << "; ";
    }
}

/** Sends pause frames from hosts' and switches' ports in events without a node. */
void
PauseByHand(RdmaTestFabric& test, std::ostringstream& seen)
{
    const RdmaTopology& topology = test.fabric->GetTopology();
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        for (const uint32_t node : {topology.GetLink(link).a, topology.GetLink(link).b})
        {
            for (const bool pause : {true, false})
            {
                Simulator::Schedule(MicroSeconds(pause ? 2 : 7), [&test, link, node, pause] {
                    test.fabric->GetDevice(link, node)->GetFlowControl().RequestPause(3, pause);
                });
            }
        }
    }
    Simulator::Schedule(MicroSeconds(4), [&test, &seen] {
        seen << test.fabric->GetTotals().pauseFrames << " pause frames";
    });
}

/** An application from outside of the module, which does nothing. */
void
AddAnApplication(RdmaTestFabric& test, std::ostringstream& seen)
{
    class Idle : public Application
    {
    };

    test.fabric->GetNode(test.fabric->GetTopology().GetHosts().front())
        ->AddApplication(CreateObject<Idle>());
    seen << "an application";
}

/**
 * Gives two hosts of different racks an IP stack each. The hosts send TCP and UDP to each other
 * through switches of other threads, which lose some frames. Records time and size of what arrives.
 */
void
SendIp(RdmaTestFabric& test, std::ostringstream& seen)
{
    const auto hosts = test.fabric->GetTopology().GetHosts();
    const std::array<uint32_t, 2> ends{hosts.front(), hosts.back()};
    for (const uint32_t host : ends)
    {
        const Ptr<Node> node = test.fabric->GetNode(host);
        InternetStackHelper internet;
        internet.Install(node);
        internet.AssignStreams(NodeContainer(node), 1000 + 100 * host);
        const auto stack = node->GetObject<Ipv4>();
        const uint32_t interface = stack->AddInterface(node->GetDevice(0));
        stack->AddAddress(interface,
                          Ipv4InterfaceAddress(test.fabric->GetAddress(host), "255.0.0.0"));
        stack->SetUp(interface);
    }
    for (const uint32_t sw : test.fabric->GetTopology().GetSwitches())
    {
        const auto loss = CreateObject<RateErrorModel>();
        loss->SetAttribute("ErrorRate", DoubleValue(0.01));
        loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        loss->AssignStreams(sw);
        const auto port = test.fabric->GetSwitch(sw)->GetPort(sw % 2);
        port->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    }
    for (uint32_t i = 0; i < ends.size(); ++i)
    {
        const uint32_t from = ends[i];
        const uint32_t to = ends[1 - i];
        for (const char* protocol : {"ns3::TcpSocketFactory", "ns3::UdpSocketFactory"})
        {
            const bool isTcp = protocol[5] == 'T';
            const uint16_t number = isTcp ? 5000 : 6000;
            PacketSinkHelper sink(protocol, InetSocketAddress(Ipv4Address::GetAny(), number));
            sink.Install(test.fabric->GetNode(to))
                .Get(0)
                ->TraceConnectWithoutContext("Rx",
                                             Callback<void, Ptr<const Packet>, const Address&>(
                                                 [&seen](Ptr<const Packet> packet, const Address&) {
                                                     seen << Simulator::Now().GetTimeStep() << " "
                                                          << packet->GetSize() << "; ";
                                                 }));
            const InetSocketAddress remote(test.fabric->GetAddress(to), number);
            if (isTcp)
            {
                BulkSendHelper source(protocol, remote);
                source.SetAttribute("MaxBytes", UintegerValue(200'000));
                source.Install(test.fabric->GetNode(from));
                continue;
            }
            OnOffHelper source(protocol, remote);
            source.SetConstantRate(DataRate("20Gbps"), 1000);
            source.SetAttribute("MaxBytes", UintegerValue(300'000));
            source.Install(test.fabric->GetNode(from));
        }
    }
}

/** Gives all ports one error model, whose random stream then serves frames of all nodes. */
void
ShareAnErrorModel(RdmaTestFabric& test, std::ostringstream& seen)
{
    const auto loss = CreateObject<RateErrorModel>();
    loss->SetAttribute("ErrorRate", DoubleValue(0.002));
    loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    loss->AssignStreams(7);
    for (const uint32_t sw : test.fabric->GetTopology().GetSwitches())
    {
        const auto ports = test.fabric->GetSwitch(sw)->GetNPorts();
        for (uint32_t port = 0; port < ports; ++port)
        {
            test.fabric->GetSwitch(sw)->GetPort(port)->SetAttribute("ReceiveErrorModel",
                                                                    PointerValue(loss));
        }
    }
    Simulator::Schedule(MicroSeconds(15),
                        [&test, &seen] { seen << test.fabric->GetTotals().drops << " drops"; });
}

/** A script that asks for one thread. */
void
AskForOneThread(RdmaTestFabric&, std::ostringstream& seen)
{
    RdmaSimulatorImpl::RequireOneThread("the test asks for it");
    seen << "one thread";
}

/** The suite. */
class RdmaThreadsTestSuite : public TestSuite
{
  public:
    RdmaThreadsTestSuite()
        : TestSuite("rdma-threads")
    {
        AddTestCase(new RandomThreadsTestCase);
        const auto add = [this](const char* name, ScriptThreadsTestCase::Script script, bool one) {
            AddTestCase(new ScriptThreadsTestCase(name, std::move(script), one));
        };
        add("a sink at a port", TraceAPort, false);
        add("a sink at a queue pair, and its timer", TraceAQueuePair, false);
        add("events without a node, and of a node", LookRegularly, false);
        add("failures and slow links", PlanFailures, false);
        add("stops", StopAndGoOn, false);
        add("pauses by hand", PauseByHand, false);
        add("an application", AddAnApplication, false);
        add("IP stacks at two hosts", SendIp, false);
        add("one error model for all ports", ShareAnErrorModel, true);
        add("a demand", AskForOneThread, true);
    }
};

RdmaThreadsTestSuite g_rdmaThreadsTestSuite; //!< the suite

} // namespace
