/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-int-stamper.h"

#include "qbb-net-device.h"
#include "qbb-wire.h"

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
QbbIntStamper::FrameDeparts(QbbNetDevice& egress, QbbFrame& frame, int64_t startPs)
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
    // The counters have this frame already.
    bytes += counters.GetTxFrames() * overhead - frame.size - overhead;
    constexpr uint64_t KILOBIT = 1000;
    RdmaIntHop hop;
    hop.rateBps = egress.GetLineRate().GetBitRate() / KILOBIT * KILOBIT;
    hop.txBytes = bytes & ((uint64_t{1} << 40) - 1);
    hop.queueBytes = egress.GetQueueBytes(frame.priority);
    hop.timePs = startPs & ((int64_t{1} << 48) - 1);
    frame.telemetry.push_back(hop);
}

} // namespace ns3
