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

constexpr std::size_t AHEAD = 8; // frames between the fetch of a frame and its use

} // namespace

QbbFrameBorder::QbbFrameBorder(uint32_t threads)
    : m_lanes(GetNLanes(threads))
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
    GetLane(arrival).crossings.push_back({&line, arrival, std::move(frame)});
}

bool
QbbFrameBorder::TakeOver(uint32_t turn)
{
    bool hasFrames = false;
    const auto last = static_cast<uint32_t>(m_lanes.size()) - 1;
    const auto take = [&hasFrames](Lane& lane) {
        const bool had = TakeFrames(lane);
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
QbbFrameBorder::TakeFrames(Lane& lane)
{
    if (lane.crossings.empty())
    {
        return false;
    }
    const std::size_t size = lane.crossings.size();
    for (std::size_t i = 0; i < size; ++i)
    {
        if (i + AHEAD < size)
        {
            RdmaPrefetchLines(lane.crossings[i + AHEAD].line, 2);
            lane.crossings[i + AHEAD].frame->Prefetch();
        }
        Crossing& crossing = lane.crossings[i];
        if (crossing.line->GetReceiver())
        {
            crossing.line->TakeOver(std::move(crossing.frame), crossing.arrival);
        }
    }
    // Frames for receivers that have been disposed of return to their pool.
    lane.crossings.clear();
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

} // namespace ns3
