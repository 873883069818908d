/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part.h"

#include "rdma-attribute-text.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"

#include <ns3/object-factory.h>
#include <ns3/pointer.h>

#include <algorithm>
#include <cctype>
#include <iomanip>
#include <numeric>
#include <stdexcept>

namespace ns3
{

namespace
{

/** Rejects a text. \param problem description of the error and of the accepted values */
[[noreturn]] void
FailPart(const std::string& text, const std::string& problem)
{
    throw std::invalid_argument(QuoteRdmaText(text) + " " + problem);
}

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
            FailPart(text, "has a ']' without its '['");
        }
        if (depth > MOST_BRACKETS)
        {
            FailPart(text,
                     "has brackets within brackets; accepted: up to " +
                         std::to_string(MOST_BRACKETS));
        }
    }
    if (depth > 0 || quote != 0)
    {
        FailPart(text, depth > 0 ? "has a '[' without its ']'" : "has a quote that does not end");
    }
    return text.size();
}

/** \return position of the first bracket outside of quotes, or the length of the text */
std::size_t
FindBracket(const std::string& text)
{
    return ForEachOutside(text, [&text](std::size_t i) { return text[i] == '['; });
}

/** \param begin position of an opening bracket \return position after the matching closing one */
std::size_t
FindBracketEnd(const std::string& text, std::size_t begin)
{
    // The first character outside of brackets after the opening one follows the closing one.
    return ForEachOutside(text, [begin](std::size_t i) { return i > begin; });
}

/** \param text a value, in quotes or not \return the value */
std::string
UnquotePart(const std::string& text)
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
            FailPart(text, "goes on behind its quotes");
        }
    }
    return value;
}

/** \return the value as UnquotePart() takes it, in quotes if the value needs them */
std::string
QuotePart(const std::string& value)
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

/**
 * \param a a word
 * \param b a word
 * \return number of letters to change, add, remove or swap with the next letter
 */
std::size_t
GetEditDistance(const std::string& a, const std::string& b)
{
    // Rows of the distance table for letters of a: before the previous one, previous, current.
    std::vector<std::size_t> before;
    std::vector<std::size_t> last;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i)
    {
        before = std::move(last);
        last = std::move(row);
        row.assign(b.size() + 1, i);
        for (std::size_t j = 1; j <= b.size(); ++j)
        {
            const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

/** \param text a short name with parameters, or a class \return the name alone, or the class */
std::string
GetPartWord(const std::string& text)
{
    const std::string word = text.substr(0, text.find_first_of(":["));
    return text.compare(word.size(), 2, "::") == 0 ? text : word;
}

/** Rejects a word. \param problem description of the error \param words the accepted words */
[[noreturn]] void
FailWord(const std::string& word, const std::string& problem, const std::vector<std::string>& words)
{
    const std::string nearest = FindNearestRdmaWord(word, words);
    FailPart(word,
             problem + (nearest.empty() ? "" : "; did you mean " + nearest + "?") +
                 "; accepted: " + (words.empty() ? "none" : JoinRdmaWords(words)));
}

/** Rejects a name, and lists the parts of the kind. \param none the word for no part, or "" */
[[noreturn]] void
FailName(const std::string& name, const std::string& problem, TypeId kind, const std::string& none)
{
    std::vector<std::string> words;
    if (!none.empty())
    {
        words.push_back(none);
    }
    for (const auto& entry : RdmaPartName::GetAll(kind))
    {
        words.push_back(FormatRdmaPartName(entry));
    }
    for (const TypeId& type : GetRdmaPartTypes(kind))
    {
        words.push_back(type.GetName());
    }
    FailWord(name, problem, words);
}

/** \param type a class \return names of the attributes that can be set, base classes' included */
std::vector<std::string>
GetAttributeNames(TypeId type)
{
    std::vector<std::string> names;
    for (TypeId t = type;; t = t.GetParent())
    {
        for (std::size_t i = 0; i < t.GetAttributeN(); ++i)
        {
            if (t.GetAttribute(i).flags & TypeId::ATTR_CONSTRUCT)
            {
                names.push_back(t.GetAttribute(i).name);
            }
        }
        if (!t.HasParent() || t.GetParent() == t)
        {
            break;
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/** Finds an attribute that can be set, or rejects its name and lists the names of the class. */
TypeId::AttributeInformation
FindAttribute(TypeId type, const std::string& attribute)
{
    TypeId::AttributeInformation info;
    if (!type.LookupAttributeByName(attribute, &info) || !(info.flags & TypeId::ATTR_CONSTRUCT))
    {
        FailWord(attribute,
                 "is no attribute of " + type.GetName() + " that can be set",
                 GetAttributeNames(type));
    }
    return info;
}

/** Rejects a short name with too many or too few values. */
[[noreturn]] void
FailParameters(const std::string& text, const RdmaPartName::Entry& entry)
{
    FailPart(text, "has the wrong number of values; accepted: " + FormatRdmaPartName(entry));
}

/** \param text a part \param kind its base class \return position of its brackets, or its length */
std::size_t
FindPartBracket(const std::string& text, TypeId kind)
{
    const std::string name = text.substr(0, text.find(':'));
    for (const auto& entry : RdmaPartName::GetAll(kind))
    {
        if (entry.name == name && name.size() < text.size() && entry.parameters.size() == 1 &&
            entry.parameters.front().back() == '*')
        {
            return text.size();
        }
    }
    return FindBracket(text);
}

} // namespace

RdmaPart
RdmaPart::ParseOptional(const std::string& text, TypeId kind, const std::string& none)
{
    return text == none ? RdmaPart() : ParseOr(text, kind, none);
}

RdmaPart
RdmaPart::Parse(const std::string& text, TypeId kind)
{
    return ParseOr(text, kind, "");
}

RdmaPart
RdmaPart::ParseOr(const std::string& text, TypeId kind, const std::string& none)
{
    const std::size_t bracket = FindPartBracket(text, kind);
    std::string settings;
    if (bracket < text.size())
    {
        if (FindBracketEnd(text, bracket) < text.size())
        {
            FailPart(text, "goes on behind its ']'");
        }
        settings = text.substr(bracket + 1, text.size() - bracket - 2);
    }
    const std::string head = text.substr(0, bracket);
    RdmaPart part;
    if (TypeId::LookupByNameFailSafe(head, &part.m_type))
    {
        if (part.m_type != kind && !part.m_type.IsChildOf(kind))
        {
            FailName(head, "is no " + kind.GetName(), kind, none);
        }
        if (!part.m_type.HasConstructor())
        {
            FailName(head, "cannot be made, it is a base class", kind, none);
        }
        part.ReadSettings(settings);
        return part;
    }
    const std::size_t colon = head.find(':');
    const std::string name = head.substr(0, colon);
    for (const auto& entry : RdmaPartName::GetAll(kind))
    {
        if (entry.name != name)
        {
            continue;
        }
        part.m_type = entry.type;
        part.ReadSettings(settings);
        if (colon != std::string::npos)
        {
            part.ReadParameters(head.substr(colon + 1), entry);
        }
        else if (!entry.parameters.empty() && std::isalnum(entry.parameters.front().back()) &&
                 !part.Has(entry.parameters.front()))
        {
            FailParameters(head, entry);
        }
        // The settings of the short name apply to attributes that the text does not set.
        RdmaPart named;
        named.m_type = entry.type;
        named.ReadSettings(entry.settings);
        for (Setting& setting : named.m_settings)
        {
            if (!part.Has(setting.attribute))
            {
                part.m_settings.push_back(std::move(setting));
            }
        }
        return part;
    }
    FailName(head, "is no " + kind.GetName(), kind, none);
}

void
RdmaPart::ReadSettings(const std::string& text)
{
    if (text.empty())
    {
        return;
    }
    for (const std::string& piece : SplitRdmaPart(text, '|'))
    {
        const std::size_t equals = piece.find('=');
        if (equals == std::string::npos)
        {
            FailPart(m_type.GetName(),
                     "has " + QuoteRdmaText(piece) +
                         " in its brackets; accepted: Attribute=value, "
                         "separated by '|'");
        }
        ReadSetting(piece.substr(0, equals), piece.substr(equals + 1));
    }
}

void
RdmaPart::ReadParameters(const std::string& text, const RdmaPartName::Entry& entry)
{
    std::size_t begin = 0; // position of the next value; beyond the text if there is none
    for (const std::string& parameter : entry.parameters)
    {
        const bool isLong = parameter.back() == '*';
        const bool isOptional = isLong || parameter.back() == '?';
        const bool takesAll = isLong || entry.parameters.size() == 1;
        if (begin > text.size())
        {
            if (isOptional)
            {
                return;
            }
            FailParameters(entry.name + ":" + text, entry);
        }
        const std::size_t end =
            takesAll ? text.size() : std::min(text.find('x', begin), text.size());
        const std::string value = text.substr(begin, end - begin);
        ReadSetting(parameter.substr(0, parameter.size() - (isOptional ? 1 : 0)),
                    isLong ? QuotePart(value) : value);
        begin = end + 1;
    }
    if (begin <= text.size())
    {
        FailParameters(entry.name + ":" + text, entry);
    }
}

void
RdmaPart::ReadSetting(const std::string& attribute, const std::string& text)
{
    const TypeId::AttributeInformation info = FindAttribute(m_type, attribute);
    if (Has(attribute))
    {
        FailPart(attribute, "of " + m_type.GetName() + " is there twice; accepted: once");
    }
    Setting setting;
    setting.attribute = attribute;
    if (const auto* pointer = dynamic_cast<const PointerChecker*>(PeekPointer(info.checker)))
    {
        setting.part =
            std::make_shared<const RdmaPart>(Parse(UnquotePart(text), pointer->GetPointeeTypeId()));
    }
    else
    {
        setting.text = UnquotePart(text);
        try
        {
            setting.value = ReadRdmaAttribute(info, setting.text);
        }
        catch (const std::invalid_argument& error)
        {
            throw std::invalid_argument(m_type.GetName() + ": " + error.what());
        }
    }
    m_settings.push_back(std::move(setting));
}

bool
RdmaPart::HasAttribute(const std::string& attribute) const
{
    TypeId::AttributeInformation info;
    return !IsNone() && m_type.LookupAttributeByName(attribute, &info);
}

bool
RdmaPart::Has(const std::string& attribute) const
{
    return std::any_of(m_settings.begin(), m_settings.end(), [&attribute](const Setting& setting) {
        return setting.attribute == attribute;
    });
}

void
RdmaPart::Set(const std::string& attribute, const AttributeValue& value)
{
    RefuseRdmaIf(IsNone(), attribute, " of no part; accepted: after a part is selected");
    const TypeId::AttributeInformation info = FindAttribute(m_type, attribute);
    const Ptr<AttributeValue> valid = CheckRdmaAttribute(m_type, attribute, value);
    Erase(attribute);
    m_settings.push_back({attribute, FormatRdmaAttribute(info, *valid), valid, nullptr});
}

void
RdmaPart::SetText(const std::string& attribute, const std::string& text)
{
    RefuseRdmaIf(IsNone(), attribute, " of no part; accepted: after a part is selected");
    Erase(attribute);
    ReadSetting(attribute, text);
}

void
RdmaPart::Erase(const std::string& attribute)
{
    m_settings.erase(std::remove_if(m_settings.begin(),
                                    m_settings.end(),
                                    [&attribute](const Setting& setting) {
                                        return setting.attribute == attribute;
                                    }),
                     m_settings.end());
}

std::string
RdmaPart::ToText() const
{
    if (IsNone())
    {
        return "none";
    }
    std::string settings;
    for (const Setting& setting : m_settings)
    {
        settings += (settings.empty() ? "" : "|") + setting.attribute + "=" +
                    (setting.part ? setting.part->ToText() : QuotePart(setting.text));
    }
    return m_type.GetName() + (settings.empty() ? "" : "[" + settings + "]");
}

Ptr<Object>
RdmaPart::CreateObject() const
{
    if (IsNone())
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(m_type);
    for (const Setting& setting : m_settings)
    {
        if (setting.part)
        {
            factory.Set(setting.attribute, PointerValue(setting.part->CreateObject()));
        }
        else
        {
            factory.Set(setting.attribute, *setting.value);
        }
    }
    return factory.Create<Object>();
}

Ptr<AttributeValue>
CheckRdmaAttribute(TypeId type, const std::string& attribute, const AttributeValue& value)
{
    const TypeId::AttributeInformation info = FindAttribute(type, attribute);
    const Ptr<AttributeValue> valid = info.checker->CreateValidValue(value);
    RefuseRdmaIf(!valid,
                 type.GetName(),
                 ": ",
                 attribute,
                 " does not take this value; accepted: ",
                 DescribeRdmaAttribute(info));
    return valid;
}

std::vector<TypeId>
GetRdmaPartTypes(TypeId kind)
{
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if ((type == kind || type.IsChildOf(kind)) && type.HasConstructor())
        {
            types.push_back(type);
        }
    }
    std::sort(types.begin(), types.end(), [](TypeId a, TypeId b) {
        return a.GetName() < b.GetName();
    });
    return types;
}

void
PrintRdmaParts(std::ostream& os, TypeId kind)
{
    constexpr int NAME_WIDTH = 18;
    constexpr int TEXT_WIDTH = 44;
    const auto entries = RdmaPartName::GetAll(kind);
    const auto flags = os.flags();
    os << std::left;
    for (const auto& entry : entries)
    {
        const std::string settings = entry.settings.empty() ? "" : "[" + entry.settings + "]";
        os << "  " << std::setw(NAME_WIDTH) << entry.name << " " << std::setw(TEXT_WIDTH)
           << entry.type.GetName() + settings << " " << entry.help << "\n";
    }
    for (const TypeId& type : GetRdmaPartTypes(kind))
    {
        if (std::none_of(entries.begin(), entries.end(), [&type](const auto& entry) {
                return entry.type == type;
            }))
        {
            os << "  " << std::setw(NAME_WIDTH) << ""
               << " " << type.GetName() << "\n";
        }
    }
    os.flags(flags);
}

std::string
FormatRdmaPartName(const RdmaPartName::Entry& entry)
{
    std::string text = entry.name;
    std::string close;
    for (const std::string& parameter : entry.parameters)
    {
        const bool isOptional = parameter.back() == '*' || parameter.back() == '?';
        const std::string word = parameter.substr(0, parameter.size() - (isOptional ? 1 : 0));
        text += std::string(isOptional ? "[" : "") + (text == entry.name ? ":" : "x") + word;
        close += isOptional ? "]" : "";
    }
    return text + close;
}

std::string
FindNearestRdmaWord(const std::string& text, const std::vector<std::string>& words)
{
    const std::string word = GetPartWord(text);
    std::string nearest;
    // Only one letter in three may differ, because short words are all near each other.
    std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& each : words)
    {
        const std::string candidate = GetPartWord(each);
        const std::size_t distance = GetEditDistance(word, candidate);
        if (distance < least)
        {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string
JoinRdmaWords(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
    {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
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

} // namespace ns3
