/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-group-run.h"

#include <ns3/abort.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

namespace ns3
{

std::string
RdmaGroupRunCounters::Describe() const
{
    std::ostringstream text;
    const auto of = [](uint64_t part, uint64_t whole) { return whole > 0 ? part / whole : 0; };
    text << "groups of nodes have run apart " << runs << " times, for " << windows << " windows of "
         << of(events, windows) << " events, with " << of(turns, windows)
         << " groups in a window; all groups have rested " << rests << " times; " << crossings
         << " frames have passed from group to group; threads have taken " << taken
         << " groups from each other, have waited for " << waitedNs / 1'000'000 << " ms and slept "
         << sleeps << " times";
    return text.str();
}

RdmaGroupRun::RdmaGroupRun(RdmaEngine& global,
                           QbbNodeGroups& nodes,
                           const Setting& setting,
                           Notes& notes,
                           std::atomic<bool>& interrupted)
    : m_global(global),
      m_nodes(nodes),
      m_setting(setting),
      m_shares(setting.threads),
      m_meeting(setting.threads),
      m_interrupted(interrupted),
      m_notes(notes)
{
    // The lists of all groups together span the time, and nearly have the memory, of one list.
    uint32_t slots = RdmaEventWheel::SLOTS;
    uint32_t widthBits = global.GetEvents().GetWidth();
    while (slots * setting.groups > 2 * RdmaEventWheel::SLOTS && slots > LEAST_SLOTS)
    {
        slots /= 2;
        ++widthBits;
    }
    if (setting.eventDistance > 0)
    {
        // Many events at one instant make the slots of the global list too narrow for a group.
        const double slot = EVENTS_OF_SLOT * setting.eventDistance * RDMA_FS_PER_PS;
        widthBits = static_cast<uint32_t>(std::max(std::ilogb(slot), 1));
    }
    for (uint32_t group = 0; group < setting.groups; ++group)
    {
        m_groups.push_back(std::make_unique<Group>(slots, widthBits));
        m_groups.back()->engine.SetGroup(group, setting.defersSinks);
        // The caches hold the memory of a group: to fetch it ahead costs more than that saves.
        m_groups.back()->engine.GetEvents().SetCrowd(UINT32_MAX);
        m_groups.back()->engine.Continue(global.GetKey(), global.GetNextUid());
    }
    // The first thread runs group 0, which no other thread may take, before its share.
    for (uint32_t thread = 0; thread < setting.threads; ++thread)
    {
        const auto first =
            static_cast<uint32_t>(uint64_t{setting.groups} * thread / setting.threads);
        const auto end =
            static_cast<uint32_t>(uint64_t{setting.groups} * (thread + 1) / setting.threads);
        m_shares[thread].first = std::max(first, 1U);
        m_shares[thread].size = end - m_shares[thread].first;
    }
    m_reports.groups.resize(setting.groups);
    for (const Scheduler::Event& ev : global.GetEvents().TakeAll())
    {
        GetEngine(ev.key.m_context).GetEvents().Insert(ev);
    }
    for (const auto& group : m_groups)
    {
        group->next = group->engine.GetNextKey();
    }
}

RdmaGroupRun::~RdmaGroupRun()
{
    TakeAdded();
    Scheduler::EventKey latest = m_global.GetKey();
    uint32_t uid = m_global.GetNextUid();
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        RdmaEngine& engine = m_groups[i]->engine;
        TakeFrames(i);
        for (const Scheduler::Event& ev : engine.GetEvents().TakeAll())
        {
            m_global.GetEvents().Insert(ev);
        }
        latest = std::max(latest, engine.GetKey());
        uid = std::max(uid, engine.GetNextUid());
        m_global.AddCounts(engine);
    }
    // What a script schedules between two runs belongs to no node. Simulator::Stop() must not.
    latest.m_context = Simulator::NO_CONTEXT;
    m_global.Continue(latest, uid);
}

RdmaEngine&
RdmaGroupRun::GetEngine(uint32_t context)
{
    return context == Simulator::NO_CONTEXT ? m_global
                                            : m_groups[m_nodes.GetGroup(context)]->engine;
}

bool
RdmaGroupRun::Run(const std::function<void()>& takeForeign,
                  const std::function<void()>& look,
                  const std::function<uint64_t()>& extend)
{
    m_takeForeign = takeForeign;
    m_look = look;
    m_extend = extend;
    m_stop = false;
    m_reviewedAt = std::chrono::steady_clock::now();
    m_cpuTime = std::clock();
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < m_setting.threads; ++i)
    {
        threads.emplace_back(&RdmaGroupRun::Work, this, i);
    }
    Work(0);
    for (std::thread& thread : threads)
    {
        thread.join();
    }
    // After an exception, the notes of later events stay.
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
    return !m_plan.pauses;
}

RdmaGroupRunCounters
RdmaGroupRun::GetCounters() const
{
    RdmaGroupRunCounters counters = m_counters;
    counters.runs = 1;
    for (const auto& group : m_groups)
    {
        counters.turns += group->turns;
        counters.events += group->engine.GetEventCount();
        counters.crossings += group->engine.GetCrossings();
    }
    for (const Share& share : m_shares)
    {
        counters.taken += share.taken;
        counters.sleeps += share.waits.sleeps;
        counters.waitedNs += share.waits.waited.count();
    }
    return counters;
}

void
RdmaGroupRun::Work(uint32_t thread)
{
    while (true)
    {
        m_meeting.Meet(m_shares[thread].waits, [this] { Prepare(); });
        if (m_plan.action == RdmaWindowPlan::Action::END)
        {
            return;
        }
        if (m_plan.action == RdmaWindowPlan::Action::WINDOW)
        {
            RunShare(thread);
        }
        else if (thread == 0)
        {
            Rest();
        }
    }
}

/** Plans the next step, while all threads are at the meeting. */
void
RdmaGroupRun::Prepare()
{
    if (m_plan.action == RdmaWindowPlan::Action::WINDOW)
    {
        m_turn = 1 - m_turn;
        ReviewWindows();
        ReviewThreads();
    }
    TakeAdded();
    FillReports();
    if (m_count >= m_setting.pause.events && IsEven())
    {
        m_setting.pause.events = std::max(m_setting.pause.events, m_extend());
    }
    m_plan = RdmaWindowPlan::Make(m_reports, m_nodes.GetLookahead(), m_setting.pause);
    if (m_plan.action == RdmaWindowPlan::Action::WINDOW)
    {
        ++m_counters.windows;
        m_end = m_plan.limit.m_ts;
        for (Share& share : m_shares)
        {
            const uint64_t end = share.first + share.size;
            share.left.store(share.first | end << 32, std::memory_order_relaxed);
        }
    }
    else if (m_plan.action == RdmaWindowPlan::Action::REST)
    {
        ++m_counters.rests;
    }
}

void
RdmaGroupRun::FillReports()
{
    m_count = 0;
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        Group& group = *m_groups[i];
        RdmaGroupReport& report = m_reports.groups[i];
        report.next = group.next;
        if (const uint64_t caused = group.engine.TakeEarliestCrossing(); caused < report.next.m_ts)
        {
            report.next = {caused, 0, Simulator::NO_CONTEXT};
        }
        report.count = group.engine.GetEventCount();
        report.failed = group.failure != nullptr;
        report.noted = group.engine.HasNotes();
        m_count += report.count;
    }
    m_reports.global = m_global.GetNextKey();
    m_reports.isScript =
        m_reports.global.m_ts != NEVER && !RdmaEngine::IsOwn(m_global.GetEvents().PeekNext().impl);
    m_reports.stop = m_stop;
    m_reports.interrupted = m_interrupted.load(std::memory_order_relaxed);
}

/** \return true if all groups have had about equal numbers of events */
bool
RdmaGroupRun::IsEven() const
{
    const auto& groups = m_reports.groups;
    const auto most =
        std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
            return a.count < b.count;
        });
    return most->count * groups.size() <= EVEN * m_count;
}

uint64_t
RdmaGroupRun::GetPendingCount() const
{
    uint64_t count = m_global.GetEvents().GetCount();
    for (const auto& group : m_groups)
    {
        count += group->engine.GetEvents().GetCount();
    }
    return count;
}

/** Finds out whether the latest windows had few events. */
void
RdmaGroupRun::ReviewWindows()
{
    if (--m_windowsToReview > 0)
    {
        return;
    }
    m_windowsToReview = REVIEW_WINDOWS;
    uint64_t count = 0;
    for (const auto& group : m_groups)
    {
        count += group->engine.GetEventCount();
    }
    m_reports.isSparse = count - m_reviewed < REVIEW_WINDOWS * m_setting.pause.eventsOfWindow;
    m_reviewed = count;
    m_look();
}

/**
 * Finds out from time to time how many cores the threads have used for events. Another program may
 * use a core, so that all threads wait for one that does not run.
 */
void
RdmaGroupRun::ReviewThreads()
{
    if (m_setting.pause.cores == 0)
    {
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - m_reviewedAt < REVIEW_TIME)
    {
        return; // in a shorter time, a thread that sleeps once looks like a busy machine
    }
    const std::clock_t cpuTime = std::clock();
    std::chrono::nanoseconds spun{0};
    for (const Share& share : m_shares)
    {
        spun += share.waits.spun;
    }
    const std::chrono::duration<double> elapsed = now - m_reviewedAt;
    const std::chrono::duration<double> wasted = spun - m_spun;
    const double used = static_cast<double>(cpuTime - m_cpuTime) / CLOCKS_PER_SEC;
    m_reports.isSlow = used - wasted.count() < m_setting.pause.cores * elapsed.count();
    m_reviewedAt = now;
    m_cpuTime = cpuTime;
    m_spun = spun;
}

/** Takes events without a node that events of the groups have scheduled. */
void
RdmaGroupRun::TakeAdded()
{
    for (const auto& group : m_groups)
    {
        // The vector keeps its memory for the next windows.
        for (const Scheduler::Event& ev : group->added)
        {
            m_global.Insert(RdmaEventTime::FromFs(static_cast<int64_t>(ev.key.m_ts)),
                            Simulator::NO_CONTEXT,
                            ev.impl);
        }
        group->added.clear();
    }
}

void
RdmaGroupRun::RunShare(uint32_t thread)
{
    if (thread == 0)
    {
        RunTurn(0, 0);
    }
    Share& own = m_shares[thread];
    for (uint32_t group = TakeFirst(own); group != NO_GROUP; group = TakeFirst(own))
    {
        RunTurn(thread, group);
    }
    for (uint32_t i = 1; i < m_setting.threads; ++i)
    {
        Share& other = m_shares[(thread + i) % m_setting.threads];
        for (uint32_t group = TakeLast(other); group != NO_GROUP; group = TakeLast(other))
        {
            ++own.taken;
            RunTurn(thread, group);
        }
    }
}

uint32_t
RdmaGroupRun::TakeFirst(Share& share)
{
    uint64_t left = share.left.load(std::memory_order_relaxed);
    while (true)
    {
        const auto first = static_cast<uint32_t>(left);
        if (first == left >> 32)
        {
            return NO_GROUP;
        }
        if (share.left.compare_exchange_weak(left, left + 1, std::memory_order_relaxed))
        {
            return first;
        }
    }
}

uint32_t
RdmaGroupRun::TakeLast(Share& share)
{
    uint64_t left = share.left.load(std::memory_order_relaxed);
    while (true)
    {
        const auto end = static_cast<uint32_t>(left >> 32);
        if (static_cast<uint32_t>(left) == end)
        {
            return NO_GROUP;
        }
        constexpr uint64_t ONE = uint64_t{1} << 32;
        if (share.left.compare_exchange_weak(left, left - ONE, std::memory_order_relaxed))
        {
            return end - 1;
        }
    }
}

void
RdmaGroupRun::RunTurn(uint32_t thread, uint32_t number)
{
    Group& group = *m_groups[number];
    const RdmaEngine::RunningScope scope(&group.engine);
    const Scheduler::EventKey limit = number == 0 ? m_plan.limit0 : m_plan.limit;
    group.engine.SetTurn(thread, RdmaBorder::GetLane(thread, m_turn));
    try
    {
        const bool hasFrames = m_nodes.GetBorder(number).TakeOver(1 - m_turn);
        if (!hasFrames && !(group.next < limit))
        {
            return;
        }
        ++group.turns;
        group.next = group.engine.RunBefore(limit);
    }
    catch (...)
    {
        group.failure = std::current_exception();
        group.failedAt = group.engine.GetKey().m_ts;
        group.next = group.engine.GetNextKey();
    }
}

/** Takes over all frames that are on their way to a group. */
void
RdmaGroupRun::TakeFrames(uint32_t group)
{
    RdmaEngine& engine = m_groups[group]->engine;
    const RdmaEngine::RunningScope scope(&engine);
    m_nodes.GetBorder(group).TakeOver(1 - m_turn);
    m_nodes.GetBorder(group).TakeOver(m_turn);
    m_groups[group]->next = engine.GetNextKey();
}

void
RdmaGroupRun::Rest()
{
    Group& group = *m_groups[0];
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        TakeFrames(i);
    }
    CollectNotes();
    // Events of group 0 and those without a node run in the order in which they were added.
    m_global.Continue(m_global.GetKey(),
                      std::max(m_global.GetNextUid(), group.engine.GetNextUid()));
    const RdmaEngine::RunningScope scope(nullptr);
    try
    {
        RunOneAtRest();
    }
    catch (...)
    {
        group.failure = std::current_exception();
        group.failedAt = m_global.GetKey().m_ts;
    }
    m_rest = RestingFor::NOTHING;
    group.engine.Continue(group.engine.GetKey(), m_global.GetNextUid());
    // The event may have made ports send frames, for instance if a link has come up.
    for (uint32_t i = 0; i < GetNumber(); ++i)
    {
        TakeFrames(i);
    }
}

void
RdmaGroupRun::RunOneAtRest()
{
    // Events of group 0 run at the end of a window too, if they precede an event without a node.
    const uint64_t end = m_end;
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
RdmaGroupRun::CollectNotes()
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
RdmaGroupRun::HandleNotes(RdmaEngine& engine, Notes& notes, uint64_t end)
{
    while (!notes.empty() && notes.front().key.m_ts < end)
    {
        const RdmaEngine::Note note = std::move(notes.front());
        notes.pop_front();
        engine.Continue(note.key, engine.GetNextUid());
        engine.CountForeignCall();
        note.work();
    }
}

Scheduler::EventKey
RdmaGroupRun::Insert(RdmaEventTime at, uint32_t context, EventImpl* event)
{
    RdmaEngine* const running = RdmaEngine::GetRunning();
    auto* const own = dynamic_cast<RdmaEvent*>(event);
    if (context == Simulator::NO_CONTEXT)
    {
        // While all groups rest, they may have passed the instant of a note.
        const RdmaPs end(static_cast<int64_t>(m_end / RDMA_FS_PER_PS));
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
        std::vector<Scheduler::Event>& added = m_groups[running->GetGroup()]->added;
        added.push_back({event, {static_cast<uint64_t>(at.GetFs()), 0, Simulator::NO_CONTEXT}});
        return added.back().key;
    }
    RdmaEngine& engine = GetEngine(context);
    NS_ABORT_MSG_IF(running && running != &engine,
                    "rdma: an event of node " << running->GetKey().m_context
                                              << " schedules an event of node " << context
                                              << ", which runs on another thread; accepted: with "
                                                 "ns3::RdmaSimulatorImpl::Threads=1");
    NS_ABORT_MSG_IF(!running && static_cast<uint64_t>(at.GetFs()) < m_end,
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
RdmaGroupRun::GetEventCount() const
{
    if (RdmaEngine::GetRunning())
    {
        // The present counts of other groups belong to other threads.
        return m_global.GetEventCount() + m_count;
    }
    uint64_t count = m_global.GetEventCount();
    for (const auto& group : m_groups)
    {
        count += group->engine.GetEventCount();
    }
    return count;
}

} // namespace ns3
