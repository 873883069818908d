/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_COMPAT_H
#define RDMA_COMPAT_H

#include <ns3/enum.h>

/**
 * \file
 * \ingroup rdma
 * Differences between the ns-3 releases that the module supports (3.37 and newer).
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Wrapper of MakeEnumAccessor(), whose template argument is the enumeration since ns-3.41.
 *
 * \tparam E the enumeration
 * \param members the data member, or setter and getter
 * \return the attribute accessor
 */
template <typename E, typename... M>
auto
RdmaMakeEnumAccessor(M... members)
{
#if __has_include(<ns3/uniform-random-bit-generator.h>)
    return MakeEnumAccessor<E>(members...);
#else
    return MakeEnumAccessor(members...);
#endif
}

} // namespace ns3

#endif /* RDMA_COMPAT_H */
