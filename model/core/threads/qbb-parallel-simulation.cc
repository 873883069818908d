/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-parallel-simulation.h"

#include <ns3/abort.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>

#include <exception>

namespace ns3
{

QbbParallelSimulation::QbbParallelSimulation(QbbEngine& engine, std::atomic<bool>& interrupted)
    : m_engine(engine),
      m_interrupted(interrupted)
{
}

std::set<uint32_t>
QbbParallelSimulation::FindForeignNodes()
{
    std::set<uint32_t> nodes;
    for (const Scheduler::Event& ev : m_engine.TakeAll())
    {
        if (!QbbEngine::IsOwn(ev.impl) && ev.key.m_context != Simulator::NO_CONTEXT)
        {
            nodes.insert(ev.key.m_context);
        }
        m_engine.Adopt(ev);
    }
    return nodes;
}

QbbNodeGroups&
QbbParallelSimulation::GetGroups()
{
    if (!m_groups)
    {
        TypeId type;
        NS_ABORT_MSG_IF(!TypeId::LookupByNameFailSafe(m_grouping, &type) ||
                            !type.IsChildOf(QbbNodeGroups::GetTypeId()),
                        "rdma: ns3::RdmaSimulatorImpl::Grouping="
                            << m_grouping
                            << "; accepted: a class that derives from ns3::QbbNodeGroups");
        ObjectFactory factory;
        factory.SetTypeId(type);
        m_groups = factory.Create<QbbNodeGroups>();
    }
    return *m_groups;
}

uint32_t
QbbParallelSimulation::DivideNodes(uint32_t threads)
{
    const uint32_t groups = GetGroups().Divide(threads, FindForeignNodes(), m_defersSinks);
    m_reason = m_groups->GetReason();
    return groups;
}

bool
QbbParallelSimulation::RunFor(uint32_t groups,
                              const std::function<void()>& takeForeign,
                              uint64_t events)
{
    m_run = std::make_unique<QbbParallelRun>(m_engine,
                                             *m_groups,
                                             groups,
                                             m_notes,
                                             m_defersSinks,
                                             m_interrupted);
    bool isOver = false;
    std::exception_ptr failure;
    try
    {
        isOver = m_run->Run(takeForeign, events);
    }
    catch (...)
    {
        failure = std::current_exception();
    }
    m_run.reset();
    m_groups->Unite();
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    return isOver;
}

void
QbbParallelSimulation::HandleNotes()
{
    const Scheduler::EventKey now = m_engine.GetKey();
    QbbParallelRun::HandleNotes(m_engine, m_notes, QbbEngine::NO_EVENT.m_ts);
    m_engine.Continue(now, m_engine.GetNextUid());
}

bool
QbbParallelSimulation::Run(uint32_t threads, const std::function<void()>& takeForeign)
{
    m_reason = m_demand;
    if (!m_demand.empty())
    {
        return false;
    }
    for (uint32_t division = 0;; ++division)
    {
        const uint32_t groups = DivideNodes(threads);
        if (groups < 2)
        {
            return false;
        }
        if (RunFor(groups, takeForeign, m_groups->GetEventsToNext(division)))
        {
            return true;
        }
    }
}

} // namespace ns3
