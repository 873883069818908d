/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RETRANSMISSION_TIMER_H
#define RDMA_RETRANSMISSION_TIMER_H

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
    int64_t lowPs{0};       //!< with few packets in flight
    int64_t highPs{0};      //!< with more than that; 0 turns the timer off
    uint32_t lowPackets{0}; //!< few: at most this many
    bool dynamic{false};    //!< computed from round trips; highPs is but the first value
    int64_t minPs{0};       //!< dynamic: at least this
    int64_t maxPs{0};       //!< not dynamic, low = high: each in a row doubles it up to this
};

/**
 * \ingroup rdma
 * The retransmission timeout computed from round-trip times (RFC 6298, section 2), in whole
 * picoseconds.
 */
class RdmaRttEstimator
{
  public:
    static constexpr int64_t MAX_PS = 60'000'000'000'000; //!< 60 s, RFC 6298 (2.5)

    /** \param initialPs the timeout before the first round trip \param minPs the least */
    RdmaRttEstimator(int64_t initialPs, int64_t minPs);

    /** \param rttPs a round-trip time */
    void Sample(int64_t rttPs);

    /** \return the timeout, not backed off */
    int64_t GetTimeoutPs() const
    {
        return m_timeoutPs;
    }

  private:
    int64_t m_minPs;       //!< the least timeout
    int64_t m_timeoutPs;   //!< RTO
    int64_t m_srttPs{0};   //!< smoothed round-trip time; 0: none yet
    int64_t m_rttVarPs{0}; //!< its variation
};

/**
 * \ingroup rdma
 * The retransmission timer of a sender: pure numbers, the owner looks at GetDeadlinePs().
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
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max(); //!< no deadline

    /** \param timeouts how long to wait */
    explicit RdmaRetransmissionTimer(const RdmaTimeouts& timeouts);

    /** \return the deadline, or NEVER */
    int64_t GetDeadlinePs() const
    {
        return m_deadlinePs;
    }

    /** \param nowPs it runs from this instant, if it is not off */
    void Restart(int64_t nowPs);

    /** It does not run. */
    void Stop();

    /** Something other than a timeout is waited for. \param deadlinePs until when */
    void WaitUntil(int64_t deadlinePs);

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
     * \param nowPs the instant
     */
    void PacketSent(uint64_t packet, bool again, int64_t nowPs);

    /** Cumulative progress. \param acked packets acknowledged \param nowPs the instant */
    void PacketsAcked(uint64_t acked, int64_t nowPs);

    /** \param packet acknowledged selectively \param nowPs the instant */
    void PacketSacked(uint64_t packet, int64_t nowPs);

  private:
    /** What the dynamic timeout needs. */
    struct RoundTrips
    {
        RdmaRttEstimator estimator; //!< the computation
        bool timing{false};         //!< a packet is timed
        uint64_t packet{0};         //!< which
        int64_t sentPs{0};          //!< when it went out
    };

    bool HasTwoStages() const;
    int64_t GetTimeoutPs() const;
    void Measured(int64_t nowPs);

    RdmaTimeouts m_timeouts;                  //!< how long to wait
    std::unique_ptr<RoundTrips> m_roundTrips; //!< only if dynamic
    int64_t m_startPs{0};                     //!< runs from here
    int64_t m_deadlinePs{NEVER};              //!< and until here
    uint32_t m_doublings{0};                  //!< timeouts that count for doubling
};

} // namespace ns3

#endif /* RDMA_RETRANSMISSION_TIMER_H */
