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

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs flows over a fabric and writes down what became of them, whatever carries them: queue pairs
 * (RdmaFlowRunner) or TCP connections (RdmaTcpFlowRunner).
 *
 * Flows are prepared in the order of their ids, and those of a host that start at one instant are
 * started in that order too, so the order in which flows are given does not matter. A flow starts
 * in an event of the node that sends it.
 *
 * A flow's completion time runs from its start to the last byte in the receiver's memory.
 *
 * A subclass has a method for each step in the life of a flow: DoInstall() and DoPrepare() before
 * the run, DoStart() at the flow's start, from where on it reports by FlowArrived() and
 * FlowEnded(), and DoAddResult() and DoDescribe() when somebody asks.
 */
class RdmaFlowRunnerBase : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFlowRunnerBase();
    ~RdmaFlowRunnerBase() override;

    /**
     * Makes what the flows need and schedules their starts. Once, before the simulation runs.
     *
     * Aborts with a message if a flow does not fit the fabric (unknown host, flow to itself, 0
     * bytes, a class above 7, an id that appears twice, a start in the past).
     *
     * \param fabric the fabric
     * \param flows the flows, in any order
     */
    void Install(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows);

    /** \param stop true, the default: the simulation stops when the last flow has ended */
    void SetStopWhenDone(bool stop);

    /** \return number of flows */
    uint64_t GetNFlows() const;

    /** \param index a flow's place, counted from 0 by ascending id \return the flow */
    const RdmaFlow& GetFlow(uint64_t index) const
    {
        return m_flows[index].flow;
    }

    /** \return flows that ended, well or with an error */
    uint64_t GetNEnded() const;

    /** \return flows that completed */
    uint64_t GetNCompleted() const;

    /**
     * \return what became of each flow, by id. One that has not ended has a status that says what
     *         it waits for.
     */
    std::vector<RdmaFlowResult> GetResults() const;

  protected:
    void DoDispose() override;

    /** \return where the flows run */
    const Ptr<RdmaFabric>& GetFabric() const
    {
        return m_fabric;
    }

    /** \param index a flow's place \return true if it has ended */
    bool HasEnded(uint64_t index) const
    {
        return m_flows[index].ended;
    }

    /**
     * The last byte of a flow is in the receiver's memory.
     *
     * \param index the flow's place
     * \param time when
     */
    void FlowArrived(uint64_t index, QbbPs time);

    /**
     * The sender knows how a flow ended.
     *
     * \param index the flow's place
     * \param status how
     * \param time when
     */
    void FlowEnded(uint64_t index, RdmaWcStatus status, QbbPs time);

    /**
     * \param port a sender's port
     * \param priority the class of its flow
     * \return why the port sends nothing of the class; empty if it may send
     */
    static std::string DescribePort(const QbbPort& port, uint8_t priority);

  private:
    /** A flow and what is known of it. */
    struct Flow
    {
        RdmaFlow flow;                              //!< as it was given
        QbbPs ideal{0};                             //!< completion time in an empty fabric
        QbbPs fct{-1};                              //!< completion time; negative: not yet
        QbbPs cqe{-1};                              //!< the sender's; negative: not yet
        RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< how it ended
        bool started{false};                        //!< its start has come
        bool ended{false};                          //!< the sender knows how it ended
    };

    /** The flows are known, none is prepared yet. */
    virtual void DoInstall() = 0;

    /**
     * Makes what a flow needs.
     *
     * \param index the flow's place
     * \return its completion time in an empty fabric, in picoseconds
     */
    virtual QbbPs DoPrepare(uint64_t index) = 0;

    /** \param index place of the flow that starts now */
    virtual void DoStart(uint64_t index) = 0;

    /**
     * \param index a flow's place
     * \param result gets its retransmissions and timeouts
     */
    virtual void DoAddResult(uint64_t index, RdmaFlowResult& result) const = 0;

    /**
     * \param index place of a flow that has started and not ended
     * \param arrived true if the receiver has all of it
     * \return what it waits for
     */
    virtual std::string DoDescribe(uint64_t index, bool arrived) const = 0;

    void Check(const RdmaFlow& flow) const;

    Ptr<RdmaFabric> m_fabric;  //!< where they run
    std::vector<Flow> m_flows; //!< ascending by id
    RdmaFlowCalendar m_starts; //!< starts flows
    uint64_t m_ended{0};       //!< flows that ended
    uint64_t m_completed{0};   //!< flows that completed
    bool m_stopWhenDone{true}; //!< stop with the last flow
};

} // namespace ns3

#endif /* RDMA_FLOW_RUNNER_BASE_H */
