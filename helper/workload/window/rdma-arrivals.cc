/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-arrivals.h"

#include "rdma-time.h"

#include <ns3/simulator.h>

namespace ns3
{

RdmaArrivals::RdmaArrivals(Ptr<RdmaWorkload> workload,
                           Ptr<RdmaFlowRunnerBase> runner,
                           const RdmaTopology& topology,
                           RdmaPs block)
    : m_workload(workload),
      m_runner(runner),
      m_topology(topology),
      m_block(block)
{
}

void
RdmaArrivals::Start()
{
    Schedule(m_workload->GetWindow()->end);
}

void
RdmaArrivals::OnBlock()
{
    const RdmaPs next = RdmaNow() + m_block;
    m_runner->AddFlows(m_workload->MakeMoreFlows(m_topology, next));
    Schedule(next);
}

void
RdmaArrivals::Schedule(RdmaPs at)
{
    // Run before all other events of the instant, because flows may start at the instant.
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT,
                                   RdmaGetDelay(RdmaEventTime(at, 0), RdmaEventNow()),
                                   &RdmaArrivals::OnBlock,
                                   Ptr<RdmaArrivals>(this));
}

} // namespace ns3
