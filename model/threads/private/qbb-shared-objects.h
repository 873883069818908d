/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_OBJECTS_H
#define QBB_SHARED_OBJECTS_H

#include <ns3/node.h>

#include <cstdint>
#include <functional>
#include <string>

/**
 * \file
 * \ingroup rdma
 * Finds objects with state that several nodes hold. Events of these nodes depend on each other
 * although no frame passes between them: one random stream serves all of them, for instance.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Finds an object with state that nodes of different parts of the simulation hold: an error model,
 * a random variable, a completion queue or a shared receive queue, and everything else that is the
 * value of an attribute of a port, of an application or of an object of the module at a node, or
 * of an attribute of such a value. Transports, congestion controls and QbbEcnMarker count only with
 * the objects that they hold themselves, because they are made to be shared.
 *
 * \param getPart number of the part of the simulation to which a node belongs
 * \return in a few words, two nodes and the object; empty if there is none
 */
std::string FindQbbSharedObject(const std::function<uint32_t(const Node& node)>& getPart);

/**
 * \ingroup rdma
 * Aborts with a message if nodes of different ranks of MPI hold one object with state. Each rank
 * has a copy of its own, so the results would depend on the number of ranks.
 */
void RefuseQbbObjectsOfSharedRun();

} // namespace ns3

#endif /* QBB_SHARED_OBJECTS_H */
