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
 * Change of a port's telemetry between two packets that carried telemetry.
 */
struct RdmaIntStep
{
    double rateBps;     //!< rate of the port in bit/s
    double txBytes;     //!< bytes that the port sent between the packets
    double timePs;      //!< time between the packets in picoseconds, above 0
    double queueBytes;  //!< queue length at the later packet
    double queueBefore; //!< queue length at the earlier packet
};

/**
 * \ingroup rdma
 * Keeps the telemetry of a queue pair's last acknowledgement and computes the changes since then.
 *
 * Counters and clocks wrap, so differences are taken modulo their range. When the last telemetry is
 * too old for unambiguous differences, the path begins anew: after a second, and after half of the
 * time in which the clock wraps or a port of the path can wrap its counter. With
 * RdmaIntFormat::PAPER and 100 Gb/s that half is 5.4 ms.
 */
class RdmaIntPath
{
  public:
    /**
     * \param links number of links on the path; memory is reserved for one switch fewer. 0: memory
     *        for RDMA_INT_MAX_HOPS switches
     * \param format of the telemetry, PAPER or EXACT
     */
    RdmaIntPath(uint32_t links, RdmaIntFormat format);

    /**
     * Processes an acknowledgement: calls use(const RdmaIntStep&) with the change at each switch
     * since the last acknowledgement, first switch first.
     *
     * An acknowledgement whose packet passed a switch no later than the packet of the last one is
     * old and changes nothing. The path has changed if the number of hops or the rate of a port
     * differs, or if a port would have sent more than its rate allows. The telemetry of a changed
     * path is stored without calling \p use.
     *
     * \param sample the acknowledgement
     * \param use called with each step
     * \return true if the acknowledgement could be compared with the last one
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

    /** \return bytes of memory allocated for telemetry */
    size_t GetMemory() const
    {
        return m_hops.capacity() * sizeof(Hop);
    }

  private:
    /// Time before all others
    static constexpr RdmaPs NEVER{std::numeric_limits<int64_t>::min() / 2};

    /** Relation of an acknowledgement to the last one. */
    enum class Kind
    {
        NEXT,  //!< newer, on the same path
        OTHER, //!< not comparable: the path is new, has changed or its telemetry is too old
        OLD,   //!< older than the last one, or without telemetry
    };

    /** The kept part of an RdmaIntHop. */
    struct Hop
    {
        uint64_t txBytes;    //!< RdmaIntHop::txBytes
        RdmaPs time;         //!< RdmaIntHop::time
        uint32_t queueBytes; //!< queue length of the class
        uint32_t rateKbps;   //!< low 32 bits of the rate in kbit/s, to detect a change
    };

    RdmaPs GetTime(const Hop& before, const RdmaIntHop& hop) const;
    uint64_t GetTxBytes(const Hop& before, const RdmaIntHop& hop) const;
    RdmaIntStep GetStep(const Hop& before, const RdmaIntHop& hop) const;
    Kind Compare(const RdmaAckSample& sample) const;
    void Keep(const RdmaAckSample& sample);

    std::vector<Hop> m_hops; //!< telemetry of the last acknowledgement
    RdmaPs m_last{NEVER};    //!< arrival time of the last acknowledgement
    RdmaIntFormat m_format;  //!< format of the telemetry
};

} // namespace ns3

#endif /* RDMA_INT_PATH_H */
