/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_UNITS_H
#define RDMA_TEST_UNITS_H

#include <cstdint>

/**
 * \file
 * \ingroup rdma-tests
 * Units of the tests. Times are whole picoseconds, rates are bits per second.
 */

namespace ns3
{

constexpr int64_t US = 1'000'000;        //!< a microsecond in ps
constexpr int64_t MS = 1'000'000'000;    //!< a millisecond in ps
constexpr uint64_t GBPS = 1'000'000'000; //!< a gigabit per second

} // namespace ns3

#endif /* RDMA_TEST_UNITS_H */
