/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rank-rows.h"

#include "rdma-ranks.h"

namespace ns3
{

RdmaRankRows::RdmaRankRows(std::ostream& os)
    : m_os(os)
{
}

void
RdmaRankRows::Add(const Place& place, const std::string& row)
{
    if (RdmaRanks::AreSeveral())
    {
        m_rows.Add(place, row);
        return;
    }
    m_os << row;
}

void
RdmaRankRows::Finish()
{
    if (!RdmaRanks::AreSeveral())
    {
        return;
    }
    for (const auto& [place, row] : m_rows.Gather())
    {
        if (RdmaRanks::IsFirst())
        {
            m_os << row;
        }
    }
}

} // namespace ns3
