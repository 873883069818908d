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
 * Queues of an input-queued switch whose outputs can all read from the same input at once.
 *
 * A frame waits in the virtual output queue of its (ingress port, egress port, priority). Whenever
 * an egress port is free, its scheduler chooses a priority, and the round robin of that priority
 * chooses the input that sends its next frame (the switch of the IRN paper, SIGCOMM 2018, section
 * 4.1). QbbCrossbar is the variant in which an input sends to one output at a time.
 *
 * The egress port counts the frames that wait for it in virtual output queues. Its
 * QbbEgressQueues::GetBytes(), ECN marks and telemetry therefore mean what they mean in an
 * output-queued switch. The port's MacTx trace fires when a frame leaves its virtual output queue.
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
     * \param output egress port of the frame; a port whose link is down drops the frame
     * \param frame a frame in the buffer, with the MAC addresses of its next hop
     * \param eventTime the present time in femtoseconds
     */
    void Push(uint16_t output, QbbFramePtr&& frame, RdmaEventTime eventTime);

    /**
     * Drops the waiting frames of an egress port and class, with QbbPort::DropUnsent(). A frame
     * that is crossing a crossbar is not dropped.
     *
     * \param output the egress port
     * \param priority class 0..7
     * \param reason drop reason to count
     * \return number of dropped frames
     */
    uint64_t Drop(uint16_t output, uint8_t priority, QbbDropReason reason);

    /**
     * Called when a frame leaves the egress port's own queue, which is not part of the input
     * buffers.
     *
     * \param output the egress port
     * \param priority class of the frame
     */
    virtual void EgressFrameLeft(uint16_t output, uint8_t priority);

    /**
     * \param output an egress port at which the class is paused
     * \param priority the class
     * \return true if frames of the class for this port can leave the input buffers despite the
     *         pause
     */
    virtual bool CanLeave(uint16_t output, uint8_t priority) const;

    /** \param output egress port with a changed scheduler */
    virtual void SchedulerChanged(uint16_t output)
    {
    }

    /** \param markers markers for QbbMarker::CHOSEN; they must outlive this object */
    void SetMarkers(std::vector<QbbMarker*> markers);

    /** \return the virtual output queues */
    const QbbVirtualOutputQueues& GetQueues() const
    {
        return m_queues;
    }

    // Inherited from QbbFrameSource
    QbbFramePtr NextFrame(QbbPort& port, uint8_t priority) override;
    uint64_t GetInputBytes(const QbbPort& port, uint16_t input, uint8_t priority) const override;

  protected:
    /**
     * Called when a frame has joined its virtual output queue.
     *
     * \param input ingress port of the frame
     * \param output egress port of the frame
     * \param priority class of the frame
     * \param eventTime the present time in femtoseconds
     */
    virtual void FrameQueued(uint16_t input,
                             uint16_t output,
                             uint8_t priority,
                             RdmaEventTime eventTime);

    /**
     * Shows the markers a frame that was chosen to leave. The egress port still counts the frame.
     *
     * \param output egress port of the frame
     * \param input ingress port of the frame
     * \param frame the frame
     */
    void ShowToMarkers(uint16_t output, uint16_t input, QbbFrame& frame)
    {
        if (!m_markers.empty() && frame.ecn != 0)
        {
            Mark(output, input, frame);
        }
    }

    std::vector<QbbPort*> m_ports;   //!< ports of the switch, by port number
    QbbVirtualOutputQueues m_queues; //!< all waiting frames

  private:
    void Mark(uint16_t output, uint16_t input, QbbFrame& frame);

    std::vector<QbbMarker*> m_markers; //!< markers from SetMarkers()
};

} // namespace ns3

#endif /* QBB_INPUT_QUEUEING_H */
