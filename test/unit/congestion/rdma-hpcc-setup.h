/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HPCC_SETUP_H
#define RDMA_HPCC_SETUP_H

#include "rdma-hpcc.h"
#include "rdma-int-feed.h"

#include <algorithm>
#include <cmath>

/**
 * \file
 * \ingroup rdma-tests
 * Controllers of HPCC to test with.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Setup of the tests of HPCC.
 */
namespace RdmaHpccSetup
{

using namespace RdmaTestPath;

constexpr RdmaPs T = RTT;   //!< HPCC's T
constexpr double WAI = 100; //!< additive increase, in bytes

/** \param maxStage HPCC's maxStage \param lineRate rate of the host's link \return a controller */
inline RdmaHpccController
Make(uint32_t maxStage = 5, RdmaBitRate lineRate = LINE)
{
    RdmaHpccParameters parameters;
    parameters.maxStage = maxStage;
    parameters.increaseBytes = WAI;
    parameters.baseRtt = T;
    return {parameters, MakeProfile(lineRate)};
}

/**
 * \param u a utilisation
 * \return bytes that a port at 100 Gb/s sends and queues in T at this utilisation: up to 1 is sent,
 * the rest waits
 */
inline RdmaIntFeed::Port
Load(double u)
{
    return {static_cast<uint64_t>(std::lround(BT * std::min(u, 1.0))),
            static_cast<uint64_t>(std::lround(BT * std::max(u - 1, 0.0)))};
}

} // namespace RdmaHpccSetup

} // namespace ns3

#endif /* RDMA_HPCC_SETUP_H */
