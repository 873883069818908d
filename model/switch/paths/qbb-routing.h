/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ROUTING_H
#define QBB_ROUTING_H

#include "qbb-net-device.h"
#include "qbb-shortest-routing.h"
#include "qbb-switch.h"

#include <ns3/ipv4-address.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Computes the routes of switches from the graph of nodes and cables, over links that are up.
 * Hosts do not forward packets. Parallel links are separate paths. Attribute Algorithm selects the
 * paths:
 *
 * - ShortestPath: all shortest paths in hops.
 * - UpDown: paths that go up, then down, and never up again. Such paths cannot deadlock on any
 *   graph (Schroeder et al., "Autonet: a High-speed, Self-configuring Local Area Network Using
 *   Point-to-point Links", 1991). Up leads away from the hosts: of two neighbours, the upper switch
 *   is the one with more hops to its nearest switch with hosts. A tie goes to the switch nearer to
 *   the root, which is the first switch of the highest tier, and then to the switch that was added
 *   first. Links that are down count as well. A switch that can reach the destination over downward
 *   links alone uses all shortest downward paths. Any other switch goes up, to all neighbours from
 *   which the rest of the path is shortest. In a Clos network without failures, these are the
 *   shortest paths. A destination without such a path has no route.
 *
 * An address may be that of several ports of a host, which then form a bond (RdmaNic). Other
 * switches use the shortest paths to the nearest of the host's leaves, and each leaf delivers
 * frames itself. A leaf whose link to the host is down sends frames on to the other leaves.
 *
 * The graph comes from the devices and their cables, so neither node numbering nor a topology
 * file is needed. With ShortestPath and without gateways, a link that goes down or up changes only
 * the routes that use the link.
 */
class QbbRouting : public Object
{
  public:
    /**
     * Kinds of paths that routes use.
     */
    enum Algorithm : uint8_t
    {
        SHORTEST_PATH, //!< all shortest paths
        UP_DOWN,       //!< paths that go up, then down
    };

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \param sw a switch whose routes are to be computed */
    void AddSwitch(Ptr<QbbSwitch> sw);

    /**
     * Aborts with a message if a port of another node has the address.
     *
     * \param port a host's port
     * \param address IPv4 address of the port; that of other ports of the node for a bond
     */
    void AddHost(Ptr<QbbNetDevice> port, Ipv4Address address);

    /**
     * Routes all packets for a network to a host that forwards them: a gateway to another ns-3
     * network or, with network and mask 0.0.0.0, to all other destinations. Addresses of AddHost()
     * take precedence, then the longest prefix. The routes follow each change of links.
     *
     * Aborts with a message if the port was not added with AddHost(), or if the network already has
     * a gateway.
     *
     * \param port the gateway's port in the fabric
     * \param network network address
     * \param mask network mask
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
        Ptr<QbbNetDevice> port; //!< device of the port
        uint32_t address{0};    //!< IPv4 address of the port, host byte order
    };

    /** \return the hosts' ports, in the order of AddHost() */
    const std::vector<Host>& GetHosts() const
    {
        return m_hosts;
    }

    /**
     * \return number of the leaf of the address of each host's port, in the order of GetHosts().
     * The leaves of a bond have a number of their own as a set. Another switch has the same routes
     * to all addresses of a leaf. QbbHostPlace::NO_LEAF: the leaf is unknown, or the links are down
     */
    std::vector<uint32_t> GetLeaves() const;

    /** Computes all routes and installs them in the switches. */
    void ComputeRoutes();

    /**
     * Takes a link down or up. The switches learn of the change after ConvergenceDelay and get new
     * routes then. Their view of all links lags by ConvergenceDelay.
     *
     * \param channel cable of the link
     * \param up true for up
     */
    void SetLinkUp(Ptr<QbbChannel> channel, bool up);

    /**
     * Follows the routes of one flow. Hosts do not forward: over a cable between two hosts, the
     * only path is that to the other end.
     *
     * \param port the sending host's port
     * \param destination IPv4 address of the receiver
     * \param flowHash QbbFlowHash() of the flow
     * \return the sending ports along the path, beginning with the host's port; empty if there is
     *         no path
     */
    std::vector<Ptr<QbbNetDevice>> GetPath(Ptr<QbbNetDevice> port,
                                           Ipv4Address destination,
                                           uint32_t flowHash) const;

    /**
     * Follows the routes of one flow like GetPath(). The function copies no Ptr, so that an event
     * of the sending host may call it while other nodes run on other threads.
     *
     * \param port the sending host's port
     * \param destination IPv4 address of the receiver
     * \param flowHash QbbFlowHash() of the flow
     * \return the sending ports along the path
     */
    std::vector<const QbbPort*> FollowPath(const QbbPort& port,
                                           Ipv4Address destination,
                                           uint32_t flowHash) const;

    /**
     * Says why there is no path, for messages.
     *
     * \param port the sending host's port
     * \param destination IPv4 address of the receiver
     * \return the reason, such as a cable that ends at another host, which does not forward; empty
     *         if each switch on the way has a route
     */
    std::string GetNoPathReason(const QbbPort& port, Ipv4Address destination) const;

  protected:
    void DoDispose() override;

  private:
    void SetAlgorithm(Algorithm algorithm);

    Algorithm GetAlgorithm() const
    {
        return m_algorithm;
    }

    /** A link with changes that the switches have not learned of yet. */
    struct PendingLink
    {
        bool known{true};   //!< true if the switches take the link to be up
        uint32_t changes{}; //!< number of changes that the switches have not learned of yet
    };

    /** The switches learn of the oldest pending change of a link. */
    void ApplyLinkChange(Ptr<QbbChannel> channel, bool up);

    /** \param port a port \return true if the switches take the port's link to be up */
    bool IsKnownUp(const QbbPort& port) const;

    /** \return neighbours of each switch, over links that the switches take to be up */
    QbbSwitchGraph GetGraph() const;

    /// Indices in m_hosts of ports with one address.
    using HostPorts = std::vector<uint32_t>;

    /** An address with several ports. */
    struct Bond
    {
        HostPorts ports;  //!< all ports
        HostPorts placed; //!< ports of the present location, in the order of GetPlaced()
    };

    /// A shared leaf: the leaves of its switches, each with what tells its ports. See MakeKey().
    using SharedLeafKey = std::vector<std::pair<uint32_t, uint32_t>>;

    /** Finds the leaves, and sets the locations of hosts in the forwarding tables. */
    void PlaceHosts();

    /**
     * Updates the locations of hosts after changes of the links of hosts.
     *
     * \return false if a shared leaf is missing, so that PlaceHosts() is needed
     */
    bool UpdateHosts();

    /**
     * \param ports ports of GetPlaced(), two at least
     * \return key of their shared leaf
     */
    SharedLeafKey MakeKey(const HostPorts& ports) const;

    /**
     * \param ports ports of an address
     * \param known true: only ports whose links the switches take to be up; false: all with a leaf
     * \return ports that lead to a leaf, by leaf and port of the leaf
     */
    HostPorts GetPlaced(const HostPorts& ports, bool known) const;

    /** Numbers the shared leaf of several ports, unless it has a number. \param ports ports of
     * GetPlaced() */
    void AddSharedLeaf(const HostPorts& ports);

    /**
     * \param ports ports of GetPlaced()
     * \return location of the host; none: the shared leaf has no number
     */
    std::optional<QbbHostPlace> FindPlace(const HostPorts& ports) const;

    /** Sets the location of an address. \param address the address \param place its location */
    void SetPlace(uint32_t address, const QbbHostPlace& place);

    /** Makes the switches of all shared leaves deliver to the leaves' hosts. */
    void InstallSharedLeaves();

    /** \param port a host's port \param address an address \return true if the port has it */
    bool HasAddress(const QbbPort& port, uint32_t address) const;

    /**
     * \param port the sending host's port
     * \param destination IPv4 address of the receiver
     * \return id of the first host that would have to forward; none if no cables lead there
     */
    std::optional<uint32_t> FindForwardingHost(const QbbPort& port, uint32_t destination) const;

    /** \param algorithm installs its routes to all leaves in the switches */
    template <typename T>
    void ComputeAll(const T& algorithm);

    /** \return true if all routes are those of the last ComputeRoutes() or UpdateRoutes() */
    bool HasOwnRoutes() const;

    /**
     * Changes the routes after a link went down or up. Computes all routes if it cannot tell which
     * of them change.
     */
    void UpdateRoutes();

    /** A network behind a host. */
    struct Prefix
    {
        uint32_t network{0}; //!< IPv4 address, host byte order
        uint8_t length{0};   //!< prefix length in bits
        uint32_t gateway{0}; //!< IPv4 address of the gateway
    };

    /** \param node id of a node \return index of the switch; NO_SWITCH: the node is a host */
    uint32_t FindSwitch(uint32_t node) const
    {
        return node < m_switchOfNode.size() ? m_switchOfNode[node] : NO_SWITCH;
    }

    static constexpr uint32_t NO_SWITCH = UINT32_MAX; //!< in m_switchOfNode: no switch

    Algorithm m_algorithm{SHORTEST_PATH};   //!< attribute Algorithm
    std::vector<Prefix> m_prefixes;         //!< networks behind gateways
    bool m_computed{false};                 //!< ComputeRoutes() has run
    std::vector<Ptr<QbbSwitch>> m_switches; //!< switches, by index
    std::vector<uint32_t> m_switchOfNode;   //!< by node id; NO_SWITCH for other nodes
    std::vector<Host> m_hosts;              //!< host ports
    /// Index in m_hosts of the first port with an address, by address.
    std::unordered_map<uint32_t, uint32_t> m_hostOfAddress;
    std::map<uint32_t, Bond> m_bonds; //!< addresses with several ports
    std::vector<bool> m_isBonded;     //!< by index in m_hosts: another port has the address
    std::map<SharedLeafKey, uint32_t> m_sharedLeaves; //!< numbers of the shared leaves
    Time m_convergenceDelay;                          //!< attribute ConvergenceDelay
    TracedCallback<> m_routesChanged;                 //!< trace source RoutesChanged
    std::shared_ptr<QbbHostIndex> m_index;            //!< locations of the hosts whose links are up
    std::vector<QbbHostPlace> m_places; //!< location of each host, by index in m_hosts
    /// Switches with hosts, then the sets of switches that share hosts, by leaf number.
    std::vector<QbbShortestRouting::Leaf> m_leaves;
    QbbSwitchGraph m_graph;           //!< graph of the installed routes
    std::vector<uint64_t> m_versions; //!< version of each switch's installed routes
    std::unordered_map<const QbbChannel*, PendingLink> m_pending; //!< links with pending changes
};

} // namespace ns3

#endif /* QBB_ROUTING_H */
