/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-helper.h"

#include "qbb-shared-buffer.h"
#include "qbb-wire.h"
#include "rdma-alike-factory.h"
#include "rdma-attribute-text.h"
#include "rdma-bdp.h"
#include "rdma-rank-placement.h"
#include "rdma-ranks.h"
#include "rdma-refuse.h"
#include "rdma-simulator-impl.h"
#include "rdma-units.h"
#include "rdma-warnings.h"
#include "roce-transport.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4.h>
#include <ns3/node-list.h>
#include <ns3/nstime.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace ns3
{

namespace
{

/** \param node id of the ns-3 node \param port port number \return a locally administered MAC
 * address */
Mac48Address
MakeMac(uint32_t node, uint32_t port)
{
    const uint8_t bytes[6] = {0x02,
                              static_cast<uint8_t>(node >> 16),
                              static_cast<uint8_t>(node >> 8),
                              static_cast<uint8_t>(node),
                              static_cast<uint8_t>(port >> 8),
                              static_cast<uint8_t>(port)};
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

} // namespace

/** Builds one fabric for RdmaFabricHelper::Install(). */
class RdmaFabricInstaller
{
  public:
    /**
     * \param settings components of the fabric; must outlive this object
     * \param topology a valid topology
     */
    RdmaFabricInstaller(const RdmaFabricSettings& settings, const RdmaTopology& topology);

    /** \return the fabric, with routes */
    Ptr<RdmaFabric> Install();

  private:
    void InstallLink(uint32_t link);
    Ptr<QbbNetDevice> InstallPort(const RdmaTopologyLink& link, uint32_t node, uint32_t peer);
    void InstallNic(uint32_t node);
    void InstallSwitch(uint32_t sw);
    void InstallAddresses();
    /**
     * Throws std::invalid_argument if there is no such network.
     *
     * \return the first network, from that of the settings on, whose addresses for the hosts no NIC
     *         of the simulation has
     */
    uint32_t FindNetwork() const;
    void InstallTimers();
    /** Passes properties of the whole network to the transport. */
    void FinishTransport();
    /** Refuses settings that contradict the congestion control, and makes those that it needs. */
    void ServeControl();
    /** Makes the ECN marker of the switches if packets are marked. \param user who needs marks */
    void MakeMarker(RdmaMarking marking, const Object* user);
    /** \return true if the user has set the attribute of the class, in the helper or by default */
    bool IsGiven(TypeId type, const std::string& attribute) const;
    /** Passes properties of the whole network to the congestion control and the switches. */
    void FinishControl();
    /**
     * Chooses the telemetry format, and refuses rates that the format cannot carry.
     *
     * \param longestRtt longest round trip with records in the format PAPER
     * \return the format, PAPER or EXACT
     */
    RdmaIntFormat ChooseIntFormat(RdmaPs longestRtt);
    /** Sets PINT's base RTT of the switches to the fabric's longest RTT unless already set. */
    void SetPintBaseRtt();
    /** \return payload bytes of a full packet */
    uint32_t GetPathMtu() const;
    /**
     * \param trailer bytes of the telemetry trailer
     * \return size on the line, in bytes, of a full packet and of its acknowledgement
     */
    std::pair<uint32_t, uint32_t> GetLineBytes(uint32_t trailer) const;

    const RdmaFabricSettings& m_settings;     //!< components of the fabric
    RdmaAlikeFactory<QbbNetDevice> m_devices; //!< creates the ports
    RdmaAlikeFactory<RdmaNic> m_nics;         //!< creates the NICs
    Ptr<RdmaFabric> m_fabric;                 //!< the fabric
    Ptr<RdmaNic> m_firstNic;                  //!< NIC that has been installed first, or null
    Ptr<RdmaTransport> m_transport;           //!< transport of all NICs
    Ptr<RdmaCongestionControl> m_control;     //!< congestion control of all NICs, or null
    Ptr<QbbEcnMarker> m_marker;               //!< ECN marker of all switches, or null
    std::optional<RdmaPs> m_cnpInterval;      //!< RdmaNic::CnpInterval that the control needs
};

void
CheckRdmaMemory(const RdmaTopology& topology)
{
    // Least bytes of the parts, from the manual's table of memory.
    constexpr uint64_t PORT = 1900;
    constexpr uint64_t NIC = 1200;
    constexpr uint64_t SWITCH = 2500;
    const uint64_t nics = topology.GetNics().size();
    const uint64_t needed =
        2 * PORT * topology.GetNLinks() + NIC * nics + SWITCH * (topology.GetNNodes() - nics);
    uint64_t most = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    {
        most = std::min<uint64_t>(most, limit.rlim_cur);
    }
    constexpr uint64_t MEGABYTE = 1'000'000;
    RefuseRdmaIf(needed > most,
                 topology.GetNNodes(),
                 " nodes and ",
                 topology.GetNLinks(),
                 " links need ",
                 needed / MEGABYTE,
                 " MB of memory and more; accepted: at most the ",
                 most / MEGABYTE,
                 " MB of this machine");
}

RdmaFabricInstaller::RdmaFabricInstaller(const RdmaFabricSettings& settings,
                                         const RdmaTopology& topology)
    : m_settings(settings),
      m_devices(settings.device),
      m_nics(settings.nic),
      m_fabric(CreateObject<RdmaFabric>())
{
    m_fabric->m_topology = topology;
}

Ptr<RdmaFabric>
RdmaFabricInstaller::Install()
{
    const RdmaTopology& topology = m_fabric->m_topology;
    // The first event of the fabric, before nodes are initialized.
    Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, Time(0), [fabric = m_fabric] {
        fabric->CheckEntropies();
        if (fabric->m_timers)
        {
            fabric->m_timers->Begin();
        }
    });
    for (const uint32_t rank : PlaceRdmaNodes(topology, RdmaRanks::GetNumber()))
    {
        m_fabric->m_nodes.Add(CreateObject<Node>(rank));
    }
    m_fabric->m_nics.resize(topology.GetNNodes());
    m_fabric->m_switches.resize(topology.GetNNodes());
    m_fabric->m_links.resize(topology.GetNLinks());
    m_fabric->m_routing = m_settings.routing.Create<QbbRouting>();
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        InstallLink(link);
    }
    m_transport = m_settings.transport.Create<RdmaTransport>();
    FinishTransport();
    m_control = m_settings.control.Create<RdmaCongestionControl>();
    ServeControl();
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        topology.IsNic(node) ? InstallNic(node) : InstallSwitch(node);
    }
    if (m_control)
    {
        FinishControl();
    }
    InstallAddresses();
    m_fabric->m_routing->ComputeRoutes();
    InstallTimers();
    return m_fabric;
}

void
RdmaFabricInstaller::InstallLink(uint32_t link)
{
    const RdmaTopologyLink& description = m_fabric->m_topology.GetLink(link);
    auto& parts = m_fabric->m_links[link];
    parts.channel = QbbChannel::Make(m_settings.channel,
                                     *m_fabric->m_nodes.Get(description.a),
                                     *m_fabric->m_nodes.Get(description.b));
    parts.channel->SetDelay(RdmaToTime(description.delay));
    parts.a = InstallPort(description, description.a, description.b);
    parts.a->Attach(parts.channel);
    parts.b = InstallPort(description, description.b, description.a);
    parts.b->Attach(parts.channel);
}

Ptr<QbbNetDevice>
RdmaFabricInstaller::InstallPort(const RdmaTopologyLink& link, uint32_t node, uint32_t peer)
{
    const Ptr<Node> owner = m_fabric->m_nodes.Get(node);
    auto device = m_devices.Create();
    device->SetDataRate(link.rate.ToDataRate());
    device->SetAddress(MakeMac(owner->GetId(), owner->GetNDevices()));
    if (m_settings.vlan)
    {
        const bool host = m_fabric->m_topology.IsNic(node);
        const bool routed = !host && !m_fabric->m_topology.IsNic(peer);
        device->SetTrust(QbbClassifier::TRUST_PCP);
        device->SetAttribute("TagFrames", BooleanValue(host));
        device->SetAttribute("RoutedPort", BooleanValue(routed));
    }
    owner->AddDevice(device);
    if (link.errorRate > 0)
    {
        auto model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(link.errorRate);
        device->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }
    return device;
}

void
RdmaFabricInstaller::InstallNic(uint32_t node)
{
    auto nic = m_nics.Create();
    if (m_cnpInterval)
    {
        nic->SetAttribute("CnpInterval", TimeValue(RdmaToTime(*m_cnpInterval)));
    }
    nic->SetTransport(m_transport);
    if (m_control)
    {
        // Controllers hold references to their congestion control, and ns-3's reference counts are
        // not thread-safe.
        nic->SetCongestionControl(RdmaSimulatorImpl::GetThreads() > 1
                                      ? m_settings.control.Create<RdmaCongestionControl>()
                                      : m_control);
        // Disposal of the node also disposes the NIC, which breaks this reference cycle.
        nic->SetPathOracle([owner = Ptr<const RdmaFabric>(m_fabric)](const RdmaQueuePair& qp,
                                                                     RdmaPathProfile& profile) {
            owner->DescribePath(qp, profile);
        });
    }
    if (const auto entropy = m_settings.entropy.Create<RdmaEntropy>())
    {
        nic->SetEntropy(entropy);
        // Acknowledgements, a fiftieth of the bytes of full packets, take many paths as well.
        if (!IsGiven(RdmaNic::GetTypeId(), "EchoSourcePort"))
        {
            nic->SetAttribute("EchoSourcePort", BooleanValue(true));
        }
    }
    if (m_firstNic)
    {
        nic->SetQueuePairAttributesOf(*m_firstNic);
    }
    else
    {
        for (const auto& [name, value] : m_settings.queuePair)
        {
            nic->SetQueuePairAttribute(name, *value);
        }
        m_firstNic = nic;
    }
    m_fabric->m_nodes.Get(node)->AggregateObject(nic);
    m_fabric->m_nics[node] = nic;
}

void
RdmaFabricInstaller::InstallSwitch(uint32_t sw)
{
    auto object = m_settings.sw.Create<QbbSwitch>();
    const Ptr<Node> node = m_fabric->m_nodes.Get(sw);
    node->AggregateObject(object);
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        object->AddPort(DynamicCast<QbbNetDevice>(node->GetDevice(i)));
    }
    object->SetBufferManager(m_settings.buffer.Create<QbbBufferManager>());
    const auto set = [&object](const char* attribute, Ptr<Object> part) {
        if (part)
        {
            object->SetAttribute(attribute, PointerValue(part));
        }
    };
    set("PathSelector", m_settings.selector.Create<QbbPathSelector>());
    set("Marker", m_settings.marker.Create<QbbMarker>());
    set("CongestionDetector", m_settings.detector.Create<QbbCongestionDetector>());
    set("EcnMarker", m_marker);
    m_fabric->m_switches[sw] = object;
    m_fabric->m_routing->AddSwitch(object);
}

uint32_t
RdmaFabricInstaller::GetPathMtu() const
{
    UintegerValue mtu;
    ObjectFactory queuePair("ns3::RdmaQueuePair");
    for (const auto& [name, value] : m_settings.queuePair)
    {
        queuePair.Set(name, *value);
    }
    queuePair.Create<RdmaQueuePair>()->GetAttribute("PathMtu", mtu);
    return static_cast<uint32_t>(mtu.Get());
}

std::pair<uint32_t, uint32_t>
RdmaFabricInstaller::GetLineBytes(uint32_t trailer) const
{
    const RdmaPacketFormat& format = m_transport->GetPacketFormat();
    const auto bytes = [trailer](RdmaOpcode opcode, uint32_t payload) {
        constexpr uint32_t OVERHEAD = QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES;
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
        return QbbWire::RoceFrameBytes(info, payload, false, trailer) + OVERHEAD;
    };
    return {bytes(format.write, GetPathMtu()), bytes(format.acknowledge, 0)};
}

void
RdmaFabricInstaller::FinishTransport()
{
    if (m_transport->NeedsNetworkBdp())
    {
        const auto [packet, ack] = GetLineBytes(0);
        m_transport->SetNetworkBdp(GetRdmaBdpPackets(m_fabric->m_topology, packet, ack));
    }
}

void
RdmaFabricInstaller::InstallTimers()
{
    std::set<std::string> given;
    for (const auto& [attribute, timeout] : m_transport->GetTimeouts({}))
    {
        if (m_settings.transport.Has(attribute) ||
            IsRdmaDefaultGiven(m_settings.transport.GetType(), attribute))
        {
            given.insert(attribute);
        }
    }
    m_fabric->m_timers = std::make_unique<RdmaFabricTimers>(*m_fabric, m_transport, given);
    for (const auto& nic : m_fabric->m_nics)
    {
        if (nic)
        {
            // Disposal of the node breaks this reference cycle.
            nic->SetConnectionWatcher(
                [owner = Ptr<const RdmaFabric>(m_fabric)](RdmaPacketEngine& qp) {
                    owner->GetTimers().Connect(qp);
                });
        }
    }
}

bool
RdmaFabricInstaller::IsGiven(TypeId type, const std::string& attribute) const
{
    return m_settings.given.count(type.GetName() + "::" + attribute) > 0 ||
           IsRdmaDefaultGiven(type, attribute);
}

void
RdmaFabricInstaller::ServeControl()
{
    const RdmaMarking ofControl = m_control ? m_control->GetMarking() : RdmaMarking::NONE;
    const auto entropy = m_settings.entropy.Create<RdmaEntropy>();
    const RdmaMarking ofEntropy = entropy ? entropy->GetMarking() : RdmaMarking::NONE;
    if (ofControl != RdmaMarking::NONE || !entropy)
    {
        MakeMarker(ofControl, PeekPointer(m_control));
    }
    else
    {
        MakeMarker(ofEntropy, PeekPointer(entropy));
    }
    if (!m_control)
    {
        return;
    }
    RefuseRdmaIf(m_control->NeedsEachAck() && m_transport->GetAckInterval() != 1,
                 m_control->GetInstanceTypeId().GetName(),
                 " looks at each acknowledgement, and ",
                 m_transport->GetInstanceTypeId().GetName(),
                 "::AckInterval is ",
                 m_transport->GetAckInterval(),
                 "; accepted: 1");
    if (!IsGiven(RdmaNic::GetTypeId(), "CnpInterval"))
    {
        m_cnpInterval = m_control->GetCnpInterval();
    }
}

void
RdmaFabricInstaller::MakeMarker(RdmaMarking marking, const Object* user)
{
    const bool hasOther = !m_settings.detector.IsNone() || !m_settings.marker.IsNone();
    RefuseRdmaIf(marking != RdmaMarking::NONE && m_settings.markEcn == false && !hasOther,
                 user ? user->GetInstanceTypeId().GetName() : "",
                 " needs ECN marks, and EnableEcn(false) turns them off; accepted: "
                 "EnableEcn(true), or neither, or a marker or congestion detector");
    // A congestion detector or a marker of the script decides in place of the curve.
    const bool marks = m_settings.markEcn.value_or(marking != RdmaMarking::NONE && !hasOther);
    if (!marks)
    {
        return;
    }
    m_marker = m_settings.ecn.Create<QbbEcnMarker>();
    const TypeId type = QbbEcnMarker::GetTypeId();
    const auto isGiven = [&](const char* attribute) { return IsGiven(type, attribute); };
    constexpr RdmaBitRate REFERENCE = 100_gbps;
    const auto setCurve = [&](uint64_t kmin, uint64_t kmax) {
        m_marker->SetAttribute("Kmin", UintegerValue(kmin));
        m_marker->SetAttribute("Kmax", UintegerValue(kmax));
        m_marker->SetAttribute("ReferenceRate", DataRateValue(REFERENCE.ToDataRate()));
    };
    const bool isCurveGiven =
        isGiven("Kmin") || isGiven("Kmax") || isGiven("Pmax") || isGiven("ReferenceRate");
    if (marking == RdmaMarking::STEP && !isCurveGiven)
    {
        const uint64_t step = GetRdmaDctcpStep(m_fabric->m_topology, GetPathMtu(), REFERENCE);
        setCurve(step, step);
    }
    if (marking == RdmaMarking::RAMP && !isCurveGiven)
    {
        const auto [packet, ack] = GetLineBytes(0);
        const RdmaPs roundTrip = GetRdmaLongestPath(m_fabric->m_topology, packet, ack).roundTrip;
        const double bytes = static_cast<double>(REFERENCE) * static_cast<double>(roundTrip) / 8e12;
        setCurve(static_cast<uint64_t>(bytes / 5), static_cast<uint64_t>(bytes * 4 / 5));
        m_marker->SetAttribute("Pmax", DoubleValue(1));
        if (!isGiven("MarkAt"))
        {
            m_marker->SetAttribute("MarkAt", EnumValue(QbbEcnMarker::DEPARTURE));
        }
    }
}

void
RdmaFabricInstaller::FinishControl()
{
    const bool pint = m_control->GetUtilisationPeriod() > 0;
    uint32_t trailer = pint ? QbbWire::PINT_BYTES : 0;
    const auto findLongest = [this](uint32_t bytes) {
        const auto [packet, ack] = GetLineBytes(bytes);
        return GetRdmaLongestPath(m_fabric->m_topology, packet, ack);
    };
    if (m_control->GetIntFormat() != RdmaIntFormat::NONE)
    {
        const uint32_t switches = std::max(findLongest(0).links, 1U) - 1;
        const uint32_t paper = QbbWire::IntTrailerBytes(RdmaIntFormat::PAPER, switches);
        trailer = QbbWire::IntTrailerBytes(ChooseIntFormat(findLongest(paper).roundTrip), switches);
    }
    m_fabric->m_longestRtt = findLongest(trailer).roundTrip;
    if (pint)
    {
        SetPintBaseRtt();
    }
    const bool cnps =
        std::any_of(m_fabric->m_nics.begin(), m_fabric->m_nics.end(), [](const auto& nic) {
            return nic && nic->GetCnpIntervalPs() > 0_ps;
        });
    if (m_control->NeedsCnp() && !cnps)
    {
        RdmaWarnOnce(GetRdmaWarnings(),
                     "rdma: warning: " + m_control->GetInstanceTypeId().GetName() +
                         " needs CNPs, and RdmaNic::CnpInterval is 0, which turns them off\n");
    }
}

RdmaIntFormat
RdmaFabricInstaller::ChooseIntFormat(RdmaPs longestRtt)
{
    const auto& links = m_fabric->m_topology.GetLinks();
    const RdmaIntFormat asked = m_control->GetIntFormat();
    const std::string name = m_control->GetInstanceTypeId().GetName();
    constexpr RdmaBitRate KILOBIT = 1000_bps;
    std::string reason;
    for (const RdmaTopologyLink& link : links)
    {
        RefuseRdmaIf(link.rate < KILOBIT,
                     name,
                     ": telemetry of a link of ",
                     link.rate,
                     " bit/s; accepted: links of 1kbps and more");
        const bool hasCode = GetRdmaIntRateCode(link.rate) != 0;
        RefuseRdmaIf(asked == RdmaIntFormat::PAPER && !hasCode,
                     name,
                     GetRdmaNoCodeMessage(link.rate));
        if (!hasCode)
        {
            reason = "has no code for links of " + FormatRdmaRate(link.rate);
            break;
        }
        if (reason.empty() && !IsRdmaIntUnambiguous(RdmaIntFormat::PAPER, link.rate, longestRtt))
        {
            reason = "has counters that overflow in the longest round trip, " +
                     FormatRdmaTime(longestRtt / 1_us * 1_us);
        }
    }
    m_fabric->m_intFormat = reason.empty() ? RdmaIntFormat::PAPER : RdmaIntFormat::EXACT;
    if (!reason.empty() && asked != RdmaIntFormat::EXACT)
    {
        const std::string what = asked == RdmaIntFormat::AUTO ? "Exact, because Paper " + reason
                                                              : "Paper, which " + reason;
        RdmaWarnOnce(GetRdmaWarnings(),
                     "rdma: note: " + name + " sends telemetry in IntFormat " + what + "\n");
    }
    return asked == RdmaIntFormat::AUTO ? m_fabric->m_intFormat : asked;
}

void
RdmaFabricInstaller::SetPintBaseRtt()
{
    for (const auto& sw : m_fabric->m_switches)
    {
        TimeValue given;
        if (sw && (sw->GetAttribute("PintBaseRtt", given), given.Get().IsZero()))
        {
            sw->SetAttribute("PintBaseRtt", TimeValue(RdmaToTime(m_fabric->m_longestRtt)));
        }
    }
}

uint32_t
RdmaFabricInstaller::FindNetwork() const
{
    std::vector<uint32_t> taken;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto nic = (*node)->GetObject<RdmaNic>();
        for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
        {
            taken.push_back(nic->GetAddress(port).Get());
        }
    }
    std::sort(taken.begin(), taken.end());
    uint64_t ports = 0;
    for (const uint32_t nic : m_fabric->m_topology.GetNics())
    {
        ports += m_fabric->m_nodes.Get(nic)->GetNDevices();
    }
    constexpr uint64_t FIRST_MULTICAST = 0xe0000000;
    const uint64_t size = uint64_t{m_settings.mask.GetInverse()} + 1;
    for (uint64_t network = m_settings.network.Get();; network += size)
    {
        const auto next = std::upper_bound(taken.begin(), taken.end(), network);
        if (next == taken.end() || *next > network + ports)
        {
            return static_cast<uint32_t>(network);
        }
        RefuseRdmaIf(network + 2 * size > FIRST_MULTICAST,
                     "other fabrics have addresses of network ",
                     m_settings.network,
                     " with mask ",
                     m_settings.mask,
                     " and of all that follow; RdmaFabricHelper::SetAddressRange() sets "
                     "another network");
    }
}

void
RdmaFabricInstaller::InstallAddresses()
{
    const uint32_t network = FindNetwork();
    const uint32_t last = network | m_settings.mask.GetInverse();
    uint32_t next = network + 1;
    for (const uint32_t nic : m_fabric->m_topology.GetNics())
    {
        const Ptr<Node> node = m_fabric->m_nodes.Get(nic);
        const bool isBonded = m_fabric->m_topology.GetNode(nic).bonded;
        const uint32_t ports = node->GetNDevices();
        Ptr<Ipv4> stack;
        if (m_settings.internet)
        {
            InternetStackHelper internet;
            internet.Install(node);
            stack = node->GetObject<Ipv4>();
        }
        for (uint32_t i = 0; i < ports; ++i)
        {
            RefuseRdmaIf((!isBonded || i == 0) && next >= last,
                         "network ",
                         m_settings.network,
                         " with mask ",
                         m_settings.mask,
                         " has too few addresses for the hosts' ports");
            const Ipv4Address address(isBonded && i > 0 ? next - 1 : next++);
            auto device = DynamicCast<QbbNetDevice>(node->GetDevice(i));
            m_fabric->m_nics[nic]->AddPort(device, address);
            m_fabric->m_routing->AddHost(device, address);
            if (stack && (!isBonded || i == 0))
            {
                const uint32_t interface = stack->AddInterface(device);
                stack->AddAddress(interface, Ipv4InterfaceAddress(address, m_settings.mask));
                stack->SetMetric(interface, 1);
                stack->SetUp(interface);
            }
        }
    }
}

RdmaFabricHelper::RdmaFabricHelper()
    : m_delayRandom(std::make_shared<DelayRandom>())
{
    RdmaSimulatorImpl::Select();
    m_settings.device.SetTypeId(QbbNetDevice::GetTypeId());
    m_settings.channel.SetTypeId(QbbChannel::GetTypeId());
    m_settings.sw.SetTypeId(QbbSwitch::GetTypeId());
    m_settings.routing.SetTypeId(QbbRouting::GetTypeId());
    SetBufferManager(QbbSharedBuffer::GetTypeId().GetName());
    m_settings.ecn.SetTypeId(QbbEcnMarker::GetTypeId());
    SetTransport(RoceTransport::GetTypeId().GetName());
    m_settings.nic.SetTypeId(RdmaNic::GetTypeId());
}

void
RdmaFabricHelper::SetAddressRange(Ipv4Address network, Ipv4Mask mask)
{
    NS_ABORT_MSG_IF(network.CombineMask(mask) != network,
                    "rdma: network " << network << " has bits outside its mask " << mask);
    RdmaFabricSettings& settings = Change("SetAddressRange");
    settings.network = network;
    settings.mask = mask;
}

void
RdmaFabricHelper::SetDelayJitter(Time jitter)
{
    constexpr int64_t MAX_FS = MAX_DELAY_JITTER.Get() * RDMA_FS_PER_PS;
    const int64_t fs = jitter.GetFemtoSeconds();
    NS_ABORT_MSG_IF(fs < 0 || fs > MAX_FS || fs % RDMA_FS_PER_PS != 0,
                    "rdma: a delay jitter of " << jitter.As(Time::NS)
                                               << "; accepted: whole picoseconds, 0 to "
                                               << FormatRdmaTime(MAX_DELAY_JITTER));
    Change("SetDelayJitter");
    m_delayJitter = RdmaPs(fs / RDMA_FS_PER_PS);
}

void
RdmaFabricHelper::SetTcpDefaults()
{
    constexpr uint32_t BUFFER_BYTES = 4 << 20;
    SetRdmaDefault("ns3::TcpSocket", "SegmentSize", UintegerValue(1448));
    SetRdmaDefault("ns3::TcpSocket", "SndBufSize", UintegerValue(BUFFER_BYTES));
    SetRdmaDefault("ns3::TcpSocket", "RcvBufSize", UintegerValue(BUFFER_BYTES));
    SetRdmaDefault("ns3::TcpSocketBase", "MinRto", TimeValue(MilliSeconds(1)));
    SetRdmaDefault("ns3::ArpL3Protocol",
                   "RequestJitter",
                   StringValue("ns3::ConstantRandomVariable[Constant=0]"));
}

int64_t
RdmaFabricHelper::AssignStreams(int64_t stream)
{
    // ns-3 assigns the upper half of the streams by number, and the lower half automatically.
    constexpr uint64_t FIRST_ASSIGNED = 1ULL << 63;
    NS_ABORT_MSG_IF(stream < -1,
                    "rdma: RdmaFabricHelper::AssignStreams("
                        << stream << "); accepted: streams from 0 on, or -1 for automatic streams");
    m_delayRandom->stream = stream == -1 ? RngSeedManager::GetNextStreamIndex()
                                         : FIRST_ASSIGNED + static_cast<uint64_t>(stream);
    m_delayRandom->generator = nullptr;
    return 1;
}

RdmaTopology
RdmaFabricHelper::AddDelayJitter(const RdmaTopology& topology) const
{
    auto& [stream, generator] = *m_delayRandom;
    if (!generator)
    {
        generator = std::make_unique<RngStream>(RngSeedManager::GetSeed(),
                                                stream,
                                                RngSeedManager::GetRun());
    }
    std::vector<RdmaTopologyLink> links = topology.GetLinks();
    const double choices = static_cast<double>(m_delayJitter.Get()) + 1;
    for (RdmaTopologyLink& link : links)
    {
        link.delay += RdmaPs(static_cast<int64_t>(generator->RandU01() * choices));
    }
    return topology.WithLinks(links);
}

Ptr<RdmaFabric>
RdmaFabricHelper::Install(const RdmaTopology& plain) const
{
    RdmaSimulatorImpl::Select(); // the helper may outlive a simulation
    const RdmaTopology topology = m_delayJitter > 0_ps ? AddDelayJitter(plain) : plain;
    std::string wrong;
    try
    {
        topology.Validate();
    }
    catch (const std::invalid_argument& error)
    {
        wrong = error.what();
    }
    // Aborting inside the exception handler would print the message twice.
    NS_ABORT_MSG_IF(!wrong.empty(), "rdma: " << wrong);
    CheckRdmaMemory(topology);
    const Ptr<RdmaFabric> fabric = RdmaFabricInstaller(m_settings, topology).Install();
    if (topology.GetNLinks() > 0)
    {
        m_late.NoteInstall(*fabric->GetDevice(0, topology.GetLink(0).a));
    }
    return fabric;
}

} // namespace ns3
