/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rank-log.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

TEST(RdmaRankLog, GathersByPlaceAndThenByTurn)
{
    RdmaRankLog<int> log;
    log.Add(2, "first of 2");
    log.Add(1, "of 1");
    log.Add(2, "second of 2");
    const std::vector<RdmaRankLog<int>::Record> wanted{{1, "of 1"},
                                                       {2, "first of 2"},
                                                       {2, "second of 2"}};
    EXPECT_EQ(log.Gather(), wanted);
    EXPECT_TRUE(log.Gather().empty());
}

TEST(RdmaRankLog, RowsOfOneRankStay)
{
    std::vector<int> rows{5, 3, 8};
    GatherRdmaRows(rows, [](std::size_t) { return true; });
    EXPECT_EQ(rows, (std::vector<int>{5, 3, 8}));
}

} // namespace ns3
