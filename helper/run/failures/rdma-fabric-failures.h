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
 * Applies the options of a run that concern PFC failures: pause storms, slow receivers, watchdogs,
 * and the output files pauseTree and traceEvents.
 */
class RdmaFabricFailures
{
  public:
    /**
     * \param options options of the run
     * \param fabric fabric of the run
     * \throws std::invalid_argument naming the invalid option, RdmaFileError if a file cannot be
     *         written
     */
    RdmaFabricFailures(const RdmaFabricOptions& options, Ptr<RdmaFabric> fabric);

    /** Completes the files after the run. \throws RdmaFileError if a file could not be written */
    void Finish();

    /** \param os gets a line per queue with a pause storm, per slow receiver and NIC watchdog */
    void Print(std::ostream& os) const;

    /** \return PFC watchdogs of switches, each with the node id of its switch; may be empty */
    const std::vector<std::pair<uint32_t, Ptr<QbbPfcWatchdog>>>& GetWatchdogs() const
    {
        return m_watchdogs;
    }

    /** \return the pause tree, or null without the option pauseTree */
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

    Ptr<RdmaFabric> m_fabric; //!< fabric of the run
    /// PFC watchdogs with the node ids of their switches
    std::vector<std::pair<uint32_t, Ptr<QbbPfcWatchdog>>> m_watchdogs;
    /// Receive buffers with the node ids of their hosts
    std::vector<std::pair<uint32_t, Ptr<RdmaReceiveBuffer>>> m_receivers;
    /// NIC watchdogs with the node ids of their hosts
    std::vector<std::pair<uint32_t, Ptr<RdmaNicWatchdog>>> m_nicWatchdogs;
    std::string m_treePath;               //!< value of the option pauseTree
    std::string m_tracePath;              //!< value of the option traceEvents
    std::ofstream m_traceFile;            //!< file named by m_tracePath
    std::unique_ptr<QbbPauseTree> m_tree; //!< pause tree; null without the option pauseTree
    /// Trace of pauses; null without the option traceEvents
    std::unique_ptr<RdmaPauseTrace> m_trace;
};

/**
 * \ingroup rdma
 * A retransmission timeout longer than detection and restoration of a pause storm. Flows that a
 * storm has stopped without loss then resume without retransmission.
 *
 * \param options options of the run
 * \return the timeout if watchdogs may drop frames of lossless classes; 0 otherwise
 */
QbbPs GetRdmaStormTimeout(const RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_FAILURES_H */
