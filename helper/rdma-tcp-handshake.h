/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_HANDSHAKE_H
#define RDMA_TCP_HANDSHAKE_H

#include <ns3/inet-socket-address.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/node.h>
#include <ns3/tcp-l4-protocol.h>

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace ns3
{

/**
 * \ingroup rdma
 * Opens TCP connections in no time: the three packets of a handshake pass from the one host's TCP
 * to the other's at one instant, and not over the fabric. All other packets take their usual way.
 *
 * So a connection is there at the instant at which its first data is sent, as those of an RDMA
 * application are, and TCP itself has set it up, options included.
 */
class RdmaTcpHandshake
{
  public:
    RdmaTcpHandshake() = default;
    RdmaTcpHandshake(const RdmaTcpHandshake&) = delete;
    RdmaTcpHandshake& operator=(const RdmaTcpHandshake&) = delete;

    /**
     * From now on the packets of the host's TCP pass through this object, which has to live as long
     * as the simulation.
     *
     * \param node a host with an Internet stack
     * \param address its address
     */
    void AddHost(Ptr<Node> node, Ipv4Address address);

    /** \param client the side that is about to call Connect() */
    void Begin(const InetSocketAddress& client);

    /** \param client that side, once it is connected */
    void End(const InetSocketAddress& client);

  private:
    /** The stack of a host. */
    struct Host
    {
        Ptr<Node> node;                         //!< the host
        Ptr<TcpL4Protocol> tcp;                 //!< its TCP
        Ptr<Ipv4L3Protocol> ip;                 //!< its IP
        IpL4Protocol::DownTargetCallback below; //!< what TCP gave its packets to
    };

    bool IsHandshake(const Packet& packet, Ipv4Address source, Ipv4Address destination) const;
    void Deliver(Ptr<Packet> packet, Ipv4Address source, Ipv4Address destination);

    std::unordered_map<uint32_t, Host> m_hosts; //!< by address
    std::unordered_set<uint64_t> m_clients;     //!< sides that are about to be connected
};

} // namespace ns3

#endif /* RDMA_TCP_HANDSHAKE_H */
