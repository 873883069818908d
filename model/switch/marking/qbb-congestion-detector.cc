/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-congestion-detector.h"

#include "qbb-net-device.h"
#include "rdma-int128.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbCongestionDetector);

namespace
{

/**
 * \param egress a port
 * \param priority a class
 * \return state of the port and the class, without inputsRate
 */
QbbArbitration
Describe(const QbbPort& egress, uint8_t priority)
{
    QbbArbitration arbitration;
    arbitration.output = egress.GetPortNumber();
    arbitration.priority = priority;
    arbitration.waitingBytes = egress.GetQueues().GetBytes(priority);
    arbitration.outputRate = egress.GetCurrentRate().GetBitRate();
    arbitration.now = RdmaNow();
    arbitration.pausedTime =
        egress.GetFlowControl().GetPauseReceiver().GetPausedTime(priority, arbitration.now);
    return arbitration;
}

} // namespace

TypeId
QbbCongestionDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbCongestionDetector").SetParent<QbbMarker>().SetGroupName("Rdma");
    return tid;
}

void
QbbCongestionDetector::Configure(const std::vector<QbbPort*>& ports, bool isInputQueued)
{
    m_isInputQueued = isInputQueued;
    Prepare(static_cast<uint32_t>(ports.size()));
}

bool
QbbCongestionDetector::IsWithinDrain(const QbbArbitration& arbitration, RdmaPs since)
{
    constexpr uint64_t BIT_PS_PER_BYTE_S = 8'000'000'000'000ULL;
    const auto drain = static_cast<RdmaUint128>(arbitration.waitingBytes) * BIT_PS_PER_BYTE_S /
                       arbitration.outputRate.Get();
    return static_cast<RdmaUint128>((arbitration.now - since).Get()) <= drain;
}

uint8_t
QbbCongestionDetector::GetMoments() const
{
    return m_isInputQueued ? CHOSEN : JOINS;
}

void
QbbCongestionDetector::FrameJoins(QbbPort& egress, QbbFrame& frame)
{
    QbbArbitration arbitration = Describe(egress, frame.priority);
    arbitration.waitingBytes += frame.size;
    arbitration.inputsRate = 2 * arbitration.outputRate;
    Mark(arbitration, egress, frame);
}

void
QbbCongestionDetector::FrameChosen(QbbPort& egress, QbbFrame& frame, RdmaBitRate inputsRate)
{
    QbbArbitration arbitration = Describe(egress, frame.priority);
    arbitration.inputsRate = inputsRate;
    Mark(arbitration, egress, frame);
}

void
QbbCongestionDetector::Mark(const QbbArbitration& arbitration, QbbPort& egress, QbbFrame& frame)
{
    if (IsCongested(arbitration))
    {
        MarkCe(egress, frame);
    }
}

} // namespace ns3
