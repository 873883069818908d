/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_HOST_H
#define RDMA_TCP_HOST_H

#include "qbb-net-device.h"
#include "rdma-send-scheduler.h"
#include "rdma-tcp-socket.h"
#include "rdma-time.h"
#include "rdma-timer.h"

#include <ns3/ipv4-address.h>
#include <ns3/node.h>

#include <array>
#include <cstdint>
#include <deque>
#include <set>

namespace ns3
{

/**
 * \ingroup rdma
 * A host whose flows are carried by TCP. The MAC addresses of its peers are known in advance.
 *
 * The host makes the TCP connections of its port take turns, one segment each, like the queue pairs
 * of an RdmaNic: TCP sends a segment only when no frame of the segment's class waits in the port.
 * Otherwise TCP would put whole windows into the port's queue, and a short flow would wait for the
 * whole window of a long flow of the same host. Acknowledgements and fast retransmissions do not
 * wait for a turn.
 *
 * The object takes the place of the port's frame sink and forwards all events to the previous sink.
 */
class RdmaTcpHost : public QbbFrameSink
{
  public:
    /// Highest TCP port.
    static constexpr uint32_t MAX_PORT = 65535;
    /// Bytes in the header of a segment.
    static constexpr uint32_t TCP_HEADER_BYTES = 20;

    /**
     * Throws std::invalid_argument if the host cannot carry flows over TCP. The object must live as
     * long as the port is used.
     *
     * \param id number of the host, for messages
     * \param node node of the host
     * \param device port of the host
     * \param address IPv4 address of the port
     * \param segmentSize payload of a full segment in bytes
     */
    RdmaTcpHost(uint32_t id,
                Ptr<Node> node,
                Ptr<QbbNetDevice> device,
                Ipv4Address address,
                uint32_t segmentSize);

    /** \param peer IPv4 address of a host that exchanges segments with this host */
    void AddPeer(Ipv4Address peer);

    /** \param socket a new socket \param port its TCP port \return false if the port is taken */
    bool Bind(RdmaTcpSocket& socket, uint16_t port) const;

    /**
     * Accepts connections.
     *
     * \param socket a new socket
     * \param port TCP port of the socket
     * \param accepted receives the socket and the client's address of each connection
     * \return false if the port is taken
     */
    bool Listen(Ptr<RdmaTcpSocket> socket,
                uint16_t port,
                Callback<void, Ptr<Socket>, const Address&> accepted);

    /** \param listening a TCP port \return the next port above \p listening, in turn */
    uint16_t NextPort(uint16_t listening);

    /** \param priority a class \return true if a DSCP is mapped to the class */
    bool HasDscp(uint32_t priority) const
    {
        return m_dscps[priority] != NO_DSCP;
    }

    /** \return DSCP of each class */
    const std::array<uint8_t, 8>& GetDscps() const
    {
        return m_dscps;
    }

    /**
     * \param socket a socket that is ready to send a segment
     * \return true if it may send; otherwise RdmaTcpSocket::Resume() is called when its turn comes
     */
    bool MaySend(RdmaTcpSocket& socket);

    void ReceiveFrame(QbbPort& port, QbbFramePtr&& frame) override;
    void FrameDeparts(QbbPort& port, QbbFrame& frame, RdmaPs start) override;
    void FrameGone(QbbPort& port, const QbbFrame& frame) override;
    void LinkChanged(QbbPort& port) override;

    /** \return id of the node on which the timer's events run */
    uint32_t GetNodeId() const;

  private:
    static constexpr uint8_t NO_DSCP = 64; //!< value in m_dscps for a class without a DSCP

    void Resolve(Ipv4Address peer) const;
    bool HasRoom(uint8_t priority) const;
    void RoomMade(uint8_t priority);
    void OnKick();

    Ptr<Node> m_node;               //!< node of the host
    Ptr<QbbNetDevice> m_device;     //!< port of the host
    Ipv4Address m_address;          //!< IPv4 address of the port
    Ptr<RdmaTcpSocket> m_listener;  //!< socket that accepts connections
    std::array<uint8_t, 8> m_dscps; //!< DSCP by class
    std::set<Ipv4Address> m_peers;  //!< addresses of the peers
    uint32_t m_nPorts{0};           //!< number of calls of NextPort()

    QbbFrameSink& m_sink; //!< previous sink of the port, which all events are forwarded to
    /// Sockets that wait for their turn, by class
    std::array<std::deque<Ptr<RdmaTcpSocket>>, 8> m_waiting;
    const RdmaTcpSocket* m_turn{nullptr}; //!< socket whose turn it is
    RdmaTimer<RdmaTcpHost, &RdmaTcpHost::OnKick, RdmaSendScheduler::EVENT_ORDER>
        m_kick; //!< gives waiting sockets their turn
};

} // namespace ns3

#endif /* RDMA_TCP_HOST_H */
