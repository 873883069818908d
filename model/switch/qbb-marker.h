/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_MARKER_H
#define QBB_MARKER_H

#include "qbb-bit-rate.h"
#include "qbb-frame.h"
#include "qbb-ps.h"

#include <ns3/object.h>

#include <cstdint>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * What marks packets, or writes into them, on their way through one switch: a curve over the queue
 * length (QbbQueueLengthMarker), a congestion detector (QbbCongestionDetector), telemetry
 * (QbbIntStamper, QbbPintMeter), or a user's own (attribute Marker of QbbSwitch).
 *
 * A marker names the moments at which it wants to see packets, and has one function for each. It
 * changes what a packet says, and neither its size nor its class. Each switch has markers of its
 * own, which may keep state for each port and class.
 */
class QbbMarker : public Object
{
  public:
    /** When a marker sees a packet. A set of moments has one bit for each. */
    enum Moment : uint8_t
    {
        JOINS = 1,   //!< FrameJoins()
        CHOSEN = 2,  //!< FrameChosen()
        DEPARTS = 4, //!< FrameDeparts()
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * The switch is set up. Called before the first packet.
     *
     * \param ports the switch's ports, by port number; they outlive the marker's use
     * \param isInputQueued true if frames wait in virtual output queues
     */
    virtual void Configure(const std::vector<QbbPort*>& ports, bool isInputQueued);

    /** \return the moments at which the marker sees packets; asked after Configure() */
    virtual uint8_t GetMoments() const = 0;

    /**
     * \param stream first random stream to use
     * \return streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

    /**
     * An ECN-capable packet has been admitted, and is about to join what waits for its egress port.
     *
     * \param egress the port; its QbbPort::GetQueues() are as the packet finds them
     * \param frame the packet; its `arrival` is this instant
     */
    virtual void FrameJoins(QbbPort& egress, QbbFrame& frame);

    /**
     * Input-queued: an ECN-capable packet is taken from its virtual output queue.
     *
     * \param egress the port, which still counts the packet among those that wait
     * \param frame the packet
     * \param inputsRate sum of the rates of the ports whose packets wait for the egress port, as
     *        far as needed to say whether the sum is above the egress port's rate
     */
    virtual void FrameChosen(QbbPort& egress, QbbFrame& frame, QbbBitRate inputsRate);

    /**
     * A frame begins its transmission, ECN-capable or not, pause frames included. It has left its
     * queue.
     *
     * \param egress the port
     * \param frame the frame
     * \param start the instant of its first bit
     */
    virtual void FrameDeparts(QbbPort& egress, QbbFrame& frame, QbbPs start);

  protected:
    /**
     * Marks a packet CE, and counts that at its egress port. Leaves packets that are not
     * ECN-capable, and those that have the mark, as they are.
     *
     * \param egress the port
     * \param frame the packet
     */
    static void MarkCe(QbbPort& egress, QbbFrame& frame);
};

} // namespace ns3

#endif /* QBB_MARKER_H */
