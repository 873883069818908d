/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef IRN_RESPONSE_STREAM_H
#define IRN_RESPONSE_STREAM_H

#include "qbb-ring.h"
#include "rdma-response.h"
#include "rdma-transport.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * \ingroup rdma
 * The response packets of an IRN responder to READs and atomics: a stream with separate packet
 * numbers, retransmitted until the requester acknowledges the packets.
 *
 * The stream maps each packet to its response. The stream's RdmaSender decides which packet is sent
 * next.
 */
class IrnResponseStream
{
  public:
    /** \param sender sender of the stream's packets */
    explicit IrnResponseStream(std::unique_ptr<RdmaSender> sender);

    /**
     * Appends a response to the stream. A response that is due later, or that follows such a
     * response, is held back until Release().
     *
     * \param response receives the next packet numbers
     */
    void Push(RdmaResponse response);

    /**
     * \param packet number of an unacknowledged packet
     * \return the response that contains the packet
     */
    const RdmaResponse& Find(uint64_t packet)
    {
        if (m_cursor >= m_queue.GetSize() || packet < m_queue[m_cursor].first)
        {
            m_cursor = 0;
        }
        while (packet >= m_queue[m_cursor].first + m_queue[m_cursor].packets)
        {
            ++m_cursor;
        }
        return m_queue[m_cursor];
    }

    /**
     * Handles an acknowledgement from the requester.
     *
     * \param packet the last packet acknowledged cumulatively
     * \param selective the packet that triggered the acknowledgement
     * \param now current time
     * \return the packet that triggered the acknowledgement
     */
    int64_t OnAck(int64_t packet, int64_t selective, QbbPs now);

    /**
     * Handles a NAK for a gap, or a probe for a missing response.
     *
     * \param expected the packet that the requester expects
     * \param selective the packet after the gap that triggered the NAK; at most `expected` in a
     *        probe
     * \param now current time
     * \return the packet that triggered the NAK; RdmaSendTimes::NO_PACKET for a probe
     */
    int64_t OnNak(int64_t expected, int64_t selective, QbbPs now);

    /** Removes the responses whose packets are all acknowledged. */
    void DropAcknowledged();

    /** Removes all responses. */
    void Clear()
    {
        m_queue.Clear();
        m_held = 0;
    }

    /** \return time of the next Release(), or RdmaSender::NO_DEADLINE */
    QbbPs GetDue() const
    {
        return m_held > 0 ? m_queue[m_queue.GetSize() - m_held].due : RdmaSender::NO_DEADLINE;
    }

    /** \param now current time: the packets of all responses that are due may be sent */
    void Release(QbbPs now);

    /** \return true if all responses are acknowledged */
    bool IsEmpty() const
    {
        return m_queue.IsEmpty();
    }

    /** \return number of responses whose packets are not all sent */
    uint32_t CountUnsent() const;

    /** \return the sender of the stream's packets */
    RdmaSender& GetSender()
    {
        return *m_sender;
    }

    /** \return the sender of the stream's packets */
    const RdmaSender& GetSender() const
    {
        return *m_sender;
    }

  private:
    QbbRing<RdmaResponse> m_queue;        //!< responses not fully acknowledged, in order
    std::size_t m_cursor{0};              //!< index in m_queue of the response found last
    std::size_t m_held{0};                //!< number of responses held back, the last ones
    uint64_t m_next{0};                   //!< first packet number of the next response
    std::unique_ptr<RdmaSender> m_sender; //!< sender of the stream's packets
};

} // namespace ns3

#endif /* IRN_RESPONSE_STREAM_H */
