/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BENCH_HEAP_H
#define RDMA_BENCH_HEAP_H

#include <malloc.h>

namespace ns3
{

/** \return heap bytes in use */
inline double
GetRdmaBenchHeapBytes()
{
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

} // namespace ns3

#endif /* RDMA_BENCH_HEAP_H */
