/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"
#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-run.h"
#include "rdma-flow-runner.h"
#include "rdma-topology-builders.h"

#include <ns3/double.h>
#include <ns3/simulator.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Wrong uses of a fabric, its queue pairs and its flows: the program ends with a message that names
 * the error. Each case runs in a child process. (The command line of rdma-fabric:
 * test/python/test_wrong_input.py.)
 */

namespace ns3
{
namespace
{

/** \param source sender \param destination receiver \param bytes size \return a flow */
RdmaFlow
MakeFlow(uint32_t source, uint32_t destination, uint64_t bytes)
{
    RdmaFlow flow;
    flow.srcHost = source;
    flow.dstHost = destination;
    flow.bytes = bytes;
    return flow;
}

/** Three hosts, 0 to 2, at a switch, 3. */
class RdmaFabricErrorsTest : public testing::Test
{
  protected:
    ~RdmaFabricErrorsTest() override
    {
        Simulator::Destroy();
    }

    /** \return the fabric */
    Ptr<RdmaFabric> Install()
    {
        return m_helper.Install(MakeRdmaStar(3));
    }

    /** \param flows flows that a runner gets */
    void RunFlows(const std::vector<RdmaFlow>& flows)
    {
        CreateObject<RdmaFlowRunner>()->Install(Install(), flows);
    }

    RdmaFabricHelper m_helper;
};

TEST_F(RdmaFabricErrorsTest, GoodFlowsRun)
{
    auto runner = CreateObject<RdmaFlowRunner>();
    runner->Install(Install(), {MakeFlow(0, 1, 1)});
    Simulator::Run();
    EXPECT_EQ(runner->GetNCompleted(), 1U);
}

TEST_F(RdmaFabricErrorsTest, Topology)
{
    RdmaTopology topology = MakeRdmaStar(3);
    topology.AddLink(0, 7, 1_mbps, 1_ps);
    EXPECT_DEATH(m_helper.Install(topology), "rdma: .*node 7");
    // An abort outside of a handler: the message appears once.
    EXPECT_DEATH(m_helper.Install(topology), "terminate called without an active exception");
    topology = MakeRdmaStar(3);
    topology.AddLink(0, 3, 0_bps, 1_ps);
    EXPECT_DEATH(m_helper.Install(topology), "rdma: .*rate.*accepted: 1");
    topology = MakeRdmaStar(3);
    topology.AddHost();
    EXPECT_DEATH(m_helper.Install(topology), "rdma: .*host 4 .*has no link; accepted: 1 or more");
}

TEST_F(RdmaFabricErrorsTest, Addresses)
{
    EXPECT_DEATH(m_helper.SetAddressRange("10.0.0.1", "255.0.0.0"),
                 "rdma: network 10.0.0.1 has bits outside its mask 255.0.0.0");
    // Two addresses are left, without those of the network and of broadcast.
    m_helper.SetAddressRange("10.0.0.0", "255.255.255.252");
    ExpectRefusal([&] { Install(); }, "network 10.0.0.0 .* has too few addresses");
}

TEST_F(RdmaFabricErrorsTest, DuplicateHostAddress)
{
    const auto fabric = Install();
    EXPECT_DEATH(fabric->GetRouting()->AddHost(fabric->GetNic(1)->GetPort(0), "10.0.0.1"),
                 "rdma: host address 10.0.0.1 of node 1 is already that of node 0");
}

TEST_F(RdmaFabricErrorsTest, LosslessClassOnOneSideOnly)
{
    const auto fabric = Install();
    fabric->GetDevice(1, 1)->SetAttribute("PfcClasses", UintegerValue(1U << 4));
    ExpectRefusal([&] { Simulator::Run(); },
                  "the link between nodes .*: a class is lossless on one side only "
                  ".*PfcClasses (16 and 8|8 and 16)");
}

TEST_F(RdmaFabricErrorsTest, BufferTooSmallForItsHeadroom)
{
    m_helper.SetBufferAttribute("BufferSize", UintegerValue(100'000));
    Install();
    ExpectRefusal([&] { Simulator::Run(); },
                  "QbbSharedBuffer: a BufferSize of 100000 bytes is too small for 3 ports");
}

TEST_F(RdmaFabricErrorsTest, Flows)
{
    EXPECT_DEATH(RunFlows({MakeFlow(1, 1, 1000)}), "rdma: flow 0 goes from host 1 to itself");
    EXPECT_DEATH(RunFlows({MakeFlow(0, 3, 1000)}),
                 "rdma: flow 0 from node 0 to node 3: both must be hosts");
    EXPECT_DEATH(RunFlows({MakeFlow(9, 0, 1000)}),
                 "rdma: flow 0 from node 9 to node 0: both must be hosts");
    EXPECT_DEATH(RunFlows({MakeFlow(0, 1, 0)}), "rdma: flow 0 has 0 bytes; accepted: 1");
    EXPECT_DEATH(RunFlows({MakeFlow(0, 1, 5), MakeFlow(1, 2, 5)}), "rdma: two flows have the id 0");
    RdmaFlow flow = MakeFlow(0, 1, 5);
    flow.start = -1_ps;
    EXPECT_DEATH(RunFlows({flow}), "rdma: flow 0 starts in the past, at -1 ps");
    flow.start = 0_ps;
    for (const uint32_t priority : {8, 9, 256 + 3})
    {
        flow.priority = priority;
        EXPECT_DEATH(RunFlows({flow}),
                     "rdma: flow 0 has class " + std::to_string(priority) + "; accepted: 0..7");
    }
}

TEST_F(RdmaFabricErrorsTest, RunnerTwice)
{
    const auto fabric = Install();
    auto runner = CreateObject<RdmaFlowRunner>();
    runner->Install(fabric, {MakeFlow(0, 1, 1)});
    EXPECT_DEATH(runner->Install(fabric, {MakeFlow(1, 2, 1)}), "rdma: .*a second time");
}

TEST_F(RdmaFabricErrorsTest, RunnerWithoutAFabric)
{
    for (const auto& flows : {std::vector<RdmaFlow>{}, {MakeFlow(0, 1, 1)}})
    {
        EXPECT_DEATH(CreateObject<RdmaFlowRunner>()->Install(nullptr, flows),
                     "rdma: the flow runner's Install.. without a fabric; accepted: a fabric of ");
    }
}

TEST_F(RdmaFabricErrorsTest, ASecondRunInOneSimulation)
{
    const auto fabric = Install();
    CreateObject<RdmaFlowRunner>()->Install(fabric, {MakeFlow(0, 1, 1)});
    Simulator::Run();
    EXPECT_DEATH(
        CreateObject<RdmaFlowRunner>()->Install(fabric, {MakeFlow(0, 1, 1)}),
        "rdma: flow 0 starts in the past, at 0 ps; .* Simulator::Destroy.. begins a new one");
    RdmaFabricOptions options;
    options.topology = "star:3";
    options.workload = "incast:2";
    ExpectRefusal([&] { RdmaFabricRun{options}; },
                  "a run in a simulation that is at .*; accepted: after Simulator::Destroy");
}

TEST_F(RdmaFabricErrorsTest, Attributes)
{
    const UintegerValue one(1);
    const std::string nearest =
        "is no attribute of ns3::QbbNetDevice that can be set; did you mean "
        "PfcClasses.; accepted: .*PfcClasses";
    ExpectRefusal([&] { m_helper.SetDeviceAttribute("PfcClases", one); }, nearest);
    ExpectRefusal([&] { QbbHelper().SetDeviceAttribute("PfcClases", one); }, nearest);
    ExpectRefusal([&] { m_helper.SetDeviceAttribute("Nope", one); }, "'Nope' is no attribute of");
    ExpectRefusal([&] { m_helper.SetChannelAttribute("Nope", one); }, "of ns3::QbbChannel that");
    ExpectRefusal([&] { m_helper.SetSwitchAttribute("Nope", one); }, "of ns3::QbbSwitch that");
    ExpectRefusal([&] { m_helper.SetRoutingAttribute("Nope", one); }, "of ns3::QbbRouting that");
    ExpectRefusal([&] { m_helper.SetBufferAttribute("Nope", one); }, "of ns3::QbbSharedBuffer th");
    ExpectRefusal([&] { m_helper.SetEcnAttribute("Nope", one); }, "of ns3::QbbEcnMarker that");
    ExpectRefusal([&] { m_helper.SetTransportAttribute("Nope", one); }, "of ns3::RoceTransport th");
    ExpectRefusal([&] { m_helper.SetNicAttribute("Nope", one); }, "of ns3::RdmaNic that");
    ExpectRefusal([&] { m_helper.SetQueuePairAttribute("Nope", one); }, "of ns3::RdmaQueuePair th");
    ExpectRefusal([&] { m_helper.SetEcnAttribute("Pmax", DoubleValue(2)); },
                  "ns3::QbbEcnMarker: Pmax does not take this value; accepted: ");
    ExpectRefusal([&] { m_helper.SetCongestionControlAttribute("G", one); },
                  "SetCongestionControlAttribute.G. without a part; accepted: after "
                  "SetCongestionControl");
    ExpectRefusal([&] { m_helper.SetMarkerAttribute("G", one); }, "accepted: after SetMarker");
    ExpectRefusal([] { MakeRdmaStar(1); }, "star: hosts: 1; accepted: 2 to 65535");
}

TEST_F(RdmaFabricErrorsTest, QueuePairs)
{
    const auto fabric = Install();
    EXPECT_DEATH(fabric->Connect(2, 2), "rdma: host 2 is to be connected with itself");
    EXPECT_DEATH(fabric->Connect(0, 3), "rdma: node 3 is not a host");
    EXPECT_DEATH(fabric->Connect(0, 1, 9), "rdma: class 9; accepted: 0..7");
    const auto loose = fabric->GetNic(0)->CreateQueuePair();
    EXPECT_DEATH(loose->PostSend(RdmaSendRequest()), "rdma: PostSend.* in state INIT; connect it");
    EXPECT_DEATH(fabric->GetNic(0)->CreateQueuePair(1), "rdma: .*port 1 of a NIC with 1 ports");
    const auto [sender, receiver] = fabric->Connect(0, 1);
    EXPECT_DEATH(sender->Connect("10.0.0.2", 2), "rdma: Connect.* in state RTS; accepted: INIT");
    RdmaSendRequest request;
    request.length = RDMA_MAX_MESSAGE_BYTES + 1;
    EXPECT_DEATH(sender->PostSend(request), "rdma: a message of 2147483649 bytes; accepted: 0..");
}

TEST_F(RdmaFabricErrorsTest, PathMtu)
{
    // 64 B are headers and ICRC: 1436 is the most that a port of 1500 takes.
    m_helper.SetQueuePairAttribute("PathMtu", UintegerValue(1436));
    Install()->Connect(0, 1);
    m_helper.SetQueuePairAttribute("PathMtu", UintegerValue(1437));
    const auto fabric = Install();
    ExpectRefusal([&] { fabric->Connect(0, 1); },
                  "path MTU 1437 .*port MTU 1500; set .*Mtu to 1501");
    ExpectRefusal(
        [&] {
            m_helper.SetQueuePairAttribute("PathMtu", UintegerValue(255));
            Install()->Connect(0, 1);
        },
        "PathMtu");
}

TEST_F(RdmaFabricErrorsTest, PartsThatDoNotExist)
{
    const auto fabric = Install();
    EXPECT_DEATH(fabric->GetNode(4), "rdma: node 4 of a fabric with 4 nodes");
    EXPECT_DEATH(fabric->GetNic(3), "rdma: node 3 is not a host");
    EXPECT_DEATH(fabric->GetSwitch(0), "rdma: node 0 is not a switch");
    EXPECT_DEATH(fabric->GetChannel(3), "rdma: link 3 of a fabric with 3 links");
    EXPECT_DEATH(fabric->GetDevice(0, 1), "rdma: node 1 is at neither end of link 0");
    EXPECT_DEATH(fabric->SetLinkUp(3, false), "rdma: link 3 of a fabric with 3 links");
}

} // namespace
} // namespace ns3
