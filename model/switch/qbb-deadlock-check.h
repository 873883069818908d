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
 * Where a switch keeps the lossless frames that came in through one port with one priority, and
 * what it pauses when that is too much.
 */
struct QbbBufferPoint
{
    uint32_t node{0};    //!< ns-3's id of the switch's node
    uint16_t port{0};    //!< the switch's number of the port that they came in through
    uint8_t priority{0}; //!< class, 0..7

    /** \param other another \return true if both are the same */
    bool operator==(const QbbBufferPoint& other) const
    {
        return node == other.node && port == other.port && priority == other.priority;
    }

    /** \param other another \return true if this comes first, by node, port and priority */
    bool operator<(const QbbBufferPoint& other) const
    {
        return std::tie(node, port, priority) < std::tie(other.node, other.port, other.priority);
    }
};

/**
 * \ingroup rdma
 * \param os gets "node N port P class C"
 * \param point a buffer
 * \return os
 */
std::ostream& operator<<(std::ostream& os, const QbbBufferPoint& point);

/**
 * \ingroup rdma
 * What CheckQbbDeadlock() found.
 */
struct QbbDeadlockCheck
{
    uint64_t buffers{0};               //!< buffers that traffic between hosts can enter
    uint64_t dependencies{0};          //!< pairs of them of which one can wait for the other
    uint64_t cyclicBuffers{0};         //!< buffers that lie on some cycle
    std::vector<QbbBufferPoint> cycle; //!< one cycle, each waiting for the next; empty: none

    /** \return true if PFC cannot deadlock */
    bool IsDeadlockFree() const
    {
        return cycle.empty();
    }
};

/**
 * \ingroup rdma
 * Looks for a cyclic buffer dependency, without which PFC cannot deadlock (Dally and Seitz,
 * "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", 1987, with buffers
 * for channels). A cycle is necessary for a deadlock and not sufficient: whether it happens is up
 * to the traffic (Hu et al., "Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid
 * Them", HotNets 2016).
 *
 * A vertex is a buffer (switch, ingress port, lossless priority). There is an edge to the buffer
 * at the other end of an egress port if some packet can take both: it comes from a host, goes to
 * another host that has a route, and each switch on its way may choose any of its equal-cost ports,
 * whatever its path selector. Only such packets count, so that a Clos network, in which no packet
 * goes up after it went down, has no cycle. Hosts take what they receive and so end every chain. A
 * packet keeps its priority along its way, as it does where all ports have one DSCP or PCP table.
 *
 * Routes and link states are taken as they are at the time of the call: call it again after a
 * change. Takes time in proportion to the edges of the shortest-path graphs to the sets of
 * destinations that every switch treats alike.
 *
 * \param routing switches with their routes, and hosts
 * \return what was found; the cycle is a shortest one through the first buffer that lies on any
 */
QbbDeadlockCheck CheckQbbDeadlock(const QbbRouting& routing);

} // namespace ns3

#endif /* QBB_DEADLOCK_CHECK_H */
