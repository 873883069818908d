/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-buffer.h"

#include "qbb-pfc-headroom.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbSharedBuffer);

namespace
{

constexpr double MIN_ALPHA = 1.0 / 1024;
constexpr double MAX_ALPHA = 1024;
constexpr uint64_t MAX_BYTES = std::numeric_limits<uint32_t>::max();

} // namespace

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
                          MakeUintegerAccessor(&QbbSharedBuffer::m_bufferSize),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ReserveBytes",
                          "Memory that each (port, priority) in use has for itself, in bytes.",
                          UintegerValue(1248),
                          MakeUintegerAccessor(&QbbSharedBuffer::m_reserveBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("LosslessAlpha",
                          "A lossless (ingress port, priority) is paused when its shared bytes "
                          "exceed this times the free shared bytes; 1/1024..1024, kept to 2^-20.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&QbbSharedBuffer::m_losslessAlpha),
                          MakeDoubleChecker<double>(MIN_ALPHA, MAX_ALPHA))
            .AddAttribute("LossyAlpha",
                          "A lossy (ingress port, priority) drops when its shared bytes would "
                          "exceed this times the free shared bytes; 1/1024..1024, kept to 2^-20.",
                          DoubleValue(8),
                          MakeDoubleAccessor(&QbbSharedBuffer::m_lossyAlpha),
                          MakeDoubleChecker<double>(MIN_ALPHA, MAX_ALPHA))
            .AddAttribute("LossyEgressAlpha",
                          "The queue of a lossy class may hold EgressMinBytes and this times the "
                          "free shared bytes; 1/1024..1024, kept to 2^-20.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&QbbSharedBuffer::m_lossyEgressAlpha),
                          MakeDoubleChecker<double>(MIN_ALPHA, MAX_ALPHA))
            .AddAttribute("XoffBytes",
                          "Static XOFF threshold of every lossless (ingress port, priority), in "
                          "shared bytes; 0: dynamic, by LosslessAlpha.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbSharedBuffer::m_xoffBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("XonOffsetBytes",
                          "XON comes when the shared bytes are this far below the XOFF threshold; "
                          "0: two of the largest frames of the port and its peer.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbSharedBuffer::m_xonOffsetBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("HeadroomBytes",
                          "Headroom of each lossless (port, priority), in bytes; 0: computed by "
                          "QbbPfcHeadroom from the port's rate, cable, frames and reaction time.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbSharedBuffer::m_headroomBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("HeadroomPool",
                          "False: headroom is set apart for each lossless (port, priority). True: "
                          "all take it from one pool, each at most its HeadroomBytes; that saves "
                          "memory, and loses frames if too many need it at once.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbSharedBuffer::m_headroomPool),
                          MakeBooleanChecker())
            .AddAttribute("HeadroomPoolBytes",
                          "Size of the headroom pool, in bytes; 0: the sum of all headrooms "
                          "divided by HeadroomOversubscription.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbSharedBuffer::m_headroomPoolBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("HeadroomOversubscription",
                          "Sum of all headrooms over the size of the pool, at least 1; 2 is the "
                          "over_subscribe_ratio in common SONiC configurations.",
                          DoubleValue(2),
                          MakeDoubleAccessor(&QbbSharedBuffer::m_headroomOversubscription),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("EgressMinBytes",
                          "What the queue of a lossy class may hold however full the shared memory "
                          "is, in bytes. A limit; no memory is set apart for it.",
                          UintegerValue(1518),
                          MakeUintegerAccessor(&QbbSharedBuffer::m_egressMinBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("EgressLimitBytes",
                          "Static limit of the queue of a lossy class, in bytes; 0: dynamic, by "
                          "EgressMinBytes and LossyEgressAlpha.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbSharedBuffer::m_egressLimitBytes),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

uint32_t
QbbSharedBuffer::ToFixed(double alpha)
{
    return static_cast<uint32_t>(std::llround(std::ldexp(alpha, ALPHA_BITS)));
}

void
QbbSharedBuffer::Configure(const std::vector<QbbPortProfile>& ports)
{
    NS_ABORT_MSG_IF(!IsEmpty(), "rdma: QbbSharedBuffer: configured while it holds frames");
    NS_ABORT_MSG_IF(ports.size() > std::numeric_limits<uint16_t>::max(),
                    "rdma: QbbSharedBuffer: " << ports.size() << " ports; accepted: 0 to 65535");
    m_groups = MakeGroups(ports);
    DivideMemory();
    m_queues.assign(m_groups.size(), 0);
    m_egressBase = m_egressLimitBytes ? m_egressLimitBytes : m_egressMinBytes;
    m_egressAlpha = m_egressLimitBytes ? 0 : ToFixed(m_lossyEgressAlpha);
    m_peakUsed = 0;
    m_peakHeadroomUsed = 0;
}

uint64_t
QbbSharedBuffer::GetGuaranteedBytes(const std::vector<QbbPortProfile>& ports) const
{
    const Guarantees guarantees = AddUp(MakeGroups(ports));
    return guarantees.reserved + guarantees.headroom;
}

std::vector<QbbSharedBuffer::Group>
QbbSharedBuffer::MakeGroups(const std::vector<QbbPortProfile>& ports) const
{
    std::vector<Group> groups(ports.size() * PRIORITIES);
    auto group = groups.begin();
    for (const auto& port : ports)
    {
        uint64_t headroom = 0;
        if (port.losslessMask)
        {
            // also checks the profile if the result is not wanted
            const uint64_t computed = QbbPfcHeadroom::GetBytes(port);
            headroom = m_headroomBytes ? m_headroomBytes : computed;
            NS_ABORT_MSG_IF(headroom > MAX_BYTES,
                            "rdma: QbbSharedBuffer: port "
                                << &port - ports.data() << " needs " << headroom
                                << " bytes of headroom for each lossless priority; more than any "
                                   "BufferSize. Check its rate, delay and reaction time");
        }
        const uint32_t xonOffset = m_xonOffsetBytes
                                       ? m_xonOffsetBytes
                                       : 2 * std::max(port.maxFrameBytes, port.peerMaxFrameBytes);
        for (uint32_t priority = 0; priority < PRIORITIES; ++priority, ++group)
        {
            const uint32_t bit = 1U << priority;
            group->lossless = (port.losslessMask & bit) != 0;
            const bool used = group->lossless || (port.usedMask & bit) != 0;
            group->reserveLimit = used ? m_reserveBytes : 0;
            if (group->lossless)
            {
                group->headroomLimit = static_cast<uint32_t>(headroom);
                group->base = m_xoffBytes;
                group->alpha = m_xoffBytes ? 0 : ToFixed(m_losslessAlpha);
                group->xonOffset = xonOffset;
                NS_ABORT_MSG_IF(m_xoffBytes && xonOffset >= m_xoffBytes,
                                "rdma: QbbSharedBuffer: XON would be "
                                    << xonOffset << " bytes below an XoffBytes of " << m_xoffBytes
                                    << "; accepted: XoffBytes above XonOffsetBytes (by default two "
                                       "of the largest frames)");
            }
            else
            {
                group->alpha = ToFixed(m_lossyAlpha);
            }
        }
    }
    return groups;
}

QbbSharedBuffer::Guarantees
QbbSharedBuffer::AddUp(const std::vector<Group>& groups) const
{
    Guarantees sum;
    uint32_t largest = 0;
    for (const auto& group : groups)
    {
        sum.reserved += group.reserveLimit;
        sum.headroom += group.headroomLimit;
        largest = std::max(largest, group.headroomLimit);
        sum.nReserves += group.reserveLimit ? 1 : 0;
        sum.nLossless += group.lossless ? 1 : 0;
    }
    if (m_headroomPool)
    {
        sum.headroom = m_headroomPoolBytes
                           ? m_headroomPoolBytes
                           : static_cast<uint64_t>(std::ceil(static_cast<double>(sum.headroom) /
                                                             m_headroomOversubscription));
        NS_ABORT_MSG_IF(sum.headroom < largest,
                        "rdma: QbbSharedBuffer: a headroom pool of "
                            << sum.headroom << " bytes; accepted: at least " << largest
                            << ", which one lossless (port, priority) alone can need");
    }
    return sum;
}

void
QbbSharedBuffer::DivideMemory()
{
    const auto [reserved, headroom, nReserves, nLossless] = AddUp(m_groups);
    NS_ABORT_MSG_IF(reserved + headroom >= m_bufferSize,
                    "rdma: QbbSharedBuffer: a BufferSize of "
                        << m_bufferSize << " bytes is too small for " << GetNPorts()
                        << " ports: " << nReserves << " reserves take " << reserved
                        << " bytes, headroom for " << nLossless
                        << " lossless (port, priority) takes " << headroom << ", together "
                        << reserved + headroom << ", and something must be left to share");
    m_size = m_bufferSize;
    m_reservedSize = static_cast<uint32_t>(reserved);
    m_headroomSize = static_cast<uint32_t>(headroom);
    m_sharedSize = m_size - m_reservedSize - m_headroomSize;
    NS_ABORT_MSG_IF(nLossless && m_xoffBytes > m_sharedSize,
                    "rdma: QbbSharedBuffer: XoffBytes is " << m_xoffBytes << ", but only "
                                                           << m_sharedSize << " bytes are shared");
}

QbbAdmission
QbbSharedBuffer::Admit(uint16_t ingressPort, uint16_t egressPort, uint8_t priority, uint32_t bytes)
{
    NS_ASSERT_MSG(ingressPort < GetNPorts() && egressPort < GetNPorts() && priority < PRIORITIES,
                  "no such port or priority");
    NS_ASSERT_MSG(bytes > 0, "a frame of no bytes");
    Group& group = m_groups[ingressPort * PRIORITIES + priority];
    uint32_t& queue = m_queues[egressPort * PRIORITIES + priority];

    const uint32_t reserved = std::min(bytes, group.reserveLimit - group.reserved);
    const uint32_t rest = bytes - reserved;
    // free >= rest keeps m_sharedUsed <= m_sharedSize, also with alpha > 1
    const bool fits = rest == 0 || (rest <= m_sharedSize - m_sharedUsed &&
                                    static_cast<uint64_t>(group.shared) + rest <=
                                        GetThreshold(group.base, group.alpha));
    QbbAdmission answer;
    if (group.lossless)
    {
        if (!fits)
        {
            if (rest > group.headroomLimit - group.headroom ||
                rest > m_headroomSize - m_headroomUsed)
            {
                answer.reason = QbbDropReason::HEADROOM_FULL;
                // paused with nothing to release, it would never be resumed
                answer.xoff = !group.paused && group.GetBytes() > 0;
                group.paused |= answer.xoff;
                return answer;
            }
            answer.xoff = !group.paused;
            group.paused = true;
            group.headroom += rest;
            m_headroomUsed += rest;
            group.peakHeadroom = std::max(group.peakHeadroom, group.headroom);
            m_peakHeadroomUsed = std::max(m_peakHeadroomUsed, m_headroomUsed);
        }
    }
    else
    {
        if (static_cast<uint64_t>(queue) + bytes > GetEgressLimit())
        {
            answer.reason = QbbDropReason::EGRESS_LIMIT;
            return answer;
        }
        if (!fits)
        {
            answer.reason = QbbDropReason::BUFFER_FULL;
            return answer;
        }
    }
    if (fits)
    {
        group.shared += rest;
        m_sharedUsed += rest;
    }
    group.reserved += reserved;
    queue += bytes;
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
    Group& group = m_groups[ingressPort * PRIORITIES + priority];
    uint32_t& queue = m_queues[egressPort * PRIORITIES + priority];
    NS_ABORT_MSG_IF(bytes > group.GetBytes() || bytes > queue,
                    "rdma: QbbSharedBuffer: " << bytes << " bytes of priority " << +priority
                                              << " released from port " << ingressPort
                                              << " to port " << egressPort << ", but the one holds "
                                              << group.GetBytes() << " and the other " << queue);

    const uint32_t headroom = std::min(bytes, group.headroom);
    const uint32_t shared = std::min(bytes - headroom, group.shared);
    group.headroom -= headroom;
    m_headroomUsed -= headroom;
    group.shared -= shared;
    m_sharedUsed -= shared;
    group.reserved -= bytes - headroom - shared;
    queue -= bytes;
    m_used -= bytes;

    if (group.paused &&
        (group.GetBytes() == 0 ||
         (group.headroom == 0 && static_cast<uint64_t>(group.shared) + group.xonOffset <=
                                     GetThreshold(group.base, group.alpha))))
    {
        group.paused = false;
        return true;
    }
    return false;
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
    return m_groups[GetIndex(ingressPort, priority)].paused;
}

bool
QbbSharedBuffer::MayResume(uint16_t ingressPort,
                           uint8_t priority,
                           const std::vector<uint64_t>& stuckBytes) const
{
    // What stays is in the reserve first, then in the shared part, then in headroom: Release()
    // gives back in the other order.
    const auto getShared = [&](uint32_t index) -> uint64_t {
        const Group& group = m_groups[index];
        return stuckBytes[index] <= group.reserved
                   ? 0
                   : std::min<uint64_t>(stuckBytes[index] - group.reserved, group.shared);
    };
    const uint32_t index = GetIndex(ingressPort, priority);
    const Group& group = m_groups[index];
    const uint64_t shared = getShared(index);
    if (stuckBytes[index] >= group.GetBytes())
    {
        return false; // it takes a Release() of its own
    }
    if (stuckBytes[index] == 0)
    {
        return true;
    }
    if (stuckBytes[index] > group.reserved + shared)
    {
        return false; // its headroom does not get empty
    }
    uint64_t used = 0;
    for (uint32_t i = 0; i < m_groups.size(); ++i)
    {
        used += getShared(i);
    }
    return shared + group.xonOffset <= GetThreshold(group.base, group.alpha, m_sharedSize - used);
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
    usage.threshold = GetThreshold(group.base, group.alpha);
    usage.peakBytes = group.peak;
    usage.peakHeadroomBytes = group.peakHeadroom;
    usage.paused = group.paused;
    return usage;
}

uint32_t
QbbSharedBuffer::GetEgressBytes(uint16_t egressPort, uint8_t priority) const
{
    return m_queues[GetIndex(egressPort, priority)];
}

QbbBufferUsage
QbbSharedBuffer::GetUsage() const
{
    QbbBufferUsage usage;
    usage.sizeBytes = m_size;
    usage.usedBytes = m_used;
    usage.peakUsedBytes = m_peakUsed;
    usage.reservedSize = m_reservedSize;
    usage.sharedSize = m_sharedSize;
    usage.sharedBytes = m_sharedUsed;
    usage.headroomSize = m_headroomSize;
    usage.headroomBytes = m_headroomUsed;
    usage.peakHeadroomBytes = m_peakHeadroomUsed;
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
    const bool noQueue =
        std::all_of(m_queues.begin(), m_queues.end(), [](uint32_t bytes) { return bytes == 0; });
    return noGroup && noQueue && m_used == 0 && m_sharedUsed == 0 && m_headroomUsed == 0;
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
QbbSharedBuffer::GetEgressLimit() const
{
    return GetThreshold(m_egressBase, m_egressAlpha);
}

} // namespace ns3
