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
 * Equal-cost next hops of a switch. What a destination's route is, is looked up in this order:
 *
 * - the route of the single destination (SetRoute());
 * - the route to the host (SetHosts()): at the host's own leaf the port to the host, at other
 *   switches the route to that leaf (SetLeafRoute()), which all its hosts share;
 * - the longest prefix that matches (AddPrefix()).
 *
 * Destinations that leave by the same set of ports share one group. Parallel links are separate
 * members of a group.
 */
class QbbForwardingTable
{
  public:
    /** The ports of a group, ascending. */
    using Group = std::vector<uint16_t>;

    /** Forgets every route. */
    void Clear();

    /**
     * \param hosts where the hosts of the fabric are
     * \param nLeaves how many leaves the fabric has
     * \param leaf this switch's number among the leaves, or QbbHostPlace::NO_LEAF
     */
    void SetHosts(std::shared_ptr<const QbbHostIndex> hosts, uint32_t nLeaves, uint32_t leaf);

    /**
     * \param leaf a leaf of SetHosts(), not that of this switch
     * \param ports the equal-cost ports towards it, ascending; none: there is no route
     */
    void SetLeafRoute(uint32_t leaf, const Group& ports);

    /**
     * \param destination IPv4 address, host byte order
     * \param ports the equal-cost ports towards it; none removes the route, that of a host's leaf
     *        included
     */
    void SetRoute(uint32_t destination, Group ports);

    /**
     * \param destination IPv4 address, host byte order
     * \return the ports towards it, or null if there is no route
     */
    const Group* Lookup(uint32_t destination) const
    {
        return m_routes.GetValues().empty() ? LookupHost(destination) : LookupSingle(destination);
    }

    /**
     * Adds a route for all destinations of a network that have none of their own and no longer
     * prefix. No address and length may be given twice before Clear().
     *
     * \param network IPv4 address, host byte order
     * \param length of the prefix, 0 (all destinations) to 32
     * \param ports the equal-cost ports towards it
     */
    void AddPrefix(uint32_t network, uint8_t length, Group ports);

    /** \return how many single destinations have a route, hosts included */
    std::size_t GetNRoutes() const;

    /** \return a number that changes whenever a route does */
    uint64_t GetVersion() const
    {
        return m_version;
    }

    /**
     * Lays the routes of single destinations out for Lookup(); call it after the last SetRoute().
     * Addresses that are close together get a plain array, scattered ones stay in a hash table.
     */
    void Freeze();

  private:
    /** All destinations with the same first bits. */
    struct Prefix
    {
        uint32_t network{0}; //!< these bits
        uint32_t mask{0};    //!< which they are
        Group ports;         //!< where they go
    };

    static constexpr uint32_t NO_ROUTE = 0; //!< in place of a group: there is none
    static constexpr uint32_t REMOVED = 1;  //!< in place of a group: SetRoute() took it away
    static constexpr uint32_t LOCAL = 1;    //!< in place of a leaf's group: the leaf is this switch
    static constexpr uint32_t FIRST = 2;    //!< the first group's number

    /** \param leaf a leaf or NO_LEAF, which is before leaf 0 \return place in m_groupOfLeaf */
    static uint32_t GetLeafIndex(uint32_t leaf)
    {
        return leaf + 1;
    }

    /** \param ports ascending \return the number of the group with these ports */
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

    std::vector<Group> m_groups;                 //!< sets of ports
    std::shared_ptr<const QbbHostIndex> m_hosts; //!< SetHosts(), or null
    std::vector<uint32_t> m_groupOfLeaf;         //!< group by GetLeafIndex()
    std::vector<Group> m_localPorts;             //!< each port alone, if this is a leaf
    QbbAddressTable<uint32_t> m_routes;          //!< group by single destination
    std::vector<Prefix> m_prefixes;              //!< longest first
    uint64_t m_version{0};                       //!< GetVersion()
};

} // namespace ns3

#endif /* QBB_FORWARDING_TABLE_H */
