/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-threshold-detector.h"

#include "rdma-part-name.h"

#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbThresholdDetector);

namespace
{

/// Name of the class in program options.
const RdmaPartName g_thresholdName("threshold",
                                   QbbThresholdDetector::GetTypeId(),
                                   "",
                                   "marks at ports for which inputs compete (RCM-1b)");

} // namespace

TypeId
QbbThresholdDetector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbThresholdDetector")
                            .SetParent<QbbCongestionDetector>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbThresholdDetector>()
                            .AddAttribute("Threshold",
                                          "Marking threshold in bytes: packets are marked only if "
                                          "more bytes of their class wait for the port.",
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

std::optional<QbbMarkCurve>
QbbThresholdDetector::DescribeMarks(const QbbPort&, uint8_t) const
{
    return QbbMarkCurve{{m_threshold, m_threshold}, false, true};
}

} // namespace ns3
