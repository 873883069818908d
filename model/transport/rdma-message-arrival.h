/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_ARRIVAL_H
#define RDMA_MESSAGE_ARRIVAL_H

#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A message that has come in completely, in order.
 */
struct RdmaMessageArrival
{
    uint32_t qpn{0};   //!< the local QP
    uint64_t bytes{0}; //!< length of the message
    uint32_t msn{0};   //!< message sequence number after it, 24 bits
    QbbPs time{0};     //!< arrival of its last byte
};

} // namespace ns3

#endif /* RDMA_MESSAGE_ARRIVAL_H */
