/* SPDX-License-Identifier: GPL-2.0-only */

/**
 * \file
 * Prints the attributes and trace sources of the classes that the arguments name, one a line, in
 * columns separated by tabs. doc/introspect.py builds and runs it.
 */

#include <ns3/object.h>
#include <ns3/type-id.h>

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    for (int i = 1; i < argc; ++i)
    {
        const TypeId tid = TypeId::LookupByName(argv[i]);
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            const auto info = tid.GetAttribute(a);
            std::cout << argv[i] << "\tattribute\t" << info.name << "\t"
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
            std::cout << argv[i] << "\ttrace\t" << info.name << "\t" << info.callback << "\t"
                      << info.help << "\n";
        }
    }
    return 0;
}
