/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Flows over a Clos fabric: a table of flow completion times, and CSV and JSON files of
 * everything else.
 *
 *     ns3 run rdma-fabric
 *     ns3 run "rdma-fabric --workload=incast:32 --pfc=off --out=incast-lossy"
 *
 * The options are those of ns3::RdmaFabricOptions. To build a fabric of your own in a script, start
 * from ns3::RdmaFabricHelper.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    QbbSetTimeResolution(); // before times of the command line are read
    RdmaFabricOptions options;
    std::string preset = FindRdmaPreset(argc, argv);
    try
    {
        ApplyRdmaPreset(preset, options);
    }
    catch (const std::exception& e)
    {
        std::cerr << "rdma-fabric: " << e.what() << "\n";
        return 2;
    }
    std::string out;
    std::string progress = "auto";
    CommandLine cmd(__FILE__);
    cmd.Usage("Flows over a Clos fabric.");
    cmd.AddValue("preset",
                 "sets the other options, which can still be given: irn (the default case of the "
                 "IRN paper), parking-lot (the OMNeT++ model's network) or none",
                 preset);
    cmd.AddValue("topology",
                 "leaf-spine:LEAVESxHOSTSxSPINES, fat-tree:K, clos:TIERSxRADIX[xRATIO...], "
                 "dumbbell:N, star:N, parking-lot:N, ring:N or file:PATH (HPCC format)",
                 options.topology);
    cmd.AddValue("rate", "rate of the hosts' links", options.rate);
    cmd.AddValue("uplinkRate", "rate of the links between switches", options.uplinkRate);
    cmd.AddValue("delay", "propagation delay of every link", options.delay);
    cmd.AddValue("mtu", "payload bytes of a full packet, 256 to 4096", options.mtu);
    cmd.AddValue("transport", "roce, irn, or iwarp (ns-3's TCP)", options.transport);
    cmd.AddValue("cc",
                 "congestion control: none, dcqcn, dcqcn-nic, rcm, dctcp, dctcp-window, timely, "
                 "timely-patched, swift, hpcc, hpcc-pint, powertcp, powertcp-theta or aimd",
                 options.cc);
    cmd.AddValue("pfc", "on or off", options.pfc);
    cmd.AddValue("ecn",
                 "auto (if cc needs it), on, off, or KMIN:KMAX:PMAX at 40 Gb/s (5KB:200KB:0.01)",
                 options.ecn);
    cmd.AddValue("switch",
                 "shared (output-queued, one buffer), or input-queued (virtual output queues, a "
                 "buffer for each port)",
                 options.switchType);
    cmd.AddValue("buffer",
                 "shared: memory of each switch; auto: the preset's, or 12MiB",
                 options.buffer);
    cmd.AddValue("bufferPreset",
                 "none, or a chip's memory and its division: trident2, trident3, tomahawk3",
                 options.bufferPreset);
    cmd.AddValue("sonicBuffers",
                 "buffers.json of SONiC (or config_db.json) for all switches",
                 options.sonicBuffers);
    cmd.AddValue("sonicQos", "qos.json beside it; may be the same file", options.sonicQos);
    cmd.AddValue("classAlphas",
                 "thresholds of single classes at ingress, as in 3:1/8,4:1/16",
                 options.classAlphas);
    cmd.AddValue("trust",
                 "what carries the class of a packet: dscp, or vlan (802.1Q tags, which end where "
                 "switches route)",
                 options.trust);
    cmd.AddValue("portBuffer",
                 "input-queued: memory of each input port; auto: 240KB",
                 options.portBuffer);
    cmd.AddValue("xoff",
                 "input-queued: high watermark of a lossless class; auto: what the computed "
                 "headroom leaves",
                 options.xoff);
    cmd.AddValue("xon",
                 "input-queued: low watermark; auto: two frames below the high one",
                 options.xon);
    cmd.AddValue("cells",
                 "input-queued: frames take whole cells of this many bytes",
                 options.cells);
    cmd.AddValue("crossbar", "input-queued: off, or the crossbar's speed-up", options.crossbar);
    cmd.AddValue("marking",
                 "what marks where ECN is on: curve (by queue length), root, root-victim or "
                 "threshold (congestion detectors)",
                 options.marking);
    cmd.AddValue("markThreshold",
                 "root, root-victim, threshold: bytes that may wait without marks; auto: 30KB",
                 options.markThreshold);
    cmd.AddValue("workload",
                 "poisson, incast:N, permutation or file:PATH (CSV, or HPCC format)",
                 options.workload);
    cmd.AddValue("cdf",
                 "flow sizes of poisson: irn-heavy-tail, irn-uniform, websearch, hadoop, storage "
                 "or file:PATH",
                 options.cdf);
    cmd.AddValue("load", "load of poisson, part of the hosts' line rate", options.load);
    cmd.AddValue("bytes", "flow size of incast and permutation", options.bytes);
    cmd.AddValue("duration", "poisson: flows start in this time", options.duration);
    cmd.AddValue("stop", "the run ends at this simulated time at the latest", options.stop);
    cmd.AddValue("routes",
                 "shortest (all shortest paths), or up-down (up, then down: cannot deadlock)",
                 options.routes);
    cmd.AddValue("paths",
                 "ecmp, wcmp (weighted by rate), spray (packets at random), spray-in-turn, drill "
                 "(least queue of two and the last best) or flowlet",
                 options.paths);
    cmd.AddValue("flowletGap",
                 "flowlet: a flow may change its way after this gap",
                 options.flowletGap);
    cmd.AddValue("ecmpSeed",
                 "the same seed of ECMP for all switches, which polarises; 0: one of its own each",
                 options.ecmpSeed);
    cmd.AddValue("delayJitter",
                 "largest random addition to the delay of each link, at most 4ms",
                 options.delayJitter);
    cmd.AddValue("loss", "probability that a link loses a frame", options.loss);
    cmd.AddValue("recovery",
                 "irn: sack, selective (without SACK), go-back-n, go-back-0; roce: go-back-n, "
                 "go-back-0; auto: the first",
                 options.recovery);
    cmd.AddValue("bdpCap",
                 "irn: packets in flight; auto: from the topology; off: no BDP-FC",
                 options.bdpCap);
    cmd.AddValue("rtoLow", "irn: RTO_low; auto: 100us", options.rtoLow);
    cmd.AddValue("rtoLowPackets",
                 "irn: RTO_low is for at most this many packets in flight; auto: 3",
                 options.rtoLowPackets);
    cmd.AddValue("dynamicRto", "irn: timeouts from round-trip times", options.dynamicRto);
    cmd.AddValue("backOff",
                 "irn with go-back-n: the window halves with each loss",
                 options.backOff);
    cmd.AddValue("rto",
                 "retransmission timeout (irn: RTO_high, iwarp: the smallest); 0s for none; auto: "
                 "320us; RoCE, IRN with PFC: none, or with watchdogs detection plus restoration",
                 options.rto);
    cmd.AddValue("retries",
                 "timeouts in a row after which a flow fails, 0 to 255, or unlimited",
                 options.retries);
    cmd.AddValue("ackInterval", "packets for one acknowledgement", options.ackInterval);
    cmd.AddValue("seed", "of all random numbers, 1 and above", options.seed);
    cmd.AddValue("serialize",
                 "every frame crosses links as bytes; slower, same results",
                 options.serialize);
    cmd.AddValue("checkDeadlock",
                 "only say whether the routes allow PFC to deadlock (status 1: they do)",
                 options.checkDeadlock);
    cmd.AddValue("watchdog",
                 "PFC watchdog of the switches: off, drop, forward or alert",
                 options.watchdog);
    cmd.AddValue("detection",
                 "watchdog: a queue paused for this long is in storm; auto: 200ms",
                 options.detection);
    cmd.AddValue("restoration",
                 "watchdog: a storm without pause frames for this long is over; auto: 200ms",
                 options.restoration);
    cmd.AddValue("watchdogPoll",
                 "watchdog: time between two looks; auto: half of detection or restoration",
                 options.watchdogPoll);
    cmd.AddValue("watchdogPorts",
                 "watchdog: all, or servers (ports to hosts)",
                 options.watchdogPorts);
    cmd.AddValue("storm",
                 "NICs that send pause frames all the time: HOST[:START[:STOP]],...",
                 options.storm);
    cmd.AddValue("nicWatchdog",
                 "off, or the standstill after which a NIC stops its pause frames (100ms)",
                 options.nicWatchdog);
    cmd.AddValue("slowReceiver",
                 "hosts that take frames slowly: "
                 "HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]],...",
                 options.slowReceiver);
    cmd.AddValue("pauseTree", "CSV file for which pause caused which", options.pauseTree);
    cmd.AddValue("trace-events",
                 "JSON file of pauses, queues and marks for Perfetto or chrome://tracing",
                 options.traceEvents);
    cmd.AddValue("traceInterval",
                 "time between samples of queues and marks in it; auto: 10us",
                 options.traceInterval);
    cmd.AddValue("out", "directory for flows.csv, ports.csv and summary.json", out);
    cmd.AddValue("pcap", "prefix of a capture file for every port", options.pcap);
    cmd.AddValue("timeseries",
                 "CSV file for rate, window, alpha, round trip and bytes in flight of flows",
                 options.timeseries);
    cmd.AddValue("timeseriesPeriod", "time from row to row; auto: 10us", options.timeseriesPeriod);
    cmd.AddValue("timeseriesFlows",
                 "ids of the flows that it has, as in 0-9,17; auto: all",
                 options.timeseriesFlows);
    cmd.AddValue("monitor",
                 "CSV file for counters, pauses and watermarks of all ports and classes",
                 options.monitor);
    cmd.AddValue("monitorPeriod", "time from poll to poll; auto: 100us", options.monitorPeriod);
    cmd.AddValue("progress", "auto (on a terminal), on or off", progress);
    cmd.Parse(argc, argv);

    try
    {
        if (progress != "auto" && progress != "on" && progress != "off")
        {
            throw std::invalid_argument("--progress: unknown value \"" + progress +
                                        "\"; accepted: auto, on, off");
        }
        RdmaFabricRun run(options);
        if (options.checkDeadlock)
        {
            PrintRdmaDeadlockCheck(std::cout, *run.GetFabric(), run.GetDeadlockCheck());
            return run.GetDeadlockCheck().IsDeadlockFree() ? 0 : 1;
        }
        run.Run(progress == "on" || (progress == "auto" && RdmaProgress::IsTerminal()));
        const RdmaFabricOutcome outcome = run.GetOutcome();
        PrintRdmaOutcome(std::cout, outcome);
        run.PrintFailures(std::cout);
        if (!out.empty())
        {
            WriteRdmaReport(out, outcome.flows, outcome.ports, outcome.summary);
            std::cout << "wrote flows.csv, ports.csv and summary.json to " << out << "\n";
        }
        Simulator::Destroy();
        return outcome.summary.flowsCompleted == outcome.summary.flowsTotal ? 0 : 1;
    }
    catch (const std::exception& error)
    {
        std::cerr << "rdma-fabric: " << error.what() << "\n";
        return 2;
    }
}
