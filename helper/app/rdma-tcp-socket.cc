/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-socket.h"

#include "rdma-tcp-port.h"

#include <ns3/object-factory.h>
#include <ns3/rtt-estimator.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/tcp-tx-buffer.h>

namespace ns3
{

Ptr<RdmaTcpSocket>
RdmaTcpSocket::Make(Ptr<Node> node, TypeId congestionControl)
{
    const auto tcp = node->GetObject<TcpL4Protocol>();
    TypeIdValue rttType;
    TypeIdValue recoveryType;
    tcp->GetAttribute("RttEstimatorType", rttType);
    tcp->GetAttribute("RecoveryType", recoveryType);
    ObjectFactory rtt;
    ObjectFactory recovery;
    ObjectFactory congestion;
    rtt.SetTypeId(rttType.Get());
    rtt.Set("InitialEstimation", TimeValue(Time(0)));
    recovery.SetTypeId(recoveryType.Get());
    congestion.SetTypeId(congestionControl);

    auto socket = CreateObject<RdmaTcpSocket>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(rtt.Create<RttEstimator>());
    socket->SetCongestionControlAlgorithm(congestion.Create<TcpCongestionOps>());
    socket->SetRecoveryAlgorithm(recovery.Create<TcpRecoveryOps>());
    return socket;
}

void
RdmaTcpSocket::SetPort(RdmaTcpPort* port, uint8_t priority)
{
    m_port = port;
    m_class = priority;
}

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

uint64_t
RdmaTcpSocket::GetRetransmitted() const
{
    return m_retransmitted;
}

uint64_t
RdmaTcpSocket::GetTimeouts() const
{
    return m_timeouts;
}

uint32_t
RdmaTcpSocket::GetBytesInFlight() const
{
    return BytesInFlight();
}

uint32_t
RdmaTcpSocket::GetCongestionWindow() const
{
    return m_tcb->m_cWnd;
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
    const bool waits = window > 0 && m_port && !m_port->MaySend(const_cast<RdmaTcpSocket&>(*this));
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
