/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HOST_CONNECTION_USER_H
#define RDMA_HOST_CONNECTION_USER_H

#include "rdma-ps.h"
#include "rdma-verbs.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A message that is complete at the destination of a connection.
 */
struct RdmaHostArrival
{
    uint64_t bytes{0};   //!< length of the message
    uint64_t address{0}; //!< address in the destination's memory
    RdmaPs time{0};      //!< time at which the software of the destination knows
};

/**
 * \ingroup rdma
 * User of connections between hosts.
 */
class RdmaHostConnectionUser
{
  public:
    virtual ~RdmaHostConnectionUser() = default;

    /**
     * A message is complete in the memory of the destination. The call comes from an event of the
     * connection's node at the destination (RdmaHostConnection::GetDestinationNode()).
     *
     * \param id the user's number for the connection
     * \param message number of the message, in the order of posting, from 0
     * \param arrival the message
     */
    virtual void MessageArrived(uint64_t id, uint64_t message, const RdmaHostArrival& arrival) = 0;

    /**
     * All chunks of a message are acknowledged, or no lane is left. The call comes from an event of
     * the connection's node at the source (RdmaHostConnection::GetSourceNode()).
     *
     * \param id the user's number for the connection
     * \param message number of the message, in the order of posting, from 0
     * \param status SUCCESS, or the error of the last lane
     * \param time time at which the software of the source knows
     */
    virtual void MessageSent(uint64_t id, uint64_t message, RdmaWcStatus status, RdmaPs time) = 0;

    /**
     * An atomic has been carried out, or has failed: then nobody knows whether it has been carried
     * out. The call comes from an event of the connection's node at the source.
     *
     * \param id the user's number for the connection
     * \param atomic number of the atomic, in the order of posting, from 0
     * \param status SUCCESS; WR_FLUSH_ERR if the port of the atomic's lane has gone down; or the
     *        error of the lane
     * \param original value of the word before the operation, with SUCCESS
     */
    virtual void AtomicCompleted(uint64_t /*id*/,
                                 uint64_t /*atomic*/,
                                 RdmaWcStatus /*status*/,
                                 uint64_t /*original*/)
    {
    }
};

} // namespace ns3

#endif /* RDMA_HOST_CONNECTION_USER_H */
