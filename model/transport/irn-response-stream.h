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
 * The packets with which IRN's responder answers READs and atomics: a stream with numbers of its
 * own, which the responder repeats until the requester has acknowledged them.
 *
 * The stream knows which response each packet belongs to. Its RdmaSender decides which packet goes
 * next.
 */
class IrnResponseStream
{
  public:
    /** \param sender of the stream's packets */
    explicit IrnResponseStream(std::unique_ptr<RdmaSender> sender);

    /** \param response goes out after all others; gets the next numbers */
    void Push(RdmaResponse response);

    /**
     * \param packet number of a packet that is not acknowledged
     * \return the response that it is part of
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
     * The requester has acknowledged packets.
     *
     * \param packet everything up to this one has arrived
     * \param selective the packet that came in
     * \param now the instant
     * \return the packet that made the requester say so
     */
    int64_t OnAck(int64_t packet, int64_t selective, QbbPs now);

    /**
     * The requester saw a gap, or asks whether there is more.
     *
     * \param expected the packet that it waits for
     * \param selective the packet behind the gap that came in; no later than `expected`: it asks
     * \param now the instant
     * \return the packet that made the requester say so, or RdmaSendTimes::NO_PACKET
     */
    int64_t OnNak(int64_t expected, int64_t selective, QbbPs now);

    /** Forgets the responses of which all packets are acknowledged. */
    void DropAcknowledged();

    /** Forgets all responses. */
    void Clear()
    {
        m_queue.Clear();
    }

    /** \return true if all responses are acknowledged */
    bool IsEmpty() const
    {
        return m_queue.IsEmpty();
    }

    /** \return responses whose packets have not all gone out */
    uint32_t CountUnsent() const;

    /** \return what sends the packets */
    RdmaSender& GetSender()
    {
        return *m_sender;
    }

    /** \return what sends the packets */
    const RdmaSender& GetSender() const
    {
        return *m_sender;
    }

  private:
    QbbRing<RdmaResponse> m_queue;        //!< not acknowledged, in order
    std::size_t m_cursor{0};              //!< place of the response that is sent at present
    uint64_t m_next{0};                   //!< number of the next response's first packet
    std::unique_ptr<RdmaSender> m_sender; //!< of the packets
};

} // namespace ns3

#endif /* IRN_RESPONSE_STREAM_H */
