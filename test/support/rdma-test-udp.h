/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_UDP_H
#define RDMA_TEST_UDP_H

#include "rdma-fabric.h"

#include <ns3/inet-socket-address.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>
#include <ns3/socket.h>
#include <ns3/udp-socket-factory.h>

#include <cstdint>
#include <functional>

/**
 * \file
 * \ingroup rdma-tests
 * Datagrams of ns-3's stack from one node to another.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A UDP socket that sends, and one that counts.
 */
class RdmaTestUdp
{
  public:
    /**
     * \param from who sends
     * \param to who receives
     * \param address of the receiver
     * \param port UDP port of the receiver
     */
    RdmaTestUdp(Ptr<Node> from, Ptr<Node> to, Ipv4Address address, uint16_t port = 9000)
        : m_sender(Socket::CreateSocket(from, UdpSocketFactory::GetTypeId())),
          m_receiver(Socket::CreateSocket(to, UdpSocketFactory::GetTypeId())),
          m_address(address, port)
    {
        m_receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        m_receiver->SetRecvCallback(MakeCallback(&RdmaTestUdp::Receive, this));
    }

    /**
     * \param fabric with an internet stack
     * \param from node id of the host that sends
     * \param to node id of the host that receives
     */
    RdmaTestUdp(const RdmaFabric& fabric, uint32_t from, uint32_t to)
        : RdmaTestUdp(fabric.GetNode(from), fabric.GetNode(to), fabric.GetAddress(to))
    {
    }

    /**
     * \param start when the first one is sent
     * \param interval from one to the next
     * \param count how many
     * \param prepare does something to each packet before it is sent
     * \param bytes of payload
     */
    void SendEvery(Time start,
                   Time interval,
                   uint32_t count,
                   std::function<void(Packet&)> prepare = nullptr,
                   uint32_t bytes = 1000)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            Simulator::Schedule(start + i * interval, [this, prepare, bytes]() {
                Ptr<Packet> packet = Create<Packet>(bytes);
                if (prepare)
                {
                    prepare(*packet);
                }
                m_sender->SendTo(packet, 0, m_address);
            });
        }
    }

    /** \param callback gets each packet that comes */
    void SetReceiveCallback(std::function<void(const Packet&)> callback)
    {
        m_callback = callback;
    }

    /** \return packets received */
    uint32_t GetReceived() const
    {
        return m_received;
    }

  private:
    void Receive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            ++m_received;
            if (m_callback)
            {
                m_callback(*packet);
            }
        }
    }

    Ptr<Socket> m_sender;                          //!< sends
    Ptr<Socket> m_receiver;                        //!< receives
    InetSocketAddress m_address;                   //!< of the receiver
    std::function<void(const Packet&)> m_callback; //!< SetReceiveCallback()
    uint32_t m_received{0};                        //!< packets
};

} // namespace ns3

#endif /* RDMA_TEST_UDP_H */
