/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-tcp-settings.h"

#include "qbb-time.h"
#include "rdma-refuse.h"
#include "rdma-tcp-socket.h"

#include <ns3/boolean.h>
#include <ns3/object-factory.h>
#include <ns3/rtt-estimator.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/uinteger.h>

namespace ns3
{

TypeId
RdmaTcpSettings::AddAttributes(TypeId tid)
{
    return tid
        .AddAttribute("CongestionControl",
                      "Congestion control of all connections, a TypeId of TcpCongestionOps.",
                      TypeIdValue(TcpNewReno::GetTypeId()),
                      MakeTypeIdAccessor(&RdmaTcpSettings::m_congestionControl),
                      MakeTypeIdChecker())
        .AddAttribute("InitialCwnd",
                      "Congestion window of a new connection, in segments (RFC 6928).",
                      UintegerValue(10),
                      MakeUintegerAccessor(&RdmaTcpSettings::m_initialCwnd),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("SegmentSize",
                      "Payload of a full segment in bytes.",
                      UintegerValue(1024),
                      MakeUintegerAccessor(&RdmaTcpSettings::m_segmentSize),
                      MakeUintegerChecker<uint32_t>(1, 65495))
        .AddAttribute("BufferSize",
                      "Send and receive buffer of each connection in bytes, the upper limit of "
                      "the window.",
                      UintegerValue(4 << 20),
                      MakeUintegerAccessor(&RdmaTcpSettings::m_bufferSize),
                      MakeUintegerChecker<uint32_t>(1, 1 << 30))
        .AddAttribute("MinRto",
                      "Smallest retransmission timeout, and initial timeout of a connection "
                      "without a measured round-trip time. 0: longer than the longest round trip "
                      "through one full queue of the network, and at least 100 us (RTO_high of the "
                      "IRN paper).",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaTcpSettings::m_minRto),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("DataRetries",
                      "Consecutive timeouts before a flow fails with IBV_WC_RETRY_EXC_ERR; "
                      "4294967295 means no limit.",
                      UintegerValue(7),
                      MakeUintegerAccessor(&RdmaTcpSettings::m_dataRetries),
                      MakeUintegerChecker<uint32_t>())
        .AddAttribute("DelAckCount",
                      "Number of segments per acknowledgement.",
                      UintegerValue(1),
                      MakeUintegerAccessor(&RdmaTcpSettings::m_delAckCount),
                      MakeUintegerChecker<uint32_t>(1))
        .AddAttribute("DelAckTimeout",
                      "Longest delay of an acknowledgement that waits for further segments.",
                      TimeValue(MicroSeconds(50)),
                      MakeTimeAccessor(&RdmaTcpSettings::m_delAckTimeout),
                      QbbMakePositiveTimeChecker())
        .AddAttribute("UseEcn",
                      "Segments are ECN-capable, and senders reduce their rate after CE marks.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RdmaTcpSettings::m_useEcn),
                      MakeBooleanChecker());
}

void
RdmaTcpSettings::CheckSettings() const
{
    // Check an instance, because not all TypeIds of ns-3 declare their parent.
    RefuseRdmaIf(
        !m_congestionControl.HasConstructor() ||
            !DynamicCast<TcpCongestionOps>(ObjectFactory(m_congestionControl.GetName()).Create()),
        "RdmaTcpFlowRunner::CongestionControl is ",
        m_congestionControl.GetName(),
        "; accepted: types of TcpCongestionOps, such as ns3::TcpCubic");
    RefuseRdmaIf(m_bufferSize < m_segmentSize,
                 "RdmaTcpFlowRunner::BufferSize is ",
                 m_bufferSize,
                 " bytes; accepted: a segment, ",
                 m_segmentSize,
                 " bytes, and more");
}

Ptr<RdmaTcpSocket>
RdmaTcpSettings::MakeSocket(Ptr<Node> node) const
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
    congestion.SetTypeId(m_congestionControl);

    auto socket = CreateObject<RdmaTcpSocket>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(rtt.Create<RttEstimator>());
    socket->SetCongestionControlAlgorithm(congestion.Create<TcpCongestionOps>());
    socket->SetRecoveryAlgorithm(recovery.Create<TcpRecoveryOps>());
    socket->SetAttribute("SegmentSize", UintegerValue(m_segmentSize));
    socket->SetAttribute("InitialCwnd", UintegerValue(m_initialCwnd));
    socket->SetAttribute("SndBufSize", UintegerValue(m_bufferSize));
    socket->SetAttribute("RcvBufSize", UintegerValue(m_bufferSize));
    socket->SetAttribute("MinRto", TimeValue(m_minRto));
    // RFC 6298 bounds the variation term below by the clock granularity, 0 for a simulated clock.
    socket->SetAttribute("ClockGranularity", TimeValue(Time(0)));
    socket->SetAttribute("DataRetries", UintegerValue(m_dataRetries));
    socket->SetAttribute("DelAckCount", UintegerValue(m_delAckCount));
    socket->SetAttribute("DelAckTimeout", TimeValue(m_delAckTimeout));
    socket->SetAttribute("TcpNoDelay", BooleanValue(true));
    socket->SetAttribute("Timestamp", BooleanValue(false));
    socket->SetUseEcn(m_useEcn ? TcpSocketState::On : TcpSocketState::Off);
    return socket;
}

} // namespace ns3
