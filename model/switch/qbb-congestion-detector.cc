/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-congestion-detector.h"

#include "qbb-int128.h"
#include "qbb-net-device.h"

#include <ns3/boolean.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbCongestionDetector);
NS_OBJECT_ENSURE_REGISTERED(QbbRootDetector);
NS_OBJECT_ENSURE_REGISTERED(QbbThresholdDetector);

namespace
{

constexpr uint32_t PRIORITIES = 8;

/// \param arbitration an arbitration \param since an instant \return true if it is no longer ago
/// than what waits takes to leave at line rate
bool
IsWithinDrain(const QbbArbitration& arbitration, QbbPs since)
{
    constexpr uint64_t BIT_PS_PER_BYTE_S = 8'000'000'000'000ULL;
    const auto drain = static_cast<QbbUint128>(arbitration.waitingBytes) * BIT_PS_PER_BYTE_S /
                       arbitration.outputRate.Get();
    return static_cast<QbbUint128>((arbitration.now - since).Get()) <= drain;
}

/** \param egress a port \param priority a class \return what is known of them, but for the inputs
 */
QbbArbitration
Describe(const QbbPort& egress, uint8_t priority)
{
    QbbArbitration arbitration;
    arbitration.output = egress.GetPortNumber();
    arbitration.priority = priority;
    arbitration.waitingBytes = egress.GetQueues().GetBytes(priority);
    arbitration.outputRate = egress.GetLineRate().GetBitRate();
    arbitration.now = QbbNow();
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
QbbCongestionDetector::FrameChosen(QbbPort& egress, QbbFrame& frame, QbbBitRate inputsRate)
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

TypeId
QbbRootDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbRootDetector")
            .SetParent<QbbCongestionDetector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbRootDetector>()
            .AddAttribute("Threshold",
                          "No packet is marked while no more of its class waits for the port, in "
                          "bytes.",
                          UintegerValue(30'000),
                          MakeUintegerAccessor(&QbbRootDetector::m_threshold),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MarkVictims",
                          "False: only roots of congestion mark; true: victims as well.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QbbRootDetector::m_victims),
                          MakeBooleanChecker());
    return tid;
}

void
QbbRootDetector::Prepare(uint32_t nPorts)
{
    m_queues.assign(nPorts * PRIORITIES, Queue());
}

bool
QbbRootDetector::IsCongested(const QbbArbitration& arbitration)
{
    Queue& queue = m_queues[arbitration.output * PRIORITIES + arbitration.priority];
    if (arbitration.pausedTime > queue.pausedTime)
    {
        queue.pausedTime = arbitration.pausedTime;
        queue.lastPause = arbitration.now;
        queue.paused = true;
    }
    if (arbitration.waitingBytes <= m_threshold)
    {
        return false;
    }
    const bool isVictim = queue.paused && IsWithinDrain(arbitration, queue.lastPause);
    return m_victims || !isVictim;
}

TypeId
QbbThresholdDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbThresholdDetector")
            .SetParent<QbbCongestionDetector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbThresholdDetector>()
            .AddAttribute("Threshold",
                          "No packet is marked while no more of its class waits for the port, in "
                          "bytes.",
                          UintegerValue(30'000),
                          MakeUintegerAccessor(&QbbThresholdDetector::m_threshold),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
QbbThresholdDetector::Prepare(uint32_t nPorts)
{
    m_queues.assign(nPorts * PRIORITIES, Queue());
}

bool
QbbThresholdDetector::IsCongested(const QbbArbitration& arbitration)
{
    Queue& queue = m_queues[arbitration.output * PRIORITIES + arbitration.priority];
    if (arbitration.inputsRate > arbitration.outputRate)
    {
        queue.lastCompeted = arbitration.now;
        queue.competed = true;
    }
    return arbitration.waitingBytes > m_threshold && queue.competed &&
           IsWithinDrain(arbitration, queue.lastCompeted);
}

} // namespace ns3
