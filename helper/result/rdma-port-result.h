/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PORT_RESULT_H
#define RDMA_PORT_RESULT_H

#include "qbb-port-counters.h"
#include "rdma-bit-rate.h"
#include "rdma-ps.h"
#include "rdma-topology.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma-flow-report
 * A port of a fabric as presented in result files, with its number and its name.
 */
struct RdmaFabricPort
{
    uint32_t node{0};                      //!< node id of the port
    uint32_t nic{0};                       //!< number of the node in its host, if it is a NIC
    std::string nodeName;                  //!< name of the node
    RdmaNodeRole role{RdmaNodeRole::HOST}; //!< role of the node
    uint32_t number{0};                    //!< number of the port at its node
    /// Name of the port: "leaf-0 to spine-1"; "leaf-0 to spine-1 #2" for the second parallel link
    std::string name;
    uint32_t peer{0};       //!< node id at the other end of the link
    uint32_t peerNumber{0}; //!< number of the port at the other end of the link
    uint32_t link{0};       //!< link id
    /// Id of the host, if the node is a NIC; otherwise RdmaTopologyNode::NO_HOST
    uint32_t host{RdmaTopologyNode::NO_HOST};
    RdmaBitRate lineRate{0}; //!< rate of the link
};

/**
 * \ingroup rdma-flow-report
 * The ports of a fabric, by node id and port number. Rows of result files share these objects.
 */
using RdmaFabricPorts = std::vector<std::vector<std::shared_ptr<const RdmaFabricPort>>>;

/**
 * \ingroup rdma-flow-report
 * \param topology topology of the fabric, valid as in RdmaTopology::Validate()
 * \return the ports of all nodes
 */
RdmaFabricPorts MakeRdmaFabricPorts(const RdmaTopology& topology);

/**
 * \ingroup rdma-flow-report
 * \return a port with an empty name and zeros, always the same object
 */
std::shared_ptr<const RdmaFabricPort> GetRdmaEmptyPort();

/**
 * \ingroup rdma-flow-report
 * Counters of one port and priority since the beginning of the run: one row of ports.csv.
 *
 * To add a counter:
 *
 * 1. add a member to QbbPortCounters::Class (qbb-port-counters.h), whose members this class
 *    inherits;
 * 2. count where the port (qbb-port.cc) or its switch or NIC sees the event;
 * 3. add a line to the table in GetRdmaPortCounters() (rdma-port-result.cc);
 * 4. `tools/with-ns3 exec doc/introspect.py` writes doc/columns.rst and
 *    python/ns3_rdma/columns.json anew.
 *
 * The rest reads that table: ports.csv, the port monitor, and GatherRdmaPorts(), which gathers the
 * rows of all ranks. For a number that another object counts, such as xoffSent, add a member here
 * and a line in ReadRdmaPort() in place of steps 1 and 2. A counter of the whole port is no column,
 * because rows are per priority; QbbPortCounters says what to do.
 */
struct RdmaPortResult : QbbPortCounters::Class
{
    /// The port; never null, by default GetRdmaEmptyPort()
    std::shared_ptr<const RdmaFabricPort> port{GetRdmaEmptyPort()};
    uint32_t priority{0};       //!< priority (traffic class), 0 to 7
    uint64_t xoffSent{0};       //!< pauses and repeated pauses sent
    uint64_t xonSent{0};        //!< resumptions sent
    uint64_t xoffReceived{0};   //!< pauses and repeated pauses received
    uint64_t xonReceived{0};    //!< resumptions received
    RdmaPs pausedTime{0};       //!< time during which sending was paused
    uint64_t peakQueueBytes{0}; //!< largest queue length in bytes
};

/**
 * \ingroup rdma-flow-report
 * A counter of a port and priority, as the column of a file.
 */
struct RdmaPortCounter
{
    const char* name;                //!< name of the column
    const char* unit;                //!< unit of the column
    const char* meaning;             //!< meaning of the column
    uint64_t RdmaPortResult::*value; //!< the counter
};

/**
 * \ingroup rdma-flow-report
 * \return all counters, in the order of the columns; the columns paused_ns and peak_queue_bytes
 *         follow them
 */
const std::vector<RdmaPortCounter>& GetRdmaPortCounters();

/**
 * \ingroup rdma-flow-report
 * \param port a port of a fabric
 * \param device the device of the port
 * \param priority priority (traffic class), 0 to 7
 * \param now the current instant, RdmaNow() of the thread that runs the simulation
 * \return the counters of the port at this instant
 */
RdmaPortResult ReadRdmaPort(const std::shared_ptr<const RdmaFabricPort>& port,
                            const QbbPort& device,
                            uint8_t priority,
                            RdmaPs now);

/**
 * \ingroup rdma
 * Counters summed over all ports of a fabric, and the length of its longest queue.
 */
struct RdmaFabricTotals
{
    uint64_t packetHops{0};     //!< frames sent, counted once per link
    uint64_t drops{0};          //!< frames dropped for any reason
    uint64_t pauseFrames{0};    //!< pause frames sent
    uint64_t ecnMarks{0};       //!< frames marked CE
    uint64_t peakQueueBytes{0}; //!< largest length of any class queue at a switch port, in bytes
};

} // namespace ns3

#endif /* RDMA_PORT_RESULT_H */
