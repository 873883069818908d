/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PROGRESS_H
#define RDMA_PROGRESS_H

#include "rdma-failure-plan.h"
#include "rdma-flow-runner-base.h"
#include "rdma-ps.h"

#include <ns3/event-id.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include <chrono>
#include <ostream>

namespace ns3
{

/**
 * \ingroup rdma
 * Shows the progress of a run on a terminal: simulated time, ended flows, events per second and
 * estimated remaining time.
 *
 * The object checks the wall clock at fixed intervals of simulated time and prints at most twice
 * per second, so its overhead is negligible. It does not change the results of the run.
 */
class RdmaProgress
{
  public:
    /** \param runner runner of the flows \param os output stream, normally std::cerr */
    RdmaProgress(Ptr<const RdmaFlowRunnerBase> runner, std::ostream& os);
    ~RdmaProgress();
    RdmaProgress(const RdmaProgress&) = delete;
    RdmaProgress& operator=(const RdmaProgress&) = delete;

    /** \param failures planned failures; the line names those in force */
    void SetFailures(const RdmaFailurePlan& failures)
    {
        m_failures = failures;
    }

    /** Starts; call it directly before Simulator::Run(). \param first start of the first flow */
    void Start(RdmaPs first);

    /** Erases the progress line; call it after Simulator::Run(). */
    void Finish();

    /** \return true if standard error is a terminal */
    static bool IsTerminal();

  private:
    void Tick();

    Ptr<const RdmaFlowRunnerBase> m_runner;        //!< runner of the flows
    std::ostream& m_os;                            //!< output stream
    EventId m_event;                               //!< event of the next clock check
    std::chrono::steady_clock::time_point m_begin; //!< wall-clock time of Start()
    std::chrono::steady_clock::time_point m_last;  //!< wall-clock time of the latest output
    RdmaFailurePlan m_failures;                    //!< planned failures
    bool m_printed{false};                         //!< a progress line is on the terminal
};

} // namespace ns3

#endif /* RDMA_PROGRESS_H */
