/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * \ingroup rdma
 * QbbNetDevice of a switch that cuts through: transmissions that had begun before now.
 */

#include "qbb-net-device.h"

#include <algorithm>

namespace ns3
{

bool
QbbNetDevice::CutThrough(QbbFramePtr& frame, int64_t earliestPs, int64_t nowFs)
{
    const auto bit = static_cast<uint8_t>(1U << frame->priority);
    // What waits in a class that is paused does not stand in the way of the others.
    if (!m_up || m_busyUntilPs > nowFs / QBB_FS_PER_PS || HasWork() || (m_flow.GetPaused() & bit))
    {
        return false;
    }
    FireTrace(m_macTx, *frame);
    CountSent(*frame);
    ++m_counters.cutThroughFrames;
    const int64_t startPs =
        std::max({earliestPs, m_busyUntilPs, m_flow.GetResumedPs(frame->priority)});
    StartTransmission(std::move(frame), nowFs, startPs);
    return true;
}

} // namespace ns3
