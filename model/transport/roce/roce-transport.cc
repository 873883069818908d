/* SPDX-License-Identifier: GPL-2.0-only */

#include "roce-transport.h"

#include "qbb-wire.h"
#include "rdma-compat.h"
#include "rdma-go-back-0.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-time.h"
#include "roce-requester.h"
#include "roce-responder.h"
#include "roce-spread-receiver.h"
#include "roce-spread-sender.h"

#include <ns3/boolean.h>
#include <ns3/uinteger.h>

#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaTransport);
NS_OBJECT_ENSURE_REGISTERED(RoceTransport);

namespace
{

/// Registers the name by which programs select RoceTransport.
const RdmaPartName g_roceName("roce", RoceTransport::GetTypeId(), "", "RoCEv2: go-back-N");

} // namespace

TypeId
RdmaTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaTransport").SetParent<Object>().SetGroupName("Rdma");
    return tid;
}

TypeId
RoceTransport::GetTypeId()
{
    static TypeId tid =
        RdmaFixedTypeId<RdmaTransport>("ns3::RoceTransport")
            .SetParent<RdmaTransport>()
            .SetGroupName("Rdma")
            .AddConstructor<RoceTransport>()
            .AddAttribute("LossRecovery",
                          "Packets retransmitted after a loss: GoBackN: everything from the lost "
                          "packet on; GoBack0: the whole message that contains the lost packet.",
                          EnumValue(LossRecovery::GO_BACK_N),
                          RdmaMakeEnumAccessor<LossRecovery>(&RoceTransport::m_lossRecovery),
                          MakeEnumChecker(LossRecovery::GO_BACK_N,
                                          "GoBackN",
                                          LossRecovery::GO_BACK_0,
                                          "GoBack0"))
            .AddAttribute("RetransmissionTimeout",
                          "Time without progress after which all unacknowledged packets are "
                          "retransmitted; 0 turns the timer off. Where frames may get lost, "
                          "RdmaFabricHelper computes the time from the network unless the "
                          "attribute is set.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RoceTransport::m_timeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("AdaptiveRetransmission",
                          "Double the retransmission timeout after each timeout in a row, from "
                          "RetransmissionTimeout up to MaxRetransmissionTimeout; progress resets "
                          "it to RetransmissionTimeout.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceTransport::m_adaptive),
                          MakeBooleanChecker())
            .AddAttribute("MaxRetransmissionTimeout",
                          "Longest retransmission timeout with AdaptiveRetransmission.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&RoceTransport::m_maxTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RetryCount",
                          "Retries in a row after which the queue pair fails with "
                          "IBV_WC_RETRY_EXC_ERR (retry_cnt): timeouts, and NAKs for a "
                          "retransmitted packet that was lost again; 4294967295 means no limit.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RoceTransport::m_retryCount),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RnrRetryCount",
                          "RNR NAKs in a row after which the queue pair fails with "
                          "IBV_WC_RNR_RETRY_EXC_ERR (rnr_retry); 7 means no limit.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RoceTransport::m_rnrRetry),
                          MakeUintegerChecker<uint32_t>(0, 7))
            .AddAttribute("AckInterval",
                          "Packets after which the requester asks for an acknowledgement; the last "
                          "packet of a message always asks for one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RoceTransport::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1, 1U << 20))
            .AddAttribute("NakEachPacket",
                          "With LossRecovery GoBackN: every packet after a gap triggers a NAK; if "
                          "false, only the first one does, as the InfiniBand specification "
                          "requires.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceTransport::m_nakEachPacket),
                          MakeBooleanChecker())
            .AddAttribute("OutOfOrder",
                          "The NIC stands packets that overtake each other: the receiver takes the "
                          "packets of a window in any order, and a NAK makes the sender repeat the "
                          "packets of a gap alone. Only with LossRecovery GoBackN, and without "
                          "NakEachPacket.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceTransport::m_outOfOrder),
                          MakeBooleanChecker())
            .AddAttribute(
                "ReorderWindow",
                "With OutOfOrder: packets from the first missing one on that the receiver "
                "takes, and that the sender has in flight at most. The receiver drops "
                "packets beyond and counts them.",
                UintegerValue(4096),
                MakeUintegerAccessor(&RoceTransport::m_reorderWindow),
                MakeUintegerChecker<uint32_t>(1, RDMA_MAX_WINDOW - 1))
            .AddAttribute("ReorderTime",
                          "With OutOfOrder: age from which a gap is a loss. With 0, "
                          "RdmaFabricHelper computes the time: the largest difference that the "
                          "queues of the paths between two hosts make; a gap is a loss at once "
                          "where the paths keep the order of packets.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RoceTransport::m_reorderTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ReorderMargin",
                          "With ReorderTime 0: once 16 packets of a queue pair have come late, a "
                          "gap is a loss that "
                          "is older than this many times the largest lateness so far, and than a "
                          "round trip; the computed ReorderTime stays the longest age. 4 repairs "
                          "losses sooner, but takes some late packets for lost where a queue "
                          "grows at once. 0 turns this off.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceTransport::m_reorderMargin),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("ReorderPackets",
                          "With OutOfOrder: a gap is a loss once a packet has arrived whose number "
                          "is higher by this or more; 0 turns this limit off.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceTransport::m_reorderPackets),
                          MakeUintegerChecker<uint32_t>(0, RDMA_MAX_WINDOW - 1));
    return tid;
}

std::unique_ptr<RdmaSender>
RoceTransport::MakeSender(const RdmaRetryLimits& limits) const
{
    RdmaSenderConfig config;
    config.timeouts.high = limits.timeout.value_or(RdmaToPs(m_timeout));
    config.timeouts.low = config.timeouts.high;
    if (m_adaptive)
    {
        RefuseRdmaIf(m_timeout.IsZero() && !limits.timeout,
                     "RoceTransport: AdaptiveRetransmission is on and RetransmissionTimeout is "
                     "0; accepted: more than 0");
        config.timeouts.max = RdmaToPs(m_maxTimeout);
        RefuseRdmaIf(config.timeouts.high > config.timeouts.max,
                     "RoceTransport: the retransmission timeout is ",
                     config.timeouts.high,
                     " ps; accepted with AdaptiveRetransmission: up to "
                     "MaxRetransmissionTimeout, ",
                     config.timeouts.max,
                     " ps");
    }
    config.retryCount = limits.retryCount.value_or(m_retryCount);
    config.rnrRetryCount = static_cast<uint8_t>(limits.rnrRetryCount.value_or(m_rnrRetry));
    if (m_outOfOrder)
    {
        CheckOutOfOrder();
        config.window = m_reorderWindow;
        return std::make_unique<RoceSpreadSender>(config);
    }
    if (m_lossRecovery == LossRecovery::GO_BACK_0)
    {
        return std::make_unique<RdmaGoBack0Sender>(config);
    }
    return std::make_unique<RdmaGoBackNSender>(config);
}

void
RoceTransport::CheckOutOfOrder() const
{
    RefuseRdmaIf(m_lossRecovery != LossRecovery::GO_BACK_N,
                 "RoceTransport: OutOfOrder is on and LossRecovery is GoBack0; accepted: GoBackN");
    RefuseRdmaIf(m_nakEachPacket,
                 "RoceTransport: OutOfOrder and NakEachPacket are on; accepted: one of them, since "
                 "a NIC that stands packets out of order sends a NAK for a loss alone");
}

void
RoceTransport::SetReordering(const RdmaNetworkTimes& times)
{
    m_spread = times.spread;
    m_roundTrip = times.roundTrip;
}

RdmaGapLimits
RoceTransport::GetGapLimits() const
{
    if (!m_reorderTime.IsZero())
    {
        return {RdmaToPs(m_reorderTime), m_reorderPackets};
    }
    return {m_spread, m_reorderPackets, m_reorderMargin, m_roundTrip};
}

std::string
RoceTransport::DescribeReordering() const
{
    if (!m_outOfOrder)
    {
        return "";
    }
    std::ostringstream text;
    const RdmaPs age = GetGapLimits().age;
    if (age == RDMA_NEVER)
    {
        text << "OutOfOrder: no gap is a loss in this network";
    }
    else
    {
        text
            << "OutOfOrder: in a class that may lose frames, a gap is a loss once it is older than "
            << static_cast<double>(age.Get()) / 1e6 << " us";
    }
    if (m_reorderPackets > 0)
    {
        text << ", or once a packet has arrived whose number is higher by " << m_reorderPackets;
    }
    return text.str();
}

std::unique_ptr<RdmaReceiver>
RoceTransport::MakeReceiver() const
{
    if (m_outOfOrder)
    {
        return std::make_unique<RoceSpreadReceiver>(m_reorderWindow);
    }
    if (m_lossRecovery == LossRecovery::GO_BACK_0)
    {
        RefuseRdmaIf(m_nakEachPacket,
                     "RoceTransport: NakEachPacket is on and LossRecovery is GoBack0; "
                     "accepted: GoBackN");
        return std::make_unique<RdmaGoBack0Receiver>();
    }
    return std::make_unique<RdmaGoBackNReceiver>(m_nakEachPacket);
}

uint32_t
RoceTransport::GetAckInterval() const
{
    return m_ackInterval;
}

uint32_t
RoceTransport::GetRetryCount() const
{
    return m_retryCount;
}

RdmaTransport::Timeouts
RoceTransport::GetTimeouts(const RdmaNetworkTimes& times) const
{
    RdmaNetworkTimes longer = times;
    if (m_outOfOrder)
    {
        // Acknowledgements name the packets in order alone, which wait for a late one.
        longer.roundTrip = times.roundTrip + 2 * times.spread;
    }
    return {{"RetransmissionTimeout", longer.GetTimeout(m_ackInterval)}};
}

const RdmaPacketFormat&
RoceTransport::GetPacketFormat() const
{
    static constexpr RdmaPacketFormat FORMAT{RdmaOpcode::RDMA_WRITE_MIDDLE,
                                             RdmaOpcode::ACKNOWLEDGE,
                                             QbbWire::ROCE_EXTENSION_BYTES};
    return FORMAT;
}

std::unique_ptr<RdmaRequester>
RoceTransport::MakeRequester(RdmaEndpoint& endpoint) const
{
    return std::make_unique<RoceRequester>(endpoint, m_outOfOrder);
}

std::unique_ptr<RdmaResponder>
RoceTransport::MakeResponder(RdmaEndpoint& endpoint) const
{
    return std::make_unique<RoceResponder>(endpoint, m_outOfOrder);
}

} // namespace ns3
