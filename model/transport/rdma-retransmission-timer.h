/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RETRANSMISSION_TIMER_H
#define RDMA_RETRANSMISSION_TIMER_H

#include "rdma-ps.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Timeouts of a sender's retransmission timer.
 */
struct RdmaTimeouts
{
    RdmaPs low{0};          //!< timeout with at most lowPackets packets in flight
    RdmaPs high{0};         //!< timeout with more packets in flight; 0 turns the timer off
    uint32_t lowPackets{0}; //!< most packets in flight for the low timeout
    bool dynamic{false};    //!< computed from round-trip times; `high` is the initial value
    RdmaPs min{0};          //!< minimum of the dynamic timeout
    RdmaPs max{0}; //!< upper bound of doubling if not dynamic and low = high; 0: no doubling
};

/**
 * \ingroup rdma
 * Retransmission timeout computed from round-trip times (RFC 6298, section 2), in whole
 * picoseconds.
 *
 * The estimator times one packet at a time, until the packet is acknowledged cumulatively or
 * selectively, and never a retransmitted packet (Karn's algorithm).
 */
class RdmaRttEstimator
{
  public:
    static constexpr RdmaPs LONGEST = 60_s; //!< upper bound of the timeout, RFC 6298 (2.5)

    /** \param initial timeout before the first sample \param min least timeout from then on */
    RdmaRttEstimator(RdmaPs initial, RdmaPs min);

    /** Adds a round-trip sample. \param rtt measured round-trip time */
    void Sample(RdmaPs rtt);

    /**
     * A packet is sent. The packet is timed if no other packet is.
     *
     * \param packet packet number
     * \param again true for a retransmission
     * \param now current time
     */
    void PacketSent(uint64_t packet, bool again, RdmaPs now);

    /**
     * Packets are acknowledged. The timed packet gives a sample if it is among them.
     *
     * \param first number of the first packet
     * \param end number behind the last packet
     * \param now current time
     * \return true if there is a sample
     */
    bool PacketsAcked(uint64_t first, uint64_t end, RdmaPs now);

    /** The packet that is being timed gives no sample. */
    void StopTiming()
    {
        m_timing = false;
    }

    /** \return the timeout before exponential back-off */
    RdmaPs GetTimeout() const
    {
        return m_timeout;
    }

  private:
    RdmaPs m_min;       //!< minimum timeout
    RdmaPs m_timeout;   //!< current timeout (RTO)
    RdmaPs m_srtt{0};   //!< smoothed round-trip time; 0: no sample yet
    RdmaPs m_rttVar{0}; //!< variation of the round-trip time

    bool m_timing{false}; //!< a packet is being timed
    uint64_t m_packet{0}; //!< number of the packet being timed
    RdmaPs m_sent{0};     //!< transmission time of the packet being timed
};

/**
 * \ingroup rdma
 * The retransmission timer of a sender. The timer schedules no events: its owner polls
 * GetDeadline().
 *
 * The timer starts with the first packet sent and restarts on progress. With two timeouts, the
 * timer expires at the low timeout if at most lowPackets packets are in flight by then; otherwise
 * it continues to the high timeout, counted from the same start. Source: Mittal et al., "Revisiting
 * Network Support for RDMA" (IRN), sections 3.1 and 6.
 *
 * The dynamic timeout is that of an RdmaRttEstimator. Each timeout doubles the dynamic timeout
 * until a round trip is measured again (RFC 6298, sections 3 and 5).
 */
class RdmaRetransmissionTimer
{
  public:
    static constexpr RdmaPs NEVER =
        RDMA_NEVER; //!< value of the deadline while the timer is stopped

    /** \param timeouts low, high and dynamic timeouts */
    explicit RdmaRetransmissionTimer(const RdmaTimeouts& timeouts);

    /** \return the deadline, or NEVER */
    RdmaPs GetDeadline() const
    {
        return m_deadline;
    }

    /** Restarts the timer unless it is turned off. \param now start time */
    void Restart(RdmaPs now);

    /** Stops the timer. */
    void Stop();

    /** Uses the timer for another wait (RNR NAK). \param deadline end of the wait */
    void WaitUntil(RdmaPs deadline);

    /**
     * Handles the deadline.
     *
     * \param inFlight packets in flight, at least one
     * \return true if the timer has expired and stopped; false if the high timeout follows
     */
    bool Expire(uint64_t inFlight);

    /**
     * Records a packet sent, and starts the timer if it is stopped.
     *
     * \param packet packet number
     * \param again true for a retransmission
     * \param now current time
     */
    void PacketSent(uint64_t packet, bool again, RdmaPs now);

    /** Records cumulative progress. \param acked packets acknowledged \param now current time */
    void PacketsAcked(uint64_t acked, RdmaPs now);

    /** \param packet number of a selectively acknowledged packet \param now current time */
    void PacketSacked(uint64_t packet, RdmaPs now);

  private:
    bool HasTwoStages() const;
    RdmaPs GetTimeout() const;

    RdmaTimeouts m_timeouts;                       //!< low, high and dynamic timeouts
    std::unique_ptr<RdmaRttEstimator> m_estimator; //!< computes the dynamic timeout, else null
    RdmaPs m_start{0};                             //!< start of the running timeout
    RdmaPs m_deadline{NEVER};                      //!< deadline, or NEVER
    uint32_t m_doublings{0};                       //!< timeouts in a row, which double the timeout
};

} // namespace ns3

#endif /* RDMA_RETRANSMISSION_TIMER_H */
