/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-shared-run.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

TEST(RdmaRecordLog, GathersByPlaceAndThenByTurn)
{
    RdmaRecordLog<int> log;
    log.Add(2, "first of 2");
    log.Add(1, "of 1");
    log.Add(2, "second of 2");
    const std::vector<RdmaRecordLog<int>::Record> wanted{{1, "of 1"},
                                                         {2, "first of 2"},
                                                         {2, "second of 2"}};
    EXPECT_EQ(log.Gather(), wanted);
    EXPECT_TRUE(log.Gather().empty());
}

TEST(RdmaSharedRun, RowsOfOneProcessStay)
{
    std::vector<int> rows{5, 3, 8};
    GatherRdmaRows(rows, [](std::size_t) { return true; });
    EXPECT_EQ(rows, (std::vector<int>{5, 3, 8}));
}

TEST(RdmaSharedRun, ValuesOfOneProcessStay)
{
    EXPECT_EQ(ShareRdmaValues(std::vector<int>{5, 3, 8}), (std::vector<int>{5, 3, 8}));
    EXPECT_EQ(SumRdmaValues(7), 7U);
}

TEST(RdmaOrderedRows, OneProcessWritesAtOnce)
{
    std::ostringstream os;
    RdmaOrderedRows rows(os);
    rows.Add({1, 0, 0}, "first\n");
    EXPECT_EQ(os.str(), "first\n");
    rows.Add({2, 0, 0}, "second\n");
    rows.Finish();
    EXPECT_EQ(os.str(), "first\nsecond\n");
}

} // namespace ns3
