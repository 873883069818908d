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
 * QbbFrameForwarder describes the path of a frame through the switch.
 *
 * Attribute Queueing selects the queues. OutputQueued: one FIFO queue per egress port and priority.
 * InputQueued: one queue per ingress port, egress port and priority; an egress port serves its
 * queues in a round robin over the ingress ports (QbbInputQueueing), through a crossbar if
 * attribute Crossbar is set (QbbCrossbar). Both work with every QbbBufferManager.
 *
 * Hosts use the switch as their gateway: it answers ARP requests for every address that it has a
 * route to. QbbRouting sets its routes.
 */
class QbbSwitch : public Object, public QbbFrameForwarder
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
    void SetBufferManager(Ptr<QbbBufferManager> manager);

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

    /** Sets an attribute's member; aborts with a message once the switch runs. */
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

    template <typename Part>
    void Change(const Ptr<Part>& before, const Ptr<Part>& after);
    void LeaveParts();
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
    bool m_configured{false};           //!< ConfigureBuffer() has run
    Queueing m_queueing{OUTPUT_QUEUED}; //!< attribute Queueing
    bool m_crossbar{false};             //!< attribute Crossbar
    double m_speedup{1};                //!< attribute CrossbarSpeedup
    uint32_t m_crossbarEgressBytes{0};  //!< attribute CrossbarEgressBytes
};

} // namespace ns3

#endif /* QBB_SWITCH_H */
