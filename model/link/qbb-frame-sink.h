/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_SINK_H
#define QBB_FRAME_SINK_H

#include "qbb-frame.h"
#include "rdma-prefetch.h"
#include "rdma-ps.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * Consumer of the frames that a node's ports receive: a switch, or a host's NIC.
 *
 * For each received frame other than a pause frame, a port calls ReceiveFrame() once. For each
 * frame that the port sends, it calls FrameDeparts() when the transmission begins, whether the
 * frame comes from a queue, from the QbbFrameSource, by cut-through, or is a pause frame of the
 * port. For a frame that is dropped in place of being sent, the port calls FrameGone(). Only frames
 * of QbbPort::SendAtOnce() have neither call.
 *
 * Aligned to a cache line, because a port fetches the first two lines of its sink in advance.
 */
class alignas(RDMA_CACHE_LINE) QbbFrameSink
{
  public:
    virtual ~QbbFrameSink() = default;

    /** \return true if the sink forwards frames to other ports, as a switch does */
    virtual bool IsForwarder() const
    {
        return false;
    }

    /** \return ports by which received frames can leave; none, the default, unless IsForwarder() */
    virtual std::vector<const QbbPort*> GetOnwardPorts() const
    {
        return {};
    }

    /**
     * Called when a port has received a whole frame. The port handles MAC control frames itself.
     *
     * \param port port that received the frame
     * \param frame received frame, which the sink may take over; `priority` is set, `ingressPort`
     * is the port's number, and `arrival` is the current time
     */
    virtual void ReceiveFrame(QbbPort& port, QbbFramePtr&& frame) = 0;

    /**
     * Fetches what ReceiveFrame() will need into the CPU caches. Called in large fabrics while the
     * events before the arrival run; changes nothing.
     *
     * \param port port that will receive the frame
     * \param frame the frame, whose `priority` is the class at the sender
     * \param step step of RdmaEvent::Prefetch(), from 2 on; the port has fetched the first two
     * cache lines of the QbbFrameSink
     * \param [in,out] note a number that one step stores and the next step reads, for instance the
     * egress port of the frame. If a step was left out, the number is one that an earlier frame has
     * left
     */
    virtual void PrefetchFrame(const QbbPort& port,
                               const QbbFrame& frame,
                               uint32_t step,
                               uint32_t& note) const
    {
    }

    /**
     * Called when the transmission of a frame begins, pause frames included. A frame that was in a
     * queue has left the queue, so the sink may free its buffer. The sink may still modify the
     * frame, except for its size and class.
     *
     * \param port port that transmits the frame
     * \param frame transmitted frame
     * \param start instant of the first bit; before now if the frame cuts through
     */
    virtual void FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start) = 0;

    /**
     * Called when a frame leaves its buffer without transmission: the frame was dropped, or it has
     * crossed from an input buffer to the egress queue of the port.
     *
     * \param port egress port of the frame
     * \param frame the dropped or crossed frame
     */
    virtual void FrameGone(QbbPort& port, const QbbFrame& frame) = 0;

    /**
     * Called when the link went up, or went down and the egress queues have been flushed.
     *
     * \param port port of the link
     */
    virtual void LinkChanged(QbbPort& port) = 0;

    /**
     * Called when the egress scheduler of a port was replaced (QbbPort::GetEgressScheduler()).
     *
     * \param port port with the new scheduler
     */
    virtual void SchedulerChanged(QbbPort& port)
    {
    }
};

/**
 * \ingroup rdma
 * Generator of frames on demand: a port asks for a frame when it can transmit one, so no queue is
 * needed.
 */
class QbbFrameSource
{
  public:
    virtual ~QbbFrameSource() = default;

    /**
     * Returns the next frame of a class. Called when the port is idle and the class is to send.
     *
     * \param port the idle port
     * \param priority class announced by QbbPort::AnnounceSource()
     * \return the next frame; null if the class has none, in which case the port does not ask for
     *         the class until the class is announced again
     */
    virtual QbbFramePtr NextFrame(QbbPort& port, uint8_t priority) = 0;

    /**
     * Fetches what NextFrame() will need into the CPU caches. Called in large fabrics while the
     * events before the port's event run; changes nothing.
     *
     * \param port the port
     * \param priority class of the next frame, unless the port picks another class
     * \param step step of RdmaEvent::Prefetch(), from 2 on; the port has fetched the first cache
     * line of the source
     */
    virtual void PrefetchNext(const QbbPort& port, uint8_t priority, uint32_t step) const
    {
    }

    /**
     * \param port a port that asks the source for frames
     * \param input number of the port by which frames came in
     * \param priority class 0..7
     * \return bytes of the class that came in by that port and wait for \p port; 0 if the source
     *         has no queues by input
     */
    virtual uint64_t GetInputBytes(const QbbPort& port, uint16_t input, uint8_t priority) const
    {
        return 0;
    }
};

} // namespace ns3

#endif /* QBB_FRAME_SINK_H */
