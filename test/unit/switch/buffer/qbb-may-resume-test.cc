/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-input-port-buffer.h"
#include "qbb-shared-buffer.h"

#include <ns3/double.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Buffer managers' statements on pauses that cannot end, compared with the run that follows.
 */

namespace ns3
{
namespace
{

/** A frame in a buffer. */
struct Held
{
    uint16_t ingress;  //!< ingress port
    uint16_t egress;   //!< egress port
    uint8_t priority;  //!< class
    uint32_t bytes;    //!< size
    bool stuck{false}; //!< the frame never leaves
};

constexpr uint16_t PORTS = 4;

/**
 * Fills a buffer with frames at random, chooses some that are stuck, asks of a paused buffer
 * whether it may be resumed, and then lets everything else go.
 *
 * \param buffer the buffer, configured and empty; it is empty again afterwards
 * \param random random numbers
 * \param [in,out] answers how often each answer was given
 */
void
TryOne(QbbBufferManager& buffer, std::mt19937& random, std::map<bool, int>& answers)
{
    std::vector<Held> frames;
    for (uint32_t i = 0, n = 20 + random() % 150; i < n; ++i)
    {
        Held held{static_cast<uint16_t>(random() % PORTS),
                  static_cast<uint16_t>(random() % PORTS),
                  static_cast<uint8_t>(random() % 3 ? 3 : 4 + random() % 2),
                  64 + static_cast<uint32_t>(random() % 1400)};
        if (buffer.Admit(held.ingress, held.egress, held.priority, held.bytes).admitted)
        {
            frames.push_back(held);
        }
    }
    // A port and class is stuck as a whole, as an egress queue is.
    std::vector<uint64_t> stuck(8 * PORTS);
    const uint32_t blocked = random() % (1 << PORTS);
    for (Held& held : frames)
    {
        held.stuck = held.priority == 3 && (blocked & (1U << held.egress));
        stuck[8 * held.ingress + held.priority] += held.stuck ? held.bytes : 0;
    }
    const auto port = static_cast<uint16_t>(random() % PORTS);
    bool resumed = false;
    const auto release = [&](bool own, bool isStuck) {
        for (const Held& held : frames)
        {
            if ((held.ingress == port && held.priority == 3) == own && held.stuck == isStuck)
            {
                buffer.Release(held.ingress, held.egress, held.priority, held.bytes);
                while (const auto next = buffer.TakeResumed())
                {
                    resumed = resumed || (next->port == port && next->priority == 3);
                }
            }
        }
    };
    const bool paused = buffer.IsPaused(port, 3);
    const bool may = paused && buffer.MayResume(port, 3, stuck);
    answers[may] += paused;
    const bool othersFirst = random() % 2;
    release(!othersFirst, false);
    release(othersFirst, false);
    // The headroom use of other groups may move to the shared part before that of this group.
    bool moved = false;
    for (uint16_t other = 0; other < PORTS; ++other)
    {
        moved = moved || (other != port && stuck[8 * other + 3] > 0);
    }
    EXPECT_LE(resumed, may) << "a class that may not resume stays paused";
    EXPECT_TRUE(moved || resumed == may) << "a class that may resume resumes";
    release(false, true);
    release(true, true);
    EXPECT_EQ(resumed, paused) << "a paused class resumes once all frames have left";
    EXPECT_TRUE(buffer.IsEmpty());
}

/**
 * \param seed of the random numbers
 * \param make makes a buffer that is not configured yet
 */
template <typename F>
void
TryMany(uint32_t seed, F make)
{
    std::mt19937 random(seed);
    std::map<bool, int> answers;
    for (int round = 0; round < 200; ++round)
    {
        const auto buffer = make(random);
        QbbPortProfile profile;
        profile.rate = 100_gbps;
        profile.losslessMask = 0x18;
        buffer->Configure(std::vector<QbbPortProfile>(PORTS, profile));
        for (int i = 0; i < 20; ++i)
        {
            TryOne(*buffer, random, answers);
        }
    }
    EXPECT_GT(answers[false], 200);
    EXPECT_GT(answers[true], 200);
}

TEST(QbbMayResume, SharedBuffer)
{
    TryMany(11, [](std::mt19937& random) {
        const auto buffer = CreateObject<QbbSharedBuffer>();
        const double alphas[] = {0.0625, 0.125, 1, 8};
        buffer->SetAttribute("BufferSize", UintegerValue(200'000));
        buffer->SetAttribute("LosslessAlpha", DoubleValue(alphas[random() % 4]));
        buffer->SetAttribute("ReserveBytes", UintegerValue(random() % 2 * 1248));
        buffer->SetAttribute("XonOffsetBytes", UintegerValue(random() % 3 * 2000));
        buffer->SetAttribute("HeadroomBytes", UintegerValue(5000 + random() % 10'000));
        return buffer;
    });
}

TEST(QbbMayResume, InputPortBuffer)
{
    TryMany(12, [](std::mt19937& random) {
        const auto buffer = CreateObject<QbbInputPortBuffer>();
        buffer->SetAttribute("PortBufferBytes", UintegerValue(40'000));
        buffer->SetAttribute("XoffBytes", UintegerValue(8000 + random() % 4000));
        buffer->SetAttribute("XonBytes", UintegerValue(random() % 8000));
        return buffer;
    });
}

} // namespace
} // namespace ns3
