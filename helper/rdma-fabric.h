/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FABRIC_H
#define RDMA_FABRIC_H

#include "qbb-channel.h"
#include "qbb-net-device.h"
#include "qbb-ps.h"
#include "qbb-routing.h"
#include "qbb-switch.h"
#include "rdma-flow-report.h"
#include "rdma-ideal-fct.h"
#include "rdma-nic.h"
#include "rdma-topology.h"

#include <ns3/ipv4-address.h>
#include <ns3/node-container.h>
#include <ns3/object.h>

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Sums over all ports of a fabric, and its longest queue.
 */
struct RdmaFabricTotals
{
    uint64_t packetHops{0};     //!< frames sent, counted at each link
    uint64_t drops{0};          //!< frames thrown away, for whatever reason
    uint64_t pauseFrames{0};    //!< pause frames sent
    uint64_t ecnMarks{0};       //!< frames marked CE
    uint64_t peakQueueBytes{0}; //!< the longest that any class's queue at a switch port has been
};

/**
 * \ingroup rdma
 * A fabric that RdmaFabricHelper has built: the nodes, devices, switches and NICs of a topology,
 * by the topology's node and link ids.
 */
class RdmaFabric : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    /** \return what the fabric was built from */
    const RdmaTopology& GetTopology() const;

    /** \return all nodes, by node id */
    NodeContainer GetNodes() const;

    /** \return the hosts, ascending by node id */
    NodeContainer GetHosts() const;

    /** \param node node id \return the node */
    Ptr<Node> GetNode(uint32_t node) const;

    /** \param host node id of a host \return its NIC */
    Ptr<RdmaNic> GetNic(uint32_t host) const;

    /** \param sw node id of a switch \return the switch */
    Ptr<QbbSwitch> GetSwitch(uint32_t sw) const;

    /** \param host node id of a host \return IPv4 address of its first port */
    Ipv4Address GetAddress(uint32_t host) const;

    /** \param link link id \return the cable */
    Ptr<QbbChannel> GetChannel(uint32_t link) const;

    /**
     * \param link link id
     * \param node id of the node at one of its ends
     * \return that node's port at the link
     */
    Ptr<QbbNetDevice> GetDevice(uint32_t link, uint32_t node) const;

    /** \return the routes' keeper */
    Ptr<QbbRouting> GetRouting() const;

    /**
     * Makes a connected pair of queue pairs.
     *
     * \param source node id of a host
     * \param destination node id of another host
     * \param priority class of the data, 0..7; 8, the default: as the attribute Dscp of the queue
     *        pairs has it
     * \return the queue pairs at the source and at the destination
     */
    std::pair<Ptr<RdmaQueuePair>, Ptr<RdmaQueuePair>> Connect(uint32_t source,
                                                              uint32_t destination,
                                                              uint8_t priority = 8);

    /**
     * The links that a queue pair's packets take, at present.
     *
     * \param qp a connected queue pair of this fabric
     * \return rates and delays from its NIC to its peer's; empty if there is no path
     */
    std::vector<RdmaIdealHop> GetPath(Ptr<const RdmaQueuePair> qp) const;

    /**
     * What congestion control is told of a queue pair's path: the round trip of a full packet and
     * its acknowledgement in an empty fabric, the longest one of the fabric, and the number of
     * links.
     *
     * \param qp a queue pair of this fabric that knows its peer
     * \param [in,out] profile packetBytes and ackBytes are given; baseRtt, networkRtt and hops
     *        are set
     */
    void DescribePath(const RdmaQueuePair& qp, RdmaPathProfile& profile) const;

    /**
     * The links that a flow's packets take, at present.
     *
     * \param port the sending host's port
     * \param destination address of the receiver
     * \param flowHash QbbFlowHash() of the flow
     * \return rates and delays from the port to the receiver; empty if there is no path
     */
    std::vector<RdmaIdealHop> GetPath(Ptr<QbbNetDevice> port,
                                      Ipv4Address destination,
                                      uint32_t flowHash) const;

    /**
     * Takes a link down or up; routes follow after QbbRouting::ConvergenceDelay.
     *
     * \param link link id
     * \param up true for up
     */
    void SetLinkUp(uint32_t link, bool up);

    /** \return sums over all ports, and the longest queue */
    RdmaFabricTotals GetTotals() const;

    /** \return one row for each port and class, for ports.csv */
    std::vector<RdmaPortResult> GetPortResults() const;

    /** \return true if every switch buffer is empty, with no pause outstanding */
    bool AreBuffersEmpty() const;

    /**
     * Gives every random variable of switches and links a stream of its own.
     *
     * \param stream the first stream
     * \return streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    friend class RdmaFabricHelper;

    /** A link's parts. */
    struct Link
    {
        Ptr<QbbChannel> channel; //!< the cable
        Ptr<QbbNetDevice> a;     //!< the port at the topology's end a
        Ptr<QbbNetDevice> b;     //!< the port at the topology's end b
    };

    RdmaTopology m_topology;                //!< what it was built from
    NodeContainer m_nodes;                  //!< by node id
    std::vector<Ptr<RdmaNic>> m_nics;       //!< by node id; null for switches
    std::vector<Ptr<QbbSwitch>> m_switches; //!< by node id; null for hosts
    std::vector<Link> m_links;              //!< by link id
    QbbPs m_longestRtt{0};                  //!< longest round trip of shortest paths, when empty
    Ptr<QbbRouting> m_routing;              //!< routes
};

} // namespace ns3

#endif /* RDMA_FABRIC_H */
