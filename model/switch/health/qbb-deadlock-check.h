/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEADLOCK_CHECK_H
#define QBB_DEADLOCK_CHECK_H

#include "qbb-routing.h"

#include <cstdint>
#include <ostream>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A buffer of a switch: the lossless frames that came in through one port with one priority. The
 * switch pauses this (port, priority) when the buffer fills up.
 */
struct QbbBufferPoint
{
    uint32_t node{0};    //!< ns-3 node id of the switch
    uint16_t port{0};    //!< number of the ingress port
    uint8_t priority{0}; //!< class, 0..7

    /** \param other another buffer \return true if both are the same buffer */
    bool operator==(const QbbBufferPoint& other) const
    {
        return node == other.node && port == other.port && priority == other.priority;
    }

    /**
     * \param other another buffer
     * \return true if this buffer comes first, by node, port and priority
     */
    bool operator<(const QbbBufferPoint& other) const
    {
        return std::tie(node, port, priority) < std::tie(other.node, other.port, other.priority);
    }
};

/**
 * \ingroup rdma
 * Prints a buffer as "node N port P class C".
 *
 * \param os output stream
 * \param point a buffer
 * \return the stream
 */
std::ostream& operator<<(std::ostream& os, const QbbBufferPoint& point);

/**
 * \ingroup rdma
 * Result of CheckQbbDeadlock().
 */
struct QbbDeadlockCheck
{
    uint64_t buffers{0};               //!< buffers that traffic between hosts can enter
    uint64_t dependencies{0};          //!< pairs of a buffer and another one that it can wait for
    uint64_t cyclicBuffers{0};         //!< buffers on a cycle
    std::vector<QbbBufferPoint> cycle; //!< one cycle, each buffer waiting for the next; empty: none

    /** \return true if PFC cannot deadlock */
    bool IsDeadlockFree() const
    {
        return cycle.empty();
    }
};

/**
 * \ingroup rdma
 * Searches for a cyclic buffer dependency. Without such a cycle, PFC cannot deadlock (Dally and
 * Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", 1987, with
 * buffers in place of channels). A cycle is necessary for a deadlock, but not sufficient: whether a
 * deadlock occurs depends on the traffic (Hu et al., "Deadlocks in Datacenter Networks: Why Do They
 * Form, and How to Avoid Them", HotNets 2016).
 *
 * A vertex is a buffer (switch, ingress port, lossless priority). An edge leads to the buffer at
 * the other end of an egress port if some packet can visit both buffers: a packet from a host to
 * another host that has a route. Each switch on its path may choose any of its equal-cost ports,
 * whatever its path selector. Only such packets count. A Clos network therefore has no cycle,
 * because no packet goes up after it went down. Hosts consume the packets that they receive, which
 * ends every chain. The check assumes that a packet keeps its priority along its path, which holds
 * if all ports use one DSCP or PCP table.
 *
 * The check uses the routes and link states at the time of the call; repeat the call after a
 * change. Destinations that every switch treats alike form a set, and the run time is proportional
 * to the edges of the shortest-path graphs to all sets. The threads of the simulator share the
 * sets.
 *
 * \param routing switches with their routes, and hosts
 * \return the result; its cycle is a shortest one through the first buffer that lies on any cycle
 */
QbbDeadlockCheck CheckQbbDeadlock(const QbbRouting& routing);

} // namespace ns3

#endif /* QBB_DEADLOCK_CHECK_H */
