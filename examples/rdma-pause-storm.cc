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

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace ns3;

int
main(int argc, char* argv[])
{
    BeginRdmaProgram(argc,
                     argv,
                     {
                         {"ns3::QbbNetDevice::DataRate", "--rate"},
                         {"ns3::QbbChannel::Delay", "rdma-fabric --delay"},
                         {"ns3::QbbSharedBuffer::BufferSize", "--buffer"},
                         {"ns3::RdmaQueuePair::PathMtu", "rdma-fabric --mtu"},
                     });
    PauseStormRequest request;
    request.options.topology.clear();
    request.options.rate = "40Gbps";
    request.options.buffer = "12MiB";
    request.options.uplinkRate.clear();
    std::string scenario = "storm";
    CommandLine cmd(__FILE__);
    cmd.Usage("Pauses that spread because of one host.");
    cmd.AddValue("scenario", "storm or receiver", scenario);
    cmd.AddValue("topology",
                 "as in rdma-fabric; default: fat-tree:4, or leaf-spine:4x16x4 for the receiver",
                 request.options.topology);
    request.options.AddTo(cmd, {"rate", "seed"});
    cmd.AddValue("buffer", "memory of each switch", request.options.buffer);
    cmd.AddValue("start", "storm: start of the storm", request.start);
    cmd.AddValue("detection", "storm: detection time of the watchdogs", request.detection);
    cmd.AddValue("poll", "storm: polling interval of the watchdogs", request.poll);
    cmd.AddValue("message", "storm: bytes of a message", request.messageBytes);
    cmd.AddValue("stall", "receiver: duration of a stall of host 0", request.stall);
    cmd.AddValue("period", "receiver: from one stall to the next", request.period);
    cmd.AddValue("nicBuffer", "receiver: receive buffer of host 0", request.nicBuffer);
    cmd.AddValue("load", "receiver: load of host 0's link", request.load);
    cmd.Parse(argc, argv);
    const bool isStorm = scenario == "storm";
    auto& options = request.options;
    options.topology = !options.topology.empty() ? options.topology
                       : isStorm                 ? "fat-tree:4"
                                                 : "leaf-spine:4x16x4";
    options.uplinkRate = isStorm ? options.rate : "100Gbps";
    try
    {
        if (!isStorm && scenario != "receiver")
        {
            throw std::invalid_argument("--scenario: unknown value \"" + scenario +
                                        "\"; accepted: storm, receiver");
        }
        if (isStorm && request.start < MicroSeconds(100))
        {
            // The measurement before the storm needs some time.
            std::ostringstream given;
            given << request.start.As(Time::US);
            throw std::invalid_argument("--start: " + given.str() + "; accepted: 100us and later");
        }
        isStorm ? RunPauseStorms(request) : RunSlowReceivers(request);
    }
    catch (const std::exception& error)
    {
        std::cerr << "rdma-pause-storm: " << error.what() << "\n";
        return 2;
    }
    return 0;
}
