/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-incast.h"

#include "qbb-line-rate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/** Finds the largest incasts. */
class RdmaRunIncastFinder
{
  public:
    RdmaRunIncastFinder(const RdmaFabric& fabric,
                        const std::vector<RdmaPortKind>& kinds,
                        uint8_t priority,
                        const RdmaSenderProfile& senders)
        : m_fabric(fabric),
          m_kinds(kinds),
          m_priority(priority),
          m_senders(senders),
          m_lineRate(senders.rate)
    {
        for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        {
            for (const auto& member : kinds[kind].members)
            {
                m_ports[{member.port->node, member.port->number}] = {kind, member.port->name};
            }
        }
    }

    std::vector<RdmaRunIncast> Find(const RdmaFlowRunner& runner)
    {
        for (uint64_t i = 0; i < runner.GetNFlows(); ++i)
        {
            if ((runner.GetFlow(i).priority & 7) == m_priority)
            {
                AddFlow(runner.GetFlow(i), runner.GetFlowPath(i));
            }
        }
        std::map<std::size_t, std::pair<double, RdmaRunIncast>> largest; // by kind
        for (auto& [key, uses] : m_uses)
        {
            RdmaRunIncast incast = MakeIncast(key, GetBusiest(uses));
            const double waiting = GetWaiting(incast);
            auto& best = largest[incast.to];
            if (waiting > best.first)
            {
                best = {waiting, std::move(incast)};
            }
        }
        std::vector<RdmaRunIncast> incasts;
        for (auto& [kind, best] : largest)
        {
            if (best.first > 0 && Try(best.second))
            {
                incasts.push_back(std::move(best.second));
            }
        }
        return incasts;
    }

  private:
    using Key = std::pair<uint32_t, uint32_t>; //!< node id and port number

    /** A port. */
    struct Port
    {
        std::size_t kind{0}; //!< index of its kind
        std::string name;    //!< its name
    };

    /** A flow through an egress port. */
    struct Use
    {
        QbbPs start{0};     //!< first frame
        QbbPs end{0};       //!< last frame at line rate
        uint16_t input{0};  //!< number of the ingress port
        uint64_t frames{0}; //!< frames of the flow
    };

    /** Notes a flow at the egress ports of switches on its path. */
    void AddFlow(const RdmaFlow& flow, const std::vector<Ptr<QbbNetDevice>>& path)
    {
        const uint32_t first = m_fabric.GetNode(0)->GetId();
        Use use;
        use.frames = m_senders.GetFrames(flow.bytes);
        use.start = flow.start;
        use.end = flow.start + m_lineRate.BytesToPs(use.frames * m_senders.lineBytes);
        for (std::size_t hop = 1; hop < path.size(); ++hop)
        {
            use.input = path[hop - 1]->GetPeer()->GetPortNumber();
            m_uses[{path[hop]->GetNodeId() - first, path[hop]->GetPortNumber()}].push_back(use);
        }
    }

    /** \return the flows through a port at the moment with most flows */
    static std::vector<Use> GetBusiest(std::vector<Use>& uses)
    {
        std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
            return a.start < b.start;
        });
        std::multimap<QbbPs, std::size_t> active; // by end
        std::vector<std::size_t> most;
        for (std::size_t i = 0; i < uses.size(); ++i)
        {
            active.erase(active.begin(), active.upper_bound(uses[i].start));
            active.emplace(uses[i].end, i);
            const bool isLast = i + 1 == uses.size() || uses[i + 1].start > uses[i].start;
            if (isLast && active.size() > most.size())
            {
                most.clear();
                for (const auto& [end, use] : active)
                {
                    most.push_back(use);
                }
            }
        }
        std::vector<Use> busiest;
        for (const std::size_t i : most)
        {
            busiest.push_back(uses[i]);
        }
        return busiest;
    }

    RdmaRunIncast MakeIncast(const Key& key, const std::vector<Use>& uses) const
    {
        RdmaRunIncast incast;
        incast.node = key.first;
        incast.output = static_cast<uint16_t>(key.second);
        incast.to = m_ports.at(key).kind;
        incast.port = m_ports.at(key).name;
        std::map<uint16_t, RdmaRunIncast::Input> inputs;
        for (const Use& use : uses)
        {
            RdmaRunIncast::Input& input = inputs[use.input];
            input.port = use.input;
            input.kind = m_ports.at({key.first, use.input}).kind;
            ++input.flows;
            input.frames += use.frames;
        }
        for (const auto& [number, input] : inputs)
        {
            incast.inputs.push_back(input);
        }
        return incast;
    }

    /** \return rate at which frames come through an ingress port */
    double GetRate(const RdmaRunIncast::Input& input) const
    {
        return std::min(static_cast<double>(m_kinds[input.kind].settings.rate),
                        static_cast<double>(input.flows) * static_cast<double>(m_senders.rate));
    }

    /** \return frames that wait in the end if none of them is held back; 0: the port keeps up */
    double GetWaiting(const RdmaRunIncast& incast) const
    {
        double rate = 0;
        double frames = 0;
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            rate += GetRate(input);
            frames += static_cast<double>(input.frames);
        }
        const auto out = static_cast<double>(m_kinds[incast.to].settings.rate);
        return rate > out ? frames * (1 - out / rate) : 0;
    }

    /** Tries an incast. \return false if the buffer manager cannot be copied */
    bool Try(RdmaRunIncast& incast) const
    {
        const QbbSwitch& sw = *m_fabric.GetSwitch(incast.node);
        const auto buffer = CopyRdmaBuffer(sw);
        if (!buffer)
        {
            return false;
        }
        RdmaIncast trial;
        QbbBitRate fastest{0};
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            fastest = std::max(fastest, m_kinds[input.kind].settings.rate);
        }
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            trial.inputs.push_back(input.port);
            trial.framesOf.push_back(input.frames);
            trial.shares.push_back(GetRate(input) / static_cast<double>(fastest));
        }
        trial.output = incast.output;
        trial.priority = m_priority;
        trial.inputRate = fastest;
        const RdmaRunIncast::Input& first = incast.inputs.front();
        DescribeRdmaIncast(trial,
                           m_senders,
                           m_kinds[first.kind].settings.lossless,
                           m_kinds[incast.to].settings,
                           sw.GetPortProfiles()[first.port]);
        incast.outcome = TryRdmaIncast(*buffer, trial);
        return true;
    }

    const RdmaFabric& m_fabric;               //!< the fabric
    const std::vector<RdmaPortKind>& m_kinds; //!< its ports
    uint8_t m_priority;                       //!< class of the flows
    const RdmaSenderProfile& m_senders;       //!< the senders
    const QbbLineRate m_lineRate;             //!< line rate of a host
    std::map<Key, Port> m_ports;              //!< kinds and names of the ports
    std::map<Key, std::vector<Use>> m_uses;   //!< flows by egress port
};

} // namespace

uint64_t
RdmaRunIncast::GetNFlows() const
{
    return std::accumulate(inputs.begin(),
                           inputs.end(),
                           uint64_t{0},
                           [](uint64_t sum, const Input& i) { return sum + i.flows; });
}

std::vector<RdmaRunIncast>
FindRdmaRunIncasts(const RdmaFabric& fabric,
                   const RdmaFlowRunner& runner,
                   const std::vector<RdmaPortKind>& kinds,
                   uint8_t priority,
                   const RdmaSenderProfile& senders)
{
    return RdmaRunIncastFinder(fabric, kinds, priority, senders).Find(runner);
}

uint64_t
CountRdmaRunFlows(const std::vector<RdmaRunIncast>& incasts, const RdmaPortPair& pair)
{
    uint64_t flows = 0;
    for (const RdmaRunIncast& incast : incasts)
    {
        for (const RdmaRunIncast::Input& input : incast.inputs)
        {
            if (incast.to == pair.to && input.kind == pair.from)
            {
                flows = std::max(flows, input.flows);
            }
        }
    }
    return flows;
}

} // namespace ns3
