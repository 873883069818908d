/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * The states of a queue pair: how it is made, connected, modified and reset.
 */

#include "qbb-net-device.h"
#include "qbb-wire.h"
#include "rdma-nic.h"
#include "rdma-psn.h"
#include "rdma-queue-pair.h"

#include <ns3/abort.h>
#include <ns3/log.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaQueuePairStates");

void
RdmaQueuePair::MakeHalves()
{
    m_sender = m_transport->MakeSender(GetLimits());
    m_receiver = m_transport->MakeReceiver();
}

void
RdmaQueuePair::SetState(RdmaQpState state)
{
    if (state != m_state)
    {
        NS_LOG_LOGIC("QP " << m_qpn << " from " << GetRdmaQpStateName(m_state) << " to "
                           << GetRdmaQpStateName(state));
        const RdmaQpState before = m_state;
        m_state = state;
        m_stateChanged(before, state);
    }
}

void
RdmaQueuePair::Reset()
{
    m_timer.Disarm();
    m_sends.Clear();
    m_receives.Clear();
    m_reads.reset();
    m_responses.reset();
    m_kept.reset();
    m_limits.reset();
    m_stats = RdmaQueuePairCounters();
    MakeHalves();
    m_responsesReady = false;
    m_inMessage = false;
    m_ceSeen = false;
    m_cnpDue = false;
    m_nextCnpPs = 0;
    m_outstandingReads = 0;
    m_cursor = 0;
    m_released = 0;
    m_barrier = NO_BARRIER;
    m_sendEnd = NO_END;
    m_posted = 0;
    m_responsesPosted = 0;
    m_msn = 0;
    m_sendSn = 0;
    m_readSn = 0;
    m_receiveSn = 0;
}

void
RdmaQueuePair::Modify(const RdmaQpAttributes& attributes)
{
    NS_LOG_FUNCTION(this << GetRdmaQpStateName(attributes.state));
    const RdmaQpState from = m_state;
    const RdmaQpState to = attributes.state;
    const bool toRtr = from == RdmaQpState::INIT && to == RdmaQpState::RTR;
    const bool toRts = from == RdmaQpState::RTR && to == RdmaQpState::RTS;
    const bool accepted =
        to == RdmaQpState::ERR || to == RdmaQpState::RESET || toRtr || toRts ||
        (to == RdmaQpState::INIT && (from == RdmaQpState::RESET || from == RdmaQpState::INIT)) ||
        ((from == RdmaQpState::RTS || from == RdmaQpState::SQD) &&
         (to == RdmaQpState::RTS || to == RdmaQpState::SQD));
    NS_ABORT_MSG_IF(!accepted,
                    "rdma: Modify() of a queue pair from " << GetRdmaQpStateName(from) << " to "
                                                           << GetRdmaQpStateName(to)
                                                           << "; accepted: the next state of RESET,"
                                                              " INIT, RTR, RTS, SQD; ERR; RESET");
    const auto& a = attributes;
    NS_ABORT_MSG_IF(!toRtr && (a.remoteAddress || a.remoteQpn || a.remotePsn || a.maxDestRdAtomic),
                    "rdma: Modify() of a queue pair to "
                        << GetRdmaQpStateName(to)
                        << ": remoteAddress, remoteQpn, remotePsn and maxDestRdAtomic are accepted"
                           " from INIT to RTR only");
    NS_ABORT_MSG_IF(
        !toRts && (a.initialPsn || a.maxRdAtomic || a.timeout || a.retryCount || a.rnrRetryCount),
        "rdma: Modify() of a queue pair to "
            << GetRdmaQpStateName(to)
            << ": initialPsn, maxRdAtomic, timeout, retryCount and rnrRetryCount are "
               "accepted from RTR to RTS only");
    NS_ABORT_MSG_IF(toRtr && (!a.remoteAddress || !a.remoteQpn),
                    "rdma: Modify() of a queue pair to RTR needs remoteAddress and remoteQpn");
    NS_ABORT_MSG_IF(a.timeout.value_or(0) > 31 || a.minRnrTimer.value_or(0) > 31 ||
                        a.retryCount.value_or(0) > 7 || a.rnrRetryCount.value_or(0) > 7 ||
                        a.initialPsn.value_or(0) >= RDMA_PSN_SPACE ||
                        a.remotePsn.value_or(0) >= RDMA_PSN_SPACE ||
                        a.maxRdAtomic.value_or(1) == 0 || a.maxDestRdAtomic.value_or(1) == 0,
                    "rdma: Modify() of a queue pair; accepted: timeout and minRnrTimer 0..31, "
                    "retryCount and rnrRetryCount 0..7, PSNs below 2^24, maxRdAtomic and "
                    "maxDestRdAtomic 1..255");
    m_minRnrTimer = a.minRnrTimer.value_or(m_minRnrTimer);
    if (toRtr)
    {
        m_remotePsn = a.remotePsn.value_or(0);
        m_maxDestRdAtomic = a.maxDestRdAtomic.value_or(m_maxDestRdAtomic);
        Address(*a.remoteAddress, *a.remoteQpn);
    }
    if (toRts)
    {
        m_initialPsn = a.initialPsn.value_or(m_initialPsn);
        m_maxRdAtomic = a.maxRdAtomic.value_or(m_maxRdAtomic);
        if (a.timeout || a.retryCount || a.rnrRetryCount)
        {
            m_limits = std::make_unique<RdmaRetryLimits>();
            if (a.timeout)
            {
                m_limits->timeoutPs = GetRdmaTimeoutPs(*a.timeout);
            }
            m_limits->retryCount = a.retryCount;
            m_limits->rnrRetryCount = a.rnrRetryCount;
            m_sender = m_transport->MakeSender(*m_limits);
        }
    }
    if (to == RdmaQpState::ERR)
    {
        Fail(RdmaWcStatus::WR_FLUSH_ERR, 0);
        return;
    }
    if (to == RdmaQpState::RESET)
    {
        Reset();
    }
    m_sendEnd = to == RdmaQpState::SQD ? GetBegunEnd() : NO_END;
    if (m_reads)
    {
        m_sendEnd = std::min(m_sendEnd, m_reads->refused); // the peer has refused this one
    }
    SetState(to);
    if (from == RdmaQpState::SQD && to == RdmaQpState::RTS)
    {
        ReleaseSends();
    }
}

void
RdmaQueuePair::CheckPathMtu() const
{
    const auto port = GetPort();
    const uint32_t headers =
        QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES + QbbWire::BTH_BYTES +
        (IsIrn() ? QbbWire::IRN_EXTENSION_BYTES : QbbWire::ROCE_EXTENSION_BYTES) +
        QbbWire::ICRC_BYTES;
    NS_ABORT_MSG_IF(m_pathMtu + headers > port->GetMtu(),
                    "rdma: path MTU " << m_pathMtu << " of a queue pair does not fit port MTU "
                                      << port->GetMtu() << "; set QbbNetDevice::Mtu to "
                                      << m_pathMtu + headers << " or more (headers and ICRC take "
                                      << headers << " bytes)");
}

void
RdmaQueuePair::SetPriority(uint8_t priority)
{
    const auto& classifier = GetPort()->GetClassifier();
    if (classifier.ClassifyDscp(m_dscp) == priority)
    {
        return;
    }
    for (uint8_t dscp = 0; dscp < 64; ++dscp)
    {
        if (classifier.ClassifyDscp(dscp) == priority)
        {
            m_dscp = dscp;
            return;
        }
    }
    NS_ABORT_MSG("rdma: no DSCP is mapped to class " << +priority);
}

void
RdmaQueuePair::Connect(Ipv4Address remoteAddress, uint32_t remoteQpn, uint32_t remotePsn)
{
    NS_LOG_FUNCTION(this << remoteAddress << remoteQpn << remotePsn);
    NS_ABORT_MSG_IF(m_state != RdmaQpState::INIT,
                    "rdma: Connect() of a queue pair in state " << GetRdmaQpStateName(m_state)
                                                                << "; accepted: INIT");
    RdmaQpAttributes attributes;
    attributes.state = RdmaQpState::RTR;
    attributes.remoteAddress = remoteAddress;
    attributes.remoteQpn = remoteQpn;
    attributes.remotePsn = remotePsn;
    Modify(attributes);
    attributes = RdmaQpAttributes();
    attributes.state = RdmaQpState::RTS;
    Modify(attributes);
}

uint16_t
RdmaQueuePair::MakeSourcePort(uint32_t remoteQpn) const
{
    if (m_sourcePort > 0)
    {
        return m_sourcePort;
    }
    constexpr uint32_t DYNAMIC = 0xc000; // the dynamic ports
    uint64_t entropy = QbbFlowHash(m_qpn, remoteQpn, 0, 0, 0);
    if (m_symmetricPort)
    {
        // rdma-core: a flow label of 20 bits from the product of both QPNs, and its 14 low bits
        // with the 6 high ones.
        entropy = uint64_t{m_qpn} * remoteQpn;
        entropy ^= entropy >> 20;
        entropy ^= entropy >> 40;
        entropy ^= (entropy & 0xfc000) >> 14;
    }
    return static_cast<uint16_t>(DYNAMIC | (entropy & 0x3fff));
}

void
RdmaQueuePair::Address(Ipv4Address remoteAddress, uint32_t remoteQpn)
{
    CheckPathMtu();
    const auto port = GetPort();
    NS_ABORT_MSG_IF(!port->GetPeer(), "rdma: Connect() of a queue pair whose port has no cable");
    m_frame = QbbFrameFields();
    m_frame.type = QbbFrameType::ROCE;
    m_frame.etherType = QbbWire::ETHERTYPE_IPV4;
    m_frame.srcMac = port->GetMac();
    m_frame.dstMac = port->GetPeer()->GetMac();
    m_frame.ipv4 = true;
    m_frame.dscp = m_dscp;
    m_frame.ecn = m_ecnCapable ? 2 : 0;
    m_frame.ttl = m_ttl;
    m_frame.protocol = QbbWire::IP_PROTOCOL_UDP;
    m_frame.srcIp = GetLocalAddress().Get();
    m_frame.dstIp = remoteAddress.Get();
    m_frame.srcPort = MakeSourcePort(remoteQpn);
    m_frame.dstPort = QbbWire::ROCE_UDP_PORT;
    m_frame.destQp = remoteQpn;
    m_frame.flowHash = QbbFlowHash(m_frame.srcIp,
                                   m_frame.dstIp,
                                   m_frame.protocol,
                                   m_frame.srcPort,
                                   m_frame.dstPort);
    m_frame.priority = port->GetClassifier().ClassifyDscp(m_dscp);
    if (const auto tag = port->GetTag(m_frame.priority))
    {
        m_frame.tagged = true;
        m_frame.tci = *tag;
    }
    m_frame.priority = port->GetClassifier().Classify(m_frame);
    MakePacer();
}

void
RdmaQueuePair::ResumeResponder(uint64_t packets, uint64_t messages)
{
    NS_ABORT_MSG_IF(m_state != RdmaQpState::RTS || m_stats.packetsAccepted > 0,
                    "rdma: ResumeResponder() of a queue pair in state "
                        << GetRdmaQpStateName(m_state) << " that has executed "
                        << m_stats.packetsAccepted << " packets; accepted: RTS, and none");
    m_receiver->Resume(packets);
    m_msn = static_cast<uint32_t>(messages & QbbWire::MASK24);
}

void
RdmaQueuePair::ConnectPair(Ptr<RdmaQueuePair> a, Ptr<RdmaQueuePair> b)
{
    NS_ABORT_MSG_IF(a->m_pathMtu != b->m_pathMtu || a->m_wireFormat != b->m_wireFormat,
                    "rdma: two queue pairs to be connected have path MTUs "
                        << a->m_pathMtu << " and " << b->m_pathMtu
                        << ", or transports that do not understand each other; accepted: the same");
    a->Connect(b->GetLocalAddress(), b->GetQpn(), b->GetInitialPsn());
    b->Connect(a->GetLocalAddress(), a->GetQpn(), a->GetInitialPsn());
}

} // namespace ns3
