/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-port-result.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

RdmaTopology
MakePortTopology()
{
    RdmaTopology topology;
    const uint32_t host = topology.AddHost();
    const uint32_t leaf = topology.AddSwitch("leaf-0");
    const uint32_t spine = topology.AddSwitch();
    topology.AddLink(leaf, spine, 400_gbps, 1_us);
    topology.AddLink(host, leaf, 100_gbps, 1_us);
    topology.AddLink(spine, leaf, 200_gbps, 1_us);
    topology.Validate();
    return topology;
}

} // namespace

TEST(RdmaFabricPort, PortsAreNamedByTheirLinks)
{
    const auto ports = MakeRdmaFabricPorts(MakePortTopology());
    ASSERT_EQ(ports.size(), 3U);
    ASSERT_EQ(ports[0].size(), 1U);
    ASSERT_EQ(ports[1].size(), 3U);
    ASSERT_EQ(ports[2].size(), 2U);
    EXPECT_EQ(ports[0][0]->name, "host-0 to leaf-0");
    EXPECT_EQ(ports[1][0]->name, "leaf-0 to switch-2");
    EXPECT_EQ(ports[1][1]->name, "leaf-0 to host-0");
    EXPECT_EQ(ports[1][2]->name, "leaf-0 to switch-2 #2");
    EXPECT_EQ(ports[2][0]->name, "switch-2 to leaf-0");
    EXPECT_EQ(ports[2][1]->name, "switch-2 to leaf-0 #2");
}

TEST(RdmaFabricPort, PeersPointAtEachOther)
{
    const RdmaTopology topology = MakePortTopology();
    const auto ports = MakeRdmaFabricPorts(topology);
    const auto links = topology.GetLinksByNode();
    for (uint32_t node = 0; node < ports.size(); ++node)
    {
        for (uint32_t number = 0; number < ports[node].size(); ++number)
        {
            const RdmaFabricPort& port = *ports[node][number];
            EXPECT_EQ(port.node, node);
            EXPECT_EQ(port.nodeName, topology.GetNode(node).name);
            EXPECT_EQ(port.role, topology.GetNode(node).role);
            EXPECT_EQ(port.number, number);
            EXPECT_EQ(port.link, links[node][number]);
            EXPECT_EQ(port.lineRate, topology.GetLink(port.link).rate);
            const RdmaFabricPort& peer = *ports.at(port.peer).at(port.peerNumber);
            EXPECT_EQ(peer.peer, node);
            EXPECT_EQ(peer.peerNumber, number);
            EXPECT_EQ(peer.link, port.link);
        }
    }
}

TEST(RdmaFabricPort, PortsOfNicsNameTheirHost)
{
    // Host 0 has the NICs 0 and 2, host 1 the NICs 1 and 3.
    RdmaTopology topology;
    const uint32_t first = topology.AddHost();
    const uint32_t second = topology.AddHost();
    const std::vector<uint32_t> nics{first,
                                     second,
                                     topology.AddNic(first),
                                     topology.AddNic(second)};
    const uint32_t leaf = topology.AddSwitch();
    for (const uint32_t nic : nics)
    {
        topology.AddLink(nic, leaf, 100_gbps, 1_us);
    }
    const auto ports = MakeRdmaFabricPorts(topology);
    EXPECT_EQ(ports[3][0]->name, "host-1-nic-1 to switch-4");
    const uint32_t hosts[] = {0, 1, 0, 1, RdmaTopologyNode::NO_HOST};
    const uint32_t numbers[] = {0, 0, 1, 1, 0};
    for (uint32_t node = 0; node < 5; ++node)
    {
        EXPECT_EQ(ports[node][0]->host, hosts[node]);
        EXPECT_EQ(ports[node][0]->nic, numbers[node]);
    }
}
