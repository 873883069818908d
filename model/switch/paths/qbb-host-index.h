/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_HOST_INDEX_H
#define QBB_HOST_INDEX_H

#include "qbb-address-table.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Location of a host in a fabric: the switch that the host is attached to (its leaf), and the port
 * of that switch.
 */
struct QbbHostPlace
{
    static constexpr uint32_t NO_LEAF = UINT32_MAX; //!< the address belongs to no host

    uint32_t leaf{NO_LEAF}; //!< number of the leaf, counted from 0
    uint16_t port{0};       //!< the leaf's port towards the host
};

/**
 * \ingroup rdma
 * Locations of the hosts of a fabric, by address. The forwarding tables of all switches share one
 * index, so that a table needs one entry per leaf instead of one per host.
 */
using QbbHostIndex = QbbAddressTable<QbbHostPlace>;

} // namespace ns3

#endif /* QBB_HOST_INDEX_H */
