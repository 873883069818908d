/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-port-traces.h"

#include "qbb-frame-codec.h"
#include "qbb-time.h"

#include <ns3/simulator.h>
#include <ns3/trace-source-accessor.h>

namespace ns3
{

TypeId
QbbPortTraces::AddSources(TypeId tid)
{
    return tid
        .AddTraceSource("MacTx",
                        "A frame has come to the port to be sent",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macTx),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacTxDrop",
                        "A frame was dropped before its transmission",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macTxDrop),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacPromiscRx",
                        "A frame has come in, for whomever it is",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macPromiscRx),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacRx",
                        "A frame for this port has come in",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macRx),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacRxDrop",
                        "A frame that has come in was dropped",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macRxDrop),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyTxBegin",
                        "A frame begins its transmission",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyTxBegin),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyTxEnd",
                        "A frame's last bit has left",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyTxEnd),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyRxEnd",
                        "A frame's last bit has come in",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyRxEnd),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyRxDrop",
                        "A frame was damaged on the line",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyRxDrop),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("Sniffer",
                        "Frames that the port sends, and those for it",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_sniffer),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PromiscSniffer",
                        "All frames that the port sends or sees",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_promiscSniffer),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("Drop",
                        "A frame was thrown away, and why",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_drop),
                        "ns3::QbbNetDevice::DropCallback")
        .AddTraceSource("PfcSent",
                        "A class of the peer is paused or resumed: class, quanta",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_pfcSent),
                        "ns3::QbbNetDevice::PfcCallback")
        .AddTraceSource("PfcReceived",
                        "A class of this port is paused or resumed: class, quanta",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_pfcReceived),
                        "ns3::QbbNetDevice::PfcCallback");
}

void
QbbPortTraces::EmitTrace(PacketTrace& trace, const QbbFrame& frame)
{
    trace(QbbFrameCodec::ToPacket(frame));
}

void
QbbPortTraces::FireTrace(PfcTrace& trace, const QbbFlowControl::Pauses& pauses)
{
    for (uint8_t p = 0; pauses.classes >> p; ++p)
    {
        if (pauses.classes & (1U << p))
        {
            trace(p, pauses.quanta[p]);
        }
    }
}

void
QbbPortTraces::FirePhyTxEnd(const QbbFrame& frame, QbbPs at, Ptr<NetDevice> device)
{
    Ptr<const Packet> packet = QbbFrameCodec::ToPacket(frame);
    Simulator::Schedule(QbbToTime(at) - Simulator::Now(),
                        [this, device, packet]() { m_phyTxEnd(packet); });
}

} // namespace ns3
