/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-program-facts.h"

#include <ns3/global-value.h>
#include <ns3/string.h>
#include <ns3/type-id.h>

#include <cstdint>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>

#ifdef __APPLE__
#include <crt_externs.h>
#endif

// The build system tells the versions to this file alone.
#ifndef RDMA_VERSION
#define RDMA_VERSION ""
#endif
#ifndef RDMA_NS3_VERSION
#define RDMA_NS3_VERSION ""
#endif

namespace ns3
{

namespace
{

/** \return the file COMMIT, which a build leaves beside the library of the module */
std::string
ReadCommit()
{
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&GetRdmaVersions), &info) == 0 || !info.dli_fname)
    {
        return "";
    }
    std::ifstream file(std::filesystem::path(info.dli_fname).parent_path() / "COMMIT");
    std::string commit;
    std::getline(file, commit);
    return commit;
}

} // namespace

std::vector<std::string>
GetRdmaCommand()
{
    std::vector<std::string> words;
#ifdef __APPLE__
    char** const arguments = *_NSGetArgv();
    words.assign(arguments, arguments + *_NSGetArgc());
#else
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string word;
    while (std::getline(file, word, '\0'))
    {
        words.push_back(word);
    }
#endif
    if (!words.empty())
    {
        words.front() = std::filesystem::path(words.front()).filename().string();
    }
    return words;
}

std::map<std::string, std::string>
GetRdmaChangedDefaults()
{
    std::map<std::string, std::string> changed;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        for (std::size_t j = 0; j < type.GetAttributeN(); ++j)
        {
            const TypeId::AttributeInformation info = type.GetAttribute(j);
            if (info.initialValue != info.originalInitialValue)
            {
                changed[type.GetName() + "::" + info.name] =
                    info.initialValue->SerializeToString(info.checker);
            }
        }
    }
    return changed;
}

std::map<std::string, std::string>
GetRdmaGlobals()
{
    std::map<std::string, std::string> globals;
    for (auto it = GlobalValue::Begin(); it != GlobalValue::End(); ++it)
    {
        StringValue value;
        (*it)->GetValue(value);
        globals[(*it)->GetName()] = value.Get();
    }
    return globals;
}

std::map<std::string, std::string>
GetRdmaVersions()
{
#ifdef __clang__
    const std::string compiler = "clang " __clang_version__;
#else
    const std::string compiler = "GCC " __VERSION__;
#endif
    return {{"rdma", RDMA_VERSION},
            {"commit", ReadCommit()},
            {"ns-3", RDMA_NS3_VERSION},
            {"compiler", compiler}};
}

} // namespace ns3
