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
 * The connections of a host's port take turns, one segment each, as the queue pairs of an RdmaNic
 * do: TCP hands a segment down when the port has room for its class, and holds it back otherwise.
 *
 * Without it TCP would put whole windows into the port's queue, in which a short flow then waits
 * for all that a long one of the same host has in its window. Acknowledgements and fast
 * retransmissions do not wait here.
 *
 * It stands between the port and what was the port's sink, to which it passes everything on.
 */
class RdmaTcpPort : public QbbFrameSink
{
  public:
    /** \param device a host's port; this object has to live as long as it sends */
    explicit RdmaTcpPort(Ptr<QbbNetDevice> device);

    RdmaTcpPort(const RdmaTcpPort&) = delete;
    RdmaTcpPort& operator=(const RdmaTcpPort&) = delete;

    /**
     * \param socket would send a segment now
     * \return true if it may; otherwise RdmaTcpSocket::Resume() is called when it is its turn
     */
    bool MaySend(RdmaTcpSocket& socket);

    void ReceiveFrame(QbbPort& port, QbbFramePtr frame) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;

  private:
    /** \param priority a class \return true if no frame of the class waits in the port */
    bool HasRoom(uint8_t priority) const;
    /** A frame has gone from the port's queue. \param priority its class */
    void RoomMade(uint8_t priority);
    void OnKick();

    Ptr<QbbNetDevice> m_device;                              //!< the port
    QbbFrameSink& m_sink;                                    //!< what it passes everything on to
    std::array<std::deque<Ptr<RdmaTcpSocket>>, 8> m_waiting; //!< for their turn, by class
    const RdmaTcpSocket* m_turn{nullptr};                    //!< whose turn it is
    QbbTimer<RdmaTcpPort, &RdmaTcpPort::OnKick, RdmaSendScheduler::EVENT_ORDER>
        m_kick; //!< the next one's turn
};

} // namespace ns3

#endif /* RDMA_TCP_PORT_H */
