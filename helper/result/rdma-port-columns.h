/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PORT_COLUMNS_H
#define RDMA_PORT_COLUMNS_H

#include "rdma-port-result.h"
#include "rdma-result-column.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * \tparam Record RdmaPortResult or a type derived from it
 * \return the columns of every file with a row for a port and priority: port and counters
 */
template <typename Record>
std::vector<RdmaResultColumn<Record>>
MakeRdmaPortColumns()
{
    return {
        {"node", "", "node id", [](const Record& r) { return r.port->node; }},
        {"node_name",
         "",
         "name of the node",
         [](const Record& r) -> const std::string& { return r.port->nodeName; }},
        {"port",
         "",
         "number of the port at the node",
         [](const Record& r) { return r.port->number; }},
        {"port_name",
         "",
         "name of the port, from its node to the node at the other end; #2 and so on: parallel "
         "links",
         [](const Record& r) -> const std::string& { return r.port->name; }},
        {"priority", "", "priority (traffic class), 0 to 7", &RdmaPortResult::priority},
        {"tx_frames", "frames", "frames sent, without pause frames", &RdmaPortResult::txFrames},
        {"tx_bytes",
         "bytes",
         "bytes of the frames sent, from MAC address to FCS",
         &RdmaPortResult::txBytes},
        {"rx_frames", "frames", "frames received, without pause frames", &RdmaPortResult::rxFrames},
        {"rx_bytes",
         "bytes",
         "bytes of the frames received, from MAC address to FCS",
         &RdmaPortResult::rxBytes},
        {"drops", "frames", "frames dropped on their way in or out", &RdmaPortResult::drops},
        {"ecn_marks", "packets", "packets marked CE on their way out", &RdmaPortResult::ecnMarks},
        {"xoff_sent",
         "frames",
         "pause frames sent that pause this priority, repetitions included",
         &RdmaPortResult::xoffSent},
        {"xon_sent",
         "frames",
         "pause frames sent that resume this priority",
         &RdmaPortResult::xonSent},
        {"xoff_received",
         "frames",
         "pause frames received that pause this priority, repetitions included",
         &RdmaPortResult::xoffReceived},
        {"xon_received",
         "frames",
         "pause frames received that resume this priority",
         &RdmaPortResult::xonReceived},
        {"paused_ns",
         "ns",
         "time for which the port was not allowed to send this priority",
         &RdmaPortResult::pausedTime},
        {"peak_queue_bytes",
         "bytes",
         "greatest length of the queue of this priority, in the run or since the previous poll",
         &RdmaPortResult::peakQueueBytes},
    };
}

} // namespace ns3

#endif /* RDMA_PORT_COLUMNS_H */
