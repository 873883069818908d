/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_PRESET_H
#define RDMA_FABRIC_PRESET_H

#include "rdma-fabric-run.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Sets options to the values of a published experiment. Later assignments override them.
 *
 * "irn" is the default case of Mittal et al., "Revisiting Network Support for RDMA" (SIGCOMM 2018,
 * section 4.1): 54 servers in a fat-tree of 45 6-port switches, 40 Gb/s, 2 us, packets of 1000 B,
 * Poisson arrivals of heavy-tailed sizes at 70%, ECMP, input-queued switches with 240 KB a port,
 * IRN without PFC, RTO_high 320 us, RTO_low 100 us for up to 3 packets. With PFC enabled, the PFC
 * threshold is the computed 211 KB. The paper's 220 KB leave headroom for the bytes on the cable,
 * but none for frames whose transmission has already begun, and cause packet loss in this module.
 *
 * "parking-lot" is the network of Liu et al., "Implementation of PFC and RCM for RoCEv2 Simulation
 * in OMNeT++" (2015, section V): A, B and C on one switch, D and the receiver on another, 40 Gb/s,
 * packets of 2048 B, input-queued switches with credits of 64 bytes.
 *
 * "none" changes nothing.
 *
 * \param name name of the preset
 * \param [in,out] options options of a run; options outside the preset keep their values
 * \throws std::invalid_argument for an unknown name
 */
void ApplyRdmaPreset(const std::string& name, RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_PRESET_H */
