/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Measures latency, bandwidth and message rate between two hosts like the programs of perftest:
 *
 *     ns3 run "rdma-perftest --op=send --pattern=ping-pong --size=2"      ib_send_lat
 *     ns3 run "rdma-perftest --op=write --size=all"                       ib_write_bw -a
 *     ns3 run "rdma-perftest --op=read --transport=irn --loss=0.001"      ib_read_bw over IRN
 *     ns3 run "rdma-perftest --op=fadd --pattern=ping-pong"               ib_atomic_lat
 *
 * The program prints a row for each message size. Every row is a separate run over an otherwise
 * idle fabric.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <map>

using namespace ns3;

namespace
{

/** Options of the command line, as texts. */
struct Options
{
    Options()
    {
        fabric.topology = "leaf-spine:2x4x2";
        fabric.uplinkRate = "100Gbps";
    }

    std::string op{"write"};
    std::string pattern{"bulk"};
    std::string size{"64KiB"};
    std::string response{"64"};
    uint64_t iters{1000};
    uint32_t depth{128};
    uint32_t qps{1};
    std::string interval{"0ns"};
    std::string transport{"roce"};
    RdmaFabricOptions fabric; //!< topology, links, mtu and pcap
};

/// Accepted values of the options --op, --pattern and --transport, with the attribute values.
const std::map<std::string, std::string> OPERATIONS = {{"write", "Write"},
                                                       {"write-imm", "WriteWithImm"},
                                                       {"send", "Send"},
                                                       {"send-imm", "SendWithImm"},
                                                       {"read", "Read"},
                                                       {"cas", "CompareAndSwap"},
                                                       {"fadd", "FetchAndAdd"}};
const std::map<std::string, std::string> PATTERNS = {{"bulk", "Bulk"},
                                                     {"request-response", "RequestResponse"},
                                                     {"ping-pong", "PingPong"}};
const std::map<std::string, std::string> TRANSPORTS = {{"roce", "ns3::RoceTransport"},
                                                       {"irn", "ns3::IrnTransport"}};

/**
 * \param option name of an option
 * \param value value of the option
 * \param accepted attribute values by accepted option value
 * \return value of the attribute
 */
const std::string&
Choose(const std::string& option,
       const std::string& value,
       const std::map<std::string, std::string>& accepted)
{
    const auto found = accepted.find(value);
    if (found == accepted.end())
    {
        std::string list;
        for (const auto& [name, attribute] : accepted)
        {
            list += (list.empty() ? "" : ", ") + name;
        }
        throw std::invalid_argument("--" + option + ": unknown value \"" + value +
                                    "\"; accepted: " + list);
    }
    return found->second;
}

/**
 * Calls a parser and prefixes its error message with the name of an option.
 *
 * \param option name of an option
 * \param parse parser of the option's value
 * \return return value of the parser
 */
template <typename F>
auto
Parse(const std::string& option, F parse)
{
    try
    {
        return parse();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument("--" + option + ": " + error.what());
    }
}

/** \param options options of the command line \return topology of the run */
RdmaTopology
MakeTopology(const Options& options)
{
    RdmaTopologyRates rates;
    rates.hostRate = Parse("rate", [&] { return ParseRdmaRate(options.fabric.rate); });
    rates.uplinkRate =
        Parse("uplinkRate", [&] { return ParseRdmaRate(options.fabric.uplinkRate); });
    rates.delay = Parse("delay", [&] { return ParseRdmaTime(options.fabric.delay); });
    rates.errorRate = options.fabric.loss;
    return Parse("topology", [&] {
        RdmaTopology topology = MakeRdmaTopology(options.fabric.topology, rates);
        topology.Validate();
        return topology;
    });
}

/** Validates options before a fabric is built. \param options options of the command line */
void
Check(const Options& options)
{
    Choose("op", options.op, OPERATIONS);
    Choose("pattern", options.pattern, PATTERNS);
    Choose("transport", options.transport, TRANSPORTS);
    const bool answered = options.op.find("write") == 0 || options.op.find("send") == 0;
    if (!answered && options.pattern == "request-response")
    {
        throw std::invalid_argument("--pattern: request-response with --op=" + options.op +
                                    "; accepted: bulk, ping-pong");
    }
    if (options.fabric.mtu < 256 || options.fabric.mtu > 4096)
    {
        throw std::invalid_argument("--mtu: " + std::to_string(options.fabric.mtu) +
                                    "; accepted: 256 to 4096 bytes of payload a packet");
    }
    if (options.iters == 0 || options.depth == 0 || options.qps == 0 || options.depth > 1U << 20 ||
        options.qps > 1U << 20)
    {
        throw std::invalid_argument("--iters, --depth, --qps; accepted: 1 and above, --depth and "
                                    "--qps up to 1048576");
    }
    if (!(options.fabric.loss >= 0 && options.fabric.loss < 1))
    {
        throw std::invalid_argument("--loss: accepted: a probability from 0 to below 1");
    }
    Parse("interval", [&] { ParseRdmaTime(options.interval); });
    if (Parse("response", [&] { return ParseRdmaBytes(options.response); }) >
        RDMA_MAX_MESSAGE_BYTES)
    {
        throw std::invalid_argument("--response: " + options.response + "; accepted: 0 to 2GiB");
    }
    MakeTopology(options);
}

/** \param options options of the command line \return message sizes to measure */
std::vector<uint64_t>
GetSizes(const Options& options)
{
    if (options.op == "cas" || options.op == "fadd")
    {
        return {8};
    }
    std::vector<uint64_t> sizes;
    if (options.size == "all")
    {
        for (uint64_t size = 2; size <= 8 << 20; size *= 2)
        {
            sizes.push_back(size);
        }
        return sizes;
    }
    const uint64_t size = Parse("size", [&] { return ParseRdmaBytes(options.size); });
    if (size > RDMA_MAX_MESSAGE_BYTES)
    {
        throw std::invalid_argument("--size: " + options.size + "; accepted: 0 to 2GiB, or all");
    }
    return {size};
}

/**
 * \param options options of the command line
 * \param size length of the messages in bytes
 * \return measurements of a client on the first host and a server on the last host
 */
RdmaClientResult
Measure(const Options& options, uint64_t size)
{
    RdmaFabricHelper helper;
    helper.SetTransport(Choose("transport", options.transport, TRANSPORTS));
    if (options.transport == "roce")
    {
        SetRdmaDefault("ns3::RoceTransport", "RetransmissionTimeout", TimeValue(MicroSeconds(320)));
    }
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(options.fabric.mtu));
    // device MTU with room for all headers
    helper.SetDeviceAttribute("Mtu", UintegerValue(std::max(1500U, options.fabric.mtu + 128)));
    const RdmaTopology topology = MakeTopology(options);
    auto fabric = helper.Install(topology);
    fabric->AssignStreams(1);
    const uint32_t first = topology.GetHosts().front();
    const uint32_t last = topology.GetHosts().back();
    if (!options.fabric.pcap.empty())
    {
        QbbHelper().EnablePcapAll(options.fabric.pcap, true);
    }

    RdmaServerHelper servers;
    servers.SetAttribute("ReceiveDepth", UintegerValue(std::max(512U, options.depth)));
    servers.Install(fabric->GetNode(last));
    RdmaClientHelper clients(fabric->GetAddress(last));
    clients.SetAttribute("Operation", StringValue(Choose("op", options.op, OPERATIONS)));
    clients.SetAttribute("Pattern", StringValue(Choose("pattern", options.pattern, PATTERNS)));
    clients.SetAttribute("MessageSize", UintegerValue(size));
    clients.SetAttribute("ResponseSize", UintegerValue(ParseRdmaBytes(options.response)));
    clients.SetAttribute("Iterations", UintegerValue(options.iters));
    clients.SetAttribute("QueueDepth", UintegerValue(options.depth));
    clients.SetAttribute("QueuePairs", UintegerValue(options.qps));
    clients.SetAttribute("Interval", TimeValue(QbbToTime(ParseRdmaTime(options.interval))));
    auto client = DynamicCast<RdmaClient>(clients.Install(fabric->GetNode(first)).Get(0));
    Simulator::Run();
    const RdmaClientResult result = client->GetResult();
    Simulator::Destroy();
    return result;
}

/** Prints the column names. \param bandwidth true: bandwidth columns; false: latency columns */
void
PrintHeader(bool bandwidth)
{
    if (bandwidth)
    {
        std::printf("%10s %12s %16s %14s\n", "#bytes", "#iterations", "BW [Gb/s]", "rate [Mpps]");
        return;
    }
    std::printf("%10s %12s %10s %10s %10s %10s %10s %10s %10s\n",
                "#bytes",
                "#iterations",
                "min [us]",
                "max [us]",
                "median",
                "average",
                "stdev",
                "99%",
                "99.9%");
}

/** Prints a row. \param bandwidth true: bandwidths; false: latencies \param result values */
void
PrintRow(bool bandwidth, const RdmaClientResult& result)
{
    std::printf("%10" PRIu64 " %12" PRIu64, result.messageBytes, result.iterations);
    if (bandwidth)
    {
        std::printf(" %16.3f %14.6f\n", result.bandwidthBps / 1e9, result.messagesPerSecond / 1e6);
    }
    else if (result.latency)
    {
        const RdmaLatency& latency = *result.latency;
        std::printf(" %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f\n",
                    static_cast<double>(latency.min) / 1e6,
                    static_cast<double>(latency.max) / 1e6,
                    latency.medianPs / 1e6,
                    latency.meanPs / 1e6,
                    latency.stdevPs / 1e6,
                    latency.p99Ps / 1e6,
                    latency.p999Ps / 1e6);
    }
    else
    {
        std::printf("\n");
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    BeginRdmaProgram(argc,
                     argv,
                     {
                         {"ns3::QbbNetDevice::DataRate", "--rate"},
                         {"ns3::QbbChannel::Delay", "--delay"},
                         {"ns3::QbbNetDevice::Mtu", "--mtu"},
                         {"ns3::RdmaQueuePair::PathMtu", "--mtu"},
                         {"ns3::RdmaClient::Operation", "--op"},
                         {"ns3::RdmaClient::Pattern", "--pattern"},
                         {"ns3::RdmaClient::MessageSize", "--size"},
                         {"ns3::RdmaClient::ResponseSize", "--response"},
                         {"ns3::RdmaClient::Iterations", "--iters"},
                         {"ns3::RdmaClient::QueueDepth", "--depth"},
                         {"ns3::RdmaClient::QueuePairs", "--qps"},
                         {"ns3::RdmaClient::Interval", "--interval"},
                         {"ns3::RdmaServer::ReceiveDepth", "--depth"},
                     });
    Options options;
    CommandLine cmd(__FILE__);
    cmd.Usage("Latency, bandwidth and message rate between two hosts, as perftest measures them.");
    cmd.AddValue("op", "write, write-imm, send, send-imm, read, cas or fadd", options.op);
    cmd.AddValue("pattern",
                 "bulk (bandwidth, as ib_*_bw), ping-pong (latency, as ib_*_lat; half of the round "
                 "trip for sends and writes) or request-response (latency, full round trip)",
                 options.pattern);
    cmd.AddValue("size", "message size, such as 64KiB; all: 2 bytes to 8 MiB", options.size);
    cmd.AddValue("response", "size of the answers with request-response", options.response);
    cmd.AddValue("iters", "messages on each queue pair", options.iters);
    cmd.AddValue("depth", "messages at a time on each queue pair", options.depth);
    cmd.AddValue("qps", "queue pairs", options.qps);
    cmd.AddValue("interval",
                 "shortest time between two messages of a queue pair",
                 options.interval);
    cmd.AddValue("transport", "roce or irn", options.transport);
    cmd.AddValue("topology",
                 "topology as in rdma-fabric; client: the first host, server: the last host",
                 options.fabric.topology);
    options.fabric.AddTo(cmd, {"rate", "uplinkRate", "delay", "mtu", "loss", "pcap"});
    cmd.Parse(argc, argv);

    try
    {
        Check(options);
        const std::vector<uint64_t> sizes = GetSizes(options);
        const bool bandwidth = options.pattern == "bulk";
        PrintHeader(bandwidth);
        for (const uint64_t size : sizes)
        {
            const RdmaClientResult result = Measure(options, size);
            PrintRow(bandwidth, result);
            if (result.status != "done")
            {
                std::printf("%s\n", result.status.c_str());
                return 1;
            }
        }
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << "rdma-perftest: " << error.what() << "\n";
        return 2;
    }
}
