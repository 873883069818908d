/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_THRESHOLD_DETECTOR_H
#define QBB_THRESHOLD_DETECTOR_H

#include "qbb-congestion-detector.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * RCM-1b: a port is congested if inputs with a higher total rate than the port compete for it, and
 * more than Threshold bytes wait for the port in their buffers. It does not matter whether the port
 * is paused.
 *
 * Inputs compete if they have frames for the port at the same time. A recent competition suffices:
 * some arbitration with competing inputs within the drain time of the waiting bytes at line rate,
 * which is about the time in which these bytes have accumulated. An input whose frames are served
 * as they arrive therefore also counts.
 */
class QbbThresholdDetector : public QbbCongestionDetector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    void Prepare(uint32_t nPorts) override;
    bool IsCongested(const QbbArbitration& arbitration) override;
    std::optional<QbbMarkCurve> DescribeMarks(const QbbPort& egress,
                                              uint8_t priority) const override;

  private:
    /** State of an (egress port, class). */
    struct Queue
    {
        RdmaPs lastCompeted{0}; //!< latest arbitration with competing inputs
        bool competed{false};   //!< inputs have competed before
    };

    uint32_t m_threshold{30'000}; //!< attribute Threshold
    std::vector<Queue> m_queues;  //!< states, by egress port and class
};

} // namespace ns3

#endif /* QBB_THRESHOLD_DETECTOR_H */
