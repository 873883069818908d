/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-books.h"

#include <ns3/abort.h>

#include <utility>

namespace ns3
{

QbbBufferBooks::QbbBufferBooks(Layout layout)
    : m_layout(std::move(layout))
{
    auto& groups = m_layout.groups;
    NS_ABORT_MSG_IF(groups.size() % PRIORITIES != 0 || groups.size() != m_layout.queues.size(),
                    "rdma: buffer layout: " << groups.size() << " groups and "
                                            << m_layout.queues.size()
                                            << " queues; accepted: eight of both for each port");
    uint64_t sum = 0;
    for (const Group& group : groups)
    {
        NS_ABORT_MSG_IF(group.pool >= m_layout.pools.size(),
                        "rdma: buffer layout: a group of pool " << group.pool
                                                                << ", which does not exist");
        sum += group.reserveLimit;
    }
    for (const Queue& queue : m_layout.queues)
    {
        NS_ABORT_MSG_IF(queue.pool >= m_layout.pools.size(),
                        "rdma: buffer layout: a queue of pool " << queue.pool
                                                                << ", which does not exist");
    }
    for (Pool& pool : m_layout.pools)
    {
        sum += pool.egress ? 0 : pool.size + pool.headroomSize;
    }
    NS_ABORT_MSG_IF(sum > m_layout.memoryBytes,
                    "rdma: buffer layout: pools, reserves and headroom of "
                        << sum << " bytes in a memory of " << m_layout.memoryBytes);
    std::vector<std::size_t> lossless(m_layout.pools.size());
    for (uint32_t i = 0; i < groups.size(); ++i)
    {
        lossless[groups[i].pool] += groups[i].lossless ? 1 : 0;
        groups[GetGroupOfClass(i)].priority = i % PRIORITIES;
    }
    for (std::size_t i = 0; i < lossless.size(); ++i)
    {
        m_layout.pools[i].paused.reserve(lossless[i]);
    }
}

bool
QbbBufferBooks::HasRoom(const Queue& queue, uint32_t bytes) const
{
    if (queue.bytes + bytes > GetLimit(queue))
    {
        return false;
    }
    // The queue limits may add up to more than their pool.
    Queue grown = queue;
    grown.limited += bytes;
    return !m_layout.chargesQueues ||
           grown.GetShared() - queue.GetShared() <= m_layout.pools[queue.pool].GetFree();
}

uint64_t
QbbBufferBooks::GetHeadroomInUse(const Group& group) const
{
    if (!group.onePerPort)
    {
        return group.headroom;
    }
    uint64_t sum = 0;
    const uint32_t first = GetIndex(group) / PRIORITIES * PRIORITIES;
    for (uint32_t i = first; i < first + PRIORITIES; ++i)
    {
        sum += m_layout.groups[i].headroom;
    }
    return sum;
}

QbbBufferDecision
QbbBufferBooks::TakeHeadroom(const Group& group, uint32_t bytes, uint32_t reservedBytes) const
{
    const Pool& pool = GetPool(group);
    const uint32_t rest = bytes - reservedBytes;
    QbbBufferDecision decision = QbbBufferDecision::Drop(QbbDropReason::HEADROOM_FULL);
    decision.pause = true;
    if (rest <= group.headroomLimit - GetHeadroomInUse(group) &&
        rest <= pool.headroomSize - pool.headroomUsed)
    {
        decision.place = QbbBufferDecision::HEADROOM;
        decision.value = reservedBytes;
    }
    return decision;
}

void
QbbBufferBooks::ChargeHeadroom(Group& group, Pool& pool, uint32_t bytes)
{
    group.headroom += bytes;
    pool.headroomUsed += bytes;
    m_headroomUsed += bytes;
    if (GetHeadroomInUse(group) > group.headroomLimit || pool.headroomUsed > pool.headroomSize)
    {
        RefuseOverdraft(group);
    }
    group.peakHeadroom = std::max(group.peakHeadroom, group.headroom);
    m_peakHeadroomUsed = std::max(m_peakHeadroomUsed, m_headroomUsed);
}

void
QbbBufferBooks::RefuseOverdraft(const Group& group) const
{
    const Pool& pool = GetPool(group);
    NS_ABORT_MSG("rdma: the buffer policy admits more than there is: port "
                 << GetIndex(group) / PRIORITIES << ", group " << GetIndex(group) % PRIORITIES
                 << ": reserve " << group.reserved << " of " << group.reserveLimit << ", headroom "
                 << GetHeadroomInUse(group) << " of " << group.headroomLimit
                 << "; its pool: shared " << pool.used << " of " << pool.size << ", headroom "
                 << pool.headroomUsed << " of " << pool.headroomSize);
}

void
QbbBufferBooks::ChargeEgressPool(Queue& queue, uint64_t change)
{
    const uint64_t before = queue.GetShared();
    queue.limited += change;
    // The difference is modulo 2^64, so that the pool may shrink.
    m_layout.pools[queue.pool].used += queue.GetShared() - before;
}

void
QbbBufferBooks::Pause(Group& group)
{
    group.paused = true;
    const uint32_t index = GetIndex(group);
    auto& paused = GetPool(group).paused;
    const auto place = m_layout.resumesByClass
                           ? std::upper_bound(paused.begin(), paused.end(), index)
                           : paused.end();
    paused.insert(place, index);
}

void
QbbBufferBooks::Resume(Group& group)
{
    Pool& pool = GetPool(group);
    pool.used += group.headroom;
    pool.headroomUsed -= group.headroom;
    m_headroomUsed -= group.headroom;
    group.shared += group.headroom;
    group.headroom = 0;
    group.paused = false;
    if (pool.used > pool.size)
    {
        RefuseOverdraft(group);
    }
}

QbbBufferUsage
QbbBufferBooks::GetUsage() const
{
    QbbBufferUsage usage;
    usage.sizeBytes = m_layout.memoryBytes;
    usage.usedBytes = m_used;
    usage.peakUsedBytes = m_peakUsed;
    usage.headroomBytes = m_headroomUsed;
    usage.peakHeadroomBytes = m_peakHeadroomUsed;
    for (const Pool& pool : m_layout.pools)
    {
        if (!pool.egress)
        {
            usage.sharedSize += pool.size;
            usage.sharedBytes += pool.used;
            usage.headroomSize += pool.headroomSize;
        }
    }
    for (const Group& group : m_layout.groups)
    {
        usage.reservedSize += group.reserveLimit;
        usage.reservedBytes += group.reserved;
    }
    return usage;
}

QbbIngressUsage
QbbBufferBooks::GetUsage(const Group& group) const
{
    QbbIngressUsage usage;
    usage.bytes = group.GetBytes();
    usage.reservedBytes = group.reserved;
    usage.sharedBytes = group.shared;
    usage.headroomBytes = group.headroom;
    usage.headroomLimit = group.headroomLimit;
    usage.threshold = group.limit.Get(GetPool(group).GetFree());
    usage.peakBytes = group.peak;
    usage.peakHeadroomBytes = group.peakHeadroom;
    usage.paused = group.paused;
    return usage;
}

bool
QbbBufferBooks::IsEmpty() const
{
    const bool noGroup =
        std::all_of(m_layout.groups.begin(), m_layout.groups.end(), [](const Group& group) {
            return group.GetBytes() == 0 && !group.paused;
        });
    const bool noQueue = std::all_of(m_layout.queues.begin(),
                                     m_layout.queues.end(),
                                     [](const Queue& queue) { return queue.bytes == 0; });
    const bool noPool =
        std::all_of(m_layout.pools.begin(), m_layout.pools.end(), [](const Pool& pool) {
            return pool.used == 0 && pool.headroomUsed == 0;
        });
    return noGroup && noQueue && noPool && m_used == 0 && m_headroomUsed == 0;
}

std::vector<uint64_t>
QbbBufferBooks::TakePeaks()
{
    std::vector<uint64_t> peaks;
    peaks.reserve(2 * m_layout.groups.size());
    for (Group& group : m_layout.groups)
    {
        peaks.push_back(std::exchange(group.peak, group.GetBytes()));
        peaks.push_back(std::exchange(group.peakHeadroom, group.headroom));
    }
    return peaks;
}

std::vector<uint64_t>
QbbBufferBooks::GetBytesByGroup() const
{
    std::vector<uint64_t> bytes;
    bytes.reserve(2 * m_layout.groups.size());
    for (const Group& group : m_layout.groups)
    {
        bytes.push_back(group.GetBytes());
        bytes.push_back(group.headroom);
    }
    return bytes;
}

} // namespace ns3
