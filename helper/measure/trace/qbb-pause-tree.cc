/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-tree.h"

#include "qbb-wire.h"
#include "rdma-part-name.h"
#include "rdma-port-result.h"
#include "rdma-result-table.h"
#include "rdma-shared-run.h"
#include "rdma-time.h"

#include <ns3/string.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbPauseTree);

namespace
{

/// Names under which programs take the class.
const RdmaPartName g_pauseTreeName("pause-tree",
                                   QbbPauseTree::GetTypeId(),
                                   "",
                                   "CSV file: pauses, and the pauses that caused them",
                                   {"File"});

/** A row of the file. */
struct PauseRow : QbbPause
{
    uint64_t number{0};                         //!< number of the pause, in order of start
    uint64_t root{0};                           //!< number of the first pause of the tree
    std::shared_ptr<const RdmaFabricPort> from; //!< pausing port
};

/// \param number a number or QbbPause::NONE \return the number; no value for NONE
std::optional<int64_t>
OmitNone(int64_t number)
{
    return number == QbbPause::NONE ? std::nullopt : std::make_optional(number);
}

/// Columns of the file.
const RdmaResultTable<PauseRow> g_pauseTreeTable = MakeRdmaFileTable<PauseRow>(
    "pauseTree",
    {
        {"pause", "", "number of the pause, in order of start", &PauseRow::number},
        {"parent",
         "",
         "number of the pause that caused this one; empty for a root",
         [](const PauseRow& r) { return OmitNone(r.parent); }},
        {"root", "", "number of the first pause of the tree", &PauseRow::root},
        {"depth", "", "number of ancestors; 0 for a root", &PauseRow::depth},
        {"start_ns", "ns", "when the first pause frame was sent", &PauseRow::start},
        {"end_ns",
         "ns",
         "when the resumption was sent or the pause expired; empty if the pause did not end",
         [](const PauseRow& r) {
             return r.end == QbbPause::LASTS ? std::nullopt : std::make_optional(r.end);
         }},
        {"node", "", "node id of the pausing port", &PauseRow::node},
        {"node_name",
         "",
         "name of that node",
         [](const PauseRow& r) -> const std::string& { return r.from->nodeName; }},
        {"port", "", "number of the pausing port at its node", &PauseRow::port},
        {"port_name",
         "",
         "name of the pausing port, from its node to the paused node",
         [](const PauseRow& r) -> const std::string& { return r.from->name; }},
        {"peer", "", "node id of the paused port", &PauseRow::peer},
        {"peer_port", "", "number of the paused port at its node", &PauseRow::peerPort},
        {"priority", "", "paused priority (traffic class), 0 to 7", &PauseRow::priority},
        {"pause_frames",
         "frames",
         "pause frames sent: the pause, its repetitions and the resumption",
         &PauseRow::frames},
        {"cause",
         "",
         "host: the port of a slow host; congestion: frames wait for a congested port; pause: "
         "frames wait for a paused port",
         [](const PauseRow& r) { return GetQbbPauseCauseName(r.cause); }},
        {"cause_port",
         "",
         "number of the port for which the frames wait; empty for hosts",
         [](const PauseRow& r) { return OmitNone(r.causePort); }},
        {"cause_bytes",
         "bytes",
         "bytes from the pausing port that wait for cause_port",
         &PauseRow::causeBytes},
    });

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

TypeId
QbbPauseTree::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbPauseTree")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbPauseTree>()
                            .AddAttribute("File",
                                          "The CSV file.",
                                          StringValue(""),
                                          MakeStringAccessor(&QbbPauseTree::m_path),
                                          MakeStringChecker());
    return tid;
}

void
QbbPauseTree::Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase>)
{
    m_file.OpenForRun(m_path);
    Watch(fabric);
}

void
QbbPauseTree::Finish()
{
    for (const auto& [at, bytes] : m_log.Gather())
    {
        Record(Unpack(bytes), at);
    }
    m_file.GetStream() << FormatCsv();
    m_file.Close(IsCut());
}

void
QbbPauseTree::Watch(Ptr<RdmaFabric> fabric)
{
    m_fabric = fabric;
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
            port.device->AddPauseWatcher(true, [this, place](uint8_t priority, uint16_t quanta) {
                OnSent(place, priority, quanta);
            });
            m_ports.push_back(port);
            // Port numbers of a node follow the order of its links.
            m_byNode[node].push_back(place);
        }
    }
}

void
QbbPauseTree::Present::Set(int64_t next, RdmaEventTime now)
{
    if (changed != now)
    {
        changed = now;
        before = pause;
    }
    pause = next;
}

int64_t
QbbPauseTree::Present::GetBefore(RdmaEventTime at) const
{
    return changed == at ? before : pause;
}

void
QbbPauseTree::OnSent(uint32_t place, uint8_t priority, uint16_t quanta)
{
    Sent sent{place, priority, quanta, {}};
    if (quanta > 0)
    {
        sent.waiting = FindWaiting(m_ports[place], priority);
    }
    if (IsRdmaRunShared())
    {
        m_log.Add(RdmaEventNow(), Pack(sent));
        return;
    }
    RdmaDefer([this, sent = std::move(sent)] { Record(sent, RdmaEventNow()); });
}

std::string
QbbPauseTree::Pack(const Sent& sent)
{
    RdmaRecordWriter writer;
    writer.Put(sent.port);
    writer.Put(sent.priority);
    writer.Put(sent.quanta);
    for (const Waiting& each : sent.waiting)
    {
        writer.Put(each);
    }
    return writer.Get();
}

QbbPauseTree::Sent
QbbPauseTree::Unpack(const std::string& bytes)
{
    RdmaRecordReader reader(bytes);
    Sent sent;
    sent.port = reader.Take<uint32_t>();
    sent.priority = reader.Take<uint8_t>();
    sent.quanta = reader.Take<uint16_t>();
    while (!reader.IsAtEnd())
    {
        sent.waiting.push_back(reader.Take<Waiting>());
    }
    return sent;
}

std::vector<QbbPauseTree::Waiting>
QbbPauseTree::FindWaiting(const Port& port, uint8_t priority) const
{
    std::vector<Waiting> waiting;
    if (m_fabric->GetTopology().IsNic(port.node))
    {
        return waiting;
    }
    const QbbSwitch& sw = *m_fabric->GetSwitch(port.node);
    const auto bit = static_cast<uint8_t>(1U << priority);
    const auto& places = m_byNode[port.node];
    for (uint32_t egress = 0; egress < places.size(); ++egress)
    {
        const uint64_t bytes = sw.GetBytesBetween(port.device->GetPortNumber(), egress, priority);
        if (bytes > 0)
        {
            const auto& flow = m_ports[places[egress]].device->GetFlowControl();
            const bool isPaused = flow.GetPauseReceiver().GetPaused() & bit;
            waiting.push_back({egress, bytes, isPaused});
        }
    }
    return waiting;
}

void
QbbPauseTree::Record(const Sent& sent, RdmaEventTime at)
{
    const RdmaPs now = at.GetInstant();
    const Port& port = m_ports[sent.port];
    Present& present = m_ports[sent.port].presents[sent.priority];
    if (present.pause != QbbPause::NONE && present.until <= now)
    {
        m_pauses[present.pause].end = present.until;
        present.Set(QbbPause::NONE, at);
    }
    if (sent.quanta == 0)
    {
        if (present.pause != QbbPause::NONE)
        {
            ++m_pauses[present.pause].frames;
            m_pauses[present.pause].end = now;
            present.Set(QbbPause::NONE, at);
        }
        return;
    }
    present.until = now + port.device->GetLineRate().BitsToPs(uint64_t{sent.quanta} *
                                                              QbbWire::PAUSE_QUANTUM_BITS);
    if (present.pause == QbbPause::NONE)
    {
        QbbPause pause;
        pause.start = now;
        pause.node = port.node;
        pause.port = port.device->GetPortNumber();
        pause.peer = m_ports[port.peer].node;
        pause.peerPort = m_ports[port.peer].device->GetPortNumber();
        pause.priority = sent.priority;
        FindCause(pause, sent.waiting, at);
        present.Set(static_cast<int64_t>(m_pauses.size()), at);
        m_pauses.push_back(pause);
        m_starts.push_back(at);
    }
    ++m_pauses[present.pause].frames;
}

void
QbbPauseTree::FindCause(QbbPause& pause,
                        const std::vector<Waiting>& waiting,
                        RdmaEventTime at) const
{
    if (m_fabric->GetTopology().IsNic(pause.node))
    {
        return;
    }
    pause.cause = QbbPause::Cause::CONGESTION;
    for (const auto& [egress, bytes, isPaused] : waiting)
    {
        const Port& way = m_ports[m_byNode[pause.node][egress]];
        // Other nodes' events at this event time may run before or after, and must not count.
        const int64_t parent = m_ports[way.peer].presents[pause.priority].GetBefore(at);
        const bool blocked = isPaused && parent != QbbPause::NONE;
        const bool isPause = pause.cause == QbbPause::Cause::PAUSE;
        if (blocked < isPause || (blocked == isPause && bytes <= pause.causeBytes))
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
    const RdmaPs now = RdmaNow();
    for (const Port& port : m_ports)
    {
        for (const Present& present : port.presents)
        {
            if (present.pause != QbbPause::NONE && present.until <= now)
            {
                pauses[present.pause].end = present.until;
            }
        }
    }
    // Pauses of different nodes that start in simultaneous events are recorded in any order.
    std::vector<std::size_t> order(pauses.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
        return std::pair(m_starts[a], m_pauses[a].node) < std::pair(m_starts[b], m_pauses[b].node);
    });
    std::vector<int64_t> numbers(pauses.size());
    std::vector<QbbPause> sorted;
    for (const std::size_t from : order)
    {
        numbers[from] = static_cast<int64_t>(sorted.size());
        sorted.push_back(pauses[from]);
        int64_t& parent = sorted.back().parent;
        parent = parent == QbbPause::NONE ? parent : numbers[parent];
    }
    return sorted;
}

std::string
QbbPauseTree::FormatCsv() const
{
    const RdmaFabricPorts ports = MakeRdmaFabricPorts(m_fabric->GetTopology());
    const std::vector<QbbPause> pauses = GetPauses();
    std::vector<uint64_t> roots(pauses.size());
    std::string text = g_pauseTreeTable.FormatHeader();
    for (std::size_t i = 0; i < pauses.size(); ++i)
    {
        const QbbPause& pause = pauses[i];
        roots[i] = pause.parent == QbbPause::NONE ? i : roots[pause.parent];
        g_pauseTreeTable.AppendRow(text, {pause, i, roots[i], ports[pause.node][pause.port]});
    }
    return text;
}

} // namespace ns3
