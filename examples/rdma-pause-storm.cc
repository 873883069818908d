/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Propagation of pauses caused by one host (Guo et al., "RDMA over Commodity Ethernet at Scale",
 * SIGCOMM 2016, sections 4.3 and 4.4).
 *
 *     ns3 run rdma-pause-storm
 *     ns3 run "rdma-pause-storm --scenario=receiver"
 *
 * - Scenario storm: in a fat-tree, every host sends messages to every other host, one message at a
 *   time per pair. The NIC of host 0 begins to send pause frames continuously. The program measures
 *   the goodput of the victims, flows that neither begin nor end at host 0, with and without
 *   watchdogs.
 * - Scenario receiver: a leaf-spine fabric under moderate load, in which host 0 stalls
 *   periodically. The program measures how far pauses spread with static and with dynamic switch
 *   thresholds.
 */

#include "rdma-pause-storm-receiver.h"
#include "rdma-pause-storm-run.h"

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <stdexcept>
#include <string>

using namespace ns3;

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "Pauses that spread because of one host.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "--rate"},
        {"ns3::QbbChannel::Delay", "rdma-fabric --delay"},
        {"ns3::QbbSharedBuffer::BufferSize", "--buffer"},
        {"ns3::RdmaQueuePair::PathMtu", "rdma-fabric --mtu"},
    });
    PauseStormRequest request;
    auto& options = request.options;
    options.rate = "40Gbps";
    std::string scenario = "storm";
    std::string topology;
    uint64_t buffer = 12 << 20;
    cmd.Add("scenario", "storm or receiver", scenario, {"storm", "receiver"});
    cmd.Add("topology",
            "as in rdma-fabric; default: fat-tree:4, or leaf-spine:4x16x4 for the receiver",
            topology);
    cmd.Include(options, {"rate", "seed"});
    cmd.AddBytes("buffer", "memory of each switch", buffer, {"1", "4294967295"});
    cmd.Add("start", "storm: start of the storm", request.start, {"100us"});
    cmd.Add("detection", "storm: detection time of the watchdogs", request.detection, {"1us"});
    cmd.Add("poll", "storm: polling interval of the watchdogs", request.poll, {"1ns"});
    cmd.AddBytes("message", "storm: bytes of a message", request.messageBytes, {"1", "2147483648"});
    cmd.Add("stall", "receiver: duration of a stall of host 0", request.stall, {"1ns"});
    cmd.Add("period", "receiver: from one stall to the next", request.period, {"1ns"});
    cmd.AddBytes("nicBuffer", "receiver: receive buffer of host 0", request.nicBuffer, {"1"});
    cmd.Add("load", "receiver: load of host 0's link", request.load, {"0.001", "1"});
    return cmd.Run(argc, argv, [&] {
        const bool isStorm = scenario == "storm";
        cmd.RefuseGivenOptions(
            isStorm ? std::vector<std::string>{"stall", "period", "nicBuffer", "load"}
                    : std::vector<std::string>{"start", "detection", "poll", "message"},
            "with --scenario=" + scenario);
        if (request.poll > request.detection)
        {
            throw std::invalid_argument("--poll: above --detection; accepted: up to --detection");
        }
        options.buffer = std::to_string(buffer);
        options.topology = !topology.empty() ? topology
                           : isStorm         ? "fat-tree:4"
                                             : "leaf-spine:4x16x4";
        // As in a preset, because a topology without uplinks is welcome too.
        options.Apply("--uplinkRate=" + (isStorm ? options.rate : "100Gbps"),
                      "rdma-pause-storm",
                      RdmaOptionSource::PRESET);
        isStorm ? RunPauseStorms(request) : RunSlowReceivers(request);
        return 0;
    });
}
