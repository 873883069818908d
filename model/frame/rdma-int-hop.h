/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INT_HOP_H
#define RDMA_INT_HOP_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * What a switch on the way has written into a packet (in-band network telemetry); the receiver
 * sends it back. Units and wraps are those of the packet's RdmaIntFormat (GetRdmaIntUnits()).
 */
struct RdmaIntHop
{
    QbbBitRate rate{0};     //!< rate of the port that the packet left by
    uint64_t txBytes{0};    //!< line bytes that the port has sent before
    uint64_t queueBytes{0}; //!< bytes behind it in the port's queue of its class
    QbbPs time{0};          //!< when its transmission began

    /** \param other another one \return true if both say the same */
    bool operator==(const RdmaIntHop& other) const
    {
        return rate == other.rate && txBytes == other.txBytes && queueBytes == other.queueBytes &&
               time == other.time;
    }
};

/**
 * \ingroup rdma
 * Most hops that a packet has room for.
 */
constexpr uint32_t RDMA_INT_MAX_HOPS = 16;

} // namespace ns3

#endif /* RDMA_INT_HOP_H */
