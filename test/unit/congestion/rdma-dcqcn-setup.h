/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DCQCN_SETUP_H
#define RDMA_DCQCN_SETUP_H

#include "rdma-dcqcn.h"

#include <memory>

/**
 * \file
 * \ingroup rdma-tests
 * Reaction points of DCQCN to test with.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Setup of the tests of DCQCN.
 */
namespace RdmaDcqcnSetup
{

constexpr RdmaBitRate M = 1_mbps;     //!< a megabit per second
constexpr RdmaBitRate LINE = 40_gbps; //!< rate of the host's link

/** \param parameters of DCQCN \return a reaction point */
inline RdmaDcqcnController
Make(const RdmaDcqcnParameters& parameters = {})
{
    return {std::make_shared<const RdmaDcqcnParameters>(parameters), LINE};
}

/** \param c a reaction point \return its target rate */
inline RdmaBitRate
GetTarget(const RdmaDcqcnController& c)
{
    return RdmaBitRate(static_cast<uint64_t>(c.GetState().targetRateBps));
}

} // namespace RdmaDcqcnSetup

} // namespace ns3

#endif /* RDMA_DCQCN_SETUP_H */
