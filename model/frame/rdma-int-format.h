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
 * Scope for the enumerators of RdmaIntFormat. Attributes of ns-3 before 3.41 do not support scoped
 * enumerations.
 */
struct RdmaIntFormats
{
    /**
     * Wire format of the records of in-band network telemetry (INT).
     *
     * Source of PAPER: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section
     * 4.1 and figure 7. The units follow the authors' simulator.
     */
    enum Format : uint8_t
    {
        NONE,  //!< no telemetry records
        PAPER, //!< 2 bytes plus 8 per switch: coarse units, and rates from a list
        EXACT, //!< 4 bytes plus 20 per switch: units of bytes and picoseconds, any rate
    };
};

/**
 * \ingroup rdma
 * Wire format of telemetry records: RdmaIntFormat::NONE, PAPER or EXACT.
 */
using RdmaIntFormat = RdmaIntFormats::Format;

/**
 * \ingroup rdma
 * Room for telemetry records in a packet.
 */
struct RdmaIntRoom
{
    RdmaIntFormat format{RdmaIntFormat::NONE}; //!< wire format of the records
    uint8_t records{0}; //!< maximum number of records, up to RDMA_INT_MAX_HOPS
};

/**
 * \ingroup rdma
 * Units and ranges of the fields of a telemetry record.
 */
struct RdmaIntUnits
{
    uint64_t txBytes;        //!< unit of RdmaIntHop::txBytes, in bytes
    uint64_t txWrap;         //!< modulus of RdmaIntHop::txBytes in bytes, a power of two
    uint64_t queueBytes;     //!< unit of RdmaIntHop::queueBytes, in bytes
    uint64_t mostQueueUnits; //!< cap of RdmaIntHop::queueBytes, in units of queueBytes
    QbbPs time;              //!< unit of RdmaIntHop::time
    QbbPs timeWrap;          //!< modulus of RdmaIntHop::time
};

/**
 * \ingroup rdma
 * \param format PAPER or EXACT
 * \return units and ranges of the format's record fields
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
 * Port rates with a code in the format PAPER; code 1 is the first rate. The authors' list has rates
 * from 25 to 400 Gb/s. This list extends theirs by rates of Ethernet and InfiniBand ports to the 15
 * codes of a four-bit field.
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
 * \return code of the rate in the format PAPER, 1 to 15; 0 if the rate has no code
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
