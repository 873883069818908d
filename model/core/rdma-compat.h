/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_COMPAT_H
#define RDMA_COMPAT_H

#include <ns3/enum.h>

/**
 * \file
 * \ingroup rdma
 * What differs between the ns-3 releases that the module builds with (3.37 and newer).
 */

namespace ns3
{

/**
 * \ingroup rdma
 * MakeEnumAccessor(), which takes the enumeration as template argument from ns-3.41 on.
 *
 * \tparam E the enumeration
 * \param members the member, or setter and getter
 * \return the accessor
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
