/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-tree.h"

#include "qbb-wire.h"
#include "rdma-units.h"

namespace ns3
{

namespace
{

/// \param number a number or QbbPause::NONE \return the number as text; empty for NONE
std::string
FormatOptional(int64_t number)
{
    return number == QbbPause::NONE ? "" : std::to_string(number);
}

} // namespace

const char*
GetQbbPauseCauseName(QbbPause::Cause cause)
{
    switch (cause)
    {
    case QbbPause::Cause::HOST:
        return "host";
    case QbbPause::Cause::CONGESTION:
        return "congestion";
    case QbbPause::Cause::PAUSE:
        return "pause";
    }
    return "unknown";
}

QbbPauseTree::QbbPauseTree(Ptr<RdmaFabric> fabric)
    : m_fabric(fabric)
{
    const RdmaTopology& topology = fabric->GetTopology();
    m_byNode.resize(topology.GetNNodes());
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        const RdmaTopologyLink ends = topology.GetLink(link);
        for (const uint32_t node : {ends.a, ends.b})
        {
            const auto place = static_cast<uint32_t>(m_ports.size());
            Port port;
            port.device = fabric->GetDevice(link, node);
            port.node = node;
            port.peer = place ^ 1;
            port.present.fill(QbbPause::NONE);
            port.device->TraceConnectWithoutContext(
                "PfcSent",
                Callback<void, uint8_t, uint16_t>([this, place](uint8_t priority, uint16_t quanta) {
                    OnSent(place, priority, quanta);
                }));
            m_ports.push_back(port);
            // Port numbers of a node follow the order of its links.
            m_byNode[node].push_back(place);
        }
    }
}

void
QbbPauseTree::OnSent(uint32_t place, uint8_t priority, uint16_t quanta)
{
    const QbbPs now = QbbNow();
    Port& port = m_ports[place];
    int64_t& present = port.present[priority];
    QbbPs& until = port.until[priority];
    if (present != QbbPause::NONE && until <= now)
    {
        m_pauses[present].end = until;
        present = QbbPause::NONE;
    }
    if (quanta == 0)
    {
        if (present != QbbPause::NONE)
        {
            ++m_pauses[present].frames;
            m_pauses[present].end = now;
            present = QbbPause::NONE;
        }
        return;
    }
    until =
        now + port.device->GetLineRate().BitsToPs(uint64_t{quanta} * QbbWire::PAUSE_QUANTUM_BITS);
    if (present == QbbPause::NONE)
    {
        QbbPause pause;
        pause.start = now;
        pause.node = port.node;
        pause.port = port.device->GetPortNumber();
        pause.peer = m_ports[port.peer].node;
        pause.peerPort = m_ports[port.peer].device->GetPortNumber();
        pause.priority = priority;
        FindCause(port, pause);
        present = static_cast<int64_t>(m_pauses.size());
        m_pauses.push_back(pause);
    }
    ++m_pauses[present].frames;
}

void
QbbPauseTree::FindCause(const Port& port, QbbPause& pause) const
{
    if (m_fabric->GetTopology().IsHost(port.node))
    {
        return;
    }
    const Ptr<QbbSwitch> sw = m_fabric->GetSwitch(port.node);
    const auto bit = static_cast<uint8_t>(1U << pause.priority);
    pause.cause = QbbPause::Cause::CONGESTION;
    const auto& places = m_byNode[port.node];
    for (uint32_t egress = 0; egress < places.size(); ++egress)
    {
        const uint64_t bytes = sw->GetBytesBetween(pause.port, egress, pause.priority);
        const Port& way = m_ports[places[egress]];
        const int64_t parent = m_ports[way.peer].present[pause.priority];
        const bool blocked = (way.device->GetFlowControl().GetPauseReceiver().GetPaused() & bit) &&
                             parent != QbbPause::NONE;
        const bool isPause = pause.cause == QbbPause::Cause::PAUSE;
        if (bytes == 0 || blocked < isPause || (blocked == isPause && bytes <= pause.causeBytes))
        {
            continue;
        }
        pause.cause = blocked ? QbbPause::Cause::PAUSE : QbbPause::Cause::CONGESTION;
        pause.causePort = egress;
        pause.causeBytes = bytes;
        pause.parent = blocked ? parent : QbbPause::NONE;
    }
    pause.depth = pause.parent == QbbPause::NONE ? 0 : m_pauses[pause.parent].depth + 1;
}

std::vector<QbbPause>
QbbPauseTree::GetPauses() const
{
    std::vector<QbbPause> pauses = m_pauses;
    const QbbPs now = QbbNow();
    for (const Port& port : m_ports)
    {
        for (uint8_t p = 0; p < 8; ++p)
        {
            if (port.present[p] != QbbPause::NONE && port.until[p] <= now)
            {
                pauses[port.present[p]].end = port.until[p];
            }
        }
    }
    return pauses;
}

std::string
QbbPauseTree::FormatCsv() const
{
    std::string text = "pause,parent,root,depth,start_us,end_us,node,port,class,peer,peer_port,"
                       "frames,cause,cause_port,cause_bytes\n";
    const std::vector<QbbPause> pauses = GetPauses();
    std::vector<std::size_t> roots(pauses.size());
    for (std::size_t i = 0; i < pauses.size(); ++i)
    {
        const QbbPause& pause = pauses[i];
        roots[i] = pause.parent == QbbPause::NONE ? i : roots[pause.parent];
        text += std::to_string(i) + "," + FormatOptional(pause.parent) + "," +
                std::to_string(roots[i]) + "," + std::to_string(pause.depth) + "," +
                FormatRdmaUs(pause.start) + "," +
                (pause.end == QbbPause::LASTS ? "" : FormatRdmaUs(pause.end)) + "," +
                std::to_string(pause.node) + "," + std::to_string(pause.port) + "," +
                std::to_string(pause.priority) + "," + std::to_string(pause.peer) + "," +
                std::to_string(pause.peerPort) + "," + std::to_string(pause.frames) + "," +
                GetQbbPauseCauseName(pause.cause) + "," + FormatOptional(pause.causePort) + "," +
                std::to_string(pause.causeBytes) + "\n";
    }
    return text;
}

} // namespace ns3
