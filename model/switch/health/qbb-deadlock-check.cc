/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-deadlock-check.h"

#include "qbb-dependency-graph.h"
#include "rdma-for-each-index.h"
#include "rdma-simulator-impl.h"

#include <ns3/node.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace ns3
{

std::ostream&
operator<<(std::ostream& os, const QbbBufferPoint& point)
{
    return os << "node " << point.node << " port " << point.port << " class " << +point.priority;
}

namespace
{

constexpr uint32_t NO_PORT = UINT32_MAX;

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
        const std::vector<Destinations> destinations = GroupDestinations(routing);
        constexpr std::size_t MOST = 8; // each thread has memory for all ports
        const std::size_t threads =
            std::min<std::size_t>({MOST, RdmaSimulatorImpl::GetThreads(), destinations.size() + 1});
        std::vector<Arrivals> arrivals(threads);
        RdmaForEachIndex(threads, threads, [&](std::size_t thread) {
            arrivals[thread] = Arrivals(m_cables.size());
            for (std::size_t i = thread; i < destinations.size(); i += threads)
            {
                FollowPaths(destinations[i], arrivals[thread]);
            }
        });
        for (Arrivals& part : arrivals)
        {
            AddArrivals(part);
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
    /** The buffer of a switch port: the frames that the port has received. */
    struct Port
    {
        uint32_t sw{0};          //!< index of the switch
        uint8_t lossless{0};     //!< bit mask of the lossless classes
        bool entered{false};     //!< frames from another switch can arrive at the port
        std::vector<bool> exits; //!< by egress port of the switch: frames can leave through it
    };

    /** The far end of the cable of a switch port. */
    struct Cable
    {
        uint32_t port{NO_PORT}; //!< number of the far port; NO_PORT: a host, or no cable
        uint32_t sw{0};         //!< index of the far port's switch
    };

    /** What packets do behind the cables of all switch ports. */
    struct Arrivals
    {
        Arrivals() = default;

        /** \param ports number of switch ports */
        explicit Arrivals(std::size_t ports)
            : latest(ports),
              exits(ports)
        {
        }

        /// The latest ports through which packets leave the far switch; null: no packet arrives.
        std::vector<const QbbForwardingTable::Group*> latest;
        /// By egress port of the far switch: packets can leave through the port.
        std::vector<std::vector<bool>> exits;
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
            m_cables.resize(m_ports.size());
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
                        m_cables[m_first[s] + p] = {m_first[found->second] + peer->GetPortNumber(),
                                                    found->second};
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
            if (m_cables[m_first[s] + port].port != NO_PORT)
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
    void FollowPaths(const Destinations& destinations, Arrivals& arrivals) const
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
                const uint32_t port = m_first[s] + egress;
                const Cable& cable = m_cables[port];
                if (cable.port == NO_PORT)
                {
                    continue;
                }
                reach(cable.sw);
                // Many sets of destinations share a group.
                if (arrivals.latest[port] != routes[cable.sw])
                {
                    arrivals.latest[port] = routes[cable.sw];
                    AddExits(cable.sw, *routes[cable.sw], arrivals.exits[port]);
                }
            }
        }
    }

    /**
     * \param s index of a switch
     * \param group ports through which packets leave the switch
     * \param exits gets those ports of the group that lead to switches
     */
    void AddExits(uint32_t s,
                  const QbbForwardingTable::Group& group,
                  std::vector<bool>& exits) const
    {
        exits.resize(m_switches[s]->GetNPorts());
        for (const uint16_t egress : group)
        {
            if (m_cables[m_first[s] + egress].port != NO_PORT)
            {
                exits[egress] = true;
            }
        }
    }

    /** \param arrivals what packets to some destinations do; the exits are moved away */
    void AddArrivals(Arrivals& arrivals)
    {
        for (std::size_t sender = 0; sender < m_cables.size(); ++sender)
        {
            if (!arrivals.latest[sender])
            {
                continue;
            }
            Port& port = m_ports[m_cables[sender].port];
            if (!port.entered)
            {
                port.entered = true;
                port.exits = std::move(arrivals.exits[sender]);
                continue;
            }
            for (std::size_t egress = 0; egress < port.exits.size(); ++egress)
            {
                port.exits[egress] = port.exits[egress] || arrivals.exits[sender][egress];
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
                const uint32_t next = m_cables[m_first[m_ports[v].sw] + p].port;
                if (m_ports[v].exits[p] && member[next])
                {
                    graph.AddEdge(v, next);
                    ++check.dependencies;
                }
            }
        }
        check.cyclicBuffers = graph.GetCyclic().size();
        for (const uint32_t v :
             check.cyclicBuffers > 0 ? graph.FindCycle() : std::vector<uint32_t>())
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
    std::vector<Cable> m_cables;                              //!< cables of the same ports
    std::vector<Source> m_sources;                            //!< entry points of all hosts
};

} // namespace

QbbDeadlockCheck
CheckQbbDeadlock(const QbbRouting& routing)
{
    return BufferDependencies(routing).Check();
}

} // namespace ns3
