/* SPDX-License-Identifier: GPL-2.0-only */

// Which nodes of a fabric belong to which rank of MPI.

#include "rdma-rank-placement.h"
#include "rdma-shared-run.h"
#include "rdma-topology-builders.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

namespace
{

/** \return number of links between two ranks */
uint32_t
CountCuts(const RdmaTopology& topology, const std::vector<uint32_t>& placement)
{
    const auto& links = topology.GetLinks();
    return static_cast<uint32_t>(
        std::count_if(links.begin(), links.end(), [&placement](const RdmaTopologyLink& link) {
            return placement[link.a] != placement[link.b];
        }));
}

} // namespace

TEST(RdmaRankPlacement, OneRankHasAllNodes)
{
    const std::vector<uint32_t> placement = PlaceRdmaNodes(MakeRdmaFatTree(4), 1);
    EXPECT_EQ(std::set<uint32_t>(placement.begin(), placement.end()), std::set<uint32_t>{0});
}

TEST(RdmaRankPlacement, HostsStayWithTheirSwitches)
{
    const RdmaTopology topology = MakeRdmaFatTree(8);
    for (const uint32_t ranks : {2U, 3U, 4U, 8U})
    {
        const std::vector<uint32_t> placement = PlaceRdmaNodes(topology, ranks);
        std::vector<uint32_t> ports(ranks, 0);
        for (const RdmaTopologyLink& link : topology.GetLinks())
        {
            if (topology.IsHost(link.a) || topology.IsHost(link.b))
            {
                EXPECT_EQ(placement[link.a], placement[link.b]);
            }
            ++ports.at(placement[link.a]);
            ++ports.at(placement[link.b]);
        }
        const uint32_t share = 2 * topology.GetNLinks() / ranks;
        const auto [least, most] = std::minmax_element(ports.begin(), ports.end());
        EXPECT_GT(*least, share / 2) << ranks << " ranks";
        EXPECT_LT(*most, share * 3 / 2) << ranks << " ranks";
    }
}

TEST(RdmaRankPlacement, PodsStayTogether)
{
    // Each of two ranks has 4 of the 8 pods. The cables from pods to the 16 core switches are cut
    // at worst where a core switch has its pods on both ranks: 8 x 16 / 2.
    const RdmaTopology topology = MakeRdmaFatTree(8);
    EXPECT_LE(CountCuts(topology, PlaceRdmaNodes(topology, 2)), 64U);
}

TEST(RdmaRankPlacement, FewSwitches)
{
    // A star of 4 hosts has one switch: three ranks take nodes one by one.
    const std::vector<uint32_t> placement = PlaceRdmaNodes(MakeRdmaStar(4), 3);
    EXPECT_EQ(std::set<uint32_t>(placement.begin(), placement.end()).size(), 3U);
}

TEST(RdmaRankPlacementDeathTest, MoreRanksThanNodes)
{
    EXPECT_DEATH(PlaceRdmaNodes(MakeRdmaStar(4), 6), "6 ranks for 5 nodes");
}

TEST(RdmaRankText, ReadsWhatWasWritten)
{
    RdmaRecordWriter writer;
    writer.Put(uint64_t{7});
    writer.PutText("a text");
    writer.PutText("");
    writer.Put('x');
    RdmaRecordReader reader(writer.Get());
    EXPECT_EQ(reader.Take<uint64_t>(), 7U);
    EXPECT_EQ(reader.TakeText(), "a text");
    EXPECT_EQ(reader.TakeText(), "");
    EXPECT_FALSE(reader.IsAtEnd());
    EXPECT_EQ(reader.Take<char>(), 'x');
    EXPECT_TRUE(reader.IsAtEnd());
}
