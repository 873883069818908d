/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-peak-readers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * Peaks of counters for several readers, compared with peaks that each reader notes alone.
 */

using namespace ns3;

namespace
{

/** Counters with their peaks, as an owner keeps them. */
struct Owner
{
    RdmaPeakReaders::Values now;   //!< the counters
    RdmaPeakReaders::Values peaks; //!< their peaks
    RdmaPeakReaders readers;       //!< the readers

    void Set(std::size_t counter, uint64_t value)
    {
        now[counter] = value;
        peaks[counter] = std::max(peaks[counter], value);
    }

    RdmaPeakReaders::Reader Add()
    {
        const auto taken = std::exchange(peaks, now);
        return readers.Add(taken, now);
    }

    RdmaPeakReaders::Values Read(const RdmaPeakReaders::Reader& reader)
    {
        const auto taken = std::exchange(peaks, now);
        return readers.Read(reader, taken, now);
    }
};

} // namespace

TEST(RdmaPeakReaders, EachReaderHasItsOwnPeaks)
{
    Owner owner{{0, 0}, {0, 0}, {}};
    const auto first = owner.Add();
    owner.Set(0, 5);
    owner.Set(0, 1);
    const auto second = owner.Add();
    EXPECT_EQ(owner.Read(second), (RdmaPeakReaders::Values{1, 0})) << "since it was added";
    EXPECT_EQ(owner.Read(first), (RdmaPeakReaders::Values{5, 0})) << "although another one read";
    EXPECT_EQ(owner.Read(first), (RdmaPeakReaders::Values{1, 0}));
    owner.Set(1, 7);
    owner.Set(1, 0);
    EXPECT_EQ(owner.Read(second), (RdmaPeakReaders::Values{1, 7}));
    EXPECT_EQ(owner.Read(first), (RdmaPeakReaders::Values{1, 7}));
    EXPECT_EQ(owner.readers.GetPassed(0), 5U);
    EXPECT_EQ(owner.readers.GetPassed(1), 7U);
    EXPECT_EQ(owner.readers.GetPassed(2), 0U) << "no such counter";
}

TEST(RdmaPeakReaders, CountersMayComeLater)
{
    Owner owner;
    const auto reader = owner.Add();
    EXPECT_EQ(owner.Read(reader), RdmaPeakReaders::Values());
    owner.now = owner.peaks = {0, 0, 0};
    owner.Set(2, 9);
    owner.Set(2, 3);
    EXPECT_EQ(owner.Read(reader), (RdmaPeakReaders::Values{0, 0, 9}));
    owner.readers.Clear();
    EXPECT_EQ(owner.readers.GetPassed(2), 0U);
}

TEST(RdmaPeakReaders, RandomReadings)
{
    std::mt19937 random(1);
    Owner owner{{0, 0, 0}, {0, 0, 0}, {}};
    std::vector<RdmaPeakReaders::Reader> readers;
    std::vector<RdmaPeakReaders::Values> expected; // by reader
    for (uint32_t step = 0; step < 20'000; ++step)
    {
        const std::size_t counter = random() % 3;
        owner.Set(counter, random() % 1000);
        for (auto& values : expected)
        {
            values[counter] = std::max(values[counter], owner.now[counter]);
        }
        if (random() % 50 == 0 && readers.size() < 6)
        {
            readers.push_back(owner.Add());
            expected.push_back(owner.now);
        }
        else if (random() % 500 == 0 && !readers.empty())
        {
            readers.pop_back();
            expected.pop_back();
        }
        else if (random() % 3 == 0 && !readers.empty())
        {
            const std::size_t i = random() % readers.size();
            ASSERT_EQ(owner.Read(readers[i]), expected[i]) << "step " << step;
            expected[i] = owner.now;
        }
    }
}

TEST(RdmaPeakReadersDeathTest, AReaderOfOtherCounters)
{
    Owner owner{{0}, {0}, {}};
    Owner other{{0}, {0}, {}};
    const auto reader = other.Add();
    EXPECT_DEATH(owner.Read(reader), "a reader of the peaks of other counters");
}
