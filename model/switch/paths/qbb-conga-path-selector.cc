/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-conga-path-selector.h"

#include "qbb-frame-codec.h"
#include "qbb-switch.h"
#include "rdma-fixed-type-id.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbCongaPathSelector);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_congaName("conga",
                               QbbCongaPathSelector::GetTypeId(),
                               "",
                               "CONGA: flowlets take the least congested path of two tiers",
                               {"FlowletTimeout?"});

// Bytes of the header.
constexpr std::size_t LB_TAG = 0;
constexpr std::size_t CE = 1;
constexpr std::size_t FB_LB_TAG = 2;
constexpr std::size_t FB_METRIC = 3;

/** \return true if a port of the switch leads to a host */
bool
HasCongaHosts(const QbbSwitch& sw)
{
    for (uint16_t port = 0; port < sw.GetNPorts(); ++port)
    {
        if (!sw.LeadsToSwitch(port))
        {
            return true;
        }
    }
    return false;
}

} // namespace

TypeId
QbbCongaPathSelector::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<QbbCongaPathSelector>("ns3::QbbCongaPathSelector")
            .SetParent<QbbPathSelector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbCongaPathSelector>()
            .AddAttribute("DreInterval",
                          "Time after which a part of the bytes counted for a link is forgotten.",
                          TimeValue(MicroSeconds(16)),
                          MakeTimeAccessor(&QbbCongaPathSelector::m_dreInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("DreAlpha",
                          "Part of the bytes that is forgotten after each DreInterval. DreInterval "
                          "/ DreAlpha is the time constant tau of the paper, 160 us.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&QbbCongaPathSelector::m_dreAlpha),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("MetricBits",
                          "Bits of a congestion metric.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&QbbCongaPathSelector::m_metricBits),
                          MakeUintegerChecker<uint32_t>(1, 8))
            .AddAttribute("FlowletTimeout",
                          "A flowlet ends with a gap between this time and twice this time.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&QbbCongaPathSelector::m_flowletTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("MetricAge",
                          "Time without an update after which a metric of another leaf falls by 1.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&QbbCongaPathSelector::m_metricAge),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("TableEntries",
                          "Entries of the flowlet table of a leaf.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&QbbCongaPathSelector::m_entries),
                          MakeUintegerChecker<uint32_t>(1, 1 << 24));
    return tid;
}

QbbCongaPathSelector::QbbCongaPathSelector()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

bool
QbbCongaPathSelector::MayReorder(RdmaPs roundTrip) const
{
    return RdmaToPs(m_flowletTimeout) < roundTrip;
}

int64_t
QbbCongaPathSelector::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
QbbCongaPathSelector::Configure()
{
    RefuseOtherNeighbours();
    RefuseSharedLeaves();
    RefuseOtherTopologies();
    m_dreIntervalPs = RdmaToPs(m_dreInterval);
    m_flowletTimeoutPs = RdmaToPs(m_flowletTimeout);
    m_metricAgePs = RdmaToPs(m_metricAge);
    m_isLeaf = HasCongaHosts(GetSwitch());
    m_links.assign(GetSwitch().GetNPorts(), Link());
    m_uplinks = 0;
    const double tau = static_cast<double>(m_dreIntervalPs.Get()) / m_dreAlpha;
    for (uint16_t port = 0; port < m_links.size(); ++port)
    {
        Link& link = m_links[port];
        link.isUplink = LeadsToSwitch(port);
        if (!link.isUplink)
        {
            continue;
        }
        RefuseRdmaIf(m_isLeaf && m_uplinks == MOST_UPLINKS,
                     "QbbCongaPathSelector: the switch of node ",
                     GetNodeId(),
                     " has more than ",
                     MOST_UPLINKS,
                     " uplinks; accepted: up to ",
                     MOST_UPLINKS);
        link.uplink = m_uplinks++;
        constexpr uint32_t MANY = 1'000'000;
        const RdmaPs time = GetSwitch().GetDevice(port).GetLineRate().BytesToPs(MANY);
        link.bytesPerTau = tau / static_cast<double>(time.Get()) * MANY;
    }
    m_table.assign(m_isLeaf ? m_entries : 0, Flowlet());
}

void
QbbCongaPathSelector::RefuseOtherTopologies() const
{
    const bool isLeaf = HasCongaHosts(GetSwitch());
    for (uint16_t port = 0; port < GetSwitch().GetNPorts(); ++port)
    {
        if (!LeadsToSwitch(port))
        {
            continue;
        }
        const QbbPort& peer = *GetSwitch().GetDevice(port).GetPeer();
        const auto& neighbour = dynamic_cast<const QbbSwitch&>(*peer.GetSink());
        RefuseRdmaIf(HasCongaHosts(neighbour) == isLeaf,
                     "QbbCongaPathSelector: the switches of nodes ",
                     GetNodeId(),
                     " and ",
                     peer.GetNodeId(),
                     isLeaf ? " both have hosts" : " both have no hosts",
                     " and are neighbours; accepted: two tiers, leaves with hosts and spines "
                     "between the leaves");
    }
}

// Links

double
QbbCongaPathSelector::GetDre(const Link& link) const
{
    uint64_t intervals = static_cast<uint64_t>(RdmaNow() / m_dreIntervalPs) - link.intervals;
    double bytes = link.bytes;
    // Multiplications give the same bytes on each machine, which std::pow() does not promise.
    for (; intervals > 0 && bytes >= 1; --intervals)
    {
        bytes *= 1 - m_dreAlpha;
    }
    return intervals > 0 ? 0 : bytes;
}

double
QbbCongaPathSelector::GetDre(uint16_t port) const
{
    return GetDre(m_links[port]);
}

uint8_t
QbbCongaPathSelector::GetMetric(const Link& link) const
{
    const uint32_t most = (1U << m_metricBits) - 1;
    const double steps = GetDre(link) / link.bytesPerTau * (1U << m_metricBits);
    return static_cast<uint8_t>(steps < most ? static_cast<uint32_t>(steps) : most);
}

uint8_t
QbbCongaPathSelector::GetMetric(uint16_t port) const
{
    return GetMetric(m_links[port]);
}

// Tables

uint8_t
QbbCongaPathSelector::GetAged(const Metric& metric) const
{
    const auto steps = static_cast<uint64_t>((RdmaNow() - metric.updated) / m_metricAgePs);
    return static_cast<uint8_t>(metric.value > steps ? metric.value - steps : 0);
}

QbbCongaPathSelector::Leaf&
QbbCongaPathSelector::GetLeaf(uint32_t number)
{
    if (m_leaves.size() <= number)
    {
        m_leaves.resize(number + 1);
    }
    return m_leaves[number];
}

uint8_t
QbbCongaPathSelector::GetMetricToLeaf(uint32_t leaf, uint8_t uplink) const
{
    const bool isKnown = leaf < m_leaves.size() && uplink < m_leaves[leaf].to.size();
    return isKnown ? GetAged(m_leaves[leaf].to[uplink]) : 0;
}

uint8_t
QbbCongaPathSelector::GetMetricFromLeaf(uint32_t leaf, uint8_t uplink) const
{
    const bool isKnown = leaf < m_leaves.size() && uplink < m_leaves[leaf].from.size();
    return isKnown ? GetAged(m_leaves[leaf].from[uplink]) : 0;
}

void
QbbCongaPathSelector::Learn(const QbbFrame& frame)
{
    const uint32_t source = GetSwitch().GetForwardingTable().GetLeafOf(frame.srcIp);
    if (source == QbbHostPlace::NO_LEAF)
    {
        return;
    }
    Leaf& leaf = GetLeaf(source);
    const auto& bytes = frame.fabric.bytes;
    const auto update = [](std::vector<Metric>& metrics, uint8_t uplink, uint8_t value) {
        if (metrics.size() <= uplink)
        {
            metrics.resize(uplink + 1U);
        }
        Metric& metric = metrics[uplink];
        metric.isChanged = metric.isChanged || !metric.isKnown || metric.value != value;
        metric.isKnown = true;
        metric.value = value;
        metric.updated = RdmaNow();
    };
    update(leaf.from, bytes[LB_TAG], bytes[CE]);
    if (bytes[FB_LB_TAG] < m_uplinks)
    {
        update(leaf.to, bytes[FB_LB_TAG], bytes[FB_METRIC]);
    }
}

void
QbbCongaPathSelector::WriteFeedback(QbbFrame& frame)
{
    auto& bytes = frame.fabric.bytes;
    bytes[FB_LB_TAG] = NO_FEEDBACK;
    bytes[FB_METRIC] = 0;
    const uint32_t destination = GetSwitch().GetForwardingTable().GetLeafOf(frame.dstIp);
    if (destination >= m_leaves.size())
    {
        return;
    }
    Leaf& leaf = m_leaves[destination];
    const auto count = static_cast<uint32_t>(leaf.from.size());
    // Metrics that have changed come first, then all others.
    for (const bool isChanged : {true, false})
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t uplink = (leaf.turn + i) % count;
            Metric& metric = leaf.from[uplink];
            if (metric.isKnown && metric.isChanged == isChanged)
            {
                metric.isChanged = false;
                leaf.turn = uplink + 1;
                bytes[FB_LB_TAG] = static_cast<uint8_t>(uplink);
                bytes[FB_METRIC] = GetAged(metric);
                return;
            }
        }
    }
}

// Frames

void
QbbCongaPathSelector::FrameArrives(QbbPort& ingress, QbbFramePtr& frame)
{
    if (!m_isLeaf)
    {
        return;
    }
    if (frame->hasFabric)
    {
        Learn(*frame);
        QbbFrameCodec::RemoveFabric(*frame);
        return;
    }
    const QbbForwardingTable& table = GetSwitch().GetForwardingTable();
    const uint32_t destination = table.GetLeafOf(frame->dstIp);
    if (!m_links[ingress.GetPortNumber()].isUplink && destination != table.GetLeaf() &&
        destination != QbbHostPlace::NO_LEAF)
    {
        QbbFrameCodec::AddFabric(*frame, PROTOCOL, COUNT);
    }
}

void
QbbCongaPathSelector::FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs)
{
    Link& link = m_links[egress.GetPortNumber()];
    if (!link.isUplink)
    {
        return;
    }
    link.bytes = GetDre(link) + frame.size + egress.GetLineOverheadBytes();
    link.intervals = static_cast<uint64_t>(RdmaNow() / m_dreIntervalPs);
    if (!frame.hasFabric)
    {
        return;
    }
    auto& bytes = frame.fabric.bytes;
    if (m_isLeaf)
    {
        bytes[LB_TAG] = link.uplink;
        WriteFeedback(frame);
    }
    bytes[CE] = std::max(bytes[CE], GetMetric(link));
}

uint16_t
QbbCongaPathSelector::SelectBest(uint32_t leaf,
                                 const QbbForwardingTable::Group& ports,
                                 uint16_t cached)
{
    uint8_t best = UINT8_MAX;
    m_equals.clear();
    for (const uint16_t port : ports)
    {
        const Link& link = m_links[port];
        const uint8_t metric = std::max(GetMetric(link), GetMetricToLeaf(leaf, link.uplink));
        if (metric < best || m_equals.empty())
        {
            best = metric;
            m_equals.clear();
        }
        if (metric == best)
        {
            m_equals.push_back(port);
        }
    }
    if (std::binary_search(m_equals.begin(), m_equals.end(), cached))
    {
        return cached;
    }
    const auto last = static_cast<uint32_t>(m_equals.size() - 1);
    return m_equals[last > 0 ? m_random->GetInteger(0, last) : 0];
}

uint16_t
QbbCongaPathSelector::Select(const QbbFrame& frame, const QbbForwardingTable::Group& ports)
{
    if (!frame.hasFabric || !m_isLeaf)
    {
        return GetSwitch().SelectPort(frame.flowHash, ports);
    }
    Flowlet& flowlet = m_table[GetSwitch().SelectPath(frame.flowHash, m_entries)];
    const auto period = static_cast<uint32_t>(RdmaNow() / m_flowletTimeoutPs);
    const bool isValid = flowlet.port != NO_PORT && period - flowlet.period < 2;
    // Routes may have changed, and flows that share an entry may have different routes.
    if (!isValid || !std::binary_search(ports.begin(), ports.end(), flowlet.port))
    {
        ++m_flowlets;
        const uint32_t leaf = GetSwitch().GetForwardingTable().GetLeafOf(frame.dstIp);
        flowlet.port = SelectBest(leaf, ports, flowlet.port);
    }
    flowlet.period = period;
    return flowlet.port;
}

} // namespace ns3
