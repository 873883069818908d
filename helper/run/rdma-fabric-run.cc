/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"

#include "qbb-helper.h"
#include "qbb-wire.h"
#include "rdma-build-note.h"
#include "rdma-fabric-control.h"
#include "rdma-fabric-deadlock.h"
#include "rdma-fabric-failures.h"
#include "rdma-fabric-instruments.h"
#include "rdma-fabric-paths.h"
#include "rdma-fabric-switch.h"
#include "rdma-fabric-transport.h"
#include "rdma-fabric-workload.h"
#include "rdma-flow-runner.h"
#include "rdma-option.h"
#include "rdma-progress.h"
#include "rdma-simulator-impl.h"
#include "rdma-tcp-flow-runner.h"
#include "rdma-topology-builder.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>

namespace ns3
{

namespace
{

/// CPU time, in seconds, above which a run prints the note of GetRdmaBuildNote().
constexpr double LONG_RUN_S = 10;

} // namespace

RdmaFabricRun::RdmaFabricRun(const RdmaFabricOptions& options)
    : m_options(options)
{
    const RdmaTopology topology = MakeTopology(options);
    Build(topology, MakeFlows(options, topology));
}

RdmaFabricRun::RdmaFabricRun(const RdmaFabricOptions& options, const std::vector<RdmaFlow>& flows)
    : m_options(options)
{
    Build(MakeTopology(options), flows);
}

RdmaTopology
RdmaFabricRun::MakeTopology(const RdmaFabricOptions& options)
{
    RdmaTopologyRates rates;
    rates.hostRate = ParseRdmaOption("rate", [&] { return ParseRdmaRate(options.rate); });
    rates.uplinkRate =
        ParseRdmaOption("uplinkRate", [&] { return ParseRdmaRate(options.uplinkRate); });
    rates.delay = ParseRdmaOption("delay", [&] { return ParseRdmaTime(options.delay); });
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
    return ParseRdmaOption("topology", [&] {
        RdmaTopology topology = builder->Build(rates);
        topology.Validate();
        return topology;
    });
}

std::vector<RdmaFlow>
RdmaFabricRun::MakeFlows(const RdmaFabricOptions& options, const RdmaTopology& topology)
{
    if (options.seed == 0)
    {
        throw std::invalid_argument("--seed: 0; accepted: 1 and above");
    }
    RngSeedManager::SetSeed(options.seed);
    return MakeRdmaFabricFlows(options, topology);
}

void
RdmaFabricRun::CheckPcap() const
{
    const std::filesystem::path folder = std::filesystem::path(m_options.pcap).parent_path();
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    {
        throw std::invalid_argument("--pcap: " + m_options.pcap + ": there is no folder " +
                                    folder.string() + "; accepted: a prefix in one that exists");
    }
}

void
RdmaFabricRun::Build(const RdmaTopology& topology, const std::vector<RdmaFlow>& flows)
{
    ParseRdmaTransport(m_options);
    CheckRdmaChoice("pfc", m_options.pfc, {"on", "off"});
    CheckPcap();
    RngSeedManager::SetSeed(m_options.seed);
    RdmaFabricHelper helper;
    RdmaSimulatorImpl::Select();
    Simulator::SetScheduler(ObjectFactory("ns3::QbbWheelScheduler"));

    uint8_t classes = 0;
    for (const RdmaFlow& flow : flows)
    {
        classes |= static_cast<uint8_t>(1U << (flow.priority & 7));
    }
    Configure(helper, topology, classes);
    ParseRdmaOption("delayJitter", [&] {
        const QbbPs jitter = ParseRdmaTime(m_options.delayJitter);
        constexpr QbbPs MOST = RdmaFabricHelper::MAX_DELAY_JITTER;
        if (jitter > MOST)
        {
            throw std::invalid_argument(m_options.delayJitter + "; accepted: 0ns to " +
                                        FormatRdmaTime(MOST));
        }
        helper.SetDelayJitter(QbbToTime(jitter));
    });
    // Streams from 1 on belong to the fabric.
    helper.AssignStreams(0);
    m_fabric = helper.Install(topology);
    FinishRdmaSwitch(*m_fabric, m_options);
    m_fabric->AssignStreams(1);
    WatchForDeadlocks();
    m_failures = std::make_shared<RdmaFabricFailures>(m_options, m_fabric);
    m_runner = MakeRunner();
    m_runner->Install(m_fabric, flows);
    m_instruments = std::make_shared<RdmaFabricInstruments>(m_options, m_fabric, m_runner);
    for (const RdmaFlow& flow : flows)
    {
        m_firstStart = m_firstStart != 0_ps ? std::min(m_firstStart, flow.start) : flow.start;
    }
    if (!m_options.pcap.empty())
    {
        QbbHelper().EnablePcapAll(m_options.pcap, true);
    }
}

Ptr<RdmaFlowRunnerBase>
RdmaFabricRun::MakeRunner() const
{
    if (m_options.transport != "iwarp")
    {
        auto runner = CreateObject<RdmaFlowRunner>();
        // Instruments may look at queue pairs from the start; otherwise the attribute's default
        // counts.
        if (m_options.keepQueuePairs || RdmaFabricInstruments::HasAny(m_options))
        {
            runner->SetAttribute("KeepQueuePairs", BooleanValue(true));
        }
        return runner;
    }
    auto runner = CreateObject<RdmaTcpFlowRunner>();
    runner->SetAttribute("SegmentSize", UintegerValue(m_options.mtu));
    runner->SetAttribute("MinRto", TimeValue(QbbToTime(GetRdmaTimeout(m_options))));
    runner->SetAttribute("DataRetries", UintegerValue(GetRdmaRetries(m_options)));
    runner->SetAttribute("DelAckCount", UintegerValue(m_options.ackInterval));
    runner->SetAttribute("UseEcn", BooleanValue(IsRdmaEcnOn(m_options)));
    return runner;
}

void
RdmaFabricRun::WatchForDeadlocks()
{
    if (m_options.pfc != "on")
    {
        if (m_options.checkDeadlock)
        {
            throw std::invalid_argument("--checkDeadlock with --pfc=" + m_options.pfc +
                                        "; accepted: with --pfc=on");
        }
        return;
    }
    m_check = CheckQbbDeadlock(*m_fabric->GetRouting());
    if (!m_check.IsDeadlockFree() && !m_options.checkDeadlock)
    {
        std::cerr << "rdma: warning: cyclic buffer dependency, PFC can deadlock: "
                  << FormatRdmaCycle(*m_fabric, m_check.cycle) << "\n";
    }
    m_detector = CreateObject<QbbDeadlockDetector>();
    m_detector->Watch(m_fabric->GetRouting()->GetSwitches());
    m_detector->TraceConnectWithoutContext(
        "Deadlock",
        Callback<void, const QbbDeadlock&>([fabric = m_fabric](const QbbDeadlock& deadlock) {
            std::cerr << "rdma: deadlock at " << static_cast<double>(deadlock.at) / 1e6
                      << " us: " << FormatRdmaCycle(*fabric, deadlock.cycle) << "\n";
        }));
}

const QbbDeadlockCheck&
RdmaFabricRun::GetDeadlockCheck() const
{
    return m_check;
}

Ptr<QbbDeadlockDetector>
RdmaFabricRun::GetDeadlockDetector() const
{
    return m_detector;
}

void
RdmaFabricRun::Configure(RdmaFabricHelper& helper,
                         const RdmaTopology& topology,
                         uint8_t classes) const
{
    if (m_options.mtu < 256 || m_options.mtu > 4096)
    {
        throw std::invalid_argument("--mtu: " + std::to_string(m_options.mtu) +
                                    "; accepted: 256 to 4096 bytes of payload a packet");
    }
    constexpr uint32_t HEADERS = QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES +
                                 QbbWire::BTH_BYTES + QbbWire::ICRC_BYTES +
                                 QbbWire::IRN_EXTENSION_BYTES;
    helper.SetDeviceAttribute(
        "Mtu",
        UintegerValue(std::max(1500U, m_options.mtu + HEADERS + GetRdmaControlBytes(m_options))));
    helper.SetDeviceAttribute("FlowControl", StringValue(m_options.pfc == "on" ? "Pfc" : "None"));
    // All classes used by flows are lossless.
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(classes));
    helper.SetChannelAttribute("SerializeFrames", BooleanValue(m_options.serialize));
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(m_options.mtu));
    ConfigureRdmaPaths(helper, m_options);
    ConfigureRdmaTransport(helper, m_options);
    ConfigureRdmaControl(helper, m_options, topology);
    ConfigureRdmaSwitch(helper, m_options);
}

Ptr<RdmaFabric>
RdmaFabricRun::GetFabric() const
{
    return m_fabric;
}

Ptr<RdmaFlowRunnerBase>
RdmaFabricRun::GetRunner() const
{
    return m_runner;
}

void
RdmaFabricRun::Run(bool progress)
{
    const QbbPs stop = ParseRdmaOption("stop", [&] { return ParseRdmaTime(m_options.stop); });
    Simulator::Stop(QbbToTime(stop) - Simulator::Now());
    const uint64_t eventsBefore = Simulator::GetEventCount();
    const std::clock_t begin = std::clock();
    if (m_runner->GetNFlows() > 0)
    {
        RdmaProgress display(m_runner, std::cerr);
        if (progress)
        {
            display.Start(m_firstStart);
        }
        Simulator::Run();
        display.Finish();
        m_instruments->Finish();
    }
    m_cpuS = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (const std::string note = GetRdmaBuildNote(); m_cpuS > LONG_RUN_S && !note.empty())
    {
        std::cerr << note << "\n";
    }
    m_events = Simulator::GetEventCount() - eventsBefore;
    m_end = QbbNow();
    m_failures->Finish();
}

void
RdmaFabricRun::PrintFailures(std::ostream& os) const
{
    m_failures->Print(os);
    m_instruments->Print(os);
}

RdmaFabricOutcome
RdmaFabricRun::GetOutcome() const
{
    RdmaFabricOutcome outcome;
    outcome.flows = m_runner->GetResults();
    if (const auto deadlock = m_detector ? m_detector->Find() : std::nullopt)
    {
        ExplainRdmaDeadlock(outcome.flows, *m_runner, *m_fabric, *deadlock);
    }
    outcome.ports = m_fabric->GetPortResults();
    outcome.tables = m_tables;
    outcome.summary = MakeRdmaSummary(outcome.flows, m_fabric->GetTotals(), m_tables);
    outcome.summary.events = m_events;
    outcome.summary.simTimeUs = static_cast<double>(m_end) / 1e6;
    outcome.summary.cpuS = m_cpuS;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    outcome.summary.peakRssMb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    return outcome;
}

} // namespace ns3
