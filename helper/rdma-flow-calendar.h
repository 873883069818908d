/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_CALENDAR_H
#define RDMA_FLOW_CALENDAR_H

#include "qbb-event-order.h"
#include "qbb-ps.h"

#include <ns3/node.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Calls a function for each of many flows at the flow's time, in an event of the flow's host.
 *
 * A host has one event in the scheduler, that of its next flow. Flows of a host that have one time
 * come in the order of their numbers, as everything that a workload posts at one instant.
 */
class RdmaFlowCalendar
{
  public:
    /** When at an instant flows are posted. Other programs of a host share this place. */
    static constexpr uint32_t EVENT_ORDER = QbbEventOrder::Programs::At<0>();

    /** \param index a flow \return its time, in picoseconds; must not change */
    using TimeOf = std::function<QbbPs(uint32_t index)>;
    /** \param index a flow whose time has come */
    using Handler = std::function<void(uint32_t index)>;

    /** \param timeOf tells a flow's time \param handler is called then */
    RdmaFlowCalendar(TimeOf timeOf, Handler handler);

    RdmaFlowCalendar(const RdmaFlowCalendar&) = delete;
    RdmaFlowCalendar& operator=(const RdmaFlowCalendar&) = delete;

    /** \param node the host in whose events the flow is handled \param index the flow's number */
    void Add(Ptr<Node> node, uint32_t index);

    /** Schedules the first event of each host; after the last Add(), and once. */
    void Start();

    /** Nothing is called any more. */
    void Stop();

  private:
    /** The flows of a host. */
    struct Host
    {
        std::vector<uint32_t> flows; //!< by time
        std::size_t next{0};         //!< the next of them
    };

    void OnTime(uint32_t node);
    Time GetDelay(const Host& host) const;

    TimeOf m_timeOf;                  //!< tells times
    Handler m_handler;                //!< is called
    std::map<uint32_t, Host> m_hosts; //!< by the node's id
};

} // namespace ns3

#endif /* RDMA_FLOW_CALENDAR_H */
