/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_NET_DEVICE_H
#define QBB_NET_DEVICE_H

#include "qbb-channel.h"
#include "qbb-classifier.h"
#include "qbb-egress-scheduler.h"
#include "qbb-event-order.h"
#include "qbb-flow-control.h"
#include "qbb-frame-sink.h"
#include "qbb-frame.h"
#include "qbb-line-rate.h"
#include "qbb-port-counters.h"
#include "qbb-ring.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/data-rate.h>
#include <ns3/error-model.h>
#include <ns3/net-device.h>
#include <ns3/traced-callback.h>

#include <array>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A full-duplex Ethernet port with eight priorities and priority-based flow control
 * (IEEE 802.1Qbb, now IEEE 802.1Q clause 36).
 *
 * Way of a frame out: Enqueue() (switch), Send() (ns-3's stack) or a QbbFrameSource (NIC) ->
 * TryTransmit() picks a class with the QbbEgressScheduler among those that are not paused ->
 * QbbChannel. Way in: QbbChannel -> ReceiveFromLine() -> pause frames to QbbFlowControl, all others
 * to the QbbFrameSink, or to ns3's stack where there is none.
 *
 * Pause frames that this port sends wait for the frame in transmission, overtake all queued ones
 * and are never paused themselves. A frame occupies the line for its bytes, preamble and gap
 * (attribute LineOverhead).
 *
 * An idle port has no event in the scheduler: the end of a transmission is an event only if another
 * frame waits for it.
 */
class QbbNetDevice : public NetDevice, private QbbFlowControlPort
{
  public:
    /// Ingress port of frames that this node made itself: they are in no switch's accounts.
    static constexpr uint16_t NO_PORT = 0xffff;

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbNetDevice();
    ~QbbNetDevice() override;

    // Set-up

    /**
     * \param channel the cable
     * \return true
     */
    bool Attach(Ptr<QbbChannel> channel);

    /** \param sink who gets the frames that come in; it must outlive the device's events */
    void SetSink(QbbFrameSink* sink)
    {
        m_sink = sink;
    }

    /** \return who gets the frames that come in, or null */
    QbbFrameSink* GetSink() const
    {
        return m_sink;
    }

    /** \param source who makes frames for SetSourceReady() classes */
    void SetSource(QbbFrameSource* source)
    {
        m_source = source;
    }

    /** \param rate the line rate */
    void SetDataRate(DataRate rate);
    /** \return the line rate */
    DataRate GetDataRate() const;

    /** \param text see QbbEgressScheduler::FromText() */
    void SetScheduler(std::string text);
    /** \return the scheduler's text form */
    std::string GetScheduler() const;

    /** \param trust what gives a frame its class */
    void SetTrust(QbbClassifier::Trust trust);
    /** \return what gives a frame its class */
    QbbClassifier::Trust GetTrust() const;

    /** \return the DSCP and PCP tables of this port */
    QbbClassifier& GetClassifier()
    {
        return m_classifier;
    }

    // Frames

    /**
     * Puts a frame into the queue of its class. Only a link that is down loses it.
     *
     * \param frame the frame, addressed, with `priority` and `size` set
     */
    void Enqueue(QbbFramePtr frame);

    /**
     * The same for a caller that knows the time.
     *
     * \param frame the frame, addressed, with `priority` and `size` set
     * \param nowFs the present time in femtoseconds
     */
    void Enqueue(QbbFramePtr&& frame, int64_t nowFs);

    /**
     * Sends a frame that a switch has just received whole, as one that cuts through had begun to
     * before: from \p earliestPs on, or from when the line was free and the class might be sent.
     *
     * \param [in,out] frame the frame; taken if it is sent
     * \param earliestPs when enough of it had come in, in picoseconds; not after now
     * \param nowFs the present time in femtoseconds
     * \return false if the line is in use or something waits for it: then Enqueue() it
     */
    bool CutThrough(QbbFramePtr& frame, int64_t earliestPs, int64_t nowFs);

    /**
     * Announces that the source has frames of a class, or has none.
     *
     * \param priority class 0..7
     * \param ready true if NextFrame() would give a frame
     */
    void SetSourceReady(uint8_t priority, bool ready);

    /**
     * The same for a caller that knows the time.
     *
     * \param priority class 0..7, for which NextFrame() would give a frame
     * \param nowFs the present time in femtoseconds
     */
    void AnnounceSource(uint8_t priority, int64_t nowFs)
    {
        m_sourceReady |= static_cast<uint8_t>(1U << priority);
        TryTransmit(nowFs);
    }

    /**
     * Counts a frame that is to leave here and waits in a switch's input buffer as part of this
     * port's queue.
     *
     * \param priority class 0..7
     * \param bytes its size
     */
    void AddWaiting(uint8_t priority, uint32_t bytes);

    /**
     * A frame of AddWaiting() is taken out of the switch's queue.
     *
     * \param priority class 0..7
     * \param bytes its size
     */
    void RemoveWaiting(uint8_t priority, uint32_t bytes)
    {
        m_queueBytes[priority] -= bytes;
        m_waiting[priority].bytes -= bytes;
        --m_waiting[priority].frames;
    }

    /** Starts a transmission if the port is idle and there is something that may be sent. */
    void TryTransmit();

    /**
     * The same for a caller that knows the time.
     *
     * \param nowFs the present time in femtoseconds
     */
    void TryTransmit(int64_t nowFs);

    /**
     * Throws away what waits in the queue of a class, through QbbFrameSink::FrameGone().
     *
     * \param priority class 0..7
     * \param reason why
     * \return frames thrown away
     */
    uint64_t DropQueue(uint8_t priority, QbbDropReason reason);

    /**
     * Drops the last frame in the queue of a class, and tells QbbFrameSink::FrameGone().
     *
     * \param priority class 0..7
     * \param reason why
     * \return false if the queue is empty
     */
    bool DropLast(uint8_t priority, QbbDropReason reason);

    /**
     * \param priority class 0..7
     * \param ingressPort a port number of the switch
     * \return bytes in the queue of the class that came in there; looks at every frame
     */
    uint64_t GetQueueBytesFrom(uint8_t priority, uint16_t ingressPort) const;

    /**
     * Hands a frame of type PACKET to ns-3's stack.
     *
     * \param frame the frame
     */
    void DeliverToStack(const QbbFrame& frame);

    /**
     * A frame's last bit has come in. Called by the channel.
     *
     * \param frame the frame
     * \param nowFs the present time in femtoseconds
     */
    void ReceiveFromLine(QbbFramePtr&& frame, int64_t nowFs);

    /**
     * A frame for this port got lost on the line. Called by the channel.
     *
     * \param frame the frame
     * \param reason why
     */
    void LoseOnLine(QbbFrame& frame, QbbDropReason reason);

    /** The link's state has changed. Called by the channel. */
    void LineChanged();

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

    /** Sets the watermarks among the counters to the present values. */
    void ClearWatermarks();

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

    /**
     * \param priority class 0..7
     * \return bytes that wait to leave here, at the port or in a switch's input buffers
     */
    uint64_t GetQueueBytes(uint8_t priority) const
    {
        return m_queueBytes[priority];
    }

    /**
     * \param priority class 0..7
     * \return frames that wait to leave here, at the port or in a switch's input buffers
     */
    std::size_t GetQueueFrames(uint8_t priority) const
    {
        return m_queues[priority].GetSize() + m_waiting[priority].frames;
    }

    /** \param priority class 0..7 \return bytes of GetQueueBytes() that are at the port itself */
    uint64_t GetEgressBytes(uint8_t priority) const
    {
        return m_queueBytes[priority] - m_waiting[priority].bytes;
    }

    /**
     * \param priority class 0..7
     * \param place counted from the first that is to leave, below GetQueueFrames()
     * \return a frame that waits in its queue
     */
    const QbbFrame& GetQueuedFrame(uint8_t priority, std::size_t place) const
    {
        return *m_queues[priority][place];
    }

    /** \return the instant at which the present transmission ends; past if the port is idle */
    int64_t GetBusyUntilPs() const
    {
        return m_busyUntilPs;
    }

    /** \return exact transmission times at this port's rate */
    const QbbLineRate& GetLineRate() const
    {
        return m_rate;
    }

    /** \return bytes of preamble and gap that a frame costs on the line: 20, or 0 */
    uint32_t GetLineOverheadBytes() const;

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
        return IsInitialized() && m_sink && m_flow.GetLosslessClasses();
    }

    /** \return the largest frame that the port may send, in bytes, FCS and tag included */
    uint32_t GetMaxFrameBytes() const;

    /**
     * \param number the port's number at the switch or NIC behind it, which frames that come in
     *        get as their ingress port
     */
    void SetPortNumber(uint16_t number)
    {
        m_portNumber = number;
    }

    /** \return how the port chooses among its classes */
    const QbbEgressScheduler& GetEgressScheduler() const
    {
        return m_scheduler;
    }

    /** \return the port's number at the switch or NIC behind it */
    uint16_t GetPortNumber() const
    {
        return m_portNumber;
    }

    /** \return the other end of the cable, or null */
    QbbNetDevice* GetPeer() const
    {
        return m_channel ? m_channel->GetPeer(this) : nullptr;
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

    /** \return frames of this port's own making come from here */
    QbbFramePool& GetPool()
    {
        return m_pool;
    }

    /** \return the cable */
    Ptr<QbbChannel> GetQbbChannel() const
    {
        return m_channel;
    }

    // NetDevice

    void SetIfIndex(const uint32_t index) override;

    uint32_t GetIfIndex() const final
    {
        return m_ifIndex;
    }

    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

    /**
     * TracedCallback signature of Drop.
     *
     * \param packet the frame from its Ethernet header on, without FCS
     * \param reason why it was thrown away
     */
    typedef void (*DropCallback)(Ptr<const Packet> packet, QbbDropReason reason);

    /**
     * TracedCallback signature of PfcSent and PfcReceived.
     *
     * \param priority the class
     * \param quanta the pause time; 0 resumes
     */
    typedef void (*PfcCallback)(uint8_t priority, uint16_t quanta);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /** What waits for this port in a switch's input buffers. */
    struct Waiting
    {
        uint64_t bytes{0};  //!< bytes
        uint32_t frames{0}; //!< frames
    };

    using PacketTrace = TracedCallback<Ptr<const Packet>>;
    using PfcTrace = TracedCallback<uint8_t, uint16_t>;

    void OnPortEvent();
    using PortTimer = QbbTimer<QbbNetDevice, &QbbNetDevice::OnPortEvent>;

    // QbbFlowControlPort
    void FlowChanged() override;
    void FlowTimerFired() override;

    uint32_t GetEventOrder(int64_t atPs) const final
    {
        return QbbEventOrder::PORT + QbbPortPlace(m_nodeId, m_ifIndex, atPs) / 2;
    }

    QbbFramePtr NextFrameToSend(int64_t nowPs);
    QbbFramePtr MakePauseFrame(int64_t nowPs);
    static void FireTrace(PfcTrace& trace, const QbbFlowControl::Pauses& pauses);
    void CountSent(const QbbFrame& frame);
    void StartTransmission(QbbFramePtr&& frame, int64_t nowFs, int64_t startPs);

    void ArmTransmission(int64_t nowFs);

    bool HasWork() const
    {
        return GetReady() || m_flow.IsPending();
    }

    void ReceiveMacControl(const QbbFrame& frame);
    void RefuseWhileRunning(const char* attribute) const;
    void SetLineOverhead(bool overhead);
    bool HasLineOverhead() const;
    void SetFlowControlKind(QbbFlowControl::Kind kind);
    QbbFlowControl::Kind GetFlowControlKind() const;
    void SetPfcClasses(uint8_t classes);
    uint8_t GetPfcClasses() const;
    void SetPauseQuanta(uint16_t quanta);
    uint16_t GetPauseQuanta() const;
    void SetPauseRefresh(double fraction);
    double GetPauseRefresh() const;
    void SetDelayedPause(Time delay);
    Time GetDelayedPause() const;
    void TracePhyTxEnd(const QbbFrame& frame, int64_t atPs);
    static void EmitTrace(PacketTrace& trace, const QbbFrame& frame);

    /** Makes a packet of the frame if somebody listens. */
    static void FireTrace(PacketTrace& trace, const QbbFrame& frame)
    {
        if (!trace.IsEmpty())
        {
            EmitTrace(trace, frame);
        }
    }

    /** Classes with a frame that waits here or at the source. */
    uint8_t GetReady() const
    {
        return (m_queued | m_sourceReady) & static_cast<uint8_t>(~m_flow.GetPaused());
    }

    // what every frame touches
    QbbLineRate m_rate;                           //!< transmission times
    int64_t m_busyUntilPs{0};                     //!< end of the present occupancy of the line
    int64_t m_txArmedPs{QBB_NEVER};               //!< what m_txTimer was last set to
    uint64_t m_fraction{0};                       //!< below a picosecond, in 1/rate ps
    uint8_t m_queued{0};                          //!< classes with a frame in their queue
    uint8_t m_sourceReady{0};                     //!< classes for which the source has frames
    bool m_up{true};                              //!< the link is up
    bool m_sharesPlace{false};                    //!< SharesPlace()
    bool m_lineOverhead{true};                    //!< attribute LineOverhead
    uint16_t m_portNumber{0};                     //!< number at the switch or NIC
    QbbFrameSink* m_sink{nullptr};                //!< switch or NIC
    QbbFrameSource* m_source{nullptr};            //!< NIC
    Ptr<QbbChannel> m_channel;                    //!< the cable
    QbbEgressScheduler m_scheduler;               //!< whose turn it is
    QbbFlowControl m_flow;                        //!< pauses, those asked for and those heeded
    std::array<uint64_t, 8> m_queueBytes{};       //!< bytes in the queues
    std::array<QbbRing<QbbFramePtr>, 8> m_queues; //!< a queue for each class
    QbbPortCounters m_counters;                   //!< counters of all classes
    QbbClassifier m_classifier;                   //!< class of a frame
    PortTimer m_txTimer;                          //!< the line is free again

    std::array<Waiting, 8> m_waiting{};      //!< frames of AddWaiting()
    QbbFramePool m_pool;                     //!< pause frames and ns-3's packets
    Ptr<ErrorModel> m_receiveErrorModel;     //!< loses frames that come in
    uint32_t m_maxStackQueueBytes{0};        //!< attribute MaxStackQueueBytes
    uint16_t m_mtu{1500};                    //!< attribute Mtu
    bool m_tagFrames{false};                 //!< attribute TagFrames
    bool m_routedPort{false};                //!< attribute RoutedPort
    uint16_t m_vlanId{0};                    //!< attribute VlanId
    Mac48Address m_address;                  //!< attribute Address
    uint32_t m_ifIndex{0};                   //!< place among the node's devices
    uint32_t m_nodeId{0};                    //!< the node's id
    Ptr<Node> m_node;                        //!< the node
    ReceiveCallback m_receive;               //!< ns-3's stack
    PromiscReceiveCallback m_promiscReceive; //!< ns-3's stack, promiscuous
    TracedCallback<> m_linkChange;           //!< link-change callbacks

    PacketTrace m_macTx;                                     //!< trace MacTx
    PacketTrace m_macTxDrop;                                 //!< trace MacTxDrop
    PacketTrace m_macRx;                                     //!< trace MacRx
    PacketTrace m_macPromiscRx;                              //!< trace MacPromiscRx
    PacketTrace m_macRxDrop;                                 //!< trace MacRxDrop
    PacketTrace m_phyTxBegin;                                //!< trace PhyTxBegin
    PacketTrace m_phyTxEnd;                                  //!< trace PhyTxEnd
    PacketTrace m_phyRxEnd;                                  //!< trace PhyRxEnd
    PacketTrace m_phyRxDrop;                                 //!< trace PhyRxDrop
    PacketTrace m_sniffer;                                   //!< trace Sniffer
    PacketTrace m_promiscSniffer;                            //!< trace PromiscSniffer
    TracedCallback<Ptr<const Packet>, QbbDropReason> m_drop; //!< trace Drop
    PfcTrace m_pfcSent;                                      //!< trace PfcSent
    PfcTrace m_pfcReceived;                                  //!< trace PfcReceived
};

} // namespace ns3

#endif /* QBB_NET_DEVICE_H */
