/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-parallel-run.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

RdmaParallelRun::RdmaParallelRun(RdmaEngine& global,
                                 QbbNodeGroups& nodes,
                                 uint32_t groups,
                                 Notes& notes,
                                 bool defersSinks,
                                 std::atomic<bool>& interrupted)
    : m_global(global),
      m_nodes(nodes),
      m_completed(groups),
      m_interrupted(interrupted),
      m_notes(notes)
{
    for (uint32_t group = 0; group < groups; ++group)
    {
        m_groups.push_back(std::make_unique<Group>());
        m_groups.back()->engine.SetGroup(group, defersSinks);
        m_groups.back()->engine.Continue(global.GetKey(), global.GetNextUid());
    }
    for (const Scheduler::Event& ev : global.GetEvents().TakeAll())
    {
        GetEngine(ev.key.m_context).GetEvents().Insert(ev);
    }
}

RdmaParallelRun::~RdmaParallelRun()
{
    TakeAdded(m_groups[0]->taken + 1, m_groups[0]->step);
    Scheduler::EventKey latest = m_global.GetKey();
    uint32_t uid = m_global.GetNextUid();
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        RdmaEngine& engine = m_groups[i]->engine;
        const RdmaEngine::RunningScope scope(&engine);
        TakeOver(i, m_groups[0]->step);
        for (const Scheduler::Event& ev : engine.GetEvents().TakeAll())
        {
            m_global.GetEvents().Insert(ev);
        }
        latest = std::max(latest, engine.GetKey());
        uid = std::max(uid, engine.GetNextUid());
        m_global.AddEventCount(engine.GetEventCount());
    }
    // What a script schedules between two runs belongs to no node. Simulator::Stop() must not.
    latest.m_context = Simulator::NO_CONTEXT;
    m_global.Continue(latest, uid);
}

RdmaEngine&
RdmaParallelRun::GetEngine(uint32_t context)
{
    return context == Simulator::NO_CONTEXT ? m_global
                                            : m_groups[m_nodes.GetGroup(context)]->engine;
}

bool
RdmaParallelRun::Run(const std::function<void()>& takeForeign, uint64_t events)
{
    m_takeForeign = takeForeign;
    m_events = events;
    m_paused = false;
    m_stop = false;
    for (RdmaWindowReports& reports : m_reports)
    {
        reports.groups.resize(GetNumber());
    }
    ReportAtRest();
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < GetNumber(); ++i)
    {
        threads.emplace_back(&RdmaParallelRun::Work, this, i);
    }
    Work(0);
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    // The groups have run up to three windows beyond the report that has ended the run. The notes
    // of these windows must not be lost. After an exception, those of later events stay.
    const auto first = std::min_element(m_groups.begin(), m_groups.end(), [](auto& a, auto& b) {
        return a->failedAt < b->failedAt;
    });
    CollectNotes();
    {
        const RdmaEngine::RunningScope scope(nullptr);
        m_rest = RestingFor::NOTES;
        HandleNotes(m_global, m_notes, (*first)->failedAt);
        m_rest = RestingFor::NOTHING;
    }
    if ((*first)->failure)
    {
        std::rethrow_exception((*first)->failure);
    }
    return !m_paused;
}

void
RdmaParallelRun::Work(uint32_t number)
{
    Group& group = *m_groups[number];
    uint32_t rest = group.step; // All groups know the end of the latest rest.
    while (true)
    {
        const uint32_t base = std::max(rest + PARTS, group.step + 1) - PARTS;
        m_completed.Await(base);
        const auto plan = RdmaWindowPlan::Make(m_reports[base % SLOTS],
                                               group.end,
                                               m_nodes.GetLookahead(),
                                               PARTS,
                                               m_events);
        if (plan.action == RdmaWindowPlan::Action::END)
        {
            if (number == 0)
            {
                m_paused = plan.pauses;
            }
            return;
        }
        if (number == 0)
        {
            m_base = base;
        }
        ++group.step;
        if (plan.action == RdmaWindowPlan::Action::WINDOW)
        {
            RunWindow(number, base, plan);
        }
        else
        {
            rest = group.step;
            if (number == 0)
            {
                m_completed.Await(group.step - 1);
                Rest();
            }
        }
        m_completed.Complete(number, group.step);
    }
}

void
RdmaParallelRun::TakeOver(uint32_t group, uint32_t last)
{
    uint32_t& taken = m_groups[group]->taken;
    for (; taken < last; ++taken)
    {
        for (uint32_t from = 0; from < GetNumber(); ++from)
        {
            if (from != group)
            {
                m_nodes.GetBorder(from, group).TakeOver((taken + 1) % SLOTS);
            }
        }
    }
}

void
RdmaParallelRun::OpenBorders(uint32_t group, uint32_t step)
{
    for (uint32_t to = 0; to < GetNumber(); ++to)
    {
        if (to != group)
        {
            m_nodes.GetBorder(group, to).Open(step % SLOTS);
        }
    }
}

uint64_t
RdmaParallelRun::GetCaused(uint32_t group, uint32_t step)
{
    uint64_t caused = NEVER;
    for (uint32_t to = 0; to < GetNumber(); ++to)
    {
        if (to != group)
        {
            caused = std::min(caused, m_nodes.GetBorder(group, to).GetEarliest(step % SLOTS));
        }
    }
    return caused;
}

void
RdmaParallelRun::TakeAdded(uint32_t first, uint32_t last)
{
    for (uint32_t step = first; step <= last; ++step)
    {
        for (const auto& group : m_groups)
        {
            // The vector keeps its memory for the next steps.
            std::vector<Scheduler::Event>& added = group->effects[step % SLOTS].added;
            for (const Scheduler::Event& ev : added)
            {
                m_global.Insert(RdmaEventTime::FromFs(static_cast<int64_t>(ev.key.m_ts)),
                                Simulator::NO_CONTEXT,
                                ev.impl);
            }
            added.clear();
        }
    }
}

void
RdmaParallelRun::RunWindow(uint32_t number, uint32_t base, const RdmaWindowPlan& plan)
{
    Group& group = *m_groups[number];
    const uint32_t firstNew = group.taken + 1;
    group.end = plan.limit.m_ts;
    const RdmaEngine::RunningScope scope(&group.engine);
    if (!group.failure)
    {
        try
        {
            TakeOver(number, base);
            OpenBorders(number, group.step);
            group.engine.RunBefore(number == 0 ? plan.limit0 : plan.limit);
        }
        catch (...)
        {
            group.failure = std::current_exception();
            group.failedAt = group.engine.GetKey().m_ts;
        }
    }
    Report(number, base, group.step);
    if (number == 0)
    {
        TakeAdded(firstNew, base);
        ReportWithoutNode(m_reports[group.step % SLOTS]);
    }
}

void
RdmaParallelRun::Report(uint32_t number, uint32_t base, uint32_t last)
{
    Group& group = *m_groups[number];
    Effects& effects = group.effects[last % SLOTS];
    effects.caused = GetCaused(number, last);
    effects.earliest = NEVER;
    for (const Scheduler::Event& ev : effects.added)
    {
        effects.earliest = std::min(effects.earliest, ev.key.m_ts);
    }
    // The effects of a step count until the step in which other groups take them over.
    uint64_t caused = NEVER;
    uint64_t added = NEVER;
    for (uint32_t step = base + 1; step <= last; ++step)
    {
        caused = std::min(caused, group.effects[step % SLOTS].caused);
        added = std::min(added, group.effects[step % SLOTS].earliest);
    }
    RdmaGroupReport& report = m_reports[last % SLOTS].groups[number];
    report.next = GetNextOf(group, caused);
    report.added = added;
    report.count = group.engine.GetEventCount();
    report.failed = group.failure != nullptr;
    report.noted = group.engine.HasNotes();
}

void
RdmaParallelRun::ReportWithoutNode(RdmaWindowReports& reports) const
{
    reports.global = m_global.GetNextKey();
    reports.stop = m_stop;
    reports.interrupted = m_interrupted.load(std::memory_order_relaxed);
}

void
RdmaParallelRun::Rest()
{
    Group& group = *m_groups[0];
    const uint32_t last = group.step - 1;
    TakeAdded(group.taken + 1, last);
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        RdmaEngine& engine = m_groups[i]->engine;
        const RdmaEngine::RunningScope scope(&engine);
        TakeOver(i, last);
        // An event without a node may make ports send frames, for instance if a link comes up.
        OpenBorders(i, group.step);
    }
    CollectNotes();
    // Events of group 0 and those without a node run in the order in which they were added.
    m_global.Continue(m_global.GetKey(),
                      std::max(m_global.GetNextUid(), group.engine.GetNextUid()));
    const bool hasFailed = std::any_of(m_groups.begin(), m_groups.end(), [](const auto& each) {
        return each->failure != nullptr;
    });
    const RdmaEngine::RunningScope scope(nullptr);
    try
    {
        if (!hasFailed)
        {
            RunOneAtRest();
        }
    }
    catch (...)
    {
        group.failure = std::current_exception();
        group.failedAt = m_global.GetKey().m_ts;
    }
    m_rest = RestingFor::NOTHING;
    group.engine.Continue(group.engine.GetKey(), m_global.GetNextUid());
    ReportAtRest();
}

void
RdmaParallelRun::RunOneAtRest()
{
    // Events of group 0 run at the end of a window too, if they precede an event without a node.
    const uint64_t end = m_groups[0]->end;
    if (!m_notes.empty() && m_notes.front().key.m_ts <= end)
    {
        m_rest = RestingFor::NOTES;
        HandleNotes(m_global, m_notes, end + 1);
    }
    else if (m_interrupted.exchange(false))
    {
        m_rest = RestingFor::GUEST;
        const Scheduler::EventKey now{end, 0, Simulator::NO_CONTEXT};
        m_global.Continue(std::max(m_global.GetKey(), now), m_global.GetNextUid());
        m_takeForeign();
    }
    else
    {
        const Scheduler::EventKey next = m_global.GetNextKey();
        if (next.m_context != Simulator::NO_CONTEXT)
        {
            m_rest = RestingFor::GUEST;
            RdmaEngine& engine = GetEngine(next.m_context);
            engine.Continue(next, engine.GetNextUid());
        }
        m_global.RunNext();
    }
}

void
RdmaParallelRun::CollectNotes()
{
    for (const auto& group : m_groups)
    {
        std::vector<RdmaEngine::Note> more = group->engine.TakeNotes();
        std::move(more.begin(), more.end(), std::back_inserter(m_notes));
    }
    std::stable_sort(m_notes.begin(), m_notes.end(), [](const auto& a, const auto& b) {
        return std::pair(a.key.m_ts, a.key.m_context) < std::pair(b.key.m_ts, b.key.m_context);
    });
}

void
RdmaParallelRun::HandleNotes(RdmaEngine& engine, Notes& notes, uint64_t end)
{
    while (!notes.empty() && notes.front().key.m_ts < end)
    {
        const RdmaEngine::Note note = std::move(notes.front());
        notes.pop_front();
        engine.Continue(note.key, engine.GetNextUid());
        note.work();
    }
}

void
RdmaParallelRun::ReportAtRest()
{
    const uint32_t step = m_groups[0]->step;
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        Report(i, step - 1, step);
    }
    ReportWithoutNode(m_reports[step % SLOTS]);
}

Scheduler::EventKey
RdmaParallelRun::Insert(RdmaEventTime at, uint32_t context, EventImpl* event)
{
    RdmaEngine* const running = RdmaEngine::GetRunning();
    auto* const own = dynamic_cast<RdmaEvent*>(event);
    if (context == Simulator::NO_CONTEXT)
    {
        Group& group = *m_groups[running ? running->GetGroup() : 0];
        // While all groups rest, they may have passed the instant of a note.
        const RdmaPs end(static_cast<int64_t>(group.end / RDMA_FS_PER_PS));
        const auto earliest = running ? RdmaWindowPlan::GetNextOfGrid(running->GetTime()) : end;
        NS_ABORT_MSG_IF(at < RdmaEventTime(earliest, 0),
                        "rdma: an event of node "
                            << (running ? running->GetKey() : m_global.GetKey()).m_context
                            << " schedules an event without a node at " << at.GetInstant()
                            << " ps, which other threads may have passed; accepted: times from the "
                               "next multiple of "
                            << GRID << " ps on, or ns3::RdmaSimulatorImpl::Threads=1");
        if (!running)
        {
            return m_global.Insert(at, context, event);
        }
        std::vector<Scheduler::Event>& added = group.effects[group.step % SLOTS].added;
        added.push_back({event, {static_cast<uint64_t>(at.GetFs()), 0, Simulator::NO_CONTEXT}});
        return added.back().key;
    }
    RdmaEngine& engine = GetEngine(context);
    NS_ABORT_MSG_IF(running && running != &engine,
                    "rdma: an event of node " << running->GetKey().m_context
                                              << " schedules an event of node " << context
                                              << ", which runs on another thread; accepted: with "
                                                 "ns3::RdmaSimulatorImpl::Threads=1");
    NS_ABORT_MSG_IF(!running && static_cast<uint64_t>(at.GetFs()) < m_groups[0]->end,
                    "rdma: an event of node " << context << " is scheduled for " << at.GetInstant()
                                              << " ps, which the node has passed; accepted: with "
                                                 "ns3::RdmaSimulatorImpl::Threads=1");
    if (!own && engine.GetGroup() > 0 && m_rest == RestingFor::GUEST)
    {
        return m_global.Insert(at, context, event);
    }
    NS_ABORT_MSG_IF(!own && engine.GetGroup() > 0,
                    "rdma: an event of a script is scheduled for node "
                        << context
                        << ", which runs on a thread of its own; accepted: events that are "
                           "scheduled before Simulator::Run(), events without a node, or "
                           "ns3::RdmaSimulatorImpl::Threads=1");
    if (own)
    {
        engine.Insert(at, context, own);
        return {};
    }
    return engine.Insert(at, context, event);
}

uint64_t
RdmaParallelRun::GetEventCount() const
{
    const bool isResting = RdmaEngine::GetRunning() == nullptr;
    uint64_t count = m_global.GetEventCount();
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        // While groups run apart, the counts of other groups belong to other threads.
        count += isResting ? m_groups[i]->engine.GetEventCount()
                           : m_reports[m_base % SLOTS].groups[i].count;
    }
    return count;
}

} // namespace ns3
