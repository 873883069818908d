/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-collective.h"
#include "rdma-part-name.h"
#include "rdma-ring-program.h"
#include "rdma-schedule-rank.h"

#include <ns3/uinteger.h>

#include <utility>

namespace ns3
{

namespace
{

/** Programs one after the other. */
class RdmaStagesProgram final : public RdmaRankProgram
{
  public:
    static constexpr uint32_t STAGES = 3; //!< number of stages

    /**
     * \param scope the ranks
     * \param form how messages are sent
     * \param bytes bytes of the vector
     * \param group number of ranks of a group
     */
    RdmaStagesProgram(const RdmaCollectiveScope& scope,
                      const RdmaExchangeForm& form,
                      uint64_t bytes,
                      uint32_t group)
        : m_scope(scope),
          m_form(form),
          m_bytes(bytes),
          m_group(group)
    {
    }

    void Start(RdmaScheduleRank& rank) override
    {
        CallNext(rank);
    }

    void Ended(RdmaScheduleRank& rank, uint64_t /*id*/) override
    {
        if (++m_stage < STAGES)
        {
            CallNext(rank);
        }
    }

    bool IsDone() const override
    {
        return m_stage == STAGES;
    }

    std::string GetName(uint64_t id) const override
    {
        return "stage " + std::to_string(id) + " of the collective";
    }

    void DescribeWait(std::vector<std::string>& /*lines*/) const override
    {
        // The program of the present stage says what it waits for.
    }

  private:
    void CallNext(RdmaScheduleRank& rank)
    {
        const uint32_t local = m_scope.index % m_group;
        const uint32_t tag = 4 * m_scope.tag + m_stage;
        const auto inside = m_scope.MakePart(m_scope.index - local, 1, m_group, local, tag);
        const auto across =
            m_scope.MakePart(local, m_group, m_scope.count / m_group, m_scope.index / m_group, tag);
        std::vector<std::unique_ptr<RdmaRankProgram>> programs;
        if (m_stage == 1 && across.count > 1)
        {
            programs.push_back(
                std::make_unique<RdmaRingProgram>(across,
                                                  m_form,
                                                  GetRdmaShare(m_bytes, m_group, local),
                                                  RdmaRingProgram::Part::BOTH));
        }
        else if (m_stage != 1 && m_group > 1)
        {
            programs.push_back(std::make_unique<RdmaRingProgram>(
                inside,
                m_form,
                m_bytes,
                m_stage == 0 ? RdmaRingProgram::Part::REDUCE_SCATTER
                             : RdmaRingProgram::Part::ALL_GATHER));
        }
        rank.Call(std::move(programs), *this, m_stage);
    }

    RdmaCollectiveScope m_scope; //!< the ranks
    RdmaExchangeForm m_form;     //!< how messages are sent
    uint64_t m_bytes;            //!< bytes of the vector
    uint32_t m_group;            //!< number of ranks of a group
    uint32_t m_stage{0};         //!< the present stage
};

} // namespace

/**
 * \ingroup rdma-collective
 * All-reduce `all-reduce-hierarchical:GROUP`: the ranks form groups of consecutive ranks, such as
 * those of a host. First a ring reduce-scatter in each group; then, among the ranks with the same
 * place in their groups, a ring all-reduce of their part; then a ring all-gather in each group.
 * Each channel carries a part of the vector through all three stages. With several channels, one
 * channel can be in a later stage than another.
 */
class RdmaHierarchicalAllReduce : public RdmaCollective
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RdmaHierarchicalAllReduce")
                .SetParent<RdmaCollective>()
                .SetGroupName("Rdma")
                .AddConstructor<RdmaHierarchicalAllReduce>()
                .AddAttribute("Group",
                              "Number of ranks of a group, which divides the number of ranks.",
                              UintegerValue(8),
                              MakeUintegerAccessor(&RdmaHierarchicalAllReduce::m_group),
                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    Operation GetOperation() const override
    {
        return Operation::ALL_REDUCE;
    }

    void Prepare(uint32_t ranks, uint64_t bytes) override
    {
        RdmaCollective::Prepare(ranks, bytes);
        Check(ranks % m_group == 0,
              std::to_string(ranks) + " ranks in groups of " + std::to_string(m_group),
              "a multiple of Group");
    }

  protected:
    std::unique_ptr<RdmaRankProgram> MakeProgram(const RdmaCollectiveScope& scope,
                                                 uint64_t bytes) const override
    {
        return std::make_unique<RdmaStagesProgram>(scope, GetForm(), bytes, m_group);
    }

  private:
    uint32_t m_group{8}; //!< value of the attribute Group
};

NS_OBJECT_ENSURE_REGISTERED(RdmaHierarchicalAllReduce);

const RdmaPartName g_hierarchicalAllReduceName("all-reduce-hierarchical",
                                               RdmaHierarchicalAllReduce::GetTypeId(),
                                               "",
                                               "all-reduce within groups and between them",
                                               {"Group?"});

} // namespace ns3
