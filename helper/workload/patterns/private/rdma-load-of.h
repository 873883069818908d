/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LOAD_OF_H
#define RDMA_LOAD_OF_H

#include "rdma-flow-size-cdf.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * The bytes that a load counts.
 */
struct RdmaLoadOf
{
    /** Kinds of load. ns-3 before 3.41 takes only unscoped enumerations as attributes. */
    enum Kind
    {
        PAYLOAD,   //!< payload of the messages
        WIRE,      //!< packets as they occupy the line, with headers, padding, preamble and gap
        WIRE_ACKS, //!< as WIRE, plus one acknowledgement for each packet
    };
};

/**
 * \ingroup rdma-workload
 * Computes the mean bytes that a flow contributes to a load, exact but for rounding to a double.
 *
 * Packets have the frames of a RoCEv2 RDMA WRITE without VLAN tag and telemetry, whatever the
 * transport of a run, so that runs with different transports get the same flows.
 *
 * \param cdf distribution of the flow sizes
 * \param loadOf the bytes that the load counts
 * \param mtu payload of a full packet in bytes, 1 or more
 * \return mean number of bytes of a flow
 */
double GetRdmaMeanLoadBytes(const RdmaFlowSizeCdf& cdf, RdmaLoadOf::Kind loadOf, uint32_t mtu);

} // namespace ns3

#endif /* RDMA_LOAD_OF_H */
