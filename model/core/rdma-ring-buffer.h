/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RING_BUFFER_H
#define RDMA_RING_BUFFER_H

#include "rdma-prefetch.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * A FIFO queue in a ring buffer. The ring doubles when it is full and never shrinks, so it
 * allocates nothing before its first use and nothing in steady state.
 *
 * A slot holds an object only while it is in use, so that Push() writes a slot without reading it:
 * in a large fabric the slot is in no CPU cache.
 *
 * \tparam T element type, movable
 */
template <typename T>
class RdmaRingBuffer
{
  public:
    RdmaRingBuffer() = default;

    ~RdmaRingBuffer()
    {
        Clear();
    }

    RdmaRingBuffer(const RdmaRingBuffer&) = delete;
    RdmaRingBuffer& operator=(const RdmaRingBuffer&) = delete;

    /** Takes over the elements. \param other ring, which is empty afterwards */
    RdmaRingBuffer(RdmaRingBuffer&& other) noexcept
        : m_slots(std::move(other.m_slots)),
          m_capacity(std::exchange(other.m_capacity, 0)),
          m_head(std::exchange(other.m_head, 0)),
          m_size(std::exchange(other.m_size, 0))
    {
    }

    /** Exchanges the elements. \param other a ring \return this ring */
    RdmaRingBuffer& operator=(RdmaRingBuffer&& other) noexcept
    {
        std::swap(m_slots, other.m_slots);
        std::swap(m_capacity, other.m_capacity);
        std::swap(m_head, other.m_head);
        std::swap(m_size, other.m_size);
        return *this;
    }

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
        new (&m_slots[GetSlot(m_size)]) T(std::move(value));
        ++m_size;
    }

    /** Appends an element that is made of its members. \param members the members of T */
    template <typename... Members>
    void Emplace(Members&&... members)
    {
        if (m_size == m_capacity)
        {
            Grow();
        }
        new (&m_slots[GetSlot(m_size)]) T{std::forward<Members>(members)...};
        ++m_size;
    }

    /** \return the first element; the ring must not be empty */
    T& Front()
    {
        return At(m_head);
    }

    /** \copydoc Front() */
    const T& Front() const
    {
        return At(m_head);
    }

    /** Fetches the first element into the CPU caches. */
    void PrefetchFront() const
    {
        RdmaPrefetch(m_slots.get() + m_head);
    }

    /** \return the last element; the ring must not be empty */
    T& Back()
    {
        return (*this)[m_size - 1];
    }

    /** \param i index from the first element, below GetSize() \return the element at \p i */
    T& operator[](std::size_t i)
    {
        return At(GetSlot(i));
    }

    /** \copydoc operator[](std::size_t) */
    const T& operator[](std::size_t i) const
    {
        return At(GetSlot(i));
    }

    /** Removes the first element; the ring must not be empty. \return the element */
    T Pop()
    {
        T value = std::move(Front());
        DropFront();
        return value;
    }

    /** Removes the first element; the ring must not be empty. */
    void DropFront()
    {
        Front().~T();
        m_head = GetSlot(1);
        --m_size;
    }

    /** Removes the last element; the ring must not be empty. */
    void PopBack()
    {
        Back().~T();
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
            DropFront();
        }
    }

  private:
    /** Memory for an element. */
    struct alignas(T) Slot
    {
        std::array<std::byte, sizeof(T)> bytes; //!< the object, while the slot is in use
    };

    T& At(uint32_t slot) const
    {
        return *std::launder(reinterpret_cast<T*>(&m_slots[slot]));
    }

    uint32_t GetSlot(std::size_t i) const
    {
        return (m_head + static_cast<uint32_t>(i)) & (m_capacity - 1);
    }

    // This function is rare and not inlined, so that functions that append elements stay short.
    [[gnu::noinline]] void Grow()
    {
        const uint32_t capacity = std::max(2U, 2 * m_capacity);
        auto larger = std::make_unique<Slot[]>(capacity);
        for (uint32_t i = 0; i < m_size; ++i)
        {
            new (&larger[i]) T(std::move((*this)[i]));
            (*this)[i].~T();
        }
        m_slots = std::move(larger);
        m_capacity = capacity;
        m_head = 0;
    }

    std::unique_ptr<Slot[]> m_slots; //!< memory for m_capacity elements
    uint32_t m_capacity{0};          //!< number of slots, a power of two, or 0
    uint32_t m_head{0};              //!< index of the first element
    uint32_t m_size{0};              //!< number of elements
};

} // namespace ns3

#endif /* RDMA_RING_BUFFER_H */
