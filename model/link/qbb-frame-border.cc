/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-border.h"

#include "qbb-line.h"
#include "qbb-port.h"
#include "rdma-event-time.h"
#include "rdma-prefetch.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{

namespace
{

constexpr std::size_t AHEAD = 4; // crossings between the fetch of some memory and its use

/// \return the next unused entry, with memory of an earlier step if there is any
template <typename Entry>
Entry&
GetNext(std::vector<Entry>& entries, std::size_t& size)
{
    if (size == entries.size())
    {
        entries.emplace_back();
    }
    return entries[size++];
}

} // namespace

void
QbbFrameBorder::Open(uint32_t compartment)
{
    m_open = compartment;
}

uint64_t
QbbFrameBorder::GetEarliest(uint32_t compartment) const
{
    const RdmaPs earliest = m_compartments[compartment].earliest;
    return earliest == RDMA_NEVER ? std::numeric_limits<uint64_t>::max()
                                  : static_cast<uint64_t>(earliest.Get()) * RDMA_FS_PER_PS;
}

void
QbbFrameBorder::Send(QbbLine& line, QbbFrame& frame, RdmaPs arrival)
{
    Compartment& open = m_compartments[m_open];
    Crossing& crossing = GetNext(open.crossings, open.size);
    crossing.line = &line;
    crossing.arrival = arrival;
    crossing.headers = frame;
    crossing.extensions = frame;
    crossing.rest = NONE;
    if (frame.UsesRareFields())
    {
        crossing.rest = static_cast<uint32_t>(open.restSize);
        Rest& rest = GetNext(open.rests, open.restSize);
        rest.fields = frame;
        std::swap(rest.packet, frame.packet);
        std::swap(rest.telemetry, frame.telemetry);
    }
    open.earliest = std::min(open.earliest, arrival);
}

void
QbbFrameBorder::TakeOver(uint32_t compartment)
{
    Compartment& full = m_compartments[compartment];
    for (std::size_t i = 0; i < full.size; ++i)
    {
        const Crossing& crossing = full.crossings[i];
        if (i + 2 * AHEAD < full.size)
        {
            RdmaPrefetchLines(&full.crossings[i + 2 * AHEAD], 2);
            RdmaPrefetchLines(full.crossings[i + AHEAD].line, 2);
        }
        Rest* const rest = crossing.rest == NONE ? nullptr : &full.rests[crossing.rest];
        QbbPort* const receiver = crossing.line->GetReceiver();
        if (!receiver)
        {
            if (rest)
            {
                QbbFreePacket(rest->packet);
            }
            continue; // the receiver has been disposed of
        }
        QbbFramePtr frame = receiver->GetPool().Allocate(crossing.headers, crossing.extensions);
        if (rest)
        {
            static_cast<QbbFrameRareFields&>(*frame) = rest->fields;
            std::swap(frame->packet, rest->packet);
            std::swap(frame->telemetry, rest->telemetry);
            rest->telemetry.clear();
        }
        crossing.line->TakeOver(std::move(frame), crossing.arrival);
    }
    full.size = 0;
    full.restSize = 0;
    full.earliest = RDMA_NEVER;
}

} // namespace ns3
