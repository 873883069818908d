/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-port-result.h"

#include "qbb-port.h"
#include "qbb-time.h"

namespace ns3
{

RdmaPortResult
ReadRdmaPort(const std::shared_ptr<const RdmaFabricPort>& port,
             const QbbPort& device,
             uint8_t priority)
{
    const auto& counters = device.GetCounters().classes[priority];
    const QbbPauseSender& sender = device.GetFlowControl().GetPauseSender();
    const QbbPauseReceiver& receiver = device.GetFlowControl().GetPauseReceiver();
    return {port,
            priority,
            counters.txFrames,
            counters.txBytes,
            counters.rxFrames,
            counters.rxBytes,
            counters.drops,
            counters.ecnMarks,
            sender.GetXoffSent(priority),
            sender.GetXonSent(priority),
            receiver.GetXoffReceived(priority),
            receiver.GetXonReceived(priority),
            receiver.GetPausedTime(priority, QbbNow()),
            device.GetQueues().GetPeakBytes(priority)};
}

} // namespace ns3
