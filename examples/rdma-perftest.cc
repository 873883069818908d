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
#include <set>

using namespace ns3;

namespace
{

/** Options of the command line. */
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
    uint64_t response{64};
    uint64_t iters{1000};
    uint32_t depth{128};
    uint32_t qps{1};
    uint32_t ports{1};
    Time interval;
    std::string transport{"roce"};
    RdmaFabricOptions fabric; //!< topology, links and mtu
    std::string pcap;         //!< prefix of the captures; empty: none
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

/** \param choices attribute values by option value \return accepted values of the option */
std::vector<std::string>
GetNames(const std::map<std::string, std::string>& choices)
{
    std::vector<std::string> names;
    for (const auto& [name, value] : choices)
    {
        names.push_back(name);
    }
    return names;
}

/**
 * Refuses options that contradict each other.
 *
 * \param options options of the command line
 * \param cmd tells which options the user has given
 */
void
Check(const Options& options, const RdmaCommandLine& cmd)
{
    const bool isAtomic = options.op == "cas" || options.op == "fadd";
    if ((isAtomic || options.op == "read") && options.pattern == "request-response")
    {
        throw std::invalid_argument("--pattern: request-response with --op=" + options.op +
                                    "; accepted: bulk, ping-pong");
    }
    if (isAtomic && options.size != "8" && cmd.IsGiven("size"))
    {
        throw std::invalid_argument("--size: " + options.size + " with --op=" + options.op +
                                    "; accepted: 8");
    }
    if (options.ports != 1 && options.pattern != "bulk")
    {
        throw std::invalid_argument("--ports: " + std::to_string(options.ports) +
                                    " with --pattern=" + options.pattern +
                                    ", whose latencies are those of one port; accepted: 1");
    }
    if (options.pattern != "request-response")
    {
        cmd.RefuseGivenOptions({"response"}, "with --pattern=" + options.pattern);
    }
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
    const uint64_t size = ParseRdmaOption("size", [&] { return ParseRdmaBytes(options.size); });
    if (size > RDMA_MAX_MESSAGE_BYTES)
    {
        throw std::invalid_argument("--size: " + options.size + "; accepted: 0 to 2GiB, or all");
    }
    return {size};
}

/**
 * \param clients clients that have run at the same time
 * \return what they have measured together; the status is that of the first that is not done
 */
RdmaClientResult
GetSum(const std::vector<Ptr<RdmaClient>>& clients)
{
    RdmaClientResult sum = clients.front()->GetResult();
    if (clients.size() == 1)
    {
        return sum;
    }
    for (std::size_t i = 1; i < clients.size(); ++i)
    {
        const RdmaClientResult result = clients[i]->GetResult();
        sum.begin = std::min(sum.begin, result.begin);
        sum.end = std::max(sum.end, result.end);
        sum.iterations += result.iterations;
        sum.status = sum.status == "done" ? result.status : sum.status;
    }
    const std::string status = sum.status;
    sum = MakeRdmaClientResult(sum.begin, sum.end, sum.iterations, sum.messageBytes, {});
    sum.status = status;
    return sum;
}

/**
 * \param options options of the command line
 * \param size length of the messages in bytes
 * \return measurements of clients on the first host and servers on the last host
 */
RdmaClientResult
Measure(const Options& options, uint64_t size)
{
    RdmaFabricHelper helper;
    helper.SetTransport(TRANSPORTS.at(options.transport));
    if (options.transport == "roce")
    {
        SetRdmaDefault("ns3::RoceTransport", "RetransmissionTimeout", TimeValue(MicroSeconds(320)));
    }
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(options.fabric.mtu));
    // device MTU with room for all headers
    helper.SetDeviceAttribute("Mtu", UintegerValue(std::max(1500U, options.fabric.mtu + 128)));
    const RdmaTopology topology = RdmaFabricRun::MakeTopology(options.fabric);
    auto fabric = helper.Install(topology);
    fabric->AssignStreams(1);
    const uint32_t first = topology.GetHosts().front();
    const uint32_t last = topology.GetHosts().back();
    if (!options.pcap.empty())
    {
        QbbHelper().EnablePcapAll(options.pcap, true);
    }

    RdmaServerHelper servers;
    servers.SetAttribute("ReceiveDepth", UintegerValue(std::max(512U, options.depth)));
    const auto plan = CreateObject<RdmaConnectionPlan>();
    std::vector<RdmaLanePorts> pairs = fabric->FindPortPairs(first, last, *plan);
    if (options.ports > pairs.size())
    {
        throw std::invalid_argument("--ports: " + std::to_string(options.ports) +
                                    "; accepted: 1 to " + std::to_string(pairs.size()) +
                                    ", the ports of the first host with a path to the last, or 0 "
                                    "for all");
    }
    pairs.resize(options.ports > 0 ? options.ports : pairs.size());
    RdmaClientHelper clients(fabric->GetAddress(last));
    clients.SetAttribute("Operation", StringValue(OPERATIONS.at(options.op)));
    clients.SetAttribute("Pattern", StringValue(PATTERNS.at(options.pattern)));
    clients.SetAttribute("MessageSize", UintegerValue(size));
    clients.SetAttribute("ResponseSize", UintegerValue(options.response));
    clients.SetAttribute("Iterations", UintegerValue(options.iters));
    clients.SetAttribute("QueueDepth", UintegerValue(options.depth));
    clients.SetAttribute("QueuePairs", UintegerValue(options.qps));
    clients.SetAttribute("Interval", TimeValue(options.interval));
    std::set<uint32_t> serving; // NICs with a server
    std::vector<Ptr<RdmaClient>> installed;
    for (const RdmaLanePorts& pair : pairs)
    {
        const uint32_t server = topology.GetNics(last)[pair.destinationNic];
        if (serving.insert(server).second)
        {
            servers.Install(fabric->GetNode(server));
        }
        const Ipv4Address address =
            fabric->GetAddress(last, pair.destinationNic, pair.destinationPort);
        clients.SetAttribute("RemoteAddress", Ipv4AddressValue(address));
        clients.SetAttribute("NicPort", UintegerValue(pair.sourcePort));
        const uint32_t client = topology.GetNics(first)[pair.sourceNic];
        installed.push_back(
            DynamicCast<RdmaClient>(clients.Install(fabric->GetNode(client)).Get(0)));
    }
    Simulator::Run();
    const RdmaClientResult result = GetSum(installed);
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
    RdmaCommandLine cmd(
        __FILE__,
        "Latency, bandwidth and message rate between two hosts, as perftest measures them. "
        "The client is at the first host of the topology, the server at the last.");
    cmd.Sets({
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
        {"ns3::RdmaClient::NicPort", "--ports"},
        {"ns3::RdmaClient::Interval", "--interval"},
        {"ns3::RdmaServer::ReceiveDepth", "--depth"},
    });
    Options options;
    cmd.Add("op",
            "write, write-imm, send, send-imm, read, cas or fadd",
            options.op,
            GetNames(OPERATIONS));
    cmd.Add("pattern",
            "bulk (bandwidth, as ib_*_bw), ping-pong (latency, as ib_*_lat; half of the round trip "
            "for sends and writes) or request-response (latency, full round trip)",
            options.pattern,
            GetNames(PATTERNS));
    cmd.Add("size", "message size, such as 64KiB; all: 2 bytes to 8 MiB", options.size);
    cmd.AddBytes("response",
                 "size of the answers with request-response",
                 options.response,
                 {"0", "2147483648"});
    cmd.Add("iters", "messages on each queue pair", options.iters, {"1"});
    cmd.Add("depth", "messages at a time on each queue pair", options.depth, {"1", "1048576"});
    cmd.Add("qps", "queue pairs at each port", options.qps, {"1", "1048576"});
    cmd.Add("ports",
            "ports of the first host that send, each with its own client; 0: all, of all NICs",
            options.ports);
    cmd.Add("interval", "shortest time between two messages of a queue pair", options.interval);
    cmd.Add("transport", "roce or irn", options.transport, GetNames(TRANSPORTS));
    cmd.Include(options.fabric, {"topology", "rate", "uplinkRate", "delay", "mtu", "loss"});
    cmd.Add("pcap", "prefix of a capture file for every port", options.pcap);
    return cmd.Run(argc, argv, [&] {
        Check(options, cmd);
        const std::vector<uint64_t> sizes = GetSizes(options);
        const bool bandwidth = options.pattern == "bulk";
        RdmaFabricRun::MakeTopology(options.fabric); // its messages come before the header
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
    });
}
