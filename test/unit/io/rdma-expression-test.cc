/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-expression.h"

#include <gtest/gtest.h>
#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * Expressions of files. The expected values follow the rules of arithmetic: products before sums,
 * from left to right, division rounded down.
 */

namespace ns3
{
namespace
{

const std::vector<std::string> NAMES{"rank", "layer"};

int64_t
Number(const std::string& text, int64_t rank = 0, int64_t layer = 0)
{
    return RdmaExpression(text, NAMES).GetNumber({rank, layer});
}

TEST(RdmaExpression, FollowsThePrecedenceOfOperators)
{
    EXPECT_EQ(Number("2 + 3 * 4"), 14);
    EXPECT_EQ(Number("(2 + 3) * 4"), 20);
    EXPECT_EQ(Number("10 - 3 - 2"), 5);
    EXPECT_EQ(Number("100 / 7 / 2"), 7);
    EXPECT_EQ(Number("-2 * -3"), 6);
    EXPECT_EQ(Number("1 + 1 == 2 && 3 < 2 || 4 >= 4"), 1);
    EXPECT_EQ(Number("!(1 != 1) + 1"), 2);
    EXPECT_EQ(Number("37*rank%13", 5), 3); // 185 = 14 x 13 + 3
    EXPECT_EQ(Number("1e3+layer", 0, 2), 1002);
    EXPECT_EQ(RdmaExpression().GetNumber({}), 0);
}

TEST(RdmaExpression, RoundsDivisionDown)
{
    EXPECT_EQ(Number("(rank - 1) % 8", 0), 7);
    EXPECT_EQ(Number("(rank - 1) / 8", 0), -1);
    EXPECT_EQ(Number("7 / 8"), 0);
    EXPECT_EQ(Number("5 % -3"), -1); // 5 = -2 x -3 - 1
}

TEST(RdmaExpression, TakesUnits)
{
    EXPECT_EQ(RdmaExpression("100us + 11us * layer + 1ns*rank", NAMES).GetTime({3, 2}), 122'003_ns);
    EXPECT_EQ(RdmaExpression("4MB + layer", NAMES).GetBytes({0, 2}), 4'000'002U);
    EXPECT_EQ(RdmaExpression("1500", NAMES).GetBytes({0, 0}), 1500U);
    EXPECT_EQ(RdmaExpression("64KiB / 4", NAMES).GetBytes({0, 0}), 16384U);
    EXPECT_EQ(Number("10us / 3us"), 3);
    EXPECT_EQ(Number("2KB > 1999"), 1);
    EXPECT_EQ(RdmaExpression("10us % 3us", NAMES).GetTime({0, 0}), 1000_ns);
}

TEST(RdmaExpression, RefusesWhatIsNoExpression)
{
    const auto refuse = [](const std::string& text, const std::string& message) {
        ExpectRefusal([&text] { RdmaExpression(text, NAMES); }, message);
    };
    refuse("", "no value at position 1; accepted: a number, .*rank, layer");
    refuse("2 +", "no value at position 4");
    refuse("2 3", "'3' after a value; accepted: an operator");
    refuse("(2", "a \\) is missing");
    refuse("ranks", "'ranks' is unknown; accepted: .*rank, layer");
    refuse("5xs", "5xs");
    refuse(std::string(1000, '('), "too many parentheses");
    refuse(std::string(1000, '-') + "1", "too many parentheses");
}

TEST(RdmaExpression, RefusesValuesThatDoNotFit)
{
    const auto refuse = [](auto call, const std::string& message) { ExpectRefusal(call, message); };
    refuse([] { Number("1us"); }, "'1us' has a unit; accepted: a plain number");
    refuse([] { Number("1us + 1B"); }, "not alike");
    refuse([] { Number("1us + 1"); }, "not alike");
    refuse([] { Number("2B * 3B"); }, "multiplies two");
    refuse([] { Number("1 / rank"); }, "divides by 0");
    refuse([] { Number("1 / 1us"); }, "not alike");
    refuse([] { Number("1e15 * 1e15"); }, "too large");
    refuse([] { RdmaExpression("5", NAMES).GetTime({0, 0}); }, "no time; accepted: a time");
    refuse([] { RdmaExpression("1us - 2us", NAMES).GetTime({0, 0}); }, "is -1000000 ps");
    refuse([] { RdmaExpression("rank - 1", NAMES).GetBytes({0, 0}); }, "is -1 B; accepted: bytes");
}

} // namespace
} // namespace ns3
