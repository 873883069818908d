/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-text.h"

#include "rdma-text-file.h"

#include <stdexcept>

namespace ns3
{

namespace
{

/** Largest depth of nested parts, so that a text of many brackets cannot exhaust the stack.
 */
constexpr int MOST_BRACKETS = 8;

/**
 * Visits the characters of a text that are outside of brackets and quotes.
 *
 * \param text a text
 * \param at called with the position of each such character; returns true to stop the search
 * \return position at which the search stopped, or the length of the text
 * \throws std::invalid_argument if brackets or quotes do not match
 */
template <typename At>
std::size_t
ForEachOutside(const std::string& text, At at)
{
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        if (quote != 0)
        {
            quote = c == quote ? 0 : quote;
            continue;
        }
        if (depth == 0 && at(i))
        {
            return i;
        }
        if (c == '\'' || c == '"')
        {
            quote = c;
        }
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth < 0)
        {
            FailRdmaPart(text, "has a ']' without its '['");
        }
        if (depth > MOST_BRACKETS)
        {
            FailRdmaPart(text,
                         "has brackets within brackets; accepted: up to " +
                             std::to_string(MOST_BRACKETS));
        }
    }
    if (depth > 0 || quote != 0)
    {
        FailRdmaPart(text,
                     depth > 0 ? "has a '[' without its ']'" : "has a quote that does not end");
    }
    return text.size();
}

} // namespace

void
FailRdmaPart(const std::string& text, const std::string& problem)
{
    throw std::invalid_argument(QuoteRdmaText(text) + " " + problem);
}

std::size_t
FindRdmaPartBracket(const std::string& text)
{
    return ForEachOutside(text, [&text](std::size_t i) { return text[i] == '['; });
}

std::size_t
FindRdmaPartBracketEnd(const std::string& text, std::size_t begin)
{
    // The first character outside of brackets after the opening one follows the closing one.
    return ForEachOutside(text, [begin](std::size_t i) { return i > begin; });
}

std::vector<std::string>
SplitRdmaPart(const std::string& text, char by)
{
    std::vector<std::string> pieces;
    std::size_t begin = 0;
    ForEachOutside(text, [&](std::size_t i) {
        if (text[i] == by)
        {
            pieces.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
        return false;
    });
    pieces.push_back(text.substr(begin));
    return pieces;
}

std::string
UnquoteRdmaPart(const std::string& text)
{
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
    {
        return text;
    }
    const char quote = text.front();
    std::string value;
    for (std::size_t i = 1; i < text.size(); ++i)
    {
        if (text[i] != quote)
        {
            value += text[i];
        }
        else if (i + 1 < text.size() && text[i + 1] == quote)
        {
            value += text[i++];
        }
        else if (i + 1 < text.size())
        {
            FailRdmaPart(text, "goes on behind its quotes");
        }
    }
    return value;
}

std::string
QuoteRdmaPart(const std::string& value)
{
    if (!value.empty() && value.find_first_of("[]|'\"") == std::string::npos)
    {
        return value;
    }
    std::string text = "\"";
    for (const char c : value)
    {
        text += c == '"' ? "\"\"" : std::string(1, c);
    }
    return text + "\"";
}

} // namespace ns3
