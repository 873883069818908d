/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-buffer.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbSharedBuffer);

TypeId
QbbSharedBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbSharedBuffer")
            .SetParent<QbbBufferManager>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbSharedBuffer>()
            .AddAttribute("BufferSize",
                          "Memory of the switch, in bytes.",
                          UintegerValue(12 * 1024 * 1024),
                          MakeUintegerAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_bufferSize, uint32_t>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_bufferSize, uint32_t>),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ReserveBytes",
                          "Memory that each (port, priority) in use has for itself, in bytes.",
                          UintegerValue(1248),
                          MakeUintegerAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_reserveBytes, uint32_t>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_reserveBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LosslessAlpha",
                          "A lossless (ingress port, priority) is paused when its shared bytes "
                          "exceed this times the free shared bytes; 1/1024..1024, kept to 2^-20.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_losslessAlpha, double>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_losslessAlpha, double>),
                          MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute(
                "LossyAlpha",
                "A lossy (ingress port, priority) drops when its shared bytes would "
                "exceed this times the free shared bytes; 1/1024..1024, kept to 2^-20.",
                DoubleValue(8),
                MakeDoubleAccessor(&QbbSharedBuffer::Set<&QbbSharedBuffer::m_lossyAlpha, double>,
                                   &QbbSharedBuffer::Get<&QbbSharedBuffer::m_lossyAlpha, double>),
                MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute("LossyEgressAlpha",
                          "The queue of a lossy class may hold EgressMinBytes and this times the "
                          "free shared bytes; 1/1024..1024, kept to 2^-20.",
                          DoubleValue(1),
                          MakeDoubleAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_lossyEgressAlpha, double>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_lossyEgressAlpha, double>),
                          MakeDoubleChecker<double>(QBB_MIN_ALPHA, QBB_MAX_ALPHA))
            .AddAttribute("XoffBytes",
                          "Static XOFF threshold of every lossless (ingress port, priority), in "
                          "shared bytes; 0: dynamic, by LosslessAlpha.",
                          UintegerValue(0),
                          MakeUintegerAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_xoffBytes, uint32_t>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_xoffBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("XonOffsetBytes",
                          "XON comes when the shared bytes are this far below the XOFF threshold; "
                          "0: two of the largest frames of the port and its peer.",
                          UintegerValue(0),
                          MakeUintegerAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_xonOffsetBytes, uint32_t>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_xonOffsetBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("HeadroomBytes",
                          "Headroom of each lossless (port, priority), in bytes; 0: computed by "
                          "QbbPfcHeadroom from the port's rate, cable, frames and reaction time.",
                          UintegerValue(0),
                          MakeUintegerAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_headroomBytes, uint32_t>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_headroomBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "HeadroomPool",
                "False: headroom is set apart for each lossless (port, priority). True: "
                "all take it from one pool, each at most its HeadroomBytes; that saves "
                "memory, and loses frames if too many need it at once.",
                BooleanValue(false),
                MakeBooleanAccessor(&QbbSharedBuffer::Set<&QbbSharedBuffer::m_headroomPool, bool>,
                                    &QbbSharedBuffer::Get<&QbbSharedBuffer::m_headroomPool, bool>),
                MakeBooleanChecker())
            .AddAttribute(
                "HeadroomPoolBytes",
                "Size of the headroom pool, in bytes; 0: the sum of all headrooms "
                "divided by HeadroomOversubscription.",
                UintegerValue(0),
                MakeUintegerAccessor(
                    &QbbSharedBuffer::Set<&QbbSharedBuffer::m_headroomPoolBytes, uint32_t>,
                    &QbbSharedBuffer::Get<&QbbSharedBuffer::m_headroomPoolBytes, uint32_t>),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "HeadroomOversubscription",
                "Sum of all headrooms over the size of the pool, at least 1; 2 is the "
                "over_subscribe_ratio in common SONiC configurations.",
                DoubleValue(2),
                MakeDoubleAccessor(
                    &QbbSharedBuffer::Set<&QbbSharedBuffer::m_headroomOversubscription, double>,
                    &QbbSharedBuffer::Get<&QbbSharedBuffer::m_headroomOversubscription, double>),
                MakeDoubleChecker<double>(1))
            .AddAttribute("EgressMinBytes",
                          "What the queue of a lossy class may hold however full the shared memory "
                          "is, in bytes. A limit; no memory is set apart for it.",
                          UintegerValue(1518),
                          MakeUintegerAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_egressMinBytes, uint32_t>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_egressMinBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "EgressLimitBytes",
                "Static limit of the queue of a lossy class, in bytes; 0: dynamic, by "
                "EgressMinBytes and LossyEgressAlpha.",
                UintegerValue(0),
                MakeUintegerAccessor(
                    &QbbSharedBuffer::Set<&QbbSharedBuffer::m_egressLimitBytes, uint32_t>,
                    &QbbSharedBuffer::Get<&QbbSharedBuffer::m_egressLimitBytes, uint32_t>),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("LossyPoolBytes",
                          "Part of the shared memory that lossy classes share among themselves, "
                          "in bytes; lossless classes share the rest. 0: all share all.",
                          UintegerValue(0),
                          MakeUintegerAccessor(
                              &QbbSharedBuffer::Set<&QbbSharedBuffer::m_lossyPoolBytes, uint32_t>,
                              &QbbSharedBuffer::Get<&QbbSharedBuffer::m_lossyPoolBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute(
                "LossyEgressPoolBytes",
                "What queues may hold together of frames that are lossy at ingress, above "
                "EgressMinBytes of each queue, in bytes, and what LossyEgressAlpha multiplies the "
                "free part of. 0: no such limit.",
                UintegerValue(0),
                MakeUintegerAccessor(
                    &QbbSharedBuffer::Set<&QbbSharedBuffer::m_lossyEgressPoolBytes, uint32_t>,
                    &QbbSharedBuffer::Get<&QbbSharedBuffer::m_lossyEgressPoolBytes, uint32_t>),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("ClassAlphas",
                          "In place of LosslessAlpha or LossyAlpha for single classes: "
                          "CLASS:ALPHA separated by commas, as in 3:1/8,4:1/16.",
                          StringValue(""),
                          MakeStringAccessor(&QbbSharedBuffer::SetClassAlphas,
                                             &QbbSharedBuffer::GetClassAlphas),
                          MakeStringChecker())
            .AddAttribute("ClassEgressAlphas",
                          "In place of LossyEgressAlpha for single classes, as ClassAlphas.",
                          StringValue(""),
                          MakeStringAccessor(&QbbSharedBuffer::SetClassEgressAlphas,
                                             &QbbSharedBuffer::GetClassEgressAlphas),
                          MakeStringChecker());
    return tid;
}

void
QbbSharedBuffer::SetClassAlphas(std::string text)
{
    RefuseWhileRunning();
    m_classAlphas = QbbClassAlphas::FromText(text);
}

std::string
QbbSharedBuffer::GetClassAlphas() const
{
    return m_classAlphas.ToText();
}

void
QbbSharedBuffer::SetClassEgressAlphas(std::string text)
{
    RefuseWhileRunning();
    m_classEgressAlphas = QbbClassAlphas::FromText(text);
}

std::string
QbbSharedBuffer::GetClassEgressAlphas() const
{
    return m_classEgressAlphas.ToText();
}

bool
QbbSharedBuffer::EgressFits(const Queue& queue, uint32_t bytes) const
{
    if (static_cast<uint64_t>(queue.bytes) + bytes > GetLimit(queue))
    {
        return false;
    }
    // Limits alone may add up to more than their pool.
    Queue grown = queue;
    grown.limited += bytes;
    return !m_egressPools || grown.GetShared() - queue.GetShared() <= m_pools[queue.pool].GetFree();
}

QbbAdmission
QbbSharedBuffer::Admit(uint16_t ingressPort, uint16_t egressPort, uint8_t priority, uint32_t bytes)
{
    NS_ASSERT_MSG(ingressPort < GetNPorts() && egressPort < GetNPorts() && priority < PRIORITIES,
                  "no such port or priority");
    NS_ASSERT_MSG(bytes > 0, "a frame of no bytes");
    Group& group = m_groups[ingressPort * PRIORITIES + m_groupOf[priority]];
    Queue& queue = m_queues[egressPort * PRIORITIES + priority];
    Pool& pool = m_pools[group.pool];

    const uint32_t reserved = std::min(bytes, group.reserveLimit - group.reserved);
    const uint32_t rest = bytes - reserved;
    const uint32_t free = pool.GetFree();
    // free >= rest keeps the pool from overflowing, also with alpha > 1
    const bool fits =
        rest == 0 || (rest <= free && static_cast<uint64_t>(group.shared) + rest <=
                                          GetThreshold(group.base, group.alpha, free));
    QbbAdmission answer;
    if (IsLimited(group) && !EgressFits(queue, bytes))
    {
        answer.reason = QbbDropReason::EGRESS_LIMIT;
        return answer;
    }
    if (!fits && group.lossless)
    {
        const uint32_t inUse = group.onePerPort ? m_portHeadroom[ingressPort] : group.headroom;
        if (rest > group.headroomLimit - inUse || rest > pool.headroomSize - pool.headroomUsed)
        {
            answer.reason = QbbDropReason::HEADROOM_FULL;
            // Where nobody is left to release anything, a pause would never end.
            answer.xoff =
                !group.paused && (group.GetBytes() > 0 || pool.used > 0 || pool.headroomUsed > 0);
            if (answer.xoff)
            {
                Pause(group, pool);
            }
            return answer;
        }
        group.headroom += rest;
        m_portHeadroom[ingressPort] += rest;
        pool.headroomUsed += rest;
        m_headroomUsed += rest;
        group.peakHeadroom = std::max(group.peakHeadroom, group.headroom);
        m_peakHeadroomUsed = std::max(m_peakHeadroomUsed, m_headroomUsed);
        answer.xoff = !group.paused;
        if (answer.xoff)
        {
            Pause(group, pool);
        }
    }
    else if (!fits)
    {
        answer.reason = QbbDropReason::BUFFER_FULL;
        return answer;
    }
    else
    {
        group.shared += rest;
        pool.used += rest;
    }
    group.reserved += reserved;
    const uint32_t before = queue.GetShared();
    queue.bytes += bytes;
    queue.limited += IsLimited(group) ? bytes : 0;
    if (m_egressPools)
    {
        ChargeEgressPool(queue, before);
    }
    m_used += bytes;
    group.peak = std::max(group.peak, group.GetBytes());
    m_peakUsed = std::max(m_peakUsed, m_used);
    answer.admitted = true;
    return answer;
}

bool
QbbSharedBuffer::Release(uint16_t ingressPort,
                         uint16_t egressPort,
                         uint8_t priority,
                         uint32_t bytes)
{
    NS_ASSERT_MSG(ingressPort < GetNPorts() && egressPort < GetNPorts() && priority < PRIORITIES,
                  "no such port or priority");
    Group& group = m_groups[ingressPort * PRIORITIES + m_groupOf[priority]];
    Queue& queue = m_queues[egressPort * PRIORITIES + priority];
    Pool& pool = m_pools[group.pool];
    NS_ABORT_MSG_IF(bytes > group.GetBytes() || bytes > queue.bytes,
                    "rdma: QbbSharedBuffer: "
                        << bytes << " bytes of priority " << +priority << " released from port "
                        << ingressPort << " to port " << egressPort << ", but the one holds "
                        << group.GetBytes() << " and the other " << queue.bytes);

    const uint32_t headroom = std::min(bytes, group.headroom);
    const uint32_t shared = std::min(bytes - headroom, group.shared);
    if (headroom > 0)
    {
        group.headroom -= headroom;
        m_portHeadroom[ingressPort] -= headroom;
        pool.headroomUsed -= headroom;
        m_headroomUsed -= headroom;
    }
    group.shared -= shared;
    pool.used -= shared;
    group.reserved -= bytes - headroom - shared;
    const uint32_t before = queue.GetShared();
    queue.bytes -= bytes;
    queue.limited -= IsLimited(group) ? bytes : 0;
    if (m_egressPools)
    {
        ChargeEgressPool(queue, before);
    }
    m_used -= bytes;

    if (group.paused)
    {
        pool.resumeFree = std::min(pool.resumeFree, GetFreeToLook(group, pool));
    }
    return pool.GetFree() >= pool.resumeFree && ResumeThoseThatMay(pool);
}

bool
QbbSharedBuffer::HasItsHeadroom(const Group& group, const Pool& pool)
{
    return pool.headroomUsed == group.headroom ||
           group.headroomLimit <= pool.headroomSize - pool.headroomUsed + group.headroom;
}

uint64_t
QbbSharedBuffer::GetFreeToResume(const Group& group, const Pool& pool)
{
    // What is in headroom goes to the shared part, before the threshold is looked at.
    const uint64_t wanted = uint64_t{group.shared} + group.headroom + group.xonOffset;
    uint64_t least = NEVER;
    if (wanted <= group.base)
    {
        least = group.headroom;
    }
    else if (group.alpha > 0)
    {
        const uint64_t product = (wanted - group.base) << ALPHA_BITS;
        least = group.headroom + (product + group.alpha - 1) / group.alpha;
    }
    if (group.GetBytes() <= group.xon && HasItsHeadroom(group, pool))
    {
        least = std::min<uint64_t>(least, group.headroom);
    }
    return least;
}

uint64_t
QbbSharedBuffer::GetFreeToLook(const Group& group, const Pool& pool)
{
    // Headroom becomes free while the free bytes of the shared part stay as they are.
    const bool waitsForHeadroom = group.GetBytes() <= group.xon && !HasItsHeadroom(group, pool);
    return waitsForHeadroom ? 0 : GetFreeToResume(group, pool);
}

void
QbbSharedBuffer::Pause(Group& group, Pool& pool)
{
    group.paused = true;
    pool.paused.push_back(static_cast<uint32_t>(&group - m_groups.data()));
    pool.resumeFree = std::min(pool.resumeFree, GetFreeToLook(group, pool));
}

bool
QbbSharedBuffer::ResumeThoseThatMay(Pool& pool)
{
    std::size_t left = 0;
    for (const uint32_t index : pool.paused)
    {
        Group& group = m_groups[index];
        if (GetFreeToResume(group, pool) > pool.GetFree())
        {
            pool.paused[left++] = index;
            continue;
        }
        pool.used += group.headroom;
        pool.headroomUsed -= group.headroom;
        m_headroomUsed -= group.headroom;
        m_portHeadroom[index / PRIORITIES] -= group.headroom;
        group.shared += group.headroom;
        group.headroom = 0;
        group.paused = false;
        Resume(static_cast<uint16_t>(index / PRIORITIES), group.priority);
    }
    const bool any = left < pool.paused.size();
    pool.paused.resize(left);
    // Those that have resumed have changed what is free.
    pool.resumeFree = NEVER;
    for (const uint32_t index : pool.paused)
    {
        pool.resumeFree = std::min(pool.resumeFree, GetFreeToLook(m_groups[index], pool));
    }
    return any;
}

uint32_t
QbbSharedBuffer::GetIndex(uint16_t port, uint8_t priority) const
{
    NS_ABORT_MSG_IF(port >= GetNPorts() || priority >= PRIORITIES,
                    "rdma: QbbSharedBuffer: port " << port << ", priority " << +priority
                                                   << "; accepted: ports below " << GetNPorts()
                                                   << ", priorities 0 to 7");
    return port * PRIORITIES + priority;
}

bool
QbbSharedBuffer::IsPaused(uint16_t ingressPort, uint8_t priority) const
{
    const uint32_t port = GetIndex(ingressPort, priority) / PRIORITIES * PRIORITIES;
    return m_groups[port + m_groupOf[priority]].paused;
}

bool
QbbSharedBuffer::MayResume(uint16_t ingressPort,
                           uint8_t priority,
                           const std::vector<uint64_t>& stuckBytes) const
{
    std::vector<uint64_t> stuck(m_groups.size());
    for (uint32_t i = 0; i < stuckBytes.size(); ++i)
    {
        stuck[i / PRIORITIES * PRIORITIES + m_groupOf[i % PRIORITIES]] += stuckBytes[i];
    }
    const uint32_t index =
        GetIndex(ingressPort, priority) / PRIORITIES * PRIORITIES + m_groupOf[priority];
    // What stays is in the reserve first, then in the shared part, then in headroom: Release()
    // gives back in the other order. Others are left where they are, which leaves most free.
    Group group = m_groups[index];
    Pool pool = m_pools[group.pool];
    pool.used = 0;
    pool.headroomUsed = 0;
    bool leaves = false;
    for (uint32_t i = 0; i < m_groups.size(); ++i)
    {
        Group other = m_groups[i];
        if (other.pool != group.pool)
        {
            continue;
        }
        leaves = leaves || stuck[i] < other.GetBytes();
        const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(stuck[i], other.GetBytes()));
        other.reserved = std::min(bytes, other.reserved);
        other.shared = std::min(bytes - other.reserved, other.shared);
        other.headroom = bytes - other.reserved - other.shared;
        pool.used += other.shared;
        pool.headroomUsed += other.headroom;
        if (i == index)
        {
            group = other;
        }
    }
    return leaves && GetFreeToResume(group, pool) <= pool.GetFree();
}

QbbIngressUsage
QbbSharedBuffer::GetIngress(uint16_t ingressPort, uint8_t priority) const
{
    const Group& group = m_groups[GetIndex(ingressPort, priority)];
    QbbIngressUsage usage;
    usage.bytes = group.GetBytes();
    usage.reservedBytes = group.reserved;
    usage.sharedBytes = group.shared;
    usage.headroomBytes = group.headroom;
    usage.headroomLimit = group.headroomLimit;
    usage.threshold = GetThreshold(group.base, group.alpha, m_pools[group.pool].GetFree());
    usage.peakBytes = group.peak;
    usage.peakHeadroomBytes = group.peakHeadroom;
    usage.paused = group.paused;
    return usage;
}

uint32_t
QbbSharedBuffer::GetEgressBytes(uint16_t egressPort, uint8_t priority) const
{
    return m_queues[GetIndex(egressPort, priority)].bytes;
}

QbbBufferUsage
QbbSharedBuffer::GetUsage() const
{
    QbbBufferUsage usage;
    usage.sizeBytes = m_size;
    usage.usedBytes = m_used;
    usage.peakUsedBytes = m_peakUsed;
    usage.reservedSize = m_reservedSize;
    usage.headroomBytes = m_headroomUsed;
    usage.peakHeadroomBytes = m_peakHeadroomUsed;
    for (const auto& pool : m_pools)
    {
        if (!pool.egress)
        {
            usage.sharedSize += pool.size;
            usage.sharedBytes += pool.used;
            usage.headroomSize += pool.headroomSize;
        }
    }
    for (const auto& group : m_groups)
    {
        usage.reservedBytes += group.reserved;
    }
    return usage;
}

bool
QbbSharedBuffer::IsEmpty() const
{
    const bool noGroup = std::all_of(m_groups.begin(), m_groups.end(), [](const Group& group) {
        return group.reserved == 0 && group.shared == 0 && group.headroom == 0 && !group.paused;
    });
    const bool noQueue = std::all_of(m_queues.begin(), m_queues.end(), [](const Queue& queue) {
        return queue.bytes == 0;
    });
    const bool noPool = std::all_of(m_pools.begin(), m_pools.end(), [](const Pool& pool) {
        return pool.used == 0 && pool.headroomUsed == 0;
    });
    return noGroup && noQueue && noPool && m_used == 0 && m_headroomUsed == 0;
}

void
QbbSharedBuffer::ResetPeaks()
{
    for (auto& group : m_groups)
    {
        group.peak = group.GetBytes();
        group.peakHeadroom = group.headroom;
    }
    m_peakUsed = m_used;
    m_peakHeadroomUsed = m_headroomUsed;
}

uint32_t
QbbSharedBuffer::GetNPorts() const
{
    return static_cast<uint32_t>(m_groups.size()) / PRIORITIES;
}

uint64_t
QbbSharedBuffer::GetEgressLimit(uint16_t egressPort, uint8_t priority) const
{
    return GetLimit(m_queues[GetIndex(egressPort, priority)]);
}

uint64_t
QbbSharedBuffer::GetEgressLimit() const
{
    return GetEgressLimit(0, 0);
}

} // namespace ns3
