/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SWITCH_H
#define QBB_SWITCH_H

#include "qbb-frame-forwarder.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * An IPv4 switch, store-and-forward unless CutThrough is set, aggregated to a node whose
 * QbbNetDevices are its ports.
 *
 * The way of a frame is that of QbbFrameForwarder.
 *
 * Attribute Queueing says what the queue is: that of the frame's priority at the egress port
 * (OutputQueued), first in, first out; or one for each pair of ports and priority (InputQueued),
 * which an egress port serves in a round robin over the ingress ports (QbbInputQueueing), through a
 * crossbar if attribute Crossbar says so (QbbCrossbar). Both go with every QbbBufferManager.
 *
 * Hosts reach it as their gateway: it answers ARP requests for every address that it has a route
 * to. Its routes are set by QbbRouting.
 */
class QbbSwitch : public Object, public QbbFrameForwarder
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

    /** \return the buffer manager */
    Ptr<QbbBufferManager> GetBufferManager() const
    {
        return m_buffer;
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

  protected:
    void NotifyNewAggregate() override;
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void SetBuffer(Ptr<QbbBufferManager> manager);
    void SetMarker(Ptr<QbbEcnMarker> marker);
    Ptr<QbbEcnMarker> GetMarker() const;
    void SetDetector(Ptr<QbbCongestionDetector> detector);
    Ptr<QbbCongestionDetector> GetDetector() const;
    void SetOwnMarker(Ptr<QbbMarker> marker);
    Ptr<QbbMarker> GetOwnMarker() const;

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
    std::vector<QbbPort*> GetPortList() const;
    void SetPintBaseRtt(Time baseRtt);
    Time GetPintBaseRtt() const;
    void SetPathSelector(Ptr<QbbPathSelector> selector);
    Ptr<QbbPathSelector> GetPathSelector() const;
    void SetEcmpSeed(uint32_t seed);
    uint32_t GetEcmpSeed() const;

    uint32_t m_seedAttribute{0};        //!< attribute EcmpSeed
    bool m_configured{false};           //!< buffer and ports are set up
    Queueing m_queueing{OUTPUT_QUEUED}; //!< attribute Queueing
    bool m_crossbar{false};             //!< attribute Crossbar
    double m_speedup{1};                //!< attribute CrossbarSpeedup
    uint32_t m_crossbarEgressBytes{0};  //!< attribute CrossbarEgressBytes
};

} // namespace ns3

#endif /* QBB_SWITCH_H */
