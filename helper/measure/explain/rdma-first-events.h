/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FIRST_EVENTS_H
#define RDMA_FIRST_EVENTS_H

#include "qbb-event-time.h"
#include "qbb-port-counters.h"
#include "qbb-ps.h"
#include "rdma-fabric-port.h"
#include "rdma-fabric.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * An event that happened for the first time in a run.
 */
struct RdmaFirstEvent
{
    QbbPs at{0};      //!< instant of the event
    std::string port; //!< name of the port
};

/**
 * \ingroup rdma-explain
 * First pauses, marks and drops of a run.
 */
struct RdmaFirstEventTable
{
    std::array<std::optional<RdmaFirstEvent>, 8> pauses; //!< first pause sent, by class
    std::array<std::optional<RdmaFirstEvent>, 8> marks;  //!< first mark, by class
    std::optional<RdmaFirstEvent> drop;                  //!< first drop of any class
    QbbDropReason dropReason{QbbDropReason::COUNT};      //!< reason of the first drop

    /** \param begin an instant \return the table with times that count from \p begin */
    RdmaFirstEventTable Since(QbbPs begin) const;
};

/**
 * \ingroup rdma-explain
 * Watches the ports of a fabric for the first pause, mark and drop.
 *
 * Each port records its own first events, on the thread of its node.
 */
class RdmaFirstEvents
{
  public:
    /** \param fabric the fabric, before the run */
    explicit RdmaFirstEvents(const RdmaFabric& fabric);

    /**
     * \return the first events of the fabric so far. If events of several ports have the same event
     *         time, the event at the node with the lowest id is the first.
     */
    RdmaFirstEventTable GetTable() const;

    /** Gathers the first events of all processes that share the simulation (GatherRdmaRows()). */
    void Gather();

  private:
    /** First events of a port. */
    struct Firsts
    {
        std::array<QbbEventTime, 8> pauses{};           //!< first pause sent, by class, or never
        std::array<QbbEventTime, 8> marks{};            //!< first mark, by class, or never
        QbbEventTime drop{QbbEventTime::Never()};       //!< first drop, or never
        QbbDropReason dropReason{QbbDropReason::COUNT}; //!< reason of the first drop
    };

    /** A port. */
    struct Port
    {
        std::shared_ptr<const RdmaFabricPort> port; //!< names and numbers
        bool isLocal{true};                         //!< this process runs the node of the port
        Firsts firsts;                              //!< first events of the port
    };

    /// The ports, by node id and number. The watchers of each port share its element.
    std::vector<std::shared_ptr<Port>> m_ports;
};

} // namespace ns3

#endif /* RDMA_FIRST_EVENTS_H */
