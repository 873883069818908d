/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-class-findings.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** Adds what happened at a port of a switch. */
void
AddIngress(RdmaKindFindings& found,
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
    found.ingress.Raise(usage.peakBytes, port.name);
    found.headroom.Raise(usage.peakHeadroomBytes, port.name);
    const QbbIngressTerms terms = buffer->GetTerms(number, priority);
    if (terms.alpha > 0 && kind.settings.lossless)
    {
        // All memory in use counts as shared, which gives a lower bound.
        const uint64_t used = std::min<uint64_t>(terms.poolBytes, buffer->GetUsage().peakUsedBytes);
        const auto lowest =
            terms.reserveBytes + terms.limitBytes +
            static_cast<uint64_t>(terms.alpha * static_cast<double>(terms.poolBytes - used));
        found.lowestXoff = found.lowestXoff ? std::min(found.lowestXoff, lowest) : lowest;
    }
}

} // namespace

void
RdmaPeak::Raise(uint64_t other, const std::string& name)
{
    if (other > bytes)
    {
        bytes = other;
        port = name;
    }
}

RdmaClassFindings
FindRdmaClass(const RdmaFabric& fabric, const RdmaClassForecast& forecast)
{
    RdmaClassFindings findings;
    const uint8_t priority = forecast.priority;
    for (const RdmaPortKind& kind : forecast.kinds)
    {
        RdmaKindFindings& found = findings.kinds.emplace_back();
        for (const auto& [port, device] : kind.members)
        {
            const RdmaPortResult result = ReadRdmaPort(port, *device, priority);
            found.queue.Raise(result.peakQueueBytes, port->name);
            found.xoffSent += result.xoffSent;
            found.xoffReceived += result.xoffReceived;
            found.pausing += result.xoffSent > 0 ? 1 : 0;
            found.marks += result.ecnMarks;
            found.drops += result.drops;
            const auto& reasons = device->GetCounters().dropsByReason;
            for (std::size_t reason = 0; reason < reasons.size(); ++reason)
            {
                if (reasons[reason] > 0)
                {
                    findings.dropReasons[static_cast<QbbDropReason>(reason)] += reasons[reason];
                }
            }
            if (!kind.ofHost)
            {
                AddIngress(found, *fabric.GetSwitch(port->node), kind, *port, priority);
            }
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
