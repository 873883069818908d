/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ROUTING_H
#define QBB_ROUTING_H

#include "qbb-net-device.h"
#include "qbb-switch-graph.h"
#include "qbb-switch.h"

#include <ns3/ipv4-address.h>
#include <ns3/object.h>

#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Computes the switches' routes from the node and channel graph, over links that are up. Hosts do
 * not forward. Parallel links count each. The attribute Algorithm chooses
 *
 * - ShortestPath: all shortest paths in hops;
 * - UpDown: paths that go up, then down, and never up again, which can deadlock on no graph
 *   (Schroeder et al., "Autonet: a High-speed, Self-configuring Local Area Network Using
 *   Point-to-point Links", 1991). Up is away from the hosts: to the switch that is more hops away
 *   from the nearest one with hosts, links that are down included; of two that are alike, to the
 *   one nearer to the root, which is the first switch of the highest tier, and then to the one that
 * was added first. Who can go down all the way does so, by all shortest such ways; the others go
 * up, by all ways on which the rest is shortest. In a Clos network without failures these are the
 *   shortest paths. Where there is no such way, there is no route.
 *
 * It reads the graph from the devices and their channels, so it needs no node numbering and no
 * topology file.
 */
class QbbRouting : public Object
{
  public:
    /**
     * Which paths are routes.
     */
    enum Algorithm : uint8_t
    {
        SHORTEST_PATH, //!< all shortest paths
        UP_DOWN,       //!< up, then down
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param sw a switch whose routes are to be computed */
    void AddSwitch(Ptr<QbbSwitch> sw);

    /**
     * Aborts with a message if another port has the address.
     *
     * \param port a host's port
     * \param address its IPv4 address
     */
    void AddHost(Ptr<QbbNetDevice> port, Ipv4Address address);

    /**
     * Has all packets for a network sent to a host that forwards them: a gateway to another network
     * of ns-3, or with network and mask 0.0.0.0 the way to everywhere else. Addresses of AddHost()
     * come first, then the longest prefix. The routes follow each change of links.
     *
     * Aborts with a message if the port is none of AddHost(), or if the network has a gateway.
     *
     * \param port the gateway's port in the fabric
     * \param network the network
     * \param mask its mask
     */
    void AddPrefix(Ptr<QbbNetDevice> port, Ipv4Address network, Ipv4Mask mask);

    /** \return the switches, in the order of AddSwitch() */
    const std::vector<Ptr<QbbSwitch>>& GetSwitches() const
    {
        return m_switches;
    }

    /** A host's port. */
    struct Host
    {
        Ptr<QbbNetDevice> port; //!< the port
        uint32_t address{0};    //!< its IPv4 address, host byte order
    };

    /** \return the hosts' ports, in the order of AddHost() */
    const std::vector<Host>& GetHosts() const
    {
        return m_hosts;
    }

    /** Computes all routes and puts them into the switches. */
    void ComputeRoutes();

    /**
     * Takes a link down or up. The switches learn of it after ConvergenceDelay, and have new routes
     * then; of other links they know what held that long ago.
     *
     * \param channel the link
     * \param up true for up
     */
    void SetLinkUp(Ptr<QbbChannel> channel, bool up);

    /**
     * Follows the routes of one flow.
     *
     * \param port the sending host's port
     * \param destination IPv4 address of the receiver
     * \param flowHash QbbFlowHash() of the flow
     * \return the sending ports along the path, the host's first; empty if there is no path
     */
    std::vector<Ptr<QbbNetDevice>> GetPath(Ptr<QbbNetDevice> port,
                                           Ipv4Address destination,
                                           uint32_t flowHash) const;

  protected:
    void DoDispose() override;

  private:
    /** A change of a link that the switches do not know of yet. */
    struct PendingChange
    {
        bool known{true};   //!< what they take the link's state for
        uint32_t changes{}; //!< changes that they have still to learn of
    };

    /** \return true if the switches take the port's link to be up */
    bool IsKnownUp(const QbbPort& port) const;

    /** The switches learn that a link went down or up. */
    void LearnLink(Ptr<QbbChannel> channel, bool up);

    /** \return the neighbours of each switch, over links that the switches take to be up */
    QbbSwitchGraph GetGraph() const;

    /**
     * Tells the tables of all switches where the hosts are.
     *
     * \return the switches with hosts, by the number of the leaf
     */
    std::vector<uint32_t> PlaceHosts();

    /**
     * Puts the shortest ways to a leaf into the switches.
     *
     * \param leaf number of a leaf
     * \param target its switch
     * \param graph the neighbours of each switch
     */
    void ComputeShortestRoutesTo(uint32_t leaf, uint32_t target, const QbbSwitchGraph& graph);

    /** A network behind a host. */
    struct Prefix
    {
        uint32_t network{0}; //!< IPv4 address, host byte order
        uint8_t length{0};   //!< of the prefix, in bits
        uint32_t gateway{0}; //!< address of the host
    };

    Algorithm m_algorithm{SHORTEST_PATH};                            //!< attribute Algorithm
    std::vector<Prefix> m_prefixes;                                  //!< networks behind hosts
    bool m_computed{false};                                          //!< there are routes
    std::vector<Ptr<QbbSwitch>> m_switches;                          //!< by index
    std::unordered_map<const Node*, uint32_t> m_switchOfNode;        //!< index by node
    std::vector<Host> m_hosts;                                       //!< host ports
    std::unordered_map<uint32_t, Ptr<QbbNetDevice>> m_portOfAddress; //!< to find duplicates
    Time m_convergenceDelay;                                         //!< attribute ConvergenceDelay
    std::unordered_map<const QbbChannel*, PendingChange> m_pending;  //!< not known to the switches
};

} // namespace ns3

#endif /* QBB_ROUTING_H */
