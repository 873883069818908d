/* SPDX-License-Identifier: GPL-2.0-only */

#include <gtest/gtest.h>

// Results have the same bits on processors with and without an instruction that joins a product
// and a sum. The compiler must not use such an instruction, which rounds once in place of twice.
TEST(RdmaRounding, ProductsAndSumsAreRoundedSeparately)
{
    // The square of 1 + 2^-30 is 1 + 2^-29 + 2^-60. A double has no room for the last term.
    volatile double factor = 1 + 0x1p-30;
    volatile double rounded = 1 + 0x1p-29;
    const double one = factor;
    const double other = rounded;
    EXPECT_EQ(one * one - other, 0.0);
}
