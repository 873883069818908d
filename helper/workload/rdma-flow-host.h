/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_HOST_H
#define RDMA_FLOW_HOST_H

#include "rdma-event-order.h"
#include "rdma-nic.h"
#include "rdma-ps.h"
#include "rdma-queue-pair.h"
#include "rdma-ring-buffer.h"
#include "rdma-timer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The queue pairs of a host's flows: their numbers, their settings and their delayed destruction.
 *
 * Each flow that begins or ends at the host has a queue pair number.
 */
class RdmaFlowHost
{
  public:
    /** Order of the destruction of queue pairs among the events of one instant. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Programs::At<2>();

    RdmaFlowHost();

    RdmaFlowHost(const RdmaFlowHost&) = delete;
    RdmaFlowHost& operator=(const RdmaFlowHost&) = delete;

    /**
     * Reserves a queue pair number for each of several flows.
     *
     * \param nic NIC of the host
     * \param flows positions of the flows
     * \param late recreates a destroyed queue pair; see RdmaNic::LateHandler
     * \return number of the first flow; the other flows have the next numbers
     */
    uint32_t Reserve(Ptr<RdmaNic> nic,
                     const std::vector<uint32_t>& flows,
                     RdmaNic::LateHandler late);

    /** \param qpn a reserved queue pair number \return position of the flow */
    uint32_t GetFlow(uint32_t qpn) const;

    /** \param nic NIC of the host, for flows that reserve their numbers elsewhere */
    void SetNic(Ptr<RdmaNic> nic)
    {
        m_nic = nic;
    }

    /** \return NIC of the host */
    RdmaNic& GetNic() const
    {
        return *m_nic;
    }

    /**
     * \param priority traffic class
     * \param port number of a port of the NIC
     * \return a queue pair without traffic at the port, with the settings of the class
     */
    const Ptr<RdmaQueuePair>& GetPrototype(uint8_t priority, uint32_t port = 0);

    /**
     * Destroys a queue pair after a fixed time, or later if it then has a response to send, or
     * earlier by FreeResting().
     *
     * \param wait time until the destruction, equal in all calls
     * \param queuePair the queue pair; becomes null
     */
    void DestroyAfter(RdmaPs wait, Ptr<RdmaQueuePair>& queuePair);

    /**
     * Destroys queue pairs of DestroyAfter() before their time, which gives their memory back.
     * These are queue pairs that nobody else refers to and that RdmaNic::LateHandler can make again
     * exactly as they are (RdmaPacketEngine::IsAtRest()). To be called in events of the host.
     */
    void FreeResting();

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  private:
    /** Consecutive queue pair numbers of flows. */
    struct Block
    {
        uint32_t firstQpn{0}; //!< first number of the block
        std::size_t place{0}; //!< place of the block's first flow in m_flows
    };

    /** Scheduled destruction of a queue pair. */
    struct Departure
    {
        RdmaPs at{0};                           //!< time of destruction
        Ptr<RdmaQueuePair>* queuePair{nullptr}; //!< queue pair; becomes null
    };

    void OnDeparture();
    void Depart(RdmaRingBuffer<Departure>& ring, RdmaPs now);
    void ArmTimer();

    Ptr<RdmaNic> m_nic;            //!< NIC of the host
    std::vector<Block> m_blocks;   //!< queue pair numbers reserved for flows, ascending
    std::vector<uint32_t> m_flows; //!< positions of the flows in the order of their numbers
    std::array<Ptr<RdmaQueuePair>, 8> m_prototypes; //!< prototypes by traffic class; may be null
    /// Prototypes at further ports, by port and traffic class
    std::map<std::pair<uint32_t, uint8_t>, Ptr<RdmaQueuePair>> m_furtherPrototypes;
    /// Destructions that FreeResting() has not looked at, earliest first
    RdmaRingBuffer<Departure> m_arrived;
    RdmaRingBuffer<Departure> m_departures; //!< destructions that FreeResting() has put off
    RdmaPs m_wait{0};                       //!< time until a destruction
    RdmaTimer<RdmaFlowHost, &RdmaFlowHost::OnDeparture, EVENT_ORDER> m_timer; //!< next destruction
};

} // namespace ns3

#endif /* RDMA_FLOW_HOST_H */
