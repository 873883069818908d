/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-host.h"

#include "rdma-packet-engine.h"
#include "rdma-time.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RdmaFlowHost::RdmaFlowHost()
    : m_timer(this)
{
}

uint32_t
RdmaFlowHost::GetNodeId() const
{
    return m_nic->GetNodeId();
}

uint32_t
RdmaFlowHost::Reserve(Ptr<RdmaNic> nic,
                      const std::vector<uint32_t>& flows,
                      RdmaNic::LateHandler late)
{
    m_nic = nic;
    const auto count = static_cast<uint32_t>(flows.size());
    const uint32_t first = nic->ReserveQueuePairNumbers(count, std::move(late));
    m_blocks.push_back({first, m_flows.size()});
    m_flows.insert(m_flows.end(), flows.begin(), flows.end());
    return first;
}

uint32_t
RdmaFlowHost::GetFlow(uint32_t qpn) const
{
    const auto next =
        std::upper_bound(m_blocks.begin(), m_blocks.end(), qpn, [](uint32_t n, const Block& block) {
            return n < block.firstQpn;
        });
    const Block& block = *(next - 1);
    return m_flows[block.place + (qpn - block.firstQpn)];
}

const Ptr<RdmaQueuePair>&
RdmaFlowHost::GetPrototype(uint8_t priority, uint32_t port)
{
    Ptr<RdmaQueuePair>& prototype =
        port == 0 ? m_prototypes.at(priority) : m_furtherPrototypes[{port, priority}];
    if (!prototype)
    {
        const uint32_t qpn = m_blocks.empty() ? RdmaNic::FIRST_QPN : m_blocks.front().firstQpn;
        prototype = m_nic->MakePrototype(qpn, port);
        prototype->SetPriority(priority);
    }
    return prototype;
}

void
RdmaFlowHost::DestroyAfter(RdmaPs wait, Ptr<RdmaQueuePair>& queuePair)
{
    m_wait = wait;
    m_arrived.Push({RdmaNow() + wait, &queuePair});
    if (!m_timer.IsArmed())
    {
        ArmTimer();
    }
}

void
RdmaFlowHost::FreeResting()
{
    const RdmaPs now = RdmaNow();
    // A packet of this instant may still be on its way through the queue pair's functions.
    while (!m_arrived.IsEmpty() && m_arrived.Front().at - m_wait < now)
    {
        Departure departure = m_arrived.Pop();
        Ptr<RdmaQueuePair>& queuePair = *departure.queuePair;
        queuePair->Prefetch();
        constexpr uint32_t REFERENCES = 2; // of the NIC and of the flow
        if (queuePair->GetReferenceCount() == REFERENCES && !queuePair->HasSinks() &&
            RdmaPacketEngine::Of(*queuePair).IsAtRest(now))
        {
            m_nic->RecycleQueuePair(queuePair);
        }
        else
        {
            m_departures.Push(std::move(departure));
        }
    }
}

void
RdmaFlowHost::OnDeparture()
{
    const RdmaPs now = RdmaNow();
    Depart(m_departures, now);
    Depart(m_arrived, now);
    ArmTimer();
}

void
RdmaFlowHost::Depart(RdmaRingBuffer<Departure>& ring, RdmaPs now)
{
    while (!ring.IsEmpty() && ring.Front().at <= now)
    {
        const Departure departure = ring.Pop();
        if (RdmaPacketEngine::Of(**departure.queuePair).IsQueued())
        {
            // The response is still queued, possibly because the port is paused.
            constexpr RdmaPs LEAST = 1_us;
            m_departures.Push({now + std::max(m_wait, LEAST), departure.queuePair});
            continue;
        }
        m_nic->DestroyQueuePair(*departure.queuePair);
        *departure.queuePair = nullptr;
    }
}

void
RdmaFlowHost::ArmTimer()
{
    RdmaPs next = RDMA_NEVER;
    for (const auto* ring : {&m_departures, &m_arrived})
    {
        next = ring->IsEmpty() ? next : std::min(next, ring->Front().at);
    }
    if (next != RDMA_NEVER)
    {
        m_timer.Arm(next);
    }
}

} // namespace ns3
