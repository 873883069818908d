/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_WATCH_H
#define RDMA_FABRIC_WATCH_H

#include "qbb-port-monitor.h"
#include "rdma-fabric-run.h"
#include "rdma-time-series.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Watches a run as its options timeseries and monitor have it.
 */
class RdmaFabricWatch
{
  public:
    /**
     * \param options a run
     * \param fabric its fabric
     * \param runner its flows
     * \throws std::invalid_argument naming the option that is wrong, RdmaFileError if a file cannot
     * be written
     */
    RdmaFabricWatch(const RdmaFabricOptions& options,
                    Ptr<RdmaFabric> fabric,
                    Ptr<RdmaFlowRunnerBase> runner);

    /** The simulation is over. \throws RdmaFileError if a file could not be written */
    void Finish();

    /**
     * \param text flow ids and ranges of them, as in 0-9,17
     * \return first and last of each range, as given
     * \throws std::invalid_argument that says what is accepted
     */
    static std::vector<std::pair<uint64_t, uint64_t>> ParseFlows(const std::string& text);

  private:
    void WatchFlows(const RdmaFabricOptions& options,
                    Ptr<RdmaFabric> fabric,
                    Ptr<RdmaFlowRunnerBase> runner);
    void WatchPorts(const RdmaFabricOptions& options, Ptr<RdmaFabric> fabric);

    std::string m_seriesPath;                  //!< option timeseries
    std::string m_monitorPath;                 //!< option monitor
    std::ofstream m_seriesFile;                //!< its file
    std::ofstream m_monitorFile;               //!< its file
    std::unique_ptr<RdmaTimeSeries> m_series;  //!< if asked for
    std::unique_ptr<QbbPortMonitor> m_monitor; //!< if asked for
};

} // namespace ns3

#endif /* RDMA_FABRIC_WATCH_H */
