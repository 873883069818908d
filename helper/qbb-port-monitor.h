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
 * What an operator reads from a port and class at one poll. Counters count from the beginning of
 * the run; watermarks are the highest values since the poll before.
 */
struct QbbPortReading
{
    uint64_t txFrames{0};          //!< frames sent
    uint64_t txBytes{0};           //!< bytes sent
    uint64_t rxFrames{0};          //!< frames received
    uint64_t rxBytes{0};           //!< bytes received
    uint64_t drops{0};             //!< frames thrown away
    uint64_t ecnMarks{0};          //!< frames marked CE on their way out
    uint64_t xoffSent{0};          //!< pauses and refreshes sent
    uint64_t xonSent{0};           //!< resumptions sent
    uint64_t xoffReceived{0};      //!< pauses and refreshes received
    uint64_t xonReceived{0};       //!< resumptions received
    QbbPs pausedTime{0};           //!< how long the port might not send the class
    uint64_t queueBytes{0};        //!< in the egress queue now
    uint64_t peakQueueBytes{0};    //!< watermark of the same
    uint32_t ingressBytes{0};      //!< that came in here and are in the switch's buffer now
    uint32_t peakIngressBytes{0};  //!< watermark of the same
    uint32_t headroomBytes{0};     //!< of these, in headroom now
    uint32_t peakHeadroomBytes{0}; //!< watermark of the same

    /** \param other another reading \return true if both say the same */
    bool operator==(const QbbPortReading& other) const;
};

/**
 * \ingroup rdma
 * Polls ports at a period, as an operator's collector does, and writes CSV: counters by class,
 * time paused, and watermarks, which each poll clears.
 *
 *     QbbPortMonitor monitor(file, 100'000'000);
 *     monitor.AddSwitch(fabric->GetSwitch(4));
 *     monitor.AddDevice(fabric->GetDevice(0, 0));
 *     monitor.Start();
 *     Simulator::Run();
 *
 * A row is written for each port and class whose counters have changed since the poll before, or
 * where something waits: a class that is not in use costs no rows. Polls go on until the simulation
 * stops, so that needs Simulator::Stop(); a Poll() after Simulator::Run() has the rest.
 *
 * It only looks, after everything else of an instant, so that the run is the same without it, but
 * for the watermarks themselves: one monitor for each port, and QbbBufferManager's peaks are then
 * those since the last poll. It must live until the simulation is over.
 */
class QbbPortMonitor
{
  public:
    /** When at an instant it looks: at the end, as it changes nothing. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /**
     * Aborts with a message if the period is not positive.
     *
     * \param os gets the rows
     * \param period time from poll to poll, in picoseconds, 1 and above
     */
    QbbPortMonitor(std::ostream& os, QbbPs period);

    /** \param device a port, of a host for instance: without buffer. Before Start() */
    void AddDevice(Ptr<QbbNetDevice> device);

    /** \param sw a switch: all its ports, and its buffer. Before Start() */
    void AddSwitch(Ptr<QbbSwitch> sw);

    /** Writes the heading and begins: the first poll is at the next multiple of the period. */
    void Start();

    /** Polls now, unless that has been done at this instant. */
    void Poll();

    /**
     * \param device a port
     * \param buffer the switch's, or null
     * \param priority class 0..7
     * \return how it stands now; nothing is cleared
     */
    static QbbPortReading Read(const QbbPort& device,
                               const QbbBufferManager* buffer,
                               uint8_t priority);

  private:
    /** A port that is polled. */
    struct Port
    {
        Ptr<QbbNetDevice> device;                 //!< the port
        Ptr<QbbBufferManager> buffer;             //!< the switch's, or null
        std::array<QbbPortReading, 8> readings{}; //!< the last that were written, by class
    };

    void OnTick();
    void Write(const Port& port, uint8_t priority, const QbbPortReading& reading);

    std::ostream& m_os;                           //!< gets the rows
    QbbPs m_period;                               //!< from poll to poll
    QbbPs m_last{-1};                             //!< the last poll; negative: none yet
    std::vector<Port> m_ports;                    //!< in the order in which they were added
    std::vector<Ptr<QbbBufferManager>> m_buffers; //!< of switches
    QbbTimer<QbbPortMonitor, &QbbPortMonitor::OnTick, EVENT_ORDER> m_timer; //!< the next poll
};

} // namespace ns3

#endif /* QBB_PORT_MONITOR_H */
