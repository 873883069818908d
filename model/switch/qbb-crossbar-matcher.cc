/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-crossbar-matcher.h"

#include <array>
#include <utility>

namespace ns3
{

void
QbbCrossbarMatcher::Configure(uint32_t nPorts)
{
    Input input;
    input.accepted = static_cast<uint16_t>(nPorts - 1);
    m_inputs.assign(nPorts, input);
    m_outputs.assign(nPorts, Output());
    m_waiting.clear();
    m_waiting.reserve(nPorts);
    m_granted.reserve(nPorts);
    m_matched.clear();
    m_matched.reserve(nPorts);
}

void
QbbCrossbarMatcher::AddWaiting(uint16_t output)
{
    if (!m_outputs[output].listed)
    {
        m_outputs[output].listed = true;
        m_waiting.push_back(output);
    }
}

void
QbbCrossbarMatcher::SetRoom(uint16_t output, uint8_t priority, bool room)
{
    const auto bit = static_cast<uint8_t>(1U << priority);
    uint8_t& mask = m_outputs[output].room;
    mask = static_cast<uint8_t>(room ? mask | bit : mask & ~bit);
}

void
QbbCrossbarMatcher::Release(uint16_t input, uint16_t output)
{
    m_inputs[input].busy = false;
    m_outputs[output].busy = false;
}

std::vector<QbbCrossbarMatcher::Transfer>&
QbbCrossbarMatcher::Match(QbbVirtualOutputQueues& queues)
{
    m_matched.clear();
    for (bool first = true;; first = false)
    {
        m_granted.clear();
        for (std::size_t i = 0; i < m_waiting.size();)
        {
            const uint16_t output = m_waiting[i];
            if (queues.GetWaiting(output) == 0)
            {
                // Swap removal is safe: grants do not depend on the order of m_waiting.
                m_outputs[output].listed = false;
                m_waiting[i] = m_waiting.back();
                m_waiting.pop_back();
                continue;
            }
            if (!m_outputs[output].busy)
            {
                Grant(queues, output);
            }
            ++i;
        }
        if (m_granted.empty())
        {
            return m_matched;
        }
        for (const uint16_t input : m_granted)
        {
            Accept(queues, input, first);
        }
    }
}

uint32_t
QbbCrossbarMatcher::FindQueue(const QbbVirtualOutputQueues& queues,
                              uint16_t output,
                              uint8_t priority) const
{
    return queues.FindTurn(output, priority, [this](uint16_t input) {
        return !m_inputs[input].busy;
    });
}

void
QbbCrossbarMatcher::Grant(const QbbVirtualOutputQueues& queues, uint16_t output)
{
    uint8_t classes = 0;
    std::array<uint32_t, 8> found{};
    const uint8_t waiting = GetRoom(output, queues.GetWaiting(output));
    for (uint8_t asked = waiting; asked; asked &= asked - 1)
    {
        const auto priority = static_cast<uint8_t>(__builtin_ctz(asked));
        found[priority] = FindQueue(queues, output, priority);
        if (found[priority] != QbbVirtualOutputQueues::NONE)
        {
            classes |= static_cast<uint8_t>(1U << priority);
        }
    }
    if (!classes)
    {
        return;
    }
    QbbEgressScheduler& scheduler = m_outputs[output].scheduler;
    const uint8_t priority = scheduler.Pick(classes, static_cast<uint8_t>(waiting & ~classes));
    const auto rank = static_cast<uint8_t>(scheduler.IsStrict(priority) ? 1 + priority : 0);
    const uint32_t queue = found[priority];
    const uint16_t number = queues.GetInput(queue);
    Input& input = m_inputs[number];
    const auto n = static_cast<uint32_t>(m_inputs.size());
    const auto distance = [&](uint16_t of) { return (of + n - 1 - input.accepted) % n; };
    const bool isFirst = input.grant == NO_OUTPUT;
    if (isFirst)
    {
        m_granted.push_back(number);
    }
    if (isFirst || rank > input.rank ||
        (rank == input.rank && distance(output) < distance(input.grant)))
    {
        input.grant = output;
        input.rank = rank;
        input.queue = queue;
    }
}

void
QbbCrossbarMatcher::Accept(QbbVirtualOutputQueues& queues, uint16_t number, bool first)
{
    Input& input = m_inputs[number];
    const uint16_t output = input.grant;
    input.grant = NO_OUTPUT;
    input.busy = true;
    m_outputs[output].busy = true;
    if (first)
    {
        input.accepted = output;
    }
    QbbFramePtr frame = queues.Pop(input.queue, first);
    m_outputs[output].scheduler.Charge(frame->priority, frame->size);
    m_matched.push_back({0_ps, number, output, std::move(frame)});
}

} // namespace ns3
