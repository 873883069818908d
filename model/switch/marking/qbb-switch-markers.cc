/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-switch-markers.h"

#include "qbb-input-queueing.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace ns3
{

QbbSwitchMarkers::QbbSwitchMarkers()
    : m_lengthMarker(CreateObject<QbbQueueLengthMarker>()),
      m_stamper(CreateObject<QbbIntStamper>())
{
}

QbbSwitchMarkers::~QbbSwitchMarkers()
{
    Clear();
}

void
QbbSwitchMarkers::SetCurve(Ptr<QbbEcnMarker> curve)
{
    if (m_curve)
    {
        m_curve->ForgetUser(this);
    }
    m_curve = curve;
    m_lengthMarker->SetSettings(curve);
    if (m_curve)
    {
        m_curve->AddUser(this, [this]() {
            m_lengthMarker->SettingsChanged();
            Sort();
        });
    }
    Sort();
}

void
QbbSwitchMarkers::SetPintBaseRttPs(QbbPs baseRtt)
{
    m_pint = baseRtt > 0_ps ? CreateObject<QbbPintMeter>() : nullptr;
    if (m_pint)
    {
        m_pint->SetBaseRtt(baseRtt);
    }
}

void
QbbSwitchMarkers::Configure(const std::vector<QbbPort*>& ports, QbbInputQueueing* queueing)
{
    m_queueing = queueing;
    for (QbbMarker* marker : GetAll())
    {
        marker->Configure(ports, queueing != nullptr);
    }
    m_configured = true;
    Sort();
}

int64_t
QbbSwitchMarkers::AssignStreams(int64_t stream)
{
    int64_t next = stream;
    for (QbbMarker* marker : GetAll())
    {
        next += marker->AssignStreams(next);
    }
    return next - stream;
}

std::vector<QbbMarkCurve>
QbbSwitchMarkers::DescribeMarks(const QbbPort& egress, uint8_t priority) const
{
    std::vector<QbbMarkCurve> curves;
    for (const QbbMarker* marker : GetAll())
    {
        if (const auto curve = marker->DescribeMarks(egress, priority))
        {
            curves.push_back(*curve);
        }
    }
    return curves;
}

void
QbbSwitchMarkers::Clear()
{
    if (m_curve)
    {
        m_curve->ForgetUser(this);
    }
    m_curve = nullptr;
    m_joinByLength = nullptr;
    m_hasOthers = false;
    m_join.clear();
    m_depart.clear();
    m_lengthMarker = nullptr;
    m_detector = nullptr;
    m_pint = nullptr;
    m_own = nullptr;
    m_stamper = nullptr;
    m_queueing = nullptr;
}

std::vector<QbbMarker*>
QbbSwitchMarkers::GetAll() const
{
    std::vector<QbbMarker*> markers;
    const std::initializer_list<QbbMarker*> all = {PeekPointer(m_lengthMarker),
                                                   PeekPointer(m_detector),
                                                   PeekPointer(m_pint),
                                                   PeekPointer(m_own)};
    std::copy_if(all.begin(), all.end(), std::back_inserter(markers), [](const QbbMarker* marker) {
        return marker != nullptr;
    });
    return markers;
}

std::vector<QbbMarker*>
QbbSwitchMarkers::GetAll(QbbMarker::Moment moment) const
{
    std::vector<QbbMarker*> markers = GetAll();
    markers.erase(std::remove_if(markers.begin(),
                                 markers.end(),
                                 [moment](const QbbMarker* marker) {
                                     return !(marker->GetMoments() & moment);
                                 }),
                  markers.end());
    return markers;
}

void
QbbSwitchMarkers::Sort()
{
    if (!m_configured)
    {
        return;
    }
    // The length marker comes first among all markers.
    m_join = GetAll(QbbMarker::JOINS);
    m_joinByLength = nullptr;
    if (!m_join.empty() && m_join.front() == PeekPointer(m_lengthMarker))
    {
        m_joinByLength = PeekPointer(m_lengthMarker);
        m_join.erase(m_join.begin());
    }
    m_depart = GetAll(QbbMarker::DEPARTS);
    m_hasOthers = !m_join.empty() || !m_depart.empty();
    if (m_queueing)
    {
        m_queueing->SetMarkers(GetAll(QbbMarker::CHOSEN));
    }
}

} // namespace ns3
