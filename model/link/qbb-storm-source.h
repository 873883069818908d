/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_STORM_SOURCE_H
#define QBB_STORM_SOURCE_H

#include "qbb-event-order.h"
#include "qbb-net-device.h"
#include "qbb-time.h"
#include "qbb-timer.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

namespace ns3
{

/**
 * \ingroup rdma
 * A NIC that sends pause frames continuously, whatever it receives: the PFC pause frame storm of C.
 * Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.3.
 *
 *     auto storm = CreateObject<QbbStormSource>();
 *     storm->SetAttribute("Start", TimeValue(MilliSeconds(1)));
 *     storm->Install(fabric->GetNic(0)->GetPort(0));
 *
 * Frames go out at Start, Start + Period, Start + 2 Period, ..., before Stop. After the last one
 * the pause runs out by itself, as nobody is there to take it back.
 */
class QbbStormSource : public Object
{
  public:
    /** When at an instant it sends a pause frame. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Faults::At<0>();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    QbbStormSource();
    ~QbbStormSource() override;

    /**
     * Puts the fault on a port, with the attributes as they are now. Once; the port keeps the
     * object alive. Aborts with a message if the port's peer would not heed the pauses.
     *
     * \param device the port
     */
    void Install(Ptr<QbbNetDevice> device);

    /** \return pause frames that were asked for so far */
    uint64_t GetFrames() const
    {
        return m_frames;
    }

  protected:
    void DoDispose() override;

  private:
    void OnSend();

    QbbPort* m_device{nullptr}; //!< where
    uint8_t m_classes{8};       //!< attribute Classes
    uint16_t m_quanta{65535};   //!< attribute Quanta
    Time m_start;               //!< attribute Start
    Time m_stop;                //!< attribute Stop
    Time m_period;              //!< attribute Period
    QbbPs m_next{0};            //!< when the next frame goes out
    QbbPs m_periodPs{0};        //!< from one frame to the next
    QbbPs m_stopPs{QBB_NEVER};  //!< no frame from here on
    uint64_t m_frames{0};       //!< frames so far
    QbbTimer<QbbStormSource, &QbbStormSource::OnSend, EVENT_ORDER> m_timer; //!< the next frame
};

} // namespace ns3

#endif /* QBB_STORM_SOURCE_H */
