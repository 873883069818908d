/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PFC_WATCHDOG_H
#define QBB_PFC_WATCHDOG_H

#include "qbb-storm-detector.h"
#include "qbb-switch.h"
#include "rdma-event-order.h"
#include "rdma-time.h"
#include "rdma-timer.h"
#include "rdma-trace.h"

#include <ns3/object.h>

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Counters of a PFC watchdog for one (port, priority), as in SONiC's "show pfcwd stats".
 *
 * Tx counts frames of the queue in storm; Rx counts frames received on its port and priority.
 * Frames count from the detection of a storm to its restoration.
 */
struct QbbStormCounters
{
    /** Frames of one storm, or of all storms. */
    struct Frames
    {
        uint64_t txOk{0};   //!< frames sent from the queue
        uint64_t txDrop{0}; //!< frames dropped from the queue or on the way to the queue
        uint64_t rxOk{0};   //!< frames received on the port and priority and not dropped
        uint64_t rxDrop{0}; //!< frames received on the port and priority and dropped
    };

    uint64_t detected{0}; //!< detected storms
    uint64_t restored{0}; //!< finished storms
    Frames all;           //!< frames in all storms
    Frames last;          //!< frames in the latest storm
};

/**
 * \ingroup rdma
 * PFC watchdog of a switch, with the semantics of SONiC's. The watchdog finds each (port, priority)
 * that a peer has paused for too long while frames wait, keeps the pause from spreading, and
 * restores normal operation when the pause frames have ceased. QbbStormDetector defines when a
 * queue is in storm.
 *
 * Attribute Action selects the treatment of a queue in storm:
 *
 * - Drop: the frames in the queue, new frames for the queue, and frames received on its port and
 *   priority are dropped. The port ignores pauses of the class and sends none.
 * - Forward: the port ignores pauses of the class and sends none; the frames of the queue are sent.
 * - Alert: the queue is left alone; the watchdog only counts and fires its trace sources.
 *
 * The watchdog samples at multiples of PollInterval, at the end of the instant, while a watched
 * class is paused or in storm. Without pauses, there are no events. A class that is not paused at a
 * sample is not near a storm, so the results equal those of sampling all the time.
 *
 * Sources: the SONiC project's "PFC Watchdog Design" and sonic-swss (pfcwdorch, pfcactionhandler,
 * pfc_detect_*.lua, pfc_restore.lua); C. Guo et al., "RDMA over Commodity Ethernet at Scale",
 * SIGCOMM 2016, section 4.3, whose switches watch the ports of servers only (ServerPortsOnly).
 */
class QbbPfcWatchdog : public Object, public QbbFrameGate
{
  public:
    /** Order within an instant of the event that samples the queues and acts. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Settling::At<2>();

    /** Treatment of a queue in storm. */
    enum Action
    {
        DROP,    //!< drop the frames of the queue
        FORWARD, //!< ignore pauses of the queue
        ALERT,   //!< count and trace only
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \return null while the attributes may change, else when they may (RdmaFixedTypeId) */
    const char* GetFixed() const
    {
        return m_switch ? "before Watch()" : nullptr;
    }

    QbbPfcWatchdog();
    ~QbbPfcWatchdog() override;

    /**
     * Begins to watch the lossless classes of a switch's ports, with the current attributes. Call
     * it once, after all ports have been added to the switch. The switch keeps the watchdog alive.
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
     * \return counters of the (port, priority), including a current storm
     */
    QbbStormCounters GetCounters(uint32_t port, uint8_t priority) const;

    /** \return the treatment of a queue in storm */
    Action GetAction() const
    {
        return m_action;
    }

    /** \return true if a trace source has a sink */
    bool HasSinks() const
    {
        return !m_detected.IsEmpty() || !m_restored.IsEmpty();
    }

    /** \return number of storms detected, summed over all ports and classes */
    uint64_t GetStorms() const;

    /** Called when a storm begins or ends. \param port port number \param priority the class */
    using StormWatcher = std::function<void(uint32_t port, uint8_t priority)>;

    /**
     * Registers a function of the module that is called when a trace source fires, on the thread of
     * the switch.
     *
     * \param begins true: StormDetected; false: StormRestored
     * \param watcher the function; it may act only on the node of the switch
     */
    void AddStormWatcher(bool begins, StormWatcher watcher)
    {
        (begins ? m_detected : m_restored).AddWatcher(std::move(watcher));
    }

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

    // Inherited from QbbFrameGate
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
    using StormTrace = RdmaWatchedTrace<uint32_t, uint8_t>;

    /** State of a (port, priority). */
    struct Queue
    {
        QbbStormDetector detector; //!< decides when a storm begins and ends
        QbbStormCounters counters; //!< finished storms; detected includes the current storm
        uint64_t txFrames{0};      //!< frames sent before the current storm
        uint64_t rxFrames{0};      //!< frames received before the current storm
        uint64_t txDrops{0};       //!< frames dropped on egress in the current storm
        uint64_t rxDrops{0};       //!< frames dropped on ingress in the current storm
    };

    /** State of a port. */
    struct Port
    {
        uint8_t watched{0};            //!< bit mask of the watched classes
        uint8_t stormed{0};            //!< bit mask of the classes in storm
        RdmaPs effect{-1};             //!< instant at which the latest pause frame takes effect
        std::array<Queue, 8> queues{}; //!< queues, by class
    };

    void OnPause(uint32_t port, uint8_t priority, uint16_t quanta);
    void OnPoll();
    bool Sample(uint32_t port, RdmaPs now);
    void Begin(uint32_t port, uint8_t priority);
    void End(uint32_t port, uint8_t priority);
    QbbStormCounters::Frames GetPresent(uint32_t port, uint8_t priority) const;
    const Queue& GetQueue(uint32_t port, uint8_t priority) const;
    void CheckSettings() const;
    void UpdateGate();

    QbbSwitch* m_switch{nullptr};                      //!< watched switch
    QbbStormDetector::Settings m_settings;             //!< settings of the storm detectors
    Time m_detectionTime;                              //!< attribute DetectionTime
    Time m_restorationTime;                            //!< attribute RestorationTime
    Time m_pollInterval;                               //!< attribute PollInterval
    Action m_action{DROP};                             //!< attribute Action
    bool m_serverPortsOnly{false};                     //!< attribute ServerPortsOnly
    std::vector<Port> m_ports;                         //!< ports, by number
    std::vector<std::pair<uint32_t, uint8_t>> m_begun; //!< OnPoll(): storms that begin
    std::vector<std::pair<uint32_t, uint8_t>> m_ended; //!< OnPoll(): storms that end
    RdmaTimer<QbbPfcWatchdog, &QbbPfcWatchdog::OnPoll, EVENT_ORDER> m_timer; //!< next sample
    StormTrace m_detected; //!< trace source StormDetected
    StormTrace m_restored; //!< trace source StormRestored
};

} // namespace ns3

#endif /* QBB_PFC_WATCHDOG_H */
