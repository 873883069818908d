/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-receiver.h"

#include "qbb-wire.h"

#include <algorithm>

namespace ns3
{

uint8_t
QbbPauseReceiver::Apply(RdmaPs now, uint8_t classEnable, const std::array<uint16_t, 8>& quanta)
{
    const uint8_t before = m_paused;
    Expire(now);
    if (!m_classes)
    {
        m_classes = std::make_unique<Class[]>(8);
    }
    for (uint8_t p = 0; p < 8; ++p)
    {
        const auto bit = static_cast<uint8_t>(1U << p);
        if (!(classEnable & bit))
        {
            continue;
        }
        if (quanta[p] == 0)
        {
            ++m_classes[p].xonReceived;
            if (m_paused & bit)
            {
                Resume(p, now);
            }
            continue;
        }
        ++m_classes[p].xoffReceived;
        if (!(m_honoured & bit))
        {
            continue;
        }
        if (!(m_paused & bit))
        {
            m_paused |= bit;
            m_classes[p].since = now;
        }
        m_classes[p].until =
            now + m_rate.BitsToPs(uint64_t{quanta[p]} * QbbWire::PAUSE_QUANTUM_BITS);
    }
    return before & ~m_paused;
}

uint8_t
QbbPauseReceiver::Expire(RdmaPs now)
{
    const uint8_t before = m_paused;
    for (uint8_t p = 0; m_paused >> p; ++p)
    {
        if ((m_paused & (1U << p)) && m_classes[p].until <= now)
        {
            Resume(p, m_classes[p].until);
        }
    }
    return before & ~m_paused;
}

void
QbbPauseReceiver::Arrive(RdmaPs effect, uint8_t classEnable, const std::array<uint16_t, 8>& quanta)
{
    m_effects.Push({effect, classEnable, quanta});
}

uint8_t
QbbPauseReceiver::ApplyDue(RdmaPs now)
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
QbbPauseReceiver::Reset(RdmaPs now)
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
QbbPauseReceiver::SetHonoured(RdmaPs now, uint8_t classes)
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
QbbPauseReceiver::Resume(uint8_t priority, RdmaPs at)
{
    m_paused &= static_cast<uint8_t>(~(1U << priority));
    m_classes[priority].pausedTime += at - m_classes[priority].since;
}

RdmaPs
QbbPauseReceiver::GetNextExpiry() const
{
    RdmaPs next = RDMA_NEVER;
    for (uint8_t p = 0; p < 8; ++p)
    {
        if (m_paused & (1U << p))
        {
            next = std::min(next, m_classes[p].until);
        }
    }
    return next;
}

RdmaPs
QbbPauseReceiver::GetPausedTime(uint8_t priority, RdmaPs now) const
{
    if (!m_classes)
    {
        return 0_ps;
    }
    RdmaPs paused = m_classes[priority].pausedTime;
    if (m_paused & (1U << priority))
    {
        paused += std::min(now, m_classes[priority].until) - m_classes[priority].since;
    }
    return paused;
}

} // namespace ns3
