/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_HOST_INDEX_H
#define QBB_HOST_INDEX_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Where the hosts of a fabric are: the switch that a host hangs on (its leaf), and the port of that
 * switch. The forwarding tables of all switches share one index, so that a table has an entry for
 * each leaf and not for each host.
 */
class QbbHostIndex
{
  public:
    static constexpr uint32_t NO_LEAF = UINT32_MAX; //!< the address is no host's

    /** Where a host is. */
    struct Place
    {
        uint32_t leaf{NO_LEAF}; //!< number of the leaf, counted from 0
        uint16_t port{0};       //!< the leaf's port towards the host
    };

    /** \param address IPv4 address of a host, host byte order \param place where it is */
    void Add(uint32_t address, Place place);

    /**
     * Lays the addresses out for Find(); call it after the last Add(). Addresses that are close
     * together get a plain array, scattered ones stay in a hash table.
     */
    void Freeze();

    /** \return how many hosts there are */
    std::size_t GetNHosts() const
    {
        return m_places.size();
    }

    /** \param address IPv4 address, host byte order \return its place, with NO_LEAF if none */
    Place Find(uint32_t address) const
    {
        const uint32_t offset = address - m_base;
        return offset < m_dense.size() ? m_dense[offset] : FindSparse(address);
    }

    /** \return all hosts: place by address, host byte order */
    const std::unordered_map<uint32_t, Place>& GetPlaces() const
    {
        return m_places;
    }

  private:
    Place FindSparse(uint32_t address) const;

    std::unordered_map<uint32_t, Place> m_places; //!< by address
    uint32_t m_base{0};                           //!< first address of the array
    std::vector<Place> m_dense;                   //!< places from m_base on
};

} // namespace ns3

#endif /* QBB_HOST_INDEX_H */
