/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-option-list.h"

#include "rdma-attribute-text.h"
#include "rdma-file-error.h"
#include "rdma-part.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"
#include "rdma-time.h"
#include "rdma-units.h"

#include <ns3/abort.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <type_traits>

namespace ns3
{

namespace
{

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

/**
 * Reads a number, time or rate without limits.
 *
 * \tparam T type of the value
 * \param text the text
 * \param isBytes the number may have a unit of sizes
 * \return the value
 * \throws std::invalid_argument if the text is anything else
 */
template <typename T>
T
ReadQuantity(const std::string& text, [[maybe_unused]] bool isBytes)
{
    if constexpr (std::is_same_v<T, double>)
    {
        return ParseRdmaReal(text);
    }
    else if constexpr (std::is_same_v<T, Time>)
    {
        return RdmaToTime(ParseRdmaTime(text));
    }
    else if constexpr (std::is_same_v<T, RdmaPs>)
    {
        return ParseRdmaTime(text);
    }
    else if constexpr (std::is_same_v<T, RdmaBitRate>)
    {
        return ParseRdmaRate(text);
    }
    else
    {
        return static_cast<T>(isBytes ? ParseRdmaBytes(text)
                                      : ParseRdmaInteger(text, 0, std::numeric_limits<T>::max()));
    }
}

/** \param numbers numbers \return the numbers, separated by colons */
std::string
FormatNumbers(const std::vector<uint32_t>& numbers)
{
    std::string text;
    for (const uint32_t number : numbers)
    {
        text += (text.empty() ? "" : ":") + std::to_string(number);
    }
    return text;
}

/** \return largest value of a type, as text for messages; empty where no user comes near */
template <typename T>
std::string
GetMost()
{
    if constexpr (std::is_same_v<T, uint32_t>)
    {
        return std::to_string(std::numeric_limits<T>::max());
    }
    else if constexpr (std::is_same_v<T, RdmaBitRate>)
    {
        return FormatRdmaRate(RDMA_MAX_RATE);
    }
    else
    {
        return "";
    }
}

/** \return the letters of a name in lower case, without hyphens: "pausetree" for "pause-tree" */
std::string
GetLetters(const std::string& name)
{
    std::string letters;
    for (const char c : name)
    {
        letters +=
            c == '-'
                ? ""
                : std::string(1, static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    return letters;
}

/**
 * \param name name of an option, as in "rto"
 * \param attribute name of an attribute, as in "RtoHigh"
 * \param exactly the two must be equal but for the first letter; otherwise the attribute may go on
 *        with further words, or begin with some
 * \return true if the option might mean the attribute
 */
bool
MeansAttribute(const std::string& name, const std::string& attribute, bool exactly)
{
    std::string words = name;
    words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    const std::size_t at = attribute.find(words);
    if (exactly || at == std::string::npos)
    {
        return attribute == words;
    }
    const std::size_t end = at + words.size();
    return (at == 0 && std::isupper(static_cast<unsigned char>(attribute[end]))) ||
           end == attribute.size();
}

} // namespace

std::string
RdmaOptionList::Option::GetText() const
{
    const auto format = [](const auto& variable) -> std::string {
        using V = std::decay_t<decltype(variable)>;
        if constexpr (std::is_same_v<V, Action>)
        {
            return "";
        }
        else
        {
            using T = std::decay_t<decltype(*variable)>;
            if constexpr (std::is_same_v<T, std::string>)
            {
                return *variable;
            }
            else if constexpr (std::is_same_v<T, bool>)
            {
                return *variable ? "true" : "false";
            }
            else if constexpr (std::is_same_v<T, double>)
            {
                return FormatRdmaReal(*variable);
            }
            else if constexpr (std::is_same_v<T, Time>)
            {
                return FormatRdmaTime(RdmaToPs(*variable));
            }
            else if constexpr (std::is_same_v<T, RdmaPs>)
            {
                return FormatRdmaTime(*variable);
            }
            else if constexpr (std::is_same_v<T, RdmaBitRate>)
            {
                return FormatRdmaRate(*variable);
            }
            else if constexpr (std::is_same_v<T, std::vector<uint32_t>>)
            {
                return FormatNumbers(*variable);
            }
            else
            {
                return std::to_string(*variable);
            }
        }
    };
    return std::visit(format, value);
}

std::string
RdmaOptionList::Option::Describe() const
{
    const auto describe = [this](const auto& variable) -> std::string {
        using V = std::decay_t<decltype(variable)>;
        if constexpr (std::is_same_v<V, Action> || std::is_same_v<V, std::string*>)
        {
            std::vector<std::string> words = accepted;
            words.erase(std::remove(words.begin(), words.end(), ""), words.end());
            return words.empty() ? help : JoinRdmaWords(words);
        }
        else if constexpr (std::is_same_v<V, bool*>)
        {
            return "true, false";
        }
        else if constexpr (std::is_same_v<V, std::vector<uint32_t>*>)
        {
            return std::to_string(variable->size()) + " whole numbers from " +
                   (accepted.empty() ? "0" : accepted[0]) + " to " +
                   (accepted.size() > 1 ? accepted[1] : GetMost<uint32_t>()) + ", as in " +
                   standard;
        }
        else
        {
            using T = std::decay_t<decltype(*variable)>;
            const bool isRate = std::is_same_v<T, RdmaBitRate>;
            const bool isTime = std::is_same_v<T, Time> || std::is_same_v<T, RdmaPs>;
            const std::string least = !accepted.empty() ? accepted[0]
                                      : isRate          ? "1bps"
                                      : isTime          ? "0s"
                                                        : "0";
            const std::string most = accepted.size() > 1 ? accepted[1] : GetMost<T>();
            return (isBytes  ? "bytes, "
                    : isRate ? "a rate, "
                    : isTime ? "a time, "
                             : "") +
                   least + (most.empty() ? " and above" : " to " + most);
        }
    };
    return std::visit(describe, value);
}

void
RdmaOptionList::Option::Set(const std::string& text)
{
    const auto read = [this, &text](const auto& variable) {
        using V = std::decay_t<decltype(variable)>;
        if constexpr (std::is_same_v<V, Action> || std::is_same_v<V, std::string*>)
        {
            RefuseRdmaIf(!accepted.empty() &&
                             std::find(accepted.begin(), accepted.end(), text) == accepted.end(),
                         "unknown value \"" + text + "\"; accepted: " + Describe());
            if constexpr (std::is_same_v<V, Action>)
            {
                variable(text);
            }
            else
            {
                *variable = text;
            }
        }
        else if constexpr (std::is_same_v<V, bool*>)
        {
            const bool isTrue = text == "true" || text == "1";
            RefuseRdmaIf(!isTrue && text != "false" && text != "0",
                         QuoteRdmaText(text) + "; accepted: " + Describe());
            *variable = isTrue;
        }
        else if constexpr (std::is_same_v<V, std::vector<uint32_t>*>)
        {
            std::vector<uint32_t> numbers;
            std::istringstream parts(text + ":");
            for (std::string part; std::getline(parts, part, ':');)
            {
                uint32_t number = 0;
                Option one{name, help, &number, accepted};
                try
                {
                    one.Set(part);
                }
                catch (const std::invalid_argument&)
                {
                    throw std::invalid_argument(QuoteRdmaText(text) + "; accepted: " + Describe());
                }
                numbers.push_back(number);
            }
            RefuseRdmaIf(numbers.size() != variable->size(),
                         QuoteRdmaText(text) + "; accepted: " + Describe());
            *variable = numbers;
        }
        else
        {
            using T = std::decay_t<decltype(*variable)>;
            T number{};
            try
            {
                number = ReadQuantity<T>(text, isBytes);
            }
            catch (const std::invalid_argument& error)
            {
                // The limits of the option replace those of the reader.
                const std::string message = error.what();
                throw std::invalid_argument(message.substr(0, message.find("; accepted: ")) +
                                            "; accepted: " + Describe());
            }
            RefuseRdmaIf(
                (!accepted.empty() && number < ReadQuantity<T>(accepted[0], isBytes)) ||
                    (accepted.size() > 1 && number > ReadQuantity<T>(accepted[1], isBytes)),
                text + "; accepted: " + Describe());
            *variable = number;
        }
    };
    std::visit(read, value);
}

void
RdmaOptionList::Option::Set(const std::string& text, RdmaOptionSource from)
{
    Set(text);
    source = from;
    known = GetText();
}

RdmaOptionSource
RdmaOptionList::Option::GetSource() const
{
    return GetText() == known ? source : RdmaOptionSource::ARGUMENT;
}

bool
RdmaOptionList::Option::IsAction() const
{
    return std::holds_alternative<Action>(value);
}

void
RdmaOptionList::AddOption(Option option)
{
    option.standard = option.known = option.GetText();
    m_options.push_back(std::make_shared<Option>(std::move(option)));
}

void
RdmaOptionList::AddBytes(const std::string& name,
                         const std::string& help,
                         uint64_t& value,
                         const std::vector<std::string>& accepted)
{
    AddOption({name, help, &value, accepted, true});
}

void
RdmaOptionList::AddAction(const std::string& name,
                          const std::string& help,
                          const Action& action,
                          const std::vector<std::string>& accepted)
{
    AddOption({name, help, action, accepted});
}

void
RdmaOptionList::Include(const RdmaOptionList& other, const std::vector<std::string>& names)
{
    // Values that are given later, to either list, concern both.
    other.m_ns3->insert(m_ns3->begin(), m_ns3->end());
    m_ns3 = other.m_ns3;
    m_kinds = other.m_kinds;
    for (const auto& option : other.m_options)
    {
        if (option->GetText() != option->known)
        {
            option->source = RdmaOptionSource::PRESET;
            option->known = option->GetText();
        }
    }
    if (names.empty())
    {
        m_options.insert(m_options.end(), other.m_options.begin(), other.m_options.end());
        m_own.insert(other.m_own.begin(), other.m_own.end());
        return;
    }
    for (const std::string& name : names)
    {
        m_options.push_back(other.Find(name));
    }
}

std::shared_ptr<RdmaOptionList::Option>
RdmaOptionList::Find(const std::string& name) const
{
    const auto found = std::find_if(m_options.begin(), m_options.end(), [&name](const auto& each) {
        return each->name == name;
    });
    NS_ABORT_MSG_IF(found == m_options.end(), "rdma: there is no option " << name);
    return *found;
}

void
RdmaOptionList::RefuseGivenOptions(const std::vector<std::string>& names,
                                   const std::string& why) const
{
    for (const std::string& name : names)
    {
        RefuseRdmaIf(IsGiven(name), "--" + name + " means nothing " + why);
    }
}

void
RdmaOptionList::RefuseOwnDefaults() const
{
    for (const auto& [name, instead] : m_own)
    {
        const std::size_t colons = name.rfind("::");
        TypeId type;
        RefuseRdmaIf(colons != std::string::npos &&
                         TypeId::LookupByNameFailSafe(name.substr(0, colons), &type) &&
                         IsRdmaDefaultGiven(type, name.substr(colons + 2)),
                     "--" + name + ": the program sets this attribute; accepted: " + instead);
    }
}

std::map<std::string, std::string>
RdmaOptionList::GetGiven() const
{
    std::map<std::string, std::string> given;
    for (const auto& option : m_options)
    {
        if (const std::string text = option->GetText(); text != option->standard)
        {
            given[option->name] = text;
        }
    }
    return given;
}

bool
RdmaOptionList::IsDefault(const std::string& name) const
{
    const Option& option = *Find(name);
    return option.GetText() == option.standard;
}

bool
RdmaOptionList::IsGiven(const std::string& name) const
{
    return Find(name)->GetSource() == RdmaOptionSource::ARGUMENT;
}

bool
RdmaOptionList::IsGivenWith(const std::string& name, const std::string& mode) const
{
    const Option& option = *Find(name);
    return option.GetText() != option.standard && option.GetSource() >= Find(mode)->GetSource();
}

std::string
RdmaOptionList::GetText(const std::string& name) const
{
    return Find(name)->GetText();
}

void
RdmaOptionList::SetText(const std::string& name, const std::string& text)
{
    ParseRdmaOption(name, [&] { Find(name)->Set(text, RdmaOptionSource::ARGUMENT); });
}

void
RdmaOptionList::CopyValues(const RdmaOptionList& other)
{
    NS_ABORT_MSG_IF(m_options.size() != other.m_options.size(),
                    "rdma: values of a list with other options are copied");
    for (std::size_t i = 0; i < m_options.size(); ++i)
    {
        const Option& from = *other.m_options[i];
        const auto copy = [&from](auto& variable) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(variable)>, Action>)
            {
                *variable = *std::get<std::decay_t<decltype(variable)>>(from.value);
            }
        };
        std::visit(copy, m_options[i]->value);
        m_options[i]->source = from.source;
        m_options[i]->known = from.known;
    }
    *m_ns3 = *other.m_ns3;
}

void
RdmaOptionList::SetNs3Argument(const std::string& name, const std::string& value)
{
    const auto own = m_own.find(name);
    RefuseRdmaIf(own != m_own.end(),
                 "--" + name + ": the program sets this " +
                     (name.rfind("ns3::", 0) == 0 ? "attribute" : "value") +
                     "; accepted: " + (own == m_own.end() ? "" : own->second));
    SetRdmaNs3Argument(name, value);
    (*m_ns3)[name] = value;
}

std::string
RdmaOptionList::NameOptionOfPart(const std::string& message) const
{
    const std::string prefix = "ns3::";
    const std::string text =
        message.compare(0, prefix.size(), prefix) == 0 ? message.substr(prefix.size()) : message;
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(prefix + text.substr(0, text.find_first_of(": ")), &type))
    {
        return message;
    }
    for (const auto& [option, kind] : m_kinds)
    {
        if (type == kind || type.IsChildOf(kind))
        {
            return "--" + option + ": " + message;
        }
    }
    return message;
}

std::vector<std::string>
RdmaOptionList::FindReplacements(const std::string& name, bool exactly) const
{
    std::vector<std::string> found;
    if (m_kinds.empty() || name.empty())
    {
        return found;
    }
    const auto add = [&found](const std::string& argument) {
        if (std::find(found.begin(), found.end(), argument) == found.end())
        {
            found.push_back(argument);
        }
    };
    for (const auto& [option, kind] : m_kinds)
    {
        if (std::none_of(m_options.begin(), m_options.end(), [&known = option](const auto& each) {
                return each->name == known;
            }))
        {
            continue;
        }
        for (const auto& entry : RdmaPartName::GetAll(kind))
        {
            if (GetLetters(entry.name) == GetLetters(name))
            {
                add("--" + option + "=" + FormatRdmaPartName(entry));
            }
            for (TypeId type = entry.type; entry.settings.empty() && type != kind.GetParent();
                 type = type.GetParent())
            {
                for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
                {
                    if (MeansAttribute(name, type.GetAttribute(i).name, exactly))
                    {
                        add("--" + option + "=" + entry.name + "[" + type.GetAttribute(i).name +
                            "=...]");
                    }
                }
            }
        }
    }
    for (uint16_t i = 0; found.empty() && i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t j = 0; type.GetGroupName() == "Rdma" && j < type.GetAttributeN(); ++j)
        {
            if (MeansAttribute(name, type.GetAttribute(j).name, exactly))
            {
                add("--" + type.GetAttributeFullName(j) + "=...");
            }
        }
    }
    return found;
}

std::string
RdmaOptionList::Suggest(const std::string& name, const std::vector<std::string>& more) const
{
    constexpr std::size_t MOST = 3;
    if (const auto found = FindReplacements(name, true); !found.empty() && found.size() <= MOST)
    {
        return "; accepted: " + JoinRdmaWords(found);
    }
    std::vector<std::string> names = more;
    for (const auto& option : m_options)
    {
        names.push_back(option->name);
    }
    const std::vector<std::string> globals = GetRdmaGlobalNames();
    names.insert(names.end(), globals.begin(), globals.end());
    std::string nearest = FindNearestRdmaWord(name, names);
    if (nearest.empty() && !name.empty())
    {
        // A name that somebody has shortened.
        std::vector<std::string> longer;
        std::copy_if(names.begin(),
                     names.end(),
                     std::back_inserter(longer),
                     [&name](const std::string& each) { return each.rfind(name, 0) == 0; });
        nearest = longer.size() == 1 ? longer.front() : "";
    }
    if (!nearest.empty())
    {
        return "; did you mean --" + nearest + "?";
    }
    const auto found = FindReplacements(name, false);
    return found.empty() || found.size() > MOST ? "; --help lists the options"
                                                : "; accepted: " + JoinRdmaWords(found);
}

void
RdmaOptionList::Apply(const std::string& text, const std::string& file, RdmaOptionSource source)
{
    std::istringstream lines(text);
    std::string line;
    std::set<std::string> names;
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
        const auto found = std::find_if(m_options.begin(),
                                        m_options.end(),
                                        [&name](const auto& each) { return each->name == name; });
        if (!names.insert(name).second)
        {
            throw RdmaFileError(file, number, name, "is given twice", "once in a file");
        }
        try
        {
            if (found == m_options.end())
            {
                if (!IsRdmaNs3Argument(name))
                {
                    throw std::invalid_argument("--" + name + ": there is no such option" +
                                                Suggest(name));
                }
                SetNs3Argument(name, argument.substr(std::min(equals + 1, argument.size())));
                continue;
            }
            RefuseRdmaIf((*found)->IsAction(),
                         "--" + name + " is for the command line, not for a file");
            const bool isFlag =
                equals == argument.size() && std::holds_alternative<bool*>((*found)->value);
            RefuseRdmaIf(equals == argument.size() && !isFlag,
                         "--" + name + " has no value; accepted: " + (*found)->Describe());
            ParseRdmaOption(name, [&] {
                (*found)->Set(isFlag ? "true" : argument.substr(equals + 1), source);
            });
        }
        catch (const std::invalid_argument& error)
        {
            throw RdmaFileError(file, number, "", error.what());
        }
    }
}

void
RdmaOptionList::ApplyFile(const std::string& file)
{
    Apply(ReadRdmaFile(file), file);
}

void
RdmaOptionList::Save(const std::string& file) const
{
    std::string text = "# Options of a run, to be read by --config.\n";
    const auto add = [&text, &file](const std::string& name, const std::string& value) {
        const std::string line = "--" + name + "=" + value;
        if (value.find_first_of("\r\n") != std::string::npos || TrimLine(line) != line)
        {
            throw RdmaFileError(file,
                                0,
                                name,
                                QuoteRdmaText(value),
                                "a value of one line, without a blank at its end");
        }
        text += line + "\n";
    };
    for (const auto& option : m_options)
    {
        if (!option->IsAction())
        {
            add(option->name, option->GetText());
        }
    }
    for (const auto& [name, value] : *m_ns3)
    {
        add(name, value);
    }
    WriteRdmaFile(file, text);
}

} // namespace ns3
