/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SWITCH_H
#define QBB_SWITCH_H

#include "qbb-buffer-manager.h"
#include "qbb-congestion-detector.h"
#include "qbb-curve-marker.h"
#include "qbb-ecn-marker.h"
#include "qbb-forwarding-table.h"
#include "qbb-input-queueing.h"
#include "qbb-int-stamper.h"
#include "qbb-net-device.h"
#include "qbb-path-selector.h"
#include "qbb-pint-meter.h"

#include <ns3/object.h>
#include <ns3/random-variable-stream.h>
#include <ns3/traced-callback.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Says which frames a switch throws away before they get to its buffer; see QbbPfcWatchdog.
 */
class QbbFrameGate
{
  public:
    virtual ~QbbFrameGate() = default;

    /**
     * A frame of a gated class has come in, and its way out is known. If the answer is no, the gate
     * has counted the drop.
     *
     * \param ingress where it came in
     * \param egress where it is to go out
     * \param frame the frame
     * \return true if it may go on
     */
    virtual bool Admits(QbbPort& ingress, QbbPort& egress, const QbbFrame& frame) = 0;
};

/**
 * \ingroup rdma
 * An IPv4 switch, store-and-forward unless CutThrough is set, aggregated to a node whose
 * QbbNetDevices are its ports.
 *
 * Way of a frame: ReceiveFrame() at the ingress port -> time to live -> route and equal-cost port
 * -> QbbBufferManager::Admit(), which may ask for a pause of the ingress port's peer -> the markers
 * that see packets join (QbbMarker) -> new MAC addresses -> the queue. When its transmission
 * starts, FrameDeparts() shows it to the markers that see packets depart, and gives the buffer
 * back, which may end the pause.
 *
 * Attribute Queueing says what the queue is: that of the frame's priority at the egress port
 * (OutputQueued), first in, first out; or one for each pair of ports and priority (InputQueued),
 * which an egress port serves in a round robin over the ingress ports (QbbInputQueueing), through a
 * crossbar if attribute Crossbar says so (QbbCrossbar). Both go with every QbbBufferManager.
 *
 * Cut-through. A frame is in ReceiveFrame() when its last bit is. If nothing else used the egress
 * port since CutThroughBytes of it had come in, its transmission is dated back to that moment, or
 * to when the port became free or the class was resumed: a hop takes preamble and CutThroughBytes
 * in place of the whole frame, at no event more. Frames that are not longer than CutThroughBytes,
 * that leave by a faster port, or that find the port in use or something waiting, are stored first.
 * That order is by last bits, also where a long frame began before a short one that it meets.
 * Accounts, marks and pauses are made with the last bit, so the bounds of QbbPfcHeadroom hold.
 * Trace sources of the egress port fire then, too. A damaged frame is dropped where the damage is,
 * where a real switch sends most of it on before it knows, with a wrong FCS.
 *
 * Hosts reach it as their gateway: it answers ARP requests for every address that it has a route
 * to. Its routes are set by QbbRouting.
 */
class QbbSwitch : public Object, public QbbFrameSink
{
  public:
    /** Where frames wait. */
    enum Queueing
    {
        OUTPUT_QUEUED, //!< at their egress port, in the order of their arrival
        INPUT_QUEUED,  //!< in virtual output queues, served in a round robin over the inputs
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbSwitch();
    ~QbbSwitch() override;

    /**
     * Makes a device of the switch's node a port. Ports count from 0 in the order of these calls.
     *
     * \param device the device
     */
    void AddPort(Ptr<QbbNetDevice> device);

    /** \return number of ports */
    uint32_t GetNPorts() const;

    /** \param port port number \return the device */
    Ptr<QbbNetDevice> GetPort(uint32_t port) const;

    /** \return the routes; QbbForwardingTable::Freeze() them after a change */
    QbbForwardingTable& GetForwardingTable()
    {
        return m_table;
    }

    /** \return the routes */
    const QbbForwardingTable& GetForwardingTable() const
    {
        return m_table;
    }

    /**
     * \param gate asked for the frames of \p classes; it must outlive the switch's events
     * \param classes bit p set if class p is gated; 0 for none
     */
    void SetGate(QbbFrameGate* gate, uint8_t classes)
    {
        m_gate = gate;
        m_gated = classes;
    }

    /**
     * Throws away all frames of a class that wait for a port.
     *
     * \param port port number
     * \param priority class 0..7
     * \param reason why
     * \return frames thrown away
     */
    uint64_t DropQueue(uint32_t port, uint8_t priority, QbbDropReason reason);

    /**
     * \param ingress number of the port where they came in
     * \param egress number of the port that they wait for
     * \param priority class 0..7
     * \return bytes of the class in the buffer; may look at every frame in the queue
     */
    uint64_t GetBytesBetween(uint32_t ingress, uint32_t egress, uint8_t priority) const;

    /** \return the buffer manager */
    Ptr<QbbBufferManager> GetBufferManager() const
    {
        return m_buffer;
    }

    /** \return the queues of an input-queued switch that runs; null in an output-queued one */
    const QbbInputQueueing* GetInputQueueing() const
    {
        return m_inputQueueing.get();
    }

    /** \param manager decides what fits; before the simulation starts */
    void SetBufferManager(Ptr<QbbBufferManager> manager);

    /**
     * Aborts with a message if a port has no cable.
     *
     * \return what the buffer manager has to know of the ports, by port number
     */
    std::vector<QbbPortProfile> GetPortProfiles() const;

    /**
     * Sets up the buffer for the ports as they are; called by itself when the simulation starts.
     * Aborts with a message if the memory does not suffice.
     */
    void ConfigureBuffer();

    /**
     * \param stream first random stream to use
     * \return streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * \param flowHash QbbFlowHash() of a flow
     * \param count number of equal-cost ports, at least 1
     * \return which of them this switch chooses for the flow, below \p count
     */
    uint32_t SelectPath(uint32_t flowHash, uint32_t count) const
    {
        // The seed goes in before a full mix, so that switches with different seeds choose
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
     * \return which of them the flow's frames take; with a path selector that goes by more than the
     *         flow, the one that ECMP would take
     */
    uint16_t PredictPort(uint32_t flowHash, const QbbForwardingTable::Group& ports) const;

    /**
     * Looks at every frame that waits there: not for the frame path.
     *
     * \param egressPort port number
     * \param priority class, 0..7
     * \return ingress ports and the bytes of theirs that wait for the port, ascending by port;
     *         frames that the switch made itself are left out
     */
    std::vector<std::pair<uint16_t, uint64_t>> GetWaitingBytes(uint16_t egressPort,
                                                               uint8_t priority) const;

    // QbbFrameSink
    void ReceiveFrame(QbbPort& port, QbbFramePtr frame) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, int64_t startPs) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;
    void SchedulerChanged(QbbPort& port) override;

  protected:
    void NotifyNewAggregate() override;
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /** What the frame path needs to know of a port. */
    struct Port
    {
        Ptr<QbbNetDevice> device;  //!< the port
        uint32_t maxFrameBytes{0}; //!< largest frame that may leave there
    };

    void AnswerArp(QbbPort& port, const QbbFrame& frame);
    QbbAdmission PushOut(QbbAdmission admission, const QbbFrame& frame, uint16_t egressPort);
    void SetBuffer(Ptr<QbbBufferManager> manager);
    void SetMarker(Ptr<QbbEcnMarker> marker);
    Ptr<QbbEcnMarker> GetMarker() const;
    void UseMarkers();
    std::vector<QbbMarker*> GetMarkers(QbbMarker::Moment moment) const;
    std::vector<QbbPort*> GetDevices() const;

    /** Sets a member that is an attribute, before the switch runs. */
    template <auto Member, typename T>
    void SetBeforeTheRun(T value)
    {
        RefuseWhileRunning();
        this->*Member = value;
    }

    template <auto Member, typename T>
    T Get() const
    {
        return this->*Member;
    }

    void RefuseWhileRunning() const;
    void ConfigureQueueing();
    bool CutThrough(QbbPort& port, QbbPort& device, QbbFramePtr& frame, uint32_t received);
    void SetPintBaseRtt(Time baseRtt);
    Time GetPintBaseRtt() const;
    void SetPathSelector(Ptr<QbbPathSelector> selector);
    Ptr<QbbPathSelector> GetPathSelector() const;
    void SetEcmpSeed(uint32_t seed);
    uint32_t GetEcmpSeed() const;

    std::vector<Port> m_ports;                         //!< by port number
    QbbForwardingTable m_table;                        //!< routes
    Ptr<QbbBufferManager> m_buffer;                    //!< attribute BufferManager
    Ptr<QbbEcnMarker> m_marker;                        //!< attribute EcnMarker
    Ptr<QbbCongestionDetector> m_detector;             //!< attribute CongestionDetector
    Ptr<QbbMarker> m_own;                              //!< attribute Marker
    Ptr<QbbCurveMarker> m_curves;                      //!< marks as m_marker says
    Ptr<QbbIntStamper> m_stamper;                      //!< writes telemetry
    std::vector<QbbMarker*> m_joinMarkers;             //!< see packets at QbbMarker::JOINS
    std::vector<QbbMarker*> m_departMarkers;           //!< see frames at QbbMarker::DEPARTS
    Ptr<QbbPathSelector> m_selector;                   //!< attribute PathSelector
    Ptr<QbbPintMeter> m_pint;                          //!< attribute PintBaseRtt; null: off
    uint32_t m_seed{0};                                //!< mixed into path selection
    uint32_t m_seedAttribute{0};                       //!< attribute EcmpSeed
    bool m_configured{false};                          //!< buffer and ports are set up
    uint8_t m_gated{0};                                //!< classes of SetGate()
    QbbFrameGate* m_gate{nullptr};                     //!< SetGate()
    std::unique_ptr<QbbInputQueueing> m_inputQueueing; //!< null: output-queued
    Queueing m_queueing{OUTPUT_QUEUED};                //!< attribute Queueing
    bool m_cutThrough{false};                          //!< attribute CutThrough
    uint32_t m_cutThroughBytes{128};                   //!< attribute CutThroughBytes
    bool m_crossbar{false};                            //!< attribute Crossbar
    double m_speedup{1};                               //!< attribute CrossbarSpeedup
    uint32_t m_crossbarEgressBytes{0};                 //!< attribute CrossbarEgressBytes
};

} // namespace ns3

#endif /* QBB_SWITCH_H */
