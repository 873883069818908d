/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-nic.h"

#include "rdma-compat.h"
#include "rdma-event-order.h"
#include "rdma-refuse.h"
#include "rdma-shared-run.h"
#include "rdma-warnings.h"
#include "roce-transport.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/log.h>
#include <ns3/pointer.h>
#include <ns3/trace-source-accessor.h>
#include <ns3/traffic-control-layer.h>
#include <ns3/uinteger.h>

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

namespace
{

/** An RdmaSendPipeline with a timer, which starts the requests of a queue pair in time. */
class TimedSendPipeline final : public RdmaSendPipeline
{
  public:
    TimedSendPipeline(const RdmaSendTiming& timing, RdmaPacketEngine& engine)
        : RdmaSendPipeline(timing),
          m_engine(engine),
          m_timer(this)
    {
    }

    void Reset() override
    {
        RdmaSendPipeline::Reset();
        m_timer.Disarm();
    }

    uint32_t GetNodeId() const
    {
        return m_engine.GetNodeId();
    }

  private:
    RdmaPs GetLineTime(uint32_t bytes) const override
    {
        const QbbPort& port = m_engine.GetDevice();
        return port.GetCurrentRate().BytesToPs(bytes + port.GetLineOverheadBytes());
    }

    void WakeAt(RdmaPs at) override
    {
        m_timer.Arm(at);
    }

    void OnTimer()
    {
        m_engine.GetRequester().Release(RdmaNow());
        m_engine.SyncTimer();
    }

    RdmaPacketEngine& m_engine;
    RdmaTimer<TimedSendPipeline, &TimedSendPipeline::OnTimer, EVENT_ORDER>
        m_timer; // time at which the first waiting request may start
};

/**
 * \param flowHash QbbFlowHash() of a flow
 * \param port index of a port
 * \return weight of the port for the flow, independent of the choices of switches
 */
uint64_t
GetBondWeight(uint32_t flowHash, uint32_t port)
{
    // splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
    // 2014)
    uint64_t x = (uint64_t{port} << 32 | flowHash) + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

} // namespace

struct RdmaNic::PortStates
{
    /** \param nic the NIC */
    explicit PortStates(RdmaNic* nic)
        : timer(nic)
    {
    }

    /** State of a port. */
    struct State
    {
        bool isUp{true};        //!< the NIC takes the port to be up
        RdmaPs due{RDMA_NEVER}; //!< instant at which isUp changes; RDMA_NEVER: the link agrees
    };

    std::vector<State> ports;                                     //!< states of the ports, by index
    RdmaTimer<RdmaNic, &RdmaNic::OnPortTimer, EVENT_ORDER> timer; //!< the earliest change
    std::vector<PortWatcher> watchers;                            //!< watchers of changes
    RdmaHost* host{nullptr};                                      //!< host of SetHost(), or null
    std::vector<RdmaNoteBus*> noteBuses;                          //!< buses of AddNoteBus()
};

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
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
            .AddAttribute(
                "CnpMarkShare",
                "Least share of marked packets, among the request packets of a queue pair "
                "since the latest decision at least a CnpInterval ago, for a CNP; 0: one "
                "marked packet suffices. Of use where packets take many paths.",
                DoubleValue(0),
                MakeDoubleAccessor(&RdmaNic::SetCnpMarkShare, &RdmaNic::GetCnpMarkShare),
                MakeDoubleChecker<double>(0, 1))
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
            .AddAttribute("Entropy",
                          "Chooses the UDP source port of each packet of queue pairs connected "
                          "afterwards; null: each queue pair has one port.",
                          PointerValue(),
                          MakePointerAccessor(&RdmaNic::SetEntropy, &RdmaNic::GetEntropy),
                          MakePointerChecker<RdmaEntropy>())
            .AddAttribute("EchoSourcePort",
                          "An acknowledgement or NAK has the UDP source port of the packet that "
                          "causes it, which tells the peer the packet's entropy. False: that of "
                          "the queue pair. For queue pairs connected afterwards.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RdmaNic::m_echoSourcePort),
                          MakeBooleanChecker())
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
            .AddAttribute(
                "FailoverDelay",
                "Time that a port's link is down until the NIC takes the port to be down, and up "
                "until the NIC takes the port to be up again: the queue pairs of a bond then use "
                "another port or come back. 100 ms is the polling interval (miimon) with which "
                "Linux's bonding driver watches the links of an IEEE 802.3ad bond unless told "
                "otherwise.",
                TimeValue(MilliSeconds(100)),
                MakeTimeAccessor(&RdmaNic::SetFailoverDelay, &RdmaNic::GetFailoverDelay),
                MakeTimeChecker(Time(0)))
            .AddTraceSource("Sample",
                            "State of a queue pair after each received acknowledgement, NAK or "
                            "CNP, and after each retransmission timeout",
                            MakeTraceSourceAccessor(&RdmaNic::m_sampled),
                            "ns3::RdmaNic::SampleCallback")
            .AddAttribute(
                "DoorbellDelay",
                "Time from the post of a send request until the NIC notices the "
                "request: the doorbell's way over PCIe. For queue pairs created afterwards.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&RdmaNic::SetSendTime<&RdmaSendTiming::doorbell>,
                                 &RdmaNic::GetSendTime<&RdmaSendTiming::doorbell>),
                MakeTimeChecker(Time(0)))
            .AddAttribute(
                "WqeFetchDelay",
                "Time to fetch the work queue element (WQE) of a message from host "
                "memory: a PCIe round trip and the NIC's processing. Fetches of a queue "
                "pair overlap up to WqePrefetch + 1. 0: the doorbell carries the WQE. For "
                "queue pairs created afterwards.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&RdmaNic::SetSendTime<&RdmaSendTiming::fetch>,
                                 &RdmaNic::GetSendTime<&RdmaSendTiming::fetch>),
                MakeTimeChecker(Time(0)))
            .AddAttribute("WqePrefetch",
                          "Number of WQEs that the NIC fetches or holds for a queue pair ahead of "
                          "the message that is being sent. 0: a fetch begins when the message "
                          "before has left the NIC. For queue pairs created afterwards.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaNic::SetPrefetch, &RdmaNic::GetPrefetch),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MessageGap",
                          "Shortest time from the end of a message's last packet on the line to "
                          "the first packet of the queue pair's next message: a limit of the "
                          "queue pair's message rate. Other queue pairs send in the gap. For queue "
                          "pairs created afterwards.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::SetSendTime<&RdmaSendTiming::gap>,
                                           &RdmaNic::GetSendTime<&RdmaSendTiming::gap>),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "AckTurnaround",
                "Time from the arrival of a packet until its acknowledgement or NAK, or the first "
                "packet of the response to a READ or atomic, may be sent.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&RdmaNic::SetReplyDelay<RdmaReplyDelays::ACK>,
                                 &RdmaNic::GetReplyDelay<RdmaReplyDelays::ACK>),
                MakeTimeChecker(Time(0)))
            .AddAttribute("CnpDelay",
                          "Time from the arrival of the packet that triggers a CNP until the CNP "
                          "may be sent.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RdmaNic::SetReplyDelay<RdmaReplyDelays::CNP>,
                                           &RdmaNic::GetReplyDelay<RdmaReplyDelays::CNP>),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RdmaNic::RdmaNic()
    : m_endOfInstant(this),
      m_queuePairSettings(
          std::make_shared<QueuePairSettings>(ObjectFactory(RdmaQueuePair::GetTypeId().GetName())))
{
    NS_LOG_FUNCTION(this);
}

RdmaNic::RdmaNic(const RdmaNic& pattern)
    : Object(pattern),
      m_endOfInstant(this),
      m_queuePairSettings(pattern.m_queuePairSettings)
{
}

Ptr<RdmaNic>
RdmaNic::MakeBare() const
{
    return GetInstanceTypeId() == GetTypeId() ? Ptr<RdmaNic>(new RdmaNic(*this), false) : nullptr;
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
    m_portStates = nullptr;
    m_scheduler.Clear();
    m_replies.Clear();
    for (auto& port : m_ports)
    {
        port.device->SetSink(nullptr);
        port.device->SetSource(nullptr);
    }
    m_ports.clear();
    ForEachQueuePair([](RdmaQueuePair& qp) { qp.Dispose(); });
    m_queuePairs.clear();
    m_blocks.clear();
    m_nQueuePairs = 0;
    m_nNumbers = 0;
    m_destroyed.clear();
    for (const auto& qp : m_spares)
    {
        qp->Dispose();
    }
    m_spares.clear();
    m_transport = nullptr;
    m_control = nullptr;
    m_entropy = nullptr;
    m_oracle = nullptr;
    m_watcher = nullptr;
    Object::DoDispose();
}

void
RdmaNic::AddPort(Ptr<QbbNetDevice> device, Ipv4Address address)
{
    device->SetSink(this);
    device->SetSource(&m_scheduler);
    device->SetPortNumber(static_cast<uint16_t>(m_ports.size()));
    m_ports.push_back({device, address, address.Get()});
    m_scheduler.AddPort(PeekPointer(device));
    AddQueueInterfaces();
    const bool isBonded = GetBond(GetNPorts() - 1).size() > 1;
    NS_ABORT_MSG_IF(isBonded && m_nQueuePairs > 0,
                    "rdma: a port with address "
                        << address << " joins a bond of node " << device->GetNodeId()
                        << ", whose NIC has " << m_nQueuePairs
                        << " queue pairs; accepted: before the first queue pair");
    if (isBonded || m_portStates)
    {
        MakePortStates();
    }
}

void
RdmaNic::SetHost(RdmaHost* host)
{
    MakePortStates().host = host;
}

RdmaHost*
RdmaNic::GetHost() const
{
    return m_portStates ? m_portStates->host : nullptr;
}

void
RdmaNic::AddNoteBus(RdmaNoteBus* bus)
{
    MakePortStates().noteBuses.push_back(bus);
}

void
RdmaNic::RemoveNoteBus(RdmaNoteBus* bus)
{
    if (m_portStates)
    {
        std::vector<RdmaNoteBus*>& buses = m_portStates->noteBuses;
        buses.erase(std::remove(buses.begin(), buses.end(), bus), buses.end());
    }
}

const std::vector<RdmaNoteBus*>&
RdmaNic::GetNoteBuses() const
{
    static const std::vector<RdmaNoteBus*> none;
    return m_portStates ? m_portStates->noteBuses : none;
}

// Ports that go down and up

RdmaNic::PortStates&
RdmaNic::MakePortStates()
{
    if (!m_portStates)
    {
        m_portStates = std::make_unique<PortStates>(this);
    }
    for (std::size_t port = m_portStates->ports.size(); port < m_ports.size(); ++port)
    {
        // A port without a cable yet gets one that is up.
        const QbbNetDevice& device = *m_ports[port].device;
        m_portStates->ports.push_back({!device.GetQbbChannel() || device.IsUp(), RDMA_NEVER});
    }
    return *m_portStates;
}

bool
RdmaNic::IsBonded(uint32_t port) const
{
    const uint32_t ip = FindPort(port).ip;
    return m_portStates && std::count_if(m_ports.begin(), m_ports.end(), [ip](const Port& other) {
                               return other.ip == ip;
                           }) > 1;
}

std::vector<uint32_t>
RdmaNic::GetBond(uint32_t port) const
{
    const uint32_t ip = FindPort(port).ip;
    std::vector<uint32_t> bond;
    for (uint32_t other = 0; other < m_ports.size(); ++other)
    {
        if (m_ports[other].ip == ip)
        {
            bond.push_back(other);
        }
    }
    return bond;
}

bool
RdmaNic::IsPortUp(uint32_t port) const
{
    FindPort(port);
    return !m_portStates || m_portStates->ports[port].isUp;
}

uint32_t
RdmaNic::ChooseBondPort(uint32_t port, uint32_t flowHash) const
{
    // One pass and no list: queue pairs of flows come and go at any time.
    const uint32_t ip = FindPort(port).ip;
    uint32_t chosen = port;
    bool isUp = false;
    uint64_t most = 0;
    for (uint32_t other = 0; other < m_ports.size(); ++other)
    {
        if (m_ports[other].ip != ip || !m_portStates->ports[other].isUp)
        {
            continue;
        }
        const uint64_t weight = GetBondWeight(flowHash, other);
        if (!isUp || weight > most)
        {
            isUp = true;
            most = weight;
            chosen = other;
        }
    }
    return chosen;
}

void
RdmaNic::AddPortWatcher(PortWatcher watcher)
{
    MakePortStates().watchers.push_back(std::move(watcher));
}

void
RdmaNic::SetFailoverDelay(Time delay)
{
    RdmaSetTimeResolution();
    m_failoverDelay = RdmaToPs(delay);
}

Time
RdmaNic::GetFailoverDelay() const
{
    return RdmaToTime(m_failoverDelay);
}

void
RdmaNic::LinkChanged(QbbPort& port)
{
    if (!m_portStates || !IsRdmaNodeLocal(*port.GetDevice()->GetNode()))
    {
        return;
    }
    PortStates::State& state = m_portStates->ports[port.GetPortNumber()];
    if (port.IsUp() == state.isUp)
    {
        state.due = RDMA_NEVER;
        return;
    }
    const RdmaPs now = RdmaNow();
    state.due = now > 0_ps ? now + m_failoverDelay : now;
    m_portStates->timer.ArmNoLater(state.due);
}

void
RdmaNic::OnPortTimer()
{
    const RdmaPs now = RdmaNow();
    std::vector<uint32_t> changed;
    RdmaPs next = RDMA_NEVER;
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        PortStates::State& state = m_portStates->ports[port];
        if (state.due <= now)
        {
            state.due = RDMA_NEVER;
            state.isUp = !state.isUp;
            changed.push_back(port);
        }
        next = std::min(next, state.due);
    }
    if (next != RDMA_NEVER)
    {
        m_portStates->timer.Arm(next);
    }
    NS_LOG_LOGIC("node " << GetNodeId() << ": " << changed.size() << " ports went down or up");
    if (std::any_of(changed.begin(), changed.end(), [this](uint32_t port) {
            return IsBonded(port);
        }))
    {
        MoveQueuePairs();
    }
    for (const uint32_t port : changed)
    {
        // A watcher may add another one.
        for (std::size_t i = 0; i < m_portStates->watchers.size(); ++i)
        {
            const PortWatcher watcher = m_portStates->watchers[i];
            watcher(port, m_portStates->ports[port].isUp);
        }
    }
}

void
RdmaNic::MoveQueuePairs()
{
    std::vector<RdmaPacketEngine*> ready;
    for (uint32_t port = 0; port < m_ports.size(); ++port)
    {
        if (IsBonded(port))
        {
            m_scheduler.TakeReady(port, ready);
        }
    }
    ForEachQueuePair([this](RdmaQueuePair& qp) {
        RdmaPacketEngine& engine = RdmaPacketEngine::Of(qp);
        if (engine.GetFrame().dstIp != 0) // others choose their port when they are connected
        {
            engine.UsePort(ChoosePort(engine.GetPortIndex(), engine.GetFrame().flowHash));
        }
    });
    m_replies.ForEach([](const RdmaPacketEngine& sender, QbbPort*& port, QbbFrame& frame) {
        port = &sender.GetDevice();
        frame.srcMac = sender.GetFrame().srcMac;
        frame.dstMac = sender.GetFrame().dstMac;
    });
    m_scheduler.PutReady(ready);
}

void
RdmaNic::NotifyNewAggregate()
{
    AddQueueInterfaces();
    Object::NotifyNewAggregate();
}

void
RdmaNic::AddQueueInterfaces()
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
RdmaNic::SetEntropy(Ptr<RdmaEntropy> entropy)
{
    if (entropy)
    {
        entropy->Take(this);
    }
    m_entropy = entropy;
}

Ptr<RdmaEntropy>
RdmaNic::GetEntropy() const
{
    return m_entropy;
}

std::string
RdmaNic::GetReorderingEntropy() const
{
    return m_entropy && m_entropy->MayReorder() ? m_entropy->GetInstanceTypeId().GetName() : "";
}

int64_t
RdmaNic::AssignStreams(int64_t stream)
{
    return m_entropy ? m_entropy->AssignStreams(stream) : 0;
}

std::unique_ptr<RdmaEntropyChooser>
RdmaNic::MakeEntropyChooser() const
{
    if (!m_entropy)
    {
        return nullptr;
    }
    m_entropy->NoteUse();
    return m_entropy->MakeChooser();
}

void
RdmaNic::SetMinRate(DataRate rate)
{
    RefuseRdmaIf(rate.GetBitRate() == 0, "RdmaNic::MinRate is 0bps; accepted: 1bps and up");
    m_minRate = rate;
}

void
RdmaNic::SetCnpInterval(Time interval)
{
    RdmaSetTimeResolution();
    m_notification.interval = RdmaToPs(interval);
}

Time
RdmaNic::GetCnpInterval() const
{
    return RdmaToTime(m_notification.interval);
}

void
RdmaNic::SetCnpModeration(RdmaNotificationPoint::Moderation moderation)
{
    m_notification.moderation = moderation;
}

RdmaNotificationPoint::Moderation
RdmaNic::GetCnpModeration() const
{
    return m_notification.moderation;
}

void
RdmaNic::SetCnpMarkShare(double share)
{
    m_notification.share = share;
}

double
RdmaNic::GetCnpMarkShare() const
{
    return m_notification.share;
}

template <RdmaPs RdmaSendTiming::*field>
void
RdmaNic::SetSendTime(Time time)
{
    RdmaSetTimeResolution();
    m_sends.*field = RdmaToPs(time);
}

template <RdmaPs RdmaSendTiming::*field>
Time
RdmaNic::GetSendTime() const
{
    return RdmaToTime(m_sends.*field);
}

void
RdmaNic::SetPrefetch(uint32_t requests)
{
    m_sends.prefetch = requests;
}

uint32_t
RdmaNic::GetPrefetch() const
{
    return m_sends.prefetch;
}

template <RdmaReplyDelays::Kind kind>
void
RdmaNic::SetReplyDelay(Time time)
{
    RdmaSetTimeResolution();
    m_replies.SetDelay(kind, RdmaToPs(time));
}

template <RdmaReplyDelays::Kind kind>
Time
RdmaNic::GetReplyDelay() const
{
    return RdmaToTime(m_replies.GetDelay(kind));
}

std::unique_ptr<RdmaSendPipeline>
RdmaNic::MakeSendPipeline(RdmaPacketEngine& engine) const
{
    return m_sends.IsSet() ? std::make_unique<TimedSendPipeline>(m_sends, engine) : nullptr;
}

RdmaNic::QueuePairSettings::QueuePairSettings(const ObjectFactory& factory)
    : m_factory(factory)
{
}

const RdmaQueuePair&
RdmaNic::QueuePairSettings::GetPattern()
{
    std::call_once(m_isMade, [this] { m_pattern = m_factory.Create<RdmaQueuePair>(); });
    return *m_pattern;
}

void
RdmaNic::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    ObjectFactory factory = m_queuePairSettings->GetFactory();
    factory.Set(name, value);
    m_queuePairSettings = std::make_shared<QueuePairSettings>(factory);
}

void
RdmaNic::SetQueuePairAttributesOf(const RdmaNic& other)
{
    m_queuePairSettings = other.m_queuePairSettings;
}

/** \return a new queue pair with the attributes of the pattern */
Ptr<RdmaQueuePair>
RdmaNic::MakeFromPattern()
{
    const Ptr<RdmaQueuePair> alike = m_queuePairSettings->GetPattern().MakeAlike();
    return alike ? alike : m_queuePairSettings->GetFactory().Create<RdmaQueuePair>();
}

uint32_t
RdmaNic::GetInitialPsn()
{
    return m_queuePairSettings->GetPattern().GetInitialPsn();
}

uint32_t
RdmaNic::GetPathMtu()
{
    return m_queuePairSettings->GetPattern().GetPathMtu();
}

uint32_t
RdmaNic::AssignNumbers(uint32_t count)
{
    NS_ABORT_MSG_IF(uint64_t{m_nNumbers} + FIRST_QPN + count > (1U << 24),
                    "rdma: more queue pairs than 24-bit numbers");
    const uint32_t first = FIRST_QPN + m_nNumbers;
    m_nNumbers += count;
    return first;
}

const RdmaNic::Block*
RdmaNic::FindBlock(uint32_t qpn) const
{
    const auto next =
        std::upper_bound(m_blocks.begin(), m_blocks.end(), qpn, [](uint32_t n, const Block& block) {
            return n < block.first;
        });
    const bool found = next != m_blocks.begin() && qpn - (next - 1)->first < (next - 1)->count;
    return found ? &*(next - 1) : nullptr;
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
    const Ptr<RdmaQueuePair> qp = MakeFromPattern();
    StartQueuePair(*qp, qpn, port);
    return qp;
}

Ptr<RdmaQueuePair>
RdmaNic::AddQueuePair(Ptr<RdmaQueuePair> qp, uint32_t qpn, uint32_t port)
{
    StartQueuePair(*qp, qpn, port);
    KeepQueuePair(qp, qpn);
    return qp;
}

void
RdmaNic::KeepQueuePair(const Ptr<RdmaQueuePair>& qp, uint32_t qpn)
{
    m_transport->NoteUse();
    if (!HasPlace(qpn))
    {
        m_queuePairs.resize(qpn - FIRST_QPN + 1);
    }
    m_queuePairs[qpn - FIRST_QPN] = qp;
    ++m_nQueuePairs;
}

Ptr<RdmaQueuePair>
RdmaNic::TakeSpare()
{
    while (!m_spares.empty())
    {
        const Ptr<RdmaQueuePair> spare = m_spares.back();
        m_spares.pop_back();
        if (spare->GetTransport() == PeekPointer(m_transport))
        {
            return spare;
        }
        spare->Dispose(); // the NIC has got another transport since
    }
    return nullptr;
}

Ptr<RdmaQueuePair>
RdmaNic::CreateQueuePair(uint32_t port)
{
    return AddQueuePair(m_queuePairSettings->GetFactory().Create<RdmaQueuePair>(),
                        AssignNumbers(1),
                        port);
}

uint32_t
RdmaNic::ReserveQueuePairNumbers(uint32_t count, LateHandler late)
{
    // Events of hosts create the queue pairs, but default values are global to the process.
    m_queuePairSettings->GetPattern();
    const uint32_t first = AssignNumbers(count);
    m_blocks.push_back({first, count, std::move(late)});
    return first;
}

Ptr<RdmaQueuePair>
RdmaNic::CreateQueuePairAs(uint32_t qpn, uint32_t port)
{
    NS_ABORT_MSG_IF(!FindBlock(qpn),
                    "rdma: CreateQueuePairAs() with number "
                        << qpn << "; accepted: numbers of ReserveQueuePairNumbers()");
    NS_ABORT_MSG_IF(GetQueuePair(qpn),
                    "rdma: CreateQueuePairAs() with number " << qpn << ", which is in use");
    if (const Ptr<RdmaQueuePair> spare = TakeSpare())
    {
        FindPort(port);
        RdmaPacketEngine& engine = RdmaPacketEngine::Of(*spare);
        engine.PrefetchRequester();
        engine.PrefetchResponder();
        spare->Renew(m_queuePairSettings->GetPattern());
        engine.Restart(port, qpn);
        KeepQueuePair(spare, qpn);
        return spare;
    }
    return AddQueuePair(MakeFromPattern(), qpn, port);
}

void
RdmaNic::DestroyQueuePair(Ptr<RdmaQueuePair> qp)
{
    ForgetQueuePair(qp);
    m_endOfInstant.ArmNoLater(RdmaNow());
    m_destroyed.push_back(qp); // freed later: the caller may be a function of the queue pair
}

void
RdmaNic::RecycleQueuePair(Ptr<RdmaQueuePair>& qp)
{
    ForgetQueuePair(qp);
    Free(qp);
    qp = nullptr;
}

/** Resets a queue pair, to which the NIC has no reference afterwards. */
void
RdmaNic::ForgetQueuePair(const Ptr<RdmaQueuePair>& qp)
{
    NS_LOG_FUNCTION(this << qp->GetQpn());
    NS_ABORT_MSG_IF(!HasPlace(qp->GetQpn()) || PeekQueuePair(qp->GetQpn()) != PeekPointer(qp),
                    "rdma: a queue pair is to be destroyed that this NIC does not know");
    m_scheduler.Remove(&RdmaPacketEngine::Of(*qp));
    qp->Reset();
    m_queuePairs[qp->GetQpn() - FIRST_QPN] = nullptr;
    --m_nQueuePairs;
}

Ptr<RdmaQueuePair>
RdmaNic::GetQueuePair(uint32_t qpn) const
{
    return HasPlace(qpn) ? PeekQueuePair(qpn) : nullptr;
}

RdmaQueuePairStats
RdmaNic::GetStats() const
{
    RdmaQueuePairStats sums;
    ForEachQueuePair([&sums](const RdmaQueuePair& qp) { sums += qp.GetStats(); });
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
    return !m_sampled.IsEmpty() || std::any_of(m_queuePairs.begin(),
                                               m_queuePairs.end(),
                                               [](const auto& qp) { return qp && qp->HasSinks(); });
}

bool
RdmaNic::HasCallbacks() const
{
    return std::any_of(m_queuePairs.begin(), m_queuePairs.end(), [](const auto& qp) {
        return qp && qp->HasCallbacks();
    });
}

void
RdmaNic::ForEachQueue(const std::function<void(const Object& queue)>& visit) const
{
    ForEachQueuePair([&visit](const auto& qp) { qp.ForEachQueue(visit); });
}

void
RdmaNic::TraceSample(const RdmaPacketEngine& qp) const
{
    m_sampled(qp.GetQueuePair().GetSample());
}

void
RdmaNic::FreeDestroyed()
{
    for (std::size_t i = 0; i < m_destroyed.size(); ++i)
    {
        Free(m_destroyed[i]);
    }
    m_destroyed.clear();
}

/** Keeps a destroyed queue pair for CreateQueuePairAs(), or disposes of it. */
void
RdmaNic::Free(const Ptr<RdmaQueuePair>& qp)
{
    if (m_spares.size() < MOST_SPARES && qp->IsSpare())
    {
        m_spares.push_back(qp);
    }
    else
    {
        qp->Dispose();
    }
}

void
RdmaNic::ReceiveFrame(QbbPort& port, QbbFramePtr&& frame)
{
    if (frame->type != QbbFrameType::ROCE)
    {
        DeliverToStack(port, *frame);
        return;
    }
    if (HasPlace(frame->destQp) && IsForPort(port, *frame))
    {
        if (RdmaQueuePair* qp = PeekQueuePair(frame->destQp))
        {
            RdmaPacketEngine& engine = RdmaPacketEngine::Of(*qp);
            engine.Prefetch(); // all lines at once, unless an earlier step has fetched them
            engine.ReceiveFrame(*frame);
            return;
        }
    }
    ReceiveLate(port, *frame);
}

void
RdmaNic::DeliverToStack(QbbPort& port, QbbFrame& frame) const
{
    QbbPort* receiver = &port;
    if (IsBonded(port.GetPortNumber()))
    {
        receiver = &GetDevice(GetBond(port.GetPortNumber()).front());
        if (frame.dstMac == port.GetMac())
        {
            frame.dstMac = receiver->GetMac();
        }
    }
    receiver->DeliverToStack(frame);
}

void
RdmaNic::ReceiveLate(QbbPort& port, const QbbFrame& frame)
{
    if (!IsAssigned(frame.destQp) || !IsForPort(port, frame))
    {
        port.CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    if (!GetRdmaOpcodeInfo(frame.opcode).request)
    {
        return; // a response or CNP for a destroyed queue pair
    }
    const Block* const block = FindBlock(frame.destQp);
    const auto qp = block && block->late ? block->late(frame.destQp) : nullptr;
    if (!qp)
    {
        port.CountDrop(frame, QbbDropReason::NOT_FOR_US);
        return;
    }
    RdmaPacketEngine::Of(*qp).ReceiveFrame(frame);
}

} // namespace ns3
