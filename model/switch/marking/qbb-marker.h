/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_MARKER_H
#define QBB_MARKER_H

#include "qbb-ecn-marker.h"
#include "qbb-frame.h"
#include "qbb-sole-switch.h"
#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <ns3/object.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * Base class of objects that mark packets, or write into them, on their way through a switch: a
 * curve over the queue length (QbbQueueLengthMarker), a congestion detector
 * (QbbCongestionDetector), telemetry (QbbIntStamper, QbbPintMeter), or a user-defined marker
 * (attribute Marker of QbbSwitch).
 *
 * A marker names the moments at which it sees packets, and has one function for each moment. It may
 * change the contents of a packet, but neither its size nor its class. Each switch has its own
 * markers, which may keep state for each port and class.
 */
class QbbMarker : public Object
{
  public:
    /** Moments at which a marker sees packets; a set of moments is a bit mask. */
    enum Moment : uint8_t
    {
        JOINS = 1,   //!< calls FrameJoins()
        CHOSEN = 2,  //!< calls FrameChosen()
        DEPARTS = 4, //!< calls FrameDeparts()
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Called when the switch is set up, before the first packet.
     *
     * \param ports the switch's ports, by port number; valid as long as the marker is in use
     * \param isInputQueued true if frames wait in virtual output queues
     */
    virtual void Configure(const std::vector<QbbPort*>& ports, bool isInputQueued);

    /**
     * \return bit mask of the moments at which the marker sees packets; called after Configure()
     */
    virtual uint8_t GetMoments() const = 0;

    /**
     * \param stream first random stream to use
     * \return number of random streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

    /**
     * Called when an ECN-capable packet has been admitted and is about to join the queue of its
     * egress port.
     *
     * \param egress the egress port; its QbbPort::GetQueues() do not include the packet yet
     * \param frame the packet; its `arrival` is the current instant
     */
    virtual void FrameJoins(QbbPort& egress, QbbFrame& frame);

    /**
     * Called in an input-queued switch when an ECN-capable packet is taken from its virtual output
     * queue.
     *
     * \param egress the egress port, which still counts the packet as waiting
     * \param frame the packet
     * \param inputsRate sum of the line rates of the ports whose packets wait for the egress port;
     *        the sum may stop once it exceeds the egress port's rate
     */
    virtual void FrameChosen(QbbPort& egress, QbbFrame& frame, RdmaBitRate inputsRate);

    /**
     * Called when the transmission of a frame begins, ECN-capable or not, including pause frames.
     * The frame has already left its queue.
     *
     * \param egress the egress port
     * \param frame the frame
     * \param start the instant of its first bit
     */
    virtual void FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs start);

    /**
     * Describes the marker for reports, before or after Configure().
     *
     * \param egress an egress port
     * \param priority class 0..7
     * \return the curve by which the length of the queue decides; no value, the default: the marker
     *         does not mark, or does not decide by the length of the queue
     */
    virtual std::optional<QbbMarkCurve> DescribeMarks(const QbbPort& egress,
                                                      uint8_t priority) const;

    /** \return the switch that uses the marker */
    QbbSoleSwitch& GetSoleSwitch()
    {
        return m_soleSwitch;
    }

  protected:
    /**
     * Marks a packet CE and counts the mark at its egress port. Packets that are not ECN-capable or
     * already marked stay unchanged.
     *
     * \param egress egress port of the packet
     * \param frame the packet
     */
    static void MarkCe(QbbPort& egress, QbbFrame& frame);

  private:
    QbbSoleSwitch m_soleSwitch; //!< the switch that uses the marker
};

} // namespace ns3

#endif /* QBB_MARKER_H */
