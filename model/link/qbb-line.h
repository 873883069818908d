/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_LINE_H
#define QBB_LINE_H

#include "qbb-frame-list.h"
#include "qbb-port-counters.h"
#include "rdma-event-order.h"
#include "rdma-time.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

class QbbPort;

/**
 * \ingroup rdma
 * One direction of a QbbChannel: the frames in flight towards a port.
 *
 * If the nodes at the two ends run on different threads or processes, the sender gives frames to a
 * QbbLineExit, and the receiver's thread or process puts them on the line.
 *
 * The line is its own arrival event. It is in the scheduler at most once, for the first frame in
 * flight. The scheduler holds a reference, so a line may outlive its cable and then does nothing.
 */
class alignas(64) QbbLine final : public RdmaEvent
{
  public:
    /** \param receiver port at the far end; null: the line delivers no frames */
    void SetReceiver(QbbPort* receiver)
    {
        m_receiver = receiver;
    }

    /** \return port at the far end, or null */
    QbbPort* GetReceiver() const
    {
        return m_receiver;
    }

    /** \param delay propagation delay; must not change while frames are in flight */
    void SetDelay(RdmaPs delay)
    {
        m_delay = delay;
    }

    /** \return the propagation delay */
    RdmaPs GetDelay() const
    {
        return m_delay;
    }

    /** \param serialized true to serialise each frame to bytes and parse the bytes */
    void SetSerialized(bool serialized)
    {
        m_isSerialized = serialized;
    }

    /** \return true if frames are serialised to bytes and parsed */
    bool IsSerialized() const
    {
        return m_isSerialized;
    }

    /**
     * Puts a frame on the line.
     *
     * \param frame frame to transmit
     * \param sent instant at which the last bit leaves the sender
     * \param eventTime time of the running event
     */
    [[gnu::always_inline]] void Transmit(QbbFramePtr&& frame, RdmaPs sent, RdmaEventTime eventTime)
    {
        Add(sent + m_delay, std::move(frame), eventTime);
    }

    /**
     * Puts a frame that comes from another thread or process on the line.
     *
     * \param frame frame from the pool of the receiver
     * \param arrival instant at which the last bit arrives, in the future
     */
    void TakeOver(QbbFramePtr&& frame, RdmaPs arrival);

    // Inherited from RdmaEvent
    void Run() override;
    void Prefetch(uint32_t step) const override;

    /** Loses all frames in flight, and counts their loss at the receiver. */
    void LoseAll();

    /**
     * Loses a frame because the link went down, and counts the loss.
     *
     * \param frame the frame
     * \param at time of the event that took the link down
     */
    void Lose(QbbFrame& frame, RdmaEventTime at);

    /** Discards all frames in flight without counting them. */
    void Clear()
    {
        m_frames.Clear();
    }

    /** \return true if an arrival is scheduled */
    bool IsBusy() const
    {
        return m_eventTime != RdmaEventTime::Never();
    }

    /** \return number of frames in flight; takes time linear in this number */
    std::size_t GetInFlight() const
    {
        return m_frames.GetSize();
    }

    /** Calls a function for each frame in flight. \param visit function of a const QbbFrame& */
    template <typename Visit>
    void ForEachFrame(const Visit& visit) const
    {
        m_frames.ForEach(visit);
    }

    /** \return number of frames lost in flight because the link went down */
    uint64_t GetLostInFlight() const
    {
        return m_lostInFlight;
    }

    /** \return number of frames whose bytes did not parse */
    uint64_t GetMalformed() const
    {
        return m_malformed;
    }

  private:
    [[gnu::always_inline]] void Add(RdmaPs arrival, QbbFramePtr&& frame, RdmaEventTime eventTime)
    {
        if (m_nodeId == UINT32_MAX)
        {
            FindReceiver();
        }
        // ScheduleArrival() reads the time when the frame has become the first one of the line.
        frame->arrival = RdmaEventTime(
            arrival,
            RdmaEventOrder::Arrivals::AtPort(RdmaPortPlace(m_nodeId, m_deviceIndex, arrival)));
        m_frames.Push(std::move(frame));
        if (!IsBusy())
        {
            ScheduleArrival(eventTime);
        }
    }

    void FindReceiver();
    void ScheduleArrival(RdmaEventTime eventTime);
    void TakeArrival();
    void TakeArrivalsInTurn();
    QbbFramePtr CrossAsBytes(QbbFrame& frame);

    // A frame that crosses needs the members from here to m_eventTime, which are in one cache line.
    bool m_isSerialized{false};    //!< frames cross as bytes
    RdmaPs m_delay{0};             //!< propagation delay
    QbbFrameList m_frames;         //!< frames in flight, in order of arrival
    QbbPort* m_receiver{nullptr};  //!< port at the far end, or null
    uint32_t m_nodeId{UINT32_MAX}; //!< id of the receiver's node, once a frame has been sent
    uint32_t m_deviceIndex{0};     //!< index of the receiver among its node's devices
    RdmaEventTime m_eventTime{RdmaEventTime::Never()}; //!< scheduled arrival; Never(): none

    std::vector<uint8_t> m_bytes; //!< scratch buffer of CrossAsBytes()
    uint64_t m_lostInFlight{0};   //!< frames lost because the link went down
    uint32_t m_malformed{0};      //!< frames lost because their bytes did not parse
    mutable uint32_t m_note{0};   //!< number that a step of Prefetch() leaves to the next step
};

} // namespace ns3

#endif /* QBB_LINE_H */
