/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PROGRESS_H
#define RDMA_PROGRESS_H

#include "qbb-ps.h"
#include "rdma-flow-runner-base.h"

#include <ns3/event-id.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include <chrono>
#include <ostream>

namespace ns3
{

/**
 * \ingroup rdma
 * Shows on a terminal how far a run is: simulated time, flows done, events per second, time left.
 *
 * It looks at the clock every so many microseconds of simulated time and prints at most twice a
 * second, so it costs next to nothing and changes no result.
 */
class RdmaProgress
{
  public:
    /**
     * \param runner the flows
     * \param os where to; normally std::cerr
     */
    RdmaProgress(Ptr<const RdmaFlowRunnerBase> runner, std::ostream& os);
    ~RdmaProgress();
    RdmaProgress(const RdmaProgress&) = delete;
    RdmaProgress& operator=(const RdmaProgress&) = delete;

    /** Begins; call it right before Simulator::Run(). \param first when the first flow starts */
    void Start(QbbPs first);

    /** Wipes the line; call it after Simulator::Run(). */
    void Finish();

    /** \return true if standard error is a terminal */
    static bool IsTerminal();

  private:
    void Tick();

    Ptr<const RdmaFlowRunnerBase> m_runner;        //!< the flows
    std::ostream& m_os;                            //!< where to
    EventId m_event;                               //!< the next look
    std::chrono::steady_clock::time_point m_begin; //!< when it began
    std::chrono::steady_clock::time_point m_last;  //!< when it last printed
    bool m_printed{false};                         //!< there is a line to wipe
};

} // namespace ns3

#endif /* RDMA_PROGRESS_H */
