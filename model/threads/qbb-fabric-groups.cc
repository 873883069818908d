/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-fabric-groups.h"

#include "qbb-channel.h"
#include "qbb-fabric-ports.h"
#include "qbb-outside-code.h"
#include "qbb-shared-objects.h"
#include "rdma-graph-division.h"
#include "rdma-group-run.h"
#include "rdma-nic.h"
#include "rdma-note-bus.h"
#include "rdma-prefetch.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/node-list.h>

#include <algorithm>
#include <deque>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbFabricGroups);

namespace
{

constexpr uint32_t NO_CLUSTER = UINT32_MAX; // no cluster, or no group

} // namespace

TypeId
QbbFabricGroups::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbFabricGroups")
                            .SetParent<QbbNodeGroups>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbFabricGroups>();
    return tid;
}

QbbFabricGroups::QbbFabricGroups() = default;
QbbFabricGroups::~QbbFabricGroups() = default;

void
QbbFabricGroups::DoDispose()
{
    m_fabric.reset();
    m_cables.clear();
    m_exits.clear();
    m_borders.clear();
    m_buses.clear();
    QbbNodeGroups::DoDispose();
}

uint32_t
QbbFabricGroups::GetGroup(uint32_t node) const
{
    NS_ABORT_MSG_IF(node >= m_groupOf.size(),
                    "rdma: node " << node
                                  << " is created while nodes run on several threads; accepted: "
                                     "before Simulator::Run(), or with "
                                     "ns3::RdmaSimulatorImpl::Threads=1");
    return m_groupOf[node];
}

RdmaPs
QbbFabricGroups::GetLookahead() const
{
    return m_lookahead;
}

RdmaBorder&
QbbFabricGroups::GetBorder(uint32_t group)
{
    return m_borders[group];
}

std::string
QbbFabricGroups::GetReason() const
{
    return m_reason;
}

/** Looks for the ports, and for code from outside of the module that sees the nodes' events. */
void
QbbFabricGroups::Examine(const Demand& demand)
{
    m_fabric = std::make_unique<QbbFabricPorts>();
    m_sharesPools = false;
    m_seenBy.clear();
    m_isSeen = true;
    m_reason = FindQbbPacketMaker(*m_fabric);
    if (m_reason.empty())
    {
        // In one group, simultaneous events of two nodes may come in another order than on one
        // thread, so that such nodes cannot merely be put together.
        m_reason = FindQbbSharedObject([](const Node& node) { return node.GetId(); });
    }
    if (m_reason.empty())
    {
        m_seenBy = FindQbbOutsideCode(*m_fabric, demand.foreign, demand.defersSinks);
        m_isSeen = std::any_of(m_seenBy.begin(), m_seenBy.end(), [](const std::string& name) {
            return !name.empty();
        });
    }
}

/** \return frames at the ports of each node, and one for each port, by node id */
std::vector<uint64_t>
QbbFabricGroups::GetLoads() const
{
    constexpr std::ptrdiff_t AHEAD = 4; // ports whose counters are on their way to the cache
    const uint32_t nodes = m_fabric->GetNNodes();
    std::vector<uint64_t> loads(nodes);
    const auto* const end = nodes > 0 ? m_fabric->Of(nodes - 1).end() : nullptr;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (const auto& place : m_fabric->Of(node))
        {
            if (end - &place > AHEAD)
            {
                RdmaPrefetchLines(&(&place + AHEAD)->port->GetCounters(),
                                  sizeof(QbbPortCounters) / RDMA_CACHE_LINE);
            }
            const QbbPortCounters& counters = place.port->GetCounters();
            loads[node] += 1 + counters.GetTxFrames() + counters.GetRxFrames();
        }
    }
    return loads;
}

std::vector<QbbFabricGroups::Cluster>
QbbFabricGroups::MakeClusters(uint32_t most)
{
    std::vector<Cluster> clusters;
    const uint32_t nodes = m_fabric->GetNNodes();
    m_clusterOf.assign(nodes, NO_CLUSTER);
    const std::vector<uint64_t> loads = GetLoads();
    const auto add = [&](uint32_t cluster, uint32_t node) {
        m_clusterOf[node] = cluster;
        Cluster& found = clusters[cluster];
        found.nodes.push_back(node);
        found.load += loads[node];
        if (found.seenBy.empty())
        {
            found.seenBy = m_seenBy[node];
        }
    };
    for (uint32_t node = 0; node < nodes; ++node)
    {
        if (m_fabric->IsSwitch(node))
        {
            clusters.emplace_back();
            add(static_cast<uint32_t>(clusters.size()) - 1, node);
        }
    }
    // With fewer switches than groups, each host is a cluster by itself.
    const bool alone = clusters.size() < most;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        if (m_clusterOf[node] != NO_CLUSTER)
        {
            continue;
        }
        uint32_t cluster = NO_CLUSTER;
        for (const auto& place : m_fabric->Of(node))
        {
            if (!alone && place.peer != QbbFabricPorts::NO_NODE)
            {
                cluster = std::min(cluster, m_clusterOf[place.peer]);
            }
        }
        if (cluster == NO_CLUSTER)
        {
            cluster = static_cast<uint32_t>(clusters.size());
            clusters.emplace_back();
        }
        add(cluster, node);
    }
    return clusters;
}

void
QbbFabricGroups::Assign(const std::vector<Cluster>& clusters, uint32_t groups)
{
    std::vector<RdmaGraphVertex> vertices(clusters.size());
    for (uint32_t i = 0; i < clusters.size(); ++i)
    {
        vertices[i].load = clusters[i].load;
        vertices[i].isFirst = !clusters[i].seenBy.empty();
        for (const uint32_t node : clusters[i].nodes)
        {
            for (const auto& place : m_fabric->Of(node))
            {
                if (place.peer != QbbFabricPorts::NO_NODE && m_clusterOf[place.peer] != i)
                {
                    vertices[i].cables.push_back(m_clusterOf[place.peer]);
                }
            }
        }
    }
    const std::vector<uint32_t> groupOf = DivideRdmaGraph(vertices, groups);
    m_groupOf.assign(m_clusterOf.size(), 0);
    for (std::size_t node = 0; node < m_clusterOf.size(); ++node)
    {
        m_groupOf[node] = groupOf[m_clusterOf[node]];
    }
}

/** Lets threads allocate and destroy frames at one time. */
void
QbbFabricGroups::SharePools(uint32_t threads)
{
    QbbFramePool& all = QbbFramePool::OfSimulation();
    all.SetThreads(threads);
    if (threads == 1 || m_sharesPools)
    {
        return;
    }
    m_sharesPools = true;
    for (uint32_t node = 0; node < m_fabric->GetNNodes(); ++node)
    {
        // A pool asks for memory when it is first used. Two threads must not do that at one time.
        if (const auto nic = NodeList::GetNode(node)->GetObject<RdmaNic>())
        {
            nic->GetPool().Share(all);
        }
        for (const auto& place : m_fabric->Of(node))
        {
            place.port->GetPool().Share(all);
        }
    }
}

void
QbbFabricGroups::DrawBorders(uint32_t groups, uint32_t threads)
{
    m_borders.clear();
    for (uint32_t i = 0; i < groups; ++i)
    {
        m_borders.emplace_back(threads);
    }
    m_cables.clear();
    m_exits.clear();
    m_buses.clear();
    m_lookahead = RdmaGroupRun::GRID; // no window is longer
    for (auto it = NodeList::Begin(); it != NodeList::End(); ++it)
    {
        const Node& node = **it;
        const auto nic = node.GetObject<RdmaNic>();
        if (nic)
        {
            m_buses.insert(nic->GetNoteBuses().begin(), nic->GetNoteBuses().end());
        }
        for (const auto& place : m_fabric->Of(node.GetId()))
        {
            const uint32_t peer = place.peer;
            if (peer == QbbFabricPorts::NO_NODE || GetGroup(peer) == GetGroup(node.GetId()))
            {
                continue;
            }
            m_exits.emplace_back(m_borders[GetGroup(peer)], *place.line);
            place.cable->SetExit(place.cable->GetEnd(place.port), &m_exits.back());
            m_cables.emplace_back(place.cable);
            m_lookahead = std::min(m_lookahead, place.shortestCrossing);
        }
    }
    for (RdmaNoteBus* bus : m_buses)
    {
        const RdmaPs delay =
            bus->Divide([this](uint32_t node) { return GetGroup(node); },
                        [this](uint32_t group) -> QbbFrameBorder& { return m_borders[group]; });
        m_lookahead = std::min(m_lookahead, delay);
    }
}

uint32_t
QbbFabricGroups::Divide(const Demand& demand)
{
    if (!demand.isAsBefore || m_isSeen || !demand.foreign.empty() ||
        demand.defersSinks != m_defersSinks)
    {
        Examine(demand);
        m_defersSinks = demand.defersSinks;
    }
    if (!m_reason.empty())
    {
        return 1;
    }
    const std::vector<Cluster> clusters = MakeClusters(demand.groups);
    const auto isSeen = [](const Cluster& cluster) { return !cluster.seenBy.empty(); };
    const auto seen = std::count_if(clusters.begin(), clusters.end(), isSeen);
    const auto apart = static_cast<std::ptrdiff_t>(clusters.size()) - seen + (seen > 0 ? 1 : 0);
    const auto groups = static_cast<uint32_t>(std::min<std::ptrdiff_t>(demand.groups, apart));
    if (groups < 2 || (demand.threads == 1 && seen > 0))
    {
        m_reason = "there is a single node";
        if (const auto first = std::find_if(clusters.begin(), clusters.end(), isSeen);
            first != clusters.end())
        {
            m_reason =
                groups < 2
                    ? "code from outside of the module sees the events of each switch or of "
                      "one of its hosts, as " +
                          first->seenBy
                    : "code from outside of the module sees the events of a node: " + first->seenBy;
        }
        return 1;
    }
    Assign(clusters, groups);
    SharePools(std::min(demand.threads, groups));
    DrawBorders(groups, std::min(demand.threads, groups));
    return groups;
}

void
QbbFabricGroups::CheckSharedRun() const
{
    RefuseQbbObjectsOfSharedRun();
}

void
QbbFabricGroups::Unite()
{
    for (const Ptr<QbbChannel>& cable : m_cables)
    {
        for (std::size_t i = 0; i < cable->GetNDevices(); ++i)
        {
            cable->SetExit(i, nullptr);
        }
    }
    m_cables.clear();
    for (RdmaNoteBus* bus : m_buses)
    {
        bus->Unite();
    }
    m_buses.clear();
}

} // namespace ns3
