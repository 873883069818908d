/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_IWARP_H
#define RDMA_TEST_IWARP_H

#include "rdma-fabric-run.h"
#include "rdma-test-fabric.h"

#include <functional>
#include <string>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Runs of flows over ns-3's TCP, and the times of which hand-made timelines consist: links have
 * 100 Gb/s, so that a byte takes 80 ps, and 1 us of delay. A full segment of 1024 B is a frame of
 * 14
 * + 20 + 20 + 1024 + 4 = 1082 B and takes the line for 1102 B (88.16 ns); an acknowledgement is a
 * frame of 64 B.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Flows over TCP.
 */
namespace RdmaTestIwarp
{

inline constexpr RdmaPs SEGMENT = 1102 * 80_ps;                  //!< from one segment to the next
inline constexpr RdmaPs SEGMENT_HOP = (8 + 1082) * 80_ps + 1_us; //!< a segment over one link
inline constexpr RdmaPs ACK_HOP = (8 + 64) * 80_ps + 1_us; //!< an acknowledgement over one link

/** \return two hosts at a switch, over TCP */
inline RdmaFabricOptions
MakePair()
{
    RdmaFabricOptions options;
    options.transport = "iwarp";
    options.topology = "star:2";
    return options;
}

/** A run that is over. */
struct Finished
{
    RdmaFabricOutcome outcome; //!< what it left behind
    std::string wrong;         //!< frames that are not accounted for, or outside of class 3
};

/**
 * \param options the run
 * \param flows flows in place of the option workload, if any
 * \param prepare is given the fabric before the run
 * \return results of the run
 */
inline Finished
RunFabric(const RdmaFabricOptions& options,
          const std::vector<RdmaFlow>& flows = {},
          const std::function<void(Ptr<RdmaFabric>)>& prepare = {})
{
    RdmaFabricRun run = flows.empty() ? RdmaFabricRun(options) : RdmaFabricRun(options, flows);
    if (prepare)
    {
        prepare(run.GetFabric());
    }
    run.Run();
    Finished finished;
    finished.outcome = run.GetOutcome();
    finished.wrong = RdmaTestBooks::CheckLinks(*run.GetFabric()) +
                     RdmaTestBooks::CheckSwitches(*run.GetFabric());
    for (const auto& port : finished.outcome.ports)
    {
        if (port.priority != 3 && port.txBytes > 0)
        {
            finished.wrong += std::to_string(port.txBytes) + " B in class " +
                              std::to_string(port.priority) + "; ";
        }
    }
    Simulator::Destroy();
    return finished;
}

} // namespace RdmaTestIwarp

} // namespace ns3

#endif /* RDMA_TEST_IWARP_H */
