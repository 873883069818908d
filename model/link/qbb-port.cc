/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port.h"

#include "qbb-frame-codec.h"
#include "rdma-refuse.h"

#include <ns3/abort.h>
#include <ns3/data-rate.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <string>
#include <type_traits>

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

/**
 * Calls the sinks of a trace source, if any, with a frame that is converted to a packet of ns-3.
 *
 * \param trace the trace source
 * \param frame the frame
 * \param more further arguments of the sinks
 */
template <typename Trace, typename... More>
void
FireFrame(const Trace& trace, const QbbFrame& frame, More... more)
{
    if (trace.IsEmpty())
    {
        return;
    }
    RdmaEngine* const deferrer = GetQbbSinkDeferrer();
    if (!deferrer)
    {
        CheckQbbSink();
        trace(QbbFrameCodec::ToPacket(frame), more...);
        return;
    }
    if (frame.packet && deferrer->GetGroup() > 0)
    {
        deferrer->RefuseSink("a sink with a packet of ns-3's stack");
    }
    // The packet is made between two windows, from a copy of the frame, which goes on meanwhile.
    const Ptr<Packet> packet = frame.packet ? QbbFrameCodec::ToPacket(frame) : nullptr;
    QbbFrameFields fields;
    static_cast<QbbFrameHeaders&>(fields) = frame;
    static_cast<QbbFrameExtensions&>(fields) = frame;
    static_cast<QbbFrameRareFields&>(fields) = frame;
    deferrer->AddNote(
        [sinks = trace.GetSinks(), packet, fields, telemetry = frame.telemetry, more...] {
            QbbFrame copy;
            static_cast<QbbFrameFields&>(copy) = fields;
            copy.telemetry = telemetry;
            (*sinks)(packet ? packet : QbbFrameCodec::ToPacket(copy), more...);
        });
}

} // namespace

QbbPort::QbbPort()
    : m_flow(*this),
      m_txTimer(this)
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
    CheckLink();
    m_flow.Start(m_channel->GetQuantumRate());
    CheckPauseSlack();
    m_running = true;
}

void
QbbPort::CheckLink() const
{
    const QbbPort* peer = GetPeer();
    RefuseRdmaIf(!peer,
                 "port ",
                 GetDeviceIndex(),
                 " of node ",
                 GetNodeId(),
                 " has no cable, or its cable has no other end");
    const RdmaBitRate rate = GetLineRate().GetBitRate();
    const RdmaBitRate otherRate = peer->GetLineRate().GetBitRate();
    RefuseRdmaIf(rate != otherRate,
                 "the link between nodes ",
                 GetNodeId(),
                 " and ",
                 peer->GetNodeId(),
                 " has ",
                 rate.ToDataRate(),
                 " at one end and ",
                 otherRate.ToDataRate(),
                 " at the other; both ends of a cable need one rate");
    RefuseRdmaIf(GetLineOverheadBytes() != peer->GetLineOverheadBytes(),
                 "the link between nodes ",
                 GetNodeId(),
                 " and ",
                 peer->GetNodeId(),
                 ": LineOverhead is ",
                 (GetLineOverheadBytes() > 0 ? "true" : "false"),
                 " at port ",
                 GetDeviceIndex(),
                 " of node ",
                 GetNodeId(),
                 " and ",
                 (peer->GetLineOverheadBytes() > 0 ? "true" : "false"),
                 " at port ",
                 peer->GetDeviceIndex(),
                 " of node ",
                 peer->GetNodeId(),
                 "; set LineOverhead alike on both ends");
    const QbbFlowControl& flow = GetFlowControl();
    const QbbFlowControl& other = peer->GetFlowControl();
    RefuseRdmaIf(flow.GetLosslessClasses() != other.GetLosslessClasses() ||
                     flow.GetKind() != other.GetKind(),
                 "the link between nodes ",
                 GetNodeId(),
                 " and ",
                 peer->GetNodeId(),
                 ": a class is lossless on one side only (PfcClasses ",
                 +flow.GetLosslessClasses(),
                 " and ",
                 +other.GetLosslessClasses(),
                 ", one bit a class); set FlowControl and PfcClasses alike on both "
                 "ends");
}

void
QbbPort::CheckPauseSlack() const
{
    const QbbFlowControl& flow = GetFlowControl();
    const uint32_t longest = GetMaxFrameBytes() + GetLineOverheadBytes();
    RefuseRdmaIf(flow.GetLosslessClasses() &&
                     flow.GetPauseSender().GetSlack() <= GetLineRate().BytesToPs(longest),
                 "port ",
                 GetDeviceIndex(),
                 " of node ",
                 GetNodeId(),
                 ": a pause of ",
                 flow.GetSettings().quanta,
                 " quanta, repeated after ",
                 flow.GetSettings().refresh,
                 " of its length, runs out behind a frame of ",
                 longest,
                 " bytes on the line; accepted: PauseQuanta times (1 - "
                 "PauseRefresh) above ",
                 longest * 8.0 / QbbWire::PAUSE_QUANTUM_BITS);
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
[[gnu::always_inline]] inline RdmaPs
QbbPort::Occupy(const QbbFrame& frame, RdmaPs start)
{
    const uint32_t bytes = frame.size + (m_lineOverhead ? QbbWire::PREAMBLE_BYTES : 0);
    const uint32_t gap = m_lineOverhead ? QbbWire::GAP_BYTES : 0;
    if (m_rate.IsExact())
    {
        const RdmaPs sent = start + m_rate.BytesToPs(bytes);
        m_busyUntil = sent + m_rate.BytesToPs(gap);
        return sent;
    }
    return m_rate.OccupyInexactly(bytes, gap, start, m_busyUntil, m_fraction);
}

// Each frame passes through this function.
[[gnu::always_inline]] inline void
QbbPort::PutOnLine(QbbFramePtr&& frame, RdmaPs sent, RdmaEventTime eventTime)
{
    if (m_line)
    {
        m_line->Transmit(std::move(frame), sent, eventTime);
        return;
    }
    m_exit->Send(std::move(frame), sent + m_exit->GetDelay());
}

// Each frame passes through this function, except for the frames of SendAtOnce().
[[gnu::always_inline]] inline void
QbbPort::StartTransmission(QbbFramePtr&& frame, RdmaEventTime eventTime, RdmaPs start)
{
    const RdmaPs sent = Occupy(*frame, start);
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
        FirePhyTxEnd(*frame, sent);
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
    m_queues.CountUnqueued(frame.priority, frame.size);
    m_scheduler.ChargeOnlyClass(frame.priority, frame.size);
    CountInClass(frame);
}

void
QbbPort::SendAtOnce(QbbFramePtr&& frame, RdmaEventTime eventTime)
{
    CountPassing(*frame);
    const RdmaPs sent = Occupy(*frame, eventTime.GetInstant());
    PutOnLine(std::move(frame), sent, eventTime);
}

void
QbbPort::Enqueue(QbbFramePtr&& frame, RdmaEventTime eventTime)
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
QbbPort::CutThrough(QbbFramePtr& frame, RdmaPs earliest, RdmaEventTime eventTime)
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
    const RdmaPs start = std::max({earliest, m_busyUntil, m_flow.GetResumed(frame->priority)});
    StartTransmission(std::move(frame), eventTime, start);
    return true;
}

[[gnu::always_inline]] inline QbbFramePtr
QbbPort::NextFrameToSend(RdmaPs now)
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
QbbPort::TryTransmit(RdmaEventTime eventTime)
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
    const RdmaPs now = eventTime.GetInstant();
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
QbbPort::ArmTransmission(RdmaEventTime eventTime)
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
    const RdmaEventTime eventTime = RdmaEventNow();
    if (m_flow.IsActive())
    {
        m_flow.Update(eventTime.GetInstant());
    }
    TryTransmit(eventTime);
}

void
QbbPort::FlowChanged()
{
    TryTransmit(RdmaEventNow());
}

void
QbbPort::FlowTimerFired()
{
    OnPortEvent();
}

QbbFramePtr
QbbPort::MakePauseFrame(RdmaPs now)
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
QbbPort::CountLossOnLine(QbbFrame& frame, QbbDropReason reason, RdmaEventTime at)
{
    frame.priority = m_classifier.Classify(frame);
    CountDropAt(frame, reason, at);
}

// Link state and drops

void
QbbPort::HandleLinkChange()
{
    m_up = m_channel->IsUp();
    m_flow.Reset(RdmaNow());
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
    TryTransmit(RdmaEventNow());
}

void
QbbPort::ChangeRate(RdmaBitRate rate)
{
    if (m_fraction > 0)
    {
        // The rest of the occupancy has the former rate as its unit.
        m_busyUntil += 1_ps;
        m_fraction = 0;
    }
    m_rate = RdmaLineRate(rate);
    RateChanged();
}

void
QbbPort::ChangeQuantum(const RdmaLineRate& rate)
{
    if (!m_running)
    {
        return; // Start() tells the flow control the rate
    }
    m_flow.ChangeRate(rate, RdmaNow());
    TryTransmit(RdmaEventNow());
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
    CountDropAt(frame, reason, RdmaEventNow());
}

void
QbbPort::CountDropAt(const QbbFrame& frame, QbbDropReason reason, RdmaEventTime at)
{
    ++m_counters.dropsByReason[static_cast<std::size_t>(reason)];
    if (!frame.IsMacControl())
    {
        ++m_counters.classes[frame.priority].drops;
    }
    FireDrop(frame, reason, at);
}

// The error model

void
QbbPort::SetReceiveErrorModel(Ptr<ErrorModel> model)
{
    m_receiveErrorModel = model;
    m_mayDamage = model != nullptr;
    const bool isRate = model && model->GetInstanceTypeId() == RateErrorModel::GetTypeId();
    m_anyPacket = isRate ? Create<Packet>() : nullptr;
}

bool
QbbPort::LosesWholeFrames() const
{
    return m_anyPacket && static_cast<const RateErrorModel&>(*m_receiveErrorModel).GetUnit() ==
                              RateErrorModel::ERROR_UNIT_PACKET;
}

bool
QbbPort::IsDamaged(const QbbFrame& frame) const
{
    if (LosesWholeFrames())
    {
        return m_receiveErrorModel->IsCorrupt(m_anyPacket);
    }
    CheckQbbSink("an error model");
    return m_receiveErrorModel->IsCorrupt(QbbFrameCodec::ToPacket(frame));
}

uint32_t
QbbPort::GetLineOverheadBytes() const
{
    return m_lineOverhead ? QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES : 0;
}

// Trace sources

/**
 * Accessor of a trace source, which creates the sources of a port for the first sink.
 *
 * \tparam source the trace source, a member of Sources or of RareSources
 */
template <auto source>
class QbbPort::Accessor final : public TraceSourceAccessor
{
  public:
    bool ConnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        return Do(object, [&](auto& trace) { trace.ConnectWithoutContext(sink); });
    }

    bool Connect(ObjectBase* object, std::string context, const CallbackBase& sink) const override
    {
        return Do(object, [&](auto& trace) { trace.Connect(sink, context); });
    }

    bool DisconnectWithoutContext(ObjectBase* object, const CallbackBase& sink) const override
    {
        return Do(object, [&](auto& trace) { trace.DisconnectWithoutContext(sink); });
    }

    bool Disconnect(ObjectBase* object,
                    std::string context,
                    const CallbackBase& sink) const override
    {
        return Do(object, [&](auto& trace) { trace.Disconnect(sink, context); });
    }

  private:
    template <typename S, typename Trace>
    static S* GetStruct(Trace S::*);

    /// Struct that holds the trace source.
    using Struct = std::remove_pointer_t<decltype(GetStruct(source))>;

    template <typename Action>
    static bool Do(ObjectBase* object, Action action)
    {
        auto* port = dynamic_cast<QbbPort*>(object);
        if (!port)
        {
            return false;
        }
        if constexpr (std::is_same_v<Struct, Sources>)
        {
            action(Get(port->m_sources));
        }
        else
        {
            action(Get(port->m_rareSources));
        }
        return true;
    }

    static auto& Get(std::unique_ptr<Struct>& sources)
    {
        return Make(sources).*source;
    }
};

template <auto source>
Ptr<const TraceSourceAccessor>
QbbPort::MakeAccessor()
{
    return Ptr<const TraceSourceAccessor>(new Accessor<source>(), false);
}

TypeId
QbbPort::AddTraceSources(TypeId tid)
{
    return tid
        .AddTraceSource("MacTx",
                        "A frame has arrived at the port for transmission",
                        MakeAccessor<&Sources::macTx>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacTxDrop",
                        "A frame was dropped by the port before transmission",
                        MakeAccessor<&RareSources::macTxDrop>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacPromiscRx",
                        "A frame was received, whatever its destination address",
                        MakeAccessor<&Sources::macPromiscRx>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacRx",
                        "A frame addressed to this port was received",
                        MakeAccessor<&Sources::macRx>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacRxDrop",
                        "A received frame was dropped",
                        MakeAccessor<&RareSources::macRxDrop>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyTxBegin",
                        "The transmission of a frame has begun",
                        MakeAccessor<&Sources::phyTxBegin>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyTxEnd",
                        "The last bit of a frame has been transmitted",
                        MakeAccessor<&Sources::phyTxEnd>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyRxEnd",
                        "The last bit of a frame has been received",
                        MakeAccessor<&Sources::phyRxEnd>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyRxDrop",
                        "A frame was dropped because it was corrupted on the line",
                        MakeAccessor<&RareSources::phyRxDrop>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("Sniffer",
                        "A frame was sent by the port, or received for the port",
                        MakeAccessor<&Sources::sniffer>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PromiscSniffer",
                        "A frame was sent or received, whatever its destination address",
                        MakeAccessor<&Sources::promiscSniffer>(),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("Drop",
                        "A frame was dropped: frame, reason",
                        MakeAccessor<&RareSources::drop>(),
                        "ns3::QbbNetDevice::DropCallback")
        .AddTraceSource("Marked",
                        "An outgoing packet was marked CE: class",
                        MakeAccessor<&RareSources::marked>(),
                        "ns3::QbbNetDevice::MarkCallback")
        .AddTraceSource("PfcSent",
                        "The port sends a pause frame to pause or resume a class: class, quanta",
                        MakeAccessor<&RareSources::pfcSent>(),
                        "ns3::QbbNetDevice::PfcCallback")
        .AddTraceSource("PfcReceived",
                        "The port received a pause frame for a class: class, quanta",
                        MakeAccessor<&RareSources::pfcReceived>(),
                        "ns3::QbbNetDevice::PfcCallback");
}

void
QbbPort::PacketTrace::Fire(const QbbFrame& frame) const
{
    for (const FrameWatcher& watcher : watchers)
    {
        watcher(frame);
    }
    FireFrame(*this, frame);
}

void
QbbPort::FireReception(const QbbFrame& frame)
{
    FireTrace(&Sources::macPromiscRx, frame);
    if (frame.dstMac == m_address || frame.dstMac.IsGroup())
    {
        FireTrace(&Sources::sniffer, frame);
        FireTrace(&Sources::macRx, frame);
    }
}

bool
QbbPort::Sources::HasSinks() const
{
    return !(macTx.IsEmpty() && macRx.IsEmpty() && macPromiscRx.IsEmpty() && phyTxBegin.IsEmpty() &&
             phyTxEnd.IsEmpty() && phyRxEnd.IsEmpty() && sniffer.IsEmpty() &&
             promiscSniffer.IsEmpty());
}

bool
QbbPort::RareSources::HasSinks() const
{
    return !(macTxDrop.IsEmpty() && macRxDrop.IsEmpty() && phyRxDrop.IsEmpty() && drop.IsEmpty() &&
             marked.IsEmpty() && pfcSent.IsEmpty() && pfcReceived.IsEmpty());
}

bool
QbbPort::HasSinks() const
{
    return (m_sources && m_sources->HasSinks()) || (m_rareSources && m_rareSources->HasSinks());
}

void
QbbPort::AddPauseWatcher(bool isSent, PauseWatcher watcher)
{
    RareSources& sources = Make(m_rareSources);
    (isSent ? sources.pfcSent : sources.pfcReceived).AddWatcher(std::move(watcher));
}

void
QbbPort::AddMarkWatcher(MarkWatcher watcher)
{
    Make(m_rareSources).marked.AddWatcher(std::move(watcher));
}

void
QbbPort::AddDropWatcher(DropWatcher watcher)
{
    Make(m_rareSources).dropWatchers.push_back(std::move(watcher));
}

void
QbbPort::AddFrameWatcher(bool isPromiscuous, FrameWatcher watcher)
{
    Sources& sources = Make(m_sources);
    (isPromiscuous ? sources.promiscSniffer : sources.sniffer)
        .watchers.push_back(std::move(watcher));
}

void
QbbPort::FirePauses(bool isSent, const QbbFlowControl::Pauses& pauses)
{
    for (uint8_t p = 0; m_rareSources && pauses.classes >> p; ++p)
    {
        if (pauses.classes & (1U << p))
        {
            (isSent ? m_rareSources->pfcSent : m_rareSources->pfcReceived)(p, pauses.quanta[p]);
        }
    }
}

void
QbbPort::FireDrop(const QbbFrame& frame, QbbDropReason reason, RdmaEventTime at)
{
    if (!m_rareSources)
    {
        return;
    }
    for (const DropWatcher& watcher : m_rareSources->dropWatchers)
    {
        watcher(reason, at);
    }
    FireFrame(m_rareSources->drop, frame, reason);
}

void
QbbPort::FireMalformed(Ptr<const Packet> packet)
{
    if (m_rareSources)
    {
        for (const DropWatcher& watcher : m_rareSources->dropWatchers)
        {
            watcher(QbbDropReason::MALFORMED, RdmaEventNow());
        }
        m_rareSources->macTxDrop(packet);
        m_rareSources->drop(packet, QbbDropReason::MALFORMED);
    }
}

void
QbbPort::FirePhyTxEnd(const QbbFrame& frame, RdmaPs at)
{
    if (!IsTraced() || m_sources->phyTxEnd.IsEmpty())
    {
        return;
    }
    Ptr<const Packet> packet = QbbFrameCodec::ToPacket(frame);
    Simulator::Schedule(RdmaToTime(at) - Simulator::Now(),
                        [this, device = GetDevice(), packet]() { m_sources->phyTxEnd(packet); });
}

} // namespace ns3
