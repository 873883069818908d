/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-window-plan.h"

#include "rdma-event-time.h"

#include <ns3/simulator.h>

#include <algorithm>

namespace ns3
{

RdmaWindowPlan
RdmaWindowPlan::Make(const RdmaWindowReports& reports,
                     RdmaPs lookahead,
                     const RdmaPauseRules& rules)
{
    constexpr uint64_t NEVER = RdmaEngine::NO_EVENT.m_ts; // time of no event
    RdmaWindowPlan plan;
    uint64_t first = NEVER;
    uint64_t count = 0;
    bool failed = false;
    bool noted = false;
    for (const RdmaGroupReport& report : reports.groups)
    {
        first = std::min(first, report.next.m_ts);
        failed = failed || report.failed;
        noted = noted || report.noted;
        count += report.count;
    }
    const Scheduler::EventKey global = reports.global;
    const bool isInterrupted = reports.interrupted && !rules.leavesScripts;
    const bool mustRest = isInterrupted || noted;
    if (failed || reports.stop || (first == NEVER && global.m_ts == NEVER && !mustRest))
    {
        return plan;
    }
    // Events without a node can be compared by uid with events of group 0 only.
    const bool isGlobalNext = first >= global.m_ts && !(reports.groups[0].next < global);
    if (!mustRest &&
        (count >= rules.events || reports.isSparse || reports.isSlow ||
         (rules.leavesScripts && (reports.interrupted || (isGlobalNext && reports.isScript)))))
    {
        plan.pauses = true;
        return plan;
    }
    if (mustRest || isGlobalNext)
    {
        plan.action = Action::REST;
        return plan;
    }
    plan.action = Action::WINDOW;
    const auto instant = static_cast<int64_t>(first / RDMA_FS_PER_PS);
    const int64_t end =
        std::min(instant + lookahead.Get(), (instant / GRID.Get() + 1) * GRID.Get());
    const auto endFs = static_cast<uint64_t>(end) * RDMA_FS_PER_PS;
    plan.limit = {std::min(endFs, global.m_ts), 0, Simulator::NO_CONTEXT};
    plan.limit0 = endFs < global.m_ts ? plan.limit : global;
    return plan;
}

} // namespace ns3
