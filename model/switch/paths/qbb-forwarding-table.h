/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FORWARDING_TABLE_H
#define QBB_FORWARDING_TABLE_H

#include "qbb-host-index.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Equal-cost next hops of a switch. The route of a destination is looked up in this order:
 *
 * - the route of the single destination (SetRoute());
 * - the route to the host (SetHosts()): the port to the host at the host's leaf; the route to that
 *   leaf (SetLeafRoute()), shared by all hosts of the leaf, at other switches;
 * - the longest prefix that matches (AddPrefix()).
 *
 * Destinations with equal sets of ports share one group. Parallel links are separate members of a
 * group.
 */
class QbbForwardingTable
{
  public:
    /** A set of equal-cost ports, ascending. */
    using Group = std::vector<uint16_t>;

    /** Removes all routes. */
    void Clear();

    /**
     * \param hosts locations of the hosts of the fabric
     * \param nLeaves number of leaves in the fabric
     * \param leaf number of this switch among the leaves, or QbbHostPlace::NO_LEAF
     * \param nPorts number of ports of this switch, at least 1 + the highest port of its hosts
     */
    void SetHosts(std::shared_ptr<const QbbHostIndex> hosts,
                  uint32_t nLeaves,
                  uint32_t leaf,
                  uint32_t nPorts);

    /**
     * \param leaf number of a leaf of SetHosts(), not this switch
     * \param ports equal-cost ports towards the leaf, ascending; empty: no route
     */
    void SetLeafRoute(uint32_t leaf, const Group& ports);

    /**
     * \param destination IPv4 address, host byte order
     * \param ports equal-cost ports towards the destination; empty: removes the route, even if the
     *        destination is a host with a route to its leaf
     */
    void SetRoute(uint32_t destination, Group ports);

    /**
     * \param destination IPv4 address, host byte order
     * \return equal-cost ports towards the destination, or null if there is no route
     */
    const Group* Lookup(uint32_t destination) const
    {
        return m_hasSingles ? LookupSingle(destination) : LookupHost(destination);
    }

    /**
     * Adds a route for all destinations of a network that have neither a route of their own nor a
     * longer matching prefix. Each pair of network and length may be added only once before
     * Clear().
     *
     * \param network IPv4 address, host byte order
     * \param length prefix length, 0 (all destinations) to 32
     * \param ports equal-cost ports towards the network
     */
    void AddPrefix(uint32_t network, uint8_t length, Group ports);

    /** \return number of single destinations with a route, including hosts */
    std::size_t GetNRoutes() const;

    /** \return version of the routes, which changes whenever a route changes */
    uint64_t GetVersion() const
    {
        return m_version;
    }

    /**
     * Prepares the routes of single destinations for fast lookups; call it after the last
     * SetRoute(). Addresses that are close together are stored in a plain array, scattered
     * addresses stay in a hash table.
     */
    void Freeze();

  private:
    /** Route of all destinations with a common prefix. */
    struct Prefix
    {
        uint32_t network{0}; //!< network address
        uint32_t mask{0};    //!< network mask
        Group ports;         //!< equal-cost ports
    };

    static constexpr uint32_t NO_ROUTE = 0; //!< special group number: no route
    static constexpr uint32_t REMOVED = 1;  //!< special group number: route removed by SetRoute()
    /// Special group number of a leaf: the leaf is this switch.
    static constexpr uint32_t LOCAL = 1;
    static constexpr uint32_t FIRST = 2; //!< number of the first group

    /** \param leaf a leaf, or NO_LEAF, which precedes leaf 0 \return index in m_groupOfLeaf */
    static uint32_t GetLeafIndex(uint32_t leaf)
    {
        return leaf + 1;
    }

    /** \param ports a set of ports, ascending \return number of the group with these ports */
    uint32_t GetGroup(const Group& ports);
    const Group* LookupSingle(uint32_t destination) const;
    const Group* LookupPrefix(uint32_t destination) const;

    const Group* LookupHost(uint32_t destination) const
    {
        if (m_hosts)
        {
            const QbbHostPlace place = m_hosts->Find(destination);
            const uint32_t group = m_groupOfLeaf[GetLeafIndex(place.leaf)];
            if (group >= FIRST)
            {
                return &m_groups[group - FIRST];
            }
            if (group == LOCAL)
            {
                return &m_localPorts[place.port];
            }
        }
        return m_prefixes.empty() ? nullptr : LookupPrefix(destination);
    }

    bool m_hasSingles{false};                    //!< m_routes is not empty
    std::shared_ptr<const QbbHostIndex> m_hosts; //!< locations of hosts from SetHosts(), or null
    std::vector<uint32_t> m_groupOfLeaf;         //!< group number of each leaf, by GetLeafIndex()
    std::vector<Group> m_groups;                 //!< groups, by number - FIRST
    std::vector<Group> m_localPorts;    //!< one group for each port alone, if this switch is a leaf
    std::vector<Prefix> m_prefixes;     //!< prefix routes, longest first
    QbbAddressTable<uint32_t> m_routes; //!< group number, by single destination
    uint64_t m_version{0};              //!< version of the routes, see GetVersion()
};

} // namespace ns3

#endif /* QBB_FORWARDING_TABLE_H */
