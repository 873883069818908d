/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INT128_H
#define QBB_INT128_H

/**
 * \file
 * \ingroup rdma
 * Integers of 128 bits, for products of times, rates and sizes. Compilers have them as an
 * extension, and warn of it (-Wpedantic, which newer ns-3 asks for) unless they are named this way.
 */

namespace ns3
{

__extension__ using QbbInt128 = __int128;
__extension__ using QbbUint128 = unsigned __int128;

} // namespace ns3

#endif /* QBB_INT128_H */
