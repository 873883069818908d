/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CROSSBAR_H
#define QBB_CROSSBAR_H

#include "qbb-crossbar-matcher.h"
#include "qbb-input-queueing.h"
#include "rdma-event-order.h"
#include "rdma-line-rate.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Queues of an input-queued switch with a crossbar: an input sends to one output at a time, and an
 * output receives from one input at a time.
 *
 * QbbCrossbarMatcher pairs inputs with outputs. The crossbar runs at CrossbarSpeedup (attribute of
 * QbbSwitch) times the rate of the fastest port of the switch. A frame crosses as a whole, in the
 * time that the crossbar needs for its bytes (MAC addresses to FCS), and stays in its input buffer
 * until it has crossed. Then it joins the queue of its priority at the egress port. This egress
 * queue is small: no further frame of a class starts to cross to a port that holds
 * CrossbarEgressBytes (attribute of QbbSwitch) of the class. Frames in an egress queue are not
 * charged to any input buffer. A class that is paused at the egress port therefore blocks neither
 * other classes nor other outputs.
 *
 * The egress scheduler of each port decides among the classes of that output. An input prefers its
 * strict classes, whatever their outputs, and does not rank its weighted classes.
 *
 * Matching runs once per instant, after all arrivals and completed transfers of that instant.
 */
class QbbCrossbar : public QbbInputQueueing
{
  public:
    /** Order within an instant of the events that match and that hand frames to ports. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Fabrics::At<0>();

    /**
     * \param ports the switch's ports, by port number
     * \param sink the switch, notified when a frame leaves its input buffer
     * \param speedup rate of the crossbar over the rate of the fastest port, at least 1
     * \param egressBytes bytes of a class at an egress port at which no further frame starts to
     *        cross; 0: two largest frames of the port
     */
    QbbCrossbar(std::vector<QbbPort*> ports,
                QbbFrameSink& sink,
                double speedup,
                uint32_t egressBytes);

    void EgressFrameLeft(uint16_t output, uint8_t priority) override;
    bool CanLeave(uint16_t output, uint8_t priority) const override;
    void SchedulerChanged(uint16_t output) override;

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  protected:
    void FrameQueued(uint16_t input,
                     uint16_t output,
                     uint8_t priority,
                     RdmaEventTime eventTime) override;

  private:
    using Transfer = QbbCrossbarMatcher::Transfer; //!< a frame that is crossing

    void OnTimer();
    void Deliver(Transfer& transfer, RdmaEventTime eventTime);
    void UpdateRoom(uint16_t output, uint8_t priority);

    using CrossbarTimer = RdmaTimer<QbbCrossbar, &QbbCrossbar::OnTimer, EVENT_ORDER>;

    QbbFrameSink& m_sink; //!< the switch
    RdmaLineRate m_rate;  //!< rate of the crossbar
    /// By egress port: bytes of a class at which no further frame of the class starts to cross.
    std::vector<uint32_t> m_egressBytes;
    QbbCrossbarMatcher m_matcher;      //!< pairs inputs with outputs
    std::vector<Transfer> m_transfers; //!< frames that are crossing, at most one per port
    std::deque<CrossbarTimer> m_ends;  //!< end of the transfer of each input
    CrossbarTimer m_timer;             //!< next matching that no end of a transfer triggers
    bool m_inside{false};              //!< OnTimer() is running and will match by itself
};

} // namespace ns3

#endif /* QBB_CROSSBAR_H */
