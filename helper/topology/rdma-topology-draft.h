/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TOPOLOGY_DRAFT_H
#define RDMA_TOPOLOGY_DRAFT_H

#include "rdma-topology-builder.h"
#include "rdma-topology.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * \brief A regular topology under construction by a builder.
 *
 * The builder first counts nodes and links, so that a topology that is too large is refused before
 * it takes memory. The builder then adds hosts, switches and links. Functions that check or count
 * throw std::invalid_argument with a message that begins with the name of the form.
 */
class RdmaTopologyDraft
{
  public:
    /** \param form name of the form, for messages \param rates the links */
    RdmaTopologyDraft(const std::string& form, const RdmaTopologyRates& rates);

    /**
     * Throws std::invalid_argument.
     *
     * \param what meaning of the wrong value, as in "leaves"; may be empty
     * \param problem the wrong value, or a description of the error
     * \param accepted description of the accepted values
     */
    [[noreturn]] void Refuse(const std::string& what,
                             const std::string& problem,
                             const std::string& accepted) const;

    /**
     * \param what meaning of the number, as in "leaves"
     * \param value the number
     * \param min smallest accepted number
     * \param max largest accepted number
     */
    void CheckCount(const std::string& what,
                    uint64_t value,
                    uint64_t min = 1,
                    uint64_t max = RdmaTopology::MAX_NODES) const;

    /**
     * \param a a number of nodes, at most RdmaTopology::MAX_NODES
     * \param b a number of nodes, at most RdmaTopology::MAX_NODES
     * \return the product of a and b; a product above MAX_NODES is refused with a message
     */
    uint64_t Multiply(uint64_t a, uint64_t b) const;

    /**
     * Counts nodes that will be added, at most RdmaTopology::MAX_NODES in all.
     * \param n number of nodes, at most 2^63
     */
    void CountNodes(uint64_t n);

    /**
     * Refuses switches with more than RdmaTopology::MAX_PORTS ports.
     * \param n number of ports of a switch, at most 2^63
     */
    void CheckPorts(uint64_t n) const;

    /**
     * Counts links that will be added, at most RdmaTopology::MAX_LINKS in all.
     * \param n number of links, at most 2^63
     */
    void CountLinks(uint64_t n);

    /**
     * Adds hosts named host-0, host-1 and so on. Called once, before switches are added.
     * \param n number of hosts
     */
    void AddHosts(uint64_t n);

    /**
     * Adds the further NICs of all hosts: NIC 1 of each host in the order of the hosts, then NIC 2
     * and so on. Called once, after AddHosts() and before switches are added. NIC k of host h then
     * has the node id k x hosts + h.
     * \param n NICs of a host, the first one included
     * \param bonded the ports of each NIC have one address
     */
    void AddNics(uint32_t n, bool bonded);

    /** Adds a switch. \param name name of the switch \return id of the switch */
    uint32_t AddSwitch(const std::string& name);

    /**
     * Adds switches named PREFIX-0, PREFIX-1 and so on.
     * \param prefix prefix of the names
     * \param n number of switches
     * \return the id of the first switch; the other switches have the next ids
     */
    uint32_t AddSwitches(const std::string& prefix, uint64_t n);

    /** Adds a link. \param nic id of a host or of another NIC \param node id of the NIC's switch */
    void LinkHost(uint32_t nic, uint32_t node);

    /** Adds a link. \param a id of a switch \param b id of another switch */
    void LinkSwitches(uint32_t a, uint32_t b);

    /** Ends the draft, which is empty afterwards. \return the validated topology */
    RdmaTopology Finish();

  private:
    void CheckSum(uint64_t n, const std::string& unit, uint64_t max) const;

    std::string m_form;        //!< name of the form
    RdmaTopologyRates m_rates; //!< the links
    RdmaTopology m_topology;   //!< topology so far
    uint64_t m_nodes{0};       //!< nodes counted
    uint64_t m_links{0};       //!< links counted
};

} // namespace ns3

#endif /* RDMA_TOPOLOGY_DRAFT_H */
