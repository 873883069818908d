/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-traces.h"

#include "qbb-frame-codec.h"
#include "qbb-time.h"

#include <ns3/simulator.h>

#include <string>
#include <type_traits>
#include <utility>

namespace ns3
{

namespace
{

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
    QbbEngine* const deferrer = GetQbbSinkDeferrer();
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

/**
 * Accessor of a trace source, which creates the sources of a port for the first sink.
 *
 * \tparam source the trace source, a member of Sources or of RareSources
 */
template <auto source>
class QbbPortTraces::Accessor final : public TraceSourceAccessor
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
        auto* port = dynamic_cast<QbbPortTraces*>(object);
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
QbbPortTraces::MakeAccessor()
{
    return Ptr<const TraceSourceAccessor>(new Accessor<source>(), false);
}

TypeId
QbbPortTraces::AddSources(TypeId tid)
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
QbbPortTraces::PacketTrace::Fire(const QbbFrame& frame) const
{
    for (const FrameWatcher& watcher : m_watchers)
    {
        watcher(frame);
    }
    FireFrame(*this, frame);
}

void
QbbPortTraces::FireReception(const QbbFrame& frame, const Mac48Address& address)
{
    FireTrace(&Sources::macPromiscRx, frame);
    if (frame.dstMac == address || frame.dstMac.IsGroup())
    {
        FireTrace(&Sources::sniffer, frame);
        FireTrace(&Sources::macRx, frame);
    }
}

bool
QbbPortTraces::Sources::HasSinks() const
{
    return !(macTx.IsEmpty() && macRx.IsEmpty() && macPromiscRx.IsEmpty() && phyTxBegin.IsEmpty() &&
             phyTxEnd.IsEmpty() && phyRxEnd.IsEmpty() && sniffer.IsEmpty() &&
             promiscSniffer.IsEmpty());
}

bool
QbbPortTraces::RareSources::HasSinks() const
{
    return !(macTxDrop.IsEmpty() && macRxDrop.IsEmpty() && phyRxDrop.IsEmpty() && drop.IsEmpty() &&
             marked.IsEmpty() && pfcSent.IsEmpty() && pfcReceived.IsEmpty());
}

bool
QbbPortTraces::HasSinks() const
{
    return (m_sources && m_sources->HasSinks()) || (m_rareSources && m_rareSources->HasSinks());
}

void
QbbPortTraces::AddPauseWatcher(bool isSent, PauseWatcher watcher)
{
    RareSources& sources = Make(m_rareSources);
    (isSent ? sources.pfcSent : sources.pfcReceived).AddWatcher(std::move(watcher));
}

void
QbbPortTraces::AddMarkWatcher(MarkWatcher watcher)
{
    Make(m_rareSources).marked.AddWatcher(std::move(watcher));
}

void
QbbPortTraces::AddDropWatcher(DropWatcher watcher)
{
    Make(m_rareSources).dropWatchers.push_back(std::move(watcher));
}

void
QbbPortTraces::AddFrameWatcher(bool isPromiscuous, FrameWatcher watcher)
{
    Sources& sources = Make(m_sources);
    (isPromiscuous ? sources.promiscSniffer : sources.sniffer).AddWatcher(std::move(watcher));
}

void
QbbPortTraces::FirePauses(bool isSent, const QbbFlowControl::Pauses& pauses)
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
QbbPortTraces::FireDrop(const QbbFrame& frame, QbbDropReason reason)
{
    if (!m_rareSources)
    {
        return;
    }
    for (const DropWatcher& watcher : m_rareSources->dropWatchers)
    {
        watcher(reason);
    }
    FireFrame(m_rareSources->drop, frame, reason);
}

void
QbbPortTraces::FireMalformed(Ptr<const Packet> packet)
{
    if (m_rareSources)
    {
        for (const DropWatcher& watcher : m_rareSources->dropWatchers)
        {
            watcher(QbbDropReason::MALFORMED);
        }
        m_rareSources->macTxDrop(packet);
        m_rareSources->drop(packet, QbbDropReason::MALFORMED);
    }
}

void
QbbPortTraces::FirePhyTxEnd(const QbbFrame& frame, QbbPs at, Ptr<NetDevice> device)
{
    if (!IsTraced() || m_sources->phyTxEnd.IsEmpty())
    {
        return;
    }
    Ptr<const Packet> packet = QbbFrameCodec::ToPacket(frame);
    Simulator::Schedule(QbbToTime(at) - Simulator::Now(),
                        [this, device, packet]() { m_sources->phyTxEnd(packet); });
}

} // namespace ns3
