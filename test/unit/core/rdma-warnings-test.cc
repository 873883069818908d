/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-warnings.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

TEST(RdmaWarningsTest, WritesEachTextOnce)
{
    std::ostringstream os;
    for (int i = 0; i < 3; ++i)
    {
        RdmaWarnOnce(os, "one warning of RdmaWarningsTest\n");
        RdmaWarnOnce(os, "another\n");
    }
    EXPECT_EQ(os.str(), "one warning of RdmaWarningsTest\nanother\n");
}
