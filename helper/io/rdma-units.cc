/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-units.h"

#include "qbb-int128.h"
#include "rdma-text-file.h"

#include <array>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_DECIMALS = 18;

/// A unit and its value in the base unit.
struct Unit
{
    std::string_view name;
    uint64_t value;
};

constexpr std::array<Unit, 12> RATE_UNITS{{
    {"bps", 1},
    {"b/s", 1},
    {"kbps", 1'000},
    {"kb/s", 1'000},
    {"Kbps", 1'000},
    {"Kb/s", 1'000},
    {"Mbps", 1'000'000},
    {"Mb/s", 1'000'000},
    {"Gbps", 1'000'000'000},
    {"Gb/s", 1'000'000'000},
    {"Tbps", 1'000'000'000'000},
    {"Tb/s", 1'000'000'000'000},
}};

constexpr std::array<Unit, 5> TIME_UNITS{{
    {"ps", 1},
    {"ns", 1'000},
    {"us", 1'000'000},
    {"ms", 1'000'000'000},
    {"s", 1'000'000'000'000},
}};

constexpr std::array<Unit, 10> SIZE_UNITS{{
    {"", 1},
    {"B", 1},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", uint64_t{1} << 10},
    {"MiB", uint64_t{1} << 20},
    {"GiB", uint64_t{1} << 30},
    {"TiB", uint64_t{1} << 40},
}};

bool
IsDigit(char c)
{
    return c >= '0' && c <= '9';
}

[[noreturn]] void
FailUnit(const std::string& text, const std::string& problem, const std::string& accepted)
{
    throw std::invalid_argument(QuoteRdmaText(text) + " " + problem + "; accepted: " + accepted);
}

/// Parts of a decimal number and its unit.
struct Decimal
{
    std::string_view whole;    //!< digits before the point, without leading zeros
    std::string_view decimals; //!< digits after the point, without trailing zeros
    std::string_view unit;     //!< unit that follows the number
};

std::string_view
TakeDigits(std::string_view& text)
{
    std::size_t n = 0;
    while (n < text.size() && IsDigit(text[n]))
    {
        ++n;
    }
    const std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    return digits;
}

Decimal
SplitDecimal(const std::string& text, const std::string& accepted)
{
    std::string_view rest(text);
    if (!rest.empty() && rest.front() == '-')
    {
        FailUnit(text, "is negative", accepted);
    }
    Decimal decimal;
    decimal.whole = TakeDigits(rest);
    if (decimal.whole.empty())
    {
        FailUnit(text, text.empty() ? "is empty" : "does not begin with a digit", accepted);
    }
    if (!rest.empty() && rest.front() == '.')
    {
        rest.remove_prefix(1);
        decimal.decimals = TakeDigits(rest);
        if (decimal.decimals.empty())
        {
            FailUnit(text, "has no digit after the decimal point", accepted);
        }
    }
    decimal.unit = rest;
    while (!decimal.whole.empty() && decimal.whole.front() == '0')
    {
        decimal.whole.remove_prefix(1);
    }
    while (!decimal.decimals.empty() && decimal.decimals.back() == '0')
    {
        decimal.decimals.remove_suffix(1);
    }
    return decimal;
}

/// Returns the exact value of a decimal number in the base unit.
uint64_t
Scale(const std::string& text,
      const Decimal& decimal,
      uint64_t unit,
      uint64_t min,
      uint64_t max,
      const std::string& base,
      const std::string& accepted)
{
    if (decimal.decimals.size() > MAX_DECIMALS)
    {
        FailUnit(text, "has more than " + std::to_string(MAX_DECIMALS) + " decimals", accepted);
    }
    QbbUint128 value = 0;
    for (const char c : decimal.whole)
    {
        value = value * 10 + static_cast<unsigned>(c - '0');
        if (value > max)
        {
            FailUnit(text, "is too large", accepted);
        }
    }
    value *= unit;
    QbbUint128 part = 0;
    QbbUint128 divisor = 1;
    for (const char c : decimal.decimals)
    {
        part = part * 10 + static_cast<unsigned>(c - '0');
        divisor *= 10;
    }
    part *= unit;
    if (part % divisor != 0)
    {
        FailUnit(text, "is not a whole number of " + base, accepted);
    }
    value += part / divisor;
    if (value > max)
    {
        FailUnit(text, "is too large", accepted);
    }
    if (value < min)
    {
        FailUnit(text, "is too small", accepted);
    }
    return static_cast<uint64_t>(value);
}

template <std::size_t N>
uint64_t
ParseWithUnit(const std::string& text,
              const std::array<Unit, N>& units,
              uint64_t min,
              uint64_t max,
              const std::string& base,
              const std::string& accepted)
{
    const Decimal decimal = SplitDecimal(text, accepted);
    for (const Unit& unit : units)
    {
        if (unit.name == decimal.unit)
        {
            return Scale(text, decimal, unit.value, min, max, base, accepted);
        }
    }
    FailUnit(text,
             decimal.unit.empty() ? "has no unit"
                                  : "has the unknown unit " + QuoteRdmaText(decimal.unit),
             accepted);
}

/// \return true if the text has the form digits[.digits][(e|E)[+|-]digits]
bool
IsReal(std::string_view text)
{
    if (TakeDigits(text).empty())
    {
        return false;
    }
    if (!text.empty() && text.front() == '.')
    {
        text.remove_prefix(1);
        if (TakeDigits(text).empty())
        {
            return false;
        }
    }
    if (!text.empty() && (text.front() == 'e' || text.front() == 'E'))
    {
        text.remove_prefix(1);
        if (!text.empty() && (text.front() == '+' || text.front() == '-'))
        {
            text.remove_prefix(1);
        }
        if (TakeDigits(text).empty())
        {
            return false;
        }
    }
    return text.empty();
}

} // namespace

QbbBitRate
ParseRdmaRate(const std::string& text)
{
    return QbbBitRate(
        ParseWithUnit(text,
                      RATE_UNITS,
                      1,
                      RDMA_MAX_RATE.Get(),
                      "bit/s",
                      "1bps to " + FormatRdmaRate(RDMA_MAX_RATE) +
                          " with the unit bps, kbps, Mbps, Gbps or Tbps (or b/s, ...)"));
}

QbbPs
ParseRdmaTime(const std::string& text)
{
    return QbbPs(ParseWithUnit(text,
                               TIME_UNITS,
                               0,
                               static_cast<uint64_t>(RDMA_MAX_TIME.Get()),
                               "picoseconds",
                               "0ps to " + FormatRdmaTime(RDMA_MAX_TIME) +
                                   " with the unit ps, ns, us, ms or s"));
}

QbbPs
ParseRdmaTimeIn(const std::string& text, QbbPs unit)
{
    for (const Unit& known : TIME_UNITS)
    {
        if (known.value == static_cast<uint64_t>(unit.Get()))
        {
            const std::string accepted = "0 to " + FormatRdmaTime(RDMA_MAX_TIME) + ", in " +
                                         std::string(known.name) + ", written without a unit";
            const Decimal decimal = SplitDecimal(text, accepted);
            if (!decimal.unit.empty())
            {
                FailUnit(text, "is not a number", accepted);
            }
            return QbbPs(Scale(text,
                               decimal,
                               known.value,
                               0,
                               static_cast<uint64_t>(RDMA_MAX_TIME.Get()),
                               "picoseconds",
                               accepted));
        }
    }
    throw std::invalid_argument("a time unit of " + std::to_string(unit.Get()) +
                                " ps; accepted: 1, 10^3, 10^6, 10^9, 10^12");
}

uint64_t
ParseRdmaBytes(const std::string& text)
{
    return ParseWithUnit(text,
                         SIZE_UNITS,
                         0,
                         RDMA_MAX_FLOW_BYTES,
                         "bytes",
                         "0 to " + std::to_string(RDMA_MAX_FLOW_BYTES) +
                             " bytes, with no unit, B, KB, MB, GB, TB, KiB, MiB, GiB or TiB");
}

uint64_t
ParseRdmaInteger(const std::string& text, uint64_t min, uint64_t max)
{
    const std::string accepted =
        min == max ? std::to_string(min) : std::to_string(min) + " to " + std::to_string(max);
    const Decimal decimal = SplitDecimal(text, accepted);
    if (text.find_first_not_of("0123456789") != std::string::npos)
    {
        FailUnit(text, "is not a whole number", accepted);
    }
    return Scale(text, decimal, 1, min, max, "units", accepted);
}

double
ParseRdmaReal(const std::string& text)
{
    const std::string accepted = "a number such as 0.01 or 1e-2";
    if (!text.empty() && text.front() == '-')
    {
        FailUnit(text, "is negative", accepted);
    }
    if (!IsReal(text))
    {
        FailUnit(text, text.empty() ? "is empty" : "is not a number", accepted);
    }
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    if (!(in >> value))
    {
        FailUnit(text, "is too large", accepted);
    }
    return value;
}

std::string
FormatRdmaRate(QbbBitRate rate)
{
    static constexpr std::array<Unit, 4> UNITS{{
        {"Tbps", 1'000'000'000'000},
        {"Gbps", 1'000'000'000},
        {"Mbps", 1'000'000},
        {"kbps", 1'000},
    }};
    for (const Unit& unit : UNITS)
    {
        if (rate.Get() >= unit.value && rate.Get() % unit.value == 0)
        {
            return std::to_string(rate.Get() / unit.value) + std::string(unit.name);
        }
    }
    return std::to_string(rate.Get()) + "bps";
}

std::string
FormatRdmaTime(QbbPs time)
{
    return time % 1_ns == 0_ps ? std::to_string(time / 1_ns) + "ns"
                               : std::to_string(time.Get()) + "ps";
}

std::string
FormatRdmaNs(QbbPs time)
{
    // The sign is handled separately, because the integer part of -1 ns < time < 0 is zero.
    const bool negative = time < 0_ps;
    const uint64_t ps =
        negative ? -static_cast<uint64_t>(time.Get()) : static_cast<uint64_t>(time.Get());
    const std::string decimals = std::to_string(1000 + ps % 1000).substr(1);
    return (negative ? "-" : "") + std::to_string(ps / 1000) + "." + decimals;
}

std::string
FormatRdmaUs(QbbPs time)
{
    const std::string decimals = std::to_string((1_us + time % 1_us).Get()).substr(1);
    return std::to_string(time / 1_us) + "." + decimals;
}

std::string
FormatRdmaReal(double value)
{
    // Up to 15 digits survive conversion to binary and back, so only trailing zeros can be removed.
    for (int digits = std::numeric_limits<double>::digits10;; ++digits)
    {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out.precision(digits);
        out << value;
        std::istringstream in(out.str());
        in.imbue(std::locale::classic());
        double back = 0;
        if (digits == std::numeric_limits<double>::max_digits10 || (in >> back && back == value))
        {
            return out.str();
        }
    }
}

} // namespace ns3
