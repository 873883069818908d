/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-nic.h"

#include "rdma-compat.h"
#include "rdma-refuse.h"
#include "rdma-warnings.h"
#include "roce-transport.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/pointer.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/traffic-control-layer.h>

#include <iostream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid = AddAttributes(
        TypeId("ns3::RdmaNic")
            .SetParent<Object>()
            .SetGroupName("Rdma")
            .AddConstructor<RdmaNic>()
            .AddAttribute("Transport",
                          "Transport of queue pairs created afterwards; null: RoceTransport with "
                          "default attributes.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaNic::SetTransport, &RdmaNic::GetTransport),
                          MakePointerChecker<RdmaTransport>())
            .AddAttribute("CnpInterval",
                          "Shortest time between two CNPs that share an interval by CnpModeration; "
                          "0 turns CNPs off.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RdmaNic::SetCnpInterval, &RdmaNic::GetCnpInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "CnpModeration",
                "Scope that sends at most one CNP per CnpInterval: QueuePair (each queue pair), "
                "Destination (all queue pairs to one address) or Port. After the interval, the "
                "first queue pair with an unreported CE mark sends the CNP.",
                EnumValue(RdmaNotificationPoint::PER_QUEUE_PAIR),
                RdmaMakeEnumAccessor<RdmaNotificationPoint::Moderation>(&RdmaNic::SetCnpModeration,
                                                                        &RdmaNic::GetCnpModeration),
                MakeEnumChecker(RdmaNotificationPoint::PER_QUEUE_PAIR,
                                "QueuePair",
                                RdmaNotificationPoint::PER_DESTINATION,
                                "Destination",
                                RdmaNotificationPoint::PER_PORT,
                                "Port"))
            .AddAttribute("MeasureRtt",
                          "Measure round-trip times for time series even if congestion control "
                          "does not need them. The NIC then stores a time for each packet in "
                          "flight; simulation results do not change.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaNic::m_measureRtt),
                          MakeBooleanChecker())
            .AddAttribute(
                "CongestionControl",
                "Congestion control of queue pairs connected afterwards; null: no congestion "
                "control.",
                PointerValue(),
                MakePointerAccessor(&RdmaNic::SetCongestionControl, &RdmaNic::GetCongestionControl),
                MakePointerChecker<RdmaCongestionControl>())
            .AddAttribute(
                "MinRate",
                "Lower bound of a queue pair's rate, whatever its congestion control sets; for "
                "queue pairs connected afterwards.",
                DataRateValue(DataRate("1Mbps")),
                MakeDataRateAccessor(&RdmaNic::SetMinRate, &RdmaNic::GetMinRate),
                MakeDataRateChecker())
            .AddAttribute(
                "PaceCatchUp",
                "A queue pair connected afterwards that has a packet to send and waits for its "
                "port, beyond what its pace demands, because other queue pairs send, makes up for "
                "the wait by at most one packet, as NICs' rate limiters do: queue pairs that share "
                "a port keep their rates. False: each wait lowers the rate, as in the simulator of "
                "HPCC's authors.",
                BooleanValue(true),
                MakeBooleanAccessor(&RdmaNic::m_catchesUp),
                MakeBooleanChecker())
            .AddAttribute("GlobalKey",
                          "Key 0 gives peers access to all addresses, for workloads that ignore "
                          "memory protection. If false, peers need the key of a registered region "
                          "(RdmaMemory).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaNic::SetGlobalKey, &RdmaNic::HasGlobalKey),
                          MakeBooleanChecker())
            .AddTraceSource("Sample",
                            "State of a queue pair after each received acknowledgement, NAK or "
                            "CNP, and after each retransmission timeout",
                            MakeTraceSourceAccessor(&RdmaNic::m_sampled),
                            "ns3::RdmaNic::SampleCallback"));
    return tid;
}

RdmaNic::RdmaNic()
    : m_endOfInstant(this)
{
    NS_LOG_FUNCTION(this);
}

RdmaNic::~RdmaNic()
{
    NS_LOG_FUNCTION(this);
}

void
RdmaNic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_endOfInstant.Disarm();
    m_scheduler.Clear();
    GetReplies().Clear();
    m_queuePairFactory.Clear();
    for (auto& port : m_ports)
    {
        port.device->SetSink(nullptr);
        port.device->SetSource(nullptr);
    }
    m_ports.clear();
    m_queuePairs.Clear();
    m_destroyed.clear();
    m_transport = nullptr;
    m_control = nullptr;
    m_oracle = nullptr;
    m_watcher = nullptr;
    Object::DoDispose();
}

void
RdmaNic::AddPort(Ptr<QbbNetDevice> device, Ipv4Address address)
{
    device->SetSink(this);
    device->SetSource(this);
    device->SetPortNumber(static_cast<uint16_t>(m_ports.size()));
    m_ports.push_back({device, address, address.Get()});
    m_scheduler.AddPort(PeekPointer(device));
    TellTrafficControl();
}

void
RdmaNic::NotifyNewAggregate()
{
    TellTrafficControl();
    Object::NotifyNewAggregate();
}

void
RdmaNic::TellTrafficControl()
{
    // Ports of nodes without ns-3's stack are spared the memory of a queue interface.
    if (GetObject<TrafficControlLayer>())
    {
        for (const Port& port : m_ports)
        {
            port.device->AddQueueInterface();
        }
    }
}

const RdmaNic::Port&
RdmaNic::FindPort(uint32_t port) const
{
    NS_ABORT_MSG_IF(port >= m_ports.size(),
                    "rdma: port " << port << " of a NIC with " << m_ports.size() << " ports");
    return m_ports[port];
}

Ptr<QbbNetDevice>
RdmaNic::GetPort(uint32_t port) const
{
    return FindPort(port).device;
}

Ipv4Address
RdmaNic::GetAddress(uint32_t port) const
{
    return FindPort(port).address;
}

void
RdmaNic::SetTransport(Ptr<RdmaTransport> transport)
{
    m_transport = transport;
    m_transports.push_back(transport);
}

Ptr<RdmaTransport>
RdmaNic::GetTransport() const
{
    return m_transport;
}

void
RdmaNic::SetCongestionControl(Ptr<RdmaCongestionControl> control)
{
    m_control = control;
}

Ptr<RdmaCongestionControl>
RdmaNic::GetCongestionControl() const
{
    return m_control;
}

void
RdmaNic::SetMinRate(DataRate rate)
{
    RefuseRdmaIf(rate.GetBitRate() == 0, "RdmaNic::MinRate is 0bps; accepted: 1bps and up");
    m_minRate = QbbBitRate(rate);
}

DataRate
RdmaNic::GetMinRate() const
{
    return m_minRate.ToDataRate();
}

void
RdmaNic::SetCnpInterval(Time interval)
{
    QbbSetTimeResolution();
    m_notification.SetInterval(QbbToPs(interval));
}

Time
RdmaNic::GetCnpInterval() const
{
    return QbbToTime(m_notification.GetInterval());
}

void
RdmaNic::SetCnpModeration(RdmaNotificationPoint::Moderation moderation)
{
    m_notification.SetModeration(moderation);
}

RdmaNotificationPoint::Moderation
RdmaNic::GetCnpModeration() const
{
    return m_notification.GetModeration();
}

void
RdmaNic::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairFactory.Set(name, value);
}

void
RdmaNic::StartQueuePair(RdmaQueuePair& qp, uint32_t qpn, uint32_t port)
{
    NS_ABORT_MSG_IF(port >= m_ports.size(),
                    "rdma: a queue pair at port " << port << " of a NIC with " << m_ports.size()
                                                  << " ports");
    if (!m_transport)
    {
        SetTransport(CreateObject<RoceTransport>());
    }
    RdmaPacketEngine::Of(qp).Start(this, port, qpn, *m_transport);
}

Ptr<RdmaQueuePair>
RdmaNic::MakePrototype(uint32_t qpn, uint32_t port)
{
    auto qp = m_queuePairFactory.Create();
    StartQueuePair(*qp, qpn, port);
    return qp;
}

Ptr<RdmaQueuePair>
RdmaNic::AddQueuePair(Ptr<RdmaQueuePair> qp, uint32_t qpn, uint32_t port)
{
    StartQueuePair(*qp, qpn, port);
    m_transport->NoteUse();
    m_queuePairs.Add(qpn, qp);
    return qp;
}

Ptr<RdmaQueuePair>
RdmaNic::CreateQueuePair(uint32_t port)
{
    return AddQueuePair(m_queuePairFactory.Create(), m_queuePairs.TakeNumbers(1), port);
}

uint32_t
RdmaNic::ReserveQueuePairNumbers(uint32_t count, LateHandler late)
{
    // Events of hosts create the queue pairs, but default values are global to the process.
    m_queuePairFactory.MakePattern();
    return m_queuePairs.Reserve(count, std::move(late));
}

Ptr<RdmaQueuePair>
RdmaNic::CreateQueuePairAs(uint32_t qpn, uint32_t port)
{
    NS_ABORT_MSG_IF(!m_queuePairs.IsReserved(qpn),
                    "rdma: CreateQueuePairAs() with number "
                        << qpn << "; accepted: numbers of ReserveQueuePairNumbers()");
    NS_ABORT_MSG_IF(m_queuePairs.Peek(qpn),
                    "rdma: CreateQueuePairAs() with number " << qpn << ", which is in use");
    return AddQueuePair(m_queuePairFactory.CreateAlike(), qpn, port);
}

void
RdmaNic::DestroyQueuePair(Ptr<RdmaQueuePair> qp)
{
    NS_LOG_FUNCTION(this << qp->GetQpn());
    NS_ABORT_MSG_IF(GetQueuePair(qp->GetQpn()) != qp,
                    "rdma: DestroyQueuePair() of a queue pair that this NIC does not know");
    m_scheduler.Remove(&RdmaPacketEngine::Of(*qp));
    RdmaQpAttributes reset;
    reset.state = RdmaQpState::RESET;
    qp->Modify(reset);
    m_queuePairs.Remove(qp->GetQpn());
    m_endOfInstant.ArmNoLater(QbbNow());
    m_destroyed.push_back(qp); // freed later: the caller may be a function of the queue pair
}

Ptr<RdmaQueuePair>
RdmaNic::GetQueuePair(uint32_t qpn) const
{
    return m_queuePairs.Knows(qpn) ? m_queuePairs.Peek(qpn) : nullptr;
}

RdmaQueuePairStats
RdmaNic::GetStats() const
{
    RdmaQueuePairStats sums;
    m_queuePairs.ForEach([&sums](const RdmaQueuePair& qp) { sums += qp.GetStats(); });
    return sums;
}

uint32_t
RdmaNic::GetNodeId() const
{
    return m_ports.front().device->GetNodeId();
}

bool
RdmaNic::HasSinks() const
{
    return !m_sampled.IsEmpty() ||
           m_queuePairs.Any([](const RdmaQueuePair& qp) { return qp.HasSinks(); });
}

bool
RdmaNic::HasCallbacks() const
{
    return m_queuePairs.Any([](const RdmaQueuePair& qp) { return qp.HasCallbacks(); });
}

void
RdmaNic::ForEachQueue(const std::function<void(const Object& queue)>& visit) const
{
    m_queuePairs.ForEach([&visit](const auto& qp) { qp.ForEachQueue(visit); });
}

void
RdmaNic::TraceSample(const RdmaPacketEngine& qp) const
{
    m_sampled(qp.GetSample());
}

void
RdmaNic::WarnOfUnheardResponses() const
{
    if (m_control && !m_control->NeedsCnp() && m_control->IsFirstWarning())
    {
        RdmaWarnOnce(std::cerr,
                     "rdma: warning: " + m_control->GetInstanceTypeId().GetName() +
                         " does not slow READ responses over RoCE, which nobody acknowledges "
                         "(IrnTransport has them acknowledged)\n");
    }
}

QbbFramePtr
RdmaNic::NextFrame(QbbPort& port, uint8_t priority)
{
    return m_scheduler.Next(port.GetPortNumber(), priority);
}

void
RdmaNic::FreeDestroyed()
{
    const std::vector<Ptr<RdmaQueuePair>> destroyed = std::move(m_destroyed);
    m_destroyed.clear();
    for (const auto& qp : destroyed)
    {
        qp->Dispose();
    }
}

void
RdmaNic::ReceiveFrame(QbbPort& port, QbbFramePtr&& frame)
{
    if (frame->type != QbbFrameType::ROCE)
    {
        port.DeliverToStack(*frame);
        return;
    }
    if (!m_queuePairs.Knows(frame->destQp) || frame->dstMac != port.GetMac() ||
        frame->dstIp != m_ports[port.GetPortNumber()].ip)
    {
        port.CountDrop(*frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    if (RdmaQueuePair* qp = m_queuePairs.Peek(frame->destQp))
    {
        RdmaPacketEngine::Of(*qp).ReceiveFrame(*frame);
        return;
    }
    ReceiveLate(port, *frame);
}

void
RdmaNic::ReceiveLate(QbbPort& port, const QbbFrame& frame)
{
    if (!GetRdmaOpcodeInfo(frame.opcode).request)
    {
        return; // a response or CNP for a destroyed queue pair
    }
    const auto qp = m_queuePairs.MakeLate(frame.destQp);
    if (!qp)
    {
        port.CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    RdmaPacketEngine::Of(*qp).ReceiveFrame(frame);
}

} // namespace ns3
