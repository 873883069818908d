/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TIMED_SEND_PIPELINE_H
#define RDMA_TIMED_SEND_PIPELINE_H

#include "qbb-event-order.h"
#include "qbb-timer.h"
#include "rdma-send-pipeline.h"

#include <cstdint>

namespace ns3
{

class RdmaPacketEngine;

/**
 * \ingroup rdma
 * An RdmaSendPipeline with a timer, which starts the requests of a queue pair in time.
 */
class RdmaTimedSendPipeline final : public RdmaSendPipeline
{
  public:
    /**
     * Order of the timer among the events of one instant. A request that the NIC gets at an instant
     * starts with the requests that are posted at this instant.
     */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Programs::At<1>();

    /**
     * \param timing times and prefetch depth of the queue pair
     * \param engine packet engine of the queue pair; outlives the pipeline
     */
    RdmaTimedSendPipeline(const RdmaSendTiming& timing, RdmaPacketEngine& engine);

    void Reset() override;

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  private:
    QbbPs GetLineTime(uint32_t bytes) const override;
    void WakeAt(QbbPs at) override;
    void OnTimer();

    RdmaPacketEngine& m_engine; //!< packet engine of the queue pair
    QbbTimer<RdmaTimedSendPipeline, &RdmaTimedSendPipeline::OnTimer, EVENT_ORDER>
        m_timer; //!< time at which the first waiting request may start
};

} // namespace ns3

#endif /* RDMA_TIMED_SEND_PIPELINE_H */
