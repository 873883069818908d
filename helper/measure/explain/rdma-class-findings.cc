/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-class-findings.h"

#include "rdma-shared-run.h"

#include <algorithm>

namespace ns3
{

namespace
{

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
    if (terms.alpha > 0 && kind.settings.lossless)
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
         const RdmaPortKind::Member& member,
         uint8_t priority)
{
    const auto& [port, device] = member;
    const RdmaPortResult result = ReadRdmaPort(port, *device, priority);
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
    kind.queue.Raise(found.queueBytes, name);
    kind.ingress.Raise(found.ingressBytes, name);
    kind.headroom.Raise(found.headroomBytes, name, found.headroomLimit);
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

} // namespace

void
RdmaPeak::Raise(uint64_t other, const std::string& name, uint64_t most)
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

RdmaClassFindings
FindRdmaClass(const RdmaFabric& fabric, const RdmaClassForecast& forecast)
{
    RdmaClassFindings findings;
    const uint8_t priority = forecast.priority;
    for (const RdmaPortKind& kind : forecast.kinds)
    {
        std::vector<PortFindings> rows;
        for (const auto& member : kind.members)
        {
            rows.push_back(FindPort(fabric, kind, member, priority));
        }
        GatherRdmaRows(rows, [&kind](std::size_t i) {
            return IsRdmaNodeLocal(*kind.members[i].device->GetNode());
        });
        RdmaKindFindings& found = findings.kinds.emplace_back();
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            AddPort(found, rows[i], kind.members[i].port->name);
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
                    return member.port->name == found.ingress.port;
                });
            const auto& port = fullest == kind.members.end() ? kind.members.front() : *fullest;
            found.room =
                FindRdmaIngressRoom(fabric, *port.port, priority, forecast.senders.frameBytes);
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

} // namespace ns3
