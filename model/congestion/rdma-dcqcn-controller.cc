/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-dcqcn-controller.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr double ALPHA_FLOOR = 1.0 / (1 << 20); // far below what ten bits of a NIC show

auto
TieParameters(const RdmaDcqcnParameters& p)
{
    return std::tie(p.g,
                    p.initialAlpha,
                    p.alphaPeriodPs,
                    p.alphaPeriodic,
                    p.timerPs,
                    p.counterBytes,
                    p.threshold,
                    p.aiRateBps,
                    p.haiRateBps,
                    p.minRateBps,
                    p.gd,
                    p.minDecreaseFactor,
                    p.reducePeriodPs,
                    p.cutAtPeriodEnd,
                    p.clampTarget,
                    p.clampAfterTimer,
                    p.firstRateBps,
                    p.release);
}

} // namespace

bool
RdmaDcqcnParameters::operator==(const RdmaDcqcnParameters& other) const
{
    return TieParameters(*this) == TieParameters(other);
}

RdmaDcqcnController::RdmaDcqcnController(std::shared_ptr<const RdmaDcqcnParameters> parameters,
                                         uint64_t lineRateBps)
    : m_parameters(std::move(parameters)),
      m_lineRateBps(lineRateBps),
      m_rateBps(lineRateBps),
      m_targetBps(lineRateBps)
{
    m_alpha.value = m_parameters->initialAlpha;
}

RdmaDcqcnController::Alpha
RdmaDcqcnController::GetAlpha(int64_t nowPs) const
{
    Alpha alpha = m_alpha;
    if (m_lastCutPs == NEVER)
    {
        return alpha; // before the first CNP
    }
    const double g = m_parameters->g;
    const int64_t period = m_parameters->alphaPeriodPs;
    int64_t periods = (nowPs - alpha.sincePs) / period;
    alpha.sincePs += periods * period;
    if (periods > 0 && alpha.congested)
    {
        alpha.value = (1 - g) * alpha.value + g;
        alpha.congested = false;
        --periods;
    }
    for (; periods > 0 && alpha.value > 0; --periods)
    {
        alpha.value *= 1 - g;
        if (alpha.value < ALPHA_FLOOR)
        {
            alpha.value = 0;
        }
    }
    return alpha;
}

void
RdmaDcqcnController::CatchUp(int64_t nowPs)
{
    while (std::min(m_timerPs, m_cutPs) <= nowPs)
    {
        if (m_timerPs > m_cutPs)
        {
            Cut(m_cutPs);
        }
        else if (m_rateBps == m_lineRateBps && !m_parameters->release)
        {
            SkipTimer(std::min(nowPs, m_cutPs));
        }
        else
        {
            ++m_timerStage;
            m_timerPs += m_parameters->timerPs;
            Increase();
        }
    }
    m_nextPs = std::min(m_timerPs, m_cutPs);
}

void
RdmaDcqcnController::SkipTimer(int64_t nowPs)
{
    // At line rate, where the target is as well, the timer does nothing but count.
    const int64_t ends = (nowPs - m_timerPs) / m_parameters->timerPs + 1;
    m_timerPs += ends * m_parameters->timerPs;
    m_timerStage = static_cast<uint32_t>(
        std::min<int64_t>(m_timerStage + ends, std::numeric_limits<uint32_t>::max()));
}

void
RdmaDcqcnController::Increase()
{
    const uint32_t threshold = m_parameters->threshold;
    if (std::max(m_timerStage, m_byteStage) > threshold)
    {
        const uint32_t both = std::min(m_timerStage, m_byteStage);
        const uint64_t times = both > threshold ? both - threshold : 1;
        const uint64_t step = both > threshold ? m_parameters->haiRateBps : m_parameters->aiRateBps;
        const uint64_t room = m_lineRateBps - m_targetBps;
        m_targetBps += times > room / step ? room : times * step;
    }
    // Rounded up, so that the rate arrives at its target.
    m_rateBps += (m_targetBps - m_rateBps + 1) / 2;
    if (m_parameters->release && m_rateBps == m_lineRateBps && m_cutPs == NEVER)
    {
        Release();
    }
}

void
RdmaDcqcnController::Release()
{
    m_lastCutPs = NEVER;
    m_timerPs = NEVER;
    m_alpha = {m_parameters->initialAlpha, 0, false};
}

void
RdmaDcqcnController::Cut(int64_t nowPs)
{
    const bool first = m_lastCutPs == NEVER;
    m_alpha = GetAlpha(nowPs);
    if (first || m_parameters->clampTarget || m_byteStage > 0 ||
        (m_timerStage > 0 && m_parameters->clampAfterTimer))
    {
        m_targetBps = m_rateBps;
    }
    if (first && m_parameters->firstRateBps > 0)
    {
        m_rateBps = m_parameters->firstRateBps;
        m_targetBps = m_rateBps;
    }
    else
    {
        const double part = std::ldexp(m_alpha.value, 10 - static_cast<int>(m_parameters->gd));
        const double left = std::max(1 - part, m_parameters->minDecreaseFactor);
        const auto rateBps = static_cast<uint64_t>(left * static_cast<double>(m_rateBps));
        // A rate that is below the minimum already, by the paths above, stays where it is.
        m_rateBps = std::max(rateBps, std::min(m_rateBps, m_parameters->minRateBps));
    }
    m_lastCutPs = nowPs;
    m_cutPs = NEVER;
    BeginIncrease(nowPs);
}

void
RdmaDcqcnController::WaitForPeriodEnd(int64_t nowPs)
{
    if (m_lastCutPs == NEVER)
    {
        // Periods begin with the first CNP. What was counted before a release is over.
        m_lastCutPs = nowPs;
        m_bytes = 0;
        m_timerStage = 0;
        m_byteStage = 0;
        if (m_parameters->firstRateBps > 0)
        {
            m_rateBps = m_parameters->firstRateBps;
            m_targetBps = m_rateBps;
        }
    }
    const int64_t period = m_parameters->reducePeriodPs;
    m_cutPs = m_lastCutPs + ((nowPs - m_lastCutPs) / period + 1) * period;
}

void
RdmaDcqcnController::BeginIncrease(int64_t nowPs)
{
    m_bytes = 0;
    m_timerStage = 0;
    m_byteStage = 0;
    m_timerPs = nowPs + m_parameters->timerPs;
}

void
RdmaDcqcnController::OnSent(uint32_t bytes, int64_t nowPs)
{
    GetRateBps(nowPs);
    if (m_lastCutPs == NEVER || m_parameters->counterBytes == 0)
    {
        return;
    }
    m_bytes += bytes;
    for (; m_bytes >= m_parameters->counterBytes && m_lastCutPs != NEVER;
         m_bytes -= m_parameters->counterBytes)
    {
        m_byteStage += m_byteStage < std::numeric_limits<uint32_t>::max() ? 1 : 0;
        Increase();
    }
    m_nextPs = std::min(m_timerPs, m_cutPs);
}

void
RdmaDcqcnController::OnCnp(int64_t nowPs)
{
    GetRateBps(nowPs);
    if (m_lastCutPs == NEVER)
    {
        m_alpha.sincePs = nowPs;
    }
    m_alpha = GetAlpha(nowPs);
    if (m_parameters->cutAtPeriodEnd)
    {
        WaitForPeriodEnd(nowPs);
    }
    else if (m_lastCutPs == NEVER || m_lastCutPs + m_parameters->reducePeriodPs <= nowPs)
    {
        Cut(nowPs);
    }
    else
    {
        m_cutPs = m_lastCutPs + m_parameters->reducePeriodPs;
    }
    if (m_parameters->alphaPeriodic)
    {
        m_alpha.congested = true;
    }
    else
    {
        m_alpha.value = (1 - m_parameters->g) * m_alpha.value + m_parameters->g;
        m_alpha.sincePs = nowPs;
    }
    m_nextPs = std::min(m_timerPs, m_cutPs);
}

RdmaCongestionState
RdmaDcqcnController::GetState() const
{
    return {GetAlpha(m_nowPs).value, static_cast<double>(m_targetBps)};
}

} // namespace ns3
