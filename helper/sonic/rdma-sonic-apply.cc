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
#include "rdma-sonic-plan.h"
#include "rdma-sonic-reader.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <map>

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

/** Facts for notes. */
struct SonicFacts
{
    /** Headroom that a profile gives. */
    struct Headroom
    {
        RdmaSonicPlaces places;  //!< classes with too little headroom
        uint64_t givenBytes{0};  //!< headroom of the profile
        uint64_t neededBytes{0}; //!< largest computed headroom of the places
    };

    RdmaSonicPlaces longCables;                //!< links longer than the cables of the files
    RdmaPs longestDelay{0};                    //!< delay of one of them
    uint32_t metres{0};                        //!< length of its cable in the files
    RdmaSonicPlaces missing;                   //!< classes without a group in the files
    RdmaSonicPlaces dynamic;                   //!< classes whose group has the profile NULL
    RdmaSonicPlaces bareGroups;                //!< classes whose priority group has no memory
    RdmaSonicPlaces bareQueues;                //!< classes whose queue has no memory
    std::map<std::string, Headroom> headrooms; //!< too little headroom, by profile
    bool usesPgLookup{false};                  //!< pg_profile_lookup.ini was needed
};

SonicSwitch
ChooseSonicPorts(const RdmaFabric& fabric, const RdmaSonicConfig& config, uint32_t id)
{
    SonicSwitch sw{fabric.GetSwitch(id), fabric.GetTopology().GetNode(id).name, {}};
    const std::size_t count = config.ports.size();
    std::vector<bool> taken(count);
    for (uint32_t p = 0; p < sw.device->GetNPorts(); ++p)
    {
        const RdmaBitRate rate = sw.device->GetPort(p)->GetLineRate().GetBitRate();
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

/** \return a marker for the ports of a switch; null if no queue has a marking curve */
Ptr<QbbEcnMarker>
MakeSonicMarker(const RdmaSonicConfig& config, const std::vector<uint32_t>& ports)
{
    uint8_t mask = 0;
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetAttribute("ScaleWithRate", BooleanValue(false));
    for (uint16_t p = 0; p < ports.size(); ++p)
    {
        const auto& curves = config.ports[ports[p]].ecn;
        for (uint8_t i = 0; i < curves.size(); ++i)
        {
            marker->SetPortProfile(p, i, curves[i]);
            mask |= static_cast<uint8_t>(curves[i] ? 1U << i : 0);
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

/** \return number in the topology of a port's node; nodes of other networks may come before */
uint32_t
GetSonicNode(const RdmaFabric& fabric, const QbbPort& port)
{
    return port.GetNodeId() - fabric.GetNode(0)->GetId();
}

/** Sets classes, PFC, weights and marking of a switch and of the hosts at its ports. */
void
SetUpSonicSwitch(const RdmaFabric& fabric, const RdmaSonicConfig& config, const SonicSwitch& sw)
{
    for (uint32_t p = 0; p < sw.ports.size(); ++p)
    {
        QbbNetDevice& device = *sw.device->GetPort(p);
        const RdmaSonicPort& port = config.ports[sw.ports[p]];
        SetUpSonicPort(device, port);
        device.SetAttribute("Scheduler", StringValue(port.scheduler));
        if (fabric.GetTopology().IsNic(GetSonicNode(fabric, *device.GetPeer())))
        {
            SetUpSonicPort(*device.GetPeer(), port);
        }
    }
    if (const auto marker = MakeSonicMarker(config, sw.ports))
    {
        sw.device->SetAttribute("EcnMarker", PointerValue(marker));
    }
}

void
CheckSonicCables(const RdmaSonicConfig& config, const SonicSwitch& sw, SonicFacts& facts)
{
    for (uint32_t p = 0; p < sw.ports.size(); ++p)
    {
        const RdmaSonicPort& port = config.ports[sw.ports[p]];
        const RdmaPs delay = sw.device->GetPort(p)->GetQbbChannel()->GetDelayPs();
        if (!port.cableMetres || delay <= GetRdmaCableDelay(*port.cableMetres))
        {
            continue;
        }
        facts.longCables.Add(sw.name, port.name);
        if (delay > facts.longestDelay)
        {
            facts.longestDelay = delay;
            facts.metres = *port.cableMetres;
        }
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
                         fabric.GetTopology().GetNode(GetSonicNode(fabric, peer)).name +
                         "; accepted: the same at both ends");
    }
}

/** Divides the memory of a switch. \return the plan */
RdmaSonicPlan
SetUpSonicBuffer(const RdmaSonicConfig& config, const SonicSwitch& sw, uint64_t bufferBytes)
{
    const auto buffer = DynamicCast<QbbSharedBuffer>(sw.device->GetBufferManager());
    RequireSonic(buffer != nullptr,
                 "switch " + sw.name + " has no QbbSharedBuffer; accepted: shared-buffer switches");
    const RdmaSonicPlan plan =
        MakeRdmaSonicPlan(config, sw.ports, sw.device->GetPortProfiles(), bufferBytes);
    RequireSonic(plan.neededBytes <= plan.memoryBytes && plan.memoryBytes <= QBB_MAX_BUFFER_BYTES,
                 "pools, reserves and headroom of switch " + sw.name + " take " +
                     std::to_string(plan.neededBytes) + " bytes; accepted: at most " +
                     std::to_string(std::min(plan.memoryBytes, QBB_MAX_BUFFER_BYTES)) +
                     ", its memory");
    buffer->SetPlan(plan.plan);
    buffer->SetAttribute("BufferSize", UintegerValue(plan.memoryBytes));
    return plan;
}

/** \return true if a group or queue with a profile has memory; without a profile it has none */
bool
HasSonicMemory(const QbbBufferPlan& plan, int16_t which)
{
    if (which == QbbPortBufferPlan::NONE)
    {
        return false;
    }
    const QbbBufferProfile& profile = plan.profiles[which];
    return profile.reserveBytes > 0 ||
           (profile.alpha ? *profile.alpha > 0 : profile.limitBytes > 0);
}

/** Collects the classes whose frames are all dropped, because their group or queue has no memory.
 */
void
CheckSonicMemory(const RdmaSonicConfig& config,
                 const SonicSwitch& sw,
                 const RdmaSonicPlan& plan,
                 SonicFacts& facts)
{
    const std::vector<QbbPortProfile> ports = sw.device->GetPortProfiles();
    uint32_t used = 0; // classes of frames; without a DSCP map in the files: lossless classes
    for (std::size_t p = 0; p < ports.size(); ++p)
    {
        used |= ports[p].losslessMask;
        for (const uint8_t priority : config.ports[sw.ports[p]].classOfDscp)
        {
            used |= config.hasQos ? 1U << priority : 0;
        }
    }
    // A plan without any profile for queues does not limit queues.
    const bool limitsQueues =
        std::any_of(plan.plan.ports.begin(), plan.plan.ports.end(), [](const auto& port) {
            return std::count(port.queues.begin(), port.queues.end(), QbbPortBufferPlan::NONE) <
                   static_cast<std::ptrdiff_t>(port.queues.size());
        });
    for (std::size_t p = 0; p < ports.size(); ++p)
    {
        const std::string& name = config.ports[sw.ports[p]].name;
        const auto add = [&](RdmaSonicPlaces& places, int16_t profile, uint8_t priority) {
            if (!HasSonicMemory(plan.plan, profile) && used >> priority & 1)
            {
                places.Add(sw.name, name, priority);
            }
        };
        for (uint8_t i = 0; i < plan.plan.groupOfClass.size(); ++i)
        {
            add(facts.bareGroups, plan.plan.ports[p].groups[plan.plan.groupOfClass[i]], i);
            if (limitsQueues)
            {
                add(facts.bareQueues, plan.plan.ports[p].queues[i], i);
            }
        }
    }
}

/** Collects the classes whose groups were added, and those with too little headroom. */
void
CheckSonicGroups(const RdmaSonicConfig& config,
                 const SonicSwitch& sw,
                 const RdmaSonicPlan& plan,
                 SonicFacts& facts)
{
    facts.usesPgLookup = facts.usesPgLookup || plan.usesPgLookup;
    const std::vector<QbbPortProfile> ports = sw.device->GetPortProfiles();
    for (std::size_t p = 0; p < ports.size(); ++p)
    {
        const RdmaSonicPort& port = config.ports[sw.ports[p]];
        const uint64_t computed = ports[p].losslessMask ? QbbPfcHeadroom::GetBytes(ports[p]) : 0;
        for (uint8_t i = 0; i < plan.plan.groupOfClass.size(); ++i)
        {
            if (!(ports[p].losslessMask >> i & 1))
            {
                continue;
            }
            const uint8_t group = plan.plan.groupOfClass[i];
            if (plan.added[p] >> i & 1 && !plan.usesPgLookup)
            {
                auto& places = port.dynamicGroups >> group & 1 ? facts.dynamic : facts.missing;
                places.Add(sw.name, port.name, i);
            }
            const auto& profile = plan.plan.profiles[plan.plan.ports[p].groups[group]];
            const auto& pool = plan.plan.pools[profile.pool];
            uint64_t given = profile.headroomBytes.value_or(computed);
            given = pool.headroomBytes ? std::min<uint64_t>(given, pool.headroomBytes) : given;
            if (given < computed)
            {
                auto& fact = facts.headrooms[profile.name];
                fact.places.Add(sw.name, port.name, i);
                fact.givenBytes = given;
                fact.neededBytes = std::max(fact.neededBytes, computed);
            }
        }
    }
}

/** \return one note for each fact */
std::vector<std::string>
GetSonicNotes(const RdmaSonicConfig& config, const SonicFacts& facts)
{
    std::vector<std::string> notes;
    if (!facts.longCables.IsEmpty())
    {
        notes.push_back(facts.longCables.Describe() +
                        ": a delay that is longer than the cable of CABLE_LENGTH has, up to " +
                        FormatRdmaTime(facts.longestDelay) + " with " +
                        std::to_string(facts.metres) + " m");
    }
    if (!facts.missing.IsEmpty())
    {
        notes.push_back(facts.missing.Describe() +
                        ": no priority group in the files; SONiC's buffermgrd adds it from "
                        "pg_profile_lookup.ini (--sonicPgLookup=FILE); without the file the "
                        "headroom is computed");
    }
    if (!facts.dynamic.IsEmpty())
    {
        notes.push_back(facts.dynamic.Describe() +
                        ": the profile NULL, which SONiC's buffermgrd replaces by a computed "
                        "profile (dynamic buffer model); the headroom is computed here, too");
    }
    for (const auto& [places, table] :
         {std::pair{&facts.bareGroups, "BUFFER_PG"}, std::pair{&facts.bareQueues, "BUFFER_QUEUE"}})
    {
        if (!places->IsEmpty())
        {
            notes.push_back(places->Describe() + ": no memory by " + table +
                            "; every frame is dropped");
        }
    }
    for (const auto& [name, fact] : facts.headrooms)
    {
        notes.push_back(fact.places.Describe() + ": " +
                        (fact.givenBytes ? std::to_string(fact.givenBytes) + " bytes of headroom ("
                                         : "no headroom (xoff of ") +
                        name + "), computed " + std::to_string(fact.neededBytes) +
                        "; frames may be lost");
    }
    if (config.hasBuffers && !config.pgLookupName.empty() && !facts.usesPgLookup)
    {
        notes.push_back(config.pgLookupName +
                        " is not used: BUFFER_PG has a profile for every lossless class");
    }
    return notes;
}

} // namespace

std::vector<std::string>
ApplyRdmaSonicConfig(RdmaFabric& fabric, const RdmaSonicConfig& config, uint64_t bufferBytes)
{
    SonicFacts facts;
    std::vector<SonicSwitch> switches;
    for (const uint32_t id : fabric.GetTopology().GetSwitches())
    {
        switches.push_back(ChooseSonicPorts(fabric, config, id));
        CheckSonicCables(config, switches.back(), facts);
        if (config.hasQos)
        {
            SetUpSonicSwitch(fabric, config, switches.back());
        }
    }
    for (const SonicSwitch& sw : switches)
    {
        CheckSonicPeers(fabric, config, sw);
        if (config.hasBuffers)
        {
            const RdmaSonicPlan plan = SetUpSonicBuffer(config, sw, bufferBytes);
            CheckSonicMemory(config, sw, plan, facts);
            CheckSonicGroups(config, sw, plan, facts);
        }
    }
    return GetSonicNotes(config, facts);
}

} // namespace ns3
