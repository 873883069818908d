/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_PORT_H
#define RDMA_FABRIC_PORT_H

#include "qbb-bit-rate.h"
#include "rdma-topology.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-flow-report
 * A port of a fabric as presented in result files, with its number and its name.
 */
struct RdmaFabricPort
{
    uint32_t node{0};                      //!< node id of the port
    std::string nodeName;                  //!< name of the node
    RdmaNodeRole role{RdmaNodeRole::HOST}; //!< role of the node
    uint32_t number{0};                    //!< number of the port at its node
    /// Name of the port: "leaf-0 to spine-1"; "leaf-0 to spine-1 #2" for the second parallel link
    std::string name;
    uint32_t peer{0};       //!< node id at the other end of the link
    uint32_t peerNumber{0}; //!< number of the port at the other end of the link
    uint32_t link{0};       //!< link id
    QbbBitRate lineRate{0}; //!< rate of the link
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
std::shared_ptr<const RdmaFabricPort> GetRdmaNoPort();

} // namespace ns3

#endif /* RDMA_FABRIC_PORT_H */
