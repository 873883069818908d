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

constexpr double ALPHA_FLOOR =
    1.0 / (1 << 20); // lower values of alpha become 0; NICs resolve only 10 bits

auto
TieParameters(const RdmaDcqcnParameters& p)
{
    return std::tie(p.g,
                    p.initialAlpha,
                    p.alphaPeriod,
                    p.alphaPeriodic,
                    p.timer,
                    p.counterBytes,
                    p.threshold,
                    p.aiRate,
                    p.haiRate,
                    p.minRate,
                    p.gd,
                    p.minDecreaseFactor,
                    p.reducePeriod,
                    p.cutAtPeriodEnd,
                    p.clampTarget,
                    p.clampAfterTimer,
                    p.firstRate,
                    p.release);
}

} // namespace

bool
RdmaDcqcnParameters::operator==(const RdmaDcqcnParameters& other) const
{
    return TieParameters(*this) == TieParameters(other);
}

RdmaDcqcnController::RdmaDcqcnController(std::shared_ptr<const RdmaDcqcnParameters> parameters,
                                         RdmaBitRate lineRate)
    : m_parameters(std::move(parameters)),
      m_lineRate(lineRate),
      m_rate(lineRate),
      m_target(lineRate)
{
    m_alpha.value = m_parameters->initialAlpha;
}

RdmaDcqcnController::Alpha
RdmaDcqcnController::GetAlpha(RdmaPs now) const
{
    Alpha alpha = m_alpha;
    if (m_lastCut == NEVER)
    {
        return alpha; // alpha is constant before the first CNP
    }
    const double g = m_parameters->g;
    const RdmaPs period = m_parameters->alphaPeriod;
    int64_t periods = (now - alpha.since) / period;
    alpha.since += periods * period;
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
RdmaDcqcnController::CatchUp(RdmaPs now)
{
    while (std::min(m_timer, m_cut) <= now)
    {
        if (m_timer > m_cut)
        {
            Cut(m_cut);
        }
        else if (m_rate == m_lineRate && !m_parameters->release)
        {
            SkipTimer(std::min(now, m_cut));
        }
        else
        {
            ++m_timerStage;
            m_timer += m_parameters->timer;
            Increase();
        }
    }
    m_next = std::min(m_timer, m_cut);
}

void
RdmaDcqcnController::SkipTimer(RdmaPs now)
{
    // At line rate, which is also the target rate then, the timer only counts.
    const int64_t ends = (now - m_timer) / m_parameters->timer + 1;
    m_timer += ends * m_parameters->timer;
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
        const RdmaBitRate step = both > threshold ? m_parameters->haiRate : m_parameters->aiRate;
        const RdmaBitRate room = m_lineRate - m_target;
        m_target += times > room / step ? room : times * step;
    }
    // Rounding up makes the rate reach its target.
    m_rate += (m_target - m_rate + 1_bps) / 2;
    if (m_parameters->release && m_rate == m_lineRate && m_cut == NEVER)
    {
        Release();
    }
}

void
RdmaDcqcnController::Release()
{
    m_lastCut = NEVER;
    m_timer = NEVER;
    m_alpha = {m_parameters->initialAlpha, 0_ps, false};
}

void
RdmaDcqcnController::Cut(RdmaPs now)
{
    const bool first = m_lastCut == NEVER;
    m_alpha = GetAlpha(now);
    if (first || m_parameters->clampTarget || m_byteStage > 0 ||
        (m_timerStage > 0 && m_parameters->clampAfterTimer))
    {
        m_target = m_rate;
    }
    if (first && m_parameters->firstRate > 0_bps)
    {
        m_rate = m_parameters->firstRate;
        m_target = m_rate;
    }
    else
    {
        const double part = std::ldexp(m_alpha.value, 10 - static_cast<int>(m_parameters->gd));
        const double left = std::max(1 - part, m_parameters->minDecreaseFactor);
        const RdmaBitRate rate(static_cast<uint64_t>(left * static_cast<double>(m_rate)));
        // RateOnFirstCnp may have set a rate below MinRate. A cut never raises the rate.
        m_rate = std::max(rate, std::min(m_rate, m_parameters->minRate));
    }
    m_lastCut = now;
    m_cut = NEVER;
    BeginIncrease(now);
}

void
RdmaDcqcnController::WaitForPeriodEnd(RdmaPs now)
{
    if (m_lastCut == NEVER)
    {
        // Periods begin with the first CNP. Stages counted before a release do not count.
        m_lastCut = now;
        m_bytes = 0;
        m_timerStage = 0;
        m_byteStage = 0;
        if (m_parameters->firstRate > 0_bps)
        {
            m_rate = m_parameters->firstRate;
            m_target = m_rate;
        }
    }
    const RdmaPs period = m_parameters->reducePeriod;
    m_cut = m_lastCut + ((now - m_lastCut) / period + 1) * period;
}

void
RdmaDcqcnController::BeginIncrease(RdmaPs now)
{
    m_bytes = 0;
    m_timerStage = 0;
    m_byteStage = 0;
    m_timer = now + m_parameters->timer;
}

void
RdmaDcqcnController::OnSent(uint32_t bytes, RdmaPs now)
{
    GetRate(now);
    if (m_lastCut == NEVER || m_parameters->counterBytes == 0)
    {
        return;
    }
    m_bytes += bytes;
    for (; m_bytes >= m_parameters->counterBytes && m_lastCut != NEVER;
         m_bytes -= m_parameters->counterBytes)
    {
        m_byteStage += m_byteStage < std::numeric_limits<uint32_t>::max() ? 1 : 0;
        Increase();
    }
    m_next = std::min(m_timer, m_cut);
}

void
RdmaDcqcnController::OnCnp(RdmaPs now)
{
    GetRate(now);
    if (m_lastCut == NEVER)
    {
        m_alpha.since = now;
    }
    m_alpha = GetAlpha(now);
    if (m_parameters->cutAtPeriodEnd)
    {
        WaitForPeriodEnd(now);
    }
    else if (m_lastCut == NEVER || m_lastCut + m_parameters->reducePeriod <= now)
    {
        Cut(now);
    }
    else
    {
        m_cut = m_lastCut + m_parameters->reducePeriod;
    }
    if (m_parameters->alphaPeriodic)
    {
        m_alpha.congested = true;
    }
    else
    {
        m_alpha.value = (1 - m_parameters->g) * m_alpha.value + m_parameters->g;
        m_alpha.since = now;
    }
    m_next = std::min(m_timer, m_cut);
}

RdmaCongestionState
RdmaDcqcnController::GetState() const
{
    return {GetAlpha(m_now).value, static_cast<double>(m_target)};
}

} // namespace ns3
