/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_SINK_H
#define QBB_FRAME_SINK_H

#include "qbb-frame.h"
#include "qbb-ps.h"

#include <cstdint>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * Who stands behind the ports of a node: a switch, or a host's NIC.
 */
class QbbFrameSink
{
  public:
    virtual ~QbbFrameSink() = default;

    /**
     * A frame has come in whole. MAC control frames stay with the port.
     *
     * \param port where
     * \param frame the frame; its `priority` is set, its `ingressPort` is the port's number, and
     * its `arrival` is the present time
     */
    virtual void ReceiveFrame(QbbPort& port, QbbFramePtr frame) = 0;

    /**
     * A frame begins its transmission. It has left its queue, its buffer is free again, and what it
     * says may still be changed, but for its size and class. Pause frames are among them.
     *
     * \param port where
     * \param frame the frame
     * \param start the instant of its first bit; before now if it cuts through
     */
    virtual void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) = 0;

    /**
     * A frame has left its buffer without being sent: it was thrown away, or it has crossed to the
     * port's own queue.
     *
     * \param port where
     * \param frame the frame
     */
    virtual void FrameGone(QbbPort& port, const QbbFrame& frame) = 0;

    /**
     * The link went down (the queues have been flushed) or up.
     *
     * \param port where
     */
    virtual void LinkChanged(QbbPort& port) = 0;

    /**
     * The port has another scheduler (QbbPort::GetEgressScheduler()).
     *
     * \param port where
     */
    virtual void SchedulerChanged(QbbPort& port)
    {
    }
};

/**
 * \ingroup rdma
 * Makes frames when a port has room for one, in place of a queue that holds them.
 */
class QbbFrameSource
{
  public:
    virtual ~QbbFrameSource() = default;

    /**
     * The port is idle and it is this class's turn.
     *
     * \param port the port
     * \param priority the class, one of those announced with QbbPort::AnnounceSource()
     * \return the next frame, or null if there is none after all; the class then counts as not
     *         ready until it is announced again
     */
    virtual QbbFramePtr NextFrame(QbbPort& port, uint8_t priority) = 0;
};

} // namespace ns3

#endif /* QBB_FRAME_SINK_H */
