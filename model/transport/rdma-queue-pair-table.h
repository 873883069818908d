/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUEUE_PAIR_TABLE_H
#define RDMA_QUEUE_PAIR_TABLE_H

#include "rdma-queue-pair.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * The queue pairs of a NIC by their numbers, which are given out once, in ascending order.
 *
 * Numbers may be reserved for queue pairs that are made later. Whoever reserves a block of numbers
 * may also name a handler, which makes a queue pair anew when a packet comes for it after its end.
 */
class RdmaQueuePairTable
{
  public:
    /// The first number; 0 and 1 are reserved (IBA Vol. 1, 3.9.5).
    static constexpr uint32_t FIRST_QPN = 2;

    /** \param qpn a reserved number without queue pair \return one made anew, or null */
    using LateHandler = std::function<Ptr<RdmaQueuePair>(uint32_t qpn)>;

    /**
     * Gives out numbers. Aborts with a message if there are no more.
     *
     * \param count how many
     * \return the first of them
     */
    uint32_t TakeNumbers(uint32_t count);

    /**
     * Gives out numbers of queue pairs that are made later.
     *
     * \param count how many
     * \param late see LateHandler; may be empty
     * \return the first of them
     */
    uint32_t Reserve(uint32_t count, LateHandler late);

    /** \param qpn a number \return true if it was given out by Reserve() */
    bool IsReserved(uint32_t qpn) const
    {
        return FindBlock(qpn) != nullptr;
    }

    /** \param qpn a number that was given out, of no queue pair \param qp gets the number */
    void Add(uint32_t qpn, Ptr<RdmaQueuePair> qp);

    /** \param qpn number of a queue pair, which is forgotten; the number is not given out again */
    void Remove(uint32_t qpn);

    /** Disposes all queue pairs, and forgets all numbers. */
    void Clear();

    /** \param qpn a number \return true if it was given out */
    bool Knows(uint32_t qpn) const
    {
        return qpn - FIRST_QPN < m_queuePairs.size();
    }

    /** \param qpn a number of Knows() \return its queue pair, or null */
    RdmaQueuePair* Peek(uint32_t qpn) const
    {
        return PeekPointer(m_queuePairs[qpn - FIRST_QPN]);
    }

    /** \param qpn a number without queue pair \return one that its LateHandler makes, or null */
    Ptr<RdmaQueuePair> MakeLate(uint32_t qpn) const;

    /** \return number of queue pairs */
    uint32_t GetSize() const
    {
        return m_size;
    }

  private:
    /** Numbers of Reserve(). */
    struct Block
    {
        uint32_t first{0}; //!< the first of them
        uint32_t count{0}; //!< how many
        LateHandler late;  //!< who makes one anew
    };

    const Block* FindBlock(uint32_t qpn) const;

    std::vector<Ptr<RdmaQueuePair>> m_queuePairs; //!< by number - FIRST_QPN; null: none
    uint32_t m_size{0};                           //!< how many of m_queuePairs are not null
    std::vector<Block> m_blocks;                  //!< reserved numbers, ascending
};

} // namespace ns3

#endif /* RDMA_QUEUE_PAIR_TABLE_H */
