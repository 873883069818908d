/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-result-table.h"

#include "rdma-int128.h"
#include "rdma-refuse.h"
#include "rdma-units.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint64_t RATIO_SCALE = 1'000'000;

/// Appends text as a CSV field, quoted if RFC 4180 requires quotes.
void
AppendCsvText(std::string& text, std::string_view value)
{
    if (value.find_first_of(",\"\r\n") == std::string_view::npos)
    {
        text += value;
        return;
    }
    text += '"';
    for (const char c : value)
    {
        text.append(c == '"' ? 2 : 1, c);
    }
    text += '"';
}

/// Appends text as a JSON string (RFC 8259); non-ASCII bytes are copied unchanged.
void
AppendJsonText(std::string& text, std::string_view value)
{
    static const char* const HEX = "0123456789abcdef";
    text += '"';
    for (const char c : value)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            text += '\\';
            text += c;
        }
        else if (byte < 0x20)
        {
            text += "\\u00";
            text += HEX[byte >> 4];
            text += HEX[byte & 15];
        }
        else
        {
            text += c;
        }
    }
    text += '"';
}

} // namespace

void
AppendRdmaField(std::string& text, RdmaResultFormat, RdmaPs value)
{
    AppendRdmaNs(text, value);
}

void
AppendRdmaField(std::string& text, RdmaResultFormat format, const RdmaResultRatio& value)
{
    if (value.time < 0_ps || value.divisor <= 0_ps)
    {
        throw std::invalid_argument("is " + std::to_string(value.time.Get()) + " ps over " +
                                    std::to_string(value.divisor.Get()) +
                                    " ps; accepted: 0 or more over more than 0");
    }
    const auto time = static_cast<uint64_t>(value.time.Get());
    const auto divisor = static_cast<uint64_t>(value.divisor.Get());
    // Divisions of 64 bits take a fraction of the time; they do for times below a second.
    constexpr uint64_t MOST = std::numeric_limits<uint64_t>::max() / (4 * RATIO_SCALE);
    RdmaUint128 scaled = 0;
    if (time < MOST && divisor < MOST)
    {
        scaled = (time * RATIO_SCALE * 2 + divisor) / (divisor * 2);
    }
    else
    {
        scaled = (RdmaUint128{time} * RATIO_SCALE * 2 + divisor) / (RdmaUint128{divisor} * 2);
    }
    const auto append = [&](uint64_t whole, uint64_t fraction) {
        AppendRdmaField(text, format, whole);
        const std::size_t point = text.size();
        AppendRdmaField(text, format, RATIO_SCALE + fraction);
        text[point] = '.'; // replaces the leading 1 of the scaled fraction
    };
    if (scaled <= std::numeric_limits<uint64_t>::max())
    {
        const auto small = static_cast<uint64_t>(scaled);
        append(small / RATIO_SCALE, small % RATIO_SCALE);
        return;
    }
    append(static_cast<uint64_t>(scaled / RATIO_SCALE),
           static_cast<uint64_t>(scaled % RATIO_SCALE));
}

void
AppendRdmaField(std::string& text, RdmaResultFormat, double value)
{
    if (!std::isfinite(value))
    {
        throw std::invalid_argument("is not finite");
    }
    text += FormatRdmaReal(value);
}

void
AppendRdmaField(std::string& text, RdmaResultFormat format, std::string_view value)
{
    format == RdmaResultFormat::CSV ? AppendCsvText(text, value) : AppendJsonText(text, value);
}

void
RdmaResultColumnInfo::Validate() const
{
    static const char* const LETTERS = "abcdefghijklmnopqrstuvwxyz";
    static const char* const ALL = "abcdefghijklmnopqrstuvwxyz0123456789_";
    RefuseRdmaIf(name.find_first_of(LETTERS) != 0 ||
                     name.find_first_not_of(ALL) != std::string::npos,
                 "column \"" + name +
                     "\"; accepted: a name of lower case letters, digits and "
                     "underscores, beginning with a letter");
    for (const std::string& text : {unit, meaning})
    {
        RefuseRdmaIf(text.find_first_of("\t\r\n") != std::string::npos,
                     "column " + name + ": \"" + text +
                         "\" has more than one line or a tab; accepted: one line");
    }
    RefuseRdmaIf(meaning.empty(),
                 "column " + name + " has no meaning; accepted: one line for users");
}

std::map<std::string, std::vector<RdmaResultColumnInfo>>&
GetRdmaFileColumns()
{
    static std::map<std::string, std::vector<RdmaResultColumnInfo>> columns;
    return columns;
}

} // namespace ns3
