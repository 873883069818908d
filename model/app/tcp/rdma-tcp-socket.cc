/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-socket.h"

#include "rdma-tcp-host.h"

#include <ns3/tcp-tx-buffer.h>

namespace ns3
{

void
RdmaTcpSocket::Resume()
{
    if (m_state == ESTABLISHED)
    {
        SendPendingData(m_connected);
    }
}

void
RdmaTcpSocket::Drop()
{
    CancelAllTimers();
    m_state = CLOSED;
    DeallocateEndPoint();
}

Ptr<TcpSocketBase>
RdmaTcpSocket::Fork()
{
    return CopyObject<RdmaTcpSocket>(this);
}

uint32_t
RdmaTcpSocket::AvailableWindow() const
{
    const uint32_t window = TcpSocketBase::AvailableWindow();
    // TCP calls this before each segment. MaySend() does not change the TCP state of the socket.
    const bool waits = window > 0 && m_host && !m_host->MaySend(const_cast<RdmaTcpSocket&>(*this));
    return waits ? 0 : window;
}

void
RdmaTcpSocket::ReTxTimeout()
{
    if (m_state == ESTABLISHED && m_txBuffer->Size() > 0)
    {
        ++m_timeouts;
    }
    TcpSocketBase::ReTxTimeout();
}

uint32_t
RdmaTcpSocket::SendDataPacket(SequenceNumber32 seq, uint32_t maxSize, bool withAck)
{
    if (seq < m_tcb->m_highTxMark)
    {
        ++m_retransmitted;
    }
    return TcpSocketBase::SendDataPacket(seq, maxSize, withAck);
}

} // namespace ns3
