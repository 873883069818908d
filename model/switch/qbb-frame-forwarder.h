/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_FORWARDER_H
#define QBB_FRAME_FORWARDER_H

#include "qbb-buffer-manager.h"
#include "qbb-forwarding-table.h"
#include "qbb-input-queueing.h"
#include "qbb-net-device.h"
#include "qbb-path-selector.h"
#include "qbb-prefetch.h"
#include "qbb-switch-markers.h"

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
 * The path of frames through a QbbSwitch.
 *
 * The stages are ReceiveFrame() at the ingress port -> time to live -> route and equal-cost port ->
 * QbbBufferManager::Admit(), which may request a pause of the peer of the ingress port -> markers
 * for joining packets (QbbMarker) -> new MAC addresses -> queue. When the transmission of a frame
 * starts, FrameDeparts() shows the frame to the markers for departing packets and releases its
 * buffer space, which may end the pause. A frame that finds its egress port idle is not charged if
 * the charge would change only the peaks of the buffer.
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
class alignas(QBB_CACHE_LINE) QbbFrameForwarder : public QbbFrameSink
{
  public:
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

    /** \return the markers of the switch */
    const QbbSwitchMarkers& GetMarkers() const
    {
        return m_markers;
    }

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
    void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;
    void SchedulerChanged(QbbPort& port) override;

  protected:
    // Members that every frame needs share cache lines. A large fabric has more switches than the
    // CPU caches hold, so each of these lines is a cache miss. The first line ends before m_table,
    // and the second line holds the part of m_table that a frame needs.

    std::vector<Ptr<QbbNetDevice>> m_ports; //!< ports, by port number
    Ptr<QbbBufferManager> m_buffer;         //!< admits frames and decides on pauses
    Ptr<QbbPathSelector> m_selector;        //!< chooses among equal-cost ports; null: ECMP
    /// Virtual output queues; null: output-queued.
    std::unique_ptr<QbbInputQueueing> m_inputQueueing;
    uint32_t m_seed{0};       //!< ECMP seed
    bool m_cutThrough{false}; //!< attribute CutThrough of QbbSwitch

  private:
    uint8_t m_gated{0}; //!< bit mask of the gated classes, from SetGate()

  protected:
    QbbForwardingTable m_table;      //!< forwarding table
    QbbSwitchMarkers m_markers;      //!< mark packets and write telemetry
    uint32_t m_cutThroughBytes{128}; //!< attribute CutThroughBytes of QbbSwitch

  private:
    QbbAdmission PushOut(QbbAdmission admission, const QbbFrame& frame, uint16_t egressPort);
    bool LetsPass(const QbbPort& egress, const QbbFrame& frame) const;
    bool CutThrough(QbbPort& port, QbbPort& egress, QbbFramePtr& frame, uint32_t received);
    void MarkDeparture(QbbPort& port, QbbFrame& frame, QbbPs start);
    void ReleaseRoom(QbbPort& port, const QbbFrame& frame);
    void ResumePeers();
    static void DropUnroutable(QbbPort& port, const QbbFrame& frame, QbbDropReason reason);
    static void DropTooLong(QbbPort& egress, const QbbFrame& frame);

    QbbFrameGate* m_gate{nullptr}; //!< gate from SetGate(), or null
};

} // namespace ns3

#endif /* QBB_FRAME_FORWARDER_H */
