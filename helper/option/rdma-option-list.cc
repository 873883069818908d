/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-option-list.h"

#include "rdma-arguments.h"
#include "rdma-file-error.h"
#include "rdma-option.h"
#include "rdma-part-list.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <ns3/abort.h>
#include <ns3/config.h>
#include <ns3/string.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <type_traits>

namespace ns3
{

namespace
{

constexpr const char ATTRIBUTE[] = "--ns3::"; //!< prefix of an argument that sets an attribute

/** \param text an argument \return true if the argument sets the default of an attribute */
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

std::string
RdmaOptionList::GetText(const Option& option)
{
    const auto format = [](const auto* value) -> std::string {
        using T = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, std::string>)
        {
            return *value;
        }
        else if constexpr (std::is_same_v<T, bool>)
        {
            return *value ? "true" : "false";
        }
        else
        {
            return std::is_integral_v<T> ? std::to_string(*value) : FormatRdmaReal(*value);
        }
    };
    return std::visit(format, option.value);
}

void
RdmaOptionList::SetText(const Option& option, const std::string& text)
{
    const auto read = [&text](auto* value) {
        using T = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, std::string>)
        {
            *value = text;
        }
        else if constexpr (std::is_same_v<T, bool>)
        {
            *value = text == "true" || text == "1" || text.empty();
            RefuseRdmaIf(!*value && text != "false" && text != "0", text);
        }
        else if constexpr (std::is_same_v<T, double>)
        {
            *value = ParseRdmaReal(text);
        }
        else
        {
            *value = static_cast<T>(ParseRdmaInteger(text, 0, std::numeric_limits<T>::max()));
        }
    };
    std::visit(read, option.value);
}

const RdmaOptionList::Option&
RdmaOptionList::Find(const std::string& name) const
{
    const auto found = std::find_if(m_options.begin(),
                                    m_options.end(),
                                    [&name](const Option& option) { return option.name == name; });
    NS_ABORT_MSG_IF(found == m_options.end(), "rdma: there is no option " << name);
    return *found;
}

void
RdmaOptionList::AddOption(CommandLine& cmd, const Option& option)
{
    std::visit([&](auto* value) { cmd.AddValue(option.name, option.help, *value); }, option.value);
}

void
RdmaOptionList::AddTo(CommandLine& cmd) const
{
    for (const Option& option : m_options)
    {
        AddOption(cmd, option);
    }
}

void
RdmaOptionList::AddTo(CommandLine& cmd, const std::vector<std::string>& names) const
{
    for (const std::string& name : names)
    {
        AddOption(cmd, Find(name));
    }
}

std::vector<RdmaOptionSetting>
RdmaOptionList::GetSettings(const std::string& group,
                            TypeId type,
                            const std::string& with,
                            RdmaOptionClash clash) const
{
    std::vector<RdmaOptionSetting> settings;
    for (const RdmaOptionTarget& target : m_targets)
    {
        const Option& option = Find(target.option);
        const std::string text = GetText(option);
        if (target.group != group || text == option.standard || !target.SetsAttribute())
        {
            continue;
        }
        auto setting = target.Read(type, text, option.standard);
        RefuseRdmaOption(option.name, !setting && clash == RdmaOptionClash::REFUSE, with);
        if (setting)
        {
            settings.push_back(std::move(*setting));
        }
    }
    return settings;
}

void
RdmaOptionList::SetAttributes(RdmaPart& part,
                              const std::string& group,
                              const std::string& with,
                              RdmaOptionClash clash) const
{
    const RdmaPart named = part;
    for (const RdmaOptionSetting& setting : GetSettings(group, part.GetType(), with, clash))
    {
        if (!named.Has(setting.attribute))
        {
            part.Set(setting.attribute, *setting.value);
        }
        else if (clash == RdmaOptionClash::REFUSE)
        {
            throw std::invalid_argument("--" + setting.option + " with " + with +
                                        "; accepted: " + setting.attribute + " by one of the two");
        }
    }
}

void
RdmaOptionList::Refuse(const std::string& group, const std::string& why) const
{
    for (const RdmaOptionTarget& target : m_targets)
    {
        const Option& option = Find(target.option);
        RefuseRdmaIf(target.group == group && GetText(option) != option.standard,
                     "--" + option.name + " means nothing " + why);
    }
}

std::map<std::string, std::string>
RdmaOptionList::GetGiven() const
{
    std::map<std::string, std::string> given;
    for (const Option& option : m_options)
    {
        if (const std::string text = GetText(option); text != option.standard)
        {
            given[option.name] = text;
        }
    }
    return given;
}

std::string
RdmaOptionList::GetText(const std::string& name) const
{
    return GetText(Find(name));
}

void
RdmaOptionList::SetText(const std::string& name, const std::string& text)
{
    SetText(Find(name), text);
}

void
RdmaOptionList::CopyValues(const RdmaOptionList& other)
{
    NS_ABORT_MSG_IF(m_options.size() != other.m_options.size(),
                    "rdma: values of a list with other options are copied");
    for (std::size_t i = 0; i < m_options.size(); ++i)
    {
        std::visit(
            [&other, i](auto* value) {
                *value = *std::get<decltype(value)>(other.m_options[i].value);
            },
            m_options[i].value);
    }
    m_attributes = other.m_attributes;
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
        const std::string problem = argument + ": no such attribute, or not one of its values";
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
        try
        {
            SetText(option, value);
            return;
        }
        catch (const std::invalid_argument&)
        {
            // In the order of the types of Option::value.
            constexpr const char* ACCEPTED[] = {"text",
                                                "0 to 4294967295",
                                                "a number",
                                                "true, false"};
            throw RdmaFileError(file,
                                line,
                                name,
                                QuoteRdmaText(value),
                                ACCEPTED[option.value.index()]);
        }
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
        text += "--" + option.name + "=" + GetText(option) + "\n";
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
