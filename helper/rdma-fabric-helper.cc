/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-helper.h"

#include "irn-transport.h"
#include "qbb-shared-buffer.h"
#include "qbb-wire.h"
#include "rdma-bdp.h"
#include "rdma-simulator-impl.h"
#include "rdma-units.h"
#include "roce-transport.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4.h>
#include <ns3/pointer.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <iostream>

namespace ns3
{

namespace
{

/** \param node node id \param port port number \return a locally administered MAC address */
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

RdmaFabricHelper::RdmaFabricHelper()
    : m_delayRandom(CreateObject<UniformRandomVariable>()),
      m_network("10.0.0.0"),
      m_mask("255.0.0.0")
{
    QbbSetTimeResolution();
    RdmaSimulatorImpl::Select();
    m_deviceFactory.SetTypeId(QbbNetDevice::GetTypeId());
    m_channelFactory.SetTypeId(QbbChannel::GetTypeId());
    m_switchFactory.SetTypeId(QbbSwitch::GetTypeId());
    m_routingFactory.SetTypeId(QbbRouting::GetTypeId());
    SetBufferManager(QbbSharedBuffer::GetTypeId().GetName());
    m_ecnFactory.SetTypeId(QbbEcnMarker::GetTypeId());
    SetTransport(RoceTransport::GetTypeId().GetName());
    m_nicFactory.SetTypeId(RdmaNic::GetTypeId());
}

void
RdmaFabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_deviceFactory.Set(name, value);
}

void
RdmaFabricHelper::SetPfcDeployment(RdmaPfcDeployment deployment)
{
    m_vlan = deployment == RdmaPfcDeployment::VLAN;
}

void
RdmaFabricHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channelFactory.Set(name, value);
}

void
RdmaFabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
RdmaFabricHelper::SetRoutingAttribute(const std::string& name, const AttributeValue& value)
{
    m_routingFactory.Set(name, value);
}

void
RdmaFabricHelper::SetPathSelector(const std::string& selector)
{
    m_selector = RdmaPart::ParseOptional(selector, QbbPathSelector::GetTypeId(), "ecmp");
}

void
RdmaFabricHelper::SetPathSelectorAttribute(const std::string& name, const AttributeValue& value)
{
    m_selector.Set(name, value);
}

void
RdmaFabricHelper::SetMarker(const std::string& marker)
{
    m_marker = RdmaPart::ParseOptional(marker, QbbMarker::GetTypeId());
}

void
RdmaFabricHelper::SetMarkerAttribute(const std::string& name, const AttributeValue& value)
{
    m_marker.Set(name, value);
}

void
RdmaFabricHelper::SetCongestionDetector(const std::string& detector)
{
    m_detector = RdmaPart::ParseOptional(detector, QbbCongestionDetector::GetTypeId());
}

void
RdmaFabricHelper::SetCongestionDetectorAttribute(const std::string& name,
                                                 const AttributeValue& value)
{
    m_detector.Set(name, value);
}

void
RdmaFabricHelper::SetBufferManager(const std::string& buffer)
{
    m_buffer = RdmaPart::Parse(buffer, QbbBufferManager::GetTypeId());
}

void
RdmaFabricHelper::SetBufferAttribute(const std::string& name, const AttributeValue& value)
{
    m_buffer.Set(name, value);
}

void
RdmaFabricHelper::SetEcnAttribute(const std::string& name, const AttributeValue& value)
{
    m_ecn = true;
    m_ecnFactory.Set(name, value);
}

void
RdmaFabricHelper::EnableEcn(bool enable)
{
    m_ecn = enable;
}

void
RdmaFabricHelper::SetTransport(const std::string& transport)
{
    m_transport = RdmaPart::Parse(transport, RdmaTransport::GetTypeId());
}

void
RdmaFabricHelper::SetTransportAttribute(const std::string& name, const AttributeValue& value)
{
    m_transport.Set(name, value);
}

void
RdmaFabricHelper::SetCongestionControl(const std::string& control)
{
    m_control = RdmaPart::ParseOptional(control, RdmaCongestionControl::GetTypeId());
}

void
RdmaFabricHelper::SetCongestionControlAttribute(const std::string& name,
                                                const AttributeValue& value)
{
    m_control.Set(name, value);
}

void
RdmaFabricHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
RdmaFabricHelper::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

void
RdmaFabricHelper::SetAddressRange(Ipv4Address network, Ipv4Mask mask)
{
    NS_ABORT_MSG_IF(network.CombineMask(mask) != network,
                    "rdma: network " << network << " has bits outside its mask " << mask);
    m_network = network;
    m_mask = mask;
}

void
RdmaFabricHelper::SetInternetStack(bool install)
{
    m_internet = install;
}

void
RdmaFabricHelper::SetDelayJitter(Time jitter)
{
    constexpr int64_t MAX_FS = MAX_DELAY_JITTER.Get() * QBB_FS_PER_PS;
    const int64_t fs = jitter.GetFemtoSeconds();
    NS_ABORT_MSG_IF(fs < 0 || fs > MAX_FS || fs % QBB_FS_PER_PS != 0,
                    "rdma: a delay jitter of " << jitter.As(Time::NS)
                                               << "; accepted: whole picoseconds, 0 to "
                                               << FormatRdmaTime(MAX_DELAY_JITTER));
    m_delayJitter = QbbPs(fs / QBB_FS_PER_PS);
}

int64_t
RdmaFabricHelper::AssignStreams(int64_t stream)
{
    m_delayRandom->SetStream(stream);
    return 1;
}

RdmaTopology
RdmaFabricHelper::AddDelayJitter(const RdmaTopology& topology) const
{
    RdmaTopology longer;
    for (const RdmaTopologyNode& node : topology.GetNodes())
    {
        node.role == RdmaNodeRole::HOST ? longer.AddHost(node.name) : longer.AddSwitch(node.name);
    }
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        const QbbPs addition(
            m_delayRandom->GetInteger(0, static_cast<uint32_t>(m_delayJitter.Get())));
        longer.AddLink(link.a, link.b, link.rate, link.delay + addition, link.errorRate);
    }
    return longer;
}

Ptr<RdmaFabric>
RdmaFabricHelper::Install(const RdmaTopology& plain) const
{
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
    auto fabric = CreateObject<RdmaFabric>();
    fabric->m_topology = topology;
    fabric->m_nodes.Create(topology.GetNNodes());
    fabric->m_nics.resize(topology.GetNNodes());
    fabric->m_switches.resize(topology.GetNNodes());
    fabric->m_links.resize(topology.GetNLinks());
    fabric->m_routing = m_routingFactory.Create<QbbRouting>();
    for (uint32_t link = 0; link < topology.GetNLinks(); ++link)
    {
        InstallLink(*fabric, link);
    }
    const auto transport = MakeTransport(topology);
    const auto control = m_control.Create<RdmaCongestionControl>();
    const auto marker = m_ecn ? m_ecnFactory.Create<QbbEcnMarker>() : nullptr;
    for (uint32_t node = 0; node < topology.GetNNodes(); ++node)
    {
        if (topology.IsHost(node))
        {
            InstallHost(*fabric, node, transport, control);
        }
        else
        {
            InstallSwitch(*fabric, node, marker);
        }
    }
    if (control)
    {
        FinishControl(*fabric, *transport, *control);
    }
    InstallAddresses(*fabric);
    fabric->m_routing->ComputeRoutes();
    return fabric;
}

Ptr<RdmaTransport>
RdmaFabricHelper::MakeTransport(const RdmaTopology& topology) const
{
    auto transport = m_transport.Create<RdmaTransport>();
    if (transport->NeedsNetworkBdp())
    {
        const auto [packet, ack] = GetLineBytes(*transport, 0);
        transport->SetNetworkBdp(GetRdmaBdpPackets(topology, packet, ack));
    }
    return transport;
}

std::pair<uint32_t, uint32_t>
RdmaFabricHelper::GetLineBytes(const RdmaTransport& transport, uint32_t trailer) const
{
    UintegerValue mtu;
    ObjectFactory queuePair("ns3::RdmaQueuePair");
    for (const auto& [name, value] : m_queuePairAttributes)
    {
        queuePair.Set(name, *value);
    }
    queuePair.Create<RdmaQueuePair>()->GetAttribute("PathMtu", mtu);
    const RdmaPacketFormat& format = transport.GetPacketFormat();
    const auto bytes = [trailer](RdmaOpcode opcode, uint32_t payload) {
        constexpr uint32_t OVERHEAD = QbbWire::PREAMBLE_BYTES + QbbWire::GAP_BYTES;
        const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
        return QbbWire::RoceFrameBytes(info, payload, false, trailer) + OVERHEAD;
    };
    return {bytes(format.write, mtu.Get()), bytes(format.acknowledge, 0)};
}

void
RdmaFabricHelper::FinishControl(RdmaFabric& fabric,
                                const RdmaTransport& transport,
                                const RdmaCongestionControl& control) const
{
    const bool pint = control.GetUtilisationPeriod() > 0;
    uint32_t trailer = pint ? QbbWire::PINT_BYTES : 0;
    if (const RdmaIntFormat format = control.GetIntFormat(); format != RdmaIntFormat::NONE)
    {
        const uint32_t links = std::max(GetRdmaLongestLinks(fabric.m_topology), 1U);
        trailer = QbbWire::IntTrailerBytes(format, links - 1);
    }
    const auto [packet, ack] = GetLineBytes(transport, trailer);
    fabric.m_longestRtt = GetRdmaLongestRtt(fabric.m_topology, packet, ack);
    if (pint)
    {
        SetPintBaseRtt(fabric);
    }
    const bool cnps = std::any_of(fabric.m_nics.begin(), fabric.m_nics.end(), [](const auto& nic) {
        return nic && nic->GetCnpIntervalPs() > 0_ps;
    });
    if (control.NeedsCnp() && !cnps)
    {
        std::cerr << "rdma: warning: " << control.GetInstanceTypeId().GetName()
                  << " needs CNPs, and RdmaNic::CnpInterval is 0, which turns them off\n";
    }
}

void
RdmaFabricHelper::SetPintBaseRtt(const RdmaFabric& fabric)
{
    for (const auto& sw : fabric.m_switches)
    {
        TimeValue given;
        if (sw && (sw->GetAttribute("PintBaseRtt", given), given.Get().IsZero()))
        {
            sw->SetAttribute("PintBaseRtt", TimeValue(QbbToTime(fabric.m_longestRtt)));
        }
    }
}

void
RdmaFabricHelper::InstallLink(RdmaFabric& fabric, uint32_t link) const
{
    const RdmaTopologyLink& description = fabric.m_topology.GetLink(link);
    auto channel = m_channelFactory.Create<QbbChannel>();
    channel->SetDelay(QbbToTime(description.delay));
    auto attach = [&](uint32_t node) {
        const Ptr<Node> owner = fabric.m_nodes.Get(node);
        auto device = m_deviceFactory.Create<QbbNetDevice>();
        device->SetDataRate(description.rate.ToDataRate());
        device->SetAddress(MakeMac(node, owner->GetNDevices()));
        if (m_vlan)
        {
            const bool host = fabric.m_topology.IsHost(node);
            const uint32_t other = node == description.a ? description.b : description.a;
            device->SetTrust(QbbClassifier::TRUST_PCP);
            device->SetAttribute("TagFrames", BooleanValue(host));
            device->SetAttribute("RoutedPort",
                                 BooleanValue(!host && !fabric.m_topology.IsHost(other)));
        }
        owner->AddDevice(device);
        device->Attach(channel);
        if (description.errorRate > 0)
        {
            auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(description.errorRate);
            device->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
        return device;
    };
    auto& parts = fabric.m_links[link];
    parts.channel = channel;
    parts.a = attach(description.a);
    parts.b = attach(description.b);
}

void
RdmaFabricHelper::InstallHost(RdmaFabric& fabric,
                              uint32_t host,
                              Ptr<RdmaTransport> transport,
                              Ptr<RdmaCongestionControl> control) const
{
    auto nic = m_nicFactory.Create<RdmaNic>();
    nic->SetTransport(transport);
    if (control)
    {
        nic->SetCongestionControl(control);
        // Disposal of the node also disposes the NIC, which breaks this reference cycle.
        nic->SetPathOracle([owner = Ptr<const RdmaFabric>(&fabric)](const RdmaQueuePair& qp,
                                                                    RdmaPathProfile& profile) {
            owner->DescribePath(qp, profile);
        });
    }
    for (const auto& [name, value] : m_queuePairAttributes)
    {
        nic->SetQueuePairAttribute(name, *value);
    }
    fabric.m_nodes.Get(host)->AggregateObject(nic);
    fabric.m_nics[host] = nic;
}

void
RdmaFabricHelper::InstallSwitch(RdmaFabric& fabric, uint32_t sw, Ptr<QbbEcnMarker> marker) const
{
    auto object = m_switchFactory.Create<QbbSwitch>();
    const Ptr<Node> node = fabric.m_nodes.Get(sw);
    node->AggregateObject(object);
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        object->AddPort(DynamicCast<QbbNetDevice>(node->GetDevice(i)));
    }
    object->SetBufferManager(m_buffer.Create<QbbBufferManager>());
    if (const auto selector = m_selector.Create<QbbPathSelector>())
    {
        object->SetAttribute("PathSelector", PointerValue(selector));
    }
    if (const auto own = m_marker.Create<QbbMarker>())
    {
        object->SetAttribute("Marker", PointerValue(own));
    }
    if (const auto detector = m_detector.Create<QbbCongestionDetector>())
    {
        object->SetAttribute("CongestionDetector", PointerValue(detector));
    }
    if (marker)
    {
        object->SetAttribute("EcnMarker", PointerValue(marker));
    }
    fabric.m_switches[sw] = object;
    fabric.m_routing->AddSwitch(object);
}

void
RdmaFabricHelper::InstallAddresses(RdmaFabric& fabric) const
{
    const uint32_t last = m_network.Get() | m_mask.GetInverse();
    uint32_t next = m_network.Get() + 1;
    for (const uint32_t host : fabric.m_topology.GetHosts())
    {
        const Ptr<Node> node = fabric.m_nodes.Get(host);
        const uint32_t ports = node->GetNDevices();
        Ptr<Ipv4> stack;
        if (m_internet)
        {
            InternetStackHelper internet;
            internet.Install(node);
            stack = node->GetObject<Ipv4>();
        }
        for (uint32_t i = 0; i < ports; ++i)
        {
            NS_ABORT_MSG_IF(next >= last,
                            "rdma: network " << m_network << " with mask " << m_mask
                                             << " has too few addresses for the hosts' ports");
            const Ipv4Address address(next++);
            auto device = DynamicCast<QbbNetDevice>(node->GetDevice(i));
            fabric.m_nics[host]->AddPort(device, address);
            fabric.m_routing->AddHost(device, address);
            if (stack)
            {
                const uint32_t interface = stack->AddInterface(device);
                stack->AddAddress(interface, Ipv4InterfaceAddress(address, m_mask));
                stack->SetMetric(interface, 1);
                stack->SetUp(interface);
            }
        }
    }
}

} // namespace ns3
