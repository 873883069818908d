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
 * Holds what one group of nodes sends to another while both run on separate threads
 * (RdmaParallelRun).
 *
 * In each step of the run, the sending group fills the next compartment, in turn. The receiving
 * group empties a compartment PARTS steps later. A group is at most PARTS - 1 steps ahead of
 * another, so no compartment is used by two threads at once.
 */
class RdmaBorder
{
  public:
    /// Steps in the shortest time that a frame needs from one group to another.
    static constexpr uint32_t PARTS = 4;
    /// Number of compartments: PARTS that are being filled, because groups may be PARTS - 1 steps
    /// apart, and PARTS that are being emptied.
    static constexpr uint32_t COMPARTMENTS = 2 * PARTS;

    virtual ~RdmaBorder() = default;

    /** Begins a step of the sending group. \param compartment number of the compartment to fill */
    virtual void Open(uint32_t compartment) = 0;

    /**
     * \param compartment number of a compartment that has been filled
     * \return time of the earliest event that it will cause, in femtoseconds; the largest number if
     *         the compartment is empty
     */
    virtual uint64_t GetEarliest(uint32_t compartment) const = 0;

    /**
     * Hands the contents of a compartment over to the receiving group, whose engine is running.
     * \param compartment number of the compartment to empty
     */
    virtual void TakeOver(uint32_t compartment) = 0;
};

/**
 * \ingroup rdma
 * Divides the nodes of a simulation into groups that run on threads of their own. RdmaSimulatorImpl
 * asks for a division at the beginning of a run.
 *
 * Group 0 runs on the thread of Simulator::Run(). It has every node whose events call code from
 * outside of the module: an application, ns-3's IP stack, or a sink of a trace source.
 */
class QbbNodeGroups : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * Divides all nodes that exist.
     *
     * \param most largest number of groups
     * \param foreign ids of nodes with pending events of code from outside of the module
     * \param defersSinks true: sinks of trace sources are not called in the events of nodes
     * \return number of groups; 1: no two groups can run apart, for the reason of GetReason()
     */
    virtual uint32_t Divide(uint32_t most, const std::set<uint32_t>& foreign, bool defersSinks) = 0;

    /** Ends the division, after a run. */
    virtual void Unite() = 0;

    /**
     * Tells when the nodes are to be divided again, for instance because their loads are known
     * better by then. Results do not depend on this number.
     *
     * \param divisions number of divisions of the run before the present one
     * \return events after which the present division ends; by default 50,000 after the first
     *         division and eight times as many after each further one
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

    /**
     * \param from a group
     * \param to another group
     * \return border for what \p from sends to \p to
     */
    virtual RdmaBorder& GetBorder(uint32_t from, uint32_t to) = 0;

    /** \return why the latest division has a single group, in one sentence; empty otherwise */
    virtual std::string GetReason() const = 0;
};

} // namespace ns3

#endif /* QBB_NODE_GROUPS_H */
