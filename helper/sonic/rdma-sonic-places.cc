/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sonic-places.h"

#include "rdma-sonic-tables.h"

namespace ns3
{

void
RdmaSonicPlaces::AddPort(const std::string& switchName, const std::string& portName)
{
    m_ports.emplace(switchName, portName);
    m_switches.insert(switchName);
}

void
RdmaSonicPlaces::AddClass(uint8_t priority)
{
    m_classes.insert(priority);
}

std::string
RdmaSonicPlaces::Describe() const
{
    std::vector<std::string> classes;
    for (const uint8_t priority : m_classes)
    {
        classes.push_back(std::to_string(priority));
    }
    std::string text;
    if (!classes.empty())
    {
        text = (classes.size() > 1 ? "classes " : "class ") + JoinRdmaSonicWords(classes) + " on ";
    }
    text += m_ports.size() > 1 ? std::to_string(m_ports.size()) + " ports of "
                               : "port " + m_ports.begin()->second + " of ";
    return text + (m_switches.size() > 1 ? std::to_string(m_switches.size()) + " switches"
                                         : "switch " + *m_switches.begin());
}

} // namespace ns3
