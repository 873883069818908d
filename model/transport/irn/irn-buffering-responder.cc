/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-buffering-responder.h"

namespace ns3
{

void
IrnBufferingResponder::Reset()
{
    IrnResponder::Reset();
    m_message.Abandon();
    m_early.reset();
}

void
IrnBufferingResponder::End()
{
    IrnResponder::End();
    m_early.reset();
}

bool
IrnBufferingResponder::Understands(const QbbFrame& frame, const RdmaOpcodeInfo& info) const
{
    return IrnResponder::Understands(frame, info) ||
           (IsWrite(static_cast<RdmaOpcode>(frame.opcode)) && !info.immDt);
}

void
IrnBufferingResponder::Restart()
{
    m_message.Abandon();
}

RdmaResponder::Fault
IrnBufferingResponder::Validate(const QbbFrame& frame, const RdmaOpcodeInfo& info)
{
    if (!info.irn)
    {
        return ValidateWrite(frame, info);
    }
    return m_message.IsOpen() ? Fault::INVALID : IrnResponder::Validate(frame, info);
}

RdmaResponder::Fault
IrnBufferingResponder::ValidateEarly(const QbbFrame& frame, const RdmaOpcodeInfo& info)
{
    // Whether a packet continues a WRITE is not known before the missing packets arrive. Then
    // PerformStored() judges the packets of WRITEs.
    return info.irn ? IrnResponder::ValidateEarly(frame, info) : Fault::NONE;
}

RdmaResponder::Fault
IrnBufferingResponder::ValidateWrite(const QbbFrameExtensions& packet,
                                     const RdmaOpcodeInfo& info) const
{
    if (!m_message.Follows(packet, info, m_endpoint.connection.pathMtu) ||
        !m_message.HasWriteLength(packet, info, RDMA_MAX_MESSAGE_BYTES))
    {
        return Fault::INVALID;
    }
    RdmaMemoryAccess access;
    access.remoteWrite = true;
    return !info.first || m_endpoint.GetMemory().Allows(packet.rKey,
                                                        packet.virtualAddress,
                                                        packet.dmaLength,
                                                        access)
               ? Fault::NONE
               : Fault::NO_ACCESS;
}

void
IrnBufferingResponder::Take(const QbbFrame& frame,
                            const RdmaOpcodeInfo& info,
                            uint64_t packet,
                            RdmaPs now)
{
    if (info.irn)
    {
        IrnResponder::Take(frame, info, packet, now);
    }
    else
    {
        TakeWrite(frame, frame.opcode, info, packet, now);
    }
}

void
IrnBufferingResponder::TakeWrite(const QbbFrameExtensions& headers,
                                 uint8_t opcode,
                                 const RdmaOpcodeInfo& info,
                                 uint64_t packet,
                                 RdmaPs now)
{
    m_message.Add(headers, info, false);
    if (info.last)
    {
        RdmaArrivedRequest request;
        request.packet = packet;
        request.opcode = opcode;
        request.bytes = m_message.GetBytes();
        request.address = m_message.GetAddress();
        Perform(request, now);
    }
}

void
IrnBufferingResponder::Keep(const QbbFrame& frame, const RdmaOpcodeInfo& info, uint64_t packet)
{
    if (info.irn)
    {
        IrnResponder::Keep(frame, info, packet);
        return;
    }
    if (!m_early)
    {
        m_early = std::make_unique<RdmaPacketHeap<EarlyPacket>>();
    }
    m_early->Push({packet, frame, frame.opcode});
}

bool
IrnBufferingResponder::PerformStored(uint64_t end, RdmaPs now)
{
    // The callback of a completion may reset or end the queue pair. Then m_early is null.
    while (m_early && m_early->HasBefore(end))
    {
        const EarlyPacket early = m_early->Pop();
        IrnResponder::PerformStored(early.packet, now);
        if (!m_early)
        {
            break;
        }
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(early.opcode);
        const Fault fault = ValidateWrite(early.headers, info);
        if (fault != Fault::NONE)
        {
            Refuse(fault, early.packet, now);
            return false;
        }
        TakeWrite(early.headers, early.opcode, info, early.packet, now);
    }
    return IrnResponder::PerformStored(end, now);
}

} // namespace ns3
