/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_SIMULATOR_CHOICE_H
#define RDMA_SIMULATOR_CHOICE_H

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Largest value of the global value "threads" and of the attribute RdmaSimulatorImpl::Threads.
 */
constexpr uint32_t RDMA_MAX_THREADS = 256;

/**
 * \ingroup rdma
 * Makes the simulator that the global values "simulator" and "threads" ask for; see
 * RdmaSimulatorImpl::Select().
 */
void ChooseRdmaSimulator();

} // namespace ns3

#endif /* RDMA_SIMULATOR_CHOICE_H */
