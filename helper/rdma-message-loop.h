/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_LOOP_H
#define RDMA_MESSAGE_LOOP_H

#include "rdma-fabric.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Traffic without an end, as applications make it: between two hosts there is one message at a
 * time, an RDMA WRITE, and its completion begins the next one. So no pair has more than one message
 * in the network, however long it is stopped.
 *
 * It must outlive the simulation's events.
 */
class RdmaMessageLoop
{
  public:
    /** A pair of hosts. */
    struct Pair
    {
        uint32_t from{0};            //!< node id of the sender
        uint32_t to{0};              //!< node id of the receiver
        Ptr<RdmaQueuePair> sender;   //!< its queue pair
        Ptr<RdmaQueuePair> receiver; //!< its queue pair

        /** \return payload bytes that the receiver has got in order, at most a packet too many */
        uint64_t GetBytes() const;
    };

    /**
     * \param fabric where
     * \param messageBytes size of all messages, above 0
     * \param priority class of all messages, 0..7
     */
    RdmaMessageLoop(Ptr<RdmaFabric> fabric, uint64_t messageBytes, uint8_t priority = 3);

    RdmaMessageLoop(const RdmaMessageLoop&) = delete;
    RdmaMessageLoop& operator=(const RdmaMessageLoop&) = delete;

    /** Posts the first message now. \param from node id of a host \param to that of another one */
    void Add(uint32_t from, uint32_t to);

    /** Add() for each host to each other one, first to its next neighbours. */
    void AddAllToAll();

    /** \return all pairs, in the order in which they were added */
    const std::vector<Pair>& GetPairs() const
    {
        return m_pairs;
    }

  private:
    void Post(uint64_t index);
    void OnCompletion(const RdmaWorkCompletion& completion);

    Ptr<RdmaFabric> m_fabric;               //!< where
    uint64_t m_messageBytes;                //!< size of all messages
    uint8_t m_priority;                     //!< their class
    std::vector<Pair> m_pairs;              //!< as added
    Ptr<RdmaCompletionQueue> m_completions; //!< of all senders
};

} // namespace ns3

#endif /* RDMA_MESSAGE_LOOP_H */
