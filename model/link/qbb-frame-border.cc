/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-border.h"

#include "qbb-event-time.h"
#include "qbb-line.h"
#include "qbb-port.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{

void
QbbFrameBorder::Open(uint32_t compartment)
{
    m_open = compartment;
}

uint64_t
QbbFrameBorder::GetEarliest(uint32_t compartment) const
{
    const QbbPs earliest = m_compartments[compartment].earliest;
    return earliest == QBB_NEVER ? std::numeric_limits<uint64_t>::max()
                                 : static_cast<uint64_t>(earliest.Get()) * QBB_FS_PER_PS;
}

void
QbbFrameBorder::Send(QbbLine& line, QbbFrame& frame, QbbPs arrival)
{
    Compartment& open = m_compartments[m_open];
    if (open.size == open.crossings.size())
    {
        open.crossings.emplace_back();
    }
    Crossing& crossing = open.crossings[open.size++];
    crossing.line = &line;
    crossing.arrival = arrival;
    crossing.headers = frame;
    crossing.extensions = frame;
    if (frame.packet)
    {
        std::swap(crossing.packet, frame.packet);
    }
    std::swap(crossing.telemetry, frame.telemetry);
    open.earliest = std::min(open.earliest, arrival);
}

void
QbbFrameBorder::TakeOver(uint32_t compartment)
{
    Compartment& full = m_compartments[compartment];
    for (std::size_t i = 0; i < full.size; ++i)
    {
        Crossing& crossing = full.crossings[i];
        QbbPort* const receiver = crossing.line->GetReceiver();
        if (!receiver)
        {
            QbbFreePacket(crossing.packet);
            continue; // the receiver has been disposed of
        }
        QbbFramePtr frame = receiver->GetPool().Allocate(crossing.headers);
        static_cast<QbbFrameExtensions&>(*frame) = crossing.extensions;
        if (crossing.packet)
        {
            std::swap(frame->packet, crossing.packet);
        }
        std::swap(frame->telemetry, crossing.telemetry);
        crossing.telemetry.clear();
        crossing.line->TakeOver(std::move(frame), crossing.arrival);
    }
    full.size = 0;
    full.earliest = QBB_NEVER;
}

} // namespace ns3
