/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_BENCH_PIPELINE_H
#define RDMA_BENCH_PIPELINE_H

namespace ns3
{

/**
 * Runs the bare pipeline: independent chains of two alternating events, 100 ns and 1 us apart, that
 * do nothing but schedule each other. The two events stand for the end of a frame's transmission
 * and the arrival of the frame. The cost of a hop in units of such a pair of events compares across
 * machines.
 *
 * Call the function outside of a simulation. It selects RdmaSimulatorImpl, and destroys the
 * simulator at the end.
 *
 * \return CPU time of an event, ns
 */
double RunRdmaBenchPipeline();

} // namespace ns3

#endif /* RDMA_BENCH_PIPELINE_H */
