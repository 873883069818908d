/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_STACK_H
#define RDMA_TEST_STACK_H

#include "qbb-helper.h"
#include "qbb-net-device.h"

#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-interface-container.h>
#include <ns3/node-container.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/udp-socket-factory.h>

#include <cstdint>

/**
 * \file
 * \ingroup rdma-tests
 * ns-3's stack over one link, to test with.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Two hosts with ns-3's stack and a cable of 1 us at 100 Gb/s.
 */
struct RdmaTestStack
{
    RdmaTestStack()
    {
        helper.SetChannelAttribute("Delay", StringValue("1us"));
        nodes.Create(2);
        ports = helper.Install(nodes);
        a = DynamicCast<QbbNetDevice>(ports.Get(0));
        b = DynamicCast<QbbNetDevice>(ports.Get(1));
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper addresses("10.1.1.0", "255.255.255.0");
        interfaces = addresses.Assign(ports);
    }

    ~RdmaTestStack()
    {
        Simulator::Destroy();
    }

    RdmaTestStack(const RdmaTestStack&) = delete;
    RdmaTestStack& operator=(const RdmaTestStack&) = delete;

    /** \param node 0 or 1 \return a UDP socket there */
    Ptr<Socket> MakeUdpSocket(uint32_t node) const
    {
        return Socket::CreateSocket(nodes.Get(node), UdpSocketFactory::GetTypeId());
    }

    /** \param port a port \param reason a reason \return frames dropped for it */
    static uint64_t CountDrops(Ptr<QbbNetDevice> port, QbbDropReason reason)
    {
        return port->GetCounters().dropsByReason[static_cast<std::size_t>(reason)];
    }

    QbbHelper helper;                  //!< makes the link
    NodeContainer nodes;               //!< the hosts
    NetDeviceContainer ports;          //!< their ports
    Ptr<QbbNetDevice> a;               //!< port of the first
    Ptr<QbbNetDevice> b;               //!< port of the second
    Ipv4InterfaceContainer interfaces; //!< 10.1.1.1 and 10.1.1.2
};

} // namespace ns3

#endif /* RDMA_TEST_STACK_H */
