/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_FLOW_RUNNER_H
#define RDMA_TCP_FLOW_RUNNER_H

#include "rdma-flow-runner-base.h"
#include "rdma-ps.h"

#include <ns3/inet-socket-address.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/socket.h>
#include <ns3/type-id.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class RdmaTcpHost;
class RdmaTcpShim;
class RdmaTcpSocket;

/**
 * \ingroup rdma
 * Runs flows over ns-3's own TCP stack, a model of iWARP NICs that run RDMA over TCP.
 *
 * Each flow has a separate TCP connection. Applications open connections before they post requests,
 * so the runner opens a connection at the start of its flow without packets in the fabric and
 * without delay. The MAC addresses of neighbours are also known in advance. Connections end without
 * packets: both sides drop the connection when all bytes are acknowledged.
 *
 * A connection starts in slow start, with a window of InitialCwnd segments. Segments have no
 * timestamp option, because ns-3's timestamps are in milliseconds. All other settings of TCP are
 * ns-3's defaults, which Config::SetDefault() can change.
 *
 * The connections of a host share its port round robin, one segment at a time, as queue pairs do.
 *
 * Packets of a flow and their acknowledgements carry a DSCP that the port maps to the traffic class
 * of the flow.
 * The hosts of the fabric need the Internet stack (RdmaFabricHelper::SetInternetStack()). A second
 * runner for a fabric needs a different value of the attribute Port.
 */
class RdmaTcpFlowRunner : public RdmaFlowRunnerBase
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaTcpFlowRunner();
    ~RdmaTcpFlowRunner() override;

    /**
     * Creates a runner and calls Install().
     *
     * \param fabric the fabric that carries the flows
     * \param flows the flows, in any order
     * \return the new runner
     */
    static Ptr<RdmaTcpFlowRunner> Make(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows);

  protected:
    void DoDispose() override;

  private:
    /** The connection of a flow. */
    struct Connection
    {
        uint16_t port{0};            //!< TCP port of the sender
        uint64_t written{0};         //!< bytes written to the sending socket
        uint64_t read{0};            //!< bytes read from the receiving socket
        Ptr<RdmaTcpSocket> sender;   //!< sending socket, from the start to the end of the flow
        Ptr<RdmaTcpSocket> receiver; //!< receiving socket, from the start to the end of the flow
    };

    void DoInstall() override;
    void DoAdd(uint64_t first) override;
    RdmaPs DoPrepare(uint64_t index) override;
    void DoStart(uint64_t index) override;
    std::optional<RdmaFlowRetries> DoGetRetries(uint64_t index) const override;
    std::string DoDescribe(uint64_t index, bool arrived) const override;

    /** Throws std::invalid_argument if attributes contradict each other or name no TCP type. */
    void CheckAttributes() const;

    /**
     * Creates a socket with the attributes' values, and with the round-trip time estimator and the
     * loss recovery that the attributes of TcpL4Protocol select. Before the first round-trip time
     * measurement, its timeout is MinRto.
     *
     * \param node a node with an Internet stack
     * \return the socket, not bound
     */
    Ptr<RdmaTcpSocket> MakeSocket(Ptr<Node> node) const;

    RdmaTcpHost& PrepareHost(uint32_t host);
    InetSocketAddress GetLocal(uint64_t index) const;
    RdmaPs ComputeIdeal(uint64_t index) const;
    void OnConnect(uint64_t index);
    void OnAccept(Ptr<Socket> socket, const Address& from);
    void OnSpace(uint64_t index, uint32_t space);
    void OnData(uint64_t index);
    void End(uint64_t index, RdmaWcStatus status);
    void Forget(uint64_t index);

    Time m_minRto;              //!< attribute MinRto; not 0 when sockets are made
    uint32_t m_segmentSize{0};  //!< attribute SegmentSize
    uint32_t m_bufferSize{0};   //!< attribute BufferSize
    TypeId m_congestionControl; //!< attribute CongestionControl
    uint32_t m_initialCwnd{0};  //!< attribute InitialCwnd
    uint32_t m_dataRetries{0};  //!< attribute DataRetries
    uint32_t m_delAckCount{0};  //!< attribute DelAckCount
    Time m_delAckTimeout;       //!< attribute DelAckTimeout
    bool m_useEcn{false};       //!< attribute UseEcn

    uint16_t m_port{0};                   //!< attribute Port
    std::deque<Connection> m_connections; //!< connections by position; references stay valid
    std::unordered_map<uint32_t, std::unique_ptr<RdmaTcpHost>> m_hosts; //!< hosts by node id
    /// Positions of opening flows by sender address and port
    std::unordered_map<uint64_t, uint64_t> m_opening;
    std::unique_ptr<RdmaTcpShim> m_shim; //!< opens connections without packets
};

} // namespace ns3

#endif /* RDMA_TCP_FLOW_RUNNER_H */
