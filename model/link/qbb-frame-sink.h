/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_SINK_H
#define QBB_FRAME_SINK_H

#include "qbb-frame.h"

#include <cstdint>

namespace ns3
{

class QbbNetDevice;

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
     * \param frame the frame; its `priority` is set, its `ingressPort` is the port's index
     */
    virtual void ReceiveFrame(QbbNetDevice& port, QbbFramePtr frame) = 0;

    /**
     * A frame leaves the port's queues: it begins its transmission, or the queues were flushed
     * because the link went down. Its buffer is free again.
     *
     * \param port where
     * \param frame the frame
     */
    virtual void FrameLeft(QbbNetDevice& port, const QbbFrame& frame) = 0;

    /**
     * A frame begins its transmission, and what it says may still be changed. Only called for ports
     * with QbbNetDevice::SetAnnouncesDepartures().
     *
     * \param port where
     * \param frame the frame, no longer in the port's queue
     */
    virtual void FrameLeaves(QbbNetDevice& port, QbbFrame& frame)
    {
    }

    /**
     * The link went down (the queues have been flushed) or up.
     *
     * \param port where
     */
    virtual void LinkChanged(QbbNetDevice& port) = 0;

    /**
     * The port has another scheduler (QbbNetDevice::GetEgressScheduler()).
     *
     * \param port where
     */
    virtual void SchedulerChanged(QbbNetDevice& port)
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
     * \param priority the class, one of those announced with QbbNetDevice::SetSourceReady()
     * \return the next frame, or null if there is none after all; the class then counts as not
     *         ready until it is announced again
     */
    virtual QbbFramePtr NextFrame(QbbNetDevice& port, uint8_t priority) = 0;
};

} // namespace ns3

#endif /* QBB_FRAME_SINK_H */
