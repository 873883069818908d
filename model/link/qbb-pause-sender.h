/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PAUSE_SENDER_H
#define QBB_PAUSE_SENDER_H

#include "qbb-line-rate.h"
#include "qbb-time.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The sender half of PFC: what the peer has been told, what it must be told next, and when a pause
 * must be repeated so that it does not run out while it is still wanted.
 *
 * Sees numbers and times only.
 */
class QbbPauseSender
{
  public:
    /**
     * \param rate the port's rate, which gives the quanta their length
     * \param quanta pause time that is asked for, 1..65535 quanta of 512 bit times
     * \param refreshFraction a pause is repeated after this part of its length, above 0, below 1
     */
    void Configure(const QbbLineRate& rate, uint16_t quanta, double refreshFraction);

    /**
     * Asks for a class to be paused or resumed.
     *
     * \param priority class 0..7
     * \param pause true to pause
     */
    void Request(uint8_t priority, bool pause);

    /**
     * Takes the right to pause from the other classes: what the peer was told of them is taken
     * back, and what is asked for them waits until they have it again.
     *
     * \param classes bit p set if class p may be paused; all may at the start
     */
    void SetAllowed(uint8_t classes);

    /** \return bit p set if class p may be paused */
    uint8_t GetAllowed() const
    {
        return m_allowed;
    }

    /**
     * Sends one pause frame that is neither repeated nor ended. Classes that are not allowed are
     * left out, and those that are wanted paused get their own pause time.
     *
     * \param classes bit p set if class p is meant
     * \param quanta pause time; 0 resumes
     */
    void Inject(uint8_t classes, uint16_t quanta);

    /** \return bit p set if class p is wanted paused, and may be */
    uint8_t GetWanted() const
    {
        return m_wanted;
    }

    /** \return true if a pause frame should be sent at once */
    bool IsPending() const
    {
        return m_named;
    }

    /**
     * The instant of GetNextRefresh() has come: paused classes are told again.
     *
     * \param now the instant
     */
    void Refresh(QbbPs now);

    /** \return time from the instant at which a pause must be repeated to its end */
    QbbPs GetSlack() const
    {
        return m_slack;
    }

    /** \return when pauses must be repeated, or QBB_NEVER */
    QbbPs GetNextRefresh() const
    {
        return m_nextRefresh;
    }

    /**
     * Writes the next pause frame, and notes that it is sent.
     *
     * \param now the instant at which its transmission starts
     * \param [out] quanta a pause time for each class; 0 resumes
     * \return the class-enable vector
     */
    uint8_t Take(QbbPs now, std::array<uint16_t, 8>& quanta);

    /**
     * The peer has forgotten every pause (the link went down and up): what is still wanted has to
     * be told again.
     */
    void Forget();

    /** \param priority class 0..7 \return pauses and refreshes sent */
    uint64_t GetXoffSent(uint8_t priority) const
    {
        return m_xoffSent[priority];
    }

    /** \param priority class 0..7 \return resumptions sent */
    uint64_t GetXonSent(uint8_t priority) const
    {
        return m_xonSent[priority];
    }

  private:
    void Update();

    uint16_t m_quanta{65535};             //!< pause time that is asked for
    QbbPs m_refreshTime{0};               //!< a pause is repeated after this time
    QbbPs m_slack{0};                     //!< from then to its end
    uint8_t m_requested{0};               //!< classes that Request() asked to pause
    uint8_t m_allowed{0xff};              //!< classes that may be paused
    uint8_t m_wanted{0};                  //!< of m_requested those that may be
    uint8_t m_injected{0};                //!< classes of Inject()
    uint16_t m_injectedQuanta{0};         //!< pause time of Inject()
    uint8_t m_named{0};                   //!< classes that the next pause frame names
    uint8_t m_told{0};                    //!< classes that the peer was told to pause
    uint8_t m_refresh{0};                 //!< classes to be told again
    QbbPs m_nextRefresh{QBB_NEVER};       //!< when to repeat
    std::array<uint64_t, 8> m_xoffSent{}; //!< pauses and refreshes sent
    std::array<uint64_t, 8> m_xonSent{};  //!< resumptions sent
};

} // namespace ns3

#endif /* QBB_PAUSE_SENDER_H */
