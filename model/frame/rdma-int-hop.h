/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INT_HOP_H
#define RDMA_INT_HOP_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Record that a switch on the path writes into a packet (in-band network telemetry). The receiver
 * echoes the records to the sender. Fields are rounded to the units and reduced by the moduli of
 * the packet's RdmaIntFormat (GetRdmaIntUnits()).
 */
struct RdmaIntHop
{
    RdmaBitRate rate{0};    //!< rate of the port by which the packet left the switch
    uint64_t txBytes{0};    //!< line bytes that the port sent before the packet
    uint64_t queueBytes{0}; //!< bytes behind the packet in the egress queue of its class
    RdmaPs time{0};         //!< instant at which the transmission of the packet began

    /** \param other another record \return true if all fields are equal */
    bool operator==(const RdmaIntHop& other) const
    {
        return rate == other.rate && txBytes == other.txBytes && queueBytes == other.queueBytes &&
               time == other.time;
    }
};

/**
 * \ingroup rdma
 * Maximum number of telemetry records (hops) in a packet.
 */
constexpr uint32_t RDMA_INT_MAX_HOPS = 16;

} // namespace ns3

#endif /* RDMA_INT_HOP_H */
