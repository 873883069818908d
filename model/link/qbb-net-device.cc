/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-net-device.h"

#include "qbb-frame-codec.h"
#include "qbb-wire.h"

#include <ns3/abort.h>
#include <ns3/log.h>
#include <ns3/node.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbNetDevice");

QbbNetDevice::QbbNetDevice()
    : m_flow(*this),
      m_txTimer(this)
{
    NS_LOG_FUNCTION(this);
}

QbbNetDevice::~QbbNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
QbbNetDevice::DoInitialize()
{
    NS_LOG_FUNCTION(this);
    QbbCheckTimeResolution();
    NS_ABORT_MSG_IF(!GetPeer(),
                    "rdma: port " << m_ifIndex << " of node " << m_node->GetId()
                                  << " has no cable, or its cable has no other end");
    NS_ABORT_MSG_IF(m_rate.GetBitRate() != GetPeer()->m_rate.GetBitRate(),
                    "rdma: the link between nodes "
                        << m_node->GetId() << " and " << GetPeer()->m_node->GetId() << " has "
                        << GetDataRate() << " at one end and " << GetPeer()->GetDataRate()
                        << " at the other; both ends of a cable need one rate");
    const QbbFlowControl& other = GetPeer()->m_flow;
    NS_ABORT_MSG_IF(m_flow.GetLosslessClasses() != other.GetLosslessClasses() ||
                        m_flow.GetKind() != other.GetKind(),
                    "rdma: the link between nodes "
                        << m_node->GetId() << " and " << GetPeer()->m_node->GetId()
                        << ": a class is lossless on one side only (PfcClasses "
                        << +m_flow.GetLosslessClasses() << " and " << +other.GetLosslessClasses()
                        << ", one bit a class); set FlowControl and PfcClasses alike on both "
                           "ends");
    m_flow.Start(m_rate);
    // A pause frame that is due waits for the frame on the line, which may just have begun.
    const uint32_t longest = GetMaxFrameBytes() + GetLineOverheadBytes();
    NS_ABORT_MSG_IF(m_flow.GetLosslessClasses() &&
                        m_flow.GetPauseSender().GetSlackPs() <= m_rate.BytesToPs(longest),
                    "rdma: port " << m_ifIndex << " of node " << m_node->GetId() << ": a pause of "
                                  << m_flow.GetSettings().quanta << " quanta, repeated after "
                                  << m_flow.GetSettings().refresh
                                  << " of its length, runs out behind a frame of " << longest
                                  << " bytes on the line; accepted: PauseQuanta times (1 - "
                                     "PauseRefresh) above "
                                  << longest * 8.0 / QbbWire::PAUSE_QUANTUM_BITS);
    NetDevice::DoInitialize();
}

void
QbbNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_txTimer.Disarm();
    m_flow.Stop();
    for (auto& queue : m_queues)
    {
        queue.Clear();
    }
    m_queueBytes = {};
    m_waiting = {};
    m_queued = 0;
    m_sourceReady = 0;
    m_sink = nullptr;
    m_source = nullptr;
    m_channel = nullptr;
    m_node = nullptr;
    m_receiveErrorModel = nullptr;
    m_receive = ReceiveCallback();
    m_promiscReceive = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

bool
QbbNetDevice::Attach(Ptr<QbbChannel> channel)
{
    NS_LOG_FUNCTION(this << channel);
    NS_ABORT_MSG_IF(m_channel, "rdma: a port is attached to a second cable");
    m_channel = channel;
    m_channel->Attach(this);
    m_up = m_channel->IsUp();
    m_linkChange();
    return true;
}

// The way out

void
QbbNetDevice::Enqueue(QbbFramePtr frame)
{
    Enqueue(std::move(frame), Simulator::Now().GetTimeStep());
}

void
QbbNetDevice::Enqueue(QbbFramePtr&& frame, int64_t nowFs)
{
    const uint8_t priority = frame->priority;
    FireTrace(m_macTx, *frame);
    if (!m_up)
    {
        DropUnsent(*frame, QbbDropReason::LINK_DOWN);
        return;
    }
    uint64_t& bytes = m_queueBytes[priority];
    bytes += frame->size;
    auto& peak = m_counters.classes[priority].peakQueueBytes;
    peak = std::max(peak, bytes);
    m_queues[priority].Push(std::move(frame));
    m_queued |= static_cast<uint8_t>(1U << priority);
    TryTransmit(nowFs);
}

void
QbbNetDevice::SetSourceReady(uint8_t priority, bool ready)
{
    const auto bit = static_cast<uint8_t>(1U << priority);
    if (ready)
    {
        m_sourceReady |= bit;
        TryTransmit();
    }
    else
    {
        m_sourceReady &= static_cast<uint8_t>(~bit);
    }
}

void
QbbNetDevice::AddWaiting(uint8_t priority, uint32_t bytes)
{
    uint64_t& queue = m_queueBytes[priority];
    queue += bytes;
    m_waiting[priority].bytes += bytes;
    ++m_waiting[priority].frames;
    auto& peak = m_counters.classes[priority].peakQueueBytes;
    peak = std::max(peak, queue);
}

void
QbbNetDevice::TryTransmit()
{
    if (m_up && HasWork())
    {
        TryTransmit(Simulator::Now().GetTimeStep());
    }
}

void
QbbNetDevice::TryTransmit(int64_t nowFs)
{
    if (!m_up || !HasWork())
    {
        return;
    }
    const int64_t nowPs = nowFs / QBB_FS_PER_PS;
    if (m_busyUntilPs > nowPs)
    {
        ArmTransmission(nowFs);
        return;
    }
    if (QbbFramePtr frame = NextFrameToSend(nowPs))
    {
        StartTransmission(std::move(frame), nowFs, nowPs);
        if (HasWork())
        {
            ArmTransmission(nowFs);
        }
    }
}

void
QbbNetDevice::ArmTransmission(int64_t nowFs)
{
    if (m_txArmedPs != m_busyUntilPs)
    {
        m_txArmedPs = m_busyUntilPs;
        m_txTimer.Arm(m_busyUntilPs, nowFs, GetEventOrder(m_busyUntilPs));
    }
}

QbbFramePtr
QbbNetDevice::NextFrameToSend(int64_t nowPs)
{
    if (m_flow.IsPending())
    {
        return MakePauseFrame(nowPs);
    }
    while (const uint8_t ready = GetReady())
    {
        const uint8_t priority = m_scheduler.Pick(ready);
        const auto bit = static_cast<uint8_t>(1U << priority);
        QbbFramePtr frame;
        if (m_queued & bit)
        {
            auto& queue = m_queues[priority];
            frame = queue.Pop();
            m_queueBytes[priority] -= frame->size;
            if (queue.IsEmpty())
            {
                m_queued &= static_cast<uint8_t>(~bit);
            }
            else
            {
                // It has waited long enough to leave the caches, and is wanted a frame time on.
                __builtin_prefetch(queue.Front().get());
            }
        }
        else
        {
            frame = m_source->NextFrame(*this, priority);
            if (!frame)
            {
                m_sourceReady &= static_cast<uint8_t>(~bit);
                continue;
            }
            FireTrace(m_macTx, *frame);
        }
        CountSent(*frame);
        return frame;
    }
    return nullptr;
}

void
QbbNetDevice::CountSent(const QbbFrame& frame)
{
    m_scheduler.Charge(frame.priority, frame.size);
    auto& counters = m_counters.classes[frame.priority];
    ++counters.txFrames;
    counters.txBytes += frame.size;
}

void
QbbNetDevice::StartTransmission(QbbFramePtr&& frame, int64_t nowFs, int64_t startPs)
{
    if (m_busyUntilPs < startPs)
    {
        // Idle since: what was left of a picosecond is over.
        m_fraction = 0;
    }
    const uint32_t preamble = m_lineOverhead ? QbbWire::PREAMBLE_BYTES : 0;
    const uint32_t gap = m_lineOverhead ? QbbWire::GAP_BYTES : 0;
    uint64_t fraction = m_fraction;
    const int64_t sentPs = startPs + m_rate.BytesToPs(preamble + frame->size, fraction);
    m_busyUntilPs = startPs + m_rate.BytesToPs(preamble + frame->size + gap, m_fraction);
    if (m_sink)
    {
        m_sink->FrameDeparts(*this, *frame, startPs);
    }

    FireTrace(m_promiscSniffer, *frame);
    FireTrace(m_sniffer, *frame);
    FireTrace(m_phyTxBegin, *frame);
    if (!m_phyTxEnd.IsEmpty())
    {
        TracePhyTxEnd(*frame, sentPs);
    }
    m_channel->Transmit(this, std::move(frame), sentPs, nowFs);
}

void
QbbNetDevice::OnPortEvent()
{
    // All timers come here and do everything that is due, so that their order does not matter.
    const int64_t nowFs = Simulator::Now().GetTimeStep();
    if (m_flow.IsActive())
    {
        m_flow.Update(nowFs / QBB_FS_PER_PS);
    }
    TryTransmit(nowFs);
}

// Flow control

void
QbbNetDevice::FlowChanged()
{
    TryTransmit();
}

void
QbbNetDevice::FlowTimerFired()
{
    OnPortEvent();
}

QbbFramePtr
QbbNetDevice::MakePauseFrame(int64_t nowPs)
{
    static const Mac48Address macControl("01:80:c2:00:00:01");
    QbbFramePtr frame = m_pool.Allocate();
    frame->etherType = QbbWire::ETHERTYPE_MAC_CONTROL;
    frame->size = QbbWire::MIN_FRAME_BYTES;
    frame->dstMac = macControl;
    frame->srcMac = m_address;
    const QbbFlowControl::Pauses pauses = m_flow.Take(nowPs);
    FireTrace(m_pfcSent, pauses);
    m_flow.Fill(pauses, *frame);
    ++m_counters.macControlTx;
    return frame;
}

void
QbbNetDevice::ReceiveMacControl(const QbbFrame& frame)
{
    ++m_counters.macControlRx;
    const QbbFlowControl::Pauses pauses = m_flow.Read(frame);
    m_counters.macControlIgnored += pauses.ignored;
    FireTrace(m_pfcReceived, pauses);
    if (!pauses.classes)
    {
        return;
    }
    if (m_flow.Accept(pauses, frame.arrivalFs / QBB_FS_PER_PS))
    {
        TryTransmit();
    }
    m_flow.ArmTimers();
}

void
QbbNetDevice::FireTrace(PfcTrace& trace, const QbbFlowControl::Pauses& pauses)
{
    for (uint8_t p = 0; pauses.classes >> p; ++p)
    {
        if (pauses.classes & (1U << p))
        {
            trace(p, pauses.quanta[p]);
        }
    }
}

// The way in

void
QbbNetDevice::ReceiveFromLine(QbbFramePtr&& frame, int64_t nowFs)
{
    frame->arrivalFs = nowFs;
    FireTrace(m_phyRxEnd, *frame);
    frame->ingressPort = m_portNumber;
    frame->priority = m_classifier.Classify(*frame);
    if (m_receiveErrorModel && m_receiveErrorModel->IsCorrupt(QbbFrameCodec::ToPacket(*frame)))
    {
        FireTrace(m_phyRxDrop, *frame);
        CountDrop(*frame, QbbDropReason::CORRUPTED);
        return;
    }
    FireTrace(m_promiscSniffer, *frame);
    if (frame->IsMacControl())
    {
        FireTrace(m_sniffer, *frame);
        ReceiveMacControl(*frame);
        return;
    }
    auto& counters = m_counters.classes[frame->priority];
    ++counters.rxFrames;
    counters.rxBytes += frame->size;
    FireTrace(m_macPromiscRx, *frame);
    if (frame->dstMac == m_address || frame->dstMac.IsGroup())
    {
        FireTrace(m_sniffer, *frame);
        FireTrace(m_macRx, *frame);
    }
    if (m_sink)
    {
        m_sink->ReceiveFrame(*this, std::move(frame));
    }
    else if (frame->type == QbbFrameType::PACKET)
    {
        DeliverToStack(*frame);
    }
    else
    {
        FireTrace(m_macRxDrop, *frame);
        CountDrop(*frame, QbbDropReason::UNEXPECTED);
    }
}

void
QbbNetDevice::LoseOnLine(QbbFrame& frame, QbbDropReason reason)
{
    frame.priority = m_classifier.Classify(frame);
    CountDrop(frame, reason);
}

// Link state

void
QbbNetDevice::LineChanged()
{
    NS_LOG_FUNCTION(this << m_channel->IsUp());
    m_up = m_channel->IsUp();
    const int64_t nowPs = QbbNowPs();
    m_flow.Reset(nowPs);
    if (!m_up)
    {
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            DropQueue(priority, QbbDropReason::LINK_DOWN);
        }
    }
    m_linkChange();
    if (m_sink)
    {
        m_sink->LinkChanged(*this);
    }
    m_flow.ArmTimers();
    TryTransmit();
}

uint64_t
QbbNetDevice::DropQueue(uint8_t priority, QbbDropReason reason)
{
    auto& queue = m_queues[priority];
    uint64_t frames = 0;
    // What leaves may make room for frames of this very queue: only those that are there now go.
    for (std::size_t left = queue.GetSize(); left > 0 && !queue.IsEmpty(); --left)
    {
        const QbbFramePtr frame = queue.Pop();
        m_queueBytes[priority] -= frame->size;
        if (queue.IsEmpty())
        {
            m_queued &= static_cast<uint8_t>(~(1U << priority));
        }
        ++frames;
        DropUnsent(*frame, reason);
    }
    return frames;
}

bool
QbbNetDevice::DropLast(uint8_t priority, QbbDropReason reason)
{
    auto& queue = m_queues[priority];
    if (queue.IsEmpty())
    {
        return false;
    }
    const QbbFramePtr frame = std::move(queue.Back());
    queue.PopBack();
    m_queueBytes[priority] -= frame->size;
    if (queue.IsEmpty())
    {
        m_queued &= static_cast<uint8_t>(~(1U << priority));
    }
    DropUnsent(*frame, reason);
    return true;
}

uint64_t
QbbNetDevice::GetQueueBytesFrom(uint8_t priority, uint16_t ingressPort) const
{
    const auto& queue = m_queues[priority];
    uint64_t bytes = 0;
    for (std::size_t i = 0; i < queue.GetSize(); ++i)
    {
        bytes += queue[i]->ingressPort == ingressPort ? queue[i]->size : 0;
    }
    return bytes;
}

void
QbbNetDevice::DropUnsent(const QbbFrame& frame, QbbDropReason reason)
{
    FireTrace(m_macTxDrop, frame);
    CountDrop(frame, reason);
    if (m_sink)
    {
        m_sink->FrameGone(*this, frame);
    }
}

void
QbbNetDevice::CountDrop(const QbbFrame& frame, QbbDropReason reason)
{
    ++m_counters.dropsByReason[static_cast<std::size_t>(reason)];
    if (!frame.IsMacControl())
    {
        ++m_counters.classes[frame.priority].drops;
    }
    if (!m_drop.IsEmpty())
    {
        m_drop(QbbFrameCodec::ToPacket(frame), reason);
    }
}

void
QbbNetDevice::ClearWatermarks()
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        auto& counters = m_counters.classes[priority];
        counters.clearedPeakQueueBytes = counters.GetPeakQueueBytes();
        counters.peakQueueBytes = m_queueBytes[priority];
    }
}

// Traces

void
QbbNetDevice::EmitTrace(PacketTrace& trace, const QbbFrame& frame)
{
    trace(QbbFrameCodec::ToPacket(frame));
}

void
QbbNetDevice::TracePhyTxEnd(const QbbFrame& frame, int64_t atPs)
{
    Ptr<const Packet> packet = QbbFrameCodec::ToPacket(frame);
    Simulator::Schedule(
        QbbFromPs(atPs) - Simulator::Now(),
        [device = Ptr<QbbNetDevice>(this), packet]() { device->m_phyTxEnd(packet); });
}

} // namespace ns3
