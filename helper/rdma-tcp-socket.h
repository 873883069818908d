/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_SOCKET_H
#define RDMA_TCP_SOCKET_H

#include <ns3/node.h>
#include <ns3/tcp-socket-base.h>
#include <ns3/type-id.h>

#include <cstdint>

namespace ns3
{

class RdmaTcpPort;

/**
 * \ingroup rdma
 * A TCP socket of ns-3 that sends when the port has room for a segment, counts what it sends again,
 * and can be dropped.
 *
 * It behaves as TcpSocketBase in all else, and has no type id of its own.
 */
class RdmaTcpSocket : public TcpSocketBase
{
  public:
    /**
     * A socket of the node's TCP, with the estimator of round-trip times and the loss recovery that
     * the attributes of TcpL4Protocol name. Until it has measured a round-trip time, its timeout is
     * MinRto.
     *
     * \param node its node
     * \param congestionControl type of a TcpCongestionOps
     * \return the socket, not bound
     */
    static Ptr<RdmaTcpSocket> Make(Ptr<Node> node, TypeId congestionControl);

    /**
     * \param port whose connections take turns with this one; none by default
     * \param priority class of its packets
     */
    void SetPort(RdmaTcpPort* port, uint8_t priority);

    /** \return class of its packets */
    uint8_t GetClass() const
    {
        return m_class;
    }

    /** It is this socket's turn: sends what it may. */
    void Resume();

    /** \param waiting true if it is to be resumed */
    void SetWaiting(bool waiting)
    {
        m_waiting = waiting;
    }

    /** \return true if it is to be resumed */
    bool IsWaiting() const
    {
        return m_waiting;
    }

    /** Ends this side of the connection, without a packet. */
    void Drop();

    /** \return data segments that were sent again */
    uint64_t GetRetransmitted() const;

    /** \return how often the retransmission timer ran out */
    uint64_t GetTimeouts() const;

    /** \return bytes that were sent and are neither acknowledged nor counted as lost */
    uint32_t GetBytesInFlight() const;

    /** \return congestion window in bytes */
    uint32_t GetCongestionWindow() const;

  protected:
    Ptr<TcpSocketBase> Fork() override;
    uint32_t AvailableWindow() const override;
    void ReTxTimeout() override;
    uint32_t SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck) override;

  private:
    RdmaTcpPort* m_port{nullptr}; //!< whose connections take turns
    bool m_waiting{false};        //!< is to be resumed
    uint8_t m_class{0};           //!< of its packets
    uint64_t m_retransmitted{0};  //!< data segments sent again
    uint64_t m_timeouts{0};       //!< expiries of the retransmission timer
};

} // namespace ns3

#endif /* RDMA_TCP_SOCKET_H */
