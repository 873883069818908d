/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-fabric-run.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(RdmaBuildNote, SaysWhatIsCompiledIn)
{
    EXPECT_EQ(GetRdmaBuildNote(false, false), "");
    EXPECT_NE(GetRdmaBuildNote(true, false).find("has asserts compiled in"), std::string::npos);
    EXPECT_NE(GetRdmaBuildNote(false, true).find("has logging compiled in"), std::string::npos);
    const std::string both = GetRdmaBuildNote(true, true);
    EXPECT_NE(both.find("has asserts and logging compiled in"), std::string::npos);
    EXPECT_EQ(both.find('\n'), std::string::npos);
}
