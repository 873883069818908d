/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-flow-size-cdf.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

using namespace ns3;

namespace
{

/// The mean of samples at evenly spaced numbers.
double
Integrate(const RdmaFlowSizeCdf& cdf, int steps)
{
    double sum = 0;
    for (int i = 0; i < steps; ++i)
    {
        sum += static_cast<double>(cdf.Sample((i + 0.5) / steps));
    }
    return sum / steps;
}

} // namespace

TEST(RdmaFlowSizeCdf, Samples)
{
    const RdmaFlowSizeCdf cdf({{100, 0.0}, {200, 0.5}, {200, 0.75}, {1000, 1.0}});
    EXPECT_EQ(cdf.Sample(0.0), 100u);
    EXPECT_EQ(cdf.Sample(0.25), 150u);
    EXPECT_EQ(cdf.Sample(0.5), 200u);
    EXPECT_EQ(cdf.Sample(0.6), 200u); // a quarter of the flows has exactly this size
    EXPECT_EQ(cdf.Sample(0.75), 200u);
    EXPECT_EQ(cdf.Sample(0.875), 600u);
    EXPECT_EQ(cdf.Sample(1.0), 1000u);
    EXPECT_DOUBLE_EQ(cdf.GetMean(), 0.5 * 150 + 0.25 * 200 + 0.25 * 600);
    EXPECT_THROW(cdf.Sample(-0.1), std::invalid_argument);
    EXPECT_THROW(cdf.Sample(1.1), std::invalid_argument);
    EXPECT_THROW(cdf.Sample(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

TEST(RdmaFlowSizeCdf, RoundingIsInTheMean)
{
    // 0..2 uniform: below 1.5 gives 1 (three quarters, since sizes that round to 0 count as 1),
    // above gives 2.
    const RdmaFlowSizeCdf cdf({{0, 0.0}, {2, 1.0}});
    EXPECT_EQ(cdf.Sample(0.0), 1u);
    EXPECT_EQ(cdf.Sample(0.7499), 1u);
    EXPECT_EQ(cdf.Sample(0.7501), 2u);
    EXPECT_DOUBLE_EQ(cdf.GetMean(), 1.25);
    // A gap in the sizes: no flow from 1 to 9.
    const RdmaFlowSizeCdf gap({{0, 0.0}, {1, 0.5}, {9, 0.5}, {10, 1.0}});
    EXPECT_DOUBLE_EQ(gap.GetMean(), 0.5 * 1 + 0.5 * 9.5);
    EXPECT_NEAR(Integrate(gap, 1000), gap.GetMean(), 1e-9);
}

TEST(RdmaFlowSizeCdf, BuiltIn)
{
    EXPECT_EQ(RdmaFlowSizeCdf::GetBuiltInNames(),
              (std::vector<std::string>{"irn-heavy-tail",
                                        "irn-uniform",
                                        "websearch",
                                        "hadoop",
                                        "storage"}));
    for (const auto& name : RdmaFlowSizeCdf::GetBuiltInNames())
    {
        const auto cdf = RdmaFlowSizeCdf::Make(name);
        EXPECT_NEAR(Integrate(cdf, 1'000'000) / cdf.GetMean(), 1.0, 1e-6) << name;
    }
    // Means worked out by hand from the points.
    EXPECT_DOUBLE_EQ(RdmaFlowSizeCdf::Make("irn-heavy-tail").GetMean(),
                     0.5 * 516 + 0.35 * 100'500 + 0.15 * 1'600'000);
    EXPECT_DOUBLE_EQ(RdmaFlowSizeCdf::Make("irn-uniform").GetMean(), 2'750'000);
    EXPECT_NEAR(RdmaFlowSizeCdf::Make("websearch").GetMean(), 1'711'250, 1e-4);
    EXPECT_EQ(RdmaFlowSizeCdf::Make("websearch").Sample(0.60), 200'000u);
    EXPECT_EQ(RdmaFlowSizeCdf::Make("hadoop").Sample(0.975), 1'000'000u);
    EXPECT_EQ(RdmaFlowSizeCdf::Make("storage").Sample(0.2293), 4'000u);
    // The IRN paper: half of the flows within one packet, 15% from 200 KB.
    const auto irn = RdmaFlowSizeCdf::Make("irn-heavy-tail");
    EXPECT_EQ(irn.Sample(0.0), 32u);
    EXPECT_EQ(irn.Sample(0.5), 1000u);
    EXPECT_EQ(irn.Sample(0.85), 200'000u);
    EXPECT_EQ(irn.Sample(1.0), 3'000'000u);
    ExpectError<std::invalid_argument>([] { RdmaFlowSizeCdf::Make("google"); },
                                       {"'google'", "irn-heavy-tail", "websearch", "file:PATH"});
    EXPECT_THROW(RdmaFlowSizeCdf::Make("file:"), std::invalid_argument);
}

TEST(RdmaFlowSizeCdf, WrongPoints)
{
    const auto expect = [](const std::vector<RdmaCdfPoint>& points, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { RdmaFlowSizeCdf cdf(points); }, {problem});
    };
    expect({}, "0 points");
    expect({{1, 0.0}}, "1 points");
    expect({{1, 0.1}, {2, 1.0}}, "point 1: the first share is not 0");
    expect({{1, 0.0}, {2, 0.9}}, "the last share is 0.9; accepted: 1");
    expect({{1, 0.0}, {3, 0.5}, {2, 1.0}}, "point 3: not above the point before it");
    expect({{1, 0.0}, {2, 0.5}, {3, 0.4}, {4, 1.0}}, "point 3: not above");
    expect({{1, 0.0}, {2, 0.5}, {2, 0.5}, {4, 1.0}}, "point 3: not above");
    expect({{1, 0.0}, {2, 1.5}}, "point 2: a share of 1.5; accepted: 0 to 1");
    expect({{1, -0.5}, {2, 1.0}}, "point 1: a share of -0.5");
    expect({{0, 0.0}, {0, 0.5}, {2, 1.0}}, "point 2: a share of 0.5 of the flows has 0 bytes");
    expect({{1, 0.0}, {(uint64_t{1} << 53) + 1, 1.0}}, "accepted: at most 2^53");
    expect({{1, 0.0}, {2, std::numeric_limits<double>::quiet_NaN()}}, "point 2: a share of nan");
}

TEST(RdmaFlowSizeCdf, Files)
{
    const auto percent = RdmaFlowSizeCdf::Parse("0 0\n10000 15\n\n20000 97.5\n30000 100\n", "c");
    ASSERT_EQ(percent.GetPoints().size(), 4u);
    EXPECT_EQ(percent.GetPoints()[1].bytes, 10'000u);
    EXPECT_DOUBLE_EQ(percent.GetPoints()[2].fraction, 0.975);
    const auto fraction = RdmaFlowSizeCdf::Parse("0\t0\n10000\t0.15\n20000\t0.975\n30000 1\n", "c");
    for (int i = 0; i <= 100; ++i)
    {
        EXPECT_EQ(percent.Sample(i / 100.0), fraction.Sample(i / 100.0));
    }
    const std::string path = testing::TempDir() + "rdma-flow-size-cdf-test.txt";
    std::ofstream(path) << "100 0\n300 100\n";
    EXPECT_EQ(RdmaFlowSizeCdf::Make("file:" + path).GetMean(), 200.0);
    std::remove(path.c_str());
    EXPECT_THROW(RdmaFlowSizeCdf::Read(path), RdmaFileError);
}

TEST(RdmaFlowSizeCdf, NumbersOfOtherPrograms)
{
    const std::string path = testing::TempDir() + "rdma-flow-size-cdf-numbers.txt";
    std::ofstream(path) << "\xef\xbb\xbf"
                        << "0 0.0\n1e3 5E-01\n1.5e+06 1.00\n";
    const auto cdf = RdmaFlowSizeCdf::Make("file:" + path);
    ASSERT_EQ(cdf.GetPoints().size(), 3u);
    EXPECT_EQ(cdf.GetPoints()[1].bytes, 1000u);
    EXPECT_EQ(cdf.GetPoints()[1].fraction, 0.5);
    EXPECT_EQ(cdf.GetPoints()[2].bytes, 1'500'000u);
    std::ofstream(path, std::ios::binary) << std::string("\xff\xfe\x30\x00", 4);
    ExpectError<RdmaFileError>([&] { RdmaFlowSizeCdf::Read(path); }, {"is UTF-16 text"});
    std::remove(path.c_str());
}

TEST(RdmaFlowSizeCdf, FileErrors)
{
    const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
        ExpectError<RdmaFileError>([&] { RdmaFlowSizeCdf::Parse(text, "c"); }, parts);
    };
    expect("", {"c: 0 points"});
    expect("100 100\n", {"c: 1 points"});
    expect("0 0\n100 99\n", {"c: share: the last one is 99", "accepted: 100, or 1"});
    expect("0 0\n100 0.99\n", {"c: share: the last one is 0.99"});
    expect("0 5\n100 100\n", {"c:1: share: a share of 0.05 of the flows has 0 bytes"});
    expect("10 5\n100 100\n", {"c:1: share: the first share is not 0"});
    expect("0 0\n\n50 60\n70 50\n100 100\n", {"c:4: share: not above the point before it"});
    expect("0 0\n50 40\n40 50\n100 100\n", {"c:3: share: not above the point before it"});
    expect("0 0\n50 101\n100 100\n", {"c:2: share: a share of 1.01"});
    expect("0 0\n50\n100 100\n", {"c:2: 1 fields", "accepted: 2: bytes share"});
    expect("0 0\n50 1 40\n100 100\n", {"c:2: 3 fields"});
    expect("0 0\n-50 40\n100 100\n", {"c:2: bytes: '-50' is negative"});
    expect("0 0\n5.5 40\n100 100\n", {"c:2: bytes: '5.5' is not a whole number"});
    expect("0 0\n50 4,5\n100 100\n", {"c:2: share: '4,5' has a comma"});
    expect("0 0\n50 -4\n100 100\n", {"c:2: share: '-4' is negative"});
    expect("0 0\n50 40%\n100 100\n", {"c:2: share: '40%' is not a number"});
    expect("0 0\n0 0\n100 100\n", {"c:2: share: not above the point before it"});
}

TEST(RdmaFlowSizeCdf, SizesBeyondTheHalvesOfADouble)
{
    // 5111111111111111 is above 2^52, where the sum of a double and 0.5 may be the next number.
    const auto cdf = RdmaFlowSizeCdf::Parse("5221127 0\n5111111111111111 1\n", "test");
    EXPECT_EQ(cdf.Sample(0.0), 5221127U);
    EXPECT_EQ(cdf.Sample(1.0), 5111111111111111U);
}
