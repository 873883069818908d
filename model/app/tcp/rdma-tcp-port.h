/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_PORT_H
#define RDMA_TCP_PORT_H

#include "qbb-net-device.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-send-scheduler.h"

#include <array>
#include <deque>

namespace ns3
{

class RdmaTcpSocket;

/**
 * \ingroup rdma
 * Makes the TCP connections of a host's port take turns, one segment each, like the queue pairs of
 * an RdmaNic: TCP sends a segment only when no frame of the segment's class waits in the port.
 *
 * Otherwise TCP would put whole windows into the port's queue, and a short flow would wait for the
 * whole window of a long flow of the same host. Acknowledgements and fast retransmissions do not
 * wait for a turn.
 *
 * The object takes the place of the port's frame sink and forwards all events to the previous sink.
 */
class RdmaTcpPort : public QbbFrameSink
{
  public:
    /** \param device a host's port; this object must live as long as the port is used */
    explicit RdmaTcpPort(Ptr<QbbNetDevice> device);

    /**
     * \param socket a socket that is ready to send a segment
     * \return true if it may send; otherwise RdmaTcpSocket::Resume() is called when its turn comes
     */
    bool MaySend(RdmaTcpSocket& socket);

    void ReceiveFrame(QbbPort& port, QbbFramePtr&& frame) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  private:
    bool HasRoom(uint8_t priority) const;
    void RoomMade(uint8_t priority);
    void OnKick();

    Ptr<QbbNetDevice> m_device; //!< port whose connections take turns
    QbbFrameSink& m_sink;       //!< previous sink of the port, which all events are forwarded to
    /// Sockets that wait for their turn, by class
    std::array<std::deque<Ptr<RdmaTcpSocket>>, 8> m_waiting;
    const RdmaTcpSocket* m_turn{nullptr}; //!< socket whose turn it is
    QbbTimer<RdmaTcpPort, &RdmaTcpPort::OnKick, RdmaSendScheduler::EVENT_ORDER>
        m_kick; //!< gives waiting sockets their turn
};

} // namespace ns3

#endif /* RDMA_TCP_PORT_H */
