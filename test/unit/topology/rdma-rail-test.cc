/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-test-units.h"
#include "rdma-topology-builders.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Shortest paths between two nodes.
struct Paths
{
    uint32_t links{0};  //!< links of each; 0: there is no path
    uint64_t number{0}; //!< how many there are

    bool operator==(const Paths& other) const
    {
        return links == other.links && number == other.number;
    }
};

/// Counts the shortest paths from one NIC to another, over switches alone.
Paths
CountPaths(const RdmaTopology& topology, uint32_t from, uint32_t to)
{
    const auto links = topology.GetLinksByNode();
    std::vector<Paths> reached(topology.GetNNodes());
    std::vector<uint32_t> queue{from};
    reached[from].number = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        const uint32_t node = queue[i];
        if (node != from && topology.IsNic(node))
        {
            continue;
        }
        for (const uint32_t id : links[node])
        {
            const RdmaTopologyLink& link = topology.GetLink(id);
            const uint32_t next = link.a == node ? link.b : link.a;
            if (reached[next].number == 0)
            {
                reached[next].links = reached[node].links + 1;
                queue.push_back(next);
            }
            if (next != from && reached[next].links == reached[node].links + 1)
            {
                reached[next].number += reached[node].number;
            }
        }
    }
    return reached[to];
}

/**
 * The largest flow in bit/s between the NICs of the hosts below \p firstOther and those of the
 * other hosts, by augmenting paths (Edmonds and Karp). By the theorem of Ford and Fulkerson this is
 * the least bandwidth of a cut between the halves.
 */
uint64_t
FindCutBandwidth(const RdmaTopology& topology, uint32_t firstOther)
{
    const uint32_t source = topology.GetNNodes();
    const uint32_t sink = source + 1;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> capacity;
    std::vector<std::vector<uint32_t>> neighbours(sink + 1);
    const auto add = [&](uint32_t a, uint32_t b, uint64_t there, uint64_t back) {
        if (capacity.count({a, b}) == 0)
        {
            neighbours[a].push_back(b);
            neighbours[b].push_back(a);
        }
        capacity[{a, b}] += there;
        capacity[{b, a}] += back;
    };
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        add(link.a, link.b, link.rate.Get(), link.rate.Get());
    }
    constexpr uint64_t UNLIMITED = std::numeric_limits<uint64_t>::max() / 4;
    for (const uint32_t nic : topology.GetNics())
    {
        topology.GetNode(nic).host < firstOther ? add(source, nic, UNLIMITED, 0)
                                                : add(nic, sink, UNLIMITED, 0);
    }
    uint64_t total = 0;
    for (;;)
    {
        std::map<uint32_t, uint32_t> before{{source, source}};
        std::vector<uint32_t> queue{source};
        for (std::size_t i = 0; i < queue.size() && before.count(sink) == 0; ++i)
        {
            for (const uint32_t next : neighbours[queue[i]])
            {
                if (capacity[{queue[i], next}] > 0 && before.emplace(next, queue[i]).second)
                {
                    queue.push_back(next);
                }
            }
        }
        if (before.count(sink) == 0)
        {
            return total;
        }
        uint64_t least = UNLIMITED;
        for (uint32_t node = sink; node != source; node = before[node])
        {
            least = std::min(least, capacity[{before[node], node}]);
        }
        for (uint32_t node = sink; node != source; node = before[node])
        {
            capacity[{before[node], node}] -= least;
            capacity[{node, before[node]}] += least;
        }
        total += least;
    }
}

void
ExpectCounts(const RdmaTopology& topology,
             uint32_t hosts,
             uint32_t nics,
             uint32_t switches,
             uint32_t links)
{
    topology.Validate();
    ASSERT_EQ(topology.GetHosts().size(), hosts);
    EXPECT_EQ(topology.GetNics().size(), hosts * nics);
    EXPECT_EQ(topology.GetSwitches().size(), switches);
    EXPECT_EQ(topology.GetNLinks(), links);
    for (uint32_t host = 0; host < hosts; ++host)
    {
        ASSERT_EQ(topology.GetNics(host).size(), nics);
        for (uint32_t nic = 0; nic < nics; ++nic)
        {
            EXPECT_EQ(topology.GetNics(host)[nic], nic * hosts + host);
        }
    }
}

/// Names of the switches of a NIC, in the order of its ports.
std::vector<std::string>
GetSwitchesOf(const RdmaTopology& topology, uint32_t nic)
{
    std::vector<std::string> names;
    const auto links = topology.GetLinksByNode();
    for (const uint32_t id : links[nic])
    {
        names.push_back(topology.GetNode(topology.GetLink(id).b).name);
    }
    return names;
}

RdmaTopologyRates
MakeRates()
{
    RdmaTopologyRates rates;
    rates.hostRate = 400_gbps;
    rates.uplinkRate = 800_gbps;
    rates.delay = 500_ns;
    return rates;
}

} // namespace

/*
 * U units of H hosts with N NICs, R rails, P planes, T leaves per NIC, S spines in each plane:
 *
 *     switches                 P x (U x R x T + S)
 *     links                    U x H x N x P x T + P x U x R x T x S
 *     ports of a leaf          H x N / R + S
 *     ports of a spine         U x R x T
 *     shortest paths of two NICs of one rail and unit: P x T, of 2 links
 *     shortest paths of other two NICs:                P x T x S x T, of 4 links
 *     bit/s between two halves of the units: U / 2 x the lesser of H x N x P x T x hostRate and
 *                                            P x R x T x S x uplinkRate
 *
 * because a NIC chooses one of its P x T ports, the leaf of that port one of S spines, and the
 * spine one of the T leaves of the other NIC; and because every path between two units passes an
 * uplink of either unit.
 */
TEST(RdmaRails, CountsPathsAndBisection)
{
    struct Case
    {
        std::string text;
        uint32_t u, h, n, s, r, p, t;
    };

    for (const Case& c : std::vector<Case>{{"rail:2x4x8x4", 2, 4, 8, 4, 8, 1, 1},
                                           {"rail:4x3x2x1", 4, 3, 2, 1, 2, 1, 1},
                                           {"rail:2x8x8x3[Rails=4]", 2, 8, 8, 3, 4, 1, 1},
                                           {"rail:4x4x8x8[Rails=1]", 4, 4, 8, 8, 1, 1, 1},
                                           {"rail:2x4x2x2[Planes=4]", 2, 4, 2, 2, 2, 4, 1},
                                           {"dual-tor:2x4x4x2", 2, 4, 4, 2, 4, 1, 2},
                                           {"dual-tor:2x4x4x2[Rails=1]", 2, 4, 4, 2, 1, 1, 2},
                                           {"dual-tor:2x2x2x2[Planes=2]", 2, 2, 2, 2, 2, 2, 2},
                                           {"dual-plane:2x4x4x2", 2, 4, 4, 2, 4, 2, 1},
                                           {"dual-plane:2x4x1x1", 2, 4, 1, 1, 1, 2, 1}})
    {
        SCOPED_TRACE(c.text);
        const auto topology = MakeRdmaTopology(c.text, MakeRates());
        const uint32_t hosts = c.u * c.h;
        const uint32_t leaves = c.p * c.u * c.r * c.t;
        ExpectCounts(topology,
                     hosts,
                     c.n,
                     leaves + c.p * c.s,
                     hosts * c.n * c.p * c.t + leaves * c.s);
        const auto links = topology.GetLinksByNode();
        for (uint32_t id = hosts * c.n; id < topology.GetNNodes(); ++id)
        {
            EXPECT_EQ(links[id].size(),
                      id < hosts * c.n + leaves ? c.h * c.n / c.r + c.s : c.u * c.r * c.t);
        }
        const Paths near{2, c.p * c.t};
        const Paths far{4, uint64_t{c.p} * c.t * c.s * c.t};
        EXPECT_EQ(CountPaths(topology, 0, 1), near);
        EXPECT_EQ(CountPaths(topology, 0, hosts - 1), far);
        const uint32_t last = (c.n - 1) * hosts; // the last NIC of host 0
        if (c.r > 1)
        {
            EXPECT_EQ(CountPaths(topology, 0, last + 1), far);
        }
        EXPECT_EQ(CountPaths(topology, last, last + 1), near);
        EXPECT_EQ(FindCutBandwidth(topology, hosts / 2),
                  c.u / 2 *
                      std::min(uint64_t{c.h} * c.n * c.p * c.t * 400'000'000'000,
                               uint64_t{c.p} * c.r * c.t * c.s * 800'000'000'000));
    }
}

TEST(RdmaRails, NamesPortsAndLinks)
{
    // Eight NICs have the ids 0 to 31, because there are four hosts; host 3 is in unit 1.
    const auto rail = MakeRdmaTopology("rail:2x2x8x2", MakeRates());
    EXPECT_EQ(GetSwitchesOf(rail, 0), std::vector<std::string>{"leaf-0-0"});
    EXPECT_EQ(GetSwitchesOf(rail, 5 * 4 + 3), std::vector<std::string>{"leaf-1-5"});
    EXPECT_EQ(rail.GetNode(5 * 4 + 3).name, "host-3-nic-5");
    EXPECT_EQ(rail.GetNode(rail.GetNNodes() - 1).name, "spine-1");
    EXPECT_EQ(rail.GetLink(0), (RdmaTopologyLink{0, 32, 400 * GBPS, 500_ns, 0}));
    EXPECT_EQ(rail.GetLink(32), (RdmaTopologyLink{32, 48, 800 * GBPS, 500_ns, 0}));
    EXPECT_FALSE(rail.GetNode(0).bonded);

    // NIC k is on rail k modulo Rails.
    const auto two = MakeRdmaTopology("rail:1x2x4x1[Rails=2]", MakeRates());
    EXPECT_EQ(GetSwitchesOf(two, 3 * 2), std::vector<std::string>{"leaf-0-1"});

    const auto tor = MakeRdmaTopology("dual-tor:2x2x2x2", MakeRates());
    EXPECT_EQ(GetSwitchesOf(tor, 4 + 3), (std::vector<std::string>{"leaf-1-1-0", "leaf-1-1-1"}));
    const auto plane = MakeRdmaTopology("dual-plane:2x2x2x2", MakeRates());
    EXPECT_EQ(GetSwitchesOf(plane, 4 + 3),
              (std::vector<std::string>{"p0-leaf-1-1", "p1-leaf-1-1"}));
    EXPECT_EQ(plane.GetNode(plane.GetNNodes() - 1).name, "p1-spine-1");
    const auto both = MakeRdmaTopology("dual-tor:1x2x1x1[Planes=2]", MakeRates());
    EXPECT_EQ(GetSwitchesOf(both, 0),
              (std::vector<std::string>{"p0-leaf-0-0-0",
                                        "p0-leaf-0-0-1",
                                        "p1-leaf-0-0-0",
                                        "p1-leaf-0-0-1"}));
    for (const RdmaTopology* topology : {&tor, &plane, &both})
    {
        for (const uint32_t nic : topology->GetNics())
        {
            EXPECT_TRUE(topology->GetNode(nic).bonded);
        }
    }
    EXPECT_FALSE(MakeRdmaTopology("dual-plane:2x2x2x2[Bonded=false]").GetNode(7).bonded);
}

TEST(RdmaRails, PlanesAreDisjoint)
{
    const auto topology = MakeRdmaTopology("dual-plane:2x4x4x2");
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        if (!topology.IsNic(link.a))
        {
            EXPECT_EQ(topology.GetNode(link.a).name.substr(0, 3),
                      topology.GetNode(link.b).name.substr(0, 3));
        }
    }
}

TEST(RdmaRails, RailsThatMeetInHostsAlone)
{
    // 2 units x 4 rails, 3 spines of each rail: 8 leaves, 12 spines, 3 links up from each leaf.
    const auto topology = MakeRdmaTopology("rail:2x4x4x3[CrossRails=false]", MakeRates());
    ExpectCounts(topology, 8, 4, 8 + 12, 32 + 24);
    EXPECT_EQ(CountPaths(topology, 0, 7), (Paths{4, 3}));
    EXPECT_EQ(CountPaths(topology, 0, 8 + 7), Paths()); // NIC 0 and NIC 1
    EXPECT_EQ(topology.GetNode(topology.GetNNodes() - 1).name, "spine-3-2");
    const auto links = topology.GetLinksByNode();
    for (const uint32_t id : topology.GetSwitches())
    {
        // A leaf has 4 hosts and 3 spines, a spine the leaves of its rail in 2 units.
        EXPECT_EQ(links[id].size(), id < 32 + 8 ? 7u : 2u);
    }
    // One unit without spines: two leaves that no path joins.
    ExpectCounts(MakeRdmaTopology("rail:1x4x2x0[CrossRails=false]"), 4, 2, 2, 8);
}

TEST(RdmaRails, OneNicIsALeafSpine)
{
    const auto rail = MakeRdmaTopology("rail:4x16x1x3", MakeRates());
    EXPECT_EQ(rail.GetLinks(), MakeRdmaLeafSpine(4, 16, 3, MakeRates()).GetLinks());
}

TEST(RdmaRails, WrongSizes)
{
    const auto expect = [](const std::string& text, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { MakeRdmaTopology(text); },
                                           {problem, "accepted: "});
    };
    expect("rail:2x4x8", "accepted: rail:UnitsxHostsPerUnitxNicsxSpines");
    expect("rail:0x4x8x4", "Units '0'; accepted: 1 to 1048576");
    expect("rail:2x4x65x4", "Nics '65'; accepted: 1 to 64");
    expect("rail:2x4x8x4[Rails=3]",
           "rail: rails: 3 with 8 NICs of a host; accepted: a number that divides 8, or 0");
    expect("rail:2x4x8x4[Rails=16]", "rail: rails: 16 with 8 NICs of a host");
    expect("rail:2x4x8x4[Planes=17]", "Planes '17'; accepted: 1 to 16");
    expect("rail:2x4x8x4[LeavesPerNic=3]", "LeavesPerNic '3'; accepted: 1 to 2");
    expect("rail:2x4x8x4[Bonded=true]",
           "rail: bonded: true where a NIC has one port; accepted: true with Planes=2 or more, or "
           "with LeavesPerNic=2");
    expect("rail:2x4x8x0",
           "rail: spines: 0 with 2 units and CrossRails=true; accepted: 1 to 1048576; 0 with one "
           "unit and CrossRails=false");
    expect("rail:2x4x8x0[CrossRails=false]", "rail: spines: 0 with 2 units and CrossRails=false");
    expect("rail:1x4x8x0", "rail: spines: 0 with 1 units and CrossRails=true");
    expect("rail:2x4x1x1[CrossRails=false]", "rail: cross rails: false with one rail; accepted: ");
    expect("rail:1024x1024x2x1", "2097152 nodes in a tier or more; accepted: at most 1048576");
    expect("rail:1024x1000x1x1048576", "nodes or more; accepted: at most 1048576");
    expect("rail:1x65536x1x1", "rail: a switch with 65537 ports; accepted: at most 65535");
    expect("rail:16384x1x4x1", "rail: a switch with 65536 ports; accepted: at most 65535");
    expect("dual-tor:1x1x8x4[LeavesPerNic=1]", "rail: bonded: true where a NIC has one port");
    RdmaRailSize size;
    size.leavesPerNic = 3;
    ExpectError<std::invalid_argument>([&] { MakeRdmaRails(size); },
                                       {"rail: leaves per NIC: 3; accepted: 1 to 2"});
}

/*
 * P pods of L leaves with H hosts. A leaf has S = H x hostRate / (leafRatio x uplinkRate) spines
 * above it, a spine C = L / spineRatio core switches.
 *
 *     switches     P x (L + S) + S x C
 *     links        P x L x H + P x L x S + P x S x C
 *     shortest paths: 1 on a leaf, S in a pod, S x C between pods
 *     bit/s between two halves of the pods: P / 2 x S x C x uplinkRate, with ratios of 1 or more
 */
TEST(RdmaPods, CountsPathsAndBisection)
{
    const auto expect =
        [](const std::string& text, uint32_t p, uint32_t l, uint32_t h, uint32_t s, uint32_t c) {
            SCOPED_TRACE(text);
            const auto topology = MakeRdmaTopology(text, MakeRates());
            ExpectCounts(topology,
                         p * l * h,
                         1,
                         p * (l + s) + s * c,
                         p * l * h + p * l * s + p * s * c);
            if (h > 1)
            {
                EXPECT_EQ(CountPaths(topology, 0, 1), (Paths{2, 1}));
            }
            EXPECT_EQ(CountPaths(topology, 0, h), (Paths{4, s}));
            EXPECT_EQ(CountPaths(topology, 0, l * h), (Paths{6, uint64_t{s} * c}));
            EXPECT_EQ(FindCutBandwidth(topology, p / 2 * l * h),
                      uint64_t{p} / 2 * s * c * 800'000'000'000);
        };
    // 8 hosts at 400 Gb/s over 800 Gb/s: 4 spines; 4 leaves over 4 core switches of each spine.
    expect("pods:4x4x8", 4, 4, 8, 4, 4);
    expect("pods:4x4x8x2x1", 4, 4, 8, 2, 4);
    expect("pods:4x4x8x1x4", 4, 4, 8, 4, 1);
    // 3 to 1 at the leaf: 12 / 2 / 3 = 2; 1.5 to 1 at the spine: 6 / 1.5 = 4.
    expect("pods:6x6x12x3x1.5", 6, 6, 12, 2, 4);
    EXPECT_EQ(MakeRdmaTopology("ns3::RdmaPods[Pods=2|LeavesPerPod=2|HostsPerLeaf=2|LeafRatio=0.5]",
                               MakeRates())
                  .GetNode(8 + 4)
                  .name,
              "spine-0");
    // With equal rates and ratios of 1, pods of k / 2 leaves with k / 2 hosts are a fat-tree.
    RdmaTopologyRates even;
    EXPECT_EQ(MakeRdmaTopology("pods:6x3x3", even).GetLinks(), MakeRdmaFatTree(6, even).GetLinks());
}

TEST(RdmaPods, WrongSizes)
{
    const auto expect = [](const std::string& text, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { MakeRdmaTopology(text, MakeRates()); },
                                           {problem, "accepted: "});
    };
    expect("pods:4x4", "accepted: pods:PodsxLeavesPerPodxHostsPerLeaf[xLeafRatioxSpineRatio]");
    expect("pods:4x4x7",
           "pods: leaf ratio: 1 takes 3.5 links up; accepted: a ratio of bit/s down to bit/s up "
           "that takes a whole number of links, 1 to 65535");
    expect("pods:4x4x8x1x3", "pods: spine ratio: 3 takes 1.333");
    expect("pods:4x4x8x1x8", "pods: spine ratio: 8 takes 0.5 links up");
    expect("pods:4x4x8x0x1", "LeafRatio '0'; accepted: 0.001 to 1000");
    expect("pods:0x4x8", "Pods '0'; accepted: 1 to 1048576");
    ExpectError<std::invalid_argument>([] { MakeRdmaPods(2, 2, 0); },
                                       {"pods: hosts per leaf: 0; accepted: 1 to"});
}
