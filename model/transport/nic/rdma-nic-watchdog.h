/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NIC_WATCHDOG_H
#define RDMA_NIC_WATCHDOG_H

#include "qbb-net-device.h"
#include "rdma-event-order.h"
#include "rdma-receive-buffer.h"
#include "rdma-time.h"
#include "rdma-timer.h"
#include "rdma-trace.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

#include <array>

namespace ns3
{

/**
 * \ingroup rdma
 * Watchdog of a NIC against pause frame storms: models a micro-controller that monitors the receive
 * pipeline. If the pipeline makes no progress for Timeout while the NIC generates pause frames, the
 * watchdog disables pause frames and releases the pauses in force. (A pause sent by QbbStormSource
 * expires on its own.)
 *
 * The watchdog polls every PollInterval from the first pause frame on, as long as the peer is
 * paused. Progress is a frame that the RdmaReceiveBuffer hands to the host or, at a port without a
 * receive buffer, a received frame of a paused class.
 *
 * Source: C. Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM 2016, section 4.3. There,
 * Timeout is 100 ms, and the NIC does not re-enable pause frames on its own.
 */
class RdmaNicWatchdog : public Object
{
  public:
    /** Order of a poll among the events of one instant; QbbPfcWatchdog uses it at switches. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Settling::At<2>();

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaNicWatchdog();
    ~RdmaNicWatchdog() override;

    /**
     * Starts watching a port, with the current attribute values. To be called once; the port keeps
     * the watchdog alive. An RdmaReceiveBuffer must be installed before the watchdog.
     *
     * \param device the port
     */
    void Install(Ptr<QbbNetDevice> device);

    /** \return true if the watchdog has disabled the NIC's pause frames */
    bool HasFired() const
    {
        return m_fired;
    }

    /** \return true if the trace source has a sink */
    bool HasSinks() const
    {
        return !m_disabled.IsEmpty();
    }

    /**
     * Registers a function of the module that is called when the trace source PauseDisabled fires,
     * on the thread of the NIC.
     *
     * \param watcher the function, which gets the node's id and may act only on that node
     */
    void AddDisabledWatcher(std::function<void(uint32_t node)> watcher)
    {
        m_disabled.AddWatcher(std::move(watcher));
    }

    /** Re-enables the NIC's pause frames, as after a repair. */
    void Reset();

    /**
     * TracedCallback signature of PauseDisabled.
     *
     * \param node node id of the host
     */
    typedef void (*DisabledCallback)(uint32_t node);

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  protected:
    void DoDispose() override;

  private:
    void OnPause(uint8_t priority, uint16_t quanta);
    void OnPoll();
    uint8_t GetPausing(RdmaPs now) const;
    uint64_t GetProgress(uint8_t classes) const;

    QbbPort* m_device{nullptr};            //!< the watched port
    RdmaReceiveBuffer* m_buffer{nullptr};  //!< receive buffer of the port, or null
    std::array<RdmaPs, 8> m_pausedUntil{}; //!< expiry time of the peer's pause, by class
    Time m_timeout;                        //!< attribute Timeout
    Time m_pollInterval;                   //!< attribute PollInterval
    RdmaPs m_stopped{0};                   //!< time without progress of the pipeline
    uint8_t m_classes{0};                  //!< classes paused at the latest poll
    uint64_t m_progress{0};                //!< GetProgress() at the latest poll
    bool m_fired{false};                   //!< the watchdog has disabled pause frames
    RdmaWatchedTrace<uint32_t> m_disabled; //!< trace PauseDisabled
    /// time of the next poll
    RdmaTimer<RdmaNicWatchdog, &RdmaNicWatchdog::OnPoll, EVENT_ORDER> m_timer;
};

} // namespace ns3

#endif /* RDMA_NIC_WATCHDOG_H */
