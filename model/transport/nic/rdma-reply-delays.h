/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_REPLY_DELAYS_H
#define RDMA_REPLY_DELAYS_H

#include "qbb-frame.h"
#include "rdma-event-order.h"
#include "rdma-ring-buffer.h"
#include "rdma-timer.h"

#include <array>
#include <cstdint>

namespace ns3
{

class QbbPort;
class RdmaPacketEngine;

/**
 * \ingroup rdma
 * The replies of a NIC that wait for their delay: acknowledgements and CNPs.
 *
 * A delay is a latency, not a service time: replies overlap and keep their order. The replies to
 * packets of one instant are sent in the order of the packets; a CNP precedes an acknowledgement
 * due at the same instant.
 */
class RdmaReplyDelays
{
  public:
    /** Order of the timer among the events of one instant: after arrivals, before requests. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Fabrics::At<1>();

    /** Kind of a reply. */
    enum Kind : uint8_t
    {
        CNP, //!< congestion notification packet
        ACK, //!< acknowledgement or NAK
    };

    RdmaReplyDelays();

    /** \param kind kind of reply \param delay delay of the replies that follow; 0: none */
    void SetDelay(Kind kind, RdmaPs delay);

    /** \param kind kind of reply \return delay of new replies */
    RdmaPs GetDelay(Kind kind) const
    {
        return m_lines[kind].delay;
    }

    /** \param kind kind of reply \return true if a new reply has to wait */
    bool Delays(Kind kind) const
    {
        return m_lines[kind].delays;
    }

    /**
     * Sends a reply after the delay of its kind.
     *
     * \param kind kind of reply for which Delays() is true
     * \param sender queue pair that replies
     * \param port port of the queue pair
     * \param frame the reply
     */
    void Send(Kind kind, const RdmaPacketEngine* sender, QbbPort& port, QbbFramePtr&& frame);

    /** Discards the waiting replies of a queue pair. \param sender the queue pair */
    void Forget(const RdmaPacketEngine* sender);

    /**
     * Calls a function for each waiting reply.
     *
     * \param visit function of the queue pair that replies (const RdmaPacketEngine&), of its port
     *        (QbbPort*&), which the function may change, and of the reply (QbbFrame&)
     */
    template <typename Visit>
    void ForEach(Visit visit)
    {
        for (Line& line : m_lines)
        {
            for (std::size_t i = 0; i < line.waiting.GetSize(); ++i)
            {
                Reply& reply = line.waiting[i];
                visit(*reply.sender, reply.port, *reply.frame);
            }
        }
    }

    /** Discards all waiting replies. */
    void Clear();

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  private:
    /** A waiting reply. */
    struct Reply
    {
        RdmaPs due{0};                           //!< instant at which the port gets the reply
        const RdmaPacketEngine* sender{nullptr}; //!< queue pair that replies
        QbbPort* port{nullptr};                  //!< port of the queue pair
        QbbFramePtr frame;                       //!< the reply
    };

    /** Replies of one kind. */
    struct Line
    {
        RdmaPs delay{0};    //!< delay of new replies
        bool delays{false}; //!< a new reply has to wait for the delay or for earlier replies
        RdmaRingBuffer<Reply> waiting; //!< waiting replies, by time
    };

    void OnTimer();

    std::array<Line, 2> m_lines; //!< replies by kind
    RdmaTimer<RdmaReplyDelays, &RdmaReplyDelays::OnTimer, EVENT_ORDER>
        m_timer; //!< instant at which the first reply is due
};

} // namespace ns3

#endif /* RDMA_REPLY_DELAYS_H */
