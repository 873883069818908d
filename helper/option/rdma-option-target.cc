/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-option-target.h"

#include "qbb-time.h"
#include "rdma-attribute-text.h"
#include "rdma-option.h"
#include "rdma-part-list.h"
#include "rdma-units.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <cctype>
#include <stdexcept>

namespace ns3
{

namespace
{

/** \return the value of an attribute, or null if the attribute does not accept the text */
Ptr<AttributeValue>
TryAttribute(const TypeId::AttributeInformation& attribute, const std::string& text)
{
    try
    {
        return ReadRdmaAttribute(attribute, text);
    }
    catch (const std::invalid_argument&)
    {
        return nullptr; // The message of the option names its own accepted values.
    }
}

/** \return the value of a text with a unit; null for RdmaOptionForm::ATTRIBUTE */
Ptr<AttributeValue>
ReadWithUnit(RdmaOptionForm form, const std::string& text)
{
    switch (form)
    {
    case RdmaOptionForm::BYTES:
        return Create<UintegerValue>(ParseRdmaBytes(text));
    case RdmaOptionForm::TIME:
        return Create<TimeValue>(QbbToTime(ParseRdmaTime(text)));
    case RdmaOptionForm::RATE:
        return Create<DataRateValue>(ParseRdmaRate(text).ToDataRate());
    case RdmaOptionForm::ATTRIBUTE:
        break;
    }
    return nullptr;
}

/** \return the values of an attribute that an option accepts, as in "1 to 255" */
std::string
DescribeValues(const RdmaOptionTarget& target, const TypeId::AttributeInformation& attribute)
{
    std::string text = DescribeRdmaAttribute(attribute);
    const std::string to = " to ";
    const std::size_t middle = text.find(to);
    if (middle != std::string::npos && target.least > 0)
    {
        text = std::to_string(target.least) + text.substr(middle);
    }
    if (target.most < RdmaOptionTarget::ANY)
    {
        text = text.substr(0, text.find(to)) + to + std::to_string(target.most);
    }
    return text;
}

} // namespace

std::optional<RdmaOptionSetting>
RdmaOptionTarget::Read(TypeId type, const std::string& text, const std::string& standard) const
{
    TypeId::AttributeInformation info;
    std::vector<std::string> accepted;
    if (!standard.empty() && std::isalpha(static_cast<unsigned char>(standard.front())))
    {
        accepted.push_back(standard);
    }
    bool hasAttribute = false;
    for (const Word& each : words)
    {
        if (!type.LookupAttributeByName(each.attribute, &info))
        {
            continue;
        }
        hasAttribute = true;
        if (const auto value = TryAttribute(info, each.value))
        {
            accepted.push_back(each.word);
            if (text == each.word)
            {
                return RdmaOptionSetting{option, each.attribute, value};
            }
        }
    }
    if (attributes.empty())
    {
        if (hasAttribute)
        {
            CheckRdmaChoice(option, text, accepted);
        }
        return std::nullopt;
    }
    // A wrong unit is an error even if no attribute takes the value.
    Ptr<AttributeValue> value =
        ParseRdmaOption(option, [this, &text] { return ReadWithUnit(form, text); });
    for (const std::string& attribute : attributes)
    {
        if (!type.LookupAttributeByName(attribute, &info))
        {
            continue;
        }
        value = value ? value : TryAttribute(info, text);
        const auto* number = dynamic_cast<const UintegerValue*>(PeekPointer(value));
        if (value && info.checker->Check(*value) &&
            (!number || (number->Get() >= least && number->Get() <= most)))
        {
            return RdmaOptionSetting{option, attribute, value};
        }
        const std::string choices = JoinRdmaWords(accepted);
        throw std::invalid_argument("--" + option + ": " + text + "; accepted: " + choices +
                                    (choices.empty() ? "" : ", or ") + DescribeValues(*this, info));
    }
    return std::nullopt;
}

} // namespace ns3
