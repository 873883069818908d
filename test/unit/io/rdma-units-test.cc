/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-units.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <stdexcept>

using namespace ns3;

TEST(RdmaUnits, Rates)
{
    EXPECT_EQ(ParseRdmaRate("100Gbps"), 100_gbps);
    EXPECT_EQ(ParseRdmaRate("400Gb/s"), 400_gbps);
    EXPECT_EQ(ParseRdmaRate("1.5Gbps"), 1500_mbps);
    EXPECT_EQ(ParseRdmaRate("0.000000001Gbps"), 1_bps);
    EXPECT_EQ(ParseRdmaRate("2.50Gbps"), 2500_mbps);
    EXPECT_EQ(ParseRdmaRate("007kbps"), 7'000_bps);
    EXPECT_EQ(ParseRdmaRate("7Kb/s"), 7'000_bps);
    EXPECT_EQ(ParseRdmaRate("1bps"), 1_bps);
    EXPECT_EQ(ParseRdmaRate("8Tbps"), RDMA_MAX_RATE);
    EXPECT_EQ(ParseRdmaRate("1.234567890123Tbps"), 1'234'567'890'123_bps);
}

TEST(RdmaUnits, WrongRates)
{
    const auto expect = [](const std::string& text, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { ParseRdmaRate(text); },
                                           {problem, "accepted: 1bps to 8Tbps", "Gbps"});
    };
    expect("", "is empty");
    expect("100", "has no unit");
    expect("100Gbsp", "'Gbsp'");
    expect("100GBps", "'GBps'");
    expect("100 Gbps", "' Gbps'");
    expect("100Gbps ", "'Gbps '");
    expect(" 100Gbps", "does not begin with a digit");
    expect("+1Gbps", "does not begin with a digit");
    expect("-1Gbps", "is negative");
    expect(".5Gbps", "does not begin with a digit");
    expect("5.Gbps", "no digit after");
    expect("1e9bps", "'e9bps'");
    expect("0Gbps", "too small");
    expect("0.5bps", "whole number of bit/s");
    expect("1.0000000001Gbps", "whole number of bit/s");
    expect("8000000000001bps", "too large");
    expect("99999999999999999999999999999999999999999bps", "too large");
    expect("1.0000000000000000001Tbps", "more than 18 decimals");
    expect(std::string("1\0Gbps", 7), "\\x00");
}

TEST(RdmaUnits, Times)
{
    EXPECT_EQ(ParseRdmaTime("1000ns"), 1_us);
    EXPECT_EQ(ParseRdmaTime("1us"), 1_us);
    EXPECT_EQ(ParseRdmaTime("0.001ms"), 1_us);
    EXPECT_EQ(ParseRdmaTime("2.5us"), 2500_ns);
    EXPECT_EQ(ParseRdmaTime("0.001ns"), 1_ps);
    EXPECT_EQ(ParseRdmaTime("0s"), 0_ps);
    EXPECT_EQ(ParseRdmaTime("1.000000000001s"), 1'000'000'000'001_ps);
    EXPECT_EQ(ParseRdmaTime("1.0000000000000ps"), 1_ps);
    EXPECT_EQ(ParseRdmaTime(FormatRdmaTime(RDMA_MAX_TIME)), RDMA_MAX_TIME);
}

TEST(RdmaUnits, WrongTimes)
{
    const auto expect = [](const std::string& text, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { ParseRdmaTime(text); },
                                           {problem, "accepted: 0ps to"});
    };
    expect("1", "has no unit");
    expect("1min", "'min'");
    expect("0.5ps", "whole number of picoseconds");
    expect("1.0001ns", "whole number of picoseconds");
    expect("9223.372036854776s", "too large");
    expect("-1ns", "is negative");
}

TEST(RdmaUnits, TimesWithoutUnit)
{
    // A double has 16 digits and would give ...6999 or so.
    EXPECT_EQ(ParseRdmaTimeIn("2.000000577", 1_s), 2'000'000'577'000_ps);
    EXPECT_EQ(ParseRdmaTimeIn("9000.000000000001", 1_s), 9'000'000'000'000'001_ps);
    EXPECT_EQ(ParseRdmaTimeIn("2", 1_s), 2_s);
    EXPECT_EQ(ParseRdmaTimeIn("12.345", 1_ns), 12'345_ps);
    ExpectError<std::invalid_argument>([] { ParseRdmaTimeIn("1.2345", 1_ns); },
                                       {"whole number of picoseconds"});
    ExpectError<std::invalid_argument>([] { ParseRdmaTimeIn("1ns", 1_ns); }, {"not a number"});
    ExpectError<std::invalid_argument>([] { ParseRdmaTimeIn("9224", 1_s); }, {"too large"});
    ExpectError<std::invalid_argument>([] { ParseRdmaTimeIn("1", 10_ps); }, {"10 ps"});
}

TEST(RdmaUnits, Sizes)
{
    EXPECT_EQ(ParseRdmaBytes("1000"), 1000u);
    EXPECT_EQ(ParseRdmaBytes("0"), 0u);
    EXPECT_EQ(ParseRdmaBytes("64KiB"), 65536u);
    EXPECT_EQ(ParseRdmaBytes("1.5MB"), 1'500'000u);
    EXPECT_EQ(ParseRdmaBytes("0.5KiB"), 512u);
    EXPECT_EQ(ParseRdmaBytes("1TiB"), uint64_t{1} << 40);
    EXPECT_EQ(ParseRdmaBytes("1048576TiB"), RDMA_MAX_FLOW_BYTES);
    ExpectError<std::invalid_argument>([] { ParseRdmaBytes("1048577TiB"); }, {"too large"});
    ExpectError<std::invalid_argument>([] { ParseRdmaBytes("0.5B"); }, {"whole number of bytes"});
    ExpectError<std::invalid_argument>([] { ParseRdmaBytes("1Mb"); }, {"'Mb'", "KiB"});
}

TEST(RdmaUnits, Integers)
{
    const uint64_t max = std::numeric_limits<uint64_t>::max();
    EXPECT_EQ(ParseRdmaInteger("0", 0, 7), 0u);
    EXPECT_EQ(ParseRdmaInteger("18446744073709551615", 0, max), max);
    const auto expect = [](const std::string& text, const std::string& problem) {
        ExpectError<std::invalid_argument>([&] { ParseRdmaInteger(text, 1, 7); },
                                           {problem, "accepted: 1 to 7"});
    };
    expect("0", "too small");
    expect("8", "too large");
    expect("18446744073709551617", "too large");
    expect("3.0", "not a whole number");
    expect("3x", "not a whole number");
    expect("x", "does not begin with a digit");
    expect("-3", "is negative");
    expect("", "is empty");
}

TEST(RdmaUnits, Reals)
{
    EXPECT_EQ(ParseRdmaReal("0"), 0.0);
    EXPECT_EQ(ParseRdmaReal("0.000000"), 0.0);
    EXPECT_EQ(ParseRdmaReal("0.1"), 0.1);
    EXPECT_EQ(ParseRdmaReal("1e-5"), 1e-5);
    EXPECT_EQ(ParseRdmaReal("2.5E+3"), 2500.0);
    for (const char* text : {"", ".5", "5.", "1e", "1e+", "0x10", "inf", "nan", "1 ", "+1", "1,5"})
    {
        EXPECT_THROW(ParseRdmaReal(text), std::invalid_argument) << text;
    }
    ExpectError<std::invalid_argument>([] { ParseRdmaReal("-0.1"); }, {"is negative"});
    ExpectError<std::invalid_argument>([] { ParseRdmaReal("1e999"); }, {"too large"});
}

TEST(RdmaUnits, Formats)
{
    EXPECT_EQ(FormatRdmaRate(100_gbps), "100Gbps");
    EXPECT_EQ(FormatRdmaRate(1500_mbps), "1500Mbps");
    EXPECT_EQ(FormatRdmaRate(1'000'000'000'001_bps), "1000000000001bps");
    EXPECT_EQ(FormatRdmaTime(1_us), "1000ns");
    EXPECT_EQ(FormatRdmaTime(1'500_ps), "1500ps");
    EXPECT_EQ(FormatRdmaNs(0_ps), "0.000");
    EXPECT_EQ(FormatRdmaNs(1'234'567_ps), "1234.567");
    EXPECT_EQ(FormatRdmaNs(1'005_ps), "1.005");
    EXPECT_EQ(FormatRdmaNs(-5_ps), "-0.005");
    EXPECT_EQ(FormatRdmaNs(QbbPs(std::numeric_limits<int64_t>::min())), "-9223372036854775.808");
    EXPECT_EQ(FormatRdmaReal(0.1), "0.1");
    EXPECT_EQ(FormatRdmaReal(1.0 / 3.0), "0.3333333333333333");
}

TEST(RdmaUnits, FormattedNumbersReadBack)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 10000; ++i)
    {
        const unsigned shift = random() % 63;
        const QbbBitRate rate((random() >> shift) % RDMA_MAX_RATE.Get() + 1);
        EXPECT_EQ(ParseRdmaRate(FormatRdmaRate(rate)), rate);
        const QbbPs time(static_cast<int64_t>((random() >> shift) % RDMA_MAX_TIME.Get()));
        EXPECT_EQ(ParseRdmaTime(FormatRdmaTime(time)), time);
        EXPECT_EQ(ParseRdmaTimeIn(FormatRdmaNs(time), 1_ns), time);
        const double real =
            static_cast<double>(random()) / static_cast<double>(random() >> shift | 1);
        EXPECT_EQ(ParseRdmaReal(FormatRdmaReal(real)), real);
    }
}
