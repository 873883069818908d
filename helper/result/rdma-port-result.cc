/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-port-result.h"

#include "qbb-port.h"

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
    std::vector<uint32_t> nicOf(nodes.size()); // numbers of NICs in their hosts
    std::vector<uint32_t> nics(nodes.size());  // NICs of each host
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        nicOf[node] = topology.IsNic(node) ? nics[nodes[node].host]++ : 0;
    }
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
                               nicOf[node],
                               nodes[node].name,
                               nodes[node].role,
                               number,
                               nodes[node].name + " to " + nodes[peer].name + suffix,
                               peer,
                               peerNumber,
                               id,
                               nodes[node].host,
                               link.rate}));
        };
        add(link.a, numberAtA, link.b, numberAtB);
        add(link.b, numberAtB, link.a, numberAtA);
    }
    return ports;
}

std::shared_ptr<const RdmaFabricPort>
GetRdmaEmptyPort()
{
    static const auto port = std::make_shared<const RdmaFabricPort>();
    return port;
}

const std::vector<RdmaPortCounter>&
GetRdmaPortCounters()
{
    using Row = RdmaPortResult;
    static const std::vector<RdmaPortCounter> counters{
        {"tx_frames", "frames", "frames sent, without pause frames", &Row::txFrames},
        {"tx_bytes", "bytes", "bytes of the frames sent, from MAC address to FCS", &Row::txBytes},
        {"rx_frames", "frames", "frames received, without pause frames", &Row::rxFrames},
        {"rx_bytes",
         "bytes",
         "bytes of the frames received, from MAC address to FCS",
         &Row::rxBytes},
        {"drops", "frames", "frames dropped on their way in or out", &Row::drops},
        {"ecn_marks", "packets", "packets marked CE on their way out", &Row::ecnMarks},
        {"xoff_sent",
         "frames",
         "pause frames sent that pause this priority, repetitions included",
         &Row::xoffSent},
        {"xon_sent", "frames", "pause frames sent that resume this priority", &Row::xonSent},
        {"xoff_received",
         "frames",
         "pause frames received that pause this priority, repetitions included",
         &Row::xoffReceived},
        {"xon_received",
         "frames",
         "pause frames received that resume this priority",
         &Row::xonReceived},
    };
    return counters;
}

RdmaPortResult
ReadRdmaPort(const std::shared_ptr<const RdmaFabricPort>& port,
             const QbbPort& device,
             uint8_t priority,
             RdmaPs now)
{
    const QbbPauseSender& sender = device.GetFlowControl().GetPauseSender();
    const QbbPauseReceiver& receiver = device.GetFlowControl().GetPauseReceiver();
    RdmaPortResult row{device.GetCounters().classes[priority], port, priority};
    row.xoffSent = sender.GetXoffSent(priority);
    row.xonSent = sender.GetXonSent(priority);
    row.xoffReceived = receiver.GetXoffReceived(priority);
    row.xonReceived = receiver.GetXonReceived(priority);
    row.pausedTime = receiver.GetPausedTime(priority, now);
    row.peakQueueBytes = device.GetQueues().GetPeakBytes(priority);
    return row;
}

} // namespace ns3
