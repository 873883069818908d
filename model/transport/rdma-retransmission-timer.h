/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RETRANSMISSION_TIMER_H
#define RDMA_RETRANSMISSION_TIMER_H

#include "qbb-ps.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * How long a sender waits for an acknowledgement.
 */
struct RdmaTimeouts
{
    QbbPs low{0};           //!< with few packets in flight
    QbbPs high{0};          //!< with more than that; 0 turns the timer off
    uint32_t lowPackets{0}; //!< few: at most this many
    bool dynamic{false};    //!< computed from round trips; high is but the first value
    QbbPs min{0};           //!< dynamic: at least this
    QbbPs max{0};           //!< not dynamic, low = high: each in a row doubles it up to this
};

/**
 * \ingroup rdma
 * The retransmission timeout computed from round-trip times (RFC 6298, section 2), in whole
 * picoseconds.
 */
class RdmaRttEstimator
{
  public:
    static constexpr QbbPs LONGEST = 60_s; //!< RFC 6298 (2.5)

    /** \param initial the timeout before the first round trip \param min the least */
    RdmaRttEstimator(QbbPs initial, QbbPs min);

    /** \param rtt a round-trip time */
    void Sample(QbbPs rtt);

    /** \return the timeout, not backed off */
    QbbPs GetTimeout() const
    {
        return m_timeout;
    }

  private:
    QbbPs m_min;       //!< the least timeout
    QbbPs m_timeout;   //!< RTO
    QbbPs m_srtt{0};   //!< smoothed round-trip time; 0: none yet
    QbbPs m_rttVar{0}; //!< its variation
};

/**
 * \ingroup rdma
 * The retransmission timer of a sender: pure numbers, the owner looks at GetDeadline().
 *
 * It runs from the first packet that goes out, or from the last progress. With two timeouts it
 * runs out at the low one if few packets are in flight then, and else goes on to the high one,
 * counted from the same start. Source: Mittal et al., "Revisiting Network Support for RDMA"
 * (IRN), sections 3.1 and 6.
 *
 * The dynamic one times one packet at a time, not one that was sent again (Karn), until it is
 * acknowledged in whatever way, and doubles with each timeout until a round trip is measured again
 * (RFC 6298, sections 3 and 5).
 */
class RdmaRetransmissionTimer
{
  public:
    static constexpr QbbPs NEVER = QBB_NEVER; //!< no deadline

    /** \param timeouts how long to wait */
    explicit RdmaRetransmissionTimer(const RdmaTimeouts& timeouts);

    /** \return the deadline, or NEVER */
    QbbPs GetDeadline() const
    {
        return m_deadline;
    }

    /** \param now it runs from this instant, if it is not off */
    void Restart(QbbPs now);

    /** It does not run. */
    void Stop();

    /** Something other than a timeout is waited for. \param deadline until when */
    void WaitUntil(QbbPs deadline);

    /**
     * The deadline has come.
     *
     * \param inFlight packets in flight, at least one
     * \return true if it has run out, and stopped; false if it goes on to the high timeout
     */
    bool Expire(uint64_t inFlight);

    /**
     * A packet goes out. The timer starts if it does not run.
     *
     * \param packet its number
     * \param again it was sent before
     * \param now the instant
     */
    void PacketSent(uint64_t packet, bool again, QbbPs now);

    /** Cumulative progress. \param acked packets acknowledged \param now the instant */
    void PacketsAcked(uint64_t acked, QbbPs now);

    /** \param packet acknowledged selectively \param now the instant */
    void PacketSacked(uint64_t packet, QbbPs now);

  private:
    /** What the dynamic timeout needs. */
    struct RoundTrips
    {
        RdmaRttEstimator estimator; //!< the computation
        bool timing{false};         //!< a packet is timed
        uint64_t packet{0};         //!< which
        QbbPs sent{0};              //!< when it went out
    };

    bool HasTwoStages() const;
    QbbPs GetTimeout() const;
    void Measured(QbbPs now);

    RdmaTimeouts m_timeouts;                  //!< how long to wait
    std::unique_ptr<RoundTrips> m_roundTrips; //!< only if dynamic
    QbbPs m_start{0};                         //!< runs from here
    QbbPs m_deadline{NEVER};                  //!< and until here
    uint32_t m_doublings{0};                  //!< timeouts that count for doubling
};

} // namespace ns3

#endif /* RDMA_RETRANSMISSION_TIMER_H */
