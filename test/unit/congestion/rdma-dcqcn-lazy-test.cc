/* SPDX-License-Identifier: GPL-2.0-only */

// Timers that are evaluated late give the results of timers that are events, to the bit.

#include "rdma-dcqcn.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;

namespace
{

/**
 * A reaction point that runs an event for every end of every timer, as a scheduler would.
 */
class EagerDcqcn
{
  public:
    EagerDcqcn(const RdmaDcqcnParameters& parameters, RdmaBitRate lineRate)
        : m_p(parameters),
          m_line(lineRate),
          rate(lineRate),
          target(lineRate),
          alpha(parameters.initialAlpha)
    {
    }

    /** Runs all events up to an instant. */
    void RunTo(RdmaPs now)
    {
        while (!m_events.empty() && m_events.begin()->first.first <= now)
        {
            const auto event = *m_events.begin();
            m_events.erase(m_events.begin());
            ++events;
            event.second(event.first.first);
        }
    }

    void OnCnp(RdmaPs now)
    {
        RunTo(now);
        if (m_first && m_p.alphaPeriodic)
        {
            Schedule(ALPHA, now + m_p.alphaPeriod, [this](RdmaPs at) { AlphaEnds(at); });
        }
        if (m_first || m_lastCut + m_p.reducePeriod <= now)
        {
            Cut(now);
        }
        else
        {
            Schedule(CUT, m_lastCut + m_p.reducePeriod, [this](RdmaPs at) { Cut(at); });
        }
        m_congested = true;
        if (!m_p.alphaPeriodic)
        {
            alpha = (1 - m_p.g) * alpha + m_p.g;
            Schedule(ALPHA, now + m_p.alphaPeriod, [this](RdmaPs at) { AlphaEnds(at); });
        }
    }

    void OnSent(uint32_t bytes, RdmaPs now)
    {
        RunTo(now);
        if (m_first || m_p.counterBytes == 0)
        {
            return;
        }
        for (uint32_t i = 0; i < bytes && !m_first; ++i)
        {
            if (++m_bytes == m_p.counterBytes)
            {
                m_bytes = 0;
                ++m_byteEnds;
                Increase();
            }
        }
    }

  private:
    enum Kind
    {
        ALPHA,
        TIMER,
        CUT
    };

    void Schedule(Kind kind, RdmaPs at, std::function<void(RdmaPs)> what)
    {
        for (auto it = m_events.begin(); it != m_events.end(); ++it)
        {
            if (it->first.second == kind)
            {
                m_events.erase(it);
                break;
            }
        }
        m_events[{at, kind}] = std::move(what);
    }

    void AlphaEnds(RdmaPs at)
    {
        alpha *= 1 - m_p.g;
        if (m_p.alphaPeriodic && m_congested)
        {
            alpha += m_p.g;
        }
        else if (alpha < 1.0 / (1 << 20))
        {
            alpha = 0;
        }
        m_congested = false;
        Schedule(ALPHA, at + m_p.alphaPeriod, [this](RdmaPs next) { AlphaEnds(next); });
    }

    void TimerEnds(RdmaPs at)
    {
        ++m_timerEnds;
        Increase();
        if (!m_first)
        {
            Schedule(TIMER, at + m_p.timer, [this](RdmaPs next) { TimerEnds(next); });
        }
    }

    void Increase()
    {
        const bool timer = m_timerEnds > m_p.threshold;
        const bool bytes = m_byteEnds > m_p.threshold;
        if (timer && bytes)
        {
            target += (std::min(m_timerEnds, m_byteEnds) - m_p.threshold) * m_p.haiRate;
        }
        else if (timer || bytes)
        {
            target += m_p.aiRate;
        }
        target = std::min(target, m_line);
        rate = (rate + target + 1_bps) / 2;
        const bool waits = std::any_of(m_events.begin(), m_events.end(), [](const auto& event) {
            return event.first.second == CUT;
        });
        if (m_p.release && rate == m_line && !waits)
        {
            m_events.clear();
            m_first = true;
            m_congested = false;
            alpha = m_p.initialAlpha;
            ++releases;
        }
    }

    void Cut(RdmaPs at)
    {
        if (m_first || m_p.clampTarget || m_byteEnds > 0 ||
            (m_timerEnds > 0 && m_p.clampAfterTimer))
        {
            target = rate;
        }
        if (m_first && m_p.firstRate > 0_bps)
        {
            rate = target = m_p.firstRate;
        }
        else
        {
            double left = 1 - alpha * 1024 / (1 << m_p.gd);
            left = std::max(left, m_p.minDecreaseFactor);
            const RdmaBitRate cut(static_cast<uint64_t>(left * static_cast<double>(rate)));
            rate = cut < m_p.minRate ? std::min(rate, m_p.minRate) : cut;
        }
        m_first = false;
        m_lastCut = at;
        m_bytes = 0;
        m_timerEnds = 0;
        m_byteEnds = 0;
        Schedule(TIMER, at + m_p.timer, [this](RdmaPs next) { TimerEnds(next); });
    }

    RdmaDcqcnParameters m_p;
    RdmaBitRate m_line;
    std::map<std::pair<RdmaPs, Kind>, std::function<void(RdmaPs)>> m_events;
    bool m_first{true};
    bool m_congested{false};
    RdmaPs m_lastCut;
    uint64_t m_bytes{0};
    uint64_t m_timerEnds{0};
    uint64_t m_byteEnds{0};

  public:
    RdmaBitRate rate;
    RdmaBitRate target;
    double alpha;
    uint64_t events{0};
    uint64_t releases{0};
};

/** Parameters within sensible ranges, so that all branches are taken. */
RdmaDcqcnParameters
DrawParameters(std::mt19937_64& random)
{
    auto draw = [&random](int64_t low, int64_t high) {
        return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    RdmaDcqcnParameters p;
    p.g = static_cast<double>(draw(1, 300)) / 1024;
    p.initialAlpha = static_cast<double>(draw(0, 1024)) / 1024;
    p.alphaPeriod = draw(1, 60) * 100_ns;
    p.alphaPeriodic = draw(0, 1) == 1;
    p.timer = draw(1, 100) * 300_ns;
    p.counterBytes = draw(0, 3) == 0 ? 0 : draw(500, 30'000);
    p.threshold = draw(1, 6);
    p.aiRate = draw(1, 100) * 1_mbps;
    p.haiRate = draw(1, 500) * 1_mbps;
    p.minRate = draw(1, 3000) * 1_mbps;
    p.gd = draw(9, 12);
    p.minDecreaseFactor = draw(0, 1) == 0 ? 0 : static_cast<double>(draw(0, 100)) / 100;
    p.reducePeriod = draw(0, 1) == 0 ? 0_ps : draw(1, 100) * 100_ns;
    p.clampTarget = draw(0, 1) == 1;
    p.clampAfterTimer = draw(0, 1) == 1;
    p.firstRate = draw(0, 2) == 0 ? draw(1, 100'000) * 1_mbps : 0_bps;
    p.release = draw(0, 1) == 1;
    return p;
}

} // namespace

TEST(RdmaDcqcnLazy, EqualsEventByEvent)
{
    std::mt19937_64 random(20150817);
    auto draw = [&random](int64_t low, int64_t high) {
        return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    uint64_t events = 0;
    uint64_t releases = 0;
    for (int round = 0; round < 400; ++round)
    {
        const RdmaDcqcnParameters p = DrawParameters(random);
        constexpr RdmaBitRate LINE = 100_gbps;
        RdmaDcqcnController lazy(std::make_shared<const RdmaDcqcnParameters>(p), LINE);
        EagerDcqcn eager(p, LINE);
        RdmaPs now = draw(0, 1'000'000) * 1_ps;
        for (int step = 0; step < 300; ++step)
        {
            switch (draw(0, 4))
            {
            case 0:
                lazy.OnCnp(now);
                eager.OnCnp(now);
                break;
            case 1:
            case 2: {
                const auto bytes = static_cast<uint32_t>(draw(1, 4200));
                lazy.OnSent(bytes, now);
                eager.OnSent(bytes, now);
                break;
            }
            default:
                break; // nothing happens for a while
            }
            if (draw(0, 2) > 0)
            {
                eager.RunTo(now);
                ASSERT_EQ(lazy.GetRate(now), eager.rate) << round << " " << step;
                ASSERT_EQ(lazy.GetState().targetRateBps, static_cast<double>(eager.target));
                ASSERT_EQ(lazy.GetState().alpha, eager.alpha) << round << " " << step;
            }
            // Steps are mostly short, on a grid where ends of timers meet; a few are long.
            now += draw(0, 40) == 0 ? draw(0, 3000) * 1_us : draw(0, 60) * 100_ns;
        }
        events += eager.events;
        releases += eager.releases;
    }
    EXPECT_GT(events, 1'000'000U); // the eager reaction point ran events
    EXPECT_GT(releases, 100U);
}
