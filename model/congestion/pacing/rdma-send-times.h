/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEND_TIMES_H
#define RDMA_SEND_TIMES_H

#include "rdma-ps.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Send times of the packets in flight, for measuring round-trip times.
 */
class RdmaSendTimes
{
  public:
    static constexpr RdmaPs UNKNOWN{-1}; //!< stands for a time that is not known
    /// Number that stands for no packet; GetRtt() returns UNKNOWN for this number
    static constexpr int64_t NO_PACKET = -1;

    /**
     * Stores the send time of a packet.
     *
     * \param packet number of the packet
     * \param again true for a retransmission, whose acknowledgement may belong to either
     *        transmission
     * \param now time at which the packet is sent
     */
    void Keep(uint64_t packet, bool again, RdmaPs now);

    /** \param ackedTo all packets below this number are acknowledged */
    void OnAcked(uint64_t ackedTo)
    {
        m_oldest = ackedTo;
    }

    /**
     * \param packet number of a packet that was sent
     * \param now arrival time of its acknowledgement
     * \return round-trip time of the packet; UNKNOWN if its send time was not kept, or if it was
     *         retransmitted. Send times of the latest packets are kept, at most 65536
     */
    RdmaPs GetRtt(int64_t packet, RdmaPs now) const;

  private:
    static constexpr std::size_t MAX_TIMES = 65'536; //!< largest number of send times kept

    /** Send time of a packet. */
    struct SendTime
    {
        uint64_t packet{0};   //!< number of the packet
        RdmaPs sent{UNKNOWN}; //!< send time; UNKNOWN if retransmitted
    };

    /// Send times by packet number modulo the size, a power of two; empty until first used
    std::vector<SendTime> m_times;
    uint64_t m_oldest{0}; //!< all packets below this number are acknowledged
};

} // namespace ns3

#endif /* RDMA_SEND_TIMES_H */
