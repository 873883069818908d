/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_INSTRUMENTS_H
#define RDMA_FABRIC_INSTRUMENTS_H

#include "rdma-fabric-run.h"
#include "rdma-instrument.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The instruments of a run: those of the option instruments, and those that the options timeseries
 * and monitor stand for.
 */
class RdmaFabricInstruments
{
  public:
    /**
     * Makes the instruments and begins to watch.
     *
     * \param options a run
     * \param fabric its fabric
     * \param runner its flows
     * \throws std::invalid_argument naming the option that is wrong, RdmaFileError if a file cannot
     *         be written
     */
    RdmaFabricInstruments(const RdmaFabricOptions& options,
                          Ptr<RdmaFabric> fabric,
                          Ptr<RdmaFlowRunnerBase> runner);

    /** The simulation is over. \throws RdmaFileError if a file could not be written */
    void Finish();

    /** \param os gets what the instruments print */
    void Print(std::ostream& os) const;

    /**
     * \param options a run
     * \return true if an instrument may look at queue pairs from their beginning
     */
    static bool HasAny(const RdmaFabricOptions& options);

  private:
    void AddTimeSeries(const RdmaFabricOptions& options);
    void AddMonitor(const RdmaFabricOptions& options);

    std::vector<std::pair<std::string, Ptr<RdmaInstrument>>> m_all; //!< with their options' names
};

} // namespace ns3

#endif /* RDMA_FABRIC_INSTRUMENTS_H */
