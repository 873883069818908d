/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_STORM_REQUEST_H
#define RDMA_PAUSE_STORM_REQUEST_H

/**
 * \file
 * \ingroup rdma
 * The options of rdma-pause-storm.cc.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <cstdint>
#include <string>

namespace ns3
{

/** Options of the command line. */
struct PauseStormRequest
{
    RdmaFabricOptions options;        //!< options common to all runs
    Time start{MilliSeconds(4)};      //!< storm: start of the pause storm of host 0
    Time detection{MilliSeconds(20)}; //!< storm: detection time of the watchdogs
    Time poll{MicroSeconds(100)};     //!< storm: polling interval of the watchdogs
    uint64_t messageBytes{1'000'000}; //!< storm: size of each message in bytes
    Time stall{MicroSeconds(400)};    //!< receiver: duration of a stall
    Time period{MilliSeconds(2)};     //!< receiver: time from the start of a stall to the next
    uint64_t nicBuffer{256 << 10};    //!< receiver: receive buffer of host 0
    double load{0.75};                //!< receiver: load of the link to host 0
};

} // namespace ns3

#endif /* RDMA_PAUSE_STORM_REQUEST_H */
