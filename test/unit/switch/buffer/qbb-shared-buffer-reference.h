/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_SHARED_BUFFER_REFERENCE_H
#define QBB_SHARED_BUFFER_REFERENCE_H

#include "qbb-shared-buffer.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A slow and plain model of QbbSharedBuffer, to compare with.
 */

namespace ns3
{

/**
 * \ingroup rdma-tests
 * The reference and its settings.
 */
namespace QbbSharedBufferReference
{

constexpr uint32_t N_PORTS = 5;

/// A frame in the buffer.
struct Held
{
    uint16_t in{0};
    uint16_t out{0};
    uint8_t priority{0};
    uint32_t bytes{0};
};

/// One way to set the buffer up.
struct Setting
{
    const char* name;
    double losslessAlpha;
    int64_t xoff;
    bool pool;
    int64_t egressLimit;
    int64_t reserve;
    int64_t headroom;
    int64_t lossyPool{0};
    int64_t egressPool{0};
    double alpha4{0}; // alpha of class 4; 0: the alpha of the others
    bool planned{false};
};

/// Ingress port and class.
using Key = std::pair<uint16_t, uint8_t>;

constexpr int64_t SIZE = 150'000;
constexpr int64_t XON_OFFSET = 2500;
constexpr int64_t POOL = 20'000;
constexpr int64_t EGRESS_MIN = 1518;
constexpr double LOSSY_ALPHA = 0.25;
constexpr double LOSSY_EGRESS_ALPHA = 0.5;

/**
 * The documented rules of QbbSharedBuffer in another form: signed numbers, sums computed whenever
 * they are needed, and alphas as floating-point numbers (powers of two, so that products are
 * exact).
 */
class Reference
{
  public:
    Reference(const Setting& setting, const std::vector<QbbPortProfile>& ports)
        : m_setting(setting),
          m_ports(ports)
    {
        m_shared = SIZE;
        for (const auto& port : ports)
        {
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                const bool lossless = port.losslessMask >> priority & 1;
                const bool used = lossless || (port.usedMask >> priority & 1);
                m_shared -= used ? setting.reserve : 0;
                m_shared -= lossless && !setting.pool ? setting.headroom : 0;
            }
        }
        m_shared -= setting.pool ? POOL : 0;
        m_shared -= setting.lossyPool;
    }

    struct Parts
    {
        int64_t reserve{0};
        int64_t shared{0};
        int64_t headroom{0};
        bool paused{false};

        int64_t Sum() const
        {
            return reserve + shared + headroom;
        }
    };

    bool IsLossless(uint16_t port, uint8_t priority) const
    {
        return m_ports[port].losslessMask >> priority & 1;
    }

    int64_t Free(bool lossless) const
    {
        const bool own = m_setting.lossyPool > 0;
        int64_t used = 0;
        for (const auto& [key, parts] : m_parts)
        {
            const bool same = !own || lossless == IsLossless(key.first, key.second);
            used += same ? parts.shared : 0;
        }
        return (own && !lossless ? m_setting.lossyPool : m_shared) - used;
    }

    int64_t Threshold(bool lossless, uint8_t priority) const
    {
        if (lossless && m_setting.xoff)
        {
            return m_setting.xoff;
        }
        const double alpha = lossless ? m_setting.losslessAlpha : LOSSY_ALPHA;
        const double own = priority == 4 && m_setting.alpha4 > 0 ? m_setting.alpha4 : alpha;
        return static_cast<int64_t>(own * static_cast<double>(Free(lossless)));
    }

    int64_t Queued(uint16_t out, uint8_t priority) const
    {
        int64_t queued = 0;
        for (const auto& held : m_held)
        {
            queued += held.out == out && held.priority == priority ? held.bytes : 0;
        }
        return queued;
    }

    /// \return bytes in a queue of frames whose class is lossy at their ingress port
    int64_t QueuedLossy(uint16_t out, uint8_t priority) const
    {
        int64_t queued = 0;
        for (const auto& held : m_held)
        {
            const bool here = held.out == out && held.priority == priority;
            queued += here && !IsLossless(held.in, held.priority) ? held.bytes : 0;
        }
        return queued;
    }

    static int64_t AboveMin(int64_t bytes)
    {
        return std::max<int64_t>(0, bytes - EGRESS_MIN);
    }

    bool EgressFits(const Held& frame) const
    {
        const int64_t queued = Queued(frame.out, frame.priority);
        int64_t free = Free(false);
        bool fits = true;
        if (m_setting.egressPool > 0)
        {
            int64_t used = 0;
            for (uint16_t out = 0; out < N_PORTS; ++out)
            {
                for (uint8_t priority = 0; priority < 8; ++priority)
                {
                    used += AboveMin(QueuedLossy(out, priority));
                }
            }
            free = m_setting.egressPool - used;
            const int64_t lossy = QueuedLossy(frame.out, frame.priority);
            fits = AboveMin(lossy + frame.bytes) - AboveMin(lossy) <= free;
        }
        const auto limit =
            m_setting.egressLimit
                ? m_setting.egressLimit
                : EGRESS_MIN + static_cast<int64_t>(LOSSY_EGRESS_ALPHA * static_cast<double>(free));
        return fits && queued + frame.bytes <= limit;
    }

    QbbAdmission Admit(const Held& frame)
    {
        const auto& port = m_ports[frame.in];
        const bool lossless = port.losslessMask >> frame.priority & 1;
        const bool used = lossless || (port.usedMask >> frame.priority & 1);
        Parts parts = m_parts[{frame.in, frame.priority}];
        QbbAdmission answer;

        const int64_t toReserve =
            std::min<int64_t>(frame.bytes, used ? m_setting.reserve - parts.reserve : 0);
        const int64_t rest = frame.bytes - toReserve;
        const bool toShared =
            rest == 0 ||
            (rest <= Free(lossless) && parts.shared + rest <= Threshold(lossless, frame.priority));
        if (!lossless)
        {
            const bool queueFits = EgressFits(frame);
            if (!queueFits || !toShared)
            {
                answer.reason =
                    queueFits ? QbbDropReason::BUFFER_FULL : QbbDropReason::EGRESS_LIMIT;
                return answer;
            }
        }
        parts.reserve += toReserve;
        (toShared ? parts.shared : parts.headroom) += rest;
        answer.xoff = !toShared && !parts.paused;
        parts.paused |= answer.xoff;
        if (!toShared)
        {
            int64_t pool = rest;
            for (const auto& [key, other] : m_parts)
            {
                pool += other.headroom;
            }
            if (parts.headroom > m_setting.headroom || (m_setting.pool && pool > POOL))
            {
                answer.reason = QbbDropReason::HEADROOM_FULL;
                answer.xoff = answer.xoff && IsAnythingHeld();
                if (answer.xoff)
                {
                    m_parts[{frame.in, frame.priority}].paused = true;
                    m_waiting.emplace_back(frame.in, frame.priority);
                }
                return answer;
            }
        }
        if (answer.xoff)
        {
            m_waiting.emplace_back(frame.in, frame.priority);
        }
        m_parts[{frame.in, frame.priority}] = parts;
        m_held.push_back(frame);
        answer.admitted = true;
        return answer;
    }

    /// \return the keys that the release resumes, in the order of their pauses
    std::vector<Key> Release(size_t index)
    {
        const Held frame = m_held[index];
        m_held.erase(m_held.begin() + static_cast<std::ptrdiff_t>(index));
        Parts& parts = m_parts[{frame.in, frame.priority}];
        int64_t bytes = frame.bytes;
        for (int64_t* part : {&parts.headroom, &parts.shared, &parts.reserve})
        {
            const int64_t taken = std::min(bytes, *part);
            *part -= taken;
            bytes -= taken;
        }
        // Every paused key is checked, whichever key has released.
        std::vector<Key> resumed;
        for (const Key& key : m_waiting)
        {
            if (MayResume(key))
            {
                Parts& moved = m_parts[key];
                moved.shared += moved.headroom;
                moved.headroom = 0;
                moved.paused = false;
                resumed.push_back(key);
            }
        }
        for (const Key& key : resumed)
        {
            m_waiting.erase(std::find(m_waiting.begin(), m_waiting.end(), key));
        }
        return resumed;
    }

    const std::vector<Held>& GetHeld() const
    {
        return m_held;
    }

    const Parts& GetParts(uint16_t port, uint8_t priority)
    {
        return m_parts[{port, priority}];
    }

  private:
    /// Whether a key may resume. The move of its headroom to the shared part is made and undone.
    bool MayResume(const Key& key)
    {
        Parts& parts = m_parts[key];
        const Parts before = parts;
        if (parts.headroom > Free(true))
        {
            return false;
        }
        if (parts.Sum() == 0 && CanHaveItsHeadroom(key))
        {
            return true;
        }
        parts.shared += parts.headroom;
        parts.headroom = 0;
        const bool may = parts.shared <= Threshold(true, key.second) - XON_OFFSET;
        parts = before;
        return may;
    }

    bool CanHaveItsHeadroom(const Key& key) const
    {
        int64_t others = 0;
        for (const auto& [other, parts] : m_parts)
        {
            others += other == key ? 0 : parts.headroom;
        }
        return !m_setting.pool || others == 0 || POOL - others >= m_setting.headroom;
    }

    /// Whether any group can free memory for lossless classes.
    bool IsAnythingHeld() const
    {
        return std::any_of(m_parts.begin(), m_parts.end(), [this](const auto& entry) {
            const bool same =
                m_setting.lossyPool == 0 || IsLossless(entry.first.first, entry.first.second);
            const Parts& parts = entry.second;
            return same && (parts.shared > 0 || parts.headroom > 0);
        });
    }

    Setting m_setting;
    std::vector<QbbPortProfile> m_ports;
    std::map<Key, Parts> m_parts;
    std::vector<Key> m_waiting; // paused, by the time of their pause
    std::vector<Held> m_held;
    int64_t m_shared{0};
};

} // namespace QbbSharedBufferReference

} // namespace ns3

#endif /* QBB_SHARED_BUFFER_REFERENCE_H */
