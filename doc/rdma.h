/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Doxygen groups of the module; documentation only, nothing includes it.
 */

/**
 * \defgroup rdma RDMA over Converged Ethernet
 *
 * RoCE network interfaces, lossless Ethernet links and shared-buffer switches for datacentre
 * fabrics. The manual is in doc/rdma.rst.
 *
 * Who calls whom, from a user's script down to the line:
 *
 *     ns3::RdmaFabricRun      a whole run from the options of the example rdma-fabric
 *     ns3::RdmaFabricHelper   a fabric from a topology: makes an ns3::RdmaFabric
 *     ns3::RdmaFlowRunner     flows over a fabric, and their results
 *     ns3::RdmaTcpFlowRunner  the same over ns-3's TCP, for comparison with iWARP
 *     ns3::RdmaQueuePair      verbs: requests in, completions out
 *     ns3::RdmaNic            the host's side of its ports; ns3::RoceTransport decides what is sent
 *     ns3::QbbSwitch          a switch on a node; ns3::QbbSharedBuffer or
 *                             ns3::QbbInputPortBuffer decides what fits
 *     ns3::QbbNetDevice       a port: queues, scheduler, both halves of PFC
 *     ns3::QbbChannel         a cable
 *     ns3::QbbFrame           what moves between them; ns3::QbbFrameCodec has its bytes
 */

/**
 * \ingroup rdma
 * \defgroup rdma-tests Tests of the rdma module
 */
