/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_NODE_GROUPS_H
#define QBB_NODE_GROUPS_H

#include "rdma-ps.h"

#include <ns3/object.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Holds the frames that are on their way to one group of nodes from all others (RdmaGroupRun).
 *
 * A border has lanes. In each window, a thread that runs a group puts frames for other groups into
 * lanes of its own: RdmaEngine::GetLane() has the number. A thread has two lanes, used in turn,
 * because the receiving group empties the lanes of a window in the next window. The last lane is
 * for frames that are sent while all groups rest.
 */
class RdmaBorder
{
  public:
    virtual ~RdmaBorder() = default;

    /**
     * \param thread number of a thread
     * \param turn 0 or 1, in turn
     * \return number of the lane that the thread fills in a window
     */
    static constexpr uint32_t GetLane(uint32_t thread, uint32_t turn)
    {
        return 2 * thread + turn;
    }

    /** \param threads number of threads \return number of lanes */
    static constexpr uint32_t GetNLanes(uint32_t threads)
    {
        return 2 * threads + 1;
    }

    /**
     * Hands frames over to the receiving group, whose engine is running.
     *
     * \param turn turn of the lanes to empty; the last lane is emptied always
     * \return true if there were frames
     */
    virtual bool TakeOver(uint32_t turn) = 0;
};

/**
 * \ingroup rdma
 * Divides the nodes of a simulation into groups that run apart for windows of simulated time, in
 * turn on one thread or on several threads. RdmaSimulatorImpl asks for a division during a run.
 *
 * Group 0 runs on the thread of Simulator::Run(). It has every node whose events call code from
 * outside of the module: an application, ns-3's IP stack, or a sink of a trace source. On one
 * thread, nodes are divided only if there is no such node, because code from outside may look at
 * all nodes, and expects all of them at one instant.
 */
class QbbNodeGroups : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /** What a division has to respect. */
    struct Demand
    {
        uint32_t groups{2};           //!< largest number of groups
        uint32_t threads{1};          //!< number of threads that run the groups
        std::set<uint32_t> foreign{}; //!< nodes with pending events from outside of the module
        bool defersSinks{false};      //!< sinks are not called in the events of nodes
        /// No code from outside of the module has run in an event of its own or as a deferred sink
        /// since the latest division of this run. Nodes, devices and cables have not changed.
        bool isAsBefore{false};
    };

    /**
     * Divides all nodes that exist.
     *
     * \param demand what the division has to respect
     * \return number of groups; 1: no two groups can run apart, for the reason of GetReason()
     */
    virtual uint32_t Divide(const Demand& demand) = 0;

    /** Ends the division, after a run. */
    virtual void Unite() = 0;

    /**
     * Tells when the nodes are to be divided again, for instance because their loads are known
     * better by then. Results do not depend on this number.
     *
     * \param divisions number of divisions of the run before the present one
     * \return events after which the present division ends unless the loads are even; by default
     *         50,000 after the first division and eight times as many after each further one
     */
    virtual uint64_t GetEventsToNext(uint32_t divisions) const;

    /**
     * Aborts with a message if the results would depend on the number of processes that share the
     * simulation, because nodes of different processes have one object. Called before such a run.
     */
    virtual void CheckSharedRun() const
    {
    }

    /** \param node id of a node \return number of the node's group */
    virtual uint32_t GetGroup(uint32_t node) const = 0;

    /** \return the shortest time from an event of a group to its effect in another, above 0 */
    virtual RdmaPs GetLookahead() const = 0;

    /** \param group a group \return border for what other groups send to the group */
    virtual RdmaBorder& GetBorder(uint32_t group) = 0;

    /** \return why the latest division has a single group, in one sentence; empty otherwise */
    virtual std::string GetReason() const = 0;
};

} // namespace ns3

#endif /* QBB_NODE_GROUPS_H */
