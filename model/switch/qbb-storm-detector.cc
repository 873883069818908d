/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-storm-detector.h"

namespace ns3
{

QbbStormDetector::Verdict
QbbStormDetector::Poll(const Settings& settings, const Sample& sample)
{
    const bool known = m_known && sample.atPs - m_last.atPs == settings.pollPs;
    const bool stormy = known && m_last.paused && sample.paused && sample.waiting &&
                        sample.txFrames == m_last.txFrames &&
                        sample.pausedPs - m_last.pausedPs == settings.pollPs;
    const bool quiet = known && sample.pauseFrames == m_last.pauseFrames;
    m_last = sample;
    m_known = true;
    if (m_stormed && settings.alert)
    {
        if (stormy)
        {
            return Verdict::NONE;
        }
        m_stormed = false;
        m_spentPs = 0;
        return Verdict::RESTORED;
    }
    m_spentPs = (m_stormed ? quiet : stormy) ? m_spentPs + settings.pollPs : 0;
    if (m_spentPs < (m_stormed ? settings.restorationPs : settings.detectionPs))
    {
        return Verdict::NONE;
    }
    m_stormed = !m_stormed;
    m_spentPs = 0;
    return m_stormed ? Verdict::STORM : Verdict::RESTORED;
}

} // namespace ns3
