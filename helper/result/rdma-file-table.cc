/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-file-table.h"

namespace ns3
{

std::map<std::string, std::vector<RdmaResultColumnInfo>>&
GetRdmaFileColumns()
{
    static std::map<std::string, std::vector<RdmaResultColumnInfo>> columns;
    return columns;
}

} // namespace ns3
