/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FAILURE_REPORT_H
#define RDMA_FAILURE_REPORT_H

#include "rdma-instrument.h"
#include "rdma-ps.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Prints a line for each planned failure with the frames that its links have lost, a line with the
 * times at which routes changed, and a line for each queue in which a PFC watchdog detected a
 * storm, for each slow receiver, and for each NIC watchdog that acted: `failures`.
 */
class RdmaFailureReport : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;
    void Print(std::ostream& os) const override;

    bool SupportsSharedRuns() const override
    {
        return true;
    }

  private:
    std::string DescribeStorms(uint32_t node) const;
    std::string DescribeReceiver(uint32_t host) const;
    std::string DescribeWatchdog(uint32_t host) const;
    void PrintFailures(std::ostream& os) const;

    Ptr<RdmaFabric> m_fabric; //!< fabric of the run
    /// Times at which routes changed, shared with the trace sink
    std::shared_ptr<std::vector<RdmaPs>> m_routeChanges{std::make_shared<std::vector<RdmaPs>>()};
    /// Latest losses of dead links, by link and end, shared with the watchers of the ports
    std::shared_ptr<std::vector<std::array<RdmaPs, 2>>> m_lastLosses{
        std::make_shared<std::vector<std::array<RdmaPs, 2>>>()};
};

} // namespace ns3

#endif /* RDMA_FAILURE_REPORT_H */
