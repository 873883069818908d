/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_RANK_BORDER_H
#define QBB_RANK_BORDER_H

#include "qbb-ps.h"

#include <ns3/object.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * \ingroup rdma
 * Holds what the nodes of one rank of MPI send to the nodes of other ranks during a window of
 * simulated time (QbbRankWindows). The object is aggregated to the simulator.
 */
class QbbRankBorder : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /** \return the shortest time from an event of a rank to its effect on another, above 0 */
    virtual QbbPs GetLookahead() const = 0;

    /**
     * Takes out what has been sent to a rank since the previous call.
     *
     * \param rank number of the rank
     * \param bytes the bytes to send to the rank are appended here
     * \return instant of the earliest event that the bytes will cause; QBB_NEVER if there are none
     */
    virtual QbbPs Take(uint32_t rank, std::string& bytes) = 0;

    /** Takes over the bytes of another rank. \param bytes result of the other rank's Take() */
    virtual void Receive(std::string_view bytes) = 0;
};

} // namespace ns3

#endif /* QBB_RANK_BORDER_H */
