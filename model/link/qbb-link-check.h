/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_LINK_CHECK_H
#define QBB_LINK_CHECK_H

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * Throws std::invalid_argument if the cable of a port has no other end, or if rate, kind of flow
 * control or lossless classes differ at its ends.
 *
 * \param port a port at the start of the simulation
 */
void CheckQbbLink(const QbbPort& port);

/**
 * \ingroup rdma
 * Throws std::invalid_argument if a pause of the port could expire before the port repeats it. A
 * due pause frame may have to wait for a whole frame whose transmission has just begun.
 *
 * \param port a port whose flow control has started
 */
void CheckQbbPauseSlack(const QbbPort& port);

} // namespace ns3

#endif /* QBB_LINK_CHECK_H */
