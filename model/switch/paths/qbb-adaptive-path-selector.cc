/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-adaptive-path-selector.h"

#include "qbb-switch.h"
#include "rdma-compat.h"
#include "rdma-fixed-type-id.h"
#include "rdma-part-name.h"
#include "rdma-time.h"

#include <ns3/enum.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbAdaptivePathSelector);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_adaptiveName("adaptive",
                                  QbbAdaptivePathSelector::GetTypeId(),
                                  "",
                                  "each packet takes the port with the best grade");

constexpr uint32_t FULL_WEIGHT = 100; //!< largest LoadWeight
/// Ranks of ports are grades, and these numbers more for a paused port and a link that is down.
constexpr uint32_t PAUSED_RANK = 1U << 20;
constexpr uint32_t DOWN_RANK = 2 * PAUSED_RANK;

} // namespace

TypeId
QbbAdaptivePathSelector::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<QbbAdaptivePathSelector>("ns3::QbbAdaptivePathSelector")
            .SetParent<QbbPathSelector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbAdaptivePathSelector>()
            .AddAttribute("Bands",
                          "Number of bands of the queue and of the load. Broadcom's chips have 8.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&QbbAdaptivePathSelector::m_bands),
                          MakeUintegerChecker<uint32_t>(2, 1024))
            .AddAttribute("QueueBand",
                          "Width of a band of the queue: bytes that wait for a port of the rate of "
                          "the switch's fastest port. At a slower port, bytes count for more.",
                          UintegerValue(8192),
                          MakeUintegerAccessor(&QbbAdaptivePathSelector::m_queueBand),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("LoadWindow",
                          "Time over which the bytes that a port sends are counted for its load.",
                          TimeValue(MicroSeconds(2)),
                          MakeTimeAccessor(&QbbAdaptivePathSelector::m_loadWindow),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("LoadWeight",
                          "Weight of the load's band in the grade of a port, in percent; the rest "
                          "is the weight of the queue's band.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&QbbAdaptivePathSelector::m_loadWeight),
                          MakeUintegerChecker<uint32_t>(0, FULL_WEIGHT))
            .AddAttribute("Samples",
                          "Number of neighbouring ports of the group that a frame compares, from "
                          "the next port in turn or from a random port on, see Ties; 0: all ports. "
                          "If all of them are paused or down, the frame compares further ports.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&QbbAdaptivePathSelector::m_samples),
                          MakeUintegerChecker<uint32_t>(0, 65535))
            .AddAttribute("Ties",
                          "Choice among ports of equal grade. InTurn: the next one after the port "
                          "of the destination's previous frame or flowlet; Random: a random one.",
                          EnumValue(IN_TURN),
                          RdmaMakeEnumAccessor<Ties>(&QbbAdaptivePathSelector::m_ties),
                          MakeEnumChecker(IN_TURN, "InTurn", RANDOM, "Random"))
            .AddAttribute("Gap",
                          "A flow keeps its port until it has been idle for longer than this; 0: "
                          "each frame may take another port.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&QbbAdaptivePathSelector::m_gap),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("TableEntries",
                          "Entries of the table of turns, by destination, and of the table of "
                          "flows, if Gap is above 0.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&QbbAdaptivePathSelector::m_entries),
                          MakeUintegerChecker<uint32_t>(1, 1 << 24));
    return tid;
}

QbbAdaptivePathSelector::QbbAdaptivePathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
QbbAdaptivePathSelector::SetSwitch(QbbSwitch* sw)
{
    QbbPathSelector::SetSwitch(sw);
    m_ports.clear();
}

bool
QbbAdaptivePathSelector::MayReorder(RdmaPs roundTrip) const
{
    return RdmaToPs(m_gap) < roundTrip;
}

int64_t
QbbAdaptivePathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
QbbAdaptivePathSelector::Begin()
{
    m_windowPs = RdmaToPs(m_loadWindow);
    m_gapPs = RdmaToPs(m_gap);
    m_ports.resize(GetSwitch().GetNPorts());
    for (uint16_t port = 0; port < m_ports.size(); ++port)
    {
        const RdmaLineRate& rate = GetSwitch().GetDevice(port).GetCurrentRate();
        const RdmaPs band = std::max(1_ps, rate.BytesToPs(m_queueBand));
        m_queueBandPs = port == 0 ? band : std::min(m_queueBandPs, band);
        constexpr uint32_t MANY = 1'000'000;
        m_ports[port].windowBytes = std::max<uint64_t>(1, m_windowPs * MANY / rate.BytesToPs(MANY));
        m_ports[port].sentBytes = GetSentBytes(port);
    }
    m_windowEnd = RdmaNow() + m_windowPs;
    m_turns.assign(m_ties == IN_TURN ? m_entries : 0, UINT16_MAX);
    m_flows.assign(m_gapPs > 0_ps ? m_entries : 0, Flow());
}

uint64_t
QbbAdaptivePathSelector::GetSentBytes(uint16_t port) const
{
    const QbbPort& device = GetSwitch().GetDevice(port);
    const QbbPortCounters& counters = device.GetCounters();
    uint64_t bytes = counters.GetTxFrames() * device.GetLineOverheadBytes();
    for (const auto& priority : counters.classes)
    {
        bytes += priority.txBytes;
    }
    return bytes;
}

// Counts what the ports have sent in the windows that have ended. A chip does so by a timer; here
// the first frame behind the end of a window does so, and what was sent since then is shared out
// evenly among the windows.
void
QbbAdaptivePathSelector::MeasureLoad(RdmaPs now)
{
    const uint64_t windows = 1 + static_cast<uint64_t>((now - m_windowEnd) / m_windowPs);
    m_windowEnd = m_windowEnd + m_windowPs * windows;
    for (uint16_t number = 0; number < m_ports.size(); ++number)
    {
        Port& port = m_ports[number];
        const uint64_t sent = GetSentBytes(number);
        const uint64_t each = (sent - port.sentBytes) / windows;
        port.sentBytes = sent;
        constexpr uint64_t FORGOTTEN = 16;
        for (uint64_t i = std::min(windows, FORGOTTEN); i > 0; --i)
        {
            port.loadBytes = (port.loadBytes + each) / 2;
        }
    }
}

uint32_t
QbbAdaptivePathSelector::GetQueueBand(uint16_t port, uint8_t priority) const
{
    const QbbPort& device = GetSwitch().GetDevice(port);
    const RdmaPs busy = std::max(0_ps, device.GetLineFree() - RdmaNow());
    const RdmaPs time =
        busy + device.GetCurrentRate().BytesToPs(device.GetQueues().GetBytes(priority));
    return static_cast<uint32_t>(
        std::min<uint64_t>(static_cast<uint64_t>(time / m_queueBandPs), m_bands - 1));
}

uint32_t
QbbAdaptivePathSelector::GetLoadBand(uint16_t port) const
{
    if (m_ports.empty())
    {
        return 0;
    }
    const Port& state = m_ports[port];
    return static_cast<uint32_t>(
        std::min<uint64_t>(state.loadBytes * m_bands / state.windowBytes, m_bands - 1));
}

uint32_t
QbbAdaptivePathSelector::GetRank(uint16_t port, uint8_t priority) const
{
    const QbbPort& device = GetSwitch().GetDevice(port);
    uint32_t rank = (FULL_WEIGHT - m_loadWeight) * GetQueueBand(port, priority);
    if (m_loadWeight > 0)
    {
        rank += m_loadWeight * GetLoadBand(port);
    }
    if (device.GetFlowControl().GetPaused() & (1U << priority))
    {
        rank += PAUSED_RANK;
    }
    return device.IsUp() ? rank : rank + DOWN_RANK;
}

uint16_t
QbbAdaptivePathSelector::SelectBest(const QbbFrame& frame, const QbbForwardingTable::Group& ports)
{
    const auto count = static_cast<uint32_t>(ports.size());
    uint32_t first = 0;
    uint16_t* turn = nullptr;
    if (m_ties == IN_TURN)
    {
        // Each switch mixes the address with a seed of its own, and so each begins elsewhere.
        const uint32_t hash = QbbFlowHash(frame.dstIp, 0, 0, 0, 0);
        turn = &m_turns[GetSwitch().SelectPath(hash, m_entries)];
        if (*turn == UINT16_MAX)
        {
            *turn = static_cast<uint16_t>(GetSwitch().SelectPath(hash + 1, count));
        }
        first = *turn % count;
    }
    else if (m_samples > 0 && m_samples < count)
    {
        first = m_random->GetInteger(0, count - 1);
    }
    const uint32_t samples = m_samples > 0 ? std::min(m_samples, count) : count;
    uint32_t best = std::numeric_limits<uint32_t>::max();
    m_equals.clear();
    for (uint32_t i = 0; i < count && (i < samples || best >= PAUSED_RANK); ++i)
    {
        const auto index = static_cast<uint16_t>((first + i) % count);
        const uint32_t rank = GetRank(ports[index], frame.priority);
        if (rank < best)
        {
            best = rank;
            m_equals.clear();
        }
        if (rank == best)
        {
            m_equals.push_back(index);
        }
    }
    if (turn)
    {
        *turn = static_cast<uint16_t>((m_equals.front() + 1U) % count);
        return ports[m_equals.front()];
    }
    const auto last = static_cast<uint32_t>(m_equals.size() - 1);
    return ports[m_equals[last > 0 ? m_random->GetInteger(0, last) : 0]];
}

uint16_t
QbbAdaptivePathSelector::Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports)
{
    if (m_ports.empty())
    {
        Begin();
    }
    const RdmaPs now = RdmaNow();
    if (m_loadWeight > 0 && now >= m_windowEnd)
    {
        MeasureLoad(now);
    }
    if (m_flows.empty())
    {
        return SelectBest(frame, ports);
    }
    Flow& flow = m_flows[GetSwitch().SelectPath(frame.flowHash, m_entries)];
    const bool isNew = flow.last.Get() == INT64_MIN || now - flow.last > m_gapPs;
    // Routes may have changed, and flows that share an entry may have different routes.
    if (isNew || !std::binary_search(ports.begin(), ports.end(), flow.port))
    {
        flow.port = SelectBest(frame, ports);
    }
    flow.last = now;
    return flow.port;
}

} // namespace ns3
