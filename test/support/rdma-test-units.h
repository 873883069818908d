/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_UNITS_H
#define RDMA_TEST_UNITS_H

#include <ns3/qbb-bit-rate.h>
#include <ns3/qbb-ps.h>

/**
 * \file
 * \ingroup rdma-tests
 * Units of the tests.
 */

namespace ns3
{

constexpr QbbPs US = 1_us;          //!< a microsecond
constexpr QbbPs MS = 1_ms;          //!< a millisecond
constexpr QbbBitRate GBPS = 1_gbps; //!< a gigabit per second

} // namespace ns3

#endif /* RDMA_TEST_UNITS_H */
