/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_GAP_RULE_H
#define RDMA_GAP_RULE_H

#include "rdma-ps.h"
#include "rdma-ring-buffer.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * When a missing packet counts as lost, where packets overtake each other. Either limit suffices.
 */
struct RdmaGapLimits
{
    RdmaPs age{RDMA_NEVER}; //!< time after which a gap is a loss; RDMA_NEVER: age tells nothing
    uint32_t packets{0};    //!< packets beyond a gap that make the gap a loss; 0: number tells nothing
};

/**
 * \ingroup rdma
 * Tells a lost packet from a packet that others have overtaken.
 *
 * Packets of a stream are numbered in the order in which they were sent first. A packet with a
 * higher number that arrives is evidence that the missing packets below this number are late. A
 * missing packet is lost
 *
 * - once RdmaGapLimits::age has passed since the first such evidence, or
 * - once a packet has arrived whose number is higher by RdmaGapLimits::packets or more.
 *
 * Packets on paths of different length arrive in any order, but no packet is later than the queues
 * of its path can make it. With an age as long as this difference, no overtaken packet counts as
 * lost. The packet threshold is that of RACK's predecessors (RFC 8985, section 3.1).
 *
 * The object keeps one entry for each instant at which the highest number has risen, as long as
 * a packet below this number is missing. The object does not know which packets have arrived: its
 * user asks GetLostEnd() and looks for the packets that are missing below the result.
 */
class RdmaGapRule
{
  public:
    /**
     * Packets have arrived out of order.
     *
     * \param end one more than the highest number of a packet that has arrived
     * \param now current time, not before the time of an earlier call
     */
    void Arrived(uint64_t end, RdmaPs now);

    /** All packets below a number have arrived. \param number the number */
    void Complete(uint64_t number);

    /**
     * \param limits when a gap is a loss
     * \param now current time
     * \return a packet number: missing packets below this number are lost
     */
    uint64_t GetLostEnd(const RdmaGapLimits& limits, RdmaPs now);

    /**
     * \param limits when a gap is a loss
     * \return time at which GetLostEnd() rises next because time passes, or RDMA_NEVER
     */
    RdmaPs GetDeadline(const RdmaGapLimits& limits) const;

  private:
    /** Evidence that packets are late. */
    struct Evidence
    {
        uint64_t end;  //!< packets below this number are late if they are missing
        RdmaPs since;  //!< time of the evidence
    };

    RdmaRingBuffer<Evidence> m_evidence; //!< evidence not yet old, in order of time and of number
    uint64_t m_end{0};                   //!< largest `end` ever
    uint64_t m_lostEnd{0};               //!< missing packets below this number are lost
};

} // namespace ns3

#endif /* RDMA_GAP_RULE_H */
