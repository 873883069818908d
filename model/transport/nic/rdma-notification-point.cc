/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-notification-point.h"

#include "qbb-port.h"
#include "qbb-wire.h"
#include "rdma-opcode.h"

#include <algorithm>

namespace ns3
{

RdmaPs&
RdmaNotificationPoint::GetNext(Marks& marks, uint32_t port, uint32_t remote)
{
    switch (moderation)
    {
    case PER_DESTINATION:
        return m_nextOfAddress[remote];
    case PER_PORT:
        m_nextOfPort.resize(std::max<std::size_t>(m_nextOfPort.size(), port + 1));
        return m_nextOfPort[port];
    case PER_QUEUE_PAIR:
        break;
    }
    return marks.next;
}

bool
RdmaNotificationPoint::Notify(Marks& marks,
                              uint32_t port,
                              uint32_t remote,
                              uint64_t received,
                              RdmaPs now)
{
    if (interval == 0_ps)
    {
        return false;
    }
    if (now - marks.seen >= 2 * interval)
    {
        marks.due = false;
        return false;
    }
    RdmaPs& next = GetNext(marks, port, remote);
    if (now < next)
    {
        return false;
    }
    if (share > 0)
    {
        if (now < marks.next)
        {
            return false;
        }
        const auto packets = static_cast<double>(received - marks.received);
        const bool areFew = marks.count < share * packets;
        marks.count = 0;
        marks.received = received;
        marks.next = now + interval;
        if (areFew)
        {
            marks.due = false;
            return false;
        }
    }
    next = now + interval;
    marks.due = false;
    return true;
}

void
RdmaNotificationPoint::Fill(QbbFrame& frame, QbbPort& port, uint8_t dscp)
{
    frame.ecn = 0;
    frame.dscp = dscp;
    frame.opcode = static_cast<uint8_t>(RdmaOpcode::CNP);
    frame.becn = true;
    frame.size = QbbWire::RoceFrameBytes(GetRdmaOpcodeInfo(RdmaOpcode::CNP), 0, frame.tagged);
    frame.priority = port.GetClassifier().ClassifyDscp(dscp);
    if (frame.tagged)
    {
        frame.tci = *port.GetTag(frame.priority);
    }
    frame.priority = port.GetClassifier().Classify(frame);
}

} // namespace ns3
