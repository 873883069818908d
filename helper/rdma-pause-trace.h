/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_TRACE_H
#define RDMA_PAUSE_TRACE_H

#include "qbb-event-order.h"
#include "qbb-pfc-watchdog.h"
#include "qbb-timer.h"
#include "rdma-event-trace.h"
#include "rdma-fabric.h"

#include <array>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A fabric on a timeline: an RdmaEventTrace with a process for each node and a track for each port
 * and class, on which the pauses that it suffers are spans and the watchdogs' doings instants; and
 * counters for the bytes in the queues of switches and of slow receivers, and for ECN marks.
 *
 * Pauses come from the trace source PfcReceived, and begin and end when they take effect. Queues
 * and marks are sampled at multiples of a period, and written when they have changed. While nothing
 * changes, the time between two samples doubles, up to 64 periods. All of it only looks: the
 * results of the run are those of a run without it. It must be there from before the run until the
 * last event.
 */
class RdmaPauseTrace
{
  public:
    /** When at an instant it looks: at the end, as it changes nothing. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Observers::At<0>();

    /**
     * \param os where to; it must outlive the object
     * \param fabric what is watched
     * \param period time between two samples of queues and marks, above 0
     */
    RdmaPauseTrace(std::ostream& os, Ptr<RdmaFabric> fabric, QbbPs period);
    ~RdmaPauseTrace();

    RdmaPauseTrace(const RdmaPauseTrace&) = delete;
    RdmaPauseTrace& operator=(const RdmaPauseTrace&) = delete;

    /**
     * The storms that a watchdog finds become instants.
     *
     * \param node the switch's node id
     * \param watchdog the watchdog
     */
    void AddWatchdog(uint32_t node, Ptr<QbbPfcWatchdog> watchdog);

    /**
     * Something has happened at a port.
     *
     * \param node node id
     * \param port port number
     * \param priority class 0..7
     * \param what its name
     */
    void AddInstant(uint32_t node, uint32_t port, uint8_t priority, const std::string& what);

    /** Writes the pauses that last, and ends the text. */
    void Finish();

  private:
    /** A (port, class). */
    struct Track
    {
        bool named{false};      //!< the track has a name in the file
        bool paused{false};     //!< there is a pause
        QbbPs start{0};         //!< when it took effect
        QbbPs until{0};         //!< when it runs out
        uint64_t queueBytes{0}; //!< latest value of the counter
        uint64_t marks{0};      //!< latest value of the counter
    };

    /** A port. */
    struct Port
    {
        Ptr<QbbNetDevice> device;       //!< the port
        uint32_t node{0};               //!< its node
        std::string name;               //!< "port 2 to host-5"
        bool isHost{false};             //!< it is a host's
        std::array<Track, 8> classes{}; //!< by class
    };

    void OnReceived(uint32_t place, uint8_t priority, uint16_t quanta);
    void ClosePause(uint32_t place, uint8_t priority, QbbPs at);
    void OnSample();
    bool SamplePort(uint32_t place, QbbPs now);
    void Name(uint32_t place, uint8_t priority);
    uint32_t GetPlace(uint32_t node, uint32_t port) const;

    RdmaEventTrace m_trace;                      //!< the file
    Ptr<RdmaFabric> m_fabric;                    //!< the fabric
    QbbPs m_period;                              //!< between two samples
    QbbPs m_step;                                //!< at present
    std::vector<Port> m_ports;                   //!< two for each link
    std::vector<std::vector<uint32_t>> m_byNode; //!< places in m_ports by node and port number
    std::vector<bool> m_named;                   //!< by node: the process has a name in the file
    bool m_finished{false};                      //!< Finish() was there
    QbbTimer<RdmaPauseTrace, &RdmaPauseTrace::OnSample, EVENT_ORDER> m_timer; //!< the next sample
};

} // namespace ns3

#endif /* RDMA_PAUSE_TRACE_H */
