/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TOPOLOGY_BUILDERS_H
#define RDMA_TOPOLOGY_BUILDERS_H

/**
 * \file
 * \ingroup rdma
 * All forms of topologies that the module has.
 */

#include "rdma-clos.h"
#include "rdma-dumbbell.h"
#include "rdma-fat-tree.h"
#include "rdma-leaf-spine.h"
#include "rdma-parking-lot.h"
#include "rdma-ring.h"
#include "rdma-star.h"
#include "rdma-topology-builder.h"
#include "rdma-xgft.h"

#endif /* RDMA_TOPOLOGY_BUILDERS_H */
