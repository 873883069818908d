/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-int-stamper.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbIntStamper);

TypeId
QbbIntStamper::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbIntStamper")
                            .SetParent<QbbMarker>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbIntStamper>();
    return tid;
}

uint8_t
QbbIntStamper::GetMoments() const
{
    return DEPARTS;
}

void
QbbIntStamper::FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs start)
{
    if (frame.intRoom == 0 || frame.intEcho)
    {
        return;
    }
    if (frame.telemetry.size() >= frame.intRoom)
    {
        frame.intOverflow = true;
        return;
    }
    const QbbPortCounters& counters = egress.GetCounters();
    const uint32_t overhead = egress.GetLineOverheadBytes();
    uint64_t bytes = counters.macControlTx * QbbWire::MIN_FRAME_BYTES;
    for (const auto& c : counters.classes)
    {
        bytes += c.txBytes;
    }
    // The port counters already include this frame.
    bytes += counters.GetTxFrames() * overhead - frame.size - overhead;
    constexpr RdmaBitRate KILOBIT = 1000_bps;
    const RdmaIntUnits units = GetRdmaIntUnits(frame.intFormat);
    const uint64_t queue = egress.GetQueues().GetBytes(frame.priority) / units.queueBytes;
    RdmaIntHop hop;
    hop.rate = egress.GetCurrentRate().GetBitRate() / KILOBIT * KILOBIT;
    // The rate of the port has changed since the queue pair was connected.
    NS_ABORT_MSG_IF(frame.intFormat == RdmaIntFormat::PAPER && GetRdmaIntRateCode(hop.rate) == 0,
                    "rdma: telemetry" << GetRdmaNoCodeMessage(hop.rate));
    hop.txBytes = (bytes & (units.txWrap - 1)) / units.txBytes * units.txBytes;
    hop.queueBytes = std::min(queue, units.mostQueueUnits) * units.queueBytes;
    hop.time = start % units.timeWrap / units.time * units.time;
    frame.telemetry.push_back(hop);
}

} // namespace ns3
