/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_RUNNER_BASE_H
#define RDMA_FLOW_RUNNER_BASE_H

#include "qbb-time.h"
#include "rdma-fabric.h"
#include "rdma-flow-calendar.h"
#include "rdma-flow-report.h"
#include "rdma-flow.h"
#include "rdma-verbs.h"

#include <ns3/object.h>

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Repeated work of the sender of a flow.
 */
struct RdmaFlowRetries
{
    uint64_t packets{0};  //!< packets retransmitted
    uint64_t timeouts{0}; //!< expiries of the retransmission timer
};

/**
 * \ingroup rdma
 * Base class of runners that execute flows over a fabric and record their results. Subclasses carry
 * flows over queue pairs (RdmaFlowRunner) or TCP connections (RdmaTcpFlowRunner).
 *
 * Flows are prepared in the order of their ids. Flows of a host that start at the same instant also
 * start in the order of their ids, so the order of the flows passed to Install() does not matter.
 * Each flow starts in an event of its sending node.
 *
 * The completion time of a flow is measured from its start until its last byte is in the receiver's
 * memory.
 *
 * A subclass implements the steps in the life of a flow: DoInstall() and DoPrepare() before the
 * run, DoStart() at the start of the flow, and DoGetRetries() and DoDescribe() when results are
 * requested. After DoStart(), the subclass reports progress by FlowArrived() and FlowEnded().
 */
class RdmaFlowRunnerBase : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaFlowRunnerBase();

    /**
     * Creates the resources of the flows and schedules their starts. Call it once, before the
     * simulation runs.
     *
     * Aborts with a message if a flow does not fit the fabric (unknown host, flow to itself, 0
     * bytes, a class above 7, a duplicate id, a start in the past).
     *
     * \param fabric the fabric that carries the flows
     * \param flows the flows, in any order
     */
    void Install(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows);

    /** \param stop true, the default: the simulation stops when the last flow has ended */
    void SetStopWhenDone(bool stop);

    /** \return number of flows */
    uint64_t GetNFlows() const
    {
        return m_flows.size();
    }

    /** \param index position of a flow in ascending order of id, from 0 \return the flow */
    const RdmaFlow& GetFlow(uint64_t index) const
    {
        return m_flows[index].flow;
    }

    /** \return number of flows that ended, successfully or with an error */
    uint64_t GetNEnded() const
    {
        return m_ended;
    }

    /** \return number of flows that completed successfully */
    uint64_t GetNCompleted() const
    {
        return m_completed;
    }

    /**
     * \return results of all flows, in ascending order of id. The status of an unfinished flow
     *         explains what the flow is waiting for.
     */
    std::vector<RdmaFlowResult> GetResults() const;

  protected:
    // In all functions below, index is the position of a flow in ascending order of id.

    void DoDispose() override;

    /** \return the fabric that carries the flows */
    const Ptr<RdmaFabric>& GetFabric() const
    {
        return m_fabric;
    }

    /** \param index a flow \return true if the flow has ended */
    bool HasEnded(uint64_t index) const
    {
        return m_flows[index].ended;
    }

    /**
     * Computes the ideal completion time of a flow. Aborts with a message if there is no path.
     *
     * \param flow the flow
     * \param path links from sender to receiver
     * \param frames frames of the flow
     * \param port port of the sender
     * \return ideal completion time in an empty fabric
     */
    static QbbPs GetIdeal(const RdmaFlow& flow,
                          const std::vector<RdmaIdealHop>& path,
                          const RdmaIdealFrames& frames,
                          const QbbPort& port);

    /** The last byte of a flow is in the receiver's memory. \param index the flow \param time now
     */
    void FlowArrived(uint64_t index, QbbPs time);

    /**
     * The sender has a completion for a flow.
     *
     * \param index the flow
     * \param status completion status of the flow
     * \param time time of the completion
     */
    void FlowEnded(uint64_t index, RdmaWcStatus status, QbbPs time);

    /** Keeps the retries of a flow, whose sender is about to be destroyed. \param index the flow */
    void KeepRetries(uint64_t index);

    /**
     * \param port port of a sender
     * \param priority traffic class of a flow
     * \return reason why the port cannot send frames of that class; empty if it can
     */
    static std::string DescribePort(const QbbPort& port, uint8_t priority);

  private:
    /** A flow and its state. */
    struct Flow
    {
        RdmaFlow flow;           //!< flow passed to Install()
        QbbPs ideal{0};          //!< ideal completion time in an empty fabric
        QbbPs fct{-1};           //!< flow completion time; negative: not completed
        QbbPs cqe{-1};           //!< time until the completion at the sender; negative: none
        RdmaFlowRetries retries; //!< retries at the end of the sender
        RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< completion status at the sender
        bool started{false};                        //!< the flow has started
        bool ended{false};                          //!< the sender has a completion for the flow
    };

    /** Prepares common resources after the flows are set and before the first DoPrepare(). */
    virtual void DoInstall() = 0;

    /** Creates the resources of a flow. \param index the flow \return its ideal completion time */
    virtual QbbPs DoPrepare(uint64_t index) = 0;

    /** Starts a flow. \param index the flow */
    virtual void DoStart(uint64_t index) = 0;

    /** \param index a flow \return retries of its sender; no value if there is no sender */
    virtual std::optional<RdmaFlowRetries> DoGetRetries(uint64_t index) const = 0;

    /**
     * \param index a started, unfinished flow
     * \param arrived true if the receiver has all bytes of the flow
     * \return description of the event for which the flow is waiting
     */
    virtual std::string DoDescribe(uint64_t index, bool arrived) const = 0;

    void Check(const RdmaFlow& flow) const;

    Ptr<RdmaFabric> m_fabric;  //!< fabric that carries the flows
    std::vector<Flow> m_flows; //!< flows in ascending order of id
    RdmaFlowCalendar m_starts; //!< schedules the starts of flows
    uint64_t m_ended{0};       //!< number of flows that ended
    uint64_t m_completed{0};   //!< number of flows that completed successfully
    bool m_stopWhenDone{true}; //!< stop the simulation when the last flow has ended
};

} // namespace ns3

#endif /* RDMA_FLOW_RUNNER_BASE_H */
