/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SCHEDULE_JOB_H
#define RDMA_SCHEDULE_JOB_H

#include "rdma-collective.h"
#include "rdma-operation-graph.h"
#include "rdma-operation.h"
#include "rdma-ps.h"
#include "rdma-rank-program.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class RdmaOperationSchedule;

/**
 * \ingroup rdma-collective
 * What one job of a schedule does: a program for each of its ranks, which begin together.
 * RdmaOperationSchedule::AddJob() makes jobs. All functions but those on ends are for the time
 * before RdmaOperationSchedule::Install(), and throw std::invalid_argument for a rank, an operation
 * or a communicator that does not exist.
 */
class RdmaScheduleJob
{
  public:
    using After = RdmaOperationGraph::After; //!< what an operation waits for in another one

    /**
     * \param schedule schedule of the job
     * \param name name of the job, for messages
     * \param start instant at which the job begins
     */
    RdmaScheduleJob(RdmaOperationSchedule& schedule, std::string name, RdmaPs start);

    RdmaScheduleJob(const RdmaScheduleJob&) = delete;
    RdmaScheduleJob& operator=(const RdmaScheduleJob&) = delete;

    /** \return name of the job */
    const std::string& GetName() const
    {
        return m_name;
    }

    /** \return instant at which the job begins */
    RdmaPs GetStart() const
    {
        return m_start;
    }

    /**
     * Adds an operation.
     *
     * \param rank rank that carries it out
     * \param operation the operation
     * \param after operations of the rank that must have ended before
     * \return number of the operation among those of the rank in this job, from 0
     */
    uint32_t Add(uint32_t rank,
                 const RdmaOperation& operation,
                 const std::vector<uint32_t>& after = {});

    /**
     * Lets an operation wait for another one of its rank.
     *
     * \param rank the rank
     * \param operation number of the operation that waits
     * \param before number of the other operation
     * \param after what the operation waits for
     */
    void AddDependency(uint32_t rank,
                       uint32_t operation,
                       uint32_t before,
                       After after = After::END);

    /**
     * Lets an operation wait for an operation of another rank, without a message. On several
     * threads, a schedule with such an edge runs on one.
     *
     * \param from rank of the operation that ends first
     * \param before number of that operation
     * \param to rank of the operation that waits
     * \param operation number of the operation that waits
     * \param delay time from the end of the one to the earliest begin of the other, 1 ps or more
     */
    void AddEdge(uint32_t from, uint32_t before, uint32_t to, uint32_t operation, RdmaPs delay);

    /**
     * Adds a collective: one operation for each rank of a communicator, which ends when the rank
     * has done its part. Several calls on one communicator may be in progress at a time; their
     * messages do not mix.
     *
     * \param communicator number of the communicator
     * \param collective what the ranks do; not to be changed later
     * \param bytes size, see RdmaCollective::MakePrograms()
     * \param after for each member of the communicator, in order, operations of this rank that must
     *        have ended before; empty: none for all
     * \return the number of the operation at each member
     */
    std::vector<uint32_t> AddCollective(uint32_t communicator,
                                        Ptr<RdmaCollective> collective,
                                        uint64_t bytes,
                                        const std::vector<std::vector<uint32_t>>& after = {});

    /**
     * Gives a rank a program of one's own instead of listed operations.
     * \param rank a rank without operations in this job
     * \param program the program
     */
    void SetProgram(uint32_t rank, std::unique_ptr<RdmaRankProgram> program);

    /**
     * Begins another step of the job: operations that are added later belong to that step. This
     * orders nothing; it divides the results into steps (RdmaScheduleResults).
     */
    void BeginStep();

    /** \return number of steps: 1, and 1 for each call of BeginStep() */
    uint32_t GetNSteps() const
    {
        return m_nSteps;
    }

    /**
     * \param rank a rank of the job
     * \param operation number of an operation
     * \return number of its step, from 0
     */
    uint32_t GetStep(uint32_t rank, uint64_t operation) const;

    /**
     * Names an operation in results. Equal names are kept once.
     * \param rank a rank of the job
     * \param operation number of an operation
     * \param name the name
     */
    void SetName(uint32_t rank, uint32_t operation, const std::string& name);

    /**
     * \param rank a rank of the job
     * \param operation number of an operation
     * \return its name; without SetName(): "operation 5", for instance
     */
    std::string GetName(uint32_t rank, uint64_t operation) const;

    /**
     * \param rank a rank of the job
     * \return its operations that have ended, in the order of their ends, without the parts of
     *         collectives; empty without RdmaOperationSchedule::SetRecording()
     */
    std::vector<RdmaOperationRecord> GetRecords(uint32_t rank) const;

    /** \return the ranks of the job, in ascending order */
    std::vector<uint32_t> GetRanks() const;

    /**
     * \param rank a rank of the job
     * \return when it has ended; nothing: it has not, or another process of MPI runs it
     */
    std::optional<RdmaPs> GetEnd(uint32_t rank) const;

    /** \return when the last rank has ended; nothing: not all have ended */
    std::optional<RdmaPs> GetEnd() const;

  private:
    friend class RdmaOperationSchedule;

    /** What one rank does. */
    struct Part
    {
        std::unique_ptr<RdmaRankProgram> program;  //!< program; null: given away, or a graph
        std::unique_ptr<RdmaOperationGraph> graph; //!< listed operations, or null
        std::vector<uint32_t> steps;               //!< first operation of each step but the first
        std::vector<uint32_t> names;               //!< numbers of names by operation; 0: no name
        RdmaPs end{RDMA_NEVER};                    //!< when the rank has ended
    };

    RdmaOperationGraph& GetGraph(uint32_t rank);
    const Part& GetPart(uint32_t rank) const;

    RdmaOperationSchedule& m_schedule;                   //!< schedule of the job
    std::string m_name;                                  //!< name of the job
    RdmaPs m_start;                                      //!< instant at which the job begins
    std::map<uint32_t, Part> m_parts;                    //!< by rank
    uint32_t m_nSteps{1};                                //!< number of steps
    std::vector<std::string> m_names{""};                //!< names of operations
    std::unordered_map<std::string, uint32_t> m_numbers; //!< their places in m_names
};

} // namespace ns3

#endif /* RDMA_SCHEDULE_JOB_H */
