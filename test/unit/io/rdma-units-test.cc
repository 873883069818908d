/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-units.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

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
    EXPECT_EQ(ParseRdmaRate("1e9bps"), 1_gbps);
    EXPECT_EQ(ParseRdmaRate("2.5E+1Gbps"), 25_gbps);
}

TEST(RdmaUnits, RatesWithoutUnit)
{
    EXPECT_EQ(ParseRdmaPlainRate("25000000000.0"), 25_gbps);
    EXPECT_EQ(ParseRdmaPlainRate("2.5e+10"), 25_gbps);
    EXPECT_EQ(ParseRdmaPlainRate("1000000"), 1_mbps);
    EXPECT_EQ(ParseRdmaPlainRate("10kbps"), 10'000_bps);
    const auto expect = [](const std::string& text, const std::vector<std::string>& parts) {
        ExpectError<std::invalid_argument>([&] { ParseRdmaPlainRate(text); }, parts);
    };
    expect("100", {"'100' is too small", "accepted: 1000000 to 8000000000000 bit/s", "100Gbps"});
    expect("8000000000001", {"is too large"});
    expect("2500000.5", {"is not a whole number of bit/s"});
    expect("100Gbs", {"'Gbs'"});
    expect("", {"is empty"});
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
    expect("1ebps", "has no digit in its exponent");
    expect("1,5Gbps", "has a comma");
    expect("1e99Gbps", "too large");
    expect("1e-99Gbps", "whole number of bit/s");
    expect("0Gbps", "too small");
    expect("0.5bps", "whole number of bit/s");
    expect("1.0000000001Gbps", "whole number of bit/s");
    expect("8000000000001bps", "too large");
    expect("99999999999999999999999999999999999999999bps", "too large");
    expect("1.0000000000000000001Tbps", "whole number of bit/s");
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
    EXPECT_EQ(ParseRdmaTime("1e3ns"), 1_us);
    EXPECT_EQ(ParseRdmaTime("0.000000000000000000000000000e9s"), 0_ps);
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
    const auto ParseRdmaTimeIn = [](const std::string& text, RdmaPs unit) {
        const RdmaRoundedTime read = RoundRdmaTimeIn(text, unit);
        EXPECT_TRUE(read.isExact) << text;
        return read.time;
    };
    // A double has 16 digits and would give ...6999 or so.
    EXPECT_EQ(ParseRdmaTimeIn("2.000000577", 1_s), 2'000'000'577'000_ps);
    EXPECT_EQ(ParseRdmaTimeIn("9000.000000000001", 1_s), 9'000'000'000'000'001_ps);
    EXPECT_EQ(ParseRdmaTimeIn("2", 1_s), 2_s);
    EXPECT_EQ(ParseRdmaTimeIn("12.345", 1_ns), 12'345_ps);
    EXPECT_EQ(ParseRdmaTimeIn("5e-06", 1_s), 5_us);
    EXPECT_EQ(ParseRdmaTimeIn("1.000000000000000000e+03", 1_ns), 1_us);
    EXPECT_EQ(ParseRdmaTimeIn("0e400", 1_s), 0_ps);
    ExpectError<std::invalid_argument>([] { RoundRdmaTimeIn("1ns", 1_ns); }, {"not a number"});
    ExpectError<std::invalid_argument>([] { RoundRdmaTimeIn("9224", 1_s); }, {"too large"});
    ExpectError<std::invalid_argument>([] { RoundRdmaTimeIn("1e16", 1_s); }, {"too large"});
    ExpectError<std::invalid_argument>([] { RoundRdmaTimeIn("1", 10_ps); }, {"10 ps"});
    ExpectError<std::invalid_argument>([] { RoundRdmaTimeIn("2,5", 1_s); }, {"has a comma"});
}

TEST(RdmaUnits, RoundedTimes)
{
    const auto expect = [](const RdmaRoundedTime& read, RdmaPs time) {
        EXPECT_EQ(read.time, time);
        EXPECT_FALSE(read.isExact);
    };
    // Python's 2 + 1e-7, and 0.0055 - 1e-18 of a file with delays.
    expect(RoundRdmaTimeIn("2.0000001000000003", 1_s), 2'000'000'100'000_ps);
    expect(RoundRdmaTime("0.0054999999999999997ms"), 5'500'000_ps);
    expect(RoundRdmaTimeIn("1.2344", 1_ns), 1'234_ps);
    expect(RoundRdmaTimeIn("1.2345", 1_ns), 1'235_ps);
    expect(RoundRdmaTimeIn("0.4999999999999999999999999999999999", 1_ps), 0_ps);
    expect(RoundRdmaTimeIn("0.5000000000000000000000000000000001", 1_ps), 1_ps);
    expect(RoundRdmaTimeIn("1e-400", 1_s), 0_ps);
    expect(RoundRdmaTimeIn("1e-99999999999999999999", 1_s), 0_ps);
    EXPECT_TRUE(RoundRdmaTime("1us").isExact);
    ExpectError<std::invalid_argument>([] { ParseRdmaTime("0.0054999999999999997ms"); },
                                       {"whole number of picoseconds"});
}

TEST(RdmaUnits, Sizes)
{
    EXPECT_EQ(ParseRdmaBytes("1000"), 1000u);
    EXPECT_EQ(ParseRdmaBytes("0"), 0u);
    EXPECT_EQ(ParseRdmaBytes("64KiB"), 65536u);
    EXPECT_EQ(ParseRdmaBytes("1.5MB"), 1'500'000u);
    EXPECT_EQ(ParseRdmaBytes("0.5KiB"), 512u);
    EXPECT_EQ(ParseRdmaBytes("1TiB"), uint64_t{1} << 40);
    EXPECT_EQ(ParseRdmaBytes("1e+05"), 100'000u);
    EXPECT_EQ(ParseRdmaBytes("1.5e6"), 1'500'000u);
    EXPECT_EQ(ParseRdmaBytes("26GB"), 26'000'000'000u);
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
    expect("3.5", "not a whole number");
    expect("3x", "not a whole number");
    expect("3e", "no digit in its exponent");
    expect("1e-1", "not a whole number");
    expect("1e1", "too large");
    expect("x", "does not begin with a digit");
    expect("-3", "is negative");
    expect("", "is empty");
}

TEST(RdmaUnits, IntegersAsOtherProgramsWriteThem)
{
    const uint64_t max = std::numeric_limits<uint64_t>::max();
    EXPECT_EQ(ParseRdmaInteger("1000.0", 0, max), 1000u);
    EXPECT_EQ(ParseRdmaInteger("1e3", 0, max), 1000u);
    EXPECT_EQ(ParseRdmaInteger("1.00E+06", 0, max), 1'000'000u);
    EXPECT_EQ(ParseRdmaInteger("1.8446744073709551615e19", 0, max), max);
    EXPECT_EQ(ParseRdmaInteger("5000e-3", 0, max), 5u);
    ExpectError<std::invalid_argument>([] { ParseRdmaInteger("1000.5", 0, 9999); },
                                       {"'1000.5' is not a whole number", "accepted: 0 to 9999"});
    EXPECT_EQ(ParseRdmaDigits("42", 0, 99), 42u);
    for (const char* text : {"1e1", "42.0", "100", "x", ""})
    {
        EXPECT_THROW(ParseRdmaDigits(text, 0, 99), std::invalid_argument) << text;
    }
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
    EXPECT_EQ(FormatRdmaNs(RdmaPs(std::numeric_limits<int64_t>::min())), "-9223372036854775.808");
    EXPECT_EQ(FormatRdmaReal(0.1), "0.1");
    EXPECT_EQ(FormatRdmaReal(1.0 / 3.0), "0.3333333333333333");
}

TEST(RdmaUnits, FormattedNumbersReadBack)
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 10000; ++i)
    {
        const unsigned shift = random() % 63;
        const RdmaBitRate rate((random() >> shift) % RDMA_MAX_RATE.Get() + 1);
        EXPECT_EQ(ParseRdmaRate(FormatRdmaRate(rate)), rate);
        const RdmaPs time(static_cast<int64_t>((random() >> shift) % RDMA_MAX_TIME.Get()));
        EXPECT_EQ(ParseRdmaTime(FormatRdmaTime(time)), time);
        EXPECT_EQ(RoundRdmaTimeIn(FormatRdmaNs(time), 1_ns).time, time);
        const double real =
            static_cast<double>(random()) / static_cast<double>(random() >> shift | 1);
        EXPECT_EQ(ParseRdmaReal(FormatRdmaReal(real)), real);
    }
}

TEST(RdmaUnits, ListsOfIntegers)
{
    EXPECT_EQ(ParseRdmaIntegers("7", 1, 9), std::vector<uint32_t>{7});
    EXPECT_EQ(ParseRdmaIntegers("1x9x1", 1, 9), (std::vector<uint32_t>{1, 9, 1}));
    for (const char* text : {"", "x", "1x", "x1", "1xx1", "0", "10", "1x10", "1 x1", "-1", "1.5"})
    {
        ExpectError<std::invalid_argument>([&] { ParseRdmaIntegers(text, 1, 9); }, {"accepted: "});
    }
}

TEST(RdmaUnits, ListsOfReals)
{
    EXPECT_EQ(ParseRdmaReals("1.5"), std::vector<double>{1.5});
    EXPECT_EQ(ParseRdmaReals("3x0.25x1e-3"), (std::vector<double>{3, 0.25, 1e-3}));
    for (const char* text : {"", "x", "1x", "x1", "1xx1", "-1", "nan", "1,5"})
    {
        ExpectError<std::invalid_argument>([&] { ParseRdmaReals(text); }, {"accepted: "});
    }
}
