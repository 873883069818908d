/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_COUNTS_H
#define RDMA_MESSAGE_COUNTS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Counts messages by context, peer and tag, in a hash table with 16 bytes for each place.
 *
 * A separate class because a std::unordered_map would take about 60 bytes for each counter, and a
 * loaded schedule may have one for each operation.
 */
class RdmaMessageCounts
{
  public:
    /**
     * \param context context of a message
     * \param peer rank of the other end
     * \param tag tag of the message
     * \return number of earlier calls with these arguments
     */
    uint32_t Count(uint32_t context, uint32_t peer, uint32_t tag)
    {
        if (4 * (m_used + 1) > 3 * m_places.size())
        {
            Grow();
        }
        Place& place = Find(context, peer, tag);
        if (place.count == 0)
        {
            place = {context, peer, tag, 0};
            ++m_used;
        }
        return place.count++;
    }

    /** \return number of different arguments of Count() */
    std::size_t GetSize() const
    {
        return m_used;
    }

  private:
    /** A place of the table. */
    struct Place
    {
        uint32_t context{0}; //!< context of the messages
        uint32_t peer{0};    //!< rank of the other end
        uint32_t tag{0};     //!< tag of the messages
        uint32_t count{0};   //!< number of messages; 0: the place is free
    };

    /** \return the place of the arguments, or the free place where they belong */
    Place& Find(uint32_t context, uint32_t peer, uint32_t tag)
    {
        constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15ULL; // spreads differences to the high bits
        uint64_t hash = ((uint64_t{context} << 32) | peer) * FACTOR;
        hash = ((hash ^ (hash >> 32)) + tag) * FACTOR;
        const std::size_t mask = m_places.size() - 1;
        std::size_t i = (hash >> 32) & mask;
        while (m_places[i].count != 0 && (m_places[i].context != context ||
                                          m_places[i].peer != peer || m_places[i].tag != tag))
        {
            i = (i + 1) & mask;
        }
        return m_places[i];
    }

    void Grow()
    {
        std::vector<Place> old(m_places.empty() ? 4 : 2 * m_places.size());
        old.swap(m_places);
        for (const Place& place : old)
        {
            if (place.count != 0)
            {
                Find(place.context, place.peer, place.tag) = place;
            }
        }
    }

    std::vector<Place> m_places; //!< the table; its size is 0 or a power of two
    std::size_t m_used{0};       //!< number of places that are not free
};

} // namespace ns3

#endif /* RDMA_MESSAGE_COUNTS_H */
