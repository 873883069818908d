/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"
#include "qbb-helper.h"
#include "qbb-routing.h"
#include "qbb-switch.h"
#include "rdma-completion-queue.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-simulator-impl.h"

#include <ns3/node-container.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include <gtest/gtest.h>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * NICs that are cabled to each other: paths, frames, and messages where a host would have to
 * forward.
 */

namespace ns3
{
namespace
{

/** Hosts with NICs, switches and cables, made by hand. */
class QbbDirectCableTest : public testing::Test
{
  protected:
    QbbDirectCableTest()
    {
        RdmaSimulatorImpl::Select();
        m_routing = CreateObject<QbbRouting>();
    }

    ~QbbDirectCableTest() override
    {
        Simulator::Destroy();
    }

    /** \param hosts number of hosts \param switches number of switches, the nodes behind the hosts
     */
    void MakeNodes(uint32_t hosts, uint32_t switches = 0)
    {
        m_nodes.Create(hosts + switches);
        for (uint32_t i = 0; i < hosts; ++i)
        {
            m_nodes.Get(i)->AggregateObject(CreateObject<RdmaNic>());
        }
        for (uint32_t i = hosts; i < hosts + switches; ++i)
        {
            const auto sw = CreateObject<QbbSwitch>();
            m_nodes.Get(i)->AggregateObject(sw);
            m_routing->AddSwitch(sw);
        }
    }

    /** Connects two nodes. Port p of host h has address 10.0.h.(p + 1). */
    void Cable(uint32_t a, uint32_t b)
    {
        QbbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetChannelAttribute("Delay", StringValue("1us"));
        const auto devices = helper.Install(m_nodes.Get(a), m_nodes.Get(b));
        for (const uint32_t end : {0, 1})
        {
            const uint32_t node = end == 0 ? a : b;
            const auto device = DynamicCast<QbbNetDevice>(devices.Get(end));
            if (const auto nic = m_nodes.Get(node)->GetObject<RdmaNic>())
            {
                const Ipv4Address address(0x0a000001 + (node << 8) + nic->GetNPorts());
                nic->AddPort(device, address);
                m_routing->AddHost(device, address);
            }
            else
            {
                m_nodes.Get(node)->GetObject<QbbSwitch>()->AddPort(device);
            }
        }
    }

    /** \param host a host \return its NIC */
    Ptr<RdmaNic> GetNic(uint32_t host) const
    {
        return m_nodes.Get(host)->GetObject<RdmaNic>();
    }

    /** \return number of links of the path from a port of a host to an address; 0: there is none */
    std::size_t GetHops(uint32_t host, uint32_t port, Ipv4Address to) const
    {
        return m_routing->GetPath(GetNic(host)->GetPort(port), to, 1).size();
    }

    /** \return the reason for the lack of a path */
    std::string GetReason(uint32_t host, uint32_t port, Ipv4Address to) const
    {
        return m_routing->GetNoPathReason(*GetNic(host)->GetPort(port), to);
    }

    /**
     * Writes 10000 bytes from host a to host b, and runs.
     *
     * \return packets that were acknowledged, of 10
     */
    uint64_t Write(uint32_t a, uint32_t portOfA, uint32_t b, uint32_t portOfB)
    {
        const auto sender = GetNic(a)->CreateQueuePair(portOfA);
        RdmaQueuePair::ConnectPair(sender, GetNic(b)->CreateQueuePair(portOfB));
        RdmaSendRequest request;
        request.opcode = RdmaWrOpcode::RDMA_WRITE;
        request.length = 10'000;
        sender->PostSend(request);
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        return sender->GetPacketsAcknowledged();
    }

    NodeContainer m_nodes;     //!< hosts, then switches
    Ptr<QbbRouting> m_routing; //!< routes and hosts
};

TEST_F(QbbDirectCableTest, ARingOfHosts)
{
    // Ports of host 0: to host 1, to host 2; of host 1: to 0, to 2; of host 2: to 1, to 0.
    MakeNodes(3);
    Cable(0, 1);
    Cable(1, 2);
    Cable(2, 0);
    m_routing->ComputeRoutes();
    EXPECT_EQ(GetHops(0, 0, "10.0.1.1"), 1U);
    EXPECT_EQ(GetHops(0, 1, "10.0.2.2"), 1U);
    EXPECT_EQ(GetHops(0, 0, "10.0.2.2"), 0U) << "host 1 does not forward";
    EXPECT_EQ(GetHops(0, 0, "10.0.1.2"), 0U) << "the other port of host 1";
    EXPECT_EQ(GetReason(0, 1, "10.0.2.2"), "");
    EXPECT_EQ(GetReason(0, 0, "10.0.2.2"),
              "port 0 of node 0 is cabled to node 1, a host that has not the address 10.0.2.2, and "
              "hosts do not forward");
    EXPECT_EQ(Write(0, 1, 2, 1), 10U);
    EXPECT_EQ(GetNic(1)->GetPort(0)->GetCounters().GetRxFrames(), 0U);
}

TEST_F(QbbDirectCableTest, APacketForAnotherAddressIsCountedAndDropped)
{
    MakeNodes(3);
    Cable(0, 1);
    Cable(1, 2);
    Cable(2, 0);
    EXPECT_EQ(Write(0, 0, 2, 1), 0U);
    const auto& counters = GetNic(1)->GetPort(0)->GetCounters();
    EXPECT_EQ(counters.GetRxFrames(), 10U);
    EXPECT_EQ(counters.dropsByReason[static_cast<std::size_t>(QbbDropReason::NOT_FOR_US)], 10U);
}

TEST_F(QbbDirectCableTest, ACableThatIsDown)
{
    MakeNodes(2);
    Cable(0, 1);
    m_routing->ComputeRoutes();
    EXPECT_EQ(GetHops(0, 0, "10.0.1.1"), 1U);
    m_routing->SetLinkUp(GetNic(0)->GetPort(0)->GetQbbChannel(), false);
    EXPECT_EQ(GetHops(0, 0, "10.0.1.1"), 0U);
    EXPECT_EQ(GetReason(0, 0, "10.0.1.1"), "port 0 of node 0 has a link that is down");
}

TEST_F(QbbDirectCableTest, HostsBetweenTwoNetworks)
{
    // Host 0 - switch 3 - host 1 - switch 4 - host 2
    MakeNodes(3, 2);
    Cable(0, 3);
    Cable(1, 3);
    Cable(1, 4);
    Cable(2, 4);
    m_routing->ComputeRoutes();
    EXPECT_EQ(GetHops(0, 0, "10.0.1.1"), 2U);
    EXPECT_EQ(GetHops(0, 0, "10.0.2.1"), 0U);
    EXPECT_EQ(
        GetReason(0, 0, "10.0.2.1"),
        "the switch of node 3 has no route to 10.0.2.1; the way leads through node 1, a host, "
        "and hosts do not forward");
    EXPECT_EQ(GetReason(0, 0, "10.9.9.9"),
              "the switch of node 3 has no route to 10.9.9.9, which no host has");
    EXPECT_EQ(GetReason(0, 0, "10.0.1.1"), "");
}

TEST_F(QbbDirectCableTest, LinksOfSwitchesChangeAsInOtherFabrics)
{
    // Hosts 0 and 1 are cabled to each other and to switch 2, host 1 also to switch 3.
    MakeNodes(2, 2);
    Cable(0, 1);
    Cable(0, 2);
    Cable(1, 2);
    Cable(2, 3);
    Cable(1, 3);
    m_routing->ComputeRoutes();
    EXPECT_EQ(m_routing->GetLeaves(),
              (std::vector<uint32_t>{QbbHostPlace::NO_LEAF, QbbHostPlace::NO_LEAF, 0, 0, 1}));
    EXPECT_EQ(GetHops(0, 1, "10.0.1.2"), 2U);
    EXPECT_EQ(GetHops(0, 1, "10.0.1.3"), 3U);
    m_routing->SetLinkUp(GetNic(1)->GetPort(2)->GetQbbChannel(), false);
    EXPECT_EQ(GetHops(0, 1, "10.0.1.3"), 0U);
    m_routing->SetLinkUp(GetNic(1)->GetPort(2)->GetQbbChannel(), true);
    EXPECT_EQ(GetHops(0, 1, "10.0.1.3"), 3U);
    EXPECT_TRUE(CheckQbbDeadlock(*m_routing).IsDeadlockFree());
}

} // namespace
} // namespace ns3
