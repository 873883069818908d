/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"

#include "qbb-buffer-manager.h"
#include "qbb-channel.h"
#include "qbb-ecn-marker.h"
#include "qbb-marker.h"
#include "qbb-net-device.h"
#include "qbb-path-selector.h"
#include "qbb-wire.h"
#include "rdma-arrivals.h"
#include "rdma-attribute-text.h"
#include "rdma-build-note.h"
#include "rdma-congestion-control.h"
#include "rdma-deadlock-report.h"
#include "rdma-fabric-deadlock.h"
#include "rdma-fabric-setup.h"
#include "rdma-flow-runner.h"
#include "rdma-flow-size-cdf.h"
#include "rdma-interrupt.h"
#include "rdma-measured-columns.h"
#include "rdma-option.h"
#include "rdma-progress.h"
#include "rdma-queue-pair.h"
#include "rdma-rank-results.h"
#include "rdma-rank-run.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"
#include "rdma-simulator-impl.h"
#include "rdma-topology-builder.h"
#include "rdma-transport.h"
#include "rdma-units.h"
#include "rdma-workload.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Largest seed: ns-3's generator (MRG32k3a) takes seeds below its second modulus.
constexpr uint32_t LAST_SEED = 4'294'944'442;

/// CPU time, in seconds, above which a run prints the note of GetRdmaBuildNote().
constexpr double LONG_RUN_S = 10;

/**
 * \param options options of a run
 * \return the options, where the memory of the switches in a preset or file has yielded to that of
 *         the command line
 */
RdmaFabricOptions
SettleBuffer(const RdmaFabricOptions& options)
{
    RdmaFabricOptions settled = options;
    if (options.buffer != "auto" && options.bufferPreset != "none")
    {
        settled.bufferPreset =
            options.IsGivenWith("bufferPreset", "buffer") ? options.bufferPreset : "none";
        settled.buffer = options.IsGivenWith("buffer", "bufferPreset") ? options.buffer : "auto";
    }
    return settled;
}

/**
 * Prints a note if the hosts are to send faster than their links.
 * \param workload the workload
 */
void
NoteOverload(const RdmaWorkload& workload)
{
    DoubleValue load;
    if (workload.GetAttributeFailSafe("Load", load) && load.Get() > 1)
    {
        RdmaRanks::GetWarnings() << "rdma: note: a load of " << FormatRdmaReal(load.Get()) << " is "
                                 << FormatRdmaReal(load.Get())
                                 << " times the line rate of the hosts\n";
    }
}

/**
 * Refuses a topology whose nodes and links alone need more memory than there is. The system would
 * otherwise end the program, after minutes.
 *
 * \param topology topology of the run
 */
void
CheckMemory(const RdmaTopology& topology)
{
    // Least bytes of the parts, from the manual's table of memory.
    constexpr uint64_t PORT = 1900;
    constexpr uint64_t HOST = 1200;
    constexpr uint64_t SWITCH = 2500;
    const uint64_t hosts = topology.GetHosts().size();
    const uint64_t needed =
        2 * PORT * topology.GetNLinks() + HOST * hosts + SWITCH * (topology.GetNNodes() - hosts);
    uint64_t most = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    {
        most = std::min<uint64_t>(most, limit.rlim_cur);
    }
    constexpr uint64_t MEGABYTE = 1'000'000;
    RefuseRdmaIf(needed > most,
                 "--topology: ",
                 topology.GetNNodes(),
                 " nodes and ",
                 topology.GetNLinks(),
                 " links need ",
                 needed / MEGABYTE,
                 " MB of memory and more; accepted: at most the ",
                 most / MEGABYTE,
                 " MB of this machine");
}

/**
 * Names the option of a part that refuses its settings.
 *
 * \param message message of the part, which begins with the name of its class
 * \return the message behind the option that selects such parts, if there is one
 */
std::string
NameOptionOfPart(const std::string& message)
{
    const std::string prefix = "ns3::";
    const std::string text =
        message.compare(0, prefix.size(), prefix) == 0 ? message.substr(prefix.size()) : message;
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(prefix + text.substr(0, text.find_first_of(": ")), &type))
    {
        return message;
    }
    const std::pair<TypeId, const char*> options[] = {
        {RdmaCongestionControl::GetTypeId(), "cc"},
        {RdmaTransport::GetTypeId(), "transport"},
        {RdmaFlowRunnerBase::GetTypeId(), "transport"},
        {QbbBufferManager::GetTypeId(), "buffer"},
        {QbbPathSelector::GetTypeId(), "paths"},
        {QbbEcnMarker::GetTypeId(), "ecn"},
        {QbbMarker::GetTypeId(), "marker"},
    };
    for (const auto& [kind, option] : options)
    {
        if (type == kind || type.IsChildOf(kind))
        {
            return std::string("--") + option + ": " + message;
        }
    }
    return message;
}

/**
 * Runs the simulation until the flows have ended or a signal comes.
 * \param runner runner of the flows
 * \return number of the signal; 0: none came
 */
int
RunUntilSignal(RdmaFlowRunnerBase& runner)
{
    if (RdmaRanks::AreSeveral())
    {
        const RdmaInterrupt interrupt;
        return RunRdmaSimulation(runner, &RdmaInterrupt::GetSignal);
    }
    // The event of a signal that comes at the very end must not stop a later Simulator::Run().
    const auto isRunning = std::make_shared<std::atomic<bool>>(true);
    // Any simulator takes events with a context from any thread.
    const RdmaInterrupt interrupt([isRunning] {
        Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, Time(0), [isRunning] {
            if (*isRunning)
            {
                Simulator::Stop();
            }
        });
    });
    const int signal = RunRdmaSimulation(runner, &RdmaInterrupt::GetSignal);
    *isRunning = false;
    return signal;
}

} // namespace

RdmaFabricRun::RdmaFabricRun(const RdmaFabricOptions& options)
    : m_options(SettleBuffer(options))
{
    const RdmaTopology topology = MakeTopology(options);
    m_workload = MakeWorkload(options);
    NoteOverload(*m_workload);
    m_window = m_workload->GetWindow();
    Build(topology, ParseRdmaOption("workload", [&] { return m_workload->MakeFlows(topology); }));
}

RdmaFabricRun::RdmaFabricRun(const RdmaFabricOptions& options, const std::vector<RdmaFlow>& flows)
    : m_options(SettleBuffer(options))
{
    options.Refuse("arrivals", "workload", "where the caller gives the flows");
    Build(MakeTopology(options), flows);
}

RdmaTopology
RdmaFabricRun::MakeTopology(const RdmaFabricOptions& options)
{
    RdmaTopologyRates rates;
    rates.hostRate = ParseRdmaOption("rate", [&] { return ParseRdmaRate(options.rate); });
    rates.uplinkRate =
        ParseRdmaOption("uplinkRate", [&] { return ParseRdmaRate(options.uplinkRate); });
    rates.delay = ParseRdmaOption("delay", [&] {
        const QbbPs delay = ParseRdmaTime(options.delay);
        RefuseRdmaIf(delay == 0_ps || delay > RDMA_MAX_DELAY,
                     options.delay + "; accepted: 1ps to 1s");
        return delay;
    });
    const auto builder = ParseRdmaOption("topology", [&options] {
        return MakeRdmaTopologyBuilder(options.topology);
    });
    if (!(options.loss >= 0 && options.loss < 1) || (builder->HasOwnRates() && options.loss > 0))
    {
        std::ostringstream message;
        message
            << "--loss: " << options.loss
            << "; accepted: a probability of 0 or more, below 1; 0 with --topology=file:, which "
               "has error rates of its own";
        throw std::invalid_argument(message.str());
    }
    rates.errorRate = options.loss;
    const std::string with = "--topology=" + options.topology;
    for (const char* option : {"rate", "uplinkRate", "delay"})
    {
        RefuseRdmaOption(option,
                         builder->HasOwnRates() && options.IsGivenWith(option, "topology"),
                         with + ", which has rates and delays of its own");
    }
    RdmaTopology topology = ParseRdmaOption("topology", [&] {
        RdmaTopology made = builder->Build(rates);
        made.Validate();
        return made;
    });
    const auto& links = topology.GetLinks();
    const bool hasUplink = std::any_of(links.begin(), links.end(), [&topology](const auto& link) {
        return !topology.IsHost(link.a) && !topology.IsHost(link.b);
    });
    RefuseRdmaOption("uplinkRate",
                     !hasUplink && options.IsGivenWith("uplinkRate", "topology"),
                     with + ", which has no link between switches");
    return topology;
}

std::vector<RdmaFlow>
RdmaFabricRun::MakeFlows(const RdmaFabricOptions& options, const RdmaTopology& topology)
{
    const auto workload = MakeWorkload(options);
    return ParseRdmaOption("workload", [&] { return workload->MakeFlows(topology); });
}

Ptr<RdmaWorkload>
RdmaFabricRun::MakeWorkload(const RdmaFabricOptions& options)
{
    RefuseRdmaIf(options.seed == 0 || options.seed > LAST_SEED,
                 "--seed: ",
                 options.seed,
                 "; accepted: 1 to ",
                 LAST_SEED);
    RngSeedManager::SetSeed(options.seed);
    QbbSetTimeResolution(); // must precede parsing of times
    RdmaPart workload = ParseRdmaOption("workload", [&options] {
        return RdmaPart::Parse(options.workload, RdmaWorkload::GetTypeId());
    });
    if (options.cdf != "auto")
    {
        ParseRdmaOption("cdf", [&options] { RdmaFlowSizeCdf::Make(options.cdf); });
    }
    CheckMtu(options);
    RefuseRdmaIf(options.duration != "auto" &&
                     ParseRdmaOption("duration", [&] { return ParseRdmaTime(options.duration); }) ==
                         0_ps,
                 "--duration: " + options.duration + "; accepted: auto, or a time above 0");
    RdmaFabricOptions used = options;
    if (options.measure != "off" && !options.IsGivenWith("duration", "measure"))
    {
        used.duration = "auto"; // the duration of a preset yields to the window of the user
    }
    const std::string with = "--workload=" + options.workload;
    used.SetAttributes(workload, "workload", "workload");
    used.SetAttributes(workload, "frames of the workload", "workload", RdmaOptionClash::YIELD);
    used.SetAttributes(workload, "arrivals", "workload");
    RefuseRdmaIf(options.measure != "off" && ParseRdmaTime(options.measure) == 0_ps,
                 "--measure: " + options.measure + "; accepted: off, or a time above 0");
    RefuseRdmaIf(options.measure == "off" && options.warmUp != "0s" && !workload.Has("Measure"),
                 "--warmUp: " + options.warmUp + " without --measure; accepted: with --measure");
    RefuseRdmaIf(
        workload.HasAttribute("Measure") && workload.Has("Measure") && workload.Has("Duration"),
        (used.duration == "auto" ? with : "--duration=" + options.duration) +
            " with a measured window; accepted: --warmUp and --measure without a duration, because "
            "flows then start until the last counted flow has ended");
    return ParseRdmaOption("workload", [&] { return MakeRdmaWorkload(workload); });
}

void
RdmaFabricRun::CheckMtu(const RdmaFabricOptions& options)
{
    RefuseRdmaIf(options.mtu < 256 || options.mtu > 4096,
                 "--mtu: " + std::to_string(options.mtu) +
                     "; accepted: 256 to 4096 bytes of payload a packet");
}

void
RdmaFabricRun::Build(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows)
{
    CheckMemory(topology);
    CheckRdmaChoice("pfc", m_options.pfc, {"on", "off"});
    m_stop = ParseRdmaOption("stop", [&] { return ParseRdmaTime(m_options.stop); });
    RngSeedManager::SetSeed(m_options.seed);
    RdmaFabricHelper helper;
    RdmaSimulatorImpl::Select();
    // Only now, because Simulator::Now() makes a simulator where there is none.
    RefuseRdmaIf(Simulator::Now() > Time(0),
                 "a run in a simulation that is at ",
                 FormatRdmaTime(QbbNow()),
                 "; accepted: after Simulator::Destroy()");
    Simulator::SetScheduler(ObjectFactory("ns3::QbbWheelScheduler"));

    uint8_t classes = 0;
    for (const RdmaFlow& flow : flows)
    {
        classes |= static_cast<uint8_t>(1U << (flow.priority & 7));
    }
    try
    {
        Configure(helper, topology, classes);
        ParseRdmaOption("delayJitter", [&] {
            const QbbPs jitter = ParseRdmaTime(m_options.delayJitter);
            constexpr QbbPs MOST = RdmaFabricHelper::MAX_DELAY_JITTER;
            RefuseRdmaIf(jitter > MOST,
                         m_options.delayJitter + "; accepted: 0ns to " + FormatRdmaTime(MOST));
            helper.SetDelayJitter(QbbToTime(jitter));
        });
        // Streams from 1 on belong to the fabric.
        helper.AssignStreams(0);
        m_fabric = helper.Install(topology);
        FinishRdmaSwitch(*m_fabric, m_options);
        m_fabric->AssignStreams(1);
        CheckForDeadlocks();
        InstallRdmaFailures(*m_fabric, m_options);
        CheckRdmaTimers(*m_fabric, m_options, classes);
        InstallFlows(topology, flows);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(NameOptionOfPart(error.what()));
    }
    m_instruments = MakeRdmaInstruments(m_options);
    for (const auto& [option, instrument] : m_instruments)
    {
        RefuseRdmaIf(RdmaRanks::AreSeveral() && !instrument->WatchesRanks(),
                     "--" + option + ": " + instrument->GetInstanceTypeId().GetName() + " with " +
                         std::to_string(RdmaRanks::GetNumber()) +
                         " ranks; accepted: with one rank");
        ParseRdmaOption(option, [&, &watch = instrument] { watch->Begin(m_fabric, m_runner); });
        if (const auto report = DynamicCast<RdmaDeadlockReport>(instrument))
        {
            m_detector = report->GetDetector();
        }
    }
    for (const RdmaFlow& flow : flows)
    {
        m_firstStart = m_firstStart != 0_ps ? std::min(m_firstStart, flow.start) : flow.start;
    }
}

void
RdmaFabricRun::InstallFlows(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows)
{
    m_runner = MakeRunner();
    if (!m_window)
    {
        m_runner->Install(m_fabric, flows);
        return;
    }
    if (std::none_of(flows.begin(), flows.end(), [this](const RdmaFlow& flow) {
            return m_window->Contains(flow.start);
        }))
    {
        throw std::invalid_argument("--measure: no flow starts from " +
                                    FormatRdmaTime(m_window->begin) + " to " +
                                    FormatRdmaTime(m_window->end) + "; accepted: a longer time");
    }
    m_runner->SetWindow(*m_window);
    m_runner->Install(m_fabric, flows);
    AddRdmaMeasuredColumns(m_tables);
    Create<RdmaArrivals>(m_workload, m_runner, topology)->Start();
}

Ptr<RdmaFlowRunnerBase>
RdmaFabricRun::MakeRunner() const
{
    if (m_options.transport == "iwarp")
    {
        RefuseRdmaIf(RdmaRanks::AreSeveral(),
                     "--transport: iwarp with " + std::to_string(RdmaRanks::GetNumber()) +
                         " ranks; accepted: with one rank");
        return MakeRdmaTransportPart(m_options).Create<RdmaFlowRunnerBase>();
    }
    auto runner = CreateObject<RdmaFlowRunner>();
    // Instruments may read queue pairs from the start; otherwise the attribute's default applies.
    if (m_options.keepQueuePairs || !m_options.timeseries.empty() || !m_options.instruments.empty())
    {
        runner->SetAttribute("KeepQueuePairs", BooleanValue(true));
    }
    return runner;
}

void
RdmaFabricRun::CheckForDeadlocks()
{
    if (m_options.pfc != "on")
    {
        RefuseRdmaIf(m_options.checkDeadlock,
                     "--checkDeadlock with --pfc=" + m_options.pfc + "; accepted: with --pfc=on");
        return;
    }
    m_check = CheckQbbDeadlock(*m_fabric->GetRouting());
    if (!m_check.IsDeadlockFree() && !m_options.checkDeadlock)
    {
        RdmaRanks::GetWarnings() << "rdma: warning: cyclic buffer dependency, PFC can deadlock: "
                                 << FormatRdmaCycle(*m_fabric, m_check.cycle) << "\n";
    }
}

void
RdmaFabricRun::Configure(RdmaFabricHelper& helper,
                         const RdmaTopology& topology,
                         uint8_t classes) const
{
    CheckMtu(m_options);
    m_options.RefuseOwnDefaults();
    constexpr uint32_t HEADERS = QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES +
                                 QbbWire::BTH_BYTES + QbbWire::ICRC_BYTES +
                                 QbbWire::IRN_EXTENSION_BYTES;
    helper.SetDeviceAttribute(
        "Mtu",
        UintegerValue(std::max(1500U, m_options.mtu + HEADERS + GetRdmaControlBytes(m_options))));
    helper.SetDeviceAttribute("FlowControl", StringValue(m_options.pfc == "on" ? "Pfc" : "None"));
    // All classes used by flows are lossless.
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(classes));
    if (m_options.serialize)
    {
        helper.SetChannelAttribute("SerializeFrames", BooleanValue(true));
    }
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(m_options.mtu));
    for (const auto& setting : m_options.GetSettings("routing", QbbRouting::GetTypeId(), "routes"))
    {
        helper.SetRoutingAttribute(setting.attribute, *setting.value);
    }
    ParseRdmaOption("paths", [&] { helper.SetPathSelector(m_options.paths); });
    ConfigureRdmaTransport(helper, m_options, topology);
    ConfigureRdmaControl(helper, m_options);
    ConfigureRdmaSwitch(helper, m_options);
}

void
RdmaFabricRun::Run(bool progress)
{
    Simulator::Stop(QbbToTime(m_stop) - Simulator::Now());
    const uint64_t eventsBefore = Simulator::GetEventCount();
    const std::clock_t begin = std::clock();
    if (m_runner->GetNFlows() > 0)
    {
        RdmaProgress display(m_runner, std::cerr);
        if (progress)
        {
            display.Start(m_firstStart);
        }
        m_signal = RunUntilSignal(*m_runner);
        display.Finish();
        if (const std::string reason = RdmaSimulatorImpl::GetReasonForOneThread(); !reason.empty())
        {
            // One write, because several processes may write at the same time.
            std::cerr << "rdma: note: one thread runs all nodes: " + reason + "\n";
        }
    }
    m_cpuS = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (const std::string note = GetRdmaBuildNote(); m_cpuS > LONG_RUN_S && !note.empty())
    {
        RdmaRanks::GetWarnings() << note << "\n";
    }
    m_events = Simulator::GetEventCount() - eventsBefore;
    m_end = QbbNow();
    if (m_signal != 0)
    {
        const uint64_t ended = SumRdmaRanks(m_runner->GetNCountedEnded());
        RdmaRanks::GetWarnings() << "rdma: interrupted by " << RdmaInterrupt::GetName(m_signal)
                                 << " at " << FormatRdmaMicroseconds(m_end) << ", " << ended
                                 << " of " << m_runner->GetNCounted()
                                 << (m_window ? " counted" : "") << " flows have ended\n";
    }
    for (const auto& [option, instrument] : m_instruments)
    {
        if (m_signal != 0)
        {
            instrument->MarkCut();
        }
        instrument->Finish();
    }
    const uint64_t active = SumRdmaRanks(m_runner->GetNActive());
    if (!m_detector && m_options.pfc == "on" && active > 0)
    {
        RdmaRanks::GetWarnings() << "rdma: note: several ranks of this simulator do not search for "
                                    "deadlocks\n";
    }
}

void
RdmaFabricRun::PrintForecasts(std::ostream& os) const
{
    for (const auto& [option, instrument] : m_instruments)
    {
        instrument->PrintForecast(os);
    }
}

void
RdmaFabricRun::PrintFailures(std::ostream& os) const
{
    for (const auto& [option, instrument] : m_instruments)
    {
        instrument->Print(os);
    }
}

RdmaFabricOutcome
RdmaFabricRun::GetOutcome() const
{
    RdmaFabricOutcome outcome;
    outcome.flows = m_runner->GetResults();
    const auto deadlock = m_detector ? m_detector->Find() : std::nullopt;
    if (deadlock)
    {
        ExplainRdmaDeadlock(outcome.flows, *m_runner, *m_fabric, *deadlock);
    }
    GatherRdmaFlows(outcome.flows, *m_fabric);
    outcome.ports = m_fabric->GetPortResults();
    GatherRdmaPorts(outcome.ports, *m_fabric);
    outcome.tables = m_tables;
    outcome.summary =
        MakeRdmaSummary(outcome.flows, GatherRdmaTotals(m_fabric->GetTotals()), m_tables);
    if (m_window)
    {
        outcome.summary.measured =
            MakeRdmaMeasuredSummary(outcome.flows, m_window->begin, m_window->end);
    }
    const uint64_t counted = m_runner->GetNCounted();
    if (const uint64_t left = counted - SumRdmaRanks(m_runner->GetNCountedEnded()); left > 0)
    {
        const std::string by = m_signal != 0 ? RdmaInterrupt::GetName(m_signal)
                               : deadlock    ? "deadlock"
                                             : "stop";
        outcome.summary.cut = RdmaRunCut{by, m_end, left, counted, m_window.has_value()};
        if (!m_window && outcome.summary.cut->IsUnplanned())
        {
            AddRdmaCutColumns(outcome.tables);
        }
    }
    outcome.summary.events = SumRdmaRanks(m_events);
    outcome.summary.simTimeUs = static_cast<double>(m_end) / 1e6;
    outcome.summary.cpuS = m_cpuS;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    outcome.summary.peakRssMb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    return outcome;
}

} // namespace ns3
