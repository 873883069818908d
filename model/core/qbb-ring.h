/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_RING_H
#define QBB_RING_H

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * First in, first out, in a ring that doubles when it is full and never shrinks: no allocation in
 * steady state, and none at all until it is first used.
 *
 * \tparam T a movable value with a default
 */
template <typename T>
class QbbRing
{
  public:
    /** \return true if there is nothing in it */
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /** \return how many it holds */
    std::size_t GetSize() const
    {
        return m_size;
    }

    /** \param value goes to the end */
    void Push(T&& value)
    {
        if (m_size == m_slots.size())
        {
            Grow();
        }
        m_slots[(m_head + m_size) & (m_slots.size() - 1)] = std::move(value);
        ++m_size;
    }

    /** \return the first; there must be one */
    T& Front()
    {
        return m_slots[m_head];
    }

    /** \copydoc Front() */
    const T& Front() const
    {
        return m_slots[m_head];
    }

    /** \return the last; there must be one */
    T& Back()
    {
        return (*this)[m_size - 1];
    }

    /** \param i place counted from the first, below GetSize() \return what is there */
    T& operator[](std::size_t i)
    {
        return m_slots[(m_head + i) & (m_slots.size() - 1)];
    }

    /** \copydoc operator[](std::size_t) */
    const T& operator[](std::size_t i) const
    {
        return m_slots[(m_head + i) & (m_slots.size() - 1)];
    }

    /** \return the first, taken out; there must be one */
    T Pop()
    {
        T value = std::move(m_slots[m_head]);
        m_head = (m_head + 1) & (m_slots.size() - 1);
        --m_size;
        return value;
    }

    /** Takes the last out; there must be one. */
    void PopBack()
    {
        Back() = T();
        --m_size;
    }

    /** \param value all that are equal to this are taken out; the others keep their order */
    void Remove(const T& value)
    {
        for (std::size_t left = m_size; left > 0; --left)
        {
            T first = Pop();
            if (!(first == value))
            {
                Push(std::move(first));
            }
        }
    }

    /** Takes everything out. */
    void Clear()
    {
        while (!IsEmpty())
        {
            Pop();
        }
    }

  private:
    void Grow()
    {
        std::vector<T> larger(std::max<std::size_t>(2, 2 * m_slots.size()));
        for (std::size_t i = 0; i < m_size; ++i)
        {
            larger[i] = std::move((*this)[i]);
        }
        m_slots.swap(larger);
        m_head = 0;
    }

    std::vector<T> m_slots; //!< a power of two of places
    std::size_t m_head{0};  //!< place of the first
    std::size_t m_size{0};  //!< how many are in use
};

} // namespace ns3

#endif /* QBB_RING_H */
