/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEND_TIMES_H
#define RDMA_SEND_TIMES_H

#include "qbb-ps.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * When the packets of a stream that are under way were sent, for their round-trip times.
 */
class RdmaSendTimes
{
  public:
    static constexpr QbbPs UNKNOWN{-1};      //!< no time
    static constexpr int64_t NO_PACKET = -1; //!< no packet: its time is UNKNOWN

    /**
     * Notes when a packet is sent.
     *
     * \param packet its number
     * \param again it has been sent before: an acknowledgement may be of either time
     * \param now the instant
     */
    void Keep(uint64_t packet, bool again, QbbPs now);

    /** \param ackedTo all packets below this number are acknowledged */
    void OnAcked(uint64_t ackedTo)
    {
        m_oldest = ackedTo;
    }

    /**
     * \param packet a packet that was sent
     * \param now when its acknowledgement came
     * \return its round-trip time; UNKNOWN if it was not kept, or sent more than once. The times of
     *         the latest packets are kept, up to 65536
     */
    QbbPs GetRtt(int64_t packet, QbbPs now) const;

  private:
    static constexpr std::size_t MAX_TIMES = 65'536; //!< send times kept, at most

    /** When a packet was sent. */
    struct SendTime
    {
        uint64_t packet{0};  //!< its number
        QbbPs sent{UNKNOWN}; //!< when, or UNKNOWN if more than once
    };

    std::vector<SendTime> m_times; //!< by number, modulo a power of two; empty until first used
    uint64_t m_oldest{0};          //!< packets below this are acknowledged
};

} // namespace ns3

#endif /* RDMA_SEND_TIMES_H */
