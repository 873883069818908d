/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_OPTIONS_H
#define RDMA_FABRIC_OPTIONS_H

#include "rdma-fabric-run.h"
#include "rdma-option-list.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Registers the members of RdmaFabricOptions as options of a program, of configuration files and
 * of presets.
 *
 * \param list option list to extend
 * \param options contains the default values and receives the user's values; must outlive the list
 */
void AddRdmaFabricOptions(RdmaOptionList& list, RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_OPTIONS_H */
