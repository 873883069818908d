/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_HOST_INDEX_H
#define QBB_HOST_INDEX_H

#include "qbb-address-table.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Where a host of a fabric is: the switch that the host hangs on (its leaf), and the port of that
 * switch.
 */
struct QbbHostPlace
{
    static constexpr uint32_t NO_LEAF = UINT32_MAX; //!< the address is no host's

    uint32_t leaf{NO_LEAF}; //!< number of the leaf, counted from 0
    uint16_t port{0};       //!< the leaf's port towards the host
};

/**
 * \ingroup rdma
 * Where the hosts of a fabric are, by address. The forwarding tables of all switches share one
 * index, so that a table has an entry for each leaf and not for each host.
 */
using QbbHostIndex = QbbAddressTable<QbbHostPlace>;

} // namespace ns3

#endif /* QBB_HOST_INDEX_H */
