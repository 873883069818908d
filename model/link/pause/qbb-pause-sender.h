/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PAUSE_SENDER_H
#define QBB_PAUSE_SENDER_H

#include "rdma-line-rate.h"
#include "rdma-time.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Sender half of PFC: the pauses that the peer knows of, the contents of the next pause frame, and
 * the time of the next refresh. A refresh keeps a pause from expiring while it is still needed.
 *
 * QbbPauseSender handles numbers and times, never frames.
 */
class QbbPauseSender
{
  public:
    /**
     * \param rate line rate of the port, which determines the length of a quantum
     * \param quanta pause time to send, 1..65535 quanta of 512 bit times
     * \param refreshFraction fraction of its length after which a pause is refreshed; above 0,
     *        below 1
     */
    void Configure(const RdmaLineRate& rate, uint16_t quanta, double refreshFraction);

    /**
     * Requests that the peer pause or resume a class.
     *
     * \param priority class 0..7
     * \param pause true to pause, false to resume
     */
    void Request(uint8_t priority, bool pause);

    /**
     * Selects the classes that may be paused. Pauses of other classes are withdrawn; requests for
     * other classes are deferred until these classes are allowed again.
     *
     * \param classes bit p set if class p may be paused; initially all classes may
     */
    void SetAllowed(uint8_t classes);

    /** \return bit p set if class p may be paused */
    uint8_t GetAllowed() const
    {
        return m_allowed;
    }

    /**
     * Makes a single pause frame pending, which is neither refreshed nor withdrawn. The frame omits
     * classes that are not allowed. Classes with a requested pause keep their regular pause time.
     *
     * \param classes bit p set to name class p
     * \param quanta pause time in quanta; 0 resumes
     */
    void Inject(uint8_t classes, uint16_t quanta);

    /** \return bit p set if a pause of class p is requested and allowed */
    uint8_t GetWanted() const
    {
        return m_wanted;
    }

    /** \return true if a pause frame is pending */
    bool IsPending() const
    {
        return m_named;
    }

    /**
     * Makes a refresh of the paused classes pending if the instant of GetNextRefresh() has come.
     *
     * \param now current instant
     */
    void Refresh(RdmaPs now);

    /** \return time between the refresh of a pause and its expiry */
    RdmaPs GetSlack() const
    {
        return m_slack;
    }

    /** \return instant at which pauses must be refreshed, or RDMA_NEVER */
    RdmaPs GetNextRefresh() const
    {
        return m_nextRefresh;
    }

    /**
     * Returns the contents of the next pause frame, and records that the frame is sent.
     *
     * \param now instant at which the transmission of the frame starts
     * \param [out] quanta pause time in quanta for each class; 0 resumes
     * \return class-enable vector of the frame
     */
    uint8_t Take(RdmaPs now, std::array<uint16_t, 8>& quanta);

    /**
     * Handles a link that went down or up: the peer has lost all pauses, so the pauses that are
     * still requested must be sent again.
     */
    void Forget();

    /** \param priority class 0..7 \return pauses and refreshes sent for the class */
    uint64_t GetXoffSent(uint8_t priority) const
    {
        return m_sent ? m_sent[priority].xoff : 0;
    }

    /** \param priority class 0..7 \return resumptions sent for the class */
    uint64_t GetXonSent(uint8_t priority) const
    {
        return m_sent ? m_sent[priority].xon : 0;
    }

  private:
    /** Numbers of pause frames sent for a class. */
    struct Sent
    {
        uint64_t xoff{0}; //!< pauses and refreshes
        uint64_t xon{0};  //!< resumptions
    };

    void Update();

    RdmaPs m_refreshTime{0};          //!< time between a pause and its refresh
    RdmaPs m_slack{0};                //!< time between a refresh and the expiry of the pause
    RdmaPs m_nextRefresh{RDMA_NEVER}; //!< instant of the next refresh
    std::unique_ptr<Sent[]> m_sent;   //!< pause frames by class; null until the first
    uint16_t m_quanta{65535};         //!< pause time to send, in quanta
    uint16_t m_injectedQuanta{0};     //!< pause time of Inject(), in quanta
    uint8_t m_wanted{0};              //!< classes with a requested and allowed pause
    uint8_t m_requested{0};           //!< classes with a requested pause
    uint8_t m_allowed{0xff};          //!< classes that may be paused
    uint8_t m_injected{0};            //!< classes named by Inject()
    uint8_t m_told{0};                //!< classes that the peer has been told to pause
    uint8_t m_refresh{0};             //!< classes whose pause must be refreshed
    uint8_t m_named{0};               //!< classes to name in the next pause frame
};

} // namespace ns3

#endif /* QBB_PAUSE_SENDER_H */
