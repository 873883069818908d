/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SWITCH_H
#define QBB_SWITCH_H

#include "qbb-buffer-manager.h"
#include "qbb-congestion-detector.h"
#include "qbb-ecn-marker.h"
#include "qbb-forwarding-table.h"
#include "qbb-input-queueing.h"
#include "qbb-int-stamper.h"
#include "qbb-marker.h"
#include "qbb-net-device.h"
#include "qbb-path-selector.h"
#include "qbb-pint-meter.h"
#include "qbb-queue-length-marker.h"
#include "rdma-prefetch.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Decides which frames a switch drops before they reach its buffer; see QbbPfcWatchdog.
 */
class QbbFrameGate
{
  public:
    virtual ~QbbFrameGate() = default;

    /**
     * Called for each received frame of a gated class, once its egress port is known. A gate that
     * refuses a frame counts the drop.
     *
     * \param ingress ingress port of the frame
     * \param egress egress port of the frame
     * \param frame the frame
     * \return true to admit the frame, false to drop it
     */
    virtual bool Admits(QbbPort& ingress, QbbPort& egress, const QbbFrame& frame) = 0;
};

/**
 * \ingroup rdma
 * An IPv4 switch, store-and-forward unless CutThrough is set, aggregated to a node whose
 * QbbNetDevices are its ports.
 *
 * Attribute Queueing selects the queues. OutputQueued: one FIFO queue per egress port and priority.
 * InputQueued: one queue per ingress port, egress port and priority; an egress port serves its
 * queues in a round robin over the ingress ports (QbbInputQueueing), through a crossbar if
 * attribute Crossbar is set (QbbCrossbar). Both work with every QbbBufferManager.
 *
 * Hosts use the switch as their gateway: the switch answers ARP requests for every address that it
 * has a route to (proxy ARP, RFC 1027), except for addresses behind the requesting port. QbbRouting
 * sets the routes.
 *
 * **The path of a frame**, with the calls between port, switch and buffer:
 *
 * 1. The ingress port receives the last bit of the frame and calls ReceiveFrame(). Pause frames
 *    never get here: the port gives them to its QbbFlowControl.
 * 2. The switch looks up the route (QbbForwardingTable::Find()) and, among equal-cost ports,
 *    chooses one by ECMP or by the attribute PathSelector.
 * 3. QbbBufferManager::Admit() charges the frame to its ingress group and its egress queue, or
 *    refuses the frame. If the result says XOFF, the *ingress* port asks its peer to pause the
 *    class (QbbFlowControl::RequestPause()).
 * 4. Markers see an ECN-capable packet that joins (QbbMarker::FrameJoins()), before the queue
 *    counts the packet. By default the curve of EcnMarker marks here. The frame gets new MAC
 *    addresses and joins its queue. In an input-queued switch, a congestion detector sees the
 *    packet when it is chosen from its virtual output queue (QbbMarker::FrameChosen()).
 * 5. When the transmission begins, the egress port calls FrameDeparts(): markers see the frame
 *    (QbbMarker::FrameDeparts(), also telemetry and PINT), and QbbBufferManager::Release() frees
 *    its memory. If a paused group may resume then, the ingress port of the group asks its peer to
 *    resume. A frame that the egress port drops unsent causes FrameGone(), which releases as well.
 *
 * A frame that finds its egress port idle passes without a charge if the charge would change only
 * the peaks of the buffer, no marker but queue-length marking would see the frame, and the path
 * selector sees no frames (QbbPathSelector::GetMoments()).
 *
 * **Marks.** The attributes EcnMarker, CongestionDetector, PintBaseRtt and Marker set markers;
 * packets that have room for telemetry get it. Each marker names the moments at which it sees
 * packets (QbbMarker::GetMoments()): when a packet joins its queue, when it is chosen from a
 * virtual output queue, or when it departs. Markers do not switch each other off: with EcnMarker
 * and CongestionDetector, a packet is marked if either says so. A packet is marked once, and the
 * mark is counted at the egress port.
 *
 * **Drops** are counted at a port, by reason (QbbPortCounters::dropsByReason):
 *
 * - ingress port: NOT_FOR_US (another MAC address), UNEXPECTED (no IPv4), TTL_EXPIRED, NO_ROUTE,
 *   BUFFER_FULL and HEADROOM_FULL (refused by Admit());
 * - egress port: TOO_LONG (above the MTU), EGRESS_LIMIT (refused by Admit()), BUFFER_FULL for a
 *   frame that is pushed out of its queue, LINK_DOWN for a frame in or for the queue of a port
 *   whose link is down;
 * - QbbPfcWatchdog counts PFC_STORM at the egress port for frames in or for a queue in storm, and
 *   at the ingress port for frames that come in on the port and class of such a queue.
 *
 * **When a link goes down**, its two ports drop their egress queues (FrameGone() releases each
 * frame) and forget the pauses, and LinkChanged() drops the frames that wait for the port in
 * virtual output queues. A frame that is crossing a crossbar goes on: it leaves its input buffer
 * when it has crossed, and then the egress port drops it as LINK_DOWN, unless the link is up again
 * by then. The routes stay until QbbRouting changes them, after ConvergenceDelay;
 * until then frames for the port are admitted, and dropped by the port. Frames on the line are lost
 * and counted at the port that would have received them (QbbChannel::SetUp()).
 *
 * Cut-through: ReceiveFrame() runs when the last bit of a frame has arrived. If the egress port is
 * idle, the transmission is dated back to the moment when CutThroughBytes had arrived, or to the
 * later moment when the port became free or the class was resumed. A hop then takes the time of the
 * preamble and CutThroughBytes instead of the whole frame, without an additional event. A frame is
 * stored first if it is not longer than CutThroughBytes, if its egress port is faster than its
 * ingress port, or if the egress port is busy or has frames waiting. Frames are ordered by their
 * last bits, even if a long frame started to arrive before a short one. Accounts, marks and pauses
 * are updated at the last bit, so the bounds of QbbPfcHeadroom hold. The trace sources of the
 * egress port also fire at the last bit. A damaged frame is dropped at the hop where the damage
 * occurs; a real switch forwards most of the frame before it knows, with a wrong FCS.
 */
class QbbSwitch : public Object, public QbbFrameSink
{
  public:
    /** Where frames wait. */
    enum Queueing
    {
        OUTPUT_QUEUED, //!< at the egress port, in order of arrival
        INPUT_QUEUED,  //!< in virtual output queues, served by round robin over the inputs
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbSwitch();
    ~QbbSwitch() override;

    /**
     * Adds a device of the switch's node as a port. Ports are numbered from 0 in the order of
     * calls.
     *
     * \param device the device
     */
    void AddPort(Ptr<QbbNetDevice> device);

    /** \return the buffer manager */
    Ptr<QbbBufferManager> GetBufferManager() const
    {
        return m_buffer;
    }

    /** \return true if frames wait in virtual output queues (attribute Queueing) */
    bool IsInputQueued() const
    {
        return m_queueing == INPUT_QUEUED;
    }

    /** \param manager the buffer manager; call before the simulation starts */
    void SetBufferManager(Ptr<QbbBufferManager> manager)
    {
        SetPart<&QbbSwitch::m_buffer, QbbBufferManager>(manager);
    }

    /**
     * Aborts with a message if a port has no cable.
     *
     * \return descriptions of the ports for the buffer manager, by port number
     */
    std::vector<QbbPortProfile> GetPortProfiles() const;

    /**
     * Sets up the buffer for the current ports. Called automatically when the simulation starts.
     * Throws std::invalid_argument if the memory is too small.
     */
    void ConfigureBuffer();

    /**
     * \param stream first random stream to use
     * \return number of random streams used
     */
    int64_t AssignStreams(int64_t stream);

    /** \return number of ports */
    uint32_t GetNPorts() const;

    /** \param port port number \return the device */
    Ptr<QbbNetDevice> GetPort(uint32_t port) const;

    /** \param port number of an existing port \return the device */
    QbbPort& GetDevice(uint32_t port) const
    {
        return *m_ports[port];
    }

    /** \return the forwarding table; call QbbForwardingTable::Freeze() after a change */
    QbbForwardingTable& GetForwardingTable()
    {
        return m_table;
    }

    /** \return the forwarding table */
    const QbbForwardingTable& GetForwardingTable() const
    {
        return m_table;
    }

    /** \return the path selector; null: ECMP */
    Ptr<QbbPathSelector> GetPathSelector() const
    {
        return m_selector;
    }

    /** \param port port number \return true if the cable of the port leads to a switch */
    bool LeadsToSwitch(uint16_t port) const;

    /**
     * Sends a frame that this switch has made; see QbbPathSelector. The frame is charged to no
     * buffer.
     *
     * \param port number of the egress port
     * \param frame the frame, whose addresses of Ethernet and ingress port are set here
     */
    void SendOwn(uint16_t port, QbbFramePtr&& frame);

    /**
     * Lets a frame go on that the path selector has held back: the frame is marked and joins its
     * queue.
     *
     * \param egress the egress port of QbbPathSelector::FrameJoins()
     * \param frame the frame
     */
    void ReleaseHeld(QbbPort& egress, QbbFramePtr&& frame);

    /**
     * Drops a frame that the path selector has held back, and frees its buffer.
     *
     * \param egress the egress port of QbbPathSelector::FrameJoins()
     * \param frame the frame
     * \param reason drop reason to count at the egress port
     */
    void DropHeld(QbbPort& egress, QbbFramePtr&& frame, QbbDropReason reason);

    /**
     * \param gate decides about the frames of \p classes; must outlive the switch's events
     * \param classes bit p set: class p is gated; 0: no class is gated
     */
    void SetGate(QbbFrameGate* gate, uint8_t classes)
    {
        m_gate = gate;
        m_gated = classes;
    }

    /**
     * Drops all frames of a class that wait for a port.
     *
     * \param port port number
     * \param priority class 0..7
     * \param reason drop reason to count
     * \return number of dropped frames
     */
    uint64_t DropQueue(uint32_t port, uint8_t priority, QbbDropReason reason);

    /**
     * \param ingress port number of the ingress port
     * \param egress port number of the egress port
     * \param priority class 0..7
     * \return bytes of the class that came in at \p ingress and wait for \p egress; may visit every
     *         frame in the queue
     */
    uint64_t GetBytesBetween(uint32_t ingress, uint32_t egress, uint8_t priority) const;

    /** \return the queues of a configured input-queued switch; null for an output-queued switch */
    const QbbInputQueueing* GetInputQueueing() const
    {
        return m_inputQueueing.get();
    }

    /**
     * \param flowHash QbbFlowHash() of a flow
     * \param count number of equal-cost ports, at least 1
     * \return index of the port that ECMP of this switch chooses for the flow, below \p count
     */
    uint32_t SelectPath(uint32_t flowHash, uint32_t count) const
    {
        // The seed is applied before the mixing steps, so that switches with different seeds choose
        // independently for the same flow.
        uint32_t h = flowHash ^ m_seed;
        h ^= h >> 16;
        h *= 0x85ebca6b;
        h ^= h >> 13;
        h *= 0xc2b2ae35;
        h ^= h >> 16;
        return static_cast<uint32_t>((uint64_t{h} * count) >> 32);
    }

    /**
     * \param flowHash QbbFlowHash() of a flow
     * \param ports equal-cost ports, at least one
     * \return the port that ECMP of this switch chooses for the flow
     */
    uint16_t SelectPort(uint32_t flowHash, const QbbForwardingTable::Group& ports) const
    {
        return ports[SelectPath(flowHash, static_cast<uint32_t>(ports.size()))];
    }

    /**
     * \param flowHash QbbFlowHash() of a flow
     * \param route a route with at least one port
     * \return the port that ECMP of this switch chooses for the flow
     */
    uint16_t SelectPort(uint32_t flowHash, const QbbForwardingTable::Route& route) const
    {
        return route.GetPort(SelectPath(flowHash, route.count));
    }

    /**
     * \param flowHash QbbFlowHash() of a flow
     * \param ports equal-cost ports, at least one
     * \return the port that the flow's frames take; the port that ECMP would choose if the path
     *         selector depends on more than the flow
     */
    uint16_t PredictPort(uint32_t flowHash, const QbbForwardingTable::Group& ports) const;

    /**
     * Counts the bytes that wait for an egress port, by ingress port. Visits every waiting frame,
     * so it is too slow for each forwarded frame.
     *
     * \param egressPort port number
     * \param priority class, 0..7
     * \return pairs of ingress port and bytes, ascending by port; frames generated by the switch
     *         itself are not counted
     */
    std::vector<std::pair<uint16_t, uint64_t>> GetWaitingBytes(uint16_t egressPort,
                                                               uint8_t priority) const;

    /**
     * \param egress an egress port of the switch
     * \param priority class 0..7
     * \return the curves of the markers that decide by the length of the queue
     */
    std::vector<QbbMarkCurve> DescribeMarks(const QbbPort& egress, uint8_t priority) const;

    // Inherited from QbbFrameSink
    std::vector<const QbbPort*> GetOnwardPorts() const override;

    bool IsForwarder() const override
    {
        return true;
    }

    void ReceiveFrame(QbbPort& port, QbbFramePtr&& frame) override;
    void PrefetchFrame(const QbbPort& port,
                       const QbbFrame& frame,
                       uint32_t step,
                       uint32_t& note) const override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;
    void SchedulerChanged(QbbPort& port) override;

  protected:
    void NotifyNewAggregate() override;
    void DoInitialize() override;
    void DoDispose() override;

  private:
    // Attributes

    /** Sets an attribute's member; aborts with a message once the switch runs. */
    template <auto Member, typename T>
    void SetBeforeTheRun(T value)
    {
        RefuseWhileRunning();
        this->*Member = value;
    }

    /** Sets a part that belongs to one switch; aborts with a message once the switch runs. */
    template <auto Member, typename Part>
    void SetPart(Ptr<Part> part)
    {
        RefuseWhileRunning();
        Change(this->*Member, part);
        this->*Member = part;
    }

    template <auto Member, typename T>
    T Get() const
    {
        return this->*Member;
    }

    template <typename Part>
    void Change(const Ptr<Part>& before, const Ptr<Part>& after)
    {
        if (before)
        {
            before->GetSoleSwitch().Leave(this);
        }
        if (after)
        {
            after->GetSoleSwitch().Take(this, *after);
        }
    }

    void LeaveParts();
    void RefuseWhileRunning() const;
    void SetEcnMarker(Ptr<QbbEcnMarker> marker);
    void SetPintBaseRtt(Time baseRtt);
    Time GetPintBaseRtt() const;
    void SetPathSelector(Ptr<QbbPathSelector> selector);
    void SetEcmpSeed(uint32_t seed);
    uint32_t GetHeaderBytes(const QbbPort& port) const;
    void ConfigureQueueing();
    std::vector<QbbPort*> GetPortList() const;

    // Frames

    QbbAdmission PushOut(QbbAdmission admission, const QbbFrame& frame, uint16_t egressPort);
    bool MayPassUncharged(const QbbPort& egress, const QbbFrame& frame) const;
    bool CutThrough(QbbPort& port, QbbPort& egress, QbbFramePtr& frame, uint32_t received);
    bool IsTooLong(const QbbFrame& frame, const QbbPort& egress) const;
    void ReleaseRoom(QbbPort& port, const QbbFrame& frame);
    void ResumePeers();
    void AnswerArp(QbbPort& port, const QbbFrame& frame) const;
    static void DropUnroutable(QbbPort& port, const QbbFrame& frame, QbbDropReason reason);
    static void DropTooLong(QbbPort& egress, const QbbFrame& frame);

    // Markers

    std::vector<QbbMarker*> GetMarkers() const;
    std::vector<QbbMarker*> GetMarkers(QbbMarker::Moment moment) const;
    void UpdateMarkerLists();
    void ShowJoining(QbbPort& egress, QbbFrame& frame) const;
    void ShowDeparture(QbbPort& port, QbbFrame& frame, RdmaPs start);
    void ReleaseMarkers();

    // Members that every frame needs share cache lines. A large fabric has more switches than the
    // CPU caches hold, so each of these lines is a cache miss. The first line begins with the
    // QbbFrameSink and ends before m_table, and the second line holds the part of m_table that a
    // frame needs.

    std::vector<Ptr<QbbNetDevice>> m_ports; //!< ports, by port number
    Ptr<QbbBufferManager> m_buffer;         //!< admits frames and decides on pauses
    Ptr<QbbPathSelector> m_selector;        //!< chooses among equal-cost ports; null: ECMP
    /// Virtual output queues; null: output-queued.
    std::unique_ptr<QbbInputQueueing> m_inputQueueing;
    uint32_t m_seed{0};           //!< ECMP seed
    bool m_cutThrough{false};     //!< attribute CutThrough
    uint8_t m_gated{0};           //!< bit mask of the gated classes, from SetGate()
    uint8_t m_selectorMoments{0}; //!< m_selector's GetMoments(), once the switch is configured
    QbbForwardingTable m_table;   //!< forwarding table

    /// m_lengthMarker if it sees packets at QbbMarker::JOINS, or null
    QbbQueueLengthMarker* m_lengthAtJoining{nullptr};
    /// m_atJoining or m_atDeparture has a marker, or m_selectorMoments is not 0.
    bool m_hasOtherMarkers{false};
    std::vector<QbbMarker*> m_atJoining;      //!< other markers that see packets at JOINS
    std::vector<QbbMarker*> m_atDeparture;    //!< markers that see frames at QbbMarker::DEPARTS
    Ptr<QbbEcnMarker> m_ecnMarker;            //!< attribute EcnMarker
    Ptr<QbbQueueLengthMarker> m_lengthMarker; //!< queue-length marking by m_ecnMarker
    Ptr<QbbCongestionDetector> m_detector;    //!< attribute CongestionDetector
    Ptr<QbbPintMeter> m_pint;                 //!< PINT meter; null: off
    Ptr<QbbMarker> m_marker;                  //!< attribute Marker
    Ptr<QbbIntStamper> m_stamper;             //!< writes telemetry

    uint32_t m_cutThroughBytes{128};    //!< attribute CutThroughBytes
    QbbFrameGate* m_gate{nullptr};      //!< gate from SetGate(), or null
    uint32_t m_seedAttribute{0};        //!< attribute EcmpSeed
    bool m_configured{false};           //!< ConfigureBuffer() has run
    Queueing m_queueing{OUTPUT_QUEUED}; //!< attribute Queueing
    bool m_crossbar{false};             //!< attribute Crossbar
    double m_speedup{1};                //!< attribute CrossbarSpeedup
    uint32_t m_crossbarEgressBytes{0};  //!< attribute CrossbarEgressBytes
};

} // namespace ns3

#endif /* QBB_SWITCH_H */
