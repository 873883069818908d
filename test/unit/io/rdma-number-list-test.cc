/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-number-list.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <vector>

using namespace ns3;

TEST(RdmaNumberList, Integers)
{
    EXPECT_EQ(ParseRdmaIntegers("7", 1, 9), std::vector<uint32_t>{7});
    EXPECT_EQ(ParseRdmaIntegers("1x9x1", 1, 9), (std::vector<uint32_t>{1, 9, 1}));
    for (const char* text : {"", "x", "1x", "x1", "1xx1", "0", "10", "1x10", "1 x1", "-1", "1.5"})
    {
        ExpectError<std::invalid_argument>([&] { ParseRdmaIntegers(text, 1, 9); }, {"accepted: "});
    }
}

TEST(RdmaNumberList, Reals)
{
    EXPECT_EQ(ParseRdmaReals("1.5"), std::vector<double>{1.5});
    EXPECT_EQ(ParseRdmaReals("3x0.25x1e-3"), (std::vector<double>{3, 0.25, 1e-3}));
    for (const char* text : {"", "x", "1x", "x1", "1xx1", "-1", "nan", "1,5"})
    {
        ExpectError<std::invalid_argument>([&] { ParseRdmaReals(text); }, {"accepted: "});
    }
}
