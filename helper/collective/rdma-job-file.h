/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_JOB_FILE_H
#define RDMA_JOB_FILE_H

#include "rdma-operation-schedule.h"
#include "rdma-schedule-network.h"
#include "rdma-topology.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

struct RdmaJobFileContent;

/**
 * \ingroup rdma-collective
 * A file of jobs, each with ranks, groups of ranks, and the operations of a step. The format is
 * JSON; the manual's page on collectives describes all keys.
 *
 *     {
 *       "jobs": [{
 *         "name": "train", "ranks": 8, "steps": 2,
 *         "groups": {"tensor": {"size": 4}, "data": {"size": 2, "stride": 4, "priority": 4}},
 *         "step": [
 *           {"compute": "100us"},
 *           {"collective": "all-reduce-ring", "group": "tensor", "bytes": "4MB"},
 *           {"collective": "all-reduce-ring", "group": "data", "bytes": "64MB"}
 *         ]
 *       }]
 *     }
 *
 *     RdmaJobFile file("train.json");
 *     file.Fill(*schedule, topology);
 *
 * The ranks of the schedule are numbered through the jobs, in the order of the file.
 */
class RdmaJobFile
{
  public:
    /// First random stream of stragglers: one stream for each job.
    static constexpr int64_t FIRST_STREAM = 3'000'000;

    /**
     * Reads and checks a file.
     * \param path the file
     * \throws RdmaFileError that names line, field and accepted values
     */
    explicit RdmaJobFile(const std::string& path);
    ~RdmaJobFile();

    RdmaJobFile(const RdmaJobFile&) = delete;
    RdmaJobFile& operator=(const RdmaJobFile&) = delete;

    /** \return number of ranks of all jobs */
    uint32_t GetNRanks() const;

    /**
     * Makes the ranks and jobs of a schedule. The ranks are placed on the hosts of a topology as
     * the file says.
     *
     * \param schedule a schedule without ranks
     * \param topology topology of the network
     * \throws RdmaFileError for what does not fit, such as a message to a rank that does not exist
     */
    void Fill(RdmaOperationSchedule& schedule, const RdmaTopology& topology) const;

    /**
     * As the other function, for a network without a topology: each job has hosts of its own,
     * numbered from 0, with consecutive ranks on each of them.
     *
     * \param schedule a schedule without ranks
     */
    void Fill(RdmaOperationSchedule& schedule) const;

  private:
    class Reader;
    class Filler;

    void AddJobs(RdmaOperationSchedule& schedule) const;

    std::unique_ptr<RdmaJobFileContent> m_content; //!< what the file says
};

} // namespace ns3

#endif /* RDMA_JOB_FILE_H */
