/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FAILURE_REPORT_H
#define RDMA_FAILURE_REPORT_H

#include "rdma-instrument.h"

namespace ns3
{

/**
 * \ingroup rdma
 * Prints a line for each queue in which a PFC watchdog detected a storm, for each slow receiver,
 * and for each NIC watchdog that acted: `failures`.
 */
class RdmaFailureReport : public RdmaInstrument
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;
    void Print(std::ostream& os) const override;

  private:
    void PrintStorms(std::ostream& os, uint32_t node) const;

    Ptr<RdmaFabric> m_fabric; //!< fabric of the run
};

} // namespace ns3

#endif /* RDMA_FAILURE_REPORT_H */
