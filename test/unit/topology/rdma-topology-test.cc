/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-topology.h"
#include "rdma-units.h"

#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

using namespace ns3;

namespace
{

constexpr RdmaBitRate RATE = 100_gbps;
constexpr RdmaPs DELAY = 1_us;

/// Two hosts on a switch.
RdmaTopology
MakeSmall()
{
    RdmaTopology topology;
    topology.AddHost();
    topology.AddHost();
    topology.AddSwitch();
    topology.AddLink(0, 2, RATE, DELAY);
    topology.AddLink(1, 2, RATE, DELAY);
    return topology;
}

void
ExpectInvalid(const RdmaTopology& topology, const std::vector<std::string>& parts)
{
    ExpectError<std::invalid_argument>([&] { topology.Validate(); }, parts);
}

} // namespace

TEST(RdmaTopology, NodesAndLinks)
{
    RdmaTopology topology;
    EXPECT_EQ(topology.AddSwitch("s"), 0u);
    EXPECT_EQ(topology.AddHost(), 1u);
    EXPECT_EQ(topology.AddHost("h"), 2u);
    EXPECT_EQ(topology.AddLink(1, 0, RATE, DELAY), 0u);
    EXPECT_EQ(topology.AddLink(0, 2, 2 * RATE, DELAY, 0.25), 1u);
    EXPECT_EQ(topology.AddLink(2, 0, RATE, DELAY), 2u);
    topology.Validate();

    EXPECT_EQ(topology.GetNNodes(), 3u);
    EXPECT_EQ(topology.GetNLinks(), 3u);
    EXPECT_EQ(topology.GetHosts(), (std::vector<uint32_t>{1, 2}));
    EXPECT_EQ(topology.GetSwitches(), (std::vector<uint32_t>{0}));
    EXPECT_EQ(topology.GetNode(0).name, "s");
    EXPECT_EQ(topology.GetNode(1).name, "host-1");
    EXPECT_EQ(topology.GetLink(1).errorRate, 0.25);
    EXPECT_TRUE(topology.IsHost(2));
    EXPECT_FALSE(topology.IsHost(0));
    EXPECT_FALSE(topology.IsHost(3));
    EXPECT_EQ(topology.GetLinksByNode(),
              (std::vector<std::vector<uint32_t>>{{0, 1, 2}, {0}, {1, 2}}));
    EXPECT_EQ(topology.GetNodeRates(), (std::vector<RdmaBitRate>{4 * RATE, RATE, 3 * RATE}));
    EXPECT_THROW(topology.GetNode(3), std::out_of_range);
    EXPECT_THROW(topology.GetLink(3), std::out_of_range);
}

TEST(RdmaTopology, Equality)
{
    EXPECT_TRUE(MakeSmall() == MakeSmall());
    RdmaTopology other = MakeSmall();
    other.AddLink(0, 2, RATE, DELAY);
    EXPECT_FALSE(MakeSmall() == other);
}

TEST(RdmaTopology, WrongLinks)
{
    const auto expect = [](const RdmaTopologyLink& link, const std::vector<std::string>& parts) {
        RdmaTopology topology = MakeSmall();
        topology.AddLink(link.a, link.b, link.rate, link.delay, link.errorRate);
        ExpectInvalid(topology, parts);
    };
    expect({0, 3, RATE, DELAY, 0}, {"link 2 (0 - 3)", "node 3", "accepted: 0 to 2"});
    expect({7, 0, RATE, DELAY, 0}, {"link 2 (7 - 0)", "node 7"});
    expect({1, 1, RATE, DELAY, 0}, {"itself"});
    expect({0, 1, 0_bps, DELAY, 0}, {"rate of 0", "accepted: 1bps to 8Tbps"});
    expect({0, 1, RDMA_MAX_RATE + 1_bps, DELAY, 0}, {"rate of 8000000000001"});
    expect({0, 1, RATE, 0_ps, 0}, {"delay of 0", "accepted: 1ps to"});
    expect({0, 1, RATE, -1_ps, 0}, {"delay of -1"});
    expect({0, 1, RATE, RDMA_MAX_DELAY + 1_ps, 0}, {"delay of 1000000000001"});
    expect({0, 1, RATE, DELAY, -0.5}, {"error rate of -0.5", "accepted: 0 to below 1"});
    expect({0, 1, RATE, DELAY, 1.0}, {"error rate of 1"});
    expect({0, 1, RATE, DELAY, std::numeric_limits<double>::quiet_NaN()}, {"error rate of nan"});

    RdmaTopology topology = MakeSmall();
    topology.AddLink(0, 3, RATE, DELAY);
    EXPECT_THROW(topology.GetLinksByNode(), std::invalid_argument);
    EXPECT_THROW(topology.GetNodeRates(), std::invalid_argument);
}

TEST(RdmaTopology, WrongNodes)
{
    ExpectInvalid(RdmaTopology(), {"no host"});
    RdmaTopology twins = MakeSmall();
    twins.AddHost("host-0");
    ExpectInvalid(twins, {"host 3", "name of node 0"});
    RdmaTopology lonely = MakeSmall();
    lonely.AddHost();
    ExpectInvalid(lonely, {"host 3", "has no link"});
    RdmaTopology unused = MakeSmall();
    unused.AddSwitch();
    ExpectInvalid(unused, {"switch 3", "cannot be reached"});
}

TEST(RdmaTopology, Disconnected)
{
    RdmaTopology islands = MakeSmall();
    islands.AddHost();
    islands.AddHost();
    islands.AddSwitch();
    islands.AddLink(3, 5, RATE, DELAY);
    islands.AddLink(4, 5, RATE, DELAY);
    ExpectInvalid(islands, {"no path over switches"});
    islands.AddLink(2, 5, RATE, DELAY);
    islands.Validate();

    // Hosts do not forward: 0 reaches 1 and 1 reaches 2, but 0 does not reach 2.
    RdmaTopology chain;
    chain.AddHost();
    chain.AddHost();
    chain.AddHost();
    chain.AddLink(0, 1, RATE, DELAY);
    chain.AddLink(1, 2, RATE, DELAY);
    ExpectInvalid(chain, {"host 0", "no path over switches to host 2"});
    chain.AddLink(2, 0, RATE, DELAY);
    chain.Validate();
}

TEST(RdmaTopology, HostsOnTwoPlanes)
{
    // Planes 4 and 5 are not joined; hosts 0, 1 are on both, 2 on one, 3 on the other.
    RdmaTopology topology;
    for (int i = 0; i < 4; ++i)
    {
        topology.AddHost();
    }
    topology.AddSwitch();
    topology.AddSwitch();
    for (const uint32_t host : {0, 1})
    {
        topology.AddLink(host, 4, RATE, DELAY);
        topology.AddLink(host, 5, RATE, DELAY);
    }
    topology.AddLink(2, 4, RATE, DELAY);
    topology.AddLink(3, 5, RATE, DELAY);
    ExpectInvalid(topology, {"host 2", "host 3"});
    topology.AddLink(2, 3, RATE, DELAY);
    topology.Validate();
}

// Two hosts with two NICs each, on two rails without a link between them: NICs of one number reach
// each other, and each host reaches the other.
TEST(RdmaTopology, HostsWithSeveralNics)
{
    RdmaTopology topology;
    const uint32_t a = topology.AddHost();
    const uint32_t b = topology.AddHost("beta");
    EXPECT_FALSE(topology.HasChoiceOfPorts());
    EXPECT_EQ(topology.AddNic(a), 2u);
    EXPECT_EQ(topology.AddNic(b, "beta-rear"), 3u);
    EXPECT_EQ(topology.AddNic(b), 4u);
    const uint32_t first = topology.AddSwitch();
    const uint32_t second = topology.AddSwitch();
    for (const auto& [nic, rail] : {std::pair(0U, first), {1U, first}, {2U, second}, {3U, second}})
    {
        topology.AddLink(nic, rail, RATE, DELAY);
    }
    ExpectInvalid(topology, {"NIC 4 ('beta-nic-2')", "no link", "1 or more"});
    topology.AddLink(4, second, RATE, DELAY);
    topology.Validate();

    EXPECT_EQ(topology.GetHosts(), (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(topology.GetNics(), (std::vector<uint32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(topology.GetNics(a), (std::vector<uint32_t>{0, 2}));
    EXPECT_EQ(topology.GetNics(b), (std::vector<uint32_t>{1, 3, 4}));
    EXPECT_EQ(topology.GetNode(2).name, "host-0-nic-1");
    EXPECT_EQ(topology.GetNode(3).name, "beta-rear");
    EXPECT_EQ(topology.GetNode(4).host, b);
    EXPECT_EQ(topology.GetNode(first).host, RdmaTopologyNode::NO_HOST);
    EXPECT_TRUE(topology.IsNic(2) && !topology.IsHost(2) && !topology.IsNic(first));
    EXPECT_TRUE(topology.HasChoiceOfPorts());

    RdmaTopology bonded = topology;
    bonded.SetBonded(2);
    EXPECT_FALSE(bonded == topology);
    EXPECT_TRUE(bonded.GetNode(2).bonded);
    auto links = topology.GetLinks();
    links[0].rate = 2 * RATE;
    const RdmaTopology faster = topology.WithLinks(links);
    EXPECT_EQ(faster.GetNics(b), topology.GetNics(b));
    EXPECT_EQ(faster.GetLink(0).rate, 2 * RATE);
    EXPECT_EQ(topology.GetLink(0).rate, RATE);
}

TEST(RdmaTopology, WrongNics)
{
    RdmaTopology topology = MakeSmall();
    const auto add = [&topology](uint32_t host) { topology.AddNic(host); };
    ExpectError<std::invalid_argument>([&] { add(2); }, {"a NIC", "node 2", "the id of a host"});
    ExpectError<std::invalid_argument>([&] { add(9); }, {"node 9", "the id of a host"});
    ExpectError<std::invalid_argument>([&] { topology.SetBonded(2); }, {"node 2", "of a NIC"});
    ExpectError<std::invalid_argument>([&] { topology.GetNics(2); }, {"node 2", "is no host"});
    const uint32_t nic = topology.AddNic(0);
    ExpectError<std::invalid_argument>([&] { add(nic); }, {"node 3", "the id of a host"});
    topology.AddLink(0, nic, RATE, DELAY);
    ExpectInvalid(topology, {"link 2 (0 - 3)", "two NICs of one host"});
}

// NICs on two rails, of which each host has one: no host forwards from one rail to the other.
TEST(RdmaTopology, HostsDoNotForwardBetweenTheirNics)
{
    RdmaTopology topology;
    topology.AddHost();
    topology.AddHost();
    topology.AddHost();
    const uint32_t nic = topology.AddNic(1);
    const uint32_t first = topology.AddSwitch();
    const uint32_t second = topology.AddSwitch();
    for (const auto& [node, rail] :
         {std::pair(0U, first), {1U, first}, {nic, second}, {2U, second}})
    {
        topology.AddLink(node, rail, RATE, DELAY);
    }
    ExpectInvalid(topology, {"host 0", "no path over switches", "host 2", "do not forward"});
}
