/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-first-events.h"

#include "qbb-time.h"
#include "rdma-fabric-port.h"

#include <ns3/callback.h>

namespace ns3
{

namespace
{

/** Records an event unless it has occurred before. */
bool
NoteFirstEvent(std::optional<RdmaFirstEvent>& event, const RdmaFabricPort& port)
{
    if (event)
    {
        return false;
    }
    event = RdmaFirstEvent{QbbNow(), port.name};
    return true;
}

} // namespace

std::shared_ptr<const RdmaFirstEventTable>
WatchRdmaFirstEvents(const RdmaFabric& fabric)
{
    const auto table = std::make_shared<RdmaFirstEventTable>();
    for (const auto& ports : MakeRdmaFabricPorts(fabric.GetTopology()))
    {
        for (const auto& port : ports)
        {
            const Ptr<QbbNetDevice> device = fabric.GetDevice(port->link, port->node);
            device->TraceConnectWithoutContext(
                "PfcSent",
                Callback<void, uint8_t, uint16_t>(
                    [table, port = port](uint8_t priority, uint16_t quanta) {
                        if (quanta > 0)
                        {
                            NoteFirstEvent(table->pauses[priority], *port);
                        }
                    }));
            device->TraceConnectWithoutContext(
                "Marked",
                Callback<void, uint8_t>([table, port = port](uint8_t priority) {
                    NoteFirstEvent(table->marks[priority], *port);
                }));
            device->TraceConnectWithoutContext(
                "Drop",
                Callback<void, Ptr<const Packet>, QbbDropReason>(
                    [table, port = port](Ptr<const Packet>, QbbDropReason reason) {
                        if (NoteFirstEvent(table->drop, *port))
                        {
                            table->dropReason = reason;
                        }
                    }));
        }
    }
    return table;
}

} // namespace ns3
