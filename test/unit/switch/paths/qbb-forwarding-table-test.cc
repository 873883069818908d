/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-forwarding-table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

using Group = QbbForwardingTable::Group;

/**
 * Expects Find() and Lookup() to agree.
 *
 * \param table a table
 * \param destination an address
 * \return the group, empty without route
 */
Group
Look(const QbbForwardingTable& table, uint32_t destination)
{
    using Route = QbbForwardingTable::Route;
    const Group* group = table.Lookup(destination);
    const Route route = table.Find(destination);
    const std::size_t ports = group ? group->size() : 0;
    EXPECT_EQ(route.count, ports) << destination;
    for (uint32_t i = 0; i < ports; ++i)
    {
        EXPECT_EQ(route.GetPort(i), (*group)[i]) << destination;
    }
    return group ? *group : Group{};
}

} // namespace

TEST(QbbForwardingTable, Empty)
{
    QbbForwardingTable table;
    EXPECT_EQ(table.GetNRoutes(), 0U);
    EXPECT_EQ(table.Lookup(0), nullptr);
    EXPECT_EQ(table.Lookup(0x0a000001), nullptr);
    table.Freeze();
    EXPECT_EQ(table.Lookup(0), nullptr);
    EXPECT_EQ(table.Lookup(0xffffffff), nullptr);
}

TEST(QbbForwardingTable, SetChangeRemove)
{
    QbbForwardingTable table;
    for (const bool freeze : {false, true})
    {
        table.Clear();
        const auto settle = [&table, freeze]() {
            if (freeze)
            {
                table.Freeze();
            }
        };
        table.SetRoute(0x0a000001, {4, 1, 3});
        table.SetRoute(0x0a000002, {7});
        settle();
        EXPECT_EQ(table.GetNRoutes(), 2U);
        EXPECT_EQ(Look(table, 0x0a000001), (Group{1, 3, 4})); // ascending
        EXPECT_EQ(Look(table, 0x0a000002), (Group{7}));
        EXPECT_EQ(table.Lookup(0x0a000000), nullptr);
        EXPECT_EQ(table.Lookup(0x0a000003), nullptr);

        table.SetRoute(0x0a000001, {9, 8});
        settle();
        EXPECT_EQ(table.GetNRoutes(), 2U);
        EXPECT_EQ(Look(table, 0x0a000001), (Group{8, 9}));

        table.SetRoute(0x0a000001, {});
        settle();
        EXPECT_EQ(table.GetNRoutes(), 1U);
        EXPECT_EQ(table.Lookup(0x0a000001), nullptr);
        EXPECT_EQ(Look(table, 0x0a000002), (Group{7}));
        table.SetRoute(0x0a000005, {}); // there is no such route
        EXPECT_EQ(table.GetNRoutes(), 1U);

        table.SetRoute(0x0a000002, {});
        settle();
        EXPECT_EQ(table.GetNRoutes(), 0U);
        EXPECT_EQ(table.Lookup(0x0a000002), nullptr);
    }
}

TEST(QbbForwardingTable, SameSetSameGroup)
{
    QbbForwardingTable table;
    table.SetRoute(1, {1, 2});
    table.SetRoute(2, {2, 1});
    table.SetRoute(3, {1, 2, 3});
    table.SetRoute(4, {1});
    table.SetRoute(5, {1, 2});
    EXPECT_EQ(table.Lookup(1), table.Lookup(2));
    EXPECT_EQ(table.Lookup(1), table.Lookup(5));
    EXPECT_NE(table.Lookup(1), table.Lookup(3));
    EXPECT_NE(table.Lookup(1), table.Lookup(4));
}

TEST(QbbForwardingTable, ChangeAfterFreeze)
{
    QbbForwardingTable table;
    table.SetRoute(100, {1});
    table.SetRoute(101, {2});
    table.Freeze();
    // Without another Freeze(), the new routes apply.
    table.SetRoute(101, {3});
    table.SetRoute(102, {4});
    table.SetRoute(100, {});
    EXPECT_EQ(table.Lookup(100), nullptr);
    EXPECT_EQ(Look(table, 101), (Group{3}));
    EXPECT_EQ(Look(table, 102), (Group{4}));
}

TEST(QbbForwardingTable, EndsOfTheAddressSpace)
{
    QbbForwardingTable table;
    for (const bool freeze : {false, true})
    {
        // far apart: stays in the hash table
        table.Clear();
        table.SetRoute(0, {1});
        table.SetRoute(0xffffffff, {2});
        if (freeze)
        {
            table.Freeze();
        }
        EXPECT_EQ(Look(table, 0), (Group{1}));
        EXPECT_EQ(Look(table, 0xffffffff), (Group{2}));
        EXPECT_EQ(table.Lookup(1), nullptr);
        EXPECT_EQ(table.Lookup(0xfffffffe), nullptr);
        // an array at either end of the addresses, which does not wrap around
        table.Clear();
        table.SetRoute(0xfffffffe, {3});
        table.SetRoute(0xffffffff, {4});
        if (freeze)
        {
            table.Freeze();
        }
        EXPECT_EQ(Look(table, 0xfffffffe), (Group{3}));
        EXPECT_EQ(Look(table, 0xffffffff), (Group{4}));
        EXPECT_EQ(table.Lookup(0), nullptr);
        EXPECT_EQ(table.Lookup(0xfffffffd), nullptr);
    }
}

TEST(QbbForwardingTable, RandomAgainstAMap)
{
    std::mt19937_64 random(19);
    for (int pattern = 0; pattern < 300; ++pattern)
    {
        QbbForwardingTable table;
        std::map<uint32_t, Group> reference;
        const auto base = static_cast<uint32_t>(random());
        const uint32_t spread = 1U << (1 + random() % 20); // from dense to scattered
        const auto groups = 1 + random() % 40;
        for (int step = 0; step < 60; ++step)
        {
            const uint32_t destination = base + static_cast<uint32_t>(random() % spread);
            Group group;
            for (uint64_t bits = random() % groups * 5; bits; bits >>= 1)
            {
                if (bits & 1)
                {
                    group.push_back(static_cast<uint16_t>(bits % 11 + group.size() * 16));
                }
            }
            std::shuffle(group.begin(), group.end(), random);
            table.SetRoute(destination, group);
            std::sort(group.begin(), group.end());
            if (group.empty())
            {
                reference.erase(destination);
            }
            else
            {
                reference[destination] = group;
            }
            if (random() % 8 == 0)
            {
                table.Freeze();
            }
            ASSERT_EQ(table.GetNRoutes(), reference.size());
            for (int look = 0; look < 4; ++look)
            {
                const uint32_t which = base + static_cast<uint32_t>(random() % (spread + 4)) - 2;
                const auto found = reference.find(which);
                ASSERT_EQ(Look(table, which), found == reference.end() ? Group{} : found->second);
            }
        }
        table.Freeze();
        for (const auto& [destination, group] : reference)
        {
            ASSERT_EQ(Look(table, destination), group);
        }
    }
}

TEST(QbbForwardingTable, EveryRunOfPorts)
{
    std::vector<Group> runs;
    for (uint16_t first = 0; first < 16; ++first)
    {
        for (uint16_t end = first + 1; end <= 16; ++end)
        {
            runs.emplace_back(end - first);
            std::iota(runs.back().begin(), runs.back().end(), first);
        }
    }
    std::shuffle(runs.begin(), runs.end(), std::mt19937_64(23));
    QbbForwardingTable table;
    for (uint32_t destination = 0; destination < runs.size(); ++destination)
    {
        table.SetRoute(destination, runs[destination]);
    }
    table.Freeze();
    for (uint32_t destination = 0; destination < runs.size(); ++destination)
    {
        EXPECT_EQ(Look(table, destination), runs[destination]);
    }
}

TEST(QbbForwardingTable, LongestPrefixBehindSingleDestinations)
{
    QbbForwardingTable table;
    table.SetRoute(0x0a000001, {1});
    table.SetRoute(0x0a000003, {3});
    table.SetRoute(0xc0a80105, {5});
    table.Freeze();
    EXPECT_EQ(Look(table, 0x0a000002), Group{});
    table.AddPrefix(0xc0a80000, 16, {7, 6});
    table.AddPrefix(0, 0, {9});
    table.AddPrefix(0xc0a80100, 24, {8});
    table.AddPrefix(0x0a000000, 30, {4});
    EXPECT_EQ(Look(table, 0x0a000001), Group{1});
    EXPECT_EQ(Look(table, 0x0a000002), Group{4}) << "between single ones";
    EXPECT_EQ(Look(table, 0x0a000003), Group{3});
    EXPECT_EQ(Look(table, 0x0a000004), Group{9});
    EXPECT_EQ(Look(table, 0xc0a80105), Group{5});
    EXPECT_EQ(Look(table, 0xc0a80106), Group{8});
    EXPECT_EQ(Look(table, 0xc0a80201), (Group{6, 7}));
    EXPECT_EQ(Look(table, 0xffffffff), Group{9});
    EXPECT_EQ(table.GetNRoutes(), 3U);
    table.Clear();
    EXPECT_EQ(Look(table, 0xc0a80106), Group{});
}

TEST(QbbForwardingTable, HostsOfALeafShareARoute)
{
    // Leaf 0 is this switch, with hosts at its ports 4 and 9; leaf 1 has two hosts, leaf 2 one.
    auto hosts = std::make_shared<QbbHostIndex>();
    hosts->Set(0x0a000001, {0, 4});
    hosts->Set(0x0a000002, {0, 9});
    hosts->Set(0x0a000003, {1, 0});
    hosts->Set(0x0a000004, {1, 7});
    hosts->Set(0x0a000005, {2, 0});
    for (const bool frozen : {false, true})
    {
        QbbForwardingTable table;
        const uint64_t version = table.GetVersion();
        if (frozen)
        {
            hosts->Freeze();
        }
        table.SetHosts(hosts, 3, 0, 10);
        table.SetLeafRoute(1, {1, 2});
        EXPECT_NE(table.GetVersion(), version);
        EXPECT_EQ(Look(table, 0x0a000001), Group{4});
        EXPECT_EQ(Look(table, 0x0a000002), Group{9});
        EXPECT_EQ(Look(table, 0x0a000003), (Group{1, 2}));
        EXPECT_EQ(table.Lookup(0x0a000003), table.Lookup(0x0a000004)) << "one group";
        EXPECT_EQ(table.Lookup(0x0a000005), nullptr) << "leaf 2 has no route";
        EXPECT_EQ(table.Lookup(0x0a000006), nullptr) << "no host";
        EXPECT_EQ(table.Lookup(0x0a000000), nullptr) << "no host";
        EXPECT_EQ(table.GetNRoutes(), 4U);
        // A route of a single destination takes precedence, a prefix comes last.
        table.AddPrefix(0x0a000000, 24, {3});
        table.SetRoute(0x0a000004, {5});
        table.SetRoute(0x0a000002, {});
        for (int i = 0; i < 2; ++i, table.Freeze())
        {
            EXPECT_EQ(Look(table, 0x0a000004), Group{5});
            EXPECT_EQ(Look(table, 0x0a000003), (Group{1, 2}));
            EXPECT_EQ(Look(table, 0x0a000001), Group{4});
            EXPECT_EQ(Look(table, 0x0a000002), Group{3}) << "removed";
            EXPECT_EQ(Look(table, 0x0a000005), Group{3});
            EXPECT_EQ(table.GetNRoutes(), 3U);
        }
        table.SetLeafRoute(1, {});
        EXPECT_EQ(Look(table, 0x0a000003), Group{3});
        table.Clear();
        EXPECT_EQ(table.Lookup(0x0a000001), nullptr);
        EXPECT_EQ(table.GetNRoutes(), 0U);
    }
}

TEST(QbbAddressTable, RandomAgainstAMap)
{
    std::mt19937_64 random(23);
    for (int pattern = 0; pattern < 200; ++pattern)
    {
        QbbHostIndex index;
        std::map<uint32_t, QbbHostPlace> reference;
        const auto base = static_cast<uint32_t>(random());
        const uint32_t spread = 1U << (1 + random() % 20); // from dense to scattered
        for (int step = 0; step < 60; ++step)
        {
            const uint32_t address = base + static_cast<uint32_t>(random() % spread);
            const QbbHostPlace place{static_cast<uint32_t>(random() % 9),
                                     static_cast<uint16_t>(random() % 64)};
            index.Set(address, place);
            reference[address] = place;
            if (random() % 8 == 0)
            {
                index.Freeze();
            }
            ASSERT_EQ(index.GetValues().size(), reference.size());
            const uint32_t which = base + static_cast<uint32_t>(random() % (spread + 4)) - 2;
            const auto found = reference.find(which);
            const auto expected = found == reference.end() ? QbbHostPlace() : found->second;
            ASSERT_EQ(index.Find(which).leaf, expected.leaf);
            ASSERT_EQ(index.Find(which).port, expected.port);
        }
    }
}

TEST(QbbForwardingTable, SharedLeaves)
{
    // Leaf 0 is this switch, leaf 1 another one, leaves 2 and 3 are both: hosts 10 and 11 of leaf 2
    // are at one port of each switch, host 12 of leaf 3 is three ports higher at this one.
    auto hosts = std::make_shared<QbbHostIndex>();
    hosts->Set(9, {0, 1});
    hosts->Set(10, {2, 4});
    hosts->Set(11, {2, 5});
    hosts->Set(12, {3, 6});
    hosts->Set(13, {1, 7});
    QbbForwardingTable table;
    EXPECT_FALSE(table.HasSharedLeaves());
    table.SetHosts(hosts, 4, 0, 16, true);
    EXPECT_TRUE(table.HasSharedLeaves());
    EXPECT_EQ(table.GetLeafRoute(0), nullptr) << "the switch itself";
    EXPECT_EQ(table.GetLeafRoute(1), nullptr) << "no route yet";
    table.SetLeafRoute(1, {8, 10});
    table.SetSharedLeaf(2, 0);
    table.SetSharedLeaf(3, 3);
    for (const bool freeze : {false, true})
    {
        if (freeze)
        {
            hosts->Freeze();
        }
        EXPECT_EQ(Look(table, 9), Group{1});
        EXPECT_EQ(Look(table, 10), Group{4});
        EXPECT_EQ(Look(table, 11), Group{5});
        EXPECT_EQ(Look(table, 12), Group{9});
        EXPECT_EQ(Look(table, 13), (Group{8, 10}));
        EXPECT_EQ(table.GetNRoutes(), 5U);
    }
    EXPECT_EQ(*table.GetLeafRoute(1), (Group{8, 10}));
    EXPECT_EQ(table.GetLeafRoute(2), nullptr);
    EXPECT_EQ(table.GetLeafOf(11), 2U);
    // A difference of -1 is 65535.
    table.SetSharedLeaf(2, UINT16_MAX);
    EXPECT_EQ(Look(table, 10), Group{3});
    // A route of a single destination comes first.
    table.SetRoute(11, {0});
    EXPECT_EQ(Look(table, 11), Group{0});
    EXPECT_EQ(Look(table, 12), Group{9});
    // Host 12 has lost its link to this switch.
    hosts->Set(12, {1, 6});
    EXPECT_EQ(Look(table, 12), (Group{8, 10}));
}
