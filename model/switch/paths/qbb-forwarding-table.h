/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FORWARDING_TABLE_H
#define QBB_FORWARDING_TABLE_H

#include "rdma-prefetch.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A map from IPv4 addresses to small values, with a fast lookup for each frame.
 *
 * Addresses that are close together are stored in a plain array. Scattered addresses stay in a hash
 * table.
 *
 * \tparam T a small value; T() means that an address has no value
 */
template <typename T>
class QbbAddressTable
{
  public:
    /** Removes all addresses. */
    void Clear()
    {
        m_values.clear();
        Thaw();
    }

    /**
     * Sets or replaces a value.
     *
     * \param address IPv4 address, host byte order
     * \param value value of the address
     */
    void Set(uint32_t address, T value)
    {
        m_values[address] = value;
        Thaw();
    }

    /** Removes an address if present. \param address IPv4 address, host byte order */
    void Erase(uint32_t address)
    {
        m_values.erase(address);
        Thaw();
    }

    /** Prepares fast lookups. Call it after the last change. */
    void Freeze()
    {
        Thaw();
        if (m_values.empty())
        {
            return;
        }
        uint32_t first = UINT32_MAX;
        uint32_t last = 0;
        for (const auto& [address, value] : m_values)
        {
            first = std::min(first, address);
            last = std::max(last, address);
        }
        // An array with up to eight times as many entries as addresses costs less than the hash
        // table.
        const uint64_t span = uint64_t{last} - first + 1;
        if (span > 8 * uint64_t{m_values.size()} + 64)
        {
            return;
        }
        m_base = first;
        m_span = static_cast<uint32_t>(span);
        m_dense.resize(m_span);
        for (const auto& [address, value] : m_values)
        {
            m_dense[address - first] = value;
        }
    }

    /** \param address IPv4 address, host byte order \return value of the address, or T() */
    T Find(uint32_t address) const
    {
        const uint32_t offset = address - m_base;
        return offset < m_span ? m_dense[offset] : FindSparse(address);
    }

    /** \return all values, by address */
    const std::unordered_map<uint32_t, T>& GetValues() const
    {
        return m_values;
    }

  private:
    void Thaw()
    {
        m_span = 0;
        m_dense.clear();
    }

    T FindSparse(uint32_t address) const
    {
        const auto found = m_values.find(address);
        return found == m_values.end() ? T() : found->second;
    }

    uint32_t m_base{0};                       //!< first address of the array
    uint32_t m_span{0};                       //!< length of the array; 0 without an array
    std::vector<T> m_dense;                   //!< values of the addresses from m_base on
    std::unordered_map<uint32_t, T> m_values; //!< all values, by address
};

/**
 * \ingroup rdma
 * Location of a host in a fabric: the switch that the host is attached to (its leaf), and the port
 * of that switch. A host whose address is that of several ports (a bond) may have several leaves;
 * the set of these leaves then has a number of its own, a shared leaf.
 */
struct QbbHostPlace
{
    static constexpr uint32_t NO_LEAF = UINT32_MAX; //!< the address belongs to no host

    uint32_t leaf{NO_LEAF}; //!< number of the leaf or of the shared leaf, counted from 0
    uint16_t port{0};       //!< the leaf's port towards the host; shared leaf: its first switch's
};

/**
 * \ingroup rdma
 * Locations of the hosts of a fabric, by address. The forwarding tables of all switches share one
 * index, so that a table needs one entry per leaf instead of one per host.
 */
using QbbHostIndex = QbbAddressTable<QbbHostPlace>;

/**
 * \ingroup rdma
 * Equal-cost next hops of a switch. The route of a destination is looked up in this order:
 *
 * - the route of the single destination (SetRoute());
 * - the route to the host (SetHosts()): the port to the host at the host's leaf, or at each of its
 *   leaves; the route to that leaf (SetLeafRoute()), shared by all hosts of the leaf, at other
 *   switches;
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

    /** The ports towards a destination, as the forwarding of a frame reads them. */
    struct Route
    {
        const Group* group{nullptr}; //!< the ports, if their numbers are not consecutive; or null
        uint16_t first{0};           //!< lowest port, if group is null
        uint16_t count{0};           //!< number of ports; 0: there is no route

        /** \param index an index below count \return a port, in ascending order */
        uint16_t GetPort(uint32_t index) const
        {
            return group ? (*group)[index] : static_cast<uint16_t>(first + index);
        }
    };

    /** Removes all routes. */
    void Clear();

    /**
     * \param hosts locations of the hosts of the fabric
     * \param nLeaves number of leaves in the fabric
     * \param leaf number of this switch among the leaves, or QbbHostPlace::NO_LEAF
     * \param nPorts number of ports of this switch, at least 1 + the highest port of its hosts
     * \param shares true if some of the leaves are shared ones
     */
    void SetHosts(std::shared_ptr<const QbbHostIndex> hosts,
                  uint32_t nLeaves,
                  uint32_t leaf,
                  uint32_t nPorts,
                  bool shares = false);

    /**
     * \param leaf number of a leaf of SetHosts(), not this switch
     * \param ports equal-cost ports towards the leaf, ascending; empty: no route
     */
    void SetLeafRoute(uint32_t leaf, const Group& ports);

    /**
     * Makes this switch one of the switches of a shared leaf, whose hosts it delivers to.
     *
     * \param leaf number of a shared leaf of SetHosts(), below its number of leaves
     * \param shift difference, modulo 65536, between the port of this switch that leads to a host
     *        of the shared leaf and QbbHostPlace::port of the host; one value for all its hosts
     */
    void SetSharedLeaf(uint32_t leaf, uint16_t shift);

    /**
     * \param leaf number of a leaf of SetHosts()
     * \return ports of SetLeafRoute(), or null if there is no route or this switch is the leaf
     */
    const Group* GetLeafRoute(uint32_t leaf) const
    {
        const uint32_t route = m_routeOfLeaf[GetLeafIndex(leaf)];
        return route >= FIRST ? GetPorts(route) : nullptr;
    }

    /** \return true if hosts may have several leaves, at this switch or at others */
    bool HasSharedLeaves() const
    {
        return m_hasSharedLeaves;
    }

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
     * Looks up a route like Lookup(), but reads less memory if the ports have consecutive numbers.
     *
     * \param destination IPv4 address, host byte order
     * \return the route to the destination
     */
    [[gnu::always_inline]] Route Find(uint32_t destination) const
    {
        if (m_hosts && !m_hasSingles)
        {
            const QbbHostPlace place = m_hosts->Find(destination);
            const uint32_t route = m_routeOfLeaf[GetLeafIndex(place.leaf)];
            if (route & RUN)
            {
                return {nullptr, static_cast<uint16_t>(route), GetRunLength(route)};
            }
            if (route == LOCAL)
            {
                return {nullptr, place.port, 1};
            }
            if (route >= FIRST)
            {
                return MakeRoute(m_groups[route - FIRST]);
            }
        }
        return FindElsewhere(destination);
    }

    /** Fetches the route to a host into the CPU caches. \param destination address of the host */
    void Prefetch(uint32_t destination) const
    {
        if (m_hosts)
        {
            RdmaPrefetch(&m_routeOfLeaf[GetLeafIndex(m_hosts->Find(destination).leaf)]);
        }
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

    /** \return number of this switch among the leaves; QbbHostPlace::NO_LEAF: it has no hosts */
    uint32_t GetLeaf() const
    {
        return m_leaf;
    }

    /** \return number of leaves in the fabric, shared ones included, which are numbered from 0 */
    uint32_t GetNLeaves() const
    {
        return m_routeOfLeaf.empty() ? 0 : static_cast<uint32_t>(m_routeOfLeaf.size() - 1);
    }

    /**
     * \param destination IPv4 address, host byte order
     * \return number of the leaf, or of the shared leaf, of the host; QbbHostPlace::NO_LEAF: the
     * address is that of no host, or the host's link is down
     */
    uint32_t GetLeafOf(uint32_t destination) const
    {
        return m_hosts ? m_hosts->Find(destination).leaf : QbbHostPlace::NO_LEAF;
    }

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

    /** A route by several consecutive ports. */
    struct Run
    {
        uint32_t run{0};   //!< number of the route
        uint32_t group{0}; //!< index of the run's ports in m_groups
    };

    // A route is stored as a number: a special value, LOCAL + a shift of ports, FIRST + the index
    // of a group in m_groups, or RUN + a number of ports in bits 16 to 30 + the lowest port. In a
    // Clos fabric nearly all routes are runs of ports, and a frame finds its port without reading a
    // group.

    static constexpr uint32_t NO_ROUTE = 0;      //!< no route
    static constexpr uint32_t REMOVED = 1;       //!< route of a destination: removed by SetRoute()
    static constexpr uint32_t LOCAL = 1;         //!< route of a leaf: the leaf is this switch
    static constexpr uint32_t SHIFTS = 1U << 16; //!< number of shifts of a route LOCAL + shift
    static constexpr uint32_t FIRST = LOCAL + SHIFTS; //!< number of the first group
    static constexpr uint32_t RUN = 0x80000000;       //!< flag: consecutive ports
    static constexpr uint32_t LONGEST_RUN = 0x7fff;   //!< most ports in a run

    /** \param leaf a leaf, or NO_LEAF, which precedes leaf 0 \return index in m_routeOfLeaf */
    static uint32_t GetLeafIndex(uint32_t leaf)
    {
        return leaf + 1;
    }

    /** \param route number of a run \return number of its ports */
    static uint16_t GetRunLength(uint32_t route)
    {
        return (route >> 16) & LONGEST_RUN;
    }

    /** \param ports a set of ports, ascending, at least one \return the run, or NO_ROUTE
     */
    static uint32_t MakeRun(const Group& ports);

    /** \param group several ports \return the route to them */
    static Route MakeRoute(const Group& group)
    {
        return {&group, 0, static_cast<uint16_t>(group.size())};
    }

    /** \param ports a set of ports, ascending, at least one \return number of the route */
    uint32_t GetRoute(const Group& ports);

    /** \param ports a set of ports, added if it is new \return index of the set in m_groups */
    uint32_t GetGroupIndex(const Group& ports);

    /** Makes the single-port groups of all ports up to a port. \param port port number */
    void AddSingle(uint16_t port);

    /** \param route number of a route by a group or a run \return its ports */
    const Group* GetPorts(uint32_t route) const
    {
        return route & RUN ? GetPortsOfRun(route) : &m_groups[route - FIRST];
    }

    const Group* GetPortsOfRun(uint32_t run) const;

    /** \param run number of a run \return the first element of m_runs not below the run */
    std::vector<Run>::const_iterator FindRun(uint32_t run) const;

    Route FindElsewhere(uint32_t destination) const;
    const Group* LookupSingle(uint32_t destination) const;
    const Group* LookupPrefix(uint32_t destination) const;

    const Group* LookupHost(uint32_t destination) const
    {
        if (m_hosts)
        {
            const QbbHostPlace place = m_hosts->Find(destination);
            const uint32_t route = m_routeOfLeaf[GetLeafIndex(place.leaf)];
            if (route >= FIRST)
            {
                return GetPorts(route);
            }
            if (route != NO_ROUTE)
            {
                return &m_singles[static_cast<uint16_t>(place.port + (route - LOCAL))];
            }
        }
        return m_prefixes.empty() ? nullptr : LookupPrefix(destination);
    }

    bool m_hasSingles{false};                    //!< m_routes is not empty
    bool m_hasSharedLeaves{false};               //!< value of HasSharedLeaves()
    std::shared_ptr<const QbbHostIndex> m_hosts; //!< locations of hosts from SetHosts(), or null
    std::vector<uint32_t> m_routeOfLeaf;         //!< route of each leaf, by GetLeafIndex()
    std::vector<Group> m_groups;                 //!< groups of several ports
    std::vector<Run> m_runs;                     //!< runs of several ports, ascending
    std::vector<Group> m_singles;                //!< single-port groups, by port number
    std::vector<Prefix> m_prefixes;              //!< prefix routes, longest first
    QbbAddressTable<uint32_t> m_routes;          //!< routes of single destinations
    uint64_t m_version{0};                       //!< version of the routes, see GetVersion()
    uint32_t m_leaf{QbbHostPlace::NO_LEAF};      //!< number of this switch among the leaves
};

} // namespace ns3

#endif /* QBB_FORWARDING_TABLE_H */
