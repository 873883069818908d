/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PORT_STATE_H
#define QBB_PORT_STATE_H

#include "qbb-classifier.h"
#include "qbb-egress-queues.h"
#include "qbb-egress-scheduler.h"
#include "qbb-flow-control.h"
#include "qbb-frame-sink.h"
#include "qbb-frame.h"
#include "qbb-line-rate.h"
#include "qbb-port-counters.h"
#include "qbb-port-traces.h"
#include "qbb-prefetch.h"
#include "qbb-time.h"
#include "qbb-wire.h"

#include <ns3/error-model.h>
#include <ns3/mac48-address.h>

#include <cstdint>
#include <optional>

namespace ns3
{

class QbbLine;
class QbbLineExit;

/**
 * \ingroup rdma
 * State and attributes of a QbbPort, and read access to them. QbbPort adds the behaviour.
 */
class QbbPortState : public QbbPortTraces, private QbbFlowControlPort
{
  public:
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

    // The cable

    /**
     * \param line direction of the cable on which the port sends
     * \param exit takes the port's frames in place of the line; null: the line takes them
     */
    void SetLine(QbbLine& line, QbbLineExit* exit)
    {
        m_line = exit ? nullptr : &line;
        m_exit = exit;
    }

    /** Fetches the cable into the CPU caches, before a transmission. */
    void PrefetchCable() const
    {
        if (m_line)
        {
            QbbPrefetchLines(m_line, 2);
        }
    }

    // Identity

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

    /** \return MAC address of the port at the other end of the cable */
    const Mac48Address& GetPeerMac() const
    {
        return m_peerAddress;
    }

  protected:
    QbbPortState();
    ~QbbPortState() override = default;

  private:
    friend class QbbPort; // for the members that a device does not use

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
    bool IsBusy(QbbEventTime eventTime) const
    {
        // This comparison takes a multiplication; the instant of the event would take a division.
        return QbbEventTime(m_busyUntil, 0) > eventTime;
    }

    // Members stand in the order of their use, because each cache line of a port is a cache miss in
    // a large fabric. The reception of a frame needs the first line and its class's counters. The
    // transmission of a frame needs the first line, the second one, the queue of its class, the
    // line behind the queues and its class's counters; a frame that waits also needs the last line.

    QbbFrameSink* m_sink{nullptr}; //!< consumer of received frames

  protected:
    /** \param model attribute ReceiveErrorModel */
    void SetReceiveErrorModel(Ptr<ErrorModel> model);

    /** \return attribute ReceiveErrorModel */
    Ptr<ErrorModel> GetReceiveErrorModel() const
    {
        return m_receiveErrorModel;
    }

    /** \param frame received frame \return true if the error model damages the frame */
    bool IsDamaged(const QbbFrame& frame) const;

    QbbClassifier m_classifier; //!< classifier of frames; attribute Trust

  private:
    /** \return true if the error model is ns-3's for whole frames, which looks at no bytes */
    bool LosesWholeFrames() const;

    Mac48Address m_address;   //!< attribute Address
    uint16_t m_portNumber{0}; //!< number at the switch or NIC
    bool m_mayDamage{false};  //!< there is an error model

  protected:
    bool m_sharesPlace{false}; //!< value of SharesPlace()
    bool m_tagFrames{false};   //!< attribute TagFrames
    bool m_routedPort{false};  //!< attribute RoutedPort
    uint16_t m_mtu{1500};      //!< attribute Mtu
    uint16_t m_vlanId{0};      //!< attribute VlanId

  private:
    QbbPs m_busyUntil{0}; //!< end of the line's current occupancy
    /// Direction of the cable on which the port sends; null if m_exit takes the frames.
    QbbLine* m_line{nullptr};
    Mac48Address m_peerAddress; //!< address of the port at the other end of the cable
    uint8_t m_sourceReady{0};   //!< classes announced by the source

  protected:
    bool m_up{true};           //!< true if the link is up
    uint8_t m_stackWaits{0};   //!< classes whose departures ns-3's traffic control waits for
    QbbLineRate m_rate;        //!< attribute DataRate
    bool m_lineOverhead{true}; //!< attribute LineOverhead

  private:
    bool m_running{false}; //!< true after Start()

  protected:
    QbbEgressScheduler m_scheduler; //!< attribute Scheduler; its first member is the strict classes

  private:
    uint64_t m_fraction{0};              //!< occupancy beyond m_busyUntil, in 1/rate ps
    QbbFrameSource* m_source{nullptr};   //!< generator of frames
    QbbLineExit* m_exit{nullptr};        //!< takes frames for another thread or process; null: none
    Ptr<ErrorModel> m_receiveErrorModel; //!< attribute ReceiveErrorModel
    Ptr<Packet> m_anyPacket; //!< packet for an error model that looks at no bytes, or null

  protected:
    alignas(64) QbbEgressQueues m_queues; //!< egress queues
    QbbFlowControl m_flow;                //!< pauses sent and honoured

  private:
    alignas(64) QbbPortCounters m_counters; //!< counters of this port

  protected:
    uint32_t m_nodeId{0};      //!< id of the node
    uint32_t m_deviceIndex{0}; //!< index among the node's devices
};

} // namespace ns3

#endif /* QBB_PORT_STATE_H */
