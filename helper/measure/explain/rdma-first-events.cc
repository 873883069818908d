/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-first-events.h"

#include "qbb-time.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** Records the running event unless an event has been recorded before. */
void
NoteFirst(QbbEventTime& first)
{
    if (first == QbbEventTime::Never())
    {
        first = QbbEventNow();
    }
}

} // namespace

RdmaFirstEvents::RdmaFirstEvents(const RdmaFabric& fabric)
{
    for (const auto& ports : MakeRdmaFabricPorts(fabric.GetTopology()))
    {
        for (const auto& port : ports)
        {
            const auto own = std::make_shared<Port>();
            own->port = port;
            own->pauses.fill(QbbEventTime::Never());
            own->marks.fill(QbbEventTime::Never());
            m_ports.push_back(own);
            const Ptr<QbbNetDevice> device = fabric.GetDevice(port->link, port->node);
            device->AddPauseWatcher(true, [own](uint8_t priority, uint16_t quanta) {
                if (quanta > 0)
                {
                    NoteFirst(own->pauses[priority]);
                }
            });
            device->AddMarkWatcher([own](uint8_t priority) { NoteFirst(own->marks[priority]); });
            device->AddDropWatcher([own](QbbDropReason reason) {
                if (own->drop == QbbEventTime::Never())
                {
                    own->drop = QbbEventNow();
                    own->dropReason = reason;
                }
            });
        }
    }
}

RdmaFirstEventTable
RdmaFirstEvents::GetTable() const
{
    RdmaFirstEventTable table;
    const auto find = [this](auto getTime, std::optional<RdmaFirstEvent>& event) {
        // The first of equal elements, so the lowest node id.
        const auto first = std::min_element(
            m_ports.begin(),
            m_ports.end(),
            [&getTime](const auto& a, const auto& b) { return getTime(*a) < getTime(*b); });
        if (first != m_ports.end() && getTime(**first) != QbbEventTime::Never())
        {
            event = RdmaFirstEvent{getTime(**first).GetInstant(), (*first)->port->name};
        }
        return first;
    };
    for (uint8_t p = 0; p < 8; ++p)
    {
        find([p](const Port& port) { return port.pauses[p]; }, table.pauses[p]);
        find([p](const Port& port) { return port.marks[p]; }, table.marks[p]);
    }
    const auto drop = find([](const Port& port) { return port.drop; }, table.drop);
    if (table.drop)
    {
        table.dropReason = (*drop)->dropReason;
    }
    return table;
}

} // namespace ns3
