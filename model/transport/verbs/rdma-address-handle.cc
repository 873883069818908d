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
    constexpr uint32_t DYNAMIC = 0xc000; // lowest dynamic port
    uint64_t entropy = QbbFlowHash(localQpn, remoteQpn, 0, 0, 0);
    if (symmetricPort)
    {
        // rdma-core folds the product of both QPNs into a flow label of 20 bits. The port takes the
        // label's 14 low bits, XORed with its 6 high bits.
        entropy = uint64_t{localQpn} * remoteQpn;
        entropy ^= entropy >> 20;
        entropy ^= entropy >> 40;
        entropy ^= (entropy & 0xfc000) >> 14;
    }
    return static_cast<uint16_t>(DYNAMIC | (entropy & 0x3fff));
}

QbbFrameHeaders
RdmaAddressHandle::MakeHeaders(QbbPort& port) const
{
    QbbFrameHeaders headers;
    headers.type = QbbFrameType::ROCE;
    headers.etherType = QbbWire::ETHERTYPE_IPV4;
    headers.srcMac = port.GetMac();
    headers.dstMac = port.GetPeer()->GetMac();
    headers.ipv4 = true;
    headers.dscp = dscp;
    headers.ecn = ecnCapable ? 2 : 0;
    headers.ttl = ttl;
    headers.protocol = QbbWire::IP_PROTOCOL_UDP;
    headers.srcIp = localAddress.Get();
    headers.dstIp = remoteAddress.Get();
    headers.srcPort = GetSourcePort();
    headers.dstPort = QbbWire::ROCE_UDP_PORT;
    headers.destQp = remoteQpn;
    headers.flowHash = QbbFlowHash(headers.srcIp,
                                   headers.dstIp,
                                   headers.protocol,
                                   headers.srcPort,
                                   headers.dstPort);
    headers.priority = port.GetClassifier().ClassifyDscp(dscp);
    if (const auto tag = port.GetTag(headers.priority))
    {
        headers.tagged = true;
        headers.tci = *tag;
    }
    headers.priority = port.GetClassifier().Classify(headers);
    return headers;
}

} // namespace ns3
