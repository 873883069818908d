/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_STORM_SOURCE_H
#define QBB_STORM_SOURCE_H

#include "qbb-net-device.h"
#include "rdma-event-order.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

namespace ns3
{

/**
 * \ingroup rdma
 * A faulty NIC that sends pause frames continuously, whatever it receives: the PFC pause frame
 * storm of C. Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.3.
 *
 *     auto storm = CreateObject<QbbStormSource>();
 *     storm->SetAttribute("Start", TimeValue(MilliSeconds(1)));
 *     storm->Install(fabric->GetNic(0)->GetPort(0));
 *
 * Pause frames are sent at Start, Start + Period, Start + 2 Period, ..., before Stop. After the
 * last pause frame the pause expires by itself, because no resume frame is sent.
 */
class QbbStormSource : public Object
{
  public:
    /** Order of the send event among simultaneous events. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Faults::At<0>();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \return null while the attributes may change, else when they may (RdmaFixedTypeId) */
    const char* GetFixed() const
    {
        return m_device ? "before Install()" : nullptr;
    }

    QbbStormSource();
    ~QbbStormSource() override;

    /**
     * Installs the fault at a port, with the current attribute values. The port keeps this object
     * alive. Aborts with a message if the object is already installed, if a class of Classes is not
     * lossless at the port, so that its pauses would be ignored, or if Stop is not after Start.
     *
     * \param device port at which to install the fault
     */
    void Install(Ptr<QbbNetDevice> device);

    /** \return number of pause frames injected so far */
    uint64_t GetFrames() const
    {
        return m_frames;
    }

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  protected:
    void DoDispose() override;

  private:
    void OnSend();

    QbbPort* m_device{nullptr};  //!< port with the fault
    uint8_t m_classes{8};        //!< attribute Classes
    uint16_t m_quanta{65535};    //!< attribute Quanta
    Time m_start;                //!< attribute Start
    Time m_stop;                 //!< attribute Stop
    Time m_period;               //!< attribute Period
    RdmaPs m_next{0};            //!< instant of the next pause frame
    RdmaPs m_periodPs{0};        //!< time between two pause frames
    RdmaPs m_stopPs{RDMA_NEVER}; //!< instant from which no pause frame is sent
    uint64_t m_frames{0};        //!< number of pause frames injected so far
    RdmaTimer<QbbStormSource, &QbbStormSource::OnSend, EVENT_ORDER> m_timer; //!< send timer
};

} // namespace ns3

#endif /* QBB_STORM_SOURCE_H */
