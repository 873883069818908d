/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-root-detector.h"

#include "rdma-part-name.h"

#include <ns3/boolean.h>
#include <ns3/uinteger.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbRootDetector);

namespace
{

/// Names of the class in program options.
const RdmaPartName g_rootName("root",
                              QbbRootDetector::GetTypeId(),
                              "",
                              "marks at ports that are the root of congestion (RCM-1a)");
const RdmaPartName g_rootVictimName("root-victim",
                                    QbbRootDetector::GetTypeId(),
                                    "MarkVictims=true",
                                    "marks at roots and at victims of congestion");

} // namespace

TypeId
QbbRootDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QbbRootDetector")
            .SetParent<QbbCongestionDetector>()
            .SetGroupName("Rdma")
            .AddConstructor<QbbRootDetector>()
            .AddAttribute("Threshold",
                          "Marking threshold in bytes: packets are marked only if more bytes of "
                          "their class wait for the port.",
                          UintegerValue(30'000),
                          MakeUintegerAccessor(&QbbRootDetector::m_threshold),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("MarkVictims",
                          "False: only ports that are the root of congestion mark packets. True: "
                          "ports that are victims of congestion mark packets as well.",
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

} // namespace ns3
