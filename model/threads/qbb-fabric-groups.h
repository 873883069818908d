/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_FABRIC_GROUPS_H
#define QBB_FABRIC_GROUPS_H

#include "qbb-frame-border.h"
#include "qbb-node-groups.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

class QbbChannel;
class QbbFabricPorts;
class RdmaNoteBus;

/**
 * \ingroup rdma
 * Divides the nodes of a fabric along its cables, so that few cables lead from one group to another
 * and all groups have about equal loads. The load of a group is the number of its ports plus the
 * number of frames that these ports have sent and received.
 *
 * A host stays with its switch, unless there are fewer switches than groups. A group begins with a
 * switch and repeatedly adds the switch with the largest part of its cables in the group. A group
 * therefore follows racks and pods.
 *
 * A node belongs to group 0 if code from outside of the module sees its events: an application, an
 * IP stack or another object from outside of the module, an application of the module, a sink of a
 * trace source of its ports, its NIC or its queue pairs, a callback of a completion queue, an error
 * model, or an event that a script has scheduled for the node. Group 0 also has the neighbours of
 * nodes that may send packets of ns-3, because switches answer the ARP requests of their hosts. The
 * packets of such nodes pass through the nodes of other groups, which do not look into them.
 *
 * All nodes are one group if two of them share an object with state (FindQbbSharedObject()), and on
 * one thread also if a node belongs to group 0 for one of these reasons.
 */
class QbbFabricGroups : public QbbNodeGroups
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    QbbFabricGroups();
    ~QbbFabricGroups() override;

    // Inherited from QbbNodeGroups
    uint32_t Divide(const Demand& demand) override;
    void Unite() override;
    void CheckSharedRun() const override;
    uint32_t GetGroup(uint32_t node) const override;
    RdmaPs GetLookahead() const override;
    RdmaBorder& GetBorder(uint32_t group) override;
    std::string GetReason() const override;

  protected:
    void DoDispose() override;

  private:
    /** A switch and its hosts, or another node by itself. */
    struct Cluster
    {
        std::vector<uint32_t> nodes; //!< ids of the nodes
        uint64_t load{0};            //!< frames at the nodes' ports, and one for each port
        std::string seenBy;          //!< outside code that sees the nodes' events; empty: none
    };

    void Examine(const Demand& demand);
    std::vector<uint64_t> GetLoads() const;
    std::vector<Cluster> MakeClusters(uint32_t most);
    void Assign(const std::vector<Cluster>& clusters, uint32_t groups);
    void SharePools(uint32_t threads);
    void DrawBorders(uint32_t groups, uint32_t threads);

    std::unique_ptr<QbbFabricPorts> m_fabric; //!< the ports of all nodes
    std::vector<std::string> m_seenBy;        //!< outside code that sees a node's events, by id
    /// Examine() has not run, or has found such code or a reason for one group
    bool m_isSeen{true};
    bool m_defersSinks{false};             //!< Demand::defersSinks of the latest Examine()
    bool m_sharesPools{false};             //!< SharePools() has changed the pools of all nodes
    std::vector<uint32_t> m_clusterOf;     //!< number of each node's cluster, by node id
    std::vector<uint32_t> m_groupOf;       //!< number of each node's group, by node id
    RdmaPs m_lookahead{0};                 //!< shortest time from one group to another
    std::deque<QbbFrameBorder> m_borders;  //!< by receiving group
    std::deque<QbbFrameExit> m_exits;      //!< exits of the ports of m_cables
    std::vector<Ptr<QbbChannel>> m_cables; //!< cables that lead from one group to another
    std::set<RdmaNoteBus*> m_buses;        //!< carry notes among nodes
    std::string m_reason;                  //!< why there is one group
};

} // namespace ns3

#endif /* QBB_FABRIC_GROUPS_H */
