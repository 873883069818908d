/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_MESSAGE_LOOP_H
#define RDMA_MESSAGE_LOOP_H

#include "rdma-fabric.h"
#include "rdma-verbs.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Endless application-like traffic: each pair of hosts has a fixed number of messages in progress,
 * which are RDMA WRITEs, and the completion of a message starts the next message. The number does
 * not grow while the pair is stopped. A pair whose message fails sends no more messages.
 *
 * The object must outlive the events of the simulation.
 */
class RdmaMessageLoop
{
  public:
    /** A pair of hosts. */
    struct Pair
    {
        uint32_t from{0};            //!< node id of the sender
        uint32_t to{0};              //!< node id of the receiver
        Ptr<RdmaQueuePair> sender;   //!< queue pair of the sender
        Ptr<RdmaQueuePair> receiver; //!< queue pair of the receiver
        /// Status of the first message that failed; SUCCESS if none has failed
        RdmaWcStatus status{RdmaWcStatus::SUCCESS};

        /** \return payload bytes received in order, at most one packet more than the true number */
        uint64_t GetBytes() const;
    };

    /**
     * \param fabric fabric that carries the messages
     * \param messageBytes size of each message in bytes, above 0
     * \param priority traffic class of all messages, 0..7; 8, the default: the class follows from
     *        the attribute Dscp of the queue pairs
     */
    RdmaMessageLoop(Ptr<RdmaFabric> fabric, uint64_t messageBytes, uint8_t priority = 8);

    RdmaMessageLoop(const RdmaMessageLoop&) = delete;
    RdmaMessageLoop& operator=(const RdmaMessageLoop&) = delete;

    /** \param messages messages in progress of each pair added later, 1 (the default) or more */
    void SetOutstanding(uint32_t messages);

    /** Starts a pair. \param from node id of the sender \param to node id of the receiver */
    void Add(uint32_t from, uint32_t to);

    /** Calls Add() for every ordered pair of hosts, nearest neighbours by position first. */
    void AddAllToAll();

    /** \return all pairs in the order of the calls of Add() */
    const std::vector<Pair>& GetPairs() const
    {
        return m_pairs;
    }

  private:
    void Post(uint64_t index);
    void OnCompletion(const RdmaWorkCompletion& completion);

    Ptr<RdmaFabric> m_fabric;               //!< fabric that carries the messages
    uint64_t m_messageBytes;                //!< size of each message in bytes
    uint8_t m_priority;                     //!< traffic class of all messages; 8: by DSCP
    uint32_t m_outstanding{1};              //!< messages in progress of a pair
    std::vector<Pair> m_pairs;              //!< pairs in the order of the calls of Add()
    Ptr<RdmaCompletionQueue> m_completions; //!< completion queue shared by all senders
};

} // namespace ns3

#endif /* RDMA_MESSAGE_LOOP_H */
