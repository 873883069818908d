/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-input-port-buffer-setup.h"
#include "rdma-allocation-count.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::QbbInputPortBufferSetup;

TEST(QbbInputPortBufferRandom, RandomAgainstItsDocumentation)
{
    uint64_t others = 0; // resumed by frames of another class
    for (uint64_t seed = 1; seed <= 30; ++seed)
    {
        std::mt19937_64 random(seed);
        const auto pick = [&](uint64_t n) { return random() % n; };
        const auto mask = static_cast<uint8_t>(pick(4) * 8);
        const auto n = static_cast<int64_t>(__builtin_popcount(mask));
        const auto cell = static_cast<int64_t>(pick(2) ? 64 : 1);
        const auto xoff = static_cast<int64_t>(4000 + pick(10'000)) / cell * cell;
        const auto xon = static_cast<int64_t>(1 + pick(3000));
        const auto reserve = static_cast<int64_t>(pick(3)) * 640;
        const auto size =
            static_cast<int64_t>(n ? n * (xoff + 3000) + reserve : 20'000) / cell * cell;
        const int64_t shared = n ? n * xoff + reserve : size;
        const int64_t headroom = n ? (size - shared) / n / cell * cell : 0;
        const int64_t lossyLimit = n ? shared / 2 : size;
        const auto buffer = MakeBuffer({{"PortBufferBytes", static_cast<uint32_t>(size)},
                                        {"XoffBytes", static_cast<uint32_t>(xoff)},
                                        {"XonBytes", static_cast<uint32_t>(xon)},
                                        {"LossyReserveBytes", static_cast<uint32_t>(reserve)},
                                        {"CellBytes", static_cast<uint32_t>(cell)}},
                                       MakePorts(mask));

        struct Held
        {
            uint16_t in;
            uint16_t out;
            uint8_t priority;
            uint32_t bytes;
        };

        std::vector<Held> held;
        std::map<std::pair<int, int>, std::pair<int64_t, int64_t>> parts; // shared, headroom
        std::map<std::pair<int, int>, bool> paused;
        const auto cells = [&](uint32_t bytes) { return (bytes + cell - 1) / cell * cell; };
        const auto sum = [&](int in, bool onlyLossy) {
            int64_t bytes = 0;
            for (int p = 0; p < 8; ++p)
            {
                bytes += onlyLossy && (mask >> p & 1) ? 0 : parts[{in, p}].first;
            }
            return bytes;
        };
        uint64_t drops = 0;
        uint64_t xoffs = 0;
        uint64_t xons = 0;
        for (uint32_t step = 0; step < 4000; ++step)
        {
            const bool filling = step / 300 % 2 == 0;
            if (held.empty() || pick(10) < (filling ? 7 : 3))
            {
                const Held frame{static_cast<uint16_t>(pick(3)),
                                 static_cast<uint16_t>(pick(3)),
                                 static_cast<uint8_t>(2 + pick(4)),
                                 static_cast<uint32_t>(64 + pick(1019))};
                const QbbAdmission answer =
                    buffer->Admit(frame.in, frame.out, frame.priority, frame.bytes);
                const std::pair<int, int> key{frame.in, frame.priority};
                auto& [inShared, inHeadroom] = parts[key];
                const bool lossless = mask >> frame.priority & 1;
                const int64_t bytes = cells(frame.bytes);
                const bool room = sum(frame.in, false) + bytes <= shared;
                bool admitted = false;
                bool xoffNow = false;
                if (!lossless)
                {
                    admitted = room && sum(frame.in, true) + bytes <= lossyLimit;
                    inShared += admitted ? bytes : 0;
                }
                else if (room && inShared + bytes <= xoff)
                {
                    admitted = true;
                    inShared += bytes;
                }
                else
                {
                    admitted = inHeadroom + bytes <= headroom;
                    inHeadroom += admitted ? bytes : 0;
                    xoffNow =
                        !paused[key] && (inShared + inHeadroom > 0 || sum(frame.in, false) > 0);
                    paused[key] = paused[key] || xoffNow;
                }
                ASSERT_EQ(answer.admitted, admitted) << "seed " << seed << " step " << step;
                ASSERT_EQ(answer.xoff, xoffNow);
                drops += !admitted;
                xoffs += xoffNow;
                if (admitted)
                {
                    held.push_back(frame);
                }
            }
            else
            {
                const std::size_t at = pick(held.size());
                const Held frame = held[at];
                held[at] = held.back();
                held.pop_back();
                const std::pair<int, int> key{frame.in, frame.priority};
                auto& [inShared, inHeadroom] = parts[key];
                const int64_t bytes = cells(frame.bytes);
                const int64_t fromHeadroom = std::min(bytes, inHeadroom);
                inHeadroom -= fromHeadroom;
                inShared -= bytes - fromHeadroom;
                // Whichever frame has left: the switch asks every paused class of the port, in
                // order.
                std::vector<int> expected;
                for (int p = 0; p < 8; ++p)
                {
                    auto& [s, h] = parts[{frame.in, p}];
                    const bool fits =
                        s + h <= xon && shared - sum(frame.in, false) - h >= xoff - xon;
                    if (paused[{frame.in, p}] && (s + h == 0 || fits))
                    {
                        s += h;
                        h = 0;
                        paused[{frame.in, p}] = false;
                        expected.push_back(p);
                        others += p != frame.priority;
                    }
                }
                xons += expected.size();
                buffer->Release(frame.in, frame.out, frame.priority, frame.bytes);
                std::vector<int> resumed;
                while (const auto next = buffer->TakeResumed())
                {
                    EXPECT_EQ(next->port, frame.in);
                    resumed.push_back(next->priority);
                }
                ASSERT_EQ(resumed, expected) << "seed " << seed << " step " << step;
            }
            uint64_t all = 0;
            for (const auto& frame : held)
            {
                all += cells(frame.bytes);
            }
            ASSERT_EQ(buffer->GetUsage().usedBytes, all);
        }
        EXPECT_GT(drops, 0U) << "seed " << seed;
        EXPECT_TRUE(n == 0 || xoffs > 0) << "seed " << seed;
        const uint64_t before = GetRdmaAllocationCount();
        while (!held.empty())
        {
            const Held frame = held.back();
            held.pop_back();
            buffer->Release(frame.in, frame.out, frame.priority, frame.bytes);
            while (buffer->TakeResumed())
            {
                ++xons;
            }
        }
        EXPECT_EQ(GetRdmaAllocationCount(), before);
        EXPECT_EQ(xoffs, xons);
        EXPECT_TRUE(buffer->IsEmpty());
    }
    EXPECT_GT(others, 0U);
}
