/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fair-servers.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ns3
{

RdmaFairServers::RdmaFairServers(const std::vector<uint64_t>& rates)
    : m_servers(rates.size())
{
    for (std::size_t i = 0; i < rates.size(); ++i)
    {
        m_servers[i].rate = rates[i];
    }
}

std::vector<uint64_t>
RdmaFairServers::AdvanceTo(RdmaPs now)
{
    const auto time = static_cast<uint64_t>((now - m_now).Get());
    m_now = now;
    std::vector<uint64_t> ended;
    if (time == 0)
    {
        return ended;
    }
    std::size_t kept = 0;
    for (Transfer& transfer : m_transfers)
    {
        const RdmaUint128 done = RdmaUint128{transfer.rate} * time;
        if (done >= transfer.work)
        {
            ended.push_back(transfer.id);
            continue;
        }
        transfer.work -= done;
        if (&m_transfers[kept] != &transfer)
        {
            m_transfers[kept] = std::move(transfer);
        }
        ++kept;
    }
    m_transfers.resize(kept);
    return ended;
}

void
RdmaFairServers::Begin(uint64_t id, std::vector<uint32_t> servers, RdmaUint128 work)
{
    m_transfers.push_back({id, std::move(servers), work, 0});
}

RdmaPs
RdmaFairServers::Divide()
{
    for (Server& server : m_servers)
    {
        server.left = server.rate;
        server.waiting = 0;
    }
    for (const Transfer& transfer : m_transfers)
    {
        for (const uint32_t number : transfer.servers)
        {
            ++m_servers[number].waiting;
        }
    }
    m_waiting.resize(m_transfers.size());
    std::iota(m_waiting.begin(), m_waiting.end(), 0);
    RdmaUint128 next = static_cast<uint64_t>((RDMA_NEVER - m_now).Get());
    while (!m_waiting.empty())
    {
        // The servers with the smallest share are full: their transfers get no more than that.
        uint64_t smallest = UINT64_MAX;
        for (Server& server : m_servers)
        {
            server.share = server.waiting > 0 ? server.left / server.waiting : UINT64_MAX;
            smallest = std::min(smallest, server.share);
        }
        RdmaUint128 leastWork = ~RdmaUint128{0};
        std::size_t kept = 0;
        for (const uint32_t place : m_waiting)
        {
            Transfer& transfer = m_transfers[place];
            const auto isFull = [this, smallest](uint32_t number) {
                return m_servers[number].share == smallest;
            };
            if (std::none_of(transfer.servers.begin(), transfer.servers.end(), isFull))
            {
                m_waiting[kept++] = place;
                continue;
            }
            transfer.rate = smallest;
            leastWork = std::min(leastWork, transfer.work);
            for (const uint32_t number : transfer.servers)
            {
                m_servers[number].left -= smallest;
                --m_servers[number].waiting;
            }
        }
        m_waiting.resize(kept);
        next = std::min(next, (leastWork + smallest - 1) / smallest);
    }
    return m_now + RdmaPs(static_cast<int64_t>(next));
}

} // namespace ns3
