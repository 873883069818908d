/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_H
#define QBB_PORT_H

#include "qbb-channel.h"
#include "qbb-event-order.h"
#include "qbb-frame-sink.h"
#include "qbb-frame.h"
#include "qbb-port-state.h"
#include "qbb-prefetch.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/mac48-address.h>
#include <ns3/net-device.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * A full-duplex Ethernet port with eight priorities: the part of a QbbNetDevice that handles
 * frames. Cables, switches, NICs and markers use QbbPort; scripts use QbbNetDevice.
 *
 * Transmission: Enqueue() (a switch, or ns-3's stack) or a QbbFrameSource (a NIC) -> the
 * QbbEgressScheduler picks one of the classes that are not paused -> QbbChannel. Reception:
 * QbbChannel -> ReceiveFromLine() -> pause frames to QbbFlowControl, all others to the
 * QbbFrameSink, or to ns-3's stack if the port has no sink.
 *
 * A pause frame to send waits for the frame in transmission, overtakes all queued frames and is
 * never paused. A frame occupies the line for its bytes, preamble and gap.
 *
 * An idle port has no event in the scheduler: the end of a transmission is an event only if another
 * frame waits for the line.
 */
class QbbPort : public QbbPortState
{
  public:
    /// Ingress port of frames created by this node, which no switch buffer accounts for.
    static constexpr uint16_t NO_PORT = 0xffff;

    // Set-up

    /** \param sink consumer of received frames; must outlive the port's events */
    void SetSink(QbbFrameSink* sink)
    {
        m_sink = sink;
    }

    /** \param source generator of frames for the classes of AnnounceSource() */
    void SetSource(QbbFrameSource* source)
    {
        m_source = source;
    }

    /** \return generator of frames from SetSource(), or null */
    const QbbFrameSource* GetSource() const
    {
        return m_source;
    }

    /**
     * \param number number of the port at its switch or NIC, which becomes the ingress port of
     *        received frames
     */
    void SetPortNumber(uint16_t number)
    {
        m_portNumber = number;
    }

    /** \return the DSCP and PCP tables of this port */
    QbbClassifier& GetClassifier()
    {
        return m_classifier;
    }

    // Transmission

    /**
     * Appends a frame to the egress queue of its class. The frame is dropped if the link is down.
     *
     * \param frame frame with its addresses, `priority` and `size` set
     * \param eventTime time of the running event
     */
    void Enqueue(QbbFramePtr&& frame, QbbEventTime eventTime = QbbEventNow());

    /**
     * \param priority class of a frame
     * \param eventTime time of the running event
     * \return true if Enqueue() would start to send the frame at once and no trace source would
     *         fire; the caller may then call Pass() in place of Enqueue()
     */
    bool LetsPass(uint8_t priority, QbbEventTime eventTime) const
    {
        return m_up && !IsBusy(eventTime) && !HasWork() &&
               !(m_flow.GetPaused() & (1U << priority)) && !IsTraced();
    }

    /**
     * Sends a frame at once, as Enqueue() does, but without a call of QbbFrameSink::FrameDeparts().
     *
     * \param frame frame for which LetsPass() is true
     * \param eventTime time of the running event
     */
    void Pass(QbbFramePtr&& frame, QbbEventTime eventTime);

    /**
     * Sends a frame by cut-through, after a switch has received the whole frame. Transmission
     * starts retroactively: at \p earliest, or later if the line became free or the class was
     * resumed later.
     *
     * \param [in,out] frame frame to send; moved from on success
     * \param earliest instant at which enough of the frame had arrived; not after now
     * \param eventTime time of the running event
     * \return false if the link is down, the class is paused, or the line is busy or awaited; the
     *         caller must then call Enqueue()
     */
    bool CutThrough(QbbFramePtr& frame, QbbPs earliest, QbbEventTime eventTime);

    /**
     * Announces that the source has frames of a class.
     *
     * \param priority class 0..7 for which NextFrame() would return a frame
     * \param eventTime time of the running event
     */
    void AnnounceSource(uint8_t priority, QbbEventTime eventTime = QbbEventNow())
    {
        m_sourceReady |= static_cast<uint8_t>(1U << priority);
        TryTransmit(eventTime);
    }

    /** Announces that the source has no more frames of a class. \param priority class 0..7 */
    void WithdrawSource(uint8_t priority)
    {
        m_sourceReady &= static_cast<uint8_t>(~(1U << priority));
    }

    /**
     * Drops all frames in the egress queue of a class, and calls QbbFrameSink::FrameGone() for
     * each.
     *
     * \param priority class 0..7
     * \param reason drop reason
     * \return number of dropped frames
     */
    uint64_t DropQueue(uint8_t priority, QbbDropReason reason);

    /** Drops an outgoing frame and tells the sink. \param frame the frame \param reason why */
    void DropUnsent(const QbbFrame& frame, QbbDropReason reason);

    /** Counts a mark that the sink has set in an outgoing packet. \param priority class 0..7 */
    void CountMark(uint8_t priority)
    {
        ++m_counters.classes[priority].ecnMarks;
        FireMark(priority);
    }

    /** Counts a drop by this port or its sink. \param frame the frame \param reason why */
    void CountDrop(const QbbFrame& frame, QbbDropReason reason);

    /** Fetches what Enqueue() needs into the CPU caches. \param priority class of the frame */
    void PrefetchTransmission(uint8_t priority) const
    {
        QbbPrefetch(&m_sink);
        QbbPrefetch(&m_busyUntil);
        m_queues.Prefetch(priority);
        QbbPrefetch(&m_flow);
        QbbPrefetch(&m_counters.classes[priority]);
    }

    /** Fetches what a timer of the port needs into the CPU caches. \param step step of
     * QbbEvent::Prefetch() */
    void PrefetchTimer(uint32_t step) const
    {
        if (step == 1)
        {
            QbbPrefetch(&m_sink);
            QbbPrefetch(&m_busyUntil);
            QbbPrefetch(&m_flow);
            return;
        }
        if (step == 2)
        {
            PrefetchQueue();
            PrefetchCable();
        }
    }

    // Reception

    /**
     * Fetches what ReceiveFromLine() and the sink need into the CPU caches.
     *
     * \param frame a frame that will arrive, with its class at the sender
     * \param step step of QbbEvent::Prefetch()
     * \param [in,out] note see QbbFrameSink::PrefetchFrame()
     */
    void PrefetchReception(const QbbFrame& frame, uint32_t step, uint32_t& note) const
    {
        if (step == 0)
        {
            QbbPrefetch(&m_sink);
            frame.Prefetch();
            return;
        }
        if (step == 1)
        {
            QbbPrefetch(&m_counters.classes[frame.priority]);
            QbbPrefetchLines(m_sink, 2);
            return;
        }
        if (m_sink)
        {
            m_sink->PrefetchFrame(*this, frame, step, note);
        }
    }

    /**
     * Receives a frame when its last bit arrives. Called by the QbbLine.
     *
     * \param frame received frame
     * \param eventTime time of the running event
     */
    void ReceiveFromLine(QbbFramePtr&& frame, QbbEventTime eventTime);

    /** Counts a frame that was lost on the line. \param frame the frame \param reason why */
    void LoseOnLine(QbbFrame& frame, QbbDropReason reason);

    /** Handles a change of the link state. Called by the channel. */
    void LineChanged();

    /** Delivers a frame to ns-3's stack. \param frame a frame of type PACKET */
    virtual void DeliverToStack(const QbbFrame& frame) = 0;

    // State

    /** \return pool for the frames that this port creates */
    QbbFramePool& GetPool()
    {
        return m_pool;
    }

    // Identity

    /** \return the port as an ns-3 NetDevice */
    virtual Ptr<NetDevice> GetDevice() = 0;

    /** \return MAC address of this port */
    const Mac48Address& GetMac() const
    {
        return m_address;
    }

    /** \return true if the link is up */
    bool IsUp() const
    {
        return m_up && m_channel;
    }

    /** \return the cable, or null */
    Ptr<QbbChannel> GetQbbChannel() const
    {
        return m_channel;
    }

    /** \return one-way delay of the cable, which must be attached */
    QbbPs GetCableDelay() const
    {
        return m_channel->GetDelayPs();
    }

    /** \return port at the other end of the cable, or null */
    QbbPort* GetPeer() const
    {
        return m_channel ? m_channel->GetPeer(this) : nullptr;
    }

  protected:
    QbbPort();
    ~QbbPort() override = default;

    /** Sets the MAC address. \param address MAC address of this port */
    void SetMac(Mac48Address address);

    /** Connects the port to a cable. \param channel the cable */
    void AttachTo(Ptr<QbbChannel> channel);

    /**
     * Starts the port with the simulation. Throws std::invalid_argument if CheckQbbLink() or
     * CheckQbbPauseSlack() finds a fault.
     */
    void Start();

    /** Stops all timers, and discards queues and connections. */
    void Stop();

  private:
    void OnPortEvent();
    using PortTimer = QbbTimer<QbbPort, &QbbPort::OnPortEvent>;

    // QbbFlowControlPort
    void FlowChanged() override;
    void FlowTimerFired() override;

    uint32_t GetEventNode() const final
    {
        return GetNodeId();
    }

    uint32_t GetEventOrder(QbbPs at) const final
    {
        return QbbEventOrder::Ports::AtPort(QbbPortPlace(m_nodeId, m_deviceIndex, at));
    }

    /** Called when the link went down or up, for the device. */
    virtual void LinkStateChanged() = 0;

    /**
     * Called when a frame of a class in m_stackWaits has left its queue.
     *
     * \param priority class of the frame
     * \param bytes size of the frame if it carries a packet of ns-3's stack, else 0
     */
    virtual void StackQueueMoved(uint8_t priority, uint32_t bytes) = 0;

    void TryTransmit(QbbEventTime eventTime);
    void ArmTransmission(QbbEventTime eventTime);
    QbbFramePtr NextFrameToSend(QbbPs now);
    QbbFramePtr MakePauseFrame(QbbPs now);

    QbbPs Occupy(const QbbFrame& frame, QbbPs start);
    void CountInClass(const QbbFrame& frame);
    void CountPassing(const QbbFrame& frame);
    void CountSent(const QbbFrame& frame);

    /** Fetches the queue and the counters of the highest class with frames into the CPU caches; the
     * scheduler may pick another class. */
    void PrefetchQueue() const
    {
        if (const uint8_t classes = m_queues.GetClasses())
        {
            const auto priority = static_cast<uint8_t>(31 - __builtin_clz(classes));
            m_queues.Prefetch(priority);
            QbbPrefetch(&m_counters.classes[priority]);
        }
    }

    void StartTransmission(QbbFramePtr&& frame, QbbEventTime eventTime, QbbPs start);
    void PutOnLine(QbbFramePtr&& frame, QbbPs sent, QbbEventTime eventTime);
    bool ShowArrival(const QbbFrame& frame);
    void ReceiveMacControl(const QbbFrame& frame);

    // These members follow those of QbbPortState in the order of use.

    QbbPs m_txArmed{QBB_NEVER}; //!< last deadline of m_txTimer
    PortTimer m_txTimer;        //!< fires when the line becomes free
    /// Pool of pause frames and of ns-3's packets
    QbbFramePool m_pool{QbbFramePool::Memory::OF_SIMULATION};
    Ptr<QbbChannel> m_channel; //!< attached cable
};

// Each frame passes through this function at each hop.
[[gnu::always_inline]] inline void
QbbPort::ReceiveFromLine(QbbFramePtr&& frame, QbbEventTime eventTime)
{
    frame->arrival = eventTime;
    frame->ingressPort = m_portNumber;
    frame->priority = m_classifier.Classify(*frame);
    if ((IsTraced() || m_mayDamage) && !ShowArrival(*frame))
    {
        return;
    }
    if (frame->IsMacControl())
    {
        FireTrace(&Sources::sniffer, *frame);
        ReceiveMacControl(*frame);
        return;
    }
    auto& counters = m_counters.classes[frame->priority];
    ++counters.rxFrames;
    counters.rxBytes += frame->size;
    if (IsTraced())
    {
        FireReception(*frame, m_address);
    }
    if (m_sink)
    {
        m_sink->ReceiveFrame(*this, std::move(frame));
    }
    else if (frame->type == QbbFrameType::PACKET)
    {
        DeliverToStack(*frame);
    }
    else
    {
        FireTrace(&RareSources::macRxDrop, *frame);
        CountDrop(*frame, QbbDropReason::UNEXPECTED);
    }
}

} // namespace ns3

#endif /* QBB_PORT_H */
