/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_WRITER_H
#define RDMA_TEST_WRITER_H

#include "rdma-completion-queue.h"
#include "rdma-queue-pair.h"

#include <cstdint>

/**
 * \file
 * \ingroup rdma-tests
 * A queue pair that always has something to send.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Keeps some RDMA WRITEs posted at all times.
 */
class RdmaTestEndlessWriter
{
  public:
    /**
     * \param qp a connected queue pair
     * \param bytes of each WRITE
     * \param outstanding how many are posted
     */
    RdmaTestEndlessWriter(Ptr<RdmaQueuePair> qp, uint64_t bytes, uint32_t outstanding)
        : m_qp(qp),
          m_bytes(bytes)
    {
        qp->GetSendCompletionQueue()->SetCallback(Callback<void, const RdmaWorkCompletion&>(
            [this](const RdmaWorkCompletion&) { Post(); }));
        for (uint32_t i = 0; i < outstanding; ++i)
        {
            Post();
        }
    }

    RdmaTestEndlessWriter(const RdmaTestEndlessWriter&) = delete;
    RdmaTestEndlessWriter& operator=(const RdmaTestEndlessWriter&) = delete;

    /** \return packets sent */
    uint64_t GetPackets() const
    {
        return m_qp->GetStats().packetsSent;
    }

  private:
    void Post()
    {
        RdmaSendRequest request;
        request.length = m_bytes;
        m_qp->PostSend(request);
    }

    Ptr<RdmaQueuePair> m_qp; //!< sends
    uint64_t m_bytes;        //!< of each WRITE
};

} // namespace ns3

#endif /* RDMA_TEST_WRITER_H */
