/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_XGFT_H
#define RDMA_XGFT_H

#include "rdma-topology-builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Extended generalised fat-tree XGFT(h; m_1..m_h; w_1..w_h) (Oehring et al., IPPS 1995), of which
 * the fat-tree, leaf-spine and Clos forms are special cases.
 *
 * \param children m_i: nodes of tier i - 1 below each switch of tier i (tier 0: the hosts); 1 to 8
 *        entries
 * \param parents w_i: switches of tier i above each node of tier i - 1; as many entries
 * \param rates the links
 * \return the topology
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaXgft(const std::vector<uint32_t>& children,
                          const std::vector<uint32_t>& parents,
                          const RdmaTopologyRates& rates = RdmaTopologyRates());

/**
 * \ingroup rdma
 * Makes a topology of a named form that is a special case of an XGFT.
 *
 * \param form name of the form, for messages
 * \param tierNames prefixes of the switches' names, from the hosts up; empty: tier1, tier2, ...
 * \param children m_i, as for an XGFT without a name
 * \param parents w_i, as for an XGFT without a name
 * \param rates the links
 * \return the topology
 * \throws std::invalid_argument for a parameter out of range
 */
RdmaTopology MakeRdmaXgft(const std::string& form,
                          const std::vector<std::string>& tierNames,
                          const std::vector<uint32_t>& children,
                          const std::vector<uint32_t>& parents,
                          const RdmaTopologyRates& rates);

} // namespace ns3

#endif /* RDMA_XGFT_H */
