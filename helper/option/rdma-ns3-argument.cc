/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-ns3-argument.h"

#include "rdma-attribute-text.h"
#include "rdma-option-list.h"
#include "rdma-part.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"

#include <ns3/config.h>
#include <ns3/global-value.h>
#include <ns3/pointer.h>
#include <ns3/scheduler.h>
#include <ns3/simulator-impl.h>
#include <ns3/string.h>
#include <ns3/type-id.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr const char NAMESPACE[] = "ns3::"; //!< prefix of an argument that sets an attribute

/** \param name name of a class \return the name without its namespace */
std::string
GetBareName(const std::string& name)
{
    return name.substr(name.rfind(NAMESPACE, 0) == 0 ? sizeof(NAMESPACE) - 1 : 0);
}

/** \param checker checker of a value \return true if ns-3 reads such values to the first wrong
 * letter */
bool
IsReadLoosely(const AttributeChecker& checker)
{
    const std::string type = GetBareName(checker.GetValueTypeName());
    constexpr const char* TYPES[] = {"UintegerValue",
                                     "IntegerValue",
                                     "DoubleValue",
                                     "BooleanValue",
                                     "EnumValue"};
    return std::any_of(std::begin(TYPES), std::end(TYPES), [&type](const char* each) {
        return type.rfind(each, 0) == 0;
    });
}

/** \param type a class \param name name of an attribute \return attribute of the class itself */
std::optional<TypeId::AttributeInformation>
FindOwnAttribute(TypeId type, const std::string& name)
{
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        if (type.GetAttribute(i).name == name)
        {
            return type.GetAttribute(i);
        }
    }
    return std::nullopt;
}

/** \param type a class \param name unknown attribute \return "; did you mean ...?", or what to do
 */
std::string
SuggestAttribute(TypeId type, const std::string& name)
{
    std::vector<std::string> names;
    for (TypeId each = type;; each = each.GetParent())
    {
        if (each != type && FindOwnAttribute(each, name))
        {
            return "; did you mean --" + each.GetName() + "::" + name + "?";
        }
        for (std::size_t i = 0; i < each.GetAttributeN(); ++i)
        {
            names.push_back(each.GetAttribute(i).name);
        }
        if (!each.HasParent() || each == each.GetParent())
        {
            break;
        }
    }
    const std::string nearest = FindNearestRdmaWord(name, names);
    for (TypeId each = type; !nearest.empty(); each = each.GetParent())
    {
        if (FindOwnAttribute(each, nearest))
        {
            return "; did you mean --" + each.GetName() + "::" + nearest + "?";
        }
    }
    return "; --PrintAttributes=" + type.GetName() + " lists the attributes";
}

/** Sets the default value of an attribute. */
void
SetAttributeDefault(const std::string& name, const std::string& value)
{
    const std::size_t colons = name.rfind("::");
    RefuseRdmaIf(colons < sizeof(NAMESPACE) - 1 || colons + 2 == name.size(),
                 "--" + name + " names no attribute; accepted: --ns3::CLASS::ATTRIBUTE=VALUE");
    const std::string typeName = name.substr(0, colons);
    ParseRdmaOption(name, [&typeName] { CheckRdmaClassName(typeName); });
    const TypeId type = TypeId::LookupByName(typeName);
    const auto attribute = FindOwnAttribute(type, name.substr(colons + 2));
    RefuseRdmaIf(!attribute,
                 "--" + name + ": there is no such attribute" +
                     SuggestAttribute(type, name.substr(colons + 2)));
    const auto* pointer = dynamic_cast<const PointerChecker*>(PeekPointer(attribute->checker));
    const bool isOfModule = type.GetGroupName() == "Rdma";
    ParseRdmaOption(name, [&] {
        if (isOfModule && pointer)
        {
            // ns-3 does not know short names of parts, and ends the program.
            const RdmaPart part = RdmaPart::Parse(value, pointer->GetPointeeTypeId());
            Config::SetDefault(name, PointerValue(part.CreateObject()));
            return;
        }
        Ptr<AttributeValue> read = Create<StringValue>(value);
        if (isOfModule || IsReadLoosely(*attribute->checker))
        {
            read = ReadRdmaAttribute(*attribute, value);
        }
        RefuseRdmaIf(!Config::SetDefaultFailSafe(name, *read),
                     attribute->name + " " + QuoteRdmaText(value) +
                         "; accepted: " + DescribeRdmaAttribute(*attribute));
    });
}

/** \param name name of a global value \return the global value, or null */
GlobalValue*
FindGlobal(const std::string& name)
{
    const auto found =
        std::find_if(GlobalValue::Begin(), GlobalValue::End(), [&name](const GlobalValue* each) {
            return each->GetName() == name;
        });
    return found == GlobalValue::End() ? nullptr : *found;
}

/** Sets a global value. */
void
SetGlobal(GlobalValue& global, const std::string& value)
{
    const std::string name = global.GetName();
    TypeId::AttributeInformation info;
    info.name = name;
    info.checker = global.GetChecker();
    Ptr<AttributeValue> read;
    try
    {
        read = ReadRdmaAttribute(info, value);
    }
    catch (const std::invalid_argument& error)
    {
        // The text begins with the name.
        throw std::invalid_argument("--" + name + ":" +
                                    std::string(error.what()).substr(name.size()));
    }
    // ns-3 creates an object of the class later, where another class ends the program.
    const std::pair<const char*, TypeId> kinds[] = {
        {"SimulatorImplementationType", SimulatorImpl::GetTypeId()},
        {"SchedulerType", Scheduler::GetTypeId()},
    };
    for (const auto& [kindName, kind] : kinds)
    {
        if (name == kindName)
        {
            TypeId type;
            std::vector<std::string> accepted;
            for (const TypeId& each : GetRdmaPartTypes(kind))
            {
                accepted.push_back(each.GetName());
            }
            RefuseRdmaIf(!TypeId::LookupByNameFailSafe(value, &type) || !type.IsChildOf(kind) ||
                             !type.HasConstructor(),
                         "--" + name + ": " + QuoteRdmaText(value) +
                             "; accepted: " + JoinRdmaWords(accepted));
        }
    }
    RefuseRdmaIf(!GlobalValue::BindFailSafe(name, *read),
                 "--" + name + ": " + QuoteRdmaText(value) +
                     "; accepted: " + DescribeRdmaAttribute(info));
}

} // namespace

bool
IsRdmaNs3Argument(const std::string& name)
{
    return name.rfind(NAMESPACE, 0) == 0 || FindGlobal(name);
}

std::vector<std::string>
GetRdmaGlobalNames()
{
    std::vector<std::string> names;
    std::transform(GlobalValue::Begin(),
                   GlobalValue::End(),
                   std::back_inserter(names),
                   [](const GlobalValue* each) { return each->GetName(); });
    return names;
}

void
SetRdmaNs3Argument(const std::string& name, const std::string& value)
{
    if (GlobalValue* global = FindGlobal(name))
    {
        SetGlobal(*global, value);
        return;
    }
    SetAttributeDefault(name, value);
}

void
CheckRdmaClassName(const std::string& name)
{
    TypeId type;
    if (TypeId::LookupByNameFailSafe(name, &type))
    {
        return;
    }
    std::vector<std::string> names;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        names.push_back(GetBareName(TypeId::GetRegistered(i).GetName()));
    }
    const std::string nearest = FindNearestRdmaWord(GetBareName(name), names);
    throw std::invalid_argument("there is no class " + name +
                                (nearest.empty() ? "; --PrintTypeIds lists the classes"
                                                 : "; did you mean ns3::" + nearest + "?"));
}

} // namespace ns3
