/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-text-file.h"

#include "rdma-file-error.h"
#include "rdma-output-file.h"
#include "rdma-ranks.h"
#include "rdma-units.h"

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
    return text.str();
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
        const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
        std::string_view line = m_rest.substr(0, end);
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
        ++m_line;
        if (!line.empty() && line.back() == '\r')
        {
            line.remove_suffix(1);
        }
        Split(TrimBlanks(line));
    }
    return !m_fields.empty();
}

void
RdmaLineReader::Split(std::string_view line)
{
    const bool isComma = m_separator == Separator::COMMA;
    while (!line.empty())
    {
        const std::size_t end =
            std::min(line.find_first_of(isComma ? "," : BLANK_LETTERS), line.size());
        m_fields.push_back(TrimBlanks(line.substr(0, end)));
        if (isComma && end + 1 == line.size())
        {
            m_fields.emplace_back(); // field after the last comma
        }
        line.remove_prefix(std::min(end + 1, line.size()));
        line = TrimBlanks(line);
    }
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
RdmaLineReader::SkipRest(const std::string& last)
{
    if (Next())
    {
        const uint64_t first = m_line;
        const std::string begin = QuoteRdmaText(m_fields.front());
        uint64_t lines = 1;
        while (Next())
        {
            ++lines;
        }
        RdmaRanks::GetWarnings() << "rdma: warning: " << m_fileName << ", line " << first << ": "
                                 << lines << (lines == 1 ? " line" : " lines") << " left out after "
                                 << last << "; the first begins with " << begin << "\n";
    }
}

void
RdmaLineReader::RequireFields(std::size_t count, const std::string& names) const
{
    if (m_fields.size() != count)
    {
        Fail("", std::to_string(m_fields.size()) + " fields", std::to_string(count) + ": " + names);
    }
}

std::size_t
RdmaLineReader::GetNFields() const
{
    return m_fields.size();
}

std::string
RdmaLineReader::GetField(std::size_t index) const
{
    return std::string(m_fields.at(index));
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
