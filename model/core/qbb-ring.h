/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_RING_H
#define QBB_RING_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * A FIFO queue in a ring buffer. The ring doubles when it is full and never shrinks, so it
 * allocates nothing before its first use and nothing in steady state.
 *
 * \tparam T element type, movable and default-constructible
 */
template <typename T>
class QbbRing
{
  public:
    /** \return true if the ring holds no element */
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /** \return number of elements */
    std::size_t GetSize() const
    {
        return m_size;
    }

    /** \param value element to append */
    void Push(T&& value)
    {
        if (m_size == m_capacity)
        {
            Grow();
        }
        m_slots[GetSlot(m_size)] = std::move(value);
        ++m_size;
    }

    /** \return the first element; the ring must not be empty */
    T& Front()
    {
        return m_slots[m_head];
    }

    /** \copydoc Front() */
    const T& Front() const
    {
        return m_slots[m_head];
    }

    /** \return the last element; the ring must not be empty */
    T& Back()
    {
        return (*this)[m_size - 1];
    }

    /** \param i index from the first element, below GetSize() \return the element at \p i */
    T& operator[](std::size_t i)
    {
        return m_slots[GetSlot(i)];
    }

    /** \copydoc operator[](std::size_t) */
    const T& operator[](std::size_t i) const
    {
        return m_slots[GetSlot(i)];
    }

    /** Removes the first element; the ring must not be empty. \return the element */
    T Pop()
    {
        T value = std::move(m_slots[m_head]);
        DropFront();
        return value;
    }

    /** Removes the first element, which has been moved from; the ring must not be empty. */
    void DropFront()
    {
        m_head = GetSlot(1);
        --m_size;
    }

    /** Removes the last element; the ring must not be empty. */
    void PopBack()
    {
        Back() = T();
        --m_size;
    }

    /** Removes all elements equal to \p value; the others keep their order. \param value a value */
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

    /** Removes all elements. */
    void Clear()
    {
        while (!IsEmpty())
        {
            Pop();
        }
    }

  private:
    uint32_t GetSlot(std::size_t i) const
    {
        return (m_head + static_cast<uint32_t>(i)) & (m_capacity - 1);
    }

    void Grow()
    {
        const uint32_t capacity = std::max(2U, 2 * m_capacity);
        auto larger = std::make_unique<T[]>(capacity);
        for (uint32_t i = 0; i < m_size; ++i)
        {
            larger[i] = std::move((*this)[i]);
        }
        m_slots = std::move(larger);
        m_capacity = capacity;
        m_head = 0;
    }

    std::unique_ptr<T[]> m_slots; //!< storage of m_capacity elements
    uint32_t m_capacity{0};       //!< number of slots, a power of two, or 0
    uint32_t m_head{0};           //!< index of the first element
    uint32_t m_size{0};           //!< number of elements
};

} // namespace ns3

#endif /* QBB_RING_H */
