/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-workload.h"

#include "rdma-flow-reader.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <ns3/random-variable-stream.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_WORKLOAD_PRIORITY = 7;
constexpr uint32_t MAX_WORKLOAD_PORT = 65535;
constexpr double PS_PER_S = 1e12;
constexpr double MAX_EXPECTED_FLOWS = 1e8;

/// Offsets of the streams, so that each kind of decision has its own.
enum StreamOffset
{
    STREAM_TIME,
    STREAM_HOST,
    STREAM_SIZE,
    STREAM_PERMUTATION,
};

[[noreturn]] void
FailWorkload(const std::string& what, const std::string& value, const std::string& accepted)
{
    throw std::invalid_argument("workload: " + what + ": " + value + "; accepted: " + accepted);
}

void
CheckWorkloadTime(const std::string& what, QbbPs value, QbbPs min, QbbPs max)
{
    if (value < min || value > max)
    {
        FailWorkload(what,
                     std::to_string(value.Get()) + " ps",
                     std::to_string(min.Get()) + " to " + std::to_string(max.Get()) + " ps");
    }
}

void
CheckCommon(const RdmaTopology& topology, const RdmaWorkloadOptions& options)
{
    if (topology.GetHosts().size() < 2)
    {
        FailWorkload("topology",
                     std::to_string(topology.GetHosts().size()) + " hosts",
                     "2 or more");
    }
    CheckWorkloadTime("start", options.start, 0_ps, RDMA_MAX_TIME);
    if (options.priority > MAX_WORKLOAD_PRIORITY)
    {
        FailWorkload("priority", std::to_string(options.priority), "0 to 7");
    }
    if (options.dstPort > MAX_WORKLOAD_PORT)
    {
        FailWorkload("destination port", std::to_string(options.dstPort), "0 to 65535");
    }
    if (options.stream < 0)
    {
        FailWorkload("stream", std::to_string(options.stream), "0 or more");
    }
}

void
CheckSizeAndJitter(const RdmaWorkloadOptions& options)
{
    if (options.bytes == 0 || options.bytes > RDMA_MAX_FLOW_BYTES)
    {
        FailWorkload("bytes",
                     std::to_string(options.bytes),
                     "1 to " + std::to_string(RDMA_MAX_FLOW_BYTES));
    }
    CheckWorkloadTime("jitter", options.jitter, 0_ps, RDMA_MAX_TIME - options.start);
}

template <typename Variable>
Ptr<Variable>
MakeStream(const RdmaWorkloadOptions& options, StreamOffset offset)
{
    auto variable = CreateObject<Variable>();
    variable->SetStream(options.stream + offset);
    return variable;
}

/// \return a whole number from 0 to n - 1, uniform
uint32_t
Draw(const Ptr<UniformRandomVariable>& variable, std::size_t n)
{
    return variable->GetInteger(0, static_cast<uint32_t>(n - 1));
}

RdmaFlow
MakeFlow(uint32_t src, uint32_t dst, uint64_t bytes, QbbPs start, const RdmaWorkloadOptions& o)
{
    RdmaFlow flow;
    flow.srcHost = src;
    flow.dstHost = dst;
    flow.priority = o.priority;
    flow.dstPort = o.dstPort;
    flow.bytes = bytes;
    flow.start = start;
    return flow;
}

/// Sort by start time, then sender, and number the flows.
std::vector<RdmaFlow>
Number(std::vector<RdmaFlow> flows)
{
    std::stable_sort(flows.begin(), flows.end(), [](const RdmaFlow& a, const RdmaFlow& b) {
        return std::tie(a.start, a.srcHost) < std::tie(b.start, b.srcHost);
    });
    uint64_t id = 0;
    for (auto& flow : flows)
    {
        flow.id = id++;
    }
    return flows;
}

QbbPs
DrawStart(const Ptr<UniformRandomVariable>& variable, const RdmaWorkloadOptions& options)
{
    // With no jitter there is nothing to draw.
    return options.jitter == 0_ps
               ? options.start
               : options.start +
                     std::min(QbbPs(static_cast<int64_t>(
                                  variable->GetValue(0.0, static_cast<double>(options.jitter)))),
                              options.jitter);
}

} // namespace

std::vector<RdmaFlow>
MakeRdmaPoissonFlows(const RdmaTopology& topology, const RdmaWorkloadOptions& options)
{
    CheckCommon(topology, options);
    CheckWorkloadTime("duration", options.duration, 1_ps, RDMA_MAX_TIME - options.start);
    if (!(options.load > 0.0 && std::isfinite(options.load)))
    {
        FailWorkload("load", FormatRdmaReal(options.load), "a fraction above 0, such as 0.5");
    }
    const auto cdf = RdmaFlowSizeCdf::Make(options.cdf);
    const double mean = cdf.GetMean();
    const auto hosts = topology.GetHosts();
    const auto rates = topology.GetNodeRates();
    const auto times = MakeStream<ExponentialRandomVariable>(options, STREAM_TIME);
    const auto peers = MakeStream<UniformRandomVariable>(options, STREAM_HOST);
    const auto sizes = MakeStream<UniformRandomVariable>(options, STREAM_SIZE);

    const auto end = static_cast<double>(options.duration);
    const auto getGapPs = [&](uint32_t host) {
        return mean / (options.load * static_cast<double>(rates[host]) / 8.0) * PS_PER_S;
    };
    double expected = 0.0;
    for (const uint32_t host : hosts)
    {
        expected += end / getGapPs(host);
    }
    if (!(expected <= MAX_EXPECTED_FLOWS))
    {
        FailWorkload("load and duration",
                     "they make " + FormatRdmaReal(expected) + " flows",
                     "at most " + FormatRdmaReal(MAX_EXPECTED_FLOWS));
    }

    std::vector<RdmaFlow> flows;
    for (std::size_t i = 0; i < hosts.size(); ++i)
    {
        const double gapPs = getGapPs(hosts[i]);
        QbbPs at;
        for (;;)
        {
            const double gap = times->GetValue(gapPs, 0.0);
            if (!(gap < end - static_cast<double>(at)))
            {
                break;
            }
            at += QbbPs(std::llround(gap));
            if (at >= options.duration)
            {
                break;
            }
            // One of the others: those from the sender on move up by one.
            const uint32_t other = Draw(peers, hosts.size() - 1);
            const uint32_t dst = hosts[other < i ? other : other + 1];
            flows.push_back(MakeFlow(hosts[i],
                                     dst,
                                     cdf.Sample(sizes->GetValue(0.0, 1.0)),
                                     options.start + at,
                                     options));
        }
    }
    return Number(std::move(flows));
}

std::vector<RdmaFlow>
MakeRdmaIncastFlows(const RdmaTopology& topology,
                    uint32_t senders,
                    const RdmaWorkloadOptions& options)
{
    CheckCommon(topology, options);
    CheckSizeAndJitter(options);
    auto hosts = topology.GetHosts();
    if (senders == 0 || senders >= hosts.size())
    {
        FailWorkload("incast senders",
                     std::to_string(senders),
                     "1 to " + std::to_string(hosts.size() - 1) + " (all hosts but the receiver)");
    }
    const auto choice = MakeStream<UniformRandomVariable>(options, STREAM_HOST);
    const auto times = MakeStream<UniformRandomVariable>(options, STREAM_TIME);
    std::size_t receiver = 0;
    if (options.receiver >= 0)
    {
        const auto found = std::find(hosts.begin(), hosts.end(), options.receiver);
        if (found == hosts.end())
        {
            FailWorkload("incast receiver",
                         std::to_string(options.receiver),
                         "the node id of a host");
        }
        receiver = found - hosts.begin();
    }
    else if (options.receiver == -1)
    {
        receiver = Draw(choice, hosts.size());
    }
    else
    {
        FailWorkload("incast receiver",
                     std::to_string(options.receiver),
                     "the node id of a host, or -1 for a random one");
    }
    const uint32_t dst = hosts[receiver];
    hosts.erase(hosts.begin() + static_cast<std::ptrdiff_t>(receiver));
    std::vector<RdmaFlow> flows;
    for (uint32_t i = 0; i < senders; ++i)
    {
        std::swap(hosts[i], hosts[i + Draw(choice, hosts.size() - i)]);
        flows.push_back(MakeFlow(hosts[i], dst, options.bytes, DrawStart(times, options), options));
    }
    return Number(std::move(flows));
}

std::vector<RdmaFlow>
MakeRdmaPermutationFlows(const RdmaTopology& topology, const RdmaWorkloadOptions& options)
{
    CheckCommon(topology, options);
    CheckSizeAndJitter(options);
    const auto hosts = topology.GetHosts();
    const auto choice = MakeStream<UniformRandomVariable>(options, STREAM_PERMUTATION);
    const auto times = MakeStream<UniformRandomVariable>(options, STREAM_TIME);
    std::vector<std::size_t> target(hosts.size());
    bool hasFixedPoint = true;
    // Every permutation is equally likely in a shuffle, so those that remain are too; one in e
    // does.
    while (hasFixedPoint)
    {
        std::iota(target.begin(), target.end(), std::size_t{0});
        hasFixedPoint = false;
        for (std::size_t i = hosts.size(); i-- > 0;)
        {
            std::swap(target[i], target[Draw(choice, i + 1)]);
            hasFixedPoint = hasFixedPoint || target[i] == i;
        }
    }
    std::vector<RdmaFlow> flows;
    for (std::size_t i = 0; i < hosts.size(); ++i)
    {
        flows.push_back(MakeFlow(hosts[i],
                                 hosts[target[i]],
                                 options.bytes,
                                 DrawStart(times, options),
                                 options));
    }
    return Number(std::move(flows));
}

std::vector<RdmaFlow>
MakeRdmaWorkload(const std::string& text,
                 const RdmaTopology& topology,
                 const RdmaWorkloadOptions& options)
{
    const std::size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    const bool hasRest = colon != std::string::npos;
    const std::string rest = hasRest ? text.substr(colon + 1) : std::string();
    if (kind == "file" && !rest.empty())
    {
        return ReadRdmaFlows(rest, topology);
    }
    if (kind == "poisson" && !hasRest)
    {
        return MakeRdmaPoissonFlows(topology, options);
    }
    if (kind == "permutation" && !hasRest)
    {
        return MakeRdmaPermutationFlows(topology, options);
    }
    if (kind == "incast" && hasRest)
    {
        uint64_t senders = 0;
        try
        {
            senders = ParseRdmaInteger(rest, 1, RdmaTopology::MAX_NODES);
        }
        catch (const std::invalid_argument& e)
        {
            throw std::invalid_argument("workload " + QuoteRdmaText(text) + ": " + e.what());
        }
        return MakeRdmaIncastFlows(topology, static_cast<uint32_t>(senders), options);
    }
    throw std::invalid_argument("workload " + QuoteRdmaText(text) +
                                ": no such form; accepted: poisson, incast:SENDERS, permutation, "
                                "file:PATH");
}

} // namespace ns3
