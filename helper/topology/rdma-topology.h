/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_TOPOLOGY_H
#define RDMA_TOPOLOGY_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \brief Role of a node of a topology.
 */
enum class RdmaNodeRole
{
    HOST,   //!< a NIC of a host: sends and receives, forwards nothing
    SWITCH, //!< forwards frames between its links
};

/**
 * \ingroup rdma
 * \brief A node of an RdmaTopology. The id of a node is its index.
 */
struct RdmaTopologyNode
{
    static constexpr uint32_t NO_HOST = UINT32_MAX; //!< host of a switch

    RdmaNodeRole role{RdmaNodeRole::HOST}; //!< NIC of a host, or switch
    std::string name;                      //!< unique in the topology
    uint32_t host{NO_HOST};                //!< id of the host of a NIC
    bool bonded{false};                    //!< the ports of a NIC are a bond: all have one address

    /// \param other a node \return true if both nodes are equal
    bool operator==(const RdmaTopologyNode& other) const
    {
        return role == other.role && name == other.name && host == other.host &&
               bonded == other.bonded;
    }
};

/**
 * \ingroup rdma
 * \brief A full-duplex link of an RdmaTopology, with equal properties in both directions.
 */
struct RdmaTopologyLink
{
    uint32_t a{0};         //!< id of the node at one end
    uint32_t b{0};         //!< id of the node at the other end
    RdmaBitRate rate{0};   //!< rate, 1 bit/s to RDMA_MAX_RATE
    RdmaPs delay{0};       //!< propagation delay, 1 ps to RDMA_MAX_DELAY
    double errorRate{0.0}; //!< probability that a frame is lost, in [0, 1)

    /// \param other a link \return true if both links are equal
    bool operator==(const RdmaTopologyLink& other) const
    {
        return a == other.a && b == other.b && rate == other.rate && delay == other.delay &&
               errorRate == other.errorRate;
    }
};

/**
 * \ingroup rdma
 * \brief Description of a fabric: hosts, switches and the links between them.
 *
 * Scripts, an RdmaTopologyBuilder or a file (rdma-topology-reader.h) define the topology;
 * RdmaFabricHelper makes ns-3 nodes of it. Node ids number hosts and switches together, from 0, in
 * the order in which the nodes were added. Link ids number the links likewise. Several links may
 * join the same two nodes. The ports of a node are its links in the order of the link ids.
 *
 * A host is a set of NICs, and each NIC is a node. Most hosts have one NIC. The id of a host is the
 * id of its first NIC. A NIC may have several links, which are its ports: each port has an address
 * of its own, unless the NIC is bonded.
 *
 * Functions that add nodes or links check nothing; Validate() checks everything.
 */
class RdmaTopology
{
  public:
    static constexpr uint32_t MAX_NODES = 1 << 20; //!< most nodes that Validate() accepts
    static constexpr uint32_t MAX_LINKS = 1 << 24; //!< most links that Validate() accepts
    static constexpr uint32_t MAX_PORTS = 65535;   //!< most links of a node that Validate() accepts

    /**
     * Adds a host with its first NIC.
     *
     * \param name name of the host and of its first NIC; empty: "host-ID"
     * \return id of the host
     */
    uint32_t AddHost(const std::string& name = "");

    /**
     * Adds a further NIC to a host.
     *
     * \param host id of the host
     * \param name name of the NIC; empty: "NAME-nic-K" for NIC K, from 1, of the host NAME
     * \return node id of the NIC
     * \throws std::invalid_argument if there is no such host
     */
    uint32_t AddNic(uint32_t host, const std::string& name = "");

    /**
     * Makes the ports of a NIC a bond: all have one address, and packets of a flow keep to one
     * port.
     *
     * \param nic node id of the NIC
     * \throws std::invalid_argument if there is no such NIC
     */
    void SetBonded(uint32_t nic);

    /// Adds a switch. \param name name of the switch; empty: "switch-ID" \return id of the switch
    uint32_t AddSwitch(const std::string& name = "");

    /**
     * Adds a link.
     *
     * \param a id of the node at one end
     * \param b id of the node at the other end
     * \param rate rate
     * \param delay propagation delay
     * \param errorRate probability that a frame is lost
     * \return id of the link
     */
    uint32_t AddLink(uint32_t a,
                     uint32_t b,
                     RdmaBitRate rate,
                     RdmaPs delay,
                     double errorRate = 0.0);

    /// \return the number of nodes, hosts and switches
    uint32_t GetNNodes() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    /// \return the number of links
    uint32_t GetNLinks() const
    {
        return static_cast<uint32_t>(m_links.size());
    }

    /// \param id a node id \return the node \throws std::out_of_range for an unknown id
    const RdmaTopologyNode& GetNode(uint32_t id) const
    {
        return m_nodes.at(id);
    }

    /// \param id a link id \return the link \throws std::out_of_range for an unknown id
    const RdmaTopologyLink& GetLink(uint32_t id) const
    {
        return m_links.at(id);
    }

    /// \return all nodes, by id
    const std::vector<RdmaTopologyNode>& GetNodes() const
    {
        return m_nodes;
    }

    /// \return all links, by id
    const std::vector<RdmaTopologyLink>& GetLinks() const
    {
        return m_links;
    }

    /// \return the ids of the hosts, ascending; each is the node id of the host's first NIC
    std::vector<uint32_t> GetHosts() const;

    /// \return the node ids of all NICs of all hosts, ascending
    std::vector<uint32_t> GetNics() const
    {
        return GetIds(RdmaNodeRole::HOST);
    }

    /**
     * \param host id of a host
     * \return the node ids of its NICs: the host's id first, then those of AddNic() in order
     * \throws std::invalid_argument if there is no such host
     */
    std::vector<uint32_t> GetNics(uint32_t host) const;

    /// \return the ids of the switches, ascending
    std::vector<uint32_t> GetSwitches() const
    {
        return GetIds(RdmaNodeRole::SWITCH);
    }

    /// \param id any number \return true if the number is the id of a host
    bool IsHost(uint32_t id) const
    {
        return id < m_nodes.size() && m_nodes[id].host == id;
    }

    /// \param id any number \return true if the number is the node id of a NIC of a host
    bool IsNic(uint32_t id) const
    {
        return id < m_nodes.size() && m_nodes[id].role == RdmaNodeRole::HOST;
    }

    /// \return true if a host has several NICs, or a NIC several links
    bool HasChoiceOfPorts() const;

    /**
     * Makes a topology with the nodes of this one and other links.
     *
     * \param links the links
     * \return the topology, unchecked
     */
    RdmaTopology WithLinks(std::vector<RdmaTopologyLink> links) const;

    /**
     * \return for each node, the ids of its links in ascending order: entry p is the link at port p
     * \throws std::invalid_argument if a link is not valid
     */
    std::vector<std::vector<uint32_t>> GetLinksByNode() const;

    /**
     * \return for each node, the sum of the rates of its links in bit/s
     * \throws std::invalid_argument if a link is not valid
     */
    std::vector<RdmaBitRate> GetNodeRates() const;

    /**
     * Checks that the topology can be built and that each host can reach every other host from one
     * of its ports.
     *
     * Refused: no host, too many nodes or links, two nodes of one name, a link to a node that does
     * not exist, a link from a node to itself or between NICs of one host, a rate, delay or error
     * rate out of range, a NIC without a link, two hosts without a path over switches or a cable of
     * their own (hosts do not forward), a switch that no host can reach. A delay of 0 is out of
     * range, because events of different nodes at one instant must not affect each other. \throws
     * std::invalid_argument naming the first wrong node or link, and the accepted values
     */
    void Validate() const;

    /// \param other a topology \return true if both have equal nodes and links in the same order
    bool operator==(const RdmaTopology& other) const
    {
        return m_nodes == other.m_nodes && m_links == other.m_links;
    }

  private:
    void CheckLink(uint32_t id) const;
    void CheckPorts() const;
    void CheckConnected() const;
    std::vector<uint32_t> GetIds(RdmaNodeRole role) const;

    std::vector<RdmaTopologyNode> m_nodes;
    std::vector<RdmaTopologyLink> m_links;
    std::unordered_map<uint32_t, std::vector<uint32_t>> m_furtherNics; //!< of AddNic(), by host
};

} // namespace ns3

#endif /* RDMA_TOPOLOGY_H */
