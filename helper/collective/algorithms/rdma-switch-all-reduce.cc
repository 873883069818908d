/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-lane-program.h"
#include "rdma-part-name.h"

namespace ns3
{

namespace
{

/** A rank gives the chunks of its vector to a switch, and receives those of the sum. */
class RdmaSwitchProgram final : public RdmaLaneProgram
{
  public:
    RdmaSwitchProgram(const RdmaCollectiveScope& scope,
                      const RdmaExchangeForm& form,
                      uint64_t bytes)
        : m_scope(scope),
          m_chunks(form.chunks),
          m_bytes(bytes)
    {
        m_send = AddLane("vector", m_chunks, form.depth);
        AddLane("sum", m_chunks, form.depth);
    }

  private:
    Step Make(uint32_t lane, uint64_t index) const override
    {
        const uint64_t bytes = GetRdmaShare(m_bytes, m_chunks, index);
        const auto neighbour = [this](int64_t offset) {
            return m_scope.GetRank(m_scope.GetNeighbour(offset));
        };
        Step step;
        step.operation =
            lane == m_send
                ? RdmaOperation::Combine(bytes, neighbour(1), m_scope.context, m_scope.tag)
                : RdmaOperation::Receive(bytes, neighbour(-1), m_scope.context, m_scope.tag);
        return step;
    }

    RdmaCollectiveScope m_scope; //!< the ranks
    uint64_t m_chunks;           //!< number of chunks
    uint64_t m_bytes;            //!< bytes of the vector
    uint32_t m_send{0};          //!< lane of what the rank gives
};

} // namespace

/**
 * \ingroup rdma-collective
 * All-reduce `all-reduce-in-switch`: a switch reduces the vectors of the ranks of one host, and
 * gives the sum to all of them (RdmaScaleUpNetwork). Each chunk is an all-reduce of its own. There
 * is one step, so Steps means nothing.
 */
class RdmaSwitchAllReduce : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaSwitchAllReduce")
                                .SetParent<RdmaCollective>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaSwitchAllReduce>();
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_REDUCE;
    }

    bool NeedsSwitch() const override
    {
        return true;
    }

    void Prepare(uint32_t ranks, uint64_t bytes) override
    {
        RdmaCollective::Prepare(ranks, bytes);
        Check(GetForm().eagerBytes == UINT64_MAX,
              "a value of EagerBytes",
              "none, because no rank waits for another one's receive");
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        return std::make_unique<RdmaSwitchProgram>(scope, GetForm(), bytes);
    }
};

NS_OBJECT_ENSURE_REGISTERED(RdmaSwitchAllReduce);

const RdmaPartName g_switchAllReduceName("all-reduce-in-switch",
                                         RdmaSwitchAllReduce::GetTypeId(),
                                         "",
                                         "all-reduce by the switch of a scale-up domain");

} // namespace ns3
