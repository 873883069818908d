/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_H
#define QBB_PORT_H

#include "qbb-channel.h"
#include "qbb-classifier.h"
#include "qbb-egress-queues.h"
#include "qbb-egress-scheduler.h"
#include "qbb-flow-control.h"
#include "qbb-frame-sink.h"
#include "qbb-frame.h"
#include "qbb-port-counters.h"
#include "qbb-wire.h"
#include "rdma-event-order.h"
#include "rdma-line-rate.h"
#include "rdma-prefetch.h"
#include "rdma-time.h"
#include "rdma-timer.h"
#include "rdma-trace.h"

#include <ns3/error-model.h>
#include <ns3/mac48-address.h>
#include <ns3/net-device.h>
#include <ns3/packet.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/type-id.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A full-duplex Ethernet port with eight priorities: the part of a QbbNetDevice that handles
 * frames. Cables, switches, NICs and markers use QbbPort; scripts use QbbNetDevice.
 *
 * **Transmission.** A switch, or ns-3's stack, calls Enqueue(); a NIC is a QbbFrameSource, which
 * the port asks for a frame when the port can send one. If the line is free, the QbbEgressScheduler
 * picks one of the classes that have a frame and are not paused. The port then calls
 * QbbFrameSink::FrameDeparts(), where a switch frees the frame's buffer and shows the frame to the
 * markers that act at departure (by default a switch marks earlier, when the frame joins its queue;
 * see QbbSwitch). The port puts the frame on the QbbLine of its cable, or gives the frame to a
 * QbbLineExit if the peer belongs to another thread or rank. A frame occupies the line for its
 * bytes, preamble and gap. An idle port has no event in the scheduler: the end of a transmission is
 * an event only if another frame waits for the line.
 *
 * **Reception.** The QbbLine calls ReceiveFromLine() when the last bit arrives. The port classifies
 * the frame by its own tables, and applies the attribute ReceiveErrorModel. Pause frames go no
 * further than the port: its QbbFlowControl reads them, and after PauseReactionDelay the port
 * begins no frame of the paused classes; a frame in transmission is finished. All other frames go
 * to the QbbFrameSink, or to ns-3's stack if the port has no sink.
 *
 * **Pauses that the port sends.** Its switch or NIC calls QbbFlowControl::RequestPause(). The pause
 * frame waits for the frame in transmission, overtakes all queued frames and is never paused. The
 * port repeats the pause before it expires.
 *
 * **Counters and drops** (GetCounters()). A frame counts as received once its last bit has arrived
 * undamaged, and as sent when its transmission begins. Each drop counts once, at one port, by its
 * reason and (but for pause frames) by its class, and fires the trace source Drop of that port:
 *
 * - the receiving port counts frames that the error model damages (CORRUPTED), whose bytes do not
 *   parse (MALFORMED), that are on the line when the link goes down (LINK_DOWN), or that nobody at
 *   the node wants (NOT_FOR_US, UNEXPECTED);
 * - the sending port counts frames in its queue when the link goes down, and frames that come
 *   while the link is down (LINK_DOWN), and packets of ns-3's stack that it cannot take (TOO_LONG,
 *   STACK_QUEUE, MALFORMED);
 * - a switch or NIC counts its drops at one of its ports by CountDrop(); see QbbSwitch.
 *
 * **When the link goes down** (QbbChannel::SetUp()), the port forgets the pauses that it has
 * received, drops its queues, and tells ns-3's traffic control and then its sink
 * (QbbFrameSink::LinkChanged()). When the link comes up, the port sends the pauses that are still
 * requested again, since its peer has forgotten them. Routes are not the port's business
 * (QbbRouting).
 *
 * **When the link gets slower** (QbbChannel::SetRateFrom()), frames that begin from then on take
 * the new rate. Telemetry and the congestion detectors of switches see the new rate. Headroom,
 * marking curves, weights of paths, and paces of NICs stay those of the attribute DataRate, as in a
 * chip that is configured once.
 */
class QbbPort : private QbbFlowControlPort
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

    /**
     * \param line direction of the cable on which the port sends
     * \param exit takes the port's frames in place of the line; null: the line takes them
     */
    void SetLine(QbbLine& line, QbbLineExit* exit)
    {
        m_line = exit ? nullptr : &line;
        m_exit = exit;
    }

    /** Fetches the line into the CPU caches, before a transmission. */
    void PrefetchLine() const
    {
        if (m_line)
        {
            RdmaPrefetchLines(m_line, 2);
        }
    }

    // Transmission

    /**
     * Appends a frame to the egress queue of its class. The frame is dropped if the link is down.
     *
     * \param frame frame with its addresses, `priority` and `size` set
     * \param eventTime time of the running event
     */
    void Enqueue(QbbFramePtr&& frame, RdmaEventTime eventTime = RdmaEventNow());

    /**
     * \param priority class of a frame
     * \param eventTime time of the running event
     * \return true if Enqueue() would start to send the frame at once and no trace source would
     *         fire; the caller may then call SendAtOnce() in place of Enqueue()
     */
    bool CanSendAtOnce(uint8_t priority, RdmaEventTime eventTime) const
    {
        return m_up && !IsBusy(eventTime) && !HasWork() &&
               !(m_flow.GetPaused() & (1U << priority)) && !IsTraced();
    }

    /**
     * Sends a frame at once, as Enqueue() does, but without a call of QbbFrameSink::FrameDeparts().
     *
     * \param frame frame for which CanSendAtOnce() is true
     * \param eventTime time of the running event
     */
    void SendAtOnce(QbbFramePtr&& frame, RdmaEventTime eventTime);

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
    bool CutThrough(QbbFramePtr& frame, RdmaPs earliest, RdmaEventTime eventTime);

    /**
     * Announces that the source has frames of a class.
     *
     * \param priority class 0..7 for which NextFrame() would return a frame
     * \param eventTime time of the running event
     */
    void AnnounceSource(uint8_t priority, RdmaEventTime eventTime = RdmaEventNow())
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
        RdmaPrefetch(&m_sink);
        RdmaPrefetch(&m_busyUntil);
        m_queues.Prefetch(priority);
        RdmaPrefetch(&m_txTimer);
        RdmaPrefetch(&m_counters.classes[priority]);
    }

    /** Fetches what a timer of the port needs into the CPU caches. \param step step of
     * RdmaEvent::Prefetch() */
    void PrefetchTimer(uint32_t step) const
    {
        if (step == 1)
        {
            RdmaPrefetch(&m_sink);
            RdmaPrefetch(&m_busyUntil);
            RdmaPrefetch(m_source);
            return;
        }
        if (step == 2)
        {
            PrefetchQueue();
            PrefetchLine();
        }
        if (m_sourceReady)
        {
            m_source->PrefetchNext(*this, HighestBit(m_sourceReady), step);
        }
    }

    // Reception

    /**
     * Fetches what ReceiveFromLine() and the sink need into the CPU caches.
     *
     * \param frame a frame that will arrive, with its class at the sender
     * \param step step of RdmaEvent::Prefetch()
     * \param [in,out] note see QbbFrameSink::PrefetchFrame()
     */
    void PrefetchReception(const QbbFrame& frame, uint32_t step, uint32_t& note) const
    {
        if (step == 0)
        {
            RdmaPrefetch(&m_sink);
            frame.Prefetch();
            return;
        }
        if (step == 1)
        {
            RdmaPrefetch(&m_counters.classes[frame.priority]);
            RdmaPrefetchLines(m_sink, 2);
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
    void ReceiveFromLine(QbbFramePtr&& frame, RdmaEventTime eventTime);

    /**
     * Counts a frame that was lost on the line.
     *
     * \param frame the frame
     * \param reason why
     * \param at time of the event that lost the frame: the failure of the link, which has passed
     *        when a frame from another rank of MPI arrives
     */
    void CountLossOnLine(QbbFrame& frame, QbbDropReason reason, RdmaEventTime at);

    /** Handles a change of the link state. Called by QbbChannel. */
    void HandleLinkChange();

    /**
     * Changes the rate at which the port sends. Called by QbbChannel. A frame in transmission keeps
     * its rate; the next frame begins when that frame has left the line, and has the new rate.
     *
     * \param rate new rate, at most GetLineRate()
     */
    void ChangeRate(RdmaBitRate rate);

    /**
     * Changes the rate that gives a pause quantum its length, and sends the pauses that are in
     * force again, so that none of them ends early. Called by QbbChannel.
     *
     * \param rate the rate
     */
    void ChangeQuantum(const RdmaLineRate& rate);

    /** Delivers a frame to ns-3's stack. \param frame a frame of type PACKET */
    virtual void DeliverToStack(const QbbFrame& frame) = 0;

    // Trace sources, which exist once one of them gets a sink or a watcher. A frame is converted to
    // a packet only for a source with a sink.

    /**
     * TracedCallback signature of Drop.
     *
     * \param packet the dropped frame from its Ethernet header on, without FCS
     * \param reason reason of the drop
     */
    typedef void (*DropCallback)(Ptr<const Packet> packet, QbbDropReason reason);

    /**
     * TracedCallback signature of PfcSent and PfcReceived.
     *
     * \param priority paused or resumed class
     * \param quanta pause time in quanta; 0 resumes
     */
    typedef void (*PfcCallback)(uint8_t priority, uint16_t quanta);

    /**
     * TracedCallback signature of Marked.
     *
     * \param priority class of the packet
     */
    typedef void (*MarkCallback)(uint8_t priority);

    /** \return true if a trace source of the port has a sink */
    bool HasSinks() const;

    /** \return true if the trace source PhyTxEnd has a sink */
    bool HasPhyTxEndSinks() const
    {
        return m_sources && !m_sources->phyTxEnd.IsEmpty();
    }

    // Watchers: functions that the module itself connects. A port calls them in its events, on the
    // thread of its node. A watcher may act on that node only; RdmaDefer() is for other work.

    /** Called for a class of a pause frame. \param priority the class \param quanta pause time in
     * quanta; 0 resumes */
    using PauseWatcher = std::function<void(uint8_t priority, uint16_t quanta)>;

    /** Called for a mark. \param priority class of the marked packet */
    using MarkWatcher = std::function<void(uint8_t priority)>;

    /**
     * Called for a drop.
     *
     * \param reason reason of the drop
     * \param at time of the event that dropped the frame. A rank of MPI may learn of a drop on
     *        another rank later than at that time
     */
    using DropWatcher = std::function<void(QbbDropReason reason, RdmaEventTime at)>;

    /** Called for a frame. \param frame the frame */
    using FrameWatcher = std::function<void(const QbbFrame& frame)>;

    /**
     * Calls a function for each class of each pause frame.
     *
     * \param isSent true: pause frames that the port sends; false: those that it receives
     * \param watcher the function
     */
    void AddPauseWatcher(bool isSent, PauseWatcher watcher);

    /** \param watcher function to call where the trace source Marked fires */
    void AddMarkWatcher(MarkWatcher watcher);

    /** \param watcher function to call where the trace source Drop fires */
    void AddDropWatcher(DropWatcher watcher);

    /**
     * Calls a function where the trace source PromiscSniffer or Sniffer fires.
     *
     * \param isPromiscuous true: PromiscSniffer; false: Sniffer
     * \param watcher the function
     */
    void AddFrameWatcher(bool isPromiscuous, FrameWatcher watcher);

    // State

    /** \return attribute ReceiveErrorModel */
    Ptr<ErrorModel> GetReceiveErrorModel() const
    {
        return m_receiveErrorModel;
    }

    /** \return true if an error model from outside of the module is called with the port's frames
     */
    bool CallsErrorModel() const
    {
        return m_receiveErrorModel && !LosesWholeFrames();
    }

    /** \return consumer of received frames, or null */
    QbbFrameSink* GetSink() const
    {
        return m_sink;
    }

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

    /** \return instant at which the line is or was free again, after the latest frame and its gap
     */
    RdmaPs GetLineFree() const
    {
        return m_busyUntil;
    }

    /**
     * \return line rate of the port, attribute DataRate, with exact transmission times. Thresholds,
     *         headroom and paces follow this rate, also while the port sends more slowly.
     */
    const RdmaLineRate& GetLineRate() const
    {
        return m_lineRate;
    }

    /** \return rate at which the port sends: GetLineRate(), or less after ChangeRate() */
    const RdmaLineRate& GetCurrentRate() const
    {
        return m_rate;
    }

    /** \return bytes of preamble and gap per frame on the line: 20, or 0 without LineOverhead */
    uint32_t GetLineOverheadBytes() const;

    /** \return size of the largest IP packet that the port sends, in bytes; attribute Mtu */
    uint32_t GetPacketMtu() const
    {
        return m_mtu;
    }

    /** \return size of the largest frame that the port may send, in bytes with FCS and tag */
    uint32_t GetMaxFrameBytes() const
    {
        return QbbWire::FrameBytes(m_mtu, true);
    }

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
    const Ptr<QbbChannel>& GetQbbChannel() const
    {
        return m_channel;
    }

    /** \return port at the other end of the cable, or null */
    QbbPort* GetPeer() const
    {
        return m_channel ? m_channel->GetPeer(this) : nullptr;
    }

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

    /** \return true if another port of the node has the same RdmaPortPlace() at every instant */
    bool SharesPlace() const
    {
        return m_sharesPlace;
    }

    /** \return MAC address of the port at the other end of the cable */
    const Mac48Address& GetPeerMac() const
    {
        return m_peerAddress;
    }

  protected:
    // For QbbNetDevice, the only subclass, which holds the attributes and serves ns-3's stack

    QbbPort();
    ~QbbPort() override = default;

    /** Sets the MAC address. \param address MAC address of this port */
    void SetMac(Mac48Address address);

    /** Connects the port to a cable. \param channel the cable */
    void AttachTo(Ptr<QbbChannel> channel);

    /**
     * Starts the port with the simulation. Throws std::invalid_argument if the cable has no other
     * end, if the two ends differ in rate, LineOverhead, kind of flow control or lossless classes,
     * or if a pause of the port could expire before the port repeats it.
     */
    void Start();

    /** Stops all timers, and discards queues and connections. */
    void Stop();

    /**
     * Adds the trace sources to a TypeId.
     *
     * \param tid TypeId of a device
     * \return the TypeId with the trace sources
     */
    static TypeId AddTraceSources(TypeId tid);

    /** \param model attribute ReceiveErrorModel */
    void SetReceiveErrorModel(Ptr<ErrorModel> model);

    /** A trace source that fires with the class and the quanta of a pause frame. */
    using PfcTrace = RdmaWatchedTrace<uint8_t, uint16_t>;

    /** A trace source that fires for a frame. */
    struct PacketTrace : public RdmaTrace<Ptr<const Packet>>
    {
        /** Calls the watchers, and converts the frame for the sinks, if any.
         * \param frame the frame */
        void Fire(const QbbFrame& frame) const;

        std::vector<FrameWatcher> watchers; //!< watchers, called before the sinks
    };

    /** Trace sources that fire for each frame. */
    struct Sources
    {
        PacketTrace macTx;          //!< trace source MacTx
        PacketTrace macRx;          //!< trace source MacRx
        PacketTrace macPromiscRx;   //!< trace source MacPromiscRx
        PacketTrace phyTxBegin;     //!< trace source PhyTxBegin
        PacketTrace phyTxEnd;       //!< trace source PhyTxEnd
        PacketTrace phyRxEnd;       //!< trace source PhyRxEnd
        PacketTrace sniffer;        //!< trace source Sniffer
        PacketTrace promiscSniffer; //!< trace source PromiscSniffer

        /** \return true if a trace source has a sink */
        bool HasSinks() const;
    };

    /** Trace sources that fire for drops, marks and pause frames. */
    struct RareSources
    {
        PacketTrace macTxDrop;                            //!< trace source MacTxDrop
        PacketTrace macRxDrop;                            //!< trace source MacRxDrop
        PacketTrace phyRxDrop;                            //!< trace source PhyRxDrop
        RdmaTrace<Ptr<const Packet>, QbbDropReason> drop; //!< trace source Drop
        RdmaWatchedTrace<uint8_t> marked;                 //!< trace source Marked
        PfcTrace pfcSent;                                 //!< trace source PfcSent
        PfcTrace pfcReceived;                             //!< trace source PfcReceived
        std::vector<DropWatcher> dropWatchers;            //!< watchers of drops

        /** \return true if a trace source has a sink */
        bool HasSinks() const;
    };

    /** \return true if one of Sources has or had a sink or a watcher */
    bool IsTraced() const
    {
        return m_sources != nullptr;
    }

    /** \return true if one of RareSources has or had a sink or a watcher */
    bool HasRareSinks() const
    {
        return m_rareSources != nullptr;
    }

    /**
     * Fires a trace source for a frame.
     *
     * \param source the trace source
     * \param frame frame to report
     */
    void FireTrace(PacketTrace Sources::*source, const QbbFrame& frame)
    {
        if (IsTraced())
        {
            ((*m_sources).*source).Fire(frame);
        }
    }

    /** \copydoc FireTrace() */
    void FireTrace(PacketTrace RareSources::*source, const QbbFrame& frame)
    {
        if (m_rareSources)
        {
            ((*m_rareSources).*source).Fire(frame);
        }
    }

    /**
     * Fires the trace sources MacTxDrop and Drop for a packet that is not a valid frame.
     *
     * \param packet the packet from its Ethernet header on
     */
    void FireMalformed(Ptr<const Packet> packet);

    void OnPortEvent();                                          //!< called by m_txTimer
    using PortTimer = RdmaTimer<QbbPort, &QbbPort::OnPortEvent>; //!< timer of the port

    // Members stand in the order of their use, because each cache line of a port is a cache miss in
    // a large fabric. The reception of a frame needs the first line and its class's counters. The
    // transmission of a frame needs the first line, the line behind the queues, the queue of its
    // class and its class's counters; a frame that waits or comes from the source also needs the
    // second line.

    std::unique_ptr<Sources> m_sources;         //!< null until one has a sink or a watcher
    std::unique_ptr<RareSources> m_rareSources; //!< null until one has a sink or a watcher
    QbbFrameSink* m_sink{nullptr};              //!< consumer of received frames
    QbbClassifier m_classifier;                 //!< classifier of frames; attribute Trust
    Mac48Address m_address;                     //!< attribute Address
    uint16_t m_portNumber{0};                   //!< number at the switch or NIC
    bool m_mayDamage{false};                    //!< there is an error model
    bool m_sharesPlace{false};                  //!< value of SharesPlace()
    bool m_tagFrames{false};                    //!< attribute TagFrames
    bool m_routedPort{false};                   //!< attribute RoutedPort
    uint16_t m_mtu{1500};                       //!< attribute Mtu
    uint16_t m_vlanId{0};                       //!< attribute VlanId

    PortTimer m_txTimer;               //!< fires when the line becomes free
    RdmaPs m_txArmed{RDMA_NEVER};      //!< last deadline of m_txTimer
    QbbFrameSource* m_source{nullptr}; //!< generator of frames
    uint32_t m_nodeId{0};              //!< id of the node
    uint32_t m_deviceIndex{0};         //!< index among the node's devices
    QbbEgressScheduler m_scheduler; //!< attribute Scheduler; its first member is the strict classes

    Mac48Address m_peerAddress;          //!< address of the port at the other end of the cable
    bool m_running{false};               //!< true after Start()
    uint64_t m_fraction{0};              //!< occupancy beyond m_busyUntil, in 1/rate ps
    Ptr<ErrorModel> m_receiveErrorModel; //!< attribute ReceiveErrorModel
    Ptr<Packet> m_anyPacket; //!< packet for an error model that looks at no bytes, or null

    alignas(64) QbbEgressQueues m_queues; //!< egress queues; the last member is the classes in use
    RdmaPs m_busyUntil{0};                //!< end of the line's current occupancy
    /// Direction of the cable on which the port sends; null if m_exit takes the frames.
    QbbLine* m_line{nullptr};
    uint8_t m_sourceReady{0};     //!< classes announced by the source
    bool m_up{true};              //!< true if the link is up
    uint8_t m_stackWaits{0};      //!< classes that ns-3's traffic control waits for
    bool m_lineOverhead{true};    //!< attribute LineOverhead
    RdmaLineRate m_rate;          //!< rate at which the port sends
    QbbFlowControl m_flow;        //!< pauses sent and honoured; the first member is their state
    QbbLineExit* m_exit{nullptr}; //!< takes frames for another thread or process; null: none
    alignas(64) QbbPortCounters m_counters; //!< counters of this port
    /// Pool of pause frames and of ns-3's packets
    QbbFramePool m_pool{QbbFramePool::Memory::OF_SIMULATION};
    Ptr<QbbChannel> m_channel; //!< attached cable
    RdmaLineRate m_lineRate;   //!< attribute DataRate

  private:
    template <auto source>
    class Accessor;
    template <auto source>
    static Ptr<const TraceSourceAccessor> MakeAccessor();

    /** \return the sources, made at the first call */
    template <typename S>
    static S& Make(std::unique_ptr<S>& sources)
    {
        if (!sources)
        {
            sources = std::make_unique<S>();
        }
        return *sources;
    }

    /** Fires the trace sources of a received frame that is not a pause frame.
     * \param frame received frame */
    void FireReception(const QbbFrame& frame);

    /**
     * Fires PfcSent or PfcReceived for each class of a pause frame.
     *
     * \param isSent true if the port sends the frame
     * \param pauses contents of the pause frame
     */
    void FirePauses(bool isSent, const QbbFlowControl::Pauses& pauses);

    /** Fires the trace source Marked. \param priority class of the marked packet */
    void FireMark(uint8_t priority)
    {
        if (m_rareSources)
        {
            m_rareSources->marked(priority);
        }
    }

    /**
     * Counts a drop, and fires the trace source Drop.
     *
     * \param frame dropped frame
     * \param reason drop reason
     * \param at time of the event that dropped the frame
     */
    void CountDropAt(const QbbFrame& frame, QbbDropReason reason, RdmaEventTime at);

    /** Fires the trace source Drop. For the parameters, see CountDropAt(). */
    void FireDrop(const QbbFrame& frame, QbbDropReason reason, RdmaEventTime at);

    /**
     * Schedules the trace source PhyTxEnd for a frame, if a sink is connected.
     *
     * \param frame transmitted frame
     * \param at instant at which the last bit leaves; the device is kept alive until then
     */
    void FirePhyTxEnd(const QbbFrame& frame, RdmaPs at);

    // QbbFlowControlPort
    void FlowChanged() override;
    void FlowTimerFired() override;

    uint32_t GetEventNode() const final
    {
        return GetNodeId();
    }

    uint32_t GetEventOrder(RdmaPs at) const final
    {
        return RdmaEventOrder::Ports::AtPort(RdmaPortPlace(m_nodeId, m_deviceIndex, at));
    }

    /** Called when the link went down or up, for the device. */
    virtual void LinkStateChanged() = 0;

    /** Called when the port sends at another rate, for the device. */
    virtual void RateChanged() = 0;

    /**
     * Called when a frame of a class in m_stackWaits has left its queue.
     *
     * \param priority class of the frame
     * \param bytes size of the frame if it carries a packet of ns-3's stack, else 0
     */
    virtual void StackQueueMoved(uint8_t priority, uint32_t bytes) = 0;

    void TryTransmit(RdmaEventTime eventTime);
    void ArmTransmission(RdmaEventTime eventTime);
    QbbFramePtr NextFrameToSend(RdmaPs now);
    QbbFramePtr MakePauseFrame(RdmaPs now);

    RdmaPs Occupy(const QbbFrame& frame, RdmaPs start);
    void CountInClass(const QbbFrame& frame);
    void CountPassing(const QbbFrame& frame);
    void CountSent(const QbbFrame& frame);

    /** \param classes bit p set for class p, not 0 \return the highest class */
    static uint8_t HighestBit(uint8_t classes)
    {
        return static_cast<uint8_t>(31 - __builtin_clz(classes));
    }

    /** Fetches the queue and the counters of the highest class with frames into the CPU caches; the
     * scheduler may pick another class. */
    void PrefetchQueue() const
    {
        if (const uint8_t classes = m_queues.GetClasses())
        {
            m_queues.Prefetch(HighestBit(classes));
        }
        if (const uint8_t classes = m_queues.GetClasses() | m_sourceReady)
        {
            RdmaPrefetch(&m_counters.classes[HighestBit(classes)]);
        }
    }

    void StartTransmission(QbbFramePtr&& frame, RdmaEventTime eventTime, RdmaPs start);
    void PutOnLine(QbbFramePtr&& frame, RdmaPs sent, RdmaEventTime eventTime);
    bool ShowArrival(const QbbFrame& frame);
    void ReceiveMacControl(const QbbFrame& frame);

    /** \return classes that are not paused and have a frame in their queue or at the source */
    uint8_t GetReady() const
    {
        return (m_queues.GetClasses() | m_sourceReady) & static_cast<uint8_t>(~m_flow.GetPaused());
    }

    bool HasWork() const
    {
        return GetReady() || m_flow.IsPending();
    }

    /** \param eventTime time of the running event \return true if a frame occupies the line */
    bool IsBusy(RdmaEventTime eventTime) const
    {
        // This comparison takes a multiplication; the instant of the event would take a division.
        return RdmaEventTime(m_busyUntil, 0) > eventTime;
    }

    /** \param frame received frame \return true if the error model damages the frame */
    bool IsDamaged(const QbbFrame& frame) const;

    /** \return true if the error model is ns-3's for whole frames, which looks at no bytes */
    bool LosesWholeFrames() const;

    void CheckLink() const;
    void CheckPauseSlack() const;
};

// Each frame passes through this function at each hop.
[[gnu::always_inline]] inline void
QbbPort::ReceiveFromLine(QbbFramePtr&& frame, RdmaEventTime eventTime)
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
        FireReception(*frame);
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
