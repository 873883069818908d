/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric.h"

#include "rdma-for-each-index.h"
#include "rdma-int-format.h"
#include "rdma-line-rate.h"
#include "rdma-refuse.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/error-model.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <cstddef>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFabric);

TypeId
RdmaFabric::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFabric")
                            .SetParent<Object>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaFabric>();
    return tid;
}

void
RdmaFabric::DoDispose()
{
    m_timers.reset();
    for (const auto& [id, host] : m_hosts)
    {
        host->Dispose();
    }
    m_hosts.clear();
    m_nics.clear();
    m_switches.clear();
    m_links.clear();
    m_nodes = NodeContainer();
    if (m_routing)
    {
        m_routing->Dispose();
        m_routing = nullptr;
    }
    Object::DoDispose();
}

NodeContainer
RdmaFabric::GetHosts() const
{
    NodeContainer hosts;
    for (const uint32_t id : m_topology.GetHosts())
    {
        hosts.Add(m_nodes.Get(id));
    }
    return hosts;
}

Ptr<Node>
RdmaFabric::GetNode(uint32_t node) const
{
    NS_ABORT_MSG_IF(node >= m_nodes.GetN(),
                    "rdma: node " << node << " of a fabric with " << m_nodes.GetN() << " nodes");
    return m_nodes.Get(node);
}

uint32_t
RdmaFabric::FindNic(uint32_t host, uint32_t nic) const
{
    NS_ABORT_MSG_IF(host >= m_nics.size() || !m_nics[host],
                    "rdma: node " << host << " is not a host of this fabric");
    if (nic == 0)
    {
        return host;
    }
    const std::vector<uint32_t> nics = m_topology.GetNics(host);
    NS_ABORT_MSG_IF(nic >= nics.size(),
                    "rdma: NIC " << nic << " of host " << host << "; accepted: 0 to "
                                 << nics.size() - 1);
    return nics[nic];
}

Ptr<RdmaNic>
RdmaFabric::GetNic(uint32_t host, uint32_t nic) const
{
    return m_nics[FindNic(host, nic)];
}

Ptr<RdmaHost>
RdmaFabric::GetHost(uint32_t host)
{
    Ptr<RdmaHost>& found = m_hosts[host];
    if (!found)
    {
        const std::vector<uint32_t> nics = m_topology.GetNics(host);
        found = CreateObject<RdmaHost>();
        found->SetName(m_topology.GetNode(host).name);
        for (const uint32_t nic : nics)
        {
            found->AddNic(m_nics[nic]);
        }
    }
    return found;
}

std::vector<RdmaLanePorts>
RdmaFabric::FindPortPairs(uint32_t source,
                          uint32_t destination,
                          const RdmaConnectionPlan& plan,
                          uint32_t nic) const
{
    using Place = std::pair<uint32_t, uint32_t>; // NIC and port
    const auto findPlaces = [this, &plan, nic](const std::vector<uint32_t>& nics) {
        std::vector<Place> places;
        for (uint32_t i = 0; i < nics.size(); ++i)
        {
            const bool isUsed = nic == RdmaFlow::ANY_NIC ? plan.UsesNic(i) : nic % nics.size() == i;
            const uint32_t ports =
                m_topology.GetNode(nics[i]).bonded ? 1 : m_nics[nics[i]]->GetNPorts();
            for (uint32_t port = 0; isUsed && port < ports; ++port)
            {
                if (plan.UsesPort(port))
                {
                    places.emplace_back(i, port);
                }
            }
        }
        return places;
    };
    const std::vector<uint32_t> sourceNics = m_topology.GetNics(source);
    const std::vector<uint32_t> destinationNics = m_topology.GetNics(destination);
    const std::vector<Place> from = findPlaces(sourceNics);
    const std::vector<Place> to = findPlaces(destinationNics);
    RefuseRdmaIf(from.empty() || to.empty(),
                 "connections from host ",
                 source,
                 " to host ",
                 destination,
                 " over NICs ",
                 plan.GetNics(),
                 " and ports ",
                 plan.GetPorts(),
                 ", of which one of the hosts has none; accepted: NICs and ports of all hosts");
    const auto countLinks = [&](const Place& a, const Place& b) {
        const RdmaNic& out = *m_nics[sourceNics[a.first]];
        return m_routing
            ->FollowPath(out.GetDevice(a.second),
                         m_nics[destinationNics[b.first]]->GetAddress(b.second),
                         0)
            .size();
    };
    std::vector<RdmaLanePorts> pairs;
    for (std::size_t i = 0; i < from.size(); ++i)
    {
        // The port of the same number comes first, then the others in turn.
        const std::size_t same = std::find(to.begin(), to.end(), from[i]) - to.begin();
        const std::size_t first = same < to.size() ? same : i % to.size();
        std::size_t best = to.size();
        std::size_t fewest = 0;
        for (std::size_t k = 0; k < to.size(); ++k)
        {
            const std::size_t j = (first + k) % to.size();
            const std::size_t links = countLinks(from[i], to[j]);
            if (links > 0 && (best == to.size() || links < fewest))
            {
                best = j;
                fewest = links;
            }
            if (k == 0 && links > 0)
            {
                break;
            }
        }
        if (best < to.size())
        {
            pairs.push_back({from[i].first, from[i].second, to[best].first, to[best].second});
        }
    }
    RefuseRdmaIf(pairs.empty(),
                 "no path from host ",
                 source,
                 " to host ",
                 destination,
                 ": ",
                 m_routing->GetNoPathReason(
                     m_nics[sourceNics[from.front().first]]->GetDevice(from.front().second),
                     m_nics[destinationNics[to.front().first]]->GetAddress(to.front().second)),
                 "; accepted: hosts with ports that switches or a cable join");
    return pairs;
}

std::unique_ptr<RdmaHostConnection>
RdmaFabric::ConnectHosts(uint32_t source,
                         uint32_t destination,
                         const RdmaConnectionPlan& plan,
                         RdmaHostConnectionUser& user,
                         uint64_t id,
                         uint8_t priority)
{
    RefuseRdmaIf(source == destination, "host ", source, " is to be connected with itself");
    RefuseRdmaIf(priority > 7, "class ", +priority, "; accepted: 0..7");
    auto connection = std::make_unique<RdmaHostConnection>(*GetHost(source),
                                                           *GetHost(destination),
                                                           FindPortPairs(source, destination, plan),
                                                           plan.GetQueuePairs(),
                                                           plan,
                                                           priority,
                                                           user,
                                                           id);
    // Whatever refuses a queue pair does so before the run, and the network's timers are known
    // then.
    for (uint32_t i = 0; i < connection->GetNLanes(); ++i)
    {
        const RdmaLane& lane = connection->GetLane(i);
        const auto prototype =
            GetNic(source, lane.source.nic)->MakePrototype(lane.source.qpn, lane.source.port);
        prototype->SetPriority(priority);
        prototype->Connect(lane.destination.address,
                           lane.destination.qpn,
                           lane.destination.initialPsn);
        for (const QbbPort* hop : m_routing->FollowPath(prototype->GetDevice(),
                                                        prototype->GetRemoteAddress(),
                                                        prototype->GetFlowHash()))
        {
            prototype->CheckPathMtu(*hop);
        }
    }
    return connection;
}

Ptr<QbbSwitch>
RdmaFabric::GetSwitch(uint32_t sw) const
{
    NS_ABORT_MSG_IF(sw >= m_switches.size() || !m_switches[sw],
                    "rdma: node " << sw << " is not a switch of this fabric");
    return m_switches[sw];
}

Ipv4Address
RdmaFabric::GetAddress(uint32_t host, uint32_t nic, uint32_t port) const
{
    // Queue pairs are connected in events of hosts, while other nodes may run on other threads.
    const RdmaNic& found = *m_nics[FindNic(host, nic)];
    NS_ABORT_MSG_IF(port >= found.GetNPorts(),
                    "rdma: port " << port << " of NIC " << nic << " of host " << host
                                  << "; accepted: 0 to " << found.GetNPorts() - 1);
    return found.GetAddress(port);
}

const RdmaFabric::Link&
RdmaFabric::GetLink(uint32_t link) const
{
    NS_ABORT_MSG_IF(link >= m_links.size(),
                    "rdma: link " << link << " of a fabric with " << m_links.size() << " links");
    return m_links[link];
}

Ptr<QbbChannel>
RdmaFabric::GetChannel(uint32_t link) const
{
    return GetLink(link).channel;
}

Ptr<QbbNetDevice>
RdmaFabric::GetDevice(uint32_t link, uint32_t node) const
{
    const Link& parts = GetLink(link);
    const RdmaTopologyLink& ends = m_topology.GetLink(link);
    NS_ABORT_MSG_IF(node != ends.a && node != ends.b,
                    "rdma: node " << node << " is at neither end of link " << link << " (" << ends.a
                                  << " to " << ends.b << ")");
    return node == ends.a ? parts.a : parts.b;
}

std::pair<Ptr<RdmaQueuePair>, Ptr<RdmaQueuePair>>
RdmaFabric::Connect(uint32_t source, uint32_t destination, uint8_t priority)
{
    NS_ABORT_MSG_IF(source == destination,
                    "rdma: host " << source << " is to be connected with itself");
    auto a = GetNic(source)->CreateQueuePair();
    auto b = GetNic(destination)->CreateQueuePair();
    NS_ABORT_MSG_IF(priority > 8, "rdma: class " << +priority << "; accepted: 0..7");
    if (priority < 8)
    {
        a->SetPriority(priority);
        b->SetPriority(priority);
    }
    RdmaQueuePair::ConnectPair(a, b);
    for (const auto& qp : {a, b})
    {
        const auto path =
            m_routing->FollowPath(qp->GetDevice(), qp->GetRemoteAddress(), qp->GetFlowHash());
        for (const QbbPort* hop : path)
        {
            qp->CheckPathMtu(*hop);
        }
    }
    return {a, b};
}

std::vector<RdmaIdealHop>
RdmaFabric::GetPath(Ptr<const RdmaQueuePair> qp) const
{
    return GetPath(qp->GetPort(), qp->GetRemoteAddress(), qp->GetFlowHash());
}

std::vector<RdmaIdealHop>
RdmaFabric::GetPath(const Ptr<QbbNetDevice>& port, Ipv4Address destination, uint32_t flowHash) const
{
    const auto path = m_routing->FollowPath(*port, destination, flowHash);
    std::vector<RdmaIdealHop> hops;
    hops.reserve(path.size());
    for (const QbbPort* hop : path)
    {
        hops.push_back({hop->GetLineRate().GetBitRate(), hop->GetQbbChannel()->GetDelayPs()});
    }
    return hops;
}

void
RdmaFabric::DescribePath(const RdmaQueuePair& qp, RdmaPathProfile& profile) const
{
    // Queue pairs are connected in events of hosts, while other nodes may run on other threads.
    profile.baseRtt = 0_ps;
    const auto path =
        m_routing->FollowPath(qp.GetDevice(), qp.GetRemoteAddress(), qp.GetFlowHash());
    for (const QbbPort* hop : path)
    {
        const RdmaLineRate& rate = hop->GetLineRate();
        profile.baseRtt += 2 * hop->GetQbbChannel()->GetDelayPs() +
                           rate.BytesToPs(profile.packetBytes) + rate.BytesToPs(profile.ackBytes);
    }
    profile.networkRtt = std::max(m_longestRtt, profile.baseRtt);
    profile.hops = static_cast<uint32_t>(path.size());
    profile.intFormat = m_intFormat;
    profile.spread = m_timers && m_timers->IsReordering();
}

RdmaIntFormat
RdmaFabric::GetIntFormat(const RdmaCongestionControl& control) const
{
    const RdmaIntFormat format = control.GetIntFormat();
    return format == RdmaIntFormat::AUTO ? m_intFormat : format;
}

void
RdmaFabric::SetLinkUp(uint32_t link, bool up)
{
    m_routing->SetLinkUp(GetChannel(link), up);
}

Ptr<QbbNetDevice>
RdmaFabric::GetReceiver(uint32_t link, uint32_t from) const
{
    const RdmaTopologyLink& ends = m_topology.GetLink(link);
    return GetDevice(link, from == ends.a ? ends.b : ends.a);
}

void
RdmaFabric::SetLinkRate(uint32_t link, uint32_t from, RdmaBitRate rate)
{
    GetChannel(link)->SetRateFrom(*GetDevice(link, from), rate);
}

void
RdmaFabric::SetLinkLoss(uint32_t link, uint32_t from, double loss)
{
    RefuseRdmaIf(!(loss >= 0 && loss <= 1), "a loss of ", loss, "; accepted: 0 to 1");
    PointerValue value;
    GetReceiver(link, from)->GetAttribute("ReceiveErrorModel", value);
    const auto model = value.Get<RateErrorModel>();
    RefuseRdmaIf(!model,
                 "a loss on link ",
                 link,
                 " whose receiving port has no RateErrorModel; accepted: with one, which "
                 "RdmaFabric::InstallFailures() or the topology gives the port");
    model->SetRate(loss);
    loss > 0 ? model->Enable() : model->Disable();
}

void
RdmaFabric::Apply(const RdmaLinkChange& change)
{
    switch (change.kind)
    {
    case RdmaLinkChange::Kind::DOWN:
    case RdmaLinkChange::Kind::UP:
        SetLinkUp(change.link, change.kind == RdmaLinkChange::Kind::UP);
        break;
    case RdmaLinkChange::Kind::RATE:
        SetLinkRate(change.link, change.from, change.rate);
        break;
    case RdmaLinkChange::Kind::LOSS:
        SetLinkLoss(change.link, change.from, change.loss);
        break;
    }
}

void
RdmaFabric::InstallFailures(const RdmaFailurePlan& plan)
{
    RefuseRdmaIf(!m_failures.IsEmpty(), "failures twice; accepted: one plan of all failures");
    const std::vector<RdmaLinkChange> changes = plan.Resolve(m_topology);
    for (const RdmaLinkChange& change : changes)
    {
        RefuseRdmaIf(RdmaToTime(change.at) < Simulator::Now(),
                     "a failure at a time that has passed; accepted: before the run");
        if (change.kind == RdmaLinkChange::Kind::RATE && GetRdmaIntRateCode(change.rate) == 0)
        {
            m_intFormat = m_intFormat == RdmaIntFormat::PAPER ? RdmaIntFormat::EXACT : m_intFormat;
        }
        if (change.kind != RdmaLinkChange::Kind::LOSS)
        {
            continue;
        }
        const Ptr<QbbNetDevice> device = GetReceiver(change.link, change.from);
        PointerValue value;
        device->GetAttribute("ReceiveErrorModel", value);
        const auto given = value.Get<ErrorModel>();
        RefuseRdmaIf(given && !DynamicCast<RateErrorModel>(given),
                     "a loss on link ",
                     change.link,
                     " whose receiving port has a ",
                     given ? given->GetInstanceTypeId().GetName() : "",
                     "; accepted: no error model, or a RateErrorModel");
        if (!given)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(0);
            model->Disable();
            device->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
    }
    m_failures = plan.WithNames(m_topology);
    for (auto begin = changes.begin(); begin != changes.end();)
    {
        const auto end = std::find_if(begin, changes.end(), [begin](const RdmaLinkChange& other) {
            return other.at != begin->at;
        });
        // A change affects several nodes, so the event belongs to none of them.
        Simulator::ScheduleWithContext(
            Simulator::NO_CONTEXT,
            RdmaToTime(begin->at) - Simulator::Now(),
            [fabric = Ptr<RdmaFabric>(this), now = std::vector<RdmaLinkChange>(begin, end)] {
                for (const RdmaLinkChange& change : now)
                {
                    fabric->Apply(change);
                }
            });
        begin = end;
    }
}

RdmaFabricTotals
RdmaFabric::GetTotals() const
{
    RdmaFabricTotals totals;
    for (uint32_t link = 0; link < m_links.size(); ++link)
    {
        const RdmaTopologyLink& ends = m_topology.GetLink(link);
        for (const uint32_t node : {ends.a, ends.b})
        {
            const Ptr<QbbNetDevice> device = GetDevice(link, node);
            const QbbPortCounters& counters = device->GetCounters();
            totals.packetHops += counters.GetTxFrames();
            totals.drops += counters.GetDrops();
            totals.pauseFrames += counters.macControlTx;
            for (uint8_t priority = 0; priority < 8; ++priority)
            {
                totals.ecnMarks += counters.classes[priority].ecnMarks;
                if (m_switches[node])
                {
                    totals.peakQueueBytes =
                        std::max(totals.peakQueueBytes, device->GetQueues().GetPeakBytes(priority));
                }
            }
        }
    }
    return totals;
}

std::vector<RdmaPortResult>
RdmaFabric::GetPortResults() const
{
    constexpr uint32_t PRIORITIES = 8;
    std::vector<std::shared_ptr<const RdmaFabricPort>> all;
    all.reserve(2 * m_links.size());
    for (const auto& ports : MakeRdmaFabricPorts(m_topology))
    {
        all.insert(all.end(), ports.begin(), ports.end());
    }
    const RdmaPs now = RdmaNow(); // other threads have a time of their own
    std::vector<RdmaPortResult> rows(PRIORITIES * all.size());
    constexpr std::size_t BLOCK = 256; // ports of one call
    const std::size_t blocks = (all.size() + BLOCK - 1) / BLOCK;
    RdmaForEachIndex(blocks, RdmaSimulatorImpl::GetThreads(), [&](std::size_t block) {
        for (std::size_t i = block * BLOCK; i < std::min((block + 1) * BLOCK, all.size()); ++i)
        {
            const Ptr<QbbNetDevice> device = GetDevice(all[i]->link, all[i]->node);
            for (uint32_t priority = 0; priority < PRIORITIES; ++priority)
            {
                rows[PRIORITIES * i + priority] =
                    ReadRdmaPort(all[i], *device, static_cast<uint8_t>(priority), now);
            }
        }
    });
    return rows;
}

RdmaQueuePairStats
RdmaFabric::GetQueuePairStats() const
{
    RdmaQueuePairStats sums;
    for (const auto& nic : m_nics)
    {
        if (nic)
        {
            sums += nic->GetStats();
        }
    }
    return sums;
}

bool
RdmaFabric::AreBuffersEmpty() const
{
    return std::all_of(m_switches.begin(), m_switches.end(), [](const auto& sw) {
        return !sw || !sw->GetBufferManager() || sw->GetBufferManager()->IsEmpty();
    });
}

int64_t
RdmaFabric::AssignStreams(int64_t stream)
{
    int64_t next = stream;
    for (const auto& sw : m_switches)
    {
        next += sw ? sw->AssignStreams(next) : 0;
    }
    for (const Link& link : m_links)
    {
        for (const auto& device : {link.a, link.b})
        {
            if (const auto rate = DynamicCast<RateErrorModel>(device->GetReceiveErrorModel()))
            {
                next += rate->AssignStreams(next);
            }
        }
    }
    for (const auto& nic : m_nics)
    {
        next += nic ? nic->AssignStreams(next) : 0;
    }
    return next - stream;
}

void
RdmaFabric::CheckEntropies() const
{
    const RdmaNic* needs = nullptr;
    const RdmaNic* lacks = nullptr;
    for (const auto& nic : m_nics)
    {
        const Ptr<RdmaEntropy> entropy = nic ? nic->GetEntropy() : nullptr;
        needs = entropy && entropy->NeedsPortEcho() ? PeekPointer(nic) : needs;
        lacks = nic && !nic->HasSourcePortEcho() ? PeekPointer(nic) : lacks;
    }
    RefuseRdmaIf(
        needs && lacks,
        needs ? needs->GetEntropy()->GetInstanceTypeId().GetName() : "",
        " needs acknowledgements with the source port of the packet that they acknowledge, "
        "and RdmaNic::EchoSourcePort of node ",
        lacks ? lacks->GetNodeId() : 0,
        " is false; accepted: true for all NICs, which is the default with this entropy");
}

} // namespace ns3
