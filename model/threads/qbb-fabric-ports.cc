/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-fabric-ports.h"

#include "qbb-switch.h"
#include "qbb-wire.h"

#include <ns3/boolean.h>
#include <ns3/node-list.h>

#include <algorithm>

namespace ns3
{

namespace
{

/// \return true if a switch passes frames on before it has received all of their bytes
bool
CutsThrough(const QbbSwitch& sw)
{
    BooleanValue cutThrough;
    sw.GetAttribute("CutThrough", cutThrough);
    return cutThrough.Get();
}

} // namespace

QbbFabricPorts::QbbFabricPorts()
{
    std::size_t devices = 0;
    for (auto it = NodeList::Begin(); it != NodeList::End(); ++it)
    {
        devices += (*it)->GetNDevices();
    }
    m_places.reserve(devices);
    for (auto it = NodeList::Begin(); it != NodeList::End(); ++it)
    {
        const Node& node = **it;
        const auto sw = node.GetObject<QbbSwitch>();
        const uint32_t bytes = sw && CutsThrough(*sw) ? 0 : QbbWire::MIN_FRAME_BYTES;
        m_isSwitch.push_back(sw != nullptr);
        m_firstOf.push_back(static_cast<uint32_t>(m_places.size()));
        for (uint32_t i = 0; i < node.GetNDevices(); ++i)
        {
            auto* const port = dynamic_cast<QbbNetDevice*>(PeekPointer(node.GetDevice(i)));
            if (!port)
            {
                continue;
            }
            Place place{port, PeekPointer(port->GetQbbChannel()), nullptr, NO_NODE, RdmaPs(0)};
            if (place.cable)
            {
                place.line = &place.cable->GetLineFrom(port);
            }
            if (const QbbPort* peer = port->GetPeer())
            {
                place.peer = peer->GetNodeId();
                place.shortestCrossing =
                    place.cable->GetDelayPs() + port->GetLineRate().BytesToPs(bytes);
            }
            m_places.push_back(place);
        }
    }
    m_firstOf.push_back(static_cast<uint32_t>(m_places.size()));
}

bool
QbbFabricPorts::HasSerializedCable() const
{
    return std::any_of(m_places.begin(), m_places.end(), [](const Place& place) {
        return place.line && place.line->IsSerialized();
    });
}

} // namespace ns3
