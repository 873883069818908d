/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-event-order.h"
#include "rdma-time.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * The order in which ports of a node have their events of one instant: RdmaPortPlace().
 */

namespace ns3
{
namespace
{

/// Instants at which full frames arrive: on a grid, from some start.
constexpr RdmaPs FRAME = 83'360_ps;
constexpr RdmaPs START = 1_us;

TEST(RdmaPortPlace, IsAPermutationOfThePorts)
{
    for (const uint32_t node : {0U, 1U, 40U, 70'000U})
    {
        for (int64_t i = 0; i < 200; ++i)
        {
            std::set<uint32_t> places;
            for (uint32_t port = 0; port < RdmaEventOrder::PLACES; ++port)
            {
                places.insert(RdmaPortPlace(node, port, START + i * FRAME));
            }
            ASSERT_EQ(places.size(), RdmaEventOrder::PLACES) << "node " << node << ", " << i;
            ASSERT_LT(*places.rbegin(), RdmaEventOrder::PLACES);
        }
    }
}

/** Checks that all places of a phase are taken, each by equally many ports. */
template <typename Phase>
void
ExpectAllPlaces()
{
    std::map<uint32_t, uint32_t> taken;
    for (uint32_t place = 0; place < RdmaEventOrder::PLACES; ++place)
    {
        ++taken[Phase::AtPort(place)];
    }
    EXPECT_EQ(taken.begin()->first, Phase::FIRST);
    EXPECT_EQ(taken.rbegin()->first, Phase::LAST);
    for (const auto& [place, ports] : taken)
    {
        EXPECT_EQ(ports, RdmaEventOrder::PLACES / Phase::SIZE) << place;
    }
}

TEST(RdmaPortPlace, FillsAPhaseEvenly)
{
    ExpectAllPlaces<RdmaEventOrder::Arrivals>();
    ExpectAllPlaces<RdmaEventOrder::Ports>();
    ExpectAllPlaces<RdmaEventOrder::Pipelines>();
}

// Each of n ports is first, and last, at one instant in n. 40 000 instants: five standard
// deviations are 5 sqrt(n / 40 000) of that, or 14% for 32 ports.
TEST(RdmaPortPlace, EachPortIsFirstAndLastAsOften)
{
    constexpr int64_t INSTANTS = 40'000;
    for (const uint32_t n : {2U, 3U, 5U, 8U, 32U})
    {
        std::vector<double> first(n);
        std::vector<double> last(n);
        for (int64_t i = 0; i < INSTANTS; ++i)
        {
            uint32_t low = 0;
            uint32_t high = 0;
            const auto at = [i](uint32_t port) {
                return RdmaPortPlace(33, port, START + i * FRAME);
            };
            for (uint32_t port = 1; port < n; ++port)
            {
                low = at(port) < at(low) ? port : low;
                high = at(port) > at(high) ? port : high;
            }
            first[low] += n / static_cast<double>(INSTANTS);
            last[high] += n / static_cast<double>(INSTANTS);
        }
        for (uint32_t port = 0; port < n; ++port)
        {
            EXPECT_NEAR(first[port], 1, 0.15) << port << " of " << n;
            EXPECT_NEAR(last[port], 1, 0.15) << port << " of " << n;
        }
    }
}

// The order at one instant and node is independent of the order at other instants and nodes.
TEST(RdmaPortPlace, DiffersFromInstantToInstantAndFromNodeToNode)
{
    constexpr int64_t INSTANTS = 10'000;
    int same = 0;
    int sameAtNext = 0;
    for (int64_t i = 0; i < INSTANTS; ++i)
    {
        const auto wins = [i](uint32_t node, int64_t later) {
            const RdmaPs at = START + (i + later) * FRAME;
            return RdmaPortPlace(node, 0, at) < RdmaPortPlace(node, 1, at);
        };
        same += wins(7, 0) == wins(7, 1);
        sameAtNext += wins(7, 0) == wins(8, 0);
    }
    EXPECT_NEAR(same, INSTANTS / 2, 250);
    EXPECT_NEAR(sameAtNext, INSTANTS / 2, 250);
}

} // namespace
} // namespace ns3
