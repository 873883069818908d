/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pause-sender.h"

#include "qbb-wire.h"
#include "rdma-refuse.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

void
QbbPauseSender::Configure(const RdmaLineRate& rate, uint16_t quanta, double refreshFraction)
{
    RefuseRdmaIf(quanta == 0, "a pause of 0 quanta; accepted: 1..65535");
    RefuseRdmaIf(!(refreshFraction > 0 && refreshFraction < 1),
                 "pauses repeated after ",
                 refreshFraction,
                 " of their length; accepted: above 0 and "
                 "below 1");
    m_quanta = quanta;
    const RdmaPs length = rate.BitsToPs(uint64_t{quanta} * QbbWire::PAUSE_QUANTUM_BITS);
    m_refreshTime =
        std::max(1_ps, RdmaPs(std::llround(static_cast<double>(length) * refreshFraction)));
    m_slack = length - m_refreshTime;
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
QbbPauseSender::Refresh(RdmaPs now)
{
    if (now >= m_nextRefresh)
    {
        // Includes classes with a pending XON, because a new pause request may cancel the XON.
        m_refresh = m_told;
        m_nextRefresh = RDMA_NEVER;
        Update();
    }
}

uint8_t
QbbPauseSender::Take(RdmaPs now, std::array<uint16_t, 8>& quanta)
{
    const uint8_t named = m_named;
    if (!m_sent)
    {
        m_sent = std::make_unique<Sent[]>(8);
    }
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
        ++(quanta[p] ? m_sent[p].xoff : m_sent[p].xon);
    }
    // One refresh time serves all classes: the earliest pause determines it.
    if (m_wanted == 0)
    {
        m_nextRefresh = RDMA_NEVER;
    }
    else
    {
        m_nextRefresh = std::min(m_nextRefresh, now + m_refreshTime);
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
    m_nextRefresh = RDMA_NEVER;
    Update();
}

} // namespace ns3
