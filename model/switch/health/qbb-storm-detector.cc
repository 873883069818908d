/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-storm-detector.h"

namespace ns3
{

QbbStormDetector::Verdict
QbbStormDetector::Poll(const Settings& settings, const Sample& sample)
{
    const bool known = m_known && sample.at - m_last.at == settings.poll;
    const bool stormy = known && m_last.paused && sample.paused && sample.waiting &&
                        sample.txFrames == m_last.txFrames &&
                        sample.pausedTime - m_last.pausedTime == settings.poll;
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
        m_spent = 0_ps;
        return Verdict::RESTORED;
    }
    m_spent = (m_stormed ? quiet : stormy) ? m_spent + settings.poll : 0_ps;
    if (m_spent < (m_stormed ? settings.restoration : settings.detection))
    {
        return Verdict::NONE;
    }
    m_stormed = !m_stormed;
    m_spent = 0_ps;
    return m_stormed ? Verdict::STORM : Verdict::RESTORED;
}

} // namespace ns3
