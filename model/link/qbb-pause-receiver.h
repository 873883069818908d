/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PAUSE_RECEIVER_H
#define QBB_PAUSE_RECEIVER_H

#include "qbb-line-rate.h"
#include "qbb-ring.h"
#include "qbb-time.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The receiver half of PFC: which classes of a port are paused, and until when.
 *
 * A pause frame loads a class's timer with a number of quanta of 512 bit times; the class may not
 * begin a frame until the timer has run out or a frame with zero quanta comes (IEEE 802.1Q clause
 * 36.1.3, IEEE 802.3 Annex 31B). Sees numbers and times only.
 */
class QbbPauseReceiver
{
  public:
    /**
     * \param rate the port's rate, which gives the quanta their length
     */
    void SetRate(const QbbLineRate& rate)
    {
        m_rate = rate;
    }

    /**
     * A pause frame has come in and takes effect later.
     *
     * \param effect instant of the effect; not before the effect of an earlier pause frame
     * \param classEnable bit p set if class p is meant
     * \param quanta pause time for each class; 0 resumes
     */
    void Arrive(QbbPs effect, uint8_t classEnable, const std::array<uint16_t, 8>& quanta);

    /** \return when the next pause frame takes effect, or QBB_NEVER */
    QbbPs GetNextEffect() const
    {
        return m_effects.IsEmpty() ? QBB_NEVER : m_effects.Front().at;
    }

    /**
     * Has the pause frames take effect whose time has come.
     *
     * \param now the instant
     * \return bit p set if class p may send again through this
     */
    uint8_t ApplyDue(QbbPs now);

    /**
     * A pause frame takes effect.
     *
     * \param now the instant
     * \param classEnable bit p set if class p is meant
     * \param quanta pause time for each class; 0 resumes
     * \return bit p set if class p may send again through this
     */
    uint8_t Apply(QbbPs now, uint8_t classEnable, const std::array<uint16_t, 8>& quanta);

    /**
     * Ends the pauses whose time is over.
     *
     * \param now the instant
     * \return bit p set if class p may send again through this
     */
    uint8_t Expire(QbbPs now);

    /** Ends every pause (the link went down). \param now the instant */
    void Reset(QbbPs now);

    /**
     * Pause frames for the other classes are counted and change nothing.
     *
     * \param now the instant
     * \param classes bit p set if class p may be paused; all may at the start
     * \return bit p set if class p may send again through this
     */
    uint8_t SetHonoured(QbbPs now, uint8_t classes);

    /** \return bit p set if class p may be paused */
    uint8_t GetHonoured() const
    {
        return m_honoured;
    }

    /** \return bit p set if class p is paused */
    uint8_t GetPaused() const
    {
        return m_paused;
    }

    /** \return the next instant at which a pause runs out, or QBB_NEVER */
    QbbPs GetNextExpiry() const;

    /**
     * \param priority class 0..7
     * \param now the instant
     * \return how long the class has been paused since the start, the present pause included
     */
    QbbPs GetPausedTime(uint8_t priority, QbbPs now) const;

    /** \param priority class 0..7 \return pause frames with quanta that named the class */
    uint64_t GetXoffReceived(uint8_t priority) const
    {
        return m_xoffReceived[priority];
    }

    /** \param priority class 0..7 \return pause frames with zero quanta that named the class */
    uint64_t GetXonReceived(uint8_t priority) const
    {
        return m_xonReceived[priority];
    }

  private:
    /** A pause frame that takes effect later. */
    struct Effect
    {
        QbbPs at{0};                      //!< when
        uint8_t classEnable{0};           //!< classes that it names
        std::array<uint16_t, 8> quanta{}; //!< their pause times
    };

    void Resume(uint8_t priority, QbbPs at);

    QbbLineRate m_rate;                       //!< length of a bit
    QbbRing<Effect> m_effects;                //!< pauses that have not taken effect yet
    uint8_t m_paused{0};                      //!< classes that are paused
    uint8_t m_honoured{0xff};                 //!< classes that may be paused
    std::array<QbbPs, 8> m_until{};           //!< when a pause runs out
    std::array<QbbPs, 8> m_since{};           //!< when the present pause began
    std::array<QbbPs, 8> m_pausedTime{};      //!< length of earlier pauses
    std::array<uint64_t, 8> m_xoffReceived{}; //!< pauses and refreshes received
    std::array<uint64_t, 8> m_xonReceived{};  //!< resumptions received
};

} // namespace ns3

#endif /* QBB_PAUSE_RECEIVER_H */
