/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_H
#define RDMA_FABRIC_H

#include "qbb-channel.h"
#include "qbb-net-device.h"
#include "qbb-routing.h"
#include "qbb-switch.h"
#include "rdma-connection-plan.h"
#include "rdma-fabric-timers.h"
#include "rdma-failure-plan.h"
#include "rdma-flow.h"
#include "rdma-host-connection.h"
#include "rdma-host.h"
#include "rdma-ideal-fct.h"
#include "rdma-nic.h"
#include "rdma-port-result.h"
#include "rdma-ps.h"
#include "rdma-topology.h"

#include <ns3/ipv4-address.h>
#include <ns3/node-container.h>
#include <ns3/object.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A fabric built by RdmaFabricHelper: nodes, devices, switches and NICs, addressed by the node and
 * link ids of the topology.
 */
class RdmaFabric : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /** \return the topology from which the fabric was built */
    const RdmaTopology& GetTopology() const
    {
        return m_topology;
    }

    /** \return all nodes, in ascending order of node id */
    NodeContainer GetNodes() const
    {
        return m_nodes;
    }

    /** \return the first NIC of each host, in ascending order of the hosts' ids */
    NodeContainer GetHosts() const;

    /** \param node node id \return the node */
    Ptr<Node> GetNode(uint32_t node) const;

    /**
     * \param host id of a host, or with \p nic 0 also the node id of a NIC
     * \param nic number of the NIC in the host, from 0
     * \return the NIC
     */
    Ptr<RdmaNic> GetNic(uint32_t host, uint32_t nic = 0) const;

    /**
     * \param host id of a host
     * \return the host; its object is made by the first call, so that hosts with one NIC need none
     */
    Ptr<RdmaHost> GetHost(uint32_t host);

    /**
     * Pairs the ports of two hosts for connections, as RdmaConnectionPlan says. A bond counts as
     * one port, its first.
     *
     * \param source id of a host
     * \param destination id of another host
     * \param plan the NICs and ports to use
     * \param nic the only NIC to use; RdmaFlow::ANY_NIC: those of the plan
     * \return a pair for each port of the source from which there is a path, by NIC and port
     * \throws std::invalid_argument if there is none
     */
    std::vector<RdmaLanePorts> FindPortPairs(uint32_t source,
                                             uint32_t destination,
                                             const RdmaConnectionPlan& plan,
                                             uint32_t nic = RdmaFlow::ANY_NIC) const;

    /** \param sw node id of a switch \return the switch */
    Ptr<QbbSwitch> GetSwitch(uint32_t sw) const;

    /**
     * \param host id of a host, or with \p nic 0 also the node id of a NIC
     * \param nic number of the NIC in the host, from 0
     * \param port number of the port at the NIC, from 0
     * \return IPv4 address of the port
     */
    Ipv4Address GetAddress(uint32_t host, uint32_t nic = 0, uint32_t port = 0) const;

    /** \param link link id \return the cable */
    Ptr<QbbChannel> GetChannel(uint32_t link) const;

    /**
     * \param link link id
     * \param node id of the node at one of its ends
     * \return the port of \p node at that link
     */
    Ptr<QbbNetDevice> GetDevice(uint32_t link, uint32_t node) const;

    /** \return the object that computes and installs the routes */
    Ptr<QbbRouting> GetRouting() const
    {
        return m_routing;
    }

    /** \return the retransmission timers of the queue pairs, which follow from the network */
    RdmaFabricTimers& GetTimers() const
    {
        return *m_timers;
    }

    /**
     * Creates a connected pair of queue pairs. Throws std::invalid_argument if a full packet
     * exceeds the MTU of a port on their paths.
     *
     * \param source node id of a host
     * \param destination node id of another host
     * \param priority traffic class of the data, 0..7; 8, the default: the class follows from the
     *        attribute Dscp of the queue pairs
     * \return the queue pairs at the source and at the destination
     */
    std::pair<Ptr<RdmaQueuePair>, Ptr<RdmaQueuePair>> Connect(uint32_t source,
                                                              uint32_t destination,
                                                              uint8_t priority = 8);

    /**
     * Creates a connection over all ports and queue pairs of a plan, before the run.
     *
     * \param source id of the host that sends messages
     * \param destination id of another host, which receives messages
     * \param plan how messages use the NICs, ports and queue pairs
     * \param user is told of messages; outlives the connection
     * \param id the user's number for the connection
     * \param priority traffic class, 0..7
     * \return the connection, which must exist until the run has ended, and be destroyed before
     *         the fabric
     * \throws std::invalid_argument if no path joins the hosts
     */
    std::unique_ptr<RdmaHostConnection> ConnectHosts(uint32_t source,
                                                     uint32_t destination,
                                                     const RdmaConnectionPlan& plan,
                                                     RdmaHostConnectionUser& user,
                                                     uint64_t id = 0,
                                                     uint8_t priority = 3);

    /**
     * Finds the current path of a queue pair's packets.
     *
     * \param qp a connected queue pair of this fabric
     * \return rates and delays of the links from its NIC to the NIC of its peer; empty without a
     *         path
     */
    std::vector<RdmaIdealHop> GetPath(Ptr<const RdmaQueuePair> qp) const;

    /**
     * Describes a queue pair's path for congestion control: the round trip of a full packet and
     * its acknowledgement in an empty fabric, the longest such round trip of the fabric, the number
     * of links, and the telemetry format that fits the fabric.
     *
     * \param qp a queue pair of this fabric whose peer is set
     * \param [in,out] profile packetBytes and ackBytes are inputs; baseRtt, networkRtt, hops
     *        and intFormat are outputs
     */
    void DescribePath(const RdmaQueuePair& qp, RdmaPathProfile& profile) const;

    /**
     * \param control a congestion control of this fabric
     * \return format of its telemetry, where AUTO has become PAPER or EXACT; NONE: no records
     */
    RdmaIntFormat GetIntFormat(const RdmaCongestionControl& control) const;

    /**
     * Finds the current path of a flow's packets. The function copies no Ptr, so that several
     * threads may call it at a time.
     *
     * \param port the sending host's port
     * \param destination address of the receiver
     * \param flowHash QbbFlowHash() of the flow
     * \return rates and delays of the links from the port to the receiver; empty without a path
     */
    std::vector<RdmaIdealHop> GetPath(const Ptr<QbbNetDevice>& port,
                                      Ipv4Address destination,
                                      uint32_t flowHash) const;

    /**
     * Takes a link down or up. Routes change after QbbRouting::ConvergenceDelay. The change affects
     * two nodes, so the caller should be an event without a node. Events that a script schedules
     * before the run have no node.
     *
     * \param link link id
     * \param up true: the link comes up; false: the link goes down
     */
    void SetLinkUp(uint32_t link, bool up);

    /**
     * Changes the rate of a direction of a link; see QbbPort for what follows the rate. The change
     * affects two nodes, as for SetLinkUp().
     *
     * \param link link id
     * \param from id of the node at the sending end
     * \param rate rate above 0, at most that of the topology
     * \throws std::invalid_argument for another rate
     */
    void SetLinkRate(uint32_t link, uint32_t from, RdmaBitRate rate);

    /**
     * Changes the probability with which a direction of a link loses frames. The receiving port
     * needs a RateErrorModel, as InstallFailures() gives it one. As for SetLinkUp(), the caller
     * should be an event without a node.
     *
     * \param link link id
     * \param from id of the node at the sending end
     * \param loss probability, 0 to 1
     * \throws std::invalid_argument for another probability or without the error model
     */
    void SetLinkLoss(uint32_t link, uint32_t from, double loss);

    /**
     * Schedules failures of links and nodes. Call the function once, before AssignStreams() and
     * before the run. Retransmission timers count with frames that the failures lose.
     *
     * \param plan the failures
     * \throws std::invalid_argument for failures that the topology cannot have
     */
    void InstallFailures(const RdmaFailurePlan& plan);

    /** \return the failures of InstallFailures() */
    const RdmaFailurePlan& GetFailures() const
    {
        return m_failures;
    }

    /** \return counters summed over all ports, and the length of the longest queue */
    RdmaFabricTotals GetTotals() const;

    /** \return one row for each port and class, for ports.csv */
    std::vector<RdmaPortResult> GetPortResults() const;

    /**
     * \return sums of the counters of the existing queue pairs of all hosts. A run frees the queue
     *         pairs of finished flows, unless RdmaFabricOptions::keepQueuePairs is set.
     */
    RdmaQueuePairStats GetQueuePairStats() const;

    /** \return true if every switch buffer is empty and no port is paused by a switch */
    bool AreBuffersEmpty() const;

    /**
     * Assigns a separate random stream to every random variable of switches, links and NICs.
     *
     * \param stream the first stream
     * \return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    friend class RdmaFabricInstaller;

    /** The cable and the two ports of a link. */
    struct Link
    {
        Ptr<QbbChannel> channel; //!< the cable
        Ptr<QbbNetDevice> a;     //!< port at end a of the topology's link
        Ptr<QbbNetDevice> b;     //!< port at end b of the topology's link
    };

    /** Refuses an entropy that needs port echoes if a NIC does not echo source ports. */
    void CheckEntropies() const;
    /** \return node id of a NIC. See GetNic() for the parameters, which are checked. */
    uint32_t FindNic(uint32_t host, uint32_t nic) const;
    const Link& GetLink(uint32_t link) const;
    Ptr<QbbNetDevice> GetReceiver(uint32_t link, uint32_t from) const;
    void Apply(const RdmaLinkChange& change);

    RdmaTopology m_topology;                   //!< topology from which the fabric was built
    NodeContainer m_nodes;                     //!< nodes by node id
    std::vector<Ptr<RdmaNic>> m_nics;          //!< NICs by node id; null for switches
    std::vector<Ptr<QbbSwitch>> m_switches;    //!< switches by node id; null for hosts
    std::map<uint32_t, Ptr<RdmaHost>> m_hosts; //!< hosts of GetHost(), by id
    std::vector<Link> m_links;                 //!< links by link id
    RdmaPs m_longestRtt{0}; //!< longest round trip over shortest paths in an empty fabric
    RdmaIntFormat m_intFormat{RdmaIntFormat::NONE}; //!< telemetry format that fits the fabric
    Ptr<QbbRouting> m_routing;                      //!< the routing of all switches
    std::unique_ptr<RdmaFabricTimers> m_timers;     //!< retransmission timers of the queue pairs
    RdmaFailurePlan m_failures;                     //!< failures of InstallFailures()
};

} // namespace ns3

#endif /* RDMA_FABRIC_H */
