/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_SHIM_H
#define RDMA_TCP_SHIM_H

#include <ns3/inet-socket-address.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/node.h>
#include <ns3/socket.h>
#include <ns3/tcp-l4-protocol.h>

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace ns3
{

/**
 * \ingroup rdma
 * \param address IPv4 address of a host
 * \param port TCP port of a socket on the host
 * \return address and port in one number
 */
inline uint64_t
MakeRdmaTcpKey(Ipv4Address address, uint16_t port)
{
    return uint64_t{address.Get()} << 16 | port;
}

/**
 * \ingroup rdma
 * Layer between TCP and IP on hosts whose flows are carried by TCP.
 *
 * Connections open in zero simulated time: the three packets of a handshake pass from the TCP of
 * one host to the TCP of the other host at one instant, without crossing the fabric. A connection
 * therefore exists when its first data is sent, as with an RDMA application. TCP still performs the
 * handshake itself, including option negotiation.
 *
 * All other packets go on to IP, except resets: ns-3's TCP would answer a late acknowledgement of a
 * closed connection with a reset. Packets of sockets that have a class by SetClass() get the DSCP
 * of that class. (A TCP socket of ns-3 with a type of service does not use ECN, so the DSCP is set
 * here.)
 */
class RdmaTcpShim
{
  public:
    /** \param port TCP port on which hosts accept connections */
    explicit RdmaTcpShim(uint16_t port);
    RdmaTcpShim(const RdmaTcpShim&) = delete;
    RdmaTcpShim& operator=(const RdmaTcpShim&) = delete;

    /**
     * Makes all further packets of the host's TCP pass through this object, which must live as long
     * as the simulation.
     *
     * \param node a host with an Internet stack
     * \param address IPv4 address of the host
     * \param dscps DSCP of each class
     */
    void AddHost(Ptr<Node> node, Ipv4Address address, const std::array<uint8_t, 8>& dscps);

    /** \param socket a TCP socket \param priority class of its packets, 0..7 */
    static void SetClass(Socket& socket, uint8_t priority);

    /**
     * \param client the side of a connection that calls Connect()
     * \param opening true before Connect(), false when the connection is open
     */
    void SetOpening(const InetSocketAddress& client, bool opening);

  private:
    /** Protocol stack of a host. */
    struct Host
    {
        Ptr<Node> node;                         //!< node of the host
        Ptr<TcpL4Protocol> tcp;                 //!< TCP of the host
        Ptr<Ipv4L3Protocol> ip;                 //!< IPv4 of the host
        IpL4Protocol::DownTargetCallback below; //!< original down target of TCP
        std::array<uint8_t, 8> dscps{};         //!< DSCP of each class
    };

    void SendDown(const Host& host,
                  Ptr<Packet> packet,
                  Ipv4Address source,
                  Ipv4Address destination,
                  uint8_t protocol,
                  Ptr<Ipv4Route> route);
    bool IsHandshake(const Packet& packet, Ipv4Address source, Ipv4Address destination) const;
    bool IsReset(const Packet& packet) const;
    void Deliver(Ptr<Packet> packet, Ipv4Address source, Ipv4Address destination);

    uint16_t m_port;                            //!< TCP port on which hosts accept connections
    std::unordered_map<uint32_t, Host> m_hosts; //!< hosts by IPv4 address
    std::unordered_set<uint64_t> m_clients; //!< keys of the clients whose connections are opening
};

} // namespace ns3

#endif /* RDMA_TCP_SHIM_H */
