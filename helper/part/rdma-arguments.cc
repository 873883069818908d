/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-arguments.h"

#include "qbb-time.h"
#include "rdma-attribute-text.h"
#include "rdma-part.h"
#include "rdma-program-facts.h"
#include "rdma-simulator-choice.h"
#include "rdma-simulator-impl.h"
#include "rdma-units.h"

#include <ns3/config.h>
#include <ns3/global-value.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/type-id.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>

namespace ns3
{

namespace
{

/**
 * \param name "ns3::Class::Attribute"
 * \param value value of the attribute as text
 * \throws std::invalid_argument if the class is of this module and the attribute does not take the
 *         value
 */
void
CheckArgument(const std::string& name, const std::string& value)
{
    const std::size_t colons = name.rfind("::");
    TypeId type;
    TypeId::AttributeInformation attribute;
    // ns-3 reports unknown classes and attributes, and reads the attributes of other modules.
    if (!TypeId::LookupByNameFailSafe(name.substr(0, colons), &type) ||
        type.GetGroupName() != "Rdma" ||
        !type.LookupAttributeByName(name.substr(colons + 2), &attribute))
    {
        return;
    }
    if (const auto* pointer = dynamic_cast<const PointerChecker*>(PeekPointer(attribute.checker)))
    {
        RdmaPart::Parse(value, pointer->GetPointeeTypeId());
        return;
    }
    ReadRdmaAttribute(attribute, value);
}

} // namespace

namespace
{

/**
 * \param argc number of arguments
 * \param argv the arguments
 * \param name name of an option
 * \return value of the last argument "--NAME=VALUE", or nothing
 */
std::optional<std::string>
FindArgument(int argc, const char* const* argv, const std::string& name)
{
    std::optional<std::string> value;
    for (int i = 1; i < argc; ++i)
    {
        const std::string text = argv[i];
        const std::size_t begin = text.find_first_not_of('-');
        if (begin != 0 && begin != std::string::npos &&
            text.compare(begin, name.size() + 1, name + "=") == 0)
        {
            value = text.substr(begin + name.size() + 1);
        }
    }
    return value;
}

} // namespace

std::string
CheckRdmaArguments(int argc, const char* const* argv, const RdmaOwnAttributes& own)
{
    QbbSetTimeResolution();
    for (int i = 1; i < argc; ++i)
    {
        const std::string text = argv[i];
        const std::size_t begin = text.find_first_not_of('-');
        const std::size_t equals = text.find('=');
        constexpr const char NAMESPACE[] = "ns3::";
        if (begin == 0 || begin == std::string::npos || equals == std::string::npos ||
            text.compare(begin, sizeof(NAMESPACE) - 1, NAMESPACE) != 0)
        {
            continue;
        }
        const std::string name = text.substr(begin, equals - begin);
        const std::string value = text.substr(equals + 1);
        if (const auto found = own.find(name); found != own.end())
        {
            return text.substr(0, equals) +
                   ": the program sets this attribute; accepted: " + found->second;
        }
        try
        {
            CheckArgument(name, value);
        }
        catch (const std::invalid_argument& error)
        {
            return text.substr(0, equals) + ": " + error.what();
        }
        if (name.compare(0, name.rfind("::"), RdmaSimulatorImpl::GetTypeId().GetName()) == 0)
        {
            // ns-3's CommandLine sets this default too, but the simulator is created earlier.
            Config::SetDefaultFailSafe(name, StringValue(value));
        }
    }
    // ns-3's CommandLine sets this global value too, but the simulator is created earlier.
    const auto simulator = FindArgument(argc, argv, "simulator");
    if (simulator)
    {
        // Without asserts, EnumChecker of newer ns-3 releases does not check names.
        if (*simulator != "own" && *simulator != "default" && *simulator != "mpi")
        {
            return "--simulator: " + *simulator + "; accepted: own, default, mpi";
        }
        GlobalValue::Bind("simulator", StringValue(*simulator));
    }
    if (const auto threads = FindArgument(argc, argv, "threads"))
    {
        try
        {
            ParseRdmaInteger(*threads, 1, RDMA_MAX_THREADS);
        }
        catch (const std::invalid_argument& error)
        {
            return std::string("--threads: ") + error.what();
        }
    }
    return "";
}

namespace
{

/** Ends the program with status 2 if its output could not be written, as on a full disk. */
void
CheckStandardOutput()
{
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    {
        const auto command = GetRdmaCommand();
        std::cerr << (command.empty() ? "rdma" : command.front())
                  << ": standard output: could not be written completely\n";
        std::_Exit(2);
    }
}

} // namespace

void
BeginRdmaProgram(int argc, const char* const* argv, const RdmaOwnAttributes& own)
{
    std::atexit(&CheckStandardOutput);
    const std::string wrong = CheckRdmaArguments(argc, argv, own);
    if (!wrong.empty())
    {
        const std::string program = argc > 0 ? argv[0] : "";
        std::cerr << program.substr(program.rfind('/') + 1) << ": " << wrong << "\n";
        std::exit(2);
    }
    if (!FindArgument(argc, argv, "SimulatorImplementationType"))
    {
        RdmaSimulatorImpl::Select();
    }
}

} // namespace ns3
