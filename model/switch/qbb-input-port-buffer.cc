/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-input-port-buffer.h"

#include "qbb-pfc-headroom.h"
#include "qbb-wire.h"

#include <ns3/abort.h>
#include <ns3/assert.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbInputPortBuffer);

namespace
{

/// Twice that still is a number of 32 bits.
constexpr uint32_t MAX_PORT_BYTES = 1U << 30;
constexpr uint32_t MAX_CELL_BYTES = 65536;
constexpr uint32_t XON_FRAMES = 2; //!< from XOFF down to XON, where XonBytes is 0

/// \param bytes a size \param cell size of a cell \return the size in whole cells
uint32_t
RoundUp(uint32_t bytes, uint32_t cell)
{
    return cell == 1 ? bytes : (bytes + cell - 1) / cell * cell;
}

} // namespace

TypeId
QbbInputPortBuffer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbInputPortBuffer")
            .SetParent<QbbBufferManager>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbInputPortBuffer>()
            .AddAttribute(
                "PortBufferBytes",
                "Memory of each input port, in bytes; rounded down to whole cells.",
                UintegerValue(240'000),
                MakeUintegerAccessor(
                    &QbbInputPortBuffer::Set<&QbbInputPortBuffer::m_portBufferBytes, uint32_t>,
                    &QbbInputPortBuffer::Get<&QbbInputPortBuffer::m_portBufferBytes, uint32_t>),
                MakeUintegerChecker<uint32_t>(1, MAX_PORT_BYTES))
            .AddAttribute("XoffBytes",
                          "High watermark: a lossless class that would hold more is paused, in "
                          "bytes; 0: what LossyReserveBytes and the headroom by QbbPfcHeadroom "
                          "leave of PortBufferBytes, divided by the port's lossless classes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(
                              &QbbInputPortBuffer::Set<&QbbInputPortBuffer::m_xoffBytes, uint32_t>,
                              &QbbInputPortBuffer::Get<&QbbInputPortBuffer::m_xoffBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>(0, MAX_PORT_BYTES))
            .AddAttribute("XonBytes",
                          "Low watermark: a paused class goes on when it holds no more, in bytes; "
                          "0: two of the largest frames of the port and its peer below the high "
                          "watermark.",
                          UintegerValue(0),
                          MakeUintegerAccessor(
                              &QbbInputPortBuffer::Set<&QbbInputPortBuffer::m_xonBytes, uint32_t>,
                              &QbbInputPortBuffer::Get<&QbbInputPortBuffer::m_xonBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>(0, MAX_PORT_BYTES))
            .AddAttribute(
                "LossyBytes",
                "What the lossy classes of a port with lossless ones may hold together, "
                "in bytes; 0: half of what is not headroom.",
                UintegerValue(0),
                MakeUintegerAccessor(
                    &QbbInputPortBuffer::Set<&QbbInputPortBuffer::m_lossyBytes, uint32_t>,
                    &QbbInputPortBuffer::Get<&QbbInputPortBuffer::m_lossyBytes, uint32_t>),
                MakeUintegerChecker<uint32_t>(0, MAX_PORT_BYTES))
            .AddAttribute(
                "LossyReserveBytes",
                "What the lossy classes of a port with lossless ones have to themselves, "
                "in bytes; rounded up to whole cells.",
                UintegerValue(4096),
                MakeUintegerAccessor(
                    &QbbInputPortBuffer::Set<&QbbInputPortBuffer::m_lossyReserve, uint32_t>,
                    &QbbInputPortBuffer::Get<&QbbInputPortBuffer::m_lossyReserve, uint32_t>),
                MakeUintegerChecker<uint32_t>(0, MAX_PORT_BYTES))
            .AddAttribute("CellBytes",
                          "A frame takes whole cells of this size: 64 for the credits of "
                          "InfiniBand and of the OMNeT++ model; 1: bytes.",
                          UintegerValue(1),
                          MakeUintegerAccessor(
                              &QbbInputPortBuffer::Set<&QbbInputPortBuffer::m_cellBytes, uint32_t>,
                              &QbbInputPortBuffer::Get<&QbbInputPortBuffer::m_cellBytes, uint32_t>),
                          MakeUintegerChecker<uint32_t>(1, MAX_CELL_BYTES));
    return tid;
}

uint32_t
QbbInputPortBuffer::RoundDown(uint32_t bytes) const
{
    return bytes / m_cell * m_cell;
}

void
QbbInputPortBuffer::Configure(const std::vector<QbbPortProfile>& ports)
{
    NS_ABORT_MSG_IF(!IsEmpty(), "rdma: QbbInputPortBuffer: configured while it holds frames");
    NS_ABORT_MSG_IF(ports.size() > std::numeric_limits<uint16_t>::max(),
                    "rdma: QbbInputPortBuffer: " << ports.size() << " ports; accepted: 0 to 65535");
    m_cell = m_cellBytes;
    m_portSize = RoundDown(m_portBufferBytes);
    m_ports.clear();
    m_groups.assign(ports.size() * PRIORITIES, Group());
    m_queues.assign(m_groups.size(), 0);
    for (std::size_t number = 0; number < ports.size(); ++number)
    {
        m_ports.push_back(MakePort(ports[number], number));
        for (uint32_t priority = 0; priority < PRIORITIES; ++priority)
        {
            m_groups[number * PRIORITIES + priority].lossless =
                (ports[number].losslessMask >> priority & 1) != 0;
        }
    }
    m_peakUsed = 0;
    m_peakHeadroomUsed = 0;
}

uint64_t
QbbInputPortBuffer::GetHeadroom(const QbbPortProfile& profile) const
{
    // also checks the profile if the result is not wanted
    const QbbPfcHeadroomTerms terms = QbbPfcHeadroom::GetTerms(profile);
    if (m_cellBytes == 1)
    {
        return terms.totalBytes;
    }
    // Of the frames that take a number of cells the smallest fill most per line byte: the smallest
    // of all, or those with one byte in their last cell, among them the shortest or the longest.
    const auto largest = static_cast<uint32_t>(terms.crossingBytes);
    const uint32_t shortest = RoundUp(QbbWire::MIN_FRAME_BYTES - 1, m_cellBytes) + 1;
    const uint32_t longest = (largest - 1) / m_cellBytes * m_cellBytes + 1;
    uint64_t most = 0;
    for (const uint32_t frame : {QbbWire::MIN_FRAME_BYTES, shortest, longest})
    {
        if (frame >= QbbWire::MIN_FRAME_BYTES && frame <= largest)
        {
            const uint64_t lineBytes = frame + profile.lineOverheadBytes;
            most = std::max(most,
                            (terms.lineBytes * RoundUp(frame, m_cellBytes) + lineBytes - 1) /
                                lineBytes);
        }
    }
    return 2 * uint64_t{RoundUp(largest, m_cellBytes)} + most + m_cellBytes;
}

uint64_t
QbbInputPortBuffer::GetLeastBytes(const QbbPortProfile& profile) const
{
    const uint32_t largest = std::max(profile.maxFrameBytes, profile.peerMaxFrameBytes);
    const uint64_t frame = RoundUp(largest, m_cellBytes);
    const auto n = static_cast<uint32_t>(__builtin_popcount(profile.losslessMask));
    if (n == 0)
    {
        return frame;
    }
    const uint64_t headroom = RoundUp(static_cast<uint32_t>(GetHeadroom(profile)), m_cellBytes);
    const uint64_t reserve = RoundUp(m_lossyReserve, m_cellBytes);
    if (m_xoffBytes)
    {
        return reserve + uint64_t{n} * RoundUp(m_xoffBytes, m_cellBytes);
    }
    const uint64_t headrooms = profile.oneHeadroom ? 1 : n;
    return reserve + headrooms * headroom + n * (XON_FRAMES * frame + frame);
}

QbbInputPortBuffer::Port
QbbInputPortBuffer::MakePort(const QbbPortProfile& profile, std::size_t number) const
{
    const uint64_t least = GetLeastBytes(profile);
    NS_ABORT_MSG_IF(m_portSize < least,
                    "rdma: QbbInputPortBuffer: PortBufferBytes of "
                        << m_portSize << " (whole cells) is too small for port " << number
                        << "; accepted: at least " << least << " bytes");
    Port port;
    const auto n = static_cast<uint32_t>(__builtin_popcount(profile.losslessMask));
    port.oneHeadroom = profile.oneHeadroom;
    port.nHeadrooms = profile.oneHeadroom ? std::min(n, 1U) : n;
    if (n == 0)
    {
        port.sharedSize = m_portSize;
        port.lossyLimit = m_portSize;
        return port;
    }
    const uint32_t headroom = RoundUp(static_cast<uint32_t>(GetHeadroom(profile)), m_cell);
    const uint32_t reserve = RoundUp(m_lossyReserve, m_cell);
    port.xoff = RoundDown(m_xoffBytes ? m_xoffBytes
                                      : (m_portSize - reserve - port.nHeadrooms * headroom) / n);
    port.sharedSize = n * port.xoff + reserve;
    port.headroomLimit = RoundDown((m_portSize - port.sharedSize) / port.nHeadrooms);
    const uint32_t largest = std::max(profile.maxFrameBytes, profile.peerMaxFrameBytes);
    const uint32_t hysteresis = XON_FRAMES * RoundUp(largest, m_cell);
    NS_ABORT_MSG_IF(m_xonBytes >= port.xoff || (m_xonBytes == 0 && hysteresis >= port.xoff),
                    "rdma: QbbInputPortBuffer: port "
                        << number << ": XonBytes is " << m_xonBytes << " with XOFF at " << port.xoff
                        << " bytes; accepted: below that, or 0 for " << hysteresis
                        << " below, where that is above 0");
    port.xon = m_xonBytes ? m_xonBytes : port.xoff - hysteresis;
    NS_ABORT_MSG_IF(m_lossyBytes > port.sharedSize,
                    "rdma: QbbInputPortBuffer: LossyBytes is "
                        << m_lossyBytes << ", but only " << port.sharedSize << " bytes of port "
                        << number << " are not headroom");
    port.lossyLimit = m_lossyBytes ? m_lossyBytes : port.sharedSize / 2;
    return port;
}

QbbAdmission
QbbInputPortBuffer::Admit(uint16_t ingressPort,
                          uint16_t egressPort,
                          uint8_t priority,
                          uint32_t bytes)
{
    NS_ASSERT_MSG(ingressPort < GetNPorts() && egressPort < GetNPorts() && priority < PRIORITIES,
                  "no such port or priority");
    NS_ASSERT_MSG(bytes > 0, "a frame of no bytes");
    Port& port = m_ports[ingressPort];
    Group& group = m_groups[ingressPort * PRIORITIES + priority];
    const uint32_t size = RoundUp(bytes, m_cell);
    const bool hasRoom = size <= port.sharedSize - port.shared;

    QbbAdmission answer;
    if (!group.lossless)
    {
        if (!hasRoom || uint64_t{port.lossy} + size > port.lossyLimit)
        {
            answer.reason = QbbDropReason::BUFFER_FULL;
            return answer;
        }
        port.lossy += size;
    }
    if (!group.lossless || (hasRoom && uint64_t{group.shared} + size <= port.xoff))
    {
        port.shared += size;
        group.shared += size;
    }
    else
    {
        if (size > port.headroomLimit - (port.oneHeadroom ? port.headroom : group.headroom))
        {
            answer.reason = QbbDropReason::HEADROOM_FULL;
            // Where nobody is left to release anything, a pause would never end.
            answer.xoff = !group.paused && (group.GetBytes() > 0 || port.shared > 0);
            group.paused |= answer.xoff;
            port.paused |= static_cast<uint8_t>(group.paused ? 1U << priority : 0);
            return answer;
        }
        answer.xoff = !group.paused;
        group.paused = true;
        port.paused |= static_cast<uint8_t>(1U << priority);
        group.headroom += size;
        port.headroom += size;
        group.peakHeadroom = std::max(group.peakHeadroom, group.headroom);
        m_headroomUsed += size;
        m_peakHeadroomUsed = std::max(m_peakHeadroomUsed, m_headroomUsed);
    }
    m_queues[egressPort * PRIORITIES + priority] += size;
    m_used += size;
    group.peak = std::max(group.peak, group.GetBytes());
    m_peakUsed = std::max(m_peakUsed, m_used);
    answer.admitted = true;
    return answer;
}

bool
QbbInputPortBuffer::Release(uint16_t ingressPort,
                            uint16_t egressPort,
                            uint8_t priority,
                            uint32_t bytes)
{
    NS_ASSERT_MSG(ingressPort < GetNPorts() && egressPort < GetNPorts() && priority < PRIORITIES,
                  "no such port or priority");
    Port& port = m_ports[ingressPort];
    Group& group = m_groups[ingressPort * PRIORITIES + priority];
    uint32_t& queue = m_queues[egressPort * PRIORITIES + priority];
    const uint32_t size = RoundUp(bytes, m_cell);
    NS_ABORT_MSG_IF(size > group.GetBytes() || size > queue,
                    "rdma: QbbInputPortBuffer: "
                        << size << " bytes of priority " << +priority << " released from port "
                        << ingressPort << " to port " << egressPort << ", but the one holds "
                        << group.GetBytes() << " and the other " << queue);

    const uint32_t headroom = std::min(size, group.headroom);
    const uint32_t shared = size - headroom;
    group.headroom -= headroom;
    port.headroom -= headroom;
    m_headroomUsed -= headroom;
    group.shared -= shared;
    port.shared -= shared;
    if (!group.lossless)
    {
        port.lossy -= shared;
    }
    queue -= size;
    m_used -= size;

    return port.paused && ResumeThoseThatMay(ingressPort);
}

bool
QbbInputPortBuffer::MayGoOn(const Port& port, const Group& group)
{
    // What is in headroom goes to S, before the watermark is looked at.
    return group.GetBytes() == 0 ||
           (group.GetBytes() <= port.xon &&
            port.sharedSize - port.shared >= uint64_t{group.headroom} + (port.xoff - port.xon));
}

bool
QbbInputPortBuffer::ResumeThoseThatMay(uint16_t number)
{
    Port& port = m_ports[number];
    bool any = false;
    for (uint8_t left = port.paused; left; left &= static_cast<uint8_t>(left - 1))
    {
        const auto priority = static_cast<uint8_t>(__builtin_ctz(left));
        Group& group = m_groups[number * PRIORITIES + priority];
        if (MayGoOn(port, group))
        {
            port.shared += group.headroom;
            port.headroom -= group.headroom;
            m_headroomUsed -= group.headroom;
            group.shared += group.headroom;
            group.headroom = 0;
            group.paused = false;
            port.paused &= static_cast<uint8_t>(~(1U << priority));
            Resume(number, priority);
            any = true;
        }
    }
    return any;
}

uint32_t
QbbInputPortBuffer::GetIndex(uint16_t port, uint8_t priority) const
{
    NS_ABORT_MSG_IF(port >= GetNPorts() || priority >= PRIORITIES,
                    "rdma: QbbInputPortBuffer: port " << port << ", priority " << +priority
                                                      << "; accepted: ports below " << GetNPorts()
                                                      << ", priorities 0 to 7");
    return port * PRIORITIES + priority;
}

bool
QbbInputPortBuffer::IsPaused(uint16_t ingressPort, uint8_t priority) const
{
    return m_groups[GetIndex(ingressPort, priority)].paused;
}

bool
QbbInputPortBuffer::MayResume(uint16_t ingressPort,
                              uint8_t priority,
                              const std::vector<uint64_t>& stuckBytes) const
{
    // As Release() has it: headroom gets empty first. What is stuck takes its bytes at least, in
    // cells it may be more. Headroom of others is left where it is, which leaves most of S free.
    Group group;
    Port port = m_ports[ingressPort];
    port.shared = 0;
    bool leaves = false;
    for (uint8_t i = 0; i < PRIORITIES; ++i)
    {
        const uint32_t index = GetIndex(ingressPort, i);
        const Group& present = m_groups[index];
        leaves = leaves || stuckBytes[index] < present.GetBytes();
        const auto bytes =
            static_cast<uint32_t>(std::min<uint64_t>(stuckBytes[index], present.GetBytes()));
        Group rest;
        rest.shared = std::min(bytes, present.shared);
        rest.headroom = bytes - rest.shared;
        port.shared += rest.shared;
        if (i == priority)
        {
            group = rest;
        }
    }
    return leaves && MayGoOn(port, group);
}

QbbIngressUsage
QbbInputPortBuffer::GetIngress(uint16_t ingressPort, uint8_t priority) const
{
    const Group& group = m_groups[GetIndex(ingressPort, priority)];
    const Port& port = m_ports[ingressPort];
    QbbIngressUsage usage;
    usage.bytes = group.GetBytes();
    usage.sharedBytes = group.shared;
    usage.headroomBytes = group.headroom;
    usage.headroomLimit = group.lossless ? port.headroomLimit : 0;
    usage.threshold = group.lossless ? port.xoff : port.lossyLimit;
    usage.peakBytes = group.peak;
    usage.peakHeadroomBytes = group.peakHeadroom;
    usage.paused = group.paused;
    return usage;
}

uint32_t
QbbInputPortBuffer::GetPortBytes(uint16_t port) const
{
    uint32_t sum = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        sum += m_groups[GetIndex(port, priority)].GetBytes();
    }
    return sum;
}

uint32_t
QbbInputPortBuffer::GetEgressBytes(uint16_t egressPort, uint8_t priority) const
{
    return m_queues[GetIndex(egressPort, priority)];
}

QbbBufferUsage
QbbInputPortBuffer::GetUsage() const
{
    QbbBufferUsage usage;
    usage.sizeBytes = uint64_t{m_portSize} * GetNPorts();
    usage.usedBytes = m_used;
    usage.peakUsedBytes = m_peakUsed;
    usage.headroomBytes = m_headroomUsed;
    usage.peakHeadroomBytes = m_peakHeadroomUsed;
    for (const auto& port : m_ports)
    {
        usage.sharedSize += port.sharedSize;
        usage.sharedBytes += port.shared;
        usage.headroomSize += uint64_t{port.headroomLimit} * port.nHeadrooms;
    }
    return usage;
}

bool
QbbInputPortBuffer::IsEmpty() const
{
    const bool noGroup = std::all_of(m_groups.begin(), m_groups.end(), [](const Group& group) {
        return group.GetBytes() == 0 && !group.paused;
    });
    const bool noQueue =
        std::all_of(m_queues.begin(), m_queues.end(), [](uint32_t bytes) { return bytes == 0; });
    const bool noPort = std::all_of(m_ports.begin(), m_ports.end(), [](const Port& port) {
        return port.shared == 0 && port.lossy == 0;
    });
    return noGroup && noQueue && noPort && m_used == 0 && m_headroomUsed == 0;
}

void
QbbInputPortBuffer::ResetPeaks()
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
QbbInputPortBuffer::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

} // namespace ns3
