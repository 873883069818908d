/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_KEY_H
#define RDMA_MESSAGE_KEY_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * What tells a message of a schedule from others, at one of its ends.
 */
struct RdmaMessageKey
{
    uint32_t context{0};  //!< context of the message
    uint32_t peer{0};     //!< rank of the other end
    uint32_t tag{0};      //!< tag of the message
    uint32_t sequence{0}; //!< number of the message

    /** \param other another key \return true if both are of one message */
    bool operator==(const RdmaMessageKey& other) const
    {
        return context == other.context && peer == other.peer && tag == other.tag &&
               sequence == other.sequence;
    }

    /** Hash of a key. */
    struct Hash
    {
        /** \param key a key \return its hash */
        std::size_t operator()(const RdmaMessageKey& key) const
        {
            constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15ULL;
            uint64_t hash = ((uint64_t{key.context} << 32) | key.peer) * FACTOR;
            hash = ((hash ^ (hash >> 32)) + ((uint64_t{key.tag} << 32) | key.sequence)) * FACTOR;
            return hash ^ (hash >> 32);
        }
    };
};

} // namespace ns3

#endif /* RDMA_MESSAGE_KEY_H */
