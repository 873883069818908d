/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SCHEDULE_RESULTS_H
#define RDMA_SCHEDULE_RESULTS_H

#include "rdma-operation-schedule.h"
#include "rdma-ps.h"
#include "rdma-result-table.h"
#include "rdma-run-folder.h"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-collective
 * Results of a step of a job: a row of steps.csv.
 */
struct RdmaStepResult
{
    std::string job;         //!< name of the job
    uint32_t step{0};        //!< number of the step, from 0
    RdmaPs begin{0};         //!< when the step before has ended at all ranks, or the job begins
    RdmaPs end{0};           //!< when the step has ended at all ranks
    RdmaPs meanComputing{0}; //!< mean over the ranks of the time in which a rank computes
    RdmaPs meanExposed{0};   //!< mean over the ranks of the exposed communication
    RdmaPs maxExposed{0};    //!< longest exposed communication of a rank
    uint32_t maxRank{0};     //!< the first rank with the longest exposed communication

    /** \return time of the step */
    RdmaPs GetTime() const
    {
        return end - begin;
    }
};

/**
 * \ingroup rdma-collective
 * Results of a call of a collective: a row of calls.csv.
 */
struct RdmaCallResult
{
    std::string job;       //!< name of the job
    uint32_t step{0};      //!< number of the step, from 0
    std::string name;      //!< name of the operation
    std::string group;     //!< name of the communicator
    std::string operation; //!< what the collective does, as nccl-tests call it
    uint32_t ranks{0};     //!< number of ranks
    uint64_t bytes{0};     //!< size
    RdmaPs begin{0};       //!< when the first rank enters
    RdmaPs entered{0};     //!< when the last rank enters
    RdmaPs end{0};         //!< when the last rank leaves
    double busFactor{1};   //!< ratio of busbw and algbw

    /** \return size / time from the first entry to the last end, in GB/s; 0: no time */
    double GetAlgorithmBandwidth() const;

    /** \return busbw, as nccl-tests define it, in GB/s */
    double GetBusBandwidth() const
    {
        return GetAlgorithmBandwidth() * busFactor;
    }
};

/**
 * \ingroup rdma-collective
 * Results of a schedule that has run with a recording: times of steps and calls, and a time line.
 *
 * A rank computes while at least one operation of its own for computing, copying or reducing is in
 * progress; what collectives reduce does not count. A step of a rank lasts from the end of its step
 * before, or the begin of the job, until its last operation of the step has ended. The rest of that
 * time is exposed communication: the rank computes nothing and waits for messages.
 */
class RdmaScheduleResults
{
  public:
    /**
     * \param schedule a schedule that has ended, with a recording; must outlive the object
     * \throws std::invalid_argument without a recording, or for a schedule that has not ended
     */
    explicit RdmaScheduleResults(const RdmaOperationSchedule& schedule);

    /** \return the steps, in the order of jobs and steps */
    const std::vector<RdmaStepResult>& GetSteps() const
    {
        return m_steps;
    }

    /** \return the calls, in the order in which they were added to the schedule */
    const std::vector<RdmaCallResult>& GetCalls() const
    {
        return m_calls;
    }

    /** \return the columns of steps.csv */
    static const RdmaResultTable<RdmaStepResult>& GetStepTable();

    /** \return the columns of calls.csv */
    static const RdmaResultTable<RdmaCallResult>& GetCallTable();

    /** \return steps.csv */
    std::string FormatSteps() const;

    /** \return calls.csv */
    std::string FormatCalls() const;

    /** Prints a table of the steps. \param os output stream */
    void PrintSteps(std::ostream& os) const;

    /**
     * Prints a table of the calls, with the columns of nccl-tests and the share of the bus
     * bandwidth in a rate.
     * \param os output stream
     * \param rate the rate in GB/s, above 0: that at which a rank can send
     */
    void PrintCalls(std::ostream& os, double rate) const;

    /**
     * Prints the critical path of the last step of each job (RdmaCriticalPath).
     * \param os output stream
     * \param most number of parts of a path that are printed, the longest ones first
     * \throws std::invalid_argument without a recording of messages
     */
    void PrintCriticalPaths(std::ostream& os, std::size_t most) const;

    /**
     * Writes steps.csv and calls.csv, and path.csv with a recording of messages.
     * \param folder folder of the run
     * \throws RdmaFileError if a file cannot be written
     */
    void Write(RdmaRunFolder& folder) const;

    /**
     * Writes a time line for Perfetto (https://ui.perfetto.dev) and chrome://tracing: a process for
     * each job, with tracks of each rank for computing and for messages, and arrows from sends to
     * receives. The text is the Trace Event Format (JSON object form), with events X, M, s and f.
     * Times are microseconds, with picosecond resolution.
     *
     * \param os output stream
     */
    void WriteTimeLine(std::ostream& os) const;

    /**
     * Writes the time line to a file.
     * \param path the file
     * \throws RdmaFileError if the file cannot be written
     */
    void SaveTimeLine(const std::string& path) const;

  private:
    void MakeSteps();
    void MakeCalls();

    const RdmaOperationSchedule& m_schedule; //!< the schedule
    std::vector<RdmaStepResult> m_steps;     //!< the steps
    std::vector<RdmaCallResult> m_calls;     //!< the calls
};

} // namespace ns3

#endif /* RDMA_SCHEDULE_RESULTS_H */
