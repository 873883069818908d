/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-fabric-helper.h"
#include "rdma-tcp-flow-runner.h"
#include "rdma-topology-builders.h"

#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/uinteger.h>

#include <gtest/gtest.h>

/**
 * \file
 * \ingroup rdma-tests
 * Wrong uses of flows over TCP: the program ends with a message that names the error. Each
 * case runs in a child process.
 */

namespace ns3
{
namespace
{

/** Two hosts, 0 and 1, at a switch, and a flow between them. */
class RdmaTcpFlowErrorsTest : public testing::Test
{
  protected:
    RdmaTcpFlowErrorsTest()
    {
        m_helper.SetInternetStack(true);
        m_flow.dstHost = 1;
        m_flow.bytes = 10'000;
    }

    ~RdmaTcpFlowErrorsTest() override
    {
        Simulator::Destroy();
    }

    /** \param name an attribute of the runner \param value its value; the flow is run */
    void RunWith(const std::string& name, const std::string& value)
    {
        auto runner = CreateObject<RdmaTcpFlowRunner>();
        runner->SetAttribute(name, StringValue(value));
        runner->Install(m_helper.Install(MakeRdmaStar(2)), {m_flow});
        Simulator::Run();
        m_completed = runner->GetNCompleted();
        Simulator::Destroy();
    }

    RdmaFabricHelper m_helper;
    RdmaFlow m_flow;
    uint64_t m_completed{0};
};

TEST_F(RdmaTcpFlowErrorsTest, GoodFlowRuns)
{
    RunWith("CongestionControl", "ns3::TcpCubic");
    EXPECT_EQ(m_completed, 1U);
}

TEST_F(RdmaTcpFlowErrorsTest, BufferOfOneSegment)
{
    RunWith("BufferSize", "1024");
    EXPECT_EQ(m_completed, 1U);
    ExpectRefusal([&] { RunWith("BufferSize", "1023"); },
                  "RdmaTcpFlowRunner::BufferSize is 1023 bytes; accepted: a segment, 1024");
}

TEST_F(RdmaTcpFlowErrorsTest, LargestSegment)
{
    RunWith("SegmentSize", "1460");
    EXPECT_EQ(m_completed, 1U);
    ExpectRefusal([&] { RunWith("SegmentSize", "1461"); },
                  "segments of 1461 bytes do not fit port MTU 1500 of host 1; set "
                  "QbbNetDevice::Mtu to 1501 or more");
}

TEST_F(RdmaTcpFlowErrorsTest, CongestionControl)
{
    ExpectRefusal([&] { RunWith("CongestionControl", "ns3::Node"); },
                  "RdmaTcpFlowRunner::CongestionControl is ns3::Node; accepted: ");
    ExpectRefusal([&] { RunWith("CongestionControl", "ns3::TcpCongestionOps"); },
                  "RdmaTcpFlowRunner::CongestionControl is ns3::TcpCongestionOps; accepted: ");
}

TEST_F(RdmaTcpFlowErrorsTest, NoStack)
{
    m_helper.SetInternetStack(false);
    ExpectRefusal([&] { RunWith("InitialCwnd", "10"); },
                  "host 1 has no Internet stack for TCP; call "
                  "RdmaFabricHelper::SetInternetStack.true.");
}

TEST_F(RdmaTcpFlowErrorsTest, TrustPcp)
{
    m_helper.SetDeviceAttribute("Trust", StringValue("Pcp"));
    ExpectRefusal([&] { RunWith("InitialCwnd", "10"); },
                  "host 1 has QbbNetDevice::Trust=Pcp; accepted for flows over TCP: Dscp");
}

TEST_F(RdmaTcpFlowErrorsTest, NoDscpForTheClass)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(2));
    for (uint8_t dscp = 24; dscp < 32; ++dscp)
    {
        fabric->GetDevice(1, 1)->GetClassifier().MapDscp(dscp, 0);
    }
    EXPECT_DEATH(RdmaTcpFlowRunner::Make(fabric, {m_flow}), "rdma: no DSCP is mapped to class 3");
}

TEST_F(RdmaTcpFlowErrorsTest, TakenPort)
{
    const auto fabric = m_helper.Install(MakeRdmaStar(2));
    const auto socket = Socket::CreateSocket(fabric->GetNode(1), TcpSocketFactory::GetTypeId());
    ASSERT_EQ(socket->Bind(InetSocketAddress(fabric->GetAddress(1), 50000)), 0);
    EXPECT_DEATH(RdmaTcpFlowRunner::Make(fabric, {m_flow}),
                 "rdma: TCP port 50000 of host 1 is taken; set RdmaTcpFlowRunner::Port");
}

TEST_F(RdmaTcpFlowErrorsTest, MoreFlowsAtOnceThanPorts)
{
    // One port is left above the one that accepts connections.
    std::vector<RdmaFlow> flows(2, m_flow);
    flows[1].id = 1;
    flows[1].start = 1_ms;
    const auto run = [&]() {
        auto runner = CreateObject<RdmaTcpFlowRunner>();
        runner->SetAttribute("Port", UintegerValue(65534));
        runner->Install(m_helper.Install(MakeRdmaStar(2)), flows);
        Simulator::Run();
        m_completed = runner->GetNCompleted();
        Simulator::Destroy();
    };
    run();
    EXPECT_EQ(m_completed, 2U) << "one after the other";
    flows[1].start = 0_ps;
    EXPECT_DEATH(
        run(),
        "rdma: flow 1: TCP port 65535 of host 0 is taken; a host can have 1 flows at once");
}

} // namespace
} // namespace ns3
