/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-host.h"

#include "qbb-frame-border.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/node.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaHost);

TypeId
RdmaHost::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaHost")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaHost>()
            .AddAttribute("BusDelay",
                          "Time that a note takes from one NIC of the host to another, by PCIe and "
                          "the host's memory. PCIe round trips of commodity hosts are about 1 us "
                          "(Neugebauer et al., SIGCOMM 2018).",
                          TimeValue(NanoSeconds(500)),
                          MakeTimeAccessor(&RdmaHost::SetBusDelay, &RdmaHost::GetBusDelayTime),
                          RdmaMakePositiveTimeChecker());
    return tid;
}

RdmaHost::RdmaHost() = default;

RdmaHost::~RdmaHost() = default;

void
RdmaHost::DoDispose()
{
    m_boxes.clear();
    m_listeners.clear();
    m_nics.clear();
    m_groups.clear();
    m_borders.clear();
    Object::DoDispose();
}

void
RdmaHost::SetBusDelay(Time delay)
{
    m_busDelay = RdmaToPs(delay);
}

Time
RdmaHost::GetBusDelayTime() const
{
    return RdmaToTime(m_busDelay);
}

void
RdmaHost::AddNic(Ptr<RdmaNic> nic)
{
    NS_ABORT_MSG_IF(nic->GetHost(),
                    "rdma: the NIC of node " << nic->GetNodeId()
                                             << " is to belong to two hosts; accepted: one");
    NS_ABORT_MSG_IF(!m_boxes.empty(), "rdma: a NIC is added to a host that has sent notes");
    nic->SetHost(this);
    m_nics.push_back(nic);
}

void
RdmaHost::UseBus()
{
    m_usesBus = true;
    m_listeners.resize(m_nics.size());
    while (m_boxes.size() < m_nics.size())
    {
        const auto nic = static_cast<uint32_t>(m_boxes.size());
        m_boxes.push_back(std::make_unique<RdmaNoteBox>(m_nics[nic]->GetNodeId(), GetNNics()));
        m_nics[nic]->AddPortWatcher([this, nic](uint32_t port, bool up) {
            // A listener may remove itself.
            const std::vector<RdmaPortListener*> listeners = m_listeners[nic];
            for (RdmaPortListener* listener : listeners)
            {
                listener->PortChanged(nic, port, up);
            }
        });
    }
}

void
RdmaHost::Send(uint32_t from, uint32_t to, const RdmaNote& note)
{
    if (from == to)
    {
        note.receiver->NoteArrived(note);
        return;
    }
    const RdmaPs arrival = RdmaNow() + m_busDelay;
    if (!m_groups.empty() && m_groups[from] != m_groups[to])
    {
        m_borders[to]->Send(*m_boxes[to], from, note, arrival);
        return;
    }
    m_boxes[to]->Insert(from, arrival, note);
}

void
RdmaHost::AddPortListener(uint32_t nic, RdmaPortListener* listener)
{
    m_listeners[nic].push_back(listener);
}

void
RdmaHost::RemovePortListener(uint32_t nic, RdmaPortListener* listener)
{
    std::vector<RdmaPortListener*>& listeners = m_listeners[nic];
    const auto found = std::find(listeners.begin(), listeners.end(), listener);
    if (found != listeners.end())
    {
        listeners.erase(found);
    }
}

RdmaPs
RdmaHost::Divide(const std::function<uint32_t(uint32_t node)>& findGroup,
                 const std::function<QbbFrameBorder&(uint32_t group)>& findBorder)
{
    m_groups.clear();
    m_borders.clear();
    bool isDivided = false;
    for (const auto& box : m_boxes)
    {
        const uint32_t group = findGroup(box->GetNodeId());
        isDivided = isDivided || (!m_groups.empty() && m_groups.front() != group);
        m_groups.push_back(group);
        m_borders.push_back(&findBorder(group));
    }
    return isDivided ? m_busDelay : RDMA_NEVER;
}

void
RdmaHost::Unite()
{
    m_groups.clear();
    m_borders.clear();
}

} // namespace ns3
