/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PAUSE_RECEIVER_H
#define QBB_PAUSE_RECEIVER_H

#include "rdma-line-rate.h"
#include "rdma-ring-buffer.h"
#include "rdma-time.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Receiver half of PFC and of 802.3x PAUSE: the paused classes of a port, and the end of each
 * pause.
 *
 * A pause frame loads the timer of a class with a number of quanta of 512 bit times. The class may
 * not begin a frame until the timer has expired or a frame with zero quanta arrives (IEEE 802.1Q
 * clause 36.1.3, IEEE 802.3 Annex 31B). A PAUSE frame counts as one that names all classes with
 * equal quanta. QbbPauseReceiver handles numbers and times, never frames: QbbFlowControl reads the
 * frames.
 */
class QbbPauseReceiver
{
  public:
    /**
     * \param rate line rate of the port, which determines the length of a quantum
     */
    void SetRate(const RdmaLineRate& rate)
    {
        m_rate = rate;
    }

    /**
     * Stores a received pause frame until it takes effect.
     *
     * \param effect instant of the effect; not before the effect of an earlier pause frame
     * \param classEnable bit p set if the frame names class p
     * \param quanta pause time in quanta for each class; 0 resumes
     */
    void Arrive(RdmaPs effect, uint8_t classEnable, const std::array<uint16_t, 8>& quanta);

    /** \return instant at which the next pause frame takes effect, or RDMA_NEVER */
    RdmaPs GetNextEffect() const
    {
        return m_effects.IsEmpty() ? RDMA_NEVER : m_effects.Front().at;
    }

    /**
     * Applies the stored pause frames that are due.
     *
     * \param now current instant
     * \return bit p set if this call resumed class p
     */
    uint8_t ApplyDue(RdmaPs now);

    /**
     * Applies a pause frame.
     *
     * \param now current instant
     * \param classEnable bit p set if the frame names class p
     * \param quanta pause time in quanta for each class; 0 resumes
     * \return bit p set if this call resumed class p
     */
    uint8_t Apply(RdmaPs now, uint8_t classEnable, const std::array<uint16_t, 8>& quanta);

    /**
     * Ends the expired pauses.
     *
     * \param now current instant
     * \return bit p set if this call resumed class p
     */
    uint8_t Expire(RdmaPs now);

    /** Ends every pause, because the link went down or up. \param now current instant */
    void Reset(RdmaPs now);

    /**
     * Selects the classes that honour pause frames. Pause frames for other classes are only
     * counted.
     *
     * \param now current instant
     * \param classes bit p set if class p may be paused; initially all classes may
     * \return bit p set if this call resumed class p
     */
    uint8_t SetHonoured(RdmaPs now, uint8_t classes);

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

    /** \return the next instant at which a pause expires, or RDMA_NEVER */
    RdmaPs GetNextExpiry() const;

    /**
     * \param priority class 0..7
     * \param now current instant
     * \return total paused time of the class since the start, including a current pause
     */
    RdmaPs GetPausedTime(uint8_t priority, RdmaPs now) const;

    /** \param priority class 0..7 \return pause frames with non-zero quanta for the class */
    uint64_t GetXoffReceived(uint8_t priority) const
    {
        return m_classes ? m_classes[priority].xoffReceived : 0;
    }

    /** \param priority class 0..7 \return pause frames with zero quanta for the class */
    uint64_t GetXonReceived(uint8_t priority) const
    {
        return m_classes ? m_classes[priority].xonReceived : 0;
    }

  private:
    /** A received pause frame that has not taken effect. */
    struct Effect
    {
        RdmaPs at{0};                     //!< instant of the effect
        uint8_t classEnable{0};           //!< classes named by the pause frame
        std::array<uint16_t, 8> quanta{}; //!< pause times in quanta, by class
    };

    /** Pauses of a class. */
    struct Class
    {
        RdmaPs until{0};          //!< end of the current pause
        RdmaPs since{0};          //!< start of the current pause
        RdmaPs pausedTime{0};     //!< total length of earlier pauses
        uint64_t xoffReceived{0}; //!< pauses and refreshes received
        uint64_t xonReceived{0};  //!< resumptions received
    };

    void Resume(uint8_t priority, RdmaPs at);

    uint8_t m_paused{0};                //!< paused classes, one bit each
    uint8_t m_honoured{0xff};           //!< classes that may be paused, one bit each
    RdmaRingBuffer<Effect> m_effects;   //!< pause frames that have not taken effect
    std::unique_ptr<Class[]> m_classes; //!< pauses by class; null until the first pause frame
    RdmaLineRate m_rate;                //!< line rate, for the length of a quantum
};

} // namespace ns3

#endif /* QBB_PAUSE_RECEIVER_H */
