/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-explain-report.h"

#include "rdma-event-time.h"
#include "rdma-flow-runner.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-shared-results.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"
#include "rdma-units.h"

#include <ns3/uinteger.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaExplainReport);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_explainReportName("explain",
                                       RdmaExplainReport::GetTypeId(),
                                       "",
                                       "why the run pauses, marks and drops, or why not");

/** \return the largest flow in bytes, by class */
std::map<uint8_t, uint64_t>
GetLargestFlows(const RdmaFlowRunnerBase& runner)
{
    std::map<uint8_t, uint64_t> largest;
    for (uint64_t i = 0; i < runner.GetNFlows(); ++i)
    {
        const RdmaFlow& flow = runner.GetFlow(i);
        uint64_t& bytes = largest[static_cast<uint8_t>(flow.priority & 7)];
        bytes = std::max(bytes, flow.bytes);
    }
    return largest;
}

/** \return 0 bytes for each class that any port may pause; for class 3 if there is none */
std::map<uint8_t, uint64_t>
GetLosslessClasses(const RdmaFabric& fabric)
{
    uint8_t mask = 0;
    for (uint32_t link = 0; link < fabric.GetTopology().GetNLinks(); ++link)
    {
        const RdmaTopologyLink ends = fabric.GetTopology().GetLink(link);
        for (const uint32_t node : {ends.a, ends.b})
        {
            mask |= fabric.GetDevice(link, node)->GetFlowControl().GetLosslessClasses();
        }
    }
    std::map<uint8_t, uint64_t> classes;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        if (mask >> priority & 1)
        {
            classes[priority] = 0;
        }
    }
    if (classes.empty())
    {
        classes[3] = 0;
    }
    return classes;
}

/** \return the time in us with two decimals, as in "12.34 us" */
std::string
FormatMoment(RdmaPs time)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%.2f us", static_cast<double>(time) / 1e6);
    return text;
}

/**
 * Prints rows in columns that are as wide as their longest entry. The first column is left-aligned.
 * \param os output stream
 * \param rows the rows, all with the same number of entries
 */
void
PrintInColumns(std::ostream& os, const std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const std::string blanks(widths[i] - row[i].size(), ' ');
            os << (i == 0 ? row[i] + blanks : "  " + blanks + row[i]);
        }
        os << "\n";
    }
}

/**
 * \return room of a port while all other ports are idle; no value for a host, and if the buffer
 *         manager cannot be copied
 */
std::optional<RdmaIngressRoom>
FindIngressRoom(const RdmaFabric& fabric,
                const RdmaFabricPort& port,
                uint8_t priority,
                uint32_t frameBytes)
{
    const auto buffer = fabric.GetTopology().IsNic(port.node)
                            ? nullptr
                            : CopyRdmaBuffer(*fabric.GetSwitch(port.node));
    if (!buffer)
    {
        return std::nullopt;
    }
    const auto input = static_cast<uint16_t>(port.number);
    const auto output = static_cast<uint16_t>(input > 0 ? 0 : buffer->GetNPorts() - 1);
    return TryRdmaIngress(*buffer, input, output, priority, frameBytes);
}

/**
 * \param fabric the fabric
 * \param priority class, 0..7
 * \param senders the hosts
 * \param runner the flows of the run; null: none are known
 * \return what is known of the class before the run
 */
RdmaClassForecast
ForecastClass(const RdmaFabric& fabric,
              uint8_t priority,
              const RdmaSenderProfile& senders,
              const RdmaFlowRunner* runner)
{
    RdmaClassForecast forecast;
    forecast.priority = priority;
    forecast.senders = senders;
    forecast.kinds = MakeRdmaPortKinds(fabric, priority);
    for (const RdmaPortKind& kind : forecast.kinds)
    {
        auto& room = forecast.rooms.emplace_back();
        RdmaRange& holds = forecast.holds.emplace_back();
        RdmaRange& xons = forecast.xons.emplace_back();
        for (const std::size_t i : {kind.leastMemory, kind.mostMemory})
        {
            if (const auto found =
                    FindIngressRoom(fabric, *kind.members[i], priority, senders.frameBytes))
            {
                room = room ? room : found;
                holds.Add(found->holdsBytes);
                xons.Add(found->xonBytes.value_or(0));
            }
        }
    }
    if (runner)
    {
        forecast.ofRun = FindRdmaRunIncasts(fabric, *runner, forecast.kinds, priority, senders);
    }
    for (const RdmaPortPair& pair : MakeRdmaPortPairs(fabric, forecast.kinds))
    {
        const uint64_t flows = CountRdmaRunFlows(forecast.ofRun, pair);
        if (!forecast.ofRun.empty() && flows == 0)
        {
            continue; // No flow of the run takes these ports.
        }
        const uint64_t behind =
            flows ? flows : senders.GetSendersBehind(forecast.kinds[pair.from].rate);
        if (const auto incast =
                ForecastRdmaIncast(fabric, forecast.kinds, pair, priority, senders, behind))
        {
            forecast.incasts.push_back(*incast);
        }
    }
    return forecast;
}

/** \return "N B" */
std::string
FormatSize(uint64_t bytes)
{
    return std::to_string(bytes) + " B";
}

/** \return "N ports" */
std::string
FormatPorts(uint64_t count)
{
    return std::to_string(count) + (count == 1 ? " port" : " ports");
}

/** \return the smallest Kmin and Kmax of a kind; "-" without marks */
std::pair<std::string, std::string>
FormatThresholds(const RdmaPortKind& kind)
{
    uint64_t kmin = std::numeric_limits<uint64_t>::max();
    uint64_t kmax = kmin;
    for (const QbbMarkCurve& curve : kind.marks)
    {
        kmin = std::min(kmin, curve.thresholds.kminBytes);
        kmax = std::min(kmax, curve.thresholds.kmaxBytes);
    }
    const auto format = [](uint64_t bytes) {
        return bytes == std::numeric_limits<uint64_t>::max() ? "-" : std::to_string(bytes);
    };
    return {format(kmin), format(kmax)};
}

/** \return the row of a kind of ports */
std::vector<std::string>
MakeKindRow(const RdmaClassForecast& forecast, std::size_t index)
{
    const RdmaPortKind& kind = forecast.kinds[index];
    const auto& room = forecast.rooms[index];
    const auto [kmin, kmax] = FormatThresholds(kind);
    const bool pauses = room && room->pauses;
    const bool drops = room && !room->pauses;
    return {kind.name,
            std::to_string(kind.members.size()),
            FormatRdmaRate(kind.rate),
            pauses ? forecast.holds[index].Format("-") : "-",
            pauses && room->xonBytes ? forecast.xons[index].Format("-") : "-",
            drops ? forecast.holds[index].Format("-") : "-",
            pauses ? kind.headroom.Format("-") : "-",
            pauses ? kind.neededHeadroom.Format("-") : "-",
            room && kind.buffer.alpha > 0 ? FormatRdmaReal(kind.buffer.alpha) : "-",
            kmin,
            kmax,
            std::to_string(forecast.senders.GetBdpBytes(kind.rate))};
}

/** Prints what the run will take. */
void
PrintCost(std::ostream& os, const RdmaRunCost& cost)
{
    os << "Expected without loss: " << cost.packetHops << " packet-hops, for " << cost.packets
       << " packets of " << cost.flows << (cost.flows == 1 ? " flow" : " flows") << " and "
       << cost.replies << " replies\n\n";
}

/** Prints when an event happens. */
void
PrintEvent(std::ostream& os, const RdmaIncastEvent& event, bool ofIngress)
{
    os << "after " << FormatMoment(event.at) << ", with " << FormatSize(event.queueBytes)
       << " in the queue";
    if (ofIngress)
    {
        os << " and " << FormatSize(event.senderBytes) << " from one of the ports";
    }
    os << "\n";
}

/** Prints the smallest incast that causes an effect. \param what name of the effect */
void
PrintDegree(std::ostream& os,
            const std::string& what,
            const std::optional<RdmaIncastEvent>& event,
            const RdmaIncastForecast& incast,
            bool ofIngress)
{
    os << "  " << what << ": ";
    if (!event)
    {
        os << "none with up to " << FormatPorts(incast.pair.inputs.size())
           << (incast.controlFirst > 0 ? " before congestion control slows a sender" : "") << "\n";
        return;
    }
    os << FormatPorts(event->senders) << ", ";
    PrintEvent(os, *event, ofIngress);
}

/** Prints whether congestion control or PFC acts first. */
void
PrintOrder(std::ostream& os, const RdmaIncastForecast& incast)
{
    os << "  first to slow a sender: ";
    if (incast.controlFirst > 0)
    {
        os << "congestion control with up to " << FormatPorts(incast.controlFirst);
    }
    if (incast.pfcFirst)
    {
        os << (incast.controlFirst > 0 ? ", PFC with " : "PFC with ")
           << FormatPorts(*incast.pfcFirst) << " and more";
    }
    if (incast.controlFirst == 0 && !incast.pfcFirst)
    {
        os << "neither congestion control nor PFC";
    }
    os << "\n";
}

void
PrintIncast(std::ostream& os, const RdmaClassForecast& forecast, const RdmaIncastForecast& incast)
{
    const RdmaPortKind& from = forecast.kinds[incast.pair.from];
    const RdmaPortKind& to = forecast.kinds[incast.pair.to];
    os << "\nIncast into one port " << to.name << ", from 1 to " << incast.pair.inputs.size()
       << " ports " << from.name << " with " << incast.frames << " packets each, of "
       << incast.behind << (forecast.ofRun.empty() ? " host" : " flow")
       << (incast.behind == 1 ? "" : "s") << ":\n";
    const auto most =
        static_cast<double>(from.rate) * static_cast<double>(incast.pair.inputs.size());
    if (most <= static_cast<double>(to.rate))
    {
        os << "  no queue: these ports together are not faster than the one\n";
        return;
    }
    if (to.marks.empty())
    {
        os << "  first mark: none, for nothing marks by the length of the queue\n";
    }
    else
    {
        PrintDegree(os, "first mark possible", incast.smallest.mayMark, incast, false);
        PrintDegree(os, "first mark expected", incast.smallest.mark, incast, false);
    }
    if (forecast.senders.control && !forecast.senders.ReactsToMarks())
    {
        PrintDegree(os, "first reaction to delay", incast.smallest.signal, incast, false);
    }
    if (from.lossless)
    {
        PrintDegree(os, "first pause", incast.smallest.pause, incast, true);
    }
    else
    {
        os << "  first pause: none, for the class is lossy\n";
    }
    PrintDegree(os, "first drop", incast.smallest.drop, incast, true);
    if (forecast.senders.control && from.lossless)
    {
        PrintOrder(os, incast);
    }
}

/** Prints the first event of an effect in a largest incast of the run. */
void
PrintFirst(std::ostream& os,
           const RdmaClassForecast& forecast,
           const std::string& what,
           const std::optional<RdmaIncastEvent>& event,
           bool ofIngress)
{
    os << "  " << what << ": ";
    if (!event)
    {
        os << "none"
           << (forecast.senders.control ? " before congestion control slows a sender" : "") << "\n";
        return;
    }
    PrintEvent(os, *event, ofIngress);
}

/** Prints a largest incast of the run. */
void
PrintRunIncast(std::ostream& os, const RdmaClassForecast& forecast, const RdmaRunIncast& incast)
{
    os << "\nThe run's largest incast into one port " << forecast.kinds[incast.to].name << ": "
       << incast.port << ", " << incast.GetNFlows() << " flows at once";
    std::map<std::size_t, std::pair<uint64_t, uint64_t>> sums; // ports and flows, by kind
    for (const RdmaRunIncast::Input& input : incast.inputs)
    {
        ++sums[input.kind].first;
        sums[input.kind].second += input.flows;
    }
    for (const auto& [kind, sum] : sums)
    {
        os << ", " << sum.second << " of them from " << FormatPorts(sum.first) << " "
           << forecast.kinds[kind].name;
    }
    os << ":\n";
    const RdmaIncastOutcome& outcome = incast.outcome;
    if (!forecast.kinds[incast.to].marks.empty())
    {
        PrintFirst(os, forecast, "first mark expected", outcome.mark, false);
    }
    PrintFirst(os, forecast, "first pause", outcome.pause, true);
    PrintFirst(os, forecast, "first drop", outcome.drop, true);
}

/** \return what slows a sender down, as the end of a sentence */
std::string
DescribeWhatSlowsSenders(const RdmaClassForecast& forecast)
{
    const bool lossless =
        std::any_of(forecast.kinds.begin(), forecast.kinds.end(), [](const RdmaPortKind& kind) {
            return !kind.ofHost && kind.lossless;
        });
    const auto& control = forecast.senders.control;
    if (control)
    {
        const std::string name = control->GetInstanceTypeId().GetName();
        return ", until " + (lossless ? "a pause or " + name : name) + " slows it down.\n";
    }
    return lossless ? ", until a pause stops it; there is no congestion control.\n"
                    : "; there are no pauses and no congestion control.\n";
}

/** Prints what the hosts send. */
void
PrintSenders(std::ostream& os, const RdmaClassForecast& forecast)
{
    const RdmaSenderProfile& senders = forecast.senders;
    os << "Packets have " << FormatSize(senders.payloadBytes) << " of payload, in frames of "
       << FormatSize(senders.frameBytes) << ". The longest round trip is "
       << FormatMoment(senders.rtt) << ".\n";
    if (senders.burstBytes > 0)
    {
        os << "A host sends " << FormatSize(senders.burstBytes) << " at line rate (Burst)"
           << DescribeWhatSlowsSenders(forecast);
    }
    else if (senders.flowBytes > 0)
    {
        os << "A host sends its flow at line rate, at most " << FormatSize(senders.flowBytes)
           << DescribeWhatSlowsSenders(forecast);
    }
    else
    {
        os << "A host sends a bandwidth-delay product at line rate"
           << DescribeWhatSlowsSenders(forecast);
    }
    if (senders.burstBytes == 0 && senders.maxInFlight < std::numeric_limits<uint32_t>::max())
    {
        os << "Its transport has at most " << senders.maxInFlight << " packets in flight.\n";
    }
    if (senders.ReactsToMarks())
    {
        const bool marked =
            std::any_of(forecast.kinds.begin(), forecast.kinds.end(), [](const RdmaPortKind& kind) {
                return !kind.marks.empty();
            });
        os << (marked ? "" : "Congestion control waits for marks, and no switch marks by queue.\n");
    }
    else if (senders.control)
    {
        os << "Congestion control reacts to a queueing delay above "
           << FormatMoment(senders.GetAcceptedDelay()) << ".\n";
    }
}

/**
 * Prints a table of the kinds of ports, and for each pair of kinds which incast first marks, pauses
 * and drops, and whether congestion control or PFC acts first.
 */
void
PrintClassForecast(std::ostream& os, const RdmaClassForecast& forecast)
{
    os << "Before the run: class " << +forecast.priority << ", sizes in bytes\n\n";
    std::vector<std::vector<std::string>> rows = {{"ports",
                                                   "number",
                                                   "rate",
                                                   "XOFF above",
                                                   "XON at",
                                                   "drops above",
                                                   "headroom",
                                                   "needed",
                                                   "alpha",
                                                   "Kmin",
                                                   "Kmax",
                                                   "BDP"}};
    for (std::size_t i = 0; i < forecast.kinds.size(); ++i)
    {
        rows.push_back(MakeKindRow(forecast, i));
    }
    PrintInColumns(os, rows);
    os << "\n";
    PrintSenders(os, forecast);
    for (const RdmaIncastForecast& incast : forecast.incasts)
    {
        PrintIncast(os, forecast, incast);
    }
    for (const RdmaRunIncast& incast : forecast.ofRun)
    {
        PrintRunIncast(os, forecast, incast);
    }
    if (forecast.incasts.empty())
    {
        os << "No incast was tried: the buffer manager of the switches cannot be copied.\n";
    }
    os << "\n";
}

/** What happened at a port. */
struct PortFindings
{
    uint64_t queueBytes{0};    //!< longest egress queue
    uint64_t ingressBytes{0};  //!< most bytes at ingress; only for switches
    uint64_t headroomBytes{0}; //!< most headroom in use; only for switches
    uint64_t headroomLimit{0}; //!< headroom of the port; only for switches
    uint64_t xoffSent{0};      //!< pauses and repeated pauses sent
    uint64_t xoffReceived{0};  //!< pauses and repeated pauses received
    uint64_t marks{0};         //!< packets marked
    uint64_t drops{0};         //!< frames dropped
    uint64_t lowestXoff{0};    //!< RdmaKindFindings::lowestXoff of the port
    decltype(QbbPortCounters::dropsByReason) dropReasons{}; //!< drops of all classes by reason
};

/** Adds the ingress findings of a switch port. */
void
AddIngress(PortFindings& found,
           const QbbSwitch& sw,
           const RdmaPortKind& kind,
           const RdmaFabricPort& port,
           uint8_t priority)
{
    const auto buffer = sw.GetBufferManager();
    if (!buffer || buffer->GetNPorts() == 0)
    {
        return; // The simulation has not begun.
    }
    const auto number = static_cast<uint16_t>(port.number);
    const QbbIngressUsage usage = buffer->GetIngressOfClass(number, priority);
    found.ingressBytes = usage.peakBytes;
    found.headroomBytes = usage.peakHeadroomBytes;
    const QbbIngressTerms terms = buffer->GetTerms(number, priority);
    found.headroomLimit = terms.headroomBytes;
    if (terms.alpha > 0 && kind.lossless)
    {
        // All memory in use counts as shared, which gives a lower bound.
        const uint64_t used = std::min<uint64_t>(terms.poolBytes, buffer->GetUsage().peakUsedBytes);
        found.lowestXoff =
            terms.reserveBytes + terms.limitBytes +
            static_cast<uint64_t>(terms.alpha * static_cast<double>(terms.poolBytes - used));
    }
}

PortFindings
FindPort(const RdmaFabric& fabric,
         const RdmaPortKind& kind,
         const std::shared_ptr<const RdmaFabricPort>& port,
         uint8_t priority)
{
    const Ptr<QbbNetDevice> device = fabric.GetDevice(port->link, port->node);
    const RdmaPortResult result = ReadRdmaPort(port, *device, priority, RdmaNow());
    PortFindings found;
    found.queueBytes = result.peakQueueBytes;
    found.xoffSent = result.xoffSent;
    found.xoffReceived = result.xoffReceived;
    found.marks = result.ecnMarks;
    found.drops = result.drops;
    found.dropReasons = device->GetCounters().dropsByReason;
    if (!kind.ofHost)
    {
        AddIngress(found, *fabric.GetSwitch(port->node), kind, *port, priority);
    }
    return found;
}

/** Adds the findings of a port to the findings of the port's kind. */
void
AddPort(RdmaKindFindings& kind, const PortFindings& found, const std::string& name)
{
    kind.queue.Consider(found.queueBytes, name);
    kind.ingress.Consider(found.ingressBytes, name);
    kind.headroom.Consider(found.headroomBytes, name, found.headroomLimit);
    kind.xoffSent += found.xoffSent;
    kind.xoffReceived += found.xoffReceived;
    kind.pausing += found.xoffSent > 0 ? 1 : 0;
    kind.marks += found.marks;
    kind.drops += found.drops;
    if (found.lowestXoff > 0)
    {
        kind.lowestXoff =
            kind.lowestXoff ? std::min(kind.lowestXoff, found.lowestXoff) : found.lowestXoff;
    }
}

/**
 * \param fabric a fabric after its run
 * \param forecast what was known of the class before the run
 * \return what happened to the class, in all processes that share the simulation
 */
RdmaClassFindings
FindInClass(const RdmaFabric& fabric, const RdmaClassForecast& forecast)
{
    RdmaClassFindings findings;
    const uint8_t priority = forecast.priority;
    for (const RdmaPortKind& kind : forecast.kinds)
    {
        std::vector<PortFindings> rows;
        for (const auto& port : kind.members)
        {
            rows.push_back(FindPort(fabric, kind, port, priority));
        }
        GatherRdmaRows(rows, [&](std::size_t i) {
            return IsRdmaNodeLocal(*fabric.GetNode(kind.members[i]->node));
        });
        RdmaKindFindings& found = findings.kinds.emplace_back();
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            AddPort(found, rows[i], kind.members[i]->name);
            for (std::size_t reason = 0; reason < rows[i].dropReasons.size(); ++reason)
            {
                if (rows[i].dropReasons[reason] > 0)
                {
                    findings.dropReasons[static_cast<QbbDropReason>(reason)] +=
                        rows[i].dropReasons[reason];
                }
            }
        }
        found.room = forecast.rooms[findings.kinds.size() - 1];
        if (found.room && kind.memory.least < kind.memory.most)
        {
            const auto fullest =
                std::find_if(kind.members.begin(), kind.members.end(), [&](const auto& member) {
                    return member->name == found.ingress.port;
                });
            const auto& port = fullest == kind.members.end() ? kind.members.front() : *fullest;
            found.room = FindIngressRoom(fabric, *port, priority, forecast.senders.frameBytes);
        }
    }
    for (const uint32_t sw : fabric.GetTopology().GetSwitches())
    {
        if (const auto buffer = fabric.GetSwitch(sw)->GetBufferManager())
        {
            const std::string type = buffer->GetInstanceTypeId().GetName() + "::";
            const std::string xoff = buffer->GetXoffAttribute();
            const std::string size = buffer->GetSizeAttribute();
            findings.xoffAttribute = xoff.empty() ? "" : type + xoff;
            findings.sizeAttribute = size.empty() ? "" : type + size;
            break;
        }
    }
    return findings;
}

/** An event that happened for the first time in a run. */
struct FirstEvent
{
    RdmaPs at{0};                               //!< time since the start of the first flow
    std::string port;                           //!< name of the port
    QbbDropReason reason{QbbDropReason::COUNT}; //!< reason of a drop
};

/** Records the running event unless an event has been recorded before. */
void
NoteFirst(RdmaEventTime& first)
{
    if (first == RdmaEventTime::Never())
    {
        first = RdmaEventNow();
    }
}

/** Prints the findings of a class as sentences. */
class FindingsPrinter
{
  public:
    FindingsPrinter(std::ostream& os,
                    const RdmaClassForecast& forecast,
                    const RdmaClassFindings& findings,
                    const std::optional<FirstEvent>& firstPause,
                    const std::optional<FirstEvent>& firstMark,
                    const std::optional<FirstEvent>& firstDrop)
        : m_os(os),
          m_forecast(forecast),
          m_findings(findings),
          m_firstPause(firstPause),
          m_firstMark(firstMark),
          m_firstDrop(firstDrop)
    {
    }

    void Print()
    {
        m_os << "\nAfter the run: class " << +m_forecast.priority << ", sizes in bytes\n\n";
        PrintTable();
        m_os << "\n";
        PrintMarks();
        PrintPauses();
        PrintDrops();
    }

  private:
    /** Prints the occupancy of each kind of port next to the thresholds, and what happened. */
    void PrintTable()
    {
        std::vector<std::vector<std::string>> rows = {{"ports",
                                                       "longest queue",
                                                       "fullest ingress",
                                                       "XOFF above",
                                                       "most headroom",
                                                       "headroom",
                                                       "pauses",
                                                       "marks",
                                                       "drops"}};
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            const RdmaPortKind& kind = m_forecast.kinds[i];
            const RdmaKindFindings& found = m_findings.kinds[i];
            const auto& room = m_forecast.rooms[i];
            const bool pauses = room && room->pauses;
            rows.push_back({kind.name,
                            std::to_string(found.queue.bytes),
                            kind.ofHost ? "-" : std::to_string(found.ingress.bytes),
                            pauses ? m_forecast.holds[i].Format("-") : "-",
                            pauses ? std::to_string(found.headroom.bytes) : "-",
                            pauses ? kind.headroom.Format("-") : "-",
                            std::to_string(found.xoffSent),
                            std::to_string(found.marks),
                            std::to_string(found.drops)});
        }
        PrintInColumns(m_os, rows);
    }

    uint64_t Sum(uint64_t RdmaKindFindings::*count) const
    {
        uint64_t sum = 0;
        for (const RdmaKindFindings& kind : m_findings.kinds)
        {
            sum += kind.*count;
        }
        return sum;
    }

    /** \return the largest of the peaks of all kinds, hosts included if \p hosts */
    RdmaPeak GetLargest(RdmaPeak RdmaKindFindings::*peak, bool hosts) const
    {
        RdmaPeak largest;
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            if (hosts || !m_forecast.kinds[i].ofHost)
            {
                const RdmaPeak& other = m_findings.kinds[i].*peak;
                largest.Consider(other.bytes, other.port);
            }
        }
        return largest;
    }

    void PrintMarks()
    {
        const RdmaPeak queue = GetLargest(&RdmaKindFindings::queue, false);
        if (m_firstMark)
        {
            m_os << Sum(&RdmaKindFindings::marks) << " packets were marked, the first after "
                 << FormatMoment(m_firstMark->at) << " at " << m_firstMark->port << ".\n";
            return;
        }
        uint64_t kmin = UINT64_MAX;
        bool perInput = false;
        for (const RdmaPortKind& kind : m_forecast.kinds)
        {
            for (const QbbMarkCurve& curve : kind.marks)
            {
                kmin = std::min(kmin, curve.thresholds.kminBytes);
                perInput = perInput || curve.perInput;
            }
        }
        m_os << "No packet was marked: ";
        if (kmin == UINT64_MAX)
        {
            m_os << "no switch marks by the length of its queues (option ecn, attribute EcnMarker "
                    "of ns3::QbbSwitch).\n";
        }
        else
        {
            m_os << "the longest queue of a switch had " << queue.bytes << " B" << GetPlace(queue)
                 << ", and Kmin is " << kmin << " B or more"
                 << (perInput ? " for the packets of one ingress port" : "") << ".\n";
        }
    }

    void PrintPauses()
    {
        if (m_firstPause)
        {
            PrintWhyPaused();
            return;
        }
        const bool lossless =
            std::any_of(m_forecast.kinds.begin(), m_forecast.kinds.end(), [](const auto& kind) {
                return !kind.ofHost && kind.lossless;
            });
        if (!lossless)
        {
            m_os << "Nothing paused: the class is lossy at every port of a switch, so that a full "
                    "buffer drops frames. For pauses: option pfc=on, attributes FlowControl and "
                    "PfcClasses of ns3::QbbNetDevice.\n";
            return;
        }
        PrintWhyNotPaused();
    }

    /** \return index of the lossless kind whose fullest port came closest to XOFF */
    std::optional<std::size_t> FindClosest() const
    {
        std::optional<std::size_t> closest;
        double most = -1;
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            const auto& room = m_findings.kinds[i].room;
            if (room && room->pauses && room->holdsBytes > 0)
            {
                const double share = static_cast<double>(m_findings.kinds[i].ingress.bytes) /
                                     static_cast<double>(room->holdsBytes);
                if (share > most)
                {
                    most = share;
                    closest = i;
                }
            }
        }
        return closest;
    }

    void PrintWhyNotPaused()
    {
        m_os << "Nothing paused: ";
        const auto closest = FindClosest();
        if (!closest)
        {
            m_os << "no switch port pauses the class when one sender alone fills it.\n";
            return;
        }
        const RdmaKindFindings& found = m_findings.kinds[*closest];
        const uint64_t xoff = found.room->holdsBytes;
        m_os << "the fullest ingress port held " << found.ingress.bytes << " B"
             << GetPlace(found.ingress) << ", " << found.ingress.bytes * 100 / xoff
             << "% of the XOFF of " << m_forecast.kinds[*closest].name << ", which is " << xoff
             << " B" << GetXoffCondition(found) << ".\n";
        PrintLowest(*closest);
        const RdmaPeak queue = GetLargest(&RdmaKindFindings::queue, false);
        if (queue.bytes <= 2 * m_forecast.senders.frameBytes)
        {
            m_os << "No queue of a switch grew beyond two packets: no port had to send more than "
                    "its rate.\n";
        }
        else if (m_forecast.senders.control && (m_firstMark || !m_forecast.senders.ReactsToMarks()))
        {
            m_os << m_forecast.senders.control->GetInstanceTypeId().GetName()
                 << " acted first and kept the longest queue at " << queue.bytes << " B"
                 << GetPlace(queue) << ".\n";
        }
        else
        {
            m_os << "The memory took all of what the flows sent beyond the rates of the ports: at "
                    "most "
                 << queue.bytes << " B waited" << GetPlace(queue) << ".\n";
        }
        m_os << "For pauses: ";
        if (!m_findings.xoffAttribute.empty())
        {
            m_os << "--" << m_findings.xoffAttribute << " below " << found.ingress.bytes << ", ";
        }
        m_os << GetMemoryAdvice("less memory") << "larger flows, or more senders to a port.\n";
    }

    void PrintWhyPaused()
    {
        m_os << "The first pause came after " << FormatMoment(m_firstPause->at) << " from "
             << m_firstPause->port << "; " << Sum(&RdmaKindFindings::xoffSent)
             << " pauses in all, repetitions included.\n";
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            const RdmaKindFindings& found = m_findings.kinds[i];
            const RdmaPortKind& kind = m_forecast.kinds[i];
            if (found.xoffSent > 0 && kind.ofHost)
            {
                m_os << found.pausing << " ports " << kind.name
                     << " sent pauses: a slow receiver or a storm.\n";
            }
            else if (found.xoffSent > 0)
            {
                m_os << found.pausing << " of " << kind.members.size() << " ports " << kind.name
                     << " sent pauses: the fullest held " << found.ingress.bytes << " B"
                     << GetPlace(found.ingress);
                if (found.room && found.room->pauses)
                {
                    m_os << ", XOFF is " << found.room->holdsBytes << " B"
                         << GetXoffCondition(found);
                }
                m_os << "; headroom " << found.headroom.bytes << " of "
                     << (found.headroom.bytes > 0 ? std::to_string(found.headroom.limit)
                                                  : kind.headroom.Format())
                     << " B";
                if (kind.headroom.least < kind.headroom.most && found.headroom.bytes > 0)
                {
                    m_os << GetPlace(found.headroom);
                }
                m_os << ".\n";
                if (found.room)
                {
                    PrintLowest(i);
                }
            }
        }
        uint64_t received = 0;
        for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
        {
            received += m_forecast.kinds[i].ofHost ? 0 : m_findings.kinds[i].xoffReceived;
        }
        if (received > 0)
        {
            m_os << "Pauses spread: ports of switches received " << received
                 << " of them, and a switch that may not send fills up and pauses in turn.\n";
        }
        PrintObservedOrder();
        m_os << "For fewer pauses: ";
        if (!m_findings.xoffAttribute.empty())
        {
            m_os << "a larger --" << m_findings.xoffAttribute << ", ";
        }
        m_os << GetMemoryAdvice("more memory") << GetControlAdvice()
             << "or fewer senders to a port.\n";
    }

    /** Prints whether congestion control or PFC acted first. */
    void PrintObservedOrder()
    {
        const auto& control = m_forecast.senders.control;
        if (!control)
        {
            m_os << "There is no congestion control, so that only pauses slow senders down.\n";
            return;
        }
        const std::string name = control->GetInstanceTypeId().GetName();
        if (!m_forecast.senders.ReactsToMarks())
        {
            m_os << name << " does not use marks; an acknowledgement takes up to "
                 << FormatMoment(m_forecast.senders.rtt)
                 << " and the queueing delay to slow a sender.\n";
            return;
        }
        if (!m_firstMark)
        {
            m_os << "PFC acted, and " << name << " never did: no packet was marked.\n";
            return;
        }
        const RdmaPs pause = m_firstPause->at;
        const RdmaPs mark = m_firstMark->at;
        const bool tooLate = mark + m_forecast.senders.rtt > pause;
        m_os << "The first mark came " << FormatMoment(mark < pause ? pause - mark : mark - pause)
             << (mark < pause ? " before" : " after") << " the first pause, and a mark takes up to "
             << FormatMoment(m_forecast.senders.rtt) << " and the queueing delay to slow a sender: "
             << (tooLate ? "PFC acted before " + name
                         : name + " had time to act first, and the queue grew all the same")
             << ".\n";
    }

    void PrintDrops()
    {
        const uint64_t drops = Sum(&RdmaKindFindings::drops);
        if (drops == 0)
        {
            m_os << "Nothing was dropped.\n";
            return;
        }
        m_os << drops << " frames were dropped";
        if (m_firstDrop)
        {
            m_os << "; the first drop of the run came after " << FormatMoment(m_firstDrop->at)
                 << " at " << m_firstDrop->port << ": " << m_firstDrop->reason;
        }
        m_os << ".\n";
        for (const auto& [reason, count] : m_findings.dropReasons)
        {
            PrintReason(reason, count);
        }
    }

    void PrintReason(QbbDropReason reason, uint64_t count)
    {
        m_os << "Reason " << reason << ": " << count << " frames of all classes.";
        if (reason == QbbDropReason::HEADROOM_FULL)
        {
            for (std::size_t i = 0; i < m_findings.kinds.size(); ++i)
            {
                const RdmaPortKind& kind = m_forecast.kinds[i];
                if (m_findings.kinds[i].drops > 0)
                {
                    m_os << " Ports " << kind.name << " have " << kind.headroom.Format()
                         << " B of headroom and need " << kind.neededHeadroom.Format()
                         << " B; those of the pool have " << kind.headroomPool.Format() << " B.";
                }
            }
        }
        else if (reason == QbbDropReason::BUFFER_FULL || reason == QbbDropReason::EGRESS_LIMIT)
        {
            m_os << " For fewer: " << GetMemoryAdvice("more memory") << GetControlAdvice()
                 << "or pauses (PFC).";
        }
        m_os << "\n";
    }

    void PrintLowest(std::size_t kind)
    {
        const RdmaKindFindings& found = m_findings.kinds[kind];
        if (found.lowestXoff > 0 && found.lowestXoff < found.room->holdsBytes)
        {
            m_os << "The threshold falls as the memory fills; in this run it never was below "
                 << found.lowestXoff << " B.\n";
        }
    }

    /** \return advice that makes congestion control act earlier */
    std::string GetControlAdvice() const
    {
        return !m_forecast.senders.control          ? "congestion control, "
               : m_forecast.senders.ReactsToMarks() ? "lower Kmin and Kmax, "
                                                    : "";
    }

    /** \return where a peak occurred */
    static std::string GetPlace(const RdmaPeak& peak)
    {
        return peak.port.empty() ? "" : " at " + peak.port;
    }

    /** \return condition under which the XOFF threshold of a kind holds; may be empty */
    static std::string GetXoffCondition(const RdmaKindFindings& found)
    {
        return found.lowestXoff > 0 ? " while no other port holds memory" : "";
    }

    /** \return "WHAT (--ATTRIBUTE), ", or "WHAT, " without an attribute */
    std::string GetMemoryAdvice(const std::string& what) const
    {
        return m_findings.sizeAttribute.empty() ? what + ", "
                                                : what + " (--" + m_findings.sizeAttribute + "), ";
    }

    std::ostream& m_os;                     //!< output stream
    const RdmaClassForecast& m_forecast;    //!< what was known before the run
    const RdmaClassFindings& m_findings;    //!< what happened
    std::optional<FirstEvent> m_firstPause; //!< first pause of the class
    std::optional<FirstEvent> m_firstMark;  //!< first mark of the class
    std::optional<FirstEvent> m_firstDrop;  //!< first drop of any class
};

} // namespace

/**
 * Watches the ports of a fabric for the first pause, mark and drop. Each port records its own first
 * events, on the thread of its node.
 */
class RdmaExplainReport::FirstEvents
{
  public:
    /** \param fabric the fabric, before the run */
    explicit FirstEvents(const RdmaFabric& fabric)
        : m_fabric(fabric)
    {
        for (const auto& ports : MakeRdmaFabricPorts(fabric.GetTopology()))
        {
            for (const auto& port : ports)
            {
                const auto own = std::make_shared<Firsts>();
                own->pauses.fill(RdmaEventTime::Never());
                own->marks.fill(RdmaEventTime::Never());
                m_ports.push_back(port);
                m_firsts.push_back(own);
                const Ptr<QbbNetDevice> device = fabric.GetDevice(port->link, port->node);
                device->AddPauseWatcher(true, [own](uint8_t priority, uint16_t quanta) {
                    if (quanta > 0)
                    {
                        NoteFirst(own->pauses[priority]);
                    }
                });
                device->AddMarkWatcher(
                    [own](uint8_t priority) { NoteFirst(own->marks[priority]); });
                device->AddDropWatcher([own](QbbDropReason reason, RdmaEventTime at) {
                    if (at < own->drop)
                    {
                        own->drop = at;
                        own->dropReason = reason;
                    }
                });
            }
        }
    }

    /** Gathers the first events of all processes that share the simulation (GatherRdmaRows()). */
    void Gather()
    {
        std::vector<Firsts> rows;
        for (const auto& firsts : m_firsts)
        {
            rows.push_back(*firsts);
        }
        GatherRdmaRows(rows, [this](std::size_t i) {
            return IsRdmaNodeLocal(*m_fabric.GetNode(m_ports[i]->node));
        });
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            *m_firsts[i] = rows[i];
        }
    }

    /** \param priority a class \param begin instant from which times count \return its first pause
     */
    std::optional<FirstEvent> GetPause(uint8_t priority, RdmaPs begin) const
    {
        return Find([priority](const Firsts& firsts) { return firsts.pauses[priority]; }, begin);
    }

    /** \param priority a class \param begin instant from which times count \return its first mark
     */
    std::optional<FirstEvent> GetMark(uint8_t priority, RdmaPs begin) const
    {
        return Find([priority](const Firsts& firsts) { return firsts.marks[priority]; }, begin);
    }

    /** \param begin instant from which times count \return the first drop of any class */
    std::optional<FirstEvent> GetDrop(RdmaPs begin) const
    {
        return Find([](const Firsts& firsts) { return firsts.drop; }, begin);
    }

  private:
    /** First events of a port. */
    struct Firsts
    {
        std::array<RdmaEventTime, 8> pauses{};          //!< first pause sent, by class, or never
        std::array<RdmaEventTime, 8> marks{};           //!< first mark, by class, or never
        RdmaEventTime drop{RdmaEventTime::Never()};     //!< first drop, or never
        QbbDropReason dropReason{QbbDropReason::COUNT}; //!< reason of the first drop
    };

    /**
     * \return the first of the events of all ports; of events with equal times, the one at the node
     *         with the lowest id
     */
    template <typename GetTime>
    std::optional<FirstEvent> Find(GetTime getTime, RdmaPs begin) const
    {
        // min_element() returns the first of equal elements, which has the lowest node id.
        const auto first = std::min_element(
            m_firsts.begin(),
            m_firsts.end(),
            [&getTime](const auto& a, const auto& b) { return getTime(*a) < getTime(*b); });
        if (first == m_firsts.end() || getTime(**first) == RdmaEventTime::Never())
        {
            return std::nullopt;
        }
        return FirstEvent{getTime(**first).GetInstant() - begin,
                          m_ports[first - m_firsts.begin()]->name,
                          (*first)->dropReason};
    }

    const RdmaFabric& m_fabric; //!< the fabric
    /// The ports, by node id and port number
    std::vector<std::shared_ptr<const RdmaFabricPort>> m_ports;
    /// First events of each port, which its watchers share
    std::vector<std::shared_ptr<Firsts>> m_firsts;
};

void
RdmaPeak::Consider(uint64_t other, const std::string& name, uint64_t most)
{
    const auto share = [](uint64_t part, uint64_t whole) {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                         : static_cast<double>(part);
    };
    if (share(other, most) > share(bytes, limit))
    {
        bytes = other;
        port = name;
        limit = most;
    }
}

TypeId
RdmaExplainReport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaExplainReport")
            .SetParent<RdmaInstrument>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaExplainReport>()
            .AddAttribute(
                "Burst",
                "Payload bytes that each host of an incast sends at line rate; 0: the largest "
                "flow of the class, or a bandwidth-delay product if no flows are known, "
                "at most the packets that the transport has in flight.",
                UintegerValue(0),
                MakeUintegerAccessor(&RdmaExplainReport::m_burst),
                MakeUintegerChecker<uint64_t>(0, uint64_t{1} << 40));
    return tid;
}

RdmaExplainReport::RdmaExplainReport() = default;
RdmaExplainReport::~RdmaExplainReport() = default;

void
RdmaExplainReport::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner)
{
    const auto* flows = dynamic_cast<const RdmaFlowRunner*>(PeekPointer(runner));
    RefuseRdmaIf(runner && !flows,
                 "flows of this transport have no queue pairs; accepted: with roce or irn");
    m_fabric = fabric;
    m_runner = runner;
    RdmaSenderProfile senders = DescribeRdmaSenders(*fabric);
    senders.burstBytes = m_burst;
    for (const auto& [priority, bytes] :
         runner ? GetLargestFlows(*runner) : GetLosslessClasses(*fabric))
    {
        senders.flowBytes = bytes;
        m_forecasts.push_back(ForecastClass(*fabric, priority, senders, flows));
    }
    m_first = std::make_unique<FirstEvents>(*fabric);
    m_cost = flows ? EstimateRdmaRunCost(*fabric, *flows) : RdmaRunCost();
    m_begin = runner && runner->GetNFlows() > 0 ? RDMA_NEVER : 0_ps;
    for (uint64_t i = 0; runner && i < runner->GetNFlows(); ++i)
    {
        m_begin = std::min(m_begin, runner->GetFlow(i).start);
    }
}

void
RdmaExplainReport::PrintForecast(std::ostream& os)
{
    m_forecastPrinted = true;
    WriteForecasts(os);
}

void
RdmaExplainReport::WriteForecasts(std::ostream& os) const
{
    if (m_cost.flows > 0)
    {
        PrintCost(os, m_cost);
    }
    for (const RdmaFailurePlan::Failure& failure : m_fabric->GetFailures().GetFailures())
    {
        os << "Failure: " << RdmaFailurePlan::Describe(failure) << "\n";
    }
    os << (m_fabric->GetFailures().IsEmpty() ? "" : "\n");
    for (const RdmaClassForecast& forecast : m_forecasts)
    {
        PrintClassForecast(os, forecast);
        os << m_fabric->GetTimers().Describe(forecast.priority) << "\n\n";
    }
    if (std::string text = m_fabric->GetTimers().DescribeReordering(); !text.empty())
    {
        text.front() = 'W';
        os << text << ".\n\n";
    }
}

void
RdmaExplainReport::Finish()
{
    for (const RdmaClassForecast& forecast : m_forecasts)
    {
        m_findings.push_back(FindInClass(*m_fabric, forecast));
    }
    m_first->Gather();
    if (m_runner && m_fabric->GetTimers().IsReordering())
    {
        m_flows = m_runner->GetResults();
        GatherRdmaFlows(m_flows, *m_fabric);
    }
    std::vector<QbbConWeaveCounters> own;
    for (const uint32_t id : m_fabric->GetTopology().GetSwitches())
    {
        const auto selector =
            DynamicCast<QbbConWeavePathSelector>(m_fabric->GetSwitch(id)->GetPathSelector());
        if (selector && IsRdmaNodeLocal(*m_fabric->GetNode(id)))
        {
            own.push_back(selector->GetCounters());
        }
    }
    for (const QbbConWeaveCounters& of : ShareRdmaValues(own))
    {
        m_conWeave = m_conWeave.value_or(QbbConWeaveCounters());
        *m_conWeave += of;
    }
}

void
RdmaExplainReport::PrintConWeave(std::ostream& os) const
{
    const QbbConWeaveCounters& of = *m_conWeave;
    os << "ConWeave: " << of.reroutes + of.idleReroutes << " changes of path, of which "
       << of.idleReroutes << " after idle time. " << of.heldFrames
       << " rerouted frames waited at a last switch, at most " << of.peakHeldBytes
       << " B at a switch and " << of.peakPortQueues << " queues at a port. " << of.tailResumes
       << " queues were released by a TAIL, " << of.timerResumes << " by their deadline, "
       << of.otherResumes << " by a later change; " << of.noQueue << " found no queue, and "
       << of.earlyResumes << " TAILs came after the frames behind them. " << of.controlSent
       << " control frames, " << of.controlBytes << " B; " << of.notifySent
       << " of them named a marked path.\n";
}

void
RdmaExplainReport::PrintReordering(std::ostream& os) const
{
    RdmaFlowReordering most;
    uint64_t early = 0;
    uint64_t again = 0;
    uint64_t beyond = 0;
    uint64_t flows = 0;
    for (const RdmaFlowResult& flow : m_flows)
    {
        early += flow.reordering.early;
        again += flow.retransmittedPackets;
        beyond += flow.reordering.beyond;
        flows += flow.reordering.early > 0;
        most.distance = std::max(most.distance, flow.reordering.distance);
        most.held = std::max(most.held, flow.reordering.held);
    }
    if (early == 0)
    {
        os << "No packet overtook another one of its flow.\n";
        return;
    }
    const uint64_t mtu = m_fabric->GetNic(m_fabric->GetTopology().GetHosts().front())
                             ->MakePrototype(RdmaNic::FIRST_QPN)
                             ->GetPathMtu();
    os << "Packets that arrived before a packet sent earlier: " << early << ", in " << flows
       << " of " << m_flows.size()
       << " flows; largest distance from the first missing one: " << most.distance
       << ". Most packets of a flow beyond a missing one at a receiver: " << most.held << ", "
       << most.held * mtu << " B of payload. Packets sent again: " << again;
    if (beyond > 0)
    {
        os << "; packets dropped beyond the window of a receiver: " << beyond;
    }
    os << ".\n";
}

void
RdmaExplainReport::Print(std::ostream& os) const
{
    if (!m_forecastPrinted)
    {
        os << "\n";
        WriteForecasts(os);
    }
    if (m_findings.empty())
    {
        return;
    }
    for (std::size_t i = 0; i < m_findings.size(); ++i)
    {
        const uint8_t priority = m_forecasts[i].priority;
        FindingsPrinter(os,
                        m_forecasts[i],
                        m_findings[i],
                        m_first->GetPause(priority, m_begin),
                        m_first->GetMark(priority, m_begin),
                        m_first->GetDrop(m_begin))
            .Print();
    }
    if (!m_flows.empty())
    {
        PrintReordering(os);
    }
    if (m_conWeave)
    {
        PrintConWeave(os);
    }
}

} // namespace ns3
