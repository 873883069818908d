/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Applies a SONiC configuration to a fabric.
 */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer.h"
#include "rdma-headroom-probe.h"
#include "rdma-refuse.h"
#include "rdma-sonic-reader.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

void
RequireSonic(bool isRight, const std::string& message)
{
    RefuseRdmaIf(!isRight, "SONiC configuration: " + message);
}

/** A switch and, for each of its ports, the index of a port of the configuration. */
struct SonicSwitch
{
    Ptr<QbbSwitch> device;
    std::string name;
    std::vector<uint32_t> ports;
};

SonicSwitch
ChooseSonicPorts(const RdmaFabric& fabric, const RdmaSonicConfig& config, uint32_t id)
{
    SonicSwitch sw{fabric.GetSwitch(id), fabric.GetTopology().GetNode(id).name, {}};
    const std::size_t count = config.ports.size();
    std::vector<bool> taken(count);
    for (uint32_t p = 0; p < sw.device->GetNPorts(); ++p)
    {
        const QbbBitRate rate = sw.device->GetPort(p)->GetLineRate().GetBitRate();
        uint32_t i = 0;
        while (i < count && (taken[i] || config.ports[i].rate.value_or(rate) != rate))
        {
            ++i;
        }
        RequireSonic(i < count,
                     "nothing is left in it for port " + std::to_string(p) + " of switch " +
                         sw.name + ", " + FormatRdmaRate(rate) +
                         "; accepted: as many ports of that speed as the switch has (it has " +
                         std::to_string(sw.device->GetNPorts()) + " in all, the configuration " +
                         std::to_string(count) + ")");
        taken[i] = true;
        sw.ports.push_back(i);
    }
    return sw;
}

/** \return a marker for all queues; null if no queue has a marking curve */
Ptr<QbbEcnMarker>
MakeSonicMarker(const RdmaSonicConfig& config)
{
    uint8_t mask = 0;
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetAttribute("ScaleWithRate", BooleanValue(false));
    const auto get = [](const RdmaSonicPort& port, uint8_t i) {
        const auto ecn = port.ecn[i].value_or(QbbEcnProfile());
        return std::make_tuple(port.ecn[i].has_value(), ecn.kminBytes, ecn.kmaxBytes, ecn.pmax);
    };
    const RdmaSonicPort& first = config.ports[0];
    for (uint8_t i = 0; i < first.ecn.size(); ++i)
    {
        for (const RdmaSonicPort& port : config.ports)
        {
            RequireSonic(get(port, i) == get(first, i),
                         "the WRED profiles of class " + std::to_string(i) + " differ between " +
                             first.name + " and " + port.name +
                             "; accepted: one profile for a class at all ports");
        }
        if (first.ecn[i])
        {
            marker->SetProfile(i, *first.ecn[i]);
            mask |= static_cast<uint8_t>(1U << i);
        }
    }
    marker->SetAttribute("PriorityMask", UintegerValue(mask));
    return mask ? marker : nullptr;
}

void
SetUpSonicPort(QbbPort& end, const RdmaSonicPort& port)
{
    for (uint8_t dscp = 0; dscp < port.classOfDscp.size(); ++dscp)
    {
        end.GetClassifier().MapDscp(dscp, port.classOfDscp[dscp]);
    }
    end.GetClassifier().SetTrust(QbbClassifier::TRUST_DSCP);
    end.GetDevice()->SetAttribute("PfcClasses", UintegerValue(port.losslessMask));
}

void
SetUpSonicSwitch(const RdmaFabric& fabric,
                 const RdmaSonicConfig& config,
                 const SonicSwitch& sw,
                 std::vector<std::string>& notes)
{
    for (uint32_t p = 0; p < sw.ports.size(); ++p)
    {
        QbbNetDevice& device = *sw.device->GetPort(p);
        const RdmaSonicPort& port = config.ports[sw.ports[p]];
        SetUpSonicPort(device, port);
        device.SetAttribute("Scheduler", StringValue(port.scheduler));
        if (fabric.GetTopology().IsHost(device.GetPeer()->GetNodeId()))
        {
            SetUpSonicPort(*device.GetPeer(), port);
        }
        const QbbPs delay = device.GetQbbChannel()->GetDelayPs();
        if (port.cableMetres && delay > GetRdmaCableDelay(*port.cableMetres))
        {
            notes.push_back("switch " + sw.name + ", port " + port.name + ": a delay of " +
                            std::to_string(delay / 1_ns) + " ns, which is more than " +
                            std::to_string(static_cast<int>(*port.cableMetres)) +
                            " m of cable (CABLE_LENGTH) have");
        }
    }
    if (const auto marker = MakeSonicMarker(config))
    {
        sw.device->SetAttribute("EcnMarker", PointerValue(marker));
    }
}

void
CheckSonicPeers(const RdmaFabric& fabric, const RdmaSonicConfig& config, const SonicSwitch& sw)
{
    for (uint32_t p = 0; p < sw.ports.size(); ++p)
    {
        const QbbPort& end = *sw.device->GetPort(p);
        const QbbPort& peer = *end.GetPeer();
        RequireSonic(end.GetFlowControl().GetLosslessClasses() ==
                         peer.GetFlowControl().GetLosslessClasses(),
                     "the link of switch " + sw.name + ", port " + config.ports[sw.ports[p]].name +
                         ", has other lossless classes (pfc_enable) at " +
                         fabric.GetTopology().GetNode(peer.GetNodeId()).name +
                         "; accepted: the same at both ends");
    }
}

void
SetUpSonicBuffer(const RdmaSonicConfig& config, const SonicSwitch& sw, uint64_t bufferBytes)
{
    const auto buffer = DynamicCast<QbbSharedBuffer>(sw.device->GetBufferManager());
    RequireSonic(buffer != nullptr,
                 "switch " + sw.name + " has no QbbSharedBuffer; accepted: shared-buffer switches");
    QbbBufferPlan plan = config.plan;
    plan.ports.clear();
    for (const uint32_t i : sw.ports)
    {
        plan.ports.push_back(config.plan.ports[i]);
    }
    buffer->SetPlan(plan);
    const uint64_t needed = buffer->GetGuaranteedBytes(sw.device->GetPortProfiles());
    const uint64_t bytes = bufferBytes ? bufferBytes : needed;
    RequireSonic(needed <= bytes && bytes <= UINT32_MAX,
                 "pools, reserves and headroom of switch " + sw.name + " take " +
                     std::to_string(needed) + " bytes; accepted: at most " +
                     std::to_string(std::min<uint64_t>(bytes, UINT32_MAX)) + ", its memory");
    buffer->SetAttribute("BufferSize", UintegerValue(bytes));
}

void
CheckSonicHeadroom(const RdmaSonicConfig& config,
                   const SonicSwitch& sw,
                   std::vector<std::string>& notes)
{
    const std::vector<QbbPortProfile> ports = sw.device->GetPortProfiles();
    for (std::size_t p = 0; p < ports.size(); ++p)
    {
        const uint64_t computed = QbbPfcHeadroom::GetBytes(ports[p]);
        for (uint8_t i = 0; i < config.plan.groupOfClass.size(); ++i)
        {
            if (!(ports[p].losslessMask >> i & 1))
            {
                continue;
            }
            const auto& groups = config.plan.ports[sw.ports[p]].groups;
            const auto& profile = config.plan.profiles[groups[config.plan.groupOfClass[i]]];
            if (profile.headroomBytes && profile.headroomBytes < computed)
            {
                notes.push_back("switch " + sw.name + ", port " + config.ports[sw.ports[p]].name +
                                ", class " + std::to_string(i) + ": " +
                                std::to_string(profile.headroomBytes) + " bytes of headroom (" +
                                profile.name + "), computed " + std::to_string(computed) +
                                "; frames may be lost");
            }
        }
    }
}

} // namespace

std::vector<std::string>
ApplyRdmaSonicConfig(RdmaFabric& fabric, const RdmaSonicConfig& config, uint64_t bufferBytes)
{
    std::vector<std::string> notes;
    std::vector<SonicSwitch> switches;
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        switches.push_back(ChooseSonicPorts(fabric, config, id));
        SetUpSonicSwitch(fabric, config, switches.back(), notes);
    }
    for (const SonicSwitch& sw : switches)
    {
        CheckSonicPeers(fabric, config, sw);
        SetUpSonicBuffer(config, sw, bufferBytes);
        CheckSonicHeadroom(config, sw, notes);
    }
    return notes;
}

} // namespace ns3
