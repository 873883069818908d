/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CROSSBAR_H
#define QBB_CROSSBAR_H

#include "qbb-crossbar-matcher.h"
#include "qbb-event-order.h"
#include "qbb-input-queueing.h"
#include "qbb-line-rate.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The queues of an input-queued switch behind a crossbar: an input sends to one output at a time,
 * and an output receives from one input at a time.
 *
 * QbbCrossbarMatcher says who goes with whom. A frame crosses whole, in the time of its bytes (MAC
 * addresses to FCS) at Speedup times the rate of the switch's fastest port, and stays in its input
 * buffer until it has crossed. Then it goes to the queue of its priority at the egress port, which
 * is small: no further frame of a class begins to cross to a port that holds EgressBytes of it.
 * What waits there is in no input buffer's accounts. A class that is paused at the egress port
 * therefore keeps neither other classes nor other outputs from crossing.
 *
 * An output shares its turns among classes by the scheduler of its port. A strict class of an input
 * goes before others to whatever output; its weighted classes have no order there.
 *
 * Frames that arrive or have crossed at one instant are matched together, after all of them.
 */
class QbbCrossbar : public QbbInputQueueing
{
  public:
    /** When at an instant it matches, and hands frames to its ports. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Fabrics::At<0>();

    /**
     * \param ports the switch's ports, by port number
     * \param sink the switch, which is told when a frame leaves its input buffer
     * \param speedup of the crossbar over the fastest port, at least 1
     * \param egressBytes of a class at a port, from which on none follows; 0: two largest frames
     */
    QbbCrossbar(std::vector<QbbPort*> ports,
                QbbFrameSink& sink,
                double speedup,
                uint32_t egressBytes);

    void RoomMade(uint16_t output, uint8_t priority) override;
    bool CanLeave(uint16_t output, uint8_t priority) const override;
    void SchedulerChanged(uint16_t output) override;

    /** \return frames that cross at this moment */
    uint32_t GetNCrossing() const
    {
        return static_cast<uint32_t>(m_transfers.size());
    }

  protected:
    void Offer(uint16_t input, uint16_t output, uint8_t priority, QbbEventTime eventTime) override;

  private:
    /** A frame that crosses. */
    struct Transfer
    {
        QbbPs end{0};       //!< when it has crossed
        uint16_t input{0};  //!< from here
        uint16_t output{0}; //!< to here
        QbbFramePtr frame;  //!< the frame
    };

    void OnTimer();
    void Deliver(Transfer& transfer, QbbEventTime eventTime);
    void UpdateRoom(uint16_t output, uint8_t priority);

    using CrossbarTimer = QbbTimer<QbbCrossbar, &QbbCrossbar::OnTimer, EVENT_ORDER>;

    QbbFrameSink& m_sink;                //!< the switch
    QbbLineRate m_rate;                  //!< of the crossbar
    std::vector<uint32_t> m_egressBytes; //!< most that waits at a port before the last frame
    QbbCrossbarMatcher m_matcher;        //!< who goes with whom
    std::vector<Transfer> m_transfers;   //!< at most one for each port
    std::deque<CrossbarTimer> m_ends;    //!< a frame has crossed, by input
    CrossbarTimer m_timer;               //!< frames may begin to cross
    bool m_inside{false};                //!< in OnTimer(), which matches by itself
};

} // namespace ns3

#endif /* QBB_CROSSBAR_H */
