/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CLIENT_CONNECTION_H
#define RDMA_CLIENT_CONNECTION_H

#include "qbb-ps.h"
#include "qbb-ring.h"
#include "qbb-timer.h"
#include "rdma-client-result.h"
#include "rdma-connection-end.h"
#include "rdma-flow-calendar.h"
#include "rdma-message-plan.h"
#include "rdma-server.h"

#include <ns3/ipv4-address.h>

namespace ns3
{

/**
 * \ingroup rdma
 * A connection of an RdmaClient: posts messages as the plan allows and keeps track of incomplete
 * iterations.
 */
class RdmaClientConnection : public RdmaConnectionEnd
{
  public:
    /**
     * \param plan plan of the messages; must outlive the connection
     * \param setup resources of the client
     */
    RdmaClientConnection(const RdmaMessagePlan& plan, const Setup& setup)
        : RdmaConnectionEnd(setup),
          m_plan(plan),
          m_timer(this)
    {
    }

    /**
     * Connects to a listening server.
     *
     * \param server the server
     * \param address IPv4 address of the server's port
     * \param id identifier of the receive requests
     */
    void Connect(RdmaServer& server, Ipv4Address address, uint64_t id);

    /** Posts all messages that may begin. */
    void Advance();

    /** Posts the receive request of an answer. \param id identifier of the request */
    void PostReceive(uint64_t id);

    /** Ends the oldest iteration. \return the iteration */
    RdmaIteration Finish();

    /** No further message begins. */
    void Stop();

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

    /** \return number of complete iterations */
    uint64_t GetDone() const
    {
        return m_done;
    }

  private:
    void Post();

    const RdmaMessagePlan& m_plan; //!< plan of the messages
    RdmaConnectionReply m_remote;  //!< address and key of the server's memory
    bool m_stopped{false};         //!< no further message begins
    uint64_t m_begun{0};           //!< number of iterations begun
    uint64_t m_done{0};            //!< number of complete iterations
    QbbPs m_next{0};               //!< earliest begin of the next iteration
    QbbRing<QbbPs> m_begins;       //!< begin times of incomplete iterations
    QbbTimer<RdmaClientConnection, &RdmaClientConnection::Advance, RdmaFlowCalendar::EVENT_ORDER>
        m_timer; //!< expires when the next iteration may begin
};

} // namespace ns3

#endif /* RDMA_CLIENT_CONNECTION_H */
