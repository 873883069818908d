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

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** \param time a time \return the time as text for a member of RdmaFabricOptions */
std::string
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
void
AddFlow(std::vector<RdmaFlow>& flows, uint32_t from, uint32_t to, uint64_t bytes, Time start)
{
    RdmaFlow flow;
    flow.id = flows.size();
    flow.srcHost = from;
    flow.dstHost = to;
    flow.bytes = bytes;
    flow.start = QbbToPs(start);
    flow.priority = 3;
    flows.push_back(flow);
}

/** Number of pauses caused by the pauses of a host, by distance from the host. */
struct Spread
{
    /** \param tree pause tree of a run \param host host whose pauses are the roots */
    Spread(const QbbPauseTree& tree, uint32_t host)
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

/** Measures the goodput of all pairs of hosts that do not include host 0. */
class Meter
{
  public:
    /** \param loop message traffic, which must outlive the meter */
    explicit Meter(const RdmaMessageLoop& loop)
        : m_loop(loop)
    {
    }

    /**
     * \param delay time from now to the start of the interval
     * \param length length of the interval
     * \param [out] gbps goodput of all victims in the interval, set when the interval is over
     */
    void Measure(Time delay, Time length, double& gbps) const
    {
        Simulator::Schedule(delay, [this, length, &gbps]() {
            const uint64_t begin = GetBits();
            Simulator::Schedule(length, [this, length, begin, &gbps]() {
                gbps = static_cast<double>(GetBits() - begin) / length.GetSeconds() / 1e9;
            });
        });
    }

  private:
    /** \return payload bits received by all victims */
    uint64_t GetBits() const
    {
        uint64_t bits = 0;
        for (const auto& pair : m_loop.GetPairs())
        {
            bits += pair.from != 0 && pair.to != 0 ? pair.GetBytes() * 8 : 0;
        }
        return bits;
    }

    const RdmaMessageLoop& m_loop; //!< message traffic
};

/** Options of the command line. */
struct Request
{
    RdmaFabricOptions options;        //!< options common to all runs
    Time start{MilliSeconds(4)};      //!< storm: start of the pause storm of host 0
    Time detection{MilliSeconds(20)}; //!< storm: detection time of the watchdogs
    Time poll{MicroSeconds(100)};     //!< storm: polling interval of the watchdogs
    uint64_t messageBytes{1'000'000}; //!< storm: size of each message in bytes
    Time stall{MicroSeconds(400)};    //!< receiver: duration of a stall
    Time period{MilliSeconds(2)};     //!< receiver: time from the start of a stall to the next
    std::string nicBuffer{"256KiB"};  //!< receiver: receive buffer of host 0
    double load{0.75};                //!< receiver: load of the link to host 0
};

/** A run of the scenario storm. */
struct StormRun
{
    std::string name;        //!< name of the line in the table
    bool storm{true};        //!< host 0 causes a pause storm
    bool nicWatchdog{false}; //!< NICs have watchdogs
    /// Value of the attribute Action of the switch watchdogs; empty: no watchdogs
    std::string action{};
    bool serverPortsOnly{false}; //!< value of the attribute ServerPortsOnly
};

/**
 * \param request options of the command line
 * \return a fabric whose retransmission timeout exceeds detection and restoration of a storm
 */
Ptr<RdmaFabric>
MakeFabric(const Request& request)
{
    RdmaFabricHelper helper;
    helper.SetBufferAttribute("BufferSize", UintegerValue(ParseRdmaBytes(request.options.buffer)));
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(request.options.mtu));
    helper.SetTransportAttribute("RetransmissionTimeout", TimeValue(request.detection * 2));
    helper.SetTransportAttribute("RetryCount", UintegerValue(4294967295));
    const auto fabric = helper.Install(RdmaFabricRun::MakeTopology(request.options));
    fabric->AssignStreams(1);
    return fabric;
}

/**
 * Runs the scenario storm once and prints a line of the table.
 *
 * \param request options of the command line
 * \param kind parameters of the run
 * \param [in,out] fair goodput of the victims without a storm, set by the run without a storm
 */
void
RunStorm(const Request& request, const StormRun& kind, double& fair)
{
    const Time ms = MilliSeconds(1);
    const auto fabric = MakeFabric(request);
    RdmaMessageLoop loop(fabric, request.messageBytes);
    const Meter meter(loop);
    double before = 0;
    double during = 0;
    double after = 0;
    uint64_t storms = 0;
    Time found;
    const auto onFound = [&]() {
        if (found.IsZero())
        {
            found = Simulator::Now();
            meter.Measure(ms, ms, after);
            Simulator::Stop(2 * ms + MicroSeconds(1));
        }
    };
    const auto port = fabric->GetNic(0)->GetPort(0);
    if (kind.storm)
    {
        auto storm = CreateObject<QbbStormSource>();
        storm->SetAttribute("Start", TimeValue(request.start));
        storm->Install(port);
    }
    if (kind.nicWatchdog)
    {
        auto watchdog = CreateObject<RdmaNicWatchdog>();
        watchdog->SetAttribute("Timeout", TimeValue(request.detection));
        watchdog->SetAttribute("PollInterval", TimeValue(request.poll));
        watchdog->TraceConnectWithoutContext(
            "PauseDisabled",
            Callback<void, uint32_t>([&](uint32_t) { onFound(); }));
        watchdog->Install(port);
    }
    for (const uint32_t id : fabric->GetTopology().GetSwitches())
    {
        if (kind.action.empty())
        {
            continue;
        }
        auto watchdog = CreateObject<QbbPfcWatchdog>();
        watchdog->SetAttribute("Action", StringValue(kind.action));
        watchdog->SetAttribute("ServerPortsOnly", BooleanValue(kind.serverPortsOnly));
        watchdog->SetAttribute("DetectionTime", TimeValue(request.detection));
        watchdog->SetAttribute("RestorationTime", TimeValue(request.detection));
        watchdog->SetAttribute("PollInterval", TimeValue(request.poll));
        watchdog->TraceConnectWithoutContext(
            "StormDetected",
            Callback<void, uint32_t, uint8_t>([&](uint32_t, uint8_t) {
                ++storms;
                onFound();
            }));
        watchdog->Watch(fabric->GetSwitch(id));
    }
    const Time notice = kind.storm ? request.detection : ms;
    const Time calm = std::min(request.start, ms);
    meter.Measure(request.start - calm, calm, before);
    meter.Measure(request.start + notice - MicroSeconds(100), MicroSeconds(100), during);
    if (kind.action.empty() && !kind.nicWatchdog)
    {
        meter.Measure(request.start + notice + ms, ms, after);
    }
    loop.AddAllToAll();
    // Detection by a watchdog may take up to two additional polling intervals.
    Simulator::Stop(request.start + notice + 2 * request.poll + 3 * ms);
    Simulator::Run();
    fair = kind.storm ? fair : after;
    std::cout << std::left << std::setw(26) << kind.name << std::right << std::fixed
              << std::setprecision(1) << std::setw(9) << before << std::setw(9) << during
              << std::setw(9) << after << std::setw(8) << 100 * after / fair << "%"
              << std::setw(12);
    if (found.IsZero())
    {
        std::cout << "-";
    }
    else
    {
        std::cout << (found - request.start).ToDouble(Time::MS);
    }
    std::cout << std::setw(8) << storms << std::setw(9) << fabric->GetTotals().drops << "\n";
    Simulator::Destroy();
}

/** Runs all variants of the scenario storm. \param request options of the command line */
void
RunStorms(const Request& request)
{
    std::cout << "goodput of the victims in Gb/s: in the last millisecond before the storm, in the "
                 "last 0.1 ms of\nthe detection time ("
              << request.detection.ToDouble(Time::MS)
              << " ms), and in the millisecond that begins 1 ms after the detection\n\n"
              << std::left << std::setw(26) << "run" << std::right << std::setw(9) << "before"
              << std::setw(9) << "storm" << std::setw(9) << "after" << std::setw(9) << "of fair"
              << std::setw(12) << "found ms" << std::setw(8) << "storms" << std::setw(9) << "drops"
              << "\n";
    double fair = 0;
    RunStorm(request, {"no storm", false, false}, fair);
    RunStorm(request, {"storm", true, false}, fair);
    RunStorm(request, {"NIC watchdog", true, true}, fair);
    RunStorm(request, {"watchdog: drop", true, false, "Drop"}, fair);
    RunStorm(request, {"watchdog: drop at servers", true, false, "Drop", true}, fair);
    RunStorm(request, {"watchdog: forward", true, false, "Forward"}, fair);
}

constexpr uint32_t HOSTS_OF_LEAF = 16; //!< receiver: hosts per leaf, as MakeMessages() assumes

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
std::vector<RdmaFlow>
MakeMessages(const Request& request, uint32_t hosts, DataRate rate, Time end)
{
    constexpr uint64_t BYTES = 65536;
    const auto between = [&](double load) {
        return Seconds(BYTES * 8 / (load * static_cast<double>(rate.GetBitRate())));
    };
    std::vector<RdmaFlow> flows;
    uint32_t source = HOSTS_OF_LEAF;
    for (Time at = Seconds(0); at < end; at += between(request.load))
    {
        AddFlow(flows, source, 0, BYTES, at);
        source = source + 1 < hosts ? source + 1 : HOSTS_OF_LEAF;
    }
    for (uint32_t from = 0; from < hosts; ++from)
    {
        const uint32_t to = (from + HOSTS_OF_LEAF) % hosts;
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
void
RunReceiver(const Request& request, const std::string& name, double alpha, uint32_t xoffBytes)
{
    Config::SetDefault("ns3::QbbSharedBuffer::LosslessAlpha", DoubleValue(alpha));
    Config::SetDefault("ns3::QbbSharedBuffer::XoffBytes", UintegerValue(xoffBytes));
    RdmaFabricOptions options = request.options;
    options.slowReceiver = "0:" + options.rate + ":" + request.nicBuffer + ":" +
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
    const Spread spread(*tree, 0);
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
void
RunReceivers(const Request& request)
{
    const RdmaTopology topology = RdmaFabricRun::MakeTopology(request.options);
    if (topology.GetHosts().size() <= HOSTS_OF_LEAF)
    {
        throw std::invalid_argument("--topology: " + request.options.topology +
                                    " with --scenario=receiver; accepted: leaves of " +
                                    std::to_string(HOSTS_OF_LEAF) + " hosts, two and more");
    }
    std::cout << "pauses because of host 0, which stalls for " << request.stall.ToDouble(Time::US)
              << " us"
              << " every " << request.period.ToDouble(Time::US) << " us"
              << ": its own, its switch's, those of the next\nswitches, and all further ones; 99% "
                 "slowdown of messages to other hosts\n\n"
              << std::left << std::setw(26) << "threshold" << std::right << std::setw(9) << "host 0"
              << std::setw(9) << "leaf" << std::setw(9) << "spines" << std::setw(9) << "further"
              << std::setw(12) << "p99 slowd." << std::setw(9) << "drops" << std::setw(12)
              << "unfinished\n";
    // The 20 ports of a leaf have one lossless class each, so each gets a twentieth of the memory.
    RdmaFabricRun probe(request.options,
                        MakeMessages(request, 64, DataRate(40'000'000'000), Seconds(0)));
    const auto leaf = probe.GetFabric()->GetSwitch(topology.GetSwitches().front());
    leaf->ConfigureBuffer();
    const auto share =
        static_cast<uint32_t>(leaf->GetBufferManager()->GetUsage().sharedSize / leaf->GetNPorts());
    Simulator::Destroy();
    RunReceiver(request, "static, " + std::to_string(share) + " B a port", 0.125, share);
    RunReceiver(request, "dynamic, alpha 1/16", 1.0 / 16, 0);
    RunReceiver(request, "dynamic, alpha 1/8", 1.0 / 8, 0);
    RunReceiver(request, "dynamic, alpha 1/4", 1.0 / 4, 0);
    RunReceiver(request, "dynamic, alpha 1", 1, 0);
}

} // namespace

int
main(int argc, char* argv[])
{
    BeginRdmaProgram(argc, argv);
    Request request;
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
    cmd.AddValue("rate", "rate of the hosts' links", request.options.rate);
    cmd.AddValue("buffer", "memory of each switch", request.options.buffer);
    cmd.AddValue("seed", "of all random numbers", request.options.seed);
    cmd.AddValue("start", "storm: when it begins", request.start);
    cmd.AddValue("detection", "storm: detection time of the watchdogs", request.detection);
    cmd.AddValue("poll", "storm: time between two looks of the watchdogs", request.poll);
    cmd.AddValue("message", "storm: bytes of a message", request.messageBytes);
    cmd.AddValue("stall", "receiver: how long host 0 takes nothing", request.stall);
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
        isStorm ? RunStorms(request) : RunReceivers(request);
    }
    catch (const std::exception& error)
    {
        std::cerr << "rdma-pause-storm: " << error.what() << "\n";
        return 2;
    }
    return 0;
}
