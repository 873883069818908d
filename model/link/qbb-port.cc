/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port.h"

#include "qbb-frame-codec.h"
#include "qbb-link-check.h"
#include "qbb-wire.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

namespace
{

/// \return size of a frame that carries a packet of ns-3's stack, 0 for other frames
uint32_t
GetStackBytes(const QbbFrame& frame)
{
    return frame.type == QbbFrameType::PACKET ? frame.size : 0;
}

} // namespace

QbbPort::QbbPort()
    : m_txTimer(this)
{
}

void
QbbPort::AttachTo(Ptr<QbbChannel> channel)
{
    NS_ABORT_MSG_IF(m_channel, "rdma: a port is attached to a second cable");
    m_channel = channel;
    m_channel->Attach(this);
    m_up = m_channel->IsUp();
    SetMac(m_address);
    if (QbbPort* peer = GetPeer())
    {
        peer->SetMac(peer->m_address);
    }
}

void
QbbPort::SetMac(Mac48Address address)
{
    m_address = address;
    if (QbbPort* peer = GetPeer())
    {
        peer->m_peerAddress = address;
    }
}

void
QbbPort::Start()
{
    CheckQbbLink(*this);
    m_flow.Start(m_rate);
    CheckQbbPauseSlack(*this);
    m_running = true;
}

void
QbbPort::Stop()
{
    m_txTimer.Disarm();
    m_flow.Stop();
    m_queues.Clear();
    m_sourceReady = 0;
    m_sink = nullptr;
    m_source = nullptr;
    m_line = nullptr;
    m_exit = nullptr;
    m_channel = nullptr;
    SetReceiveErrorModel(nullptr);
}

// Transmission

// Each frame passes through this function.
[[gnu::always_inline]] inline QbbPs
QbbPort::Occupy(const QbbFrame& frame, QbbPs start)
{
    const uint32_t bytes = frame.size + (m_lineOverhead ? QbbWire::PREAMBLE_BYTES : 0);
    const uint32_t gap = m_lineOverhead ? QbbWire::GAP_BYTES : 0;
    if (m_rate.IsExact())
    {
        const QbbPs sent = start + m_rate.BytesToPs(bytes);
        m_busyUntil = sent + m_rate.BytesToPs(gap);
        return sent;
    }
    return m_rate.OccupyInexactly(bytes, gap, start, m_busyUntil, m_fraction);
}

// Each frame passes through this function.
[[gnu::always_inline]] inline void
QbbPort::PutOnLine(QbbFramePtr&& frame, QbbPs sent, QbbEventTime eventTime)
{
    if (m_line)
    {
        m_line->Transmit(std::move(frame), sent, eventTime);
        return;
    }
    m_exit->Send(*frame, sent + m_exit->GetDelay());
    frame = nullptr;
}

// Each frame passes through this function, except for the frames of Pass().
[[gnu::always_inline]] inline void
QbbPort::StartTransmission(QbbFramePtr&& frame, QbbEventTime eventTime, QbbPs start)
{
    const QbbPs sent = Occupy(*frame, start);
    const uint8_t priority = frame->priority;
    const bool isAwaited = m_stackWaits & (1U << priority);
    const uint32_t stackBytes = isAwaited ? GetStackBytes(*frame) : 0;
    if (m_sink)
    {
        m_sink->FrameDeparts(*this, *frame, start);
    }

    if (IsTraced())
    {
        FireTrace(&Sources::promiscSniffer, *frame);
        FireTrace(&Sources::sniffer, *frame);
        FireTrace(&Sources::phyTxBegin, *frame);
        FirePhyTxEnd(*frame, sent, GetDevice());
    }
    PutOnLine(std::move(frame), sent, eventTime);
    if (isAwaited)
    {
        StackQueueMoved(priority, stackBytes);
    }
}

[[gnu::always_inline]] inline void
QbbPort::CountInClass(const QbbFrame& frame)
{
    auto& counters = m_counters.classes[frame.priority];
    ++counters.txFrames;
    counters.txBytes += frame.size;
}

[[gnu::always_inline]] inline void
QbbPort::CountSent(const QbbFrame& frame)
{
    m_scheduler.Charge(frame.priority, frame.size);
    CountInClass(frame);
}

[[gnu::always_inline]] inline void
QbbPort::CountPassing(const QbbFrame& frame)
{
    m_queues.NotePassing(frame.priority, frame.size);
    m_scheduler.PickAlone(frame.priority, frame.size);
    CountInClass(frame);
}

void
QbbPort::Pass(QbbFramePtr&& frame, QbbEventTime eventTime)
{
    CountPassing(*frame);
    const QbbPs sent = Occupy(*frame, eventTime.GetInstant());
    PutOnLine(std::move(frame), sent, eventTime);
}

void
QbbPort::Enqueue(QbbFramePtr&& frame, QbbEventTime eventTime)
{
    FireTrace(&Sources::macTx, *frame);
    if (!m_up)
    {
        DropUnsent(*frame, QbbDropReason::LINK_DOWN);
        return;
    }
    if (IsBusy(eventTime))
    {
        m_queues.Push(std::move(frame));
        if (HasWork())
        {
            ArmTransmission(eventTime);
        }
        return;
    }
    if (HasWork() || (m_flow.GetPaused() & (1U << frame->priority)))
    {
        m_queues.Push(std::move(frame));
        TryTransmit(eventTime);
        return;
    }
    // The line is idle and nothing else waits for it: the frame passes the queue.
    CountPassing(*frame);
    StartTransmission(std::move(frame), eventTime, eventTime.GetInstant());
}

bool
QbbPort::CutThrough(QbbFramePtr& frame, QbbPs earliest, QbbEventTime eventTime)
{
    const auto bit = static_cast<uint8_t>(1U << frame->priority);
    // Frames waiting in a paused class do not block the other classes.
    if (!m_up || IsBusy(eventTime) || HasWork() || (m_flow.GetPaused() & bit))
    {
        return false;
    }
    FireTrace(&Sources::macTx, *frame);
    CountSent(*frame);
    ++m_counters.cutThroughFrames;
    const QbbPs start = std::max({earliest, m_busyUntil, m_flow.GetResumed(frame->priority)});
    StartTransmission(std::move(frame), eventTime, start);
    return true;
}

[[gnu::always_inline]] inline QbbFramePtr
QbbPort::NextFrameToSend(QbbPs now)
{
    if (m_flow.IsPending())
    {
        return MakePauseFrame(now);
    }
    while (const uint8_t ready = GetReady())
    {
        const uint8_t priority = m_scheduler.Pick(ready);
        const bool isQueued = m_queues.GetClasses() & (1U << priority);
        QbbFramePtr frame =
            isQueued ? m_queues.Pop(priority) : m_source->NextFrame(*this, priority);
        if (!frame)
        {
            WithdrawSource(priority);
            continue;
        }
        if (!isQueued)
        {
            FireTrace(&Sources::macTx, *frame);
        }
        CountSent(*frame);
        return frame;
    }
    return nullptr;
}

void
QbbPort::TryTransmit(QbbEventTime eventTime)
{
    if (!m_up || !HasWork())
    {
        return;
    }
    if (IsBusy(eventTime))
    {
        ArmTransmission(eventTime);
        return;
    }
    const QbbPs now = eventTime.GetInstant();
    if (QbbFramePtr frame = NextFrameToSend(now))
    {
        StartTransmission(std::move(frame), eventTime, now);
        if (HasWork())
        {
            ArmTransmission(eventTime);
        }
    }
}

void
QbbPort::ArmTransmission(QbbEventTime eventTime)
{
    if (m_txArmed != m_busyUntil)
    {
        m_txArmed = m_busyUntil;
        m_txTimer.Arm(m_busyUntil, eventTime, GetEventOrder(m_busyUntil));
    }
}

[[gnu::always_inline]] inline void
QbbPort::OnPortEvent()
{
    // Every timer runs all due work, so the order of the timers does not matter.
    const QbbEventTime eventTime = QbbEventNow();
    if (m_flow.IsActive())
    {
        m_flow.Update(eventTime.GetInstant());
    }
    TryTransmit(eventTime);
}

void
QbbPort::FlowChanged()
{
    TryTransmit(QbbEventNow());
}

void
QbbPort::FlowTimerFired()
{
    OnPortEvent();
}

QbbFramePtr
QbbPort::MakePauseFrame(QbbPs now)
{
    QbbFramePtr frame = m_pool.Allocate();
    frame->srcMac = m_address;
    const QbbFlowControl::Pauses pauses = m_flow.Take(now);
    FirePauses(true, pauses);
    m_flow.Fill(pauses, *frame);
    ++m_counters.macControlTx;
    return frame;
}

void
QbbPort::ReceiveMacControl(const QbbFrame& frame)
{
    ++m_counters.macControlRx;
    const QbbFlowControl::Pauses pauses = m_flow.Read(frame);
    m_counters.macControlIgnored += pauses.ignored;
    FirePauses(false, pauses);
    if (!pauses.classes)
    {
        return;
    }
    if (m_flow.Accept(pauses, frame.arrival.GetInstant()))
    {
        TryTransmit(frame.arrival);
    }
    m_flow.ArmTimers();
}

// Reception

// Shows a received frame to the trace sources and to the error model. Returns false if the frame is
// lost.
bool
QbbPort::ShowArrival(const QbbFrame& frame)
{
    FireTrace(&Sources::phyRxEnd, frame);
    if (m_mayDamage && IsDamaged(frame))
    {
        FireTrace(&RareSources::phyRxDrop, frame);
        CountDrop(frame, QbbDropReason::CORRUPTED);
        return false;
    }
    FireTrace(&Sources::promiscSniffer, frame);
    return true;
}

void
QbbPort::LoseOnLine(QbbFrame& frame, QbbDropReason reason)
{
    frame.priority = m_classifier.Classify(frame);
    CountDrop(frame, reason);
}

// Link state and drops

void
QbbPort::LineChanged()
{
    m_up = m_channel->IsUp();
    m_flow.Reset(QbbNow());
    if (!m_up)
    {
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            DropQueue(priority, QbbDropReason::LINK_DOWN);
        }
    }
    LinkStateChanged();
    if (m_sink)
    {
        m_sink->LinkChanged(*this);
    }
    m_flow.ArmTimers();
    TryTransmit(QbbEventNow());
}

uint64_t
QbbPort::DropQueue(uint8_t priority, QbbDropReason reason)
{
    uint64_t frames = 0;
    // A drop may let new frames into this queue; only the frames present at the call are dropped.
    for (std::size_t left = m_queues.GetFramesHere(priority);
         left > 0 && m_queues.GetFramesHere(priority) > 0;
         --left)
    {
        ++frames;
        DropUnsent(*m_queues.Pop(priority), reason);
    }
    return frames;
}

void
QbbPort::DropUnsent(const QbbFrame& frame, QbbDropReason reason)
{
    FireTrace(&RareSources::macTxDrop, frame);
    CountDrop(frame, reason);
    if (m_sink)
    {
        m_sink->FrameGone(*this, frame);
    }
    if (m_stackWaits & (1U << frame.priority))
    {
        StackQueueMoved(frame.priority, GetStackBytes(frame));
    }
}

void
QbbPort::CountDrop(const QbbFrame& frame, QbbDropReason reason)
{
    ++m_counters.dropsByReason[static_cast<std::size_t>(reason)];
    if (!frame.IsMacControl())
    {
        ++m_counters.classes[frame.priority].drops;
    }
    FireDrop(frame, reason);
}

} // namespace ns3
