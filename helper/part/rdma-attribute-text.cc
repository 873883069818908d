/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-attribute-text.h"

#include "rdma-text-file.h"
#include "rdma-time.h"
#include "rdma-units.h"

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/integer.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <regex>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

/** \param checker a checker \return its type information: "uint8_t 1:255", "A|B"; may be empty */
std::string
GetTypeText(const AttributeChecker& checker)
{
    return checker.HasUnderlyingTypeInformation() ? checker.GetUnderlyingTypeInformation() : "";
}

/** \param text a number, perhaps with a minus sign \param parse reads the number without sign */
template <typename F>
auto
ReadSigned(const std::string& text, F parse)
{
    const bool isNegative = !text.empty() && text.front() == '-';
    const auto number = parse(isNegative ? text.substr(1) : text);
    return isNegative ? -number : number;
}

/** Reads a value without checking limits. \return the value, or null for other text */
using AttributeReader = Ptr<AttributeValue> (*)(const AttributeChecker&, const std::string&);

/** How the values of a type are read and described. */
struct AttributeForm
{
    const char* type;     //!< start of the type's name; newer releases append details
    const char* accepted; //!< form of the values; empty: text of the attribute's checker
    AttributeReader read; //!< throws std::invalid_argument, or returns null, for other text
};

constexpr AttributeForm ATTRIBUTE_FORMS[] = {
    {"UintegerValue",
     "a whole number",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         return Create<UintegerValue>(
             ParseRdmaDigits(text, 0, std::numeric_limits<uint64_t>::max()));
     }},
    {"IntegerValue",
     "a whole number",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         return Create<IntegerValue>(ReadSigned(text, [](const std::string& digits) {
             constexpr auto MAX = std::numeric_limits<int64_t>::max();
             return static_cast<int64_t>(ParseRdmaDigits(digits, 0, MAX));
         }));
     }},
    {"DoubleValue",
     "a number",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         return Create<DoubleValue>(ReadSigned(text, ParseRdmaReal));
     }},
    {"TimeValue",
     "a time",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         return Create<TimeValue>(RdmaToTime(ReadSigned(text, ParseRdmaTime)));
     }},
    {"DataRateValue",
     "a rate, as in 25Gbps",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         if (text.find_first_of("eE") != std::string::npos)
         {
             return nullptr; // ns-3's CommandLine reads rates a second time, without an exponent.
         }
         // The help of an attribute that accepts 0 says what 0 means.
         return Create<DataRateValue>(text == "0bps" ? DataRate(0)
                                                     : ParseRdmaRate(text).ToDataRate());
     }},
    {"BooleanValue",
     "true, false",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         const bool isTrue = text == "true" || text == "1";
         const bool isFalse = text == "false" || text == "0";
         return isTrue || isFalse ? Create<BooleanValue>(isTrue) : nullptr;
     }},
    {"EnumValue",
     "",
     [](const AttributeChecker& checker, const std::string& text) {
         const bool isName =
             !text.empty() && text.find('|') == std::string::npos &&
             ("|" + GetTypeText(checker) + "|").find("|" + text + "|") != std::string::npos;
         return isName ? checker.CreateValidValue(StringValue(text)) : nullptr;
     }},
    {"TypeIdValue",
     "the name of a class, as in ns3::RdmaDcqcn",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         TypeId type;
         return TypeId::LookupByNameFailSafe(text, &type) ? Create<TypeIdValue>(type) : nullptr;
     }},
    {"StringValue",
     "",
     [](const AttributeChecker&, const std::string& text) -> Ptr<AttributeValue> {
         return Create<StringValue>(text);
     }},
    // ns-3 reads any other type.
    {"",
     "",
     [](const AttributeChecker& checker, const std::string& text) {
         return checker.CreateValidValue(StringValue(text));
     }},
};

const AttributeForm&
GetAttributeForm(const AttributeChecker& checker)
{
    // Some checkers name the value with its namespace, and some do not.
    std::string name = checker.GetValueTypeName();
    const std::string scope = "ns3::";
    name.erase(0, name.rfind(scope, 0) == 0 ? scope.size() : 0);
    return *std::find_if(
        std::begin(ATTRIBUTE_FORMS),
        std::end(ATTRIBUTE_FORMS),
        [&name](const AttributeForm& form) { return name.rfind(form.type, 0) == 0; });
}

/** \param name name of an attribute \return true if whole numbers of the attribute count bytes */
bool
CountsBytes(const std::string& name)
{
    const auto endsWith = [&name](const std::string& end) {
        return name.size() >= end.size() &&
               name.compare(name.size() - end.size(), end.size(), end) == 0;
    };
    return endsWith("Bytes") || endsWith("Size");
}

/** \param time a time, which may be negative \return the time as the module prints it */
std::string
FormatAttributeTime(const Time& time)
{
    const RdmaPs ps = RdmaToPs(time);
    return ps < 0_ps ? "-" + FormatRdmaTime(-ps) : FormatRdmaTime(ps);
}

/**
 * \param type type information, as in "uint8_t 1:255"
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

/** A StringChecker that also reads the text with a function. */
class RdmaTextChecker : public StringChecker
{
  public:
    RdmaTextChecker(std::function<void(const std::string&)> read, const std::string& accepted)
        : m_any(MakeStringChecker()),
          m_read(std::move(read)),
          m_accepted(accepted)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        const auto* text = dynamic_cast<const StringValue*>(&value);
        if (!text)
        {
            return false;
        }
        try
        {
            m_read(text->Get());
        }
        catch (const std::invalid_argument&)
        {
            return false;
        }
        return true;
    }

    std::string GetValueTypeName() const override
    {
        return m_any->GetValueTypeName();
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return m_accepted;
    }

    Ptr<AttributeValue> Create() const override
    {
        return m_any->Create();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        return m_any->Copy(source, destination);
    }

  private:
    Ptr<const AttributeChecker> m_any;              //!< checker that accepts any text
    std::function<void(const std::string&)> m_read; //!< throws for a text that is not accepted
    std::string m_accepted;                         //!< the accepted texts, for messages
};

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

void
SetRdmaDefault(const std::string& type, const std::string& name, const AttributeValue& value)
{
    if (!IsRdmaDefaultGiven(TypeId::LookupByName(type), name))
    {
        Config::SetDefault(type + "::" + name, value);
    }
}

std::string
DescribeRdmaAttribute(const TypeId::AttributeInformation& attribute)
{
    const AttributeChecker& checker = *attribute.checker;
    const std::string type = GetTypeText(checker);
    const AttributeForm& form = GetAttributeForm(checker);
    const std::string accepted = form.accepted;
    if (accepted.empty())
    {
        const bool isEnum = std::string(form.type) == "EnumValue";
        return type.empty() ? checker.GetValueTypeName()
               : isEnum     ? std::regex_replace(type, std::regex("\\|"), ", ")
                            : type;
    }
    const bool isTime = accepted == "a time";
    const std::string range = GetAttributeRange(type, isTime);
    return range.empty() ? accepted : isTime ? accepted + ", " + range : range;
}

Ptr<AttributeValue>
ReadRdmaAttribute(const TypeId::AttributeInformation& attribute, const std::string& text)
{
    const bool hasUnit = CountsBytes(attribute.name) && !text.empty() && text.back() == 'B' &&
                         DynamicCast<UintegerValue>(attribute.checker->Create());
    Ptr<AttributeValue> value;
    try
    {
        value = hasUnit ? Ptr<AttributeValue>(Create<UintegerValue>(ParseRdmaBytes(text)))
                        : GetAttributeForm(*attribute.checker).read(*attribute.checker, text);
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

Ptr<const AttributeChecker>
MakeRdmaTextChecker(std::function<void(const std::string&)> read, const std::string& accepted)
{
    return Ptr<const AttributeChecker>(new RdmaTextChecker(std::move(read), accepted), false);
}

} // namespace ns3
