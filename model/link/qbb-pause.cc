/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause.h"

#include "qbb-wire.h"

#include <ns3/abort.h>

#include <algorithm>
#include <cmath>

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

void
QbbPauseSender::Configure(const QbbLineRate& rate, uint16_t quanta, double refreshFraction)
{
    NS_ABORT_MSG_IF(quanta == 0, "rdma: a pause of 0 quanta; accepted: 1..65535");
    NS_ABORT_MSG_IF(!(refreshFraction > 0 && refreshFraction < 1),
                    "rdma: pauses repeated after " << refreshFraction
                                                   << " of their length; accepted: above 0 and "
                                                      "below 1");
    m_quanta = quanta;
    const int64_t lengthPs = rate.BitsToPs(uint64_t{quanta} * QbbWire::PAUSE_QUANTUM_BITS);
    m_refreshPs =
        std::max<int64_t>(1, std::llround(static_cast<double>(lengthPs) * refreshFraction));
    m_slackPs = lengthPs - m_refreshPs;
}

void
QbbPauseSender::Request(uint8_t priority, bool pause)
{
    const auto bit = static_cast<uint8_t>(1U << priority);
    if (pause)
    {
        m_requested |= bit;
    }
    else
    {
        m_requested &= static_cast<uint8_t>(~bit);
    }
    Update();
}

void
QbbPauseSender::SetAllowed(uint8_t classes)
{
    m_allowed = classes;
    m_injected &= classes;
    Update();
}

void
QbbPauseSender::Inject(uint8_t classes, uint16_t quanta)
{
    m_injected = classes & m_allowed;
    m_injectedQuanta = quanta;
    Update();
}

void
QbbPauseSender::Update()
{
    m_wanted = m_requested & m_allowed;
    m_named = (m_wanted ^ m_told) | (m_refresh & m_wanted) | m_injected;
}

void
QbbPauseSender::Refresh(int64_t nowPs)
{
    if (nowPs >= m_nextRefreshPs)
    {
        // All that the peer was told, as a class that waits for its XON may be wanted again.
        m_refresh = m_told;
        m_nextRefreshPs = QBB_NEVER;
        Update();
    }
}

uint8_t
QbbPauseSender::Take(int64_t nowPs, std::array<uint16_t, 8>& quanta)
{
    const uint8_t named = m_named;
    for (uint8_t p = 0; p < 8; ++p)
    {
        const auto bit = static_cast<uint8_t>(1U << p);
        quanta[p] = 0;
        if (!(named & bit))
        {
            continue;
        }
        if (m_wanted & bit)
        {
            quanta[p] = m_quanta;
        }
        else if (m_injected & bit)
        {
            quanta[p] = m_injectedQuanta;
        }
        ++(quanta[p] ? m_xoffSent : m_xonSent)[p];
    }
    // One refresh time serves all classes: the earliest pause that is out decides.
    if (m_wanted == 0)
    {
        m_nextRefreshPs = QBB_NEVER;
    }
    else
    {
        m_nextRefreshPs = std::min(m_nextRefreshPs, nowPs + m_refreshPs);
    }
    m_told = m_wanted;
    m_refresh = 0;
    m_injected = 0;
    Update();
    return named;
}

void
QbbPauseSender::Forget()
{
    m_told = 0;
    m_refresh = 0;
    m_injected = 0;
    m_nextRefreshPs = QBB_NEVER;
    Update();
}

} // namespace ns3
