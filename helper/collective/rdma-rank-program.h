/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RANK_PROGRAM_H
#define RDMA_RANK_PROGRAM_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RdmaScheduleRank;

/**
 * \ingroup rdma-collective
 * What one rank does: begins operations, and learns that they have ended.
 *
 * A program keeps what it needs to make its next operations, not the operations: these exist from
 * RdmaScheduleRank::Begin() until their end. All calls come from events of the rank's node. A
 * program therefore touches nothing of other ranks; what several programs read must not change
 * during a run.
 *
 * RdmaOperationGraph is a program of listed operations. RdmaLaneProgram makes its operations by
 * number, as collectives do.
 */
class RdmaRankProgram
{
  public:
    virtual ~RdmaRankProgram() = default;

    /** Begins the first operations. \param rank the rank */
    virtual void Start(RdmaScheduleRank& rank) = 0;

    /**
     * An operation with RdmaOperation::tellsBegin has begun: its unit has taken it.
     * \param rank the rank
     * \param id the program's number for the operation
     */
    virtual void Begun(RdmaScheduleRank& /*rank*/, uint64_t /*id*/)
    {
    }

    /**
     * An operation has ended.
     * \param rank the rank
     * \param id the program's number for the operation
     */
    virtual void Ended(RdmaScheduleRank& rank, uint64_t id) = 0;

    /** \return true if all operations have ended */
    virtual bool IsDone() const = 0;

    /**
     * \param id the program's number for an operation
     * \return name of the operation within the program, for messages, as in "operation 5"
     */
    virtual std::string GetName(uint64_t id) const = 0;

    /**
     * \param [in,out] lines takes one line for each of some operations that have not begun, which
     *        says what it waits for; no more than a few lines
     */
    virtual void DescribeWait(std::vector<std::string>& lines) const = 0;

    /** The programs of one call, of which RdmaScheduleRank keeps account. */
    struct Group;

    /** \param group the programs of which this is one */
    void SetGroup(Group* group)
    {
        m_group = group;
    }

    /** \return the programs of which this is one */
    Group* GetGroup() const
    {
        return m_group;
    }

  private:
    Group* m_group{nullptr}; //!< the programs of which this is one
};

} // namespace ns3

#endif /* RDMA_RANK_PROGRAM_H */
