/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PFC_WATCHDOG_H
#define QBB_PFC_WATCHDOG_H

#include "qbb-event-order.h"
#include "qbb-storm-detector.h"
#include "qbb-switch.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <array>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What a PFC watchdog has counted for one (port, priority), as SONiC's "show pfcwd stats" has it.
 *
 * Tx is the storming queue itself, Rx what comes in on the same port and priority. Frames count
 * from the detection of a storm to its restoration.
 */
struct QbbStormCounters
{
    /** Frames of one storm, or of all. */
    struct Frames
    {
        uint64_t txOk{0};   //!< sent from the queue
        uint64_t txDrop{0}; //!< dropped that were in the queue or came for it
        uint64_t rxOk{0};   //!< received on the port and priority, and not dropped here
        uint64_t rxDrop{0}; //!< received there and dropped
    };

    uint64_t detected{0}; //!< storms
    uint64_t restored{0}; //!< storms that are over
    Frames all;           //!< in all storms
    Frames last;          //!< in the latest
};

/**
 * \ingroup rdma
 * The PFC watchdog of a switch, with the semantics of SONiC's: it finds (port, priority)s that a
 * peer has paused for too long while frames wait, keeps the pause from spreading, and puts things
 * right when the pause frames have ceased. When a queue is in storm: see QbbStormDetector.
 *
 * What it does to a queue in storm (attribute Action):
 *
 * - Drop: throws away the frames in the queue and those that come for it, and what comes in on the
 *   same port and priority. The port heeds no pause of the class and asks for none.
 * - Forward: the port heeds no pause of the class and asks for none; the queue is sent.
 * - Alert: nothing. It counts, and fires its trace sources.
 *
 * Samples are taken at the whole multiples of PollInterval, at the end of the instant, as long as
 * some watched class is paused or in storm; with no pause there are no events. As a class that is
 * not paused at a sample is not near a storm, this gives what sampling for ever would.
 *
 * Sources: the SONiC project's "PFC Watchdog Design" and sonic-swss (pfcwdorch, pfcactionhandler,
 * pfc_detect_*.lua, pfc_restore.lua); C. Guo et al., "RDMA over Commodity Ethernet at Scale",
 * SIGCOMM 2016, section 4.3, whose switches watch the ports of servers only (ServerPortsOnly).
 */
class QbbPfcWatchdog : public Object, public QbbFrameGate
{
  public:
    /** When at an instant it samples the queues, and acts. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Settling::At<2>();

    /** What is done to a queue in storm. */
    enum Action
    {
        DROP,    //!< its frames are dropped
        FORWARD, //!< its pauses are ignored
        ALERT,   //!< nothing
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbPfcWatchdog();
    ~QbbPfcWatchdog() override;

    /**
     * Begins to watch the lossless classes of a switch's ports, with the attributes as they are
     * now. Once, after the switch has all its ports. The switch keeps the watchdog alive.
     *
     * \param sw the switch
     */
    void Watch(Ptr<QbbSwitch> sw);

    /**
     * \param port port number
     * \param priority class 0..7
     * \return true if the queue is in storm
     */
    bool IsStormed(uint32_t port, uint8_t priority) const;

    /**
     * \param port port number
     * \param priority class 0..7
     * \return its counters, a storm that lasts included
     */
    QbbStormCounters GetCounters(uint32_t port, uint8_t priority) const;

    /** \return what it does to a queue in storm */
    Action GetAction() const
    {
        return m_action;
    }

    /** \return storms detected at all ports and classes */
    uint64_t GetStorms() const;

    // QbbFrameGate
    bool Admits(QbbPort& ingress, QbbPort& egress, const QbbFrame& frame) override;

    /**
     * TracedCallback signature of StormDetected and StormRestored.
     *
     * \param port port number
     * \param priority the class
     */
    typedef void (*StormCallback)(uint32_t port, uint8_t priority);

  protected:
    void DoDispose() override;

  private:
    /** A (port, priority). */
    struct Queue
    {
        QbbStormDetector detector; //!< decides
        QbbStormCounters counters; //!< all storms that are over; detected has the present one
        uint64_t txFrames{0};      //!< sent when the present storm began
        uint64_t rxFrames{0};      //!< received when the present storm began
        uint64_t txDrops{0};       //!< frames dropped on their way out, in the present storm
        uint64_t rxDrops{0};       //!< frames dropped on their way in, in the present storm
    };

    /** A port. */
    struct Port
    {
        uint8_t watched{0};            //!< classes under watch
        uint8_t stormed{0};            //!< of these, those in storm
        QbbPs effect{-1};              //!< the latest pause frame takes effect
        std::array<Queue, 8> queues{}; //!< by class
    };

    void OnPause(uint32_t port, uint8_t priority, uint16_t quanta);
    void OnPoll();
    bool Sample(uint32_t port, QbbPs now);
    void Begin(uint32_t port, uint8_t priority);
    void End(uint32_t port, uint8_t priority);
    QbbStormCounters::Frames GetPresent(uint32_t port, uint8_t priority) const;
    QbbPort& GetDevice(uint32_t port) const;
    const Queue& GetQueue(uint32_t port, uint8_t priority) const;
    void CheckSettings() const;
    void UpdateGate();

    QbbSwitch* m_switch{nullptr};                      //!< whose watchdog this is
    QbbStormDetector::Settings m_settings;             //!< times
    Time m_detectionTime;                              //!< attribute DetectionTime
    Time m_restorationTime;                            //!< attribute RestorationTime
    Time m_pollInterval;                               //!< attribute PollInterval
    Action m_action{DROP};                             //!< attribute Action
    bool m_serverPortsOnly{false};                     //!< attribute ServerPortsOnly
    std::vector<Port> m_ports;                         //!< by port number
    std::vector<std::pair<uint32_t, uint8_t>> m_begun; //!< OnPoll(): storms found
    std::vector<std::pair<uint32_t, uint8_t>> m_ended; //!< OnPoll(): storms that are over
    QbbTimer<QbbPfcWatchdog, &QbbPfcWatchdog::OnPoll, EVENT_ORDER> m_timer; //!< the next sample
    TracedCallback<uint32_t, uint8_t> m_detected;                           //!< trace StormDetected
    TracedCallback<uint32_t, uint8_t> m_restored;                           //!< trace StormRestored
};

} // namespace ns3

#endif /* QBB_PFC_WATCHDOG_H */
