/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACER_H
#define RDMA_PACER_H

#include "rdma-congestion-control.h"
#include "rdma-send-times.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Enforces the decisions of a queue pair's congestion controller: packets leave one at a time and
 * no faster than its rate, and no more packets are in flight than its window. RdmaSendScheduler
 * asks MustWait() before each packet and looks again at GetWake().
 *
 * After a packet of b bytes at rate r the next packet may leave b x 8 / r later, even if the window
 * has room. The remainder of a division is carried over while the rate stays constant, so rounding
 * to picoseconds does not change the rate.
 *
 * A queue pair that has a packet to send may still have to wait for the port, because other queue
 * pairs send. With catchUp the time b x 8 / r counts from when the packet was allowed to leave, but
 * the next packet never becomes due before the packet leaves: waiting is made up for by at most one
 * packet. Queue pairs that share a port then keep their rates, as with the token buckets of rate
 * limiters in NICs, if the port can carry their sum and nobody has to wait for longer than the time
 * between two of its packets. Without catchUp the time counts from when the packet left, so each
 * wait lowers the rate, as in the simulator of HPCC's authors (RdmaHw::UpdateNextAvail()).
 *
 * A wait in which the port was paused is never made up for, so a pause does not end with a burst.
 * Neither is time in which a queue pair has nothing to send, or no room in its window
 * (ForgetWait()).
 *
 * GetNext() is the earliest instant of the next packet at the rate known so far. If the rate rises
 * while a packet waits, the remaining bits of the previous packet are paced at the new rate, so
 * that GetNext() comes earlier (ApplyHigherRate(), which MustWait() calls). GetWake() is therefore
 * not later than the next instant at which the rate may rise. A lower rate takes effect with the
 * next packet.
 */
class RdmaPacer
{
  public:
    /**
     * \param controller congestion controller of the queue pair
     * \param packetBytes bytes of a full packet on the line
     * \param minRate lower limit of the rate, 1 and above
     * \param needsRtt true if the controller needs round-trip times, so that send times are kept
     * \param intRoom telemetry records that each packet has room for
     * \param utilisationPeriod period N: one of N packets asks for the utilisation of its path; 0:
     *        none
     * \param catchUp true if waiting for the port is made up for
     */
    RdmaPacer(std::unique_ptr<RdmaRateController> controller,
              uint32_t packetBytes,
              RdmaBitRate minRate,
              bool needsRtt,
              RdmaIntRoom intRoom = {},
              uint32_t utilisationPeriod = 0,
              bool catchUp = true);

    /** \return time at which the next packet may leave, at the rate known so far */
    RdmaPs GetNext() const
    {
        return m_next;
    }

    /** Time up to the next packet is not made up for. */
    void ForgetWait()
    {
        m_waits = false;
    }

    /**
     * Shortens a wait in progress if the rate has risen since the wait began.
     *
     * \param now current time
     */
    void ApplyHigherRate(RdmaPs now)
    {
        if (m_next > now)
        {
            TakeRate(now);
        }
    }

    /** \param now current time \return true if the pace does not allow a packet yet */
    bool MustWait(RdmaPs now)
    {
        ApplyHigherRate(now);
        return m_next > now;
    }

    /**
     * \param now current time, at which ApplyHigherRate() was called
     * \return time to call ApplyHigherRate() again: when the next packet may leave, or when the
     *         rate may rise, whichever is earlier
     */
    RdmaPs GetWake(RdmaPs now) const
    {
        return std::min(m_next, std::max(m_controller->GetNextRise(), now + 1_ps));
    }

    /** \return false if the controller never limits the bytes in flight */
    bool MayHaveWindow() const
    {
        return m_hasWindow;
    }

    /** \return true if the controller limits the bytes in flight */
    bool HasWindow() const
    {
        return m_hasWindow && m_controller->GetWindowBytes() != RdmaRateController::NO_WINDOW;
    }

    /** \param inFlight packets in flight \return true if the window allows another packet */
    bool HasRoom(uint64_t inFlight) const
    {
        return inFlight == 0 || (inFlight + 1) * m_packetBytes <= m_controller->GetWindowBytes();
    }

    /** \return true if acknowledgements matter to the controller, free its window or are timed */
    bool UsesAcks() const
    {
        return m_usesAcks || m_timesPackets;
    }

    /**
     * A packet begins its transmission.
     *
     * \param packet number of the packet
     * \param again true for a retransmission
     * \param bytes of the packet on the line
     * \param now current time
     */
    void OnSent(uint64_t packet, bool again, uint32_t bytes, RdmaPs now)
    {
        if (m_timesPackets)
        {
            m_requestTimes.Keep(packet, again, now);
        }
        Pace(bytes, now);
    }

    /**
     * A READ response without acknowledgement (RoCE) begins its transmission. The pace applies to
     * it, the window does not.
     *
     * \param bytes of the response on the line
     * \param now current time
     */
    void OnResponseSent(uint32_t bytes, RdmaPs now);

    /**
     * A READ response with acknowledgement (IRN) begins its transmission. Responses and requests
     * are numbered separately.
     *
     * \param response number of the response
     * \param again true for a retransmission
     * \param bytes of the response on the line
     * \param now current time
     */
    void OnResponseSent(uint64_t response, bool again, uint32_t bytes, RdmaPs now);

    /** \return send times of the packets of OnSent(), empty if round-trip times are not wanted */
    RdmaSendTimes& GetRequestTimes()
    {
        return m_requestTimes;
    }

    /** \param ackedTo all responses below this number are acknowledged */
    void OnResponsesAcked(uint64_t ackedTo);

    /**
     * \param response number of a response that was sent
     * \param now arrival time of its acknowledgement
     * \return round-trip time of the response; -1 if not known, see RdmaSendTimes::GetRtt()
     */
    RdmaPs GetResponseRtt(int64_t response, RdmaPs now) const;

    /** Keeps the send times of packets even if the controller does not need round-trip times. */
    void TimePackets()
    {
        m_timesPackets = true;
    }

    /**
     * From now on, NoteRtt() returns the mean of round-trip times.
     *
     * \param gain weight of a new round-trip time, above 0 to 1; 1: each round-trip time as it is
     */
    void SmoothRtt(double gain)
    {
        m_rttGain = gain;
    }

    /**
     * Records the round-trip time of an acknowledged packet.
     *
     * \param rtt round-trip time from GetRtt()
     * \return round-trip time to pass to the controller: -1 if the controller does not need it
     */
    RdmaPs NoteRtt(RdmaPs rtt)
    {
        m_rtt = rtt >= 0_ps ? rtt : m_rtt;
        if (!m_needsRtt || m_rttGain == 1 || rtt < 0_ps)
        {
            return m_needsRtt ? rtt : RdmaSendTimes::UNKNOWN;
        }
        const auto sample = static_cast<double>(rtt);
        m_meanRtt = m_meanRtt > 0 ? m_meanRtt + m_rttGain * (sample - m_meanRtt) : sample;
        return RdmaPs(static_cast<int64_t>(m_meanRtt));
    }

    /** \return latest round-trip time; -1: none yet */
    RdmaPs GetLatestRtt() const
    {
        return m_rtt;
    }

    /** \param now current time \return rate at which packets are paced */
    RdmaBitRate GetRate(RdmaPs now)
    {
        return std::max(m_controller->GetRate(now), m_minRate);
    }

    /** \return bytes of a full packet on the line */
    uint32_t GetPacketBytes() const
    {
        return m_packetBytes;
    }

    /** \return telemetry records that each packet has room for */
    RdmaIntRoom GetIntRoom() const
    {
        return m_intRoom;
    }

    /**
     * Called once for each packet. \return true if the packet asks for the utilisation of its path
     */
    bool WantsUtilisation()
    {
        if (m_utilisationPeriod == 0 || --m_untilAsked > 0)
        {
            return false;
        }
        m_untilAsked = m_utilisationPeriod;
        return true;
    }

    /** \return congestion controller of the queue pair */
    RdmaRateController& GetController()
    {
        return *m_controller;
    }

  private:
    void TakeRate(RdmaPs now);
    void Pace(uint32_t bytes, RdmaPs now);

    std::unique_ptr<RdmaRateController> m_controller; //!< congestion controller of the queue pair
    RdmaPs m_next{0};                                 //!< time at which the next packet may leave
    RdmaBitRate m_rate{0};                            //!< rate of the current wait
    uint64_t m_remainder{0};              //!< remainder of the last division, below the rate
    RdmaBitRate m_minRate;                //!< lower limit of the rate
    uint32_t m_packetBytes;               //!< bytes of a full packet on the line
    RdmaIntRoom m_intRoom;                //!< telemetry records that each packet has room for
    bool m_hasWindow;                     //!< the controller may limit the bytes in flight
    bool m_usesAcks;                      //!< acknowledgements matter to the controller
    bool m_needsRtt;                      //!< the controller needs round-trip times
    bool m_timesPackets;                  //!< send times are kept
    bool m_catchUp;                       //!< waiting for the port is made up for
    bool m_waits{false};                  //!< no ForgetWait() since the last packet
    RdmaPs m_rtt{RdmaSendTimes::UNKNOWN}; //!< latest round-trip time
    uint32_t m_utilisationPeriod;         //!< N: one of N packets asks for the utilisation; 0: none
    uint32_t m_untilAsked{1};             //!< packets until one asks for the utilisation
    double m_rttGain{1};                  //!< weight of a round-trip time in m_meanRtt; 1: no mean
    double m_meanRtt{0};                  //!< mean round-trip time in picoseconds; 0: none yet
    RdmaSendTimes m_requestTimes;         //!< send times of requests
    /// Send times of responses; created on first use
    std::unique_ptr<RdmaSendTimes> m_responseTimes;
};

} // namespace ns3

#endif /* RDMA_PACER_H */
