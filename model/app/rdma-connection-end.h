/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CONNECTION_END_H
#define RDMA_CONNECTION_END_H

#include "rdma-completion-queue.h"
#include "rdma-memory.h"
#include "rdma-nic.h"
#include "rdma-queue-pair.h"
#include "rdma-verbs.h"

#include <ns3/callback.h>

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * One end of a connection between applications: a queue pair and the memory that the peer accesses.
 */
class RdmaConnectionEnd
{
  public:
    /** Receives each message that arrives at the queue pair. */
    using MessageCallback = Callback<void, const RdmaMessageArrival&>;

    /** Resources of the application that the end uses. */
    struct Setup
    {
        RdmaNic& nic;                      //!< NIC that creates the queue pair
        uint32_t port;                     //!< index of the port that the queue pair sends through
        uint8_t priority;                  //!< class, 0 to 7; 8: from the queue pair's DSCP
        Ptr<RdmaCompletionQueue> sent;     //!< completions of send requests
        Ptr<RdmaCompletionQueue> received; //!< completions of receive requests
        MessageCallback message;           //!< receives each message that arrives
    };

    /** Creates the queue pair. \param setup the resources, which outlive the connection's end */
    explicit RdmaConnectionEnd(const Setup& setup);
    ~RdmaConnectionEnd();

    RdmaConnectionEnd(const RdmaConnectionEnd&) = delete;

    /** \return the queue pair */
    const Ptr<RdmaQueuePair>& GetQueuePair() const
    {
        return m_queuePair;
    }

    /** \return true until Close() */
    bool IsOpen() const
    {
        return m_open;
    }

    /**
     * Registers the memory that the peer accesses. To be called at most once.
     *
     * \param address first byte of the memory
     * \param bytes length of the memory; 0 counts as 1
     * \param access rights of the peer
     * \return key of the memory
     */
    uint32_t Register(uint64_t address, uint64_t bytes, const RdmaMemoryAccess& access);

    /** Moves the queue pair to ERR and deregisters the memory, once. */
    void Close();

  private:
    RdmaMemory& m_memory;               //!< memory of the host
    Ptr<RdmaQueuePair> m_queuePair;     //!< queue pair of this end
    MessageCallback m_message;          //!< receives each message that arrives
    uint32_t m_key{RdmaMemory::NO_KEY}; //!< key of the memory that the peer accesses
    bool m_open{true};                  //!< the connection is not closed
};

} // namespace ns3

#endif /* RDMA_CONNECTION_END_H */
