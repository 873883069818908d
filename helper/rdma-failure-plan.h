/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FAILURE_PLAN_H
#define RDMA_FAILURE_PLAN_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"
#include "rdma-topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \brief A change of a link of an RdmaTopology at an instant.
 */
struct RdmaLinkChange
{
    /** What changes. */
    enum class Kind : uint8_t
    {
        DOWN, //!< the link goes down
        UP,   //!< the link comes up
        RATE, //!< a port sends at another rate
        LOSS, //!< a direction loses frames with another probability
    };

    RdmaPs at{0};          //!< instant of the change
    Kind kind{Kind::DOWN}; //!< what changes
    uint32_t link{0};      //!< id of the link
    uint32_t from{0};      //!< id of the sending node; for RATE and LOSS
    RdmaBitRate rate{0};   //!< rate from now on; for RATE
    double loss{0};        //!< probability that a frame is lost from now on; for LOSS
};

/**
 * \ingroup rdma
 * \brief Failures of links and switches in the course of a run.
 *
 * A plan is a list of failures in any order. A failure is a text of three or four fields:
 *
 *     WHERE:EVENT:START[:STOP]
 *
 * WHERE | meaning
 * ----- | -------
 * spine-0 | all links of a node, by its name or its id
 * leaf-0/spine-1 | the link between two nodes, all of them if there are several
 * leaf-0/spine-1#2 | the second of these links
 * spine-1->leaf-0 | the direction from spine-1 to leaf-0, for rate and loss
 *
 * EVENT | meaning
 * ----- | -------
 * down | the links are down from START, up to STOP if there is one
 * up | what went down without a STOP comes up at START
 * rate=25Gbps | frames take this rate, which is at most the link's own
 * rate=25% | frames take this part of the link's own rate
 * loss=0.01 | frames get lost with this probability, from 0 to 1
 *
 * START and STOP are times with a unit. Without a STOP, the event holds until the end of the run.
 * At STOP the links are as the topology has them. A link is up if neither the link itself nor one
 * of its nodes is down. Failures of one text are separated by commas. A CSV file has one failure in
 * a line, with the columns where, event, start and stop, which may be empty.
 *
 *     RdmaFailurePlan plan =
 * RdmaFailurePlan::Parse("spine-0:down:100us,leaf-0/spine-1:rate=25%:0us");
 *     fabric->InstallFailures(plan);
 *
 * Refused, with the text or the line of the file: nodes and links that the topology lacks, a STOP
 * that is not after START, an up without a down, a down of what is down, two rates or losses of
 * one direction at one time, a rate of 0 or above the link's own.
 */
class RdmaFailurePlan
{
  public:
    /// The lowest rate that a link may get. A link that carries nothing is down.
    static constexpr RdmaBitRate MIN_RATE = 1_mbps;

    /** A failure. */
    struct Failure
    {
        std::string where;  //!< node, link or direction
        std::string event;  //!< what happens
        std::string start;  //!< begin, with a unit
        std::string stop;   //!< end, with a unit; empty: none
        std::string source; //!< file and line, for messages; empty: the text is quoted
    };

    /**
     * \param text failures with commas between them, or a file: file:PATH, or a path that ends with
     *        .csv; may be empty
     * \return the plan
     * \throws std::invalid_argument for another text
     * \throws RdmaFileError for a file that cannot be read or is not of this format
     */
    static RdmaFailurePlan Parse(const std::string& text);

    /** \param failure a further failure */
    void Add(const Failure& failure)
    {
        m_failures.push_back(failure);
    }

    /** \return the failures, as they were added */
    const std::vector<Failure>& GetFailures() const
    {
        return m_failures;
    }

    /** \return true if nothing fails */
    bool IsEmpty() const
    {
        return m_failures.empty();
    }

    /**
     * \param topology a topology
     * \return the changes of its links, in the order of time, then of the link. Changes that change
     *         nothing are left out.
     * \throws std::invalid_argument for a failure that the topology cannot have
     */
    std::vector<RdmaLinkChange> Resolve(const RdmaTopology& topology) const;

    /**
     * \param topology the topology
     * \return for each failure, the ids of the links that the failure changes
     * \throws std::invalid_argument as Resolve() does
     */
    std::vector<std::vector<uint32_t>> GetLinks(const RdmaTopology& topology) const;

    /**
     * \param topology a topology
     * \return the topology with the lowest rate that each link has in the course of the run, in
     *         either direction
     * \throws std::invalid_argument as Resolve() does
     */
    RdmaTopology GetSlowest(const RdmaTopology& topology) const;

    /**
     * \param topology the topology
     * \return the plan with the names of nodes in place of ids
     * \throws std::invalid_argument as Resolve() does
     */
    RdmaFailurePlan WithNames(const RdmaTopology& topology) const;

    /** \param failure a failure \return for instance "spine-0 down from 100us to 300us" */
    static std::string Describe(const Failure& failure);

    /**
     * \param time an instant of a run whose topology has accepted the plan
     * \return the failures that are in force at the instant, up to three of them and the number of
     *         the others; empty: none
     */
    std::string DescribeAt(RdmaPs time) const;

  private:
    std::vector<Failure> m_failures; //!< the failures
};

} // namespace ns3

#endif /* RDMA_FAILURE_PLAN_H */
