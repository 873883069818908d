/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-host.h"

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
    m_bus.reset();
    m_listeners.clear();
    m_nics.clear();
    Object::DoDispose();
}

void
RdmaHost::SetBusDelay(Time delay)
{
    m_busDelay = RdmaToPs(delay);
    if (m_bus)
    {
        m_bus->SetLeastDelay(m_busDelay);
    }
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
    NS_ABORT_MSG_IF(!m_listeners.empty(), "rdma: a NIC is added to a host whose NICs are in use");
    nic->SetHost(this);
    m_nics.push_back(nic);
}

void
RdmaHost::WatchPorts()
{
    while (m_listeners.size() < m_nics.size())
    {
        const auto nic = static_cast<uint32_t>(m_listeners.size());
        m_listeners.emplace_back();
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
RdmaHost::UseBus()
{
    WatchPorts();
    if (m_bus)
    {
        return;
    }
    std::vector<uint32_t> nodes;
    for (const Ptr<RdmaNic>& nic : m_nics)
    {
        nodes.push_back(nic->GetNodeId());
    }
    m_bus = std::make_unique<RdmaNoteBus>(nodes, GetNNics(), m_busDelay);
}

void
RdmaHost::Send(uint32_t from, uint32_t to, const RdmaNote& note)
{
    if (from == to)
    {
        note.receiver->NoteArrived(note);
        return;
    }
    m_bus->Send(from, from, to, m_busDelay, note);
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

} // namespace ns3
