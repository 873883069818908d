/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_RUN_H
#define RDMA_FABRIC_RUN_H

#include "qbb-deadlock-check.h"
#include "qbb-deadlock-detector.h"
#include "rdma-congestion-control.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric-options.h"
#include "rdma-fabric.h"
#include "rdma-flow-report.h"
#include "rdma-flow-runner-base.h"
#include "rdma-flow.h"
#include "rdma-instrument.h"
#include "rdma-operation-schedule.h"
#include "rdma-packet-network.h"
#include "rdma-part.h"
#include "rdma-ps.h"
#include "rdma-run-folder.h"
#include "rdma-schedule-network.h"
#include "rdma-workload.h"

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Results of a run.
 */
struct RdmaFabricOutcome
{
    std::vector<RdmaFlowResult> flows; //!< results of flows in order of flow id
    std::vector<RdmaPortResult> ports; //!< results in order of node, port and class, if asked for
    RdmaFabricSummary summary;         //!< sums, means and percentiles
    RdmaResultTables tables;           //!< columns of flows.csv, ports.csv and summary.json
    bool isSchedule{false};            //!< messages of a schedule, in place of flows
};

/**
 * \ingroup rdma
 * Builds a fabric and a workload from RdmaFabricOptions, runs them and collects the results.
 *
 * An object serves one run. Call Simulator::Destroy() after GetOutcome(). Invalid options cause
 * std::invalid_argument, invalid files RdmaFileError; the message names the option and the accepted
 * values.
 */
class RdmaFabricRun
{
  public:
    /**
     * Sets seed, time resolution and scheduler, builds the fabric and installs the flows.
     *
     * \param options options of the run
     */
    explicit RdmaFabricRun(const RdmaFabricOptions& options);

    /**
     * Builds a run whose flows are given by the caller instead of the option workload.
     *
     * \param options options of the run
     * \param flows the flows, in any order
     * \param dependencies those of the flows that wait for the ends of others
     */
    RdmaFabricRun(const RdmaFabricOptions& options,
                  const std::vector<RdmaFlow>& flows,
                  const std::vector<RdmaFlowDependency>& dependencies = {});

    /** \return the fabric, which may be changed or traced before Run() */
    Ptr<RdmaFabric> GetFabric() const
    {
        return m_fabric;
    }

    /** \return the schedule of a job or of a collective; null: the workload has flows */
    Ptr<RdmaOperationSchedule> GetSchedule() const
    {
        return m_schedule;
    }

    /** \return true unless there is a schedule that has not ended */
    bool IsScheduleDone() const
    {
        return !m_schedule || m_schedule->IsDone();
    }

    /**
     * Prints what a schedule has taken, after Run(): the line of nccl-tests for a collective, the
     * steps of jobs, and critical paths; or what a schedule waits for that has not ended. Writes
     * the time line.
     *
     * \param os output stream
     */
    void PrintSchedule(std::ostream& os) const;

    /**
     * Writes steps.csv, calls.csv and path.csv if there is a schedule, after Run().
     * \param folder folder of the run
     */
    void WriteSchedule(RdmaRunFolder& folder) const;

    /**
     * \param network a network of a schedule
     * \return the network itself if it has packets, or the one outside of scale-up domains; null:
     *         there are no packets
     */
    static Ptr<RdmaPacketNetwork> FindPackets(Ptr<RdmaScheduleNetwork> network);

    /** \return the runner of the flows */
    Ptr<RdmaFlowRunnerBase> GetRunner() const
    {
        return m_runner;
    }

    /**
     * \return result of the search for a cyclic buffer dependency before the run. A dependency is
     *         reported on standard error. Empty with the option pfc off.
     */
    const QbbDeadlockCheck& GetDeadlockCheck() const
    {
        return m_check;
    }

    /**
     * \return the detector of deadlocks during the run (RdmaDeadlockReport); null with the option
     *         pfc off
     */
    Ptr<QbbDeadlockDetector> GetDeadlockDetector() const
    {
        return m_detector;
    }

    /**
     * \return the columns of the result files. Scripts may add columns at any time before
     *         GetOutcome().
     */
    RdmaResultTables& GetTables()
    {
        return m_tables;
    }

    /**
     * Runs the simulation until every flow has ended (with the option measure, every counted flow),
     * but at most until the time of the option stop. A SIGINT (Ctrl-C) or SIGTERM also ends the
     * run: GetOutcome() then returns what there is, marked as cut (RdmaFabricSummary::cut), and
     * files of instruments have names that say so (RdmaOutputFile::GetCutPath()). A second signal
     * ends the program at once.
     *
     * \param progress true to show progress on standard error; there is none of a schedule
     */
    void Run(bool progress = false);

    /**
     * \return number of the signal (SIGINT or SIGTERM) that has ended Run(); 0: none has. The exit
     *         status of a program is then 128 plus this number.
     */
    int GetSignal() const
    {
        return m_signal;
    }

    /**
     * \param hasPorts true: with the results of ports, which take time and memory in a large fabric
     * \return the results of the run
     */
    RdmaFabricOutcome GetOutcome(bool hasPorts = true) const;

    /** \param os output stream for what instruments know before Run() */
    void PrintForecasts(std::ostream& os) const;

    /**
     * Prints how much memory the process will take (RdmaRunCost). The number depends on the
     * machine, unlike forecasts. Without the option explain, nothing is printed.
     *
     * \param os output stream
     */
    void PrintExpectedMemory(std::ostream& os) const;

    /** \param os output stream for reports of watchdogs, slow receivers and other instruments */
    void PrintFailures(std::ostream& os) const;

    /** \param options options of the run \return the topology described by the options */
    static RdmaTopology MakeTopology(const RdmaFabricOptions& options);

    /**
     * \param options options of the run
     * \param topology topology of the run
     * \return the flows described by the options
     */
    static std::vector<RdmaFlow> MakeFlows(const RdmaFabricOptions& options,
                                           const RdmaTopology& topology);

    /**
     * Makes the instruments of a run: those of the options instruments and explain, and the reports
     * of failures and deadlocks.
     *
     * \param options options of the run
     * \return the instruments, each with the option that names it
     */
    static std::vector<std::pair<std::string, Ptr<RdmaInstrument>>> MakeInstruments(
        const RdmaFabricOptions& options);

    /** \param instrument an instrument \return the file that it writes; empty: none */
    static std::string GetFile(const RdmaInstrument& instrument);

  private:
    /** \return the collective that the option workload names; no part: it names no collective */
    static RdmaPart FindCollective(const RdmaFabricOptions& options);
    static void PrepareSeed(const RdmaFabricOptions& options);
    void MakeSchedule(const RdmaTopology& topology);
    void FillWithCollective(const RdmaTopology& topology);
    void InstallSchedule();
    static Ptr<RdmaWorkload> MakeWorkload(const RdmaFabricOptions& options);
    /** \return the workload on the hosts of the option placement */
    static Ptr<RdmaWorkload> MakePlacedWorkload(const RdmaFabricOptions& options,
                                                const RdmaTopology& topology);
    static void CheckMtu(const RdmaFabricOptions& options);
    void InstallFlows(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows);
    void Build(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows);
    /** Reads the parts of the options: each text once, and congestion control is asked once. */
    void ReadParts(const RdmaTopology& topology);
    void Configure(RdmaFabricHelper& helper, uint8_t classes) const;
    void ConfigureEcn(RdmaFabricHelper& helper) const;
    /** Applies the files of SONiC, and checks the memory of the switches. */
    void FinishSwitches();
    /** Installs pause storms, slow receivers, and watchdogs of switches and NICs. */
    void InstallFailures() const;
    /** Refuses a transport without timeouts where a flow could then wait for ever. */
    void CheckTimers(uint8_t classes) const;
    /** \return true if ns-3's TCP carries the flows */
    bool IsTcp() const;
    /** \return true if switches mark: the option ecn, or for auto the needs of congestion control
     */
    bool IsEcnOn() const;
    void CheckForDeadlocks();
    /** Adds the failures that are in force at the end to the status of unfinished flows. */
    void ExplainFailures(std::vector<RdmaFlowResult>& flows) const;
    Ptr<RdmaFlowRunnerBase> MakeRunner() const;

    RdmaFabricOptions m_options;              //!< options of the run
    RdmaPart m_transport;                     //!< the RdmaTransport, or RdmaTcpFlowRunner
    RdmaPart m_control;                       //!< the congestion control, or none
    RdmaPart m_watchdog;                      //!< the watchdog of each switch, or none
    RdmaPart m_nicWatchdog;                   //!< the watchdog of each NIC, or none
    RdmaPart m_entropy;                       //!< the entropy of the NICs, or none
    RdmaMarking m_marking{RdmaMarking::NONE}; //!< marks that congestion control or entropy needs
    std::string m_marksFor;                   //!< option of the part that needs m_marking
    uint32_t m_controlBytes{0};   //!< most header bytes that congestion control adds to a packet
    RdmaResultTables m_tables;    //!< columns of the result files
    Ptr<RdmaFabric> m_fabric;     //!< fabric of the run
    Ptr<RdmaWorkload> m_workload; //!< generates the flows; null: the caller gave the flows
    std::vector<RdmaFlowDependency> m_dependencies; //!< flows that wait for others
    std::optional<RdmaFlowWindow> m_window; //!< window of the counted flows; none: all flows
    Ptr<RdmaFlowRunnerBase> m_runner;       //!< runner of the flows
    RdmaPart m_collective;                  //!< collective of the option workload, or none
    Ptr<RdmaOperationSchedule> m_schedule;  //!< the job or the collective; null: flows
    Ptr<RdmaScheduleNetwork> m_network;     //!< carries the messages of the schedule
    Ptr<RdmaPacketNetwork> m_packets;       //!< the part of m_network that has packets
    QbbDeadlockCheck m_check;               //!< result of the deadlock check before the run
    RdmaPs m_firstStart{0};                 //!< start of the first flow
    RdmaPs m_stop{0};                       //!< latest end of the run
    double m_cpuS{0};                       //!< CPU time of Run() in seconds
    uint64_t m_events{0};                   //!< number of simulator events of Run()
    RdmaPs m_end{0};                        //!< simulated time at the end of Run()
    int m_signal{0};                        //!< signal that has ended Run(); 0: none
    /// Instruments of the run, each with the option that names it
    std::vector<std::pair<std::string, Ptr<RdmaInstrument>>> m_instruments;
    Ptr<QbbDeadlockDetector> m_detector; //!< detector of deadlocks during the run
};

/**
 * \ingroup rdma
 * Prints a table of flow completion times by flow size, counters of the fabric, and user-defined
 * columns of the summary.
 *
 * \param os output stream
 * \param outcome results of a run
 */
void PrintRdmaOutcome(std::ostream& os, const RdmaFabricOutcome& outcome);

/**
 * \ingroup rdma
 * Describes the cost of assertions and logging in the build of ns-3.
 *
 * \param asserts the build contains ns-3's assertions
 * \param logs the build contains ns-3's logging
 * \return one line for the user; empty if the build contains neither
 */
std::string GetRdmaBuildNote(bool asserts, bool logs);

/**
 * \ingroup rdma
 * \return the note for the ns-3 build against which this module is compiled
 */
std::string GetRdmaBuildNote();

} // namespace ns3

#endif /* RDMA_FABRIC_RUN_H */
