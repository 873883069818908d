/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-class-forecast.h"

#include "rdma-units.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

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
    for (const QbbMarkCurve& curve : kind.settings.marks)
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
    const RdmaPortSettings& settings = kind.settings;
    const auto& room = forecast.rooms[index];
    const auto [kmin, kmax] = FormatThresholds(kind);
    const bool pauses = room && room->pauses;
    const bool drops = room && !room->pauses;
    return {kind.name,
            std::to_string(kind.members.size()),
            FormatRdmaRate(settings.rate),
            pauses ? forecast.holds[index].Format("-") : "-",
            pauses && room->xonBytes ? forecast.xons[index].Format("-") : "-",
            drops ? forecast.holds[index].Format("-") : "-",
            pauses ? kind.headroom.Format("-") : "-",
            pauses ? kind.neededHeadroom.Format("-") : "-",
            room && settings.buffer.alpha > 0 ? FormatRdmaReal(settings.buffer.alpha) : "-",
            kmin,
            kmax,
            std::to_string(forecast.senders.GetBdpBytes(settings.rate))};
}

/** Prints the smallest incast that causes an effect. \param what name of the effect */
void
PrintDegree(std::ostream& os,
            const std::string& what,
            const std::optional<RdmaIncastDegree>& degree,
            const RdmaIncastForecast& incast,
            bool ofIngress)
{
    os << "  " << what << ": ";
    if (!degree)
    {
        os << "none with up to " << FormatPorts(incast.pair.inputs.size())
           << (incast.controlFirst > 0 ? " before congestion control slows a sender" : "") << "\n";
        return;
    }
    const RdmaIncastEvent& event = degree->event;
    os << FormatPorts(degree->senders) << ", after " << FormatRdmaMoment(event.at) << ", with "
       << FormatSize(event.queueBytes) << " in the queue";
    if (ofIngress)
    {
        os << " and " << FormatSize(event.senderBytes) << " from one of the ports";
    }
    os << "\n";
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
        static_cast<double>(from.settings.rate) * static_cast<double>(incast.pair.inputs.size());
    if (most <= static_cast<double>(to.settings.rate))
    {
        os << "  no queue: these ports together are not faster than the one\n";
        return;
    }
    if (to.settings.marks.empty())
    {
        os << "  first mark: none, for nothing marks by the length of the queue\n";
    }
    else
    {
        PrintDegree(os, "first mark possible", incast.mayMark, incast, false);
        PrintDegree(os, "first mark expected", incast.mark, incast, false);
    }
    if (forecast.senders.control && !forecast.senders.ReactsToMarks())
    {
        PrintDegree(os, "first reaction to delay", incast.signal, incast, false);
    }
    if (from.settings.lossless)
    {
        PrintDegree(os, "first pause", incast.pause, incast, true);
    }
    else
    {
        os << "  first pause: none, for the class is lossy\n";
    }
    PrintDegree(os, "first drop", incast.drop, incast, true);
    if (forecast.senders.control && from.settings.lossless)
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
    os << "after " << FormatRdmaMoment(event->at) << ", with " << FormatSize(event->queueBytes)
       << " in the queue";
    if (ofIngress)
    {
        os << " and " << FormatSize(event->senderBytes) << " from one of the ports";
    }
    os << "\n";
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
    if (!forecast.kinds[incast.to].settings.marks.empty())
    {
        PrintFirst(os, forecast, "first mark expected", outcome.mark, false);
    }
    PrintFirst(os, forecast, "first pause", outcome.pause, true);
    PrintFirst(os, forecast, "first drop", outcome.drop, true);
}

/** \return what slows a sender down, as the end of a sentence */
std::string
GetBrake(const RdmaClassForecast& forecast)
{
    const bool lossless =
        std::any_of(forecast.kinds.begin(), forecast.kinds.end(), [](const RdmaPortKind& kind) {
            return !kind.ofHost && kind.settings.lossless;
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
       << FormatRdmaMoment(senders.rtt) << ".\n";
    if (senders.burstBytes > 0)
    {
        os << "A host sends " << FormatSize(senders.burstBytes) << " at line rate (Burst)"
           << GetBrake(forecast);
    }
    else if (senders.flowBytes > 0)
    {
        os << "A host sends its flow at line rate, at most " << FormatSize(senders.flowBytes)
           << GetBrake(forecast);
    }
    else
    {
        os << "A host sends a bandwidth-delay product at line rate" << GetBrake(forecast);
    }
    if (senders.burstBytes == 0 && senders.maxInFlight < std::numeric_limits<uint32_t>::max())
    {
        os << "Its transport has at most " << senders.maxInFlight << " packets in flight.\n";
    }
    if (senders.ReactsToMarks())
    {
        const bool marked =
            std::any_of(forecast.kinds.begin(), forecast.kinds.end(), [](const RdmaPortKind& kind) {
                return !kind.settings.marks.empty();
            });
        os << (marked ? "" : "Congestion control waits for marks, and no switch marks by queue.\n");
    }
    else if (senders.control)
    {
        os << "Congestion control reacts to a queueing delay above "
           << FormatRdmaMoment(senders.GetAcceptedDelay()) << ".\n";
    }
}

} // namespace

std::string
FormatRdmaMoment(QbbPs time)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%.2f us", static_cast<double>(time) / 1e6);
    return text;
}

void
PrintRdmaColumns(std::ostream& os, const std::vector<std::vector<std::string>>& rows)
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

std::optional<RdmaIngressRoom>
FindRdmaIngressRoom(const RdmaFabric& fabric,
                    const RdmaFabricPort& port,
                    uint8_t priority,
                    uint32_t frameBytes)
{
    const auto buffer = fabric.GetTopology().IsHost(port.node)
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

RdmaClassForecast
ForecastRdmaClass(const RdmaFabric& fabric,
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
            if (const auto found = FindRdmaIngressRoom(fabric,
                                                       *kind.members[i].port,
                                                       priority,
                                                       senders.frameBytes))
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
            flows ? flows : senders.GetSendersBehind(forecast.kinds[pair.from].settings.rate);
        if (const auto incast =
                ForecastRdmaIncast(fabric, forecast.kinds, pair, priority, senders, behind))
        {
            forecast.incasts.push_back(*incast);
        }
    }
    return forecast;
}

void
PrintRdmaClassForecast(std::ostream& os, const RdmaClassForecast& forecast)
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
    PrintRdmaColumns(os, rows);
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

} // namespace ns3
