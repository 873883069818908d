/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CABLE_H
#define QBB_CABLE_H

#include "qbb-channel.h"

#include <ns3/node.h>
#include <ns3/object-factory.h>

namespace ns3
{

/**
 * \ingroup rdma
 * Makes the cable between two nodes: a QbbRemoteChannel if several ranks of MPI share the
 * simulation and the nodes belong to two of them (RdmaRanks), and otherwise what the factory makes.
 *
 * \param factory factory of a QbbChannel, with the attributes of the cable
 * \param a a node
 * \param b another node
 * \return the cable, to which no port is attached
 */
Ptr<QbbChannel> MakeQbbCable(const ObjectFactory& factory, const Node& a, const Node& b);

} // namespace ns3

#endif /* QBB_CABLE_H */
