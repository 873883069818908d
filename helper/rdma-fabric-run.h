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

class RdmaFabricWatch;
class RdmaFabricFailures;

/**
 * \ingroup rdma
 * A whole run as people describe it in words: every member is the text of an option of the example
 * rdma-fabric, with its default.
 */
struct RdmaFabricOptions
{
    std::string topology{"leaf-spine:4x16x4"}; //!< see MakeRdmaTopology()
    std::string rate{"100Gbps"};               //!< links of hosts
    std::string uplinkRate{"400Gbps"};         //!< links between switches
    std::string delay{"1us"};                  //!< propagation delay of every link
    uint32_t mtu{1024};                        //!< payload of a full packet, 256..4096 bytes
    std::string transport{"roce"};             //!< "roce", "irn" or "iwarp"
    /// Congestion control: "none", "dcqcn" (the paper's parameters), "dcqcn-nic", "rcm", "dctcp",
    /// "dctcp-window", "timely", "timely-patched", "swift", "hpcc", "hpcc-pint", "powertcp",
    /// "powertcp-theta", "aimd".
    std::string cc{"none"};
    std::string pfc{"on"}; //!< "on" or "off"
    /// "on", "off" or KMIN:KMAX:PMAX at 40 Gb/s, as in 5KB:200KB:0.01; "auto": if cc needs it. On
    /// without numbers: GetRdmaDctcpStep() for dctcp and dctcp-window, QbbEcnMarker's for others.
    std::string ecn{"auto"};
    /// "shared": output-queued, QbbSharedBuffer; "input-queued": QbbInputPortBuffer
    std::string switchType{"shared"};
    std::string buffer{"auto"};     //!< shared: memory of each switch; auto: the preset's, or 12MiB
    std::string portBuffer{"auto"}; //!< input-queued: memory of each port; auto: 240KB
    std::string xoff{"auto"};       //!< input-queued: high watermark; auto: by the headroom
    std::string xon{"auto"};        //!< input-queued: low watermark; auto: two frames below
    uint32_t cells{1};              //!< input-queued: frames take whole cells of these bytes
    std::string crossbar{"off"};    //!< input-queued: "off", or the crossbar's speed-up
    /// What marks, if ecn is on: "curve" (QbbEcnMarker), "root", "root-victim" (QbbRootDetector),
    /// "threshold" (QbbThresholdDetector)
    std::string marking{"curve"};
    std::string markThreshold{"auto"}; //!< of the detectors, in bytes; auto: 30000
    std::string workload{"poisson"};   //!< see MakeRdmaWorkload()
    std::string cdf{"websearch"};      //!< flow sizes of poisson
    double load{0.5};                  //!< load of poisson, part of the hosts' line rate
    std::string bytes{"1MB"};          //!< flow size of incast and permutation
    std::string duration{"1ms"};       //!< poisson: flows start in this time
    std::string stop{"10s"};           //!< the run ends here at the latest
    std::string routes{"shortest"};    //!< "shortest" or "up-down", see QbbRouting
    /// "ecmp", "wcmp" (by egress rates), "spray", "spray-in-turn", "drill" or "flowlet"
    std::string paths{"ecmp"};
    std::string flowletGap{"50us"}; //!< flowlet: a flow may change its way after this gap
    uint32_t ecmpSeed{0};           //!< of every switch, which polarises; 0: one of its own each
    std::string delayJitter{"0ns"}; //!< largest random addition to a cable's delay
    double loss{0};                 //!< probability that a link loses a frame, in [0, 1)
    /// Retransmission timeout, with IRN RTO_high, with TCP the smallest; 0 is none; auto: 320us,
    /// but for RoCE and IRN with PFC and no loss none, or with watchdogs the time of a whole storm.
    std::string rto{"auto"};
    std::string rtoLow{"auto"};        //!< IRN: RTO_low; auto: 100us
    std::string rtoLowPackets{"auto"}; //!< IRN: RTO_low for so many packets in flight; auto: 3
    bool dynamicRto{false};            //!< IRN: timeouts from round-trip times
    /// "auto", "sack" (IRN's), "selective" (without SACK), "go-back-n" (RoCE's) or "go-back-0"
    std::string recovery{"auto"};
    std::string bdpCap{"auto"};       //!< IRN: packets in flight; auto: from the topology; or "off"
    bool backOff{false};              //!< IRN with go-back-n: the window halves with each loss
    std::string retries{"unlimited"}; //!< timeouts in a row before a flow fails: 0..255, unlimited
    uint32_t ackInterval{1};          //!< packets for one acknowledgement
    uint32_t seed{1};                 //!< of all random numbers, 1 and above
    bool serialize{false};            //!< every frame crosses links as bytes
    bool checkDeadlock{false};        //!< only look for a cyclic buffer dependency, run nothing
    std::string pcap;                 //!< prefix of a capture of every port; none if empty
    bool keepQueuePairs{false};       //!< RdmaFlowRunner::KeepQueuePairs; with timeseries always
    std::string timeseries;           //!< file for RdmaTimeSeries of the flows; none if empty
    std::string timeseriesPeriod{"auto"}; //!< from row to row; auto: 10us
    std::string timeseriesFlows{"auto"};  //!< flow ids as in 0-9,17; auto: all
    std::string monitor;                  //!< file for QbbPortMonitor of all ports; none if empty
    std::string monitorPeriod{"auto"};    //!< from poll to poll; auto: 100us
    /// PFC watchdog of the switches: "off", "drop", "forward" or "alert".
    std::string watchdog{"off"};
    std::string detection{"auto"};    //!< watchdog: a storm after this time; auto: 200ms
    std::string restoration{"auto"};  //!< watchdog: over after this time; auto: 200ms
    std::string watchdogPoll{"auto"}; //!< watchdog: between looks; auto: half of the shorter one
    std::string watchdogPorts{"all"}; //!< watchdog: "all", or "servers": ports to hosts
    /// NICs that send pause frames all the time: HOST[:START[:STOP]], several with commas.
    std::string storm;
    /// "off", or the standstill after which a NIC stops its pause frames, as 100ms.
    std::string nicWatchdog{"off"};
    /// HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]], several with commas.
    std::string slowReceiver;
    std::string pauseTree;             //!< file for the tree of pauses (QbbPauseTree)
    std::string traceEvents;           //!< file for a timeline viewer (RdmaPauseTrace)
    std::string traceInterval{"auto"}; //!< between samples of queues in it; auto: 10us
    /// "none", or a chip's memory and its division: "trident2", "trident3", "tomahawk3".
    std::string bufferPreset{"none"};
    std::string classAlphas;   //!< alphas of single classes at ingress, as in 3:1/8,4:1/16
    std::string trust{"dscp"}; //!< "dscp", or "vlan": what carries the class of a packet
    std::string sonicBuffers;  //!< buffers.json of SONiC for all switches; none if empty
    std::string sonicQos;      //!< qos.json beside it; may be the same file
};

/**
 * \ingroup rdma
 * What a run left behind.
 */
struct RdmaFabricOutcome
{
    std::vector<RdmaFlowResult> flows; //!< by flow id
    std::vector<RdmaPortResult> ports; //!< by node, port and class
    RdmaFabricSummary summary;         //!< sums and percentiles
};

/**
 * \ingroup rdma
 * Builds a fabric and a workload from RdmaFabricOptions, runs them and collects the results.
 *
 * One run per object; Simulator::Destroy() follows after the results are taken. All errors in the
 * options are std::invalid_argument (or RdmaFileError for files) with a message that names the
 * option and what is accepted.
 */
class RdmaFabricRun
{
  public:
    /**
     * Sets seed, time resolution and scheduler, builds the fabric and installs the flows.
     *
     * \param options the run
     */
    explicit RdmaFabricRun(const RdmaFabricOptions& options);

    /**
     * The same with flows of one's own in place of the option workload.
     *
     * \param options the run
     * \param flows the flows, in any order
     */
    RdmaFabricRun(const RdmaFabricOptions& options, const std::vector<RdmaFlow>& flows);

    /** \return the fabric, to change or watch it before Run() */
    Ptr<RdmaFabric> GetFabric() const;

    /** \return the flows' runner */
    Ptr<RdmaFlowRunnerBase> GetRunner() const;

    /**
     * \return the cyclic buffer dependency that was looked for before the run; that there is one
     *         has been said on standard error. Empty with the option pfc off.
     */
    const QbbDeadlockCheck& GetDeadlockCheck() const;

    /** \return looks for deadlocks during the run; null with the option pfc off */
    Ptr<QbbDeadlockDetector> GetDeadlockDetector() const;

    /**
     * Runs until every flow has ended, or until the option stop.
     *
     * \param progress true to show progress on standard error
     */
    void Run(bool progress = false);

    /** \return what the run left behind */
    RdmaFabricOutcome GetOutcome() const;

    /** \return the storms, slow receivers and watchdogs of the run */
    const RdmaFabricFailures& GetFailures() const
    {
        return *m_failures;
    }

    /** \param os gets what watchdogs and slow receivers have to tell; nothing if there are none */
    void PrintFailures(std::ostream& os) const;

    /**
     * \param options the run
     * \return the topology that the options name
     */
    static RdmaTopology MakeTopology(const RdmaFabricOptions& options);

    /**
     * \param options the run
     * \param topology its topology
     * \return the flows that the options name
     */
    static std::vector<RdmaFlow> MakeFlows(const RdmaFabricOptions& options,
                                           const RdmaTopology& topology);

  private:
    void Build(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows);
    void Configure(RdmaFabricHelper& helper, const RdmaTopology& topology, uint8_t classes) const;
    void CheckPcap() const;
    void WatchForDeadlocks();
    Ptr<RdmaFlowRunnerBase> MakeRunner() const;

    RdmaFabricOptions m_options;                    //!< the run
    Ptr<RdmaFabric> m_fabric;                       //!< the fabric
    Ptr<RdmaFlowRunnerBase> m_runner;               //!< the flows
    QbbDeadlockCheck m_check;                       //!< what the routes allow
    Ptr<QbbDeadlockDetector> m_detector;            //!< what happens
    QbbPs m_firstStart{0};                          //!< when the first flow starts
    double m_cpuS{0};                               //!< CPU time of Run()
    uint64_t m_events{0};                           //!< events of Run()
    QbbPs m_end{0};                                 //!< simulated time at the end of Run()
    std::shared_ptr<RdmaFabricWatch> m_watch;       //!< the options timeseries and monitor
    std::shared_ptr<RdmaFabricFailures> m_failures; //!< storms, watchdogs and their files
};

/**
 * \ingroup rdma
 * Prints a table of flow completion times by size, and what happened in the fabric.
 *
 * \param os where to
 * \param outcome a run's outcome
 */
void PrintRdmaOutcome(std::ostream& os, const RdmaFabricOutcome& outcome);

} // namespace ns3

#endif /* RDMA_FABRIC_RUN_H */
