/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fair-servers.h"
#include "rdma-test-random.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Servers that transfers share max-min fairly: rates and ends by hand, and beside a reference that
 * raises the rates of all transfers together, bit by bit, as the definition says.
 */

namespace ns3
{
namespace
{

constexpr RdmaUint128 BYTE = RdmaFairServers::WORK_OF_BYTE;
constexpr uint64_t GBPS = 1'000'000'000;

/** \return the rates of the transfers in progress, in the order in which they began */
std::vector<uint64_t>
GetRates(const RdmaFairServers& servers)
{
    std::vector<uint64_t> rates;
    for (const RdmaFairServers::Transfer& transfer : servers.GetTransfers())
    {
        rates.push_back(transfer.rate);
    }
    return rates;
}

/**
 * All rates rise together. A transfer stays where it is when one of its servers cannot give one
 * bit/s more to each of its transfers that still rise.
 */
std::vector<uint64_t>
FillByDefinition(const std::vector<uint64_t>& capacities,
                 const std::vector<std::vector<uint32_t>>& transfers)
{
    std::vector<uint64_t> rates(transfers.size(), 0);
    std::vector<bool> rises(transfers.size(), true);
    while (std::count(rises.begin(), rises.end(), true) > 0)
    {
        std::vector<uint64_t> wanted(capacities.size(), 0);
        for (std::size_t i = 0; i < transfers.size(); ++i)
        {
            for (const uint32_t server : transfers[i])
            {
                wanted[server] += rates[i] + (rises[i] ? 1 : 0);
            }
        }
        bool hasStopped = false;
        for (std::size_t i = 0; i < transfers.size(); ++i)
        {
            for (const uint32_t server : transfers[i])
            {
                if (rises[i] && wanted[server] > capacities[server])
                {
                    rises[i] = false;
                    hasStopped = true;
                }
            }
        }
        for (std::size_t i = 0; i < transfers.size() && !hasStopped; ++i)
        {
            rates[i] += rises[i] ? 1 : 0;
        }
    }
    return rates;
}

TEST(RdmaFairServers, SendersShareAReceiver)
{
    for (const uint32_t senders : {1, 7, 8})
    {
        // Server 0 receives; servers 1 and on send.
        RdmaFairServers servers(std::vector<uint64_t>(senders + 1, 56 * GBPS));
        for (uint32_t i = 0; i < senders; ++i)
        {
            servers.Begin(i, {0, i + 1}, 7000 * BYTE);
        }
        // 7000 B take 1000 ns at 56 Gb/s.
        EXPECT_EQ(servers.Divide(), senders * 1000_ns);
        EXPECT_EQ(GetRates(servers), std::vector<uint64_t>(senders, 56 * GBPS / senders));
        EXPECT_EQ(servers.AdvanceTo(senders * 1000_ns).size(), senders);
        EXPECT_EQ(servers.Divide(), RDMA_NEVER);
    }
}

// Three transfers into server 2 get a third each. The first sender has two transfers; the other one
// gets what is left, because server 1 has no other.
TEST(RdmaFairServers, WhatOneCannotUseGoesToOthers)
{
    RdmaFairServers servers(std::vector<uint64_t>(5, 24 * GBPS));
    servers.Begin(0, {0, 1}, 2000 * BYTE);
    servers.Begin(1, {0, 2}, 900 * BYTE);
    servers.Begin(2, {3, 2}, 900 * BYTE);
    servers.Begin(3, {4, 2}, 900 * BYTE);
    EXPECT_EQ(servers.Divide(), 900_ns); // 8 Gb/s: a byte in a ns
    EXPECT_EQ(GetRates(servers), (std::vector<uint64_t>{16 * GBPS, 8 * GBPS, 8 * GBPS, 8 * GBPS}));
    EXPECT_EQ(servers.AdvanceTo(900_ns), (std::vector<uint64_t>{1, 2, 3}));
    // 1800 B are done. The last 200 B have 24 Gb/s: 66.667 ns.
    EXPECT_EQ(servers.Divide(), RdmaPs(966'667));
    EXPECT_EQ(servers.AdvanceTo(RdmaPs(966'667)), (std::vector<uint64_t>{0}));
}

TEST(RdmaFairServers, RatesChangeWithinATransfer)
{
    RdmaFairServers servers({8 * GBPS});
    servers.Begin(5, {0}, 1000 * BYTE);
    EXPECT_EQ(servers.Divide(), 1000_ns);
    EXPECT_TRUE(servers.AdvanceTo(400_ns).empty());
    servers.Begin(6, {0}, 300 * BYTE);
    EXPECT_EQ(servers.Divide(), 1000_ns); // 300 B at half of the rate
    EXPECT_EQ(servers.AdvanceTo(1000_ns), std::vector<uint64_t>{6});
    EXPECT_EQ(servers.Divide(), 1300_ns); // 300 B are left of the first transfer
    EXPECT_EQ(servers.AdvanceTo(1300_ns), std::vector<uint64_t>{5});
}

TEST(RdmaFairServers, AnEndIsNeverEarly)
{
    // 1 B at 3 bit/s: 8/3 s.
    RdmaFairServers servers({3});
    servers.Begin(0, {0}, BYTE);
    EXPECT_EQ(servers.Divide(), RdmaPs(2'666'666'666'667));
    EXPECT_TRUE(servers.AdvanceTo(RdmaPs(2'666'666'666'666)).empty());
    EXPECT_EQ(servers.Divide(), RdmaPs(2'666'666'666'667));
    // 2^64 - 1 B at 1 bit/s take longer than a simulation can last.
    servers.Begin(1, {0}, UINT64_MAX * BYTE);
    servers.AdvanceTo(RdmaPs(3'000'000'000'000));
    EXPECT_EQ(servers.Divide(), RDMA_NEVER);
}

// Random servers and transfers, which begin at random instants. Between two events, the reference
// says the rates, and each transfer must have done just the work of its rates.
TEST(RdmaFairServers, RandomTransfersGetWhatTheDefinitionSays)
{
    for (uint32_t round = 1; round <= 200; ++round)
    {
        RdmaTestDice dice(round);
        const auto count = static_cast<uint32_t>(dice.Number(1, 9));
        std::vector<uint64_t> capacities;
        for (uint32_t i = 0; i < count; ++i)
        {
            capacities.push_back(dice.Number(30, 150));
        }
        RdmaFairServers servers(capacities);

        struct Known
        {
            std::vector<uint32_t> servers;
            RdmaUint128 work;
        };

        std::map<uint64_t, Known> known;
        RdmaPs now{0};
        uint64_t begun = 0;
        while (begun < 25 || !known.empty())
        {
            for (uint64_t i = begun < 25 ? dice.Number(1, 4) : 0; i > 0; --i)
            {
                std::vector<uint32_t> all;
                for (uint32_t server = 0; server < count; ++server)
                {
                    if (dice.Number(0, count) < 2)
                    {
                        all.push_back(server);
                    }
                }
                if (all.empty())
                {
                    all.push_back(static_cast<uint32_t>(dice.Number(0, count - 1)));
                }
                const RdmaUint128 work = dice.Number(1, 100'000) * RdmaUint128{1000};
                servers.Begin(begun, all, work);
                known[begun++] = {all, work};
            }
            const RdmaPs next = servers.Divide();
            std::vector<std::vector<uint32_t>> transfers;
            for (const auto& entry : known)
            {
                transfers.push_back(entry.second.servers);
            }
            const std::vector<uint64_t> rates = FillByDefinition(capacities, transfers);
            ASSERT_EQ(GetRates(servers), rates) << "round " << round;
            // To the next end, or to a point before.
            RdmaUint128 least = ~RdmaUint128{0};
            std::size_t i = 0;
            for (const auto& entry : known)
            {
                least = std::min(least, (entry.second.work + rates[i] - 1) / rates[i]);
                ++i;
            }
            ASSERT_EQ(next - now, RdmaPs(static_cast<int64_t>(least))) << "round " << round;
            RdmaPs to = next;
            if (begun < 25 && dice.Number(0, 1) == 0)
            {
                to = now + RdmaPs((next - now).Get() / 2);
            }
            const auto time = static_cast<uint64_t>((to - now).Get());
            std::vector<uint64_t> ended;
            i = 0;
            for (auto entry = known.begin(); entry != known.end(); ++i)
            {
                const RdmaUint128 done = RdmaUint128{rates[i]} * time;
                if (time > 0 && done >= entry->second.work)
                {
                    ended.push_back(entry->first);
                    entry = known.erase(entry);
                    continue;
                }
                entry->second.work -= done;
                ++entry;
            }
            ASSERT_EQ(servers.AdvanceTo(to), ended) << "round " << round;
            now = to;
        }
    }
}

} // namespace
} // namespace ns3
