/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-lane-program.h"

#include "rdma-refuse.h"
#include "rdma-schedule-rank.h"

#include <algorithm>

namespace ns3
{

uint32_t
RdmaLaneProgram::AddLane(const char* name, uint64_t count, uint32_t depth)
{
    RefuseRdmaIf(m_lanes.size() >> LANE_BITS, "a program with more lanes; accepted: 256");
    RefuseRdmaIf(depth == 0, "a lane of depth 0; accepted: 1 or more");
    Lane lane;
    lane.name = name;
    lane.count = count;
    lane.depth = depth;
    m_lanes.push_back(lane);
    return static_cast<uint32_t>(m_lanes.size() - 1);
}

void
RdmaLaneProgram::Start(RdmaScheduleRank& rank)
{
    BeginAll(rank);
}

bool
RdmaLaneProgram::IsMet(const Step& step) const
{
    return std::all_of(step.waits.begin(), step.waits.end(), [this](const Wait& wait) {
        return m_lanes[wait.lane].ended >= wait.count;
    });
}

/** Begins all operations that can begin. */
void
RdmaLaneProgram::BeginAll(RdmaScheduleRank& rank)
{
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
    {
        Lane& lane = m_lanes[i];
        while (lane.begun < lane.count && lane.active < lane.depth)
        {
            const Step step = Make(static_cast<uint32_t>(i), lane.begun);
            if (!IsMet(step))
            {
                break;
            }
            ++lane.active;
            rank.Begin(*this, (lane.begun++ << LANE_BITS) | i, step.operation);
        }
    }
}

void
RdmaLaneProgram::Ended(RdmaScheduleRank& rank, uint64_t id)
{
    Lane& lane = m_lanes[id & ((1U << LANE_BITS) - 1)];
    const uint64_t index = id >> LANE_BITS;
    --lane.active;
    if (index == lane.ended)
    {
        // The usual case: the operations of a lane end in order.
        ++lane.ended;
        while (!lane.isOver.empty() && lane.isOver[lane.ended % lane.isOver.size()])
        {
            lane.isOver[lane.ended++ % lane.isOver.size()] = false;
        }
    }
    else
    {
        const uint64_t span = lane.begun - lane.ended;
        if (lane.isOver.size() < span)
        {
            std::vector<bool> larger(2 * span);
            for (uint64_t i = lane.ended; i < lane.ended + lane.isOver.size(); ++i)
            {
                larger[i % larger.size()] = lane.isOver[i % lane.isOver.size()];
            }
            lane.isOver.swap(larger);
        }
        lane.isOver[index % lane.isOver.size()] = true;
    }
    BeginAll(rank);
}

bool
RdmaLaneProgram::IsDone() const
{
    return std::all_of(m_lanes.begin(), m_lanes.end(), [](const Lane& lane) {
        return lane.ended == lane.count;
    });
}

std::string
RdmaLaneProgram::GetName(uint64_t id) const
{
    return std::string(m_lanes[id & ((1U << LANE_BITS) - 1)].name) + " " +
           std::to_string(id >> LANE_BITS) + " of the collective";
}

void
RdmaLaneProgram::DescribeWait(std::vector<std::string>& lines) const
{
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
    {
        const Lane& lane = m_lanes[i];
        if (lane.begun == lane.count)
        {
            continue;
        }
        for (const Wait& wait : Make(static_cast<uint32_t>(i), lane.begun).waits)
        {
            const Lane& other = m_lanes[wait.lane];
            if (other.ended < wait.count)
            {
                lines.push_back(GetName((lane.begun << LANE_BITS) | i) + " waits for " +
                                GetName(((wait.count - 1) << LANE_BITS) | wait.lane));
            }
        }
    }
}

} // namespace ns3
