/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-part-name.h"

#include <ns3/abort.h>

#include <algorithm>

namespace ns3
{

namespace
{

/** \return list of all names; a function-local static, because names register before main() */
std::vector<RdmaPartName::Entry>&
GetPartNames()
{
    static std::vector<RdmaPartName::Entry> entries;
    return entries;
}

/** \param a a class \param b a class \return true if \p a is \p b or derives from \p b */
bool
IsOfKind(TypeId a, TypeId b)
{
    return a == b || a.IsChildOf(b);
}

} // namespace

RdmaPartName::RdmaPartName(const std::string& name,
                           TypeId type,
                           const std::string& settings,
                           const std::string& help,
                           const std::vector<std::string>& parameters)
{
    GetPartNames().push_back({name, type, settings, help, parameters});
}

std::vector<RdmaPartName::Entry>
RdmaPartName::GetAll(TypeId kind)
{
    std::vector<Entry> found;
    for (const Entry& entry : GetPartNames())
    {
        if (IsOfKind(entry.type, kind))
        {
            found.push_back(entry);
        }
    }
    std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
        return a.name < b.name;
    });
    for (std::size_t i = 1; i < found.size(); ++i)
    {
        NS_ABORT_MSG_IF(found[i - 1].name == found[i].name,
                        "rdma: " << found[i - 1].type.GetName() << " and "
                                 << found[i].type.GetName() << " both have the short name "
                                 << found[i].name);
    }
    return found;
}

} // namespace ns3
