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
 * Addressing of a queue pair's packets (ibv_ah_attr): header fields, and the UDP source port, which
 * is the entropy of their path.
 */
struct RdmaAddressHandle
{
    uint8_t dscp{26};       //!< DSCP of data and acknowledgements
    uint8_t ttl{64};        //!< IPv4 time to live
    uint16_t sourcePort{0}; //!< UDP source port; 0: derived from both QPNs
    /// Derive the source port as rdma-core does: equal in both directions
    bool symmetricPort{false};
    bool ecnCapable{true};     //!< data packets carry ECT(0)
    Ipv4Address localAddress;  //!< IPv4 address of the local port
    Ipv4Address remoteAddress; //!< IPv4 address of the peer
    uint32_t localQpn{0};      //!< local queue pair number
    uint32_t remoteQpn{0};     //!< queue pair number of the peer

    /** \return the UDP source port of the packets */
    uint16_t GetSourcePort() const;

    /**
     * \param port the port that packets leave by; its tables map the DSCP to a class and a VLAN tag
     * \return the header fields that all frames of the queue pair share
     */
    QbbFrameHeaders MakeHeaders(QbbPort& port) const;
};

} // namespace ns3

#endif /* RDMA_ADDRESS_HANDLE_H */
