/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_RANK_SIMULATION_H
#define QBB_RANK_SIMULATION_H

#include "qbb-engine.h"
#include "qbb-rank-windows.h"

#include <ns3/object.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs the share of one rank of MPI (RdmaRanks) in a simulation on RdmaSimulatorImpl.
 */
class QbbRankSimulation
{
  public:
    /**
     * \param simulator the simulator, to which a QbbRankBorder is aggregated if ranks share cables
     * \param engine the simulator's engine
     */
    QbbRankSimulation(const Object& simulator, QbbEngine& engine);

    /**
     * Runs until all ranks have ended. Aborts with a message if the ranks share cables that only
     * ns-3's own engines for ranks know, or if the simulator has several threads.
     *
     * \param threads number of threads of the simulator
     * \param runEvents as for QbbRankWindows::Run()
     * \return false, before any event, if this process is the only rank or shares no cable with
     *         another rank
     */
    bool Run(uint32_t threads,
             const std::function<bool(const Scheduler::EventKey& limit)>& runEvents);

  private:
    const Object& m_simulator;                 //!< the simulator
    QbbEngine& m_engine;                       //!< its engine
    std::unique_ptr<QbbRankWindows> m_windows; //!< windows of this rank; null before the first run
};

} // namespace ns3

#endif /* QBB_RANK_SIMULATION_H */
