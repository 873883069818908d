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
 * \param address of a host
 * \param port of a socket of that host
 * \return address and port in one number
 */
inline uint64_t
MakeRdmaTcpKey(Ipv4Address address, uint16_t port)
{
    return uint64_t{address.Get()} << 16 | port;
}

/**
 * \ingroup rdma
 * What lies between TCP and IP of the hosts whose flows TCP carries.
 *
 * Connections open in no time: the three packets of a handshake pass from the one host's TCP to the
 * other's at one instant, and not over the fabric. So a connection is there at the instant at which
 * its first data is sent, as those of an RDMA application are, and TCP itself has set it up,
 * options included.
 *
 * All other packets go on to IP, but for resets: where a connection has ended, ns-3's TCP would
 * answer an acknowledgement that comes late with one. Packets of sockets that have a class by
 * SetClass() get a DSCP that stands for it. (With a type of service of its own, a TCP socket of
 * ns-3 does not use ECN.)
 */
class RdmaTcpShim
{
  public:
    /** \param port on which hosts accept connections */
    explicit RdmaTcpShim(uint16_t port);
    RdmaTcpShim(const RdmaTcpShim&) = delete;
    RdmaTcpShim& operator=(const RdmaTcpShim&) = delete;

    /**
     * From now on the packets of the host's TCP pass through this object, which has to live as long
     * as the simulation.
     *
     * \param node a host with an Internet stack
     * \param address its address
     * \param dscps a DSCP for each class
     */
    void AddHost(Ptr<Node> node, Ipv4Address address, const std::array<uint8_t, 8>& dscps);

    /** \param socket a TCP socket \param priority class of its packets, 0..7 */
    static void SetClass(Socket& socket, uint8_t priority);

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
        std::array<uint8_t, 8> dscps{};         //!< a DSCP for each class
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

    uint16_t m_port;                            //!< on which hosts accept connections
    std::unordered_map<uint32_t, Host> m_hosts; //!< by address
    std::unordered_set<uint64_t> m_clients;     //!< sides that are about to be connected
};

} // namespace ns3

#endif /* RDMA_TCP_SHIM_H */
