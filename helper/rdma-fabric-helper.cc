/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-helper.h"

#include "qbb-shared-buffer.h"
#include "rdma-attribute-text.h"
#include "rdma-simulator-impl.h"
#include "rdma-units.h"
#include "roce-transport.h"

#include <ns3/abort.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <stdexcept>

namespace ns3
{

RdmaFabricHelper::RdmaFabricHelper()
    : m_delayRandom(CreateObject<UniformRandomVariable>())
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
    constexpr int64_t MAX_FS = MAX_DELAY_JITTER.Get() * QBB_FS_PER_PS;
    const int64_t fs = jitter.GetFemtoSeconds();
    NS_ABORT_MSG_IF(fs < 0 || fs > MAX_FS || fs % QBB_FS_PER_PS != 0,
                    "rdma: a delay jitter of " << jitter.As(Time::NS)
                                               << "; accepted: whole picoseconds, 0 to "
                                               << FormatRdmaTime(MAX_DELAY_JITTER));
    Change("SetDelayJitter");
    m_delayJitter = QbbPs(fs / QBB_FS_PER_PS);
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
        m_late.Used(*fabric->GetDevice(0, topology.GetLink(0).a));
    }
    return fabric;
}

} // namespace ns3
