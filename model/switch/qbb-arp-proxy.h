/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ARP_PROXY_H
#define QBB_ARP_PROXY_H

#include "qbb-forwarding-table.h"
#include "qbb-frame.h"

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * Proxy ARP (RFC 1027): a switch says that it has the addresses that it has routes to, so that
 * hosts send it what is for other hosts. An address behind the port that asks is left to its owner.
 */
namespace QbbArpProxy
{

/**
 * Answers an ARP request (RFC 826) at the port that it came in at. What is no request for an
 * address with a route is counted as a drop there.
 *
 * \param port where the frame came in
 * \param frame a broadcast with the EtherType of ARP
 * \param routes of the switch
 */
void Answer(QbbPort& port, const QbbFrame& frame, const QbbForwardingTable& routes);

} // namespace QbbArpProxy

} // namespace ns3

#endif /* QBB_ARP_PROXY_H */
