/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "qbb-frame.h"
#include "qbb-net-device.h"
#include "rdma-congestion-control.h"
#include "rdma-entropy.h"
#include "rdma-event-order.h"
#include "rdma-memory.h"
#include "rdma-notification-point.h"
#include "rdma-packet-engine.h"
#include "rdma-prefetch.h"
#include "rdma-queue-pair.h"
#include "rdma-reply-delays.h"
#include "rdma-send-pipeline.h"
#include "rdma-send-scheduler.h"
#include "rdma-time.h"
#include "rdma-timer.h"
#include "rdma-trace.h"
#include "rdma-transport.h"

#include <ns3/data-rate.h>
#include <ns3/ipv4-address.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/object.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class RdmaHost;
class RdmaNoteBus;

/**
 * \ingroup rdma
 * A host's RDMA NIC, aggregated to the node: owns the queue pairs and connects them to the ports.
 *
 * Sending: RdmaSendScheduler picks the next queue pair of a port and class. Receiving:
 * ReceiveFrame() finds the queue pair by its number; frames of other protocols are delivered to the
 * ns-3 stack.
 *
 * Requests posted and timeouts at one instant take effect together at the end of the instant, in
 * the order of queue pair numbers. The order of the calls therefore does not matter.
 *
 * **Ports.** A NIC has one or more ports. Ports with addresses of their own are independent: a
 * queue pair sends through the port that it was created at. Ports with one address are a bond. A
 * queue pair of a bond sends all of its packets (requests, responses, acknowledgements and CNPs)
 * through the port that a hash of its flow names among the ports of the bond that are up, and
 * receives through any of them. The choice is by highest random weight (Thaler and Ravishankar,
 * "Using Name-Based Mappings to Increase Hit Rates", IEEE/ACM Transactions on Networking 6(1),
 * 1998), so that a change of one port moves no queue pair between two others.
 *
 * The NIC takes a port to be down when its link has been down for FailoverDelay, and up again when
 * its link has been up for FailoverDelay. The queue pairs of a bond then go over to the port that
 * their hash names now. Until then they stay: their packets wait in the NIC, acknowledgements and
 * CNPs are dropped by the port (QbbDropReason::LINK_DOWN), as are the frames that were in the
 * port's queues when the link went down. Frames that were on the cable are counted by the port at
 * its other end. If no port of a bond is up, the queue pairs stay where they are. Changes at time 0
 * take effect at once. Whoever spreads messages over ports of different addresses learns of changes
 * by AddPortWatcher().
 *
 * Of a bond, ns-3's stack sees the first port alone, as Linux's stack sees the bond: the NIC hands
 * the packets that all ports of the bond receive to the stack as those of the first port. The stack
 * sends through the first port, and its packets do not fail over.
 *
 * Queue pair numbers are assigned once, in ascending order. Numbers may be reserved for queue pairs
 * created later.
 *
 * The NIC may take time as hardware does: for doorbells, fetches of work requests, gaps between
 * messages, turnaround of acknowledgements, generation of CNPs. All these times are 0 by default:
 * the NIC then acts at the instant of its input, without further events. The times are latencies of
 * pipelines; see RdmaSendPipeline and RdmaReplyDelays. A queue pair keeps the times of requests
 * that the NIC had when the queue pair was created. The times of replies may change at any instant.
 */
class RdmaNic : public Object, public QbbFrameSink
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Creates a NIC without ports, with the queue pair attributes of this NIC. RdmaAlikeFactory
     * sets the attributes of the NIC.
     *
     * \return the NIC; null if this object is of a derived class
     */
    Ptr<RdmaNic> MakeBare() const;

    /// Number of the first queue pair; 0 and 1 are reserved (IBA Vol. 1, 3.9.5).
    static constexpr uint32_t FIRST_QPN = 2;

    RdmaNic();
    ~RdmaNic() override;

    /**
     * Aborts with a message if the port joins a bond and the NIC has queue pairs.
     *
     * \param device a device of this node
     * \param address IPv4 address of the device; that of another port of the NIC: the ports are a
     *        bond
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
    QbbNetDevice& GetDevice(uint32_t port) const
    {
        return *m_ports[port].device;
    }

    /** \param port port index \return IPv4 address of the port */
    Ipv4Address GetAddress(uint32_t port) const;

    /** \param host the host of the NIC, which outlives the NIC's traffic */
    void SetHost(RdmaHost* host);

    /** \return the host of SetHost(), or null */
    RdmaHost* GetHost() const;

    /** Adds a bus that carries notes to and from the NIC's node. \param bus the bus */
    void AddNoteBus(RdmaNoteBus* bus);

    /** Forgets a bus of AddNoteBus(). \param bus the bus */
    void RemoveNoteBus(RdmaNoteBus* bus);

    /** \return the buses of AddNoteBus() */
    const std::vector<RdmaNoteBus*>& GetNoteBuses() const;

    /** \param port port index \return true if another port has the address of the port */
    bool IsBonded(uint32_t port) const;

    /** \param port port index \return ports with the address of the port, ascending */
    std::vector<uint32_t> GetBond(uint32_t port) const;

    /**
     * \param port port index
     * \return true if the NIC takes the port to be up: the link's state before the latest change
     *         until FailoverDelay has passed. A NIC looks at its ports if it has a bond or a
     * watcher, and begins with the present state of the links; else it takes all ports to be up
     */
    bool IsPortUp(uint32_t port) const;

    /**
     * \param port index of the port at which a queue pair is created
     * \param flowHash QbbFlowHash() of the queue pair's packets
     * \return index of the port through which the queue pair sends: \p port itself unless the port
     *         is bonded
     */
    uint32_t ChoosePort(uint32_t port, uint32_t flowHash) const
    {
        return m_portStates ? ChooseBondPort(port, flowHash) : port;
    }

    /**
     * Called when the NIC takes a port to be down or up, in an event of the NIC's node, after the
     * queue pairs of a bond have gone over. The function may act on the node and on its queue
     * pairs; RdmaDefer() is for other work.
     */
    using PortWatcher = std::function<void(uint32_t port, bool isUp)>;

    /** \param watcher called for each change of a port, bonded or not */
    void AddPortWatcher(PortWatcher watcher);

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
     * Creates queue pairs with the attributes that SetQueuePairAttribute() has given to another
     * NIC.
     *
     * \param other the other NIC
     */
    void SetQueuePairAttributesOf(const RdmaNic& other);

    /** \return PSN of the first packet of queue pairs created afterwards */
    uint32_t GetInitialPsn();

    /** \return payload bytes of a full packet of queue pairs created afterwards */
    uint32_t GetPathMtu();

    /**
     * \param port index of the port through which the queue pair sends, or of any port of a bond
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
    using LateHandler = std::function<Ptr<RdmaQueuePair>(uint32_t qpn)>;

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
     * Default values of attributes are read once, for the first such queue pair or prototype after
     * the last SetQueuePairAttribute(), and for all NICs that have the attributes from one NIC: a
     * run with a million flows creates two million queue pairs.
     *
     * \param qpn a number from ReserveQueuePairNumbers()
     * \param port index of the port through which the queue pair sends, or of any port of a bond
     * \return a new queue pair in state INIT
     */
    Ptr<RdmaQueuePair> CreateQueuePairAs(uint32_t qpn, uint32_t port = 0);

    /** Fetches what CreateQueuePairAs() will use into the CPU caches. */
    void PrefetchSpare() const
    {
        if (!m_spares.empty())
        {
            m_spares.back()->Prefetch();
        }
    }

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
     * Destroys a queue pair like DestroyQueuePair(), and lets CreateQueuePairAs() use its memory at
     * once. To be called while none of the queue pair's functions, completion callbacks and trace
     * sinks is running.
     *
     * \param [in,out] qp the queue pair; becomes null
     */
    void RecycleQueuePair(Ptr<RdmaQueuePair>& qp);

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
        return m_nQueuePairs;
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

    /**
     * Aborts with a message if another NIC uses the object.
     *
     * \param entropy chooses the UDP source ports of the packets of queue pairs connected
     *        afterwards; null: each queue pair has one port
     */
    void SetEntropy(Ptr<RdmaEntropy> entropy);

    /** \return what chooses UDP source ports of new queue pairs, or null */
    Ptr<RdmaEntropy> GetEntropy() const;

    /**
     * \return class of the NIC's RdmaEntropy if packets of a queue pair may overtake each other
     *         because of it; empty: the NIC sends all packets of a queue pair on one path
     */
    std::string GetReorderingEntropy() const;

    /**
     * \return true if an acknowledgement or NAK has the UDP source port of the packet that causes
     * it (attribute EchoSourcePort)
     */
    bool HasSourcePortEcho() const
    {
        return m_echoSourcePort;
    }

    /**
     * Assigns fixed random streams to the random variables of the NIC.
     *
     * \param stream first random stream to use
     * \return number of random streams used
     */
    int64_t AssignStreams(int64_t stream);

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
        for (const auto& qp : m_queuePairs)
        {
            if (qp)
            {
                visit(*qp);
            }
        }
    }

    /** \return lower bound of a queue pair's pacing rate */
    DataRate GetMinRate() const
    {
        return m_minRate;
    }

    /** \return true if a queue pair makes up for waiting for its port (attribute PaceCatchUp) */
    bool HasPaceCatchUp() const
    {
        return m_catchesUp;
    }

    /**
     * \return shortest time between two CNPs that share an interval by CnpModeration; 0: no CNPs
     */
    RdmaPs GetCnpIntervalPs() const
    {
        return m_notification.interval;
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

    /**
     * \param engine packet engine of a new queue pair
     * \return the queue pair's pipeline of send requests; null if requests start at once
     */
    std::unique_ptr<RdmaSendPipeline> MakeSendPipeline(RdmaPacketEngine& engine) const;

    /** \return chooser of source ports of a new queue pair; null: the queue pair has one port */
    std::unique_ptr<RdmaEntropyChooser> MakeEntropyChooser() const;

    /** \return the delays of acknowledgements and CNPs */
    RdmaReplyDelays& GetReplies()
    {
        return m_replies;
    }

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
        const bool hasPlace = HasPlace(frame.destQp);
        if (step == 2)
        {
            RdmaPrefetch(hasPlace ? &m_queuePairs[frame.destQp - FIRST_QPN] : nullptr);
            return;
        }
        const RdmaQueuePair* qp = hasPlace ? PeekQueuePair(frame.destQp) : nullptr;
        if (!qp)
        {
            PrefetchSpare(); // the frame may need a new queue pair
            return;
        }
        const RdmaPacketEngine& engine = RdmaPacketEngine::Of(*qp);
        if (step == 3)
        {
            engine.Prefetch();
            return;
        }
        GetRdmaOpcodeInfo(frame.opcode).request ? engine.PrefetchResponder()
                                                : engine.PrefetchRequester();
    }

    void FrameDeparts(QbbPort&, QbbFrame&, RdmaPs) override
    {
    }

    void FrameGone(QbbPort&, const QbbFrame&) override
    {
    }

    void LinkChanged(QbbPort& port) override;

    /// Order, among the events of one instant, at which the NIC learns of changes of its ports.
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Faults::At<1>();

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    RdmaNic(const RdmaNic& pattern); // for MakeBare()

    /// Most queue pairs in m_spares: as many as a host with many short flows has at one time.
    static constexpr std::size_t MOST_SPARES = 32;

    /** Attributes of queue pairs. NICs, perhaps on several threads, share them. */
    class QueuePairSettings
    {
      public:
        /** \param factory factory of the queue pairs */
        explicit QueuePairSettings(const ObjectFactory& factory);

        /** \return factory of the queue pairs */
        const ObjectFactory& GetFactory() const
        {
            return m_factory;
        }

        /** \return a queue pair of the factory, which serves as a pattern only: always the same */
        const RdmaQueuePair& GetPattern();

      private:
        const ObjectFactory m_factory; //!< factory of the queue pairs
        std::once_flag m_isMade;       //!< m_pattern has been made
        Ptr<RdmaQueuePair> m_pattern;  //!< the pattern; null before the first use
    };

    /** A port of the NIC. */
    struct Port
    {
        Ptr<QbbNetDevice> device; //!< device of the port
        Ipv4Address address;      //!< IPv4 address of the port
        uint32_t ip{0};           //!< the address in host byte order
    };

    /** What the NIC knows of the state of its ports, if it looks at that. */
    struct PortStates;

    /** A block of numbers assigned by ReserveQueuePairNumbers(). */
    struct Block
    {
        uint32_t first{0}; //!< first number of the block
        uint32_t count{0}; //!< how many numbers the block has
        LateHandler late;  //!< handler that recreates destroyed queue pairs; may be empty
    };

    /** \param qpn a queue pair number \return true if the number is assigned or reserved */
    bool IsAssigned(uint32_t qpn) const
    {
        return qpn - FIRST_QPN < m_nNumbers;
    }

    /**
     * \param qpn a queue pair number
     * \return true if the table of queue pairs has a place for the number. The table ends with the
     *         largest number that has had a queue pair, because many reserved numbers never get one
     */
    bool HasPlace(uint32_t qpn) const
    {
        return qpn - FIRST_QPN < m_queuePairs.size();
    }

    /** \param qpn a number for which HasPlace() is true \return the queue pair, or null */
    RdmaQueuePair* PeekQueuePair(uint32_t qpn) const
    {
        return PeekPointer(m_queuePairs[qpn - FIRST_QPN]);
    }

    uint32_t AssignNumbers(uint32_t count);
    const Block* FindBlock(uint32_t qpn) const;
    const Port& FindPort(uint32_t port) const;
    void AddQueueInterfaces();
    PortStates& MakePortStates();
    uint32_t ChooseBondPort(uint32_t port, uint32_t flowHash) const;
    void MoveQueuePairs();
    void OnPortTimer();
    void ForgetQueuePair(const Ptr<RdmaQueuePair>& qp);
    void FreeDestroyed();
    void Free(const Ptr<RdmaQueuePair>& qp);
    Ptr<RdmaQueuePair> TakeSpare();
    Ptr<RdmaQueuePair> MakeFromPattern();
    Ptr<RdmaQueuePair> AddQueuePair(Ptr<RdmaQueuePair> qp, uint32_t qpn, uint32_t port);
    void KeepQueuePair(const Ptr<RdmaQueuePair>& qp, uint32_t qpn);
    void StartQueuePair(RdmaQueuePair& qp, uint32_t qpn, uint32_t port);
    void DeliverToStack(QbbPort& port, QbbFrame& frame) const;

    bool IsForPort(const QbbPort& port, const QbbFrame& frame) const
    {
        return frame.dstMac == port.GetMac() && frame.dstIp == m_ports[port.GetPortNumber()].ip;
    }

    void ReceiveLate(QbbPort& port, const QbbFrame& frame);
    void TraceSample(const RdmaPacketEngine& qp) const;
    void SetMinRate(DataRate rate);
    void SetFailoverDelay(Time delay);
    Time GetFailoverDelay() const;

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
    void SetCnpMarkShare(double share);
    double GetCnpMarkShare() const;

    /** \tparam field a time of RdmaSendTiming \param time the time */
    template <RdmaPs RdmaSendTiming::*field>
    void SetSendTime(Time time);

    /** \tparam field a time of RdmaSendTiming \return the time */
    template <RdmaPs RdmaSendTiming::*field>
    Time GetSendTime() const;

    void SetPrefetch(uint32_t requests);
    uint32_t GetPrefetch() const;

    /** \tparam kind kind of replies \param time delay of the replies */
    template <RdmaReplyDelays::Kind kind>
    void SetReplyDelay(Time time);

    /** \tparam kind kind of replies \return delay of the replies */
    template <RdmaReplyDelays::Kind kind>
    Time GetReplyDelay() const;

    // Members that each frame needs come first: they share the cache line of the QbbFrameSink and
    // the next one.

    /// queue pairs by number - FIRST_QPN, up to the largest number in use so far; null: no queue
    /// pair
    std::vector<Ptr<RdmaQueuePair>> m_queuePairs;
    std::vector<Port> m_ports; //!< ports by index
    /// Pool of the frames that the NIC sends
    QbbFramePool m_pool{QbbFramePool::Memory::OF_SIMULATION};
    RdmaSendScheduler m_scheduler;                   //!< schedules the queue pairs' packets
    RdmaTrace<const RdmaQueuePairSample&> m_sampled; //!< trace Sample
    RdmaReplyDelays m_replies;                       //!< attributes AckTurnaround, CnpDelay
    RdmaSendTiming m_sends;    //!< attributes DoorbellDelay, WqeFetchDelay, WqePrefetch, MessageGap
    uint32_t m_nQueuePairs{0}; //!< number of queue pairs
    uint32_t m_nNumbers{0};    //!< queue pair numbers assigned or reserved
    std::vector<Block> m_blocks; //!< blocks of reserved numbers, ascending
    /// queue pairs to free at the end of the current instant
    std::vector<Ptr<RdmaQueuePair>> m_destroyed;
    /// Destroyed queue pairs that CreateQueuePairAs() uses again, at most MOST_SPARES
    std::vector<Ptr<RdmaQueuePair>> m_spares;
    RdmaTimer<RdmaNic, &RdmaNic::FreeDestroyed, RdmaSendScheduler::EVENT_ORDER>
        m_endOfInstant;                           //!< calls FreeDestroyed()
    Ptr<RdmaTransport> m_transport;               //!< attribute Transport
    std::vector<Ptr<RdmaTransport>> m_transports; //!< all transports of the NIC's queue pairs
    std::shared_ptr<QueuePairSettings> m_queuePairSettings; //!< of the NIC's queue pairs
    RdmaNotificationPoint m_notification; //!< attributes CnpInterval, CnpModeration
    RdmaMemory m_memory;                  //!< memory of the host; attribute GlobalKey
    Ptr<RdmaCongestionControl> m_control; //!< attribute CongestionControl
    Ptr<RdmaEntropy> m_entropy;           //!< attribute Entropy
    DataRate m_minRate;                   //!< attribute MinRate
    bool m_echoSourcePort{false};         //!< attribute EchoSourcePort
    bool m_catchesUp{true};               //!< attribute PaceCatchUp
    bool m_measureRtt{false};             //!< attribute MeasureRtt
    RdmaPs m_failoverDelay{0};            //!< attribute FailoverDelay
    /// States of the ports; null if the NIC has neither a bond, a watcher of ports, a host nor a
    /// bus.
    std::unique_ptr<PortStates> m_portStates;
    PathOracle m_oracle;         //!< path oracle; may be empty
    ConnectionWatcher m_watcher; //!< connection watcher; may be empty
};

} // namespace ns3

#endif /* RDMA_NIC_H */
