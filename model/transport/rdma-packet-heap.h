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
 * What came early and waits for the packets before it: a binary heap, lowest packet number first.
 *
 * No call touches more than the logarithm of all, in whatever order they come and go.
 *
 * \tparam T can be moved, and has a member `packet`, a number that no other item has
 */
template <typename T>
class RdmaPacketHeap
{
  public:
    /** \param item waits from now on */
    void Push(T item)
    {
        m_items.push_back(std::move(item));
        std::push_heap(m_items.begin(), m_items.end(), IsLater);
    }

    /** \param packet a number \return true if an item with a lower one waits */
    bool HasBefore(uint64_t packet) const
    {
        return !m_items.empty() && m_items.front().packet < packet;
    }

    /** \return the item with the lowest number, which is taken out; only if one waits */
    T Pop()
    {
        std::pop_heap(m_items.begin(), m_items.end(), IsLater);
        T item = std::move(m_items.back());
        m_items.pop_back();
        return item;
    }

  private:
    /** \param a an item \param b another one \return true if a comes after b: the heap's order */
    static bool IsLater(const T& a, const T& b)
    {
        return a.packet > b.packet;
    }

    std::vector<T> m_items; //!< a heap
};

} // namespace ns3

#endif /* RDMA_PACKET_HEAP_H */
