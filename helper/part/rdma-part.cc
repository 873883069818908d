/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part.h"

#include "rdma-attribute-text.h"
#include "rdma-part-list.h"
#include "rdma-part-name.h"
#include "rdma-part-text.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"

#include <ns3/object-factory.h>
#include <ns3/pointer.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace ns3
{

namespace
{

/** Rejects a word. \param problem description of the error \param words the accepted words */
[[noreturn]] void
FailWord(const std::string& word, const std::string& problem, const std::vector<std::string>& words)
{
    const std::string nearest = FindNearestRdmaWord(word, words);
    FailRdmaPart(word,
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
    FailRdmaPart(text, "has the wrong number of values; accepted: " + FormatRdmaPartName(entry));
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
    return FindRdmaPartBracket(text);
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
        if (FindRdmaPartBracketEnd(text, bracket) < text.size())
        {
            FailRdmaPart(text, "goes on behind its ']'");
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
            FailRdmaPart(m_type.GetName(),
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
                    isLong ? QuoteRdmaPart(value) : value);
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
        FailRdmaPart(attribute, "of " + m_type.GetName() + " is there twice; accepted: once");
    }
    Setting setting;
    setting.attribute = attribute;
    if (const auto* pointer = dynamic_cast<const PointerChecker*>(PeekPointer(info.checker)))
    {
        setting.part = std::make_shared<const RdmaPart>(
            Parse(UnquoteRdmaPart(text), pointer->GetPointeeTypeId()));
    }
    else
    {
        setting.text = UnquoteRdmaPart(text);
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
                    (setting.part ? setting.part->ToText() : QuoteRdmaPart(setting.text));
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

} // namespace ns3
