/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * PFC deadlock by a cyclic buffer dependency.
 *
 * Scenario ring: five switches in a ring with one host each. Every host sends to the host two
 * switches ahead, so every link of the ring carries frames that wait for the next link.
 *
 * Scenario failure: four leaves and two spines. The first and the second leaf each lose a link, to
 * different spines. Traffic between these leaves then takes a detour down to the third or fourth
 * leaf and up again. The deadlock of Guo et al., "RDMA over Commodity Ethernet at Scale", SIGCOMM
 * 2016, also occurred in a Clos network, but due to flooding.
 *
 * The static check reports before the run whether the routes allow a deadlock. During the run, the
 * detector names the cycle of switch, port and class.
 */

#include "ns3/core-module.h"
#include "ns3/rdma-module.h"

#include <iostream>

using namespace ns3;

namespace
{

/** A topology, its failing links, and the sender and receiver of each flow. */
struct Scenario
{
    RdmaTopology topology;                            //!< topology with all links up
    std::vector<uint32_t> failures;                   //!< links that fail before the flows start
    std::vector<std::pair<uint32_t, uint32_t>> pairs; //!< sender and receiver of each flow
};

/** \param rates rates and delays of links \return the scenario of five switches in a ring */
Scenario
MakeRing(const RdmaTopologyRates& rates)
{
    constexpr uint32_t SWITCHES = 5;
    Scenario scenario;
    scenario.topology = MakeRdmaRing(SWITCHES, 1, rates);
    for (uint32_t host = 0; host < SWITCHES; ++host)
    {
        scenario.pairs.emplace_back(host, (host + 2) % SWITCHES);
    }
    return scenario;
}

/** \param rates rates and delays of links \return a leaf-spine scenario with two failing links */
Scenario
MakeFailure(const RdmaTopologyRates& rates)
{
    constexpr uint32_t LEAVES = 4;
    constexpr uint32_t HOSTS = 4; // number of hosts per leaf
    Scenario scenario;
    scenario.topology = MakeRdmaLeafSpine(LEAVES, HOSTS, 2, rates);
    // The links to hosts come first, followed by one link from each leaf to each spine.
    const uint32_t first = LEAVES * HOSTS;
    scenario.failures = {first + 0, first + 3};
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        for (const auto& [from, to] :
             {std::pair(0, 1), std::pair(1, 0), std::pair(2, 3), std::pair(3, 2)})
        {
            // Several queue pairs, which ECMP distributes over the paths.
            scenario.pairs.emplace_back(HOSTS * from + host, HOSTS * to + host);
            scenario.pairs.emplace_back(HOSTS * from + host, HOSTS * to + (host + 1) % HOSTS);
        }
    }
    return scenario;
}

/** Options of the command line. */
struct Options
{
    std::string scenario{"ring"};   //!< "ring" or "failure"
    std::string routes{"shortest"}; //!< route computation: "shortest" or "up-down"
    std::string switches{"shared"}; //!< type of the switches: "shared", "input" or "crossbar"
    RdmaBitRate rate{100_gbps};     //!< rate of all links
    RdmaPs delay{1_us};             //!< delay of all links
    uint64_t buffer{2'000'000};     //!< memory of each switch
    uint64_t bytes{20'000'000};     //!< size of each flow
    std::string watchdog{"off"}; //!< detection and restoration time of the PFC watchdogs, or "off"
    Time stop{MilliSeconds(20)}; //!< latest end of the simulation
};

/**
 * \param helper builder of the fabric, whose switch type is set
 * \param options options of the command line
 */
void
SetSwitches(RdmaFabricHelper& helper, const Options& options)
{
    const uint64_t bytes = options.buffer;
    if (options.switches == "shared")
    {
        helper.SetBufferAttribute("BufferSize", UintegerValue(bytes));
        return;
    }
    helper.SetSwitchAttribute("Queueing", StringValue("InputQueued"));
    helper.SetSwitchAttribute("Crossbar", BooleanValue(options.switches == "crossbar"));
    helper.SetBufferManager("ns3::QbbInputPortBuffer");
    helper.SetBufferAttribute("PortBufferBytes", UintegerValue(bytes));
}

/**
 * \param options options of the command line
 * \return 0 if all flows finished
 */
int
Run(const Options& options)
{
    Time detection; // 0: no watchdog
    if (options.watchdog != "off")
    {
        detection = ParseRdmaOption("watchdog",
                                    [&] { return RdmaToTime(ParseRdmaTime(options.watchdog)); });
        if (detection < NanoSeconds(1))
        {
            throw std::invalid_argument("--watchdog: " + options.watchdog +
                                        "; accepted: off, or a time of 1ns or more");
        }
    }
    RdmaFabricHelper helper;
    RdmaTopologyRates rates;
    rates.hostRate = options.rate;
    rates.uplinkRate = rates.hostRate;
    rates.delay = options.delay;
    const Scenario scenario = options.scenario == "ring" ? MakeRing(rates) : MakeFailure(rates);
    SetSwitches(helper, options);
    SetRdmaDefault("ns3::RoceTransport", "RetransmissionTimeout", TimeValue(MilliSeconds(1)));
    SetRdmaDefault("ns3::RoceTransport", "RetryCount", UintegerValue(4294967295));
    helper.SetRoutingAttribute(
        "Algorithm",
        StringValue(options.routes == "up-down" ? "UpDown" : "ShortestPath"));
    const auto fabric = helper.Install(scenario.topology);

    const auto check = [&](const std::string& when) {
        std::cout << when << ":\n";
        PrintRdmaDeadlockCheck(std::cout, *fabric, CheckQbbDeadlock(*fabric->GetRouting()));
    };
    check("static check");
    if (!scenario.failures.empty())
    {
        for (const uint32_t link : scenario.failures)
        {
            const RdmaTopologyLink ends = scenario.topology.GetLink(link);
            std::cout << "the link from " << scenario.topology.GetNode(ends.a).name << " to "
                      << scenario.topology.GetNode(ends.b).name << " fails\n";
            fabric->SetLinkUp(link, false);
        }
        check("static check with the new routes");
    }

    // Limit the output, because watchdogs may break many deadlocks one after another.
    constexpr uint64_t MAX_PRINTED = 3;
    const auto detector = CreateObject<QbbDeadlockDetector>();
    detector->Watch(fabric->GetRouting()->GetSwitches());
    const auto print = [&](const std::string& what) {
        if (detector->GetNDeadlocks() <= MAX_PRINTED)
        {
            std::cout << FormatRdmaReal(static_cast<double>(RdmaNow()) / 1e6) << " us: " << what
                      << "\n";
        }
    };
    detector->TraceConnectWithoutContext(
        "Deadlock",
        Callback<void, const QbbDeadlock&>([&](const QbbDeadlock& deadlock) {
            print("deadlock: " + FormatRdmaCycle(*fabric, deadlock.cycle) +
                  (deadlock.whileHostsRepeat ? ", while hosts only repeat" : ""));
        }));
    detector->TraceConnectWithoutContext(
        "DeadlockEnded",
        Callback<void, const QbbDeadlock&>(
            [&](const QbbDeadlock&) { print("the deadlock is over"); }));

    uint64_t storms = 0;
    if (!detection.IsZero())
    {
        for (const auto& sw : fabric->GetRouting()->GetSwitches())
        {
            const auto watchdog = CreateObject<QbbPfcWatchdog>();
            watchdog->SetAttribute("DetectionTime", TimeValue(detection));
            watchdog->SetAttribute("RestorationTime", TimeValue(detection));
            watchdog->SetAttribute("PollInterval", TimeValue(detection / 2));
            watchdog->TraceConnectWithoutContext(
                "StormDetected",
                Callback<void, uint32_t, uint8_t>([&](uint32_t, uint8_t) { ++storms; }));
            watchdog->Watch(sw);
        }
    }

    std::vector<RdmaFlow> flows;
    for (const auto& [source, destination] : scenario.pairs)
    {
        RdmaFlow flow;
        flow.id = flows.size();
        flow.srcHost = source;
        flow.dstHost = destination;
        flow.bytes = options.bytes;
        const auto port = DynamicCast<QbbNetDevice>(fabric->GetNode(source)->GetDevice(0));
        if (fabric->GetRouting()->GetPath(port, fabric->GetAddress(destination), 0).empty())
        {
            std::cout << "no route from host " << source << " to host " << destination << "\n";
            continue;
        }
        flows.push_back(flow);
    }
    const auto runner = RdmaFlowRunner::Make(fabric, flows);
    Simulator::Stop(options.stop);
    RunRdmaSimulation(*runner);

    auto results = runner->GetResults();
    if (const auto deadlock = detector->Find())
    {
        ExplainRdmaDeadlock(results, *runner, *fabric, *deadlock);
    }
    GatherRdmaFlows(results, *fabric);
    const uint64_t completed = SumRdmaValues(runner->GetNCompleted());
    std::cout << FormatRdmaReal(static_cast<double>(RdmaNow()) / 1e6) << " us: " << completed
              << " of " << runner->GetNFlows() << " flows finished, "
              << SumRdmaValues(fabric->GetTotals().drops) << " drops, " << detector->GetNDeadlocks()
              << " deadlocks, " << SumRdmaValues(storms) << " queues cleared by watchdogs\n";
    constexpr uint32_t MAX_LISTED = 5;
    uint32_t listed = 0;
    for (const auto& result : results)
    {
        if (!result.IsCompleted() && listed++ < MAX_LISTED)
        {
            std::cout << "flow " << result.flow.id << ": " << result.status << "\n";
        }
    }
    if (listed > MAX_LISTED)
    {
        std::cout << "and " << listed - MAX_LISTED << " more\n";
    }
    const bool done = completed == runner->GetNFlows();
    Simulator::Destroy();
    return done ? 0 : 1;
}

} // namespace

int
main(int argc, char* argv[])
{
    RdmaCommandLine cmd(__FILE__, "PFC deadlock: happens, is foreseen, found and named.");
    cmd.Sets({
        {"ns3::QbbNetDevice::DataRate", "--rate"},
        {"ns3::QbbChannel::Delay", "--delay"},
        {"ns3::QbbRouting::Algorithm", "--routes"},
        {"ns3::QbbSwitch::Queueing", "--switch"},
        {"ns3::QbbSwitch::Crossbar", "--switch"},
        {"ns3::QbbSharedBuffer::BufferSize", "--buffer"},
        {"ns3::QbbInputPortBuffer::PortBufferBytes", "--buffer"},
    });
    Options options;
    cmd.Add("scenario",
            "ring, or failure (of two links of a leaf-spine)",
            options.scenario,
            {"ring", "failure"});
    cmd.Add("routes",
            "shortest, or up-down, which cannot deadlock",
            options.routes,
            {"shortest", "up-down"});
    cmd.Add("rate", "rate of all links", options.rate);
    cmd.Add("delay", "propagation delay of all links", options.delay, {"1ps", "1s"});
    cmd.Add("switch",
            "shared (output queues), input-queued (virtual output queues) or crossbar (the same "
            "behind a crossbar)",
            options.switches,
            {"shared", "input-queued", "crossbar"});
    cmd.AddBytes("buffer",
                 "memory of each switch; input-queued, crossbar: of each port",
                 options.buffer,
                 {"1", "4294967295"});
    cmd.AddBytes("bytes", "size of each flow", options.bytes, {"1"});
    cmd.Add("watchdog",
            "detection and restoration time of a PFC watchdog (action drop), or off",
            options.watchdog);
    cmd.Add("stop", "the run ends at this simulated time at the latest", options.stop, {"1ns"});
    return cmd.Run(argc, argv, [&] { return Run(options); });
}
