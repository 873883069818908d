/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-pfc-headroom.h"
#include "qbb-shared-buffer.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace ns3;

namespace
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
    double alpha4{0}; // of class 4; 0: as the others
    bool planned{false};
};

/// Ingress port and class.
using Key = std::pair<uint16_t, uint8_t>;

/// \param buffer a buffer \return those that it resumes
std::vector<Key>
TakeResumed(QbbSharedBuffer& buffer)
{
    std::vector<Key> resumed;
    while (const auto next = buffer.TakeResumed())
    {
        resumed.emplace_back(next->port, next->priority);
    }
    return resumed;
}

constexpr int64_t SIZE = 150'000;
constexpr int64_t XON_OFFSET = 2500;
constexpr int64_t POOL = 20'000;
constexpr int64_t EGRESS_MIN = 1518;
constexpr double LOSSY_ALPHA = 0.25;
constexpr double LOSSY_EGRESS_ALPHA = 0.5;

/**
 * What the documentation of QbbSharedBuffer says, said again: signed numbers, sums made anew
 * whenever they are needed, alphas as they are (powers of two, so that the products are exact).
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

    /// \return of the bytes in a queue, those of frames that were lossy where they came in
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

    /// \return who is resumed by it, in the order of their pauses
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
        // Every paused one is asked, whoever has released.
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
    /// The state after the move of its headroom is made, looked at, and taken back.
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

    /// Whether somebody could make room for lossless classes.
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

std::vector<QbbPortProfile>
MakePorts(bool alike)
{
    std::vector<QbbPortProfile> ports(N_PORTS);
    for (uint32_t i = 0; i < N_PORTS; ++i)
    {
        ports[i].rate = 100_gbps;
        ports[i].maxFrameBytes = 1250;
        ports[i].losslessMask = i == 4 && !alike ? 0 : 0x18;
        ports[i].usedMask = i == 3 ? 0x01 : 0x03;
    }
    return ports;
}

// The same memory as the attributes have it, told as a plan: one profile for each kind of class.
QbbBufferPlan
MakePlan(const Setting& setting, const std::vector<QbbPortProfile>& ports)
{
    uint32_t nReserves = 0;
    uint32_t nLossless = 0;
    for (const auto& port : ports)
    {
        nLossless += __builtin_popcount(port.losslessMask);
        nReserves += __builtin_popcount(port.losslessMask | port.usedMask);
    }
    QbbBufferPlan plan;
    const auto fixed = static_cast<uint32_t>(nReserves * setting.reserve +
                                             (setting.pool ? POOL : nLossless * setting.headroom));
    const auto lossyPool = static_cast<uint32_t>(setting.lossyPool);
    plan.pools = {{"ingress_lossless_pool",
                   false,
                   static_cast<uint32_t>(SIZE) - fixed - lossyPool,
                   static_cast<uint32_t>(setting.pool ? POOL : 0)},
                  {"ingress_lossy_pool", false, lossyPool, 0},
                  {"egress_lossy_pool", true, static_cast<uint32_t>(setting.egressPool), 0},
                  {"egress_lossless_pool", true, SIZE, 0}};
    const auto reserve = static_cast<uint32_t>(setting.reserve);
    QbbBufferProfile lossless{"lossless", 0, reserve, setting.losslessAlpha};
    lossless.headroomBytes = static_cast<uint32_t>(setting.headroom);
    lossless.xonOffsetBytes = XON_OFFSET;
    if (setting.xoff)
    {
        lossless.alpha.reset();
        lossless.limitBytes = static_cast<uint32_t>(setting.xoff);
    }
    QbbBufferProfile class4 = lossless;
    class4.alpha = setting.alpha4 > 0 ? std::optional<double>(setting.alpha4) : lossless.alpha;
    const QbbBufferProfile lossy{"lossy", 1, reserve, LOSSY_ALPHA};
    QbbBufferProfile lossy4 = lossy;
    lossy4.alpha = setting.alpha4 > 0 ? setting.alpha4 : LOSSY_ALPHA;
    QbbBufferProfile bare = lossy;
    bare.reserveBytes = 0;
    QbbBufferProfile bare4 = lossy4;
    bare4.reserveBytes = 0;
    const QbbBufferProfile queue{"queue", 2, EGRESS_MIN, LOSSY_EGRESS_ALPHA};
    const QbbBufferProfile unlimited{"unlimited", 3, 0, std::nullopt, UINT32_MAX};
    plan.profiles = {lossless, class4, lossy, lossy4, bare, bare4, queue, unlimited};
    for (const auto& port : ports)
    {
        QbbPortBufferPlan of;
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            const bool four = priority == 4;
            const int16_t kind = port.losslessMask >> priority & 1 ? 0
                                 : port.usedMask >> priority & 1   ? 2
                                                                   : 4;
            of.groups[priority] = static_cast<int16_t>(kind + four);
            of.queues[priority] = port.losslessMask >> priority & 1 ? 7 : 6;
        }
        plan.ports.push_back(of);
    }
    return plan;
}

class QbbSharedBufferRandom : public testing::TestWithParam<Setting>
{
};

} // namespace

// Random frames come and go, in phases of filling and of draining. After each step the buffer and
// the reference agree in their answers and in all their parts, and the parts add up.
TEST_P(QbbSharedBufferRandom, AgreesWithTheReference)
{
    const Setting setting = GetParam();
    // A plan limits a queue whatever its frames are at ingress, so let a class be one or the other.
    const auto ports = MakePorts(setting.planned);
    auto buffer = CreateObject<QbbSharedBuffer>();
    buffer->SetAttribute("BufferSize", UintegerValue(SIZE));
    buffer->SetAttribute("ReserveBytes", UintegerValue(setting.reserve));
    buffer->SetAttribute("LosslessAlpha", DoubleValue(setting.losslessAlpha));
    buffer->SetAttribute("LossyAlpha", DoubleValue(LOSSY_ALPHA));
    buffer->SetAttribute("LossyEgressAlpha", DoubleValue(LOSSY_EGRESS_ALPHA));
    buffer->SetAttribute("XoffBytes", UintegerValue(setting.xoff));
    buffer->SetAttribute("HeadroomBytes", UintegerValue(setting.headroom));
    buffer->SetAttribute("HeadroomPool", BooleanValue(setting.pool));
    buffer->SetAttribute("HeadroomPoolBytes", UintegerValue(POOL));
    buffer->SetAttribute("EgressLimitBytes", UintegerValue(setting.egressLimit));
    buffer->SetAttribute("LossyPoolBytes", UintegerValue(setting.lossyPool));
    buffer->SetAttribute("LossyEgressPoolBytes", UintegerValue(setting.egressPool));
    if (setting.alpha4 > 0)
    {
        buffer->SetAttribute("ClassAlphas", StringValue("4:" + std::to_string(setting.alpha4)));
    }
    if (setting.planned)
    {
        buffer->SetPlan(MakePlan(setting, ports));
    }
    buffer->Configure(ports);
    Reference reference(setting, ports);

    std::mt19937_64 random(20160822);
    const uint8_t priorities[] = {0, 1, 3, 4, 7};
    uint64_t admitted = 0;
    uint64_t xoffs = 0;
    uint64_t xons = 0;
    uint64_t others = 0; // of these, brought by somebody else's frames
    std::map<QbbDropReason, uint64_t> drops;
    for (uint32_t step = 0; step < 100'000; ++step)
    {
        const bool filling = (step / 1000) % 2 == 0;
        const bool empty = reference.GetHeld().empty();
        if (empty || random() % 100 < (filling ? 80U : 25U))
        {
            Held frame;
            frame.in = random() % N_PORTS;
            frame.out = random() % 4 ? random() % N_PORTS : 0;
            frame.priority = priorities[random() % 5];
            frame.bytes = random() % 4 ? 64 + random() % 1187 : 1250;
            const QbbAdmission expected = reference.Admit(frame);
            const QbbAdmission answer =
                buffer->Admit(frame.in, frame.out, frame.priority, frame.bytes);
            ASSERT_EQ(answer.admitted, expected.admitted) << "step " << step;
            ASSERT_EQ(answer.xoff, expected.xoff) << "step " << step;
            if (!answer.admitted)
            {
                ASSERT_EQ(answer.reason, expected.reason) << "step " << step;
                ++drops[answer.reason];
            }
            admitted += answer.admitted;
            xoffs += answer.xoff;
        }
        else
        {
            const size_t index = random() % reference.GetHeld().size();
            const Held frame = reference.GetHeld()[index];
            const auto expected = reference.Release(index);
            const bool xon = buffer->Release(frame.in, frame.out, frame.priority, frame.bytes);
            ASSERT_EQ(xon, !expected.empty()) << "step " << step;
            ASSERT_EQ(TakeResumed(*buffer), expected) << "step " << step;
            xons += expected.size();
            for (const Key& key : expected)
            {
                others += key != Key(frame.in, frame.priority);
            }
        }
        if (random() % 5000 == 0)
        {
            // a link goes down: all that was to leave there is flushed
            const uint16_t out = random() % N_PORTS;
            for (size_t i = reference.GetHeld().size(); i-- > 0;)
            {
                const Held frame = reference.GetHeld()[i];
                if (frame.out == out)
                {
                    const auto expected = reference.Release(i);
                    buffer->Release(frame.in, frame.out, frame.priority, frame.bytes);
                    ASSERT_EQ(TakeResumed(*buffer), expected);
                    xons += expected.size();
                }
            }
        }

        const QbbBufferUsage usage = buffer->GetUsage();
        ASSERT_EQ(usage.usedBytes, usage.reservedBytes + usage.sharedBytes + usage.headroomBytes);
        ASSERT_LE(usage.reservedBytes, usage.reservedSize);
        ASSERT_LE(usage.sharedBytes, usage.sharedSize);
        ASSERT_LE(usage.headroomBytes, usage.headroomSize);
        uint64_t sum = 0;
        uint64_t egress = 0;
        for (uint16_t port = 0; port < N_PORTS; ++port)
        {
            for (uint8_t priority = 0; priority < 8; ++priority)
            {
                const QbbIngressUsage group = buffer->GetIngress(port, priority);
                const auto& parts = reference.GetParts(port, priority);
                ASSERT_EQ(group.reservedBytes, parts.reserve);
                ASSERT_EQ(group.sharedBytes, parts.shared);
                ASSERT_EQ(group.headroomBytes, parts.headroom);
                ASSERT_EQ(group.paused, parts.paused);
                ASSERT_TRUE(group.paused || group.headroomBytes == 0);
                ASSERT_TRUE(!group.paused || usage.sharedBytes + usage.headroomBytes > 0);
                sum += group.bytes;
                egress += buffer->GetEgressBytes(port, priority);
            }
        }
        ASSERT_EQ(usage.usedBytes, sum);
        ASSERT_EQ(usage.usedBytes, egress);
    }
    while (!reference.GetHeld().empty())
    {
        const Held frame = reference.GetHeld().back();
        buffer->Release(frame.in, frame.out, frame.priority, frame.bytes);
        xons += TakeResumed(*buffer).size();
        reference.Release(reference.GetHeld().size() - 1);
    }
    EXPECT_TRUE(buffer->IsEmpty());
    EXPECT_EQ(xons, xoffs);
    // that the run went everywhere
    EXPECT_GT(admitted, 20'000U);
    EXPECT_GT(xoffs, 100U);
    EXPECT_TRUE(setting.xoff || others > 10) << others;
    EXPECT_GT(drops[QbbDropReason::HEADROOM_FULL], 0U);
    EXPECT_GT(drops[QbbDropReason::EGRESS_LIMIT], 0U);
    EXPECT_GT(drops[QbbDropReason::BUFFER_FULL], 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Settings,
    QbbSharedBufferRandom,
    testing::Values(Setting{"Dynamic", 0.125, 0, false, 0, 1248, 4000},
                    Setting{"DynamicAlpha8", 8, 0, false, 0, 1248, 4000},
                    Setting{"NoReserve", 0.25, 0, false, 0, 0, 4000},
                    Setting{"Static", 1, 6000, false, 5000, 1248, 4000},
                    Setting{"Pool", 0.125, 0, true, 0, 1248, 6000},
                    Setting{"PoolStatic", 1, 9000, true, 20000, 100, 6000},
                    Setting{"Class4", 0.5, 0, false, 0, 0, 4000, 0, 0, 0.125},
                    Setting{"LossyPool", 0.5, 0, false, 0, 624, 4000, 30000},
                    Setting{"EgressPool", 0.5, 0, true, 0, 0, 6000, 0, 9000},
                    Setting{"BothPools", 0.125, 0, true, 0, 100, 6000, 30000, 20000, 0.5},
                    Setting{"Planned", 0.125, 0, true, 0, 100, 6000, 30000, 20000, 0.5, true},
                    Setting{"PlannedStatic", 1, 6000, false, 0, 624, 4000, 30000, 20000, 0, true}),
    [](const testing::TestParamInfo<Setting>& info) { return info.param.name; });
