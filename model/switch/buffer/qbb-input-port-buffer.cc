/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-input-port-buffer.h"

#include "qbb-buffer-plan.h"
#include "qbb-pfc-headroom.h"
#include "qbb-wire.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"

#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbInputPortBuffer);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_inputPortName("input-port",
                                   QbbInputPortBuffer::GetTypeId(),
                                   "",
                                   "a memory of its own for each input port");

constexpr uint32_t MAX_CELL_BYTES = 65536;
constexpr uint32_t XON_FRAMES = 2; //!< frames between XOFF and XON if XonBytes is 0

/// \param bytes a size \param cell size of a cell \return \p bytes rounded up to whole cells
uint64_t
RoundUp(uint64_t bytes, uint32_t cell)
{
    return cell == 1 ? bytes : (bytes + cell - 1) / cell * cell;
}

/// \param bytes a size \param cell size of a cell \return \p bytes rounded down to whole cells
uint64_t
RoundDown(uint64_t bytes, uint32_t cell)
{
    return bytes / cell * cell;
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
            .AddAttribute("PortBufferBytes",
                          "Memory of each input port, in bytes; rounded down to whole cells.",
                          UintegerValue(240'000),
                          MakeAttribute<UintegerValue, &QbbInputPortBuffer::m_portBufferBytes>(),
                          MakeUintegerChecker<uint64_t>(1, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "XoffBytes",
                "High watermark in bytes: a lossless class that would exceed it is paused. 0: "
                "(PortBufferBytes - LossyReserveBytes - headroom) / number of lossless classes of "
                "the port, with the headroom computed by QbbPfcHeadroom.",
                UintegerValue(0),
                MakeAttribute<UintegerValue, &QbbInputPortBuffer::m_xoffBytes>(),
                MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute(
                "XonBytes",
                "Low watermark in bytes: a paused class resumes when it holds no more than this. "
                "0: the high watermark minus two of the largest frames of the port and its peer.",
                UintegerValue(0),
                MakeAttribute<UintegerValue, &QbbInputPortBuffer::m_xonBytes>(),
                MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("LossyBytes",
                          "Maximum bytes of all lossy classes of a port together, if the port also "
                          "has lossless classes; 0: half of the memory that is not headroom.",
                          UintegerValue(0),
                          MakeAttribute<UintegerValue, &QbbInputPortBuffer::m_lossyBytes>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("LossyReserveBytes",
                          "Bytes reserved for the lossy classes of a port, if the port also has "
                          "lossless classes; rounded up to whole cells.",
                          UintegerValue(4096),
                          MakeAttribute<UintegerValue, &QbbInputPortBuffer::m_lossyReserve>(),
                          MakeUintegerChecker<uint64_t>(0, QBB_MAX_BUFFER_BYTES))
            .AddAttribute("CellBytes",
                          "Cell size in bytes; a frame takes whole cells. 64: credits of "
                          "InfiniBand and of the OMNeT++ model; 1: no rounding.",
                          UintegerValue(1),
                          MakeAttribute<UintegerValue, &QbbInputPortBuffer::m_cellBytes>(),
                          MakeUintegerChecker<uint32_t>(1, MAX_CELL_BYTES));
    return tid;
}

QbbBufferManager::Layout
QbbInputPortBuffer::DoConfigure(const std::vector<QbbPortProfile>& ports)
{
    Layout layout;
    layout.cellBytes = m_cellBytes;
    layout.resumesByClass = true;
    layout.memoryBytes = RoundDown(m_portBufferBytes, m_cellBytes) * ports.size();
    layout.queues.resize(ports.size() * PRIORITIES);
    for (const QbbPortProfile& profile : ports)
    {
        AddPort(layout, profile);
    }
    return layout;
}

uint64_t
QbbInputPortBuffer::GetHeadroom(const QbbPortProfile& profile) const
{
    // GetTerms() is called even if its result is not used, because it validates the profile.
    const QbbPfcHeadroom terms = QbbPfcHeadroom::GetTerms(profile);
    if (m_cellBytes == 1)
    {
        return terms.totalBytes;
    }
    // Among frames that take the same number of cells, the smallest ones fill the most memory per
    // line byte. The worst case is a minimum-size frame, or the shortest or longest frame with one
    // byte in its last cell.
    const uint64_t largest = terms.crossingBytes;
    const uint64_t shortest = RoundUp(QbbWire::MIN_FRAME_BYTES - 1, m_cellBytes) + 1;
    const uint64_t longest = (largest - 1) / m_cellBytes * m_cellBytes + 1;
    uint64_t most = 0;
    for (const uint64_t frame : {uint64_t{QbbWire::MIN_FRAME_BYTES}, shortest, longest})
    {
        if (frame >= QbbWire::MIN_FRAME_BYTES && frame <= largest)
        {
            const uint64_t lineBytes = frame + profile.lineOverheadBytes;
            most = std::max(most,
                            (terms.lineBytes * RoundUp(frame, m_cellBytes) + lineBytes - 1) /
                                lineBytes);
        }
    }
    return 2 * RoundUp(largest, m_cellBytes) + most + m_cellBytes;
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
    const uint64_t headroom = RoundUp(GetHeadroom(profile), m_cellBytes);
    const uint64_t reserve = RoundUp(m_lossyReserve, m_cellBytes);
    if (m_xoffBytes)
    {
        return reserve + n * RoundUp(m_xoffBytes, m_cellBytes);
    }
    const uint64_t headrooms = profile.oneHeadroom ? 1 : n;
    return reserve + headrooms * headroom + n * (XON_FRAMES * frame + frame);
}

void
QbbInputPortBuffer::AddPort(Layout& layout, const QbbPortProfile& profile) const
{
    const std::size_t number = layout.pools.size();
    const uint64_t size = RoundDown(m_portBufferBytes, m_cellBytes);
    const uint64_t least = GetLeastBytes(profile);
    RefuseRdmaIf(size < least,
                 "QbbInputPortBuffer: PortBufferBytes of ",
                 size,
                 " (whole cells) is too small for port ",
                 number,
                 "; accepted: at least ",
                 least,
                 " bytes");
    Pool pool;
    pool.size = size;
    Group lossy;
    lossy.pool = static_cast<uint32_t>(number);
    lossy.limit.bytes = size;
    Group lossless = lossy;
    lossless.lossless = true;
    const auto n = static_cast<uint32_t>(__builtin_popcount(profile.losslessMask));
    if (n > 0)
    {
        const uint64_t headroom = RoundUp(GetHeadroom(profile), m_cellBytes);
        const uint64_t reserve = RoundUp(m_lossyReserve, m_cellBytes);
        const uint32_t headrooms = profile.oneHeadroom ? 1 : n;
        const uint64_t xoff =
            RoundDown(m_xoffBytes ? m_xoffBytes : (size - reserve - headrooms * headroom) / n,
                      m_cellBytes);
        pool.size = n * xoff + reserve;
        lossless.onePerPort = profile.oneHeadroom;
        lossless.headroomLimit = RoundDown((size - pool.size) / headrooms, m_cellBytes);
        pool.headroomSize = lossless.headroomLimit * headrooms;
        const uint32_t largest = std::max(profile.maxFrameBytes, profile.peerMaxFrameBytes);
        const uint64_t hysteresis = XON_FRAMES * RoundUp(largest, m_cellBytes);
        RefuseRdmaIf(m_xonBytes >= xoff || (m_xonBytes == 0 && hysteresis >= xoff),
                     "QbbInputPortBuffer: port ",
                     number,
                     ": XonBytes is ",
                     m_xonBytes,
                     " with XOFF at ",
                     xoff,
                     " bytes; accepted: below that, or 0 for ",
                     hysteresis,
                     " below, where that is above 0");
        lossless.limit.bytes = xoff;
        lossless.xon = m_xonBytes ? m_xonBytes : xoff - hysteresis;
        lossless.xonOffset = xoff - lossless.xon;
        RefuseRdmaIf(m_lossyBytes > pool.size,
                     "QbbInputPortBuffer: LossyBytes is ",
                     m_lossyBytes,
                     ", but only ",
                     pool.size,
                     " bytes of port ",
                     number,
                     " are not headroom");
        lossy.limit.bytes = m_lossyBytes ? m_lossyBytes : pool.size / 2;
    }
    layout.pools.push_back(pool);
    for (uint32_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const bool isLossless = (profile.losslessMask >> priority & 1) != 0;
        layout.groups.push_back(isLossless ? lossless : lossy);
    }
}

uint64_t
QbbInputPortBuffer::GetLossyBytes(const Group& group) const
{
    const auto& groups = GetGroups();
    const uint32_t first = GetIndex(group) / PRIORITIES * PRIORITIES;
    uint64_t sum = 0;
    for (uint32_t i = first; i < first + PRIORITIES; ++i)
    {
        sum += groups[i].lossless ? 0 : groups[i].shared;
    }
    return sum;
}

QbbBufferDecision
QbbInputPortBuffer::DoAdmit(const Group& group, const Queue&, uint32_t bytes)
{
    const Pool& pool = GetPool(group);
    const uint64_t limit = group.limit.bytes;
    // A limit equal to S means that the port has no lossless classes.
    if (bytes <= pool.GetFree() &&
        (group.lossless ? group.shared + bytes <= limit
                        : limit == pool.size || GetLossyBytes(group) + bytes <= limit))
    {
        return QbbBufferDecision::Share();
    }
    return group.lossless ? TakeHeadroom(group, bytes, 0)
                          : QbbBufferDecision::Drop(QbbDropReason::BUFFER_FULL);
}

QbbBufferManager::XonNeed
QbbInputPortBuffer::DoGetXonNeed(const Group& group, const Pool&) const
{
    if (group.GetBytes() == 0)
    {
        return {0};
    }
    // Headroom bytes move to S before the watermark is checked.
    return {group.GetBytes() <= group.xon ? group.headroom + group.xonOffset : NEVER};
}

uint64_t
QbbInputPortBuffer::GetPortBytes(uint16_t port) const
{
    uint64_t sum = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        sum += GetIngress(port, priority).bytes;
    }
    return sum;
}

} // namespace ns3
