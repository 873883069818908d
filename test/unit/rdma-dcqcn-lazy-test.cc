/* SPDX-License-Identifier: GPL-2.0-only */

// Timers that are caught up with give what timers that are events give, to the bit.

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
 * The reaction point with an event for every end of every timer, as it would be with a scheduler.
 */
class EagerDcqcn
{
  public:
    EagerDcqcn(const RdmaDcqcnParameters& parameters, uint64_t lineRateBps)
        : m_p(parameters),
          m_line(lineRateBps),
          rate(lineRateBps),
          target(lineRateBps),
          alpha(parameters.initialAlpha)
    {
    }

    /** Runs all events up to an instant. */
    void RunTo(int64_t now)
    {
        while (!m_events.empty() && m_events.begin()->first.first <= now)
        {
            const auto event = *m_events.begin();
            m_events.erase(m_events.begin());
            ++events;
            event.second(event.first.first);
        }
    }

    void OnCnp(int64_t now)
    {
        RunTo(now);
        if (m_first && m_p.alphaPeriodic)
        {
            Schedule(ALPHA, now + m_p.alphaPeriodPs, [this](int64_t at) { AlphaEnds(at); });
        }
        if (m_first || m_lastCut + m_p.reducePeriodPs <= now)
        {
            Cut(now);
        }
        else
        {
            Schedule(CUT, m_lastCut + m_p.reducePeriodPs, [this](int64_t at) { Cut(at); });
        }
        m_congested = true;
        if (!m_p.alphaPeriodic)
        {
            alpha = (1 - m_p.g) * alpha + m_p.g;
            Schedule(ALPHA, now + m_p.alphaPeriodPs, [this](int64_t at) { AlphaEnds(at); });
        }
    }

    void OnSent(uint32_t bytes, int64_t now)
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

    void Schedule(Kind kind, int64_t at, std::function<void(int64_t)> what)
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

    void AlphaEnds(int64_t at)
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
        Schedule(ALPHA, at + m_p.alphaPeriodPs, [this](int64_t next) { AlphaEnds(next); });
    }

    void TimerEnds(int64_t at)
    {
        ++m_timerEnds;
        Increase();
        if (!m_first)
        {
            Schedule(TIMER, at + m_p.timerPs, [this](int64_t next) { TimerEnds(next); });
        }
    }

    void Increase()
    {
        const bool timer = m_timerEnds > m_p.threshold;
        const bool bytes = m_byteEnds > m_p.threshold;
        if (timer && bytes)
        {
            target += (std::min(m_timerEnds, m_byteEnds) - m_p.threshold) * m_p.haiRateBps;
        }
        else if (timer || bytes)
        {
            target += m_p.aiRateBps;
        }
        target = std::min(target, m_line);
        rate = (rate + target + 1) / 2;
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

    void Cut(int64_t at)
    {
        if (m_first || m_p.clampTarget || m_byteEnds > 0 ||
            (m_timerEnds > 0 && m_p.clampAfterTimer))
        {
            target = rate;
        }
        if (m_first && m_p.firstRateBps > 0)
        {
            rate = target = m_p.firstRateBps;
        }
        else
        {
            double left = 1 - alpha * 1024 / (1 << m_p.gd);
            left = std::max(left, m_p.minDecreaseFactor);
            const auto cut = static_cast<uint64_t>(left * static_cast<double>(rate));
            rate = cut < m_p.minRateBps ? std::min(rate, m_p.minRateBps) : cut;
        }
        m_first = false;
        m_lastCut = at;
        m_bytes = 0;
        m_timerEnds = 0;
        m_byteEnds = 0;
        Schedule(TIMER, at + m_p.timerPs, [this](int64_t next) { TimerEnds(next); });
    }

    RdmaDcqcnParameters m_p;
    uint64_t m_line;
    std::map<std::pair<int64_t, Kind>, std::function<void(int64_t)>> m_events;
    bool m_first{true};
    bool m_congested{false};
    int64_t m_lastCut{0};
    uint64_t m_bytes{0};
    uint64_t m_timerEnds{0};
    uint64_t m_byteEnds{0};

  public:
    uint64_t rate;
    uint64_t target;
    double alpha;
    uint64_t events{0};
    uint64_t releases{0};
};

/** Parameters, within what makes sense, so that all branches are taken. */
RdmaDcqcnParameters
DrawParameters(std::mt19937_64& random)
{
    auto draw = [&random](int64_t low, int64_t high) {
        return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    RdmaDcqcnParameters p;
    p.g = static_cast<double>(draw(1, 300)) / 1024;
    p.initialAlpha = static_cast<double>(draw(0, 1024)) / 1024;
    p.alphaPeriodPs = draw(1, 60) * 100'000;
    p.alphaPeriodic = draw(0, 1) == 1;
    p.timerPs = draw(1, 100) * 300'000;
    p.counterBytes = draw(0, 3) == 0 ? 0 : draw(500, 30'000);
    p.threshold = draw(1, 6);
    p.aiRateBps = draw(1, 100) * 1'000'000;
    p.haiRateBps = draw(1, 500) * 1'000'000;
    p.minRateBps = draw(1, 3000) * 1'000'000;
    p.gd = draw(9, 12);
    p.minDecreaseFactor = draw(0, 1) == 0 ? 0 : static_cast<double>(draw(0, 100)) / 100;
    p.reducePeriodPs = draw(0, 1) == 0 ? 0 : draw(1, 100) * 100'000;
    p.clampTarget = draw(0, 1) == 1;
    p.clampAfterTimer = draw(0, 1) == 1;
    p.firstRateBps = draw(0, 2) == 0 ? draw(1, 100'000) * 1'000'000 : 0;
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
        constexpr uint64_t LINE = 100'000'000'000;
        RdmaDcqcnController lazy(std::make_shared<const RdmaDcqcnParameters>(p), LINE);
        EagerDcqcn eager(p, LINE);
        int64_t now = draw(0, 1'000'000);
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
                break; // nobody asks for a while
            }
            if (draw(0, 2) > 0)
            {
                eager.RunTo(now);
                ASSERT_EQ(lazy.GetRateBps(now), eager.rate) << round << " " << step;
                ASSERT_EQ(lazy.GetState().targetRateBps, static_cast<double>(eager.target));
                ASSERT_EQ(lazy.GetState().alpha, eager.alpha) << round << " " << step;
            }
            // Mostly close together, on a grid where ends of timers meet; now and then a long rest.
            now += draw(0, 40) == 0 ? draw(0, 3000) * 1'000'000 : draw(0, 60) * 100'000;
        }
        events += eager.events;
        releases += eager.releases;
    }
    EXPECT_GT(events, 1'000'000U); // the eager one had something to do
    EXPECT_GT(releases, 100U);
}
