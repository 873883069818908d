/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-command-line.h"

#include "rdma-attribute-text.h"
#include "rdma-part.h"
#include "rdma-program-facts.h"
#include "rdma-refuse.h"
#include "rdma-simulator-impl.h"
#include "rdma-text-file.h"
#include "rdma-time.h"

#include <ns3/command-line.h>
#include <ns3/global-value.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace ns3
{

namespace
{

/** An argument that prints and ends the program. */
struct PrintArgument
{
    const char* name; //!< name without dashes
    bool hasValue;    //!< the argument has a value
};

/// Arguments of ns3::CommandLine that print, and the common names of two of them.
constexpr PrintArgument PRINT_ARGUMENTS[] = {
    {"h", false},
    {"help", false},
    {"PrintHelp", false},
    {"version", false},
    {"PrintVersion", false},
    {"PrintGlobals", false},
    {"PrintGroups", false},
    {"PrintTypeIds", false},
    {"PrintGroup", true},
    {"PrintAttributes", true},
};

/** \return the name of an argument that has dashes, up to its value; empty for other texts */
std::string
GetName(const std::string& text)
{
    const std::size_t begin = text.rfind("--", 0) == 0 ? 2 : text.rfind('-', 0) == 0 ? 1 : 0;
    const std::size_t end = std::min(text.find('='), text.size());
    const bool isName =
        begin > 0 && begin < end && std::isalpha(static_cast<unsigned char>(text[begin]));
    return isName ? text.substr(begin, end - begin) : "";
}

/** \return the argument that prints and has a name, or null */
const PrintArgument*
FindPrintArgument(const std::string& name)
{
    const auto* found = std::find_if(std::begin(PRINT_ARGUMENTS),
                                     std::end(PRINT_ARGUMENTS),
                                     [&name](const auto& each) { return each.name == name; });
    return found == std::end(PRINT_ARGUMENTS) ? nullptr : found;
}

/** \return value of a global value as text */
std::string
GetGlobal(const std::string& name)
{
    StringValue value;
    GlobalValue::GetValueByName(name, value);
    return value.Get();
}

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

/** \param path path of a source file \return name of the file without folder and extension */
std::string
GetProgramName(const std::string& path)
{
    const std::string name = path.substr(path.find_last_of("/\\") + 1);
    return name.substr(0, name.rfind('.'));
}

} // namespace

RdmaCommandLine::RdmaCommandLine(const std::string& file, const std::string& usage)
    : m_name(GetProgramName(file)),
      m_usage(usage)
{
    RdmaSetTimeResolution();
}

void
RdmaCommandLine::Sets(const RdmaOwnAttributes& own)
{
    GetOwn().insert(own.begin(), own.end());
}

std::vector<RdmaCommandLine::Argument>
RdmaCommandLine::Split(const std::vector<std::string>& arguments) const
{
    std::vector<std::string> more;
    for (const PrintArgument& each : PRINT_ARGUMENTS)
    {
        // No word is near to a name of one letter.
        if (std::string(each.name).size() > 1)
        {
            more.emplace_back(each.name);
        }
    }
    std::vector<Argument> split;
    std::set<std::string> names;
    for (std::size_t i = 0; i < arguments.size(); ++i)
    {
        const std::string& text = arguments[i];
        const std::string name = GetName(text);
        if (name.empty())
        {
            // Users forget dashes, and the quotes of values with blanks.
            const std::string word = text.substr(0, text.find('='));
            const auto& options = GetOptions();
            const bool isKnown =
                IsRdmaNs3Argument(word) ||
                std::any_of(options.begin(), options.end(), [&word](const auto& each) {
                    return each->name == word;
                });
            throw std::invalid_argument(
                QuoteRdmaText(text) + " is no option; " +
                (isKnown ? "did you mean --" + text + "?"
                         : "accepted: --NAME=VALUE, in quotes if VALUE has blanks"));
        }
        const auto& options = GetOptions();
        const auto found = std::find_if(options.begin(), options.end(), [&name](const auto& each) {
            return each->name == name;
        });
        const Option* const option = found == options.end() ? nullptr : found->get();
        if (!option && !IsRdmaNs3Argument(name))
        {
            throw std::invalid_argument("--" + name + ": there is no such option" +
                                        Suggest(name, more));
        }
        RefuseRdmaIf(!names.insert(name).second, "--" + name + " is given twice; accepted: once");
        const bool isFlag = option && std::holds_alternative<bool*>(option->value);
        const std::vector<std::string> words{"true", "false", "1", "0"};
        std::string value;
        if (const std::size_t equals = text.find('='); equals != std::string::npos)
        {
            value = text.substr(equals + 1);
        }
        else if (isFlag && (i + 1 == arguments.size() ||
                            std::count(words.begin(), words.end(), arguments[i + 1]) == 0))
        {
            value = "true";
        }
        else if (i + 1 < arguments.size() && GetName(arguments[i + 1]).empty())
        {
            value = arguments[++i];
        }
        const bool mayBeEmpty =
            option && std::count(option->accepted.begin(), option->accepted.end(), "") > 0;
        RefuseRdmaIf(value.empty() && !mayBeEmpty,
                     "--" + name + " has no value; accepted: " +
                         (option ? option->Describe() : "--" + name + "=VALUE"));
        split.push_back({name, value});
    }
    return split;
}

void
RdmaCommandLine::Read(const std::vector<std::string>& arguments)
{
    const std::vector<Argument> split = Split(arguments);
    for (const auto& option : GetOptions())
    {
        const auto found = std::find_if(split.begin(), split.end(), [&option](const auto& each) {
            return each.name == option->name;
        });
        if (found == split.end())
        {
            continue;
        }
        if (option->IsAction())
        {
            // The messages of a preset or file name what is wrong by themselves.
            if (!option->accepted.empty())
            {
                CheckRdmaChoice(option->name, found->value, option->accepted);
            }
            option->Set(found->value);
            continue;
        }
        ParseRdmaOption(option->name,
                        [&] { option->Set(found->value, RdmaOptionSource::ARGUMENT); });
    }
    for (const Argument& argument : split)
    {
        const auto& options = GetOptions();
        if (std::none_of(options.begin(), options.end(), [&argument](const auto& each) {
                return each->name == argument.name;
            }))
        {
            RefuseRdmaIf(argument.name == "SimulatorImplementationType" &&
                             argument.value == "ns3::DefaultSimulatorImpl",
                         "--" + argument.name + ": " + argument.value +
                             "; accepted: --simulator=default");
            SetNs3Argument(argument.name, argument.value);
        }
    }
    CheckSimulator();
}

void
RdmaCommandLine::CheckSimulator() const
{
    const std::string type = GetGlobal("SimulatorImplementationType");
    const TypeId own = RdmaSimulatorImpl::GetTypeId();
    const bool isOwn = type == "ns3::DefaultSimulatorImpl" || type == own.GetName();
    const bool hasThreads = GetGlobal("threads") != "1" || IsRdmaDefaultGiven(own, "Threads");
    RefuseRdmaIf(hasThreads && (!isOwn || GetGlobal("simulator") == "default"),
                 "--threads with " +
                     (isOwn ? "--simulator=default" : "--SimulatorImplementationType=" + type) +
                     "; accepted: with --simulator=own");
}

bool
RdmaCommandLine::PrintAndEnd(const std::vector<std::string>& arguments) const
{
    for (std::size_t i = 0; i < arguments.size(); ++i)
    {
        const std::string name = GetName(arguments[i]);
        const PrintArgument* const print = FindPrintArgument(name);
        if (!print)
        {
            continue;
        }
        const std::size_t equals = arguments[i].find('=');
        std::string value = equals == std::string::npos ? "" : arguments[i].substr(equals + 1);
        if (print->hasValue && equals == std::string::npos && i + 1 < arguments.size())
        {
            value = arguments[i + 1];
        }
        RefuseRdmaIf(print->hasValue && value.empty(),
                     "--" + name + " has no value; accepted: " +
                         (name == "PrintGroup" ? "a group, see --PrintGroups"
                                               : "a class, as in ns3::RdmaNic"));
        RefuseRdmaIf(!print->hasValue && equals != std::string::npos,
                     "--" + name + " has a value; accepted: without a value");
        if (name == "version" || name == "PrintVersion")
        {
            const auto versions = GetRdmaVersions();
            const std::string& commit = versions.at("commit");
            std::cout << "rdma " << versions.at("rdma")
                      << (commit.empty() ? "" : " (commit " + commit + ")") << ", ns-3 "
                      << versions.at("ns-3") << "\n";
            return true;
        }
        if (name == "h" || name == "help" || name == "PrintHelp")
        {
            PrintHelp(std::cout);
            return true;
        }
        if (name == "PrintAttributes")
        {
            ParseRdmaOption(name, [&value] { CheckRdmaClassName(value); });
        }
        MakeNs3CommandLine().Parse(
            std::vector<std::string>{m_name, "--" + name + (print->hasValue ? "=" + value : "")});
        return true;
    }
    return false;
}

CommandLine
RdmaCommandLine::MakeNs3CommandLine() const
{
    CommandLine cmd(m_name);
    cmd.Usage(m_usage + "\n\nAn option is --NAME=VALUE or --NAME VALUE. -h and --help print this "
                        "text, --version prints versions.");
    // ns-3 writes the value of the variable into the help text when the option is added.
    std::vector<std::string> defaults(GetOptions().size());
    for (std::size_t i = 0; i < defaults.size(); ++i)
    {
        const Option& option = *GetOptions()[i];
        defaults[i] = option.GetText();
        cmd.AddValue(option.name, option.help, defaults[i]);
    }
    return cmd;
}

void
RdmaCommandLine::PrintHelp(std::ostream& os) const
{
    MakeNs3CommandLine().PrintHelp(os);
}

void
RdmaCommandLine::Parse(int argc, const char* const* argv)
{
    std::atexit(&CheckStandardOutput);
    try
    {
        const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
        if (PrintAndEnd(arguments))
        {
            std::exit(0);
        }
        Read(arguments);
    }
    catch (const std::exception& error)
    {
        std::cerr << m_name << ": " << error.what() << "\n";
        std::exit(2);
    }
    // ns-3's documentation asks each program for its options by an environment variable.
    MakeNs3CommandLine().Parse(std::vector<std::string>{m_name});
    RdmaSimulatorImpl::Select();
}

int
RdmaCommandLine::Run(int argc, const char* const* argv, const std::function<int()>& program)
{
    Parse(argc, argv);
    try
    {
        return program();
    }
    catch (const std::exception& error)
    {
        std::cerr << m_name << ": " << error.what() << "\n";
        return 2;
    }
}

} // namespace ns3
