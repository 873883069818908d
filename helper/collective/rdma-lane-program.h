/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_LANE_PROGRAM_H
#define RDMA_LANE_PROGRAM_H

#include "rdma-operation.h"
#include "rdma-rank-program.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * A program whose operations are made by number, when they can begin.
 *
 * The operations form lanes. Those of a lane begin in order, and a limited number of them is in
 * progress at a time. An operation may wait for other lanes: until the first so many operations of
 * another lane have ended. The program therefore keeps a few numbers for each lane, however many
 * operations there are.
 *
 * A derived class adds its lanes in the constructor, and implements Make().
 */
class RdmaLaneProgram : public RdmaRankProgram
{
  public:
    // Inherited from RdmaRankProgram
    void Start(RdmaScheduleRank& rank) override;
    void Ended(RdmaScheduleRank& rank, uint64_t id) override;
    bool IsDone() const override;
    std::string GetName(uint64_t id) const override;
    void DescribeWait(std::vector<std::string>& lines) const override;

  protected:
    /** Until when an operation waits for another lane. */
    struct Wait
    {
        uint32_t lane{0};  //!< number of the lane
        uint64_t count{0}; //!< the first so many operations of the lane have ended
    };

    /** An operation and what it waits for. */
    struct Step
    {
        RdmaOperation operation;     //!< the operation
        std::array<Wait, 2> waits{}; //!< all of these must be met
    };

    /**
     * Adds a lane.
     *
     * \param name what the operations of the lane do, for messages, as in "send"
     * \param count number of operations, 0 or more
     * \param depth most operations that are in progress at a time, 1 or more
     * \return number of the lane, from 0
     */
    uint32_t AddLane(const char* name, uint64_t count, uint32_t depth);

  private:
    /**
     * \param lane number of a lane
     * \param index number of an operation in the lane, from 0
     * \return the operation; the same one whenever it is asked for
     */
    virtual Step Make(uint32_t lane, uint64_t index) const = 0;

    static constexpr uint32_t LANE_BITS = 8; //!< bits of a lane's number in an operation's number

    /** Operations that begin in order. */
    struct Lane
    {
        const char* name{""};     //!< what the operations do
        uint64_t count{0};        //!< number of operations
        uint64_t begun{0};        //!< number of operations that have begun
        uint64_t ended{0};        //!< the first so many have ended
        uint32_t depth{1};        //!< most operations in progress at a time
        uint32_t active{0};       //!< number of operations in progress
        std::vector<bool> isOver; //!< from number ended on: the operation has ended; a ring
    };

    bool IsMet(const Step& step) const;
    void BeginAll(RdmaScheduleRank& rank);

    std::vector<Lane> m_lanes; //!< the lanes
};

} // namespace ns3

#endif /* RDMA_LANE_PROGRAM_H */
