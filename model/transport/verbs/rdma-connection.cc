/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-connection.h"

#include "qbb-port.h"
#include "qbb-wire.h"
#include "rdma-refuse.h"

#include <ns3/abort.h>

namespace ns3
{

void
RdmaConnection::CopyAttributes(const RdmaConnection& other)
{
    minRnrTimer = other.minRnrTimer;
    maxRdAtomic = other.maxRdAtomic;
    maxDestRdAtomic = other.maxDestRdAtomic;
    pathMtu = other.pathMtu;
    initialPsn = other.initialPsn;
}

void
RdmaConnection::CheckPathMtu(const QbbPort& port) const
{
    const uint32_t headers = QbbWire::IPV4_HEADER_BYTES + QbbWire::UDP_HEADER_BYTES +
                             QbbWire::BTH_BYTES + transport->GetPacketFormat().extensionBytes +
                             QbbWire::ICRC_BYTES;
    RefuseRdmaIf(pathMtu + headers > port.GetPacketMtu(),
                 "path MTU ",
                 pathMtu,
                 " of a queue pair does not fit port ",
                 port.GetDeviceIndex(),
                 " of node ",
                 port.GetNodeId(),
                 ", which has port MTU ",
                 port.GetPacketMtu(),
                 "; set QbbNetDevice::Mtu to ",
                 pathMtu + headers,
                 " or more (headers and ICRC take ",
                 headers,
                 " bytes)");
}

void
RdmaConnection::CheckPeer(const RdmaConnection& peer) const
{
    NS_ABORT_MSG_IF(pathMtu != peer.pathMtu ||
                        &transport->GetPacketFormat() != &peer.transport->GetPacketFormat(),
                    "rdma: two queue pairs to be connected have path MTUs "
                        << pathMtu << " and " << peer.pathMtu
                        << ", or transports that do not understand each other; accepted: the same");
}

} // namespace ns3
