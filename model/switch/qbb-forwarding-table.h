/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FORWARDING_TABLE_H
#define QBB_FORWARDING_TABLE_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Equal-cost next hops by destination host, and by prefix for what is not a host: the longest one
 * that matches.
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
     * \param destination IPv4 address, host byte order
     * \param ports the equal-cost ports towards it; none removes the route
     */
    void SetRoute(uint32_t destination, Group ports);

    /**
     * \param destination IPv4 address, host byte order
     * \return the ports towards it, or null if there is no route
     */
    const Group* Lookup(uint32_t destination) const
    {
        const uint32_t offset = destination - m_base;
        if (offset < m_dense.size())
        {
            const uint32_t group = m_dense[offset];
            return group ? &m_groups[group - 1] : LookupPrefix(destination);
        }
        return LookupSparse(destination);
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

    /** \return how many single destinations have a route */
    std::size_t GetNRoutes() const
    {
        return m_routes.size();
    }

    /**
     * Lays the routes out for Lookup(); call it after the last SetRoute(). Addresses that are close
     * together get a plain array, scattered ones stay in a hash table.
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

    const Group* LookupSparse(uint32_t destination) const;
    const Group* LookupPrefix(uint32_t destination) const;

    std::vector<Group> m_groups;                     //!< sets of ports
    std::unordered_map<uint32_t, uint32_t> m_routes; //!< destination to group, counted from 1
    uint32_t m_base{0};                              //!< first address of the array
    std::vector<uint32_t> m_dense;                   //!< groups from m_base on, 0 for none
    std::vector<Prefix> m_prefixes;                  //!< longest first
};

} // namespace ns3

#endif /* QBB_FORWARDING_TABLE_H */
