/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-rank-rows.h"

#include "rdma-rank-text.h"
#include "rdma-ranks.h"

#include <algorithm>

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
        m_rows.emplace_back(place, row);
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
    RdmaRankWriter writer;
    for (const auto& [place, row] : m_rows)
    {
        writer.Put(place);
        writer.PutText(row);
    }
    m_rows.clear();
    for (const std::string& text : RdmaRanks::Exchange(writer.Get()))
    {
        for (RdmaRankReader reader(text); RdmaRanks::IsFirst() && !reader.IsAtEnd();)
        {
            const auto place = reader.Take<Place>();
            m_rows.emplace_back(place, reader.TakeText());
        }
    }
    std::sort(m_rows.begin(), m_rows.end());
    for (const auto& [place, row] : m_rows)
    {
        m_os << row;
    }
    m_rows.clear();
}

} // namespace ns3
