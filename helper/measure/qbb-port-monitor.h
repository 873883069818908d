/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_MONITOR_H
#define QBB_PORT_MONITOR_H

#include "qbb-buffer-manager.h"
#include "qbb-event-order.h"
#include "qbb-net-device.h"
#include "qbb-switch.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/ptr.h>

#include <array>
#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Counters and watermarks of a port and traffic class at one poll. Counters start at the beginning
 * of the run; watermarks are maxima since the preceding poll.
 */
struct QbbPortReading
{
    uint64_t txFrames{0};          //!< frames sent
    uint64_t txBytes{0};           //!< bytes sent
    uint64_t rxFrames{0};          //!< frames received
    uint64_t rxBytes{0};           //!< bytes received
    uint64_t drops{0};             //!< frames dropped
    uint64_t ecnMarks{0};          //!< frames marked CE at egress
    uint64_t xoffSent{0};          //!< pauses and pause refreshes sent
    uint64_t xonSent{0};           //!< resumptions sent
    uint64_t xoffReceived{0};      //!< pauses and pause refreshes received
    uint64_t xonReceived{0};       //!< resumptions received
    QbbPs pausedTime{0};           //!< total time for which the class was paused at the port
    uint64_t queueBytes{0};        //!< current length of the egress queue
    uint64_t peakQueueBytes{0};    //!< watermark of queueBytes
    uint32_t ingressBytes{0};      //!< bytes received at the port that are in the switch buffer
    uint32_t peakIngressBytes{0};  //!< watermark of ingressBytes
    uint32_t headroomBytes{0};     //!< part of ingressBytes in the PFC headroom
    uint32_t peakHeadroomBytes{0}; //!< watermark of headroomBytes

    /** \param other another reading \return true if all values are equal */
    bool operator==(const QbbPortReading& other) const;
};

/**
 * \ingroup rdma
 * Polls ports periodically, as a monitoring system does, and writes CSV: counters by class, paused
 * time, and watermarks, which each poll clears.
 *
 *     QbbPortMonitor monitor(file, 100_us);
 *     monitor.AddSwitch(fabric->GetSwitch(4));
 *     monitor.AddDevice(fabric->GetDevice(0, 0));
 *     monitor.Start();
 *     Simulator::Run();
 *
 * A poll writes a row for each port and class whose counters have changed since the preceding poll
 * or whose queues hold frames; unused classes cause no rows. Polling continues until the simulation
 * stops, so Simulator::Stop() is required. Call Poll() after Simulator::Run() to record the rest.
 *
 * A poll runs after all other events of its instant and changes nothing but the watermarks, so it
 * does not affect the run. Use one monitor per port, because polls reset the peaks of
 * QbbBufferManager. The monitor must exist until the simulation is over.
 */
class QbbPortMonitor
{
  public:
    /** Order of a poll among simultaneous events: after all events that change the simulation. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /**
     * Aborts with a message if the period is not positive.
     *
     * \param os output stream of the rows
     * \param period polling interval, at least 1 ps
     */
    QbbPortMonitor(std::ostream& os, QbbPs period);

    /** Adds a port without a switch buffer, before Start(). \param device for instance of a host */
    void AddDevice(Ptr<QbbNetDevice> device);

    /** Adds all ports and the buffer of a switch, before Start(). \param sw a switch */
    void AddSwitch(Ptr<QbbSwitch> sw);

    /** Writes the header and schedules the first poll at the next multiple of the period. */
    void Start();

    /** Polls immediately, unless a poll has already run at this instant. */
    void Poll();

    /**
     * \param device a port
     * \param buffer buffer of the port's switch, or null
     * \param priority traffic class 0..7
     * \return current counters and watermarks, which are not cleared
     */
    static QbbPortReading Read(const QbbPort& device,
                               const QbbBufferManager* buffer,
                               uint8_t priority);

  private:
    /** A monitored port. */
    struct Port
    {
        Ptr<QbbNetDevice> device;                 //!< the port
        Ptr<QbbBufferManager> buffer;             //!< buffer of the port's switch, or null
        std::array<QbbPortReading, 8> readings{}; //!< latest written reading by class
    };

    void OnTick();
    void Write(const Port& port, uint8_t priority, const QbbPortReading& reading);

    std::ostream& m_os;        //!< output stream of the rows
    QbbPs m_period;            //!< polling interval
    QbbPs m_last{-1};          //!< instant of the latest poll; negative: no poll yet
    std::vector<Port> m_ports; //!< ports in the order of the calls that added them
    std::vector<Ptr<QbbBufferManager>> m_buffers; //!< buffers of the monitored switches
    /// Timer of the next poll
    QbbTimer<QbbPortMonitor, &QbbPortMonitor::OnTick, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* QBB_PORT_MONITOR_H */
