/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-parallel-run.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint64_t NEVER = QbbEngine::NO_EVENT.m_ts; // time of no event

} // namespace

QbbParallelRun::QbbParallelRun(QbbEngine& global,
                               QbbNodeGroups& nodes,
                               uint32_t groups,
                               std::atomic<bool>& interrupted)
    : m_global(global),
      m_nodes(nodes),
      m_barrier(groups),
      m_interrupted(interrupted)
{
    for (uint32_t group = 0; group < groups; ++group)
    {
        m_groups.push_back(std::make_unique<Group>());
        m_groups.back()->engine.SetGroup(group);
        m_groups.back()->engine.Continue(global.GetKey(), global.GetNextUid());
    }
    for (const Scheduler::Event& ev : global.TakeAll())
    {
        GetEngine(ev.key.m_context).Adopt(ev);
    }
}

QbbParallelRun::~QbbParallelRun()
{
    TakeAdded(0);
    TakeAdded(1);
    Scheduler::EventKey latest = m_global.GetKey();
    uint32_t uid = m_global.GetNextUid();
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        QbbEngine& engine = m_groups[i]->engine;
        const QbbEngine::RunningScope scope(&engine);
        TakeOver(i, 0);
        TakeOver(i, 1);
        for (const Scheduler::Event& ev : engine.TakeAll())
        {
            m_global.Adopt(ev);
        }
        latest = std::max(latest, engine.GetKey());
        uid = std::max(uid, engine.GetNextUid());
        m_global.AddEventCount(engine.GetEventCount());
    }
    m_global.Continue(latest, uid);
}

QbbEngine&
QbbParallelRun::GetEngine(uint32_t context)
{
    return context == Simulator::NO_CONTEXT ? m_global
                                            : m_groups[m_nodes.GetGroup(context)]->engine;
}

bool
QbbParallelRun::Run(const std::function<void()>& takeForeign, uint64_t events)
{
    m_takeForeign = takeForeign;
    m_events = events;
    m_paused = false;
    m_stop = false;
    ReportAtRest(m_steps[0]);
    m_steps[1].groups.resize(GetNumber());
    std::vector<std::thread> threads;
    for (uint32_t group = 1; group < GetNumber(); ++group)
    {
        threads.emplace_back(&QbbParallelRun::Work, this, group);
    }
    Work(0);
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    for (const auto& group : m_groups)
    {
        if (group->failure)
        {
            std::rethrow_exception(group->failure);
        }
    }
    return !m_paused;
}

void
QbbParallelRun::Work(uint32_t group)
{
    uint32_t& step = m_groups[group]->step;
    while (true)
    {
        m_barrier.Wait();
        const auto plan = QbbWindowPlan::Make(m_steps[step % 2], m_nodes.GetLookahead(), m_events);
        if (plan.action == QbbWindowPlan::Action::END)
        {
            if (group == 0)
            {
                m_paused = plan.pauses;
            }
            return;
        }
        ++step;
        if (plan.action == QbbWindowPlan::Action::WINDOW)
        {
            RunWindow(group, plan);
        }
        else if (group == 0)
        {
            Rest();
        }
    }
}

void
QbbParallelRun::TakeOver(uint32_t group, uint32_t compartment)
{
    for (uint32_t from = 0; from < GetNumber(); ++from)
    {
        if (from != group)
        {
            m_nodes.GetBorder(from, group).TakeOver(compartment);
        }
    }
}

void
QbbParallelRun::OpenBorders(uint32_t group, uint32_t compartment)
{
    for (uint32_t to = 0; to < GetNumber(); ++to)
    {
        if (to != group)
        {
            m_nodes.GetBorder(group, to).Open(compartment);
        }
    }
}

void
QbbParallelRun::AddCaused(uint32_t group, uint32_t compartment, QbbGroupReport& report)
{
    for (uint32_t to = 0; to < GetNumber(); ++to)
    {
        if (to == group)
        {
            continue;
        }
        const uint64_t caused = m_nodes.GetBorder(group, to).GetEarliest(compartment);
        if (caused < report.next.m_ts)
        {
            report.next = {caused, 0, Simulator::NO_CONTEXT};
        }
    }
}

void
QbbParallelRun::TakeAdded(uint32_t compartment)
{
    for (const auto& group : m_groups)
    {
        for (const Scheduler::Event& ev : group->added[compartment])
        {
            m_global.Insert(QbbEventTime::FromFs(static_cast<int64_t>(ev.key.m_ts)),
                            Simulator::NO_CONTEXT,
                            ev.impl);
        }
        group->added[compartment].clear();
    }
}

void
QbbParallelRun::RunWindow(uint32_t number, const QbbWindowPlan& plan)
{
    Group& group = *m_groups[number];
    const uint32_t filled = (group.step - 1) % 2;
    const uint32_t open = group.step % 2;
    QbbGroupReport& report = m_steps[open].groups[number];
    report.failed = false;
    group.added[open].clear();
    group.end = plan.limit.m_ts;
    const QbbEngine::RunningScope scope(&group.engine);
    try
    {
        TakeOver(number, filled);
        OpenBorders(number, open);
        report.next = group.engine.RunBefore(number == 0 ? plan.limit0 : plan.limit);
    }
    catch (...)
    {
        group.failure = std::current_exception();
        report.failed = true;
    }
    AddCaused(number, open, report);
    report.count = group.engine.GetEventCount();
    report.noted = group.engine.HasNotes();
    report.added = NEVER;
    for (const Scheduler::Event& ev : group.added[open])
    {
        report.added = std::min(report.added, ev.key.m_ts);
    }
    if (number == 0)
    {
        TakeAdded(filled);
        m_steps[open].global = m_global.GetNextKey();
        m_steps[open].stop = m_stop;
        m_steps[open].interrupted = m_interrupted.load(std::memory_order_relaxed);
    }
}

void
QbbParallelRun::Rest()
{
    Group& group = *m_groups[0];
    const uint32_t filled = (group.step - 1) % 2;
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        const QbbEngine::RunningScope scope(&m_groups[i]->engine);
        TakeOver(i, filled);
        // An event without a node may send frames, as a link that comes up does.
        OpenBorders(i, group.step % 2);
    }
    TakeAdded(filled);
    // Events of group 0 and those without a node run in the order in which they were added.
    m_global.Continue(m_global.GetKey(),
                      std::max(m_global.GetNextUid(), group.engine.GetNextUid()));
    const QbbEngine::RunningScope scope(nullptr);
    try
    {
        const QbbWindowReports& last = m_steps[filled];
        if (std::any_of(last.groups.begin(), last.groups.end(), [](const QbbGroupReport& report) {
                return report.noted;
            }))
        {
            RunNotes();
        }
        else if (m_interrupted.exchange(false))
        {
            m_takeForeign();
        }
        else
        {
            m_global.RunNext();
        }
    }
    catch (...)
    {
        group.failure = std::current_exception();
    }
    group.engine.Continue(group.engine.GetKey(), m_global.GetNextUid());
    ReportAtRest(m_steps[group.step % 2]);
}

void
QbbParallelRun::RunNotes()
{
    std::vector<QbbEngine::Note> notes;
    for (const auto& group : m_groups)
    {
        std::vector<QbbEngine::Note> more = group->engine.TakeNotes();
        std::move(more.begin(), more.end(), std::back_inserter(notes));
    }
    std::stable_sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) {
        return std::pair(a.key.m_ts, a.key.m_context) < std::pair(b.key.m_ts, b.key.m_context);
    });
    for (const QbbEngine::Note& note : notes)
    {
        m_global.Continue(note.key, m_global.GetNextUid());
        note.work();
    }
}

void
QbbParallelRun::ReportAtRest(QbbWindowReports& next)
{
    next.groups.resize(GetNumber());
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        const Group& group = *m_groups[i];
        next.groups[i] = {group.engine.GetNextKey(),
                          NEVER,
                          group.engine.GetEventCount(),
                          false,
                          group.engine.HasNotes()};
        AddCaused(i, m_groups[0]->step % 2, next.groups[i]);
    }
    next.groups[0].failed = m_groups[0]->failure != nullptr;
    next.global = m_global.GetNextKey();
    next.stop = m_stop;
    next.interrupted = m_interrupted.load(std::memory_order_relaxed);
}

Scheduler::EventKey
QbbParallelRun::Insert(QbbEventTime at, uint32_t context, EventImpl* event)
{
    QbbEngine* const running = QbbEngine::GetRunning();
    auto* const own = dynamic_cast<QbbEvent*>(event);
    if (context == Simulator::NO_CONTEXT)
    {
        // While all groups rest, they may have passed the instant of a note.
        Group& group = *m_groups[running ? running->GetGroup() : 0];
        NS_ABORT_MSG_IF(static_cast<uint64_t>(at.GetFs()) < group.end,
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
        group.added[group.step % 2].push_back(
            {event, {static_cast<uint64_t>(at.GetFs()), 0, Simulator::NO_CONTEXT}});
        return group.added[group.step % 2].back().key;
    }
    QbbEngine& engine = GetEngine(context);
    NS_ABORT_MSG_IF(running && running != &engine,
                    "rdma: an event of node " << running->GetKey().m_context
                                              << " schedules an event of node " << context
                                              << ", which runs on another thread; accepted: with "
                                                 "ns3::RdmaSimulatorImpl::Threads=1");
    NS_ABORT_MSG_IF(!running && static_cast<uint64_t>(at.GetFs()) < m_groups[0]->end,
                    "rdma: an event of node " << context << " is scheduled for " << at.GetInstant()
                                              << " ps, which the node has passed; accepted: with "
                                                 "ns3::RdmaSimulatorImpl::Threads=1");
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
QbbParallelRun::GetEventCount() const
{
    uint64_t count = m_global.GetEventCount();
    for (const QbbGroupReport& report : m_steps[(m_groups[0]->step - 1) % 2].groups)
    {
        count += report.count;
    }
    return count;
}

bool
QbbParallelRun::IsEmpty() const
{
    return m_global.IsEmpty() &&
           std::all_of(m_groups.begin(), m_groups.end(), [](const auto& group) {
               return group->engine.IsEmpty();
           });
}

} // namespace ns3
