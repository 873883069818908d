/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_EXPLAIN_REPORT_H
#define RDMA_EXPLAIN_REPORT_H

#include "rdma-class-findings.h"
#include "rdma-class-forecast.h"
#include "rdma-first-events.h"
#include "rdma-instrument.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-explain Explanation of pauses, marks and drops
 *
 * Why a run pauses, marks and drops, or why it does not.
 */

/**
 * \ingroup rdma-explain
 * The instrument `explain`: explains marks, pauses and drops. Before the run, it prints the
 * thresholds of the ports by kind, the smallest incasts that reach the thresholds, and what the
 * largest incasts of the run's flows will cause. After the run, it prints what happened and why.
 * Times count from the start of the first flow.
 *
 *     auto report = CreateObject<RdmaExplainReport>();
 *     report->Begin(fabric, nullptr);
 *     report->PrintForecast(std::cout);
 *     Simulator::Run();
 *     report->Finish();
 *     report->Print(std::cout);
 *
 * The numbers come from the fabric: the report shows the frames of incasts to copies of the
 * installed buffer managers (QbbBufferManager::Copy()), and markers and congestion control describe
 * themselves (QbbMarker::DescribeMarks(), RdmaCongestionControl::GetAcceptedDelay()).
 */
class RdmaExplainReport : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * \param fabric the fabric
     * \param runner the flows, whose classes are explained; null: all lossless classes of the
     *        ports are explained, or class 3 if there is none
     */
    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;

    void PrintForecast(std::ostream& os) override;
    void Finish() override;

    /** \param os output stream for the findings, after the forecast unless PrintForecast() ran */
    void Print(std::ostream& os) const override;

    bool WatchesSharedRuns() const override
    {
        return true;
    }

    /** \return what was known of each class when Begin() was called */
    const std::vector<RdmaClassForecast>& GetForecasts() const
    {
        return m_forecasts;
    }

    /** \return what happened to each class until Finish() was called */
    const std::vector<RdmaClassFindings>& GetFindings() const
    {
        return m_findings;
    }

  private:
    void WriteForecasts(std::ostream& os) const;

    uint64_t m_burst{0};                        //!< attribute Burst
    bool m_forecastPrinted{false};              //!< PrintForecast() was called
    QbbPs m_begin{0};                           //!< start of the first flow
    Ptr<RdmaFabric> m_fabric;                   //!< fabric that the report explains
    std::vector<RdmaClassForecast> m_forecasts; //!< by class
    std::vector<RdmaClassFindings> m_findings;  //!< by class; empty before Finish()
    std::unique_ptr<RdmaFirstEvents> m_first;   //!< first events of the run
};

} // namespace ns3

#endif /* RDMA_EXPLAIN_REPORT_H */
