/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_H
#define QBB_PORT_H

#include "qbb-channel.h"
#include "qbb-classifier.h"
#include "qbb-egress-queues.h"
#include "qbb-egress-scheduler.h"
#include "qbb-event-order.h"
#include "qbb-flow-control.h"
#include "qbb-frame-sink.h"
#include "qbb-frame.h"
#include "qbb-line-rate.h"
#include "qbb-port-counters.h"
#include "qbb-port-traces.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/error-model.h>
#include <ns3/net-device.h>
#include <ns3/simulator.h>

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * \ingroup rdma
 * A full-duplex Ethernet port with eight priorities, as frames see it: the line side of a
 * QbbNetDevice. Cables, switches, NICs and markers know this class; scripts know the device.
 *
 * Way of a frame out: Enqueue() (a switch, or ns-3's stack) or a QbbFrameSource (a NIC) -> the
 * QbbEgressScheduler picks a class among those that are not paused -> QbbChannel. Way in:
 * QbbChannel -> ReceiveFromLine() -> pause frames to QbbFlowControl, all others to the
 * QbbFrameSink, or to ns-3's stack where there is none.
 *
 * Pause frames that this port sends wait for the frame in transmission, overtake all queued ones
 * and are never paused themselves. A frame occupies the line for its bytes, preamble and gap.
 *
 * An idle port has no event in the scheduler: the end of a transmission is an event only if another
 * frame waits for it.
 */
class QbbPort : public QbbPortTraces, private QbbFlowControlPort
{
  public:
    /// Ingress port of frames that this node made itself: they are in no switch's accounts.
    static constexpr uint16_t NO_PORT = 0xffff;

    // Set-up

    /** \param sink who gets the frames that come in; it must outlive the port's events */
    void SetSink(QbbFrameSink* sink)
    {
        m_sink = sink;
    }

    /** \return who gets the frames that come in, or null */
    QbbFrameSink* GetSink() const
    {
        return m_sink;
    }

    /** \param source who makes frames for the classes of AnnounceSource() */
    void SetSource(QbbFrameSource* source)
    {
        m_source = source;
    }

    /**
     * \param number the port's number at the switch or NIC behind it, which frames that come in
     *        get as their ingress port
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

    // Frames on their way out

    /**
     * Puts a frame into the queue of its class. Only a link that is down loses it.
     *
     * \param frame the frame, addressed, with `priority` and `size` set
     * \param eventTime the time of the present event
     */
    void Enqueue(QbbFramePtr&& frame, QbbEventTime eventTime = QbbEventNow());

    /**
     * Sends a frame that a switch has just received whole, as one that cuts through had begun to
     * before: from \p earliest on, or from when the line was free and the class might be sent.
     *
     * \param [in,out] frame the frame; taken if it is sent
     * \param earliest when enough of it had come in; not after now
     * \param eventTime the time of the present event
     * \return false if the line is in use or something waits for it: then Enqueue() it
     */
    bool CutThrough(QbbFramePtr& frame, QbbPs earliest, QbbEventTime eventTime);

    /**
     * Announces that the source has frames of a class.
     *
     * \param priority class 0..7, for which NextFrame() would give a frame
     * \param eventTime the time of the present event
     */
    void AnnounceSource(uint8_t priority, QbbEventTime eventTime = QbbEventNow())
    {
        m_sourceReady |= static_cast<uint8_t>(1U << priority);
        TryTransmit(eventTime);
    }

    /** The source has no more frames of a class. \param priority class 0..7 */
    void WithdrawSource(uint8_t priority)
    {
        m_sourceReady &= static_cast<uint8_t>(~(1U << priority));
    }

    /**
     * Throws away what waits in the queue of a class, through QbbFrameSink::FrameGone().
     *
     * \param priority class 0..7
     * \param reason why
     * \return frames thrown away
     */
    uint64_t DropQueue(uint8_t priority, QbbDropReason reason);

    /**
     * A frame that was to leave here is thrown away: counts it, and tells the sink.
     *
     * \param frame the frame
     * \param reason why
     */
    void DropUnsent(const QbbFrame& frame, QbbDropReason reason);

    /**
     * Counts a frame that this port or the sink behind it throws away.
     *
     * \param frame the frame
     * \param reason why
     */
    void CountDrop(const QbbFrame& frame, QbbDropReason reason);

    // Frames on their way in

    /**
     * A frame's last bit has come in. Called by the channel.
     *
     * \param frame the frame
     * \param eventTime the time of the present event
     */
    void ReceiveFromLine(QbbFramePtr&& frame, QbbEventTime eventTime);

    /**
     * A frame for this port got lost on the line. Called by the channel.
     *
     * \param frame the frame
     * \param reason why
     */
    void LoseOnLine(QbbFrame& frame, QbbDropReason reason);

    /** The link's state has changed. Called by the channel. */
    void LineChanged();

    /** \param frame a frame of type PACKET, which goes to ns-3's stack */
    virtual void DeliverToStack(const QbbFrame& frame) = 0;

    // State

    /** \return counters of all classes */
    const QbbPortCounters& GetCounters() const
    {
        return m_counters;
    }

    /** \copydoc GetCounters() const */
    QbbPortCounters& GetCounters()
    {
        return m_counters;
    }

    /** \return the flow control of the port: which pauses it asks for, and which it heeds */
    QbbFlowControl& GetFlowControl()
    {
        return m_flow;
    }

    /** \copydoc GetFlowControl() */
    const QbbFlowControl& GetFlowControl() const
    {
        return m_flow;
    }

    /** \return what waits to leave */
    QbbEgressQueues& GetQueues()
    {
        return m_queues;
    }

    /** \copydoc GetQueues() */
    const QbbEgressQueues& GetQueues() const
    {
        return m_queues;
    }

    /** \return how the port chooses among its classes */
    const QbbEgressScheduler& GetEgressScheduler() const
    {
        return m_scheduler;
    }

    /** \return exact transmission times at this port's rate */
    const QbbLineRate& GetLineRate() const
    {
        return m_rate;
    }

    /** \return bytes of preamble and gap that a frame costs on the line: 20, or 0 */
    uint32_t GetLineOverheadBytes() const;

    /** \return the largest frame that the port may send, in bytes, FCS and tag included */
    uint32_t GetMaxFrameBytes() const;

    /**
     * \param priority class 0..7
     * \return the 802.1Q tag that this host's own frames of the class carry; none by default
     */
    std::optional<uint16_t> GetTag(uint8_t priority) const
    {
        return m_tagFrames ? std::optional<uint16_t>((priority << 13) | m_vlanId) : std::nullopt;
    }

    /** \return true if frames that a switch forwards leave here without their 802.1Q tag */
    bool IsRoutedPort() const
    {
        return m_routedPort;
    }

    /** \return true if the port runs, and what is behind it has computed headroom for its link */
    bool HasHeadroom() const
    {
        return m_running && m_sink && m_flow.GetLosslessClasses();
    }

    /** \return frames of this port's own making come from here */
    QbbFramePool& GetPool()
    {
        return m_pool;
    }

    // Who it is

    /** \return the port as a device of ns-3 */
    virtual Ptr<NetDevice> GetDevice() = 0;

    /** \return the port's number at the switch or NIC behind it */
    uint16_t GetPortNumber() const
    {
        return m_portNumber;
    }

    /** \return its place among the node's devices */
    uint32_t GetDeviceIndex() const
    {
        return m_deviceIndex;
    }

    /** \return the node's id */
    uint32_t GetNodeId() const
    {
        return m_nodeId;
    }

    /** \return true if another port of the node has the same QbbPortPlace() at every instant */
    bool SharesPlace() const
    {
        return m_sharesPlace;
    }

    /** \return this port's MAC address */
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

    /** \return the other end of the cable, or null */
    QbbPort* GetPeer() const
    {
        return m_channel ? m_channel->GetPeer(this) : nullptr;
    }

  protected:
    QbbPort();
    ~QbbPort() override = default;

    /** \param channel the cable */
    void AttachTo(Ptr<QbbChannel> channel);

    /**
     * The simulation starts. Aborts with a message if the cable has no other end, or its ends do
     * not fit.
     */
    void Start();

    /** Nothing is called any more. */
    void Stop();

    // What the device's attributes set

    QbbLineRate m_rate;                  //!< attribute DataRate
    QbbEgressScheduler m_scheduler;      //!< attribute Scheduler
    QbbClassifier m_classifier;          //!< class of a frame; attribute Trust
    QbbFlowControl m_flow;               //!< pauses, those asked for and those heeded
    Ptr<ErrorModel> m_receiveErrorModel; //!< attribute ReceiveErrorModel
    uint16_t m_mtu{1500};                //!< attribute Mtu
    uint16_t m_vlanId{0};                //!< attribute VlanId
    bool m_lineOverhead{true};           //!< attribute LineOverhead
    bool m_tagFrames{false};             //!< attribute TagFrames
    bool m_routedPort{false};            //!< attribute RoutedPort
    Mac48Address m_address;              //!< attribute Address
    uint32_t m_nodeId{0};                //!< the node's id
    uint32_t m_deviceIndex{0};           //!< its place among the node's devices
    bool m_sharesPlace{false};           //!< SharesPlace()
    bool m_up{true};                     //!< the link is up

  private:
    void OnPortEvent();
    using PortTimer = QbbTimer<QbbPort, &QbbPort::OnPortEvent>;

    // QbbFlowControlPort
    void FlowChanged() override;
    void FlowTimerFired() override;

    uint32_t GetEventOrder(QbbPs at) const final
    {
        return QbbEventOrder::Ports::AtPort(QbbPortPlace(m_nodeId, m_deviceIndex, at));
    }

    /** The link went down or up: what the device does. */
    virtual void LinkStateChanged() = 0;

    void TryTransmit(QbbEventTime eventTime);
    void ArmTransmission(QbbEventTime eventTime);
    QbbFramePtr NextFrameToSend(QbbPs now);
    QbbFramePtr MakePauseFrame(QbbPs now);
    void CountSent(const QbbFrame& frame);
    void StartTransmission(QbbFramePtr&& frame, QbbEventTime eventTime, QbbPs start);
    void ReceiveMacControl(const QbbFrame& frame);

    /** Classes with a frame that waits here or at the source, and may be sent. */
    uint8_t GetReady() const
    {
        return (m_queues.GetClasses() | m_sourceReady) & static_cast<uint8_t>(~m_flow.GetPaused());
    }

    bool HasWork() const
    {
        return GetReady() || m_flow.IsPending();
    }

    QbbPs m_busyUntil{0};              //!< end of the present occupancy of the line
    QbbPs m_txArmed{QBB_NEVER};        //!< what m_txTimer was last set to
    uint64_t m_fraction{0};            //!< below a picosecond, in 1/rate ps
    QbbFrameSink* m_sink{nullptr};     //!< switch or NIC
    QbbFrameSource* m_source{nullptr}; //!< NIC
    Ptr<QbbChannel> m_channel;         //!< the cable
    uint16_t m_portNumber{0};          //!< number at the switch or NIC
    uint8_t m_sourceReady{0};          //!< classes for which the source has frames
    bool m_running{false};             //!< since Start()
    QbbEgressQueues m_queues;          //!< what waits to leave
    QbbPortCounters m_counters;        //!< counters of all classes
    PortTimer m_txTimer;               //!< the line is free again
    QbbFramePool m_pool;               //!< pause frames and ns-3's packets
};

} // namespace ns3

#endif /* QBB_PORT_H */
