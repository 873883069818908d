/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-channel.h"

#include "qbb-net-device.h"
#include "rdma-refuse.h"
#include "rdma-shared-run.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbChannel);

TypeId
QbbChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbChannel")
            .SetParent<Channel>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbChannel>()
            .AddAttribute("Delay",
                          "One-way propagation delay; a whole number of picoseconds, above 0.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&QbbChannel::SetDelay, &QbbChannel::GetLookAhead),
                          MakeTimeChecker())
            .AddAttribute(
                "SerializeFrames",
                "Serialise every frame to bytes, and parse the bytes at the other end.",
                BooleanValue(false),
                MakeBooleanAccessor(&QbbChannel::SetSerialized, &QbbChannel::IsSerialized),
                MakeBooleanChecker());
    return tid;
}

Ptr<QbbChannel>
QbbChannel::Make(const ObjectFactory& factory, const Node& a, const Node& b)
{
    if (!IsRdmaRunShared() || a.GetSystemId() == b.GetSystemId())
    {
        return factory.Create<QbbChannel>();
    }
    ObjectFactory remote = factory;
    remote.SetTypeId("ns3::QbbRemoteChannel"); // exists wherever there are ranks
    return remote.Create<QbbChannel>();
}

QbbChannel::QbbChannel()
{
    for (auto& line : m_lines)
    {
        line = Ptr<QbbLine>(new QbbLine, false);
    }
}

QbbChannel::~QbbChannel()
{
    for (auto& line : m_lines)
    {
        line->SetReceiver(nullptr);
    }
}

void
QbbChannel::DoDispose()
{
    for (auto& line : m_lines)
    {
        line->Clear();
        line->SetReceiver(nullptr);
    }
    m_ports = {};
    m_exitOf = {};
    Channel::DoDispose();
}

void
QbbChannel::SetSerialized(bool serialized)
{
    for (auto& line : m_lines)
    {
        line->SetSerialized(serialized);
    }
}

void
QbbChannel::SetDelay(Time delay)
{
    RdmaSetTimeResolution();
    for (const QbbPort* port : m_ports)
    {
        NS_ABORT_MSG_IF(port && port->HasHeadroom() && GetDelay() != delay,
                        "rdma: QbbChannel::Delay at port "
                            << port->GetDeviceIndex() << " of node " << port->GetNodeId()
                            << " is set while it is running, and the switch has computed its "
                               "headroom; accepted: before the simulation starts");
    }
    NS_ABORT_MSG_IF(m_lines[0]->IsBusy() || m_lines[1]->IsBusy(),
                    "rdma: the delay of a cable is changed while frames are on it");
    const int64_t fs = delay.GetFemtoSeconds();
    RefuseRdmaIf(fs < RDMA_FS_PER_PS || fs % RDMA_FS_PER_PS != 0,
                 "a channel delay of ",
                 delay.As(Time::NS),
                 "; accepted: whole picoseconds, at least 1 ps");
    for (auto& line : m_lines)
    {
        line->SetDelay(RdmaPs(fs / RDMA_FS_PER_PS));
    }
    for (QbbLineExit* exit : m_exitOf)
    {
        if (exit)
        {
            exit->SetDelay(GetDelayPs());
        }
    }
}

void
QbbChannel::SetExit(std::size_t end, QbbLineExit* exit)
{
    m_exitOf.at(end) = exit;
    if (exit)
    {
        exit->SetDelay(GetDelayPs());
    }
    if (QbbPort* port = m_ports[end])
    {
        port->SetLine(*m_lines[end], exit);
    }
}

Time
QbbChannel::GetDelay() const
{
    return PicoSeconds(GetDelayPs().Get());
}

void
QbbChannel::Attach(QbbPort* port)
{
    NS_ABORT_MSG_IF(m_ports[1], "rdma: a third device is attached to a cable with two ends");
    const std::size_t end = m_ports[0] ? 1 : 0;
    m_ports[end] = port;
    m_lines[1 - end]->SetReceiver(port);
    SetExit(end, m_exitOf[end]);
}

std::size_t
QbbChannel::GetNDevices() const
{
    return (m_ports[0] ? 1 : 0) + (m_ports[1] ? 1 : 0);
}

Ptr<NetDevice>
QbbChannel::GetDevice(std::size_t i) const
{
    QbbPort* port = m_ports.at(i);
    return port ? port->GetDevice() : nullptr;
}

QbbPort*
QbbChannel::GetPeer(const QbbPort* port) const
{
    return m_ports[port == m_ports[0] ? 1 : 0];
}

void
QbbChannel::SetUp(bool up)
{
    if (up == m_up)
    {
        return;
    }
    m_up = up;
    if (!up)
    {
        m_lastDown = RdmaEventNow();
        for (auto& line : m_lines)
        {
            line->LoseAll();
        }
    }
    for (auto* device : m_ports)
    {
        if (device)
        {
            device->HandleLinkChange();
        }
    }
}

void
QbbChannel::SetRateFrom(QbbPort& port, RdmaBitRate rate)
{
    RefuseRdmaIf(rate == 0_bps || rate > port.GetLineRate().GetBitRate(),
                 "a rate of ",
                 rate.ToDataRate(),
                 " for port ",
                 port.GetDeviceIndex(),
                 " of node ",
                 port.GetNodeId(),
                 "; accepted: 1bps to ",
                 port.GetLineRate().GetBitRate().ToDataRate(),
                 ", the rate of the link");
    if (rate == port.GetCurrentRate().GetBitRate())
    {
        return;
    }
    port.ChangeRate(rate);
    for (QbbPort* end : m_ports)
    {
        if (end)
        {
            end->ChangeQuantum(GetQuantumRate());
        }
    }
}

const RdmaLineRate&
QbbChannel::GetQuantumRate() const
{
    const RdmaLineRate& first = m_ports[0]->GetCurrentRate();
    return m_ports[1] && m_ports[1]->GetCurrentRate().GetBitRate() < first.GetBitRate()
               ? m_ports[1]->GetCurrentRate()
               : first;
}

} // namespace ns3
