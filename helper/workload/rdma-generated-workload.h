/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_GENERATED_WORKLOAD_H
#define RDMA_GENERATED_WORKLOAD_H

#include "rdma-ps.h"
#include "rdma-workload.h"

#include <ns3/nstime.h>
#include <ns3/random-variable-stream.h>

#include <cstddef>

namespace ns3
{

/**
 * \ingroup rdma-workload
 * Base class of workloads that are computed instead of read from a file.
 *
 * A derived class implements Generate(), which determines sender, receiver, size and start of each
 * flow. RdmaGeneratedWorkload sets priority and destination port of all flows, sorts the flows and
 * numbers them.
 */
class RdmaGeneratedWorkload : public RdmaWorkload
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * \param topology a topology with at least two hosts
     * \return the flows in ascending order of start time, then of sender, with ids from 0
     * \throws std::invalid_argument under the conditions of RdmaWorkload::MakeFlows()
     */
    std::vector<RdmaFlow> MakeFlows(const RdmaTopology& topology) final;

    std::vector<RdmaFlow> MakeMoreFlows(const RdmaTopology& topology, RdmaPs until) final;

  protected:
    /// Random streams of generated workloads, relative to the first: one for each kind of decision.
    enum Stream
    {
        STREAM_TIME,
        STREAM_HOST,
        STREAM_SIZE,
        STREAM_PERMUTATION,
        N_STREAMS
    };

    /**
     * \param topology a topology with at least two hosts
     * \return the flows of the workload, made by MakeFlow(), in any order
     * \throws std::invalid_argument under the conditions of RdmaWorkload::MakeFlows()
     */
    virtual std::vector<RdmaFlow> Generate(const RdmaTopology& topology) = 0;

    /**
     * Continues Generate(), for workloads with a window.
     * \param topology topology of Generate()
     * \param until end of the interval in which the flows start
     * \return further flows that start before \p until, made by MakeFlow(), in any order
     */
    virtual std::vector<RdmaFlow> GenerateMore(const RdmaTopology& topology, RdmaPs until);

    /// \return value of the attribute Start
    RdmaPs GetStart() const;

    /**
     * \param src node id of the sender
     * \param dst node id of the receiver
     * \param bytes flow size, 1 to RDMA_MAX_FLOW_BYTES
     * \param after start of the flow relative to the attribute Start
     * \return a flow without an id; attributes determine priority and destination port
     */
    RdmaFlow MakeFlow(uint32_t src, uint32_t dst, uint64_t bytes, RdmaPs after) const;

    /**
     * Checks a time that is relative to the attribute Start.
     * \param attribute name of the attribute that contains the time
     * \param time value of that attribute
     * \param min smallest accepted time
     * \return the time in picoseconds
     * \throws std::invalid_argument if the time is below \p min, or if Start plus the time exceeds
     *         the range of the simulator clock
     */
    RdmaPs CheckTime(const std::string& attribute, const Time& time, RdmaPs min) const;

    /**
     * \param variable source of randomness
     * \param n number of values, 1 or more
     * \return a uniformly distributed integer from 0 to n - 1
     */
    static uint32_t Draw(const Ptr<UniformRandomVariable>& variable, std::size_t n);

  private:
    std::vector<RdmaFlow> Number(std::vector<RdmaFlow> flows);

    uint64_t m_nextId{0};     //!< id of the next flow
    Time m_start{0};          //!< value of the attribute Start
    uint32_t m_priority{3};   //!< value of the attribute Priority
    uint32_t m_dstPort{4791}; //!< value of the attribute DestinationPort
};

} // namespace ns3

#endif /* RDMA_GENERATED_WORKLOAD_H */
