/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-port.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

RdmaFabricPorts
MakeRdmaFabricPorts(const RdmaTopology& topology)
{
    const std::vector<RdmaTopologyNode> nodes = topology.GetNodes();
    RdmaFabricPorts ports(nodes.size());
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> parallel;
    for (uint32_t id = 0; id < topology.GetNLinks(); ++id)
    {
        const RdmaTopologyLink link = topology.GetLink(id);
        const uint32_t place = ++parallel[std::minmax(link.a, link.b)];
        const std::string suffix = place > 1 ? " #" + std::to_string(place) : "";
        // The ports of a node are its links in the order of their ids.
        const auto numberAtA = static_cast<uint32_t>(ports.at(link.a).size());
        const auto numberAtB = static_cast<uint32_t>(ports.at(link.b).size());
        const auto add = [&](uint32_t node, uint32_t number, uint32_t peer, uint32_t peerNumber) {
            ports[node].push_back(std::make_shared<const RdmaFabricPort>(
                RdmaFabricPort{node,
                               nodes[node].name,
                               nodes[node].role,
                               number,
                               nodes[node].name + " to " + nodes[peer].name + suffix,
                               peer,
                               peerNumber,
                               id,
                               link.rate}));
        };
        add(link.a, numberAtA, link.b, numberAtB);
        add(link.b, numberAtB, link.a, numberAtA);
    }
    return ports;
}

std::shared_ptr<const RdmaFabricPort>
GetRdmaNoPort()
{
    static const auto port = std::make_shared<const RdmaFabricPort>();
    return port;
}

} // namespace ns3
