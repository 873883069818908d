/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NETWORK_TIMES_H
#define RDMA_NETWORK_TIMES_H

#include "rdma-ps.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Times of a network, and the retransmission timeouts that follow from them.
 *
 * Mittal et al. ("Revisiting Network Support for RDMA", SIGCOMM 2018, section 4.1) set RTO_high to
 * the longest round trip with one congested link: the propagation delay of the longest path plus
 * the time that a packet waits behind a full switch buffer. Their RTO_low is 100 us.
 */
struct RdmaNetworkTimes
{
    /// Shortest timeout that is derived from a network: RTO_low of the IRN paper.
    static constexpr RdmaPs LEAST = 100_us;

    RdmaPs roundTrip{0}; //!< longest round trip of a full packet in the empty network
    RdmaPs queue{0};     //!< longest time that a port takes to send a full queue
    RdmaPs packet{0};    //!< time of a full packet on the slowest link
    /// Most that queues delay a packet beyond another one on another path between the same hosts; 0:
    /// packets of a queue pair keep their order
    RdmaPs spread{0};

    /**
     * \param packets packets per acknowledgement
     * \return timeout for any number of packets in flight (RTO_high): longer than the round trip
     *         through one full queue, and at least LEAST
     */
    RdmaPs GetTimeout(uint32_t packets = 1) const;

    /** \return timeout for few packets in flight (RTO_low): longer than the round trip, and at
     *          least LEAST */
    RdmaPs GetLowTimeout() const;

    /**
     * \param time a time
     * \return the shortest time above \p time that has two significant digits, as in 320 us for
     *         318.9 us: a margin of at most 10%
     */
    static RdmaPs RoundUp(RdmaPs time);
};

} // namespace ns3

#endif /* RDMA_NETWORK_TIMES_H */
