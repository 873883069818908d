/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_TABLE_H
#define RDMA_QUEUE_PAIR_TABLE_H

#include "qbb-prefetch.h"
#include "rdma-queue-pair.h"

#include <ns3/ptr.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The queue pairs of a NIC, indexed by queue pair number. Numbers are assigned once, in ascending
 * order.
 *
 * Numbers may be reserved for queue pairs created later. A block of reserved numbers may have a
 * handler, which recreates a destroyed queue pair when a packet arrives for its number.
 */
class RdmaQueuePairTable
{
  public:
    /// First queue pair number; 0 and 1 are reserved (IBA Vol. 1, 3.9.5).
    static constexpr uint32_t FIRST_QPN = 2;

    /** \param qpn reserved number without queue pair \return recreated queue pair, or null */
    using LateHandler = std::function<Ptr<RdmaQueuePair>(uint32_t qpn)>;

    /**
     * Assigns consecutive numbers. Aborts with a message if the 24-bit numbers are exhausted.
     *
     * \param count how many numbers to assign
     * \return the first assigned number
     */
    uint32_t TakeNumbers(uint32_t count);

    /**
     * Reserves consecutive numbers for queue pairs created later.
     *
     * \param count how many numbers to reserve
     * \param late handler that recreates destroyed queue pairs; may be empty
     * \return the first reserved number
     */
    uint32_t Reserve(uint32_t count, LateHandler late);

    /** \param qpn a queue pair number \return true if Reserve() assigned the number */
    bool IsReserved(uint32_t qpn) const
    {
        return FindBlock(qpn) != nullptr;
    }

    /** \param qpn an assigned number without queue pair \param qp the number's queue pair */
    void Add(uint32_t qpn, Ptr<RdmaQueuePair> qp);

    /** \param qpn number of a queue pair to remove; the number is not assigned again */
    void Remove(uint32_t qpn);

    /** Disposes of all queue pairs and releases all numbers. */
    void Clear();

    /** \param qpn a queue pair number \return true if the number is assigned or reserved */
    bool Knows(uint32_t qpn) const
    {
        return qpn - FIRST_QPN < m_queuePairs.size();
    }

    /** \param qpn a number for which Knows() is true \return the queue pair, or null */
    RdmaQueuePair* Peek(uint32_t qpn) const
    {
        return PeekPointer(m_queuePairs[qpn - FIRST_QPN]);
    }

    /** Prefetches the pointer that Peek() reads. \param qpn a number for which Knows() is true
     */
    void Prefetch(uint32_t qpn) const
    {
        QbbPrefetch(&m_queuePairs[qpn - FIRST_QPN]);
    }

    /**
     * \param test a test of a queue pair
     * \return true if an existing queue pair passes the test
     */
    template <typename Test>
    bool Any(Test test) const
    {
        return std::any_of(m_queuePairs.begin(), m_queuePairs.end(), [&](const auto& qp) {
            return qp && test(*qp);
        });
    }

    /** \param visit called with each existing queue pair, in order of numbers */
    template <typename Visit>
    void ForEach(Visit visit) const
    {
        for (const auto& qp : m_queuePairs)
        {
            if (qp)
            {
                visit(*qp);
            }
        }
    }

    /** \param qpn a number without queue pair \return queue pair from the LateHandler, or null */
    Ptr<RdmaQueuePair> MakeLate(uint32_t qpn) const;

    /** \return number of queue pairs */
    uint32_t GetSize() const
    {
        return m_size;
    }

  private:
    /** A block of numbers assigned by Reserve(). */
    struct Block
    {
        uint32_t first{0}; //!< first number of the block
        uint32_t count{0}; //!< how many numbers the block has
        LateHandler late;  //!< handler that recreates destroyed queue pairs; may be empty
    };

    const Block* FindBlock(uint32_t qpn) const;

    /// queue pairs by number - FIRST_QPN; null: no queue pair
    std::vector<Ptr<RdmaQueuePair>> m_queuePairs;
    uint32_t m_size{0};          //!< number of queue pairs
    std::vector<Block> m_blocks; //!< blocks of reserved numbers, ascending
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_TABLE_H */
