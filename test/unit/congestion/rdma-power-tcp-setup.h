/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_POWER_TCP_SETUP_H
#define RDMA_POWER_TCP_SETUP_H

#include "rdma-int-feed.h"
#include "rdma-power-tcp.h"

/**
 * \file
 * \ingroup rdma-tests
 * Controllers of PowerTCP to test with.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Setup of the tests of PowerTCP and theta-PowerTCP.
 */
namespace RdmaPowerTcpSetup
{

using namespace RdmaTestPath;

constexpr RdmaPs TAU = RTT;   //!< PowerTCP's tau
constexpr double BETA = 1000; //!< additive increase, in bytes

/**
 * \tparam Controller kind of controller
 * \param lineRate rate of the host's link
 * \param minCurrent lower bound of the current
 * \return a controller with the rules of the paper's text
 */
template <typename Controller = RdmaPowerTcpController>
Controller
Make(RdmaBitRate lineRate = LINE, double minCurrent = 0)
{
    RdmaPowerTcpParameters parameters;
    parameters.rules = RdmaPowerTcpParameters::PAPER;
    parameters.minCurrent = minCurrent;
    parameters.increaseBytes = BETA;
    parameters.baseRtt = TAU;
    return {parameters, MakeProfile(lineRate)};
}

} // namespace RdmaPowerTcpSetup

} // namespace ns3

#endif /* RDMA_POWER_TCP_SETUP_H */
