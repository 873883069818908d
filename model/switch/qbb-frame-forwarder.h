/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FRAME_FORWARDER_H
#define QBB_FRAME_FORWARDER_H

#include "qbb-buffer-manager.h"
#include "qbb-forwarding-table.h"
#include "qbb-input-queueing.h"
#include "qbb-net-device.h"
#include "qbb-path-selector.h"
#include "qbb-switch-markers.h"

#include <cstdint>
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
 * A frame's way through a QbbSwitch.
 *
 * ReceiveFrame() at the ingress port -> time to live -> route and equal-cost port ->
 * QbbBufferManager::Admit(), which may ask for a pause of the ingress port's peer -> the markers
 * that see packets join (QbbMarker) -> new MAC addresses -> the queue. When its transmission
 * starts, FrameDeparts() shows it to the markers that see packets depart, and gives the buffer
 * back, which may end the pause.
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
 */
class QbbFrameForwarder : public QbbFrameSink
{
  public:
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

    /** \return the queues of an input-queued switch that runs; null in an output-queued one */
    const QbbInputQueueing* GetInputQueueing() const
    {
        return m_inputQueueing.get();
    }

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
    void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;
    void SchedulerChanged(QbbPort& port) override;

  protected:
    /** What the frame path needs to know of a port. */
    struct Port
    {
        Ptr<QbbNetDevice> device;  //!< the port
        uint32_t maxFrameBytes{0}; //!< largest frame that may leave there
    };

    std::vector<Port> m_ports;                         //!< by port number
    QbbForwardingTable m_table;                        //!< routes
    Ptr<QbbBufferManager> m_buffer;                    //!< what fits, and who is paused
    QbbSwitchMarkers m_markers;                        //!< what marks
    Ptr<QbbPathSelector> m_selector;                   //!< among equal-cost ports; null: ECMP
    uint32_t m_seed{0};                                //!< mixed into path selection
    bool m_cutThrough{false};                          //!< frames leave before they are there whole
    uint32_t m_cutThroughBytes{128};                   //!< what is to be there of them
    std::unique_ptr<QbbInputQueueing> m_inputQueueing; //!< null: output-queued

  private:
    QbbAdmission PushOut(QbbAdmission admission, const QbbFrame& frame, uint16_t egressPort);
    bool CutThrough(QbbPort& port, QbbPort& egress, QbbFramePtr& frame, uint32_t received);

    uint8_t m_gated{0};            //!< classes of SetGate()
    QbbFrameGate* m_gate{nullptr}; //!< SetGate()
};

} // namespace ns3

#endif /* QBB_FRAME_FORWARDER_H */
