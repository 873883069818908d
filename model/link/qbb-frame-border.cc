/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-border.h"

#include "qbb-line.h"
#include "qbb-port.h"
#include "rdma-engine.h"
#include "rdma-event-time.h"
#include "rdma-prefetch.h"

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

QbbFrameBorder::QbbFrameBorder(uint32_t threads)
    : m_copies(threads > 1),
      m_lanes(GetNLanes(threads))
{
}

QbbFrameBorder::Lane&
QbbFrameBorder::GetLane(RdmaPs arrival)
{
    RdmaEngine* const engine = RdmaEngine::GetRunning();
    if (engine)
    {
        engine->RecordCrossing(RdmaEventTime(arrival, 0));
    }
    return engine ? m_lanes[engine->GetLane()] : m_lanes.back();
}

void
QbbFrameBorder::Send(RdmaNoteBox& box, uint32_t source, const RdmaNote& note, RdmaPs arrival)
{
    GetLane(arrival).letters.push_back({&box, source, arrival, note});
}

void
QbbFrameBorder::Send(QbbLine& line, QbbFramePtr&& frame, RdmaPs arrival)
{
    Lane& lane = GetLane(arrival);
    if (!m_copies)
    {
        lane.handovers.push_back({&line, arrival, std::move(frame)});
        return;
    }
    SendCopy(lane, line, *frame, arrival);
    frame = nullptr;
}

void
QbbFrameBorder::SendCopy(Lane& lane, QbbLine& line, QbbFrame& frame, RdmaPs arrival)
{
    Crossing& crossing = GetNext(lane.crossings, lane.size);
    crossing.line = &line;
    crossing.arrival = arrival;
    crossing.headers = frame;
    crossing.extensions = frame;
    crossing.rest = NONE;
    if (frame.UsesRareFields())
    {
        crossing.rest = static_cast<uint32_t>(lane.restSize);
        Rest& rest = GetNext(lane.rests, lane.restSize);
        rest.fields = frame;
        std::swap(rest.packet, frame.packet);
        std::swap(rest.telemetry, frame.telemetry);
    }
}

bool
QbbFrameBorder::TakeOver(uint32_t turn)
{
    bool hasFrames = false;
    const auto last = static_cast<uint32_t>(m_lanes.size()) - 1;
    const auto take = [this, &hasFrames](Lane& lane) {
        const bool had = m_copies ? TakeCopies(lane) : TakeHandovers(lane);
        const bool hadLetters = TakeLetters(lane);
        hasFrames = hasFrames || had || hadLetters;
    };
    for (uint32_t lane = turn; lane < last; lane += 2)
    {
        take(m_lanes[lane]);
    }
    take(m_lanes[last]);
    return hasFrames;
}

bool
QbbFrameBorder::TakeHandovers(Lane& lane)
{
    if (lane.handovers.empty())
    {
        return false;
    }
    const std::size_t size = lane.handovers.size();
    for (std::size_t i = 0; i < size; ++i)
    {
        if (i + AHEAD < size)
        {
            RdmaPrefetch(lane.handovers[i + AHEAD].line);
            RdmaPrefetch(lane.handovers[i + AHEAD].frame.get());
        }
        Handover& handover = lane.handovers[i];
        if (handover.line->GetReceiver())
        {
            handover.line->TakeOver(std::move(handover.frame), handover.arrival);
        }
    }
    // Frames for receivers that have been disposed of return to their pool.
    lane.handovers.clear();
    return true;
}

bool
QbbFrameBorder::TakeLetters(Lane& lane)
{
    if (lane.letters.empty())
    {
        return false;
    }
    for (const Letter& letter : lane.letters)
    {
        letter.box->Insert(letter.source, letter.arrival, letter.note);
    }
    lane.letters.clear();
    return true;
}

bool
QbbFrameBorder::TakeCopies(Lane& lane)
{
    if (lane.size == 0)
    {
        return false;
    }
    for (std::size_t i = 0; i < lane.size; ++i)
    {
        const Crossing& crossing = lane.crossings[i];
        if (i + 2 * AHEAD < lane.size)
        {
            RdmaPrefetchLines(&lane.crossings[i + 2 * AHEAD], 2);
            RdmaPrefetchLines(lane.crossings[i + AHEAD].line, 2);
        }
        Rest* const rest = crossing.rest == NONE ? nullptr : &lane.rests[crossing.rest];
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
    lane.size = 0;
    lane.restSize = 0;
    return true;
}

} // namespace ns3
