/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INT_FORMAT_H
#define RDMA_INT_FORMAT_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"
#include "rdma-int-hop.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Keeps the names of a RdmaIntFormat to themselves. ns-3's attributes of before 3.41 take no scoped
 * enumeration.
 */
struct RdmaIntFormats
{
    /**
     * How records of in-band network telemetry are written on the wire.
     *
     * Source of PAPER: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section
     * 4.1 and figure 7. The units are those of the authors' simulator.
     */
    enum Format : uint8_t
    {
        NONE,  //!< no records
        PAPER, //!< 2 bytes and 8 for each switch: coarse units, and rates out of a list
        EXACT, //!< 4 bytes and 20 for each switch: bytes and picoseconds, any rate
    };
};

/**
 * \ingroup rdma
 * RdmaIntFormat::NONE, RdmaIntFormat::PAPER or RdmaIntFormat::EXACT.
 */
using RdmaIntFormat = RdmaIntFormats::Format;

/**
 * \ingroup rdma
 * The records that a packet has room for.
 */
struct RdmaIntRoom
{
    RdmaIntFormat format{RdmaIntFormat::NONE}; //!< how they are written
    uint8_t records{0};                        //!< how many, up to RDMA_INT_MAX_HOPS
};

/**
 * \ingroup rdma
 * What the fields of a record can say.
 */
struct RdmaIntUnits
{
    uint64_t txBytes;        //!< unit of RdmaIntHop::txBytes, in bytes
    uint64_t txWrap;         //!< RdmaIntHop::txBytes is modulo this, a power of two
    uint64_t queueBytes;     //!< unit of RdmaIntHop::queueBytes, in bytes
    uint64_t mostQueueUnits; //!< highest queue, in its unit; a longer one is written as this
    QbbPs time;              //!< unit of RdmaIntHop::time
    QbbPs timeWrap;          //!< RdmaIntHop::time is modulo this
};

/**
 * \ingroup rdma
 * \param format PAPER or EXACT
 * \return its units
 */
constexpr RdmaIntUnits
GetRdmaIntUnits(RdmaIntFormat format)
{
    return format == RdmaIntFormat::PAPER
               ? RdmaIntUnits{128, uint64_t{1} << 27, 80, 0xffff, 1_ns, 1_ns * (1 << 24)}
               : RdmaIntUnits{1, uint64_t{1} << 40, 1, 0xffffffff, 1_ps, 1_ps * (int64_t{1} << 48)};
}

/**
 * \ingroup rdma
 * The rates that PAPER has codes for: code 1 is the first one. The paper's
 * authors have the rates from 25 to 400 Gb/s; these are all that four bits can tell apart and
 * Ethernet or InfiniBand ports have.
 */
constexpr std::array<QbbBitRate, 15> RDMA_INT_RATES = {
    1_gbps,
    2'500_mbps,
    5_gbps,
    10_gbps,
    20_gbps,
    25_gbps,
    40_gbps,
    50_gbps,
    56_gbps,
    100_gbps,
    200_gbps,
    400_gbps,
    800_gbps,
    1'600_gbps,
    3'200_gbps,
};

/**
 * \ingroup rdma
 * \param rate rate of a port
 * \return its code with PAPER, 1 to 15; 0: it has none
 */
inline uint8_t
GetRdmaIntRateCode(QbbBitRate rate)
{
    const auto found = std::lower_bound(RDMA_INT_RATES.begin(), RDMA_INT_RATES.end(), rate);
    return found != RDMA_INT_RATES.end() && *found == rate
               ? static_cast<uint8_t>(found - RDMA_INT_RATES.begin() + 1)
               : 0;
}

} // namespace ns3

#endif /* RDMA_INT_FORMAT_H */
