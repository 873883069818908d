/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_INT128_H
#define RDMA_INT128_H

/**
 * \file
 * \ingroup rdma
 * 128-bit integers for products of times, rates and sizes. Compilers offer these types as an
 * extension; `__extension__` suppresses the warning of -Wpedantic, which newer ns-3 releases set.
 */

namespace ns3
{

__extension__ using RdmaInt128 = __int128;           //!< signed 128-bit integer
__extension__ using RdmaUint128 = unsigned __int128; //!< unsigned 128-bit integer

} // namespace ns3

#endif /* RDMA_INT128_H */
