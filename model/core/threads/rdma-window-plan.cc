/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-window-plan.h"

#include "rdma-event-time.h"

#include <ns3/simulator.h>

#include <algorithm>

namespace ns3
{

RdmaWindowPlan
RdmaWindowPlan::Make(const RdmaWindowReports& reports,
                     uint64_t end,
                     RdmaPs lookahead,
                     uint32_t parts,
                     uint64_t events)
{
    constexpr uint64_t NEVER = RdmaEngine::NO_EVENT.m_ts; // time of no event
    RdmaWindowPlan plan;
    uint64_t first = NEVER;
    uint64_t added = NEVER;
    uint64_t count = 0;
    bool failed = false;
    bool noted = false;
    for (const RdmaGroupReport& report : reports.groups)
    {
        first = std::min(first, report.next.m_ts);
        added = std::min(added, report.added);
        failed = failed || report.failed;
        noted = noted || report.noted;
        count += report.count;
    }
    // An event that a group has added comes after all other events of its time.
    Scheduler::EventKey global = reports.global;
    if (added < global.m_ts)
    {
        global = {added, RdmaEngine::NO_EVENT.m_uid, Simulator::NO_CONTEXT};
    }
    const bool mustRest = reports.interrupted || noted;
    if (failed || reports.stop || (first == NEVER && global.m_ts == NEVER && !mustRest))
    {
        return plan;
    }
    if (count >= events && !mustRest)
    {
        plan.pauses = true;
        return plan;
    }
    // Events without a node can be compared by uid with events of group 0 only.
    if (mustRest || (first >= global.m_ts && !(reports.groups[0].next < global)))
    {
        plan.action = Action::REST;
        return plan;
    }
    plan.action = Action::WINDOW;
    const auto instant = static_cast<int64_t>(first / RDMA_FS_PER_PS);
    const int64_t latest =
        std::min(instant + lookahead.Get(), (instant / GRID.Get() + 1) * GRID.Get());
    const int64_t part = (lookahead.Get() + parts - 1) / parts;
    const int64_t begin = std::max(instant, static_cast<int64_t>(end / RDMA_FS_PER_PS));
    const auto endFs = static_cast<uint64_t>(std::min(latest, begin + part)) * RDMA_FS_PER_PS;
    plan.limit = {std::min(endFs, global.m_ts), 0, Simulator::NO_CONTEXT};
    plan.limit0 = endFs < global.m_ts ? plan.limit : global;
    return plan;
}

} // namespace ns3
