/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * QbbSharedBuffer: how the memory is divided, once.
 */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer.h"

#include <ns3/abort.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_MEMORY_BYTES = std::numeric_limits<uint32_t>::max();

uint32_t
GetXonOffset(uint32_t wanted, const QbbPortProfile& port)
{
    return wanted ? wanted : 2 * std::max(port.maxFrameBytes, port.peerMaxFrameBytes);
}

} // namespace

uint32_t
QbbSharedBuffer::ToFixed(double alpha)
{
    return static_cast<uint32_t>(std::llround(std::ldexp(alpha, ALPHA_BITS)));
}

void
QbbSharedBuffer::SetPlan(const QbbBufferPlan& plan)
{
    CheckQbbBufferPlan(plan);
    m_plan = plan;
}

void
QbbSharedBuffer::Configure(const std::vector<QbbPortProfile>& ports)
{
    NS_ABORT_MSG_IF(!IsEmpty(), "rdma: QbbSharedBuffer: configured while it holds frames");
    NS_ABORT_MSG_IF(ports.size() > std::numeric_limits<uint16_t>::max(),
                    "rdma: QbbSharedBuffer: " << ports.size() << " ports; accepted: 0 to 65535");
    m_groups = MakeGroups(ports);
    m_portHeadroom.assign(ports.size(), 0);
    const Guarantees needed = DivideMemory();
    m_queues = MakeQueues(ports);
    m_groupOf = m_plan ? m_plan->groupOfClass : std::array<uint8_t, 8>{{0, 1, 2, 3, 4, 5, 6, 7}};
    for (uint32_t i = 0; i < m_groups.size(); ++i)
    {
        m_groups[i / PRIORITIES * PRIORITIES + m_groupOf[i % PRIORITIES]].priority = i % PRIORITIES;
    }
    for (Pool& pool : m_pools)
    {
        pool.paused.reserve(needed.nLossless);
    }
    m_peakUsed = 0;
    m_peakHeadroomUsed = 0;
}

uint64_t
QbbSharedBuffer::GetGuaranteedBytes(const std::vector<QbbPortProfile>& ports) const
{
    const Guarantees guarantees = AddUp(MakeGroups(ports));
    return guarantees.reserved + guarantees.headroom + guarantees.pools;
}

std::vector<QbbSharedBuffer::Group>
QbbSharedBuffer::MakeGroups(const std::vector<QbbPortProfile>& ports) const
{
    NS_ABORT_MSG_IF(m_plan && m_plan->ports.size() != 1 && m_plan->ports.size() != ports.size(),
                    "rdma: QbbSharedBuffer: a buffer plan for "
                        << m_plan->ports.size() << " ports; the switch has " << ports.size());
    std::vector<Group> groups(ports.size() * PRIORITIES);
    for (std::size_t port = 0; port < ports.size(); ++port)
    {
        // also checks the profile if the result is not wanted
        const uint64_t computed =
            ports[port].losslessMask ? QbbPfcHeadroom::GetBytes(ports[port]) : 0;
        for (uint8_t i = 0; i < PRIORITIES; ++i)
        {
            Group& group = groups[port * PRIORITIES + i];
            m_plan ? SetUpPlannedGroup(group, ports[port], port, i)
                   : SetUpGroup(group, ports[port], i);
            if (!group.lossless)
            {
                continue;
            }
            const uint64_t headroom = group.headroomLimit ? group.headroomLimit : computed;
            NS_ABORT_MSG_IF(headroom > MAX_MEMORY_BYTES,
                            "rdma: QbbSharedBuffer: port "
                                << port << " needs " << headroom
                                << " bytes of headroom for each lossless priority; more than any "
                                   "BufferSize. Check its rate, delay and reaction time");
            group.headroomLimit = static_cast<uint32_t>(headroom);
            group.onePerPort = ports[port].oneHeadroom && !m_plan;
        }
    }
    return groups;
}

void
QbbSharedBuffer::SetUpGroup(Group& group, const QbbPortProfile& port, uint8_t priority) const
{
    const uint32_t bit = 1U << priority;
    group.lossless = (port.losslessMask & bit) != 0;
    const bool used = group.lossless || (port.usedMask & bit) != 0;
    group.reserveLimit = used ? m_reserveBytes : 0;
    if (!group.lossless)
    {
        group.pool = m_lossyPoolBytes ? 1 : 0;
        group.alpha = ToFixed(m_classAlphas.Get(priority, m_lossyAlpha));
        return;
    }
    group.headroomLimit = m_headroomBytes;
    group.base = m_xoffBytes;
    group.alpha = m_xoffBytes ? 0 : ToFixed(m_classAlphas.Get(priority, m_losslessAlpha));
    group.xonOffset = GetXonOffset(m_xonOffsetBytes, port);
    NS_ABORT_MSG_IF(m_xoffBytes && group.xonOffset >= m_xoffBytes,
                    "rdma: QbbSharedBuffer: XON would be "
                        << group.xonOffset << " bytes below an XoffBytes of " << m_xoffBytes
                        << "; accepted: XoffBytes above XonOffsetBytes (by default two of the "
                           "largest frames)");
}

void
QbbSharedBuffer::SetUpPlannedGroup(Group& group,
                                   const QbbPortProfile& port,
                                   std::size_t index,
                                   uint8_t number) const
{
    uint32_t classes = 0;
    uint32_t lossless = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const bool member = m_plan->groupOfClass[priority] == number;
        classes += member ? 1 : 0;
        lossless += member && (port.losslessMask >> priority & 1) ? 1 : 0;
    }
    NS_ABORT_MSG_IF(lossless > 0 && classes > 1,
                    "rdma: buffer plan: priority group "
                        << +number << " has " << classes << " classes, and one is lossless at "
                        << "port " << index << "; accepted: a group for each lossless class");
    group.lossless = lossless > 0;
    const int16_t which = GetPortPlan(index).groups[number];
    NS_ABORT_MSG_IF(group.lossless && which == QbbPortBufferPlan::NONE,
                    "rdma: buffer plan: priority group " << +number << " of port " << index
                                                         << " is lossless and has no profile");
    if (which == QbbPortBufferPlan::NONE)
    {
        return;
    }
    const QbbBufferProfile& profile = m_plan->profiles[which];
    group.pool = profile.pool;
    group.reserveLimit = profile.reserveBytes;
    group.base = profile.alpha ? 0 : profile.limitBytes;
    group.alpha = ToFixed(profile.alpha.value_or(0));
    if (group.lossless)
    {
        group.headroomLimit = profile.headroomBytes;
        group.xon = profile.xonBytes;
        group.xonOffset = GetXonOffset(profile.xonOffsetBytes, port);
    }
}

std::vector<QbbSharedBuffer::Queue>
QbbSharedBuffer::MakeQueues(const std::vector<QbbPortProfile>& ports) const
{
    std::vector<Queue> queues(ports.size() * PRIORITIES);
    for (std::size_t i = 0; i < queues.size(); ++i)
    {
        Queue& queue = queues[i];
        const std::size_t port = i / PRIORITIES;
        const uint8_t priority = i % PRIORITIES;
        if (m_limitsAll)
        {
            const int16_t which = GetPortPlan(port).queues[priority];
            if (which != QbbPortBufferPlan::NONE)
            {
                const QbbBufferProfile& profile = m_plan->profiles[which];
                const uint64_t limit = profile.alpha ? 0 : profile.limitBytes;
                queue.pool = profile.pool;
                queue.reserve = profile.reserveBytes;
                queue.base =
                    static_cast<uint32_t>(std::min(limit + profile.reserveBytes, MAX_MEMORY_BYTES));
                queue.alpha = ToFixed(profile.alpha.value_or(0));
            }
        }
        else if (m_plan)
        {
            queue.base = MAX_MEMORY_BYTES;
        }
        else
        {
            queue.pool = static_cast<uint32_t>(m_pools.size()) - 1;
            queue.base = m_egressLimitBytes ? m_egressLimitBytes : m_egressMinBytes;
            queue.alpha = m_egressLimitBytes
                              ? 0
                              : ToFixed(m_classEgressAlphas.Get(priority, m_lossyEgressAlpha));
            queue.reserve = m_egressMinBytes;
        }
    }
    return queues;
}

QbbSharedBuffer::Guarantees
QbbSharedBuffer::AddUp(const std::vector<Group>& groups) const
{
    Guarantees sum;
    sum.headroomOfPool.resize(m_plan ? m_plan->pools.size() : 2);
    uint32_t largest = 0;
    bool portHasHeadroom = false;
    for (std::size_t i = 0; i < groups.size(); ++i)
    {
        const Group& group = groups[i];
        portHasHeadroom = portHasHeadroom && i % PRIORITIES > 0;
        sum.reserved += group.reserveLimit;
        if (group.lossless && !(group.onePerPort && portHasHeadroom))
        {
            sum.headroomOfPool[group.pool] += group.headroomLimit;
            ++sum.nHeadrooms;
            portHasHeadroom = true;
        }
        largest = std::max(largest, group.headroomLimit);
        sum.nReserves += group.reserveLimit ? 1 : 0;
        sum.nLossless += group.lossless ? 1 : 0;
    }
    for (std::size_t pool = 0; m_plan && pool < m_plan->pools.size(); ++pool)
    {
        const QbbBufferPool& described = m_plan->pools[pool];
        sum.pools += described.egress ? 0 : described.bytes;
        if (described.headroomBytes > 0)
        {
            sum.headroomOfPool[pool] = described.headroomBytes;
        }
    }
    for (const uint64_t headroom : sum.headroomOfPool)
    {
        sum.headroom += headroom;
    }
    if (m_headroomPool && !m_plan)
    {
        sum.headroom = m_headroomPoolBytes
                           ? m_headroomPoolBytes
                           : static_cast<uint64_t>(std::ceil(static_cast<double>(sum.headroom) /
                                                             m_headroomOversubscription));
        sum.headroomOfPool[0] = sum.headroom;
        NS_ABORT_MSG_IF(sum.headroom < largest,
                        "rdma: QbbSharedBuffer: a headroom pool of "
                            << sum.headroom << " bytes; accepted: at least " << largest
                            << ", which one lossless (port, priority) alone can need");
    }
    return sum;
}

QbbSharedBuffer::Guarantees
QbbSharedBuffer::DivideMemory()
{
    const Guarantees needed = AddUp(m_groups);
    const uint64_t fixed = needed.reserved + needed.headroom;
    NS_ABORT_MSG_IF(fixed >= m_bufferSize,
                    "rdma: QbbSharedBuffer: a BufferSize of "
                        << m_bufferSize << " bytes is too small for " << GetNPorts()
                        << " ports: " << needed.nReserves << " reserves take " << needed.reserved
                        << " bytes, headroom for " << needed.nHeadrooms
                        << " lossless (port, priority) takes " << needed.headroom << ", together "
                        << fixed << ", and something must be left to share");
    m_size = m_bufferSize;
    m_reservedSize = static_cast<uint32_t>(needed.reserved);
    const auto shared = static_cast<uint32_t>(m_size - fixed);
    m_pools.clear();
    m_egressPools = false;
    m_limitsAll = false;
    if (m_plan)
    {
        NS_ABORT_MSG_IF(needed.pools > shared,
                        "rdma: QbbSharedBuffer: the plan's ingress pools have "
                            << needed.pools << " bytes, and reserves and headroom take " << fixed
                            << "; accepted: a BufferSize of at least " << needed.pools + fixed
                            << " (it is " << m_bufferSize << ")");
        for (std::size_t i = 0; i < m_plan->pools.size(); ++i)
        {
            const QbbBufferPool& pool = m_plan->pools[i];
            const auto headroom = static_cast<uint32_t>(needed.headroomOfPool[i]);
            m_pools.push_back({pool.bytes, 0, pool.egress ? 0 : headroom, 0, pool.egress});
        }
        for (const QbbPortBufferPlan& port : m_plan->ports)
        {
            m_limitsAll |= std::any_of(port.queues.begin(), port.queues.end(), [](int16_t which) {
                return which != QbbPortBufferPlan::NONE;
            });
        }
        m_egressPools = m_limitsAll;
        return needed;
    }
    NS_ABORT_MSG_IF(m_lossyPoolBytes >= shared,
                    "rdma: QbbSharedBuffer: LossyPoolBytes is " << m_lossyPoolBytes << ", but only "
                                                                << shared << " bytes are shared");
    const auto headroom = static_cast<uint32_t>(needed.headroom);
    m_pools.push_back({shared - m_lossyPoolBytes, 0, headroom, 0, false});
    if (m_lossyPoolBytes)
    {
        m_pools.push_back({m_lossyPoolBytes, 0, 0, 0, false});
    }
    if (m_lossyEgressPoolBytes)
    {
        m_pools.push_back({m_lossyEgressPoolBytes, 0, 0, 0, true});
        m_egressPools = true;
    }
    NS_ABORT_MSG_IF(needed.nLossless && m_xoffBytes > m_pools[0].size,
                    "rdma: QbbSharedBuffer: XoffBytes is "
                        << m_xoffBytes << ", but only " << m_pools[0].size << " bytes are shared");
    return needed;
}

} // namespace ns3
