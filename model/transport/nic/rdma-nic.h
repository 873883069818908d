/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "qbb-bit-rate.h"
#include "qbb-frame.h"
#include "qbb-net-device.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "qbb-trace.h"
#include "rdma-congestion-control.h"
#include "rdma-memory.h"
#include "rdma-nic-timing.h"
#include "rdma-notification-point.h"
#include "rdma-packet-engine.h"
#include "rdma-queue-pair-factory.h"
#include "rdma-queue-pair-table.h"
#include "rdma-queue-pair.h"
#include "rdma-send-scheduler.h"
#include "rdma-transport.h"

#include <ns3/data-rate.h>
#include <ns3/ipv4-address.h>
#include <ns3/object.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A host's RDMA NIC, aggregated to the node: owns the queue pairs and connects them to the ports.
 *
 * Sending: a queue pair with packets to send is in the ready list of its port and class. When the
 * port has room for the class, NextFrame() takes the first queue pair of the list, sends one packet
 * and appends the queue pair to the list: round robin among ready queue pairs, at a cost
 * independent of the number of idle ones. Receiving: ReceiveFrame() finds the queue pair by its
 * number; frames of other protocols are delivered to the ns-3 stack.
 *
 * Requests posted and timeouts at one instant take effect together at the end of the instant, in
 * the order of queue pair numbers. The order of the calls therefore does not matter.
 */
class RdmaNic : public Object, public RdmaNicTiming, public QbbFrameSink, public QbbFrameSource
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /// Number of the first queue pair; 0 and 1 are reserved (IBA Vol. 1, 3.9.5).
    static constexpr uint32_t FIRST_QPN = RdmaQueuePairTable::FIRST_QPN;

    RdmaNic();
    ~RdmaNic() override;

    /**
     * \param device a device of this node
     * \param address IPv4 address of the device
     */
    void AddPort(Ptr<QbbNetDevice> device, Ipv4Address address);

    /** \return number of ports of the NIC */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /** \param port port index \return the device of the port */
    Ptr<QbbNetDevice> GetPort(uint32_t port) const;

    /** \param port index of an existing port \return the device of the port */
    QbbPort& GetDevice(uint32_t port) const
    {
        return *m_ports[port].device;
    }

    /** \param port port index \return IPv4 address of the port */
    Ipv4Address GetAddress(uint32_t port) const;

    /** \param transport transport of queue pairs created afterwards */
    void SetTransport(Ptr<RdmaTransport> transport);

    /** \return the transport of new queue pairs */
    Ptr<RdmaTransport> GetTransport() const;

    /**
     * \param name an attribute of RdmaQueuePair
     * \param value value of the attribute for queue pairs created afterwards
     */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param port index of the port through which the queue pair sends
     * \return a new queue pair in state INIT, with the next free number
     */
    Ptr<RdmaQueuePair> CreateQueuePair(uint32_t port = 0);

    /**
     * Handler that recreates a destroyed queue pair when a late request packet of the peer arrives:
     * the new queue pair is connected and resumes where the destroyed one ended.
     *
     * \param qpn destination number of the packet, for which no queue pair exists
     * \return the queue pair; null: the packet is dropped
     */
    using LateHandler = RdmaQueuePairTable::LateHandler;

    /**
     * Reserves consecutive numbers for CreateQueuePairAs(); CreateQueuePair() uses none of them. A
     * reserved number makes the queue pair's number independent of its creation time.
     *
     * \param count how many numbers to reserve
     * \param late called for a request to a reserved number without queue pair; may be empty
     * \return the first reserved number
     */
    uint32_t ReserveQueuePairNumbers(uint32_t count, LateHandler late = LateHandler());

    /**
     * Creates a queue pair with a reserved number. Aborts with a message if the number is not
     * reserved or is in use.
     *
     * Default values of attributes are read once, for the first such queue pair after the last
     * SetQueuePairAttribute(): a run with a million flows creates two million queue pairs.
     *
     * \param qpn a number from ReserveQueuePairNumbers()
     * \param port index of the port through which the queue pair sends
     * \return a new queue pair in state INIT
     */
    Ptr<RdmaQueuePair> CreateQueuePairAs(uint32_t qpn, uint32_t port = 0);

    /**
     * \param qpn a queue pair number
     * \param port index of a port
     * \return an unregistered queue pair with the settings of this NIC's queue pairs. It serves to
     *         derive properties such as the path of its packets, and carries no traffic.
     */
    Ptr<RdmaQueuePair> MakePrototype(uint32_t qpn, uint32_t port = 0);

    /**
     * Destroys a queue pair (ibv_destroy_qp): its requests end without completion. Requests that
     * arrive later for its number are dropped, unless a LateHandler recreates the queue pair; late
     * responses and CNPs are ignored silently. The function may be called from a completion
     * callback or trace sink of the queue pair.
     *
     * Completion queues and shared receive queues need no such call: they are freed with their last
     * reference. Memory regions end with RdmaMemory::Deregister().
     *
     * Aborts with a message if the queue pair does not belong to the NIC.
     *
     * \param qp the queue pair, of which only GetState() may be called afterwards
     */
    void DestroyQueuePair(Ptr<RdmaQueuePair> qp);

    /**
     * \param qpn a queue pair number
     * \return the queue pair, or null
     */
    Ptr<RdmaQueuePair> GetQueuePair(uint32_t qpn) const;

    /** \return true if a trace source of the NIC or of a queue pair has a sink */
    bool HasSinks() const;

    /** \return true if a completion queue of a queue pair has a callback */
    bool HasCallbacks() const;

    /**
     * \param visit called with each completion queue and each shared receive queue of each queue
     *        pair
     */
    void ForEachQueue(const std::function<void(const Object& queue)>& visit) const;

    /** \return number of existing queue pairs */
    uint32_t GetNQueuePairs() const
    {
        return m_queuePairs.GetSize();
    }

    /** \return sums of the counters of the existing queue pairs */
    RdmaQueuePairStats GetStats() const;

    /** \return the host's memory: registered regions, and the words of atomics */
    RdmaMemory& GetMemory()
    {
        return m_memory;
    }

    /** \param control congestion control of queue pairs connected afterwards; null for none */
    void SetCongestionControl(Ptr<RdmaCongestionControl> control);

    /** \return congestion control of new queue pairs, or null */
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /** \return congestion control of new queue pairs, or null, without a reference */
    const RdmaCongestionControl* PeekCongestionControl() const
    {
        return PeekPointer(m_control);
    }

    /** Fills in the known properties of a queue pair's path: base round trip, number of links. */
    using PathOracle = std::function<void(const RdmaQueuePair&, RdmaPathProfile&)>;

    /** \param oracle called when a queue pair is connected; RdmaFabricHelper provides one */
    void SetPathOracle(PathOracle oracle)
    {
        m_oracle = std::move(oracle);
    }

    /** \return the path oracle; may be empty */
    const PathOracle& GetPathOracle() const
    {
        return m_oracle;
    }

    /** Called when a queue pair has got the address of its peer and cannot send yet. */
    using ConnectionWatcher = std::function<void(RdmaPacketEngine&)>;

    /** \param watcher sees each queue pair that is connected; RdmaFabricHelper provides one */
    void SetConnectionWatcher(ConnectionWatcher watcher)
    {
        m_watcher = std::move(watcher);
    }

    /** \return the connection watcher; may be empty */
    const ConnectionWatcher& GetConnectionWatcher() const
    {
        return m_watcher;
    }

    /** \param visit called with each existing queue pair, in order of numbers */
    template <typename Visit>
    void ForEachQueuePair(Visit visit) const
    {
        m_queuePairs.ForEach(visit);
    }

    /** \return lower bound of a queue pair's pacing rate, in bit/s */
    QbbBitRate GetMinRateBps() const
    {
        return m_minRate;
    }

    /** \return true if a queue pair makes up for waiting for its port (attribute PaceCatchUp) */
    bool CatchesUp() const
    {
        return m_catchesUp;
    }

    /**
     * \return shortest time between two CNPs that share an interval by CnpModeration; 0: no CNPs
     */
    QbbPs GetCnpIntervalPs() const
    {
        return m_notification.GetInterval();
    }

    /**
     * TracedCallback signature of Sample.
     *
     * \param sample state of the queue pair
     */
    typedef void (*SampleCallback)(const RdmaQueuePairSample& sample);

    // Interface for RdmaPacketEngine

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

    /** \return the scheduler of the queue pairs' packets */
    RdmaSendScheduler& GetScheduler()
    {
        return m_scheduler;
    }

    /** Traces a queue pair's sample, which may have changed. \param qp the queue pair */
    void SampleChanged(const RdmaPacketEngine& qp) const
    {
        if (!m_sampled.IsEmpty())
        {
            TraceSample(qp);
        }
    }

    /** \return true if round-trip times are wanted regardless of congestion control */
    bool MeasuresRtt() const
    {
        return m_measureRtt || !m_sampled.IsEmpty();
    }

    /**
     * Warns on standard error that congestion control does not slow READ responses over RoCE, which
     * are not acknowledged. The warning appears once for each algorithm and process, and not for
     * algorithms driven by CNPs.
     */
    void WarnOfUnheardResponses() const;

    /** \return the notification point, which decides when marked packets trigger a CNP */
    RdmaNotificationPoint& GetNotificationPoint()
    {
        return m_notification;
    }

    /** \return pool of the frames that the NIC sends */
    QbbFramePool& GetPool()
    {
        return m_pool;
    }

    // QbbFrameSink
    void ReceiveFrame(QbbPort& port, QbbFramePtr&& frame) override;

    void PrefetchFrame(const QbbPort&,
                       const QbbFrame& frame,
                       uint32_t step,
                       uint32_t&) const override
    {
        if (!m_queuePairs.Knows(frame.destQp))
        {
            return;
        }
        if (step == 2)
        {
            m_queuePairs.Prefetch(frame.destQp);
            return;
        }
        const RdmaQueuePair* qp = m_queuePairs.Peek(frame.destQp);
        if (qp && step == 3)
        {
            RdmaPacketEngine::Of(*qp).Prefetch();
        }
    }

    void FrameDeparts(QbbPort&, QbbFrame&, QbbPs) override
    {
    }

    void FrameGone(QbbPort&, const QbbFrame&) override
    {
    }

    void LinkChanged(QbbPort&) override
    {
    }

    // QbbFrameSource
    QbbFramePtr NextFrame(QbbPort& port, uint8_t priority) override;

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    /** A port of the NIC. */
    struct Port
    {
        Ptr<QbbNetDevice> device; //!< device of the port
        Ipv4Address address;      //!< IPv4 address of the port
        uint32_t ip{0};           //!< the address in host byte order
    };

    const Port& FindPort(uint32_t port) const;
    void TellTrafficControl();
    void FreeDestroyed();
    Ptr<RdmaQueuePair> AddQueuePair(Ptr<RdmaQueuePair> qp, uint32_t qpn, uint32_t port);
    void StartQueuePair(RdmaQueuePair& qp, uint32_t qpn, uint32_t port);
    void ReceiveLate(QbbPort& port, const QbbFrame& frame);
    void TraceSample(const RdmaPacketEngine& qp) const;
    DataRate GetMinRate() const;
    void SetMinRate(DataRate rate);

    void SetGlobalKey(bool global)
    {
        m_memory.SetGlobalKey(global);
    }

    bool HasGlobalKey() const
    {
        return m_memory.HasGlobalKey();
    }

    void SetCnpInterval(Time interval);
    Time GetCnpInterval() const;
    void SetCnpModeration(RdmaNotificationPoint::Moderation moderation);
    RdmaNotificationPoint::Moderation GetCnpModeration() const;

    /// Pool of the frames that the NIC sends
    QbbFramePool m_pool{QbbFramePool::Memory::OF_SIMULATION};
    std::vector<Port> m_ports;       //!< ports by index
    RdmaQueuePairTable m_queuePairs; //!< queue pairs by number
    /// queue pairs to free at the end of the current instant
    std::vector<Ptr<RdmaQueuePair>> m_destroyed;
    RdmaSendScheduler m_scheduler; //!< schedules the queue pairs' packets
    QbbTimer<RdmaNic, &RdmaNic::FreeDestroyed, RdmaSendScheduler::EVENT_ORDER>
        m_endOfInstant;                             //!< calls FreeDestroyed()
    Ptr<RdmaTransport> m_transport;                 //!< attribute Transport
    std::vector<Ptr<RdmaTransport>> m_transports;   //!< all transports of the NIC's queue pairs
    RdmaQueuePairFactory m_queuePairFactory;        //!< creates queue pairs
    RdmaNotificationPoint m_notification;           //!< attributes CnpInterval, CnpModeration
    RdmaMemory m_memory;                            //!< memory of the host; attribute GlobalKey
    Ptr<RdmaCongestionControl> m_control;           //!< attribute CongestionControl
    QbbBitRate m_minRate{1_mbps};                   //!< attribute MinRate
    bool m_catchesUp{true};                         //!< attribute PaceCatchUp
    PathOracle m_oracle;                            //!< path oracle; may be empty
    ConnectionWatcher m_watcher;                    //!< connection watcher; may be empty
    bool m_measureRtt{false};                       //!< attribute MeasureRtt
    QbbTrace<const RdmaQueuePairSample&> m_sampled; //!< trace Sample
};

} // namespace ns3

#endif /* RDMA_NIC_H */
