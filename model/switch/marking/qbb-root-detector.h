/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ROOT_DETECTOR_H
#define QBB_ROOT_DETECTOR_H

#include "qbb-congestion-detector.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * RCM-1a: InfiniBand's root and victim of congestion (IBA volume 1, annex A10.2.1), for PFC.
 *
 * A port is congested if more than Threshold bytes wait for it. In InfiniBand, a congested port is
 * the root of congestion if it has credits and is limited by its own rate, and a victim if it waits
 * for credits. PFC has no credits. Here, a port is a victim if the class was paused within the
 * drain time of the waiting bytes at line rate, which is about the waiting time of the frame
 * itself. Otherwise, the port is a root.
 */
class QbbRootDetector : public QbbCongestionDetector
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    void Prepare(uint32_t nPorts) override;
    bool IsCongested(const QbbArbitration& arbitration) override;

  private:
    /** State of an (egress port, class). */
    struct Queue
    {
        RdmaPs pausedTime{0}; //!< total paused time at the latest arbitration
        RdmaPs lastPause{0};  //!< latest arbitration at which the paused time had increased
        bool paused{false};   //!< the class has been paused before
    };

    uint32_t m_threshold{30'000}; //!< attribute Threshold
    bool m_victims{false};        //!< attribute MarkVictims
    std::vector<Queue> m_queues;  //!< states, by egress port and class
};

} // namespace ns3

#endif /* QBB_ROOT_DETECTOR_H */
