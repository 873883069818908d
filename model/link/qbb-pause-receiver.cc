/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-receiver.h"

#include "qbb-wire.h"

#include <algorithm>

namespace ns3
{

uint8_t
QbbPauseReceiver::Apply(int64_t nowPs, uint8_t classEnable, const std::array<uint16_t, 8>& quanta)
{
    const uint8_t before = m_paused;
    Expire(nowPs);
    for (uint8_t p = 0; p < 8; ++p)
    {
        const auto bit = static_cast<uint8_t>(1U << p);
        if (!(classEnable & bit))
        {
            continue;
        }
        if (quanta[p] == 0)
        {
            ++m_xonReceived[p];
            if (m_paused & bit)
            {
                Resume(p, nowPs);
            }
            continue;
        }
        ++m_xoffReceived[p];
        if (!(m_honoured & bit))
        {
            continue;
        }
        if (!(m_paused & bit))
        {
            m_paused |= bit;
            m_sincePs[p] = nowPs;
        }
        m_untilPs[p] = nowPs + m_rate.BitsToPs(uint64_t{quanta[p]} * QbbWire::PAUSE_QUANTUM_BITS);
    }
    return before & ~m_paused;
}

uint8_t
QbbPauseReceiver::Expire(int64_t nowPs)
{
    const uint8_t before = m_paused;
    for (uint8_t p = 0; m_paused >> p; ++p)
    {
        if ((m_paused & (1U << p)) && m_untilPs[p] <= nowPs)
        {
            Resume(p, m_untilPs[p]);
        }
    }
    return before & ~m_paused;
}

void
QbbPauseReceiver::Arrive(int64_t effectPs,
                         uint8_t classEnable,
                         const std::array<uint16_t, 8>& quanta)
{
    m_effects.Push({effectPs, classEnable, quanta});
}

uint8_t
QbbPauseReceiver::ApplyDue(int64_t nowPs)
{
    uint8_t resumed = 0;
    while (!m_effects.IsEmpty() && m_effects.Front().atPs <= nowPs)
    {
        const Effect effect = m_effects.Pop();
        resumed |= Apply(nowPs, effect.classEnable, effect.quanta);
    }
    return resumed;
}

void
QbbPauseReceiver::Reset(int64_t nowPs)
{
    m_effects.Clear();
    Expire(nowPs);
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (m_paused & (1U << p))
        {
            Resume(p, nowPs);
        }
    }
}

uint8_t
QbbPauseReceiver::SetHonoured(int64_t nowPs, uint8_t classes)
{
    const uint8_t before = m_paused;
    Expire(nowPs);
    m_honoured = classes;
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (m_paused & ~m_honoured & (1U << p))
        {
            Resume(p, nowPs);
        }
    }
    return before & ~m_paused;
}

void
QbbPauseReceiver::Resume(uint8_t priority, int64_t atPs)
{
    m_paused &= static_cast<uint8_t>(~(1U << priority));
    m_pausedPs[priority] += atPs - m_sincePs[priority];
}

int64_t
QbbPauseReceiver::GetNextExpiryPs() const
{
    int64_t next = QBB_NEVER;
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (m_paused & (1U << p))
        {
            next = std::min(next, m_untilPs[p]);
        }
    }
    return next;
}

int64_t
QbbPauseReceiver::GetPausedPs(uint8_t priority, int64_t nowPs) const
{
    int64_t paused = m_pausedPs[priority];
    if (m_paused & (1U << priority))
    {
        paused += std::min(nowPs, m_untilPs[priority]) - m_sincePs[priority];
    }
    return paused;
}

} // namespace ns3
