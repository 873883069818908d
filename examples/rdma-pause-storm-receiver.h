/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PAUSE_STORM_RECEIVER_H
#define RDMA_PAUSE_STORM_RECEIVER_H

/**
 * \file
 * \ingroup rdma
 * The scenario receiver of rdma-pause-storm.cc.
 */

#include "rdma-pause-storm-request.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/** \param time a time \return the time as text for a member of RdmaFabricOptions */
inline std::string
ToText(Time time)
{
    return std::to_string(time.GetPicoSeconds()) + "ps";
}

/**
 * \param flows list to which a flow is added
 * \param from source of the flow
 * \param to destination of the flow
 * \param bytes size of the flow
 * \param start start of the flow
 */
inline void
AddFlow(std::vector<RdmaFlow>& flows, uint32_t from, uint32_t to, uint64_t bytes, Time start)
{
    RdmaFlow flow;
    flow.id = flows.size();
    flow.srcHost = from;
    flow.dstHost = to;
    flow.bytes = bytes;
    flow.start = RdmaToPs(start);
    flow.priority = 3;
    flows.push_back(flow);
}

/** Number of pauses caused by the pauses of a host, by distance from the host. */
struct PauseSpread
{
    /** \param tree pause tree of a run \param host host whose pauses are the roots */
    PauseSpread(const QbbPauseTree& tree, uint32_t host)
    {
        const std::vector<QbbPause> pauses = tree.GetPauses();
        std::vector<std::size_t> roots;
        for (const QbbPause& pause : pauses)
        {
            roots.push_back(pause.parent == QbbPause::NONE ? roots.size() : roots[pause.parent]);
            if (pauses[roots.back()].node == host)
            {
                ++byDepth[std::min<std::size_t>(pause.depth, byDepth.size() - 1)];
            }
        }
    }

    /// Pauses by the host, its switch, the next switches, all others
    std::array<uint64_t, 4> byDepth{};
};

constexpr uint32_t SLOW_RECEIVER_LEAF_HOSTS =
    16; //!< receiver: hosts per leaf, as MakeMessages() assumes

/**
 * Generates evenly spaced messages: to host 0 from all hosts at other leaves, and, as background
 * traffic, from every host to the host 16 numbers ahead.
 *
 * \param request options of the command line
 * \param hosts number of hosts, 16 at each leaf
 * \param rate rate of the links to hosts
 * \param end latest start of a message
 * \return the messages as flows
 */
inline std::vector<RdmaFlow>
MakeMessages(const PauseStormRequest& request, uint32_t hosts, DataRate rate, Time end)
{
    constexpr uint64_t BYTES = 65536;
    const auto between = [&](double load) {
        return Seconds(BYTES * 8 / (load * static_cast<double>(rate.GetBitRate())));
    };
    std::vector<RdmaFlow> flows;
    uint32_t source = SLOW_RECEIVER_LEAF_HOSTS;
    for (Time at = Seconds(0); at < end; at += between(request.load))
    {
        AddFlow(flows, source, 0, BYTES, at);
        source = source + 1 < hosts ? source + 1 : SLOW_RECEIVER_LEAF_HOSTS;
    }
    for (uint32_t from = 0; from < hosts; ++from)
    {
        const uint32_t to = (from + SLOW_RECEIVER_LEAF_HOSTS) % hosts;
        const Time step = between(0.3);
        for (Time at = step * from / hosts; to != 0 && at < end; at += step)
        {
            AddFlow(flows, from, to, BYTES, at);
        }
    }
    return flows;
}

/**
 * Runs the scenario receiver once and prints a line of the table.
 *
 * \param request options of the command line
 * \param name name of the line
 * \param alpha value of the attribute LosslessAlpha
 * \param xoffBytes value of the attribute XoffBytes
 */
inline void
RunSlowReceiver(const PauseStormRequest& request,
                const std::string& name,
                double alpha,
                uint32_t xoffBytes)
{
    Config::SetDefault("ns3::QbbSharedBuffer::LosslessAlpha", DoubleValue(alpha));
    Config::SetDefault("ns3::QbbSharedBuffer::XoffBytes", UintegerValue(xoffBytes));
    RdmaFabricOptions options = request.options;
    options.slowReceiver = "0:" + options.rate + ":" + std::to_string(request.nicBuffer) + ":" +
                           ToText(MilliSeconds(1)) + ":" + ToText(request.stall) + ":" +
                           ToText(request.period);
    const auto hosts = RdmaFabricRun::MakeTopology(options).GetHosts().size();
    const Time end = MilliSeconds(1) + 4 * request.period;
    RdmaFabricRun run(
        options,
        MakeMessages(request, static_cast<uint32_t>(hosts), DataRate(options.rate), end));
    auto tree = CreateObject<QbbPauseTree>();
    tree->Watch(run.GetFabric());
    run.Run();
    const RdmaFabricOutcome outcome = run.GetOutcome();
    std::vector<double> slowdowns;
    for (const RdmaFlowResult& result : outcome.flows)
    {
        if (result.flow.dstHost != 0 && result.IsCompleted())
        {
            slowdowns.push_back(static_cast<double>(*result.fct) /
                                static_cast<double>(result.ideal));
        }
    }
    const PauseSpread spread(*tree, 0);
    std::cout << std::left << std::setw(26) << name << std::right;
    for (const uint64_t count : spread.byDepth)
    {
        std::cout << std::setw(9) << count;
    }
    std::cout << std::fixed << std::setprecision(2) << std::setw(12)
              << RdmaQuantile(slowdowns, 0.99) << std::setw(9) << outcome.summary.drops
              << std::setw(12) << outcome.summary.flowsTotal - outcome.summary.flowsCompleted
              << "\n";
    Simulator::Destroy();
}

/** Runs all variants of the scenario receiver. \param request options of the command line */
inline void
RunSlowReceivers(const PauseStormRequest& request)
{
    for (const std::string name : {"LosslessAlpha", "XoffBytes"})
    {
        RefuseRdmaIf(IsRdmaDefaultGiven(QbbSharedBuffer::GetTypeId(), name),
                     "--ns3::QbbSharedBuffer::" + name +
                         ": the scenario compares values of this attribute; accepted: rdma-fabric "
                         "--slowReceiver");
    }
    const RdmaTopology topology = RdmaFabricRun::MakeTopology(request.options);
    if (topology.GetHosts().size() <= SLOW_RECEIVER_LEAF_HOSTS)
    {
        throw std::invalid_argument("--topology: " + request.options.topology +
                                    " with --scenario=receiver; accepted: leaves of " +
                                    std::to_string(SLOW_RECEIVER_LEAF_HOSTS) +
                                    " hosts, two and more");
    }
    std::cout << "pauses because of host 0, which stalls for "
              << FormatRdmaReal(request.stall.ToDouble(Time::US)) << " us"
              << " every " << FormatRdmaReal(request.period.ToDouble(Time::US)) << " us"
              << ": its own, its switch's, those of the next\nswitches, and all further ones; 99% "
                 "slowdown of messages to other hosts\n\n"
              << std::left << std::setw(26) << "threshold" << std::right << std::setw(9) << "host 0"
              << std::setw(9) << "leaf" << std::setw(9) << "spines" << std::setw(9) << "further"
              << std::setw(12) << "p99 slowd." << std::setw(9) << "drops" << std::setw(12)
              << "unfinished\n";
    // Each port of a leaf has one lossless class, so each port gets an equal share of the memory.
    RdmaFabricRun probe(request.options,
                        MakeMessages(request, 64, DataRate(40'000'000'000), Seconds(0)));
    const auto leaf = probe.GetFabric()->GetSwitch(topology.GetSwitches().front());
    leaf->ConfigureBuffer();
    const auto share =
        static_cast<uint32_t>(leaf->GetBufferManager()->GetUsage().sharedSize / leaf->GetNPorts());
    Simulator::Destroy();
    RunSlowReceiver(request, "static, " + std::to_string(share) + " B a port", 0.125, share);
    RunSlowReceiver(request, "dynamic, alpha 1/16", 1.0 / 16, 0);
    RunSlowReceiver(request, "dynamic, alpha 1/8", 1.0 / 8, 0);
    RunSlowReceiver(request, "dynamic, alpha 1/4", 1.0 / 4, 0);
    RunSlowReceiver(request, "dynamic, alpha 1", 1, 0);
}

} // namespace ns3

#endif /* RDMA_PAUSE_STORM_RECEIVER_H */
