/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"

#include "qbb-dependency-graph.h"

#include <ns3/node.h>

#include <map>
#include <unordered_map>

namespace ns3
{

std::ostream&
operator<<(std::ostream& os, const QbbBufferPoint& point)
{
    return os << "node " << point.node << " port " << point.port << " class " << +point.priority;
}

namespace
{

constexpr uint32_t NO_NEXT_PORT = UINT32_MAX;

/** The buffer dependencies of a network; the ports of all switches are numbered consecutively. */
class BufferDependencies
{
  public:
    /** \param routing switches and hosts */
    explicit BufferDependencies(const QbbRouting& routing)
        : m_switches(routing.GetSwitches())
    {
        ReadPorts();
        ReadHosts(routing);
        for (const auto& destination : GroupDestinations(routing))
        {
            FollowPaths(destination);
        }
    }

    /** \return result of the check */
    QbbDeadlockCheck Check() const
    {
        QbbDeadlockCheck check;
        // Classes that are lossless at the same ports have equal results.
        std::map<std::vector<bool>, QbbDeadlockCheck> known;
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            std::vector<bool> member(m_ports.size());
            for (uint32_t v = 0; v < m_ports.size(); ++v)
            {
                member[v] = m_ports[v].entered && (m_ports[v].lossless & (1U << priority));
            }
            auto found = known.find(member);
            if (found == known.end())
            {
                found = known.emplace(member, CheckClass(member, priority)).first;
            }
            check.buffers += found->second.buffers;
            check.dependencies += found->second.dependencies;
            check.cyclicBuffers += found->second.cyclicBuffers;
            if (check.cycle.empty())
            {
                check.cycle = found->second.cycle;
            }
        }
        return check;
    }

  private:
    /** A switch port, for received frames (its buffer) and for sent frames. */
    struct Port
    {
        uint32_t sw{0}; //!< index of the switch
        /// Switch port at the other end of the link; NO_NEXT_PORT: a host or no link.
        uint32_t next{NO_NEXT_PORT};
        uint8_t lossless{0}; //!< bit mask of the lossless classes
        bool entered{false}; //!< frames from another switch can arrive at the port
        const QbbForwardingTable::Group* latest{nullptr}; //!< latest argument of AddArrivals()
        /// By egress port of the switch: received frames can leave through it.
        std::vector<bool> exits;
    };

    /** A set of destinations that all switches treat alike, except for the delivering switches. */
    struct Destinations
    {
        uint32_t address{0};       //!< address of one destination
        const Node* only{nullptr}; //!< the only host of the set, or null if there are several
    };

    /** The point at which a host's frames enter the fabric. */
    struct Source
    {
        const Node* host; //!< the host
        uint32_t sw;      //!< index of its switch
    };

    void ReadPorts()
    {
        std::unordered_map<const Node*, uint32_t> index;
        for (uint32_t s = 0; s < m_switches.size(); ++s)
        {
            m_first.push_back(static_cast<uint32_t>(m_ports.size()));
            m_ports.resize(m_ports.size() + m_switches[s]->GetNPorts());
            index[PeekPointer(m_switches[s]->GetObject<Node>())] = s;
        }
        for (uint32_t s = 0; s < m_switches.size(); ++s)
        {
            for (uint32_t p = 0; p < m_switches[s]->GetNPorts(); ++p)
            {
                const Ptr<QbbNetDevice> device = m_switches[s]->GetPort(p);
                Port& port = m_ports[m_first[s] + p];
                port.sw = s;
                port.lossless = device->GetFlowControl().GetLosslessClasses();
                QbbPort* peer = device->GetPeer();
                if (peer && device->IsLinkUp())
                {
                    const auto found = index.find(PeekPointer(peer->GetDevice()->GetNode()));
                    if (found != index.end())
                    {
                        port.next = m_first[found->second] + peer->GetPortNumber();
                    }
                }
            }
        }
        m_switchOfNode = std::move(index);
    }

    void ReadHosts(const QbbRouting& routing)
    {
        for (const auto& [device, address] : routing.GetHosts())
        {
            QbbPort* peer = device->GetPeer();
            if (peer && device->IsLinkUp())
            {
                const auto found = m_switchOfNode.find(PeekPointer(peer->GetDevice()->GetNode()));
                if (found != m_switchOfNode.end())
                {
                    m_sources.push_back({PeekPointer(device->GetNode()), found->second});
                }
            }
        }
    }

    /**
     * \param s index of a switch
     * \param group ports
     * \return true if none of the ports leads to a switch
     */
    bool IsDelivery(uint32_t s, const QbbForwardingTable::Group& group) const
    {
        for (const uint16_t port : group)
        {
            if (m_ports[m_first[s] + port].next != NO_NEXT_PORT)
            {
                return false;
            }
        }
        return true;
    }

    std::vector<Destinations> GroupDestinations(const QbbRouting& routing) const
    {
        std::map<std::vector<const QbbForwardingTable::Group*>, Destinations> groups;
        std::unordered_map<uint32_t, Destinations*> groupOfLeaf;
        const std::vector<uint32_t> leaves = routing.GetLeaves();
        for (std::size_t i = 0; i < leaves.size(); ++i)
        {
            const auto& [device, address] = routing.GetHosts()[i];
            const Node* host = PeekPointer(device->GetNode());
            Destinations*& known = groupOfLeaf[leaves[i]];
            if (known && leaves[i] != QbbHostPlace::NO_LEAF)
            {
                known->only = known->only == host ? host : nullptr;
                continue;
            }
            std::vector<const QbbForwardingTable::Group*> routes;
            for (uint32_t s = 0; s < m_switches.size(); ++s)
            {
                const auto* group = m_switches[s]->GetForwardingTable().Lookup(address);
                routes.push_back(group && IsDelivery(s, *group) ? nullptr : group);
            }
            const auto [found, isNew] = groups.emplace(routes, Destinations{address, host});
            if (!isNew && found->second.only != host)
            {
                found->second.only = nullptr;
            }
            known = &found->second;
        }
        std::vector<Destinations> list;
        for (const auto& [routes, destinations] : groups)
        {
            list.push_back(destinations);
        }
        return list;
    }

    /** Follows all paths of all packets to a set of destinations. */
    void FollowPaths(const Destinations& destinations)
    {
        std::vector<const QbbForwardingTable::Group*> routes(m_switches.size());
        std::vector<uint32_t> stack; // switches that packets reach
        const auto reach = [&](uint32_t s) {
            static const QbbForwardingTable::Group nowhere;
            if (!routes[s])
            {
                const auto* group =
                    m_switches[s]->GetForwardingTable().Lookup(destinations.address);
                routes[s] = group ? group : &nowhere;
                stack.push_back(s);
            }
        };
        for (const Source& source : m_sources)
        {
            if (source.host != destinations.only)
            {
                reach(source.sw);
            }
        }
        while (!stack.empty())
        {
            const uint32_t s = stack.back();
            stack.pop_back();
            for (const uint16_t egress : *routes[s])
            {
                if (const uint32_t next = m_ports[m_first[s] + egress].next; next != NO_NEXT_PORT)
                {
                    reach(m_ports[next].sw);
                    AddArrivals(m_ports[next], *routes[m_ports[next].sw]);
                }
            }
        }
    }

    /** \param at a port that packets enter \param group ports through which the packets leave */
    void AddArrivals(Port& at, const QbbForwardingTable::Group& group)
    {
        at.entered = true;
        if (at.latest == &group)
        {
            return; // many sets of destinations share a group
        }
        at.latest = &group;
        at.exits.resize(m_switches[at.sw]->GetNPorts());
        for (const uint16_t egress : group)
        {
            if (m_ports[m_first[at.sw] + egress].next != NO_NEXT_PORT)
            {
                at.exits[egress] = true;
            }
        }
    }

    /** \param member ports that take part \param priority a class \return result for the class */
    QbbDeadlockCheck CheckClass(const std::vector<bool>& member, uint8_t priority) const
    {
        QbbDeadlockCheck check;
        QbbDependencyGraph graph(static_cast<uint32_t>(m_ports.size()));
        for (uint32_t v = 0; v < m_ports.size(); ++v)
        {
            check.buffers += member[v];
            for (uint32_t p = 0; member[v] && p < m_ports[v].exits.size(); ++p)
            {
                const uint32_t next = m_ports[m_first[m_ports[v].sw] + p].next;
                if (m_ports[v].exits[p] && member[next])
                {
                    graph.AddEdge(v, next);
                    ++check.dependencies;
                }
            }
        }
        check.cyclicBuffers = graph.GetCyclic().size();
        for (const uint32_t v : graph.FindCycle())
        {
            const uint32_t s = m_ports[v].sw;
            check.cycle.push_back({m_switches[s]->GetObject<Node>()->GetId(),
                                   static_cast<uint16_t>(v - m_first[s]),
                                   priority});
        }
        return check;
    }

    const std::vector<Ptr<QbbSwitch>>& m_switches;            //!< switches, by index
    std::unordered_map<const Node*, uint32_t> m_switchOfNode; //!< index of a switch, by node
    std::vector<uint32_t> m_first;                            //!< number of port 0 of each switch
    std::vector<Port> m_ports;                                //!< ports of all switches
    std::vector<Source> m_sources;                            //!< entry points of all hosts
};

} // namespace

QbbDeadlockCheck
CheckQbbDeadlock(const QbbRouting& routing)
{
    return BufferDependencies(routing).Check();
}

} // namespace ns3
