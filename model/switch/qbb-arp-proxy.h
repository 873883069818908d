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
 * Proxy ARP (RFC 1027): a switch answers ARP requests for every address that it has a route to, so
 * that hosts send it the frames for other hosts. A request for an address behind the requesting
 * port is left to the owner of the address.
 */
namespace QbbArpProxy
{

/**
 * Answers an ARP request (RFC 826) through its ingress port. A frame that gets no answer is counted
 * as a drop at that port.
 *
 * \param port ingress port of the frame
 * \param frame broadcast frame with the EtherType of ARP
 * \param routes forwarding table of the switch
 */
void Answer(QbbPort& port, const QbbFrame& frame, const QbbForwardingTable& routes);

} // namespace QbbArpProxy

} // namespace ns3

#endif /* QBB_ARP_PROXY_H */
