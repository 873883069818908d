/* SPDX-License-Identifier: GPL-2.0-only */

#include <gtest/gtest.h>

// Some processors have an instruction that computes a product and a sum and rounds once. Compilers
// must not use that instruction: results would have other bits than on a processor without it.
TEST(RdmaRounding, ProductsAndSumsAreRoundedSeparately)
{
    // The square of 1 + 2^-30 is 1 + 2^-29 + 2^-60. A double has no room for the last term.
    volatile double factor = 1 + 0x1p-30;
    volatile double rounded = 1 + 0x1p-29;
    const double one = factor;
    const double other = rounded;
    EXPECT_EQ(one * one - other, 0.0);
}
