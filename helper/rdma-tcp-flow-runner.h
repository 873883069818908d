/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_FLOW_RUNNER_H
#define RDMA_TCP_FLOW_RUNNER_H

#include "qbb-ps.h"
#include "rdma-flow-runner-base.h"

#include <ns3/ipv4-address.h>
#include <ns3/nstime.h>
#include <ns3/socket.h>
#include <ns3/type-id.h>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ns3
{

class RdmaTcpShim;
class RdmaTcpPort;
class RdmaTcpSocket;

/**
 * \ingroup rdma
 * Runs flows over TCP of ns-3's own stack, as iWARP NICs run RDMA over TCP.
 *
 * Each flow is a TCP connection of its own. An application has its connections open when it posts a
 * request, so they are opened at the flow's start without any packet in the fabric and without
 * taking time; neighbours' MAC addresses are known beforehand as well. Nor do connections end with
 * packets: both sides forget them when the sender knows that all bytes have arrived.
 *
 * A connection starts in slow start, with a window of InitialCwnd segments. Segments have no
 * timestamp option, because ns-3's timestamps are in milliseconds. All other settings of TCP are
 * ns-3's defaults, which Config::SetDefault() changes.
 *
 * The connections of a host take turns at its port, one segment each, as queue pairs do.
 *
 * Packets of a flow and their acknowledgements have a DSCP that the port maps to the flow's class.
 * The hosts of the fabric need the Internet stack (RdmaFabricHelper::SetInternetStack()). A second
 * runner for a fabric needs another Port.
 */
class RdmaTcpFlowRunner : public RdmaFlowRunnerBase
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaTcpFlowRunner();
    ~RdmaTcpFlowRunner() override;

    /**
     * A new runner, with Install() done.
     *
     * \param fabric the fabric
     * \param flows the flows, in any order
     * \return the runner
     */
    static Ptr<RdmaTcpFlowRunner> Make(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows);

  protected:
    void DoDispose() override;

  private:
    /** What a host has for all its connections. */
    struct Host
    {
        std::unique_ptr<RdmaTcpPort> port;  //!< where connections take turns
        Ptr<RdmaTcpSocket> listener;        //!< accepts connections
        std::array<uint8_t, 8> dscps{};     //!< a DSCP for each class; 64 if there is none
        std::unordered_set<uint32_t> peers; //!< addresses to which it sends
        uint32_t flows{0};                  //!< flows that it sends
    };

    /** The connection of a flow. */
    struct Connection
    {
        uint16_t port{0};            //!< the sender's
        uint8_t dscp{0};             //!< of its packets
        uint64_t written{0};         //!< bytes given to the sender's socket
        uint64_t read{0};            //!< bytes that the receiver's socket gave
        uint64_t retransmitted{0};   //!< segments sent again, once the flow has ended
        uint64_t timeouts{0};        //!< expiries of the timer, once the flow has ended
        Ptr<RdmaTcpSocket> sender;   //!< from the flow's start to its end
        Ptr<RdmaTcpSocket> receiver; //!< likewise
    };

    void DoInstall() override;
    QbbPs DoPrepare(uint64_t index) override;
    void DoStart(uint64_t index) override;
    void DoAddResult(uint64_t index, RdmaFlowResult& result) const override;
    std::string DoDescribe(uint64_t index, bool arrived) const override;

    Host& PrepareHost(uint32_t host);
    void AddPeer(uint32_t host, uint32_t peer);
    void Resolve(uint32_t host, Ipv4Address destination);
    Ptr<RdmaTcpSocket> MakeSocket(uint32_t host) const;
    QbbPs ComputeIdeal(uint64_t index) const;
    void OnConnect(uint64_t index);
    void OnAccept(Ptr<Socket> socket, const Address& from);
    void OnSpace(uint64_t index, uint32_t space);
    void OnData(uint64_t index);
    void End(uint64_t index, RdmaWcStatus status);
    void Forget(uint64_t index);

    TypeId m_congestionControl;                       //!< attribute CongestionControl
    uint32_t m_initialCwnd{0};                        //!< attribute InitialCwnd
    uint32_t m_segmentSize{0};                        //!< attribute SegmentSize
    uint32_t m_bufferSize{0};                         //!< attribute BufferSize
    Time m_minRto;                                    //!< attribute MinRto
    uint32_t m_dataRetries{0};                        //!< attribute DataRetries
    uint32_t m_delAckCount{0};                        //!< attribute DelAckCount
    Time m_delAckTimeout;                             //!< attribute DelAckTimeout
    bool m_useEcn{false};                             //!< attribute UseEcn
    uint16_t m_port{0};                               //!< attribute Port
    std::vector<Connection> m_connections;            //!< by the flow's place
    std::unordered_map<uint32_t, Host> m_hosts;       //!< by node id
    std::unordered_map<uint64_t, uint64_t> m_opening; //!< the flow's place by address and port
    std::unique_ptr<RdmaTcpShim> m_shim;              //!< opens connections
};

} // namespace ns3

#endif /* RDMA_TCP_FLOW_RUNNER_H */
