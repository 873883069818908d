/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FLOW_CONTROL_H
#define QBB_FLOW_CONTROL_H

#include "qbb-frame.h"
#include "qbb-pause-receiver.h"
#include "qbb-pause-sender.h"
#include "rdma-line-rate.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <array>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Interface of a port to its QbbFlowControl.
 */
class QbbFlowControlPort
{
  public:
    virtual ~QbbFlowControlPort() = default;

    /** Called when a pause frame is pending, or a paused class may send again. */
    virtual void FlowChanged() = 0;

    /** Called when a timer of flow control fires; must call QbbFlowControl::Update(). */
    virtual void FlowTimerFired() = 0;

    /** \return id of the port's node; UINT32_MAX: there is none */
    virtual uint32_t GetEventNode() const
    {
        return UINT32_MAX;
    }

    /** \param at an instant \return place of the port's events among simultaneous events */
    virtual uint32_t GetEventOrder(RdmaPs at) const = 0;
};

/**
 * \ingroup rdma
 * Flow control of a port: decides which pause frames the port sends, and applies the pause frames
 * that the port receives. Supports PFC (IEEE 802.1Q clause 36) and 802.3x PAUSE (IEEE 802.3 Annex
 * 31B).
 *
 * **Pauses of the peer** (QbbPauseSender). The switch or NIC of the port calls RequestPause(). A
 * pause frame is then pending, and the port sends it before all other frames (IsPending(), Take(),
 * Fill()). The pause is repeated before it expires, until RequestPause() withdraws it.
 *
 * **Pauses of this port** (QbbPauseReceiver). The port reads a received pause frame by Read() and
 * Accept(). After PauseReactionDelay the port begins no frame of the paused classes, whether queued
 * or from a QbbFrameSource; a frame in transmission is finished. The pause ends by expiry or by a
 * resume frame.
 *
 * Reset() forgets both kinds when the link goes down or up; pauses of the peer that are still
 * requested become pending again.
 */
class QbbFlowControl
{
  public:
    /** Kind of pause frames that a port sends and honours. */
    enum Kind
    {
        NONE,  //!< sends no pause frames and ignores received ones
        PFC,   //!< PFC pause frames for the classes of PfcClasses
        PAUSE, //!< IEEE 802.3x PAUSE frames for all classes together
    };

    /** Flow control attributes of the port, set before the simulation starts. */
    struct Settings
    {
        Kind kind{PFC};         //!< attribute FlowControl
        uint8_t classes{0};     //!< attribute PfcClasses
        uint16_t quanta{65535}; //!< attribute PauseQuanta
        double refresh{0.5};    //!< attribute PauseRefresh
        RdmaPs reaction{0};     //!< attribute PauseReactionDelay
    };

    /** Contents of a pause frame. */
    struct Pauses
    {
        uint8_t classes{0};               //!< bit p set if the frame names class p
        std::array<uint16_t, 8> quanta{}; //!< pause time in quanta, by class; 0 resumes
        bool ignored{false};              //!< set by Read() if part of the frame is ignored
    };

    /** \param port port to control; must outlive this object */
    explicit QbbFlowControl(QbbFlowControlPort& port);

    // Set-up

    /** \return the modifiable settings */
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

    /** \return the lossless classes: bit p for class p; 0 if flow control is off */
    uint8_t GetLosslessClasses() const;

    /** \return time between the arrival of a pause frame and its effect */
    RdmaPs GetReactionDelay() const
    {
        return m_settings.reaction;
    }

    // Pauses of the peer

    /**
     * Pauses or resumes a class at the peer. A pause is refreshed until the class is resumed.
     *
     * \param priority class 0..7
     * \param pause true to pause, false to resume
     */
    void RequestPause(uint8_t priority, bool pause);

    /**
     * Pauses or resumes several classes at the peer with one pause frame.
     *
     * \param classes bit p set to pause or resume class p
     * \param pause true to pause, false to resume
     */
    void RequestPauses(uint8_t classes, bool pause);

    /**
     * Sends a single pause frame, like the port of a faulty NIC; see QbbPauseSender::Inject().
     *
     * \param classes bit p set to name class p; 802.3x flow control names all classes
     * \param quanta pause time in quanta; 0 resumes
     */
    void InjectPause(uint8_t classes, uint16_t quanta);

    /** \param classes bit p set to let this port pause class p; see QbbPauseSender::SetAllowed() */
    void SetPauseAllowed(uint8_t classes);

    /** \return the sender half of flow control: pauses of the peer */
    const QbbPauseSender& GetPauseSender() const
    {
        return m_sender;
    }

    // Pauses of this port

    /** \param classes bit p set to honour pauses of class p; see QbbPauseReceiver::SetHonoured() */
    void SetPauseHonoured(uint8_t classes);

    /** \return the receiver half of flow control: pauses of this port */
    const QbbPauseReceiver& GetPauseReceiver() const
    {
        return m_receiver;
    }

    /** \return bit p set if class p of this port is paused */
    uint8_t GetPaused() const
    {
        return m_state.paused;
    }

    /** \param priority class 0..7 \return instant at which the class was last resumed */
    RdmaPs GetResumed(uint8_t priority) const
    {
        return m_pausing ? m_pausing->resumed[priority] : RdmaPs(0);
    }

    // Called by the port

    /** Starts flow control with the simulation. \param rate line rate of the port */
    void Start(const RdmaLineRate& rate);

    /**
     * Changes the length of a pause quantum, and sends the pauses of the peer again, which
     * therefore do not end before their next refresh.
     *
     * \param rate rate that gives a quantum its length
     * \param now current time
     */
    void ChangeRate(const RdmaLineRate& rate, RdmaPs now);

    /** Stops flow control: no timer fires after this call. */
    void Stop();

    /** \return true if a pause frame is pending */
    bool IsPending() const
    {
        return m_state.isPending && m_settings.kind != NONE;
    }

    /** Takes the pauses to send. \param now current instant \return contents of a pause frame */
    Pauses Take(RdmaPs now);

    /**
     * Makes a frame a pause frame of this kind of flow control, except for its source address.
     *
     * \param pauses contents of the pause frame
     * \param frame frame to fill in
     */
    void Fill(const Pauses& pauses, QbbFrame& frame) const;

    /** \param frame received pause frame \return the contents that this port honours */
    Pauses Read(const QbbFrame& frame) const;

    /**
     * Accepts a received pause frame. The caller must call ArmTimers() afterwards.
     *
     * \param pauses result of Read(), for at least one class
     * \param now current instant
     * \return true if a paused class may send again at once
     */
    bool Accept(const Pauses& pauses, RdmaPs now);

    /** \return true if Update() may have work to do */
    bool IsActive() const
    {
        return m_state.isActive;
    }

    /** Applies due pauses, ends expired ones, refreshes sent ones. \param now current instant */
    void Update(RdmaPs now);

    /** Forgets all pauses when the link goes down or up. \param now current instant */
    void Reset(RdmaPs now);

    /** Sets the timers; must follow Accept() and Reset(). */
    void ArmTimers();

    /** \return id of the node on which the timers' events run */
    uint32_t GetNodeId() const
    {
        return m_port.GetEventNode();
    }

  private:
    void OnTimer();
    bool ApplyDue(RdmaPs now);
    void RecordResumed(uint8_t resumed, RdmaPs now);

    using Timer = RdmaTimer<QbbFlowControl, &QbbFlowControl::OnTimer>;

    /** State that a port needs only once it has been paused or has paused its peer. */
    struct Pausing
    {
        explicit Pausing(QbbFlowControl* owner)
            : effectTimer(owner),
              expiryTimer(owner),
              refreshTimer(owner)
        {
        }

        std::array<RdmaPs, 8> resumed{}; //!< instant of the last resumption, by class
        Timer effectTimer;               //!< fires when a received pause frame takes effect
        Timer expiryTimer;               //!< fires when a pause of this port expires
        Timer refreshTimer;              //!< fires when pauses of the peer must be refreshed
    };

    /** What each frame reads of both halves, in a few bytes. */
    struct State
    {
        uint8_t paused{0};     //!< classes of this port that are paused, one bit each
        bool isPending{false}; //!< the sender has a pause frame to send
        bool isActive{false};  //!< value of IsActive()
    };

    Pausing& GetPausing();
    void UpdateState();

    State m_state;               //!< summary of m_sender and m_receiver
    QbbPauseSender m_sender;     //!< pauses of the peer
    QbbPauseReceiver m_receiver; //!< pauses of this port
    Settings m_settings;         //!< flow control attributes of the port
    uint8_t m_plainWanted{0};    //!< classes that request an 802.3x PAUSE
    QbbFlowControlPort& m_port;  //!< controlled port
    /// Resumptions and timers; null until the first pause
    std::unique_ptr<Pausing> m_pausing;
};

} // namespace ns3

#endif /* QBB_FLOW_CONTROL_H */
