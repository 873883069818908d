/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GROUP_CHOICE_H
#define RDMA_GROUP_CHOICE_H

#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * What a simulation has done lately.
 */
struct RdmaActivity
{
    uint64_t events{0};  //!< number of events that have run
    RdmaPs time{0};      //!< simulated time of these events
    uint64_t pending{0}; //!< number of events that are pending
};

/**
 * \ingroup rdma
 * Number of groups of nodes that suits a simulation, from what the simulation has done lately.
 *
 * Groups in turn pay if the memory that the events of a window touch exceeds the second-level cache
 * of a core, and if a group has enough events in a window to use that memory several times. Groups
 * on several threads pay if a window has enough events for all threads. Only the speed depends on
 * the choice, not the results.
 */
struct RdmaGroupChoice
{
    uint32_t groups{1};         //!< number of groups; 1: one list of events
    uint64_t eventsOfWindow{0}; //!< events of a window below which one list is better

    /**
     * \param activity what the simulation has done lately
     * \param lookahead length of a window
     * \param threads number of threads
     * \param cacheBytes size of the second-level cache of a core
     * \return the choice
     */
    static RdmaGroupChoice Make(const RdmaActivity& activity,
                                RdmaPs lookahead,
                                uint32_t threads,
                                uint64_t cacheBytes);
};

/**
 * \ingroup rdma
 * \return size of the second-level cache of a core of this machine; 1 MB where it is unknown
 */
uint64_t GetRdmaCacheBytes();

} // namespace ns3

#endif /* RDMA_GROUP_CHOICE_H */
