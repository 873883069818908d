/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-warn-once.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

TEST(RdmaWarnOnceTest, WritesEachTextOnce)
{
    std::ostringstream os;
    for (int i = 0; i < 3; ++i)
    {
        RdmaWarnOnce(os, "one warning of RdmaWarnOnceTest\n");
        RdmaWarnOnce(os, "another\n");
    }
    EXPECT_EQ(os.str(), "one warning of RdmaWarnOnceTest\nanother\n");
}
