/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_OPTIONS_H
#define RDMA_FABRIC_OPTIONS_H

#include "rdma-option-list.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Description of a whole run: the options of the example rdma-fabric, for scripts, command lines,
 * configuration files and presets. The initializer of a member states the name of the option, its
 * default and its description. Many options set one attribute of a part; a table in
 * rdma-fabric-options.cc names the attributes.
 *
 *     RdmaFabricOptions options;
 *     options.topology = "star:4";
 *     options.ApplyFile("my.conf");
 *     RdmaFabricRun run(options);
 */
struct RdmaFabricOptions : public RdmaOptionList
{
    RdmaFabricOptions();

    /** \param other options whose values are copied */
    RdmaFabricOptions(const RdmaFabricOptions& other)
        : RdmaFabricOptions()
    {
        *this = other;
    }

    /** \param other options whose values are copied \return these options */
    RdmaFabricOptions& operator=(const RdmaFabricOptions& other)
    {
        CopyValues(other);
        keepQueuePairs = other.keepQueuePairs;
        return *this;
    }

    std::string topology{Define(&topology,
                                "topology=leaf-spine:4x16x4",
                                "hosts, switches, links: a part (--list=topology)")};
    std::string rate{Define(&rate, "rate=100Gbps", "rate of the hosts' links")};
    std::string uplinkRate{
        Define(&uplinkRate, "uplinkRate=400Gbps", "rate of the links between switches")};
    std::string delay{Define(&delay, "delay=1us", "propagation delay of every link")};
    std::string delayJitter{Define(&delayJitter,
                                   "delayJitter=0ns",
                                   "largest random addition to the delay of a link, to 4ms")};
    double loss{
        Define(&loss, "loss=0", "probability that a link loses a frame", {"0", "0.999999"})};
    uint32_t mtu{
        Define(&mtu, "mtu=1024", "payload bytes of a full packet, 256 to 4096", {"256", "4096"})};
    std::string transport{
        Define(&transport, "transport=roce", "iwarp (ns-3's TCP), or a part (--list=transport)")};
    std::string cc{Define(&cc, "cc=none", "congestion control: none, or a part (--list=cc)")};
    /// ECN marking: "on", "off", "auto" (on if cc needs marks), or the curve KMIN:KMAX:PMAX at
    /// 40 Gb/s, for instance 5KB:200KB:0.01. The default is QbbEcnMarker's curve; dctcp and
    /// dctcp-window use GetRdmaDctcpStep() instead.
    std::string ecn{
        Define(&ecn, "ecn=auto", "auto (if cc needs marks), on, off, or KMIN:KMAX:PMAX")};
    std::string marking{Define(&marking,
                               "marking=curve",
                               "curve (queue length), or a detector: a part (--list=marking)")};
    std::string markThreshold{Define(&markThreshold,
                                     "markThreshold=auto",
                                     "detector: largest queue without marks; auto: 30KB")};
    std::string marker{
        Define(&marker, "marker=none", "further marker: none, or a part (--list=marker)")};
    std::string pfc{Define(&pfc, "pfc=on", "on or off", {"on", "off"})};
    std::string trust{Define(&trust,
                             "trust=dscp",
                             "field that carries a packet's class: dscp or vlan",
                             {"dscp", "vlan"})};
    /// Switches: "shared" (output-queued, QbbSharedBuffer) or "input-queued" (QbbInputPortBuffer)
    std::string switchType{Define(&switchType,
                                  "switch=shared",
                                  "shared (output-queued) or input-queued",
                                  {"shared", "input-queued"})};
    /// Memory of each shared-buffer switch, or a part of kind QbbBufferManager; auto: the value of
    /// bufferPreset, otherwise 12MiB
    std::string buffer{
        Define(&buffer, "buffer=auto", "shared: memory of a switch (auto: 12MiB), or a part")};
    std::string bufferPreset{
        Define(&bufferPreset, "bufferPreset=none", "none, trident2, trident3 or tomahawk3")};
    std::string classAlphas{
        Define(&classAlphas, "classAlphas=", "ingress thresholds of classes, as in 3:1/8,4:1/16")};
    std::string sonicBuffers{
        Define(&sonicBuffers, "sonicBuffers=", "SONiC's buffers.json or config_db.json")};
    std::string sonicQos{Define(&sonicQos, "sonicQos=", "SONiC's qos.json; may be the same file")};
    std::string sonicPgLookup{Define(&sonicPgLookup,
                                     "sonicPgLookup=",
                                     "SONiC's pg_profile_lookup.ini: lossless priority groups")};
    std::string portBuffer{
        Define(&portBuffer, "portBuffer=auto", "input-queued: memory of a port; auto: 240KB")};
    std::string xoff{Define(&xoff, "xoff=auto", "input-queued: high watermark; auto: by headroom")};
    std::string xon{
        Define(&xon, "xon=auto", "input-queued: low watermark; auto: xoff less 2 frames")};
    uint32_t cells{
        Define(&cells, "cells=1", "input-queued: bytes of a memory cell", {"1", "65536"})};
    std::string crossbar{
        Define(&crossbar, "crossbar=off", "input-queued: off, or the crossbar's speed-up")};
    std::string routes{
        Define(&routes, "routes=shortest", "shortest, or up-down (cannot deadlock)")};
    std::string paths{Define(&paths, "paths=ecmp", "ecmp, or a part (--list=paths)")};
    /// ECMP seed common to all switches, which causes polarisation; 0: a different seed per switch
    uint32_t ecmpSeed{
        Define(&ecmpSeed, "ecmpSeed=0", "one ECMP seed for all switches; 0: one for each")};
    /// Workload: a part of kind RdmaWorkload. The options cdf, load, bytes and duration set the
    /// attributes Cdf, Load, Bytes and Duration, unless this text sets the attribute or the
    /// workload does not have the attribute.
    std::string workload{Define(&workload, "workload=poisson", "flows: a part (--list=workload)")};
    std::string cdf{Define(&cdf, "cdf=auto", "poisson: flow sizes; auto: websearch")};
    double load{
        Define(&load, "load=0.5", "poisson: fraction of the hosts' line rate", {"1e-12", "1e12"})};
    std::string bytes{Define(&bytes, "bytes=auto", "incast, permutation: flow size; auto: 1MB")};
    std::string duration{
        Define(&duration, "duration=auto", "poisson: flows start in this time; auto: 1ms")};
    std::string loadOf{
        Define(&loadOf, "loadOf=payload", "poisson: load counts payload, wire or wire-acks")};
    std::string warmUp{Define(&warmUp, "warmUp=0s", "poisson: time before the counted flows")};
    /// Flows that start within this time after the warm-up are counted. Arrivals go on until the
    /// last counted flow has ended, which ends the run.
    std::string measure{Define(&measure,
                               "measure=off",
                               "poisson: time of the counted flows; off: all flows count")};
    std::string stop{Define(&stop, "stop=10s", "latest end of the run")};
    uint32_t seed{Define(&seed,
                         "seed=1",
                         "seed of all random numbers, 1 to 4294944442",
                         {"1", "4294944442"})};
    /// Loss recovery: "auto", "sack" (default of IRN), "selective" (retransmission without SACK),
    /// "go-back-n" (default of RoCE) or "go-back-0"
    std::string recovery{
        Define(&recovery, "recovery=auto", "auto, sack, selective, go-back-n or go-back-0")};
    /// Retransmission timeout, RTO_high of IRN, or smallest timeout of TCP; 0: no timeout, which is
    /// refused where frames may get lost. auto: by the network (RdmaFabricTimers). If only
    /// watchdogs may drop frames, auto is GetRdmaStormTimeout().
    std::string rto{Define(&rto, "rto=auto", "retransmission timeout; 0s: none; auto: see manual")};
    std::string rtoLow{Define(&rtoLow, "rtoLow=auto", "irn: RTO_low; auto: 100us")};
    std::string rtoLowPackets{Define(&rtoLowPackets,
                                     "rtoLowPackets=auto",
                                     "irn: most packets in flight for RTO_low; auto: 3")};
    bool dynamicRto{Define(&dynamicRto, "dynamicRto=false", "irn: timeouts from round-trip times")};
    std::string bdpCap{
        Define(&bdpCap, "bdpCap=auto", "irn: packets in flight; auto: by topology; or off")};
    bool backOff{Define(&backOff, "backOff=false", "irn, go-back-n: a loss halves the window")};
    std::string retries{
        Define(&retries, "retries=unlimited", "timeouts in a row, 0 to 255, or unlimited")};
    uint32_t ackInterval{
        Define(&ackInterval, "ackInterval=1", "packets per acknowledgement", {"1"})};
    bool serialize{
        Define(&serialize, "serialize=false", "frames cross links as bytes: slower, same results")};
    bool checkDeadlock{Define(&checkDeadlock,
                              "checkDeadlock=false",
                              "only check whether PFC can deadlock (status 1: yes)")};
    std::string watchdog{
        Define(&watchdog, "watchdog=off", "PFC watchdog: off, drop, forward or alert")};
    std::string detection{Define(&detection,
                                 "detection=auto",
                                 "watchdog: a pause this long is a storm; auto: 200ms")};
    std::string restoration{
        Define(&restoration, "restoration=auto", "watchdog: quiet time that ends it; auto: 200ms")};
    /// Watchdog: polling interval; auto: half of the shorter of detection and restoration
    std::string watchdogPoll{Define(&watchdogPoll,
                                    "watchdogPoll=auto",
                                    "watchdog: polling period; auto: half of the shorter time")};
    std::string watchdogPorts{
        Define(&watchdogPorts, "watchdogPorts=all", "watchdog: all, or servers (ports to hosts)")};
    std::string storm{
        Define(&storm, "storm=", "NICs that send only pauses: HOST[:START[:STOP]],...")};
    std::string nicWatchdog{Define(&nicWatchdog,
                                   "nicWatchdog=off",
                                   "off, or a standstill after which a NIC's pauses end (100ms)")};
    /// Slow hosts: HOST:RATE[:BUFFER[:STALL_START:STALL_DURATION[:STALL_PERIOD]]], separated by
    /// commas
    std::string slowReceiver{Define(&slowReceiver,
                                    "slowReceiver=",
                                    "slow hosts: HOST:RATE[:BUFFER...],... (see manual)")};
    std::string pcap{Define(&pcap, "pcap=", "prefix of a capture file for every port")};
    std::string pauseTree{
        Define(&pauseTree, "pauseTree=", "CSV file: pauses, and the pauses that caused them")};
    std::string traceEvents{
        Define(&traceEvents, "trace-events=", "JSON file for Perfetto: pauses, queues, marks")};
    std::string traceInterval{Define(&traceInterval,
                                     "traceInterval=auto",
                                     "trace-events: time between samples; auto: 10us")};
    bool explain{Define(&explain,
                        "explain=false",
                        "print which thresholds act first, and why the run paused or not")};
    std::string instruments{
        Define(&instruments, "instruments=", "parts, with commas (--list=instruments)")};
    std::string timeseries{
        Define(&timeseries, "timeseries=", "CSV file: rate, window, alpha, RTT of flows")};
    std::string timeseriesPeriod{Define(&timeseriesPeriod,
                                        "timeseriesPeriod=auto",
                                        "timeseries: time between rows; auto: 10us")};
    std::string timeseriesFlows{Define(&timeseriesFlows,
                                       "timeseriesFlows=auto",
                                       "timeseries: flow ids, as in 0-9,17; auto: all")};
    std::string monitor{
        Define(&monitor, "monitor=", "CSV file: counters, pauses, watermarks of ports")};
    std::string monitorPeriod{
        Define(&monitorPeriod, "monitorPeriod=auto", "monitor: time between polls; auto: 100us")};

    // Not an option of programs, so that the assignment above copies the value.
    bool keepQueuePairs{false}; //!< RdmaFlowRunner::KeepQueuePairs; implied by instruments of flows
};

} // namespace ns3

#endif /* RDMA_FABRIC_OPTIONS_H */
