/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-topology-draft.h"

#include <stdexcept>
#include <utility>

namespace ns3
{

RdmaTopologyDraft::RdmaTopologyDraft(const std::string& form, const RdmaTopologyRates& rates)
    : m_form(form),
      m_rates(rates)
{
}

void
RdmaTopologyDraft::Refuse(const std::string& what,
                          const std::string& problem,
                          const std::string& accepted) const
{
    throw std::invalid_argument(m_form + ": " + (what.empty() ? "" : what + ": ") + problem +
                                "; accepted: " + accepted);
}

void
RdmaTopologyDraft::CheckCount(const std::string& what,
                              uint64_t value,
                              uint64_t min,
                              uint64_t max) const
{
    if (value < min || value > max)
    {
        Refuse(what, std::to_string(value), std::to_string(min) + " to " + std::to_string(max));
    }
}

void
RdmaTopologyDraft::CheckSum(uint64_t n, const std::string& unit, uint64_t max) const
{
    if (n > max)
    {
        Refuse("", std::to_string(n) + " " + unit + " or more", "at most " + std::to_string(max));
    }
}

void
RdmaTopologyDraft::CheckPorts(uint64_t n) const
{
    if (n > RdmaTopology::MAX_PORTS)
    {
        Refuse("",
               "a switch with " + std::to_string(n) + " ports",
               "at most " + std::to_string(RdmaTopology::MAX_PORTS));
    }
}

uint64_t
RdmaTopologyDraft::Multiply(uint64_t a, uint64_t b) const
{
    CheckSum(a * b, "nodes in a tier", RdmaTopology::MAX_NODES);
    return a * b;
}

void
RdmaTopologyDraft::CountNodes(uint64_t n)
{
    m_nodes += n;
    CheckSum(m_nodes, "nodes", RdmaTopology::MAX_NODES);
}

void
RdmaTopologyDraft::CountLinks(uint64_t n)
{
    m_links += n;
    CheckSum(m_links, "links", RdmaTopology::MAX_LINKS);
}

void
RdmaTopologyDraft::AddHosts(uint64_t n)
{
    for (uint64_t i = 0; i < n; ++i)
    {
        m_topology.AddHost("host-" + std::to_string(i));
    }
}

void
RdmaTopologyDraft::AddNics(uint32_t n, bool bonded)
{
    const uint32_t hosts = m_topology.GetNNodes();
    for (uint32_t nic = 1; nic < n; ++nic)
    {
        for (uint32_t host = 0; host < hosts; ++host)
        {
            m_topology.AddNic(host);
        }
    }
    for (uint32_t nic = 0; bonded && nic < n * hosts; ++nic)
    {
        m_topology.SetBonded(nic);
    }
}

uint32_t
RdmaTopologyDraft::AddSwitch(const std::string& name)
{
    return m_topology.AddSwitch(name);
}

uint32_t
RdmaTopologyDraft::AddSwitches(const std::string& prefix, uint64_t n)
{
    const uint32_t first = m_topology.GetNNodes();
    for (uint64_t i = 0; i < n; ++i)
    {
        m_topology.AddSwitch(prefix + "-" + std::to_string(i));
    }
    return first;
}

void
RdmaTopologyDraft::LinkHost(uint32_t nic, uint32_t node)
{
    m_topology.AddLink(nic, node, m_rates.hostRate, m_rates.delay, m_rates.errorRate);
}

void
RdmaTopologyDraft::LinkSwitches(uint32_t a, uint32_t b)
{
    m_topology.AddLink(a, b, m_rates.uplinkRate, m_rates.delay, m_rates.errorRate);
}

RdmaTopology
RdmaTopologyDraft::Finish()
{
    m_topology.Validate();
    return std::move(m_topology);
}

} // namespace ns3
