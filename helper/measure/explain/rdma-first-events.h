/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FIRST_EVENTS_H
#define RDMA_FIRST_EVENTS_H

#include "qbb-port-counters.h"
#include "qbb-ps.h"
#include "rdma-fabric.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-explain
 * Something that happened for the first time in a run.
 */
struct RdmaFirstEvent
{
    QbbPs at{0};      //!< when
    std::string port; //!< name of the port
};

/**
 * \ingroup rdma-explain
 * First pauses, marks and drops of a run.
 */
struct RdmaFirstEventTable
{
    std::array<std::optional<RdmaFirstEvent>, 8> pauses; //!< first pause sent, by class
    std::array<std::optional<RdmaFirstEvent>, 8> marks;  //!< first mark, by class
    std::optional<RdmaFirstEvent> drop;                  //!< first drop of any class
    QbbDropReason dropReason{QbbDropReason::COUNT};      //!< reason of the first drop
};

/**
 * \ingroup rdma-explain
 * Watches the ports of a fabric for the first pause, mark and drop, by trace sources that fire for
 * these alone.
 *
 * \param fabric the fabric
 * \return the events, which are filled in during the run
 */
std::shared_ptr<const RdmaFirstEventTable> WatchRdmaFirstEvents(const RdmaFabric& fabric);

} // namespace ns3

#endif /* RDMA_FIRST_EVENTS_H */
