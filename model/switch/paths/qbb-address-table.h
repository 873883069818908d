/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ADDRESS_TABLE_H
#define QBB_ADDRESS_TABLE_H

#include <algorithm>
#include <cstdint>
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

} // namespace ns3

#endif /* QBB_ADDRESS_TABLE_H */
