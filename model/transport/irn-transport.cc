/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"

#include "irn-receiver.h"
#include "irn-requester.h"
#include "irn-responder.h"
#include "qbb-time.h"
#include "qbb-wire.h"
#include "rdma-compat.h"
#include "rdma-go-back-0.h"
#include "rdma-go-back-n.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IrnTransport);

TypeId
IrnTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IrnTransport")
            .SetParent<RdmaTransport>()
            .SetGroupName("Rdma")
            .AddConstructor<IrnTransport>()
            .AddAttribute(
                "LossRecovery",
                "How a lost packet is recovered: by selective retransmission with selective "
                "acknowledgements, or without them, by sending everything from it on again, or its "
                "whole message.",
                EnumValue(LossRecovery::SACK),
                RdmaMakeEnumAccessor<LossRecovery>(&IrnTransport::m_lossRecovery),
                MakeEnumChecker(LossRecovery::SACK,
                                "Sack",
                                LossRecovery::SELECTIVE_WITHOUT_SACK,
                                "SelectiveWithoutSack",
                                LossRecovery::GO_BACK_N,
                                "GoBackN",
                                LossRecovery::GO_BACK_0,
                                "GoBack0"))
            .AddAttribute(
                "RecoveryRules",
                "Rules of selective retransmission: of the authors' published transport logic "
                "(NetSys/irn-vivado-hls), where the packet at which a cumulative acknowledgement "
                "stands within a recovery is lost, and a NACK that moves the cumulative "
                "acknowledgement begins none; or of the paper's words (section 3.1), where each "
                "NACK begins one, and a packet behind the first is lost only if a later one was "
                "acknowledged selectively.",
                EnumValue(IrnSender::PUBLISHED_LOGIC),
                RdmaMakeEnumAccessor<IrnSender::Rules>(&IrnTransport::m_recoveryRules),
                MakeEnumChecker(IrnSender::PUBLISHED_LOGIC,
                                "PublishedLogic",
                                IrnSender::PAPER,
                                "Paper"))
            .AddAttribute("BdpFc",
                          "BDP-FC: a queue pair has at most BdpCap packets in flight.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IrnTransport::m_bdpFc),
                          MakeBooleanChecker())
            .AddAttribute("BdpCap",
                          "Most packets in flight with BDP-FC: the bandwidth-delay product of the "
                          "longest path in packets. 0 means not known yet: RdmaFabricHelper "
                          "computes it from the topology.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IrnTransport::m_bdpCap),
                          MakeUintegerChecker<uint32_t>(0, RDMA_MAX_WINDOW - 1))
            .AddAttribute("BackOffOnLoss",
                          "With LossRecovery GoBackN: a loss halves the window, which grows by one "
                          "packet for each window acknowledged, up to BdpCap.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IrnTransport::m_backOff),
                          MakeBooleanChecker())
            .AddAttribute("RtoLow",
                          "Retransmission timeout with at most RtoLowPackets packets in flight.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&IrnTransport::m_rtoLow),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RtoHigh",
                          "Retransmission timeout with more packets in flight, at least RtoLow; 0 "
                          "turns the timer off. With DynamicRto the timeout before the first round "
                          "trip.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&IrnTransport::m_rtoHigh),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RtoLowPackets",
                          "N: RtoLow applies to at most this many packets in flight; 0 turns "
                          "RtoLow off.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&IrnTransport::m_rtoLowPackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("DynamicRto",
                          "Compute the timeout from round-trip times (RFC 6298) in place of RtoLow "
                          "and RtoHigh.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IrnTransport::m_dynamicRto),
                          MakeBooleanChecker())
            .AddAttribute("MinRto",
                          "The least timeout with DynamicRto, at most RtoHigh.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&IrnTransport::m_minRto),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RetryCount",
                          "Timeouts in a row after which the queue pair fails with "
                          "IBV_WC_RETRY_EXC_ERR (retry_cnt); 4294967295 means no limit. The "
                          "default takes 0.5 s of RtoLow, what a RoCE NIC waits with timeout 14 "
                          "and retry_cnt 7.",
                          UintegerValue(5000),
                          MakeUintegerAccessor(&IrnTransport::m_retryCount),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RnrRetryCount",
                          "RNR NAKs in a row after which the queue pair fails with "
                          "IBV_WC_RNR_RETRY_EXC_ERR (rnr_retry); 7 means no limit.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&IrnTransport::m_rnrRetry),
                          MakeUintegerChecker<uint32_t>(0, 7));
    return tid;
}

void
IrnTransport::CheckAttributes() const
{
    NS_ABORT_MSG_IF(m_bdpFc && m_bdpCap == 0,
                    "IrnTransport: BdpFc is on and BdpCap is not known; set BdpCap to the packets "
                    "of a bandwidth-delay product, 1.."
                        << RDMA_MAX_WINDOW - 1 << ", or use RdmaFabricHelper, or turn BdpFc off");
    NS_ABORT_MSG_IF(m_rtoLow > m_rtoHigh && !m_rtoHigh.IsZero(),
                    "IrnTransport: RtoLow is " << m_rtoLow.As(Time::US)
                                               << "; accepted: up to RtoHigh, "
                                               << m_rtoHigh.As(Time::US));
    NS_ABORT_MSG_IF(m_backOff && m_lossRecovery != LossRecovery::GO_BACK_N,
                    "IrnTransport: BackOffOnLoss is on; accepted: only with LossRecovery GoBackN");
    NS_ABORT_MSG_IF(m_dynamicRto && m_minRto > m_rtoHigh,
                    "IrnTransport: MinRto is "
                        << m_minRto.As(Time::US)
                        << "; accepted: up to the first dynamic timeout, RtoHigh, "
                        << m_rtoHigh.As(Time::US));
}

std::unique_ptr<RdmaSender>
IrnTransport::MakeSender(const RdmaRetryLimits& limits) const
{
    CheckAttributes();
    RdmaSenderConfig config;
    config.timeouts.low = limits.timeout.value_or(QbbToPs(m_rtoLow));
    config.timeouts.high = limits.timeout.value_or(QbbToPs(m_rtoHigh));
    config.timeouts.lowPackets = m_rtoLowPackets;
    config.timeouts.dynamic = m_dynamicRto && !limits.timeout;
    config.timeouts.min = QbbToPs(m_minRto);
    config.retryCount = limits.retryCount.value_or(m_retryCount);
    config.rnrRetryCount = static_cast<uint8_t>(limits.rnrRetryCount.value_or(m_rnrRetry));
    if (m_bdpFc)
    {
        config.window = m_bdpCap;
    }
    switch (m_lossRecovery)
    {
    case LossRecovery::SACK:
        return std::make_unique<IrnSender>(config, IrnSelective::SACK, m_recoveryRules);
    case LossRecovery::SELECTIVE_WITHOUT_SACK:
        return std::make_unique<IrnSender>(config, IrnSelective::NONE, m_recoveryRules);
    case LossRecovery::GO_BACK_N:
        return std::make_unique<RdmaGoBackNSender>(config,
                                                   m_backOff ? RdmaBackOff::LOSS
                                                             : RdmaBackOff::NONE);
    case LossRecovery::GO_BACK_0:
        break;
    }
    return std::make_unique<RdmaGoBack0Sender>(config);
}

std::unique_ptr<RdmaReceiver>
IrnTransport::MakeReceiver() const
{
    switch (m_lossRecovery)
    {
    case LossRecovery::SACK:
    case LossRecovery::SELECTIVE_WITHOUT_SACK:
        return std::make_unique<IrnReceiver>();
    case LossRecovery::GO_BACK_N:
        return std::make_unique<RdmaGoBackNReceiver>();
    case LossRecovery::GO_BACK_0:
        break;
    }
    return std::make_unique<RdmaGoBack0Receiver>();
}

uint32_t
IrnTransport::GetAckInterval() const
{
    return 1;
}

const RdmaPacketFormat&
IrnTransport::GetPacketFormat() const
{
    static constexpr RdmaPacketFormat FORMAT{RdmaOpcode::IRN_WRITE_MIDDLE,
                                             RdmaOpcode::IRN_ACKNOWLEDGE,
                                             QbbWire::IRN_EXTENSION_BYTES};
    return FORMAT;
}

std::unique_ptr<RdmaRequester>
IrnTransport::MakeRequester(RdmaEndpoint& endpoint) const
{
    return std::make_unique<IrnRequester>(endpoint);
}

std::unique_ptr<RdmaResponder>
IrnTransport::MakeResponder(RdmaEndpoint& endpoint) const
{
    return std::make_unique<IrnResponder>(endpoint);
}

QbbPs
IrnTransport::GetResponseTimeout() const
{
    return 4 * QbbToPs(m_rtoHigh);
}

uint32_t
IrnTransport::GetRetryCount() const
{
    return m_retryCount;
}

} // namespace ns3
