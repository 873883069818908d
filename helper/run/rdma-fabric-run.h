/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_RUN_H
#define RDMA_FABRIC_RUN_H

#include "qbb-deadlock-check.h"
#include "qbb-deadlock-detector.h"
#include "qbb-ps.h"
#include "rdma-fabric-helper.h"
#include "rdma-fabric.h"
#include "rdma-flow-report.h"
#include "rdma-flow-runner-base.h"
#include "rdma-flow.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

class RdmaFabricInstruments;
class RdmaFabricFailures;

/**
 * \ingroup rdma
 * Description of a whole run. Every member is an option of the example rdma-fabric, with its
 * default value.
 */
struct RdmaFabricOptions
{
    std::string topology{"leaf-spine:4x16x4"}; //!< topology in the syntax of MakeRdmaTopology()
    std::string rate{"100Gbps"};               //!< rate of the links to hosts
    std::string uplinkRate{"400Gbps"};         //!< rate of the links between switches
    std::string delay{"1us"};                  //!< propagation delay of every link
    uint32_t mtu{1024};                        //!< payload of a full packet, 256..4096 bytes
    /// Transport: "iwarp" (ns-3's TCP), or a part of kind RdmaTransport, for instance "roce"
    std::string transport{"roce"};
    /// Congestion control: "none", or a part of kind RdmaCongestionControl, for instance "dcqcn"
    std::string cc{"none"};
    std::string pfc{"on"}; //!< PFC: "on" or "off"
    /// ECN marking: "on", "off", "auto" (on if cc needs marks), or the curve KMIN:KMAX:PMAX at
    /// 40 Gb/s, for instance 5KB:200KB:0.01. The default curve is that of QbbEcnMarker; dctcp and
    /// dctcp-window use GetRdmaDctcpStep() instead.
    std::string ecn{"auto"};
    /// Switches: "shared" (output-queued, QbbSharedBuffer) or "input-queued" (QbbInputPortBuffer)
    std::string switchType{"shared"};
    /// Memory of each shared-buffer switch; auto: the value of bufferPreset, otherwise 12MiB
    std::string buffer{"auto"};
    std::string portBuffer{"auto"}; //!< input-queued switches: memory of each port; auto: 240KB
    /// High watermark of input-queued switches; auto: leaves room for the PFC headroom
    std::string xoff{"auto"};
    /// Low watermark of input-queued switches; auto: two frames below the high watermark
    std::string xon{"auto"};
    uint32_t cells{1};           //!< input-queued switches: size of a memory cell in bytes
    std::string crossbar{"off"}; //!< input-queued switches: speed-up of the crossbar, or "off"
    /// ECN marking algorithm: "curve" (QbbEcnMarker), or a part of kind QbbCongestionDetector
    std::string marking{"curve"};
    std::string marker{"none"};        //!< additional marker: "none", or a part of kind QbbMarker
    std::string markThreshold{"auto"}; //!< threshold of congestion detectors in bytes; auto: 30000
    /// Workload: a part of kind RdmaWorkload. The options cdf, load, bytes and duration set the
    /// attributes Cdf, Load, Bytes and Duration, unless this text sets the attribute or the
    /// workload does not have the attribute.
    std::string workload{"poisson"};
    std::string cdf{"auto"};        //!< poisson: distribution of flow sizes; auto: websearch
    double load{0.5};               //!< poisson: load as a fraction of the line rate of the hosts
    std::string bytes{"auto"};      //!< incast and permutation: flow size; auto: 1MB
    std::string duration{"auto"};   //!< poisson: interval in which flows start; auto: 1ms
    std::string stop{"10s"};        //!< latest end of the simulation
    std::string routes{"shortest"}; //!< route computation of QbbRouting: "shortest" or "up-down"
    std::string paths{"ecmp"};      //!< path selection: "ecmp", or a part of kind QbbPathSelector
    /// ECMP seed common to all switches, which causes polarisation; 0: a different seed per switch
    uint32_t ecmpSeed{0};
    std::string delayJitter{"0ns"}; //!< largest random addition to the delay of a cable
    double loss{0};                 //!< probability that a link loses a frame, in [0, 1)
    /// Retransmission timeout, RTO_high of IRN, or smallest timeout of TCP; 0: no timeout. auto is
    /// 320us. In a lossless fabric, auto disables the fixed timeout of RoCE and IRN, or sets it to
    /// GetRdmaStormTimeout() if watchdogs may drop frames.
    std::string rto{"auto"};
    std::string rtoLow{"auto"}; //!< IRN: timeout RTO_low; auto: 100us
    /// IRN: largest number of packets in flight for which RTO_low applies; auto: 3
    std::string rtoLowPackets{"auto"};
    bool dynamicRto{false}; //!< IRN: timeouts follow measured round-trip times
    /// Loss recovery: "auto", "sack" (default of IRN), "selective" (retransmission without SACK),
    /// "go-back-n" (default of RoCE) or "go-back-0"
    std::string recovery{"auto"};
    /// IRN: limit of packets in flight, "auto" (from the topology) or "off"
    std::string bdpCap{"auto"};
    bool backOff{false}; //!< IRN with go-back-n: each loss halves the window
    /// Consecutive timeouts before a flow fails: 0..255 or "unlimited"
    std::string retries{"unlimited"};
    uint32_t ackInterval{1};    //!< number of packets per acknowledgement
    uint32_t seed{1};           //!< seed of all random numbers, 1 or more
    bool serialize{false};      //!< frames cross links as serialised bytes
    bool checkDeadlock{false};  //!< check for a cyclic buffer dependency without a simulation
    std::string pcap;           //!< prefix of the capture files of all ports; empty: no capture
    bool keepQueuePairs{false}; //!< RdmaFlowRunner::KeepQueuePairs; implied by timeseries
    std::string timeseries;     //!< output file of RdmaTimeSeries; empty: no file
    std::string timeseriesPeriod{"auto"}; //!< time between rows of timeseries; auto: 10us
    std::string timeseriesFlows{"auto"}; //!< flow ids in timeseries, for instance 0-9,17; auto: all
    std::string monitor; //!< output file of QbbPortMonitor for all ports; empty: no file
    std::string monitorPeriod{"auto"}; //!< time between polls of monitor; auto: 100us
    /// PFC watchdog of the switches: "off", "drop", "forward" or "alert"
    std::string watchdog{"off"};
    /// Watchdog: pause time after which a storm is detected; auto: 200ms
    std::string detection{"auto"};
    std::string restoration{"auto"}; //!< watchdog: quiet time that ends a storm; auto: 200ms
    /// Watchdog: polling interval; auto: half of the shorter of detection and restoration
    std::string watchdogPoll{"auto"};
    std::string watchdogPorts{"all"}; //!< watchdog: "all" ports, or "servers" (ports to hosts)
    /// NICs that send pause frames continuously: HOST[:START[:STOP]], separated by commas
    std::string storm;
    /// NIC watchdog: "off", or the receive stall after which a NIC stops sending pause frames, for
    /// instance 100ms
    std::string nicWatchdog{"off"};
    /// Slow hosts: HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]], separated by
    /// commas
    std::string slowReceiver;
    /// Instruments: parts of kind RdmaInstrument, separated by commas; empty: none
    std::string instruments;
    std::string pauseTree; //!< output file of QbbPauseTree; empty: no file
    /// Output file of RdmaPauseTrace for a timeline viewer; empty: no file
    std::string traceEvents;
    std::string traceInterval{"auto"}; //!< time between queue samples in traceEvents; auto: 10us
    /// Buffer preset of a switch chip: "none", "trident2", "trident3" or "tomahawk3"
    std::string bufferPreset{"none"};
    std::string classAlphas; //!< ingress alphas of single classes, for instance 3:1/8,4:1/16
    /// Header field that carries the class of a packet: "dscp" or "vlan"
    std::string trust{"dscp"};
    std::string sonicBuffers; //!< buffers.json of SONiC for all switches; empty: none
    std::string sonicQos;     //!< qos.json of SONiC; may be the file of sonicBuffers
};

/**
 * \ingroup rdma
 * Results of a run.
 */
struct RdmaFabricOutcome
{
    std::vector<RdmaFlowResult> flows; //!< results of flows in order of flow id
    std::vector<RdmaPortResult> ports; //!< results in order of node, port and class
    RdmaFabricSummary summary;         //!< sums, means and percentiles
    RdmaResultTables tables;           //!< columns of flows.csv, ports.csv and summary.json
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
     */
    RdmaFabricRun(const RdmaFabricOptions& options, const std::vector<RdmaFlow>& flows);

    /** \return the fabric, which may be changed or traced before Run() */
    Ptr<RdmaFabric> GetFabric() const;

    /** \return the runner of the flows */
    Ptr<RdmaFlowRunnerBase> GetRunner() const;

    /**
     * \return result of the search for a cyclic buffer dependency before the run. A dependency is
     *         reported on standard error. Empty with the option pfc off.
     */
    const QbbDeadlockCheck& GetDeadlockCheck() const;

    /** \return the detector of deadlocks during the run; null with the option pfc off */
    Ptr<QbbDeadlockDetector> GetDeadlockDetector() const;

    /**
     * \return the columns of the result files. Scripts may add columns at any time before
     *         GetOutcome().
     */
    RdmaResultTables& GetTables()
    {
        return m_tables;
    }

    /**
     * Runs the simulation until every flow has ended, at most until the time of the option stop.
     *
     * \param progress true to show progress on standard error
     */
    void Run(bool progress = false);

    /** \return the results of the run */
    RdmaFabricOutcome GetOutcome() const;

    /** \return the storms, slow receivers and watchdogs of the run */
    const RdmaFabricFailures& GetFailures() const
    {
        return *m_failures;
    }

    /** \param os gets the reports of watchdogs, slow receivers and instruments */
    void PrintFailures(std::ostream& os) const;

    /**
     * \param options options of the run
     * \return the topology described by the options
     */
    static RdmaTopology MakeTopology(const RdmaFabricOptions& options);

    /**
     * \param options options of the run
     * \param topology topology of the run
     * \return the flows described by the options
     */
    static std::vector<RdmaFlow> MakeFlows(const RdmaFabricOptions& options,
                                           const RdmaTopology& topology);

  private:
    void Build(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows);
    void Configure(RdmaFabricHelper& helper, const RdmaTopology& topology, uint8_t classes) const;
    void CheckPcap() const;
    void WatchForDeadlocks();
    Ptr<RdmaFlowRunnerBase> MakeRunner() const;

    RdmaFabricOptions m_options;         //!< options of the run
    RdmaResultTables m_tables;           //!< columns of the result files
    Ptr<RdmaFabric> m_fabric;            //!< fabric of the run
    Ptr<RdmaFlowRunnerBase> m_runner;    //!< runner of the flows
    QbbDeadlockCheck m_check;            //!< result of the deadlock check before the run
    Ptr<QbbDeadlockDetector> m_detector; //!< detector of deadlocks during the run
    QbbPs m_firstStart{0};               //!< start of the first flow
    double m_cpuS{0};                    //!< CPU time of Run() in seconds
    uint64_t m_events{0};                //!< number of simulator events of Run()
    QbbPs m_end{0};                      //!< simulated time at the end of Run()
    std::shared_ptr<RdmaFabricInstruments> m_instruments; //!< instruments of the run
    /// Pause storms, watchdogs and their output files
    std::shared_ptr<RdmaFabricFailures> m_failures;
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

} // namespace ns3

#endif /* RDMA_FABRIC_RUN_H */
