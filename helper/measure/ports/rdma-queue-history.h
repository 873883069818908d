/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_HISTORY_H
#define RDMA_QUEUE_HISTORY_H

#include "rdma-event-order.h"
#include "rdma-fabric.h"
#include "rdma-peak-readers.h"
#include "rdma-port-result.h"
#include "rdma-ps.h"
#include "rdma-timer.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Remembers the queues of all ports of a fabric, to say after a run where a packet has waited.
 *
 * The history polls the longest queue of each port and class in each period, and keeps those that
 * take LEAST_WAIT or longer to send: 16 bytes for each. A poll is an event without a node, and does
 * not affect the run. Polling goes on until the simulation stops. A rank of MPI polls its own
 * nodes; Share() adds the queues of all ranks.
 */
class RdmaQueueHistory
{
  public:
    /** Order of a poll among simultaneous events: after all events that change the simulation. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Observers::At<0>();

    /// Shorter queues are forgotten
    static constexpr RdmaPs LEAST_WAIT{100'000};

    /** A queue on a path. */
    struct Wait
    {
        std::string port; //!< name of the port, as in "leaf-2 to spine-0"
        RdmaPs time{0};   //!< time that the port takes to send the queue
    };

    /**
     * Begins to poll, before the run.
     *
     * \param fabric the fabric, which outlives the history
     * \param period time between two polls, above 0
     */
    RdmaQueueHistory(const RdmaFabric& fabric, RdmaPs period);

    /** Adds, after the run, the queues that the other ranks of MPI have seen; all ranks call this.
     */
    void Share();

    /**
     * \param path ports that a packet leaves by
     * \param priority class of the packet, 0..7
     * \param from when the packet was sent
     * \param until when the packet had arrived
     * \return the queue of the path, class and time that takes longest to send; nothing: none takes
     *         LEAST_WAIT
     */
    std::optional<Wait> FindLongest(const std::vector<const QbbPort*>& path,
                                    uint8_t priority,
                                    RdmaPs from,
                                    RdmaPs until) const;

  private:
    /** A queue in a period. */
    struct Sample
    {
        uint64_t bytes{0};   //!< longest queue
        uint32_t period{0};  //!< number of the period
        uint8_t priority{0}; //!< class of the queue
    };

    /** A port of any rank of MPI. */
    struct Port
    {
        Ptr<QbbNetDevice> device;                   //!< device of the port; null: of another rank
        std::shared_ptr<const RdmaFabricPort> port; //!< name and rate of the port
        RdmaPeakReaders::Reader peaks;              //!< reader of the peaks of the queues
        std::vector<Sample> samples;                //!< in the order of time
    };

    void OnTick();

    RdmaPs m_period;                                       //!< time between two polls
    uint32_t m_polls{0};                                   //!< number of polls
    RdmaPs m_begin{0};                                     //!< begin of the first period
    std::vector<Port> m_ports;                             //!< the ports
    std::unordered_map<const QbbPort*, uint32_t> m_places; //!< place of a port in m_ports
    RdmaTimer<RdmaQueueHistory, &RdmaQueueHistory::OnTick, EVENT_ORDER> m_timer; //!< next poll
};

} // namespace ns3

#endif /* RDMA_QUEUE_HISTORY_H */
