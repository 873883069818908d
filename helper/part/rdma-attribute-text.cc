/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-attribute-text.h"

#include "qbb-time.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/integer.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace ns3
{

namespace
{

/** What an attribute holds. */
enum class AttributeForm
{
    UNSIGNED,
    SIGNED,
    REAL,
    TIME,
    RATE,
    BOOLEAN,
    NAME,
    TYPE,
    TEXT,
    OTHER
};

AttributeForm
GetAttributeForm(const AttributeChecker& checker)
{
    // Some checkers name the value with its namespace, and some do not.
    std::string name = checker.GetValueTypeName();
    constexpr const char NAMESPACE[] = "ns3::";
    if (name.rfind(NAMESPACE, 0) == 0)
    {
        name.erase(0, sizeof(NAMESPACE) - 1);
    }
    // Newer releases append the type of the enumeration.
    if (name.rfind("EnumValue", 0) == 0)
    {
        return AttributeForm::NAME;
    }
    static const std::pair<const char*, AttributeForm> forms[] = {
        {"UintegerValue", AttributeForm::UNSIGNED},
        {"IntegerValue", AttributeForm::SIGNED},
        {"DoubleValue", AttributeForm::REAL},
        {"TimeValue", AttributeForm::TIME},
        {"DataRateValue", AttributeForm::RATE},
        {"BooleanValue", AttributeForm::BOOLEAN},
        {"TypeIdValue", AttributeForm::TYPE},
        {"StringValue", AttributeForm::TEXT}};
    for (const auto& [value, form] : forms)
    {
        if (name == value)
        {
            return form;
        }
    }
    return AttributeForm::OTHER;
}

/** \param checker one that names its type \return what it says of it: "uint8_t 1:255", "A|B" */
std::string
GetTypeText(const AttributeChecker& checker)
{
    return checker.HasUnderlyingTypeInformation() ? checker.GetUnderlyingTypeInformation() : "";
}

/** \param text "Paper|Nic" \return "Paper, Nic" */
std::string
ListNames(const std::string& text)
{
    std::string list;
    for (const char c : text)
    {
        list += c == '|' ? ", " : std::string(1, c);
    }
    return list;
}

/** \param text "Paper|Nic" \param name a name \return true if \p name is among those of \p text */
bool
HasName(const std::string& text, const std::string& name)
{
    return !name.empty() && name.find('|') == std::string::npos &&
           ("|" + text + "|").find("|" + name + "|") != std::string::npos;
}

/** \param time a time, also a negative one \return the time as the module prints it */
std::string
FormatAttributeTime(const Time& time)
{
    const QbbPs ps = QbbToPs(time);
    return ps < 0_ps ? "-" + FormatRdmaTime(-ps) : FormatRdmaTime(ps);
}

/**
 * \param type "uint8_t 1:255"
 * \param isTime the limits are times
 * \return "1 to 255", or nothing if the text has no limits
 */
std::string
GetAttributeRange(const std::string& type, bool isTime)
{
    const auto space = type.rfind(' ');
    const auto colon = type.find(':', space == std::string::npos ? 0 : space);
    if (space == std::string::npos || colon == std::string::npos)
    {
        return "";
    }
    const std::string low = type.substr(space + 1, colon - space - 1);
    const std::string high = type.substr(colon + 1);
    return isTime ? FormatAttributeTime(Time(low)) + " to " + FormatAttributeTime(Time(high))
                  : low + " to " + high;
}

/** \param text "-5" or "5" \return true and \p rest is "5" if there is a minus */
bool
TakeMinus(const std::string& text, std::string& rest)
{
    const bool negative = !text.empty() && text.front() == '-';
    rest = negative ? text.substr(1) : text;
    return negative;
}

Ptr<AttributeValue>
ReadSigned(const std::string& text)
{
    std::string digits;
    const bool negative = TakeMinus(text, digits);
    const auto number =
        static_cast<int64_t>(ParseRdmaInteger(digits, 0, std::numeric_limits<int64_t>::max()));
    return Create<IntegerValue>(negative ? -number : number);
}

Ptr<AttributeValue>
ReadSignedReal(const std::string& text)
{
    std::string digits;
    const bool negative = TakeMinus(text, digits);
    const double number = ParseRdmaReal(digits);
    return Create<DoubleValue>(negative ? -number : number);
}

Ptr<AttributeValue>
ReadSignedTime(const std::string& text)
{
    std::string digits;
    const bool negative = TakeMinus(text, digits);
    const QbbPs time = ParseRdmaTime(digits);
    return Create<TimeValue>(QbbToTime(negative ? -time : time));
}

Ptr<AttributeValue>
ReadBoolean(const std::string& text)
{
    const bool isTrue = text == "true" || text == "1";
    if (!isTrue && text != "false" && text != "0")
    {
        throw std::invalid_argument("");
    }
    return Create<BooleanValue>(isTrue);
}

Ptr<AttributeValue>
ReadTypeName(const std::string& text)
{
    TypeId type;
    if (!TypeId::LookupByNameFailSafe(text, &type))
    {
        throw std::invalid_argument("");
    }
    return Create<TypeIdValue>(type);
}

/** \return the value, not yet checked \throws std::invalid_argument with or without a message */
Ptr<AttributeValue>
ReadAttributeValue(const AttributeChecker& checker, const std::string& text)
{
    switch (GetAttributeForm(checker))
    {
    case AttributeForm::UNSIGNED:
        return Create<UintegerValue>(
            ParseRdmaInteger(text, 0, std::numeric_limits<uint64_t>::max()));
    case AttributeForm::SIGNED:
        return ReadSigned(text);
    case AttributeForm::REAL:
        return ReadSignedReal(text);
    case AttributeForm::TIME:
        return ReadSignedTime(text);
    case AttributeForm::RATE:
        return Create<DataRateValue>(ParseRdmaRate(text).ToDataRate());
    case AttributeForm::BOOLEAN:
        return ReadBoolean(text);
    case AttributeForm::TYPE:
        return ReadTypeName(text);
    case AttributeForm::TEXT:
        return Create<StringValue>(text);
    case AttributeForm::NAME:
        if (!HasName(GetTypeText(checker), text))
        {
            throw std::invalid_argument("");
        }
        break;
    case AttributeForm::OTHER:
        break;
    }
    return checker.CreateValidValue(StringValue(text));
}

} // namespace

std::string
FormatRdmaAttribute(const TypeId::AttributeInformation& attribute, const AttributeValue& value)
{
    if (const auto* time = dynamic_cast<const TimeValue*>(&value))
    {
        return FormatAttributeTime(time->Get());
    }
    if (const auto* real = dynamic_cast<const DoubleValue*>(&value))
    {
        const double number = real->Get();
        return (number < 0 ? "-" : "") + FormatRdmaReal(std::abs(number));
    }
    return value.SerializeToString(attribute.checker);
}

bool
IsRdmaDefaultGiven(TypeId type, const std::string& name)
{
    TypeId::AttributeInformation info;
    return type.LookupAttributeByName(name, &info) &&
           info.initialValue != info.originalInitialValue;
}

std::string
DescribeRdmaAttribute(const TypeId::AttributeInformation& attribute)
{
    const AttributeChecker& checker = *attribute.checker;
    const std::string type = GetTypeText(checker);
    const AttributeForm form = GetAttributeForm(checker);
    const std::string range = GetAttributeRange(type, form == AttributeForm::TIME);
    const std::string from = range.empty() ? "" : ", " + range;
    switch (form)
    {
    case AttributeForm::UNSIGNED:
    case AttributeForm::SIGNED:
        return range.empty() ? "a whole number" : range;
    case AttributeForm::REAL:
        return range.empty() ? "a number" : range;
    case AttributeForm::TIME:
        return "a time" + from;
    case AttributeForm::RATE:
        return "a rate, as in 25Gbps";
    case AttributeForm::BOOLEAN:
        return "true, false";
    case AttributeForm::NAME:
        return ListNames(type);
    case AttributeForm::TYPE:
        return "the name of a class, as in ns3::RdmaDcqcn";
    case AttributeForm::TEXT:
    case AttributeForm::OTHER:
        break;
    }
    return type.empty() ? checker.GetValueTypeName() : type;
}

Ptr<AttributeValue>
ReadRdmaAttribute(const TypeId::AttributeInformation& attribute, const std::string& text)
{
    Ptr<AttributeValue> value;
    try
    {
        value = ReadAttributeValue(*attribute.checker, text);
    }
    catch (const std::invalid_argument&)
    {
        // The message below says more: it has the attribute's own limits.
    }
    if (!value || !attribute.checker->Check(*value))
    {
        throw std::invalid_argument(attribute.name + " " + QuoteRdmaText(text) +
                                    "; accepted: " + DescribeRdmaAttribute(attribute));
    }
    return value;
}

} // namespace ns3
