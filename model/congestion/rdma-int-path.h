/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INT_PATH_H
#define RDMA_INT_PATH_H

#include "rdma-congestion-control.h"
#include "rdma-int-format.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * What happened at a port between two packets that carried telemetry.
 */
struct RdmaIntStep
{
    double rateBps;     //!< rate of the port
    double txBytes;     //!< bytes that it sent in between
    double timePs;      //!< time in between, above 0
    double queueBytes;  //!< its queue now
    double queueBefore; //!< its queue at the packet before
};

/**
 * \ingroup rdma
 * Keeps the telemetry of a queue pair's last acknowledgement, to tell what changed since.
 *
 * Counters and clocks wrap; differences are taken modulo. Where the last telemetry is so old that
 * they could be ambiguous, the path begins anew: after a second, and after half of the time in
 * which the clock wraps or a port of the path can wrap its counter. With RdmaIntFormat::PAPER and
 * 100 Gb/s that is 5.4 ms.
 */
class RdmaIntPath
{
  public:
    /**
     * \param links on the way, one more than switches; room is made for these. 0: for
     * RDMA_INT_MAX_HOPS
     * \param format of the telemetry, PAPER or EXACT
     */
    RdmaIntPath(uint32_t links, RdmaIntFormat format);

    /**
     * Takes an acknowledgement, and lets use(const RdmaIntStep&) have each switch's step since the
     * last one, first switch first.
     *
     * An acknowledgement whose packet passed a switch no later than the last one's is old and
     * changes nothing. If the number of hops or the rate of one is another than before, or a
     * port would have sent more than it can, the path has changed: the telemetry is only kept.
     *
     * \param sample the acknowledgement
     * \param use takes a step
     * \return true if there was something to compare with
     */
    template <typename Use>
    bool Advance(const RdmaAckSample& sample, Use&& use)
    {
        const Kind kind = Compare(sample);
        if (kind == Kind::NEXT)
        {
            for (uint32_t i = 0; i < sample.hopCount; ++i)
            {
                use(GetStep(m_hops[i], sample.hops[i]));
            }
        }
        if (kind != Kind::OLD)
        {
            Keep(sample);
        }
        return kind == Kind::NEXT;
    }

    /** \return bytes that it has allocated */
    size_t GetMemory() const
    {
        return m_hops.capacity() * sizeof(Hop);
    }

  private:
    static constexpr QbbPs NEVER{std::numeric_limits<int64_t>::min() / 2}; //!< no time

    /** How an acknowledgement follows the last one. */
    enum class Kind
    {
        NEXT,  //!< newer, on the same path
        OTHER, //!< nothing to compare with
        OLD,   //!< older, or without telemetry
    };

    /** What is kept of a RdmaIntHop. */
    struct Hop
    {
        uint64_t txBytes;    //!< of RdmaIntHop
        QbbPs time;          //!< of RdmaIntHop
        uint32_t queueBytes; //!< of the class
        uint32_t rateKbps;   //!< low bits of the rate, to see that it changes
    };

    QbbPs GetTime(const Hop& before, const RdmaIntHop& hop) const;
    uint64_t GetTxBytes(const Hop& before, const RdmaIntHop& hop) const;
    RdmaIntStep GetStep(const Hop& before, const RdmaIntHop& hop) const;
    Kind Compare(const RdmaAckSample& sample) const;
    void Keep(const RdmaAckSample& sample);

    std::vector<Hop> m_hops; //!< of the last acknowledgement
    QbbPs m_last{NEVER};     //!< when it came
    RdmaIntFormat m_format;  //!< of the telemetry
};

} // namespace ns3

#endif /* RDMA_INT_PATH_H */
