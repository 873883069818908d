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
     * \param minRateBps no packet waits longer than at this rate, 1 and above
     * \param needsRtt true: it wants round-trip times, so keep when packets were sent
     * \param intRoom telemetry records that each packet has room for
     * \param utilisationPeriod one of so many packets asks for the utilisation of its path; 0: none
     */
    RdmaPacer(std::unique_ptr<RdmaRateController> controller,
              uint32_t packetBytes,
              uint64_t minRateBps,
              bool needsRtt,
              RdmaIntRoom intRoom = {},
              uint32_t utilisationPeriod = 0);

    /** \return when the next packet may leave */
    int64_t GetNextPs() const
    {
        return m_nextPs;
    }

    /**
     * Shortens a wait that has begun if the rate is higher now than it was then.
     *
     * \param nowPs the instant
     */
    void Hasten(int64_t nowPs)
    {
        if (m_nextPs > nowPs)
        {
            TakeRate(nowPs);
        }
    }

    /** \param nowPs the instant \return true if the pace does not allow a packet yet */
    bool MustWait(int64_t nowPs)
    {
        Hasten(nowPs);
        return m_nextPs > nowPs;
    }

    /**
     * \param nowPs the instant, at which Hasten() was called
     * \return when to call it again: when the next packet may leave, or the rate may rise before
     */
    int64_t GetWakePs(int64_t nowPs) const
    {
        return std::min(m_nextPs, std::max(m_controller->GetNextRisePs(), nowPs + 1));
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
     * \param nowPs the instant
     */
    void OnSent(uint64_t packet, bool again, uint32_t bytes, int64_t nowPs);

    /**
     * A READ response that nobody acknowledges (RoCE). It keeps the pace, and the window knows
     * nothing of it.
     *
     * \param bytes on the line
     * \param nowPs the instant
     */
    void OnResponseSent(uint32_t bytes, int64_t nowPs);

    /**
     * A READ response that is acknowledged (IRN). Responses are numbered apart from requests.
     *
     * \param response its number
     * \param again it has been sent before
     * \param bytes on the line
     * \param nowPs the instant
     */
    void OnResponseSent(uint64_t response, bool again, uint32_t bytes, int64_t nowPs);

    /** \param ackedTo all packets below this number are acknowledged */
    void OnAcked(uint64_t ackedTo)
    {
        m_requestTimes.OnAcked(ackedTo);
    }

    /** \param ackedTo all responses below this number are acknowledged */
    void OnResponsesAcked(uint64_t ackedTo);

    /**
     * \param packet a packet that was sent
     * \param nowPs when its acknowledgement came
     * \return its round-trip time; -1 if it is not known: RdmaSendTimes::GetRttPs()
     */
    int64_t GetRttPs(int64_t packet, int64_t nowPs) const
    {
        return m_requestTimes.GetRttPs(packet, nowPs);
    }

    /**
     * \param response a response that was sent
     * \param nowPs when its acknowledgement came
     * \return as GetRttPs()
     */
    int64_t GetResponseRttPs(int64_t response, int64_t nowPs) const;

    /** Keeps when packets are sent from now on, although the controller does not ask for that. */
    void TimePackets()
    {
        m_timesPackets = true;
    }

    /**
     * A packet is acknowledged.
     *
     * \param rttPs GetRttPs() of it
     * \return what the controller is told of that: nothing, -1, if it does not ask for it
     */
    int64_t NoteRtt(int64_t rttPs)
    {
        m_rttPs = rttPs >= 0 ? rttPs : m_rttPs;
        return m_needsRtt ? rttPs : RdmaSendTimes::UNKNOWN;
    }

    /** \return the latest round-trip time; -1: none yet */
    int64_t GetLatestRttPs() const
    {
        return m_rttPs;
    }

    /** \param nowPs the instant \return the rate that packets are held to, in bit/s */
    uint64_t GetRateBps(int64_t nowPs)
    {
        return std::max(m_controller->GetRateBps(nowPs), m_minRateBps);
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
    void TakeRate(int64_t nowPs);
    void Pace(uint32_t bytes, int64_t nowPs);

    std::unique_ptr<RdmaRateController> m_controller; //!< decides
    int64_t m_nextPs{0};                              //!< when the next packet may leave
    uint64_t m_rateBps{0};                            //!< rate of the present wait
    uint64_t m_remainder{0};                          //!< of the last division, below the rate
    uint64_t m_minRateBps;                            //!< floor
    uint32_t m_packetBytes;                           //!< a full packet on the line
    RdmaIntRoom m_intRoom;                            //!< telemetry records of a packet
    bool m_needsRtt;                                  //!< the controller wants round trips
    bool m_timesPackets;                              //!< keep send times
    int64_t m_rttPs{RdmaSendTimes::UNKNOWN};          //!< the latest round trip
    uint32_t m_utilisationPeriod;                     //!< one of so many packets asks; 0: none
    uint32_t m_untilAsked{1};                         //!< packets until the next one that does
    RdmaSendTimes m_requestTimes;                     //!< of requests
    std::unique_ptr<RdmaSendTimes> m_responseTimes;   //!< of responses; made with the first
};

} // namespace ns3

#endif /* RDMA_PACER_H */
