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
                        "A frame has arrived at the port for transmission",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macTx),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacTxDrop",
                        "A frame was dropped by the port before transmission",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macTxDrop),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacPromiscRx",
                        "A frame was received, whatever its destination address",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macPromiscRx),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacRx",
                        "A frame addressed to this port was received",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macRx),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("MacRxDrop",
                        "A received frame was dropped",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_macRxDrop),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyTxBegin",
                        "The transmission of a frame has begun",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyTxBegin),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyTxEnd",
                        "The last bit of a frame has been transmitted",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyTxEnd),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyRxEnd",
                        "The last bit of a frame has been received",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyRxEnd),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PhyRxDrop",
                        "A frame was dropped because it was corrupted on the line",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_phyRxDrop),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("Sniffer",
                        "A frame was sent by the port, or received for the port",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_sniffer),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("PromiscSniffer",
                        "A frame was sent or received, whatever its destination address",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_promiscSniffer),
                        "ns3::Packet::TracedCallback")
        .AddTraceSource("Drop",
                        "A frame was dropped: frame, reason",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_drop),
                        "ns3::QbbNetDevice::DropCallback")
        .AddTraceSource("PfcSent",
                        "The port sends a pause frame to pause or resume a class: class, quanta",
                        MakeTraceSourceAccessor(&QbbPortTraces::m_pfcSent),
                        "ns3::QbbNetDevice::PfcCallback")
        .AddTraceSource("PfcReceived",
                        "The port received a pause frame for a class: class, quanta",
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
