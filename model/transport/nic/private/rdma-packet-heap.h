/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACKET_HEAP_H
#define RDMA_PACKET_HEAP_H

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Reorder buffer of items that wait for earlier packets: a binary heap, lowest packet number first.
 *
 * Push and pop take logarithmic time for any order of arrival.
 *
 * \tparam T movable type with a member `packet`, a number unique among the items
 */
template <typename T>
class RdmaPacketHeap
{
  public:
    /** \param item an item, which is inserted */
    void Push(T item)
    {
        m_items.push_back(std::move(item));
        std::push_heap(m_items.begin(), m_items.end(), IsLater);
    }

    /** \param packet a packet number \return true if an item with a lower number waits */
    bool HasBefore(uint64_t packet) const
    {
        return !m_items.empty() && m_items.front().packet < packet;
    }

    /** \return the item with the lowest number, which is removed; the heap must not be empty */
    T Pop()
    {
        std::pop_heap(m_items.begin(), m_items.end(), IsLater);
        T item = std::move(m_items.back());
        m_items.pop_back();
        return item;
    }

  private:
    /** \param a an item \param b another item \return true if a has the higher number */
    static bool IsLater(const T& a, const T& b)
    {
        return a.packet > b.packet;
    }

    std::vector<T> m_items; //!< items in heap order
};

} // namespace ns3

#endif /* RDMA_PACKET_HEAP_H */
