/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_WORKLOAD_H
#define RDMA_WORKLOAD_H

#include "rdma-flow.h"
#include "rdma-part.h"
#include "rdma-topology.h"

#include <ns3/object.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-workload Workloads
 *
 * Classes that generate the flows of a run. All random numbers come from ns-3's streams, so flows
 * depend only on the attributes, on RngSeedManager's seed and run, and on the stream numbers.
 *
 *     const auto flows = MakeRdmaFlows("incast:8[Bytes=200000]", topology);
 *
 * Scripts can define workload classes, preferably derived from RdmaGeneratedWorkload. Programs
 * accept such a class by name (RdmaPart):
 *
 *     rdma-fabric --workload='ns3::OwnWorkload[N=5]'
 * @{
 */

/** Base class of all workloads. A workload generates the flows of a run. */
class RdmaWorkload : public Object
{
  public:
    /// First random stream of a workload, far above the low numbers that models commonly use.
    static constexpr int64_t FIRST_STREAM = 1'000'000;

    /** \return the object TypeId */
    static TypeId GetTypeId();

    /// Sets ns-3's time resolution to femtoseconds.
    RdmaWorkload();

    /**
     * Generates the flows. Random variables continue from their current state, so a second call
     * generates different flows.
     * \param topology topology with the hosts and the rates of their links
     * \return the flows, in any order, with unique ids
     * \throws std::invalid_argument naming the accepted values if an attribute does not fit the
     *         topology
     * \throws RdmaFileError for a file that cannot be read
     */
    virtual std::vector<RdmaFlow> MakeFlows(const RdmaTopology& topology) = 0;

    /**
     * Generates the flows for a caller that has no use for dependencies.
     * \param topology as in MakeFlows()
     * \return the flows of MakeFlows(), which all start at their own times
     * \throws std::invalid_argument if a flow waits for others, and as MakeFlows() does
     */
    std::vector<RdmaFlow> MakeIndependentFlows(const RdmaTopology& topology);

    /**
     * \return those of the flows of the latest MakeFlows() that wait for the ends of others; the
     *         default implementation returns none
     */
    virtual std::vector<RdmaFlowDependency> GetDependencies() const;

    /**
     * \return the window of the counted flows if the workload has one; MakeFlows() then generates
     *         the flows up to the end of the window, and MakeMoreFlows() the later flows
     */
    virtual std::optional<RdmaFlowWindow> GetWindow() const;

    /**
     * Generates the flows after the flows of MakeFlows() and of earlier calls, for workloads with
     * a window. The flows do not depend on the lengths of the intervals of the calls.
     * \param topology topology of MakeFlows()
     * \param until end of the interval in which the flows start
     * \return the flows in ascending order of start time; their ids continue
     */
    virtual std::vector<RdmaFlow> MakeMoreFlows(const RdmaTopology& topology, RdmaPs until);

    /**
     * Assigns a separate stream to each random variable. The default implementation assigns none.
     * \param stream number of the first stream, 0 or more
     * \return number of streams reserved for the workload
     */
    virtual int64_t AssignStreams(int64_t stream);

  protected:
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
};

/**
 * Creates a workload with random streams from RdmaWorkload::FIRST_STREAM on. Prints a note if its
 * hosts are to send faster than their links.
 * \param workload a workload class with attribute values
 * \return the workload
 */
Ptr<RdmaWorkload> MakeRdmaWorkload(const RdmaPart& workload);

/**
 * Generates the flows of a workload with random streams from RdmaWorkload::FIRST_STREAM on.
 * \param workload a workload class with attribute values
 * \param topology topology with the hosts of the flows
 * \return the flows
 * \throws exceptions of RdmaWorkload::MakeFlows(); std::invalid_argument if flows wait for others
 */
std::vector<RdmaFlow> MakeRdmaFlows(const RdmaPart& workload, const RdmaTopology& topology);

/**
 * Generates the flows of a workload given as text, as the function for an RdmaPart does.
 * \param workload a workload as text, for instance "poisson", "incast:8[Bytes=200000]",
 *        "permutation", "file:PATH" or "ns3::OwnWorkload"
 * \param topology topology with the hosts of the flows
 * \return the flows
 * \throws exceptions of RdmaPart::Parse() and RdmaWorkload::MakeFlows()
 */
std::vector<RdmaFlow> MakeRdmaFlows(const std::string& workload, const RdmaTopology& topology);

/** @} */

} // namespace ns3

#endif /* RDMA_WORKLOAD_H */
