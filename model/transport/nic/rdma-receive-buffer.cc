/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-receive-buffer.h"

#include "qbb-pfc-headroom.h"
#include "rdma-event-order.h"
#include "rdma-fixed-type-id.h"
#include "rdma-refuse.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaReceiveBuffer");

NS_OBJECT_ENSURE_REGISTERED(RdmaReceiveBuffer);

TypeId
RdmaReceiveBuffer::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaReceiveBuffer>("ns3::RdmaReceiveBuffer")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaReceiveBuffer>()
            .AddAttribute("Size",
                          "Capacity of the buffer in bytes, including the headroom.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&RdmaReceiveBuffer::m_size),
                          MakeUintegerChecker<uint32_t>(64, 1 << 30))
            .AddLiveAttribute("DrainRate",
                              "Rate at which the host drains the buffer.",
                              DataRateValue(DataRate("100Gbps")),
                              MakeDataRateAccessor(&RdmaReceiveBuffer::SetDrainRate,
                                                   &RdmaReceiveBuffer::GetDrainRate),
                              MakeDataRateChecker())
            .AddAttribute("XoffBytes",
                          "High watermark in bytes, above which the port pauses its lossless "
                          "classes; 0: Size minus the headroom of QbbPfcHeadroom.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaReceiveBuffer::m_xoffAttribute),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("XonBytes",
                          "Low watermark in bytes, down to which the port resumes its lossless "
                          "classes; 0: half of XoffBytes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaReceiveBuffer::m_xonAttribute),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("StallStart",
                          "Start time of the first stall of the receive pipeline.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&RdmaReceiveBuffer::m_stallStart),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("StallDuration",
                          "Duration of each stall of the receive pipeline; 0: no stalls.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&RdmaReceiveBuffer::m_stallDuration),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("StallPeriod",
                          "Time from the start of a stall to the start of the next one; 0: a "
                          "single stall.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&RdmaReceiveBuffer::m_stallPeriod),
                          MakeTimeChecker(Seconds(0)))
            .AddTraceSource("Bytes",
                            "Bytes in the receive buffer.",
                            MakeTraceSourceAccessor(&RdmaReceiveBuffer::m_bytes),
                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

RdmaReceiveBuffer::RdmaReceiveBuffer()
    : m_timer(this)
{
    NS_LOG_FUNCTION(this);
}

RdmaReceiveBuffer::~RdmaReceiveBuffer()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaReceiveBuffer::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer.Disarm();
    m_queue.Clear();
    m_device = nullptr;
    m_next = nullptr;
    Object::DoDispose();
}

void
RdmaReceiveBuffer::SetDrainRate(DataRate rate)
{
    RefuseRdmaIf(rate.GetBitRate() == 0,
                 "a receive buffer with DrainRate 0; accepted: above 0, with stalls for "
                 "a host that takes nothing");
    m_rate = RdmaLineRate(RdmaBitRate(rate));
    m_fraction = 0;
}

DataRate
RdmaReceiveBuffer::GetDrainRate() const
{
    return m_rate.GetBitRate().ToDataRate();
}

void
RdmaReceiveBuffer::Install(Ptr<QbbNetDevice> device)
{
    NS_LOG_FUNCTION(this << device);
    NS_ABORT_MSG_IF(m_device, "rdma: a receive buffer is given a second port");
    NS_ABORT_MSG_IF(!device->GetSink() || !device->GetPeer(),
                    "rdma: a receive buffer at node " << device->GetNodeId()
                                                      << ": the port needs a NIC behind it, and a "
                                                         "cable");
    CheckSettings();
    m_device = PeekPointer(device);
    m_lossless = device->GetFlowControl().GetLosslessClasses();
    SetThresholds();
    m_next = device->GetSink();
    device->SetSink(this);
    device->AggregateObject(this);
}

void
RdmaReceiveBuffer::CheckSettings() const
{
    RefuseRdmaIf(!m_stallPeriod.IsZero() && m_stallPeriod <= m_stallDuration,
                 "a receive buffer that stalls for ",
                 m_stallDuration.As(Time::US),
                 " every ",
                 m_stallPeriod.As(Time::US),
                 "; accepted: a StallPeriod above StallDuration, or 0 for one stall");
}

uint64_t
RdmaReceiveBuffer::GetHeadroom(const QbbPort& device)
{
    if (!device.GetFlowControl().GetLosslessClasses())
    {
        return 0;
    }
    const QbbPort& peer = *device.GetPeer();
    QbbPortProfile profile;
    profile.rate = device.GetLineRate().GetBitRate();
    profile.delay = device.GetQbbChannel()->GetDelayPs();
    profile.reaction = peer.GetFlowControl().GetReactionDelay();
    profile.maxFrameBytes = device.GetMaxFrameBytes();
    profile.peerMaxFrameBytes = peer.GetMaxFrameBytes();
    profile.lineOverheadBytes = device.GetLineOverheadBytes();
    return QbbPfcHeadroom::GetBytes(profile);
}

void
RdmaReceiveBuffer::SetThresholds()
{
    const uint64_t headroom = GetHeadroom(*m_device);
    RefuseRdmaIf(m_xoffAttribute == 0 && headroom >= m_size,
                 "a receive buffer of ",
                 m_size,
                 " bytes at node ",
                 m_device->GetNodeId(),
                 ", whose headroom is ",
                 headroom,
                 " bytes; accepted: a Size above that, or XoffBytes of one's own");
    m_xoffBytes = m_xoffAttribute ? m_xoffAttribute : static_cast<uint32_t>(m_size - headroom);
    m_xonBytes = m_xonAttribute ? m_xonAttribute : m_xoffBytes / 2;
    RefuseRdmaIf(m_xoffBytes > m_size || m_xonBytes > m_xoffBytes,
                 "a receive buffer with XonBytes ",
                 m_xonBytes,
                 ", XoffBytes ",
                 m_xoffBytes,
                 " and Size ",
                 m_size,
                 "; accepted: XonBytes at most XoffBytes at most Size");
}

void
RdmaReceiveBuffer::ReceiveFrame(QbbPort& port, QbbFramePtr&& frame)
{
    const uint32_t bytes = m_bytes + frame->size;
    const bool lossless = m_lossless & (1U << frame->priority);
    const bool above = bytes > m_xoffBytes;
    const bool fits = bytes <= m_size && (lossless || !above);
    // Pause only if the buffer will hold a frame whose departure can end the pause.
    if (above && lossless && !m_paused && (fits || m_bytes > m_xonBytes))
    {
        m_paused = true;
        port.GetFlowControl().RequestPauses(m_lossless, true);
    }
    if (!fits)
    {
        ++m_drops;
        port.CountDrop(*frame, QbbDropReason::RECEIVER_FULL);
        return;
    }
    m_bytes = bytes;
    m_peakBytes = std::max(m_peakBytes, bytes);
    const RdmaPs now = frame->arrival.GetInstant();
    m_queue.Push(std::move(frame));
    if (m_queue.GetSize() == 1)
    {
        StartFrame(now);
    }
}

void
RdmaReceiveBuffer::StartFrame(RdmaPs now)
{
    if (m_drained != now)
    {
        // The pipeline was idle: the remainder below one picosecond is void.
        m_fraction = 0;
    }
    const RdmaPs end = GetEnd(now, m_rate.BytesToPs(m_queue.Front()->size, m_fraction));
    const uint32_t place = RdmaPortPlace(m_device->GetNodeId(), m_device->GetDeviceIndex(), end);
    m_timer.Arm(end, RdmaEventNow(), RdmaEventOrder::Pipelines::AtPort(place));
}

RdmaPs
RdmaReceiveBuffer::GetEnd(RdmaPs from, RdmaPs work) const
{
    const RdmaPs duration = RdmaToPs(m_stallDuration);
    if (duration == 0_ps)
    {
        return from + work;
    }
    const RdmaPs start = RdmaToPs(m_stallStart);
    const RdmaPs period = RdmaToPs(m_stallPeriod);
    RdmaPs stall = start;
    if (period != 0_ps && from > start)
    {
        stall += (from - start) / period * period;
    }
    // `stall` is the start of the latest stall, or of the first stall if none has begun.
    for (RdmaPs now = from;; stall += period)
    {
        if (now < stall)
        {
            if (work <= stall - now)
            {
                return now + work;
            }
            work -= stall - now;
            now = stall;
        }
        now = std::max(now, stall + duration);
        if (period == 0_ps)
        {
            return now + work;
        }
    }
}

uint32_t
RdmaReceiveBuffer::GetNodeId() const
{
    return m_device->GetNodeId();
}

void
RdmaReceiveBuffer::OnDrained()
{
    const RdmaEventTime eventTime = RdmaEventNow();
    m_drained = eventTime.GetInstant();
    QbbFramePtr frame = m_queue.Pop();
    m_bytes = m_bytes - frame->size;
    ++m_frames;
    if (!m_queue.IsEmpty())
    {
        StartFrame(m_drained);
    }
    if (m_paused && m_bytes <= m_xonBytes)
    {
        m_paused = false;
        m_device->GetFlowControl().RequestPauses(m_lossless, false);
    }
    frame->arrival = eventTime;
    m_next->ReceiveFrame(*m_device, std::move(frame));
}

void
RdmaReceiveBuffer::FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start)
{
    m_next->FrameDeparts(port, frame, start);
}

void
RdmaReceiveBuffer::FrameGone(QbbPort& port, const QbbFrame& frame)
{
    m_next->FrameGone(port, frame);
}

void
RdmaReceiveBuffer::LinkChanged(QbbPort& port)
{
    m_next->LinkChanged(port);
}

} // namespace ns3
