/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-shared-buffer-reference.h"

#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

using namespace ns3;
using namespace ns3::QbbSharedBufferReference;

namespace
{

/// \param buffer a buffer \return the ingress ports and classes that the buffer resumes
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

// Returns the memory of the attributes as a plan, with one profile for each kind of class.
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

// Random frames come and go, in phases of filling and of draining. Some leave at once. After each
// step the buffer and the reference agree in their answers and in all their parts, and the parts
// add up.
TEST_P(QbbSharedBufferRandom, AgreesWithTheReference)
{
    const Setting setting = GetParam();
    // A plan limits a queue whatever its frames are: a class is lossless at all ports or at none.
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
    uint64_t others = 0; // resumptions caused by frames of other groups
    uint64_t passed = 0;
    uint64_t peakUsed = 0;
    std::map<Key, uint32_t> peaks;
    std::map<QbbDropReason, uint64_t> drops;
    for (uint32_t step = 0; step < 100'000; ++step)
    {
        const bool filling = (step / 1000) % 2 == 0;
        const bool empty = reference.GetHeld().empty();
        if (empty || random() % 100 < (filling ? 85U : 25U))
        {
            Held frame;
            frame.in = random() % N_PORTS;
            frame.out = random() % 4 ? random() % N_PORTS : 0;
            frame.priority = priorities[random() % 5];
            frame.bytes = random() % 4 ? 64 + random() % 1187 : 1250;
            const bool leavesAtOnce = random() % 8 == 0;
            const uint64_t usedBefore = buffer->GetUsage().usedBytes;
            const QbbAdmission expected = reference.Admit(frame);
            const QbbAdmission answer =
                buffer->Admit(frame.in, frame.out, frame.priority, frame.bytes, leavesAtOnce);
            ASSERT_EQ(answer.admitted, expected.admitted) << "step " << step;
            ASSERT_EQ(answer.xoff, expected.xoff) << "step " << step;
            if (!answer.admitted)
            {
                ASSERT_EQ(answer.reason, expected.reason) << "step " << step;
                ++drops[answer.reason];
            }
            admitted += answer.admitted;
            xoffs += answer.xoff;
            if (answer.admitted)
            {
                const auto& parts = reference.GetParts(frame.in, frame.priority);
                uint32_t& peak = peaks[Key(frame.in, frame.priority)];
                peak = std::max<uint32_t>(peak, parts.reserve + parts.shared + parts.headroom);
                peakUsed = std::max(peakUsed, usedBefore + frame.bytes);
            }
            if (answer.admitted && leavesAtOnce)
            {
                const auto resumed = reference.Release(reference.GetHeld().size() - 1);
                ASSERT_TRUE(!answer.passed || resumed.empty()) << "step " << step;
                passed += answer.passed;
                if (!answer.passed)
                {
                    buffer->Release(frame.in, frame.out, frame.priority, frame.bytes);
                }
                ASSERT_EQ(TakeResumed(*buffer), resumed) << "step " << step;
                xons += resumed.size();
            }
            else
            {
                ASSERT_FALSE(answer.passed) << "step " << step;
            }
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
        ASSERT_EQ(usage.peakUsedBytes, peakUsed);
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
                ASSERT_EQ(group.peakBytes, peaks[Key(port, priority)]);
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
    // The run covered all outcomes.
    EXPECT_GT(admitted, 20'000U);
    EXPECT_EQ(passed > 1000, setting.egressPool == 0) << passed;
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
