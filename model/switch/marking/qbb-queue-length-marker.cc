/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-queue-length-marker.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QbbQueueLengthMarker);

TypeId
QbbQueueLengthMarker::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QbbQueueLengthMarker")
                            .SetParent<QbbMarker>()
                            .SetGroupName("Rdma")
                            .AddConstructor<QbbQueueLengthMarker>();
    return tid;
}

QbbQueueLengthMarker::QbbQueueLengthMarker()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
QbbQueueLengthMarker::DoDispose()
{
    m_settings = nullptr;
    m_random = nullptr;
    m_ports.clear();
    QbbMarker::DoDispose();
}

void
QbbQueueLengthMarker::SetSettings(Ptr<QbbEcnMarker> settings)
{
    m_settings = settings;
    SettingsChanged();
}

void
QbbQueueLengthMarker::Configure(const std::vector<QbbPort*>& ports, bool isInputQueued)
{
    m_isInputQueued = isInputQueued;
    m_ports = ports;
    m_curves.assign(m_ports.size(), Curves());
    Update();
}

uint8_t
QbbQueueLengthMarker::GetMoments() const
{
    if (!m_settings)
    {
        return 0;
    }
    return m_settings->GetMoment() == QbbEcnMarker::DEPARTURE ? DEPARTS : JOINS;
}

int64_t
QbbQueueLengthMarker::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
QbbQueueLengthMarker::Update()
{
    m_isOld = false;
    m_countsInput = m_isInputQueued && m_settings && m_settings->GetScope() == QbbEcnMarker::QUEUE;
    m_leastKmin = QbbEcnThresholds().kminBytes;
    for (std::size_t port = 0; port < m_ports.size(); ++port)
    {
        const RdmaBitRate rate = m_ports[port]->GetLineRate().GetBitRate();
        if (port > 0 && rate == m_ports[port - 1]->GetLineRate().GetBitRate() &&
            !(m_settings && m_settings->HasPortProfiles()))
        {
            m_curves[port] = m_curves[port - 1];
            continue;
        }
        for (uint8_t priority = 0; priority < m_curves[port].size(); ++priority)
        {
            m_curves[port][priority] =
                m_settings ? m_settings->GetThresholds(priority, rate, static_cast<uint16_t>(port))
                           : QbbEcnThresholds();
            m_leastKmin = std::min(m_leastKmin, m_curves[port][priority].kminBytes);
        }
    }
}

void
QbbQueueLengthMarker::FrameJoins(QbbPort& egress, QbbFrame& frame)
{
    Mark(egress, frame);
}

void
QbbQueueLengthMarker::FrameDeparts(QbbPort& egress, QbbFrame& frame, RdmaPs)
{
    if (frame.ecn != 0 && !frame.IsMacControl())
    {
        Mark(egress, frame);
    }
}

std::optional<QbbMarkCurve>
QbbQueueLengthMarker::DescribeMarks(const QbbPort& egress, uint8_t priority) const
{
    if (!m_settings)
    {
        return std::nullopt;
    }
    QbbMarkCurve curve;
    curve.thresholds = m_settings->GetThresholds(priority,
                                                 egress.GetLineRate().GetBitRate(),
                                                 static_cast<uint16_t>(egress.GetPortNumber()));
    curve.atDeparture = m_settings->GetMoment() == QbbEcnMarker::DEPARTURE;
    curve.perInput = m_settings->GetScope() == QbbEcnMarker::QUEUE;
    return curve;
}

void
QbbQueueLengthMarker::MarkByCurve(QbbPort& egress, QbbFrame& frame, uint64_t queueBytes)
{
    // Curves are updated lazily, because Kmin and Kmax are set one after the other.
    if (m_isOld)
    {
        Update();
    }
    if (m_countsInput)
    {
        queueBytes = egress.GetSource()->GetInputBytes(egress, frame.ingressPort, frame.priority);
    }
    const QbbEcnThresholds& curve = m_curves[egress.GetPortNumber()][frame.priority];
    const QbbEcnDecision decision = curve.Decide(queueBytes);
    if (decision == QbbEcnDecision::YES ||
        (decision == QbbEcnDecision::DRAW && curve.IsMarked(queueBytes, m_random->GetValue(0, 1))))
    {
        MarkCe(egress, frame);
    }
}

} // namespace ns3
