/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_DEADLOCK_REPORT_H
#define RDMA_DEADLOCK_REPORT_H

#include "qbb-deadlock-detector.h"
#include "rdma-instrument.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Searches for deadlocks during a run (QbbDeadlockDetector) and reports each one on standard error:
 * `deadlocks`.
 */
class RdmaDeadlockReport : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    bool SupportsSharedRuns() const override
    {
        return true;
    }

    /** \return the detector; null before Begin() */
    Ptr<QbbDeadlockDetector> GetDetector() const
    {
        return m_detector;
    }

  private:
    Ptr<QbbDeadlockDetector> m_detector; //!< the detector
};

} // namespace ns3

#endif /* RDMA_DEADLOCK_REPORT_H */
