/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_RUNNER_BASE_H
#define RDMA_FLOW_RUNNER_BASE_H

#include "rdma-fabric.h"
#include "rdma-flow-calendar.h"
#include "rdma-flow-report.h"
#include "rdma-flow.h"
#include "rdma-note-box.h"
#include "rdma-run-work.h"
#include "rdma-time.h"
#include "rdma-verbs.h"

#include <ns3/object.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Retransmissions of the sender of a flow.
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
 * The run ends when the last flow has ended: an event without a node stops the simulation at the
 * first multiple of 10 us (RDMA_RUN_END_STEP) strictly after the last completion at a sender. With
 * a window (SetWindow()), the flows that start in the window are counted, and the run ends when the
 * last counted flow has ended. RunRdmaSimulation() ends a shared run.
 *
 * Flows may wait for the ends of others (SetDependencies()). Such a flow starts in an event of its
 * sending node, at the instant at which this node knows that the last awaited flow has ended, plus
 * the stated delay, but not before RdmaFlow::start. Between two NICs of a host, the news takes
 * RdmaHost::BusDelay in addition.
 *
 * The completion time of a flow is measured from its start until its last byte is in the receiver's
 * memory.
 *
 * A subclass implements the steps in the life of a flow: DoInstall(), DoAdd() and DoPrepare()
 * before the flow starts, DoStart() at the start of the flow, and DoGetRetries() and DoDescribe()
 * when results are requested. After DoStart(), the subclass reports progress by FlowArrived() and
 * FlowEnded().
 */
class RdmaFlowRunnerBase : public Object, public RdmaRunWork, private RdmaNoteReceiver
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

    /**
     * Adds flows during the run, from an event without a node.
     *
     * Aborts with a message for the flows that Install() does not accept.
     *
     * \param flows flows with ids above those of all earlier flows, which start at or after the
     *        starts of all earlier flows
     */
    void AddFlows(const std::vector<RdmaFlow>& flows);

    /** Call it before Install(). \param window window of the counted flows; default: all flows */
    void SetWindow(const RdmaFlowWindow& window);

    /**
     * Call this function before Install(). Install() throws std::invalid_argument
     *
     * - if a flow does not exist, waits twice, or waits for itself, also by way of others;
     * - if a flow waits without a delay for a flow that neither begins nor ends at its sender. Such
     * a flow takes one thread, and the awaited receiver must be on the sender's rank (MPI);
     * - if there is a window of counted flows.
     *
     * \param dependencies the flows that wait for others
     */
    void SetDependencies(const std::vector<RdmaFlowDependency>& dependencies);

    /**
     * \param index position of a flow in ascending order of id, from 0
     * \return the flows for which the flow waits, or has waited; null: it does not wait
     */
    const RdmaFlowDependency* GetDependency(uint64_t index) const;

    /** \param stop true, the default: the simulation stops after the last flow has ended */
    void SetStopWhenDone(bool stop);

    /** \return true if the simulation stops after the last flow has ended */
    bool StopsWhenDone() const override
    {
        return m_stopWhenDone;
    }

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

    /** \return number of flows that have started but not ended */
    uint64_t GetNActive() const
    {
        return m_started - m_ended;
    }

    /** \return true if a flow has started and not ended, or if news of an end is on its way */
    bool IsActive() const override
    {
        return GetNActive() > 0 || m_news > 0;
    }

    /**
     * \return earliest start of a local flow that has not started, and does not wait for another
     *         flow; RDMA_NEVER: none
     */
    RdmaPs GetNextStart() const override;

    /**
     * Tells the runners of all processes that share the simulation when flows have arrived and
     * which frames are on their way, after a run (RunRdmaSimulation()).
     */
    void Share() override;

    /** \return number of counted flows */
    uint64_t GetNCounted() const override
    {
        return m_counted;
    }

    /** \return number of counted flows that ended, successfully or with an error */
    uint64_t GetNCountedEnded() const override
    {
        return m_countedEnded;
    }

    /**
     * \return results of the flows, in ascending order of id. The status of an unfinished flow
     *         explains what the flow is waiting for. Flows after the window of the counted flows
     *         are left out if they have not started. A process that shares the simulation knows
     *         the results of its own senders (GatherRdmaFlows()).
     */
    std::vector<RdmaFlowResult> GetResults() const;

    /** \return the fabric that carries the flows */
    const Ptr<RdmaFabric>& GetFabric() const
    {
        return m_fabric;
    }

  protected:
    // In all functions below, index is the position of a flow in ascending order of id.

    void DoDispose() override;

    /** Fetches a flow and its state into the CPU caches, ahead of use. \param index the flow */
    virtual void Prefetch(uint64_t index) const;

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
    static RdmaPs GetIdeal(const RdmaFlow& flow,
                           const std::vector<RdmaIdealHop>& path,
                           const RdmaIdealFrames& frames,
                           const QbbPort& port);

    /** Records the arrival of a flow's last byte. \param index the flow \param time arrival time */
    void FlowArrived(uint64_t index, RdmaPs time);

    /**
     * Records that the sender has a completion for a flow.
     *
     * \param index the flow
     * \param status completion status of the flow
     * \param time time of the completion
     */
    void FlowEnded(uint64_t index, RdmaWcStatus status, RdmaPs time);

    /** Stores the retries of a flow whose sender is about to be destroyed. \param index the flow */
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
        RdmaFlow flow;                 //!< flow passed to Install()
        RdmaPs ideal{0};               //!< ideal completion time in an empty fabric
        RdmaPs arrived{-1};            //!< arrival of the last byte; negative: not arrived
        RdmaPs cqe{-1};                //!< time until the completion at the sender; negative: none
        RdmaFlowRetries retries;       //!< retries when the sender was destroyed
        RdmaFlowReordering reordering; //!< reordering when the flow had arrived
        RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< completion status at the sender
        bool started{false};                        //!< the flow has started
        bool ended{false};                          //!< the sender has a completion for the flow
    };

    /** State of a flow that waits for others. */
    struct Wait
    {
        std::shared_ptr<const RdmaFlowDependency> dependency; //!< the awaited flows
        RdmaPs earliest{0};      //!< start of the flow as the workload has it
        std::vector<bool> known; //!< for each awaited flow: the waiting node knows of its end
        uint32_t left{0};        //!< awaited flows of whose end the waiting node does not know
        RdmaPs ready{0};         //!< earliest start that the known ends allow
    };

    /** A flow that is to be told of another flow's end. */
    struct News
    {
        uint32_t index{0};    //!< position of the waiting flow
        uint32_t place{0};    //!< place of the ended flow among those that are awaited
        bool isRemote{false}; //!< the waiting flow has another host; the delay is the way
    };

    using NewsList = std::map<uint32_t, std::vector<News>>; //!< by position of the ended flow

    /** Prepares the resources that all flows share, once before the first DoAdd(). */
    virtual void DoInstall()
    {
    }

    /**
     * Prepares common resources of further flows, which are valid, before DoPrepare() for each of
     * them.
     *
     * \param first position of the first further flow; all later positions are further flows, too
     */
    virtual void DoAdd(uint64_t first) = 0;

    /** Creates the resources of a flow. \param index the flow \return its ideal completion time */
    virtual RdmaPs DoPrepare(uint64_t index) = 0;

    /** Starts a flow. \param index the flow */
    virtual void DoStart(uint64_t index) = 0;

    /** \param index a flow \return id of the node in whose event the flow starts */
    virtual uint32_t DoGetStartNode(uint64_t index) const
    {
        return m_flows[index].flow.srcHost;
    }

    /**
     * \param index a flow
     * \return id of the node whose events report that the flow has arrived (FlowArrived())
     */
    virtual uint32_t DoGetArrivalNode(uint64_t index) const
    {
        return m_flows[index].flow.dstHost;
    }

    /** \param index a flow \return retries of its sender; no value if there is no sender */
    virtual std::optional<RdmaFlowRetries> DoGetRetries(uint64_t index) const = 0;

    /**
     * \param index a flow
     * \return what its receiver has seen of packets that overtake each other; no value, the
     *         default, if there is no receiver
     */
    virtual std::optional<RdmaFlowReordering> DoGetReordering(uint64_t /*index*/) const
    {
        return {};
    }

    /**
     * \param index a started, unfinished flow
     * \param arrived true if the receiver has all bytes of the flow
     * \return description of the event for which the flow is waiting
     */
    virtual std::string DoDescribe(uint64_t index, bool arrived) const = 0;

    /** Tells the runners of other processes what their DoDescribe() needs, after a run. */
    virtual void DoShare()
    {
    }

    // RdmaNoteReceiver
    void NoteArrived(const RdmaNote& note) override;

    void Check(const RdmaFlow& flow) const;
    uint32_t FindFlow(uint64_t id) const;
    void PrepareWaits();
    void PrepareNews();
    void Tell(const NewsList& list, uint64_t index, uint32_t node);
    void Learn(uint32_t index, uint32_t place, RdmaPs delay);
    std::string DescribeWait(const Wait& wait) const;
    void Append(std::vector<RdmaFlow> flows);

    Ptr<RdmaFabric> m_fabric;  //!< fabric that carries the flows
    RdmaFlowWindow m_window;   //!< the counted flows
    std::deque<Flow> m_flows;  //!< flows in ascending order of id; references stay valid
    RdmaFlowCalendar m_starts; //!< schedules the starts of flows
    std::vector<RdmaFlowDependency> m_dependencies; //!< until Install()
    std::map<uint32_t, Wait> m_waits; //!< flows that wait, or have waited, by position
    NewsList m_newsOfSenders;         //!< who is to be told that a sender has its completion
    NewsList m_newsOfReceivers;       //!< who is to be told that a flow has arrived
    uint64_t m_counted{0};            //!< number of counted flows
    // Senders may run on different threads.
    std::atomic<uint64_t> m_started{0};      //!< number of flows that started
    std::atomic<uint64_t> m_news{0};         //!< ends of flows of which news is on the way
    std::atomic<uint64_t> m_ended{0};        //!< number of flows that ended
    std::atomic<uint64_t> m_completed{0};    //!< number of flows that completed successfully
    std::atomic<uint64_t> m_countedEnded{0}; //!< number of counted flows that ended
    std::atomic<int64_t> m_lastEndPs{0};     //!< latest end of a counted flow, in picoseconds
    bool m_stopWhenDone{true};               //!< stop the simulation after the last flow has ended
};

} // namespace ns3

#endif /* RDMA_FLOW_RUNNER_BASE_H */
