/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-units.h"

#include "qbb-int128.h"
#include "rdma-text-file.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ns3
{

namespace
{

/// A unit and its value in the base unit.
struct Unit
{
    std::string_view name;
    uint64_t value;
};

/// Units of rates. FormatRdmaRate() writes the first unit in this order that fits.
constexpr Unit RATE_UNITS[]{
    {"Tbps", 1'000'000'000'000},
    {"Gbps", 1'000'000'000},
    {"Mbps", 1'000'000},
    {"kbps", 1'000},
    {"bps", 1},
    {"Tb/s", 1'000'000'000'000},
    {"Gb/s", 1'000'000'000},
    {"Mb/s", 1'000'000},
    {"kb/s", 1'000},
    {"b/s", 1},
    {"Kbps", 1'000},
    {"Kb/s", 1'000},
};

constexpr Unit TIME_UNITS[]{
    {"ps", 1},
    {"ns", 1'000},
    {"us", 1'000'000},
    {"ms", 1'000'000'000},
    {"s", 1'000'000'000'000},
};

constexpr Unit SIZE_UNITS[]{
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
};

/// Splits a text into pieces; an error message quotes the whole text.
class NumberText
{
  public:
    NumberText(const std::string& text, const std::string& accepted)
        : m_text(text),
          m_rest(text),
          m_accepted(accepted)
    {
    }

    void Require(bool isRight, std::string_view problem) const
    {
        if (!isRight)
        {
            throw std::invalid_argument(QuoteRdmaText(m_text) + " " + std::string(problem) +
                                        "; accepted: " + m_accepted);
        }
    }

    bool Take(std::string_view characters)
    {
        const bool isNext =
            !m_rest.empty() && characters.find(m_rest.front()) != std::string_view::npos;
        m_rest.remove_prefix(isNext ? 1 : 0);
        return isNext;
    }

    std::string_view TakeDigits()
    {
        const std::size_t end = m_rest.find_first_not_of("0123456789");
        const std::string_view digits = m_rest.substr(0, end);
        m_rest.remove_prefix(digits.size());
        return digits;
    }

    const std::string_view& GetRest() const
    {
        return m_rest;
    }

  private:
    const std::string& m_text;
    std::string_view m_rest;
    const std::string& m_accepted;
};

/// Form of a number with a unit, and its accepted range.
struct NumberForm
{
    const Unit* units;    //!< units, of which one must follow the number
    const Unit* unitsEnd; //!< end of the units
    uint64_t min;         //!< smallest value in the base unit
    uint64_t max;         //!< largest value in the base unit
    const char* notWhole; //!< problem of a number that is no multiple of the base unit
    std::string accepted; //!< accepted values, for messages
};

/// Returns the exact value of a decimal number in the base unit.
uint64_t
ParseNumber(const std::string& text, const NumberForm& form, const char* wrongUnit = nullptr)
{
    NumberText number(text, form.accepted);
    number.Require(!number.Take("-"), "is negative");
    number.Require(!text.empty(), "is empty");
    const std::string_view whole = number.TakeDigits();
    number.Require(!whole.empty(), "does not begin with a digit");
    std::string_view decimals;
    if (number.Take("."))
    {
        decimals = number.TakeDigits();
        number.Require(!decimals.empty(), "has no digit after the decimal point");
        decimals = decimals.substr(0, decimals.find_last_not_of('0') + 1);
    }
    const std::string_view name = number.GetRest();
    const Unit* unit = std::find_if(form.units, form.unitsEnd, [name](const Unit& each) {
        return each.name == name;
    });
    if (unit == form.unitsEnd)
    {
        number.Require(!name.empty() || wrongUnit, "has no unit");
        number.Require(false,
                       wrongUnit ? wrongUnit : "has the unknown unit " + QuoteRdmaText(name));
    }
    number.Require(decimals.size() <= 18, "has more than 18 decimals");
    uint64_t units = 0;
    const auto error = std::from_chars(whole.data(), whole.data() + whole.size(), units).ec;
    number.Require(error == std::errc() && units <= form.max, "is too large");
    QbbUint128 part = 0;
    QbbUint128 divisor = 1;
    for (const char digit : decimals)
    {
        part = part * 10 + static_cast<unsigned>(digit - '0');
        divisor *= 10;
    }
    part *= unit->value;
    number.Require(part % divisor == 0, form.notWhole);
    const QbbUint128 value = QbbUint128{units} * unit->value + part / divisor;
    number.Require(value <= form.max, "is too large");
    number.Require(value >= form.min, "is too small");
    return static_cast<uint64_t>(value);
}

/// Returns a time in a unit, with all decimals down to picoseconds.
std::string
FormatIn(QbbPs time, uint64_t unit)
{
    // The sign is handled separately, because the integer part of -1 ns < time < 0 is zero.
    const bool isNegative = time < 0_ps;
    const auto signedPs = static_cast<uint64_t>(time.Get());
    const uint64_t ps = isNegative ? -signedPs : signedPs;
    return (isNegative ? "-" : "") + std::to_string(ps / unit) + "." +
           std::to_string(unit + ps % unit).substr(1);
}

} // namespace

QbbBitRate
ParseRdmaRate(const std::string& text)
{
    static const NumberForm form{std::begin(RATE_UNITS),
                                 std::end(RATE_UNITS),
                                 1,
                                 RDMA_MAX_RATE.Get(),
                                 "is not a whole number of bit/s",
                                 "1bps to " + FormatRdmaRate(RDMA_MAX_RATE) +
                                     " with the unit bps, kbps, Mbps, Gbps or Tbps (or b/s, ...)"};
    return QbbBitRate(ParseNumber(text, form));
}

QbbPs
ParseRdmaTime(const std::string& text)
{
    static const NumberForm form{std::begin(TIME_UNITS),
                                 std::end(TIME_UNITS),
                                 0,
                                 static_cast<uint64_t>(RDMA_MAX_TIME.Get()),
                                 "is not a whole number of picoseconds",
                                 "0ps to " + FormatRdmaTime(RDMA_MAX_TIME) +
                                     " with the unit ps, ns, us, ms or s"};
    return QbbPs(ParseNumber(text, form));
}

QbbPs
ParseRdmaTimeIn(const std::string& text, QbbPs unit)
{
    for (const Unit& known : TIME_UNITS)
    {
        if (known.value == static_cast<uint64_t>(unit.Get()))
        {
            const Unit withoutName{"", known.value};
            const NumberForm form{&withoutName,
                                  &withoutName + 1,
                                  0,
                                  static_cast<uint64_t>(RDMA_MAX_TIME.Get()),
                                  "is not a whole number of picoseconds",
                                  "0 to " + FormatRdmaTime(RDMA_MAX_TIME) + ", in " +
                                      std::string(known.name) + ", written without a unit"};
            return QbbPs(ParseNumber(text, form, "is not a number"));
        }
    }
    throw std::invalid_argument("a time unit of " + std::to_string(unit.Get()) +
                                " ps; accepted: 1, 10^3, 10^6, 10^9, 10^12");
}

uint64_t
ParseRdmaBytes(const std::string& text)
{
    static const NumberForm form{
        std::begin(SIZE_UNITS),
        std::end(SIZE_UNITS),
        0,
        RDMA_MAX_FLOW_BYTES,
        "is not a whole number of bytes",
        "0 to " + std::to_string(RDMA_MAX_FLOW_BYTES) +
            " bytes, with no unit, B, KB, MB, GB, TB, KiB, MiB, GiB or TiB"};
    return ParseNumber(text, form);
}

uint64_t
ParseRdmaInteger(const std::string& text, uint64_t min, uint64_t max)
{
    const std::string accepted =
        std::to_string(min) + (min == max ? "" : " to " + std::to_string(max));
    NumberText number(text, accepted);
    number.Require(number.TakeDigits().empty() || number.GetRest().empty(),
                   "is not a whole number");
    const Unit withoutName{"", 1};
    return ParseNumber(
        text,
        {&withoutName, &withoutName + 1, min, max, "is not a whole number", accepted});
}

double
ParseRdmaReal(const std::string& text)
{
    const std::string accepted = "a number such as 0.01 or 1e-2";
    NumberText number(text, accepted);
    number.Require(!number.Take("-"), "is negative");
    number.Require(!text.empty(), "is empty");
    bool isReal = !number.TakeDigits().empty();
    isReal = isReal && (!number.Take(".") || !number.TakeDigits().empty());
    if (number.Take("eE"))
    {
        number.Take("+-");
        isReal = isReal && !number.TakeDigits().empty();
    }
    number.Require(isReal && number.GetRest().empty(), "is not a number");
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    number.Require(static_cast<bool>(in >> value), "is too large");
    return value;
}

std::string
FormatRdmaRate(QbbBitRate rate)
{
    const Unit* unit =
        std::find_if(std::begin(RATE_UNITS), std::end(RATE_UNITS), [rate](const Unit& each) {
            return each.value == 1 || (rate.Get() >= each.value && rate.Get() % each.value == 0);
        });
    return std::to_string(rate.Get() / unit->value) + std::string(unit->name);
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
    return FormatIn(time, 1'000);
}

std::string
FormatRdmaUs(QbbPs time)
{
    return FormatIn(time, 1'000'000);
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
