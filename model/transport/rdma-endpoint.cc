/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-endpoint.h"

#include "qbb-wire.h"
#include "rdma-opcode.h"
#include "rdma-psn.h"

#include <utility>

namespace ns3
{

uint32_t
GetRdmaTrailerBytes(const QbbFrame& frame)
{
    return QbbWire::IntTrailerBytes(frame.intFormat, frame.intRoom) +
           (frame.pint != 0 ? QbbWire::PINT_BYTES : 0);
}

void
SetRdmaSourcePort(QbbFrame& frame, uint16_t port)
{
    frame.srcPort = port;
    frame.flowHash = QbbFlowHash(frame.srcIp, frame.dstIp, frame.protocol, port, frame.dstPort);
}

QbbFramePtr
RdmaEndpoint::NewAeth(RdmaOpcode opcode, uint8_t syndrome, uint32_t psn, uint32_t selectivePsn)
{
    QbbFramePtr frame = NewFrame();
    frame->ecn = 0;
    frame->opcode = static_cast<uint8_t>(opcode);
    frame->psn = psn;
    frame->syndrome = syndrome;
    frame->msn = connection.msn;
    frame->selectivePsn = selectivePsn;
    // Echoes a CE mark for algorithms that count marks; the opcode distinguishes CNPs.
    frame->becn = std::exchange(connection.ceSeen, false);
    frame->size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(opcode), 0, frame->tagged);
    if (connection.echoPort > 0)
    {
        SetRdmaSourcePort(*frame, connection.echoPort);
    }
    return frame;
}

void
RdmaEndpoint::SendIrnAeth(RdmaOpcode opcode,
                          uint8_t syndrome,
                          uint64_t packet,
                          int64_t selective,
                          const QbbFrame* cause,
                          uint8_t arrived)
{
    const uint32_t first = connection.remotePsn;
    QbbFramePtr frame = NewAeth(opcode,
                                syndrome,
                                RdmaToPsn(first, packet),
                                RdmaToPsn(first, static_cast<uint64_t>(selective)));
    frame->offset = arrived;
    if (cause)
    {
        Echo(*cause, *frame);
    }
    Send(std::move(frame));
}

void
RdmaEndpoint::Echo(const QbbFrame& cause, QbbFrame& frame)
{
    if (cause.intRoom == 0 && cause.pint == 0)
    {
        return;
    }
    frame.intFormat = cause.intFormat;
    frame.intRoom = cause.intRoom;
    frame.intOverflow = cause.intOverflow;
    frame.intEcho = true;
    frame.telemetry = cause.telemetry;
    frame.pint = cause.pint;
    frame.size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(frame.opcode),
                                         0,
                                         frame.tagged,
                                         GetRdmaTrailerBytes(frame));
}

} // namespace ns3
