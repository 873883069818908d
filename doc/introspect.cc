/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * Prints the attributes and trace sources of all classes of the module, one a line, in columns
 * separated by tabs; with the one argument --columns, the description of the columns of
 * result files (RdmaResultTables::Describe()). doc/introspect.py builds and runs it.
 */

#include <ns3/object.h>
#include <ns3/rdma-flow-report.h>
#include <ns3/type-id.h>

#include <iostream>
#include <string>

using namespace ns3;

int
main(int argc, char* argv[])
{
    if (argc == 2 && std::string(argv[1]) == "--columns")
    {
        std::cout << RdmaResultTables().Describe();
        return 0;
    }
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetGroupName() != "Rdma")
        {
            continue;
        }
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            const auto info = tid.GetAttribute(a);
            std::cout << tid.GetName() << "\tattribute\t" << info.name << "\t"
                      << info.initialValue->SerializeToString(info.checker) << "\t"
                      << info.checker->GetValueTypeName() << "\t"
                      << (info.checker->HasUnderlyingTypeInformation()
                              ? info.checker->GetUnderlyingTypeInformation()
                              : "")
                      << "\t" << info.help << "\n";
        }
        for (std::size_t t = 0; t < tid.GetTraceSourceN(); ++t)
        {
            const auto info = tid.GetTraceSource(t);
            std::cout << tid.GetName() << "\ttrace\t" << info.name << "\t" << info.callback << "\t"
                      << info.help << "\n";
        }
    }
    return 0;
}
