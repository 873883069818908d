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
    uint32_t packets{0}; //!< packets beyond a gap that make the gap a loss; 0: number tells nothing
    uint32_t margin{0};  //!< measured age over the largest lateness; 0: `age` is not reduced
    RdmaPs least{0};     //!< shortest measured age
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
 * An age as long as the largest difference that queues can make is many times the difference that
 * they make in most runs. With RdmaGapLimits::margin the object measures how late packets are that
 * were overtaken: from LEARNED such packets on, the age is the margin times the largest lateness so
 * far, at least RdmaGapLimits::least and at most RdmaGapLimits::age. Where a queue grows at once,
 * a late packet may then count as lost. Mistook() ends this. RACK (RFC 8985, section 6.2) adapts
 * its reordering window to what it sees, too.
 *
 * The object keeps one entry for each instant at which the highest number has risen, as long as
 * a packet below this number is missing. The object does not know which packets have arrived: its
 * user asks GetLostEnd() and looks for the packets that are missing below the result.
 */
class RdmaGapRule
{
  public:
    static constexpr uint32_t LEARNED = 16; //!< overtaken packets after which the age is measured

    /**
     * Packets have arrived out of order.
     *
     * \param end one more than the highest number of a packet that has arrived
     * \param now current time, not before the time of an earlier call
     */
    void Arrived(uint64_t end, RdmaPs now);

    /**
     * A packet has arrived that others had overtaken, and that did not count as lost. To be called
     * before Complete().
     *
     * \param number number of the packet
     * \param now current time
     */
    void Overtaken(uint64_t number, RdmaPs now);

    /** A packet that counted as lost was only late: RdmaGapLimits::age holds from now on. */
    void Mistook()
    {
        m_mistook = true;
    }

    /** \param limits when a gap is a loss \return age from which a gap is a loss */
    RdmaPs GetAge(const RdmaGapLimits& limits) const;

    /** All packets below a number have arrived. \param number the number */
    void Complete(uint64_t number);

    /**
     * \param limits when a gap is a loss
     * \param now current time
     * \return a packet number: missing packets below this number are lost
     */
    uint64_t GetLostEnd(const RdmaGapLimits& limits, RdmaPs now);

    /** \return one more than the highest number of a packet that has arrived out of order */
    uint64_t GetEnd() const
    {
        return m_end;
    }

    /**
     * \param limits when a gap is a loss
     * \return time at which GetLostEnd() rises next because time passes, or RDMA_NEVER
     */
    RdmaPs GetDeadline(const RdmaGapLimits& limits) const;

  private:
    /** Evidence that packets are late. */
    struct Evidence
    {
        uint64_t end; //!< packets below this number are late if they are missing
        RdmaPs since; //!< time of the evidence
    };

    RdmaRingBuffer<Evidence> m_evidence; //!< evidence not yet old, in order of time and of number
    uint64_t m_end{0};                   //!< largest `end` ever
    uint64_t m_lostEnd{0};               //!< missing packets below this number are lost
    RdmaPs m_lateness{0};                //!< largest lateness of an overtaken packet
    uint32_t m_overtaken{0};             //!< overtaken packets, LEARNED at most
    bool m_mistook{false};               //!< a late packet has counted as lost
};

} // namespace ns3

#endif /* RDMA_GAP_RULE_H */
