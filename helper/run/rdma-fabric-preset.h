/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_PRESET_H
#define RDMA_FABRIC_PRESET_H

#include "rdma-fabric-options.h"

#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Sets options to the values of a published experiment. Later assignments override the values.
 *
 * "irn" is the default case of Mittal et al., "Revisiting Network Support for RDMA" (SIGCOMM 2018,
 * section 4.1): 54 servers in a fat-tree of 45 6-port switches, 40 Gb/s, 2 us, packets of 1000 B,
 * Poisson arrivals of heavy-tailed sizes at 70%, ECMP, input-queued switches with 240 KB a port,
 * IRN without PFC, RTO_high 320 us, RTO_low 100 us for up to 3 packets. With PFC enabled, the PFC
 * threshold is the computed 211 KB. The paper's 220 KB leave headroom for the bytes on the cable,
 * but none for frames whose transmission has already begun, and cause packet loss in this module.
 * With ECN, packets are marked by the length of their virtual output queue. The packets of WRITEs
 * have RoCE's headers, because section 4 simulates the transport logic alone.
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

/**
 * \ingroup rdma
 * The packet memory of a switch chip and its division by a network operating system, as the value
 * of the option buffer.
 *
 * | name      | memory | chip                                                 | sources |
 * |-----------|--------|------------------------------------------------------|---------|
 * | trident2  | 12 MiB | Broadcom Trident II (BCM56850), 32 ports of 40 Gb/s  | 1, 2    |
 * | trident3  | 32 MiB | Broadcom Trident 3 (BCM56870), 32 ports of 100 Gb/s  | 3       |
 * | tomahawk3 | 64 MiB | Broadcom Tomahawk 3 (BCM56980), 32 ports of 400 Gb/s | 4       |
 *
 * 1: C. Guo et al., SIGCOMM 2016, section 2 (9 or 12 MB), Y. Zhu et al., SIGCOMM 2015, section 6
 * (12 MB, 32 ports of 40 Gb/s); 2: the example of a 40 Gb/s switch in SONiC's Configuration guide
 * (reserve of a lossless group 1248 B, which is 6 cells of 208 B, alpha 2^-3; lossy queues 1518 B
 * and alpha 2^3 of a pool of 9243812 B); 3: SONiC's buffer template for Arista's 7050CX3-32S (lossy
 * queues 1792 B, which is 7 cells of 256 B, and alpha 2^3 of a pool of 24192256 B); 4: Arista's
 * data sheet of the 7060X4 series (64 MB). The sources give no lossless alpha for Trident 3 and
 * nothing but the memory size for Tomahawk 3; these presets use the values of the preceding chip
 * and scale pools with the memory.
 *
 *     helper.SetBufferManager(GetRdmaBufferPreset("trident2"));
 *
 * \param name name of the preset; "none": the default buffer
 * \return a part of kind QbbBufferManager, or "auto"
 * \throws std::invalid_argument for an unknown name
 */
std::string GetRdmaBufferPreset(const std::string& name);

} // namespace ns3

#endif /* RDMA_FABRIC_PRESET_H */
