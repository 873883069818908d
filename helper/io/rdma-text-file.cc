/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-text-file.h"

#include "rdma-file-error.h"
#include "rdma-output-file.h"
#include "rdma-units.h"
#include "rdma-warnings.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

namespace ns3
{

namespace
{

constexpr std::string_view BLANK_LETTERS = " \t";

std::string_view
TrimBlanks(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(BLANK_LETTERS), text.size()));
    return text.substr(0, text.find_last_not_of(BLANK_LETTERS) + 1);
}

std::string
GetReason()
{
    return errno != 0 ? std::string(": ") + std::strerror(errno) : std::string();
}

/** \param text begin of a file \return true for UTF-16, which has a byte order mark or zeros */
bool
IsUtf16(std::string_view text)
{
    return text.size() >= 2 &&
           (text.substr(0, 2) == "\xff\xfe" || text.substr(0, 2) == "\xfe\xff" ||
            (text[0] == 0) != (text[1] == 0));
}

/** \param n a number \param word a word \return "1 line", "2 lines" */
std::string
Count(uint64_t n, const std::string& word)
{
    return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}

} // namespace

std::string
ReadRdmaFile(const std::string& path)
{
    // A directory can be opened like a file and then appears to be empty.
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
    {
        throw RdmaFileError(path, 0, "", "is a directory", "a text file");
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in)
    {
        throw RdmaFileError(path, 0, "", "cannot be opened for reading" + GetReason());
    }
    std::ostringstream text;
    if (in.peek() != std::ifstream::traits_type::eof())
    {
        text << in.rdbuf();
    }
    if (in.bad() || text.bad())
    {
        throw RdmaFileError(path, 0, "", "cannot be read" + GetReason());
    }
    constexpr std::string_view BYTE_ORDER_MARK = "\xef\xbb\xbf";
    std::string content = text.str();
    if (IsUtf16(content))
    {
        throw RdmaFileError(path, 0, "", "is UTF-16 text", "UTF-8 or ASCII text");
    }
    if (content.compare(0, BYTE_ORDER_MARK.size(), BYTE_ORDER_MARK) == 0)
    {
        content.erase(0, BYTE_ORDER_MARK.size());
    }
    return content;
}

void
WriteRdmaFile(const std::string& path, const std::string& text)
{
    WriteRdmaFile(path, [&text](std::ostream& out) {
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
    });
}

void
WriteRdmaFile(const std::string& path, const std::function<void(std::ostream&)>& write)
{
    RdmaOutputFile file;
    file.Open(path);
    write(file.GetStream());
    file.Close();
}

std::string
QuoteRdmaText(std::string_view text)
{
    constexpr std::string_view HEX = "0123456789abcdef";
    constexpr std::size_t MAX_QUOTED = 60;
    std::string quoted = "'";
    for (const unsigned char c : text)
    {
        if (quoted.size() > MAX_QUOTED)
        {
            return quoted + "...'";
        }
        const bool isPrintable = c >= 0x20 && c < 0x7f;
        quoted += isPrintable ? std::string(1, static_cast<char>(c))
                              : std::string("\\x") + HEX[c >> 4] + HEX[c & 15];
    }
    return quoted + "'";
}

RdmaLineReader::RdmaLineReader(std::string_view text,
                               const std::string& fileName,
                               Separator separator)
    : m_rest(text),
      m_fileName(fileName),
      m_separator(separator)
{
}

bool
RdmaLineReader::Next()
{
    m_fields.clear();
    while (m_fields.empty() && !m_rest.empty())
    {
        const std::string_view line = TrimBlanks(TakeLine());
        m_line = m_lastLine;
        m_separator == Separator::COMMA ? SplitAtCommas(line) : SplitAtBlanks(line);
    }
    return !m_fields.empty();
}

std::string_view
RdmaLineReader::TakeLine()
{
    const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
    std::string_view line = m_rest.substr(0, end);
    m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
    ++m_lastLine;
    if (!line.empty() && line.back() == '\r')
    {
        line.remove_suffix(1);
    }
    return line;
}

void
RdmaLineReader::SplitAtBlanks(std::string_view line)
{
    while (!line.empty())
    {
        const std::size_t end = std::min(line.find_first_of(BLANK_LETTERS), line.size());
        m_fields.emplace_back(line.substr(0, end));
        line = TrimBlanks(line.substr(end));
    }
}

void
RdmaLineReader::SplitAtCommas(std::string_view line)
{
    while (!line.empty())
    {
        if (line.front() == '"')
        {
            m_fields.push_back(TakeQuoted(line));
        }
        else
        {
            const std::size_t end = std::min(line.find(','), line.size());
            m_fields.emplace_back(TrimBlanks(line.substr(0, end)));
            line.remove_prefix(end);
        }
        if (!line.empty()) // at a comma
        {
            line = TrimBlanks(line.substr(1));
            if (line.empty())
            {
                m_fields.emplace_back(); // field after the last comma
            }
        }
    }
}

/// Takes a field in quotation marks from the begin of a line, and further lines if the field goes
/// on there. The line then begins with a comma or is empty.
std::string
RdmaLineReader::TakeQuoted(std::string_view& line)
{
    std::string field;
    line.remove_prefix(1);
    while (true)
    {
        const std::size_t mark = line.find('"');
        field += line.substr(0, mark);
        if (mark == std::string_view::npos)
        {
            if (m_rest.empty())
            {
                Fail("",
                     "a quotation mark begins a field, and nothing ends the field",
                     "\"FIELD\"");
            }
            field += '\n';
            line = TakeLine();
            continue;
        }
        line.remove_prefix(mark + 1);
        if (line.empty() || line.front() != '"')
        {
            break;
        }
        field += '"'; // written twice
        line.remove_prefix(1);
    }
    line = TrimBlanks(line);
    if (!line.empty() && line.front() != ',')
    {
        Fail("",
             QuoteRdmaText(line) + " after the field " + QuoteRdmaText(field) +
                 " in quotation marks",
             "a comma or the end of the line");
    }
    return field;
}

void
RdmaLineReader::Require(const std::string& what)
{
    if (!Next())
    {
        throw RdmaFileError(m_fileName, 0, what, "the file ends before it");
    }
}

void
RdmaLineReader::SkipRest(uint64_t count,
                         const std::string& thing,
                         const std::function<bool()>& isThing)
{
    if (!Next())
    {
        return;
    }
    const uint64_t first = m_line;
    const std::string begin = QuoteRdmaText(m_fields.front());
    uint64_t lines = 0;
    uint64_t things = 0;
    do
    {
        ++lines;
        things += isThing() ? 1 : 0;
    } while (Next());
    if (things > 0)
    {
        Warn(first,
             "the first line of the file declares " + Count(count, thing) + ", and " +
                 Count(things, "further line") + (things == 1 ? " looks like a " : " look like ") +
                 thing + (things == 1 ? "" : "s") + "; " + Count(lines, "line") + " left out");
        return;
    }
    Warn(first,
         Count(lines, "line") + " left out after " + thing + " " + std::to_string(count) + " of " +
             std::to_string(count) + "; the first begins with " + begin);
}

void
RdmaLineReader::ReportRounding() const
{
    if (m_rounded > 0)
    {
        Warn(m_firstRoundedLine,
             Count(m_rounded, "time") + " rounded to whole picoseconds; the first is " +
                 QuoteRdmaText(m_firstRounded));
    }
}

void
RdmaLineReader::Warn(uint64_t line, const std::string& message) const
{
    GetRdmaWarnings() << "rdma: warning: " << m_fileName << ", line " << line << ": " << message
                      << "\n";
}

void
RdmaLineReader::RequireFields(std::size_t count, const std::string& names) const
{
    if (m_fields.size() != count)
    {
        Fail("", std::to_string(m_fields.size()) + " fields", std::to_string(count) + ": " + names);
    }
}

uint64_t
RdmaLineReader::GetLine() const
{
    return m_line;
}

uint64_t
RdmaLineReader::GetInteger(std::size_t index,
                           const std::string& name,
                           uint64_t min,
                           uint64_t max) const
{
    return Get(index, name, [min, max](const std::string& text) {
        return ParseRdmaInteger(text, min, max);
    });
}

RdmaPs
RdmaLineReader::GetTime(std::size_t index, const std::string& name, std::optional<RdmaPs> unit)
{
    const RdmaRoundedTime read = Get(index, name, [unit](const std::string& text) {
        return unit ? RoundRdmaTimeIn(text, *unit) : RoundRdmaTime(text);
    });
    if (!read.isExact && m_rounded++ == 0)
    {
        m_firstRoundedLine = m_line;
        m_firstRounded = m_fields.at(index);
    }
    return read.time;
}

void
RdmaLineReader::Fail(const std::string& field,
                     const std::string& problem,
                     const std::string& accepted) const
{
    throw RdmaFileError(m_fileName, m_line, field, problem, accepted);
}

void
RdmaLineReader::FailFile(const std::string& field, const std::string& problem) const
{
    throw RdmaFileError(m_fileName, 0, field, problem);
}

} // namespace ns3
