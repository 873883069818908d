/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-operation-graph.h"

#include "rdma-refuse.h"
#include "rdma-schedule-rank.h"

#include <utility>

namespace ns3
{

uint32_t
RdmaOperationGraph::Add(const RdmaOperation& operation)
{
    RefuseRdmaIf(m_count + 1 == MOST,
                 "operation ",
                 m_count,
                 " of a rank; accepted: up to ",
                 MOST - 1);
    if (m_count % BLOCK == 0)
    {
        m_blocks.push_back(std::make_unique<Block>());
    }
    const uint32_t number = m_count++;
    GetEntry(number).operation = operation;
    ++m_blocks.back()->left;
    return number;
}

void
RdmaOperationGraph::AddDependency(uint32_t operation, uint32_t before, After after)
{
    for (const uint32_t number : {operation, before})
    {
        RefuseRdmaIf(number >= m_count,
                     "a dependency names operation ",
                     number,
                     "; accepted: 0 to ",
                     int64_t{m_count} - 1);
    }
    RefuseRdmaIf(operation == before, "operation ", operation, " depends on itself");
    RefuseRdmaIf(m_nEdges + 1 == NONE,
                 "a rank has too many dependencies; accepted: up to ",
                 NONE - 1);
    if (m_nEdges % EDGES == 0)
    {
        m_edges.push_back(std::make_unique<EdgeBlock>());
    }
    const uint32_t number = m_nEdges++;
    Entry& first = GetEntry(before);
    (*m_edges.back())[number % EDGES] = {2 * operation + (after == After::BEGIN ? 1 : 0),
                                         first.first};
    first.first = number;
    if (after == After::BEGIN)
    {
        first.operation.tellsBegin = true;
    }
    ++GetEntry(operation).waits;
}

std::size_t
RdmaOperationGraph::GetMemory() const
{
    std::size_t bytes = m_edges.size() * sizeof(EdgeBlock) + m_blocks.capacity() * sizeof(void*) +
                        m_edges.capacity() * sizeof(void*);
    for (const auto& block : m_blocks)
    {
        bytes += block ? sizeof(Block) : 0;
    }
    return bytes;
}

void
RdmaOperationGraph::BeginOne(RdmaScheduleRank& rank, uint32_t number)
{
    rank.Begin(*this, number, GetEntry(number).operation);
}

void
RdmaOperationGraph::Start(RdmaScheduleRank& rank)
{
    // The ends of operations are told later, so that no dependency is met during this loop.
    for (uint32_t number = 0; number < m_count; ++number)
    {
        if (GetEntry(number).waits == 0)
        {
            BeginOne(rank, number);
        }
    }
}

/** Begins the operations whose last unmet dependency was on an operation, in the order in which the
 * dependencies were added. */
void
RdmaOperationGraph::Meet(RdmaScheduleRank& rank, uint32_t number, bool begun)
{
    std::vector<uint32_t> ready = std::move(m_ready);
    ready.clear();
    for (uint32_t edge = GetEntry(number).first; edge != NONE; edge = GetEdge(edge).next)
    {
        const uint32_t target = GetEdge(edge).target;
        if ((target % 2 == 1) == begun && --GetEntry(target / 2).waits == 0)
        {
            ready.push_back(target / 2);
        }
    }
    for (auto it = ready.rbegin(); it != ready.rend(); ++it)
    {
        BeginOne(rank, *it);
    }
    m_ready = std::move(ready);
}

void
RdmaOperationGraph::Begun(RdmaScheduleRank& rank, uint64_t id)
{
    Meet(rank, static_cast<uint32_t>(id), true);
}

void
RdmaOperationGraph::Ended(RdmaScheduleRank& rank, uint64_t id)
{
    const auto number = static_cast<uint32_t>(id);
    ++m_ended;
    GetEntry(number).waits = NONE;
    Meet(rank, number, false);
    auto& block = m_blocks[number / BLOCK];
    if (--block->left == 0)
    {
        block = nullptr;
    }
}

std::string
RdmaOperationGraph::GetName(uint64_t id) const
{
    return "operation " + std::to_string(id);
}

void
RdmaOperationGraph::DescribeWait(std::vector<std::string>& lines) const
{
    constexpr std::size_t MOST_LINES = 4;
    std::vector<std::pair<uint32_t, uint32_t>> waits; // operation that waits, operation before
    uint64_t more = 0;
    for (uint32_t before = 0; before < m_count; ++before)
    {
        if (!m_blocks[before / BLOCK] || GetEntry(before).waits == NONE)
        {
            continue; // the operation has ended
        }
        const bool hasBegun = GetEntry(before).waits == 0;
        for (uint32_t edge = GetEntry(before).first; edge != NONE; edge = GetEdge(edge).next)
        {
            const uint32_t target = GetEdge(edge).target;
            if (target % 2 == 1 && hasBegun)
            {
                continue;
            }
            if (waits.size() < MOST_LINES)
            {
                waits.emplace_back(target / 2, before);
            }
            else
            {
                ++more;
            }
        }
    }
    for (const auto& [operation, before] : waits)
    {
        lines.push_back(GetName(operation) + " waits for " + GetName(before));
    }
    if (more > 0)
    {
        lines.push_back(std::to_string(more) + " more dependencies are not met");
    }
}

} // namespace ns3
