/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NIC_WATCHDOG_H
#define RDMA_NIC_WATCHDOG_H

#include "qbb-event-order.h"
#include "qbb-net-device.h"
#include "qbb-time.h"
#include "qbb-timer.h"
#include "rdma-receive-buffer.h"

#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <array>

namespace ns3
{

/**
 * \ingroup rdma
 * The watchdog of a NIC against the pause frame storm: a micro-controller that looks at the receive
 * pipeline. When the pipeline has stood still for the time Timeout while the NIC generates pause
 * frames, the NIC may not generate any more, and the NIC takes back what it asked for. (A pause
 * that QbbStormSource has sent runs out by itself.)
 *
 * It looks every PollInterval from the first pause frame on, as long as the peer is paused. The
 * pipeline stands still while no frame of the RdmaReceiveBuffer gets through to the host, or, at a
 * port without one, while no frame of the paused classes comes in.
 *
 * Source: C. Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.3, where
 * Timeout is 100 ms, and where such a NIC does not come back by itself.
 */
class RdmaNicWatchdog : public Object
{
  public:
    /** When at an instant it looks, and acts. QbbPfcWatchdog has this place at switches. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Settling::At<2>();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNicWatchdog();
    ~RdmaNicWatchdog() override;

    /**
     * Begins to watch a port, with the attributes as they are now. Once; the port keeps the object
     * alive. An RdmaReceiveBuffer has to be there before.
     *
     * \param device the port
     */
    void Install(Ptr<QbbNetDevice> device);

    /** \return true if the NIC may not generate pause frames any more */
    bool HasFired() const
    {
        return m_fired;
    }

    /** Lets the NIC generate pause frames again, as after a repair. */
    void Reset();

    /**
     * TracedCallback signature of PauseDisabled.
     *
     * \param node id of the host's node
     */
    typedef void (*DisabledCallback)(uint32_t node);

  protected:
    void DoDispose() override;

  private:
    void OnPause(uint8_t priority, uint16_t quanta);
    void OnPoll();
    uint8_t GetPausing(QbbPs now) const;
    uint64_t GetProgress(uint8_t classes) const;

    QbbPort* m_device{nullptr};           //!< the port
    RdmaReceiveBuffer* m_buffer{nullptr}; //!< its receive buffer, or null
    std::array<QbbPs, 8> m_pausedUntil{}; //!< the peer's pause runs out, by class
    Time m_timeout;                       //!< attribute Timeout
    Time m_pollInterval;                  //!< attribute PollInterval
    QbbPs m_stopped{0};                   //!< the pipeline has stood still for so long
    uint8_t m_classes{0};                 //!< classes that were paused at the latest look
    uint64_t m_progress{0};               //!< GetProgress() of them then
    bool m_fired{false};                  //!< pause frames are disabled
    TracedCallback<uint32_t> m_disabled;  //!< trace PauseDisabled
    QbbTimer<RdmaNicWatchdog, &RdmaNicWatchdog::OnPoll, EVENT_ORDER> m_timer; //!< the next look
};

} // namespace ns3

#endif /* RDMA_NIC_WATCHDOG_H */
