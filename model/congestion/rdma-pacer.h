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
 * Holds a queue pair to what its congestion controller allows: packets leave no faster than its
 * rate, one at a time, and no more of them are in flight than its window.
 *
 * After a packet of b bytes at rate r the next one may leave b x 8 / r later, whatever the window
 * says; time that was not used is not made up for, so there is never a burst. What a division
 * leaves over is carried on as long as the rate stays the same, so that rounding to picoseconds
 * does not change the rate.
 *
 * If the rate rises while a packet waits, the bits that are left of the one before are paced at the
 * new rate (Hasten()). A rate that falls counts from the next packet on.
 */
class RdmaPacer
{
  public:
    /**
     * \param controller decides
     * \param packetBytes a full packet on the line
     * \param minRate no packet waits longer than at this rate, 1 and above
     * \param needsRtt true: it wants round-trip times, so keep when packets were sent
     * \param intRoom telemetry records that each packet has room for
     * \param utilisationPeriod one of so many packets asks for the utilisation of its path; 0: none
     */
    RdmaPacer(std::unique_ptr<RdmaRateController> controller,
              uint32_t packetBytes,
              QbbBitRate minRate,
              bool needsRtt,
              RdmaIntRoom intRoom = {},
              uint32_t utilisationPeriod = 0);

    /** \return when the next packet may leave */
    QbbPs GetNext() const
    {
        return m_next;
    }

    /**
     * Shortens a wait that has begun if the rate is higher now than it was then.
     *
     * \param now the instant
     */
    void Hasten(QbbPs now)
    {
        if (m_next > now)
        {
            TakeRate(now);
        }
    }

    /** \param now the instant \return true if the pace does not allow a packet yet */
    bool MustWait(QbbPs now)
    {
        Hasten(now);
        return m_next > now;
    }

    /**
     * \param now the instant, at which Hasten() was called
     * \return when to call it again: when the next packet may leave, or the rate may rise before
     */
    QbbPs GetWake(QbbPs now) const
    {
        return std::min(m_next, std::max(m_controller->GetNextRise(), now + 1_ps));
    }

    /** \param inFlight packets in flight \return true if the window has room for another one */
    bool HasRoom(uint64_t inFlight) const
    {
        return inFlight == 0 || (inFlight + 1) * m_packetBytes <= m_controller->GetWindowBytes();
    }

    /**
     * A packet begins its transmission.
     *
     * \param packet its number
     * \param again it has been sent before
     * \param bytes on the line
     * \param now the instant
     */
    void OnSent(uint64_t packet, bool again, uint32_t bytes, QbbPs now);

    /**
     * A READ response that nobody acknowledges (RoCE). It keeps the pace, and the window knows
     * nothing of it.
     *
     * \param bytes on the line
     * \param now the instant
     */
    void OnResponseSent(uint32_t bytes, QbbPs now);

    /**
     * A READ response that is acknowledged (IRN). Responses are numbered apart from requests.
     *
     * \param response its number
     * \param again it has been sent before
     * \param bytes on the line
     * \param now the instant
     */
    void OnResponseSent(uint64_t response, bool again, uint32_t bytes, QbbPs now);

    /** \param ackedTo all packets below this number are acknowledged */
    void OnAcked(uint64_t ackedTo)
    {
        m_requestTimes.OnAcked(ackedTo);
    }

    /** \param ackedTo all responses below this number are acknowledged */
    void OnResponsesAcked(uint64_t ackedTo);

    /**
     * \param packet a packet that was sent
     * \param now when its acknowledgement came
     * \return its round-trip time; -1 if it is not known: RdmaSendTimes::GetRtt()
     */
    QbbPs GetRtt(int64_t packet, QbbPs now) const
    {
        return m_requestTimes.GetRtt(packet, now);
    }

    /**
     * \param response a response that was sent
     * \param now when its acknowledgement came
     * \return as GetRtt()
     */
    QbbPs GetResponseRtt(int64_t response, QbbPs now) const;

    /** Keeps when packets are sent from now on, although the controller does not ask for that. */
    void TimePackets()
    {
        m_timesPackets = true;
    }

    /**
     * A packet is acknowledged.
     *
     * \param rtt GetRtt() of it
     * \return what the controller is told of that: nothing, -1, if it does not ask for it
     */
    QbbPs NoteRtt(QbbPs rtt)
    {
        m_rtt = rtt >= 0_ps ? rtt : m_rtt;
        return m_needsRtt ? rtt : RdmaSendTimes::UNKNOWN;
    }

    /** \return the latest round-trip time; -1: none yet */
    QbbPs GetLatestRtt() const
    {
        return m_rtt;
    }

    /** \param now the instant \return the rate that packets are held to */
    QbbBitRate GetRate(QbbPs now)
    {
        return std::max(m_controller->GetRate(now), m_minRate);
    }

    /** \return a full packet on the line, in bytes */
    uint32_t GetPacketBytes() const
    {
        return m_packetBytes;
    }

    /** \return telemetry records that each packet has room for */
    RdmaIntRoom GetIntRoom() const
    {
        return m_intRoom;
    }

    /** \return true if the packet that goes out now asks for the utilisation of its path */
    bool AsksUtilisation()
    {
        if (m_utilisationPeriod == 0 || --m_untilAsked > 0)
        {
            return false;
        }
        m_untilAsked = m_utilisationPeriod;
        return true;
    }

    /** \return the controller */
    RdmaRateController& GetController()
    {
        return *m_controller;
    }

  private:
    void TakeRate(QbbPs now);
    void Pace(uint32_t bytes, QbbPs now);

    std::unique_ptr<RdmaRateController> m_controller; //!< decides
    QbbPs m_next{0};                                  //!< when the next packet may leave
    QbbBitRate m_rate{0};                             //!< rate of the present wait
    uint64_t m_remainder{0};                          //!< of the last division, below the rate
    QbbBitRate m_minRate;                             //!< floor
    uint32_t m_packetBytes;                           //!< a full packet on the line
    RdmaIntRoom m_intRoom;                            //!< telemetry records of a packet
    bool m_needsRtt;                                  //!< the controller wants round trips
    bool m_timesPackets;                              //!< keep send times
    QbbPs m_rtt{RdmaSendTimes::UNKNOWN};              //!< the latest round trip
    uint32_t m_utilisationPeriod;                     //!< one of so many packets asks; 0: none
    uint32_t m_untilAsked{1};                         //!< packets until the next one that does
    RdmaSendTimes m_requestTimes;                     //!< of requests
    std::unique_ptr<RdmaSendTimes> m_responseTimes;   //!< of responses; made with the first
};

} // namespace ns3

#endif /* RDMA_PACER_H */
