/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-result-column.h"

#include "rdma-refuse.h"

namespace ns3
{

void
RdmaResultColumnInfo::Validate() const
{
    static const char* const LETTERS = "abcdefghijklmnopqrstuvwxyz";
    static const char* const ALL = "abcdefghijklmnopqrstuvwxyz0123456789_";
    RefuseRdmaIf(name.find_first_of(LETTERS) != 0 ||
                     name.find_first_not_of(ALL) != std::string::npos,
                 "column \"" + name +
                     "\"; accepted: a name of lower case letters, digits and "
                     "underscores, beginning with a letter");
    for (const std::string& text : {unit, meaning})
    {
        RefuseRdmaIf(text.find_first_of("\t\r\n") != std::string::npos,
                     "column " + name + ": \"" + text +
                         "\" has more than one line or a tab; accepted: one line");
    }
    RefuseRdmaIf(meaning.empty(),
                 "column " + name + " has no meaning; accepted: one line for users");
}

} // namespace ns3
