/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INPUT_QUEUEING_H
#define QBB_INPUT_QUEUEING_H

#include "qbb-marker.h"
#include "qbb-net-device.h"
#include "qbb-virtual-output-queues.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The queues of an input-queued switch whose inputs can be read by all outputs at once.
 *
 * A frame waits in the virtual output queue of its (ingress port, egress port, priority). Whenever
 * an egress port is free, its scheduler chooses a priority, and the round robin of that priority
 * the input whose frame goes out (the switch of the IRN paper, SIGCOMM 2018, section 4.1).
 * QbbCrossbar is the kind where an input sends to one output at a time.
 *
 * The egress port counts the frames that wait for it, so that its QbbEgressQueues::GetBytes(),
 * ECN marks and telemetry mean what they mean in an output-queued switch. MacTx of the port fires
 * when a frame leaves its queue here.
 */
class QbbInputQueueing : public QbbFrameSource
{
  public:
    /** \param ports the switch's ports, by port number; they must outlive this object */
    explicit QbbInputQueueing(std::vector<QbbPort*> ports);
    ~QbbInputQueueing() override;
    QbbInputQueueing(const QbbInputQueueing&) = delete;
    QbbInputQueueing& operator=(const QbbInputQueueing&) = delete;

    /**
     * \param output where the frame is to leave; a port whose link is down drops it
     * \param frame a frame in the buffer, with the MAC addresses of its next hop
     * \param eventTime the present time in femtoseconds
     */
    void Push(uint16_t output, QbbFramePtr&& frame, QbbEventTime eventTime);

    /**
     * Throws away what waits for a port, with QbbNetDevice::DropUnsent(). A frame that crosses at
     * this moment is not among it.
     *
     * \param output the port
     * \param priority its class
     * \param reason why
     * \return frames thrown away
     */
    uint64_t Drop(uint16_t output, uint8_t priority, QbbDropReason reason);

    /**
     * A frame that is no longer in the input buffers has left an egress port's own queue.
     *
     * \param output the port
     * \param priority its class
     */
    virtual void RoomMade(uint16_t output, uint8_t priority);

    /**
     * \param output a port that is paused
     * \param priority the class
     * \return true if frames for it can leave the input buffers all the same
     */
    virtual bool CanLeave(uint16_t output, uint8_t priority) const;

    /** \param output a port that has another scheduler */
    virtual void SchedulerChanged(uint16_t output)
    {
    }

    /** \param markers see packets at QbbMarker::CHOSEN; they must outlive this object */
    void SetMarkers(std::vector<QbbMarker*> markers);

    /** \return the queues */
    const QbbVirtualOutputQueues& GetQueues() const
    {
        return m_queues;
    }

    // QbbFrameSource
    QbbFramePtr NextFrame(QbbPort& port, uint8_t priority) override;

  protected:
    /**
     * A frame has come into the queues.
     *
     * \param input where it came in
     * \param output where it is to leave
     * \param priority its class
     * \param eventTime the present time in femtoseconds
     */
    virtual void Offer(uint16_t input, uint16_t output, uint8_t priority, QbbEventTime eventTime);

    /**
     * A frame has been chosen to leave, and is still counted by its egress port.
     *
     * \param output where it leaves
     * \param input where it came in
     * \param frame the frame
     */
    void Chosen(uint16_t output, uint16_t input, QbbFrame& frame)
    {
        if (!m_markers.empty() && frame.ecn != 0)
        {
            Mark(output, input, frame);
        }
    }

    std::vector<QbbPort*> m_ports;   //!< by port number
    QbbVirtualOutputQueues m_queues; //!< all frames that wait

  private:
    void Mark(uint16_t output, uint16_t input, QbbFrame& frame);

    std::vector<QbbMarker*> m_markers; //!< SetMarkers()
};

} // namespace ns3

#endif /* QBB_INPUT_QUEUEING_H */
