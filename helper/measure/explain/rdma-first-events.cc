/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-first-events.h"

#include "qbb-time.h"
#include "rdma-shared-run.h"

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

RdmaFirstEventTable
RdmaFirstEventTable::Since(QbbPs begin) const
{
    RdmaFirstEventTable table = *this;
    const auto shift = [begin](std::optional<RdmaFirstEvent>& event) {
        if (event)
        {
            event->at -= begin;
        }
    };
    std::for_each(table.pauses.begin(), table.pauses.end(), shift);
    std::for_each(table.marks.begin(), table.marks.end(), shift);
    shift(table.drop);
    return table;
}

RdmaFirstEvents::RdmaFirstEvents(const RdmaFabric& fabric)
{
    for (const auto& ports : MakeRdmaFabricPorts(fabric.GetTopology()))
    {
        for (const auto& port : ports)
        {
            const auto own = std::make_shared<Port>();
            own->port = port;
            own->isLocal = IsRdmaNodeLocal(*fabric.GetNode(port->node));
            own->firsts.pauses.fill(QbbEventTime::Never());
            own->firsts.marks.fill(QbbEventTime::Never());
            m_ports.push_back(own);
            const Ptr<QbbNetDevice> device = fabric.GetDevice(port->link, port->node);
            device->AddPauseWatcher(true, [own](uint8_t priority, uint16_t quanta) {
                if (quanta > 0)
                {
                    NoteFirst(own->firsts.pauses[priority]);
                }
            });
            device->AddMarkWatcher(
                [own](uint8_t priority) { NoteFirst(own->firsts.marks[priority]); });
            device->AddDropWatcher([own](QbbDropReason reason) {
                if (own->firsts.drop == QbbEventTime::Never())
                {
                    own->firsts.drop = QbbEventNow();
                    own->firsts.dropReason = reason;
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
        // min_element() returns the first of equal elements, which has the lowest node id.
        const auto first = std::min_element(m_ports.begin(),
                                            m_ports.end(),
                                            [&getTime](const auto& a, const auto& b) {
                                                return getTime(a->firsts) < getTime(b->firsts);
                                            });
        if (first != m_ports.end() && getTime((*first)->firsts) != QbbEventTime::Never())
        {
            event = RdmaFirstEvent{getTime((*first)->firsts).GetInstant(), (*first)->port->name};
        }
        return first;
    };
    for (uint8_t p = 0; p < 8; ++p)
    {
        find([p](const Firsts& firsts) { return firsts.pauses[p]; }, table.pauses[p]);
        find([p](const Firsts& firsts) { return firsts.marks[p]; }, table.marks[p]);
    }
    const auto drop = find([](const Firsts& firsts) { return firsts.drop; }, table.drop);
    if (table.drop)
    {
        table.dropReason = (*drop)->firsts.dropReason;
    }
    return table;
}

void
RdmaFirstEvents::Gather()
{
    std::vector<Firsts> rows;
    for (const auto& port : m_ports)
    {
        rows.push_back(port->firsts);
    }
    GatherRdmaRows(rows, [this](std::size_t i) { return m_ports[i]->isLocal; });
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        m_ports[i]->firsts = rows[i];
    }
}

} // namespace ns3
