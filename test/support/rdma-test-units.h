/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_UNITS_H
#define RDMA_TEST_UNITS_H

#include <ns3/rdma-bit-rate.h>
#include <ns3/rdma-ps.h>

/**
 * \file
 * \ingroup rdma-tests
 * Units of the tests.
 */

namespace ns3
{

constexpr RdmaPs US = 1_us;          //!< a microsecond
constexpr RdmaPs MS = 1_ms;          //!< a millisecond
constexpr RdmaBitRate GBPS = 1_gbps; //!< a gigabit per second

} // namespace ns3

#endif /* RDMA_TEST_UNITS_H */
