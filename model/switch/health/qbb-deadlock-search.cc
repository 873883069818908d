/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-search.h"

#include "qbb-dependency-graph.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/node.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ns3
{

QbbDeadlockSearch::QbbDeadlockSearch(const std::vector<Ptr<QbbSwitch>>& switches,
                                     OtherFrames others)
    : m_switches(switches),
      m_others(others)
{
}

void
QbbDeadlockSearch::AddLink(const QbbPort& port,
                           uint32_t from,
                           uint32_t to,
                           const QbbPausedLink& pauses)
{
    m_paused[&port] = pauses.paused;
    const uint16_t ingress = port.GetPeer()->GetPortNumber();
    const bool all = port.GetFlowControl().GetKind() == QbbFlowControl::PAUSE;
    const auto first = static_cast<uint32_t>(m_buffers.size());
    for (uint8_t p = 0; p < 8; ++p)
    {
        const uint8_t blocks = (all ? 0xff : 1U << p) & pauses.paused;
        if (blocks && (pauses.buffers & (1U << p)))
        {
            m_buffers.push_back({from, to, ingress, p, blocks, true});
            ++m_remaining;
        }
    }
    if (m_buffers.size() == first)
    {
        return;
    }
    for (uint8_t p = 0; p < 8; ++p)
    {
        Egress egress{from, port.GetPortNumber(), p, {}, {}};
        for (uint32_t b = first; b < m_buffers.size(); ++b)
        {
            if (m_buffers[b].blocks & (1U << p))
            {
                egress.blockers.push_back(b);
            }
        }
        if (!egress.blockers.empty())
        {
            m_egresses.push_back(egress);
        }
    }
}

std::optional<QbbDeadlock>
QbbDeadlockSearch::Run()
{
    RemoveBuffersThatDrain();
    if (m_remaining > 0)
    {
        ReadQueues();
        while (RemoveBuffersThatMayResume())
        {
        }
    }
    if (m_remaining == 0)
    {
        return std::nullopt;
    }
    QbbDeadlock deadlock;
    deadlock.at = RdmaNow();
    deadlock.cycle = FindCycle(false);
    if (deadlock.cycle.empty())
    {
        // Classes that share a priority group can wait for each other's frames.
        deadlock.cycle = FindCycle(true);
    }
    AddStuck(deadlock);
    return deadlock;
}

uint32_t
QbbDeadlockSearch::GetNode(uint32_t sw) const
{
    return m_switches[sw]->GetPort(0)->GetNodeId();
}

QbbBufferPoint
QbbDeadlockSearch::GetPoint(uint32_t b) const
{
    return {GetNode(m_buffers[b].sw), m_buffers[b].port, m_buffers[b].priority};
}

std::vector<QbbBufferPoint>
QbbDeadlockSearch::FindCycle(bool acrossClasses) const
{
    std::map<QbbBufferPoint, std::vector<uint32_t>> waits; // by node, ingress port and class
    const auto getKey = [acrossClasses](uint32_t node, uint16_t port, uint8_t priority) {
        return QbbBufferPoint{node, port, acrossClasses ? uint8_t{0} : priority};
    };
    for (uint32_t b = 0; b < m_buffers.size(); ++b)
    {
        if (m_buffers[b].remains)
        {
            const QbbBufferPoint point = GetPoint(b);
            waits[getKey(point.node, point.port, point.priority)].push_back(b);
        }
    }
    QbbDependencyGraph graph(static_cast<uint32_t>(m_buffers.size()));
    for (const Egress& egress : m_egresses)
    {
        for (const auto& [ingress, bytes] : egress.waiting)
        {
            const auto found = waits.find(getKey(GetNode(egress.sw), ingress, egress.priority));
            for (const uint32_t from :
                 found == waits.end() ? std::vector<uint32_t>() : found->second)
            {
                for (const uint32_t to : egress.blockers)
                {
                    if (m_buffers[to].remains)
                    {
                        graph.AddEdge(from, to);
                    }
                }
            }
        }
    }
    std::vector<QbbBufferPoint> cycle;
    for (const uint32_t b : graph.FindCycle())
    {
        cycle.push_back(GetPoint(b));
    }
    return cycle;
}

void
QbbDeadlockSearch::RemoveBuffersThatDrain()
{
    std::unordered_map<uint32_t, uint32_t> blocking; // number of buffers that pause each switch
    for (const Buffer& buffer : m_buffers)
    {
        ++blocking[buffer.from];
    }
    for (bool changed = true; changed;)
    {
        changed = false;
        for (Buffer& buffer : m_buffers)
        {
            const auto found = blocking.find(buffer.sw);
            if (buffer.remains && (found == blocking.end() || found->second == 0))
            {
                --blocking[buffer.from];
                Remove(buffer);
                changed = true;
            }
        }
    }
}

void
QbbDeadlockSearch::Remove(Buffer& buffer)
{
    buffer.remains = false;
    --m_remaining;
}

bool
QbbDeadlockSearch::IsBlocked(const Egress& egress) const
{
    return std::any_of(egress.blockers.begin(), egress.blockers.end(), [this](uint32_t b) {
        return m_buffers[b].remains;
    });
}

bool
QbbDeadlockSearch::IsLocal(uint32_t sw) const
{
    return IsRdmaNodeLocal(*m_switches[sw]->GetPort(0)->GetNode());
}

void
QbbDeadlockSearch::ReadQueues()
{
    for (Egress& egress : m_egresses)
    {
        if (!IsLocal(egress.sw))
        {
            continue;
        }
        // With a crossbar, frames cross to a paused egress port until the port's own queue is full.
        const QbbSwitch& sw = *m_switches[egress.sw];
        const auto* inputs = sw.GetInputQueueing();
        if (IsBlocked(egress) && !(inputs && inputs->CanLeave(egress.port, egress.priority)))
        {
            egress.waiting = sw.GetWaitingBytes(egress.port, egress.priority);
        }
    }
    ShareQueues();
}

void
QbbDeadlockSearch::ShareQueues()
{
    /** Bytes that wait at a class of an egress port. */
    struct Waiting
    {
        uint32_t egress{0};  //!< index of the class of the egress port
        uint16_t ingress{0}; //!< ingress port
        uint64_t bytes{0};   //!< number of bytes
    };

    std::vector<Waiting> own;
    for (uint32_t e = 0; e < m_egresses.size(); ++e)
    {
        for (const auto& [ingress, bytes] : std::exchange(m_egresses[e].waiting, {}))
        {
            own.push_back({e, ingress, bytes});
        }
    }
    for (const Waiting& waiting : ShareRdmaValues(own))
    {
        m_egresses[waiting.egress].waiting.emplace_back(waiting.ingress, waiting.bytes);
    }
}

std::map<uint32_t, std::vector<uint64_t>>
QbbDeadlockSearch::GetStuckBytes() const
{
    std::map<uint32_t, std::vector<uint64_t>> stuck;
    for (const Egress& egress : m_egresses)
    {
        auto& bytes = stuck[egress.sw];
        bytes.resize(8 * m_switches[egress.sw]->GetNPorts());
        if (IsBlocked(egress))
        {
            for (const auto& [ingress, waiting] : egress.waiting)
            {
                bytes[8 * ingress + egress.priority] += waiting;
            }
        }
    }
    return stuck;
}

bool
QbbDeadlockSearch::RemoveBuffersThatMayResume()
{
    const auto stuck = GetStuckBytes();
    std::vector<uint32_t> resuming; // indices of buffers
    for (uint32_t b = 0; b < m_buffers.size(); ++b)
    {
        const Buffer& buffer = m_buffers[b];
        if (!buffer.remains || !IsLocal(buffer.sw))
        {
            continue;
        }
        const auto found = stuck.find(buffer.sw);
        if (found == stuck.end() ||
            MayResume(buffer.sw, buffer.port, buffer.priority, found->second))
        {
            resuming.push_back(b);
        }
    }
    resuming = ShareRdmaValues(resuming);
    for (const uint32_t b : resuming)
    {
        Remove(m_buffers[b]);
    }
    return m_remaining > 0 && !resuming.empty();
}

bool
QbbDeadlockSearch::MayResume(uint32_t sw,
                             uint16_t port,
                             uint8_t priority,
                             const std::vector<uint64_t>& stuck) const
{
    std::vector<uint64_t> staying = stuck;
    for (uint32_t i = 0; m_others == OtherFrames::STAY && i < staying.size(); ++i)
    {
        // More bytes than any group has, of which the sum over eight classes does not overflow.
        staying[i] = i / 8 == port ? stuck[i] : UINT32_MAX;
    }
    return m_switches[sw]->GetBufferManager()->MayResume(port, priority, staying);
}

uint8_t
QbbDeadlockSearch::GetPaused(const QbbPort& port) const
{
    // All processes know the pauses of switches. A host is local where its switch is.
    const auto found = m_paused.find(&port);
    return found != m_paused.end() ? found->second
                                   : port.GetFlowControl().GetPauseReceiver().GetPaused();
}

void
QbbDeadlockSearch::AddStuck(QbbDeadlock& deadlock) const
{
    std::vector<QbbBufferPoint> stuck;
    std::vector<QbbBufferPoint> blocked;
    for (const auto& [sw, bytes] : GetStuckBytes())
    {
        if (!IsLocal(sw))
        {
            continue;
        }
        const auto& manager = *m_switches[sw]->GetBufferManager();
        for (uint32_t i = 0; i < bytes.size(); ++i)
        {
            const auto port = static_cast<uint16_t>(i / 8);
            const auto priority = static_cast<uint8_t>(i % 8);
            const QbbPort* peer = m_switches[sw]->GetPort(port)->GetPeer();
            const uint8_t paused = GetPaused(*peer);
            if (!(paused & (1U << priority)) || !manager.IsPaused(port, priority) ||
                MayResume(sw, port, priority, bytes))
            {
                continue;
            }
            stuck.push_back({GetNode(sw), port, priority});
            const bool all = peer->GetFlowControl().GetKind() == QbbFlowControl::PAUSE;
            for (uint8_t p = 0; p < 8; ++p)
            {
                if ((all || p == priority) && (paused & (1U << p)))
                {
                    blocked.push_back({peer->GetNodeId(), peer->GetPortNumber(), p});
                }
            }
        }
    }
    deadlock.stuck = ShareRdmaValues(stuck);
    std::sort(deadlock.stuck.begin(), deadlock.stuck.end());
    deadlock.blocked = ShareRdmaValues(blocked);
    std::sort(deadlock.blocked.begin(), deadlock.blocked.end());
}

} // namespace ns3
