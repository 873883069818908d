/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-receiver.h"

#include "qbb-wire.h"

#include <algorithm>

namespace ns3
{

uint8_t
QbbPauseReceiver::Apply(QbbPs now, uint8_t classEnable, const std::array<uint16_t, 8>& quanta)
{
    const uint8_t before = m_paused;
    Expire(now);
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
                Resume(p, now);
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
            m_since[p] = now;
        }
        m_until[p] = now + m_rate.BitsToPs(uint64_t{quanta[p]} * QbbWire::PAUSE_QUANTUM_BITS);
    }
    return before & ~m_paused;
}

uint8_t
QbbPauseReceiver::Expire(QbbPs now)
{
    const uint8_t before = m_paused;
    for (uint8_t p = 0; m_paused >> p; ++p)
    {
        if ((m_paused & (1U << p)) && m_until[p] <= now)
        {
            Resume(p, m_until[p]);
        }
    }
    return before & ~m_paused;
}

void
QbbPauseReceiver::Arrive(QbbPs effect, uint8_t classEnable, const std::array<uint16_t, 8>& quanta)
{
    m_effects.Push({effect, classEnable, quanta});
}

uint8_t
QbbPauseReceiver::ApplyDue(QbbPs now)
{
    uint8_t resumed = 0;
    while (!m_effects.IsEmpty() && m_effects.Front().at <= now)
    {
        const Effect effect = m_effects.Pop();
        resumed |= Apply(now, effect.classEnable, effect.quanta);
    }
    return resumed;
}

void
QbbPauseReceiver::Reset(QbbPs now)
{
    m_effects.Clear();
    Expire(now);
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (m_paused & (1U << p))
        {
            Resume(p, now);
        }
    }
}

uint8_t
QbbPauseReceiver::SetHonoured(QbbPs now, uint8_t classes)
{
    const uint8_t before = m_paused;
    Expire(now);
    m_honoured = classes;
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (m_paused & ~m_honoured & (1U << p))
        {
            Resume(p, now);
        }
    }
    return before & ~m_paused;
}

void
QbbPauseReceiver::Resume(uint8_t priority, QbbPs at)
{
    m_paused &= static_cast<uint8_t>(~(1U << priority));
    m_pausedTime[priority] += at - m_since[priority];
}

QbbPs
QbbPauseReceiver::GetNextExpiry() const
{
    QbbPs next = QBB_NEVER;
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (m_paused & (1U << p))
        {
            next = std::min(next, m_until[p]);
        }
    }
    return next;
}

QbbPs
QbbPauseReceiver::GetPausedTime(uint8_t priority, QbbPs now) const
{
    QbbPs paused = m_pausedTime[priority];
    if (m_paused & (1U << priority))
    {
        paused += std::min(now, m_until[priority]) - m_since[priority];
    }
    return paused;
}

} // namespace ns3
