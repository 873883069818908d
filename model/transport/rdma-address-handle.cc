/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-address-handle.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"

namespace ns3
{

uint16_t
RdmaAddressHandle::GetSourcePort() const
{
    if (sourcePort > 0)
    {
        return sourcePort;
    }
    constexpr uint32_t DYNAMIC = 0xc000; // the dynamic ports
    uint64_t entropy = QbbFlowHash(localQpn, remoteQpn, 0, 0, 0);
    if (symmetricPort)
    {
        // rdma-core: a flow label of 20 bits from the product of both QPNs, and its 14 low bits
        // with the 6 high ones.
        entropy = uint64_t{localQpn} * remoteQpn;
        entropy ^= entropy >> 20;
        entropy ^= entropy >> 40;
        entropy ^= (entropy & 0xfc000) >> 14;
    }
    return static_cast<uint16_t>(DYNAMIC | (entropy & 0x3fff));
}

QbbFrameFields
RdmaAddressHandle::MakeFields(QbbNetDevice& port) const
{
    QbbFrameFields fields;
    fields.type = QbbFrameType::ROCE;
    fields.etherType = QbbWire::ETHERTYPE_IPV4;
    fields.srcMac = port.GetMac();
    fields.dstMac = port.GetPeer()->GetMac();
    fields.ipv4 = true;
    fields.dscp = dscp;
    fields.ecn = ecnCapable ? 2 : 0;
    fields.ttl = ttl;
    fields.protocol = QbbWire::IP_PROTOCOL_UDP;
    fields.srcIp = localAddress.Get();
    fields.dstIp = remoteAddress.Get();
    fields.srcPort = GetSourcePort();
    fields.dstPort = QbbWire::ROCE_UDP_PORT;
    fields.destQp = remoteQpn;
    fields.flowHash =
        QbbFlowHash(fields.srcIp, fields.dstIp, fields.protocol, fields.srcPort, fields.dstPort);
    fields.priority = port.GetClassifier().ClassifyDscp(dscp);
    if (const auto tag = port.GetTag(fields.priority))
    {
        fields.tagged = true;
        fields.tci = *tag;
    }
    fields.priority = port.GetClassifier().Classify(fields);
    return fields;
}

} // namespace ns3
