/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"

#include "qbb-buffer-manager.h"
#include "qbb-buffer-plan.h"
#include "qbb-congestion-detector.h"
#include "qbb-ecn-marker.h"
#include "qbb-input-port-buffer.h"
#include "qbb-pfc-watchdog.h"
#include "qbb-shared-buffer.h"
#include "qbb-wire.h"
#include "rdma-arrivals.h"
#include "rdma-attribute-text.h"
#include "rdma-congestion-control.h"
#include "rdma-connection-plan.h"
#include "rdma-deadlock-report.h"
#include "rdma-entropy.h"
#include "rdma-explain-report.h"
#include "rdma-fabric-deadlock.h"
#include "rdma-fabric-failures.h"
#include "rdma-failure-plan.h"
#include "rdma-failure-report.h"
#include "rdma-flow-report.h"
#include "rdma-flow-runner.h"
#include "rdma-flow-size-cdf.h"
#include "rdma-interrupt.h"
#include "rdma-job-file.h"
#include "rdma-nic-watchdog.h"
#include "rdma-output-file.h"
#include "rdma-part.h"
#include "rdma-placed-workload.h"
#include "rdma-placement.h"
#include "rdma-progress.h"
#include "rdma-queue-pair.h"
#include "rdma-rank-alarms.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"
#include "rdma-run-end.h"
#include "rdma-scale-up-network.h"
#include "rdma-schedule-results.h"
#include "rdma-shared-results.h"
#include "rdma-shared-run.h"
#include "rdma-simulator-impl.h"
#include "rdma-sonic-reader.h"
#include "rdma-tcp-flow-runner.h"
#include "rdma-time.h"
#include "rdma-topology-builder.h"
#include "rdma-transport.h"
#include "rdma-units.h"
#include "rdma-warnings.h"
#include "rdma-workload.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/pointer.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/rng-stream.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <ctime>
#include <future>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <system_error>

namespace ns3
{

namespace
{

/**
 * Lets ns-3 compute the constants of its random streams on another thread, if the run has several.
 * The first stream of a process makes ns-3 compute them, which takes about 10 ms.
 *
 * \return ready when the thread has ended; not valid if there is no such thread
 */
std::future<void>
ComputeRandomConstants()
{
    if (RdmaSimulatorImpl::GetThreads() == 1)
    {
        return {};
    }
    try
    {
        return std::async(std::launch::async, [] { RngStream(1, 1, 1); });
    }
    catch (const std::system_error&)
    {
        return {}; // the system gives no further thread
    }
}

/// Largest seed: ns-3's generator (MRG32k3a) takes seeds below its second modulus.
constexpr uint32_t LAST_SEED = 4'294'944'442;

/// CPU time, in seconds, above which a run prints the note of GetRdmaBuildNote().
constexpr double LONG_RUN_S = 10;

/**
 * Sets an attribute unless the text of the part or a default of the user sets it.
 *
 * \param part the part
 * \param candidates names of attributes, of which the first that the part has is set
 * \param value value of the attribute
 */
void
SetPartDefault(RdmaPart& part,
               std::initializer_list<const char*> candidates,
               const AttributeValue& value)
{
    const auto* const found =
        std::find_if(candidates.begin(), candidates.end(), [&part](const char* attribute) {
            return part.HasAttribute(attribute);
        });
    if (found != candidates.end() && !part.Has(*found) &&
        !IsRdmaDefaultGiven(part.GetType(), *found))
    {
        part.Set(*found, value);
    }
}

/** \return a time attribute of an object */
Time
GetTimeAttribute(const ObjectBase& object, const std::string& attribute)
{
    TimeValue value;
    object.GetAttribute(attribute, value);
    return value.Get();
}

/** \return the PFC watchdog of a switch according to the options; no part if there is none */
RdmaPart
MakeWatchdogPart(const RdmaFabricOptions& options)
{
    const std::map<std::string, QbbPfcWatchdog::Action> actions = {
        {"drop", QbbPfcWatchdog::DROP},
        {"forward", QbbPfcWatchdog::FORWARD},
        {"alert", QbbPfcWatchdog::ALERT}};
    CheckRdmaChoice("watchdog", options.watchdog, {"off", "drop", "forward", "alert"});
    if (options.watchdog == "off")
    {
        return RdmaPart();
    }
    const TypeId type = QbbPfcWatchdog::GetTypeId();
    RdmaPart part = RdmaPart::Parse(type.GetName(), type);
    part.Set("Action", EnumValue(actions.at(options.watchdog)));
    const auto watchdog = part.CreateObject();
    const Time shorter = std::min(GetTimeAttribute(*watchdog, "DetectionTime"),
                                  GetTimeAttribute(*watchdog, "RestorationTime"));
    SetPartDefault(part, {"PollInterval"}, TimeValue(RdmaToTime((RdmaToPs(shorter) + 1_ps) / 2)));
    const Time poll = GetTimeAttribute(*part.CreateObject(), "PollInterval");
    RefuseRdmaIf(poll > shorter,
                 "--watchdog: " + type.GetName() + "::PollInterval is " +
                     FormatRdmaTime(RdmaToPs(poll)) +
                     "; accepted: at most DetectionTime and RestorationTime");
    return part;
}

/** \return the watchdog of a NIC according to the options; no part if there is none */
RdmaPart
MakeNicWatchdogPart(const RdmaFabricOptions& options)
{
    if (options.nicWatchdog == "off")
    {
        return RdmaPart();
    }
    const TypeId type = RdmaNicWatchdog::GetTypeId();
    RdmaPart part = RdmaPart::Parse(type.GetName(), type);
    if (options.nicWatchdog != "auto")
    {
        ParseRdmaOption("nicWatchdog", [&] { part.SetText("Timeout", options.nicWatchdog); });
    }
    const RdmaPs timeout = RdmaToPs(GetTimeAttribute(*part.CreateObject(), "Timeout"));
    part.Set("PollInterval", TimeValue(RdmaToTime((timeout + 9_ps) / 10)));
    return part;
}

/**
 * \return a timeout that is longer than detection and restoration of a pause storm, so that flows
 *         that a storm has stopped without loss resume without retransmission; 0 if no watchdog
 *         drops frames of lossless classes
 */
RdmaPs
GetStormTimeout(const RdmaPart& watchdog, const RdmaPart& nicWatchdog)
{
    RdmaPs timeout;
    const auto ofSwitch = watchdog.Create<QbbPfcWatchdog>();
    if (ofSwitch && ofSwitch->GetAction() != QbbPfcWatchdog::ALERT)
    {
        timeout = RdmaToPs(GetTimeAttribute(*ofSwitch, "DetectionTime") +
                           GetTimeAttribute(*ofSwitch, "RestorationTime"));
    }
    if (const auto ofNic = nicWatchdog.CreateObject())
    {
        timeout = std::max(timeout, 2 * RdmaToPs(GetTimeAttribute(*ofNic, "Timeout")));
    }
    return timeout;
}

/** \return the transport of the run, or RdmaTcpFlowRunner for ns-3's TCP */
RdmaPart
MakeTransportPart(const RdmaFabricOptions& options)
{
    const std::string& text = options.transport;
    const TypeId tcp = RdmaTcpFlowRunner::GetTypeId();
    const bool isTcp = text.substr(0, text.find('[')) == "iwarp";
    RdmaPart part = ParseRdmaOption("transport", [&] {
        return isTcp ? RdmaPart::Parse(text, tcp)
                     : RdmaPart::ParseOptional(text, RdmaTransport::GetTypeId(), "iwarp");
    });
    SetPartDefault(part, {"RetryCount", "DataRetries"}, UintegerValue(UINT32_MAX));
    return part;
}

/** \return the options, where the buffer of a preset or file yields to input queues of the user */
RdmaFabricOptions
SettleBuffer(const RdmaFabricOptions& options)
{
    RdmaFabricOptions settled = options;
    if (options.switchType == "input-queued" && !options.IsGivenWith("buffer", "switch"))
    {
        settled.buffer = "auto";
    }
    return settled;
}

/** \return true if the option buffer names a part in place of a size */
bool
IsBufferPart(const RdmaFabricOptions& options)
{
    return options.buffer != "auto" && !options.buffer.empty() &&
           std::isalpha(static_cast<unsigned char>(options.buffer.front()));
}

/** \return memory that the option buffer gives; 0: auto, or the option names a part */
uint64_t
GetBufferBytes(const RdmaFabricOptions& options)
{
    if (options.buffer == "auto" || IsBufferPart(options))
    {
        return 0;
    }
    const uint64_t bytes =
        ParseRdmaOption("buffer", [&] { return ParseRdmaBytes(options.buffer); });
    RefuseRdmaIf(bytes == 0 || bytes > QBB_MAX_BUFFER_BYTES,
                 "--buffer: " + options.buffer + "; accepted: 1 byte to 1 TiB, or auto");
    return bytes;
}

/** \return the buffer manager of the switches */
RdmaPart
MakeBufferPart(const RdmaFabricOptions& options)
{
    const bool isInputQueued = options.switchType == "input-queued";
    const TypeId type =
        isInputQueued ? QbbInputPortBuffer::GetTypeId() : QbbSharedBuffer::GetTypeId();
    if (IsBufferPart(options))
    {
        return ParseRdmaOption("buffer", [&] {
            return RdmaPart::Parse(options.buffer,
                                   isInputQueued ? type : QbbBufferManager::GetTypeId());
        });
    }
    RdmaPart buffer = RdmaPart::Parse(type.GetName(), type);
    const std::string size = isInputQueued ? "PortBufferBytes" : "BufferSize";
    const bool isGiven = IsRdmaDefaultGiven(type, size);
    if (const uint64_t bytes = GetBufferBytes(options))
    {
        RefuseRdmaIf(isGiven,
                     "--buffer=" + options.buffer + " with --" + type.GetName() + "::" + size +
                         "; accepted: one of the two");
        buffer.Set(size, UintegerValue(bytes));
    }
    else if (!isInputQueued)
    {
        constexpr uint64_t DEFAULT_BYTES = 12 << 20;
        SetPartDefault(buffer, {"BufferSize"}, UintegerValue(DEFAULT_BYTES));
    }
    return buffer;
}

/** Applies the files of SONiC and prints notes. \return true if they divide the memory */
bool
ApplySonicFiles(RdmaFabric& fabric, const RdmaFabricOptions& options)
{
    if (options.sonicBuffers.empty() && options.sonicQos.empty() && options.sonicPgLookup.empty())
    {
        return false;
    }
    for (const char* option : {"sonicBuffers", "sonicQos", "sonicPgLookup"})
    {
        RefuseRdmaOption(option,
                         options.switchType != "shared" && options.IsGivenWith(option, "switch"),
                         "--switch=" + options.switchType);
        RefuseRdmaOption(option,
                         IsBufferPart(options) && options.IsGivenWith(option, "buffer"),
                         "--buffer=" + options.buffer);
    }
    if (options.switchType != "shared")
    {
        return false; // the files of a preset or file of options yield to input queues
    }
    RefuseRdmaIf(options.sonicBuffers.empty() && options.sonicQos.empty(),
                 "--sonicPgLookup: " + options.sonicPgLookup +
                     " without --sonicBuffers; accepted: with it");
    const RdmaSonicConfig config =
        ReadRdmaSonicConfig(options.sonicBuffers, options.sonicQos, options.sonicPgLookup);
    RefuseRdmaIf(config.hasQos && (options.trust != "dscp" || options.ecn != "auto"),
                 "--sonicQos: with --trust or --ecn; accepted: without them, for the table "
                 "PORT_QOS_MAP and the profiles of its queues say that");
    std::vector<std::string> notes = config.notes;
    const auto more = ApplyRdmaSonicConfig(fabric, config, GetBufferBytes(options));
    notes.insert(notes.end(), more.begin(), more.end());
    for (const std::string& note : notes)
    {
        GetRdmaWarnings() << "rdma: note: " << note << "\n";
    }
    return config.hasBuffers;
}

/** Refuses a memory of a switch that is less than its headroom and reserves. */
void
CheckBuffer(const RdmaFabric& fabric, uint32_t id, const std::string& option)
{
    const Ptr<QbbSwitch> sw = fabric.GetSwitch(id);
    const Ptr<QbbBufferManager> manager = sw->GetBufferManager();
    const std::string& name = fabric.GetTopology().GetNode(id).name;
    const auto getBytes = [&manager](const std::string& attribute) {
        UintegerValue value;
        manager->GetAttribute(attribute, value);
        return value.Get();
    };
    if (const auto shared = DynamicCast<QbbSharedBuffer>(manager))
    {
        const uint64_t bytes = getBytes("BufferSize");
        const uint64_t needed = shared->GetGuaranteedBytes(sw->GetPortProfiles());
        RefuseRdmaIf(
            needed >= bytes,
            "--buffer: " + (option == "auto" ? "auto, " + std::to_string(bytes) + "B" : option) +
                "; accepted: more than " + std::to_string(needed) +
                "B, which the headroom and reserves of switch " + name + " take (" +
                std::to_string(sw->GetNPorts()) + " ports)");
    }
    const auto input = DynamicCast<QbbInputPortBuffer>(manager);
    for (const QbbPortProfile& profile :
         input ? sw->GetPortProfiles() : std::vector<QbbPortProfile>())
    {
        const uint64_t needed = input->GetLeastBytes(profile) + getBytes("CellBytes") - 1;
        RefuseRdmaIf(getBytes("PortBufferBytes") < needed,
                     "--buffer: " + option + "; accepted: at least " + std::to_string(needed) +
                         "B, for a port of switch " + name +
                         (profile.losslessMask ? " with its headroom" : ""));
    }
}

/**
 * Runs the simulation until its work has ended or a signal comes.
 * \param work flows, and a schedule
 * \return number of the signal; 0: none came
 */
int
RunUntilSignal(const std::vector<RdmaRunWork*>& work)
{
    if (RdmaRanks::AreSeveral())
    {
        const RdmaInterrupt interrupt;
        return RunRdmaSimulation(work, &RdmaInterrupt::GetSignal);
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
    const int signal = RunRdmaSimulation(work, &RdmaInterrupt::GetSignal);
    *isRunning = false;
    return signal;
}

} // namespace

RdmaFabricRun::RdmaFabricRun(const RdmaFabricOptions& options)
    : m_options(SettleBuffer(options))
{
    const RdmaTopology topology = MakeTopology(options);
    m_collective = FindCollective(options);
    if (!options.job.empty() || !m_collective.IsNone())
    {
        MakeSchedule(topology);
        Build(topology, {});
        return;
    }
    for (const std::string option : {"network", "timeLine", "criticalPath"})
    {
        RefuseRdmaOption(option, options.IsGiven(option), "--workload=" + options.workload);
    }
    m_workload = MakePlacedWorkload(options, topology);
    m_window = m_workload->GetWindow();
    const auto flows = ParseRdmaOption("workload", [&] { return m_workload->MakeFlows(topology); });
    m_dependencies = m_workload->GetDependencies();
    Build(topology, flows);
}

RdmaFabricRun::RdmaFabricRun(const RdmaFabricOptions& options,
                             const std::vector<RdmaFlow>& flows,
                             const std::vector<RdmaFlowDependency>& dependencies)
    : m_options(SettleBuffer(options)),
      m_dependencies(dependencies)
{
    for (const std::string option :
         {"warmUp", "measure", "placement", "job", "network", "timeLine", "criticalPath"})
    {
        RefuseRdmaIf(options.IsGivenWith(option, "workload"),
                     "--" + option + " means nothing where the caller gives the flows");
    }
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
        const RdmaPs delay = ParseRdmaTime(options.delay);
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
        return !topology.IsNic(link.a) && !topology.IsNic(link.b);
    });
    RefuseRdmaOption("uplinkRate",
                     !hasUplink && options.IsGivenWith("uplinkRate", "topology"),
                     with + ", which has no link between switches");
    return topology;
}

std::vector<RdmaFlow>
RdmaFabricRun::MakeFlows(const RdmaFabricOptions& options, const RdmaTopology& topology)
{
    const auto workload = MakePlacedWorkload(options, topology);
    return ParseRdmaOption("workload", [&] { return workload->MakeIndependentFlows(topology); });
}

RdmaPart
RdmaFabricRun::FindCollective(const RdmaFabricOptions& options)
{
    const TypeId kind = RdmaCollective::GetTypeId();
    const auto isFirst = [&text = options.workload](const std::string& name) {
        return text.rfind(name, 0) == 0 &&
               (text.size() == name.size() || text[name.size()] == ':' || text[name.size()] == '[');
    };
    const auto names = RdmaPartName::GetAll(kind);
    const auto types = GetRdmaPartTypes(kind);
    const bool isCollective = std::any_of(names.begin(),
                                          names.end(),
                                          [&](const auto& entry) { return isFirst(entry.name); }) ||
                              std::any_of(types.begin(), types.end(), [&](const TypeId& type) {
                                  return isFirst(type.GetName());
                              });
    return isCollective ? ParseRdmaOption("workload",
                                          [&] { return RdmaPart::Parse(options.workload, kind); })
                        : RdmaPart();
}

Ptr<RdmaPacketNetwork>
RdmaFabricRun::FindPackets(Ptr<RdmaScheduleNetwork> network)
{
    while (const auto domains = DynamicCast<RdmaScaleUpNetwork>(network))
    {
        network = domains->GetOuter();
    }
    return DynamicCast<RdmaPacketNetwork>(network);
}

void
RdmaFabricRun::MakeSchedule(const RdmaTopology& topology)
{
    PrepareSeed(m_options);
    const std::string with =
        m_options.job.empty() ? "--workload=" + m_options.workload : std::string("--job");
    for (const std::string option : {"cdf", "load", "duration", "warmUp", "measure"})
    {
        RefuseRdmaOption(option, m_options.IsGivenWith(option, "workload"), with);
    }
    m_network = ParseRdmaOption("network", [this] {
        return RdmaPart::Parse(m_options.network, RdmaScheduleNetwork::GetTypeId())
            .Create<RdmaScheduleNetwork>();
    });
    m_packets = FindPackets(m_network);
    RefuseRdmaIf(!m_packets,
                 "--network: " + m_options.network +
                     ", which uses no fabric; accepted: packets, or scale-up with Outer=packets");
    m_schedule = CreateObject<RdmaOperationSchedule>();
    if (!m_options.timeLine.empty())
    {
        ParseRdmaOption("timeLine", [this] { RdmaOutputFile::Check(m_options.timeLine); });
    }
    m_schedule->SetRecording(m_options.criticalPath > 0 ? RdmaRecording::MESSAGES
                                                        : RdmaRecording::OPERATIONS);
    if (m_options.job.empty())
    {
        FillWithCollective(topology);
        return;
    }
    for (const std::string option : {"workload", "bytes", "placement"})
    {
        RefuseRdmaOption(option, m_options.IsGivenWith(option, "job"), with);
    }
    RdmaJobFile(m_options.job).Fill(*m_schedule, topology);
}

void
RdmaFabricRun::FillWithCollective(const RdmaTopology& topology)
{
    const auto collective = m_collective.Create<RdmaCollective>();
    collective->AssignStreams(RdmaCollective::FIRST_STREAM);
    const bool isBarrier = collective->GetOperation() == RdmaCollective::Operation::BARRIER;
    RefuseRdmaOption("bytes",
                     isBarrier && m_options.IsGivenWith("bytes", "workload"),
                     "--workload=" + m_options.workload);
    const uint64_t bytes = isBarrier ? 0
                           : m_options.bytes == "auto"
                               ? 1'000'000
                               : ParseRdmaOption("bytes", [this] {
                                     const uint64_t size = ParseRdmaBytes(m_options.bytes);
                                     RefuseRdmaIf(size == 0, "0; accepted: 1 or more");
                                     return size;
                                 });
    // A rank for each NIC of the hosts.
    const std::string placement = m_options.placement == "none" ? "blocks" : m_options.placement;
    const RdmaJobPlace job = ParseRdmaOption("placement", [&] {
        const auto first = MakeRdmaPlacement(placement);
        const auto hosts = first->Place(topology, {{first->GetJobHosts(), 0}}).front().hosts;
        const std::size_t nics = topology.GetNics(hosts.front()).size();
        return MakeRdmaPlacement(placement)
            ->Place(
                topology,
                {{static_cast<uint32_t>(hosts.size()), static_cast<uint32_t>(hosts.size() * nics)}})
            .front();
    });
    std::map<uint32_t, uint32_t> gpus; // ranks of a host so far
    std::vector<RdmaSchedulePlace> places;
    for (const RdmaRankPlace& rank : job.ranks)
    {
        places.push_back({rank.host, gpus[rank.host]++, rank.nic});
    }
    m_schedule->SetPlaces(places);
    std::vector<uint32_t> ranks(places.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const uint32_t world = m_schedule->AddCommunicator("world", ranks);
    RdmaScheduleJob& made = m_schedule->AddJob("workload");
    ParseRdmaOption("workload", [&] {
        const auto numbers = made.AddCollective(world, collective, bytes);
        const std::string& text = m_options.workload;
        for (const uint32_t rank : ranks)
        {
            made.SetName(rank, numbers[rank], text.substr(0, text.find('[')));
        }
    });
}

void
RdmaFabricRun::InstallSchedule()
{
    RefuseRdmaIf(IsTcp(),
                 "--transport: iwarp with " +
                     (m_options.job.empty() ? "--workload=" + m_options.workload
                                            : "--job=" + m_options.job) +
                     "; accepted: a transport of queue pairs");
    if (m_options.connection != "auto")
    {
        const RdmaPart plan = ParseRdmaOption("connection", [this] {
            return RdmaPart::Parse(m_options.connection, RdmaConnectionPlan::GetTypeId());
        });
        m_packets->SetAttribute("Plan", PointerValue(plan.Create<RdmaConnectionPlan>()));
    }
    if (TimeValue period; m_options.criticalPath > 0)
    {
        m_packets->GetAttribute("QueuePeriod", period);
        if (period.Get().IsZero())
        {
            m_packets->SetAttribute("QueuePeriod", TimeValue(MicroSeconds(10)));
        }
    }
    m_packets->SetFabric(m_fabric);
    m_schedule->Install(m_network);
    // Ranks have timers, which must not outlive the simulator.
    Simulator::ScheduleDestroy(&Object::Dispose, m_schedule);
}

void
RdmaFabricRun::PrintSchedule(std::ostream& os) const
{
    if (!m_schedule)
    {
        return;
    }
    if (!m_schedule->IsDone())
    {
        os << "the schedule has not ended:\n" << m_schedule->DescribeWait();
        return;
    }
    const RdmaScheduleResults results(*m_schedule);
    if (m_options.job.empty())
    {
        const double rate = static_cast<double>(m_network->GetRate(0).Get()) / 8e9;
        results.PrintCalls(os, rate);
    }
    else
    {
        results.PrintSteps(os);
    }
    if (m_options.criticalPath > 0)
    {
        results.PrintCriticalPaths(os, m_options.criticalPath);
    }
    if (!m_options.timeLine.empty())
    {
        results.SaveTimeLine(m_options.timeLine);
    }
}

void
RdmaFabricRun::WriteSchedule(RdmaRunFolder& folder) const
{
    if (m_schedule && m_schedule->IsDone())
    {
        RdmaScheduleResults(*m_schedule).Write(folder);
    }
}

Ptr<RdmaWorkload>
RdmaFabricRun::MakePlacedWorkload(const RdmaFabricOptions& options, const RdmaTopology& topology)
{
    const auto workload = MakeWorkload(options);
    if (options.placement == "none")
    {
        return workload;
    }
    return ParseRdmaOption("placement", [&] {
        return CreateObject<RdmaPlacedWorkload>(workload,
                                                MakeRdmaPlacement(options.placement),
                                                topology);
    });
}

/** Sets what the reading of a workload needs. */
void
RdmaFabricRun::PrepareSeed(const RdmaFabricOptions& options)
{
    RefuseRdmaIf(options.seed == 0 || options.seed > LAST_SEED,
                 "--seed: ",
                 options.seed,
                 "; accepted: 1 to ",
                 LAST_SEED);
    RngSeedManager::SetSeed(options.seed);
    RdmaSetTimeResolution(); // must precede parsing of times
}

Ptr<RdmaWorkload>
RdmaFabricRun::MakeWorkload(const RdmaFabricOptions& options)
{
    PrepareSeed(options);
    RdmaPart workload = ParseRdmaOption("workload", [&options] {
        return RdmaPart::Parse(options.workload, RdmaWorkload::GetTypeId());
    });
    if (options.cdf != "auto")
    {
        ParseRdmaOption("cdf", [&options] { RdmaFlowSizeCdf::Make(options.cdf); });
    }
    CheckMtu(options);
    for (const std::string option : {"duration", "measure"})
    {
        const std::string text = options.GetText(option);
        RefuseRdmaIf(!options.IsDefault(option) &&
                         ParseRdmaOption(option, [&text] { return ParseRdmaTime(text); }) == 0_ps,
                     "--" + option + ": " + text + "; accepted: " +
                         (option == "measure" ? "off" : "auto") + ", or a time above 0");
    }
    const std::string with = "--workload=" + options.workload;
    const std::pair<const char*, const char*> settings[] = {{"cdf", "Cdf"},
                                                            {"load", "Load"},
                                                            {"bytes", "Bytes"},
                                                            {"duration", "Duration"},
                                                            {"warmUp", "WarmUp"},
                                                            {"measure", "Measure"}};
    for (const auto& [option, attribute] : settings)
    {
        if (options.IsDefault(option))
        {
            continue;
        }
        const bool isGiven = options.IsGivenWith(option, "workload");
        const bool hasAttribute = workload.HasAttribute(attribute);
        RefuseRdmaOption(option, isGiven && !hasAttribute, with);
        RefuseRdmaIf(isGiven && workload.Has(attribute),
                     std::string("--") + option + " with " + with + "; accepted: " + attribute +
                         " by one of the two");
        // What a preset or a file says yields to the user's defaults and window.
        const bool isDefaultGiven = IsRdmaDefaultGiven(workload.GetType(), attribute);
        const bool hasWindow = workload.Has("Measure") || !options.IsDefault("measure");
        const std::string window = workload.Has("Measure") ? "workload" : "measure";
        const bool yields = (isDefaultGiven && !options.IsGiven(option)) ||
                            (std::string(option) == "duration" && hasWindow &&
                             !options.IsGivenWith(option, window));
        if (hasAttribute && !workload.Has(attribute) && !yields)
        {
            ParseRdmaOption(option, [&, &name = attribute, &from = option] {
                const std::string text = options.GetText(from);
                const bool isSize = std::string(from) == "bytes"; // as in 2MB or 1e6
                workload.SetText(name, isSize ? std::to_string(ParseRdmaBytes(text)) : text);
            });
        }
    }
    SetPartDefault(workload, {"Mtu"}, UintegerValue(options.mtu));
    RefuseRdmaIf(!options.IsDefault("warmUp") && !workload.Has("Measure"),
                 "--warmUp: " + options.warmUp + " without --measure; accepted: with --measure");
    RefuseRdmaIf(
        workload.HasAttribute("Measure") && workload.Has("Measure") && workload.Has("Duration"),
        (options.IsDefault("duration") ? with : "--duration=" + options.duration) +
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
    ParseRdmaOption("topology", [&] { CheckRdmaMemory(topology); });
    CheckRdmaChoice("pfc", m_options.pfc, {"on", "off"});
    m_stop = ParseRdmaOption("stop", [&] { return ParseRdmaTime(m_options.stop); });
    RngSeedManager::SetSeed(m_options.seed);
    RdmaFabricHelper helper;
    RdmaSimulatorImpl::Select();
    // Only now, because Simulator::Now() makes a simulator where there is none.
    RefuseRdmaIf(Simulator::Now() > Time(0),
                 "a run in a simulation that is at ",
                 FormatRdmaTime(RdmaNow()),
                 "; accepted: after Simulator::Destroy()");
    Simulator::SetScheduler(ObjectFactory("ns3::QbbWheelScheduler"));
    const std::future<void> constants = ComputeRandomConstants();

    uint8_t classes = 0;
    if (m_schedule)
    {
        UintegerValue other;
        m_packets->GetAttribute("Priority", other);
        classes = m_schedule->GetPriorityMask(static_cast<uint8_t>(other.Get()));
    }
    for (const RdmaFlow& flow : flows)
    {
        classes |= static_cast<uint8_t>(1U << (flow.priority & 7));
    }
    try
    {
        ReadParts(topology);
        Configure(helper, classes);
        ParseRdmaOption("delayJitter", [&] {
            const RdmaPs jitter = ParseRdmaTime(m_options.delayJitter);
            constexpr RdmaPs MOST = RdmaFabricHelper::MAX_DELAY_JITTER;
            RefuseRdmaIf(jitter > MOST,
                         m_options.delayJitter + "; accepted: 0ns to " + FormatRdmaTime(MOST));
            helper.SetDelayJitter(RdmaToTime(jitter));
        });
        // Streams from 1 on belong to the fabric.
        helper.AssignStreams(0);
        m_fabric = helper.Install(topology);
        FinishSwitches();
        ParseRdmaOption("failures", [this] {
            m_fabric->InstallFailures(RdmaFailurePlan::Parse(m_options.failures));
        });
        m_fabric->AssignStreams(1);
        CheckForDeadlocks();
        InstallFailures();
        CheckTimers(classes);
        InstallFlows(topology, flows);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(m_options.NameOptionOfPart(error.what()));
    }
    m_instruments = MakeInstruments(m_options);
    for (const auto& [option, instrument] : m_instruments)
    {
        RefuseRdmaIf(RdmaRanks::AreSeveral() && !instrument->SupportsSharedRuns(),
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
    if (m_schedule)
    {
        m_runner->Install(m_fabric, flows); // none, for instruments
        InstallSchedule();
        return;
    }
    m_runner->SetDependencies(m_dependencies);
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
    if (IsTcp())
    {
        RefuseRdmaIf(RdmaRanks::AreSeveral(),
                     "--transport: iwarp with " + std::to_string(RdmaRanks::GetNumber()) +
                         " ranks; accepted: with one rank");
        RefuseRdmaIf(m_options.connection != "auto",
                     "--connection: " + m_options.connection +
                         " with --transport=iwarp, whose flows have one TCP connection at the "
                         "first port; accepted: auto");
        return m_transport.Create<RdmaFlowRunnerBase>();
    }
    auto runner = CreateObject<RdmaFlowRunner>();
    // Instruments may read queue pairs from the start; otherwise the attribute's default applies.
    if (m_options.keepQueuePairs || !m_options.instruments.empty())
    {
        runner->SetAttribute("KeepQueuePairs", BooleanValue(true));
    }
    if (m_options.connection != "auto")
    {
        const RdmaPart plan = ParseRdmaOption("connection", [this] {
            return RdmaPart::Parse(m_options.connection, RdmaConnectionPlan::GetTypeId());
        });
        runner->SetAttribute("Plan", PointerValue(plan.Create<RdmaConnectionPlan>()));
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
        GetRdmaWarnings() << "rdma: warning: cyclic buffer dependency, PFC can deadlock: "
                          << FormatRdmaCycle(*m_fabric, m_check.cycle) << "\n";
    }
}

bool
RdmaFabricRun::IsTcp() const
{
    return m_transport.GetType() == RdmaTcpFlowRunner::GetTypeId();
}

bool
RdmaFabricRun::IsEcnOn() const
{
    return m_options.ecn == "auto" ? m_marking != RdmaMarking::NONE : m_options.ecn != "off";
}

void
RdmaFabricRun::ReadParts(const RdmaTopology& topology)
{
    m_control = ParseRdmaOption("cc", [this] {
        return RdmaPart::ParseOptional(m_options.cc, RdmaCongestionControl::GetTypeId());
    });
    if (const auto control = m_control.Create<RdmaCongestionControl>())
    {
        m_marking = control->GetMarking();
        m_marksFor = "--cc=" + m_options.cc;
        // An upper bound for telemetry of any format over any path.
        m_controlBytes = control->GetIntFormat() != RdmaIntFormat::NONE
                             ? QbbWire::IntTrailerBytes(RdmaIntFormat::EXACT, RDMA_INT_MAX_HOPS)
                         : control->GetUtilisationPeriod() > 0 ? QbbWire::PINT_BYTES
                                                               : 0;
    }
    m_entropy = ParseRdmaOption("entropy", [this] {
        return RdmaPart::ParseOptional(m_options.entropy, RdmaEntropy::GetTypeId());
    });
    if (const auto entropy = m_entropy.Create<RdmaEntropy>();
        entropy && m_marking == RdmaMarking::NONE)
    {
        m_marking = entropy->GetMarking();
        m_marksFor = "--entropy=" + m_options.entropy;
    }
    m_watchdog = MakeWatchdogPart(m_options);
    m_nicWatchdog = MakeNicWatchdogPart(m_options);
    m_transport = MakeTransportPart(m_options);
    if (IsTcp())
    {
        RefuseRdmaIf(!m_control.IsNone(),
                     "--cc: " + m_options.cc +
                         " with --transport=iwarp; accepted: none, for TCP has its own");
        RefuseRdmaIf(!m_entropy.IsNone(),
                     "--entropy: " + m_options.entropy +
                         " with --transport=iwarp; accepted: none, for a connection of TCP has one "
                         "source port");
        m_transport.Set("SegmentSize", UintegerValue(m_options.mtu));
        m_transport.Set("UseEcn", BooleanValue(IsEcnOn()));
        return;
    }
    const auto& links = topology.GetLinks();
    const bool isClean =
        m_options.failures.empty() && std::all_of(links.begin(), links.end(), [](const auto& link) {
            return link.errorRate == 0;
        });
    if (const RdmaPs storm = GetStormTimeout(m_watchdog, m_nicWatchdog); storm > 0_ps && isClean)
    {
        SetPartDefault(m_transport,
                       {"RtoHigh", "RetransmissionTimeout"},
                       TimeValue(RdmaToTime(storm)));
    }
}

void
RdmaFabricRun::Configure(RdmaFabricHelper& helper, uint8_t classes) const
{
    CheckMtu(m_options);
    m_options.RefuseOwnDefaults();
    constexpr uint32_t HEADERS = QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES +
                                 QbbWire::BTH_BYTES + QbbWire::ICRC_BYTES +
                                 QbbWire::IRN_EXTENSION_BYTES;
    helper.SetDeviceAttribute(
        "Mtu",
        UintegerValue(std::max(1500U, m_options.mtu + HEADERS + m_controlBytes)));
    helper.SetDeviceAttribute("FlowControl", StringValue(m_options.pfc == "on" ? "Pfc" : "None"));
    // All classes used by flows are lossless.
    helper.SetDeviceAttribute("PfcClasses", UintegerValue(classes));
    helper.SetQueuePairAttribute("PathMtu", UintegerValue(m_options.mtu));
    ParseRdmaOption("paths", [&] { helper.SetPathSelector(m_options.paths); });
    if (IsTcp())
    {
        helper.SetInternetStack(true);
    }
    else
    {
        helper.SetTransport(m_transport);
    }
    ConfigureEcn(helper);
    helper.SetCongestionControl(m_control);
    helper.SetEntropy(m_entropy);
    CheckRdmaChoice("switch", m_options.switchType, {"shared", "input-queued"});
    CheckRdmaChoice("trust", m_options.trust, {"dscp", "vlan"});
    RefuseRdmaIf(m_options.trust == "vlan" && IsTcp(),
                 "--trust: vlan with --transport=iwarp; accepted: dscp, because "
                 "ns-3's TCP does not choose the PCP");
    helper.SetPfcDeployment(m_options.trust == "vlan" ? RdmaPfcDeployment::VLAN
                                                      : RdmaPfcDeployment::DSCP);
    helper.SetBufferManager(MakeBufferPart(m_options));
    if (m_options.switchType == "input-queued")
    {
        helper.SetSwitchAttribute("Queueing", EnumValue(QbbSwitch::INPUT_QUEUED));
    }
}

void
RdmaFabricRun::ConfigureEcn(RdmaFabricHelper& helper) const
{
    const std::string& text = m_options.ecn;
    ParseRdmaOption("marker", [&] { helper.SetMarker(m_options.marker); });
    const RdmaPart detector = ParseRdmaOption("marking", [this] {
        return RdmaPart::ParseOptional(m_options.marking,
                                       QbbCongestionDetector::GetTypeId(),
                                       "curve");
    });
    helper.SetCongestionDetector(detector);
    RefuseRdmaIf(m_marking != RdmaMarking::NONE && !IsEcnOn(),
                 "--ecn: " + text + " with " + m_marksFor +
                     "; accepted: auto, on, or KMIN:KMAX:PMAX");
    if (!detector.IsNone())
    {
        RefuseRdmaIf(text != "auto" && text != "on",
                     "--ecn: " + text + " with --marking=" + m_options.marking +
                         "; accepted: auto or on");
        RefuseRdmaIf(!IsEcnOn(),
                     "--marking: " + m_options.marking +
                         " with --ecn=auto and --cc=" + m_options.cc +
                         "; accepted: curve, or with --ecn=on, or a --cc that needs marks");
    }
    if (text == "auto")
    {
        // The helper asks the congestion control. The option marker adds to the curve.
        if (m_options.marker != "none" && detector.IsNone())
        {
            helper.EnableEcn(IsEcnOn());
        }
        return;
    }
    if (text == "on" || text == "off")
    {
        // With a detector in place of the curve, "on" means that packets are ECN-capable.
        helper.EnableEcn(text == "on" && detector.IsNone());
        return;
    }
    ParseRdmaOption("ecn", [&] {
        const auto parts = SplitRdmaPart(text, ':');
        RefuseRdmaIf(parts.size() != 3,
                     "\"" + text +
                         "\"; accepted: auto, on, off, or KMIN:KMAX:PMAX at "
                         "40 Gb/s, as in 5KB:200KB:0.01");
        const uint64_t kmin = ParseRdmaBytes(parts[0]);
        const uint64_t kmax = ParseRdmaBytes(parts[1]);
        const double pmax = ParseRdmaReal(parts[2]);
        for (const std::string name : {"Kmin", "Kmax", "Pmax"})
        {
            RefuseRdmaIf(IsRdmaDefaultGiven(QbbEcnMarker::GetTypeId(), name),
                         text + " with --ns3::QbbEcnMarker::" + name +
                             "; accepted: one of the two");
        }
        RefuseRdmaIf(kmin > kmax || !(pmax > 0 && pmax <= 1),
                     "\"" + text + "\"; accepted: KMIN at most KMAX, PMAX above 0 and at most 1");
        helper.SetEcnAttribute("Kmin", UintegerValue(kmin));
        helper.SetEcnAttribute("Kmax", UintegerValue(kmax));
        helper.SetEcnAttribute("Pmax", DoubleValue(pmax));
    });
}

void
RdmaFabricRun::FinishSwitches()
{
    const bool isDivided = ApplySonicFiles(*m_fabric, m_options);
    for (const uint32_t id : m_fabric->GetTopology().GetSwitches())
    {
        try
        {
            // Refuses settings that the start of the simulation would refuse.
            m_fabric->GetSwitch(id)->ConfigureBuffer();
        }
        catch (const std::invalid_argument&)
        {
            if (!isDivided)
            {
                CheckBuffer(*m_fabric, id, m_options.buffer);
            }
            throw;
        }
    }
}

void
RdmaFabricRun::InstallFailures() const
{
    const std::pair<const char*, bool> needPfc[] = {{"storm", !m_options.storm.empty()},
                                                    {"watchdog", !m_watchdog.IsNone()},
                                                    {"nicWatchdog", !m_nicWatchdog.IsNone()}};
    for (const auto& [option, isGiven] : needPfc)
    {
        RefuseRdmaIf(isGiven && m_options.pfc != "on",
                     std::string("--") + option + " with --pfc=" + m_options.pfc +
                         "; accepted: with --pfc=on");
    }
    ParseRdmaOption("slowReceiver",
                    [this] { InstallRdmaSlowReceivers(*m_fabric, m_options.slowReceiver); });
    ParseRdmaOption("storm", [this] { InstallRdmaStorms(*m_fabric, m_options.storm); });
    if (!m_nicWatchdog.IsNone())
    {
        for (const uint32_t id : m_fabric->GetTopology().GetNics())
        {
            const auto nic = m_fabric->GetNic(id);
            for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
            {
                m_nicWatchdog.Create<RdmaNicWatchdog>()->Install(nic->GetPort(port));
            }
        }
    }
    if (!m_watchdog.IsNone())
    {
        for (const uint32_t id : m_fabric->GetTopology().GetSwitches())
        {
            m_watchdog.Create<QbbPfcWatchdog>()->Watch(m_fabric->GetSwitch(id));
        }
    }
}

void
RdmaFabricRun::CheckTimers(uint8_t classes) const
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        const bool isUsed = !IsTcp() && (classes >> priority & 1);
        const std::string refusal = isUsed ? m_fabric->GetTimers().GetRefusal(priority) : "";
        RefuseRdmaIf(!refusal.empty(),
                     "--transport: " + m_options.transport + " without a timeout; " + refusal +
                         "; accepted: a time above 0, longer than --stop for a run without "
                         "timeouts");
    }
}

std::vector<std::pair<std::string, Ptr<RdmaInstrument>>>
RdmaFabricRun::MakeInstruments(const RdmaFabricOptions& options)
{
    std::vector<std::pair<std::string, Ptr<RdmaInstrument>>> all;
    ParseRdmaOption("instruments", [&] {
        std::set<std::string> files;
        for (const std::string& text : SplitRdmaPart(options.instruments, ','))
        {
            if (options.instruments.empty())
            {
                return;
            }
            const RdmaPart part = RdmaPart::Parse(text, RdmaInstrument::GetTypeId());
            all.emplace_back("instruments", part.Create<RdmaInstrument>());
            const std::string file = GetFile(*all.back().second);
            RefuseRdmaIf(!file.empty() && !files.insert(file).second,
                         text + ": another instrument writes " + file + "; accepted: another file");
        }
    });
    RefuseRdmaOption("instruments", !all.empty() && options.checkDeadlock, "--checkDeadlock");
    RefuseRdmaOption("explain", options.explain && options.checkDeadlock, "--checkDeadlock");
    const auto has = [&all](const Ptr<RdmaInstrument>& report) {
        return std::any_of(all.begin(), all.end(), [&report](const auto& each) {
            return each.second->GetInstanceTypeId() == report->GetInstanceTypeId();
        });
    };
    if (const auto report = CreateObject<RdmaExplainReport>(); options.explain && !has(report))
    {
        all.emplace_back("explain", report);
    }
    // A run has each of these reports at most once. Reports that the user does not name come first.
    const auto addReport = [&all, &has](const Ptr<RdmaInstrument>& report) {
        if (!has(report))
        {
            all.emplace(all.begin(), "instruments", report);
        }
    };
    // Only the module's own simulator can search for deadlocks over several ranks.
    if (options.pfc == "on" && (!RdmaRanks::AreSeveral() || RdmaRankAlarms::Get()))
    {
        addReport(CreateObject<RdmaDeadlockReport>());
    }
    addReport(CreateObject<RdmaFailureReport>());
    return all;
}

std::string
RdmaFabricRun::GetFile(const RdmaInstrument& instrument)
{
    StringValue file;
    return instrument.GetAttributeFailSafe("File", file) ? file.Get() : "";
}

void
RdmaFabricRun::Run(bool progress)
{
    Simulator::Stop(RdmaToTime(m_stop) - Simulator::Now());
    const uint64_t eventsBefore = Simulator::GetEventCount();
    const std::clock_t begin = std::clock();
    if (m_runner->GetNFlows() > 0 || m_schedule)
    {
        RdmaProgress display(m_runner, std::cerr);
        display.SetFailures(m_fabric->GetFailures());
        if (progress && !m_schedule)
        {
            display.Start(m_firstStart);
        }
        std::vector<RdmaRunWork*> work{PeekPointer(m_runner)};
        if (m_schedule)
        {
            work.push_back(PeekPointer(m_schedule));
        }
        m_signal = RunUntilSignal(work);
        display.Finish();
        if (const std::string reason = RdmaSimulatorImpl::GetReasonForOneThread(); !reason.empty())
        {
            // One write, because several processes may write at the same time.
            std::cerr << "rdma: note: one thread runs all nodes: " + reason + "\n";
        }
        // On one thread, the groups depend on the caches of the machine, and the output must not.
        const RdmaGroupRunCounters groups = RdmaSimulatorImpl::GetGroupCounters();
        if (m_options.explain && groups.windows > 0 && RdmaSimulatorImpl::GetThreads() > 1)
        {
            std::cerr << "rdma: note: " + groups.Describe() + "\n";
        }
    }
    m_cpuS = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (const std::string note = GetRdmaBuildNote(); m_cpuS > LONG_RUN_S && !note.empty())
    {
        GetRdmaWarnings() << note << "\n";
    }
    m_events = Simulator::GetEventCount() - eventsBefore;
    m_end = RdmaNow();
    if (m_signal != 0)
    {
        const uint64_t ended = SumRdmaValues(m_runner->GetNCountedEnded());
        GetRdmaWarnings() << "rdma: interrupted by " << RdmaInterrupt::GetName(m_signal) << " at "
                          << FormatRdmaMicroseconds(m_end) << ", ";
        if (m_schedule)
        {
            GetRdmaWarnings() << "before the end of the schedule\n";
        }
        else
        {
            GetRdmaWarnings() << ended << " of " << m_runner->GetNCounted()
                              << (m_window ? " counted" : "") << " flows have ended\n";
        }
    }
    for (const auto& [option, instrument] : m_instruments)
    {
        if (m_signal != 0)
        {
            instrument->SetCut();
        }
        instrument->Finish();
    }
    const uint64_t active = SumRdmaValues(m_runner->GetNActive());
    if (!m_detector && m_options.pfc == "on" && active > 0)
    {
        GetRdmaWarnings() << "rdma: note: several ranks of this simulator do not search for "
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
RdmaFabricRun::PrintExpectedMemory(std::ostream& os) const
{
    for (const auto& [option, instrument] : m_instruments)
    {
        const auto report = DynamicCast<RdmaExplainReport>(instrument);
        if (report && report->GetCost().flows > 0)
        {
            const auto toMb = [](uint64_t bytes) {
                return std::llround(static_cast<double>(bytes) / 1e6);
            };
            const RdmaRunCost& cost = report->GetCost();
            os << "Expected memory: " << toMb(cost.GetPeakBytes())
               << " MB at most, of which the process has " << toMb(cost.presentBytes)
               << " MB now\n\n";
        }
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

void
RdmaFabricRun::ExplainFailures(std::vector<RdmaFlowResult>& flows) const
{
    const std::string inForce = m_fabric->GetFailures().DescribeAt(m_end);
    for (RdmaFlowResult& result : flows)
    {
        if (!inForce.empty() && !result.IsCompleted())
        {
            result.status += "; failures: " + inForce;
        }
    }
}

RdmaFabricOutcome
RdmaFabricRun::GetOutcome(bool hasPorts) const
{
    RdmaFabricOutcome outcome;
    outcome.isSchedule = m_schedule != nullptr;
    outcome.flows = m_runner->GetResults();
    const auto deadlock = m_detector ? m_detector->Find() : std::nullopt;
    if (deadlock)
    {
        ExplainRdmaDeadlock(outcome.flows, *m_runner, *m_fabric, *deadlock);
    }
    ExplainFailures(outcome.flows);
    GatherRdmaFlows(outcome.flows, *m_fabric);
    if (hasPorts)
    {
        outcome.ports = m_fabric->GetPortResults();
        GatherRdmaPorts(outcome.ports, *m_fabric);
    }
    outcome.tables = m_tables;
    if (m_fabric->GetTimers().IsReordering())
    {
        AddRdmaReorderingColumns(outcome.tables);
    }
    AddRdmaStatedColumns(outcome.tables, outcome.flows);
    const RdmaTopology& topology = m_fabric->GetTopology();
    if (topology.GetNics().size() > topology.GetHosts().size())
    {
        AddRdmaNicColumns(outcome.tables);
    }
    outcome.summary =
        MakeRdmaSummary(outcome.flows, GatherRdmaTotals(m_fabric->GetTotals()), outcome.tables);
    if (m_window)
    {
        outcome.summary.measured =
            MakeRdmaMeasuredSummary(outcome.flows, m_window->begin, m_window->end);
    }
    const uint64_t counted = m_runner->GetNCounted();
    if (const uint64_t left = counted - SumRdmaValues(m_runner->GetNCountedEnded()); left > 0)
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
    if (!IsScheduleDone())
    {
        uint64_t ranks = 0;
        uint64_t open = 0;
        for (const RdmaScheduleJob& job : m_schedule->GetJobs())
        {
            for (const uint32_t rank : job.GetRanks())
            {
                ++ranks;
                open += job.GetEnd(rank) ? 0 : 1;
            }
        }
        const std::string by = m_signal != 0 ? RdmaInterrupt::GetName(m_signal)
                               : deadlock    ? "deadlock"
                                             : "stop";
        outcome.summary.cut = RdmaRunCut{by, m_end, open, ranks, false, true};
    }
    outcome.summary.events = SumRdmaValues(m_events);
    outcome.summary.simTimeUs = static_cast<double>(m_end) / 1e6;
    outcome.summary.cpuS = m_cpuS;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    outcome.summary.peakRssMb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    return outcome;
}

std::string
GetRdmaBuildNote(bool asserts, bool logs)
{
    if (!asserts && !logs)
    {
        return "";
    }
    const std::string what = asserts && logs ? "asserts and logging"
                             : asserts       ? "asserts"
                                             : "logging";
    return "note: this ns-3 has " + what +
           " compiled in; long runs are faster without (see Speed in the manual)";
}

std::string
GetRdmaBuildNote()
{
#ifdef NS3_ASSERT_ENABLE
    constexpr bool ASSERTS = true;
#else
    constexpr bool ASSERTS = false;
#endif
#ifdef NS3_LOG_ENABLE
    constexpr bool LOGS = true;
#else
    constexpr bool LOGS = false;
#endif
    return GetRdmaBuildNote(ASSERTS, LOGS);
}

} // namespace ns3
