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
 * default and its description. The texts of parts (RdmaPart) and the arguments
 * `--ns3::Class::Attribute=` set all other attributes.
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
    /// Transport: a part of kind RdmaTransport, or "iwarp", which may have attributes of
    /// RdmaTcpFlowRunner in brackets
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
    /// Memory of each shared-buffer switch, or of each port of an input-queued switch, or a part of
    /// kind QbbBufferManager; auto: 12MiB and 240KB
    std::string buffer{Define(&buffer,
                              "buffer=auto",
                              "memory of a switch, or input-queued: of a port; or a part")};
    std::string sonicBuffers{
        Define(&sonicBuffers, "sonicBuffers=", "SONiC's buffers.json or config_db.json")};
    std::string sonicQos{Define(&sonicQos, "sonicQos=", "SONiC's qos.json; may be the same file")};
    std::string sonicPgLookup{Define(&sonicPgLookup,
                                     "sonicPgLookup=",
                                     "SONiC's pg_profile_lookup.ini: lossless priority groups")};
    std::string paths{Define(&paths, "paths=ecmp", "ecmp, or a part (--list=paths)")};
    std::string entropy{
        Define(&entropy, "entropy=none", "UDP source ports: none, or a part (--list=entropy)")};
    /// auto: flows take all NICs and ports of their hosts, in chunks; or a part of kind
    /// RdmaConnectionPlan
    std::string connection{
        Define(&connection,
               "connection=auto",
               "NICs, ports and queue pairs of a flow: auto: all NICs and ports, "
               "in chunks; or a part (--list=connection)")};
    /// Workload: a part of kind RdmaWorkload. The options cdf, load, bytes, duration, warmUp and
    /// measure set attributes of the same names.
    /// Or a collective: a part of kind RdmaCollective, among all NICs, of the size that the option
    /// bytes says.
    std::string workload{
        Define(&workload, "workload=poisson", "flows, or a collective: a part (--list=workload)")};
    /// File of jobs in place of a workload: RdmaJobFile
    std::string job{Define(&job, "job=", "file of jobs (JSON) in place of a workload")};
    std::string network{Define(&network,
                               "network=packets",
                               "collective, job: what carries messages (--list=network)")};
    std::string timeLine{
        Define(&timeLine, "timeLine=", "job: JSON file for Perfetto, with a time line by rank")};
    uint32_t criticalPath{Define(&criticalPath,
                                 "criticalPath=0",
                                 "job: print so many of the longest parts of the critical path",
                                 {"0", "1000000"})};
    /// Hosts of the topology that carry the workload: a part of kind RdmaPlacement. The workload
    /// then sees hosts 0, 1, ... of its job.
    std::string placement{Define(&placement,
                                 "placement=none",
                                 "hosts of the workload: none, or a part (--list=placement)")};
    std::string cdf{Define(&cdf, "cdf=auto", "poisson: flow sizes; auto: websearch")};
    double load{
        Define(&load, "load=0.5", "poisson: fraction of the hosts' line rate", {"1e-12", "1e12"})};
    std::string bytes{
        Define(&bytes, "bytes=auto", "incast, permutation, collective: size; auto: 1MB")};
    std::string duration{
        Define(&duration, "duration=auto", "poisson: flows start in this time; auto: 1ms")};
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
    bool checkDeadlock{Define(&checkDeadlock,
                              "checkDeadlock=false",
                              "only check whether PFC can deadlock (status 1: yes)")};
    std::string watchdog{
        Define(&watchdog, "watchdog=off", "PFC watchdog: off, drop, forward or alert")};
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
    /// Links and switches that fail: a text or file of RdmaFailurePlan
    std::string failures{
        Define(&failures, "failures=", "WHERE:EVENT:START[:STOP],... or a file (see manual)")};
    bool explain{Define(&explain,
                        "explain=false",
                        "print which thresholds act first, and why the run paused or not")};
    std::string instruments{
        Define(&instruments, "instruments=", "parts, with commas (--list=instruments)")};

    // Not an option of programs, so that the assignment above copies the value.
    bool keepQueuePairs{false}; //!< RdmaFlowRunner::KeepQueuePairs; implied by instruments of flows
};

/**
 * \ingroup rdma
 * Sets options to the values of a published experiment. Later assignments override the values.
 *
 * "irn" is the default case of Mittal et al., "Revisiting Network Support for RDMA" (SIGCOMM 2018,
 * section 4.1): 54 servers in a fat-tree of 45 6-port switches, 40 Gb/s, 2 us, packets of 1000 B,
 * Poisson arrivals of heavy-tailed sizes at 70%, ECMP, input-queued switches with 240 KB a port,
 * IRN without PFC, RTO_high 320 us, RTO_low 100 us for up to 3 packets. With PFC enabled, the PFC
 * threshold is the computed 211 KB. The paper's 220 KB leave headroom for the bytes on the cable,
 * but none for frames whose transmission has already begun, and cause packet loss in this module.
 * With ECN, packets are marked by the length of their virtual output queue. The packets of WRITEs
 * have RoCE's headers, because section 4 simulates the transport logic alone.
 *
 * "parking-lot" is the network of Liu et al., "Implementation of PFC and RCM for RoCEv2 Simulation
 * in OMNeT++" (2015, section V): A, B and C on one switch, D and the receiver on another, 40 Gb/s,
 * packets of 2048 B, input-queued switches with credits of 64 bytes.
 *
 * "none" changes nothing.
 *
 * \param name name of the preset
 * \param [in,out] options options of a run; options outside the preset keep their values
 * \throws std::invalid_argument for an unknown name
 */
void ApplyRdmaPreset(const std::string& name, RdmaFabricOptions& options);

} // namespace ns3

#endif /* RDMA_FABRIC_OPTIONS_H */
