/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_CRITICAL_PATH_H
#define RDMA_CRITICAL_PATH_H

#include "rdma-message-key.h"
#include "rdma-operation-schedule.h"
#include "rdma-operation.h"
#include "rdma-ps.h"
#include "rdma-result-table.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * A part of a critical path: one operation, or one message from its send to its arrival.
 */
struct RdmaPathPart
{
    RdmaPs begin{0};  //!< when it begins: the end of the part before
    RdmaPs end{0};    //!< when it ends
    uint32_t rank{0}; //!< rank at which it ends
    uint32_t from{0}; //!< rank at which it begins: the sender of a message, or `rank`
    RdmaPs waited{0}; //!< time for which the receiver of a message has waited
    /// the operation at the rank: its own, or the receive of the message
    RdmaOperationRecord operation;
};

/**
 * \ingroup rdma-collective
 * Finds what has made a schedule as long as it was. From the operation that ended last, the path
 * goes back through what each operation waited for: an operation of its own rank, the one that had
 * its unit, or a message of another rank, and then what let that rank send it. The parts of a path
 * follow each other without gaps.
 *
 * A received message counts from the begin of its send, with the time in which it waits for
 * messages before it. If the receive of a rendezvous message was late, the message counts from the
 * begin of the receive, and the path goes on at the receiver.
 */
class RdmaCriticalPath
{
  public:
    /**
     * \param schedule a schedule that has run, with RdmaRecording::MESSAGES; must outlive this
     *        object
     * \throws std::invalid_argument with another recording
     */
    explicit RdmaCriticalPath(const RdmaOperationSchedule& schedule);

    /**
     * \param job number of a job
     * \param step number of a step of the job
     * \return the path of the step in the order of time, from the end of the step before to the end
     *         of the step
     */
    std::vector<RdmaPathPart> Find(uint32_t job, uint32_t step);

    /**
     * \param job number of a job
     * \return the path of the whole job in the order of time
     */
    std::vector<RdmaPathPart> Find(uint32_t job);

    /** A row of path.csv: a part of the path of a job. */
    struct Row
    {
        std::string job;       //!< name of the job
        uint32_t step{0};      //!< number of the step
        RdmaPs begin{0};       //!< when the part begins
        RdmaPs end{0};         //!< when it ends
        uint32_t rank{0};      //!< rank at which it ends
        uint32_t from{0};      //!< rank at which it begins
        RdmaPs waited{0};      //!< time for which the receiver of a message has waited
        std::string operation; //!< name of the operation
        std::string text;      //!< what happens, in words
    };

    /** \return the columns of path.csv */
    static const RdmaResultTable<Row>& GetTable();

    /** \return path.csv: the paths of all jobs in the order of time */
    std::string Format();

    /**
     * \param part a part of a path
     * \return what happens in it, as in "rank 17 waited 212.000 us for message 3 of rank 16 ..."
     */
    std::string Describe(const RdmaPathPart& part) const;

    /**
     * Prints a path in words: its sums by kind, and its longest parts with their shares.
     *
     * \param os output stream
     * \param job number of a job
     * \param step number of a step of the job
     * \param most number of parts that are printed, the longest ones first
     */
    void Print(std::ostream& os, uint32_t job, uint32_t step, std::size_t most);

  private:
    /// Numbers of records by message.
    using Places = std::unordered_map<RdmaMessageKey, uint32_t, RdmaMessageKey::Hash>;

    /** The records of the messages of a rank. */
    struct Messages
    {
        Places sent;     //!< records of the rank's sends
        Places received; //!< records of the rank's receives
    };

    const Messages& GetMessages(uint32_t rank);
    const RdmaOperationRecord& FindOther(uint32_t rank, const RdmaOperationRecord& record);
    std::pair<uint32_t, RdmaOperationRecord> FindSender(uint32_t rank,
                                                        const RdmaOperationRecord& received);
    std::vector<RdmaPathPart> FindLast(uint32_t job, std::optional<uint32_t> step, RdmaPs limit);
    std::vector<RdmaPathPart> FindFrom(uint32_t rank, uint32_t place, RdmaPs limit);
    RdmaPs GetEnd(uint32_t job, uint32_t step) const;

    const RdmaOperationSchedule& m_schedule; //!< the schedule
    std::map<uint32_t, Messages> m_messages; //!< by rank, as far as paths have come
};

} // namespace ns3

#endif /* RDMA_CRITICAL_PATH_H */
