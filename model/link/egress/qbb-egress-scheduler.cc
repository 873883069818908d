/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-egress-scheduler.h"

#include "rdma-refuse.h"

#include <ns3/abort.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>
#include <string_view>
#include <vector>

namespace ns3
{

QbbEgressScheduler
QbbEgressScheduler::FromText(const std::string& text)
{
    std::vector<std::string_view> entries;
    for (std::string_view rest = text; !rest.empty();)
    {
        const std::string_view entry = rest.substr(0, rest.find(','));
        entries.push_back(entry);
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    }
    RefuseRdmaIf((entries.size() != 1 && entries.size() != 8) || text.back() == ',',
                 "QbbNetDevice::Scheduler \"",
                 text,
                 "\"; accepted: one entry, or eight separated by "
                 "commas for the classes 0 to 7, each \"strict\" or a "
                 "weight 1..",
                 MAX_WEIGHT);
    QbbEgressScheduler scheduler;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        const std::string_view entry = entries[entries.size() == 1 ? 0 : priority];
        if (entry == "strict")
        {
            continue;
        }
        uint32_t weight = 0;
        const auto [end, error] =
            std::from_chars(entry.data(), entry.data() + entry.size(), weight);
        RefuseRdmaIf(error != std::errc() || end != entry.data() + entry.size() || weight < 1 ||
                         weight > MAX_WEIGHT,
                     "QbbNetDevice::Scheduler \"",
                     text,
                     "\": class ",
                     +priority,
                     " has \"",
                     entry,
                     "\"; accepted: \"strict\" or a weight 1..",
                     MAX_WEIGHT);
        scheduler.SetWeight(priority, weight);
    }
    return scheduler;
}

std::string
QbbEgressScheduler::ToText() const
{
    std::ostringstream text;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        text << (priority ? "," : "");
        if (m_strict & (1U << priority))
        {
            text << "strict";
        }
        else
        {
            text << m_shares[priority].weight;
        }
    }
    return text.str();
}

void
QbbEgressScheduler::SetStrict(uint8_t priority)
{
    NS_ABORT_MSG_IF(priority > 7, "rdma: class " << +priority << "; accepted: 0..7");
    m_strict |= static_cast<uint8_t>(1U << priority);
    SetQuanta();
}

void
QbbEgressScheduler::SetWeight(uint8_t priority, uint32_t weight)
{
    NS_ABORT_MSG_IF(priority > 7, "rdma: class " << +priority << "; accepted: 0..7");
    NS_ABORT_MSG_IF(weight < 1 || weight > MAX_WEIGHT,
                    "rdma: weight " << weight << " of class " << +priority << "; accepted: 1.."
                                    << MAX_WEIGHT);
    const auto bit = static_cast<uint8_t>(1U << priority);
    m_shares.resize(8);
    if (m_strict & bit)
    {
        m_shares[priority].deficit = 0; // the counter of an earlier weighted period is stale
    }
    m_strict &= static_cast<uint8_t>(~bit);
    m_shares[priority].weight = weight;
    SetQuanta();
}

void
QbbEgressScheduler::SetQuanta()
{
    if (m_shares.empty())
    {
        return; // all classes are strict
    }
    // Dividing by the common divisor shortens the turns: weights 90 and 10 act as 9 and 1.
    uint32_t divisor = 0;
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        divisor = IsStrict(priority) ? divisor : std::gcd(divisor, m_shares[priority].weight);
    }
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        m_shares[priority].quantum =
            IsStrict(priority) ? 0 : int64_t{m_shares[priority].weight / divisor} * QUANTUM_BYTES;
    }
}

uint8_t
QbbEgressScheduler::PickWeighted(uint8_t ready, uint8_t held)
{
    const auto competing = static_cast<uint8_t>(ready | held);
    if ((competing & (competing - 1)) == 0)
    {
        // A class without competitors starts a fresh turn with each frame, so it builds up no debt.
        // The previous class has nothing to send and therefore loses its credit.
        m_shares[m_current].deficit = std::min<int64_t>(m_shares[m_current].deficit, 0);
        m_current = HighestBit(ready);
        m_shares[m_current].deficit = m_shares[m_current].quantum;
        return m_current;
    }
    while (!(competing & (1U << m_current)) || m_shares[m_current].deficit <= 0)
    {
        if (!(competing & (1U << m_current)))
        {
            // A class with nothing to send loses its credit but keeps its debt.
            m_shares[m_current].deficit = std::min<int64_t>(m_shares[m_current].deficit, 0);
        }
        m_current = (m_current + 1) & 7;
        if (competing & (1U << m_current))
        {
            m_shares[m_current].deficit += m_shares[m_current].quantum;
        }
    }
    return ready & (1U << m_current) ? m_current : PickBefore(ready, held);
}

uint8_t
QbbEgressScheduler::PickBefore(uint8_t ready, uint8_t held)
{
    for (;;)
    {
        for (uint8_t step = 1; step < 8; ++step)
        {
            const uint8_t priority = (m_current + step) & 7;
            if ((ready & (1U << priority)) &&
                m_shares[priority].deficit > -m_shares[priority].quantum)
            {
                return priority;
            }
        }
        // All ready classes have used their next turn, so a round has passed. A held class keeps
        // the credit of at most one turn.
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            if (ready & (1U << priority))
            {
                m_shares[priority].deficit += m_shares[priority].quantum;
            }
            else if (held & (1U << priority))
            {
                m_shares[priority].deficit =
                    std::min(m_shares[priority].deficit + m_shares[priority].quantum,
                             m_shares[priority].quantum);
            }
        }
    }
}

} // namespace ns3
