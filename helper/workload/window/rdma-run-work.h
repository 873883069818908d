/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_RUN_WORK_H
#define RDMA_RUN_WORK_H

#include "rdma-ps.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * What a simulation is run for: flows, or the jobs of a schedule. RunRdmaSimulation() runs until
 * the work has ended, on all ranks of MPI.
 */
class RdmaRunWork
{
  public:
    virtual ~RdmaRunWork() = default;

    /** \return true if the simulation stops after the last counted piece of work has ended */
    virtual bool StopsWhenDone() const = 0;

    /** \return number of counted pieces of work, of all ranks of MPI */
    virtual uint64_t GetNCounted() const = 0;

    /** \return number of counted pieces that this process has seen end */
    virtual uint64_t GetNCountedEnded() const = 0;

    /** \return true if this process runs a piece that has started and not ended */
    virtual bool IsActive() const = 0;

    /** \return earliest start of a piece of this process that has not started; RDMA_NEVER: none */
    virtual RdmaPs GetNextStart() const = 0;

    /** Tells the processes that share the simulation what they need for results, after the run. */
    virtual void Share() = 0;
};

} // namespace ns3

#endif /* RDMA_RUN_WORK_H */
