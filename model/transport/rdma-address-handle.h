/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ADDRESS_HANDLE_H
#define RDMA_ADDRESS_HANDLE_H

#include "qbb-frame.h"

#include <ns3/ipv4-address.h>

#include <cstdint>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * How the packets of a queue pair are addressed (ibv_ah_attr): what they say of themselves, and the
 * entropy of their path.
 */
struct RdmaAddressHandle
{
    uint8_t dscp{26};          //!< DSCP of data and acknowledgements
    uint8_t ttl{64};           //!< time to live
    uint16_t sourcePort{0};    //!< UDP source port; 0: GetSourcePort() makes one
    bool symmetricPort{false}; //!< the port is rdma-core's, the same in both directions
    bool ecnCapable{true};     //!< data packets carry ECT(0)
    Ipv4Address localAddress;  //!< this side's address
    Ipv4Address remoteAddress; //!< the peer's address
    uint32_t localQpn{0};      //!< this side's queue pair number
    uint32_t remoteQpn{0};     //!< the peer's queue pair number

    /** \return the UDP source port */
    uint16_t GetSourcePort() const;

    /**
     * \param port the port that packets leave by, whose tables decide class and tag
     * \return the headers that all frames have in common
     */
    QbbFrameHeaders MakeHeaders(QbbPort& port) const;
};

} // namespace ns3

#endif /* RDMA_ADDRESS_HANDLE_H */
