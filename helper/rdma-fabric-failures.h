/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_FAILURES_H
#define RDMA_FABRIC_FAILURES_H

#include "qbb-pause-tree.h"
#include "qbb-pfc-watchdog.h"
#include "qbb-ps.h"
#include "rdma-fabric-run.h"
#include "rdma-nic-watchdog.h"
#include "rdma-pause-trace.h"
#include "rdma-receive-buffer.h"

#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The options of a run that are about PFC when it goes wrong: storms, slow receivers, watchdogs,
 * and the files pauseTree and traceEvents.
 */
class RdmaFabricFailures
{
  public:
    /**
     * \param options a run
     * \param fabric its fabric
     * \throws std::invalid_argument naming the option that is wrong, RdmaFileError if a file cannot
     *         be written
     */
    RdmaFabricFailures(const RdmaFabricOptions& options, Ptr<RdmaFabric> fabric);

    /** The simulation is over. \throws RdmaFileError if a file could not be written */
    void Finish();

    /** \param os gets a line for each queue that was in storm, each slow receiver and NIC watchdog
     */
    void Print(std::ostream& os) const;

    /** \return the switches' watchdogs, with their node ids; empty if there are none */
    const std::vector<std::pair<uint32_t, Ptr<QbbPfcWatchdog>>>& GetWatchdogs() const
    {
        return m_watchdogs;
    }

    /** \return the pause tree, or null */
    const QbbPauseTree* GetPauseTree() const
    {
        return m_tree.get();
    }

  private:
    void AddStorms(const RdmaFabricOptions& options);
    void AddReceivers(const RdmaFabricOptions& options);
    void AddNicWatchdogs(const RdmaFabricOptions& options);
    void AddWatchdogs(const RdmaFabricOptions& options);
    void AddTrace(const RdmaFabricOptions& options);
    Ptr<QbbNetDevice> GetHostPort(const std::string& option, const std::string& host) const;

    Ptr<RdmaFabric> m_fabric;                                              //!< the fabric
    std::vector<std::pair<uint32_t, Ptr<QbbPfcWatchdog>>> m_watchdogs;     //!< by switch
    std::vector<std::pair<uint32_t, Ptr<RdmaReceiveBuffer>>> m_receivers;  //!< by host
    std::vector<std::pair<uint32_t, Ptr<RdmaNicWatchdog>>> m_nicWatchdogs; //!< by host
    std::string m_treePath;                                                //!< option pauseTree
    std::string m_tracePath;                                               //!< option traceEvents
    std::ofstream m_traceFile;                                             //!< its file
    std::unique_ptr<QbbPauseTree> m_tree;                                  //!< if asked for
    std::unique_ptr<RdmaPauseTrace> m_trace;                               //!< if asked for
};

/**
 * \ingroup rdma
 * A timeout that does not run out in a storm that is detected and over, so that flows which a storm
 * has stopped, and which have lost nothing, do not begin again.
 *
 * \param options a run
 * \return retransmission timeout where watchdogs may drop frames of lossless classes; 0 if
 *         they do not
 */
QbbPs GetRdmaStormTimeout(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_FAILURES_H */
