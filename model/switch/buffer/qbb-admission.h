/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ADMISSION_H
#define QBB_ADMISSION_H

#include "qbb-port-counters.h"

#include <cstdint>

namespace ns3
{

/**
 * \ingroup rdma
 * Result of QbbBufferManager::Admit().
 */
struct QbbAdmission
{
    bool admitted{false}; //!< the frame is in the buffer and charged
    bool passed{false};   //!< the frame leaves at once: Release() must not be called for it
    bool xoff{false};     //!< send XOFF for the (ingress port, priority) of the frame
    QbbDropReason reason{QbbDropReason::BUFFER_FULL}; //!< drop reason if not admitted
    /// Not admitted yet: drop the last frame of the victim queue, and call Admit() again.
    bool pushOut{false};
    uint8_t victimPriority{0}; //!< priority of the victim queue
    uint16_t victimPort{0};    //!< egress port of the victim queue
};

} // namespace ns3

#endif /* QBB_ADMISSION_H */
