/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-rank-simulation.h"

#include "qbb-rank-border.h"
#include "rdma-rank-alarms.h"
#include "rdma-ranks.h"

#include <ns3/abort.h>
#include <ns3/channel-list.h>
#include <ns3/channel.h>

namespace ns3
{

QbbRankSimulation::QbbRankSimulation(const Object& simulator, QbbEngine& engine)
    : m_simulator(simulator),
      m_engine(engine)
{
}

bool
QbbRankSimulation::Run(uint32_t threads,
                       const std::function<bool(const Scheduler::EventKey& limit)>& runEvents)
{
    if (!RdmaRanks::AreSeveral())
    {
        return false;
    }
    NS_ABORT_MSG_IF(threads > 1,
                    "rdma: threads=" << threads << " with " << RdmaRanks::GetNumber()
                                     << " ranks of MPI; accepted: threads=1");
    for (auto it = ChannelList::Begin(); it != ChannelList::End(); ++it)
    {
        NS_ABORT_MSG_IF((*it)->GetInstanceTypeId().GetName() == "ns3::PointToPointRemoteChannel",
                        "rdma: simulator=mpi with a cable ns3::PointToPointRemoteChannel between "
                        "two ranks; accepted: with "
                        "SimulatorImplementationType=ns3::DistributedSimulatorImpl");
    }
    if (!m_windows)
    {
        const auto border = m_simulator.GetObject<QbbRankBorder>();
        if (!border)
        {
            return false;
        }
        // The simulator owns the border and the alarms.
        m_windows = std::make_unique<QbbRankWindows>(m_engine,
                                                     *border,
                                                     *RdmaRankAlarms::Get(),
                                                     RdmaRanks::MakeMeeting(),
                                                     RdmaRanks::GetRank(),
                                                     RdmaRanks::GetNumber());
    }
    m_windows->Run(runEvents);
    return true;
}

} // namespace ns3
