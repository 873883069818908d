/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_PLACEMENT_H
#define RDMA_PLACEMENT_H

#include "rdma-part.h"
#include "rdma-topology.h"

#include <ns3/object.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Size of a job.
 */
struct RdmaJobSize
{
    /// Hosts of the job. 0, for a job that is alone: all hosts of the topology, or those of the
    /// file
    uint32_t hosts{0};
    uint32_t ranks{0}; //!< ranks of the job, a multiple of its hosts; 0: the job has no ranks
};

/**
 * \ingroup rdma-workload
 * Where a rank of a job is.
 */
struct RdmaRankPlace
{
    uint32_t host{0}; //!< id of the host in the topology
    uint32_t nic{0};  //!< number of the NIC in the host, as in RdmaFabric::GetNic(host, nic)

    /// \param other another place \return true if both are the same NIC
    bool operator==(const RdmaRankPlace& other) const
    {
        return host == other.host && nic == other.nic;
    }
};

/**
 * \ingroup rdma-workload
 * Where a job is.
 */
struct RdmaJobPlace
{
    std::vector<uint32_t> hosts;      //!< ids of the hosts in the topology, by host of the job
    std::vector<RdmaRankPlace> ranks; //!< places of the ranks, by rank of the job
};

/**
 * \ingroup rdma-workload
 * Places jobs on the hosts of a topology, and the ranks of a job on the NICs of its hosts.
 *
 * A job numbers its hosts from 0. A workload of rdma-fabric is one job; with the option placement,
 * its flows name hosts of the job:
 *
 *     rdma-fabric --topology=rail:4x8x8x4 --placement=random --workload=permutation
 *
 * A kind of placement is a part (RdmaPart). A new kind is one file that implements ChooseHosts().
 * examples/own/rdma-own-placement.cc is an example.
 */
class RdmaPlacement : public Object
{
  public:
    /// First random stream of a placement, above those of workloads.
    static constexpr int64_t FIRST_STREAM = 8'000'000;

    /** Order of the ranks of a job. ns-3 before 3.41 takes only unscoped enumerations. */
    enum RankOrder
    {
        BY_HOST, //!< the first ranks are on the first host, the next ones on the second
        BY_NIC,  //!< each host has one rank before any has two
    };

    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * Places jobs. Random variables continue from their current state, so a second call places the
     * jobs differently.
     *
     * \param topology topology with the hosts and their NICs
     * \param jobs sizes of the jobs, one or more
     * \return the places of the jobs; the hosts of a job are different
     * \throws std::invalid_argument with the accepted values for jobs that have no room, and for
     *         ranks that do not divide evenly among the hosts
     * \throws RdmaFileError for a file that cannot be read
     */
    std::vector<RdmaJobPlace> Place(const RdmaTopology& topology,
                                    const std::vector<RdmaJobSize>& jobs);

    /** \return attribute Hosts: hosts of the job of rdma-fabric; 0: see RdmaJobSize::hosts */
    uint32_t GetJobHosts() const
    {
        return m_jobHosts;
    }

    /**
     * Assigns a separate stream to each random variable. The default implementation assigns none.
     * \param stream number of the first stream, 0 or more
     * \return number of streams reserved for the placement
     */
    virtual int64_t AssignStreams(int64_t stream);

  protected:
    /**
     * Chooses the hosts of jobs.
     *
     * \param topology topology with the hosts
     * \param jobs sizes of the jobs; their sum is at most the number of hosts, unless hosts of
     *        different jobs may be the same
     * \return ids of the hosts of each job, as many as its size says; Place() checks them
     * \throws std::invalid_argument with the accepted values if an attribute does not fit
     */
    virtual std::vector<std::vector<uint32_t>> ChooseHosts(
        const RdmaTopology& topology,
        const std::vector<RdmaJobSize>& jobs) = 0;

    /**
     * Chooses the NICs of a job's ranks. The default implementation follows the attribute
     * RankOrder: with R ranks on each host, rank r of a host with N NICs uses NIC r x N / R,
     * rounded down, so that neighbours share a NIC where there are fewer NICs than ranks.
     *
     * \param topology topology with the hosts
     * \param job number of the job
     * \param hosts ids of the hosts of the job
     * \param ranks number of ranks, a multiple of the number of hosts
     * \return the places of the ranks
     * \throws std::invalid_argument with the accepted values if an attribute does not fit
     */
    virtual std::vector<RdmaRankPlace> ChooseRanks(const RdmaTopology& topology,
                                                   uint32_t job,
                                                   const std::vector<uint32_t>& hosts,
                                                   uint32_t ranks) const;

    /**
     * \param jobs sizes of jobs
     * \param most number of hosts
     * \return the hosts of each job, where a sole job of size 0 has all hosts
     * \throws std::invalid_argument if the jobs need more hosts than there are, or none
     */
    std::vector<uint32_t> GetSizes(const std::vector<RdmaJobSize>& jobs, std::size_t most) const;

    /**
     * Divides hosts among jobs, the first to the first job.
     * \param jobs sizes of jobs
     * \param hosts ids of all hosts, in the order in which jobs take them
     * \return the hosts of each job
     * \throws std::invalid_argument as GetSizes() does
     */
    std::vector<std::vector<uint32_t>> Deal(const std::vector<RdmaJobSize>& jobs,
                                            const std::vector<uint32_t>& hosts) const;

    /**
     * Rejects the value of an attribute.
     * \param attribute name of the attribute
     * \param value rejected value
     * \param accepted description of accepted values
     * \throws std::invalid_argument always
     */
    [[noreturn]] void Refuse(const std::string& attribute,
                             const std::string& value,
                             const std::string& accepted) const;

  private:
    uint32_t m_jobHosts{0};         //!< attribute Hosts
    RankOrder m_rankOrder{BY_HOST}; //!< attribute RankOrder
};

/**
 * \ingroup rdma-workload
 * Creates a placement with random streams from RdmaPlacement::FIRST_STREAM on.
 * \param text a placement as text: "blocks", "random[Together=4]", "spread", "file:PATH" or
 *        "ns3::OwnPlacement"
 * \return the placement
 * \throws std::invalid_argument as RdmaPart::Parse() does
 */
Ptr<RdmaPlacement> MakeRdmaPlacement(const std::string& text);

} // namespace ns3

#endif /* RDMA_PLACEMENT_H */
