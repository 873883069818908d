/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "qbb-bit-rate.h"
#include "qbb-frame.h"
#include "qbb-net-device.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-congestion-control.h"
#include "rdma-memory.h"
#include "rdma-notification-point.h"
#include "rdma-packet-engine.h"
#include "rdma-queue-pair-table.h"
#include "rdma-queue-pair.h"
#include "rdma-send-scheduler.h"
#include "rdma-transport.h"

#include <ns3/data-rate.h>
#include <ns3/ipv4-address.h>
#include <ns3/object-factory.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <array>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A host's RDMA NIC, aggregated to the node: owns the queue pairs and speaks to the ports.
 *
 * Sending: a queue pair with something to send stands in the list of its port and class. When the
 * port has room for that class, NextFrame() takes the first of the list, sends one packet and puts
 * it at the end: round robin among those that are ready, whatever the number of all others.
 * Receiving: ReceiveFrame() finds the queue pair by its number; packets of ns-3's own stack go on
 * to the stack.
 *
 * What is posted, or times out, at one instant begins together at the end of that instant, in the
 * order of queue pair numbers, so that the order of the calls does not matter.
 */
class RdmaNic : public Object, public QbbFrameSink, public QbbFrameSource
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
     * \param address its IPv4 address
     */
    void AddPort(Ptr<QbbNetDevice> device, Ipv4Address address);

    /** \return number of ports */
    uint32_t GetNPorts() const;

    /** \param port port index \return the device */
    Ptr<QbbNetDevice> GetPort(uint32_t port) const;

    /** \param port port index, which must exist \return the device */
    QbbPort& GetDevice(uint32_t port) const
    {
        return *m_ports[port].device;
    }

    /** \param port port index \return its IPv4 address */
    Ipv4Address GetAddress(uint32_t port) const;

    /** \param transport for queue pairs that are made from now on */
    void SetTransport(Ptr<RdmaTransport> transport);

    /** \return the transport of new queue pairs */
    Ptr<RdmaTransport> GetTransport() const;

    /**
     * \param name an attribute of RdmaQueuePair
     * \param value its value for queue pairs that are made from now on
     */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /**
     * \param port index of the port that it sends through
     * \return a new queue pair, in state INIT, with the next number that is free
     */
    Ptr<RdmaQueuePair> CreateQueuePair(uint32_t port = 0);

    /**
     * Makes a new queue pair again for a request packet of a peer that does not know that its own
     * has been destroyed: connected, and resumed where that one ended.
     *
     * \param qpn the number that the packet names, of a queue pair that does not exist
     * \return the queue pair, or null: the packet is dropped
     */
    using LateHandler = RdmaQueuePairTable::LateHandler;

    /**
     * Keeps consecutive numbers for CreateQueuePairAs(); CreateQueuePair() uses none of them. So a
     * queue pair's number does not depend on when the queue pair is made.
     *
     * \param count how many
     * \param late asked when a request comes in for one of them that does not exist; may be empty
     * \return the first of them
     */
    uint32_t ReserveQueuePairNumbers(uint32_t count, LateHandler late = LateHandler());

    /**
     * Aborts with a message if the number is not reserved, or in use.
     *
     * \param qpn a number of ReserveQueuePairNumbers()
     * \param port index of the port that it sends through
     * \return a new queue pair, in state INIT
     */
    Ptr<RdmaQueuePair> CreateQueuePairAs(uint32_t qpn, uint32_t port = 0);

    /**
     * \param qpn a number
     * \param port index of a port
     * \return a queue pair with the settings of this NIC's that the NIC does not know: not for
     *         traffic, but for what follows from the settings, such as the path of its packets
     */
    Ptr<RdmaQueuePair> MakePrototype(uint32_t qpn, uint32_t port = 0);

    /**
     * Destroys a queue pair (ibv_destroy_qp): its requests end without completion, and the NIC
     * forgets the queue pair. What comes in for its number later is dropped, but for answers to
     * what the queue pair sent, which go unheard. A completion or trace of the queue pair may call
     * this.
     *
     * Completion queues and shared receive queues need no such call: the last reference to one ends
     * it. Memory regions end with RdmaMemory::Deregister().
     *
     * Aborts with a message if the NIC does not know the queue pair.
     *
     * \param qp the queue pair; no function of it but GetState() is to be called from now on
     */
    void DestroyQueuePair(Ptr<RdmaQueuePair> qp);

    /**
     * \param qpn a queue pair number
     * \return the queue pair, or null
     */
    Ptr<RdmaQueuePair> GetQueuePair(uint32_t qpn) const;

    /** \return number of queue pairs that exist */
    uint32_t GetNQueuePairs() const
    {
        return m_queuePairs.GetSize();
    }

    /** \return the host's memory: what peers may use, and the words of atomics */
    RdmaMemory& GetMemory()
    {
        return m_memory;
    }

    /**
     * \param key a key that a peer has given
     * \param address first byte
     * \param length bytes
     * \param access what is wanted
     * \return true if the attribute GlobalKey or the key's region allows it
     */
    bool IsAllowed(uint32_t key,
                   uint64_t address,
                   uint64_t length,
                   const RdmaMemoryAccess& access) const
    {
        return (key == RdmaMemory::NO_KEY && m_globalKey) ||
               m_memory.Allows(key, address, length, access);
    }

    /** \param control for queue pairs that are connected from now on; null for none */
    void SetCongestionControl(Ptr<RdmaCongestionControl> control);

    /** \return congestion control of new queue pairs, or null */
    Ptr<RdmaCongestionControl> GetCongestionControl() const;

    /** Fills in what is known of a queue pair's path: base round trip and number of links. */
    using PathOracle = std::function<void(const RdmaQueuePair&, RdmaPathProfile&)>;

    /** \param oracle asked when a queue pair is connected; RdmaFabricHelper gives one */
    void SetPathOracle(PathOracle oracle);

    /** \return what knows the paths; may be empty */
    const PathOracle& GetPathOracle() const
    {
        return m_oracle;
    }

    /** \return no queue pair waits longer than at this rate, in bit/s */
    QbbBitRate GetMinRateBps() const
    {
        return m_minRate;
    }

    /**
     * \return shortest time between two CNPs, of those that CnpModeration counts
     *         together; 0: no CNPs
     */
    QbbPs GetCnpIntervalPs() const
    {
        return m_notification.GetInterval();
    }

    /**
     * TracedCallback signature of Sample.
     *
     * \param sample how the queue pair stands
     */
    typedef void (*SampleCallback)(const RdmaQueuePairSample& sample);

    // For RdmaPacketEngine

    /** \return whose turn it is to send */
    RdmaSendScheduler& GetScheduler()
    {
        return m_scheduler;
    }

    /** A queue pair's sample may have changed. \param qp the queue pair */
    void SampleChanged(const RdmaPacketEngine& qp) const
    {
        if (!m_sampled.IsEmpty())
        {
            TraceSample(qp);
        }
    }

    /** \return true if somebody wants round-trip times, whether or not congestion control does */
    bool MeasuresRtt() const
    {
        return m_measureRtt || !m_sampled.IsEmpty();
    }

    /**
     * A queue pair under congestion control answers READs, and nobody acknowledges the answers
     * (RoCE): says so on standard error, once for each RdmaCongestionControl, unless CNPs are all
     * that the algorithm wants.
     */
    void WarnOfUnheardResponses() const;

    /** \return decides when marked packets are answered with a CNP */
    RdmaNotificationPoint& GetNotificationPoint()
    {
        return m_notification;
    }

    /** \return frames of this NIC's packets */
    QbbFramePool& GetPool()
    {
        return m_pool;
    }

    // QbbFrameSink
    void ReceiveFrame(QbbPort& port, QbbFramePtr frame) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, QbbPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;

    // QbbFrameSource
    QbbFramePtr NextFrame(QbbPort& port, uint8_t priority) override;

  protected:
    void DoDispose() override;

  private:
    /** A port. */
    struct Port
    {
        Ptr<QbbNetDevice> device; //!< the device
        Ipv4Address address;      //!< its address
    };

    void FreeDestroyed();
    Ptr<RdmaQueuePair> AddQueuePair(uint32_t qpn, uint32_t port);
    void ReceiveLate(QbbPort& port, const QbbFrame& frame);
    void TraceSample(const RdmaPacketEngine& qp) const;
    DataRate GetMinRate() const;
    void SetMinRate(DataRate rate);
    void SetCnpInterval(Time interval);
    Time GetCnpInterval() const;
    void SetCnpModeration(RdmaNotificationPoint::Moderation moderation);
    RdmaNotificationPoint::Moderation GetCnpModeration() const;

    QbbFramePool m_pool;                         //!< frames of this NIC's packets
    std::vector<Port> m_ports;                   //!< by index
    RdmaQueuePairTable m_queuePairs;             //!< by number
    std::vector<Ptr<RdmaQueuePair>> m_destroyed; //!< freed at the end of this instant
    RdmaSendScheduler m_scheduler;               //!< whose turn it is to send
    QbbTimer<RdmaNic, &RdmaNic::FreeDestroyed, RdmaSendScheduler::EVENT_ORDER>
        m_endOfInstant;                                   //!< FreeDestroyed()
    Ptr<RdmaTransport> m_transport;                       //!< attribute Transport
    ObjectFactory m_queuePairFactory;                     //!< makes queue pairs
    RdmaNotificationPoint m_notification;                 //!< attributes CnpInterval, CnpModeration
    RdmaMemory m_memory;                                  //!< what peers may use
    bool m_globalKey{true};                               //!< attribute GlobalKey
    Ptr<RdmaCongestionControl> m_control;                 //!< attribute CongestionControl
    QbbBitRate m_minRate{1_mbps};                         //!< attribute MinRate
    PathOracle m_oracle;                                  //!< SetPathOracle()
    bool m_measureRtt{false};                             //!< attribute MeasureRtt
    TracedCallback<const RdmaQueuePairSample&> m_sampled; //!< trace Sample
};

} // namespace ns3

#endif /* RDMA_NIC_H */
