/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_PRESET_H
#define RDMA_FABRIC_PRESET_H

#include "rdma-fabric-run.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Sets the options to a published experiment's, as values that can still be changed.
 *
 * "irn" is the default case of Mittal et al., "Revisiting Network Support for RDMA" (SIGCOMM 2018,
 * section 4.1): 54 servers in a fat-tree of 45 6-port switches, 40 Gb/s, 2 us, packets of 1000 B,
 * Poisson arrivals of heavy-tailed sizes at 70%, ECMP, input-queued switches with 240 KB a port,
 * IRN without PFC, RTO_high 320 us, RTO_low 100 us for up to 3 packets. Where PFC is on its
 * threshold is the computed one, 211 KB: the paper's 220 KB leave headroom for what is on the cable
 * and none for the frames that are just being sent, and lose packets here.
 *
 * "parking-lot" is the network of Liu et al., "Implementation of PFC and RCM for RoCEv2 Simulation
 * in OMNeT++" (2015, section V): A, B and C on one switch, D and the receiver on another, 40 Gb/s,
 * packets of 2048 B, input-queued switches with credits of 64 bytes.
 *
 * "none" changes nothing.
 *
 * \param name of the preset
 * \param [in,out] options all other options stay as they are
 * \throws std::invalid_argument for another name
 */
void ApplyRdmaPreset(const std::string& name, RdmaFabricOptions& options);

/**
 * \ingroup rdma
 * Finds the option preset on a command line, so that the preset can be applied before the other
 * options, wherever it stands among them.
 *
 * \param argc number of arguments
 * \param argv the arguments
 * \return the value of the last --preset=NAME, "none" if there is none
 */
std::string FindRdmaPreset(int argc, const char* const* argv);

} // namespace ns3

#endif /* RDMA_FABRIC_PRESET_H */
