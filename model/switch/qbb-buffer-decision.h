/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_DECISION_H
#define QBB_BUFFER_DECISION_H

#include "qbb-port-counters.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * What a buffer policy decides about a frame.
 */
struct QbbBufferDecision
{
    /** Where the frame goes. */
    enum Place : uint8_t
    {
        SHARED,   //!< to the reserve of its group and the shared part of the pool
        HEADROOM, //!< to the reserve of its group and to headroom
        DROP,     //!< nowhere
        PUSH_OUT, //!< nowhere yet: the last frame of another queue has to be dropped first
    };

    Place place{DROP};                                //!< where the frame goes
    QbbDropReason reason{QbbDropReason::BUFFER_FULL}; //!< why it is dropped
    bool pause{false}; //!< its sender has to pause, if it has not been told to already
    /// SHARED and HEADROOM: bytes of the frame in the reserve of its group. PUSH_OUT: index of the
    /// queue that loses a frame. Both in one, so that a decision fits into a register.
    uint32_t value{0};

    /** \param reservedBytes bytes in the reserve \return the rest goes to the shared part */
    static QbbBufferDecision Share(uint32_t reservedBytes = 0)
    {
        return {SHARED, QbbDropReason::BUFFER_FULL, false, reservedBytes};
    }

    /** \param reason why \return the frame is dropped */
    static QbbBufferDecision Drop(QbbDropReason reason)
    {
        return {DROP, reason};
    }

    /**
     * \param queue index of a queue in QbbBufferBooks::GetQueues()
     * \return the last frame of that queue is dropped, and then DoAdmit() is asked again
     */
    static QbbBufferDecision PushOut(uint32_t queue)
    {
        return {PUSH_OUT, QbbDropReason::BUFFER_FULL, false, queue};
    }
};

} // namespace ns3

#endif /* QBB_BUFFER_DECISION_H */
