/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_DEPARTURE_HOOK_H
#define QBB_DEPARTURE_HOOK_H

#include "qbb-frame.h"

#include <cstdint>

namespace ns3
{

class QbbNetDevice;

/**
 * \ingroup rdma
 * Sees each frame that begins its transmission at a port, pause frames included, and may write
 * telemetry into it; see QbbNetDevice::SetDepartureHook().
 */
class QbbDepartureHook
{
  public:
    virtual ~QbbDepartureHook() = default;

    /**
     * A frame begins its transmission. It has left its queue.
     *
     * \param port where
     * \param frame the frame; its size stays as it is
     * \param nowPs the instant
     */
    virtual void FrameDeparts(QbbNetDevice& port, QbbFrame& frame, int64_t nowPs) = 0;
};

} // namespace ns3

#endif /* QBB_DEPARTURE_HOOK_H */
