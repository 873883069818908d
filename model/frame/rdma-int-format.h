/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INT_FORMAT_H
#define RDMA_INT_FORMAT_H

#include "rdma-bit-rate.h"
#include "rdma-int-hop.h"
#include "rdma-ps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Units and ranges of the fields of a telemetry record in a wire format.
 */
struct RdmaIntUnits
{
    /**
     * Wire format of the records of in-band network telemetry (INT). Its scope is this class and
     * not the enumeration, because attributes of ns-3 before 3.41 do not support scoped
     * enumerations.
     *
     * Source of PAPER: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section
     * 4.1 and figure 7. The units follow the authors' simulator.
     */
    enum Format : uint8_t
    {
        NONE,  //!< no telemetry records
        PAPER, //!< 2 bytes plus 8 per switch: coarse units, and rates from a list
        EXACT, //!< 4 bytes plus 20 per switch: units of bytes and picoseconds, any rate
        AUTO,  //!< PAPER where the format can describe all ports of the network, else EXACT
    };

    uint64_t txBytes;        //!< unit of RdmaIntHop::txBytes, in bytes
    uint64_t txWrap;         //!< modulus of RdmaIntHop::txBytes in bytes, a power of two
    uint64_t queueBytes;     //!< unit of RdmaIntHop::queueBytes, in bytes
    uint64_t mostQueueUnits; //!< cap of RdmaIntHop::queueBytes, in units of queueBytes
    RdmaPs time;             //!< unit of RdmaIntHop::time
    RdmaPs timeWrap;         //!< modulus of RdmaIntHop::time
};

/**
 * \ingroup rdma
 * Wire format of telemetry records: RdmaIntFormat::NONE, PAPER or EXACT. A congestion control may
 * also ask for AUTO; packets never have AUTO.
 */
using RdmaIntFormat = RdmaIntUnits::Format;

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
constexpr std::array<RdmaBitRate, 15> RDMA_INT_RATES = {
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
GetRdmaIntRateCode(RdmaBitRate rate)
{
    const auto found = std::lower_bound(RDMA_INT_RATES.begin(), RDMA_INT_RATES.end(), rate);
    return found != RDMA_INT_RATES.end() && *found == rate
               ? static_cast<uint8_t>(found - RDMA_INT_RATES.begin() + 1)
               : 0;
}

/**
 * \ingroup rdma
 * \param rate rate of a port without a code in the format PAPER
 * \return end of a message that refuses the rate
 */
inline std::string
GetRdmaNoCodeMessage(RdmaBitRate rate)
{
    std::ostringstream text;
    text << ": IntFormat Paper has no code for a port of " << rate
         << " bit/s; accepted: IntFormat Auto or Exact, or ports of 1, 2.5, 5, 10, 20, 25, 40, 50, "
            "56, 100, 200, 400, 800, 1600 and 3200 Gb/s";
    return text.str();
}

/**
 * \ingroup rdma
 * Checks whether counters of a format can be compared after a time: a counter that advances by more
 * than half of its range is ambiguous.
 *
 * \param format PAPER or EXACT
 * \param rate rate of a port
 * \param time time between two records of the port, 0 or more
 * \return true if clock and byte counter of the port advance by at most half of their range
 */
inline bool
IsRdmaIntUnambiguous(RdmaIntFormat format, RdmaBitRate rate, RdmaPs time)
{
    const RdmaIntUnits units = GetRdmaIntUnits(format);
    const double bytes = static_cast<double>(rate) * static_cast<double>(time) / 8e12;
    return time <= units.timeWrap / 2 && bytes <= static_cast<double>(units.txWrap) / 2;
}

} // namespace ns3

#endif /* RDMA_INT_FORMAT_H */
