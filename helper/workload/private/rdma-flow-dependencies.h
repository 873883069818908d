/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_FLOW_DEPENDENCIES_H
#define RDMA_FLOW_DEPENDENCIES_H

#include "rdma-flow.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Why flows cannot wait for each other as stated.
 */
struct RdmaDependencyFault
{
    std::size_t place{0};  //!< position of the dependency in the list
    bool isInDelay{false}; //!< the fault is in the delay, and not in the awaited flows
    std::string problem;   //!< description of the fault
    std::string accepted;  //!< description of what is accepted
};

/**
 * \ingroup rdma
 * Checks that each waiting flow exists and waits once, that it waits for other flows that exist,
 * each once, that no flow waits for itself by way of others, and that a flow whose sender is no end
 * of an awaited flow has a delay of 1 ps or more.
 *
 * \param flows the flows, with unique ids
 * \param dependencies the flows that wait
 * \return the first fault; no value: there is none
 */
std::optional<RdmaDependencyFault> FindRdmaDependencyFault(
    const std::vector<RdmaFlow>& flows,
    const std::vector<RdmaFlowDependency>& dependencies);

} // namespace ns3

#endif /* RDMA_FLOW_DEPENDENCIES_H */
