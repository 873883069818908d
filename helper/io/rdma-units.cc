/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-units.h"

#include "rdma-int128.h"
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
    {"", 1}, // only for ParseRdmaPlainRate()
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

/// A decimal number as written, without loss: 0.DIGITS x 10^point.
struct Decimal
{
    std::string digits; //!< significant digits, neither beginning nor ending with 0; empty: zero
    int64_t point{0};   //!< place of the decimal point; negative: zeros follow the point
};

/// Splits a text into a number and its unit; an error message quotes the whole text.
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

    /// Takes the number. The rest is the unit.
    Decimal TakeNumber()
    {
        Require(!Take("-"), "is negative");
        Require(!m_text.empty(), "is empty");
        const std::string_view whole = TakeDigits();
        Require(!whole.empty(), "does not begin with a digit");
        Decimal number{std::string(whole), static_cast<int64_t>(whole.size())};
        if (Take("."))
        {
            const std::string_view decimals = TakeDigits();
            Require(!decimals.empty(), "has no digit after the decimal point");
            number.digits += decimals;
        }
        if (Take("eE"))
        {
            number.point += TakeExponent();
        }
        Require(m_rest.empty() || m_rest.front() != ',',
                "has a comma; a number has a decimal point and no other separator");
        const std::size_t zeros =
            std::min(number.digits.find_first_not_of('0'), number.digits.size());
        number.digits.erase(0, zeros);
        number.digits.erase(number.digits.find_last_not_of('0') + 1);
        number.point -= static_cast<int64_t>(zeros);
        return number;
    }

    const std::string_view& GetRest() const
    {
        return m_rest;
    }

  private:
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

    int64_t TakeExponent()
    {
        const bool isNegative = Take("-");
        if (!isNegative)
        {
            Take("+");
        }
        const std::string_view digits = TakeDigits();
        Require(!digits.empty(), "has no digit in its exponent");
        // Any number with so large an exponent is 0, or too large or too small.
        int64_t exponent = MAX_EXPONENT;
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
        exponent = std::min(exponent, MAX_EXPONENT);
        return isNegative ? -exponent : exponent;
    }

    static constexpr int64_t MAX_EXPONENT = 1'000'000'000;

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
    const char* notWhole; //!< problem of a number that is no whole one; null: it is rounded
    std::string accepted; //!< accepted values, for messages
    const char* wrongUnit{nullptr}; //!< problem of any text behind the number; null: of the unit
};

/// A number in the base unit.
struct WholeNumber
{
    RdmaUint128 value{0}; //!< the number, rounded to the nearest whole number
    bool isExact{true};   //!< nothing was rounded
};

/// Returns a number of units in the base unit, exactly if it is a whole number. A number of 10^20
/// units or more becomes the largest value.
WholeNumber
GetWhole(const Decimal& number, uint64_t unit)
{
    constexpr int64_t MAX_WHOLE_DIGITS = 20;
    constexpr int64_t MAX_DECIMALS = 25; // 10^25 times the largest unit fits into 128 bits
    if (number.digits.empty())
    {
        return {};
    }
    if (number.point > MAX_WHOLE_DIGITS)
    {
        return {~RdmaUint128{0}};
    }
    const auto digit = [&number](int64_t i) -> unsigned {
        const bool isWritten = i >= 0 && i < static_cast<int64_t>(number.digits.size());
        return isWritten ? static_cast<unsigned>(number.digits[i] - '0') : 0;
    };
    RdmaUint128 units = 0;
    for (int64_t i = 0; i < number.point; ++i)
    {
        units = units * 10 + digit(i);
    }
    RdmaUint128 part = 0;
    RdmaUint128 divisor = 1;
    // Digit i stands at the decimal place i - point + 1.
    const int64_t decimals =
        std::clamp<int64_t>(static_cast<int64_t>(number.digits.size()) - number.point,
                            0,
                            MAX_DECIMALS);
    for (int64_t place = 0; place < decimals; ++place)
    {
        part = part * 10 + digit(number.point + place);
        divisor *= 10;
    }
    const bool hasMore = static_cast<int64_t>(number.digits.size()) - number.point > MAX_DECIMALS;
    part *= unit;
    const RdmaUint128 rest = part % divisor;
    const unsigned up = 2 * rest >= divisor ? 1 : 0;
    return {units * unit + part / divisor + up, rest == 0 && !hasMore};
}

/// Returns the value of a decimal number in the base unit.
WholeNumber
ParseNumber(const std::string& text, const NumberForm& form)
{
    NumberText reader(text, form.accepted);
    const Decimal number = reader.TakeNumber();
    const std::string_view name = reader.GetRest();
    const Unit* unit = std::find_if(form.units, form.unitsEnd, [name](const Unit& each) {
        return each.name == name;
    });
    if (unit == form.unitsEnd)
    {
        reader.Require(!name.empty() || form.wrongUnit, "has no unit");
        reader.Require(false,
                       form.wrongUnit ? form.wrongUnit
                                      : "has the unknown unit " + QuoteRdmaText(name));
    }
    const WholeNumber value = GetWhole(number, unit->value);
    reader.Require(value.value <= form.max, "is too large");
    reader.Require(value.isExact || !form.notWhole, form.notWhole ? form.notWhole : "");
    reader.Require(value.value >= form.min, "is too small");
    return value;
}

/// Appends a time in a unit, with all decimals down to picoseconds.
void
AppendIn(std::string& text, RdmaPs time, uint64_t unit)
{
    // The sign is handled separately, because the integer part of -1 ns < time < 0 is zero.
    const bool isNegative = time < 0_ps;
    const auto signedPs = static_cast<uint64_t>(time.Get());
    const uint64_t ps = isNegative ? -signedPs : signedPs;
    constexpr std::size_t MOST_DIGITS = 20;
    char digits[1 + 2 * MOST_DIGITS] = {'-'};
    char* const begin = digits + (isNegative ? 1 : 0);
    char* const point = std::to_chars(begin, std::end(digits), ps / unit).ptr;
    char* const end = std::to_chars(point, std::end(digits), unit + ps % unit).ptr;
    *point = '.'; // replaces the leading 1 of the unit
    text.append(digits, static_cast<std::size_t>(end - digits));
}

/// Returns the text that AppendIn() appends.
std::string
FormatIn(RdmaPs time, uint64_t unit)
{
    std::string text;
    AppendIn(text, time, unit);
    return text;
}

/// Returns the form of a time with a unit.
NumberForm
MakeTimeForm(const char* notWhole)
{
    return {std::begin(TIME_UNITS),
            std::end(TIME_UNITS),
            0,
            static_cast<uint64_t>(RDMA_MAX_TIME.Get()),
            notWhole,
            "0ps to " + FormatRdmaTime(RDMA_MAX_TIME) + " with the unit ps, ns, us, ms or s"};
}

/// \param number a number of picoseconds \return the time
RdmaRoundedTime
ToPs(const WholeNumber& number)
{
    return {RdmaPs(static_cast<int64_t>(number.value)), number.isExact};
}

/** \param text a list \param parse reads one number \return the numbers */
template <typename F>
auto
ParseNumberList(const std::string& text, F parse)
{
    std::vector<decltype(parse(text))> numbers;
    for (std::size_t begin = 0; begin <= text.size();)
    {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        numbers.push_back(parse(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return numbers;
}

} // namespace

RdmaBitRate
ParseRdmaRate(const std::string& text)
{
    static const NumberForm form{std::begin(RATE_UNITS),
                                 std::end(RATE_UNITS) - 1,
                                 1,
                                 RDMA_MAX_RATE.Get(),
                                 "is not a whole number of bit/s",
                                 "1bps to " + FormatRdmaRate(RDMA_MAX_RATE) +
                                     " with the unit bps, kbps, Mbps, Gbps or Tbps (or b/s, ...)"};
    return RdmaBitRate(static_cast<uint64_t>(ParseNumber(text, form).value));
}

RdmaBitRate
ParseRdmaPlainRate(const std::string& text)
{
    static const Unit* const withoutName = std::end(RATE_UNITS) - 1;
    static const NumberForm form{withoutName,
                                 std::end(RATE_UNITS),
                                 RDMA_MIN_PLAIN_RATE.Get(),
                                 RDMA_MAX_RATE.Get(),
                                 "is not a whole number of bit/s",
                                 std::to_string(RDMA_MIN_PLAIN_RATE.Get()) + " to " +
                                     std::to_string(RDMA_MAX_RATE.Get()) +
                                     " bit/s without a unit, or a rate with its unit, as in "
                                     "100Gbps"};
    const bool isPlain = text.empty() || (text.back() >= '0' && text.back() <= '9');
    return isPlain ? RdmaBitRate(static_cast<uint64_t>(ParseNumber(text, form).value))
                   : ParseRdmaRate(text);
}

RdmaPs
ParseRdmaTime(const std::string& text)
{
    return ToPs(ParseNumber(text, MakeTimeForm("is not a whole number of picoseconds"))).time;
}

RdmaRoundedTime
RoundRdmaTime(const std::string& text)
{
    return ToPs(ParseNumber(text, MakeTimeForm(nullptr)));
}

RdmaRoundedTime
RoundRdmaTimeIn(const std::string& text, RdmaPs unit)
{
    for (const Unit& known : TIME_UNITS)
    {
        if (known.value == static_cast<uint64_t>(unit.Get()))
        {
            const Unit withoutName{"", known.value};
            return ToPs(ParseNumber(text,
                                    {&withoutName,
                                     &withoutName + 1,
                                     0,
                                     static_cast<uint64_t>(RDMA_MAX_TIME.Get()),
                                     nullptr,
                                     "0 to " + FormatRdmaTime(RDMA_MAX_TIME) + ", in " +
                                         std::string(known.name) + ", written without a unit",
                                     "is not a number"}));
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
    return static_cast<uint64_t>(ParseNumber(text, form).value);
}

uint64_t
ParseRdmaInteger(const std::string& text, uint64_t min, uint64_t max)
{
    const Unit withoutName{"", 1};
    const char* const notWhole = "is not a whole number";
    const std::string accepted =
        std::to_string(min) + (min == max ? "" : " to " + std::to_string(max));
    const NumberForm form{&withoutName, &withoutName + 1, min, max, notWhole, accepted, notWhole};
    return static_cast<uint64_t>(ParseNumber(text, form).value);
}

uint64_t
ParseRdmaDigits(const std::string& text, uint64_t min, uint64_t max)
{
    const uint64_t number = ParseRdmaInteger(text, min, max);
    if (text.find_first_not_of("0123456789") != std::string::npos)
    {
        throw std::invalid_argument(
            QuoteRdmaText(text) +
            " has other letters than digits; accepted: " + std::to_string(number));
    }
    return number;
}

double
ParseRdmaReal(const std::string& text)
{
    const std::string accepted = "a number such as 0.01 or 1e-2";
    NumberText number(text, accepted);
    number.TakeNumber();
    number.Require(number.GetRest().empty(), "is not a number");
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    number.Require(static_cast<bool>(in >> value), "is too large");
    return value;
}

std::vector<uint32_t>
ParseRdmaIntegers(const std::string& text, uint32_t min, uint32_t max)
{
    return ParseNumberList(text, [min, max](const std::string& number) {
        return static_cast<uint32_t>(ParseRdmaInteger(number, min, max));
    });
}

std::vector<double>
ParseRdmaReals(const std::string& text)
{
    return ParseNumberList(text, ParseRdmaReal);
}

std::string
FormatRdmaRate(RdmaBitRate rate)
{
    const Unit* unit =
        std::find_if(std::begin(RATE_UNITS), std::end(RATE_UNITS), [rate](const Unit& each) {
            return each.value == 1 || (rate.Get() >= each.value && rate.Get() % each.value == 0);
        });
    return std::to_string(rate.Get() / unit->value) + std::string(unit->name);
}

std::string
FormatRdmaTime(RdmaPs time)
{
    return time % 1_ns == 0_ps ? std::to_string(time / 1_ns) + "ns"
                               : std::to_string(time.Get()) + "ps";
}

std::string
FormatRdmaNs(RdmaPs time)
{
    return FormatIn(time, 1'000);
}

void
AppendRdmaNs(std::string& text, RdmaPs time)
{
    AppendIn(text, time, 1'000);
}

std::string
FormatRdmaUs(RdmaPs time)
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
