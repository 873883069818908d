/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * Applies a SONiC configuration to a fabric.
 */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer.h"
#include "rdma-headroom-probe.h"
#include "rdma-sonic-reader.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <stdexcept>

namespace ns3
{

namespace
{

void
SetUpPort(QbbPort& end, const RdmaSonicPort& port)
{
    for (uint8_t dscp = 0; dscp < port.classOfDscp.size(); ++dscp)
    {
        end.GetClassifier().MapDscp(dscp, port.classOfDscp[dscp]);
    }
    end.GetClassifier().SetTrust(QbbClassifier::TRUST_DSCP);
    end.GetDevice()->SetAttribute("PfcClasses", UintegerValue(port.losslessMask));
}

/** \return a marker for all queues; null if no queue has a marking curve */
Ptr<QbbEcnMarker>
MakeMarker(const RdmaSonicConfig& config)
{
    uint8_t mask = 0;
    auto marker = CreateObject<QbbEcnMarker>();
    marker->SetAttribute("ScaleWithRate", BooleanValue(false));
    for (uint8_t i = 0; i < 8; ++i)
    {
        const auto& first = config.ports[0].ecn[i];
        for (const RdmaSonicPort& port : config.ports)
        {
            const auto& own = port.ecn[i];
            const bool same =
                own.has_value() == first.has_value() &&
                (!own || (own->kminBytes == first->kminBytes &&
                          own->kmaxBytes == first->kmaxBytes && own->pmax == first->pmax));
            if (!same)
            {
                throw std::invalid_argument("SONiC configuration: the WRED profiles of class " +
                                            std::to_string(i) + " differ between " +
                                            config.ports[0].name + " and " + port.name +
                                            "; accepted: one profile for a class at all ports");
            }
        }
        if (first)
        {
            marker->SetProfile(i, *first);
            mask |= static_cast<uint8_t>(1U << i);
        }
    }
    marker->SetAttribute("PriorityMask", UintegerValue(mask));
    return mask ? marker : nullptr;
}

/** Applies one configuration to one fabric. */
class Applier
{
  public:
    Applier(RdmaFabric& fabric, const RdmaSonicConfig& config, uint64_t bufferBytes)
        : m_fabric(fabric),
          m_config(config),
          m_bufferBytes(bufferBytes)
    {
    }

    std::vector<std::string> Apply()
    {
        for (const uint32_t id : m_fabric.GetTopology().GetSwitches())
        {
            ChoosePorts(id);
            SetUpPorts(id);
        }
        for (const uint32_t id : m_fabric.GetTopology().GetSwitches())
        {
            ChoosePorts(id);
            CheckPeers(id);
            SetUpBuffer(id);
        }
        return m_notes;
    }

  private:
    std::string GetName(uint32_t id) const
    {
        return m_fabric.GetTopology().GetNode(id).name;
    }

    /** Assigns a port of the configuration to each port of a switch. */
    void ChoosePorts(uint32_t id)
    {
        const Ptr<QbbSwitch> sw = m_fabric.GetSwitch(id);
        std::vector<bool> taken(m_config.ports.size());
        m_portOf.clear();
        for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
        {
            const QbbBitRate rate = sw->GetPort(p)->GetLineRate().GetBitRate();
            uint32_t i = 0;
            while (i < taken.size() && (taken[i] || m_config.ports[i].rate.value_or(rate) != rate))
            {
                ++i;
            }
            if (i == taken.size())
            {
                throw std::invalid_argument(
                    "SONiC configuration: nothing is left in it for port " + std::to_string(p) +
                    " of switch " + GetName(id) + ", " + FormatRdmaRate(rate) +
                    "; accepted: as many ports of that speed as the switch has (it has " +
                    std::to_string(sw->GetNPorts()) + " in all, the configuration " +
                    std::to_string(taken.size()) + ")");
            }
            taken[i] = true;
            m_portOf.push_back(i);
        }
    }

    const RdmaSonicPort& GetPort(uint32_t p) const
    {
        return m_config.ports[m_portOf[p]];
    }

    void SetUpPorts(uint32_t id)
    {
        const Ptr<QbbSwitch> sw = m_fabric.GetSwitch(id);
        for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
        {
            QbbNetDevice& device = *sw->GetPort(p);
            const RdmaSonicPort& port = GetPort(p);
            SetUpPort(device, port);
            device.SetAttribute("Scheduler", StringValue(port.scheduler));
            if (m_fabric.GetTopology().IsHost(device.GetPeer()->GetNodeId()))
            {
                SetUpPort(*device.GetPeer(), port);
            }
            CheckCable(id, device, port);
        }
        if (const auto marker = MakeMarker(m_config))
        {
            sw->SetAttribute("EcnMarker", PointerValue(marker));
        }
    }

    void CheckCable(uint32_t id, const QbbPort& device, const RdmaSonicPort& port)
    {
        const QbbPs delay = device.GetQbbChannel()->GetDelayPs();
        if (port.cableMetres && delay > GetRdmaCableDelay(*port.cableMetres))
        {
            m_notes.push_back("switch " + GetName(id) + ", port " + port.name + ": a delay of " +
                              std::to_string(delay / 1_ns) + " ns, which is more than " +
                              std::to_string(static_cast<int>(*port.cableMetres)) +
                              " m of cable (CABLE_LENGTH) have");
        }
    }

    void CheckPeers(uint32_t id) const
    {
        const Ptr<QbbSwitch> sw = m_fabric.GetSwitch(id);
        for (uint32_t p = 0; p < sw->GetNPorts(); ++p)
        {
            const QbbPort& device = *sw->GetPort(p);
            if (device.GetFlowControl().GetLosslessClasses() !=
                device.GetPeer()->GetFlowControl().GetLosslessClasses())
            {
                throw std::invalid_argument(
                    "SONiC configuration: the link of switch " + GetName(id) + ", port " +
                    GetPort(p).name + ", has other lossless classes (pfc_enable) at " +
                    GetName(device.GetPeer()->GetNodeId()) + "; accepted: the same at both ends");
            }
        }
    }

    void SetUpBuffer(uint32_t id)
    {
        const Ptr<QbbSwitch> sw = m_fabric.GetSwitch(id);
        const auto buffer = DynamicCast<QbbSharedBuffer>(sw->GetBufferManager());
        if (!buffer)
        {
            throw std::invalid_argument("SONiC configuration: switch " + GetName(id) +
                                        " has no QbbSharedBuffer; accepted: shared-buffer "
                                        "switches");
        }
        const std::vector<QbbPortProfile> ports = sw->GetPortProfiles();
        QbbBufferPlan plan = m_config.plan;
        plan.ports.clear();
        for (const uint32_t i : m_portOf)
        {
            plan.ports.push_back(m_config.plan.ports[i]);
        }
        buffer->SetPlan(plan);
        const uint64_t needed = buffer->GetGuaranteedBytes(ports);
        const uint64_t bytes = m_bufferBytes ? m_bufferBytes : needed;
        if (needed > bytes || bytes > UINT32_MAX)
        {
            throw std::invalid_argument(
                "SONiC configuration: pools, reserves and headroom of switch " + GetName(id) +
                " take " + std::to_string(needed) + " bytes; accepted: at most " +
                std::to_string(std::min<uint64_t>(bytes, UINT32_MAX)) + ", its memory");
        }
        buffer->SetAttribute("BufferSize", UintegerValue(bytes));
        CheckHeadroom(id, ports);
    }

    void CheckHeadroom(uint32_t id, const std::vector<QbbPortProfile>& ports)
    {
        for (std::size_t p = 0; p < ports.size(); ++p)
        {
            for (uint8_t i = 0; i < 8; ++i)
            {
                if (!(ports[p].losslessMask >> i & 1))
                {
                    continue;
                }
                const uint8_t group = m_config.plan.groupOfClass[i];
                const auto& profile =
                    m_config.plan.profiles[m_config.plan.ports[m_portOf[p]].groups[group]];
                const uint64_t computed = QbbPfcHeadroom::GetBytes(ports[p]);
                if (profile.headroomBytes && profile.headroomBytes < computed)
                {
                    m_notes.push_back("switch " + GetName(id) + ", port " + GetPort(p).name +
                                      ", class " + std::to_string(i) + ": " +
                                      std::to_string(profile.headroomBytes) +
                                      " bytes of headroom (" + profile.name + "), computed " +
                                      std::to_string(computed) + "; frames may be lost");
                }
            }
        }
    }

    RdmaFabric& m_fabric;            //!< fabric to configure
    const RdmaSonicConfig& m_config; //!< configuration to apply
    uint64_t m_bufferBytes;          //!< memory of each switch in bytes; 0: the required amount
    /// Port index in the configuration by port of the current switch
    std::vector<uint32_t> m_portOf;
    std::vector<std::string> m_notes; //!< notes for the user
};

} // namespace

std::vector<std::string>
ApplyRdmaSonicConfig(RdmaFabric& fabric, const RdmaSonicConfig& config, uint64_t bufferBytes)
{
    return Applier(fabric, config, bufferBytes).Apply();
}

} // namespace ns3
