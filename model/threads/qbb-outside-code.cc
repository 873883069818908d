/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-outside-code.h"

#include "qbb-channel.h"
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

using Ports = std::vector<QbbNetDevice*>; // result of GetQbbPorts()

/// \return name of a node's object from outside of the module that may send packets of ns-3, or ""
std::string
FindStranger(const Node& node, const Ports& ports)
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
FindSink(const Node& node, const Ports& ports)
{
    const auto nic = node.GetObject<RdmaNic>();
    if (nic && nic->HasSinks())
    {
        return "a sink of the NIC or of a queue pair";
    }
    const auto watchdog = node.GetObject<QbbPfcWatchdog>();
    if (watchdog && watchdog->HasSinks())
    {
        return "a sink of the watchdog";
    }
    const auto sw = node.GetObject<QbbSwitch>();
    if (sw && sw->GetPathSelector() && sw->GetPathSelector()->HasSinks())
    {
        return "a sink of the path selector";
    }
    const bool isSeen = std::any_of(ports.begin(), ports.end(), [](const QbbNetDevice* port) {
        const auto of = port->GetObject<RdmaNicWatchdog>();
        return port->HasSinks() || (of && of->HasSinks());
    });
    return isSeen ? "a sink of a port" : "";
}

/// \return name of user code that the module calls in events of a node, or ""
std::string
FindWitness(const Node& node, const Ports& ports, bool defersSinks)
{
    const auto hasPort = [&ports](auto has) {
        return std::any_of(ports.begin(), ports.end(), [has](const QbbNetDevice* port) {
            return (port->*has)();
        });
    };
    const auto nic = node.GetObject<RdmaNic>();
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

/// \return true if frames cross a cable of the node as bytes
bool
HasSerializedCable(const Node& node)
{
    const auto ports = GetQbbPorts(node);
    return std::any_of(ports.begin(), ports.end(), [](const QbbNetDevice* port) {
        const auto cable = port->GetQbbChannel();
        return cable && cable->GetLineFrom(port).IsSerialized();
    });
}

} // namespace

std::vector<QbbNetDevice*>
GetQbbPorts(const Node& node)
{
    Ports ports;
    ports.reserve(node.GetNDevices());
    for (uint32_t i = 0; i < node.GetNDevices(); ++i)
    {
        if (const auto port = DynamicCast<QbbNetDevice>(node.GetDevice(i)))
        {
            ports.push_back(PeekPointer(port));
        }
    }
    return ports;
}

std::vector<std::string>
FindQbbOutsideCode(const std::set<uint32_t>& foreign, bool defersSinks)
{
    std::vector<std::string> seenBy(NodeList::GetNNodes());
    for (auto it = NodeList::Begin(); it != NodeList::End(); ++it)
    {
        const Node& node = **it;
        const uint32_t id = node.GetId();
        const Ports ports = GetQbbPorts(node);
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
        for (const QbbNetDevice* port : ports)
        {
            // Switches answer the ARP requests of their hosts, and these are packets of ns-3.
            const QbbPort* peer = port->GetPeer();
            if (peer && seenBy[peer->GetNodeId()].empty())
            {
                seenBy[peer->GetNodeId()] = seenBy[id];
            }
        }
    }
    return seenBy;
}

std::string
FindQbbPacketMaker()
{
    const auto any = [](auto is) {
        return std::any_of(NodeList::Begin(), NodeList::End(), [&is](const Ptr<Node>& node) {
            return is(*node);
        });
    };
    if (!any(HasSerializedCable) ||
        !any([](const Node& node) { return !FindStranger(node, GetQbbPorts(node)).empty(); }))
    {
        return "";
    }
    return "cables with SerializeFrames make packets of ns-3 from the bytes of frames, and a node "
           "may send such packets";
}

} // namespace ns3
