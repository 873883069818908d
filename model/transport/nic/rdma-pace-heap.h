/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PACE_HEAP_H
#define RDMA_PACE_HEAP_H

#include "rdma-prefetch.h"
#include "rdma-ps.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Queue pairs that wait for pacing, earliest first: a binary heap in which each queue pair stores
 * its place, so that its time can be changed. Queue pairs with equal times are ordered by number.
 *
 * Push, pop, remove and move take logarithmic time. Memory is allocated only when the heap exceeds
 * its largest size so far.
 *
 * \tparam T queue pair type with GetQpn() and GetPacePlace(), which returns a reference to a number
 *         reserved for the heap and initially NO_PLACE
 */
template <typename T>
class RdmaPaceHeap
{
  public:
    /// place of a queue pair outside the heap
    static constexpr uint32_t NO_PLACE = std::numeric_limits<uint32_t>::max();

    /** \return the earliest time; RDMA_NEVER if no queue pair waits */
    RdmaPs GetFirst() const
    {
        return m_entries.empty() ? RDMA_NEVER : m_entries.front().at;
    }

    /** Prefetches the entry that GetFirst() reads. */
    void PrefetchFirst() const
    {
        RdmaPrefetch(m_entries.data());
    }

    /** \param qp a queue pair not in the heap \param at time until which it waits */
    void Push(T* qp, RdmaPs at)
    {
        m_entries.push_back({at, qp});
        Up(m_entries.size() - 1);
    }

    /** \return the earliest queue pair, which is removed; to be called only if one waits */
    T* Pop()
    {
        T* first = m_entries.front().qp;
        first->GetPacePlace() = NO_PLACE;
        const Entry last = m_entries.back();
        m_entries.pop_back();
        if (!m_entries.empty())
        {
            Put(0, last);
            Down(0);
        }
        return first;
    }

    /** \param qp a queue pair in the heap, which is removed */
    void Remove(T* qp)
    {
        const std::size_t place = qp->GetPacePlace();
        qp->GetPacePlace() = NO_PLACE;
        const Entry last = m_entries.back();
        m_entries.pop_back();
        if (place < m_entries.size())
        {
            Put(place, last);
            Up(place);
            Down(last.qp->GetPacePlace());
        }
    }

    /** \param qp a queue pair in the heap \param at new time until which it waits */
    void Move(T* qp, RdmaPs at)
    {
        const std::size_t place = qp->GetPacePlace();
        m_entries[place].at = at;
        Up(place);
        Down(qp->GetPacePlace());
    }

    /** Removes all queue pairs. */
    void Clear()
    {
        for (Entry& entry : m_entries)
        {
            entry.qp->GetPacePlace() = NO_PLACE;
        }
        m_entries.clear();
    }

  private:
    /** A waiting queue pair and its time. */
    struct Entry
    {
        RdmaPs at; //!< time until which the queue pair waits
        T* qp;     //!< the waiting queue pair
    };

    static bool IsBefore(const Entry& a, const Entry& b)
    {
        return a.at != b.at ? a.at < b.at : a.qp->GetQpn() < b.qp->GetQpn();
    }

    void Put(std::size_t place, const Entry& entry)
    {
        m_entries[place] = entry;
        entry.qp->GetPacePlace() = static_cast<uint32_t>(place);
    }

    void Up(std::size_t place)
    {
        const Entry entry = m_entries[place];
        while (place > 0 && IsBefore(entry, m_entries[(place - 1) / 2]))
        {
            Put(place, m_entries[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        Put(place, entry);
    }

    void Down(std::size_t place)
    {
        const Entry entry = m_entries[place];
        for (std::size_t child = 2 * place + 1; child < m_entries.size(); child = 2 * place + 1)
        {
            if (child + 1 < m_entries.size() && IsBefore(m_entries[child + 1], m_entries[child]))
            {
                ++child;
            }
            if (!IsBefore(m_entries[child], entry))
            {
                break;
            }
            Put(place, m_entries[child]);
            place = child;
        }
        Put(place, entry);
    }

    std::vector<Entry> m_entries; //!< binary heap; the parent of place is (place - 1) / 2
};

} // namespace ns3

#endif /* RDMA_PACE_HEAP_H */
