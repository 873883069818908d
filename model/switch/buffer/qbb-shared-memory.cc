/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-memory.h"

#include "qbb-pfc-headroom.h"
#include "rdma-refuse.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint32_t PRIORITIES = QbbBufferBooks::PRIORITIES;

uint64_t
GetXonOffset(uint64_t wanted, const QbbPortProfile& port)
{
    return wanted ? wanted : 2 * std::max(port.maxFrameBytes, port.peerMaxFrameBytes);
}

} // namespace

QbbSharedMemory::QbbSharedMemory(const QbbSharedBufferSettings& settings,
                                 const std::optional<QbbBufferPlan>& plan,
                                 const std::vector<QbbPortProfile>& ports)
    : m_settings(settings),
      m_plan(plan),
      m_ports(ports),
      m_groups(MakeGroups()),
      m_needed(AddUp())
{
}

uint64_t
QbbSharedMemory::GetGuaranteedBytes() const
{
    return m_needed.reserved + m_needed.headroom + m_needed.pools;
}

std::vector<QbbBufferBooks::Group>
QbbSharedMemory::MakeGroups() const
{
    const std::size_t planned =
        m_plan && m_plan->ports.size() != 1 ? m_plan->ports.size() : m_ports.size();
    RefuseRdmaIf(planned != m_ports.size(),
                 "QbbSharedBuffer: a buffer plan for ",
                 planned,
                 " ports; the switch has ",
                 m_ports.size());
    std::vector<Group> groups;
    groups.reserve(m_ports.size() * PRIORITIES);
    for (std::size_t port = 0; port < m_ports.size(); ++port)
    {
        // GetBytes() is called even if its result is not used, because it validates the profile.
        const uint64_t computed =
            m_ports[port].losslessMask ? QbbPfcHeadroom::GetBytes(m_ports[port]) : 0;
        for (uint8_t i = 0; i < PRIORITIES; ++i)
        {
            Group& group =
                groups.emplace_back(m_plan ? MakePlannedGroup(port, i) : MakeGroup(port, i));
            if (!group.lossless)
            {
                continue;
            }
            const uint64_t headroom = GetGivenHeadroom(port, i).value_or(computed);
            RefuseRdmaIf(headroom > QBB_MAX_BUFFER_BYTES,
                         "QbbSharedBuffer: port ",
                         port,
                         " needs ",
                         headroom,
                         " bytes of headroom for each lossless priority; more than any "
                         "BufferSize. Check its rate, delay and reaction time");
            group.headroomLimit = headroom;
            group.onePerPort = m_ports[port].oneHeadroom && !m_plan;
        }
    }
    return groups;
}

std::optional<uint64_t>
QbbSharedMemory::GetGivenHeadroom(std::size_t port, uint8_t number) const
{
    if (m_plan)
    {
        return m_plan->profiles[GetPortPlan(port).groups[number]].headroomBytes;
    }
    return m_settings.headroomBytes ? std::optional<uint64_t>(m_settings.headroomBytes)
                                    : std::nullopt;
}

QbbBufferBooks::Group
QbbSharedMemory::MakeGroup(std::size_t port, uint8_t priority) const
{
    const QbbPortProfile& profile = m_ports[port];
    const uint32_t bit = 1U << priority;
    Group group;
    group.lossless = (profile.losslessMask & bit) != 0;
    const bool used = group.lossless || (profile.usedMask & bit) != 0;
    group.reserveLimit = used ? m_settings.reserveBytes : 0;
    const double alpha = group.lossless ? m_settings.losslessAlpha : m_settings.lossyAlpha;
    const uint32_t fixed = QbbBufferLimit::ToFixed(m_settings.classAlphas.Get(priority, alpha));
    if (!group.lossless)
    {
        group.pool = m_settings.lossyPoolBytes ? 1 : 0;
        group.limit.alpha = fixed;
        return group;
    }
    const uint64_t xoff = m_settings.xoffBytes;
    group.limit = {xoff, xoff ? 0 : fixed};
    group.xonOffset = GetXonOffset(m_settings.xonOffsetBytes, profile);
    RefuseRdmaIf(xoff && group.xonOffset >= xoff,
                 "QbbSharedBuffer: XON would be ",
                 group.xonOffset,
                 " bytes below an XoffBytes of ",
                 xoff,
                 "; accepted: XoffBytes above XonOffsetBytes (by default two of the "
                 "largest frames)");
    return group;
}

QbbBufferBooks::Group
QbbSharedMemory::MakePlannedGroup(std::size_t port, uint8_t number) const
{
    uint32_t classes = 0;
    uint32_t lossless = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const bool member = m_plan->groupOfClass[priority] == number;
        classes += member ? 1 : 0;
        lossless += member && (m_ports[port].losslessMask >> priority & 1) ? 1 : 0;
    }
    RefuseRdmaIf(lossless > 0 && classes > 1,
                 "buffer plan: priority group ",
                 +number,
                 " has ",
                 classes,
                 " classes, and one is lossless at ",
                 "port ",
                 port,
                 "; accepted: a group for each lossless class");
    Group group;
    group.lossless = lossless > 0;
    const int16_t which = GetPortPlan(port).groups[number];
    RefuseRdmaIf(group.lossless && which == QbbPortBufferPlan::NONE,
                 "buffer plan: priority group ",
                 +number,
                 " of port ",
                 port,
                 " is lossless and has no profile");
    if (which == QbbPortBufferPlan::NONE)
    {
        return group;
    }
    const QbbBufferProfile& profile = m_plan->profiles[which];
    group.pool = profile.pool;
    group.reserveLimit = profile.reserveBytes;
    group.limit.bytes = profile.alpha ? 0 : profile.limitBytes;
    group.limit.alpha = QbbBufferLimit::ToFixed(profile.alpha.value_or(0));
    if (group.lossless)
    {
        group.xon = profile.xonBytes;
        group.xonOffset = GetXonOffset(profile.xonOffsetBytes, m_ports[port]);
    }
    return group;
}

QbbSharedMemory::Guarantees
QbbSharedMemory::AddUp() const
{
    Guarantees sum;
    sum.headroomOfPool.resize(m_plan ? m_plan->pools.size() : 2);
    uint64_t largest = 0;
    bool portHasHeadroom = false;
    for (std::size_t i = 0; i < m_groups.size(); ++i)
    {
        const Group& group = m_groups[i];
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
    if (m_settings.headroomPool && !m_plan)
    {
        sum.headroom = m_settings.headroomPoolBytes
                           ? m_settings.headroomPoolBytes
                           : static_cast<uint64_t>(std::ceil(static_cast<double>(sum.headroom) /
                                                             m_settings.headroomOversubscription));
        sum.headroomOfPool[0] = sum.headroom;
        RefuseRdmaIf(sum.headroom < largest,
                     "QbbSharedBuffer: a headroom pool of ",
                     sum.headroom,
                     " bytes; accepted: at least ",
                     largest,
                     ", which one lossless (port, priority) alone can need");
    }
    return sum;
}

QbbBufferBooks::Layout
QbbSharedMemory::MakeLayout() const
{
    const uint64_t fixed = m_needed.reserved + m_needed.headroom;
    RefuseRdmaIf(fixed >= m_settings.bufferSize,
                 "QbbSharedBuffer: a BufferSize of ",
                 m_settings.bufferSize,
                 " bytes is too small for ",
                 m_ports.size(),
                 " ports: ",
                 m_needed.nReserves,
                 " reserves take ",
                 m_needed.reserved,
                 " bytes, headroom for ",
                 m_needed.nHeadrooms,
                 " lossless (port, priority) takes ",
                 m_needed.headroom,
                 ", together ",
                 fixed,
                 ", and something must be left to share");
    Layout layout;
    layout.memoryBytes = m_settings.bufferSize;
    layout.groups = m_groups;
    const uint64_t shared = m_settings.bufferSize - fixed;
    if (m_plan)
    {
        AddPlannedPools(layout, shared);
        layout.queues = MakePlannedQueues();
        layout.chargesQueues = LimitsQueues();
        layout.groupOfClass = m_plan->groupOfClass;
    }
    else
    {
        AddPools(layout, shared);
        layout.queues = MakeQueues(static_cast<uint32_t>(layout.pools.size()));
        layout.chargesQueues = m_settings.lossyEgressPoolBytes > 0;
    }
    for (auto& group : layout.groups)
    {
        // A plan that limits queues also limits the queues of lossless classes.
        group.limited = !group.lossless || (m_plan && layout.chargesQueues);
    }
    return layout;
}

void
QbbSharedMemory::AddPools(Layout& layout, uint64_t shared) const
{
    const uint64_t lossy = m_settings.lossyPoolBytes;
    RefuseRdmaIf(lossy >= shared,
                 "QbbSharedBuffer: LossyPoolBytes is ",
                 lossy,
                 ", but only ",
                 shared,
                 " bytes are shared");
    layout.pools.push_back({shared - lossy, m_needed.headroom, false});
    if (lossy)
    {
        layout.pools.push_back({lossy, 0, false});
    }
    if (m_settings.lossyEgressPoolBytes)
    {
        layout.pools.push_back({m_settings.lossyEgressPoolBytes, 0, true});
    }
    RefuseRdmaIf(m_needed.nLossless && m_settings.xoffBytes > layout.pools[0].size,
                 "QbbSharedBuffer: XoffBytes is ",
                 m_settings.xoffBytes,
                 ", but only ",
                 layout.pools[0].size,
                 " bytes are shared");
}

void
QbbSharedMemory::AddPlannedPools(Layout& layout, uint64_t shared) const
{
    const uint64_t fixed = m_needed.reserved + m_needed.headroom;
    RefuseRdmaIf(m_needed.pools > shared,
                 "QbbSharedBuffer: the plan's ingress pools have ",
                 m_needed.pools,
                 " bytes, and reserves and headroom take ",
                 fixed,
                 "; accepted: a BufferSize of at least ",
                 m_needed.pools + fixed,
                 " (it is ",
                 m_settings.bufferSize,
                 ")");
    for (std::size_t i = 0; i < m_plan->pools.size(); ++i)
    {
        const QbbBufferPool& pool = m_plan->pools[i];
        const uint64_t headroom = m_needed.headroomOfPool[i];
        layout.pools.push_back({pool.bytes, pool.egress ? 0 : headroom, pool.egress});
    }
}

bool
QbbSharedMemory::LimitsQueues() const
{
    return std::any_of(m_plan->ports.begin(), m_plan->ports.end(), [](const auto& port) {
        return std::any_of(port.queues.begin(), port.queues.end(), [](int16_t which) {
            return which != QbbPortBufferPlan::NONE;
        });
    });
}

std::vector<QbbBufferBooks::Queue>
QbbSharedMemory::MakeQueues(uint32_t pools) const
{
    std::vector<Queue> queues(m_ports.size() * PRIORITIES);
    for (std::size_t i = 0; i < queues.size(); ++i)
    {
        Queue& queue = queues[i];
        const uint8_t priority = i % PRIORITIES;
        const uint64_t limit = m_settings.egressLimitBytes;
        const double alpha =
            m_settings.classEgressAlphas.Get(priority, m_settings.lossyEgressAlpha);
        queue.pool = pools - 1;
        queue.limit.bytes = limit ? limit : m_settings.egressMinBytes;
        queue.limit.alpha = limit ? 0 : QbbBufferLimit::ToFixed(alpha);
        queue.reserve = m_settings.egressMinBytes;
    }
    return queues;
}

std::vector<QbbBufferBooks::Queue>
QbbSharedMemory::MakePlannedQueues() const
{
    std::vector<Queue> queues(m_ports.size() * PRIORITIES);
    const bool limited = LimitsQueues();
    for (std::size_t i = 0; i < queues.size(); ++i)
    {
        Queue& queue = queues[i];
        if (!limited)
        {
            queue.limit.bytes = QBB_MAX_BUFFER_BYTES;
            continue;
        }
        const int16_t which = GetPortPlan(i / PRIORITIES).queues[i % PRIORITIES];
        if (which != QbbPortBufferPlan::NONE)
        {
            const QbbBufferProfile& profile = m_plan->profiles[which];
            const uint64_t limit = profile.alpha ? 0 : profile.limitBytes;
            queue.pool = profile.pool;
            queue.reserve = profile.reserveBytes;
            queue.limit.bytes = std::min(limit + profile.reserveBytes, QBB_MAX_BUFFER_BYTES);
            queue.limit.alpha = QbbBufferLimit::ToFixed(profile.alpha.value_or(0));
        }
    }
    return queues;
}

} // namespace ns3
