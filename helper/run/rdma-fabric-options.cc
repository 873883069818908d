/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-options.h"

namespace ns3
{

void
AddRdmaFabricOptions(RdmaOptionList& list, RdmaFabricOptions& options)
{
    list.Add("topology", "hosts, switches, links: a part (--list=topology)", options.topology);
    list.Add("rate", "rate of the hosts' links", options.rate);
    list.Add("uplinkRate", "rate of the links between switches", options.uplinkRate);
    list.Add("delay", "propagation delay of every link", options.delay);
    list.Add("delayJitter",
             "largest random addition to the delay of a link, to 4ms",
             options.delayJitter);
    list.Add("loss", "probability that a link loses a frame", options.loss);
    list.Add("mtu", "payload bytes of a full packet, 256 to 4096", options.mtu);
    list.Add("transport", "iwarp (ns-3's TCP), or a part (--list=transport)", options.transport);
    list.Add("cc", "congestion control: none, or a part (--list=cc)", options.cc);
    list.Add("ecn", "auto (if cc needs marks), on, off, or KMIN:KMAX:PMAX", options.ecn);
    list.Add("marking", "what marks: curve, or a part (--list=marking)", options.marking);
    list.Add("markThreshold", "bytes that wait without marks; auto: 30KB", options.markThreshold);
    list.Add("marker", "what marks in addition: none, or a part", options.marker);
    list.Add("pfc", "on or off", options.pfc);
    list.Add("trust", "what carries a packet's class: dscp or vlan", options.trust);
    list.Add("switch", "shared (output-queued) or input-queued", options.switchType);
    list.Add("buffer", "shared: memory of a switch (auto: 12MiB), or a part", options.buffer);
    list.Add("bufferPreset", "none, trident2, trident3 or tomahawk3", options.bufferPreset);
    list.Add("classAlphas",
             "ingress thresholds of classes, as in 3:1/8,4:1/16",
             options.classAlphas);
    list.Add("sonicBuffers", "SONiC's buffers.json or config_db.json", options.sonicBuffers);
    list.Add("sonicQos", "SONiC's qos.json; may be the same file", options.sonicQos);
    list.Add("portBuffer", "input-queued: memory of a port; auto: 240KB", options.portBuffer);
    list.Add("xoff", "input-queued: high watermark; auto: by headroom", options.xoff);
    list.Add("xon", "input-queued: low watermark; auto: xoff less 2 frames", options.xon);
    list.Add("cells", "input-queued: bytes of a memory cell", options.cells);
    list.Add("crossbar", "input-queued: off, or the crossbar's speed-up", options.crossbar);
    list.Add("routes", "shortest, or up-down (cannot deadlock)", options.routes);
    list.Add("paths", "ecmp, or a part (--list=paths)", options.paths);
    list.Add("ecmpSeed", "one ECMP seed for all switches; 0: one for each", options.ecmpSeed);
    list.Add("workload", "flows: a part (--list=workload)", options.workload);
    list.Add("cdf", "poisson: flow sizes; auto: websearch", options.cdf);
    list.Add("load", "poisson: part of the hosts' line rate", options.load);
    list.Add("bytes", "incast, permutation: flow size; auto: 1MB", options.bytes);
    list.Add("duration", "poisson: flows start in this time; auto: 1ms", options.duration);
    list.Add("stop", "the run ends at this time at the latest", options.stop);
    list.Add("seed", "of all random numbers, 1 and above", options.seed);
    list.Add("recovery", "auto, sack, selective, go-back-n or go-back-0", options.recovery);
    list.Add("rto", "retransmission timeout; 0s: none; auto: see manual", options.rto);
    list.Add("rtoLow", "irn: RTO_low; auto: 100us", options.rtoLow);
    list.Add("rtoLowPackets",
             "irn: most packets in flight for RTO_low; auto: 3",
             options.rtoLowPackets);
    list.Add("dynamicRto", "irn: timeouts from round-trip times", options.dynamicRto);
    list.Add("bdpCap", "irn: packets in flight; auto: by topology; or off", options.bdpCap);
    list.Add("backOff", "irn, go-back-n: a loss halves the window", options.backOff);
    list.Add("retries", "timeouts in a row, 0 to 255, or unlimited", options.retries);
    list.Add("ackInterval", "packets for one acknowledgement", options.ackInterval);
    list.Add("serialize", "frames cross links as bytes: slower, same results", options.serialize);
    list.Add("checkDeadlock",
             "only say whether PFC can deadlock (status 1: yes)",
             options.checkDeadlock);
    list.Add("watchdog", "PFC watchdog: off, drop, forward or alert", options.watchdog);
    list.Add("detection", "watchdog: a pause this long is a storm; auto: 200ms", options.detection);
    list.Add("restoration", "watchdog: quiet time that ends it; auto: 200ms", options.restoration);
    list.Add("watchdogPoll",
             "watchdog: time between looks; auto: half of these",
             options.watchdogPoll);
    list.Add("watchdogPorts", "watchdog: all, or servers (ports to hosts)", options.watchdogPorts);
    list.Add("storm", "NICs that only pause: HOST[:START[:STOP]],...", options.storm);
    list.Add("nicWatchdog",
             "off, or standstill that ends a NIC's pauses (100ms)",
             options.nicWatchdog);
    list.Add("slowReceiver",
             "slow hosts: HOST:RATE[:BUFFER...],... (see manual)",
             options.slowReceiver);
    list.Add("pcap", "prefix of a capture file for every port", options.pcap);
    list.Add("pauseTree", "CSV file: which pause caused which", options.pauseTree);
    list.Add("trace-events", "JSON file for Perfetto: pauses, queues, marks", options.traceEvents);
    list.Add("traceInterval", "trace-events: between samples; auto: 10us", options.traceInterval);
    list.Add("instruments", "parts, with commas (--list=instruments)", options.instruments);
    list.Add("timeseries", "CSV file: rate, window, alpha, RTT of flows", options.timeseries);
    list.Add("timeseriesPeriod",
             "timeseries: from row to row; auto: 10us",
             options.timeseriesPeriod);
    list.Add("timeseriesFlows",
             "timeseries: flow ids, as in 0-9,17; auto: all",
             options.timeseriesFlows);
    list.Add("monitor", "CSV file: counters, pauses, watermarks of ports", options.monitor);
    list.Add("monitorPeriod", "monitor: from poll to poll; auto: 100us", options.monitorPeriod);
}

} // namespace ns3
