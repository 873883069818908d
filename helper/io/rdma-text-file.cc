/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-text-file.h"

#include "rdma-file-error.h"
#include "rdma-units.h"

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

constexpr std::size_t MAX_QUOTED = 60;

bool
IsBlank(char c)
{
    return c == ' ' || c == '\t';
}

std::string_view
Trim(std::string_view text)
{
    while (!text.empty() && IsBlank(text.front()))
    {
        text.remove_prefix(1);
    }
    while (!text.empty() && IsBlank(text.back()))
    {
        text.remove_suffix(1);
    }
    return text;
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
    errno = 0;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    if (!out)
    {
        throw RdmaFileError(path, 0, "", "cannot be opened for writing" + GetReason());
    }
    write(out);
    out.close();
    if (!out)
    {
        throw RdmaFileError(path, 0, "", "cannot be written to the end" + GetReason());
    }
}

std::string
QuoteRdmaText(std::string_view text)
{
    static const char* const HEX = "0123456789abcdef";
    std::string quoted = "'";
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (quoted.size() > MAX_QUOTED)
        {
            return quoted + "...'";
        }
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c < 0x7f)
        {
            quoted += static_cast<char>(c);
        }
        else
        {
            quoted += "\\x";
            quoted += HEX[c >> 4];
            quoted += HEX[c & 15];
        }
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
    while (!m_rest.empty())
    {
        const std::size_t end = m_rest.find('\n');
        std::string_view line = m_rest.substr(0, end);
        m_rest.remove_prefix(end == std::string_view::npos ? m_rest.size() : end + 1);
        ++m_line;
        if (!line.empty() && line.back() == '\r')
        {
            line.remove_suffix(1);
        }
        line = Trim(line);
        if (!line.empty())
        {
            Split(line);
            return true;
        }
    }
    m_fields.clear();
    return false;
}

void
RdmaLineReader::Split(std::string_view line)
{
    m_fields.clear();
    if (m_separator == Separator::COMMA)
    {
        for (;;)
        {
            const std::size_t end = line.find(',');
            m_fields.push_back(Trim(line.substr(0, end)));
            if (end == std::string_view::npos)
            {
                return;
            }
            line.remove_prefix(end + 1);
        }
    }
    while (!line.empty())
    {
        std::size_t end = 0;
        while (end < line.size() && !IsBlank(line[end]))
        {
            ++end;
        }
        m_fields.push_back(line.substr(0, end));
        line = Trim(line.substr(end));
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
    uint64_t lines = 0;
    uint64_t first = 0;
    std::string begin;
    for (; Next(); ++lines)
    {
        if (lines == 0)
        {
            first = m_line;
            begin = QuoteRdmaText(m_fields.front());
        }
    }
    if (lines > 0)
    {
        std::cerr << "rdma: warning: " << m_fileName << ", line " << first << ": " << lines
                  << (lines == 1 ? " line" : " lines") << " left out after " << last
                  << "; the first begins with " << begin << "\n";
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
