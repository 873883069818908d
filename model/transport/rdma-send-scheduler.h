/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEND_SCHEDULER_H
#define RDMA_SEND_SCHEDULER_H

#include "qbb-event-order.h"
#include "qbb-frame.h"
#include "qbb-ring.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-pace-heap.h"
#include "rdma-packet-engine.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * Whose turn it is at a NIC: queue pairs with something to send take turns, packet by packet, in
 * each class of each port; those that must wait for their pace stand aside until then.
 *
 * No call looks at all queue pairs. Memory is allocated only while more of them are active than
 * ever before.
 */
class RdmaSendScheduler
{
  public:
    /**
     * When at an instant those begin for which something was posted, has timed out or is due. Who
     * shares the NIC's turns shares this place.
     */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Settling::At<1>();

    RdmaSendScheduler();

    /** \param device the next port, which outlives the scheduler or its Clear() */
    void AddPort(QbbPort* device);

    /** Forgets all queue pairs and ports. */
    void Clear();

    /**
     * A queue pair has something to send from the end of this instant on. Those that begin at one
     * instant begin in the order of their numbers.
     *
     * \param qp the queue pair
     */
    void Activate(RdmaPacketEngine* qp);

    /** A queue pair has something to send now. \param qp the queue pair */
    void MakeReady(RdmaPacketEngine* qp);

    /**
     * The congestion control of a queue pair that may have to wait for its pace has heard
     * something.
     *
     * \param qp the queue pair
     * \param now the instant
     */
    void PaceChanged(RdmaPacketEngine* qp, QbbPs now);

    /** \param qp a queue pair that sends nothing any more */
    void Remove(RdmaPacketEngine* qp);

    /**
     * \param port index of a port that may send
     * \param priority a class that may be sent
     * \return the next packet, or null if no queue pair has one now
     */
    QbbFramePtr Next(uint32_t port, uint8_t priority);

  private:
    /** A port. */
    struct Port
    {
        QbbPort* device{nullptr};                        //!< the device
        std::array<QbbRing<RdmaPacketEngine*>, 8> ready; //!< queue pairs in turn, by class
    };

    void OnKick();
    void Wait(RdmaPacketEngine* qp, QbbPs now);

    std::vector<Port> m_ports;                 //!< by index
    std::vector<RdmaPacketEngine*> m_pending;  //!< begin at the end of this instant
    std::vector<RdmaPacketEngine*> m_starting; //!< OnKick(): those that begin
    RdmaPaceHeap<RdmaPacketEngine> m_paced;    //!< wait for their pace
    QbbTimer<RdmaSendScheduler, &RdmaSendScheduler::OnKick, EVENT_ORDER>
        m_kick; //!< end of instant, or pace
};

} // namespace ns3

#endif /* RDMA_SEND_SCHEDULER_H */
