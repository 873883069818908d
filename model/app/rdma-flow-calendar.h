/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_CALENDAR_H
#define RDMA_FLOW_CALENDAR_H

#include "rdma-event-order.h"
#include "rdma-ps.h"
#include "rdma-timer.h"

#include <ns3/node.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Calls a function for each of many flows at the flow's time, in an event of the flow's host.
 *
 * A host has one event in the scheduler, for its next flow. Flows of a host that start at the
 * same time are handled in the order of their numbers.
 */
class RdmaFlowCalendar
{
  public:
    /** Position of flow handling among the events of one instant, shared by all applications. */
    static constexpr uint32_t EVENT_ORDER = RdmaEventOrder::Programs::At<0>();

    /** Returns a flow's time, which must not change. \param index number of the flow */
    using TimeOf = std::function<RdmaPs(uint32_t index)>;
    /** Handles a flow at the flow's time. \param index number of the flow */
    using Handler = std::function<void(uint32_t index)>;
    /** Fetches a flow into the CPU caches, ahead of its use. \param index number of the flow */
    using Fetcher = std::function<void(uint32_t index)>;

    /**
     * \param timeOf returns a flow's time
     * \param handler called for each flow at that time
     * \param fetcher called ahead of the other two functions; may be empty
     */
    RdmaFlowCalendar(TimeOf timeOf, Handler handler, Fetcher fetcher = Fetcher());

    RdmaFlowCalendar(const RdmaFlowCalendar&) = delete;
    RdmaFlowCalendar& operator=(const RdmaFlowCalendar&) = delete;

    /**
     * Adds a flow. A flow of a host that is not local (IsRdmaNodeLocal()) is not handled.
     *
     * \param node host that handles the flow
     * \param index number of the flow
     */
    void Add(Ptr<Node> node, uint32_t index);

    /**
     * Schedules the first event of each host. To be called after the last Add(), and again after
     * flows were added whose times are not before the times of earlier flows of their hosts.
     */
    void Start();

    /**
     * Prepares for flows of a host that Insert() adds during the run. To be called before the run.
     *
     * \param node the host; one that is not local is left out
     */
    void Expect(Ptr<Node> node);

    /**
     * Adds a flow whose time has become known, in an event of the flow's host. The flow is handled
     * in a later event if its time is the present instant.
     *
     * \param node the host, which Expect() has named
     * \param index number of the flow
     */
    void Insert(Ptr<Node> node, uint32_t index);

    /** Stops the calendar: no further flow is handled. */
    void Stop();

  private:
    /** The flows of a host. */
    struct Host
    {
        /** \param ofCalendar the calendar \param ofNode node id of the host */
        Host(const RdmaFlowCalendar& ofCalendar, uint32_t ofNode);

        /** Schedules the next flow, unless it is scheduled already. */
        void Start();

        /** Adds a flow to those that are scheduled. \param index number of the flow */
        void Insert(uint32_t index);

        /** Handles the flows whose time has come, and schedules the next one. */
        void OnTime();

        /** See RdmaTimer. \param step step of RdmaEvent::Prefetch() */
        void PrefetchTimer(uint32_t step) const;

        /** \return node id of the host */
        uint32_t GetNodeId() const
        {
            return node;
        }

        const RdmaFlowCalendar& calendar;                  //!< the calendar
        uint32_t node;                                     //!< node id of the host
        std::vector<uint32_t> flows;                       //!< numbers of the flows, by time
        std::size_t next{0};                               //!< index of the next flow to handle
        RdmaTimer<Host, &Host::OnTime, EVENT_ORDER> timer; //!< time of the next flow
    };

    Host& Find(uint32_t node);

    TimeOf m_timeOf;                            //!< returns a flow's time
    Handler m_handler;                          //!< called for each flow at its time
    Fetcher m_fetcher;                          //!< called ahead of these functions; may be empty
    std::vector<std::unique_ptr<Host>> m_hosts; //!< flows by node id; null: no flows
};

} // namespace ns3

#endif /* RDMA_FLOW_CALENDAR_H */
