/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SEND_SCHEDULER_H
#define RDMA_SEND_SCHEDULER_H

#include "qbb-frame-sink.h"
#include "qbb-frame.h"
#include "rdma-event-order.h"
#include "rdma-pace-heap.h"
#include "rdma-packet-engine.h"
#include "rdma-prefetch.h"
#include "rdma-ring-buffer.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * Picks the queue pair of a NIC that sends the next packet: round robin, packet by packet, among
 * the queue pairs with packets to send, for each class of each port.
 *
 * A queue pair with packets to send is in the ready list of its port and class. When the port has
 * room for the class, the port calls NextFrame(), which takes the first queue pair of the list,
 * sends one packet and appends the queue pair to the list. A queue pair that may not send before
 * its pace allows a packet leaves the list until then; RdmaPacer, in the queue pair's reaction
 * point, decides on that instant. A queue pair without congestion control has neither reaction
 * point nor pacer, and never leaves the list for its pace.
 *
 * The scheduler never iterates over all queue pairs, so that idle ones cost nothing. Memory is
 * allocated only when more queue pairs are active than ever before.
 */
class RdmaSendScheduler : public QbbFrameSource
{
  public:
    /**
     * Order, among the events of one instant, at which queue pairs start after a post, a timeout or
     * a pacing delay. RdmaTcpHost and the cleanup of RdmaNic use the same order.
     */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Settling::At<1>();

    RdmaSendScheduler();

    /** \param device port with the next index; must live until the scheduler ends or Clear() */
    void AddPort(QbbPort* device);

    /** Removes all queue pairs and ports. */
    void Clear();

    /**
     * Adds a queue pair with packets to send at the end of the current instant. Queue pairs that
     * start at one instant start in the order of their numbers.
     *
     * \param qp the queue pair
     */
    void Activate(RdmaPacketEngine* qp);

    /** Adds a queue pair with packets to send at once. \param qp the queue pair */
    void MakeReady(RdmaPacketEngine* qp);

    /**
     * Updates the pacing of a queue pair after feedback to its congestion control.
     *
     * \param qp the queue pair
     * \param now current time
     */
    void PaceChanged(RdmaPacketEngine* qp, RdmaPs now);

    /** \param qp a queue pair to remove; it sends no further packets */
    void Remove(RdmaPacketEngine* qp);

    /**
     * Takes the ready queue pairs from a port whose queue pairs may go over to other ports.
     *
     * \param port index of the port
     * \param [in,out] ready gets the queue pairs, by class and turn; to be given to PutReady()
     */
    void TakeReady(uint32_t port, std::vector<RdmaPacketEngine*>& ready);

    /** \param ready queue pairs of TakeReady(), which become ready at their present ports */
    void PutReady(const std::vector<RdmaPacketEngine*>& ready);

    /**
     * \param port port that may send
     * \param priority traffic class that may be sent
     * \return the next packet, or null if no queue pair may send now
     */
    QbbFramePtr NextFrame(QbbPort& port, uint8_t priority) override;

    // QbbFrameSource
    void PrefetchNext(const QbbPort& port, uint8_t priority, uint32_t step) const override;

    /** Prefetches what the timer event reads. \param step step of RdmaEvent::Prefetch()
     */
    void PrefetchTimer(uint32_t step) const;

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  private:
    /** A port and its ready queue pairs in round-robin order, by class. */
    class alignas(RDMA_CACHE_LINE) Port
    {
      public:
        /** \param device device of the port */
        explicit Port(QbbPort* device)
            : m_device(device)
        {
        }

        /** \return device of the port */
        QbbPort& GetDevice() const
        {
            return *m_device;
        }

        /** \param priority class \return the first queue pair of the class, or null */
        RdmaPacketEngine* GetFirst(uint8_t priority) const
        {
            return m_first[priority];
        }

        /** Appends a queue pair. \param priority its class \param qp the queue pair */
        void Push(uint8_t priority, RdmaPacketEngine* qp)
        {
            if (!m_first[priority])
            {
                m_first[priority] = qp;
                return;
            }
            m_more |= static_cast<uint8_t>(1U << priority);
            m_others[priority].Push(std::move(qp));
        }

        /** Removes the first queue pair of a class, which has one. \param priority class */
        void Pop(uint8_t priority)
        {
            m_first[priority] = nullptr;
            if (m_more & (1U << priority))
            {
                PopOther(priority);
            }
        }

        /** Removes a queue pair, if it is ready. \param priority class \param qp queue pair */
        void Remove(uint8_t priority, RdmaPacketEngine* qp)
        {
            m_others[priority].Remove(qp);
            if (m_others[priority].IsEmpty())
            {
                m_more &= static_cast<uint8_t>(~(1U << priority));
            }
            if (m_first[priority] == qp)
            {
                Pop(priority);
            }
        }

        /** Fetches the first queue pair's pointer into the CPU caches. \param priority class */
        void Prefetch(uint8_t priority) const
        {
            RdmaPrefetch(this);
            RdmaPrefetch(&m_first[priority]);
        }

      private:
        void PopOther(uint8_t priority)
        {
            m_first[priority] = m_others[priority].Pop();
            if (m_others[priority].IsEmpty())
            {
                m_more &= static_cast<uint8_t>(~(1U << priority));
            }
        }

        // Most classes have one ready queue pair, and then need no ring.
        QbbPort* m_device;                                         //!< device of the port
        uint8_t m_more{0};                                         //!< classes with others
        std::array<RdmaPacketEngine*, 8> m_first{};                //!< first queue pairs, or null
        std::array<RdmaRingBuffer<RdmaPacketEngine*>, 8> m_others; //!< queue pairs behind them
    };

    void OnKick();
    void Wait(RdmaPacketEngine* qp, RdmaPs now);

    std::vector<Port> m_ports; //!< ports by index
    /// queue pairs that start at the end of the current instant
    std::vector<RdmaPacketEngine*> m_pending;
    std::vector<RdmaPacketEngine*> m_starting; //!< queue pairs that start in the current OnKick()
    RdmaPaceHeap<RdmaPacketEngine> m_paced;    //!< queue pairs that wait for pacing
    RdmaTimer<RdmaSendScheduler, &RdmaSendScheduler::OnKick, EVENT_ORDER>
        m_kick; //!< end of the current instant, or earliest pacing time
};

} // namespace ns3

#endif /* RDMA_SEND_SCHEDULER_H */
