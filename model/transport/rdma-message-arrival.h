/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_ARRIVAL_H
#define RDMA_MESSAGE_ARRIVAL_H

#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Arrival of a complete message: all packets up to its last one have been received.
 */
struct RdmaMessageArrival
{
    uint32_t qpn{0};   //!< QP number of the receiving queue pair
    uint64_t bytes{0}; //!< message length in bytes
    uint32_t msn{0};   //!< message sequence number (MSN) after the message, 24 bits
    QbbPs time{0};     //!< time at which the message was complete
};

} // namespace ns3

#endif /* RDMA_MESSAGE_ARRIVAL_H */
