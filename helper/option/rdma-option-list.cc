/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-option-list.h"

#include "rdma-arguments.h"
#include "rdma-file-error.h"
#include "rdma-part-list.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <ns3/config.h>
#include <ns3/string.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr const char ATTRIBUTE[] = "--ns3::"; //!< prefix of an argument that sets an attribute

/** \param text an argument \return true if it sets the default value of an attribute */
bool
IsAttributeArgument(const std::string& text)
{
    return text.rfind(ATTRIBUTE, 0) == 0;
}

/** \param line a line of a file \return the line without leading and trailing blanks */
std::string
TrimLine(const std::string& line)
{
    constexpr const char BLANKS[] = " \t\r";
    const std::size_t begin = line.find_first_not_of(BLANKS);
    return begin == std::string::npos
               ? ""
               : line.substr(begin, line.find_last_not_of(BLANKS) - begin + 1);
}

} // namespace

void
RdmaOptionList::Add(const std::string& name, const std::string& help, std::string& value)
{
    m_options.push_back({name,
                         [=, &value](CommandLine& cmd) { cmd.AddValue(name, help, value); },
                         [&value](const std::string& text) {
                             value = text;
                             return true;
                         },
                         [&value] { return value; },
                         "text"});
}

void
RdmaOptionList::Add(const std::string& name, const std::string& help, uint32_t& value)
{
    m_options.push_back({name,
                         [=, &value](CommandLine& cmd) { cmd.AddValue(name, help, value); },
                         [&value](const std::string& text) {
                             value = static_cast<uint32_t>(
                                 ParseRdmaInteger(text, 0, std::numeric_limits<uint32_t>::max()));
                             return true;
                         },
                         [&value] { return std::to_string(value); },
                         "0 to 4294967295"});
}

void
RdmaOptionList::Add(const std::string& name, const std::string& help, double& value)
{
    m_options.push_back({name,
                         [=, &value](CommandLine& cmd) { cmd.AddValue(name, help, value); },
                         [&value](const std::string& text) {
                             value = ParseRdmaReal(text);
                             return true;
                         },
                         [&value] { return FormatRdmaReal(value); },
                         "a number"});
}

void
RdmaOptionList::Add(const std::string& name, const std::string& help, bool& value)
{
    m_options.push_back({name,
                         [=, &value](CommandLine& cmd) { cmd.AddValue(name, help, value); },
                         [&value](const std::string& text) {
                             value = text == "true" || text == "1" || text.empty();
                             return value || text == "false" || text == "0";
                         },
                         [&value]() -> std::string { return value ? "true" : "false"; },
                         "true, false"});
}

void
RdmaOptionList::AddTo(CommandLine& cmd) const
{
    for (const Option& option : m_options)
    {
        option.addTo(cmd);
    }
}

void
RdmaOptionList::Apply(const std::string& text, const std::string& file)
{
    std::istringstream lines(text);
    std::string line;
    for (uint64_t number = 1; std::getline(lines, line); ++number)
    {
        const std::string argument = TrimLine(line);
        if (argument.empty() || argument.front() == '#')
        {
            continue;
        }
        const std::size_t equals = std::min(argument.find('='), argument.size());
        if (argument.rfind("--", 0) != 0 || equals <= 2)
        {
            throw RdmaFileError(file,
                                number,
                                "",
                                QuoteRdmaText(argument) + " is no argument",
                                "--OPTION=VALUE, or --ns3::CLASS::ATTRIBUTE=VALUE");
        }
        const std::string name = argument.substr(2, equals - 2);
        const std::string value = argument.substr(std::min(equals + 1, argument.size()));
        if (IsAttributeArgument(argument))
        {
            ApplyAttribute(argument, name, value, file, number);
        }
        else
        {
            ApplyOption(name, value, file, number);
        }
    }
}

void
RdmaOptionList::ApplyAttribute(const std::string& argument,
                               const std::string& name,
                               const std::string& value,
                               const std::string& file,
                               uint64_t line)
{
    const char* const arguments[] = {"", argument.c_str()};
    const std::string wrong = CheckRdmaArguments(2, arguments);
    if (!wrong.empty() || !Config::SetDefaultFailSafe(name, StringValue(value)))
    {
        const std::string problem = argument + ": no such attribute, or no value of it";
        throw RdmaFileError(file, line, "", wrong.empty() ? problem : wrong);
    }
    m_attributes.push_back(argument);
}

void
RdmaOptionList::ApplyOption(const std::string& name,
                            const std::string& value,
                            const std::string& file,
                            uint64_t line)
{
    std::vector<std::string> names;
    for (const Option& option : m_options)
    {
        names.push_back(option.name);
        if (option.name != name)
        {
            continue;
        }
        bool taken = false;
        try
        {
            taken = option.set(value);
        }
        catch (const std::invalid_argument&)
        {
            // The error message below lists the accepted values.
        }
        if (!taken)
        {
            throw RdmaFileError(file, line, name, QuoteRdmaText(value), option.accepted);
        }
        return;
    }
    const std::string nearest = FindNearestRdmaWord(name, names);
    throw RdmaFileError(file,
                        line,
                        name,
                        "there is no such option" +
                            (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
}

void
RdmaOptionList::ApplyFile(const std::string& file)
{
    Apply(ReadRdmaFile(file), file);
}

void
RdmaOptionList::Save(const std::string& file, int argc, const char* const* argv) const
{
    std::string text = "# Options of a run, to be read by --config.\n";
    for (const Option& option : m_options)
    {
        text += "--" + option.name + "=" + option.get() + "\n";
    }
    for (const std::string& attribute : m_attributes)
    {
        text += attribute + "\n";
    }
    for (int i = 1; i < argc; ++i)
    {
        if (IsAttributeArgument(argv[i]))
        {
            text += std::string(argv[i]) + "\n";
        }
    }
    WriteRdmaFile(file, text);
}

std::string
FindRdmaArgument(int argc, const char* const* argv, const std::string& name)
{
    std::string value;
    for (int i = 1; i < argc; ++i)
    {
        std::string text = argv[i];
        text.erase(0, std::min(text.find_first_not_of('-'), text.size()));
        if (argv[i][0] == '-' && text.rfind(name + "=", 0) == 0)
        {
            value = text.substr(name.size() + 1);
        }
    }
    return value;
}

} // namespace ns3
