/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FLOW_CONTROL_H
#define QBB_FLOW_CONTROL_H

#include "qbb-frame.h"
#include "qbb-line-rate.h"
#include "qbb-pause-receiver.h"
#include "qbb-pause-sender.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * The port that a QbbFlowControl belongs to, as flow control sees it.
 */
class QbbFlowControlPort
{
  public:
    virtual ~QbbFlowControlPort() = default;

    /** A pause frame is to be sent, or a class may be sent again. */
    virtual void FlowChanged() = 0;

    /** A deadline of flow control has come: QbbFlowControl::Update() is to be called. */
    virtual void FlowTimerFired() = 0;

    /** \param at an instant \return the place of the port's events among those of the instant */
    virtual uint32_t GetEventOrder(QbbPs at) const = 0;
};

/**
 * \ingroup rdma
 * Flow control of a port: decides which pause frames the port sends, and carries out the pause
 * frames that come in. Knows PFC (IEEE 802.1Q clause 36) and 802.3x PAUSE (IEEE 802.3 Annex 31B).
 *
 * A pause that comes in takes effect PauseReactionDelay later, ends when it runs out, and is undone
 * by a resumption. A pause that is asked of the peer is repeated before it runs out, until it is
 * taken back.
 */
class QbbFlowControl
{
  public:
    /** What kind of pause frames a port sends and heeds. */
    enum Kind
    {
        NONE,  //!< it sends none and ignores those that come in
        PFC,   //!< priority-based, for the classes of PfcClasses
        PAUSE, //!< IEEE 802.3x: all classes together
    };

    /** Attributes of the port; they are set before the simulation starts. */
    struct Settings
    {
        Kind kind{PFC};         //!< FlowControl
        uint8_t classes{0};     //!< PfcClasses
        uint16_t quanta{65535}; //!< PauseQuanta
        double refresh{0.5};    //!< PauseRefresh
        QbbPs reaction{0};      //!< PauseReactionDelay
    };

    /** What a pause frame says. */
    struct Pauses
    {
        uint8_t classes{0};               //!< bit p set if class p is meant
        std::array<uint16_t, 8> quanta{}; //!< pause times by class; 0 resumes
        bool ignored{false};              //!< by Read(): the frame says more than this port heeds
    };

    /** \param port whose flow control this is; outlives it */
    explicit QbbFlowControl(QbbFlowControlPort& port);

    // Set-up

    /** \return the settings */
    Settings& GetSettings()
    {
        return m_settings;
    }

    /** \return the settings */
    const Settings& GetSettings() const
    {
        return m_settings;
    }

    /** \return the kind of flow control */
    Kind GetKind() const
    {
        return m_settings.kind;
    }

    /** \return the classes under flow control, one bit each; 0 when flow control is off */
    uint8_t GetLosslessClasses() const;

    /** \return time from the arrival of a pause frame to its effect */
    QbbPs GetReactionDelay() const
    {
        return m_settings.reaction;
    }

    // What the peer may send

    /**
     * Asks the peer to stop sending a class, or to go on. Repeats while a class is paused.
     *
     * \param priority class 0..7
     * \param pause true to pause
     */
    void RequestPause(uint8_t priority, bool pause);

    /**
     * Asks the peer to stop sending several classes, or to go on, in one pause frame.
     *
     * \param classes bit p set if class p is meant
     * \param pause true to pause
     */
    void RequestPauses(uint8_t classes, bool pause);

    /**
     * Sends one pause frame, as a port does whose NIC is broken: see QbbPauseSender::Inject().
     *
     * \param classes bit p set if class p is meant; all of them where flow control is 802.3x
     * \param quanta pause time; 0 resumes
     */
    void InjectPause(uint8_t classes, uint16_t quanta);

    /** \param classes bit p set if this port may pause class p; see QbbPauseSender::SetAllowed() */
    void SetPauseAllowed(uint8_t classes);

    /** \return the sender half: what the peer may not send */
    const QbbPauseSender& GetPauseSender() const
    {
        return m_sender;
    }

    // What this port may send

    /** \param classes bit p set if class p heeds pauses; see QbbPauseReceiver::SetHonoured() */
    void SetPauseHonoured(uint8_t classes);

    /** \return the receiver half: what this port may not send */
    const QbbPauseReceiver& GetPauseReceiver() const
    {
        return m_receiver;
    }

    /** \param priority class 0..7 \return when the class was last resumed */
    QbbPs GetResumed(uint8_t priority) const
    {
        return m_resumed[priority];
    }

    // For the port

    /** The simulation starts. \param rate the line rate */
    void Start(const QbbLineRate& rate);

    /** Nothing is called any more. */
    void Stop();

    /** \return classes that this port may not send, one bit each */
    uint8_t GetPaused() const
    {
        return m_receiver.GetPaused();
    }

    /** \return true if a pause frame is to be sent */
    bool IsPending() const
    {
        return m_sender.IsPending() && m_settings.kind != NONE;
    }

    /** \param now the instant \return what the pause frame that is sent now says */
    Pauses Take(QbbPs now);

    /**
     * \param pauses what the frame says
     * \param frame becomes a pause frame of this kind of flow control, but for its source address
     */
    void Fill(const Pauses& pauses, QbbFrame& frame) const;

    /** \param frame a pause frame that came in \return what of it this port heeds */
    Pauses Read(const QbbFrame& frame) const;

    /**
     * A pause frame has come in. ArmTimers() is to follow.
     *
     * \param pauses what Read() has given, for one class or more
     * \param now the instant
     * \return true if a class may be sent again at once
     */
    bool Accept(const Pauses& pauses, QbbPs now);

    /** \return true if Update() may have something to do */
    bool IsActive() const
    {
        return m_receiver.GetPaused() || m_sender.GetWanted() ||
               m_receiver.GetNextEffect() != QBB_NEVER;
    }

    /** Does what is due. \param now the instant */
    void Update(QbbPs now);

    /** The link went down or up: all pauses are forgotten. \param now the instant */
    void Reset(QbbPs now);

    /** Sets the timers, after Accept() and after Reset(). */
    void ArmTimers();

  private:
    void OnTimer();
    bool ApplyDue(QbbPs now);
    void NoteResumed(uint8_t resumed, QbbPs now);

    using Timer = QbbTimer<QbbFlowControl, &QbbFlowControl::OnTimer>;

    QbbPauseReceiver m_receiver;      //!< what this port may not send
    QbbPauseSender m_sender;          //!< what the peer may not send
    Settings m_settings;              //!< GetSettings()
    uint8_t m_plainWanted{0};         //!< classes that want an 802.3x PAUSE
    QbbFlowControlPort& m_port;       //!< whose flow control this is
    std::array<QbbPs, 8> m_resumed{}; //!< GetResumed()
    Timer m_effectTimer;              //!< a pause frame takes effect
    Timer m_expiryTimer;              //!< a pause runs out
    Timer m_refreshTimer;             //!< pauses are repeated
};

} // namespace ns3

#endif /* QBB_FLOW_CONTROL_H */
