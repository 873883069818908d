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
 * \brief A regular topology while a builder makes it.
 *
 * The builder first counts nodes and links, so that a topology that is too large is refused before
 * it takes memory. Then it adds hosts, switches and links. All messages begin with the name of the
 * form. Functions that check or count throw std::invalid_argument with such a message.
 */
class RdmaTopologyDraft
{
  public:
    /** \param form name of the form, for messages \param rates the links */
    RdmaTopologyDraft(const std::string& form, const RdmaTopologyRates& rates);

    /**
     * Throws std::invalid_argument.
     *
     * \param what what is wrong, as in "leaves"; may be empty
     * \param problem the value, or what is wrong with it
     * \param accepted what would have been right
     */
    [[noreturn]] void Refuse(const std::string& what,
                             const std::string& problem,
                             const std::string& accepted) const;

    /**
     * \param what meaning of the number, as in "leaves"
     * \param value the number
     * \param min the smallest that is accepted
     * \param max the largest that is accepted
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
     * Counts nodes that will be added, RdmaTopology::MAX_NODES in all.
     * \param n their number, at most 2^63
     */
    void CountNodes(uint64_t n);

    /**
     * Counts links that will be added, RdmaTopology::MAX_LINKS in all.
     * \param n their number, at most 2^63
     */
    void CountLinks(uint64_t n);

    /**
     * Adds hosts named host-0, host-1 and so on. Called once, before switches are added.
     * \param n their number
     */
    void AddHosts(uint64_t n);

    /** \param name of a switch \return the id of that switch, which is added */
    uint32_t AddSwitch(const std::string& name);

    /**
     * Adds switches named PREFIX-0, PREFIX-1 and so on.
     * \param prefix of the names
     * \param n their number
     * \return the id of the first; the others have the next ids
     */
    uint32_t AddSwitches(const std::string& prefix, uint64_t n);

    /** \param host id of a host \param node id of the switch to which a link is added */
    void LinkHost(uint32_t host, uint32_t node);

    /** \param a id of a switch \param b id of the switch to which a link is added */
    void LinkSwitches(uint32_t a, uint32_t b);

    /** Ends the draft, which is empty afterwards. \return the topology, which is valid */
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
