/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_ALLOCATION_COUNT_H
#define RDMA_ALLOCATION_COUNT_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * \return how often the unit tests' process has called operator new so far
 */
uint64_t GetRdmaAllocationCount();

/**
 * \ingroup rdma-tests
 * \return number of allocations that have not been freed
 */
uint64_t GetRdmaAllocationsInUse();

} // namespace ns3

#endif /* RDMA_ALLOCATION_COUNT_H */
