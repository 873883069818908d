/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FLOW_RUNNER_H
#define RDMA_FLOW_RUNNER_H

#include "rdma-completion-queue.h"
#include "rdma-flow-runner-base.h"
#include "rdma-queue-pair.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Runs flows over queue pairs.
 *
 * Each flow is a queue pair of its own that posts RDMA writes at the flow's start: one, or for a
 * flow above 2^31 bytes several in a row.
 */
class RdmaFlowRunner : public RdmaFlowRunnerBase
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
     * \param index a flow's place, counted from 0 by ascending id
     * \return its sending queue pair
     */
    Ptr<RdmaQueuePair> GetSender(uint64_t index) const;

  protected:
    void DoDispose() override;

  private:
    /** The queue pairs of a flow. */
    struct Pair
    {
        Ptr<RdmaQueuePair> sender;   //!< at the source
        Ptr<RdmaQueuePair> receiver; //!< at the destination
        uint64_t arrivedBytes{0};    //!< bytes of whole messages in the receiver's memory
    };

    void DoInstall() override;
    int64_t DoPrepare(uint64_t index) override;
    void DoStart(uint64_t index) override;
    void DoAddResult(uint64_t index, RdmaFlowResult& result) const override;
    std::string DoDescribe(uint64_t index, bool arrived) const override;

    void OnMessage(uint64_t index, const RdmaMessageArrival& arrival);
    void OnCompletion(const RdmaWorkCompletion& completion);
    int64_t ComputeIdealPs(uint64_t index) const;
    uint64_t GetMessageLimit(uint64_t index) const;

    std::vector<Pair> m_pairs;              //!< by the flow's place
    Ptr<RdmaCompletionQueue> m_completions; //!< of all senders
};

} // namespace ns3

#endif /* RDMA_FLOW_RUNNER_H */
