/* SPDX-License-Identifier: GPL-2.0-only */

#include "irn-transport.h"

#include "irn-buffering-responder.h"
#include "irn-receiver.h"
#include "irn-requester.h"
#include "irn-spread-sender.h"
#include "qbb-wire.h"
#include "rdma-compat.h"
#include "rdma-go-back-0.h"
#include "rdma-go-back-n.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"

#include <ns3/boolean.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IrnTransport);

namespace
{

/// Registers the name by which programs select IrnTransport.
const RdmaPartName g_irnName("irn",
                             IrnTransport::GetTypeId(),
                             "",
                             "IRN: selective retransmission, BDP-FC");

} // namespace

TypeId
IrnTransport::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaTransport>("ns3::IrnTransport")
            .SetParent<RdmaTransport>()
            .SetGroupName("Rdma")
            .AddConstructor<IrnTransport>()
            .AddAttribute(
                "LossRecovery",
                "Recovery of a lost packet: selective retransmission with selective "
                "acknowledgements (Sack) or without them (SelectiveWithoutSack), retransmission of "
                "everything from the lost packet on (GoBackN), or of the whole message (GoBack0).",
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
                "Rules of selective retransmission. PublishedLogic: the authors' transport logic "
                "(NetSys/irn-vivado-hls): during a recovery, the first unacknowledged packet after "
                "a partial acknowledgement is lost; a NACK that advances the cumulative "
                "acknowledgement begins no recovery. Paper: the paper's text (section 3.1): every "
                "NACK begins a recovery; a packet after the first one is lost only if a later "
                "packet was acknowledged selectively.",
                EnumValue(IrnSender::PUBLISHED_LOGIC),
                RdmaMakeEnumAccessor<IrnSender::Rules>(&IrnTransport::m_recoveryRules),
                MakeEnumChecker(IrnSender::PUBLISHED_LOGIC,
                                "PublishedLogic",
                                IrnSender::PAPER,
                                "Paper"))
            .AddAttribute(
                "LossRule",
                "Rule by which a packet counts as lost, with LossRecovery Sack. Selective: the "
                "authors' rule: a packet is lost if a later one was acknowledged selectively. Gap: "
                "the packet is lost only after ReorderTime or ReorderPackets. Auto: Gap where "
                "RdmaFabricHelper finds that the chosen paths reorder packets, else Selective.",
                EnumValue(LossRule::AUTO),
                RdmaMakeEnumAccessor<LossRule>(&IrnTransport::m_lossRule),
                MakeEnumChecker(LossRule::AUTO,
                                "Auto",
                                LossRule::SELECTIVE,
                                "Selective",
                                LossRule::GAP,
                                "Gap"))
            .AddAttribute("ReorderTime",
                          "Loss rule Gap: a packet is lost if a packet sent later was acknowledged "
                          "longer ago than this. With 0, RdmaFabricHelper computes the time: twice "
                          "the largest difference that the queues of the paths between two hosts "
                          "make, for packets and for acknowledgements.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&IrnTransport::m_reorderTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReorderMargin",
                          "With LossRule Gap and ReorderTime 0: once 16 packets of a queue pair "
                          "have come late, a packet is lost if the evidence "
                          "is older than this many times the largest lateness so far, and than a "
                          "round trip; the computed ReorderTime stays the longest age. 4 repairs "
                          "losses sooner, but takes some late packets for lost where a queue "
                          "grows at once. 0 turns this off.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IrnTransport::m_reorderMargin),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("ReorderPackets",
                          "Loss rule Gap: a packet is lost if a packet was acknowledged whose "
                          "number is higher by this or more; 0 turns this limit off.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IrnTransport::m_reorderPackets),
                          MakeUintegerChecker<uint32_t>(0, RDMA_MAX_WINDOW - 1))
            .AddAttribute(
                "WriteHeaders",
                "Headers of the packets of a WRITE without immediate data. Irn: each packet has an "
                "RETH, so that the NIC writes each packet to memory as it arrives (section 5.3 of "
                "the paper). Roce: only the first packet has an RETH, and the NIC keeps packets "
                "that arrive early until the missing ones have arrived. Section 4 of the paper "
                "simulates the transport logic alone, without further headers.",
                EnumValue(WriteHeaders::IRN),
                RdmaMakeEnumAccessor<WriteHeaders>(&IrnTransport::m_writeHeaders),
                MakeEnumChecker(WriteHeaders::IRN, "Irn", WriteHeaders::ROCE, "Roce"))
            .AddAttribute("BdpFc",
                          "Flow control BDP-FC: a queue pair has at most BdpCap packets in flight.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IrnTransport::m_bdpFc),
                          MakeBooleanChecker())
            .AddAttribute("BdpCap",
                          "Most packets in flight with BDP-FC: the bandwidth-delay product of the "
                          "longest path in packets. With 0, RdmaFabricHelper computes BdpCap from "
                          "the topology: the product, or twice the product with loss rule Gap "
                          "where paths reorder packets, because packets then wait in the queues of "
                          "some paths while others arrive.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IrnTransport::m_bdpCap),
                          MakeUintegerChecker<uint32_t>(0, RDMA_MAX_WINDOW - 1))
            .AddAttribute("BackOffOnLoss",
                          "With LossRecovery GoBackN: a loss halves the window. The window then "
                          "grows by one packet for each window acknowledged, up to BdpCap.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IrnTransport::m_backOff),
                          MakeBooleanChecker())
            .AddAttribute("RtoLow",
                          "Retransmission timeout with at most RtoLowPackets packets in flight. "
                          "RdmaFabricHelper replaces the default by a longer one if a round trip "
                          "of the network takes longer.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&IrnTransport::m_rtoLow),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RtoHigh",
                          "Retransmission timeout with more than RtoLowPackets packets in flight, "
                          "at least RtoLow; 0 turns the timer off. With DynamicRto, the timeout "
                          "before the first round-trip sample. Unless the attribute is set, "
                          "RdmaFabricHelper computes the time from the network where frames may "
                          "get lost, and turns the timer off elsewhere.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&IrnTransport::m_rtoHigh),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RtoLowPackets",
                          "Most packets in flight for which RtoLow applies (N of the paper); 0 "
                          "turns RtoLow off.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&IrnTransport::m_rtoLowPackets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("DynamicRto",
                          "Compute the timeout from round-trip times (RFC 6298) instead of RtoLow "
                          "and RtoHigh.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IrnTransport::m_dynamicRto),
                          MakeBooleanChecker())
            .AddAttribute("MinRto",
                          "Least retransmission timeout with DynamicRto, at most RtoHigh. "
                          "RdmaFabricHelper replaces the default as that of RtoLow.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&IrnTransport::m_minRto),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RetryCount",
                          "Timeouts in a row after which the queue pair fails with "
                          "IBV_WC_RETRY_EXC_ERR (retry_cnt); 4294967295 means no limit. With the "
                          "default RtoLow, the default lasts 0.5 s, as long as a RoCE NIC with "
                          "timeout 14 and retry_cnt 7.",
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
    RefuseRdmaIf(NeedsNetworkBdp(),
                 "IrnTransport: BdpFc is on and BdpCap is not known; set BdpCap to the packets "
                 "of a bandwidth-delay product, 1..",
                 RDMA_MAX_WINDOW - 1,
                 ", or use RdmaFabricHelper, or turn BdpFc off");
    RefuseRdmaIf(m_rtoLow > m_rtoHigh && !m_rtoHigh.IsZero(),
                 "IrnTransport: RtoLow is ",
                 m_rtoLow.As(Time::US),
                 "; accepted: up to RtoHigh, ",
                 m_rtoHigh.As(Time::US));
    RefuseRdmaIf(m_backOff && m_lossRecovery != LossRecovery::GO_BACK_N,
                 "IrnTransport: BackOffOnLoss is on; accepted: only with LossRecovery GoBackN");
    RefuseRdmaIf(m_dynamicRto && m_minRto > m_rtoHigh,
                 "IrnTransport: MinRto is ",
                 m_minRto.As(Time::US),
                 "; accepted: up to the first dynamic timeout, RtoHigh, ",
                 m_rtoHigh.As(Time::US));
}

bool
IrnTransport::UsesGapRule() const
{
    return m_lossRecovery == LossRecovery::SACK &&
           (m_lossRule == LossRule::GAP || (m_lossRule == LossRule::AUTO && m_spread > 0_ps));
}

void
IrnTransport::SetNetworkBdp(uint32_t packets)
{
    m_networkBdp = packets;
    m_bdpCap = packets;
    AdaptCap();
}

void
IrnTransport::AdaptCap()
{
    // Where packets are spread, some wait in the queues of their paths while others arrive.
    constexpr uint64_t SPREAD = 2;
    const auto wide =
        static_cast<uint32_t>(std::min<uint64_t>(SPREAD * m_networkBdp, RDMA_MAX_WINDOW - 1));
    if (m_networkBdp > 0 && (m_bdpCap == m_networkBdp || m_bdpCap == wide))
    {
        m_bdpCap = m_spread > 0_ps && UsesGapRule() ? wide : m_networkBdp;
    }
}

RdmaPs
IrnTransport::GetReorderTime() const
{
    return m_reorderTime.IsZero() ? m_spread : RdmaToPs(m_reorderTime);
}

void
IrnTransport::SetReordering(const RdmaNetworkTimes& times)
{
    // Acknowledgements overtake each other as packets do.
    m_spread = times.spread == RDMA_NEVER ? RDMA_NEVER : 2 * times.spread;
    m_roundTrip = times.roundTrip;
    AdaptCap();
}

std::unique_ptr<RdmaSender>
IrnTransport::MakeSender(const RdmaRetryLimits& limits) const
{
    CheckAttributes();
    RdmaSenderConfig config;
    config.timeouts.low = limits.timeout.value_or(RdmaToPs(m_rtoLow));
    config.timeouts.high = limits.timeout.value_or(RdmaToPs(m_rtoHigh));
    config.timeouts.lowPackets = m_rtoLowPackets;
    config.timeouts.dynamic = m_dynamicRto && !limits.timeout;
    config.timeouts.min = RdmaToPs(m_minRto);
    config.retryCount = limits.retryCount.value_or(m_retryCount);
    config.rnrRetryCount = static_cast<uint8_t>(limits.rnrRetryCount.value_or(m_rnrRetry));
    if (m_bdpFc)
    {
        config.window = m_bdpCap;
    }
    if (UsesGapRule())
    {
        // Without a timer no packet can get lost.
        config.gap.age = config.timeouts.high == 0_ps ? RDMA_NEVER : GetReorderTime();
        config.gap.packets = m_reorderPackets;
        config.gap.margin = m_reorderTime.IsZero() ? m_reorderMargin : 0;
        config.gap.least = m_roundTrip;
        return std::make_unique<IrnSpreadSender>(config);
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
    static constexpr RdmaPacketFormat WITH_IRN_WRITES{RdmaOpcode::IRN_WRITE_MIDDLE,
                                                      RdmaOpcode::IRN_ACKNOWLEDGE,
                                                      QbbWire::IRN_EXTENSION_BYTES};
    static constexpr RdmaPacketFormat WITH_ROCE_WRITES{RdmaOpcode::RDMA_WRITE_MIDDLE,
                                                       RdmaOpcode::IRN_ACKNOWLEDGE,
                                                       QbbWire::IRN_EXTENSION_BYTES};
    return m_writeHeaders == WriteHeaders::IRN ? WITH_IRN_WRITES : WITH_ROCE_WRITES;
}

std::unique_ptr<RdmaRequester>
IrnTransport::MakeRequester(RdmaEndpoint& endpoint) const
{
    return std::make_unique<IrnRequester>(endpoint, m_writeHeaders == WriteHeaders::ROCE);
}

std::unique_ptr<RdmaResponder>
IrnTransport::MakeResponder(RdmaEndpoint& endpoint) const
{
    if (m_writeHeaders == WriteHeaders::ROCE)
    {
        return std::make_unique<IrnBufferingResponder>(endpoint);
    }
    return std::make_unique<IrnResponder>(endpoint);
}

RdmaTransport::Timeouts
IrnTransport::GetTimeouts(const RdmaNetworkTimes& times) const
{
    return {{"RtoHigh", times.GetTimeout()},
            {"RtoLow", times.GetLowTimeout()},
            {"MinRto", times.GetLowTimeout()}};
}

RdmaPs
IrnTransport::GetResponseTimeout() const
{
    return 4 * RdmaToPs(m_rtoHigh);
}

std::string
IrnTransport::DescribeReordering() const
{
    if (!UsesGapRule())
    {
        return "";
    }
    std::ostringstream text;
    if (GetReorderTime() == RDMA_NEVER)
    {
        text << "loss rule Gap: no packet is lost in this network";
    }
    else
    {
        text << "loss rule Gap: in a class that may lose frames, a packet is lost once a packet "
                "sent "
                "later was acknowledged "
             << static_cast<double>(GetReorderTime().Get()) / 1e6 << " us ago";
    }
    if (m_reorderPackets > 0)
    {
        text << ", or a packet whose number is higher by " << m_reorderPackets;
    }
    return text.str();
}

uint32_t
IrnTransport::GetRetryCount() const
{
    return m_retryCount;
}

} // namespace ns3
