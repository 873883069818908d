/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_SIMAI_TOPOLOGY_H
#define RDMA_SIMAI_TOPOLOGY_H

#include "rdma-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-simai-topology SimAI's topology files
 *
 * The text format that SimAI's gen_Topo_Template.py writes and SimAI's ns-3 reads (Wang et al.,
 * NSDI 2025):
 *
 *     nodes gpus-per-server nvswitches switches links gpu-type
 *     id of each NVSwitch, then id of each switch
 *     node node rate latency error-rate        (one line for each link)
 *
 * Node ids run from 0 to nodes - 1. Nodes that the second line does not name are GPUs. They have
 * the lowest ids, and the GPUs from s x gpus-per-server on are those of server s. A rate without a
 * unit is in bit/s.
 *
 * - A server is a host, and a GPU stands for its NIC: GPU k of server s is NIC k of host s. With H
 *   servers the NIC has node id k x H + s.
 * - The links of a GPU to switches are the ports of the NIC. Several such links are a bond: one
 *   address, and a hash of the flow chooses the port. SimAI's GPUs have one address each, too.
 * - Switches keep their ids in their names, as in "switch-36", and follow the NICs in the order of
 *   the second line.
 * - NVSwitches and their links to GPUs connect the GPUs of one server. They are no part of the
 *   topology, because a fabric carries what leaves the server. RdmaSimaiTopology::nvLinks has them.
 * - The type of the GPUs says nothing about the network.
 *
 * Refused: an NVSwitch that is linked to a switch, to another NVSwitch or to GPUs of two servers; a
 * link between GPUs of one server; GPUs that are not the lowest ids or do not fill whole servers; a
 * GPU without a link to a switch.
 * @{
 */

/** A topology of SimAI, with what a fabric does not have. */
struct RdmaSimaiTopology
{
    RdmaTopology topology;    //!< servers as hosts, GPUs as NICs, switches, and the links of these
    uint32_t gpusPerServer{}; //!< GPUs of a server
    uint32_t nvSwitches{};    //!< number of NVSwitches
    std::string gpuType;      //!< type of the GPUs, as in "H100"
    /// Links of GPUs to NVSwitches: a is the node id of the GPU's NIC, b is the place of the
    /// NVSwitch in the second line, from 0
    std::vector<RdmaTopologyLink> nvLinks;
};

/**
 * \param text content of a file
 * \return true if the first line has six fields, the last of which does not begin with a digit
 */
bool IsRdmaSimaiTopology(const std::string& text);

/**
 * \param text content of a topology file of SimAI
 * \param fileName name for error messages
 * \return the topology, which has passed RdmaTopology::Validate()
 * \throws RdmaFileError for anything that is not exactly of this format
 */
RdmaSimaiTopology ParseRdmaSimaiTopology(const std::string& text, const std::string& fileName);

/** @} */

} // namespace ns3

#endif /* RDMA_SIMAI_TOPOLOGY_H */
