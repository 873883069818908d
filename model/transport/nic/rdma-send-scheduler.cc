/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-send-scheduler.h"

#include "qbb-net-device.h"
#include "rdma-prefetch.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaSendScheduler::RdmaSendScheduler()
    : m_kick(this)
{
}

void
RdmaSendScheduler::AddPort(QbbPort* device)
{
    m_ports.emplace_back(device);
}

void
RdmaSendScheduler::Clear()
{
    m_kick.Disarm();
    m_pending.clear();
    m_paced.Clear();
    m_ports.clear();
}

void
RdmaSendScheduler::Activate(RdmaPacketEngine* qp)
{
    if (!qp->IsQueued())
    {
        qp->SetQueued(true);
        m_pending.push_back(qp);
        if (m_pending.size() == 1)
        {
            m_kick.Arm(RdmaNow());
        }
    }
    else if (qp->GetPacePlace() != RdmaPaceHeap<RdmaPacketEngine>::NO_PLACE)
    {
        // A reconnected queue pair may still wait for the pace of its previous connection.
        PaceChanged(qp, RdmaNow());
    }
}

void
RdmaSendScheduler::Wait(RdmaPacketEngine* qp, RdmaPs now)
{
    m_paced.Push(qp, qp->GetWake(now));
    m_kick.ArmNoLater(m_paced.GetFirst());
}

void
RdmaSendScheduler::PaceChanged(RdmaPacketEngine* qp, RdmaPs now)
{
    const bool waits = qp->MustWait(now);
    if (qp->GetPacePlace() != RdmaPaceHeap<RdmaPacketEngine>::NO_PLACE)
    {
        m_paced.Move(qp, waits ? qp->GetWake(now) : now);
        m_kick.ArmNoLater(m_paced.GetFirst());
    }
}

void
RdmaSendScheduler::Remove(RdmaPacketEngine* qp)
{
    if (!qp->IsQueued())
    {
        return;
    }
    m_pending.erase(std::remove(m_pending.begin(), m_pending.end(), qp), m_pending.end());
    std::replace(m_starting.begin(), m_starting.end(), qp, static_cast<RdmaPacketEngine*>(nullptr));
    m_ports[qp->GetPortIndex()].Remove(qp->GetPriority(), qp);
    if (qp->GetPacePlace() != RdmaPaceHeap<RdmaPacketEngine>::NO_PLACE)
    {
        m_paced.Remove(qp);
    }
    qp->SetQueued(false);
}

uint32_t
RdmaSendScheduler::GetNodeId() const
{
    return m_ports.front().GetDevice().GetNodeId();
}

void
RdmaSendScheduler::PrefetchNext(const QbbPort& port, uint8_t priority, uint32_t step) const
{
    const Port& ports = m_ports[port.GetPortNumber()];
    if (step == 2)
    {
        ports.Prefetch(priority);
        return;
    }
    if (const RdmaPacketEngine* qp = ports.GetFirst(priority))
    {
        step == 3 ? qp->Prefetch() : qp->PrefetchRequester();
    }
}

void
RdmaSendScheduler::PrefetchTimer(uint32_t step) const
{
    if (step == 1)
    {
        RdmaPrefetch(&m_paced);
        RdmaPrefetch(&m_ports);
        return;
    }
    if (step == 2)
    {
        m_paced.PrefetchFirst();
    }
}

void
RdmaSendScheduler::OnKick()
{
    const RdmaEventTime eventTime = RdmaEventNow();
    const RdmaPs now = eventTime.GetInstant();
    while (m_paced.GetFirst() <= now)
    {
        RdmaPacketEngine* qp = m_paced.Pop();
        if (qp->MustWait(now)) // woken by a possible rate rise, which did not suffice
        {
            m_paced.Push(qp, qp->GetWake(now));
        }
        else
        {
            m_pending.push_back(qp);
        }
    }
    if (m_paced.GetFirst() != RDMA_NEVER)
    {
        m_kick.ArmNoLater(m_paced.GetFirst());
    }
    if (m_pending.size() == 1)
    {
        RdmaPacketEngine* qp = m_pending.front();
        m_pending.clear();
        Port& port = m_ports[qp->GetPortIndex()];
        const uint8_t priority = qp->GetPriority();
        port.Push(priority, qp);
        port.GetDevice().AnnounceSource(priority, eventTime);
        return;
    }
    // A trace sink may post requests while packets start, which refills m_pending.
    m_starting.swap(m_pending);
    std::sort(m_starting.begin(), m_starting.end(), [](const auto* a, const auto* b) {
        return a->GetQpn() < b->GetQpn();
    });
    for (auto* qp : m_starting)
    {
        m_ports[qp->GetPortIndex()].Push(qp->GetPriority(), qp);
    }
    // Starting a packet may destroy a queue pair, which Remove() then replaces by null.
    for (std::size_t i = 0; i < m_starting.size(); ++i)
    {
        if (const auto* qp = m_starting[i])
        {
            m_ports[qp->GetPortIndex()].GetDevice().AnnounceSource(qp->GetPriority());
        }
    }
    m_starting.clear();
}

void
RdmaSendScheduler::MakeReady(RdmaPacketEngine* qp)
{
    if (!qp->IsQueued())
    {
        qp->SetQueued(true);
        Port& port = m_ports[qp->GetPortIndex()];
        const uint8_t priority = qp->GetPriority();
        port.Push(priority, qp);
        port.GetDevice().AnnounceSource(priority);
    }
}

void
RdmaSendScheduler::TakeReady(uint32_t port, std::vector<RdmaPacketEngine*>& ready)
{
    Port& from = m_ports[port];
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        while (RdmaPacketEngine* qp = from.GetFirst(priority))
        {
            from.Pop(priority);
            ready.push_back(qp);
        }
        from.GetDevice().WithdrawSource(priority);
    }
}

void
RdmaSendScheduler::PutReady(const std::vector<RdmaPacketEngine*>& ready)
{
    for (RdmaPacketEngine* qp : ready)
    {
        m_ports[qp->GetPortIndex()].Push(qp->GetPriority(), qp);
    }
    for (Port& port : m_ports)
    {
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            // A packet that starts may destroy queue pairs.
            if (port.GetFirst(priority))
            {
                port.GetDevice().AnnounceSource(priority);
            }
        }
    }
}

QbbFramePtr
RdmaSendScheduler::NextFrame(QbbPort& port, uint8_t priority)
{
    Port& ready = m_ports[port.GetPortNumber()];
    const RdmaPs now = RdmaNow();
    while (RdmaPacketEngine* qp = ready.GetFirst(priority))
    {
        ready.Pop(priority);
        if (!qp->CanSend())
        {
            qp->SetQueued(false);
            continue;
        }
        if (qp->MustWait(now))
        {
            Wait(qp, now);
            continue;
        }
        qp->ForgetWaitBefore(port.GetFlowControl().GetResumed(priority));
        QbbFramePtr frame = qp->MakeNextFrame();
        if (qp->CanSend())
        {
            qp->StillWaits(now) ? Wait(qp, now) : ready.Push(priority, qp);
        }
        else
        {
            qp->SetQueued(false);
        }
        if (!ready.GetFirst(priority))
        {
            port.WithdrawSource(priority);
        }
        return frame;
    }
    port.WithdrawSource(priority);
    return nullptr;
}

} // namespace ns3
