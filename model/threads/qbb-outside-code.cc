/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-outside-code.h"

#include "qbb-pfc-watchdog.h"
#include "qbb-switch.h"
#include "rdma-nic-watchdog.h"
#include "rdma-nic.h"

#include <ns3/application.h>
#include <ns3/node-list.h>

#include <algorithm>

namespace ns3
{

namespace
{

constexpr const char* OWN_GROUP = "Rdma"; // group name of the module's types

using Ports = QbbFabricPorts::Range;

/// \return the part of class T that is aggregated to an object, or null
// GetObject() without a TypeId first tries to cast the object, which takes several times as long.
template <typename T>
Ptr<T>
FindAggregate(const Object& object)
{
    return object.GetObject<T>(T::GetTypeId());
}

/// \return name of a node's object from outside of the module that may send packets of ns-3, or ""
std::string
FindStranger(const Node& node, Ports ports)
{
    for (uint32_t i = 0; i < node.GetNApplications(); ++i)
    {
        if (node.GetApplication(i)->GetInstanceTypeId().GetGroupName() != OWN_GROUP)
        {
            return "an application";
        }
    }
    for (auto objects = node.GetAggregateIterator(); objects.HasNext();)
    {
        const Ptr<const Object> object = objects.Next();
        const TypeId type = object->GetInstanceTypeId();
        if (PeekPointer(object) != &node && type.GetGroupName() != OWN_GROUP)
        {
            return "the " + type.GetName();
        }
    }
    return ports.size() == node.GetNDevices() ? "" : "a device other than ns3::QbbNetDevice";
}

/// \return name of a sink of a trace source of a node, or ""
std::string
FindSink(const Node& node, Ports ports)
{
    const auto nic = FindAggregate<RdmaNic>(node);
    if (nic && nic->HasSinks())
    {
        return "a sink of the NIC or of a queue pair";
    }
    const auto watchdog = FindAggregate<QbbPfcWatchdog>(node);
    if (watchdog && watchdog->HasSinks())
    {
        return "a sink of the watchdog";
    }
    const auto sw = FindAggregate<QbbSwitch>(node);
    if (sw && sw->GetPathSelector() && sw->GetPathSelector()->HasSinks())
    {
        return "a sink of the path selector";
    }
    const bool isSeen = std::any_of(ports.begin(), ports.end(), [](const auto& place) {
        const auto of = FindAggregate<RdmaNicWatchdog>(*place.port);
        return place.port->HasSinks() || (of && of->HasSinks());
    });
    return isSeen ? "a sink of a port" : "";
}

/// \return name of user code that the module calls in events of a node, or ""
std::string
FindWitness(const Node& node, Ports ports, bool defersSinks)
{
    const auto hasPort = [&ports](auto has) {
        return std::any_of(ports.begin(), ports.end(), [has](const auto& place) {
            return (place.port->*has)();
        });
    };
    const auto nic = FindAggregate<RdmaNic>(node);
    if (node.GetNApplications() > 0)
    {
        return "an application";
    }
    if (nic && nic->HasCallbacks())
    {
        return "a callback of a completion queue";
    }
    if (hasPort(&QbbNetDevice::CallsErrorModel))
    {
        return "an error model of a port";
    }
    if (defersSinks)
    {
        return hasPort(&QbbNetDevice::HasPhyTxEndSinks) ? "a sink of PhyTxEnd" : "";
    }
    return FindSink(node, ports);
}

} // namespace

std::vector<std::string>
FindQbbOutsideCode(const QbbFabricPorts& fabric,
                   const std::set<uint32_t>& foreign,
                   bool defersSinks)
{
    std::vector<std::string> seenBy(NodeList::GetNNodes());
    for (auto it = NodeList::Begin(); it != NodeList::End(); ++it)
    {
        const Node& node = **it;
        const uint32_t id = node.GetId();
        const Ports ports = fabric.Of(id);
        const std::string stranger =
            foreign.count(id) ? "an event of the script" : FindStranger(node, ports);
        if (stranger.empty())
        {
            const std::string witness = FindWitness(node, ports, defersSinks);
            if (seenBy[id].empty() && !witness.empty())
            {
                seenBy[id] = witness + " at node " + std::to_string(id);
            }
            continue;
        }
        seenBy[id] = stranger + " at node " + std::to_string(id);
        for (const auto& place : ports)
        {
            // Switches answer the ARP requests of their hosts, and these are packets of ns-3.
            if (place.peer != QbbFabricPorts::NO_NODE && seenBy[place.peer].empty())
            {
                seenBy[place.peer] = seenBy[id];
            }
        }
    }
    return seenBy;
}

std::string
FindQbbPacketMaker(const QbbFabricPorts& fabric)
{
    const auto isStranger = [&fabric](const Ptr<Node>& node) {
        return !FindStranger(*node, fabric.Of(node->GetId())).empty();
    };
    if (!fabric.HasSerializedCable() ||
        std::none_of(NodeList::Begin(), NodeList::End(), isStranger))
    {
        return "";
    }
    return "cables with SerializeFrames make packets of ns-3 from the bytes of frames, and a node "
           "may send such packets";
}

} // namespace ns3
