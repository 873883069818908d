/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-helper.h"

#include "qbb-ascii-trace.h"
#include "qbb-frame-codec.h"
#include "qbb-net-device.h"
#include "rdma-part.h"
#include "rdma-refuse.h"
#include "rdma-simulator-impl.h"
#include "rdma-time.h"

#include <ns3/abort.h>
#include <ns3/boolean.h>
#include <ns3/log.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>

#include <cstdint>
#include <sstream>
#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("QbbHelper");

QbbHelper::QbbHelper()
{
    RdmaSimulatorImpl::Select();
    m_deviceFactory.SetTypeId(QbbNetDevice::GetTypeId());
    m_channelFactory.SetTypeId(QbbChannel::GetTypeId());
    m_pcapFactory.SetTypeId(PcapFileWrapper::GetTypeId());
    m_pcapFactory.Set("NanosecMode", BooleanValue(true));
}

void
QbbHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    NS_ABORT_MSG_IF(name == "Address",
                    "rdma: Address for all ports of a QbbHelper; every port gets one of its own, "
                    "which QbbNetDevice::SetAddress() changes");
    m_late.NoteSetterCall("SetDeviceAttribute(" + name + ")");
    m_deviceFactory.Set(name, *CheckRdmaAttribute(m_deviceFactory.GetTypeId(), name, value));
}

NetDeviceContainer
QbbHelper::Install(const NodeContainer& nodes) const
{
    NS_ABORT_MSG_IF(nodes.GetN() != 2,
                    "rdma: a cable between " << nodes.GetN() << " nodes; accepted: 2");
    return Install(nodes.Get(0), nodes.Get(1));
}

NetDeviceContainer
QbbHelper::Install(Ptr<Node> a, Ptr<Node> b) const
{
    RdmaSimulatorImpl::Select(); // the helper may outlive a simulation
    auto channel = QbbChannel::Make(m_channelFactory, *a, *b);
    NetDeviceContainer ports;
    for (const auto& node : {a, b})
    {
        auto port = m_deviceFactory.Create<QbbNetDevice>();
        port->SetAddress(Mac48Address::Allocate());
        node->AddDevice(port);
        port->Attach(channel);
        port->AddQueueInterface();
        ports.Add(port);
    }
    m_late.NoteInstall(*ports.Get(0));
    return ports;
}

void
QbbHelper::Capture(QbbNetDevice& port, Ptr<PcapFileWrapper> file, bool isPromiscuous)
{
    port.AddFrameWatcher(isPromiscuous,
                         [file, bytes = std::vector<uint8_t>()](const QbbFrame& frame) mutable {
                             bytes.resize(QbbFrameCodec::SerializedSize(frame));
                             QbbFrameCodec::Serialize(frame, bytes.data());
                             file->Write(TimeStep(RdmaEventNow().GetFs()),
                                         bytes.data(),
                                         static_cast<uint32_t>(bytes.size()));
                         });
}

void
QbbHelper::EnablePcapInternal(std::string prefix,
                              Ptr<NetDevice> nd,
                              bool promiscuous,
                              bool explicitFilename)
{
    auto port = DynamicCast<QbbNetDevice>(nd);
    if (!port)
    {
        NS_LOG_INFO("no capture of " << nd << ": not a QbbNetDevice");
        return;
    }
    PcapHelper names;
    const std::string name = explicitFilename ? prefix : names.GetFilenameFromDevice(prefix, nd);
    auto file = m_pcapFactory.Create<PcapFileWrapper>();
    file->Open(name, std::ios::out);
    file->Init(PCAP_LINK_TYPE);
    RefuseRdmaIf(file->Fail(), name, ": the capture file cannot be written");
    Capture(*port, file, promiscuous);
}

void
QbbHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                               std::string prefix,
                               Ptr<NetDevice> nd,
                               bool explicitFilename)
{
    auto port = DynamicCast<QbbNetDevice>(nd);
    if (!port)
    {
        NS_LOG_INFO("no ascii trace of " << nd << ": not a QbbNetDevice");
        return;
    }
    if (stream)
    {
        std::ostringstream context;
        context << "/NodeList/" << port->GetNode()->GetId() << "/DeviceList/" << port->GetIfIndex()
                << "/$ns3::QbbNetDevice/";
        QbbAsciiTrace::Connect(port, stream, context.str());
        return;
    }
    AsciiTraceHelper names;
    const std::string name = explicitFilename ? prefix : names.GetFilenameFromDevice(prefix, nd);
    QbbAsciiTrace::Connect(port, names.CreateFileStream(name), "");
}

} // namespace ns3
