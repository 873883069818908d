/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_DECISION_H
#define QBB_BUFFER_DECISION_H

#include "qbb-port-counters.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Decision of a buffer policy about a frame.
 */
struct QbbBufferDecision
{
    /** Destination of the frame. */
    enum Place : uint8_t
    {
        SHARED,   //!< reserve of the frame's group and shared part of the pool
        HEADROOM, //!< reserve of the frame's group and headroom
        DROP,     //!< the frame is dropped
        PUSH_OUT, //!< undecided: the last frame of another queue must be dropped first
    };

    Place place{DROP};                                //!< destination of the frame
    QbbDropReason reason{QbbDropReason::BUFFER_FULL}; //!< reason of a drop
    bool pause{false}; //!< the sender must pause, unless it is already paused
    /// SHARED and HEADROOM: bytes of the frame in the reserve of its group. PUSH_OUT: index of the
    /// queue that loses a frame. One field holds both, so that a decision fits into a register.
    uint32_t value{0};

    /**
     * \param reservedBytes bytes in the reserve
     * \return SHARED, with the rest in the shared part
     */
    static QbbBufferDecision Share(uint32_t reservedBytes = 0)
    {
        return {SHARED, QbbDropReason::BUFFER_FULL, false, reservedBytes};
    }

    /** \param reason reason of the drop \return DROP */
    static QbbBufferDecision Drop(QbbDropReason reason)
    {
        return {DROP, reason};
    }

    /**
     * \param queue index of a queue in QbbBufferBooks::GetQueues()
     * \return PUSH_OUT: the last frame of \p queue is dropped, and then DoAdmit() is called again
     */
    static QbbBufferDecision PushOut(uint32_t queue)
    {
        return {PUSH_OUT, QbbDropReason::BUFFER_FULL, false, queue};
    }
};

} // namespace ns3

#endif /* QBB_BUFFER_DECISION_H */
