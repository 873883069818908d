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

#include <cstdint>
#include <optional>

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
class QbbPort : public QbbPortTraces, private QbbFlowControlPort
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

    /** \return consumer of received frames, or null */
    QbbFrameSink* GetSink() const
    {
        return m_sink;
    }

    /** \param source generator of frames for the classes of AnnounceSource() */
    void SetSource(QbbFrameSource* source)
    {
        m_source = source;
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
     * Sends a frame by cut-through, after a switch has received the whole frame. Transmission
     * starts retroactively, from \p earliest on as soon as the line is free and the class not
     * paused.
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

    /** Counts a drop by this port or its sink. \param frame the frame \param reason why */
    void CountDrop(const QbbFrame& frame, QbbDropReason reason);

    // Reception

    /**
     * Receives a frame when its last bit arrives. Called by the channel.
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

    /** \return counters of this port */
    const QbbPortCounters& GetCounters() const
    {
        return m_counters;
    }

    /** \copydoc GetCounters() const */
    QbbPortCounters& GetCounters()
    {
        return m_counters;
    }

    /** \return flow control of the port: the pauses that it sends and honours */
    QbbFlowControl& GetFlowControl()
    {
        return m_flow;
    }

    /** \copydoc GetFlowControl() */
    const QbbFlowControl& GetFlowControl() const
    {
        return m_flow;
    }

    /** \return egress queues of the port */
    QbbEgressQueues& GetQueues()
    {
        return m_queues;
    }

    /** \copydoc GetQueues() */
    const QbbEgressQueues& GetQueues() const
    {
        return m_queues;
    }

    /** \return egress scheduler of the port */
    const QbbEgressScheduler& GetEgressScheduler() const
    {
        return m_scheduler;
    }

    /** \return line rate of the port, with exact transmission times */
    const QbbLineRate& GetLineRate() const
    {
        return m_rate;
    }

    /** \return bytes of preamble and gap per frame on the line: 20, or 0 without LineOverhead */
    uint32_t GetLineOverheadBytes() const;

    /** \return size of the largest frame that the port may send, in bytes with FCS and tag */
    uint32_t GetMaxFrameBytes() const;

    /**
     * \param priority class 0..7
     * \return 802.1Q tag of this host's own frames of the class; none unless TagFrames is set
     */
    std::optional<uint16_t> GetTag(uint8_t priority) const
    {
        return m_tagFrames ? std::optional<uint16_t>((priority << 13) | m_vlanId) : std::nullopt;
    }

    /** \return true if frames forwarded by a switch leave this port without 802.1Q tag */
    bool IsRoutedPort() const
    {
        return m_routedPort;
    }

    /** \return true if the port runs and its switch or NIC has computed headroom for the link */
    bool HasHeadroom() const
    {
        return m_running && m_sink && m_flow.GetLosslessClasses();
    }

    /** \return pool for the frames that this port creates */
    QbbFramePool& GetPool()
    {
        return m_pool;
    }

    // Identity

    /** \return the port as an ns-3 NetDevice */
    virtual Ptr<NetDevice> GetDevice() = 0;

    /** \return number of the port at its switch or NIC */
    uint16_t GetPortNumber() const
    {
        return m_portNumber;
    }

    /** \return index of the port among the node's devices */
    uint32_t GetDeviceIndex() const
    {
        return m_deviceIndex;
    }

    /** \return id of the port's node */
    uint32_t GetNodeId() const
    {
        return m_nodeId;
    }

    /** \return true if another port of the node has the same QbbPortPlace() at every instant */
    bool SharesPlace() const
    {
        return m_sharesPlace;
    }

    /** \return MAC address of this port */
    const Mac48Address& GetMac() const
    {
        return m_address;
    }

    /** \return MAC address of the port at the other end of the cable */
    const Mac48Address& GetPeerMac() const
    {
        return m_peerAddress;
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
     * Starts the port with the simulation. Aborts with a message if the cable has no other end, if
     * rate or lossless classes differ at its ends, or if pauses expire before their refresh.
     */
    void Start();

    /** Stops all timers, and discards queues and connections. */
    void Stop();

    // Set by attributes and functions of the device

    QbbLineRate m_rate;                  //!< attribute DataRate
    QbbEgressScheduler m_scheduler;      //!< attribute Scheduler
    QbbClassifier m_classifier;          //!< classifier of frames; attribute Trust
    QbbFlowControl m_flow;               //!< pauses sent and honoured
    Ptr<ErrorModel> m_receiveErrorModel; //!< attribute ReceiveErrorModel
    uint16_t m_mtu{1500};                //!< attribute Mtu
    uint16_t m_vlanId{0};                //!< attribute VlanId
    bool m_lineOverhead{true};           //!< attribute LineOverhead
    bool m_tagFrames{false};             //!< attribute TagFrames
    bool m_routedPort{false};            //!< attribute RoutedPort
    uint32_t m_nodeId{0};                //!< id of the node
    uint32_t m_deviceIndex{0};           //!< index among the node's devices
    bool m_sharesPlace{false};           //!< value of SharesPlace()
    bool m_up{true};                     //!< true if the link is up

  private:
    Mac48Address m_address;     //!< attribute Address
    Mac48Address m_peerAddress; //!< address of the port at the other end of the cable

    void OnPortEvent();
    using PortTimer = QbbTimer<QbbPort, &QbbPort::OnPortEvent>;

    // QbbFlowControlPort
    void FlowChanged() override;
    void FlowTimerFired() override;

    uint32_t GetEventOrder(QbbPs at) const final
    {
        return QbbEventOrder::Ports::AtPort(QbbPortPlace(m_nodeId, m_deviceIndex, at));
    }

    /** Called when the link went down or up, for the device. */
    virtual void LinkStateChanged() = 0;

    void TryTransmit(QbbEventTime eventTime);
    void ArmTransmission(QbbEventTime eventTime);
    QbbFramePtr NextFrameToSend(QbbPs now);
    QbbFramePtr MakePauseFrame(QbbPs now);
    void Send(QbbFramePtr&& frame, QbbEventTime eventTime, QbbPs now);
    void CountSent(const QbbFrame& frame);
    void StartTransmission(QbbFramePtr&& frame, QbbEventTime eventTime, QbbPs start);
    void ReceiveMacControl(const QbbFrame& frame);

    /** \return classes, not paused, with a frame in their queue or at the source */
    uint8_t GetReady() const
    {
        return (m_queues.GetClasses() | m_sourceReady) & static_cast<uint8_t>(~m_flow.GetPaused());
    }

    bool HasWork() const
    {
        return GetReady() || m_flow.IsPending();
    }

    QbbPs m_busyUntil{0};              //!< end of the line's current occupancy
    QbbPs m_txArmed{QBB_NEVER};        //!< last deadline of m_txTimer
    uint64_t m_fraction{0};            //!< fraction of a picosecond, in 1/rate ps
    QbbFrameSink* m_sink{nullptr};     //!< consumer of received frames
    QbbFrameSource* m_source{nullptr}; //!< generator of frames
    QbbLine* m_line{nullptr};          //!< direction of the cable on which the port sends
    Ptr<QbbChannel> m_channel;         //!< attached cable
    uint16_t m_portNumber{0};          //!< number at the switch or NIC
    uint8_t m_sourceReady{0};          //!< classes announced by the source
    bool m_running{false};             //!< true after Start()
    QbbEgressQueues m_queues;          //!< egress queues
    QbbPortCounters m_counters;        //!< counters of this port
    PortTimer m_txTimer;               //!< fires when the line becomes free
    QbbFramePool m_pool;               //!< pool of pause frames and of ns-3's packets
};

} // namespace ns3

#endif /* QBB_PORT_H */
