/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_SOCKET_H
#define RDMA_TCP_SOCKET_H

#include <ns3/tcp-socket-base.h>

#include <cstdint>

namespace ns3
{

class RdmaTcpHost;

/**
 * \ingroup rdma
 * A TCP socket of ns-3 that sends only when the port has room for a segment, counts
 * retransmissions, and can be dropped.
 *
 * In all other respects it behaves as TcpSocketBase. It has no TypeId.
 */
class RdmaTcpSocket : public TcpSocketBase
{
  public:
    /**
     * \param host host on which connections take turns; none by default
     * \param priority class of the socket's packets
     */
    void SetHost(RdmaTcpHost* host, uint8_t priority)
    {
        m_host = host;
        m_class = priority;
    }

    /** \return class of the socket's packets */
    uint8_t GetClass() const
    {
        return m_class;
    }

    /** Sends the segments that the host allows, when the socket's turn has come. */
    void Resume();

    /** \param waiting true if the socket waits for its turn */
    void SetWaiting(bool waiting)
    {
        m_waiting = waiting;
    }

    /** \return true if the socket waits for its turn */
    bool IsWaiting() const
    {
        return m_waiting;
    }

    /** Closes this side of the connection without sending a packet. */
    void Drop();

    /** \return number of data segments retransmitted */
    uint64_t GetRetransmitted() const
    {
        return m_retransmitted;
    }

    /** \return number of expiries of the retransmission timer */
    uint64_t GetTimeouts() const
    {
        return m_timeouts;
    }

    /** \return bytes in flight: sent, and neither acknowledged nor counted as lost */
    uint32_t GetBytesInFlight() const
    {
        return BytesInFlight();
    }

    /** \return congestion window in bytes */
    uint32_t GetCongestionWindow() const
    {
        return m_tcb->m_cWnd;
    }

  protected:
    Ptr<TcpSocketBase> Fork() override;
    uint32_t AvailableWindow() const override;
    void ReTxTimeout() override;
    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;

  private:
    RdmaTcpHost* m_host{nullptr}; //!< host on which connections take turns; null: none
    bool m_waiting{false};        //!< the socket waits for its turn
    uint8_t m_class{0};           //!< class of the socket's packets
    uint64_t m_retransmitted{0};  //!< data segments retransmitted
    uint64_t m_timeouts{0};       //!< expiries of the retransmission timer
};

} // namespace ns3

#endif /* RDMA_TCP_SOCKET_H */
