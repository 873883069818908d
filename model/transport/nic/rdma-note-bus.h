/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_NOTE_BUS_H
#define RDMA_NOTE_BUS_H

#include "rdma-note-box.h"
#include "rdma-ps.h"

#include <ns3/ptr.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3
{

class QbbFrameBorder;
class RdmaNic;

/**
 * \ingroup rdma
 * Carries notes among a few nodes, such as the NICs of a host, which may run on different threads.
 *
 * Notes of one source arrive in the order in which they were sent. Notes of several sources that
 * arrive at a node at one instant are read in the order of the sources' numbers.
 */
class RdmaNoteBus
{
  public:
    /**
     * Makes a bus, before the run.
     *
     * \param nodes ids of the nodes, each once. There need not be such nodes; those that have a NIC
     *        may run on different threads
     * \param sources number of sources of notes, each of which sends from one node
     * \param leastDelay shortest time of a note from one node to another, above 0
     * \param order place of the arrival of notes among the events of one instant, 0..999
     */
    RdmaNoteBus(const std::vector<uint32_t>& nodes,
                uint32_t sources,
                RdmaPs leastDelay,
                uint32_t order = RdmaNoteBox::EVENT_ORDER);
    ~RdmaNoteBus();

    RdmaNoteBus(const RdmaNoteBus&) = delete;
    RdmaNoteBus& operator=(const RdmaNoteBus&) = delete;

    /** \param delay shortest time of a note from now on, above 0; to be called before the run */
    void SetLeastDelay(RdmaPs delay)
    {
        m_leastDelay = delay;
    }

    /**
     * Sends a note, in an event of the sending node.
     *
     * \param source number of the source
     * \param from place of the sending node among the nodes of the bus
     * \param to place of the receiving node
     * \param delay time of the note, at least the shortest one; a note must not arrive before an
     *        earlier one of its source
     * \param note the note, which is read in an event of the receiving node
     */
    void Send(uint32_t source, uint32_t from, uint32_t to, RdmaPs delay, const RdmaNote& note);

    /**
     * The nodes are divided into groups that run apart (QbbFabricGroups).
     *
     * \param findGroup number of the group of a node
     * \param findBorder border of a group
     * \return shortest time of a note from one group to another; RDMA_NEVER: there are no such
     *         notes
     */
    RdmaPs Divide(const std::function<uint32_t(uint32_t node)>& findGroup,
                  const std::function<QbbFrameBorder&(uint32_t group)>& findBorder);

    /** The division into groups has ended. */
    void Unite();

  private:
    RdmaPs m_leastDelay;                               //!< shortest time of a note
    std::vector<std::unique_ptr<RdmaNoteBox>> m_boxes; //!< notes on their way to each node
    std::vector<Ptr<RdmaNic>> m_nics;                  //!< NICs of the nodes
    std::vector<uint32_t> m_groups;         //!< group of each node; empty: all are in one group
    std::vector<QbbFrameBorder*> m_borders; //!< border of each node's group, if there are groups
};

} // namespace ns3

#endif /* RDMA_NOTE_BUS_H */
