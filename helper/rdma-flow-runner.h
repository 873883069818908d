/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_RUNNER_H
#define RDMA_FLOW_RUNNER_H

#include "qbb-time.h"
#include "rdma-completion-queue.h"
#include "rdma-fabric.h"
#include "rdma-flow-report.h"
#include "rdma-flow.h"
#include "rdma-queue-pair.h"

#include <ns3/object.h>

#include <memory>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs flows over a fabric and writes down what became of them.
 *
 * Each flow is a queue pair of its own that posts RDMA writes at the flow's start: one, or for a
 * flow above 2^31 bytes several in a row. Queue pairs are made in the order of flow ids, and flows
 * that start at one instant are posted in that order too, so the order in which flows are given
 * does not matter.
 *
 * A flow's completion time runs from posting to the last byte in the receiver's memory.
 */
class RdmaFlowRunner : public Object
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaFlowRunner();
    ~RdmaFlowRunner() override;

    /**
     * A new runner, with Install() done. The same in C++ and in Python, where ns-3's way of making
     * objects differs between releases.
     *
     * \param fabric the fabric
     * \param flows the flows, in any order
     * \return the runner
     */
    static Ptr<RdmaFlowRunner> Make(Ptr<RdmaFabric> fabric, const std::vector<RdmaFlow>& flows);

    /**
     * Makes the queue pairs and schedules the posting. Once, before the simulation runs.
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

    /** \return flows that ended, well or with an error */
    uint64_t GetNEnded() const;

    /** \return flows that completed */
    uint64_t GetNCompleted() const;

    /**
     * \return what became of each flow, by id. One that has not ended has a status that says what
     *         it waits for.
     */
    std::vector<RdmaFlowResult> GetResults() const;

    /**
     * \param index a flow's place, counted from 0 by ascending id
     * \return its sending queue pair
     */
    Ptr<RdmaQueuePair> GetSender(uint64_t index) const;

  protected:
    void DoDispose() override;

  private:
    /** A flow and what is known of it. */
    struct Flow
    {
        RdmaFlow flow;               //!< as it was given
        Ptr<RdmaQueuePair> sender;   //!< at the source
        Ptr<RdmaQueuePair> receiver; //!< at the destination
        uint64_t arrivedBytes{0};    //!< bytes of whole messages in the receiver's memory
        int64_t idealPs{0};          //!< completion time in an empty fabric
        int64_t fctPs{-1};           //!< completion time; negative: not yet
        int64_t cqePs{-1};           //!< time of the sender's completion; negative: not yet
        RdmaWcStatus status{RdmaWcStatus::SUCCESS}; //!< of the completion
        bool posted{false};                         //!< its start has come
        bool ended{false};                          //!< the sender has its last completion
    };

    void Prepare(uint64_t index);
    void OnStart();
    void Post(uint64_t index);
    void OnMessage(uint64_t index, const RdmaMessageArrival& arrival);
    void OnCompletion(const RdmaWorkCompletion& completion);
    int64_t ComputeIdealPs(const Flow& flow) const;
    uint64_t GetMessageLimit(const Flow& flow) const;
    std::string Describe(const Flow& flow) const;

    Ptr<RdmaFabric> m_fabric;               //!< where they run
    std::vector<Flow> m_flows;              //!< ascending by id
    std::vector<uint64_t> m_byStart;        //!< indices, ascending by start and id
    std::size_t m_nextStart{0};             //!< the next of m_byStart to post
    Ptr<RdmaCompletionQueue> m_completions; //!< of all senders
    QbbTimer<RdmaFlowRunner, &RdmaFlowRunner::OnStart> m_timer; //!< the next start
    uint64_t m_ended{0};                                        //!< flows that ended
    uint64_t m_completed{0};                                    //!< flows that completed
    bool m_stopWhenDone{true};                                  //!< stop with the last flow
};

} // namespace ns3

#endif /* RDMA_FLOW_RUNNER_H */
